/* manager_runs.c - removing long runs of adjacent rows at once, as of a level that is removed.
 *
 * What one spawn made has adjacent rows in each manager. When all of their entities are destroyed, nothing has to be found
 * row by row: the run leaves the lookup, and the last rows that stay move into it, in blocks that stay in the cache. */
#include "hooks_internal.h"
#include "manager_internal.h"
#include "watch_internal.h"
#include "world_internal.h"

#define RUN_MIN   16u   /* rows; fewer are removed one by one, or with others */
#define RUN_BLOCK 1024u /* rows whose columns are copied one after the other */

static inline bool is_doomed(const EntityPool* pool, Entity entity) {
    return pool->next[ent_entity_index(entity)] == ENTITY_DOOMED;
}

/* The adjacent rows around one whose entities are destroyed. */
static RowRun run_around(const Manager* m, const EntityPool* pool, u32 row) {
    const Entity* const entity = m->entity;
    u32                 first = row, end = row + 1;
    while (first > 0 && is_doomed(pool, entity[first - 1])) first--;
    while (end < m->count && is_doomed(pool, entity[end])) end++;
    return (RowRun){first, end - first};
}

/* Are all rows of its entities in it? */
static bool has_complete_chains(const Manager* m, RowRun run) {
    for (u32 i = run.first; m->next && i < run.first + run.count; i++) {
        const u32 first = m->row[ent_entity_index(m->entity[i])] - 1, next = m->next[i];
        if (!run_has(run, first) || (next != MANAGER_NO_ROW && !run_has(run, next))) return false;
    }
    return true;
}

static void lookup_leave(const Manager* m, RowRun run) {
    const Entity* const entity = m->entity + run.first;
    u32* const          row = m->row;
    for (u32 i = 0; i < run.count; i++) row[ent_entity_index(entity[i])] = 0;
}

/* No place to which a row moves is one from which another moves. */
static void block_move(Manager* m, const RowShift* shift, u32 at, u32 count) {
    const u32 from = shift->from + at, to = shift->to + at;
    for (u32 i = 0; i < count; i++) manager_move_owner(m, from + i, to + i);
    for (u32 c = 0; c < m->column_count; c++) {
        const size_t bytes = m->column_bytes[c];
        u8* const    column = m->column[c];
        memcpy(column + to * bytes, column + from * bytes, count * bytes);
    }
    if (m->hooks->run_moved) m->hooks->run_moved(m, shift, at, count);
}

static void run_remove(Manager* m, RowRun run) {
    const u32      end = run.first + run.count, moved = MIN_OF(run.count, m->count - end);
    const RowShift shift = {.from = m->count - moved, .to = run.first, .count = moved};
    lookup_leave(m, run);
    if (moved && m->hooks->run_moves) m->hooks->run_moves(m, &shift);
    for (u32 at = 0; at < moved; at += RUN_BLOCK)
        block_move(m, &shift, at, MIN_OF(RUN_BLOCK, moved - at));
    if (m->watch) watch_rows(m->watch, shift.to, shift.to + moved);
    m->count -= run.count;
    m->tail -= MIN_OF(m->tail, run.count); /* all rows are in it, or none is */
    watch_moves(m->watch);
}

bool manager_remove_run(Manager* m, const EntityPool* pool, u32 row, bool* tries) {
    const RowRun run = run_around(m, pool, row);
    if (run.count < RUN_MIN) return false;
    *tries = has_complete_chains(m, run) && (!m->hooks->run_leaves || m->hooks->run_leaves(m, run));
    if (*tries) run_remove(m, run);
    return *tries;
}
