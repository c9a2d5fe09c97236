/* particles_system.c - the system interface of particle systems: simulates the particle_system
 * components of a world as discs in a plane. */
#include <stdlib.h>

#include "gpu_frame_internal.h"
#include "particles_list_internal.h"

#define FRAME_S 0.016f /* a frame is one step of this length */

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
        if (list->discs[i].particles) extent.count += ent_particles_count(list->discs[i].particles);
    }
    extent.low = bounds.low;
    extent.high = bounds.high;
    if (list->count) extent.front = front_of(list);
    return extent;
}

static ent_status discs_create(DiscsList* list, Discs* discs, const ParticleSystemRecord* r,
                               Entity entity) {
    const Mat34*  attractor = ent_transform_world(list->world, r->attractor);
    const Mat34   pose = entity_pose(list->world, entity);
    ParticlesDesc desc = {.system = r, .step_s = FRAME_S, .colliders = list->colliders};
    *discs = (Discs){.entity = entity,
                     .record = *r,
                     .pose = pose,
                     .half_extent_m = r->half_extent_m,
                     .look = shapes_look(&list->shapes, list->library, r->material, r->color)};
    desc.has_attractor = attractor != NULL;
    if (attractor) desc.attractor = flattened(&pose, mat34_column(attractor, 3));
    TRY(emission_find(&list->found, list->world, entity));
    ParticleSystemRecord record = *r;
    if (list->found.emitters + list->found.sinks > 0)
        record.capacity = MAX_OF(r->capacity, r->count);
    desc.system = &record;
    discs->follower.emits = record.capacity > 0;
    return ent_particles_create(&discs->particles, list->gpu, &desc);
}

/* A host can set both to 0. */
static bool has_particles(const ParticleSystemRecord* r) { return r->count > 0 || r->capacity > 0; }

static void list_destroy(void* state) {
    DiscsList* list = state;
    shapes_destroy(&list->shapes);
    for (u32 i = 0; i < list->count; i++) ent_particles_destroy(list->discs[i].particles);
    emission_found_drop(&list->found);
    free(list->discs);
    free(list);
}

static ent_status list_create(void** state, Gpu* gpu, const GpuScene* scene, GpuProblem* problem) {
    const ParticleSystemRows rows = ent_particle_system_rows(scene->world);
    DiscsList*               list = calloc(1, sizeof *list);
    UNUSED(problem); /* failures are logged by the device */
    *state = NULL;
    if (!list) return ENT_NO_MEMORY;
    list->world = scene->world;
    list->library = scene->library;
    list->colliders = scene->colliders;
    list->discs = calloc(MAX_OF(rows.count, 1u), sizeof *list->discs);
    if (scene->library) list->seen = gpu_seen(scene->library);
    list->gpu = gpu;
    ent_status status = shapes_create(&list->shapes, gpu, scene->lighting);
    if (status == ENT_OK && !list->discs) status = ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count && status == ENT_OK; i++) {
        if (!has_particles(&rows.record[i])) continue;
        Discs* discs = &list->discs[list->count++];
        status = discs_create(list, discs, &rows.record[i], rows.entity[i]);
    }
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

/* --- the components of the world --- */

/* All but what only the look depends on. */
static bool is_same_system(const ParticleSystemRecord* a, const ParticleSystemRecord* b) {
    ParticleSystemRecord other = *b;
    other.material = a->material;
    other.color = a->color;
    return memcmp(a, &other, sizeof other) == 0;
}

static void look_set(DiscsList* list, Discs* discs, const ParticleSystemRecord* r) {
    discs->record = *r;
    discs->look = shapes_look(&list->shapes, list->library, r->material, r->color);
}

/* Is each row that of the next system, with the same component? Sets the looks of those. */
static bool list_is_current(DiscsList* list, const ParticleSystemRows* rows) {
    u32 at = 0;
    if (shapes_looks_differ(&list->seen, list->library)) {
        for (u32 i = 0; i < list->count; i++)
            look_set(list, &list->discs[i], &list->discs[i].record);
    }
    for (u32 i = 0; i < rows->count; i++) {
        const ParticleSystemRecord* r = &rows->record[i];
        if (!has_particles(r)) continue;
        if (at == list->count) return false;
        Discs* discs = &list->discs[at++];
        if (discs->entity != rows->entity[i] || !is_same_system(&discs->record, r)) return false;
        if (memcmp(&discs->record, r, sizeof *r) != 0) look_set(list, discs, r);
    }
    return at == list->count;
}

/* The system of an entity leaves the list. */
static Discs discs_take(DiscsList* list, Entity entity) {
    for (u32 i = 0; i < list->count; i++) {
        Discs taken = list->discs[i];
        if (taken.entity != entity || !taken.particles) continue;
        list->discs[i].particles = NULL;
        return taken;
    }
    return (Discs){0};
}

/* Of a row: the former system with the component as it is now, or another one. */
static void discs_renew(DiscsList* list, GpuFrame* frame, const ParticleSystemRecord* r,
                        Entity entity, Discs* out) {
    Discs former = discs_take(list, entity);
    if (former.particles && is_same_system(&former.record, r)) {
        look_set(list, &former, r);
        *out = former;
        return;
    }
    if (discs_create(list, out, r, entity) == ENT_OK) {
        gpu_frame_retire_object(frame, former.particles, particles_drop);
        return;
    }
    gpu_log(list->gpu, LOG_WARNING, "a particle system cannot follow its component: %s",
            former.particles ? "the former one goes on" : "it has no particles");
    if (former.particles) *out = former;
    look_set(list, out, r); /* and is not tried again before it changes */
}

/* Systems whose component has changed begin anew; so do those that were added. The others go on. */
static ent_status list_follow(DiscsList* list, GpuFrame* frame) {
    const ParticleSystemRows rows = ent_particle_system_rows(list->world);
    if (list_is_current(list, &rows)) return ENT_OK;
    Discs* discs = calloc(MAX_OF(rows.count, 1u), sizeof *discs);
    u32    count = 0;
    if (!discs) {
        if (!list->starved)
            gpu_log(list->gpu, LOG_WARNING,
                    "there is no memory for the particle systems, which go on as they were");
        list->starved = true;
        return ENT_OK;
    }
    list->starved = false;
    for (u32 i = 0; i < rows.count; i++) {
        if (has_particles(&rows.record[i]))
            discs_renew(list, frame, &rows.record[i], rows.entity[i], &discs[count++]);
    }
    for (u32 i = 0; i < list->count; i++)
        gpu_frame_retire_object(frame, list->discs[i].particles, particles_drop);
    free(list->discs);
    list->discs = discs;
    list->count = count;
    list->extent = extent_of(list);
    list->moved = true;
    return ENT_OK;
}

/* --- phases --- */

static ent_status list_simulate(void* state, GpuPicture* picture) {
    DiscsList* list = state;
    TRY(list_follow(list, picture->frame));
    list->moved = true;
    for (u32 i = 0; i < list->count; i++) {
        Discs*      discs = &list->discs[i];
        const Mat34 pose = entity_pose(list->world, discs->entity);
        if (!discs->particles) continue;
        ent_particles_place(discs->particles, &pose);
        TRY(discs_follow(list, discs));
        TRY(ent_particles_record(discs->particles, picture->frame, 1));
    }
    return ENT_OK;
}

/* Discs follow the transforms of their entities. */
static ent_status list_place(void* state, GpuPicture* picture) {
    DiscsList* list = state;
    if (!picture->canvas) return ENT_OK;
    TRY(list_follow(list, picture->frame));
    shapes_clear(&list->shapes);
    for (u32 i = 0; i < list->count; i++) {
        const Discs* discs = &list->discs[i];
        const Mat34  pose = entity_pose(list->world, discs->entity);
        if (!discs->particles) continue;
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
