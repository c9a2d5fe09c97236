/* world_plugin.h - the part of a plugin that works in a world: managers of its component types.
 *
 * The host loads the library as its platform does and hands over what it exports:
 *
 *     void*   library = dlopen("./wind.so", RTLD_NOW | RTLD_LOCAL);
 *     ApiGet* get = (ApiGet*)dlsym(library, "get_plugin_api");
 *     if (ent_world_plugin(world, get) != ENT_OK) return 1;     the log says why
 *
 * The same library may bring the compile function of its components to entc: see plugin.h, whose
 * rules for versions hold here too. A plugin links to nothing: what it needs of libent is in
 * ApiWorld. SpawnBatch and Entity are as their headers say; World and Manager are opaque to it. */
#ifndef ENT_WORLD_PLUGIN_H
#define ENT_WORLD_PLUGIN_H

#include "plugin.h"
#include "world.h"

/* --- PLUGIN_RUNTIME: what the plugin does for a world --- */

typedef struct PluginRuntime1 {
    /* Takes the tables that it needs and adds its managers.
     * Returns NULL, or why the plugin cannot be used, as the end of a sentence. */
    const char* (*setup)(World* world, ApiGet* get_ent_api);
} PluginRuntime1;

/* --- API_WORLD: what libent does for a plugin --- */

typedef struct PluginManager1 {
    const PluginComponent1*
        component; /* what entc was told; compile, check and user are not used */
    u32 extra_bytes[MANAGER_EXTRAS_MAX]; /* as of a ManagerDesc, */
    void (*spawn)(World* world, Manager* manager, const SpawnBatch* batch);
    void (*removed)(Manager* manager, u32 row);
    void (*moved)(Manager* manager, u32 from, u32 to);
    void (*changed)(Manager* manager, u32 row);
    const PluginComponent1* state; /* field i is extra column i, of those that a save keeps; the
                                      name is that of their section. NULL: none are kept */
} PluginManager1;

typedef struct ApiWorld1 {
    /* Adds a manager; false when it cannot be, which the log tells. The description is copied.
     * Needs    to be called by setup. */
    int (*add_manager)(World* world, const PluginManager1* manager);

    /* A sentence for the host's log, without a line end. */
    void (*log)(World* world, const char* text);

    /* As ent_world_manager_by_name, ent_manager_append, ent_manager_row and ent_manager_next. */
    Manager* (*manager)(World* world, const char* name);
    u32 (*append)(Manager* manager, const SpawnBatch* batch);
    u32 (*row)(const World* world, const Manager* manager, Entity entity);
    u32 (*next)(const Manager* manager, u32 row);

    /* Rows in use, their owners, and a column's elements: good until the next spawn or removal. */
    u32 (*count)(const Manager* manager);
    const Entity* (*entities)(const Manager* manager);
    void* (*column)(const Manager* manager, u32 column);
} ApiWorld1;

#ifdef __cplusplus
extern "C" {
#endif

/* Lets a plugin add its managers.
 *
 *   get  the library's get_plugin_api; the library stays loaded for as long as the world is there
 *
 * Returns  ENT_OK; ENT_BAD_PLUGIN: it has no PLUGIN_RUNTIME of a version that is known, describes
 *          its component wrongly, or says itself that it cannot be used; what ent_world_register
 *          says of a manager; ENT_NO_MEMORY. The log tells more. What was added before stays.
 * Needs    no entities in the world yet.
 * Cost     one allocation a manager, which lasts as long as the world. */
ENT_API MUST_CHECK ent_status ent_world_plugin(World* world, ApiGet* get);

#ifdef __cplusplus
}
#endif

#endif
