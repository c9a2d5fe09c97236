/* manager_remove.c - removing the rows of entities from managers that are looked up directly: of one
 * entity, and of many at once.
 *
 * Of many entities, all rows leave the lookup first; then the last rows that stay move into the holes,
 * column after column. Entities that were spawned together have adjacent rows: adjacent rows that move
 * to adjacent holes are one copy for each column. Long runs: manager_runs.c. */
#include "hooks_internal.h"
#include "manager_internal.h"
#include "watch_internal.h"

#define LAST_AHEAD 192 /* bytes */

void manager_remove_direct(Manager* m, Entity entity) {
    const u32 index = ent_entity_index(entity);
    for (u32 row; (row = m->row[index] - 1) != MANAGER_NO_ROW;) {
        if (m->desc.removed) m->desc.removed(m, row);
        m->row[index] = ent_manager_next(m, row) + 1;
        manager_fill_hole(m, row);
    }
}

/* Requests the element that will be the last one soon. One loop copies columns of all types, so that
 * the addresses of its loads have no pattern by which the processor could request them itself. */
static inline void last_prefetch(const void* last) {
    PREFETCH((const void*)((uintptr_t)last - LAST_AHEAD));
}

/* The last row of a plain type moves into a hole, which may be the last row itself. */
static inline void plain_fill(Manager* m, u32 row) {
    const u32    last = --m->count;
    const Entity moved = m->entity[last];
    u32* const   first = &m->row[ent_entity_index(moved)];
    if (row == last) return;
    if (*first == last + 1)
        *first = row + 1;
    else
        manager_chain_move(m, last, row);
    m->entity[row] = moved;
    last_prefetch(&m->entity[last]);
    if (m->next) {
        m->next[row] = m->next[last];
        last_prefetch(&m->next[last]);
    }
    for (u32 c = 0; c < m->column_count; c++) {
        const size_t bytes = m->column_bytes[c];
        u8* const    column = m->column[c];
        element_copy(column + row * bytes, column + last * bytes, (u32)bytes);
        last_prefetch(column + last * bytes);
    }
}

void manager_remove_plain(Manager* m, Entity entity) {
    const u32 index = ent_entity_index(entity);
    if (m->watch) {
        manager_remove_direct(m, entity);
        return;
    }
    do {
        const u32 row = m->row[index] - 1;
        m->row[index] = ent_manager_next(m, row) + 1;
        plain_fill(m, row);
    } while (m->row[index]);
}

static void each_remove(Manager* m, const Entity* entities, u32 count) {
    for (u32 i = 0; i < count; i++) {
        const u32 index = ent_entity_index(entities[i]);
        if (index >= m->row_slots || m->row[index] == 0) continue;
        m->remove_entity(m, entities[i]);
    }
}

/* --- many --- */

typedef struct RowRange {
    u32 lowest, highest;
} RowRange;

/* The rows of entities; they leave the lookup. Whether an entity has a row is unpredictable for a
 * branch. Returns their number; rows of chains for which there is no room stay in the lookup. */
static u32 rows_take(const Manager* m, const Entity* entities, u32 count, u32* rows) {
    u32* const first = m->row;
    const u32  slots = m->row_slots;
    u32        taken = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 index = ent_entity_index(entities[i]);
        if (index >= slots) continue;
        rows[taken] = first[index] - 1;
        taken += first[index] != 0;
        first[index] = 0;
    }
    for (u32 i = 0; m->next && i < taken; i++) {
        const u32 next = m->next[rows[i]];
        if (next == MANAGER_NO_ROW) continue;
        if (taken < MANAGER_REMOVE_MAX)
            rows[taken++] = next;
        else
            first[ent_entity_index(m->entity[next])] = next + 1;
    }
    return taken;
}

/* The lowest and the highest of some rows. */
static RowRange rows_range(const u32* rows, u32 count) {
    RowRange range = {rows[0], rows[0]};
    for (u32 i = 1; i < count; i++) {
        range.lowest = MIN_OF(range.lowest, rows[i]);
        range.highest = MAX_OF(range.highest, rows[i]);
    }
    return range;
}

/* Rows leave on both sides of the new end. Those that leave have no entity any more. */
static void moves_plan_mixed(const Manager* m, const u32* rows, u32 count, RowMoves* moves) {
    const Entity* const entity = m->entity;
    const u32           stay = m->count - count;
    u32                 holes = 0, found = 0;
    for (u32 i = 0; i < count; i++) {
        moves->to[holes] = rows[i];
        holes += rows[i] < stay;
    }
    for (u32 row = stay; found < holes; row++) {
        moves->from[found] = row;
        found += entity[row] != ENTITY_NULL;
    }
    moves->count = holes;
}

/* The last rows that stay move into the holes, in their order, so that neighbours stay neighbours. */
static void moves_plan(const Manager* m, const u32* rows, u32 count, RowMoves* moves) {
    const u32      stay = m->count - count;
    const RowRange range = rows_range(rows, count);
    moves->count = 0;
    if (range.lowest >= stay) return;
    if (range.highest >= stay) {
        moves_plan_mixed(m, rows, count, moves);
        return;
    }
    memcpy(moves->to, rows, sizeof *rows * count);
    for (u32 i = 0; i < count; i++) moves->from[i] = stay + i;
    moves->count = count;
}

/* Do adjacent rows move to adjacent holes? */
static bool moves_are_run(const RowMoves* moves) {
    u32 gaps = 0;
    for (u32 i = 1; i < moves->count; i++) {
        gaps |= moves->from[i] - moves->from[i - 1] - 1;
        gaps |= moves->to[i] - moves->to[i - 1] - 1;
    }
    return gaps == 0;
}

/* No row moves to a place from which another one moves. */
static void columns_move(Manager* m, const RowMoves* moves) {
    const bool is_run = moves_are_run(moves);
    for (u32 c = 0; c < m->column_count; c++) {
        const size_t bytes = m->column_bytes[c];
        u8* const    column = m->column[c];
        if (is_run) {
            memcpy(column + moves->to[0] * bytes, column + moves->from[0] * bytes,
                   moves->count * bytes);
            continue;
        }
        for (u32 i = 0; i < moves->count; i++) {
            element_copy(column + moves->to[i] * bytes, column + moves->from[i] * bytes,
                         (u32)bytes);
        }
    }
}

static void rows_remove(Manager* m, const u32* rows, u32 count) {
    const bool    all_tail = m->tail > 0;
    Entity* const entity = m->entity;
    RowMoves      moves;
    for (u32 i = 0; i < count; i++) entity[rows[i]] = ENTITY_NULL;
    if (m->hooks->rows_leave) m->hooks->rows_leave(m, rows, count);
    moves_plan(m, rows, count, &moves);
    if (moves.count > 0) {
        for (u32 i = 0; i < moves.count; i++) manager_move_owner(m, moves.from[i], moves.to[i]);
        columns_move(m, &moves);
        if (m->hooks->rows_moved) m->hooks->rows_moved(m, &moves);
    }
    for (u32 i = 0; m->watch && i < moves.count; i++) watch_row(m->watch, moves.to[i]);
    m->count -= count;
    if (all_tail) m->tail = m->count;
    watch_moves(m->watch);
}

/* Rows that a host's functions observe are removed one by one, and rows on both sides of a border. */
static bool can_remove_many(const Manager* m) {
    const bool parted = m->tail > 0 && m->tail < m->count;
    return (m->plain || m->hooks->rows_leave) && !parted;
}

/* The next entity that has a row, from `at` on. */
static u32 next_with_row(const Manager* m, const Entity* entities, u32 at, u32 count) {
    for (; at < count; at++) {
        const u32 index = ent_entity_index(entities[at]);
        if (index < m->row_slots && m->row[index]) break;
    }
    return at;
}

static void some_remove(Manager* m, const Entity* entities, u32 count) {
    u32 rows[MANAGER_REMOVE_MAX], taken = MANAGER_REMOVE_MAX;
    if (can_remove_many(m)) {
        taken = rows_take(m, entities, count, rows);
        if (taken) rows_remove(m, rows, taken);
    }
    if (taken == MANAGER_REMOVE_MAX) each_remove(m, entities, count);
}

void manager_remove_entities(Manager* m, const EntityPool* pool, const Entity* entities,
                             u32 count) {
    bool tries = can_remove_many(m);
    for (u32 at = 0; (at = next_with_row(m, entities, at, count)) < count;) {
        const u32 row = m->row[ent_entity_index(entities[at])] - 1;
        const u32 some = MIN_OF(count - at, MANAGER_REMOVE_MAX / 2u);
        if (tries && manager_remove_run(m, pool, row, &tries)) continue;
        some_remove(m, entities + at, some);
        at += some;
    }
}
