/* hooks_internal.h - what a built-in component type does in a world beyond holding rows.
 *
 * The files of a world name no type: they call what the type supplies. Zero means: nothing special. */
#ifndef ENT_HOOKS_INTERNAL_H
#define ENT_HOOKS_INTERNAL_H

#include "base.h"
#include "world.h"

/* Called for each child of an entity; false: stop. */
typedef bool (*EachChild)(void* user, Entity child);

typedef struct ComponentHooks {
    /* Adds extra columns, and functions that follow rows. */
    void (*describe)(ManagerDesc* desc);

    /* What manager_remove_direct does, by a type that knows its columns. The entity has a row. */
    void (*remove_direct)(Manager* manager, u32 index);

    /* Calls `each` for the children of the entity of a row. False: it was stopped. */
    bool (*children)(const Manager* manager, u32 row, EachChild each, void* user);

    bool has_list; /* Manager.list is room for it: 4 bytes a row */
} ComponentHooks;

/* ent_world_create with the hooks of all types.
 *
 *   hooks  [COMPONENT_COUNT] constant; NULL: nothing special */
MUST_CHECK ent_status world_create(World** out, const WorldDesc* desc,
                                   const ComponentHooks* const* hooks);

#endif
