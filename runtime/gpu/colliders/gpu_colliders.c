/* gpu_colliders.c - colliders on the device, and the passes that move them. */
#include "gpu_colliders_internal.h"

#include <stdlib.h>

#include "rows.h"

_Static_assert(sizeof(ColliderMotion) == sizeof(ColliderShape) &&
                   offsetof(ColliderMotion, half_m) == offsetof(ColliderShape, half_m) &&
                   offsetof(ColliderMotion, reach_m) == offsetof(ColliderShape, reach_m),
               "colliders are uploaded as they are");

ent_status ent_gpu_colliders_create(GpuColliders** out, Gpu* gpu) {
    GpuColliders* c = calloc(1, sizeof *c);
    *out = c;
    if (!c) return ENT_NO_MEMORY;
    c->gpu = gpu;
    c->is_plain = true;
    return ENT_OK;
}

void ent_gpu_colliders_destroy(GpuColliders* c) {
    if (!c) return;
    gpu_wait(c->gpu);
    gpu_frames_forget(c->gpu, c);
    gpu_bodies_destroy(&c->bodies);
    gpu_kernel_destroy(&c->clear);
    gpu_kernel_destroy(&c->cells);
    gpu_kernel_destroy(&c->place);
    gpu_pool_destroy(&c->pool);
    ent_colliders_destroy(c->followed.list);
    free(c->at);
    free(c);
}

/* --- what the host sets --- */

static bool stands(const ColliderMotion* c) {
    return memcmp(&c->at, &c->at_was, sizeof c->at) == 0 &&
           memcmp(&c->turn, &c->turn_was, sizeof c->turn) == 0;
}

static void properties_find(GpuColliders* c) {
    f64 size_m = 0;
    c->moves = false;
    c->is_plain = true;
    for (u32 i = 0; i < c->count; i++) {
        const ColliderMotion* at = &c->at[i];
        const bool            still = stands(at);
        c->moves |= !still;
        c->is_plain &= still && at->is_plane && at->friction == 0;
        size_m += at->is_plane ? 0 : 2 * (f64)at->reach_m;
    }
    const u32 solids = c->count - c->plane_count;
    c->size_m = solids ? (f32)(size_m / solids) : 0;
}

/* Does one of those that are set not begin where it was? What moves bodies knows where they begin. */
static bool jump_find(const GpuColliders* c, const ColliderMotion* now, u32 count) {
    if (count != c->count) return true;
    for (u32 i = 0; i < count; i++) {
        const ColliderMotion* was = &c->at[i];
        const bool            stays = memcmp(&was->at, &now[i].at_was, sizeof was->at) == 0;
        if ((!stays && (was->body == 0 || !c->bodies.is_moved)) || was->body != now[i].body ||
            memcmp(&was->turn, &now[i].turn_was, sizeof was->turn) != 0)
            return true;
    }
    return false;
}

/* Planes, then solids, then those of bodies, otherwise in the order in which they are set. */
static u32 rank_of(const ColliderMotion* c) { return c->is_plane ? 0 : c->body + 1; }

static void ordered_fill(const ColliderMotion* collider, u32 count, u32* end, u32 ranks,
                         ColliderMotion* out) {
    memset(end, 0, (ranks + 1) * sizeof *end);
    for (u32 i = 0; i < count; i++) end[rank_of(&collider[i]) + 1]++;
    for (u32 k = 1; k <= ranks; k++) end[k] += end[k - 1];
    for (u32 i = 0; i < count; i++) out[end[rank_of(&collider[i])]++] = collider[i];
}

ent_status ent_gpu_colliders_set(GpuColliders* c, const ColliderMotion* collider, u32 count) {
    u32 ranks = 1;
    for (u32 i = 0; i < count; i++) ranks = MAX_OF(ranks, rank_of(&collider[i]) + 1);
    ColliderMotion* at = malloc((count + 1ull) * sizeof *at);
    u32*            end = malloc((ranks + 1ull) * sizeof *end);
    if (!at || !end) {
        free(at);
        free(end);
        return ENT_NO_MEMORY;
    }
    ordered_fill(collider, count, end, ranks, at);
    c->jumped = jump_find(c, at, count);
    c->sets++;
    c->count = count;
    c->plane_count = end[0];
    free(c->at);
    free(end);
    c->at = at;
    properties_find(c);
    c->version++;
    return ENT_OK;
}

/* --- on the device --- */

/* New buffers are a new version: lists that were recorded with the old ones are not used any more. */
static ent_status buffers_reserve(GpuColliders* c, GpuFrame* frame, u32 steps) {
    const u32              room = MAX_OF(c->count + c->count / 2, 16u);
    const u64              placed = (u64)c->count * (gpu_colliders_move(c) ? MAX_OF(steps, 1u) : 1);
    const u64              steps_room = MAX_OF(room, placed + placed / 2);
    const char*            name = "colliders";
    const GpuBufferRequest requests[] = {
        {&c->frame, room, sizeof(ColliderShape), name},
        {&c->step, steps_room, sizeof(ColliderShape), name},
        {&c->list, 1 + 2 * (u64)room, sizeof(u32), name},
        {&c->planes, room, sizeof(ColliderPlane), name},
        {&c->cell, COLLIDERS_CELLS * COLLIDERS_WORDS, sizeof(u32), name}};
    if (c->room && c->count <= c->room && placed <= c->steps_room) return ENT_OK;
    c->room = 0;
    if (frame) {
        gpu_frame_retire_pool(frame, &c->pool);
    } else {
        gpu_wait(c->gpu);
        gpu_pool_destroy(&c->pool);
    }
    TRY(gpu_pool_create(&c->pool, c->gpu, requests, COUNT_OF(requests)));
    c->room = room;
    c->steps_room = (u32)MIN_OF(steps_room, UINT32_MAX);
    c->version++;
    return ENT_OK;
}

static ent_status planes_upload(const GpuColliders* c, GpuFrame* frame) {
    ColliderPlane* plane = malloc((c->plane_count + 1) * sizeof *plane);
    if (!plane) return ENT_NO_MEMORY;
    for (u32 i = 0; i < c->plane_count; i++)
        plane[i] = (ColliderPlane){ent_collider_plane(&c->at[i]), c->at[i].restitution};
    const ent_status status =
        gpu_colliders_upload(c, frame, &c->planes, plane, c->plane_count * sizeof *plane);
    free(plane);
    return status;
}

ent_status gpu_colliders_update(GpuColliders* c, GpuFrame* frame, u32 steps) {
    TRY(buffers_reserve(c, frame, steps));
    TRY(gpu_bodies_update(c, frame));
    if (c->uploaded == c->version) return ENT_OK;
    c->uploaded = c->version - 1; /* also after a failure */
    TRY(gpu_colliders_upload(c, frame, &c->frame, c->at, c->count * sizeof *c->at));
    if (c->is_plain) TRY(planes_upload(c, frame));
    c->uploaded = c->version;
    return ENT_OK;
}

/* --- the system of a world --- */

static void system_destroy(void* state) { ent_gpu_colliders_destroy(state); }

/* Those that begin are where their point mass is. Without a fluid that moves them the device has none. */
static ent_status bodies_follow(GpuColliders* c) {
    const GpuBodies* b = &c->bodies;
    u32              count;
    const Body*      body = ent_colliders_bodies(c->followed.list, &count);
    const u32        stamp = b->stamp;
    if (!b->is_moved) return ent_gpu_colliders_bodies(c, NULL, 0);
    TRY(ent_gpu_colliders_bodies(c, body, count));
    for (u32 i = 0; i < b->count; i++)
        if (b->set[i].stamp > stamp) gpu_bodies_put(c, body[i].entity, body[i].position);
    gpu_bodies_put_end(c);
    return gpu_bodies_touch(c);
}

/* Of colliders that the systems meet, if they have a volume. */
static u32 shapes_count(World* world) {
    const ColliderRows rows = ent_collider_rows(world);
    u32                count = 0;
    for (u32 i = 0; i < rows.count; i++)
        count += rows.record[i].kind == COLLIDER_PLANE || COLLIDER_IS_SOLID(rows.record[i].kind);
    return count;
}

static ent_status system_follow(GpuColliders* c) {
    u32 count;
    TRY(ent_colliders_advance(c->followed.list));
    const ColliderMotion* list = ent_colliders_list(c->followed.list, &count);
    const u32             version = ent_colliders_version(c->followed.list);
    TRY(bodies_follow(c));
    if (version == c->followed.version) return ENT_OK;
    TRY(ent_gpu_colliders_set(c, list, count));
    c->followed.version = version;
    const u32 all = shapes_count(c->followed.world);
    if (count < all && !c->followed.warned)
        gpu_log(
            c->gpu, LOG_WARNING,
            "%u of %u colliders have no volume, because their entities are scaled to 0: nothing "
            "meets them",
            all - count, all);
    c->followed.warned |= count < all;
    return ENT_OK;
}

static ent_status system_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    GpuColliders* c;
    UNUSED(problem);
    *state = NULL;
    TRY(ent_gpu_colliders_create(&c, gpu));
    c->followed.world = scene->world;
    ent_status status = ent_colliders_create(&c->followed.list, scene->world);
    if (status == ENT_OK) status = system_follow(c);
    if (status == ENT_OK)
        *state = c;
    else
        ent_gpu_colliders_destroy(c);
    return status;
}

/* What moves after this frame was recorded is met in the next one. */
static ent_status system_simulate(void* state, GpuPicture* picture) {
    UNUSED(picture);
    return system_follow(state);
}

const GpuSystem* ent_colliders_system(void) {
    static const GpuSystem system = {.name = "colliders",
                                     .create = system_create,
                                     .destroy = system_destroy,
                                     .phase = {[ENT_GPU_SIMULATE] = system_simulate}};
    return &system;
}
