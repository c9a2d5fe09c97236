/* transform_manager.c - spawning poses, maintaining links, and immediate changes of poses. */
#include "transform_manager.h"

#include "pose_internal.h"
#include "transform_internal.h"

/* --- spawning --- */

/* The row of the nearest ancestor with a transform, among entities outside of the batch. */
static u32 outer_row(const World* w, const Manager* m, const SpawnBatch* batch, u32 entity) {
    for (; entity != NONE; entity = batch->parent_index[entity]) {
        const u32 row = ent_manager_row(m, w->entities, batch->entities[entity]);
        if (row != NONE) return row;
    }
    return NONE;
}

/* The parent row of each instance: its nearest ancestor with a transform; NONE for roots. */
static void parent_rows(const World* w, const Manager* m, const SpawnBatch* batch, u32 base,
                        u32* parent_row) {
    const u32 first = batch->entity_first;
    u32*      row = batch->scratch; /* of each entity, or of the nearest ancestor that has one */
    for (u32 e = first, i = 0; e < batch->entity_end; e++) {
        const u32 parent = batch->parent_index[e];
        u32       above = NONE;
        if (parent != NONE) above = parent >= first ? row[parent] : outer_row(w, m, batch, parent);
        row[e] = above;
        if (i < batch->count && batch->entity_index[i] == e) {
            parent_row[i] = above;
            row[e] = base + i++;
        }
    }
}

void transform_place(TransformRecord* pose, const TransformRecord* root) {
    const f32  scale = root->scale.x;
    const Vec3 p = quat_rotate(root->rotation, pose->position);
    pose->position = (Vec3){root->position.x + scale * p.x, root->position.y + scale * p.y,
                            root->position.z + scale * p.z};
    pose->rotation = quat_multiply(root->rotation, pose->rotation);
    pose->scale = (Vec3){scale * pose->scale.x, scale * pose->scale.y, scale * pose->scale.z};
}

/* Poses of rows without a parent become relative to the pose under which they are spawned. */
static void root_apply(const Rows* r, u32 row, const TransformRecord* root) {
    TransformRecord pose = {r->position[row], r->rotation[row], r->scale[row]};
    transform_place(&pose, root);
    r->position[row] = pose.position;
    r->rotation[row] = pose.rotation;
    r->scale[row] = pose.scale;
}

static void roots_apply(const Rows* r, const Pass* pass, const TransformRecord* root) {
    for (u32 i = 0; i < pass->end - pass->first; i++) {
        if (pass->parent[i] == NONE) root_apply(r, pass->first + i, root);
    }
}

/* Appends rows of the batch; their matrices are computed afterwards. */
static void rows_append(void* user, u32 row, u32 end) {
    const ManagerAppend* append = user;
    const Manager*       m = append->manager;
    manager_append_rows(append, row - append->base, end - append->base);
    memset(rows_of(m).still + row, m->deferred ? TRANSFORM_DIRTY : 0, end - row);
}

static void transform_spawn(World* w, Manager* m, const SpawnBatch* batch) {
    const u32     roots_on = batch->parent ? ent_manager_row(m, w->entities, batch->parent) : NONE;
    ManagerAppend append = manager_append_begin(m, batch);
    const Rows    r = rows_of(m);
    const u32     base = append.base;
    marks_cover(m);
    /* Then instance i is entity i, and nothing is outside of the batch. */
    const bool is_complete = batch->entity_first == 0 && batch->count == batch->entity_end;
    Pass       pass = {.rows = &r,
                       .kernel = m->deferred ? NULL : pass_kernel(),
                       .parent = is_complete ? batch->parent_index : batch->scratch + batch->entity_count,
                       .parent_add = is_complete ? base : 0,
                       .parent_of_roots = roots_on,
                       .link = true,
                       .first = base,
                       .end = base + batch->count,
                       .late = batch->scratch,
                       .before = rows_append,
                       .user = &append};
    if (!is_complete) parent_rows(w, m, batch, base, batch->scratch + batch->entity_count);
    if (batch->root) {
        rows_append(&append, base, pass.end);
        roots_apply(&r, &pass, batch->root);
        pass.before = NULL;
    }
    const bool ordered = pass_run(&pass, w->jobs);
    assert(ordered);
    UNUSED(ordered);
    if (m->deferred) m->tail += batch->count;
}

/* --- links --- */

/* Updates the links of the siblings before and behind a row, and of its parent. Written
 * without branches: for a row without a parent, a dummy is written. */
static inline void neighbours_link(TransformLinks* links, u32 row, u32 next_of_previous,
                                   u32 previous_of_next) {
    const TransformLinks* const l = &links[row];
    TransformLinks              unused;
    TransformLinks* const above = pointer_select(l->parent == NONE, &unused, &links[l->parent]);
    u32* const            after = pointer_select(l->previous_sibling == NONE, &above->first_child,
                                                 &links[l->previous_sibling].next_sibling);
    u32* const            before = pointer_select(l->next_sibling == NONE, &above->last_child,
                                                  &links[l->next_sibling].previous_sibling);
    *after = next_of_previous;
    *before = previous_of_next;
}

void transform_unlink(const Rows* r, u32 row) {
    TransformLinks* const l = &r->links[row];
    neighbours_link(r->links, row, l->next_sibling, l->previous_sibling);
    l->parent = l->next_sibling = l->previous_sibling = NONE;
}

/* Children of a removed row keep their local poses, without a parent. */
static void orphan_children(Manager* m, u32 child) {
    const Rows r = rows_of(m);
    for (u32 next; child != NONE; child = next) {
        TransformLinks* const l = &r.links[child];
        next = l->next_sibling;
        l->parent = l->next_sibling = l->previous_sibling = NONE;
        if (m->deferred)
            transform_mark(m, child);
        else
            transform_compose_subtree(&r, child);
    }
}

static inline void row_unhang(Manager* m, TransformLinks* links, u32 row) {
    const TransformLinks* const l = &links[row];
    if (l->parent != NONE) neighbours_link(links, row, l->next_sibling, l->previous_sibling);
    if (l->first_child != NONE) orphan_children(m, l->first_child);
}

static void transform_removed(Manager* m, u32 row) { row_unhang(m, rows_of(m).links, row); }

/* Updates all links that refer to row `from` to refer to row `to`. */
static inline void row_rehang(TransformLinks* links, u32 from, u32 to) {
    neighbours_link(links, from, to, to);
    for (u32 c = links[from].first_child; c != NONE; c = links[c].next_sibling) {
        links[c].parent = to;
    }
}

static void transform_moved(Manager* m, u32 from, u32 to) {
    const Rows r = rows_of(m);
    row_rehang(r.links, from, to);
    if (r.still[from] & TRANSFORM_DIRTY) marks_follow(m, to);
}

static inline void row_copy(const Rows* r, u32 from, u32 to) {
    r->position[to] = r->position[from];
    r->rotation[to] = r->rotation[from];
    r->scale[to] = r->scale[from];
    r->world[to] = r->world[from];
    r->links[to] = r->links[from];
    r->still[to] = r->still[from];
}

/* The hole that remains for the last row. */
static inline u32 hole_of(Manager* m, u32 row) {
    if (m->tail == 0) return row;
    return manager_tail_hole(m, row);
}

static void transform_remove(Manager* m, Entity entity) {
    const u32 index = ent_entity_index(entity);
    row_unhang(m, rows_of(m).links, m->row[index] - 1);
    const Rows   r = rows_of(m);
    const u32    hole = hole_of(m, m->row[index] - 1), last = --m->count;
    const Entity moved = m->entity[last];
    if (m->watch) manager_report_move(m, hole);
    m->row[index] = 0;
    if (hole == last) return;
    row_rehang(r.links, last, hole);
    row_copy(&r, last, hole);
    if (r.still[hole] & TRANSFORM_DIRTY) marks_follow(m, hole);
    m->entity[hole] = moved;
    m->row[ent_entity_index(moved)] = hole + 1;
}

/* --- removing many rows --- */

static void child_orphan(Manager* m, const Rows* r, u32 child) {
    TransformLinks* const l = &r->links[child];
    l->parent = l->next_sibling = l->previous_sibling = NONE;
    transform_changed(m, child);
}

/* Children that stay get no parent; those that leave as well need nothing. The next child of every
 * row is processed before the one after it, in one loop over all rows without branches on their number.
 *
 *   child  [count] first children; overwritten */
static void children_stay(Manager* m, const Rows* r, u32* child, u32 count) {
    const Entity* const entity = m->entity;
    while (count > 0) {
        u32 more = 0;
        for (u32 i = 0; i < count; i++) {
            const u32 row = child[i], next = r->links[row].next_sibling;
            if (entity[row] != ENTITY_NULL) child_orphan(m, r, row);
            child[more] = next;
            more += next != NONE;
        }
        count = more;
    }
}

/* A row leaves the siblings of a parent that stays before any matrix below that is computed. Written
 * without branches on parents and children: rows that have some are listed first. The spare place
 * is that of the parents of roots. */
static void transform_rows_leave(Manager* m, const u32* rows, u32 count) {
    const Rows    r = rows_of(m);
    Entity* const entity = m->entity;
    u32           below[MANAGER_REMOVE_MAX], below_count = 0; /* a parent that stays */
    u32           child[MANAGER_REMOVE_MAX], child_count = 0;
    entity[r.spare] = ENTITY_NULL;
    assert(count <= MANAGER_REMOVE_MAX); /* as ent_manager_desc promises */
    for (u32 i = 0; i < count; i++) {
        const TransformLinks* const l = &r.links[rows[i]];
        const u32                   no_parent = 0 - (u32)(l->parent == NONE);
        below[below_count] = rows[i];
        below_count += entity[l->parent + (no_parent & (r.spare + 1))] != ENTITY_NULL;
        child[child_count] = l->first_child;
        child_count += l->first_child != NONE;
    }
    for (u32 i = 0; i < below_count; i++) transform_unlink(&r, below[i]);
    children_stay(m, &r, child, child_count);
}

/* The links of a row are copied again: those of rows that moved before it refer to their new places. */
static void transform_rows_moved(Manager* m, const RowMoves* moves) {
    const Rows r = rows_of(m);
    const u32  tail_first = m->count - m->tail;
    for (u32 i = 0; i < moves->count; i++) {
        const u32 from = moves->from[i], to = moves->to[i];
        row_rehang(r.links, from, to);
        r.links[to] = r.links[from];
        if (r.still[to] & TRANSFORM_DIRTY && to < tail_first) marks_follow(m, to);
    }
}

/* --- removing a run of rows --- */

/* Is the link to a row outside of the run? */
static inline bool leaves_run(RowRun run, u32 row) { return row != NONE && !run_has(run, row); }

/* Only a parent may be outside: every child of a row in the run is then in it, because it is the first one or follows one
 * that is. */
static bool transform_run_leaves(Manager* m, RowRun run) {
    const Rows                  r = rows_of(m);
    const TransformLinks* const l = r.links + run.first;
    u32                         below = 0, leaving = 0;
    for (u32 i = 0; i < run.count; i++) {
        const bool inside = run_has(run, l[i].parent);
        below += !inside && l[i].parent != NONE;
        leaving |= (u32)leaves_run(run, l[i].first_child) |
                   (u32)(inside && leaves_run(run, l[i].next_sibling));
    }
    if (leaving) return false;
    for (u32 i = 0; below && i < run.count; i++) {
        if (!leaves_run(run, l[i].parent)) continue;
        transform_unlink(&r, run.first + i);
        below--;
    }
    return true;
}

/* Children outside of the run, until one that is in it: those from there on follow a row in the run. */
static void children_shift(TransformLinks* links, RowRun run, u32 child, u32 parent) {
    for (; child != NONE && !run_has(run, child); child = links[child].next_sibling)
        links[child].parent = parent;
}

/* Rows outside of those that move refer to the new places. Those that move are corrected when they have been copied. */
static void transform_run_moves(Manager* m, const RowShift* s) {
    TransformLinks* const links = rows_of(m).links;
    const RowRun          run = {s->from, s->count};
    for (u32 i = 0; i < s->count; i++) {
        const TransformLinks l = links[s->from + i];
        const u32            to = s->to + i;
        if (leaves_run(run, l.previous_sibling)) links[l.previous_sibling].next_sibling = to;
        if (leaves_run(run, l.parent)) {
            if (l.previous_sibling == NONE) links[l.parent].first_child = to;
            if (l.next_sibling == NONE) links[l.parent].last_child = to;
        }
        if (leaves_run(run, l.next_sibling)) {
            links[l.next_sibling].previous_sibling = to;
            if (run_has(run, l.parent))
                children_shift(links, run, l.next_sibling, l.parent - s->from + s->to);
        }
        children_shift(links, run, l.first_child, to);
    }
}

static inline u32 row_shifted(const RowShift* s, u32 row) {
    return row - (row - s->from < s->count ? s->from - s->to : 0);
}

static void transform_run_moved(Manager* m, const RowShift* s, u32 at, u32 count) {
    const Rows r = rows_of(m);
    for (u32 to = s->to + at; to < s->to + at + count; to++) {
        TransformLinks* const l = &r.links[to];
        l->parent = row_shifted(s, l->parent);
        l->first_child = row_shifted(s, l->first_child);
        l->last_child = row_shifted(s, l->last_child);
        l->next_sibling = row_shifted(s, l->next_sibling);
        l->previous_sibling = row_shifted(s, l->previous_sibling);
    }
    for (u32 to = s->to + at; m->tail == 0 && to < s->to + at + count; to++)
        if (r.still[to] & TRANSFORM_DIRTY) marks_follow(m, to);
}

static void transform_describe(ManagerDesc* desc) {
    desc->extra_bytes[0] = sizeof(Mat34);
    desc->extra_bytes[1] = sizeof(TransformLinks);
    desc->extra_bytes[2] = 1;
    desc->spawn = transform_spawn;
    desc->removed = transform_removed;
    desc->moved = transform_moved;
}

static bool transform_children(const Manager* m, u32 row, EachChild each, void* user) {
    const TransformLinks* links = rows_of(m).links;
    for (u32 child = links[row].first_child; child != NONE; child = links[child].next_sibling) {
        if (!each(user, m->entity[child])) return false;
    }
    return true;
}

Mat34* ent_transform_worlds(World* w) { return rows_of(world_transforms(w)).world; }

const TransformLinks* ent_transform_links(World* w) { return rows_of(world_transforms(w)).links; }

const ComponentHooks transform_hooks = {.describe = transform_describe,
                                        .remove_direct = transform_remove,
                                        .rows_leave = transform_rows_leave,
                                        .rows_moved = transform_rows_moved,
                                        .run_leaves = transform_run_leaves,
                                        .run_moves = transform_run_moves,
                                        .run_moved = transform_run_moved,
                                        .children = transform_children,
                                        .list_each = 1,
                                        .list_more = 2 * TRANSFORM_SUMMARY};

/* --- immediate changes --- */

void transform_changed(Manager* m, u32 row) {
    const Rows r = rows_of(m);
    if (m->deferred)
        transform_mark(m, row);
    else
        transform_compose_subtree(&r, row);
}

/* Rows are marked first, so that a row below another changed row is computed only once, with it. */
static void touched_make(Manager* m, const u32* rows, u32 count) {
    const Rows r = rows_of(m);
    for (u32 i = 0; i < count; i++) r.still[rows[i]] = TRANSFORM_DIRTY;
    for (u32 i = 0; i < count; i++) {
        if (r.still[rows[i]] != TRANSFORM_DIRTY) continue;
        u32 top = rows[i];
        for (u32 above = r.links[top].parent; above != NONE; above = r.links[above].parent) {
            if (r.still[above] == TRANSFORM_DIRTY) top = above;
        }
        transform_compose_subtree(&r, top);
    }
}

void ent_transform_touch(World* w, const u32* rows, u32 count) {
    Manager*   m = world_transforms(w);
    const Rows r = rows_of(m);
    const Pass all = {.rows = &r, .kernel = pass_kernel(), .end = m->count};
    for (u32 i = 0; i < count; i++) assert(rows[i] < m->count);
    if (m->deferred) {
        for (u32 i = 0; i < count; i++) transform_mark(m, rows[i]);
    } else if (count < m->count / 4 || !pass_run(&all, NULL)) {
        touched_make(m, rows, count);
    }
}

static void local_write(const Rows* r, u32 row, const TransformRecord* local) {
    r->position[row] = local->position;
    r->rotation[row] = local->rotation;
    r->scale[row] = local->scale;
}

void ent_transform_set_local(World* w, u32 row, const TransformRecord* local) {
    Manager*   m = world_transforms(w);
    const Rows r = rows_of(m);
    assert(row < m->count);
    local_write(&r, row, local);
    transform_changed(m, row);
}

void ent_transform_set_locals(World* w, const u32* rows, const TransformRecord* locals, u32 count) {
    const Rows r = rows_of(world_transforms(w));
    for (u32 i = 0; i < count; i++) local_write(&r, rows[i], &locals[i]);
    ent_transform_touch(w, rows, count);
}

/* --- queries --- */

u32 ent_transform_row(const World* w, Entity entity) {
    return ent_manager_row(world_transforms(w), w->entities, entity);
}

const Mat34* ent_transform_world(const World* w, Entity entity) {
    const u32 row = ent_transform_row(w, entity);
    return row == MANAGER_NO_ROW ? NULL : rows_of(world_transforms(w)).world + row;
}

TransformRecord ent_transform_local(const World* w, u32 row) {
    const Rows r = rows_of(world_transforms(w));
    assert(row < world_transforms(w)->count);
    return (TransformRecord){r.position[row], r.rotation[row], r.scale[row]};
}

Entity ent_transform_parent(const World* w, Entity entity) {
    const Manager* m = world_transforms(w);
    const u32      row = ent_transform_row(w, entity);
    if (row == MANAGER_NO_ROW) return ENTITY_NULL;
    const u32 parent = rows_of(m).links[row].parent;
    return parent == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[parent];
}

u32 ent_transform_depth(const World* w) {
    const Manager* m = world_transforms(w);
    const Rows     r = rows_of(m);
    u32            deepest = 0;
    for (u32 i = 0; i < m->count; i++) {
        u32 depth = 1;
        for (u32 p = r.links[i].parent; p != MANAGER_NO_ROW; p = r.links[p].parent) depth++;
        deepest = MAX_OF(deepest, depth);
    }
    return deepest;
}
