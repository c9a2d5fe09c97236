/* gpu_bodies_world.c - bodies of a world: the host receives where they are, and pictures show it before that. */
#include <stdlib.h>

#include "gpu_colliders_internal.h"
#include "gpu_places.h"
#include "rows.h"
#include "transform_internal.h"

#include "bodies_show.comp.h"

/* --- the host --- */

void gpu_bodies_put(GpuColliders* c, Entity entity, Vec3 place) {
    GpuBodies* const b = &c->bodies;
    const u32        row = ent_transform_row(c->followed.world, entity);
    if (row == MANAGER_NO_ROW || b->put.count >= b->count) return;
    b->put.row[b->put.count] = row;
    b->put.place[b->put.count++] = place;
}

/* Of one below another one, the upper one is put first. */
void gpu_bodies_put_end(GpuColliders* c) {
    GpuBodies* const b = &c->bodies;
    if (b->put.count)
        ent_transform_set_places(c->followed.world, b->put.row, b->put.place, b->put.count);
    b->put.count = 0;
}

bool gpu_bodies_keep(GpuColliders* c, const Body* known, const Body* now) {
    World* const        world = c->followed.world;
    const Manager*      masses = ent_world_built_in(world, COMPONENT_POINT_MASS);
    const PointMassRows mass = ent_point_mass_rows(world);
    const u32           row = ent_manager_row(masses, ent_world_entities(world), known->entity);
    if (row == MANAGER_NO_ROW) return false;
    Vec3* const position = &mass.position[row];
    Vec3* const velocity = &mass.velocity[row];
    if (memcmp(position, &known->position, sizeof *position) != 0 ||
        memcmp(velocity, &known->velocity_m_s, sizeof *velocity) != 0)
        return false;
    *position = now->position;
    *velocity = now->velocity_m_s;
    gpu_bodies_put(c, known->entity, now->position);
    return true;
}

/* --- pictures --- */

static ent_status shown_reserve(BodiesShown* s) {
    const u32 room = MAX_OF(s->capacity * 2, 64u);
    if (s->count < s->capacity) return ENT_OK;
    BodyShown* const at = realloc(s->at, room * sizeof *at);
    if (at) s->at = at;
    u32* const row = at ? realloc(s->row, room * sizeof *row) : NULL;
    if (row) s->row = row;
    Entity* const entity = row ? realloc(s->entity, room * sizeof *entity) : NULL;
    if (!entity) return ENT_NO_MEMORY;
    s->entity = entity;
    s->capacity = room;
    return ENT_OK;
}

static bool is_body(const GpuBodies* b, Entity entity) {
    for (u32 i = 0; i < b->count; i++)
        if (b->at[i].entity == entity) return true;
    return false;
}

/* What is below another body moves with that one. */
static ent_status body_show(GpuBodies* b, const Manager* m, u32 body, u32 top) {
    BodiesShown* const s = &b->shown;
    const Rows         rows = rows_of(m);
    const Vec3         place = mat34_column(&rows.world[top], 3);
    for (u32 row = top; row != NONE;) {
        if (row != top && is_body(b, m->entity[row])) {
            row = transform_beside(&rows, top, row);
            continue;
        }
        TRY(shown_reserve(s));
        const Vec3 offset = vec3_sub(mat34_column(&rows.world[row], 3), place);
        s->at[s->count] = (BodyShown){row, body, offset};
        s->entity[s->count] = m->entity[row];
        s->row[s->count++] = row;
        row = transform_below(&rows, top, row);
    }
    return ENT_OK;
}

static ent_status shown_find(GpuColliders* c) {
    World* const     world = c->followed.world;
    GpuBodies* const b = &c->bodies;
    b->shown.count = 0;
    if (!world || !gpu_bodies_are_moved(b)) return ENT_OK;
    for (u32 i = 0; i < b->count; i++) {
        const u32 top = ent_transform_row(world, b->at[i].entity);
        if (top != MANAGER_NO_ROW) TRY(body_show(b, world_transforms(world), i, top));
    }
    return ENT_OK;
}

/* What was shown where a body was, which may be none any more, is shown where it is. */
static void shown_drop(GpuColliders* c) {
    const BodiesShown* s = &c->bodies.shown;
    for (u32 i = 0; i < s->count && c->bodies.changed; i++) {
        const u32 row = ent_transform_row(c->followed.world, s->entity[i]);
        if (row != MANAGER_NO_ROW)
            ent_manager_changed(world_transforms(c->followed.world), &row, 1);
    }
}

ent_status gpu_bodies_touch(GpuColliders* c) {
    shown_drop(c);
    TRY(shown_find(c));
    const BodiesShown* s = &c->bodies.shown;
    if (s->count) ent_manager_changed(world_transforms(c->followed.world), s->row, s->count);
    return ENT_OK;
}

ent_status gpu_bodies_show(GpuColliders* c, GpuFrame* frame, const struct GpuPlaces* places) {
    BodiesShown* const s = &c->bodies.shown;
    if (!gpu_bodies_are_begun(&c->bodies)) return ENT_OK;
    TRY(shown_find(c));
    if (s->count == 0) return ENT_OK;
    const GpuBufferRequest request = {&s->buffer, s->count, sizeof *s->at, "bodies"};
    const BodiesPush       push = {.count = s->count};
    if (!s->kernel.pipeline)
        TRY(gpu_kernel_create(&s->kernel, c->gpu, &GPU_KERNEL(bodies_show, BODIES_GROUP)));
    TRY(gpu_frame_reserve(frame, &s->pool, &s->room, &request));
    TRY(gpu_frame_upload(frame, &s->buffer, 0, s->at, s->count * sizeof *s->at));
    gpu_pass(&frame->list,
             &(GpuPass){.name = "bodies",
                        .kernel = &s->kernel,
                        .use = {[BODIES_STATE] = {gpu_bodies_state(&c->bodies), GPU_READ},
                                [BODIES_SHOWN] = {&s->buffer, GPU_READ},
                                [BODIES_MATRIX] = {GPU_MATRICES(places), GPU_WRITE}},
                        GPU_PUSH(push),
                        .threads = s->count});
    return frame->list.status;
}

#define PUSHED_M_S2 20.0f /* one that was at rest may have got faster since then */

f32 gpu_bodies_lag(const GpuColliders* c) {
    const GpuBodies* b = &c->bodies;
    const f32        late_s = b->frame_s * (GPU_FRAMES_IN_FLIGHT + 1);
    f32              speed = 0;
    if (!gpu_bodies_are_moved(b)) return 0;
    for (u32 i = 0; i < b->count; i++) speed = MAX_OF(speed, vec3_length(b->at[i].velocity_m_s));
    return speed * late_s + PUSHED_M_S2 / 2 * late_s * late_s;
}
