/* world_plugin.c - what a plugin may ask of a world. */
#include "world_plugin.h"

#include <stdio.h>

#include "plugin_internal.h"
#include "world_internal.h"

static void say(World* w, LogLevel level, const char* what, const char* name, const char* why) {
    char text[768];
    if (!w->log.write) return;
    snprintf(text, sizeof text, "%s%s%s", what, name, why);
    w->log.write(w->log.user, level, text);
}

static void log_text(World* w, const char* text) { say(w, LOG_INFO, text, "", ""); }

/* Registers a copy of the description, in memory that goes with the world. */
static ent_status manager_register(World* w, const PluginManager1* m) {
    const size_t head = (size_t)align_up(sizeof(RecordType), 8);
    const size_t own = (size_t)align_up(plugin_component_bytes(m->component), 8);
    const size_t state = m->state ? plugin_component_bytes(m->state) : 0;
    u8*          memory = world_keep(w, head + own + state);
    if (!memory) return ENT_NO_MEMORY;
    RecordType* kept = (RecordType*)(void*)memory;
    ManagerDesc desc = {.type = plugin_component_open(m->component, memory + head),
                        .spawn = m->spawn,
                        .removed = m->removed,
                        .moved = m->moved,
                        .changed = m->changed};
    memcpy(desc.extra_bytes, m->extra_bytes, sizeof desc.extra_bytes);
    if (m->state) {
        *kept = plugin_component_open(m->state, memory + head + own).record;
        desc.state = kept;
    }
    const ent_status status = ent_world_register(w, &desc);
    if (status != ENT_OK) world_forget(w, memory);
    return status;
}

/* As plugin_component_check, of the extra columns. */
static bool state_check(const PluginManager1* m, char* why, size_t room) {
    const PluginComponent1* state = m->state;
    if (!state) return true;
    if (!plugin_component_check(state, why, room)) return false;
    for (u32 f = 0; f < state->field_count; f++) {
        if (f < MANAGER_EXTRAS_MAX && state->fields[f].bytes == m->extra_bytes[f]) continue;
        snprintf(why, room, "field \"%s\" of its state is not extra column %u",
                 state->fields[f].name, f);
        return false;
    }
    return true;
}

static int manager_add(World* w, const PluginManager1* m) {
    char       why[512] = ": ";
    ent_status status = ENT_BAD_PLUGIN;
    if (plugin_component_check(m->component, why + 2, sizeof why - 2) &&
        state_check(m, why + 2, sizeof why - 2)) {
        status = manager_register(w, m);
        if (status == ENT_OK) return 1;
        snprintf(why, sizeof why, ": %s", ent_status_text(status));
    }
    const char* name = m->component && m->component->name ? m->component->name : "";
    say(w, LOG_ERROR, "a plugin's component is refused: ", name, why);
    w->plugin_status = (int)status;
    return 0;
}

static u32 row_of(const World* w, const Manager* m, Entity entity) {
    return ent_manager_row(m, w->entities, entity);
}
static u32           count_of(const Manager* m) { return m->count; }
static const Entity* entities_of(const Manager* m) { return m->entity; }
static void*         column_of(const Manager* m, u32 column) {
            return column < m->column_count ? m->column[column] : NULL;
}

static const ApiWorld1 world_1 = {manager_add,        log_text,    ent_world_manager_by_name,
                                  ent_manager_append, row_of,      ent_manager_next,
                                  count_of,           entities_of, column_of};

static const void* world_api(u32 id, u32 version) {
    return id == API_WORLD && version == 1 ? &world_1 : NULL;
}

ent_status ent_world_plugin(World* w, ApiGet* get) {
    const PluginRuntime1* runtime = get(PLUGIN_RUNTIME, 1);
    if (!runtime || !runtime->setup) {
        say(w, LOG_ERROR, "the plugin has no PLUGIN_RUNTIME of version 1", "", "");
        return ENT_BAD_PLUGIN;
    }
    w->plugin_status = ENT_OK;
    const char* why = runtime->setup(w, world_api);
    if (why) say(w, LOG_ERROR, "the plugin cannot be used: ", why, "");
    if (w->plugin_status != ENT_OK) return (ent_status)w->plugin_status;
    return why ? ENT_BAD_PLUGIN : ENT_OK;
}
