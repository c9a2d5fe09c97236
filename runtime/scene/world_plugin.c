/* world_plugin.c - the interface of a world for plugins, and how plugins are added and closed. */
#include "world_plugin.h"

#include <stdio.h>

#include "jobs.h"
#include "plugin_internal.h"
#include "transform_manager.h"
#include "world_plugin_internal.h"

static void say(World* w, LogLevel level, const char* what, const char* name, const char* reason) {
    char text[768];
    if (!w->log.write) return;
    snprintf(text, sizeof text, "%s%s%s", what, name, reason);
    w->log.write(w->log.user, level, text);
}

static void log_text(World* w, const char* text) { say(w, LOG_INFO, text, "", ""); }

/* --- managers --- */

static size_t formers_bytes(const PluginManager3* m) {
    size_t bytes = sizeof(FormerName) * m->was_count;
    for (u32 i = 0; i < m->was_count; i++) bytes += m->was[i].name ? strlen(m->was[i].name) + 1 : 0;
    return bytes;
}

static void formers_copy(const PluginManager3* m, u8* memory, ComponentType* type) {
    FormerName* was = (FormerName*)(void*)memory;
    char*       text = (char*)(was + m->was_count);
    type->was = m->was_count ? was : NULL;
    type->was_count = m->was_count;
    for (u32 i = 0; i < m->was_count; i++) {
        was[i] = m->was[i];
        if (!was[i].name) continue;
        was[i].name = strcpy(text, m->was[i].name);
        text += strlen(text) + 1;
    }
}

/* Registers a copy of the description, in memory that is freed with the manager. */
static ent_status manager_register(World* w, const PluginManager3* m) {
    const size_t head = (size_t)align_up(sizeof(RecordType), 8);
    const size_t component_bytes = (size_t)align_up(plugin_component_bytes(m->component), 8);
    const size_t state = m->state ? (size_t)align_up(plugin_component_bytes(m->state), 8) : 0;
    u8*          memory = world_keep(w, head + component_bytes + state + formers_bytes(m));
    if (!memory) return ENT_NO_MEMORY;
    RecordType* kept = (RecordType*)(void*)memory;
    ManagerDesc desc = {.type = plugin_component_open(m->component, memory + head),
                        .lazy = m->lazy != 0,
                        .user = m->user,
                        .spawn = m->spawn,
                        .removed = m->removed,
                        .moved = m->moved,
                        .changed = m->changed,
                        .cleared = m->cleared};
    memcpy(desc.extra_bytes, m->extra_bytes, sizeof desc.extra_bytes);
    formers_copy(m, memory + head + component_bytes + state, &desc.type);
    if (m->state) {
        *kept = plugin_component_open(m->state, memory + head + component_bytes).record;
        desc.state = kept;
    }
    TRY(world_register_kept(w, &desc, memory));
    ent_world_manager(w, desc.type.id)->plugin = w->plugin_setup;
    return ENT_OK;
}

/* As plugin_component_check, of the extra columns. */
static bool state_check(const PluginManager3* m, char* reason, size_t room) {
    const PluginComponent1* state = m->state;
    if (!state) return true;
    if (!plugin_component_check(state, reason, room)) return false;
    for (u32 f = 0; f < state->field_count; f++) {
        if (f < MANAGER_EXTRAS_MAX && state->fields[f].bytes == m->extra_bytes[f]) continue;
        snprintf(reason, room, "field \"%s\" of its state is not extra column %u",
                 state->fields[f].name, f);
        return false;
    }
    return true;
}

static int manager_add(World* w, const PluginManager3* m) {
    char       reason[512] = ": ";
    ent_status status = ENT_BAD_PLUGIN;
    if (!w->plugin_setup) {
        snprintf(reason, sizeof reason, ": it comes later than setup");
    } else if (plugin_component_check(m->component, reason + 2, sizeof reason - 2) &&
               state_check(m, reason + 2, sizeof reason - 2)) {
        status = manager_register(w, m);
        if (status == ENT_OK) return 1;
        snprintf(reason, sizeof reason, ": %s", ent_status_text(status));
    }
    const char* name = m->component && m->component->name ? m->component->name : "";
    say(w, LOG_ERROR, "a plugin's component is refused: ", name, reason);
    if (w->plugin_setup) w->plugin_status = (int)status;
    return 0;
}

/* --- tables --- */

static u32 row_of(const World* w, const Manager* m, Entity entity) {
    return ent_manager_row(m, w->entities, entity);
}
static u32           count_of(const Manager* m) { return m->count; }
static const Entity* entities_of(const Manager* m) { return m->entity; }
static void*         column_of(const Manager* m, u32 column) {
            return column < m->column_count ? m->column[column] : NULL;
}
static void* user_of(const Manager* m) { return m->desc.user; }
static int is_alive(const World* w, Entity entity) { return ent_entity_alive(w->entities, entity); }

static u32 workers(const World* w) { return w->jobs ? ent_job_worker_count(w->jobs) : 1; }

static void dispatch(World* w, u32 count, u32 group_size, JobFunction call, void* user) {
    JobGroup group = {0};
    if (w->jobs) {
        ent_job_dispatch(w->jobs, &group, count, group_size, call, user);
        ent_job_wait(w->jobs, &group);
        return;
    }
    for (u32 first = 0; first < count; first += MIN_OF(group_size, count - first)) {
        call(user, first, first + MIN_OF(group_size, count - first), 0);
    }
}

static const ApiWorld3 world_3 = {manager_add,
                                  log_text,
                                  ent_world_manager_by_name,
                                  ent_manager_append,
                                  row_of,
                                  ent_manager_next,
                                  count_of,
                                  entities_of,
                                  column_of,
                                  user_of,
                                  is_alive,
                                  ent_entity_create,
                                  ent_entity_destroy,
                                  ent_manager_create,
                                  ent_manager_remove,
                                  ent_transform_touch,
                                  workers,
                                  dispatch};

static const void* world_api(u32 id, u32 version) {
    return id == API_WORLD && version == 3 ? &world_3 : NULL;
}

/* --- adding and closing --- */

static const PluginRuntime2* runtime_of(ApiGet* get) { return get(PLUGIN_RUNTIME, 2); }

ent_status world_plugin_check(World* w, ApiGet* get) {
    const PluginRuntime2* runtime = runtime_of(get);
    if (runtime && runtime->setup) return ENT_OK;
    say(w, LOG_ERROR, "the plugin has no PLUGIN_RUNTIME of version 2", "", "");
    return ENT_BAD_PLUGIN;
}

/* Removes the rows of a plugin, then calls its `close`. */
static void plugin_end(World* w, ApiGet* get) {
    const PluginRuntime2* runtime = runtime_of(get);
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        if (m->plugin != get) continue;
        if (m->count && m->desc.cleared) m->desc.cleared(m);
        manager_clear(m, w->entities->slot_count);
    }
    if (runtime->close) runtime->close(w);
}

void world_plugin_remove(World* w, ApiGet* get) {
    plugin_end(w, get);
    for (u32 i = w->manager_count; i-- > 0;) {
        if (w->manager[i].plugin == get) world_unregister_at(w, i);
    }
}

static void plugin_take_out(World* w, u32 at) {
    world_plugin_remove(w, w->plugin[at]);
    w->plugin_count--;
    for (u32 i = at; i < w->plugin_count; i++) w->plugin[i] = w->plugin[i + 1];
}

u32 world_plugin_find(const World* w, ApiGet* get) {
    u32 i = 0;
    while (i < w->plugin_count && w->plugin[i] != get) i++;
    return i;
}

ent_status world_plugin_setup(World* w, ApiGet* get) {
    w->plugin_setup = get;
    w->plugin_status = ENT_OK;
    const char* reason = runtime_of(get)->setup(w, world_api);
    w->plugin_setup = NULL;
    if (reason) say(w, LOG_ERROR, "the plugin cannot be used: ", reason, "");
    if (w->plugin_status != ENT_OK) return (ent_status)w->plugin_status;
    return reason ? ENT_BAD_PLUGIN : ENT_OK;
}

/* Called before a world is destroyed: the rows of plugins' managers are removed first. */
static void plugins_close(World* w) {
    while (w->plugin_count > 0) plugin_end(w, w->plugin[--w->plugin_count]);
}

ent_status ent_world_plugin(World* w, ApiGet* get) {
    TRY(world_plugin_check(w, get));
    if (world_plugin_find(w, get) < w->plugin_count) {
        say(w, LOG_ERROR, "the plugin is in this world already", "", "");
        return ENT_EXISTS;
    }
    if (w->plugin_count == WORLD_PLUGINS_MAX) {
        world_log(w, LOG_ERROR, "the world has %u plugins, as many as it can have",
                  WORLD_PLUGINS_MAX);
        return ENT_LIMIT;
    }
    w->plugin[w->plugin_count++] = get;
    w->closing = plugins_close;
    const ent_status status = world_plugin_setup(w, get);
    if (status != ENT_OK) plugin_take_out(w, w->plugin_count - 1);
    return status;
}

ent_status ent_world_plugin_close(World* w, ApiGet* get) {
    const u32 at = world_plugin_find(w, get);
    assert(w->spawn_jobs == 0 && "plugins cannot be closed during a spawn over multiple frames");
    if (at == w->plugin_count) return ENT_NOT_FOUND;
    plugin_take_out(w, at);
    return ENT_OK;
}

void ent_world_plugins_update(World* w, f32 dt_s) {
    for (u32 i = 0; i < w->plugin_count; i++) {
        const PluginRuntime2* runtime = runtime_of(w->plugin[i]);
        if (runtime->update) runtime->update(w, dt_s);
    }
}
