/* capsules.c - upright capsules, the shape of the recipe: elements are x, y, z and half the length of the axis. */
#include "shapes_internal.h"

#include <stdlib.h>

#include "capsules.comp.h"
#include "capsules.frag.h"
#include "capsules.vert.h"
#include "capsules_cast.frag.h"
#include "test_capsules.h"

static const ShapeKind shape_capsules = {SHAPE_STAGES(capsules), SHAPE_CASTS(capsules),
                                         .vertex_count = 4};

typedef struct CapsulesSystem {
    Shapes    shapes; /* first: SHAPES_PHASES */
    GpuPool   pool;
    GpuBuffer element;
} CapsulesSystem;

static void capsules_destroy(void* state) {
    CapsulesSystem* c = state;
    shapes_destroy(&c->shapes);
    gpu_pool_destroy(&c->pool);
    free(c);
}

static ent_status capsules_fill(CapsulesSystem* c, Gpu* gpu, const GpuScene* scene) {
    const GpuBufferRequest request = {&c->element, CAPSULES, sizeof(Vec4), "capsules"};
    TRY(shapes_create(&c->shapes, gpu, scene->lighting));
    TRY(gpu_pool_create(&c->pool, gpu, &request, 1));
    return gpu_upload(gpu, &c->element, 0, capsules_at, sizeof capsules_at);
}

static ent_status capsules_create(void** state, Gpu* gpu, const GpuScene* scene,
                                  GpuProblem* problem) {
    CapsulesSystem*  c = calloc(1, sizeof *c);
    const ent_status status = c ? capsules_fill(c, gpu, scene) : ENT_NO_MEMORY;
    UNUSED(problem);
    *state = status == ENT_OK ? c : NULL;
    if (c && status != ENT_OK) capsules_destroy(c);
    return status;
}

static ent_status capsules_place(void* state, GpuPicture* picture) {
    CapsulesSystem* c = state;
    UNUSED(picture);
    shapes_clear(&c->shapes);
    TRY(shapes_add(&c->shapes, &(ShapeDraw){.kind = &shape_capsules,
                                            .count = CAPSULES,
                                            .element = c->element,
                                            .pose = mat34_identity,
                                            .radius_m = CAPSULE_HALF_M + CAPSULE_RADIUS_M,
                                            .look = capsules_look}));
    shapes_follow(&c->shapes, false);
    return ENT_OK;
}

static const GpuExtent* capsules_extent(const void* state) {
    static const GpuExtent extent = {.count = CAPSULES, .low = {-3, -2, -3}, .high = {3, 2, 3}};
    return state ? &extent : NULL;
}

const GpuSystem capsules_system = {.name = "capsules",
                                   .create = capsules_create,
                                   .destroy = capsules_destroy,
                                   .extent = capsules_extent,
                                   .ids = shapes_ids,
                                   .phase = {[ENT_GPU_PLACE] = capsules_place, SHAPES_PHASES}};
