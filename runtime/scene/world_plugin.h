/* world_plugin.h - the part of a plugin that works in a world: managers of its component types, and
 * what they do each frame.
 *
 * The host loads the library as its platform does and hands over what it exports:
 *
 *     void*   library = dlopen("./wind.so", RTLD_NOW | RTLD_LOCAL);
 *     ApiGet* get = (ApiGet*)dlsym(library, "get_plugin_api");
 *     if (ent_world_plugin(world, get) != ENT_OK) return 1;     the log says why
 *     each frame:
 *         ent_world_plugins_update(world, dt_s);
 *
 * A library that was built anew takes the place of the old one while the world goes on:
 *
 *     ent_world_plugin_close(world, get);                       its rows go, entities stay
 *     dlclose(library);
 *     library = dlopen(...), get = dlsym(...);
 *     ent_world_plugin(world, get);                             no rows yet
 *
 * Rows come back from where they came from: save the world before, clear it, and spawn the save
 * when the new library is there.
 *
 * The same library may bring the compile function of its components to entc: see plugin.h, whose
 * rules for versions hold here too. A plugin links to nothing: what it needs of libent is in
 * ApiWorld. SpawnBatch and Entity are as their headers say; World and Manager are opaque to it, and
 * a Manager moves when types come or go: ask for it in each call. */
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

typedef struct PluginRuntime2 {
    const char* (*setup)(World* world, ApiGet* get_ent_api); /* as in version 1 */

    /* A step of what its components do, of `dt_s` seconds. NULL: nothing. */
    void (*update)(World* world, f32 dt_s);

    /* Called once behind everything else, also when setup failed: gives back what setup took. Its
     * managers are still there, without rows. NULL: nothing to give back. */
    void (*close)(World* world);
} PluginRuntime2;

/* --- API_WORLD: what libent does for a plugin --- */

typedef struct PluginManager1 {
    const PluginComponent1*
        component; /* what entc was told; compile, check and user are not used */
    u32 extra_bytes[MANAGER_EXTRAS_MAX]; /* as of a ManagerDesc, */
    void (*spawn)(World* world, Manager* manager, const SpawnBatch* batch);
    void (*removed)(Manager* manager, u32 row);
    void (*moved)(Manager* manager, u32 from, u32 to);
} PluginManager1;

typedef struct PluginManager2 {
    const PluginComponent1* component; /* as in version 1, */
    u32                     extra_bytes[MANAGER_EXTRAS_MAX];
    void (*spawn)(World* world, Manager* manager, const SpawnBatch* batch);
    void (*removed)(Manager* manager, u32 row);
    void (*moved)(Manager* manager, u32 from, u32 to); /* up to here */
    void (*changed)(Manager* manager, u32 row);        /* as of a ManagerDesc, */
    void (*cleared)(Manager* manager); /* and this; also when the plugin is closed */
    const PluginComponent1* state;     /* field i is extra column i, of those that a save keeps; the
                                          name is that of their section. NULL: none are kept */
    u32                     lazy;      /* 1: as of a ManagerDesc; or 0 */
    void*                   user; /* what ApiWorld2.user gives back: whatever it has per world */
} PluginManager2;

typedef struct ApiWorld1 {
    /* Adds a manager; false when it cannot be, which the log tells. The description is copied.
     * Needs    to be called by setup; later on it does nothing and returns 0. */
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

typedef struct ApiWorld2 {
    int (*add_manager)(World* world, const PluginManager2* manager); /* as in version 1, */
    void (*log)(World* world, const char* text);
    Manager* (*manager)(World* world, const char* name);
    u32 (*append)(Manager* manager, const SpawnBatch* batch);
    u32 (*row)(const World* world, const Manager* manager, Entity entity);
    u32 (*next)(const Manager* manager, u32 row);
    u32 (*count)(const Manager* manager);
    const Entity* (*entities)(const Manager* manager);
    void* (*column)(const Manager* manager, u32 column); /* up to here */

    void* (*user)(const Manager* manager);

    /* As ent_entity_alive, ent_entity_create, ent_entity_destroy, ent_manager_create and
     * ent_manager_remove. Not from within a manager's callbacks. */
    int (*alive)(const World* world, Entity entity);
    ent_status (*create_entities)(World* world, Entity* entities, u32 count);
    ent_status (*destroy_entities)(World* world, const Entity* entities, u32 count);
    ent_status (*create)(World* world, Manager* manager, Entity entity, u32* row);
    void (*remove)(World* world, Manager* manager, u32 row);

    /* As ent_transform_touch: it wrote to poses, columns 0 to 2 of the manager "transform". World
     * matrices are column 3. */
    void (*touch)(World* world, const u32* rows, u32 count);

    /* Runs call(user, first, end, worker) over items 0 to count - 1, at most `group_size` a call,
     * on all threads that the host lends the world, and returns when all are done. `worker` is less
     * than workers(world), and nobody else's while the call lasts. */
    u32 (*workers)(const World* world);
    void (*dispatch)(World* world, u32 count, u32 group_size,
                     void (*call)(void* user, u32 first, u32 end, u32 worker), void* user);
} ApiWorld2;

#ifdef __cplusplus
extern "C" {
#endif

/* Lets a plugin add its managers, to a world with or without entities.
 *
 *   get  the library's get_plugin_api; the library stays loaded until ent_world_plugin_close or
 *        ent_world_destroy
 *
 * Returns  ENT_OK; or, with the world as it was: ENT_EXISTS: it is there already; ENT_LIMIT: more
 *          than WORLD_PLUGINS_MAX; ENT_BAD_PLUGIN: it has no PLUGIN_RUNTIME of a version that is
 *          known, describes its component wrongly, or says itself that it cannot be used; what
 *          ent_world_register says of a manager; ENT_NO_MEMORY. The log tells more.
 * Needs    as ent_world_register.
 * Cost     one allocation a manager, which lasts until the plugin is closed. */
ENT_API MUST_CHECK ent_status ent_world_plugin(World* world, ApiGet* get);

/* Takes a plugin out of the world: all rows of its managers go, it is told, and its managers go.
 * Nothing of it is called any more: the library may be unloaded.
 *
 * Returns  ENT_OK; ENT_NOT_FOUND: it is not there.
 * Needs    as ent_world_unregister; no call from within the plugin. */
ENT_API ent_status ent_world_plugin_close(World* world, ApiGet* get);

/* A step of all plugins, in the order in which they came: what they do each frame. */
ENT_API void ent_world_plugins_update(World* world, f32 dt_s);

#ifdef __cplusplus
}
#endif

#endif
