/* hooks_internal.h - what a built-in component type does in a world besides storing rows.
 *
 * The files of a world refer to no type by name: they call the functions that the type supplies.
 * Zero means: no special behaviour. */
#ifndef ENT_HOOKS_INTERNAL_H
#define ENT_HOOKS_INTERNAL_H

#include "base.h"
#include "manager_internal.h"
#include "world.h"

/* Called for each child of an entity; false: stop. */
typedef bool (*EachChild)(void* user, Entity child);

typedef struct ComponentHooks {
    /* Adds extra columns, and callbacks for rows that move or are removed. */
    void (*describe)(ManagerDesc* desc);

    /* Replaces manager_remove_direct for a type with fixed columns. The entity has a row. */
    void (*remove_direct)(Manager* manager, Entity entity);

    /* The same for many rows: they are not in the lookup any more, and their entity is null; other
     * rows have not moved yet. Then which rows have moved: all columns are copied. The places from
     * which they moved, which are not in use any more, still have their contents. Both or none. */
    void (*rows_leave)(Manager* manager, const u32* rows, u32 count);
    void (*rows_moved)(Manager* manager, const RowMoves* moves);

    /* The same for a long run of adjacent rows. First, while all is in place: false: rows_leave is called instead. Then before
     * the last rows move into it, and after the columns of some of these, from `at` on, were copied. All or none. */
    bool (*run_leaves)(Manager* manager, RowRun run);
    void (*run_moves)(Manager* manager, const RowShift* shift);
    void (*run_moved)(Manager* manager, const RowShift* shift, u32 at, u32 count);

    /* Calls `each` for the children of the entity of a row. Returns false when `each` stopped
     * it. */
    bool (*children)(const Manager* manager, u32 row, EachChild each, void* user);

    u32 list_each; /* elements of Manager.list for each row of the capacity; 0: there is no list, */
    u32 list_more; /* and so many elements more */
} ComponentHooks;

/* ent_world_create with the hooks of all types.
 *
 *   hooks  [COMPONENT_COUNT] constant; NULL: no hooks */
MUST_CHECK ent_status world_create(World** out, const WorldDesc* desc,
                                   const ComponentHooks* const* hooks);

#endif
