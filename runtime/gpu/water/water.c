/* water.c - the kernels and the memory of surfaces of particles, and which fluids have one. */
#include "water_internal.h"

#include "water_behind.comp.h"
#include "water_clear.comp.h"
#include "water_find.comp.h"
#include "water_foam.comp.h"
#include "water_hide.comp.h"
#include "water_look.comp.h"
#include "water_shade.comp.h"
#include "water_smooth.comp.h"
#include "water_splat.comp.h"
#include "water_splat_large.comp.h"
#include "water_thick.comp.h"
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
    TRY(gpu_kernel_create(&k->thick, w->gpu, &GPU_KERNEL(water_thick, WATER_GROUP)));
    TRY(gpu_kernel_create(&k->total, w->gpu, &GPU_KERNEL(water_total, WATER_GROUP)));
    for (u32 is_first = 0; is_first < 2; is_first++)
        TRY(gpu_kernel_create_with(&k->smooth[is_first], w->gpu,
                                   &GPU_KERNEL(water_smooth, WATER_GROUP), &is_first, 1));
    TRY(gpu_kernel_create(&k->behind, w->gpu, &GPU_KERNEL(water_behind, WATER_GROUP)));
    return lighting_kernel_create(w->lighting, &k->shade, &GPU_KERNEL(water_shade, WATER_GROUP));
}

static void kernels_destroy(WaterKernels* k) {
    GpuKernel* const kernel[] = {&k->look,  &k->find,      &k->clear,     &k->splat,
                                 &k->thick, &k->total,     &k->smooth[0], &k->smooth[1],
                                 &k->behind, &k->splat_large, &k->hide, &k->shade};
    for (u32 i = 0; i < COUNT_OF(kernel); i++) gpu_kernel_destroy(kernel[i]);
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

static ent_status picture_need(Water* w, const GpuPicture* picture) {
    const u32              side = picture->view->samples;
    const u32              width = picture->width / side, height = picture->height / side;
    const u64              pixels = (u64)width * height;
    const u32              cells = cells_of(half_of(width), half_of(height));
    const u64              blocks = (u64)((width + WATER_WIDE - 1) / WATER_WIDE) *
                       ((height + WATER_HIGH - 1) / WATER_HIGH);
    const char*            name = "the surface of fluids";
    const GpuBufferRequest requests[] = {
        {&w->nearest, pixels, sizeof(u32), name},   {&w->smoothed, pixels, sizeof(u32), name},
        {&w->behind, pixels, sizeof(u32[2]), name}, {&w->far, pixels, sizeof(f32), name},
        {&w->hidden, blocks, sizeof(u32), name},    {&w->thick, cells, sizeof(u32), name},      {&w->foams, cells, sizeof(u32), name}};
    if (w->width == width && w->height == height) return ENT_OK;
    gpu_frame_retire_pool(picture->frame, &w->picture_pool);
    w->width = w->height = 0;
    TRY(gpu_pool_create(&w->picture_pool, w->gpu, requests, COUNT_OF(requests)));
    w->width = width;
    w->height = height;
    w->cells = cells;
    return ENT_OK;
}

ent_status water_need(Water* w, const GpuPicture* picture) {
    const GpuBufferRequest requests[] = {
        {&w->state, 1, sizeof(WaterState), "the surface of fluids"},
        {&w->fluids, WATER_FLUIDS_MAX, sizeof(WaterFluid), "the surface of fluids"},
        {&w->large, WATER_FLUIDS_MAX / 2 + WATER_LISTED, sizeof(u32[2]), "the surface of fluids"}};
    if (!w->kernel.shade.pipeline) {
        kernels_destroy(&w->kernel); /* after a failure */
        TRY(kernels_create(w));
    }
    if (!w->pool.count) {
        TRY(gpu_pool_create(&w->pool, w->gpu, requests, COUNT_OF(requests)));
        TRY(gpu_fill(w->gpu, &w->state, UINT32_MAX)); /* boxes are empty before a picture */
    }
    return picture_need(w, picture);
}

void water_destroy(Water* w) {
    if (!w->gpu) return;
    gpu_wait(w->gpu);
    kernels_destroy(&w->kernel);
    gpu_kernel_destroy(&w->foam);
    gpu_pool_destroy(&w->pool);
    gpu_pool_destroy(&w->picture_pool);
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

ent_status water_foam_record(Water* w, GpuFrame* frame, const WaterDraw* d, f32 duration_s) {
    const WaterPush push = {.count = d->count,
                            .rest_density = d->rest_density,
                            .duration_s = duration_s,
                            .fast_m_s = d->fast_m_s};
    if (!w->lighting || !(d->foaming > 0)) return ENT_OK;
    if (!w->foam.pipeline)
        TRY(gpu_kernel_create(&w->foam, w->gpu, &GPU_KERNEL(water_foam, WATER_GROUP)));
    gpu_pass(&frame->list, &(GpuPass){.name = "foam",
                                      .kernel = &w->foam,
                                      .use = {[WATER_POSITION] = {&d->position, GPU_READ},
                                              [WATER_VELOCITY] = {&d->velocity, GPU_READ},
                                              [WATER_FOAM] = {&d->foam, GPU_READ_WRITE}},
                                      GPU_PUSH(push),
                                      .threads = d->count});
    return frame->list.status;
}
