/* manager_internal.h - operations of a world on its managers that hosts do not call. */
#ifndef ENT_MANAGER_INTERNAL_H
#define ENT_MANAGER_INTERNAL_H

#include "base.h"
#include "jobs.h"
#include "manager.h"

/* The type with which a manager's extra columns are stored in a blob.
 * Needs    desc.state. */
ComponentType manager_state_type(const Manager* manager);

/* Does field i of the state describe extra column i? A manager without state has no such fields. */
bool manager_state_fits(const Manager* manager);

/* Converts the references in a field of a blob's records to those of this world: entities,
 * persistent ids and texts. [count] of them from `at` on, `stride` bytes apart. */
void manager_links_resolve(const Field* field, const SpawnBatch* batch, void* at, u32 stride,
                           u32 count);

/* A batch that is appended piece by piece. */
typedef struct ManagerAppend {
    Manager*          manager;
    const SpawnBatch* batch;
    u32               base; /* the first new row */
} ManagerAppend;

/* The rows exist and are uninitialised; a hash lookup is not filled. */
ManagerAppend manager_append_begin(Manager* manager, const SpawnBatch* batch);
/* Instances [first, end). Different ranges may be appended by different threads. */
void manager_append_rows(const ManagerAppend* append, u32 first, u32 end);

/* ent_manager_append, by several threads when there are `jobs`. */
u32 manager_append(Manager* manager, const SpawnBatch* batch, JobPool* jobs);

/* The rows of a manager without rows, found by a hash map, for which there is room; those of an entity are adjacent.
 * `columns`: as of a batch, with the references of this world. */
void manager_fill(Manager* manager, const Entity* owners, const void* const* columns, u32 count);

/* Moves everything in row `from` to row `to`, which is not in use: to <= count. */
void manager_move_row(Manager* manager, u32 from, u32 to);
/* Reports to the watches that a row moved to the place `to`. Needs    a watch. */
void manager_report_move(const Manager* manager, u32 to);
/* Marks the row as unused; the caller fills it afterwards. */
void manager_take_row(Manager* manager, u32 row);
/* The last row moves into the hole. */
void manager_remove_row(Manager* manager, u32 row);
/* The last row moves into the hole that a row has left, which is not in the lookup any more. */
void manager_fill_hole(Manager* manager, u32 row);
/* DIRECT: removes all rows of the entity in a slot. */
void manager_remove_direct(Manager* manager, Entity entity);

/* HASHED: removes all rows of an entity. Needs    a map. */
void manager_remove_hashed(Manager* manager, Entity entity);

/* DIRECT: removes the rows of entities, which are marked as ENTITY_DOOMED. */
void manager_remove_entities(Manager* manager, const EntityPool* pool, const Entity* entities,
                             u32 count);

/* Adjacent rows. */
typedef struct RowRun {
    u32 first, count;
} RowRun;

static inline bool run_has(RowRun run, u32 row) { return row - run.first < run.count; }

/* The last rows of a manager, which move together to lower places. */
typedef struct RowShift {
    u32 from, to, count;
} RowShift;

/* Removes the run of rows around `row` whose entities are marked, if it is long, and nothing in it has a link to a row
 * outside that would have to be followed. `*tries`: false: further calls would be in vain. */
bool manager_remove_run(Manager* manager, const EntityPool* pool, u32 row, bool* tries);

#define MANAGER_REMOVE_MAX 1024 /* rows that leave at once */

/* Rows that move into holes. */
typedef struct RowMoves {
    u32 from[MANAGER_REMOVE_MAX], to[MANAGER_REMOVE_MAX];
    u32 count;
} RowMoves;

/* Elements are small: a memcpy call for each costs more than the copy. They are copied in
 * pieces, of which the last overlaps the one before it. */
static inline void element_copy(u8* to, const u8* from, u32 bytes) {
    if (bytes >= 16) {
        for (u32 at = 0; at < bytes - 16; at += 16) memcpy(to + at, from + at, 16);
        memcpy(to + bytes - 16, from + bytes - 16, 16);
    } else if (bytes >= 8) {
        memcpy(to, from, 8);
        memcpy(to + bytes - 8, from + bytes - 8, 8);
    } else if (bytes >= 4) {
        memcpy(to, from, 4);
        memcpy(to + bytes - 4, from + bytes - 4, 4);
    } else {
        for (u32 i = 0; i < bytes; i++) to[i] = from[i];
    }
}

/* The row of a chain, or the lookup, that refers to row `from` refers to row `to`. */
void manager_chain_move(Manager* manager, u32 from, u32 to);

/* DIRECT: the owner of row `from`, with its place in the lookup and in its chain, gets the row `to`, which is not in use. */
static inline void manager_move_owner(Manager* m, u32 from, u32 to) {
    const Entity moved = m->entity[from];
    u32* const   first = &m->row[ent_entity_index(moved)];
    if (*first == from + 1)
        *first = to + 1;
    else
        manager_chain_move(m, from, to);
    m->entity[to] = moved;
    if (m->next) m->next[to] = m->next[from];
}

/* The same for a plain type. */
void manager_remove_plain(Manager* manager, Entity entity);

/* When rows at the end are kept separate, a hole before them is filled with the last row before
 * them. Returns the hole that remains for the last row of all. */
u32  manager_tail_hole(Manager* manager, u32 row);
void manager_swap_rows(Manager* manager, u32 a, u32 b);

/* Zeros in the columns that only the runtime has. */
void manager_zero_extras(Manager* manager, u32 first, u32 count);

/* Removes all rows. */
void manager_clear(Manager* manager, u32 slot_count);

/* Fills an empty hash map from another one's slots, when it has grown. */
void manager_rehash(Manager* manager, const ManagerSlot* old, u32 old_count);

#endif
