/* water_stage.h - a world of which only the surface of particles of arrays, spheres and planes are drawn, with its lighting. */
#ifndef WATER_STAGE_H
#define WATER_STAGE_H

#include "shapes_stage.h"
#include "water_internal.h"

#include <stdlib.h>

/* A system of one fluid. */
typedef struct WaterSystem {
    Water     water;
    WaterDraw draw;
    GpuExtent extent;
    bool      moved; /* set by the test */
    GpuPool   pool;
} WaterSystem;

static inline void water_system_destroy(void* state) {
    WaterSystem* s = state;
    water_destroy(&s->water);
    gpu_pool_destroy(&s->pool);
    free(s);
}

static inline ent_status water_system_create(void** state, Gpu* gpu, const GpuScene* scene,
                                             GpuProblem* problem) {
    WaterSystem* s = calloc(1, sizeof *s);
    UNUSED(problem);
    *state = s;
    if (!s) return ENT_NO_MEMORY;
    water_create(&s->water, gpu, scene->lighting);
    return ENT_OK;
}

/* Replaces its particles. Other members of its draw are set by the test. */
static inline ent_status water_system_fill(WaterSystem* s, const Vec3* position, u32 count) {
    Gpu* const             gpu = s->water.gpu;
    WaterDraw* const       d = &s->draw;
    const GpuBufferRequest requests[] = {{&d->position, count, sizeof(Vec4), "particles"},
                                         {&d->foam, count, sizeof(f32), "particles"}};
    Vec4* const            wide = calloc(count, sizeof *wide);
    gpu_pool_destroy(&s->pool);
    ent_status status =
        wide ? gpu_pool_create(&s->pool, gpu, requests, COUNT_OF(requests)) : ENT_NO_MEMORY;
    for (u32 i = 0; i < count && status == ENT_OK; i++) {
        wide[i] = (Vec4){position[i].x, position[i].y, position[i].z, 0};
        memcpy(&wide[i].w, &i, sizeof i);
    }
    if (status == ENT_OK) status = gpu_upload(gpu, &d->position, 0, wide, count * sizeof *wide);
    if (status == ENT_OK) status = gpu_fill(gpu, &d->foam, 0);
    d->count = status == ENT_OK ? count : 0;
    Bounds bounds = bounds_empty();
    for (u32 i = 0; i < d->count; i++) bounds_add(&bounds, position[i]);
    s->extent = (GpuExtent){.count = d->count, .low = bounds.low, .high = bounds.high};
    s->moved = true;
    free(wide);
    return status;
}

static inline ent_status water_system_place(void* state, GpuPicture* picture) {
    WaterSystem* s = state;
    UNUSED(picture);
    water_clear(&s->water);
    TRY(water_add(&s->water, &s->draw));
    water_follow(&s->water, s->moved);
    s->moved = false;
    return ENT_OK;
}

static inline ent_status water_system_cull(void* state, GpuPicture* picture) {
    const WaterSystem* s = state;
    water_cull(&s->water, picture);
    return ENT_OK;
}

static inline ent_status water_system_casters(void* state, GpuPicture* picture) {
    WaterSystem* s = state;
    return water_casters(&s->water, picture);
}

static inline const GpuExtent* water_system_extent(const void* state) {
    const WaterSystem* s = state;
    return &s->extent;
}

static inline ent_status water_system_water(void* state, GpuPicture* picture) {
    WaterSystem* s = state;
    return water_record(&s->water, picture);
}

static inline u32 water_system_ids(const void* state) { return state ? 0 : 1; }

static const GpuSystem water_system = {.name = "water",
                                       .create = water_system_create,
                                       .destroy = water_system_destroy,
                                       .extent = water_system_extent,
                                       .ids = water_system_ids,
                                       .phase = {[ENT_GPU_PLACE] = water_system_place,
                                                 [ENT_GPU_CULL] = water_system_cull,
                                                 [ENT_GPU_CASTERS] = water_system_casters,
                                                 [ENT_GPU_WATER] = water_system_water}};

typedef struct WaterStage {
    ShapesStage  shapes;
    GpuPart      part[4];
    GpuParts     parts;
    WaterSystem* water;
} WaterStage;

static inline void water_stage_close(WaterStage* s) {
    if (s->water) water_system_destroy(s->water);
    shapes_stage_close(&s->shapes);
}

/* After a failure there is nothing to close. */
static inline ent_status water_stage_open(WaterStage* s, Gpu* gpu, const CanvasDesc* desc) {
    GpuProblem problem = {0};
    GpuScene   scene = {0};
    void*      state = NULL;
    *s = (WaterStage){0};
    TRY(shapes_stage_open(&s->shapes, gpu, desc));
    scene.lighting = s->shapes.part[0].state;
    const ent_status status = water_system_create(&state, gpu, &scene, &problem);
    s->water = state;
    memcpy(s->part, s->shapes.part, sizeof s->shapes.part);
    s->part[3] = (GpuPart){&water_system, state};
    s->parts = (GpuParts){s->part, 4};
    if (status != ENT_OK) water_stage_close(s);
    return status;
}

#endif
