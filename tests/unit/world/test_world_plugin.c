/* test_world_plugin.c - component types that are registered and removed while a world exists, by
 * the host and by plugins, of any version on both sides.
 *
 * Invariants: a removed type leaves the world as if it had never been registered; memory is freed;
 * a plugin and a libent of different versions work together; a plugin that fails leaves nothing
 * behind; a recompiled library continues with the saved state. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "shared_library.h"
#include "test_scene.h"
#include "world_internal.h"

/* --- types --- */

static const SceneShape shape = {
    .entity_count = 200, .reach = 5, .share = 40, .transform = 90, .roots = 3};

static ManagerDesc desc_of(u32 i) {
    return (ManagerDesc){.type = plugin_types()[i], .extra_bytes = {8, 4}};
}

static u32  cleared_rows, removed_rows;
static void count_cleared(Manager* m) { cleared_rows += m->count; }
static void count_removed(Manager* m, u32 row) { removed_rows += row < m->count; }

/* A world with all types except one, which was registered and removed at some time. */
static void former_type(const Scene* s, u32 gone, u32 when) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World *           with = world_new(&desc), *without = world_new(NULL);
    Entity            a[200], b[200];
    ManagerDesc       type = desc_of(gone);
    type.cleared = count_cleared;
    cleared_rows = 0;
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc other = desc_of(i);
        if (i != gone) assert_int_equal(ent_world_register(with, &other), ENT_OK);
        if (i != gone) assert_int_equal(ent_world_register(without, &other), ENT_OK);
    }
    if (when == 2) assert_int_equal(ent_world_spawn(with, &s->blob, NULL, a), ENT_OK);
    assert_int_equal(ent_world_register(with, &type), ENT_OK);
    if (when == 0) assert_int_equal(ent_world_unregister(with, type.type.id), ENT_OK);
    if (when == 0) assert_int_equal(ent_world_unregister(with, type.type.id), ENT_NOT_FOUND);
    if (when < 2) assert_int_equal(ent_world_spawn(with, &s->blob, NULL, a), ENT_OK);
    const Manager* m = ent_world_manager(with, type.type.id);
    const u32      rows = m ? m->count : 0;
    assert_true((when == 1) == (rows > 0));
    if (when > 0) assert_int_equal(ent_world_unregister(with, type.type.id), ENT_OK);
    assert_int_equal(cleared_rows, rows);
    assert_null(ent_world_manager(with, type.type.id));
    assert_int_equal(ent_world_spawn(without, &s->blob, NULL, b), ENT_OK);
    assert_true(world_digest(with) == world_digest(without));
    /* Both continue in the same way: a destroyed entity is removed from every manager, the next
     * level finds its place. */
    assert_int_equal(ent_entity_destroy(with, a + 50, 100), 100);
    assert_int_equal(ent_entity_destroy(without, b + 50, 100), 100);
    assert_int_equal(ent_world_spawn(with, &s->blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(without, &s->blob, NULL, NULL), ENT_OK);
    assert_true(world_digest(with) == world_digest(without));
    ent_world_destroy(with);
    ent_world_destroy(without);
    assert_int_equal(counting.live_bytes, 0);
}

static void type_removed_from_world_leaves_no_trace(void** state) {
    Random random = {21};
    Scene  s;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    for (u32 gone = 0; gone < PLUGIN_COUNT; gone++) {
        for (u32 when = 0; when < 3; when++) former_type(&s, gone, when);
    }
    scene_close(&s);
}

/* The type is registered while entities exist, gets rows, and is removed again, more often than a
 * world has slabs. */
static void type_registered_and_removed_repeatedly_leaks_nothing(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_wide(&desc);
    Random            random = {22};
    Scene             s;
    Entity            entities[200];
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        assert_int_equal(ent_world_unregister(world, plugin_types()[i].id), ENT_OK);
    }
    const u64    before = world_digest(world);
    const size_t bytes = counting.live_bytes;
    for (u32 round = 0; round < 400; round++) {
        const u32   kind = round % PLUGIN_COUNT;
        ManagerDesc type = desc_of(kind);
        u32         row;
        type.removed = count_removed;
        removed_rows = 0;
        assert_int_equal(ent_world_register(world, &type), ENT_OK);
        assert_int_equal(ent_world_register(world, &type), ENT_EXISTS);
        Manager* m = manager_of(world, &plugin_types()[kind]);
        for (u32 e = 0; e < 60; e += 3) {
            assert_int_equal(ent_manager_create(world, m, entities[e], &row), ENT_OK);
            assert_int_equal(row, e / 3);
        }
        ent_manager_remove(world, m, 0);
        assert_int_equal(removed_rows, 1);
        assert_int_equal(m->count, 19);
        assert_int_equal(ent_manager_row(m, world->entities, entities[57]), 0);
        assert_int_equal(ent_manager_row(m, world->entities, entities[0]), MANAGER_NO_ROW);
        assert_int_equal(ent_world_unregister(world, plugin_types()[kind].id), ENT_OK);
        assert_true(world_digest(world) == before);
        assert_int_equal(counting.live_bytes, bytes);
    }
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        assert_int_equal(ent_world_unregister(world, ent_component_types()[i].id), ENT_NOT_FOUND);
    }
    assert_int_equal(ent_world_unregister(world, 4711), ENT_NOT_FOUND);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    scene_close(&s);
}

/* --- plugins that are linked in: like a library, they consist of two functions --- */

static struct {
    u32         setups, updates, closes, managers_at_close;
    u32         extra_managers; /* added by the next setup, */
    bool        invalid;        /* the last of them with an invalid state, */
    const char* reason;         /* and then returned as the error */
} host_plugin;

static const PluginField1 pulse_fields[] = {{"rate", "f32", 0, 4, 0, {2}, 0, 9, "", "", 0, 0, 0}};
static const PluginField1 beat_fields[] = {{"beat", "u32", 0, 4, 0, {0}, 0, 99, "", "", 0, 0, 0}};
static const PluginComponent1 pulse = {.name = "pulse",
                                       .fields = pulse_fields,
                                       .field_count = 1,
                                       .bytes = 4,
                                       .order = 310,
                                       .by_field = 1};
static const PluginComponent1 pulse_state = {
    .name = "pulse_state", .fields = beat_fields, .field_count = 1, .bytes = 4};

static const ApiWorld3* api;

static const char* pulse_setup(World* world, ApiGet* get_ent_api) {
    static const char* const names[] = {"echo", "tremor"};
    PluginManager3           m = {.component = &pulse,
                                  .extra_bytes = {4},
                                  .removed = count_removed,
                                  .cleared = count_cleared,
                                  .state = &pulse_state,
                                  .user = &host_plugin,
                                  .lazy = 1};
    api = get_ent_api(API_WORLD, 3);
    host_plugin.setups++;
    if (!api || get_ent_api(API_WORLD, 4) || get_ent_api(API_JSON, 1)) return "tables are wrong";
    api->add_manager(world, &m);
    for (u32 i = 0; i < host_plugin.extra_managers; i++) {
        PluginComponent1 more = pulse;
        more.name = names[i];
        more.direct = 1;
        m.component = &more;
        m.lazy = 0; /* the rows of a lazy manager are always found by hash */
        if (!host_plugin.invalid) m.state = NULL; /* two managers cannot save with one name */
        if (host_plugin.invalid) m.extra_bytes[0] = 8;
        api->add_manager(world, &m);
    }
    return host_plugin.reason;
}

static void count_up(void* user, u32 first, u32 end, u32 worker) {
    u32* beat = user;
    assert_true(worker < 3);
    for (u32 i = first; i < end; i++) beat[i]++;
}

static void pulse_update(World* world, f32 dt_s) {
    Manager* m = api->manager(world, "pulse");
    assert_true(dt_s == 0.25f);
    host_plugin.updates++;
    api->dispatch(world, api->count(m), 3, count_up, api->column(m, 1));
    /* Called after setup. */
    const PluginComponent1 late = {
        .name = "late", .fields = pulse_fields, .field_count = 1, .bytes = 4};
    const PluginManager3 m2 = {.component = &late};
    assert_false(api->add_manager(world, &m2));
}

static void pulse_close(World* world) {
    host_plugin.closes++;
    Manager* m = api->manager(world, "pulse");
    host_plugin.managers_at_close = m && api->count(m) == 0 && api->user(m) == &host_plugin;
}

static const PluginRuntime2 pulse_runtime = {pulse_setup, pulse_update, pulse_close};

static const void* pulse_get(u32 id, u32 version) {
    return id == PLUGIN_RUNTIME && version == 2 ? &pulse_runtime : NULL;
}

static char reported[2048];

static void log_append(void* user, LogLevel level, const char* text) {
    const size_t used = strlen(reported);
    UNUSED(user);
    UNUSED(level);
    snprintf(reported + used, sizeof reported - used, "%s\n", text);
}

/* The functions of version 2 for managers and plugins, with and without threads. */
static void plugin_interface_version_3_runs_jobs_and_removes_rows(void** state) {
    JobPool* pools[] = {NULL, ent_job_pool_create(2, NULL)};
    UNUSED(state);
    for (u32 p = 0; p < COUNT_OF(pools); p++) {
        const WorldDesc desc = {.jobs = pools[p], .log = {log_append, NULL}};
        World*          world = world_new(&desc);
        Entity          e[20];
        u32             row;
        memset(&host_plugin, 0, sizeof host_plugin);
        cleared_rows = removed_rows = 0;
        reported[0] = 0;
        assert_int_equal(ent_world_plugin(world, pulse_get), ENT_OK);
        Manager* m = api->manager(world, "pulse");
        assert_string_equal(m->desc.state->name, "pulse_state");
        assert_string_equal(m->desc.state->fields[0].name, "beat");
        assert_int_equal(api->workers(world), p == 0 ? 1 : 3);
        assert_int_equal(api->create_entities(world, e, 20), ENT_OK);
        for (u32 i = 0; i < 20; i++) {
            assert_int_equal(api->create(world, m, e[i], &row), ENT_OK);
        }
        assert_int_equal(api->create(world, m, e[3], &row), ENT_EXISTS);
        ent_world_plugins_update(world, 0.25f);
        ent_world_plugins_update(world, 0.25f);
        for (u32 i = 0; i < 20; i++) assert_int_equal(((u32*)api->column(m, 1))[i], 2);
        assert_string_equal(reported,
                            "a plugin's component is refused: late: it comes later than setup\n"
                            "a plugin's component is refused: late: it comes later than setup\n");
        assert_int_equal(host_plugin.updates, 2);
        api->remove(world, m, 19);
        assert_int_equal(removed_rows, 1);
        assert_true(api->alive(world, e[5]));
        assert_int_equal(api->destroy_entities(world, e + 5, 1), 1);
        assert_false(api->alive(world, e[5]));
        assert_int_equal(api->destroy_entities(world, e + 5, 1), 0);
        assert_int_equal(api->count(m), 19); /* lazy: the row is removed by ent_world_gc */
        while (api->count(m) == 19) ent_world_gc(world);
        assert_int_equal(api->count(m), 18);
        ent_world_clear(world);
        assert_int_equal(cleared_rows, 18);
        assert_int_equal(host_plugin.closes, 0);
        ent_world_destroy(world);
        assert_int_equal(host_plugin.closes, 1);
        assert_int_equal(host_plugin.managers_at_close, 1);
        ent_job_pool_destroy(pools[p]);
    }
}

/* Poses that a plugin writes become matrices, and those of its children are updated. */
static void poses_written_by_plugin_update_matrices_of_children(void** state) {
    World* world = world_new(NULL);
    Entity e[2];
    u32    row;
    UNUSED(state);
    memset(&host_plugin, 0, sizeof host_plugin);
    assert_int_equal(ent_world_plugin(world, pulse_get), ENT_OK);
    Manager* transforms = api->manager(world, "transform");
    assert_int_equal(api->create_entities(world, e, 2), ENT_OK);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(api->create(world, transforms, e[i], &row), ENT_OK);
    }
    assert_int_equal(ent_transform_reparent(world, e[1], e[0]), ENT_OK);
    row = api->row(world, transforms, e[0]);
    ((Vec3*)api->column(transforms, 0))[row].y = 3;
    api->touch(world, &row, 1);
    const Mat34* worlds = api->column(transforms, 3);
    assert_true(worlds[api->row(world, transforms, e[1])].m[1][3] == 3);
    ent_world_destroy(world);
}

static void plugins_opened_and_closed_repeatedly_leak_nothing(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_new(&desc);
    const size_t      bytes = counting.live_bytes;
    Entity            e;
    u32               row;
    UNUSED(state);
    memset(&host_plugin, 0, sizeof host_plugin);
    host_plugin.extra_managers = 2;
    cleared_rows = 0;
    assert_int_equal(ent_world_plugin_close(world, pulse_get), ENT_NOT_FOUND);
    assert_int_equal(ent_world_plugin(world, pulse_get), ENT_OK);
    assert_int_equal(ent_world_plugin(world, pulse_get), ENT_EXISTS);
    assert_int_equal(host_plugin.setups, 1);
    assert_int_equal(world->manager_count, COMPONENT_COUNT + 3);
    assert_int_equal(ent_world_manager_by_name(world, "pulse")->desc.type.lookup, HASHED);
    assert_int_equal(ent_world_manager_by_name(world, "echo")->desc.type.lookup, DIRECT);
    assert_int_equal(ent_entity_create(world, &e, 1), ENT_OK);
    static const char* const names[] = {"pulse", "echo", "light"};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        Manager* m = ent_world_manager_by_name(world, names[i]);
        assert_int_equal(ent_manager_create(world, m, e, &row), ENT_OK);
    }
    assert_int_equal(ent_world_plugin_close(world, pulse_get), ENT_OK);
    assert_int_equal(ent_world_plugin_close(world, pulse_get), ENT_NOT_FOUND);
    assert_int_equal(cleared_rows, 2);
    assert_int_equal(host_plugin.closes, 1);
    assert_int_equal(host_plugin.managers_at_close, 1);
    assert_int_equal(world->manager_count, COMPONENT_COUNT);
    ent_world_plugins_update(world, 0.25f);
    assert_int_equal(host_plugin.updates, 0);
    assert_true(ent_entity_alive(world->entities, e));
    assert_int_equal(ent_light_rows(world).count, 1);
    assert_int_equal(ent_world_plugin(world, pulse_get), ENT_OK);
    assert_int_equal(ent_world_manager_by_name(world, "pulse")->count, 0);
    /* One type of a plugin may be removed alone. */
    assert_int_equal(
        ent_world_unregister(world, ent_world_manager_by_name(world, "echo")->desc.type.id),
        ENT_OK);
    assert_int_equal(ent_world_plugin_close(world, pulse_get), ENT_OK);
    assert_true(counting.live_bytes > bytes); /* memory of the entity */
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

/* Whatever fails in setup, the plugin's close function is called and nothing of it remains. */
static void plugin_that_fails_in_setup_is_removed_completely(void** state) {
    static char       taken_name[] = "tremor";
    CountingAllocator counting = {0};
    const WorldDesc desc = {.allocator = counting_allocator(&counting), .log = {log_append, NULL}};
    World*          world = world_new(&desc);
    ManagerDesc     taken = desc_of(PLUGIN_tag);
    UNUSED(state);
    taken.type.record.name = taken_name;
    assert_int_equal(ent_world_register(world, &taken), ENT_OK);
    const size_t bytes = counting.live_bytes;
    const struct {
        u32         extra_managers;
        bool        invalid;
        const char* reason;
        ent_status  status;
        const char* reported;
    } cases[] = {
        {0, false, "the moon is not full", ENT_BAD_PLUGIN,
         "the plugin cannot be used: the moon is not full\n"},
        {1, true, NULL, ENT_BAD_PLUGIN,
         "a plugin's component is refused: echo: field \"beat\" of its state is not extra column "
         "0\n"},
        {2, false, NULL, ENT_EXISTS,
         "a plugin's component is refused: tremor: it already exists, and only one is "
         "allowed\n"},
    };
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        memset(&host_plugin, 0, sizeof host_plugin);
        host_plugin.extra_managers = cases[i].extra_managers;
        host_plugin.invalid = cases[i].invalid;
        host_plugin.reason = cases[i].reason;
        reported[0] = 0;
        assert_int_equal(ent_world_plugin(world, pulse_get), cases[i].status);
        assert_string_equal(reported, cases[i].reported);
        assert_int_equal(host_plugin.closes, 1);
        assert_int_equal(host_plugin.managers_at_close, 1);
        assert_int_equal(world->manager_count, COMPONENT_COUNT + 1);
        assert_int_equal(world->plugin_count, 0);
        assert_int_equal(counting.live_bytes, bytes);
    }
    for (u32 nth = 1; nth <= 3; nth++) {
        memset(&host_plugin, 0, sizeof host_plugin);
        host_plugin.extra_managers = 1;
        counting.fail_at = counting.allocations + nth;
        assert_int_equal(ent_world_plugin(world, pulse_get), nth <= 2 ? ENT_NO_MEMORY : ENT_OK);
        assert_int_equal(world->plugin_count, nth == 3);
        if (nth <= 2) assert_int_equal(counting.live_bytes, bytes);
    }
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

static u32  closing;
static void record_close(World* world) {
    UNUSED(world);
    closing++;
}
static const char* no_setup(World* world, ApiGet* get) {
    UNUSED(world);
    UNUSED(get);
    return NULL;
}
#define CROWD(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
#define MEMBER(i)                                                                                  \
    static const void* member_##i(u32 id, u32 version) {                                           \
        static const PluginRuntime2 runtime = {no_setup, NULL, record_close};                      \
        return id == PLUGIN_RUNTIME && version == 2 ? &runtime : NULL;                             \
    }                                                                                              \
    static const void* other_##i(u32 id, u32 version) { return member_##i(id, version); }          \
    static const void* third_##i(u32 id, u32 version) { return other_##i(id, version); }
CROWD(MEMBER)
#define MEMBERS(i) member_##i, other_##i, third_##i,

static void plugins_beyond_the_limit_of_a_world_are_refused(void** state) {
    static ApiGet* const crowd[] = {CROWD(MEMBERS)};
    World*               world = world_new(NULL);
    UNUSED(state);
    closing = 0;
    assert_int_equal(COUNT_OF(crowd), WORLD_PLUGINS_MAX + 1);
    for (u32 i = 0; i < WORLD_PLUGINS_MAX; i++) {
        assert_int_equal(ent_world_plugin(world, crowd[i]), ENT_OK);
    }
    assert_int_equal(ent_world_plugin(world, crowd[WORLD_PLUGINS_MAX]), ENT_LIMIT);
    assert_int_equal(ent_world_plugin_close(world, crowd[7]), ENT_OK);
    assert_int_equal(ent_world_plugin_close(world, crowd[7]), ENT_NOT_FOUND);
    assert_int_equal(closing, 1);
    assert_int_equal(ent_world_plugin(world, crowd[WORLD_PLUGINS_MAX]), ENT_OK);
    ent_world_destroy(world);
    assert_int_equal(closing, WORLD_PLUGINS_MAX + 1);
}

/* --- libraries --- */

static const char coast[] =
    "{ \"entities\": [\n"
    "  { \"name\": \"hut\", \"components\": { \"transform\": {}, \"light\": {} } },\n"
    "  { \"name\": \"bay\", \"components\": { \"wind\": { \"from\": \"south\", \"shelter\": "
    "\"hut\",\n"
    "      \"speed_m_s\": 8 } } },\n"
    "  { \"name\": \"cape\", \"components\": { \"wind\": { \"from\": 90, \"speed_m_s\": 4 } } } "
    "] }\n";

/* A folder with a level in out/ and builds of the plugin beside it. The caller frees the path. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/coast.level.json", coast);
    TEST_DONE(folder,
              "bin=$(dirname $(command -v entc))/tests/plugins; cp $bin/plugin_wind.so wind.so; "
              "cp $bin/plugin_wind_duplicate.so anew.so");
    TEST_DONE(folder, "entc build src -o out -q --plugin wind.so");
    return folder;
}

static void level_open(Resource* level, const char* folder) {
    char path[1200];
    snprintf(path, sizeof path, "%s/out/coast.level", folder);
    if (!HOST_IS_LITTLE)
        TEST_DONE(folder, "entc build src -o out --target big -q --plugin wind.so");
    assert_int_equal(ent_resource_open(level, path, NULL, NULL), ENT_OK);
}

static ApiGet* plugin_open(const char* folder, const char* name, void** library) {
    char path[1200], reason[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *library = shared_library_open(path, reason, sizeof reason);
    if (!*library) fail_msg("%s", reason);
    return (ApiGet*)shared_library_function(*library, "ent_get_plugin_api");
}

/* A plugin and a libent of other versions: the one provides only tables of version 1, the other
 * returns only these. */
static const void* other_plugin(u32 id, u32 version) {
    static const PluginRuntime2 runtime = {0};
    return id == PLUGIN_RUNTIME && version == 1 ? &runtime : NULL;
}
static ApiGet*     wind_plugin;
static const void* no_api(u32 id, u32 version) {
    UNUSED(id);
    UNUSED(version);
    return NULL;
}
static const char* wind_setup_without_api(World* world, ApiGet* get_ent_api) {
    const PluginRuntime2* wind = wind_plugin(PLUGIN_RUNTIME, 2);
    assert_null(get_ent_api(API_WORLD, 1));
    return wind->setup(world, no_api);
}
static const void* plugin_of_other_host(u32 id, u32 version) {
    static const PluginRuntime2 runtime = {wind_setup_without_api, NULL, NULL};
    return id == PLUGIN_RUNTIME && version == 2 ? &runtime : NULL;
}

static void plugin_and_host_of_different_versions_refuse_each_other(void** state) {
    char*  folder = project("world_plugin_ages");
    World* world = world_new(NULL);
    void*  library;
    UNUSED(state);
    wind_plugin = plugin_open(folder, "wind.so", &library);
    assert_int_equal(ent_world_plugin(world, other_plugin), ENT_BAD_PLUGIN);
    assert_int_equal(ent_world_plugin(world, plugin_of_other_host), ENT_BAD_PLUGIN);
    assert_null(ent_world_manager_by_name(world, "wind"));
    assert_int_equal(ent_world_plugin(world, wind_plugin), ENT_OK);
    assert_non_null(ent_world_manager_by_name(world, "wind"));
    ent_world_destroy(world);
    shared_library_close(library);
    free(folder);
}

/* Loads a save and finds the rows, and the state of the manager: the same bytes again. */
static void save_exists(World* world, const void* bytes, size_t size) {
    Entity            e[3];
    Blob              save;
    void*             again;
    size_t            again_size;
    const SaveSource  source = {&save, e};
    const SaveOptions options = {.name = "saves/quick", .sources = &source, .source_count = 1};
    assert_int_equal(ent_blob_open(&save, bytes, size, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &save, NULL, e), ENT_OK);
    const Manager* m = ent_world_manager_by_name(world, "wind");
    const f32*     now = m->column[4];
    assert_int_equal(m->count, 2);
    assert_true(now[0] == 6 && now[1] == 3); /* not the values of the spawner, which are 4 and 2 */
    assert_int_equal(((const Entity*)m->column[3])[0], e[0]);
    assert_int_equal(ent_world_save(world, &options, &again, &again_size), ENT_OK);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    ent_world_save_free(world, again, again_size);
    ent_world_plugins_update(world, 0.5f); /* and updates continue */
    assert_true(now[0] == 7 && now[1] == 3.5f);
}

/* Saved, unloaded, recompiled under the same name, and loaded, in one world. */
static void plugin_recompiled_and_reloaded_restores_its_state(void** state) {
    char*             folder = project("world_plugin_anew");
    CountingAllocator counting = {0};
    const WorldDesc desc = {.allocator = counting_allocator(&counting), .log = {log_append, NULL}};
    World*          world = world_new(&desc);
    Entity          e[3];
    Resource        level;
    void*           library;
    UNUSED(state);
    reported[0] = 0;
    level_open(&level, folder);
    ApiGet* get = plugin_open(folder, "wind.so", &library);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, e), ENT_OK);
    ent_world_plugins_update(world, 0.5f);
    void*             bytes = NULL;
    size_t            size;
    const SaveSource  source = {&level.blob, e};
    const SaveOptions options = {.name = "saves/quick", .sources = &source, .source_count = 1};
    assert_int_equal(ent_world_save(world, &options, &bytes, &size), ENT_OK);
    ent_world_clear(world);
    assert_int_equal(ent_world_plugin_close(world, get), ENT_OK);
    assert_string_equal(reported, "wind is down\n");
    shared_library_close(library);
    TEST_DONE(folder, "cp anew.so new && mv new wind.so");
    get = plugin_open(folder, "wind.so", &library);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    save_exists(world, bytes, size);
    ent_world_save_free(world, bytes, size);
    assert_int_equal(ent_world_plugin_close(world, get), ENT_OK);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    shared_library_close(library);
    ent_resource_close(&level);
    free(folder);
}

/* Another file takes the place of the library, which is unloaded; nothing is saved in between. */
static void library_replaced_by_another_file_keeps_its_rows_and_state(void** state) {
    char*           folder = project("world_plugin_replaced");
    const WorldDesc desc = {.log = {log_append, NULL}};
    World*          world = world_new(&desc);
    Entity          e[3];
    Resource        level;
    void *          library, *next;
    UNUSED(state);
    reported[0] = 0;
    level_open(&level, folder);
    ApiGet* get = plugin_open(folder, "wind.so", &library);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, e), ENT_OK);
    ent_world_plugins_update(world, 0.5f);
    ApiGet* other = plugin_open(folder, "anew.so", &next);
    assert_ptr_not_equal(other, get);
    assert_int_equal(ent_world_plugin_replace(world, get, other), ENT_OK);
    assert_string_equal(reported, "wind is down\n");
    shared_library_close(library);
    const Manager* m = ent_world_manager_by_name(world, "wind");
    const f32*     now = m->column[4];
    assert_int_equal(m->count, 2);
    assert_true(m->entity[0] == e[1] && now[0] == 6 && now[1] == 3);
    assert_int_equal(((const Entity*)m->column[3])[0], e[0]);
    ent_world_plugins_update(world, 0.5f);
    assert_true(now[0] == 7 && now[1] == 3.5f);
    ent_world_destroy(world);
    shared_library_close(next);
    ent_resource_close(&level);
    free(folder);
}

/* Existing entities are kept when the library is unloaded and another is loaded; only its rows are
 * not. */
static void world_whose_plugin_is_unloaded_keeps_its_entities(void** state) {
    char*    folder = project("world_plugin_without");
    World*   world = world_new(NULL);
    Entity   e[3];
    Resource level;
    void*    library;
    UNUSED(state);
    level_open(&level, folder);
    ApiGet* get = plugin_open(folder, "wind.so", &library);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, e), ENT_OK);
    assert_int_equal(ent_world_plugin_close(world, get), ENT_OK);
    shared_library_close(library);
    for (u32 i = 0; i < 3; i++) assert_true(ent_entity_alive(world->entities, e[i]));
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_light_rows(world).count, 2);
    get = plugin_open(folder, "anew.so", &library);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    const Manager* m = ent_world_manager_by_name(world, "wind");
    assert_int_equal(m->count, 0);
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, NULL), ENT_OK);
    assert_int_equal(m->count, 2);
    assert_int_equal(ent_light_rows(world).count, 3);
    ent_world_destroy(world);
    shared_library_close(library);
    ent_resource_close(&level);
    free(folder);
}

TEST_SUITE(world_plugin) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_removed_from_world_leaves_no_trace),
        cmocka_unit_test(type_registered_and_removed_repeatedly_leaks_nothing),
        cmocka_unit_test(plugin_interface_version_3_runs_jobs_and_removes_rows),
        cmocka_unit_test(poses_written_by_plugin_update_matrices_of_children),
        cmocka_unit_test(plugins_opened_and_closed_repeatedly_leak_nothing),
        cmocka_unit_test(plugin_that_fails_in_setup_is_removed_completely),
        cmocka_unit_test(plugins_beyond_the_limit_of_a_world_are_refused),
        cmocka_unit_test(plugin_and_host_of_different_versions_refuse_each_other),
        cmocka_unit_test(plugin_recompiled_and_reloaded_restores_its_state),
        cmocka_unit_test(library_replaced_by_another_file_keeps_its_rows_and_state),
        cmocka_unit_test(world_whose_plugin_is_unloaded_keeps_its_entities),
    };
    return TEST_RUN("world_plugin", tests);
}
