/* gpu_bodies.c - bodies on the device: what the host sets, and the passes that move them. */
#include <stdlib.h>

#include "gpu_colliders_internal.h"

#include "bodies_begin.comp.h"
#include "bodies_move.comp.h"
#include "bodies_place.comp.h"

static void arrays_free(const GpuBodies* b) {
    free(b->at);
    free(b->set);
    free(b->put.row);
    free(b->put.place);
}

void gpu_bodies_destroy(GpuBodies* b) {
    gpu_kernel_destroy(&b->begin);
    gpu_kernel_destroy(&b->move);
    gpu_kernel_destroy(&b->place);
    gpu_kernel_destroy(&b->shown.kernel);
    gpu_pool_destroy(&b->shown.pool);
    gpu_pool_destroy(&b->state_pool[0]);
    gpu_pool_destroy(&b->state_pool[1]);
    gpu_pool_destroy(&b->pool);
    free(b->shown.at);
    free(b->shown.row);
    free(b->shown.entity);
    arrays_free(b);
}

/* --- what the host sets --- */

/* `near`: where it probably is. */
static u32 body_search(const GpuBodies* b, Entity entity, u32 near) {
    if (near < b->count && b->at[near].entity == entity) return near;
    for (u32 i = 0; i < b->count; i++)
        if (b->at[i].entity == entity) return i;
    return NONE;
}

static bool is_same(const Body* a, const Body* b) {
    return memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           memcmp(&a->velocity_m_s, &b->velocity_m_s, sizeof a->velocity_m_s) == 0;
}

/* Its colliders are known only when both have been set: colliders_link. */
static BodySet set_of(const GpuBodies* b, const Body* body, u32 number) {
    const u32 before = body_search(b, body->entity, number);
    BodySet   set = {.entity = body->entity, .force = body->force_n, .mass_kg = body->mass_kg};
    if (before != NONE && is_same(&b->at[before], body)) {
        const BodySet* was = &b->set[before];
        set.from = was->from;
        set.stamp = was->stamp;
        set.first = was->first, set.count = was->count, set.stride_max_m = was->stride_max_m;
        if (set.from != BODY_NONE) return set;
        set.at = was->at;
        set.velocity = was->velocity;
        return set;
    }
    set.from = BODY_NONE;
    set.at = body->position;
    set.velocity = body->velocity_m_s;
    return set;
}

static bool sets_fill(GpuBodies* b, const Body* body, u32 count, BodySet* set) {
    bool begins = false;
    for (u32 i = 0; i < count; i++) {
        set[i] = set_of(b, &body[i], i);
        if (set[i].from != BODY_NONE || set[i].stamp != 0) continue;
        set[i].stamp = ++b->stamp;
        begins = true;
    }
    return begins;
}

/* What is near particles is not known any more, and lists that were recorded are those of other bodies. */
static void lists_renew(GpuColliders* c) {
    c->sets++;
    c->jumped = true;
    c->version++;
}

void gpu_bodies_move(GpuColliders* c, bool moves) {
    c->bodies.is_moved = moves;
    lists_renew(c);
}

static bool arrays_create(GpuBodies* b, u32 count) {
    const size_t room = MAX_OF(count, 1u);
    *b = (GpuBodies){.at = malloc(room * sizeof *b->at),
                     .set = malloc(room * sizeof *b->set),
                     .put.row = malloc(room * sizeof *b->put.row),
                     .put.place = malloc(room * sizeof *b->put.place)};
    return b->at && b->set && b->put.row && b->put.place;
}

ent_status ent_gpu_colliders_bodies(GpuColliders* c, const Body* body, u32 count) {
    GpuBodies* const b = &c->bodies;
    GpuBodies        next;
    if (count == 0 && b->count == 0) return ENT_OK;
    if (!arrays_create(&next, count)) {
        arrays_free(&next);
        return ENT_NO_MEMORY;
    }
    if (sets_fill(b, body, count, next.set) || count != b->count) lists_renew(c);
    if (count) memcpy(next.at, body, count * sizeof *next.at);
    b->changed |= count != b->count || memcmp(next.set, b->set, count * sizeof *next.set) != 0;
    arrays_free(b);
    b->at = next.at;
    b->set = next.set;
    b->put = next.put;
    b->count = count;
    b->linked = c->version - 1;
    return ENT_OK;
}

#define ANY_STRIDE_M 1e18f /* of one without a collider */

static void collider_link(BodySet* set, const ColliderMotion* shape, u32 number) {
    const Vec3 half = shape->half_m;
    const f32  size = shape->radius_m + MIN_OF(half.x, MIN_OF(half.y, half.z));
    if (set->count++ == 0) set->first = number;
    set->stride_max_m = set->count == 1 ? size : MIN_OF(set->stride_max_m, size);
}

/* The colliders of each body follow each other, in the order of bodies, behind all others. */
static void colliders_link(GpuColliders* c) {
    GpuBodies* const b = &c->bodies;
    u32              n = c->plane_count;
    while (n < c->count && c->at[n].body == 0) n++;
    for (u32 i = 0; i < b->count; i++) {
        BodySet* const set = &b->set[i];
        const BodySet  was = *set;
        set->first = set->count = 0;
        set->stride_max_m = ANY_STRIDE_M;
        for (; n < c->count && c->at[n].body <= i + 1; n++)
            if (c->at[n].body == i + 1) collider_link(set, &c->at[n], n);
        b->changed |= memcmp(set, &was, sizeof was) != 0;
    }
}

/* --- on the device --- */

static ent_status kernels_need(GpuColliders* c) {
    GpuBodies* const b = &c->bodies;
    if (b->place.pipeline) return ENT_OK;
    gpu_kernel_destroy(&b->begin); /* after a failure */
    gpu_kernel_destroy(&b->move);
    TRY(gpu_kernel_create(&b->begin, c->gpu, &GPU_KERNEL(bodies_begin, BODIES_GROUP)));
    TRY(gpu_kernel_create(&b->move, c->gpu, &GPU_KERNEL(bodies_move, BODIES_GROUP)));
    return gpu_kernel_create(&b->place, c->gpu, &GPU_KERNEL(bodies_place, BODIES_GROUP));
}

static ent_status pool_reserve(const GpuColliders* c, GpuFrame* frame, GpuPool* pool, u32* room,
                               GpuBuffer* buffer, u32 bytes) {
    const u32              count = c->bodies.count;
    const GpuBufferRequest request = {buffer, count + count / 2 + 1, bytes, "bodies"};
    if (*room >= count) return ENT_OK;
    if (frame) {
        gpu_frame_retire_pool(frame, pool);
    } else {
        gpu_wait(c->gpu);
        gpu_pool_destroy(pool);
    }
    *room = 0;
    TRY(gpu_pool_create(pool, c->gpu, &request, 1));
    *room = (u32)request.count;
    return ENT_OK;
}

ent_status gpu_bodies_update(GpuColliders* c, GpuFrame* frame) {
    GpuBodies* const b = &c->bodies;
    if (!gpu_bodies_are_moved(b)) return ENT_OK;
    assert(c->count == 0 || c->at[c->count - 1].body <= b->count); /* they are sorted by it */
    if (b->linked != c->version) colliders_link(c);
    if (!b->changed) {
        b->linked = c->version;
        return ENT_OK;
    }
    const u32 next = b->begun ? 1 - b->which : b->which;
    c->version++; /* lists that were recorded use other buffers */
    TRY(kernels_need(c));
    TRY(pool_reserve(c, frame, &b->pool, &b->room, &b->host, sizeof(BodySet)));
    TRY(pool_reserve(c, frame, &b->state_pool[next], &b->state_room[next], &b->state[next],
                     sizeof(BodyState)));
    TRY(gpu_colliders_upload(c, frame, &b->host, b->set, b->count * sizeof *b->set));
    b->linked = c->version;
    return ENT_OK;
}

static void pass_add(const GpuColliders* c, GpuList* list, GpuPass* pass, const BodiesPush* push) {
    const GpuBodies* b = &c->bodies;
    pass->name = "bodies";
    pass->use[BODIES_SET] = (GpuUse){&b->host, GPU_READ};
    pass->push = push;
    pass->push_bytes = sizeof *push;
    if (pass->threads == 0) pass->threads = push->count;
    gpu_pass(list, pass);
}

ent_status gpu_bodies_begin(GpuColliders* c, GpuList* list, f32 frame_s) {
    GpuBodies* const b = &c->bodies;
    if (!gpu_bodies_are_moved(b)) return ENT_OK;
    const BodiesPush push = {.count = b->count, .keeps = !b->changed, .frame = ++b->frame};
    const GpuBuffer* before = gpu_bodies_state(b);
    if (b->changed && b->begun) b->which = 1 - b->which;
    pass_add(c, list,
             &(GpuPass){.kernel = &b->begin,
                        .use = {[BODIES_BEFORE] = {before, GPU_READ},
                                [BODIES_STATE] = {gpu_bodies_state(b), GPU_WRITE}}},
             &push);
    for (u32 i = 0; i < b->count && b->changed; i++) {
        b->set[i].from = i;
        b->set[i].at = b->set[i].velocity = (Vec3){0, 0, 0};
    }
    b->changed = false;
    b->begun = true;
    b->state_count = b->count;
    b->frame_s = frame_s;
    return list->status;
}

/* They begin again where the host knows them. */
static void begin_failed(GpuBodies* b) {
    b->begun = false;
    b->changed = true;
    for (u32 i = 0; i < b->count; i++) {
        b->set[i].from = BODY_NONE;
        b->set[i].at = b->at[i].position;
        b->set[i].velocity = b->at[i].velocity_m_s;
    }
}

ent_status gpu_bodies_begin_now(GpuColliders* c) {
    GpuList list;
    if (!gpu_bodies_are_moved(&c->bodies) || !c->bodies.changed) return ENT_OK;
    TRY(gpu_list_begin(&list, c->gpu, GPU_TIMES_NONE));
    ent_status status = gpu_bodies_begin(c, &list, 0);
    if (status == ENT_OK) status = gpu_list_end(&list);
    if (status == ENT_OK) status = gpu_list_run(&list);
    if (status != ENT_OK) begin_failed(&c->bodies);
    gpu_list_destroy(&list);
    return status;
}

ent_status gpu_bodies_step(GpuColliders* c, GpuList* list, u32 step, const BodiesStep* how) {
    const GpuBodies* b = &c->bodies;
    const BodiesPush push = {.count = b->count,
                             .collider_count = c->count,
                             .collider_first = gpu_colliders_first(c, step),
                             .step_s = how->step_s,
                             .unit = how->unit_kg,
                             .speed_max_m_s = how->speed_max_m_s,
                             .gravity = how->gravity_m_s2};
    if (!gpu_bodies_are_begun(b)) return ENT_OK;
    pass_add(c, list,
             &(GpuPass){.kernel = &b->move,
                        .threads = (u64)b->count * BODIES_GROUP,
                        .use = {[BODIES_STATE] = {gpu_bodies_state(b), GPU_READ_WRITE},
                                [COLLIDERS_STEP] = {&c->step, GPU_READ}}},
             &push);
    pass_add(c, list,
             &(GpuPass){.kernel = &b->place,
                        .use = {[BODIES_STATE] = {gpu_bodies_state(b), GPU_READ_WRITE},
                                [COLLIDERS_STEP] = {&c->step, GPU_READ_WRITE}}},
             &push);
    return gpu_colliders_cells(c, list, step, how->near_m);
}

/* --- what the host receives --- */

static bool is_finite(Vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

/* Those that the host has set since then are not received, nor is what is older than what the host knows. */
static void bodies_received(void* user, const void* bytes, u64 count) {
    GpuColliders* const c = user;
    GpuBodies* const    b = &c->bodies;
    const BodyState*    state = bytes;
    if (count < sizeof *state || state->frame < b->received) return;
    b->received = state->frame;
    for (u32 i = 0; i < count / sizeof *state; i++) {
        const u32 k = body_search(b, state[i].entity, i);
        if (k == NONE || b->set[k].stamp != state[i].stamp) continue;
        if (!is_finite(state[i].at) || !is_finite(state[i].velocity)) continue;
        const Body now = {.position = state[i].at, .velocity_m_s = state[i].velocity};
        if (c->followed.world && !gpu_bodies_keep(c, &b->at[k], &now)) continue;
        b->at[k].position = now.position;
        b->at[k].velocity_m_s = now.velocity_m_s;
    }
    if (c->followed.world) gpu_bodies_put_end(c);
}

ent_status gpu_bodies_report(GpuColliders* c, GpuFrame* frame) {
    const GpuBodies* b = &c->bodies;
    if (!gpu_bodies_are_begun(b) || !c->followed.world) return ENT_OK;
    return gpu_frame_count(frame, gpu_bodies_state(b), b->count * sizeof(BodyState),
                           bodies_received, c);
}

ent_status ent_gpu_colliders_read(GpuColliders* c, Body* body, u32 capacity) {
    GpuBodies* const b = &c->bodies;
    const u64        bytes = b->state_count * sizeof(BodyState);
    if (b->begun && bytes > 0) {
        BodyState* const state = malloc(bytes);
        if (!state) return ENT_NO_MEMORY;
        const ent_status status = gpu_download(c->gpu, gpu_bodies_state(b), 0, state, bytes);
        if (status == ENT_OK) bodies_received(c, state, bytes);
        free(state);
        TRY(status);
    }
    for (u32 i = 0; i < capacity && i < b->count; i++) body[i] = b->at[i];
    return ENT_OK;
}
