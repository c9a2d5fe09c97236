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
    TRY(gpu_kernel_create(&m->cull, m->gpu, &GPU_KERNEL(meshes_cull, MESHES_CULL_GROUP)));
    TRY(gpu_kernel_create(&m->list, m->gpu, &GPU_KERNEL(meshes_list, MESHES_CULL_GROUP)));
    return meshes_blend_create(m);
}

static ent_status shade_need(Meshes* m) {
    const LightsMethod* method = lights_settings(&m->lights).method;
    const GpuKernelDesc desc = method ? method->shade : GPU_KERNEL(meshes_shade, MESHES_GROUP);
    GpuKernel*          kernel = &m->shade[method != NULL];
    if (kernel->pipeline) return ENT_OK;
    return gpu_kernel_create_with(kernel, m->gpu, &desc, &m->textures.array_count, 1);
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
        desc.constants[0] = m->textures.array_count;
        TRY(canvas_pipeline_create(canvas, &desc, &m->pipeline[i]));
    }
    return ENT_OK;
}

void meshes_kernels_destroy(Meshes* m) {
    gpu_kernel_destroy(&m->cull);
    gpu_kernel_destroy(&m->list);
    for (u32 i = 0; i < COUNT_OF(m->shade); i++) gpu_kernel_destroy(&m->shade[i]);
    meshes_blend_destroy(m);
    for (u32 i = 0; i < MESHES_CLASSES; i++)
        m->gpu->vk.vkDestroyPipeline(m->gpu->device, m->pipeline[i], NULL);
}

/* --- passes --- */

MeshesPush meshes_push(const Meshes* m, const CanvasTarget* target, u32 draw_first) {
    return (MeshesPush){.instance_count = m->slots.capacity,
                        .flag_stride = m->flag_stride,
                        .level_max = m->level_max,
                        .draw_count = m->draw_count,
                        .draw_first = draw_first,
                        .id_first = target->id_first,
                        .phase = target->phase,
                        .has_pyramid = target->has_pyramid && !m->draws_hidden,
                        .blended_count = m->blended_count,
                        .maps = 1,
                        .index_first = (u32)(m->indices.offset / sizeof(u32))};
}

static void cull_record(const Meshes* m, GpuList* list, const CanvasTarget* target) {
    const MeshesPush push = meshes_push(m, target, 0);
    gpu_pass(list, &(GpuPass){.name = "cull",
                              .kernel = &m->cull,
                              .use = {[MESHES_EYE] = {target->eye, GPU_READ},
                                      [MESHES_EYE_BEFORE] = {target->eye_before, GPU_READ},
                                      [MESHES_PYRAMID] = {target->pyramid, GPU_READ},
                                      [MESHES_INSTANCE] = {&m->instances, GPU_READ},
                                      [MESHES_MATRIX] = {MESHES_MATRICES(m), GPU_READ},
                                      [MESHES_FLAG] = {&m->flags, GPU_WRITE},
                                      [MESHES_COUNT] = {&m->counts, GPU_WRITE},
                                      [MESHES_HIDDEN] = {&m->hidden, GPU_READ_WRITE},
                                      [MESHES_PART] = {&m->parts, GPU_READ},
                                      [MESHES_MESH] = {&m->meshes_table, GPU_READ},
                                      [MESHES_BOX] = {&m->skin.skinning.boxes, GPU_READ},
                                      [MESHES_WANTED] = {&m->skin.skinning.wanted, GPU_READ_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = m->slots.capacity});
}

/* Sets the bits of the visible instances, lists these, completes the draws, and moves the vertices. */
void meshes_prepare(void* user, GpuList* list, const CanvasTarget* target) {
    Meshes* const    m = user;
    const MeshesPush push = meshes_push(m, target, 0);
    const u32        words = meshes_flag_words(m);
    if (target->phase == MESHES_FIRST && target->view) {
        meshes_shadows_record(m, list, target);
        meshes_probes_capture(m, target);
    }
    cull_record(m, list, target);
    scan_record(&m->scan, list, &m->counts, &m->sums, words / MESHES_BLOCK);
    gpu_pass(list, &(GpuPass){.name = "list",
                              .kernel = &m->list,
                              .use = {[MESHES_INSTANCE] = {&m->instances, GPU_READ},
                                      [MESHES_MATRIX] = {MESHES_MATRICES(m), GPU_READ},
                                      [MESHES_FLAG] = {&m->flags, GPU_READ},
                                      [MESHES_SUM] = {&m->sums, GPU_READ},
                                      [MESHES_COMMAND] = {&m->commands, GPU_READ_WRITE},
                                      [MESHES_MESH] = {&m->meshes_table, GPU_READ},
                                      [MESHES_DRAW] = {&m->draws, GPU_READ},
                                      [MESHES_TOTAL] = {&m->total, GPU_READ_WRITE},
                                      [MESHES_VISIBLE] = {&m->visible, GPU_WRITE}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = MAX_OF((u64)words * 32, (u64)m->draw_count)});
    if (target->phase == MESHES_SECOND) meshes_order_record(m, list, target);
    meshes_skin_seen(m, list);
}

static void class_draw(const Meshes* m, GpuList* list, u32 class, const CanvasTarget* target) {
    const u32        first = m->class_first[class], count = m->class_first[class + 1] - first;
    const MeshesPush push = meshes_push(m, target, first);
    if (count == 0) return;
    gpu_draw(list, &(GpuDraw){.pipeline = m->pipeline[class],
                              .textures = m->textures.set,
                              .use = {[MESHES_EYE] = {target->eye, GPU_READ},
                                      [MESHES_INSTANCE] = {&m->instances, GPU_READ},
                                      [MESHES_MATRIX] = {MESHES_MATRICES(m), GPU_READ},
                                      [MESHES_PART] = {&m->parts, GPU_READ},
                                      [MESHES_MESH] = {&m->meshes_table, GPU_READ},
                                      [MESHES_DRAW] = {&m->draws, GPU_READ},
                                      [MESHES_VERTEX] = {&m->vertices, GPU_READ},
                                      [MESHES_RANGE] = {&m->skin.skinning.ranges, GPU_READ},
                                      [MESHES_MOVED_TO] = {&m->skin.skinning.to, GPU_READ},
                                      [MESHES_MATERIAL] = {&m->material_table, GPU_READ},
                                      [MESHES_VISIBLE] = {&m->visible, GPU_READ}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .index = &m->indices,
                              .indirect = &m->commands,
                              .indirect_first = first,
                              .indirect_count = count});
}

static void raster(void* user, GpuList* list, const CanvasTarget* target) {
    for (u32 i = 0; i < MESHES_CLASSES; i++) class_draw(user, list, i, target);
}

static bool shows_depth(const CanvasTarget* target) {
    return target->view->shows == CANVAS_NORMALS_DEPTH ||
           target->view->shows == CANVAS_NORMALS_PLAIN;
}

/* What is computed from depth: occlusion, at half resolution when a pixel has several samples, or the
 * normals that are shown. */
static ent_status depth_record(Meshes* m, GpuList* list, const CanvasTarget* target) {
    const f32  radius_m = target->view->occlusion_m;
    const bool plain = target->view->shows == CANVAS_NORMALS_PLAIN;
    if (!(radius_m > 0) && !shows_depth(target)) return ENT_OK;
    normals_resize(&m->normals, target->width, target->height);
    if (shows_depth(target))
        return normals_record(&m->normals, list, target,
                              plain ? &normals_plain : normals_method(&m->normals));
    return normals_occlusion_record(&m->normals, list, target, radius_m, target->view->samples > 1);
}

static void shade_record(const Meshes* m, GpuList* list, const CanvasTarget* target) {
    const MeshesPush push = meshes_push(m, target, 0);
    const Lights*    l = &m->lights;
    const GpuBuffer* open = shows_depth(target)             ? &m->normals.words
                            : target->view->occlusion_m > 0 ? &m->normals.visible
                                                            : &l->state;
    gpu_pass(list, &(GpuPass){.name = "shade",
                              .kernel = &m->shade[lights_settings(l).method != NULL],
                              .textures = m->textures.set,
                              .images = target->images,
                              .use = {[MESHES_EYE] = {target->eye, GPU_READ},
                                      [MESHES_INSTANCE] = {&m->instances, GPU_READ},
                                      [MESHES_MATRIX] = {MESHES_MATRICES(m), GPU_READ},
                                      [MESHES_PART] = {&m->parts, GPU_READ},
                                      [MESHES_COLOR] = {target->color, GPU_WRITE},
                                      [MESHES_MESH] = {&m->meshes_table, GPU_READ},
                                      [MESHES_INDEX] = {&m->indices, GPU_READ},
                                      [MESHES_VERTEX] = {&m->vertices, GPU_READ},
                                      [MESHES_RANGE] = {&m->skin.skinning.ranges, GPU_READ},
                                      [MESHES_MOVED_TO] = {&m->skin.skinning.to, GPU_READ},
                                      [MESHES_MATERIAL] = {&m->material_table, GPU_READ},
                                      [MESHES_VISIBLE] = {&m->visible, GPU_READ},
                                      MESHES_LIT_BY(m),
                                      [MESHES_OPEN] = {open, GPU_READ},
                                      [LIGHTS_TILE] = {&l->tiles, GPU_READ}},
                              .push = &push,
                              .push_bytes = sizeof push,
                              .threads = 1,
                              .indirect = &l->tiles,
                              .indirect_offset = LIGHTS_GROUPS_OFFSET});
}

static void shade(void* user, GpuList* list, const CanvasTarget* target) {
    Meshes*             m = user;
    const u32           tile = lights_tile(&m->lights, target->width, target->height);
    const LightsPicture picture = {.eye = target->eye,
                                   .view = target->view,
                                   .images = target->images,
                                   .width = target->width,
                                   .height = target->height,
                                   .matrices = MESHES_MATRICES(m),
                                   .owners = &m->transforms.entity,
                                   .rows = &m->rows,
                                   .transform_count = m->transforms.count,
                                   .slot_count = m->row_slots,
                                   .reports = !m->probes.is_capturing};
    ent_status          status = shade_need(m);
    if (status == ENT_OK)
        status = lights_cull(&m->lights, target->frame, &picture, tile * tile / MESHES_GROUP);
    if (status == ENT_OK) status = depth_record(m, list, target);
    if (status == ENT_OK)
        shade_record(m, list, target);
    else if (list->status == ENT_OK)
        list->status = status;
}

ent_status meshes_paint(Meshes* m, Canvas* canvas) {
    static const CanvasPainter painter = {.culls_by_depth = true,
                                          .prepare = meshes_prepare,
                                          .raster = raster,
                                          .shade = shade,
                                          .blends = meshes_blends,
                                          .blend = meshes_blend_record};
    if (m->slots.capacity == 0) return ENT_OK;
    TRY(pipelines_create(m, canvas));
    if (m->blended_count) TRY(meshes_blend_pipeline(m, canvas));
    return canvas_add(canvas,
                      &(CanvasDraw){.painter = &painter, .user = m, .count = m->slots.capacity});
}
