/* world_create.c - a world with every built-in type: the hooks of those that do more than store
 * rows. */
#include "persistent_internal.h"
#include "transform_internal.h"

static const ComponentHooks* const built_in_hooks[COMPONENT_COUNT] = {
    [COMPONENT_TRANSFORM] = &transform_hooks,
    [COMPONENT_PERSISTENT_ID] = &persistent_id_hooks,
};

ent_status ent_world_create(World** out, const WorldDesc* desc) {
    return world_create(out, desc, built_in_hooks);
}
