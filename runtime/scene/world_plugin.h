/* world_plugin.h - the part of a plugin that works in a world: managers of its component types, and
 * what they do each frame.
 *
 * The host loads the library as its platform does and hands over what it exports:
 *
 *     void*      plugin = dlopen("./wind.so", RTLD_NOW | RTLD_LOCAL);
 *     EntApiGet* get = (EntApiGet*)dlsym(plugin, "ent_get_plugin_api");
 *     if (ent_world_plugin(world, get) != ENT_OK) return 1; // the log states why
 *     ent_world_plugins_update(world, dt_s);                // in each frame
 *
 * A rebuilt library replaces the old one while the world keeps running. It has another path, because a platform loads
 * the file of a path once:
 *
 *     void*      other = dlopen("./wind_2.so", RTLD_NOW | RTLD_LOCAL);
 *     EntApiGet* next = (EntApiGet*)dlsym(other, "ent_get_plugin_api");
 *     if (ent_world_plugin_replace(world, get, next) != ENT_OK) return 1; // the old one goes on
 *     dlclose(plugin);
 *
 * The same library may provide the compile function of its components to entc: see plugin.h,
 * whose rules for versions apply here too. A plugin links to nothing: what it needs of libent is
 * in EntApiWorld3. EntSpawnBatch and EntEntity are as in their headers; EntWorld and EntManager
 * are opaque to it, and an EntManager moves when types are registered or unregistered: query it
 * in each call. */
#ifndef ENT_WORLD_PLUGIN_H
#define ENT_WORLD_PLUGIN_H

#include "plugin.h"
#include "world.h"

/* --- ENT_PLUGIN_RUNTIME: what the plugin does for a world --- */

typedef struct EntPluginRuntime2 {
    /* Gets the tables that it needs and adds its managers. Returns NULL, or why the plugin
     * cannot be used, as the end of a sentence. */
    const char* (*setup)(EntWorld* world, EntApiGet* get_ent_api);

    /* Updates its components by `dt_s` seconds. NULL: does nothing. */
    void (*update)(EntWorld* world, float dt_s);

    /* Called once after all other functions, also when setup failed: frees what setup allocated.
     * Its managers still exist, without rows. NULL: nothing to free. */
    void (*close)(EntWorld* world);
} EntPluginRuntime2;

/* --- ENT_API_WORLD: what libent does for a plugin --- */

typedef struct EntPluginManager3 {
    /* As registered with entc; compile, check and user are not used. */
    const EntPluginComponent1* component;

    /* As of an EntManagerDesc; `cleared` is also called when the plugin is closed. */
    uint32_t extra_bytes[ENT_MANAGER_EXTRAS_MAX];
    void (*spawn)(EntWorld* world, EntManager* manager, const EntSpawnBatch* batch);
    void (*removed)(EntManager* manager, uint32_t row);
    void (*moved)(EntManager* manager, uint32_t from, uint32_t to);
    void (*changed)(EntManager* manager, uint32_t row);
    void (*cleared)(EntManager* manager);

    /* Field i is extra column i, of those that a save keeps; the name is that of their section.
     * NULL: none are kept. */
    const EntPluginComponent1* state;
    uint32_t                   lazy; /* 1: as of an EntManagerDesc; or 0 */
    void*                      user; /* returned by EntApiWorld3.user: its data per world */

    /* Names under which older saves contain the component, its fields and the texts of its enums:
     * instances with these names are converted. NULL: there are none. */
    const EntFormerName* was; /* [was_count] */
    uint32_t             was_count;
} EntPluginManager3;

typedef struct EntApiWorld3 {
    /* Adds a manager; returns 0 when that is not possible, which the log states. The description is
     * copied.
     * Needs    to be called in setup; afterwards it does nothing and returns 0. */
    int (*add_manager)(EntWorld* world, const EntPluginManager3* manager);

    /* A sentence for the host's log, without a line end. */
    void (*log)(EntWorld* world, const char* text);

    /* As ent_world_manager_by_name, ent_manager_append, ent_manager_row and ent_manager_next. */
    EntManager* (*manager)(EntWorld* world, const char* name);
    uint32_t (*append)(EntManager* manager, const EntSpawnBatch* batch);
    uint32_t (*row)(const EntWorld* world, const EntManager* manager, EntEntity entity);
    uint32_t (*next)(const EntManager* manager, uint32_t row);

    /* Rows in use, their owners, and a column's elements: valid until the next spawn or removal. */
    uint32_t (*count)(const EntManager* manager);
    const EntEntity* (*entities)(const EntManager* manager);
    void* (*column)(const EntManager* manager, uint32_t column);

    void* (*user)(const EntManager* manager);

    /* As ent_entity_alive, ent_entity_create, ent_entity_destroy, ent_manager_create and
     * ent_manager_remove. Not from within a manager's callbacks. */
    int (*alive)(const EntWorld* world, EntEntity entity);
    EntStatus (*create_entities)(EntWorld* world, EntEntity* entities, uint32_t count);
    uint32_t (*destroy_entities)(EntWorld* world, const EntEntity* entities, uint32_t count);
    EntStatus (*create)(EntWorld* world, EntManager* manager, EntEntity entity, uint32_t* row);
    void (*remove)(EntWorld* world, EntManager* manager, uint32_t row);

    /* As ent_transform_touch: the plugin wrote to poses, columns 0 to 2 of the manager
     * "transform". EntWorld matrices are column 3. */
    void (*touch)(EntWorld* world, const uint32_t* rows, uint32_t count);

    /* Runs call(user, first, end, worker) over items 0 to count - 1, at most `group_size` per
     * call, on all threads of the world's jobs, and returns when all are done. `worker` is less
     * than workers(world), and no other call has the same one at that time. */
    uint32_t (*workers)(const EntWorld* world);
    void (*dispatch)(EntWorld* world, uint32_t count, uint32_t group_size,
                     void (*call)(void* user, uint32_t first, uint32_t end, uint32_t worker),
                     void* user);
} EntApiWorld3;

#ifdef __cplusplus
extern "C" {
#endif

/* Lets a plugin add its managers, to a world with or without entities.
 *
 *   get  the library's ent_get_plugin_api; the library stays loaded until ent_world_plugin_close or
 *        ent_world_destroy
 *
 * Returns  ENT_OK; or, with the world as it was: ENT_EXISTS: it was added already; ENT_LIMIT: more
 *          than ENT_WORLD_PLUGINS_MAX; ENT_BAD_PLUGIN: it has no ENT_PLUGIN_RUNTIME of a supported
 *          version, its description of a component is invalid, or its setup reports that it cannot
 *          be used; a status of ent_world_register for a manager; ENT_NO_MEMORY. The log contains
 *          details.
 * Needs    as ent_world_register.
 * Cost     one allocation per manager, which lasts until the plugin is closed. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_plugin(EntWorld* world, EntApiGet* get);

/* Removes a plugin from the world: all rows of its managers are removed, its `close` is called, and
 * its managers are removed. None of its functions is called afterwards: the library may be
 * unloaded.
 *
 * Returns  ENT_OK; ENT_NOT_FOUND: it was not added.
 * Needs    as ent_world_unregister; no call from within the plugin. */
ENT_API EntStatus ent_world_plugin_close(EntWorld* world, EntApiGet* get);

/* Replaces a plugin by another one, such as the same after it was built again. The rows of its managers become those of
 * the managers of the new plugin with the same names, or names that these state as older ones. They are
 * converted by the rules for saves, which the log reports: fields are found by name; extra columns that both states
 * describe are kept, the others are those that the new `spawn` writes. Rows are in the order of their
 * entities afterwards; watches stay. Instances of a component that the new plugin does not have are removed. The new
 * one is set up before the old one is closed.
 *
 *   before  a plugin of the world; may be unloaded afterwards
 *   get     another library's ent_get_plugin_api, as of ent_world_plugin
 *
 * Returns  ENT_OK; or with the old plugin and its rows as they were: ENT_NOT_FOUND: `before` was not added;
 *          ENT_EXISTS: `get` was; ENT_BAD_FIELD: a required field of the new plugin has no value; what
 *          ent_world_plugin returns.
 * Needs    as ent_world_plugin_close.
 * Cost     of all rows, about that of saving and spawning them. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_plugin_replace(EntWorld* world, EntApiGet* before,
                                                          EntApiGet* get);

/* Updates all plugins, in the order in which they were added; to be called each frame. */
ENT_API void ent_world_plugins_update(EntWorld* world, float dt_s);

#ifdef __cplusplus
}
#endif

#endif
