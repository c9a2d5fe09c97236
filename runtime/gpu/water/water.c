/* water.c - the kernels and the memory of surfaces of particles, and which fluids have one. */
#include "water_internal.h"

#include "water_behind.comp.h"
#include "water_cast.comp.h"
#include "water_clear.comp.h"
#include "water_crowd.comp.h"
#include "water_find.comp.h"
#include "water_foam.comp.h"
#include "water_hide.comp.h"
#include "water_look.comp.h"
#include "water_open.comp.h"
#include "water_shade.comp.h"
#include "water_smooth.comp.h"
#include "water_splat.comp.h"
#include "water_splat_large.comp.h"
#include "water_thick.comp.h"
#include "water_thick_map.comp.h"
#include "water_total.comp.h"

_Static_assert(sizeof(WaterPush) <= GPU_PUSH_BYTES, "what is pushed");

void water_create(Water* w, Gpu* gpu, void* lighting) {
    *w = (Water){.gpu = gpu, .lighting = lighting};
}

/* --- kernels --- */

static ent_status kernels_create(Water* w) {
    WaterKernels* const k = &w->kernel;
    TRY(gpu_kernel_create(&k->look, w->gpu, &GPU_KERNEL(water_look, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->find, w->gpu, &GPU_KERNEL(water_find, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->clear, w->gpu, &GPU_KERNEL(water_clear, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->splat, w->gpu, &GPU_KERNEL(water_splat, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->splat_large, w->gpu, &GPU_KERNEL(water_splat_large, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->hide, w->gpu, &GPU_KERNEL(water_hide, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->thick[0], w->gpu, &GPU_KERNEL(water_thick, WATER_GROUP)));
    for (u32 is_kept = 0; is_kept < 2; is_kept++)
        TRY(gpu_kernel_create_with(&k->thick[1 + is_kept], w->gpu,
                                   &GPU_KERNEL(water_thick_map, WATER_GROUP), &is_kept, 1));
    TRY(gpu_kernel_create(&k->total, w->gpu, &GPU_KERNEL(water_total, WATER_GROUP)));
    for (u32 is_first = 0; is_first < 2; is_first++)
        TRY(gpu_kernel_create_with(&k->smooth[is_first], w->gpu,
                                   &GPU_KERNEL(water_smooth, WATER_GROUP), &is_first, 1));
    for (u32 is_kept = 0; is_kept < 2; is_kept++)
        TRY(gpu_kernel_create_with(&k->cast[is_kept], w->gpu, &GPU_KERNEL(water_cast, WATER_GROUP),
                                   &is_kept, 1));
    TRY(gpu_kernel_create(&k->open, w->gpu, &GPU_KERNEL(water_open, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->behind, w->gpu, &GPU_KERNEL(water_behind, WATER_GROUP)));
    k->is_complete = true;
    return ENT_OK;
}

static void kernels_destroy(WaterKernels* k) {
    GpuKernel* const kernel[] = {
        &k->look,     &k->find,    &k->clear,     &k->splat,     &k->thick[0], &k->thick[1],
        &k->thick[2], &k->total,   &k->smooth[0], &k->smooth[1], &k->behind,   &k->splat_large,
        &k->hide,     &k->cast[0], &k->cast[1],   &k->open,      &k->shade};
    for (u32 i = 0; i < COUNT_OF(kernel); i++) gpu_kernel_destroy(kernel[i]);
    k->is_complete = false;
}

/* --- memory --- */

static u32 half_of(u32 pixels) { return (pixels + 1) / 2; }

/* Cells of all levels. */
static u32 cells_of(u32 wide, u32 high) {
    u32 cells = 0;
    for (u32 level = 0; level < WATER_LEVELS; level++) {
        cells += wide * high;
        wide = half_of(wide);
        high = half_of(high);
    }
    return cells;
}

static ent_status view_create(const Water* w, WaterView* v, u64 pixels, u64 blocks, u32 cells,
                              bool is_map) {
    const u64              seen = is_map ? 1 : pixels;
    const char*            name = "the surface of fluids";
    const GpuBufferRequest requests[] = {
        {&v->nearest, pixels, sizeof(u32), name}, {&v->smoothed, pixels, sizeof(u32), name},
        {&v->behind, seen, sizeof(u32[2]), name}, {&v->far, seen, sizeof(f32), name},
        {&v->hidden, blocks, sizeof(u32), name},  {&v->thick, cells, sizeof(u32), name},
        {&v->foams, cells, sizeof(u32), name}};
    TRY(gpu_pool_create(&v->pool, w->gpu, requests, COUNT_OF(requests)));
    v->room = pixels;
    return ENT_OK;
}

/* Squares use the memory of larger ones. */
ent_status water_view_need(Water* w, WaterView* v, GpuFrame* frame, u32 width, u32 height,
                           bool is_map) {
    const u64 pixels = (u64)width * height;
    const u64 blocks =
        (u64)((width + WATER_WIDE - 1) / WATER_WIDE) * ((height + WATER_HIGH - 1) / WATER_HIGH);
    const u32 cells = cells_of(half_of(width), half_of(height));
    if (is_map ? pixels > v->room : width != v->width || height != v->height) {
        gpu_frame_retire_pool(frame, &v->pool);
        *v = (WaterView){.pool = v->pool};
        TRY(view_create(w, v, pixels, blocks, cells, is_map));
    }
    v->width = width;
    v->height = height;
    v->cells = cells;
    return ENT_OK;
}

static ent_status buffers_create(Water* w) {
    const char*            name = "the surface of fluids";
    const GpuBufferRequest requests[] = {
        {&w->state, 1, sizeof(WaterState), name},
        {&w->fluids, WATER_FLUIDS_MAX, sizeof(WaterFluid), name},
        {&w->large, WATER_FLUIDS_MAX / 2 + WATER_LISTED, sizeof(u32[2]), name},
        {&w->eye, 1, sizeof(CanvasEye), name}};
    TRY(gpu_pool_create(&w->pool, w->gpu, requests, COUNT_OF(requests)));
    const ent_status status = gpu_fill(w->gpu, &w->state, UINT32_MAX); /* boxes are empty */
    if (status != ENT_OK) gpu_pool_destroy(&w->pool);
    return status;
}

static ent_status fluids_upload(Water* w, GpuFrame* frame) {
    WaterFluid fluids[WATER_FLUIDS_MAX] = {0};
    assert(w->draw_count <= COUNT_OF(fluids)); /* as water_add keeps it */
    for (u32 i = 0; i < w->draw_count; i++) {
        const WaterDraw* d = &w->draw[i];
        fluids[i] =
            (WaterFluid){.color = d->look.color,
                         .roughness = d->look.roughness,
                         .absorption_per_m = d->absorption_per_m,
                         .index = d->index,
                         .emissive = d->look.emissive,
                         .metallic = d->look.metallic,
                         .spacing_m = d->spacing_m,
                         .smoothing_m = d->smoothing * 2 * d->spacing_m,
                         .foam = d->foaming,
                         .count = d->count,
                         .reach_m = MAX_OF(2 * d->spacing_m, WATER_DEPTH_RADII * d->radius_m)};
    }
    return gpu_frame_upload(frame, &w->fluids, 0, fluids, w->draw_count * sizeof *fluids);
}

ent_status water_need(Water* w, GpuFrame* frame) {
    if (!w->kernel.is_complete) {
        kernels_destroy(&w->kernel); /* after a failure */
        TRY(kernels_create(w));
    }
    TRY(lighting_kernel_need(w->lighting, frame, &w->kernel.shade,
                             &GPU_KERNEL(water_shade, WATER_GROUP)));
    if (!w->pool.count) TRY(buffers_create(w));
    return fluids_upload(w, frame);
}

void water_destroy(Water* w) {
    if (!w->gpu) return;
    gpu_wait(w->gpu);
    kernels_destroy(&w->kernel);
    gpu_kernel_destroy(&w->foam);
    gpu_kernel_destroy(&w->crowd);
    gpu_pool_destroy(&w->pool);
    gpu_pool_destroy(&w->view.pool);
    gpu_pool_destroy(&w->map.pool);
    w->gpu->changes++;
}

/* --- fluids --- */

ent_status water_add(Water* w, const WaterDraw* draw) {
    if (!w->lighting || draw->count == 0) return ENT_OK;
    if (w->draw_count == WATER_FLUIDS_MAX) {
        gpu_log(w->gpu, LOG_ERROR, "%u fluids are drawn as surfaces at most", WATER_FLUIDS_MAX);
        return ENT_LIMIT;
    }
    w->draw[w->draw_count++] = *draw;
    return ENT_OK;
}

void water_clear(Water* w) { w->draw_count = 0; }

/* --- foam --- */

/* A power of two. */
static u32 crowd_words(u32 count) {
    u32 words = 256;
    while (words < (u64)count * 2 && words < 1u << 31) words *= 2;
    return words;
}

ent_status water_foam_create(WaterDraw* d, GpuPool* pool, Gpu* gpu, u32 count) {
    const GpuBufferRequest requests[] = {
        {&d->foam, count, sizeof(f32), "foam of a fluid"},
        {&d->crowd, crowd_words(count), sizeof(u32), "foam of a fluid"}};
    TRY(gpu_pool_create(pool, gpu, requests, COUNT_OF(requests)));
    return gpu_fill(gpu, &d->foam, 0);
}

static ent_status foam_kernels_need(Water* w) {
    if (w->foam.pipeline) return ENT_OK;
    gpu_kernel_destroy(&w->crowd); /* after a failure */
    TRY(gpu_kernel_create(&w->crowd, w->gpu, &GPU_KERNEL(water_crowd, WATER_GROUP)));
    return gpu_kernel_create(&w->foam, w->gpu, &GPU_KERNEL(water_foam, WATER_GROUP));
}

ent_status water_foam_record(Water* w, GpuFrame* frame, const WaterDraw* d, f32 duration_s) {
    const WaterPush push = {.count = d->count,
                            .kind = d->kind,
                            .cells = crowd_words(d->count),
                            .spacing_m = d->spacing_m,
                            .duration_s = duration_s,
                            .fast_m_s = d->fast_m_s};
    if (!w->lighting || !d->foam.bytes || !(d->foaming > 0)) return ENT_OK;
    TRY(foam_kernels_need(w));
    gpu_set(&frame->list, "foam", &d->crowd, 0);
    gpu_pass(&frame->list, &(GpuPass){.name = "foam",
                                      .kernel = &w->crowd,
                                      .use = {[WATER_POSITION] = {&d->position, GPU_READ},
                                              [WATER_CROWD] = {&d->crowd, GPU_READ_WRITE}},
                                      GPU_PUSH(push),
                                      .threads = d->count});
    gpu_pass(&frame->list, &(GpuPass){.name = "foam",
                                      .kernel = &w->foam,
                                      .use = {[WATER_POSITION] = {&d->position, GPU_READ},
                                              [WATER_VELOCITY] = {&d->velocity, GPU_READ},
                                              [WATER_CROWD] = {&d->crowd, GPU_READ},
                                              [WATER_FOAM] = {&d->foam, GPU_READ_WRITE}},
                                      GPU_PUSH(push),
                                      .threads = d->count});
    return frame->list.status;
}
