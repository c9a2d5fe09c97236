/* transform_attach.c - attaching entities to parents while the world runs.
 *
 * A subtree that gets a parent with a later row has to move behind that parent. Only the rows of
 * the subtree and of the parent's ancestors are permuted: their places are sorted and assigned
 * to the ancestors first, then to the subtree from its root down. An ancestor gets no later
 * place than it had, so its other descendants stay behind it; the subtree has no other
 * descendants. */
#include <stdlib.h>

#include "pose_internal.h"
#include "search.h"
#include "transform_internal.h"

/* --- matrices --- */

/* The matrix of a row by the poses above it, whether matrices are up to date or not. */
static Mat34 pose_above(const Rows* r, u32 row) {
    Mat34 out = mat34_identity;
    for (; row != NONE; row = r->links[row].parent) {
        const Mat34 below = out;
        Mat34       local;
        mat34_from_pose(&local, &r->position[row], &r->rotation[row], &r->scale[row]);
        mat34_multiply(&out, &local, &below);
    }
    return out;
}

/* The world matrix of a row; computed from the poses above it when matrices are deferred. */
static Mat34 world_of(const Manager* m, u32 row) {
    const Rows r = rows_of(m);
    return m->deferred ? pose_above(&r, row) : r.world[row];
}

/* Subtracts from an axis its components along `base` and `before` and normalises it; returns the
 * length that it had. An axis of length 0 keeps its value. */
static f32 axis_straighten(Vec3* axis, const Vec3* base, const Vec3* before) {
    const f32  length = vec3_length(*axis);
    const Vec3 zero = {0, 0, 0};
    const Vec3 along = base ? vec3_scale(*base, vec3_dot(*axis, *base)) : zero;
    const Vec3 along_before = before ? vec3_scale(*before, vec3_dot(*axis, *before)) : zero;
    *axis = vec3_sub(*axis, vec3_add(along, along_before));
    const f32 rest = vec3_length(*axis);
    *axis = vec3_divide(*axis, rest > 0 ? rest : 1);
    return length;
}

/* Position, rotation and scale of a matrix; a mirrored one has a negative x scale. Returns false
 * for a singular matrix: its rotation is lost. */
static bool mat34_to_pose(TransformRecord* out, const Mat34* a) {
    Vec3 axis[3] = {mat34_column(a, 0), mat34_column(a, 1), mat34_column(a, 2)}, scale;
    scale.x = axis_straighten(&axis[0], NULL, NULL);
    scale.y = axis_straighten(&axis[1], &axis[0], NULL);
    scale.z = axis_straighten(&axis[2], &axis[0], &axis[1]);
    const f32 side = vec3_dot(axis[0], vec3_cross(axis[1], axis[2]));
    if (!(fabsf(side) > 0.5f)) return false;
    if (side < 0) {
        scale.x = -scale.x;
        axis[0] = (Vec3){-axis[0].x, -axis[0].y, -axis[0].z};
    }
    *out = (TransformRecord){mat34_column(a, 3), quat_unit(quat_from_axes(axis)), scale};
    return true;
}

/* Sets the local pose under a parent that results in a world pose; does not change it when there is no
 * such pose, as under a parent of scale 0. */
static void pose_place(Manager* m, u32 row, u32 parent, const Mat34* world) {
    const Rows      r = rows_of(m);
    Mat34           above = mat34_identity, inverse, local;
    TransformRecord pose;
    if (parent != NONE) above = world_of(m, parent);
    if (!mat34_invert(&inverse, &above)) return;
    mat34_multiply(&local, &inverse, world);
    if (!mat34_to_pose(&pose, &local)) return;
    r.position[row] = pose.position;
    r.rotation[row] = pose.rotation;
    r.scale[row] = pose.scale;
}

/* The same with the world pose that the row has. */
static void pose_keep(Manager* m, u32 row, u32 parent) {
    const Mat34 world = world_of(m, row);
    pose_place(m, row, parent, &world);
}

void ent_transform_set_world(World* w, u32 row, const Mat34* world) {
    Manager* m = world_transforms(w);
    assert(row < m->count);
    pose_place(m, row, rows_of(m).links[row].parent, world);
    transform_changed(m, row);
}

static u32 depth_of(const Rows* r, u32 row) {
    u32 depth = 0;
    while ((row = r->links[row].parent) != NONE) depth++;
    return depth;
}

void ent_transform_set_places(World* w, const u32* rows, const Vec3* places, u32 count) {
    const Rows r = rows_of(world_transforms(w));
    u32        deepest = 0;
    for (u32 i = 0; i < count; i++) {
        assert(rows[i] < world_transforms(w)->count);
        if (r.links[rows[i]].parent == NONE)
            r.position[rows[i]] = places[i];
        else
            deepest = MAX_OF(deepest, depth_of(&r, rows[i]));
    }
    for (u32 depth = 1; depth <= deepest; depth++) {
        for (u32 i = 0; i < count; i++) {
            if (depth_of(&r, rows[i]) != depth) continue;
            const Mat34 above = pose_above(&r, r.links[rows[i]].parent);
            Mat34       inverse;
            if (mat34_invert(&inverse, &above))
                r.position[rows[i]] = mat34_point(&inverse, places[i]);
        }
    }
    ent_transform_touch(w, rows, count);
}

/* --- parents before children --- */

/* [count] rows and their new places in ascending order. */
typedef struct Deal {
    u32 *row, *place, count;
} Deal;

static u32 subtree_count(const Rows* r, u32 top) {
    u32 count = 0;
    for (u32 row = top; row != NONE; row = transform_below(r, top, row)) count++;
    return count;
}

/* The number of ancestors of the top that are in later rows. */
static u32 ancestors_behind(const Rows* r, u32 top) {
    u32 count = 0;
    for (u32 row = r->links[top].parent; row != NONE; row = r->links[row].parent)
        count += row > top;
    return count;
}

static int place_compare(const void* a, const void* b) {
    const u32 x = *(const u32*)a, y = *(const u32*)b;
    return (x > y) - (x < y);
}

static void deal_gather(Deal* deal, const Rows* r, u32 top, u32 ancestors) {
    u32 at = ancestors;
    deal->count = 0;
    for (u32 row = r->links[top].parent; row != NONE; row = r->links[row].parent) {
        if (row > top) deal->row[--at] = row;
    }
    deal->count = ancestors;
    for (u32 row = top; row != NONE; row = transform_below(r, top, row)) {
        deal->row[deal->count++] = row;
    }
    memcpy(deal->place, deal->row, sizeof(u32) * deal->count);
    qsort(deal->place, deal->count, sizeof(u32), place_compare);
}

static u32 place_find(const Deal* deal, u32 place) {
    Search s = search_between(1, deal->count);
    while (search_continues(&s)) search_narrow(&s, deal->place[s.middle] <= place);
    return s.first - 1;
}

/* Cycle by cycle: the row at the first place is stored past the end, and each hole is filled
 * with the row that belongs there. */
static void deal_run(Deal* deal, Manager* m) {
    for (u32 i = 0; i < deal->count; i++) {
        if (deal->row[i] == deal->place[i]) continue;
        const u32 start = deal->place[i];
        manager_move_row(m, start, m->count);
        for (u32 at = i;;) {
            const u32 from = deal->row[at], hole = deal->place[at];
            deal->row[at] = hole;
            manager_move_row(m, from == start ? m->count : from, hole);
            if (from == start) break;
            at = place_find(deal, from);
        }
    }
}

/* --- attaching --- */

static ent_status rows_find(const World* w, Entity child, Entity parent, u32* row, u32* above) {
    const Manager* m = world_transforms(w);
    *above = NONE;
    if (!ent_entity_alive(w->entities, child)) return ENT_STALE;
    if (parent && !ent_entity_alive(w->entities, parent)) return ENT_STALE;
    *row = ent_manager_row(m, w->entities, child);
    if (parent) *above = ent_manager_row(m, w->entities, parent);
    if (*row == NONE || (parent && *above == NONE)) return ENT_NO_TRANSFORM;
    for (u32 at = *above; at != NONE; at = rows_of(m).links[at].parent) {
        if (at == *row) return ENT_CYCLE;
    }
    return ENT_OK;
}

/* Changes the parent of a row; when updates are deferred, the update orders the rows. */
static ent_status row_attach(World* w, u32 row, u32 above) {
    Manager*     m = world_transforms(w);
    const Rows   r = rows_of(m);
    const Entity child = m->entity[row];
    Plan         plan = {0};
    Deal         deal = {0};
    const bool   order = !m->deferred && above != NONE && above > row;
    if (order) {
        u32 count = subtree_count(&r, row);
        for (u32 at = above; at != NONE; at = r.links[at].parent) count += at > row;
        plan_scratch(&plan, w, count);
        TRY(plan_run(w, &plan));
    }
    transform_unlink(&r, row);
    if (above != NONE) transform_link(&r, row, above);
    if (order) {
        deal = (Deal){w->scratch, w->scratch + w->scratch_capacity, 0};
        deal_gather(&deal, &r, row, ancestors_behind(&r, row));
        deal_run(&deal, m);
    }
    row = m->row[ent_entity_index(child)] - 1;
    if (m->deferred && above != NONE && above > row)
        transform_mark_disordered(m, row);
    else
        transform_changed(m, row);
    return ENT_OK;
}

/* Attaches a child that keeps its world pose. */
static ent_status child_attach(World* w, Entity child, Entity parent) {
    u32 row, above;
    TRY(rows_find(w, child, parent, &row, &above));
    const TransformRecord before = ent_transform_local(w, row);
    pose_keep(world_transforms(w), row, above);
    const ent_status status = row_attach(w, row, above);
    if (status != ENT_OK) { /* no row moved */
        const Rows r = rows_of(world_transforms(w));
        r.position[row] = before.position;
        r.rotation[row] = before.rotation;
        r.scale[row] = before.scale;
    }
    return status;
}

ent_status ent_transform_attach(World* w, Entity child, Entity parent, u32 flags) {
    Manager*   m = world_transforms(w);
    const bool creates = (flags & ATTACH_CREATE) && ent_entity_alive(w->entities, parent) &&
                         ent_transform_row(w, child) != NONE &&
                         ent_transform_row(w, parent) == NONE;
    u32 created;
    if (parent == ENTITY_NULL) return ENT_STALE;
    if (creates) TRY(ent_manager_create(w, m, parent, &created));
    const ent_status status = child_attach(w, child, parent);
    if (status != ENT_OK && creates) ent_manager_remove(w, m, ent_transform_row(w, parent));
    return status;
}

ent_status ent_transform_detach(World* w, Entity child) {
    Manager* m = world_transforms(w);
    u32      row, above;
    TRY(rows_find(w, child, ENTITY_NULL, &row, &above));
    if (rows_of(m).links[row].parent == NONE) return ENT_OK;
    pose_keep(m, row, NONE);
    return row_attach(w, row, NONE);
}

ent_status ent_transform_reparent(World* w, Entity child, Entity parent) {
    u32 row, above;
    TRY(rows_find(w, child, parent, &row, &above));
    return row_attach(w, row, above);
}
