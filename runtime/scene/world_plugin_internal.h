/* world_plugin_internal.h - steps of adding, closing and replacing plugins. Private. */
#ifndef ENT_WORLD_PLUGIN_INTERNAL_H
#define ENT_WORLD_PLUGIN_INTERNAL_H

#include "world_internal.h"
#include "world_plugin.h"

/* The place of a plugin in the world, or plugin_count. */
u32 world_plugin_find(const World* world, ApiGet* get);

/* Has it functions for worlds? ENT_BAD_PLUGIN, which the log explains. */
MUST_CHECK ent_status world_plugin_check(World* world, ApiGet* get);

/* Lets a plugin that was checked add its managers. After a failure, world_plugin_remove ends what it has begun. */
MUST_CHECK ent_status world_plugin_setup(World* world, ApiGet* get);

/* Removes the rows of a plugin, calls its `close`, and removes its managers. */
void world_plugin_remove(World* world, ApiGet* get);

#endif
