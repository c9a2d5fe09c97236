/* manager_remove.c - removing the rows of entities from managers that are looked up directly: of one
 * entity, and of many at once.
 *
 * Of many entities, all rows leave the lookup first; then the last rows that stay move into the holes,
 * column after column, so that every loop copies elements of one size. */
#include "hooks_internal.h"
#include "manager_internal.h"
#include "watch_internal.h"

void manager_remove_direct(Manager* m, u32 index) {
    for (u32 row; (row = m->row[index] - 1) != MANAGER_NO_ROW;) {
        if (m->desc.removed) m->desc.removed(m, row);
        m->row[index] = ent_manager_next(m, row) + 1;
        manager_fill_hole(m, row);
    }
}

static void each_remove(Manager* m, const Entity* entities, u32 count) {
    for (u32 i = 0; i < count; i++) {
        const u32 index = ent_entity_index(entities[i]);
        if (index >= m->row_slots || m->row[index] == 0) continue;
        if (m->hooks->remove_direct)
            m->hooks->remove_direct(m, index);
        else
            manager_remove_direct(m, index);
    }
}

/* --- many --- */

/* The rows of entities; they leave the lookup. Whether an entity has a row is unpredictable for a
 * branch. Returns their number; rows of chains for which there is no room stay in the lookup. */
static u32 rows_take(Manager* m, const Entity* entities, u32 count, u32* rows) {
    u32 taken = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 index = ent_entity_index(entities[i]);
        if (index >= m->row_slots) continue;
        rows[taken] = m->row[index] - 1;
        taken += m->row[index] != 0;
        m->row[index] = 0;
    }
    for (u32 i = 0; m->next && i < taken; i++) {
        const u32 next = m->next[rows[i]];
        if (next == MANAGER_NO_ROW) continue;
        if (taken < MANAGER_REMOVE_MOST)
            rows[taken++] = next;
        else
            m->row[ent_entity_index(m->entity[next])] = next + 1;
    }
    return taken;
}

/* Rows from which the last ones that stay move into holes. Rows that leave have no entity any more. */
static void moves_plan(const Manager* m, const u32* rows, u32 count, RowMoves* moves) {
    const u32 stay = m->count - count;
    u32       last = m->count;
    moves->count = 0;
    for (u32 i = 0; i < count; i++) {
        if (rows[i] >= stay) continue;
        do last--;
        while (m->entity[last] == ENTITY_NULL);
        moves->from[moves->count] = last;
        moves->to[moves->count++] = rows[i];
    }
}

static void moves_make(Manager* m, const RowMoves* moves) {
    for (u32 i = 0; i < moves->count; i++) {
        const u32 from = moves->from[i], to = moves->to[i];
        manager_chain_move(m, from, to);
        m->entity[to] = m->entity[from];
        if (m->next) m->next[to] = m->next[from];
        if (m->watch) watch_row(m->watch, to);
    }
    for (u32 c = 0; c < m->column_count; c++) {
        const u32 bytes = m->column_bytes[c];
        u8*       column = m->column[c];
        for (u32 i = 0; i < moves->count; i++) {
            element_copy(column + (size_t)moves->to[i] * bytes,
                         column + (size_t)moves->from[i] * bytes, bytes);
        }
    }
}

static void rows_remove(Manager* m, const u32* rows, u32 count) {
    const bool all_tail = m->tail > 0;
    RowMoves   moves;
    for (u32 i = 0; i < count; i++) m->entity[rows[i]] = ENTITY_NULL;
    if (m->hooks->rows_leave) m->hooks->rows_leave(m, rows, count);
    moves_plan(m, rows, count, &moves);
    if (m->hooks->rows_move) m->hooks->rows_move(m, &moves);
    moves_make(m, &moves);
    m->count -= count;
    if (all_tail) m->tail = m->count;
    watch_moves(m->watch);
}

/* Rows that a host's functions observe are removed one by one, and rows on both sides of a border. */
static bool can_remove_many(const Manager* m) {
    const bool parted = m->tail > 0 && m->tail < m->count;
    return (m->plain || m->hooks->rows_leave) && !parted;
}

void manager_remove_entities(Manager* m, const Entity* entities, u32 count) {
    u32 rows[MANAGER_REMOVE_MOST];
    for (u32 first = 0; first < count; first += MANAGER_REMOVE_MOST / 2) {
        const u32 some = MIN_OF(count - first, MANAGER_REMOVE_MOST / 2u);
        u32       taken = MANAGER_REMOVE_MOST;
        if (can_remove_many(m)) {
            taken = rows_take(m, entities + first, some, rows);
            if (taken) rows_remove(m, rows, taken);
        }
        if (taken == MANAGER_REMOVE_MOST) each_remove(m, entities + first, some);
    }
}
