/* meshes_paint.c - the passes of a picture: visible instances, draws, colours. */
#include "meshes_internal.h"

#include "meshes_cull.comp.h"
#include "meshes_list.comp.h"
#include "meshes_masked.frag.h"
#include "meshes_masked.vert.h"
#include "meshes_shade.comp.h"
#include "meshes_solid.frag.h"
#include "meshes_solid.vert.h"

_Static_assert(sizeof(MeshesPush) <= GPU_PUSH_BYTES, "what is pushed for a pass");

ent_status meshes_kernels_create(Meshes* m) {
    TRY(gpu_kernel_create(&m->kernel.cull, m->gpu, &GPU_KERNEL(meshes_cull, MESHES_CULL_GROUP)));
    return gpu_kernel_create(&m->kernel.list, m->gpu, &GPU_KERNEL(meshes_list, MESHES_CULL_GROUP));
}

static ent_status shade_need(Meshes* m, GpuFrame* frame) {
    const LightsMethod* method = lights_settings(&m->lighting->lights).method;
    const GpuKernelDesc desc = method ? method->shade : GPU_KERNEL(meshes_shade, LIGHTING_GROUP);
    return lighting_kernel_need(m->lighting, frame, &m->kernel.shade[method != NULL], &desc);
}

/* --- pipelines --- */

#define SOLID                                                                                      \
    .name = "meshes_solid", .vert = meshes_solid_vert, .vert_bytes = sizeof meshes_solid_vert,     \
    .frag = meshes_solid_frag, .frag_bytes = sizeof meshes_solid_frag
#define MASKED                                                                                     \
    .name = "meshes_masked", .vert = meshes_masked_vert, .vert_bytes = sizeof meshes_masked_vert,  \
    .frag = meshes_masked_frag, .frag_bytes = sizeof meshes_masked_frag
#define TRIANGLES(side, face)                                                                      \
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, .cull = VK_CULL_MODE_##side,                  \
    .front = VK_FRONT_FACE_##face

static const CanvasPipelineDesc pipelines[MESHES_CLASSES] = {
    [MESHES_SOLID] = {SOLID, TRIANGLES(BACK_BIT, COUNTER_CLOCKWISE)},
    [MESHES_SOLID_MIRRORED] = {SOLID, TRIANGLES(BACK_BIT, CLOCKWISE)},
    [MESHES_SOLID_TWO_SIDED] = {SOLID, TRIANGLES(NONE, COUNTER_CLOCKWISE)},
    [MESHES_MASKED] = {MASKED, TRIANGLES(BACK_BIT, COUNTER_CLOCKWISE)},
    [MESHES_MASKED_MIRRORED] = {MASKED, TRIANGLES(BACK_BIT, CLOCKWISE)},
    [MESHES_MASKED_TWO_SIDED] = {MASKED, TRIANGLES(NONE, COUNTER_CLOCKWISE)},
    [MESHES_LINES] = {SOLID, .topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST},
    [MESHES_POINTS] = {SOLID, .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST}};

static ent_status pipelines_create(Meshes* m, Canvas* canvas) {
    for (u32 i = 0; i < MESHES_CLASSES; i++) {
        if (m->pipeline[i] || m->class_first[i] == m->class_first[i + 1]) continue;
        CanvasPipelineDesc desc = pipelines[i];
        desc.constants[0] = gpu_textures_constant(&m->lighting->textures);
        TRY(canvas_pipeline_create(canvas, &desc, &m->pipeline[i]));
    }
    return ENT_OK;
}

void meshes_kernels_destroy(Meshes* m) {
    gpu_kernel_destroy(&m->kernel.cull);
    gpu_kernel_destroy(&m->kernel.list);
    for (u32 i = 0; i < COUNT_OF(m->kernel.shade); i++) gpu_kernel_destroy(&m->kernel.shade[i]);
    for (u32 i = 0; i < MESHES_CLASSES; i++)
        m->gpu->vk.vkDestroyPipeline(m->gpu->device, m->pipeline[i], NULL);
}

/* --- passes --- */

static void cull_record(const Meshes* m, GpuList* list, const GpuPicture* picture,
                        const MeshesPush* push) {
    gpu_pass(list, &(GpuPass){
                       .name = "cull",
                       .kernel = &m->kernel.cull,
                       .use = {MESHES_PLACED(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                               [MESHES_EYE_BEFORE] = {picture->eye_before, GPU_READ},
                               [MESHES_PYRAMID] = {picture->pyramid, GPU_READ},
                               [MESHES_FLAG] = {&m->scene.flags, GPU_WRITE},
                               [MESHES_COUNT] = {&m->scene.counts, GPU_WRITE},
                               [MESHES_HIDDEN] = {&m->scene.hidden, GPU_READ_WRITE},
                               [MESHES_PART] = {&m->geometry.parts, GPU_READ},
                               [MESHES_BOX] = {&m->skin.skinning.buffer.boxes, GPU_READ},
                               [MESHES_WANTED] = {&m->skin.skinning.buffer.wanted, GPU_READ_WRITE}},
                       GPU_PUSH(*push),
                       .threads = m->slots.capacity});
}

/* Sets the bits of the visible instances, lists these, completes the draws, and moves the vertices. */
void meshes_find_with(Meshes* m, const GpuPicture* picture, const MeshesPush* push,
                      const MeshesFound* found) {
    GpuList* const list = &picture->frame->list;
    const u32      words = meshes_flag_words(m);
    cull_record(m, list, picture, push);
    scan_record(&m->scene.scan, list, &m->scene.counts, &m->scene.sums, words / MESHES_BLOCK);
    gpu_pass(list, &(GpuPass){.name = "list",
                              .kernel = &m->kernel.list,
                              .use = {MESHES_PLACED(m), [MESHES_FLAG] = {&m->scene.flags, GPU_READ},
                                      [MESHES_SUM] = {&m->scene.sums, GPU_READ},
                                      [MESHES_COMMAND] = {found->commands, GPU_READ_WRITE},
                                      [MESHES_DRAW] = {found->draws, GPU_READ},
                                      [MESHES_TOTAL] = {&m->scene.total, GPU_READ_WRITE},
                                      [MESHES_VISIBLE] = {found->visible, GPU_WRITE}},
                              GPU_PUSH(*push),
                              .threads = MAX_OF((u64)words * 32, (u64)push->draw_count)});
    meshes_skin_seen(m, list);
}

void meshes_find(Meshes* m, const GpuPicture* picture) {
    const MeshesPush push = meshes_push(m, picture, 0);
    meshes_find_with(m, picture, &push,
                     &(MeshesFound){&m->scene.commands, &m->scene.draws, &m->scene.visible});
}

ent_status meshes_cull(void* state, GpuPicture* picture) {
    Meshes* m = state;
    if (m->slots.capacity == 0) return ENT_OK;
    picture->blends |= m->blend.count > 0;
    picture->bends |= m->blend.bends;
    meshes_find(m, picture);
    return ENT_OK;
}

static void class_draw(const Meshes* m, GpuList* list, u32 class, const GpuPicture* picture) {
    const u32        first = m->class_first[class], count = m->class_first[class + 1] - first;
    const MeshesPush push = meshes_push(m, picture, first);
    if (count == 0) return;
    gpu_draw(list, &(GpuDraw){.pipeline = m->pipeline[class],
                              .textures = m->lighting->textures.sets.set,
                              .use = {MESHES_GEOMETRY(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                                      [MESHES_DRAW] = {&m->scene.draws, GPU_READ},
                                      [MESHES_VISIBLE] = {&m->scene.visible, GPU_READ}},
                              GPU_PUSH(push),
                              .index = &m->geometry.indices,
                              .indirect = &m->scene.commands,
                              .indirect_first = first,
                              .indirect_count = count});
}

ent_status meshes_surfaces(void* state, GpuPicture* picture) {
    TRY(pipelines_create(state, picture->canvas));
    for (u32 i = 0; i < MESHES_CLASSES; i++) class_draw(state, &picture->frame->list, i, picture);
    return ENT_OK;
}

ent_status meshes_shade(void* state, GpuPicture* picture) {
    Meshes* const m = state;
    if (m->slots.capacity == 0) return ENT_OK;
    TRY(shade_need(m, picture->frame));
    const MeshesPush push = meshes_push(m, picture, 0);
    GpuPass          pass = {.kernel =
                                 &m->kernel.shade[lights_settings(&m->lighting->lights).method != NULL],
                             .use = {MESHES_GEOMETRY(m), [MESHES_INDEX] = {&m->geometry.indices, GPU_READ},
                                     [MESHES_VISIBLE] = {&m->scene.visible, GPU_READ}},
                             GPU_PUSH(push)};
    lighting_shade(m->lighting, picture, &pass);
    return ENT_OK;
}
