/* particles_system.c - the system interface of particle systems: simulates the particle_system
 * components of a world as discs in a plane. */
#include <stdlib.h>

#include "canvas_draw.h"
#include "gpu_system_internal.h"
#include "particles.h"
#include "rows.h"

#define FRAME_S 0.016f /* a frame is one step of this length */

typedef struct Discs {
    Particles* particles;
    Vec3       color;
} Discs;

typedef struct DiscsList {
    GpuExtent     extent;
    u32           count;
    GpuRectangle* rectangle; /* [count] in the same allocation, after the discs */
    Discs         discs[];   /* [count] */
} DiscsList;

/* --- creation --- */

/* A point of the world as coordinates in the plane of a pose. */
static Vec2 flattened(const Mat34* pose, Vec3 at) {
    const Vec3 d = vec3_sub(at, mat34_column(pose, 3));
    f32        along[2];
    for (u32 a = 0; a < 2; a++) {
        const Vec3 axis = mat34_column(pose, a);
        const f32  scale = vec3_length(axis);
        along[a] = vec3_dot(d, axis) / MAX_OF(scale * scale, 1e-20f);
    }
    return (Vec2){along[0], along[1]};
}

static void extent_add(GpuExtent* extent, const GpuRectangle* rectangle, u32 count) {
    Bounds bounds = {extent->low, extent->high};
    for (u32 i = 0; i < 4; i++) bounds_add(&bounds, rectangle_corner(rectangle, i));
    extent->low = bounds.low;
    extent->high = bounds.high;
    extent->count += count;
    extent->rectangle_count++;
}

static ent_status discs_create(DiscsList* list, Gpu* gpu, const ParticleSystemRecord* r,
                               Entity entity, const GpuScene* scene) {
    const Mat34*  attractor = ent_transform_world(scene->world, r->attractor);
    const Mat34   pose = entity_pose(scene->world, entity);
    Discs*        discs = &list->discs[list->count];
    ParticlesDesc desc = {.system = r, .step_s = FRAME_S};
    desc.has_attractor = attractor != NULL;
    if (attractor) desc.attractor = flattened(&pose, mat34_column(attractor, 3));
    TRY(ent_particles_create(&discs->particles, gpu, &desc));
    discs->color = r->color;
    list->rectangle[list->count] = (GpuRectangle){pose, r->half_extent_m};
    extent_add(&list->extent, &list->rectangle[list->count], ent_particles_count(discs->particles));
    list->count++;
    return ENT_OK;
}

static void list_destroy(void* state) {
    DiscsList* list = state;
    for (u32 i = 0; i < list->count; i++) ent_particles_destroy(list->discs[i].particles);
    free(list);
}

static ent_status list_create(void** state, Gpu* gpu, const GpuScene* scene, GpuProblem* problem) {
    const ParticleSystemRows rows = ent_particle_system_rows(scene->world);
    const Bounds             empty = bounds_empty();
    ent_status               status = ENT_OK;
    DiscsList*               list =
        calloc(1, sizeof *list + rows.count * (sizeof *list->rectangle + sizeof *list->discs));
    UNUSED(problem); /* failures are logged by the device */
    *state = NULL;
    if (!list) return ENT_NO_MEMORY;
    list->rectangle = (GpuRectangle*)(void*)&list->discs[rows.count];
    list->extent = (GpuExtent){.low = empty.low, .high = empty.high, .rectangle = list->rectangle};
    for (u32 i = 0; i < rows.count && status == ENT_OK; i++)
        status = discs_create(list, gpu, &rows.record[i], rows.entity[i], scene);
    if (status == ENT_OK)
        *state = list;
    else
        list_destroy(list);
    return status;
}

/* --- frames --- */

static const GpuExtent* list_extent(const void* state) {
    const DiscsList* list = state;
    return &list->extent;
}

static ent_status list_simulate(void* state, GpuPicture* picture) {
    const DiscsList* list = state;
    for (u32 i = 0; i < list->count; i++)
        TRY(ent_particles_record(list->discs[i].particles, picture->frame, 1));
    return ENT_OK;
}

static ent_status list_place(void* state, GpuPicture* picture) {
    const DiscsList* list = state;
    if (!picture->canvas) return ENT_OK;
    for (u32 i = 0; i < list->count; i++) {
        const Discs* discs = &list->discs[i];
        TRY(ent_particles_draw(discs->particles, picture->canvas, &list->rectangle[i].pose,
                               discs->color));
    }
    return ENT_OK;
}

const GpuSystem* ent_particles_system(void) {
    static const GpuSystem system = {
        .name = "particles",
        .simulates = "simulate particles",
        .component = "particle_system",
        .create = list_create,
        .destroy = list_destroy,
        .extent = list_extent,
        .phase = {[ENT_GPU_SIMULATE] = list_simulate, [ENT_GPU_PLACE] = list_place}};
    return &system;
}
