/* world_create.c - a world with every built-in type: the hooks of those that do more than store
 * rows. */
#include "entity_names_internal.h"
#include "name_internal.h"
#include "persistent_internal.h"
#include "transform_internal.h"

static const ComponentHooks* const built_in_hooks[COMPONENT_COUNT] = {
    [COMPONENT_TRANSFORM] = &transform_hooks,
    [COMPONENT_NAME] = &name_hooks,
    [COMPONENT_PERSISTENT_ID] = &persistent_id_hooks,
};

ent_status ent_world_create(World** out, const WorldDesc* desc) {
    World* w;
    TRY(world_create(&w, desc, built_in_hooks));
    const ent_status status = desc && desc->names ? names_register(w) : ENT_OK;
    if (status == ENT_OK)
        *out = w;
    else
        ent_world_destroy(w);
    return status;
}
