/* canvas_splat.c - draws of many spheres: kernels find the nearest sphere of each sample, and one
 * triangle carries depths and numbers into the images.
 *
 * Devices rasterise a limited number of triangles per second, of which a sphere has two, and some have
 * few graphics units: canvas_splat.glsl. */
#include "canvas_internal.h"

#include "canvas_splat.comp.h"
#include "canvas_splat.frag.h"
#include "canvas_splat.vert.h"
#include "canvas_splat_large.comp.h"

static bool is_splatted(const Canvas* c, const CanvasDraw* draw) {
    return draw->kind == CANVAS_SPHERES && draw->count >= c->splat_min;
}

bool canvas_splats(const Canvas* c) {
    bool any = false;
    for (u32 i = 0; i < c->draw_count; i++) any |= is_splatted(c, &c->draw[i]);
    return any;
}

/* --- create and destroy --- */

static ent_status kernels_create(CanvasSplat* s, Gpu* gpu) {
    for (u32 numbers = 0; numbers < 2; numbers++) {
        TRY(gpu_kernel_create_with(&s->small[numbers], gpu, &GPU_KERNEL(canvas_splat, CANVAS_GROUP),
                                   &numbers, 1));
        TRY(gpu_kernel_create_with(&s->large[numbers], gpu,
                                   &GPU_KERNEL(canvas_splat_large, CANVAS_GROUP), &numbers, 1));
    }
    return ENT_OK;
}

static ent_status splat_fill(Canvas* c) {
    CanvasSplat*             s = &c->splat;
    const u64                samples = (u64)c->raster.width * c->raster.height;
    const char*              name = "spheres of a picture";
    const GpuBufferRequest   requests[] = {{&s->nearest, samples, sizeof(u32), name},
                                           {&s->number, samples, sizeof(u32), name},
                                           {&s->list[0], 1 + CANVAS_SPLAT_LISTED, sizeof(u32), name},
                                           {&s->list[1], 1 + CANVAS_SPLAT_LISTED, sizeof(u32), name}};
    const CanvasPipelineDesc desc = {.name = "canvas_splat",
                                     .vert = canvas_splat_vert,
                                     .vert_bytes = sizeof canvas_splat_vert,
                                     .frag = canvas_splat_frag,
                                     .frag_bytes = sizeof canvas_splat_frag,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    TRY(gpu_pool_create(&s->pool, c->gpu, requests, COUNT_OF(requests)));
    TRY(kernels_create(s, c->gpu));
    return canvas_pipeline_create(c, &desc, &s->pipeline);
}

ent_status canvas_splat_create(Canvas* c) {
    if (c->splat.pipeline) return ENT_OK;
    const ent_status status = splat_fill(c);
    if (status != ENT_OK) canvas_splat_destroy(c);
    return status;
}

void canvas_splat_destroy(Canvas* c) {
    CanvasSplat* s = &c->splat;
    for (u32 i = 0; i < 2; i++) {
        gpu_kernel_destroy(&s->small[i]);
        gpu_kernel_destroy(&s->large[i]);
    }
    if (s->pipeline) {
        c->gpu->vk.vkDestroyPipeline(c->gpu->device, s->pipeline, NULL);
        c->gpu->changes++;
    }
    if (s->pool.gpu) gpu_pool_destroy(&s->pool);
    *s = (CanvasSplat){0};
}

/* --- recording --- */

static void spheres_record(const Canvas* c, GpuList* list, u32 which, u32 numbers) {
    const CanvasSplat* s = &c->splat;
    const CanvasDraw*  draw = &c->draw[which];
    const CanvasPush   push = canvas_push(c->draw, which);
    GpuPass            pass = {.name = "splat",
                               .kernel = &s->small[numbers],
                               .use = {[CANVAS_VIEW] = {&c->eyes[c->which], GPU_READ},
                                       [CANVAS_POSITION] = {&draw->position, GPU_READ},
                                       [CANVAS_NEAREST] = {&s->nearest, numbers ? GPU_READ : GPU_READ_WRITE},
                                       [CANVAS_NUMBER] = {numbers ? &s->number : NULL, GPU_READ_WRITE},
                                       [CANVAS_LARGE] = {&s->list[numbers], GPU_READ_WRITE}},
                               .push = &push,
                               .push_bytes = sizeof push,
                               .threads = draw->count};
    gpu_pass(list, &pass);
    pass.kernel = &s->large[numbers];
    pass.threads = (u64)CANVAS_SPLAT_GROUPS * CANVAS_GROUP;
    pass.use[CANVAS_LARGE].access = GPU_READ;
    gpu_pass(list, &pass);
}

void canvas_splat_record(const Canvas* c, GpuList* list) {
    const CanvasSplat* s = &c->splat;
    gpu_set(list, "splat", &s->nearest, 0);
    gpu_set(list, "splat", &s->number, UINT32_MAX);
    for (u32 i = 0; i < 2; i++) gpu_set(list, "splat", &s->list[i], 0);
    for (u32 numbers = 0; numbers < 2; numbers++) {
        for (u32 i = 0; i < c->draw_count; i++)
            if (is_splatted(c, &c->draw[i])) spheres_record(c, list, i, numbers);
    }
}

bool canvas_splat_draws(const Canvas* c, GpuList* list, u32 which) {
    const CanvasSplat* s = &c->splat;
    u32                before = 0;
    if (!is_splatted(c, &c->draw[which])) return false;
    for (u32 i = 0; i < which; i++) before += is_splatted(c, &c->draw[i]);
    if (before == 0)
        gpu_draw(list, &(GpuDraw){.pipeline = s->pipeline,
                                  .use = {[CANVAS_VIEW] = {&c->eyes[c->which], GPU_READ},
                                          [CANVAS_NEAREST] = {&s->nearest, GPU_READ},
                                          [CANVAS_NUMBER] = {&s->number, GPU_READ}},
                                  .vertex_count = 3,
                                  .instance_count = 1});
    return true;
}
