/* transform_deferred.c - rows that change in every update are kept together at the end of the arrays;
 * others are computed where they are (transform_marks.c).
 *
 * A row that changed in three updates in succession is moved, with all its descendants, to the front
 * of the tail, so that the tail contains the descendants of all its rows. The tail is traversed once,
 * in its order, which costs a fraction of visits by links. When a child is before its parent there,
 * its ancestors are moved before it. Rows that were not computed for TRANSFORM_STILL updates are
 * removed at the front: the children of a row are computed whenever it is, so no row leaves the tail
 * later than its children. When most rows are dirty, all become the tail: none has to be moved.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 3), 2014. */
#include "transform_internal.h"

#define LINE_ROWS_MAX 64 /* ancestors that are ordered in one step */

static u32 tail_first(const Manager* m) { return m->count - m->tail; }

static u32 row_of(const Manager* m, Entity entity) { return m->row[ent_entity_index(entity)] - 1; }

/* --- into the tail --- */

/* From a row to its last descendant outside of the tail, or to itself. */
static u32 last_outside(const Manager* m, const Rows* r, u32 row) {
    for (;;) {
        u32 child = r->links[row].last_child;
        while (child != NONE && child >= tail_first(m)) child = r->links[child].previous_sibling;
        if (child == NONE) return row;
        row = child;
    }
}

/* The row before `row`, which is now in the tail, in the traversal that ends at the top. */
static u32 before_in_walk(const Manager* m, const Rows* r, u32 row) {
    const u32 parent = r->links[row].parent;
    while ((row = r->links[row].previous_sibling) != NONE) {
        if (row < tail_first(m)) return last_outside(m, r, row);
    }
    return parent;
}

/* Moves a row and all its descendants outside of the tail to the front of the tail, last ones
 * first, so that parents come first there. Every step reads the links again, because rows are
 * swapped. */
void subtree_into_tail(Manager* m, const Rows* r, u32 top) {
    const Entity entity = m->entity[top];
    for (u32 row = last_outside(m, r, top);;) {
        const bool last = m->entity[row] == entity;
        const u32  place = tail_first(m) - 1;
        manager_swap_rows(m, row, place);
        r->still[place] &= TRANSFORM_DIRTY;
        m->tail++;
        if (last) return;
        row = before_in_walk(m, r, place);
    }
}

/* None is moved: the tail begins before the first row. A row that is not computed in this update leaves
 * it at the end, not later than its children. */
static void all_into_tail(Manager* m, const Rows* r) {
    for (u32 row = 0; row < tail_first(m); row++) {
        const bool dirty = r->still[row] & TRANSFORM_DIRTY;
        r->still[row] = dirty ? TRANSFORM_DIRTY : TRANSFORM_STILL - 1;
    }
    m->tail = m->count;
}

/* --- the walk --- */

/* When ancestors of the row at a place are behind it, they get this place and the following
 * ones, uppermost first, and then the row. Of a long chain only the uppermost are stored; the
 * next places find the rest. */
static void place_order(Manager* m, const Rows* r, u32 place) {
    Entity line[LINE_ROWS_MAX];
    u32    count = 0;
    if (r->links[place].parent == NONE || r->links[place].parent < place) return;
    for (u32 row = place; row != NONE && row >= place; row = r->links[row].parent) {
        line[count++ % LINE_ROWS_MAX] = m->entity[row];
    }
    for (u32 i = 0; i < MIN_OF(count, (u32)LINE_ROWS_MAX); i++) {
        manager_swap_rows(m, place + i, row_of(m, line[(count - 1 - i) % LINE_ROWS_MAX]));
    }
}

void transform_order(Manager* m, u32 first) {
    const Rows r = rows_of(m);
    for (u32 row = first; row < m->count; row++) place_order(m, &r, row);
}

/* Is the matrix to be computed: is the row dirty, or its parent computed in this traversal
 * (still == 0)? For other rows the updates since the last change are counted. */
static bool row_decide(const Rows* r, u32 row, u32 first) {
    const u32  parent = r->links[row].parent;
    const bool moved = parent != NONE && parent >= first && r->still[parent] == 0;
    if (moved || (r->still[row] & TRANSFORM_DIRTY)) {
        r->still[row] = 0;
        return true;
    }
    r->still[row]++;
    return false;
}

/* Processes chunks: rows that move usually move every frame, and then a complete chunk is
 * computed in one call. Swaps may use the spare place, therefore it is prepared only after them. */
static u32 tail_walk(Manager* m, const Rows* r) {
    const PassKernel kernel = pass_kernel();
    const u32        first = tail_first(m);
    u32              rebuilt = 0;
    for (u32 row = first; row < m->count; row += PASS_CHUNK) {
        const u32 count = MIN_OF(m->count - row, (u32)PASS_CHUNK);
        u32       above[PASS_CHUNK], list[PASS_CHUNK], chosen = 0;
        for (u32 i = 0; i < count; i++) {
            place_order(m, r, row + i);
            above[i] = pass_above_bytes(r, r->links[row + i].parent);
            list[chosen] = row + i;
            chosen += row_decide(r, row + i, first);
        }
        if (chosen == count) {
            pass_prepare(r);
            kernel(r, row, count, above);
            watch_rows(r->watch, row, row + count);
        }
        for (u32 i = 0; i < chosen && chosen < count; i++) transform_compose(r, list[i]);
        rebuilt += chosen;
    }
    return rebuilt;
}

/* Removes rows that have not changed for long: moves them to the front of the tail, and out of
 * it. */
static void tail_shrink(Manager* m, const Rows* r) {
    for (u32 row = tail_first(m); row < m->count; row++) {
        if (r->still[row] < TRANSFORM_STILL) continue;
        manager_swap_rows(m, row, tail_first(m));
        r->still[tail_first(m)] = 0;
        m->tail--;
    }
}

/* Everything in the tail is dirty: the traversal is one ordinary pass. */
static bool tail_pass(Manager* m, const Rows* r, JobPool* jobs, u32* late) {
    const u32  first = tail_first(m);
    const Pass pass = {
        .rows = r, .kernel = pass_kernel(), .first = first, .end = m->count, .late = late};
    for (u32 row = first; row < m->count; row++) {
        if (!(r->still[row] & TRANSFORM_DIRTY)) return false;
    }
    if (!pass_run(&pass, jobs)) return false;
    memset(r->still + first, 0, m->tail);
    return true;
}

/* Memory for a pass with multiple threads; NULL when there is none: one thread runs it. */
static u32* late_capacity(World* w, u32 count) {
    Plan plan = {0};
    if (!w->jobs) return NULL;
    plan_scratch(&plan, w, count);
    return plan_run(w, &plan) == ENT_OK ? w->scratch : NULL;
}

static u32 tail_update(World* w, Manager* m, const Rows* r) {
    if (m->tail == 0) return 0;
    if (tail_pass(m, r, w->jobs, late_capacity(w, m->tail))) return m->tail;
    const u32 rebuilt = tail_walk(m, r);
    tail_shrink(m, r);
    return rebuilt;
}

u32 ent_transform_update(World* w) {
    Manager*   m = world_transforms(w);
    const Rows r = rows_of(m);
    u32        rebuilt = 0;
    if (!m->deferred) return 0;
    m->updates++;
    if (m->marked > tail_first(m) / 4 * 3) {
        all_into_tail(m, &r);
        marks_clear(m);
    } else if (m->marked > 0) {
        marks_into_tail(m, &r);
        rebuilt = marks_visit(m, &r);
    }
    return rebuilt + tail_update(w, m, &r);
}

void ent_transform_update_all(World* w) {
    Manager*   m = world_transforms(w);
    const Rows r = rows_of(m);
    const Pass pass = {.rows = &r,
                       .kernel = pass_kernel(),
                       .end = m->count,
                       .late = m->count ? late_capacity(w, m->count) : NULL};
    if (m->count == 0) return;
    if (m->deferred) memset(r.still, 0, m->count);
    marks_clear(m);
    if (pass_run(&pass, w->jobs)) return;
    transform_order(m, 0);
    const bool ordered = pass_run(&pass, w->jobs);
    assert(ordered);
    UNUSED(ordered);
}

void ent_transform_defer(World* w, int on) {
    Manager* m = world_transforms(w);
    if (!on && m->deferred) {
        ent_transform_update(w);
        if (m->count) memset(rows_of(m).still, 0, m->count);
        m->tail = 0;
    }
    m->deferred = on != 0;
}
