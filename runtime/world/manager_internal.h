/* manager_internal.h - what a world does with its managers and a host does not. */
#ifndef ENT_MANAGER_INTERNAL_H
#define ENT_MANAGER_INTERNAL_H

#include "base.h"
#include "jobs.h"
#include "manager.h"

/* The type under which a manager's extra columns stand in a blob.
 * Needs    desc.state. */
ComponentType manager_state_type(const Manager* manager);

/* Does field i of the state describe extra column i? A manager without state has nothing to fit. */
bool manager_state_fits(const Manager* manager);

/* What a field of a blob's records refers to becomes what it is in this world: entities and
 * persistent ids. [count] of them from `at` on, `stride` bytes apart. */
void manager_links_resolve(const Field* field, const SpawnBatch* batch, void* at, u32 stride,
                           u32 count);

/* A batch that is appended piece by piece. */
typedef struct ManagerAppend {
    Manager*          manager;
    const SpawnBatch* batch;
    u32               base; /* the first new row */
} ManagerAppend;

/* The rows are there and hold nothing yet; a lookup by hash is not filled. */
ManagerAppend manager_append_begin(Manager* manager, const SpawnBatch* batch);
/* Instances [first, end). Different ones may be appended by different threads. */
void manager_append_rows(const ManagerAppend* append, u32 first, u32 end);

/* ent_manager_append, by several threads when there are `jobs`. */
u32 manager_append(Manager* manager, const SpawnBatch* batch, JobPool* jobs);

/* Everything of row `from` goes to row `to`, where nobody is: to <= count. */
void manager_move_row(Manager* manager, u32 from, u32 to);
/* Nobody is in the row any more; it is to be filled. */
void manager_take_row(Manager* manager, u32 row);
/* The last row moves into the hole. */
void manager_remove_row(Manager* manager, u32 row);
/* DIRECT: all rows of the entity that has a slot. */
void manager_remove_direct(Manager* manager, u32 index);
/* Where rows at the end are kept apart, a hole before them is filled by the last one before them.
 * Returns the hole that is left for the last row of all. */
u32  manager_tail_hole(Manager* manager, u32 row);
void manager_swap_rows(Manager* manager, u32 a, u32 b);

/* Zeros in the columns that only the runtime has. */
void manager_zero_extras(Manager* manager, u32 first, u32 count);

/* Forgets all rows. */
void manager_clear(Manager* manager, u32 slot_count);

/* Fills an empty hash map from another one's slots, when it has grown. */
void manager_rehash(Manager* manager, const ManagerSlot* old, u32 old_count);

#endif
