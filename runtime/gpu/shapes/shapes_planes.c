/* shapes_planes.c - the planes of a view: one element that covers the picture, and an id for each plane. */
#include "shapes_internal.h"

#include <stdlib.h>

#include "shapes_planes.comp.h"
#include "shapes_planes.frag.h"
#include "shapes_planes.vert.h"

static const ShapeKind shape_planes = {SHAPE_STAGES(shapes_planes), .vertex_count = 3,
                                       .is_backdrop = true};

typedef struct Planes {
    Shapes    shapes;
    GpuPool   pool;
    GpuBuffer planes;
} Planes;

static void planes_destroy(void* state) {
    Planes* p = state;
    shapes_destroy(&p->shapes);
    gpu_pool_destroy(&p->pool);
    free(p);
}

static ent_status planes_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    Planes* p = calloc(1, sizeof *p);
    UNUSED(problem); /* failures are logged by the device */
    *state = NULL;
    if (!p) return ENT_NO_MEMORY;
    const GpuBufferRequest request = {&p->planes, GPU_PLANES_MAX, sizeof(Vec4),
                                      "planes of a picture"};
    ent_status             status = shapes_create(&p->shapes, gpu, scene->lighting);
    if (status == ENT_OK) status = gpu_pool_create(&p->pool, gpu, &request, 1);
    if (status == ENT_OK)
        *state = p;
    else
        planes_destroy(p);
    return status;
}

static ent_status planes_place(void* state, GpuPicture* picture) {
    Planes* const p = state;
    shapes_clear(&p->shapes);
    if (!picture->canvas || picture->desc->plane_count == 0) return ENT_OK;
    const u32 count = picture->desc->plane_count;
    assert(count <= GPU_PLANES_MAX);
    TRY(gpu_frame_upload(picture->frame, &p->planes, 0, picture->desc->plane,
                         count * sizeof(Vec4)));
    return shapes_add(&p->shapes, &(ShapeDraw){.kind = &shape_planes,
                                               .count = 1,
                                               .id_count = count,
                                               .element = p->planes,
                                               .planes = p->planes,
                                               .pose = mat34_identity,
                                               .look = {.roughness = 0.8f}});
}

const GpuSystem* ent_planes_system(void) {
    static const GpuSystem system = {.name = "planes",
                                     .component = "collider",
                                     .create = planes_create,
                                     .destroy = planes_destroy,
                                     .ids = shapes_ids,
                                     .phase = {[ENT_GPU_PLACE] = planes_place, SHAPES_PHASES}};
    return &system;
}
