/* particles_system.c - the system interface of particle systems: simulates the particle_system
 * components of a world as discs in a plane. */
#include <stdlib.h>

#include "gpu_system_internal.h"
#include "emission_internal.h"
#include "particles.h"
#include "rows.h"
#include "shapes_internal.h"

#define FRAME_S 0.016f /* a frame is one step of this length */

typedef struct Discs {
    Particles*       particles;
    Entity           entity;
    Mat34            pose; /* of the plane, when it was created */
    Vec2             half_extent_m;
    EntShapesLook    look;
    EmissionFollower follower;
} Discs;

typedef struct DiscsList {
    Shapes         shapes; /* first: SHAPES_PHASES */
    World*         world;
    const Library* library;
    GpuSeen        seen; /* of it, when looks were set */
    Gpu*           gpu;
    EmissionFound  found; /* of one of them */
    GpuExtent      extent;
    bool           moved; /* simulated since it was drawn */
    u32            count;
    Discs          discs[]; /* [count] */
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

/* Corner 0 to 3 of the rectangle in which discs move, in the world. */
static Vec3 corner_of(const Discs* discs, u32 corner) {
    const Vec2 half = discs->half_extent_m;
    return mat34_point(&discs->pose,
                       (Vec3){corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, 0});
}

/* The box around all rectangles with the axes of the first one. */
static Mat34 front_of(const DiscsList* list) {
    const Mat34* pose = &list->discs[0].pose;
    const Vec3   axis[3] = {vec3_unit(mat34_column(pose, 0)), vec3_unit(mat34_column(pose, 1)),
                            vec3_unit(mat34_column(pose, 2))};
    const Vec3   from = corner_of(&list->discs[0], 0);
    Bounds       b = bounds_empty();
    Vec3         half[3], center = from;
    for (u32 i = 0; i < list->count * 4; i++) {
        const Vec3 d = vec3_sub(corner_of(&list->discs[i / 4], i % 4), from);
        bounds_add(&b, (Vec3){vec3_dot(d, axis[0]), vec3_dot(d, axis[1]), vec3_dot(d, axis[2])});
    }
    const f32 low[3] = {b.low.x, b.low.y, b.low.z}, high[3] = {b.high.x, b.high.y, b.high.z};
    for (u32 k = 0; k < 3; k++) {
        half[k] = vec3_scale(axis[k], (high[k] - low[k]) / 2);
        center = vec3_add_scaled(center, axis[k], (low[k] + high[k]) / 2);
    }
    return mat34_from_columns(half[0], half[1], half[2], center);
}

static GpuExtent extent_of(const DiscsList* list) {
    GpuExtent extent = {0};
    Bounds    bounds = bounds_empty();
    for (u32 i = 0; i < list->count; i++) {
        for (u32 k = 0; k < 4; k++) bounds_add(&bounds, corner_of(&list->discs[i], k));
        extent.count += ent_particles_count(list->discs[i].particles);
    }
    extent.low = bounds.low;
    extent.high = bounds.high;
    if (list->count) extent.front = front_of(list);
    return extent;
}

static ent_status discs_create(DiscsList* list, Gpu* gpu, const ParticleSystemRecord* r,
                               Entity entity, const GpuScene* scene) {
    const Mat34*  attractor = ent_transform_world(scene->world, r->attractor);
    const Mat34   pose = entity_pose(scene->world, entity);
    Discs*        discs = &list->discs[list->count];
    ParticlesDesc desc = {.system = r, .step_s = FRAME_S, .colliders = scene->colliders};
    desc.has_attractor = attractor != NULL;
    if (attractor) desc.attractor = flattened(&pose, mat34_column(attractor, 3));
    TRY(emission_find(&list->found, scene->world, entity));
    ParticleSystemRecord record = *r;
    if (list->found.emitters + list->found.sinks > 0)
        record.capacity = MAX_OF(r->capacity, r->count);
    desc.system = &record;
    discs->follower.emits = record.capacity > 0;
    TRY(ent_particles_create(&discs->particles, gpu, &desc));
    discs->look = shapes_look(&list->shapes, scene->library, r->material, r->color);
    discs->entity = entity;
    discs->pose = pose;
    discs->half_extent_m = r->half_extent_m;
    list->count++;
    return ENT_OK;
}

static void list_destroy(void* state) {
    DiscsList* list = state;
    shapes_destroy(&list->shapes);
    for (u32 i = 0; i < list->count; i++) ent_particles_destroy(list->discs[i].particles);
    emission_found_drop(&list->found);
    free(list);
}

static ent_status list_create(void** state, Gpu* gpu, const GpuScene* scene, GpuProblem* problem) {
    const ParticleSystemRows rows = ent_particle_system_rows(scene->world);
    DiscsList*               list = calloc(1, sizeof *list + rows.count * sizeof *list->discs);
    UNUSED(problem); /* failures are logged by the device */
    *state = NULL;
    if (!list) return ENT_NO_MEMORY;
    list->world = scene->world;
    list->library = scene->library;
    if (scene->library) list->seen = gpu_seen(scene->library);
    list->gpu = gpu;
    ent_status status = shapes_create(&list->shapes, gpu, scene->lighting);
    for (u32 i = 0; i < rows.count && status == ENT_OK; i++)
        if (rows.record[i].count > 0 || rows.record[i].capacity > 0) /* a host can set both to 0 */
            status = discs_create(list, gpu, &rows.record[i], rows.entity[i], scene);
    if (status == ENT_OK) {
        list->extent = extent_of(list);
        *state = list;
    } else {
        list_destroy(list);
    }
    return status;
}

/* --- frames --- */

static const GpuExtent* list_extent(const void* state) {
    const DiscsList* list = state;
    return &list->extent;
}

static ent_status discs_follow(DiscsList* list, Discs* discs) {
    TRY(emission_follow(&list->found, list->world, discs->entity, list->gpu, &discs->follower,
                        "particle system"));
    const EntEmission emission = emission_of(&list->found);
    if (discs->follower.emits) ent_particles_emission(discs->particles, &emission);
    return ENT_OK;
}

static ent_status list_simulate(void* state, GpuPicture* picture) {
    DiscsList* list = state;
    list->moved = true;
    for (u32 i = 0; i < list->count; i++) {
        const Mat34 pose = entity_pose(list->world, list->discs[i].entity);
        ent_particles_place(list->discs[i].particles, &pose);
        TRY(discs_follow(list, &list->discs[i]));
        TRY(ent_particles_record(list->discs[i].particles, picture->frame, 1));
    }
    return ENT_OK;
}

/* The materials of the components as they are now. */
static void looks_set(DiscsList* list) {
    const Manager*           manager = ent_world_built_in(list->world, COMPONENT_PARTICLE_SYSTEM);
    const ParticleSystemRows rows = ent_particle_system_rows(list->world);
    for (u32 i = 0; i < list->count; i++) {
        Discs*    discs = &list->discs[i];
        const u32 row = ent_manager_row(manager, ent_world_entities(list->world), discs->entity);
        if (row == MANAGER_NO_ROW) continue;
        discs->look = shapes_look(&list->shapes, list->library, rows.record[row].material,
                                  rows.record[row].color);
    }
}

/* Discs follow the transforms of their entities. */
static ent_status list_place(void* state, GpuPicture* picture) {
    DiscsList* list = state;
    if (!picture->canvas) return ENT_OK;
    if (shapes_looks_differ(&list->seen, list->library)) looks_set(list);
    shapes_clear(&list->shapes);
    for (u32 i = 0; i < list->count; i++) {
        const Discs* discs = &list->discs[i];
        const Mat34  pose = entity_pose(list->world, discs->entity);
        TRY(ent_particles_draw(discs->particles, &list->shapes, &pose, &discs->look));
    }
    shapes_follow(&list->shapes, list->moved);
    list->moved = false;
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
        .ids = shapes_ids,
        .phase = {[ENT_GPU_SIMULATE] = list_simulate, [ENT_GPU_PLACE] = list_place, SHAPES_PHASES}};
    return &system;
}
