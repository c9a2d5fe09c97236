/* meshes_blend.c - blended parts: their draws, of all levels of detail, and the layers that they are in a picture. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "meshes_blend.comp.h"
#include "meshes_blend.vert.h"
#include "meshes_blend_count.frag.h"
#include "meshes_blend_count.vert.h"
#include "meshes_blend_shade.comp.h"
#include "meshes_blend_store.frag.h"

/* --- draws --- */

static MeshesBlendClass class_of(const Meshes* m, const MeshPart* part, bool mirrored) {
    if (m->geometry.material[part->material].two_sided) return MESHES_BLEND_TWO_SIDED;
    return mirrored ? MESHES_BLEND_MIRRORED : MESHES_BLEND_ONE_SIDED;
}

/* Of all parts of all levels, mirrored and not, in the order of their classes; with NULL they are only counted. */
static void draws_fill(Meshes* m, MeshDraw* draws) {
    u32 next[MESHES_BLEND_CLASSES];
    memcpy(next, m->blend.class_first, sizeof next);
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        const MeshRow* mesh = &m->geometry.mesh[i];
        const u32      parts = mesh->part_count * mesh->level_count;
        for (u32 k = 0; k < parts * 2 && mesh->instance_count && mesh->blended_count; k++) {
            const u32 part = mesh->first_part + k / 2, level = k / 2 / mesh->part_count;
            if (!meshes_is_blended(m, &m->geometry.part[part])) continue;
            m->blend.bends |=
                meshes_material_bends(&m->geometry.material[m->geometry.part[part].material]);
            const MeshesBlendClass class = class_of(m, &m->geometry.part[part], k % 2);
            assert(class < MESHES_BLEND_CLASSES);
            if (draws)
                draws[next[class]++] = (MeshDraw){i, part, level + k % 2 * m->geometry.level_max};
            else
                m->blend.class_first[class + 1]++;
        }
    }
}

void meshes_blend_draws_count(Meshes* m) {
    u32* const first = m->blend.class_first;
    memset(first, 0, sizeof m->blend.class_first);
    m->blend.bends = false;
    draws_fill(m, NULL);
    for (u32 i = 0; i < MESHES_BLEND_CLASSES; i++) first[i + 1] += first[i];
    m->blend.count = first[MESHES_BLEND_CLASSES];
}

ent_status meshes_blend_draws_upload(Meshes* m, GpuFrame* frame) {
    if (m->blend.count == 0) return ENT_OK;
    MeshDraw* draws = calloc(m->blend.count, sizeof *draws);
    if (!draws) return ENT_NO_MEMORY;
    draws_fill(m, draws);
    ent_status status = meshes_commands_upload(m, frame, &m->blend.commands, draws, m->blend.count);
    if (status == ENT_OK)
        status = gpu_frame_upload(frame, &m->blend.draws, 0, draws, m->blend.count * sizeof *draws);
    free(draws);
    return status;
}

/* --- kernels and pipelines --- */

ent_status meshes_blend_create(Meshes* m) {
    return gpu_kernel_create(&m->blend.rounds, m->gpu, &GPU_KERNEL(meshes_blend, MESHES_GROUP));
}

void meshes_blend_destroy(Meshes* m) {
    gpu_kernel_destroy(&m->blend.rounds);
    for (u32 i = 0; i < COUNT_OF(m->blend.shade); i++) gpu_kernel_destroy(&m->blend.shade[i]);
    for (u32 i = 0; i < 2 * MESHES_BLEND_CLASSES; i++)
        m->gpu->vk.vkDestroyPipeline(
            m->gpu->device, m->blend.pipeline[i / MESHES_BLEND_CLASSES][i % MESHES_BLEND_CLASSES],
            NULL);
}

static ent_status shade_need(Meshes* m, GpuFrame* frame) {
    const LightsMethod* method = lights_settings(&m->lighting->lights).method;
    const GpuKernelDesc desc =
        method ? method->blend : GPU_KERNEL(meshes_blend_shade, CANVAS_LAYERS_GROUP);
    return lighting_kernel_need(m->lighting, frame, &m->blend.shade[method != NULL], &desc);
}

static ent_status pipelines_need(Meshes* m, Canvas* canvas) {
    static const VkCullModeFlags cull[MESHES_BLEND_CLASSES] = {
        VK_CULL_MODE_BACK_BIT, VK_CULL_MODE_BACK_BIT, VK_CULL_MODE_NONE};
    for (u32 i = 0; i < 2 * MESHES_BLEND_CLASSES; i++) {
        const u32         stores = i / MESHES_BLEND_CLASSES, class = i % MESHES_BLEND_CLASSES;
        VkPipeline* const pipeline = &m->blend.pipeline[stores][class];
        const CanvasPipelineDesc desc = {
            .name = "meshes_blend",
            .vert = stores ? meshes_blend_vert : meshes_blend_count_vert,
            .vert_bytes = stores ? sizeof meshes_blend_vert : sizeof meshes_blend_count_vert,
            .frag = stores ? meshes_blend_store_frag : meshes_blend_count_frag,
            .frag_bytes = stores ? sizeof meshes_blend_store_frag : sizeof meshes_blend_count_frag,
            .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
            .cull = cull[class],
            .front = class == MESHES_BLEND_MIRRORED ? VK_FRONT_FACE_CLOCKWISE
                                                    : VK_FRONT_FACE_COUNTER_CLOCKWISE,
            .blends = true};
        if (!*pipeline) TRY(canvas_pipeline_create(canvas, &desc, pipeline));
    }
    return ENT_OK;
}

/* --- passes --- */

static MeshesPush push_of(const Meshes* m, const GpuPicture* picture, u32 draw_first) {
    MeshesPush push = meshes_push(m, picture, draw_first);
    push.phase = MESHES_LAYERS;
    push.draw_count = m->blend.count;
    push.round = picture->round;
    return push;
}

/* What is hidden by what is drawn is not found. */
static void find_record(Meshes* m, GpuPicture* picture) {
    const MeshesPush push = push_of(m, picture, 0);
    meshes_find_with(m, picture, &push,
                     &(MeshesFound){&m->blend.commands, &m->blend.draws, &m->blend.visible});
}

static void round_record(const Meshes* m, const GpuPicture* picture) {
    const MeshesPush push = push_of(m, picture, 0);
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "blend",
                        .kernel = &m->blend.rounds,
                        .use = {[MESHES_COMMAND] = {&m->blend.commands, GPU_READ_WRITE},
                                [CANVAS_LAYERS] = {&picture->layers->all, GPU_READ_WRITE}},
                        GPU_PUSH(push),
                        .threads = m->blend.count});
}

static void class_draw(const Meshes* m, const GpuPicture* picture, u32 class) {
    const CanvasLayersOf* l = picture->layers;
    const bool            stores = picture->stage == CANVAS_BLENDS_STORE;
    const u32             first = m->blend.class_first[class];
    const MeshesPush      push = push_of(m, picture, first);
    GpuDraw               draw = {.pipeline = m->blend.pipeline[stores][class],
                                  .use = {MESHES_GEOMETRY(m), [MESHES_EYE] = {picture->eye, GPU_READ},
                                          [MESHES_DRAW] = {&m->blend.draws, GPU_READ},
                                          [MESHES_VISIBLE] = {&m->blend.visible, GPU_READ},
                                          [CANVAS_LAYER_COUNT] = {&l->counts, GPU_READ_WRITE}},
                                  GPU_PUSH(push),
                                  .index = &m->geometry.indices,
                                  .indirect = &m->blend.commands,
                                  .indirect_first = first,
                                  .indirect_count = m->blend.class_first[class + 1] - first};
    if (stores) {
        draw.use[CANVAS_LAYER_BEGIN] = (GpuUse){&l->begins, GPU_READ};
        draw.use[CANVAS_LAYER] = (GpuUse){&l->layers, GPU_READ_WRITE};
        draw.use[CANVAS_LAYER_COLOR] = (GpuUse){&l->colors, GPU_READ_WRITE};
    }
    if (draw.indirect_count) gpu_draw(&picture->frame->list, &draw);
}

static ent_status shade_record(Meshes* m, const GpuPicture* picture) {
    const CanvasLayersOf* l = picture->layers;
    const MeshesPush      push = push_of(m, picture, 0);
    const bool            other = lights_settings(&m->lighting->lights).method != NULL;
    TRY(shade_need(m, picture->frame));
    GpuPass pass = {.kernel = &m->blend.shade[other],
                    .use = {MESHES_GEOMETRY(m), [MESHES_INDEX] = {&m->geometry.indices, GPU_READ}},
                    GPU_PUSH(push)};
    lighting_layers_shade(m->lighting, picture, l, &pass);
    return picture->frame->list.status;
}

ent_status meshes_blend_record(void* state, GpuPicture* picture) {
    Meshes* const m = state;
    if (m->blend.count == 0) return ENT_OK;
    switch ((CanvasBlends)picture->stage) {
    case CANVAS_BLENDS_FIND: find_record(m, picture); return pipelines_need(m, picture->canvas);
    case CANVAS_BLENDS_ROUND: round_record(m, picture); break;
    case CANVAS_BLENDS_SHADE: return shade_record(m, picture);
    case CANVAS_BLENDS_COUNT:
    case CANVAS_BLENDS_STORE:
        for (u32 i = 0; i < MESHES_BLEND_CLASSES; i++) class_draw(m, picture, i);
        break;
    }
    return picture->frame->list.status;
}
