/* shapes.c - what is recorded of elements in the phases of a picture. */
#include "shapes_internal.h"

#include "shapes_bounds.comp.h"
#include "shapes_casters.comp.h"
#include "shapes_find.comp.h"

_Static_assert(sizeof(ShapesPush) <= GPU_PUSH_BYTES, "what is pushed for a draw");
_Static_assert(SHAPES_DRAWS_MAX == ENT_SHAPES_DRAWS_MAX, "draws of a picture");

#define BOUNDS_THREADS 65536u /* each of which looks at several elements */

/* --- create and destroy --- */

static ent_status kernels_create(Shapes* s) {
    TRY(gpu_kernel_create(&s->bounds, s->gpu, &GPU_KERNEL(shapes_bounds, SHAPES_GROUP)));
    TRY(gpu_kernel_create(&s->find, s->gpu, &GPU_KERNEL(shapes_find, SHAPES_GROUP)));
    return gpu_kernel_create(&s->casters, s->gpu, &GPU_KERNEL(shapes_casters, SHAPES_GROUP));
}

ent_status shapes_create(Shapes* s, Gpu* gpu, void* lighting) {
    *s = (Shapes){.gpu = gpu, .lighting = lighting, .moved = true};
    const GpuBufferRequest requests[] = {
        {&s->boxes, SHAPES_DRAWS_MAX, sizeof(ShapesBox), "bounds of draws"},
        {&s->commands, SHAPES_DRAWS_MAX, sizeof(ShapesCommand), "draws"},
        {&s->casts, SHAPES_DRAWS_MAX * SHADOWS_MAPS_MAX, sizeof(VkDrawIndirectCommand),
         "draws of shadow maps"}};
    /* A software device does not gain by splatting. */
    s->splat_min = gpu->info.software ? UINT32_MAX : SHAPES_SPLAT_MIN;
    if (!lighting) return ENT_OK;
    TRY(gpu_pool_create(&s->pool, gpu, requests, COUNT_OF(requests)));
    return kernels_create(s);
}

void shapes_destroy(Shapes* s) {
    if (!s->gpu) return;
    gpu_wait(s->gpu);
    for (u32 i = 0; i < COUNT_OF(s->objects); i++) {
        s->gpu->vk.vkDestroyPipeline(s->gpu->device, s->objects[i].surface, NULL);
        s->gpu->vk.vkDestroyPipeline(s->gpu->device, s->objects[i].caster, NULL);
        gpu_kernel_destroy(&s->objects[i].shade);
    }
    gpu_kernel_destroy(&s->bounds);
    gpu_kernel_destroy(&s->find);
    gpu_kernel_destroy(&s->casters);
    shapes_splat_destroy(s);
    gpu_pool_destroy(&s->pool);
    s->gpu->changes++;
}

static ShapeObjects* objects_of(Shapes* s, const ShapeKind* kind) {
    u32 i = 0;
    while (i < SHAPES_KINDS_MAX && s->objects[i].kind && s->objects[i].kind != kind) i++;
    assert(i < SHAPES_KINDS_MAX);
    s->objects[i].kind = kind;
    return &s->objects[i];
}

/* The vertex shader of a picture has constant 0, that of shadow maps 1. */
static ent_status surface_need(Shapes* s, Canvas* canvas, const ShapeKind* kind) {
    ShapeObjects* const      o = objects_of(s, kind);
    const CanvasPipelineDesc desc = {.name = kind->name,
                                     .vert = kind->vert,
                                     .vert_bytes = kind->vert_bytes,
                                     .frag = kind->frag,
                                     .frag_bytes = kind->frag_bytes,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    return o->surface ? ENT_OK : canvas_pipeline_create(canvas, &desc, &o->surface);
}

static ent_status caster_need(Shapes* s, const ShapeKind* kind) {
    ShapeObjects* const   o = objects_of(s, kind);
    const GpuPipelineDesc desc = {.name = kind->name,
                                  .vert = kind->vert,
                                  .vert_bytes = kind->vert_bytes,
                                  .frag = kind->cast,
                                  .frag_bytes = kind->cast_bytes,
                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                  .constants = {1},
                                  .render_pass =
                                      s->lighting->shadows.atlas.pass[0][SHADOWS_PASS_OPAQUE]};
    return o->caster ? ENT_OK : gpu_pipeline_create(s->gpu, &desc, &o->caster);
}

static ent_status shade_need(Shapes* s, GpuFrame* frame, const ShapeKind* kind) {
    return lighting_kernel_need(s->lighting, frame, &objects_of(s, kind)->shade, &kind->surface);
}

/* --- what is seen --- */

/* The boxes of all draws, once for a frame. */
static void bounds_need(Shapes* s, const GpuPicture* picture) {
    GpuList* const list = &picture->frame->list;
    if (s->has_bounds) return;
    s->has_bounds = true;
    for (u32 i = 0; i < s->draw_count; i++)
        if (s->draw[i].prepare) s->draw[i].prepare(s->draw[i].user, list);
    gpu_set(list, "bounds", &s->boxes, UINT32_MAX);
    for (u32 i = 0; i < s->draw_count; i++) {
        const ShapesPush push = shapes_push(s, picture, i);
        if (s->draw[i].kind->is_backdrop) continue;
        gpu_pass(list, &(GpuPass){.name = "bounds",
                                  .kernel = &s->bounds,
                                  .use = {[SHAPES_ELEMENT] = {&s->draw[i].element, GPU_READ},
                                          [SHAPES_BOX] = {&s->boxes, GPU_READ_WRITE}},
                                  GPU_PUSH(push),
                                  .threads = MIN_OF(push.count, BOUNDS_THREADS)});
    }
}

static ShapesFind find_push(const Shapes* s, const GpuPicture* picture, u32 which) {
    const ShapeDraw* draw = &s->draw[which];
    return (ShapesFind){.draw = which,
                        .count = draw->count,
                        .vertex_count = draw->kind->vertex_count,
                        .radius_m = draw->radius_m,
                        .is_second = picture->is_second,
                        .has_pyramid = picture->has_pyramid,
                        .is_splatted = shapes_is_splatted(s, which),
                        .maps = lighting_maps(s->lighting, picture),
                        .moves = s->followed.moves};
}

static void find_record(const Shapes* s, const GpuPicture* picture, u32 which) {
    const ShapesFind push = find_push(s, picture, which);
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "cull",
                        .kernel = &s->find,
                        .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [SHAPES_EYE_BEFORE] = {picture->eye_before, GPU_READ},
                                [CANVAS_PYRAMID] = {picture->pyramid, GPU_READ},
                                [SHAPES_BOX] = {&s->boxes, GPU_READ_WRITE},
                                [SHAPES_COMMAND] = {&s->commands, GPU_WRITE}},
                        GPU_PUSH(push),
                        .threads = 1});
}

ent_status shapes_cull(void* state, GpuPicture* picture) {
    Shapes* const s = state;
    bool          splats = false;
    if (s->draw_count == 0) return ENT_OK;
    bounds_need(s, picture);
    for (u32 i = 0; i < s->draw_count; i++) {
        if (!s->draw[i].kind->is_backdrop) find_record(s, picture, i);
        splats |= shapes_is_splatted(s, i);
    }
    if (splats) {
        TRY(shapes_splat_need(s, picture));
        shapes_splat_record(s, picture);
    }
    return picture->frame->list.status;
}

/* --- depth and ids, shadow maps, colours --- */

#define DRAW_USE(s, which)                                                                         \
    [SHAPES_ELEMENT] = {&(s)->draw[which].element, GPU_READ}, [SHADOWS_TABLE] = {                  \
                                                                  &(s)->lighting->shadows.buffer,  \
                                                                  GPU_READ}

static void element_draw(Shapes* s, const GpuPicture* picture, u32 which) {
    const ShapeDraw* draw = &s->draw[which];
    const ShapesPush push = shapes_push(s, picture, which);
    const bool       is_culled = !draw->kind->is_backdrop;
    gpu_draw(
        &picture->frame->list,
        &(GpuDraw){.pipeline = objects_of(s, draw->kind)->surface,
                   .use = {DRAW_USE(s, which), [CANVAS_VIEW] = {picture->eye, GPU_READ},
                           [SHAPES_PLANE] = {draw->planes.bytes ? &draw->planes : NULL, GPU_READ}},
                   GPU_PUSH(push),
                   .vertex_count = draw->kind->vertex_count,
                   .instance_count = draw->count,
                   .indirect = is_culled ? &s->commands : NULL,
                   .indirect_offset = shapes_command(which, 0),
                   .indirect_count = is_culled});
}

/* Backdrops are drawn in the first phase. */
ent_status shapes_surfaces(void* state, GpuPicture* picture) {
    Shapes* const s = state;
    for (u32 i = 0; i < s->draw_count; i++) {
        if (s->draw[i].kind->is_backdrop && picture->is_second) continue;
        if (shapes_is_splatted(s, i)) {
            shapes_splat_draw(s, picture, i);
            continue;
        }
        TRY(surface_need(s, picture->canvas, s->draw[i].kind));
        element_draw(s, picture, i);
    }
    return ENT_OK;
}

/* The shadow maps in which they are drawn. */
static u32 maps_of(const Shapes* s, const GpuPicture* picture) {
    const u32 stage = s->followed.moves ? SHADOWS_MOVING : SHADOWS_STANDING;
    return s->lighting && stage == picture->stage ? lighting_maps(s->lighting, picture) : 0;
}

ent_status shapes_casters(void* state, GpuPicture* picture) {
    Shapes* const s = state;
    const u32     maps = maps_of(s, picture);
    if (s->draw_count == 0 || maps == 0) return ENT_OK;
    bounds_need(s, picture);
    for (u32 i = 0; i < s->draw_count; i++) {
        const ShapesFind push = find_push(s, picture, i);
        if (!s->draw[i].kind->cast) continue;
        if ((u64)push.count * maps > UINT32_MAX) {
            gpu_log(s->gpu, LOG_ERROR, "%u elements in %u shadow maps are too many", push.count,
                    maps);
            return ENT_LIMIT;
        }
        if (!shapes_is_splatted(s, i)) TRY(caster_need(s, s->draw[i].kind));
        gpu_pass(&picture->frame->list,
                 &(GpuPass){.name = "casters",
                            .kernel = &s->casters,
                            .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                    [SHAPES_BOX] = {&s->boxes, GPU_READ},
                                    [SHAPES_CAST] = {&s->casts, GPU_WRITE},
                                    [SHADOWS_TALLY] = {&s->lighting->shadows.counts.tallies,
                                                       GPU_READ_WRITE},
                                    [SHADOWS_TABLE] = {&s->lighting->shadows.buffer, GPU_READ}},
                            GPU_PUSH(push),
                            .threads = SHADOWS_MAPS_MAX});
        if (shapes_is_splatted(s, i)) TRY(shapes_splat_cast(s, picture, i));
    }
    return picture->frame->list.status;
}

ent_status shapes_shadows(void* state, GpuPicture* picture) {
    Shapes* const s = state;
    const u32     maps = maps_of(s, picture);
    for (u32 i = 0; i < s->draw_count && maps; i++) {
        const ShapesPush push = shapes_push(s, picture, i);
        if (!s->draw[i].kind->cast || shapes_is_splatted(s, i)) continue;
        gpu_draw(
            &picture->frame->list,
            &(GpuDraw){.pipeline = objects_of(s, s->draw[i].kind)->caster,
                       .use = {DRAW_USE(s, i), [CANVAS_VIEW] = {picture->eye, GPU_READ}},
                       GPU_PUSH(push),
                       .indirect = &s->casts,
                       .indirect_offset = (u64)i * SHADOWS_MAPS_MAX * sizeof(VkDrawIndirectCommand),
                       .indirect_count = maps});
    }
    return picture->frame->list.status;
}

ent_status shapes_shade(void* state, GpuPicture* picture) {
    Shapes* const s = state;
    for (u32 i = 0; i < s->draw_count; i++) {
        const ShapeDraw* draw = &s->draw[i];
        const ShapesPush push = shapes_push(s, picture, i);
        TRY(shade_need(s, picture->frame, draw->kind));
        GpuPass pass = {
            .kernel = &objects_of(s, draw->kind)->shade,
            .use = {[SHAPES_ELEMENT] = {&draw->element, GPU_READ},
                    [SHAPES_EXTRA] = {draw->extra.bytes ? &draw->extra : NULL, GPU_READ},
                    [SHAPES_PLANE] = {draw->planes.bytes ? &draw->planes : NULL, GPU_READ}},
            GPU_PUSH(push)};
        lighting_shade(s->lighting, picture, &pass);
    }
    return picture->frame->list.status;
}
