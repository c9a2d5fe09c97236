/* test_plugin_replace.c - another plugin takes the place of one in a world, and its rows: what a plain model of the instances
 * expects is there afterwards, converted, whatever fails before. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "test_scene.h"
#include "world_internal.h"

#define ENTITIES 200
#define SOOT_MAX 3

/* --- two versions of a plugin --- */

/* heat: an entity has one. soot: several. ash: only in the first version. */
static const PluginField1 heat_1[] = {{"degrees", "f32", 0, 4, 0, {0}, -1e6, 1e6, "", "", 0, 0, 0},
                                      {"source", "EntityRef", 4, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                      {"label", "TextRef", 8, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                      {"gone", "u32", 12, 4, 0, {0}, 0, 99, "", "", 0, 0, 0}};
static const PluginField1 heat_2[] = {{"source", "EntityRef", 0, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                      {"celsius", "i32", 4, 4, 0, {0}, -500, 500, "", "", 0, 0, 0},
                                      {"limit", "f32", 8, 4, 0, {7}, 0, 99, "", "", 0, 0, 0},
                                      {"label", "TextRef", 12, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                      {"other", "EntityRef", 16, 4, 0, {0}, 0, 0, "", "", 0, 0, 0}};
static const PluginField1 age_1[] = {{"age", "u32", 0, 4, 0, {0}, 0, 999, "", "", 0, 0, 0},
                                     {"from", "EntityRef", 4, 4, 0, {0}, 0, 0, "", "", 0, 0, 0}};
static const PluginField1 age_2[] = {{"from", "EntityRef", 0, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                     {"into", "EntityRef", 4, 4, 0, {0}, 0, 0, "", "", 0, 0, 0},
                                     {"age", "u32", 8, 4, 0, {0}, 0, 999, "", "", 0, 0, 0}};
static const PluginField1 grains[] = {{"grains", "u32", 0, 4, 0, {1}, 0, 999, "", "", 0, 0, 0}};
static const PluginField1 needed[] = {{"grains", "u32", 0, 4, 0, {1}, 0, 999, "", "", 0, 0, 0},
                                      {"mine", "f32", 4, 4, 1, {0}, 0, 9, "", "", 0, 0, 0}};

static struct {
    u32         closes[2], cleared[2], managers_at_close[2];
    u32         spawned; /* rows that the spawner of the second version received */
    const char* reason;  /* why the second version cannot be used */
    bool        needs;   /* it has a required field without a source */
    bool
        joins; /* the first version has a component "warmth" too, which stays the one of that name */
    Entity owned; /* an entity that the first version destroys when it is closed */
} seen;

static const ApiWorld3* api;

static void cleared_1(Manager* m) { seen.cleared[0] += m->count; }
static void cleared_2(Manager* m) { seen.cleared[1] += m->count; }

static PluginComponent1 component(const char* name, const PluginField1* fields, u32 count) {
    return (PluginComponent1){
        .name = name, .fields = fields, .field_count = count, .bytes = count * 4, .by_field = 1};
}

static void add(World* w, const PluginComponent1* c, const PluginManager3* m) {
    PluginManager3 manager = *m;
    manager.component = c;
    api->add_manager(w, &manager);
}

static const char* setup_1(World* w, ApiGet* get) {
    PluginComponent1 heat = component("heat", heat_1, 4), soot = component("soot", grains, 1),
                     ash = component("ash", grains, 1), age = component("heat_age", age_1, 2);
    const PluginManager3 with_age = {.state = &age, .extra_bytes = {4, 4}, .cleared = cleared_1};
    const PluginManager3 plain = {.cleared = cleared_1};
    api = get(API_WORLD, 3);
    soot.several = 1;
    heat.order = 310, soot.order = 320, ash.order = 330;
    add(w, &heat, &with_age);
    add(w, &soot, &plain);
    add(w, &ash, &plain);
    if (seen.joins) {
        PluginComponent1 warmth = component("warmth", heat_2, 5);
        warmth.order = 340;
        add(w, &warmth, &plain);
    }
    return NULL;
}

/* The spawner sees the rows with its own fields, and sets columns that no state describes. */
static void spawn_2(World* w, Manager* m, const SpawnBatch* batch) {
    const u32 first = api->append(m, batch);
    UNUSED(w);
    seen.spawned += batch->count;
    for (u32 c = 5; c < 9; c++) {
        for (u32 i = first; i < api->count(m); i++) ((u32*)api->column(m, c))[i] = 4706 + c;
    }
}

static const char* setup_2(World* w, ApiGet* get) {
    static const FormerName was[] = {{"heat", UINT32_MAX, UINT32_MAX}, {"degrees", 1, UINT32_MAX}};
    PluginComponent1        warmth = component("warmth", heat_2, 5),
                     soot = component("soot", seen.needs ? needed : grains, seen.needs ? 2 : 1),
                     age = component("warmth_age", age_2, 3);
    const PluginManager3 with_age = {.state = &age,
                                     .extra_bytes = {4, 4, 4, 4},
                                     .cleared = cleared_2,
                                     .spawn = spawn_2,
                                     .was = was,
                                     .was_count = 2};
    const PluginManager3 plain = {.cleared = cleared_2, .extra_bytes = {4}};
    api = get(API_WORLD, 3);
    soot.several = 1, soot.by_field = 0, soot.direct = 1;
    warmth.order = 600, soot.order = 110;
    add(w, &soot, &plain);
    add(w, &warmth, &with_age);
    return seen.reason;
}

static void close_of(World* w, u32 version, const char* const* names, u32 count) {
    u32 managers = 0;
    for (u32 i = 0; i < count; i++) {
        const Manager* m = api->manager(w, names[i]);
        managers += m && m->count == 0;
    }
    seen.closes[version]++;
    seen.managers_at_close[version] = managers;
}

static void close_1(World* w) {
    static const char* const names[] = {"heat", "soot", "ash"};
    if (seen.owned) api->destroy_entities(w, &seen.owned, 1);
    close_of(w, 0, names, COUNT_OF(names));
}

static void close_2(World* w) {
    static const char* const names[] = {"warmth", "soot"};
    close_of(w, 1, names, COUNT_OF(names));
}

static const PluginRuntime2 runtime_1 = {setup_1, NULL, close_1};
static const PluginRuntime2 runtime_2 = {setup_2, NULL, close_2};

static const void* get_1(u32 id, u32 version) {
    return id == PLUGIN_RUNTIME && version == 2 ? &runtime_1 : NULL;
}
static const void* get_2(u32 id, u32 version) {
    return id == PLUGIN_RUNTIME && version == 2 ? &runtime_2 : NULL;
}
static const void* get_none(u32 id, u32 version) {
    UNUSED(id);
    UNUSED(version);
    return NULL;
}

/* --- a plain model --- */

typedef struct Embers {
    World*  world;
    Entity  entity[ENTITIES];
    bool    alive[ENTITIES], has_heat[ENTITIES];
    f32     degrees[ENTITIES];
    Entity  source[ENTITIES], from[ENTITIES];
    TextRef label[ENTITIES];
    u32     age[ENTITIES], soots[ENTITIES], soot[ENTITIES][SOOT_MAX];
    u32     heats, all_soots, ashes;
} Embers;

static char reported[4096];

static void log_append(void* user, LogLevel level, const char* text) {
    const size_t used = strlen(reported);
    UNUSED(user);
    UNUSED(level);
    snprintf(reported + used, sizeof reported - used, "%s\n", text);
}

static void heat_add(Embers* e, Random* r, u32 i) {
    static const char* const labels[] = {"", "ember", "coal"};
    Manager*                 m = ent_world_manager_by_name(e->world, "heat");
    u32                      row;
    e->has_heat[i] = true;
    e->degrees[i] = random_float(r, -900, 900);
    e->source[i] = random_below(r, 4) ? e->entity[random_below(r, ENTITIES)] : ENTITY_NULL;
    e->from[i] = e->entity[random_below(r, ENTITIES)];
    e->age[i] = random_below(r, 999);
    assert_int_equal(ent_world_text_add(e->world, labels[random_below(r, 3)], &e->label[i]),
                     ENT_OK);
    assert_int_equal(ent_manager_create(e->world, m, e->entity[i], &row), ENT_OK);
    ((f32*)m->column[0])[row] = e->degrees[i];
    ((Entity*)m->column[1])[row] = e->source[i];
    ((TextRef*)m->column[2])[row] = e->label[i];
    ((u32*)m->column[4])[row] = e->age[i];
    ((Entity*)m->column[5])[row] = e->from[i];
}

static void instances_add(Embers* e, Random* r, u32 i) {
    Manager* soot = ent_world_manager_by_name(e->world, "soot");
    Manager* ash = ent_world_manager_by_name(e->world, "ash");
    u32      row;
    if (random_below(r, 3)) heat_add(e, r, i);
    for (e->soots[i] = 0; e->soots[i] < SOOT_MAX && random_below(r, 2); e->soots[i]++) {
        assert_int_equal(ent_manager_create(e->world, soot, e->entity[i], &row), ENT_OK);
        e->soot[i][e->soots[i]] = ((u32*)soot->column[0])[row] = random_below(r, 999);
    }
    if (random_below(r, 5) == 0)
        assert_int_equal(ent_manager_create(e->world, ash, e->entity[i], &row), ENT_OK);
}

/* Entities in a random order, some destroyed; handles have a generation, so that they are no indices. */
static void embers_open(Embers* e, const WorldDesc* desc, u64 seed) {
    static Entity crowd[3000];
    Random        r = {seed};
    *e = (Embers){0};
    assert_int_equal(ent_world_create(&e->world, desc), ENT_OK);
    assert_int_equal(ent_world_plugin(e->world, get_1), ENT_OK);
    assert_int_equal(ent_entity_create(e->world, crowd, COUNT_OF(crowd)), ENT_OK);
    assert_int_equal(ent_entity_destroy(e->world, crowd, COUNT_OF(crowd)), COUNT_OF(crowd));
    assert_int_equal(ent_entity_create(e->world, e->entity, ENTITIES), ENT_OK);
    assert_true(e->entity[0] > ENTITY_INDEX_MASK);
    for (u32 k = 0; k < ENTITIES; k++) instances_add(e, &r, k * 77 % ENTITIES);
    for (u32 i = 0; i < ENTITIES; i++) {
        e->alive[i] = random_below(&r, 6) != 0;
        if (!e->alive[i]) ent_entity_destroy(e->world, &e->entity[i], 1);
        e->heats += e->alive[i] && e->has_heat[i];
        e->all_soots += e->alive[i] ? e->soots[i] : 0;
    }
    e->ashes = ent_world_manager_by_name(e->world, "ash")->count;
}

static Entity alive_or_null(const Embers* e, Entity entity) {
    return ent_entity_alive(ent_world_entities(e->world), entity) ? entity : ENTITY_NULL;
}

static i32 celsius_of(f32 degrees) {
    const f32 limited = degrees < -500 ? -500 : degrees > 500 ? 500 : degrees;
    return (i32)lroundf(limited);
}

static void heat_fits(const Embers* e, const Manager* m, u32 i) {
    const u32 row = ent_manager_row(m, ent_world_entities(e->world), e->entity[i]);
    assert_int_equal(row != MANAGER_NO_ROW, e->alive[i] && e->has_heat[i]);
    if (row == MANAGER_NO_ROW) return;
    assert_int_equal(((Entity*)m->column[0])[row], alive_or_null(e, e->source[i]));
    assert_true(abs(((i32*)m->column[1])[row] - celsius_of(e->degrees[i])) == 0);
    assert_true(((f32*)m->column[2])[row] == 7);
    assert_int_equal(((TextRef*)m->column[3])[row], e->label[i]);
    assert_int_equal(((Entity*)m->column[4])[row], ENTITY_NULL);
    /* The state: copied as it is, a stale handle too. */
    assert_int_equal(((Entity*)m->column[5])[row], e->from[i]);
    assert_int_equal(((u32*)m->column[6])[row], 4712); /* the old state has no such field */
    assert_int_equal(((u32*)m->column[7])[row], e->age[i]);
    assert_int_equal(((u32*)m->column[8])[row], 4714);
}

static void soot_fits(const Embers* e, const Manager* m, u32 i) {
    u32 row = ent_manager_row(m, ent_world_entities(e->world), e->entity[i]);
    for (u32 k = 0; e->alive[i] && k < e->soots[i]; k++, row = ent_manager_next(m, row)) {
        assert_int_not_equal(row, MANAGER_NO_ROW);
        assert_int_equal(((u32*)m->column[0])[row], e->soot[i][k]);
        assert_int_equal(((u32*)m->column[1])[row], 0); /* no spawner fills it */
    }
    assert_int_equal(row, MANAGER_NO_ROW);
}

static void embers_fit_second(const Embers* e) {
    const Manager* warmth = ent_world_manager_by_name(e->world, "warmth");
    const Manager* soot = ent_world_manager_by_name(e->world, "soot");
    assert_null(ent_world_manager_by_name(e->world, "heat"));
    assert_null(ent_world_manager_by_name(e->world, "ash"));
    assert_int_equal(warmth->count, e->heats);
    assert_int_equal(soot->count, e->all_soots);
    for (u32 i = 0; i < ENTITIES; i++) {
        heat_fits(e, warmth, i);
        soot_fits(e, soot, i);
    }
}

/* --- tests --- */

static void replaced_plugin_leaves_its_rows_to_the_new_one(void** state) {
    const WorldDesc desc = {.log = {log_append, NULL}};
    static Embers   e;
    UNUSED(state);
    for (u32 seed = 1; seed <= 20; seed++) {
        u64          words[ENT_MANAGER_WATCH_WORDS(1000)] = {0};
        ManagerWatch watch = {.changed = words, .capacity = 1000};
        memset(&seen, 0, sizeof seen);
        reported[0] = 0;
        embers_open(&e, &desc, seed);
        ent_manager_watch(ent_world_manager_by_name(e.world, "soot"), &watch);
        memset(words, 0, sizeof words);
        assert_int_equal(ent_world_plugin_replace(e.world, get_1, get_2), ENT_OK);
        embers_fit_second(&e);
        assert_int_equal(seen.closes[0], 1);
        assert_int_equal(seen.managers_at_close[0], 3);
        assert_int_equal(seen.closes[1], 0);
        assert_int_equal(seen.cleared[0], e.heats + e.all_soots + e.ashes);
        assert_int_equal(seen.spawned, e.heats);
        for (u32 row = 0; row < e.all_soots; row++) assert_true(words[row / 64] >> row % 64 & 1);
        assert_non_null(strstr(reported, "the new plugin has no component ash: its "));
        assert_non_null(strstr(reported, "gone"));
        /* The world goes on with the new one. */
        assert_int_equal(ent_world_plugin_close(e.world, get_1), ENT_NOT_FOUND);
        for (u32 i = 0; i < ENTITIES; i += 2) {
            e.alive[i] = false;
            e.heats -= ent_entity_alive(ent_world_entities(e.world), e.entity[i]) && e.has_heat[i];
            e.all_soots -=
                ent_entity_alive(ent_world_entities(e.world), e.entity[i]) ? e.soots[i] : 0;
            ent_entity_destroy(e.world, &e.entity[i], 1);
        }
        assert_int_equal(ent_world_manager_by_name(e.world, "warmth")->count, e.heats);
        assert_int_equal(ent_world_manager_by_name(e.world, "soot")->count, e.all_soots);
        assert_int_equal(ent_world_plugin_close(e.world, get_2), ENT_OK);
        assert_int_equal(seen.managers_at_close[1], 2);
        assert_int_equal(ent_world_manager_count(e.world), COMPONENT_COUNT);
        ent_world_destroy(e.world);
    }
}

/* Of two components that would become one, the one with its name does. */
static void two_components_do_not_become_one(void** state) {
    const WorldDesc desc = {.log = {log_append, NULL}};
    static Embers   e;
    u32             row, heats = 0;
    UNUSED(state);
    memset(&seen, 0, sizeof seen);
    seen.joins = true;
    reported[0] = 0;
    embers_open(&e, &desc, 8);
    Manager* warmth = ent_world_manager_by_name(e.world, "warmth");
    for (u32 i = 0; i < ENTITIES; i += 3) {
        if (!e.alive[i]) continue;
        assert_int_equal(ent_manager_create(e.world, warmth, e.entity[i], &row), ENT_OK);
        ((i32*)warmth->column[1])[row] = 37;
        heats++;
    }
    assert_int_equal(ent_world_plugin_replace(e.world, get_1, get_2), ENT_OK);
    warmth = ent_world_manager_by_name(e.world, "warmth");
    assert_int_equal(warmth->count, heats);
    for (row = 0; row < heats; row++) assert_int_equal(((i32*)warmth->column[1])[row], 37);
    assert_non_null(strstr(reported, "the new plugin has no component heat: its "));
    ent_world_destroy(e.world);
}

/* What a plugin destroys while it is closed has no rows afterwards, and nothing refers to it. */
static void entity_destroyed_by_the_closed_plugin_has_no_rows(void** state) {
    static Embers e;
    u32           k = 0;
    UNUSED(state);
    memset(&seen, 0, sizeof seen);
    embers_open(&e, NULL, 9);
    while (!e.alive[k] || !e.has_heat[k] || e.soots[k] == 0) k++;
    seen.owned = e.entity[k];
    assert_int_equal(ent_world_plugin_replace(e.world, get_1, get_2), ENT_OK);
    assert_false(ent_entity_alive(ent_world_entities(e.world), seen.owned));
    e.alive[k] = false;
    e.heats--;
    e.all_soots -= e.soots[k];
    embers_fit_second(&e);
    ent_world_destroy(e.world);
}

/* The world with its old plugin, bit by bit. */
static void expect_refused(Embers* e, ApiGet* before, ApiGet* get, ent_status expected) {
    const u64 digest = world_digest(e->world);
    const u32 closes = seen.closes[0], cleared = seen.cleared[0];
    assert_int_equal(ent_world_plugin_replace(e->world, before, get), expected);
    assert_true(world_digest(e->world) == digest);
    assert_int_equal(seen.closes[0], closes);
    assert_int_equal(seen.cleared[0], cleared);
    assert_int_equal(ent_world_plugin(e->world, get_1), ENT_EXISTS);
}

static void plugin_that_cannot_be_replaced_goes_on_with_its_rows(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc desc = {.allocator = counting_allocator(&counting), .log = {log_append, NULL}};
    static Embers   e;
    u32             failures = 0;
    UNUSED(state);
    memset(&seen, 0, sizeof seen);
    reported[0] = 0;
    embers_open(&e, &desc, 5);
    expect_refused(&e, get_2, get_none, ENT_NOT_FOUND);
    expect_refused(&e, get_1, get_1, ENT_EXISTS);
    expect_refused(&e, get_1, get_none, ENT_BAD_PLUGIN);
    seen.reason = "the moon is not full";
    expect_refused(&e, get_1, get_2, ENT_BAD_PLUGIN);
    assert_int_equal(seen.closes[1], 1);
    assert_int_equal(seen.managers_at_close[1], 2);
    seen.reason = NULL;
    seen.needs = true;
    expect_refused(&e, get_1, get_2, ENT_BAD_FIELD);
    seen.needs = false;
    for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; failures++) {
        const u64    digest = world_digest(e.world);
        const size_t live = counting.live_bytes;
        counting.fail_at = counting.allocations + failures + 1;
        status = ent_world_plugin_replace(e.world, get_1, get_2);
        counting.fail_at = 0;
        if (status == ENT_OK) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_true(world_digest(e.world) == digest);
        assert_true(counting.live_bytes <= live + 200000); /* at most capacity that stays */
    }
    assert_true(failures >= 4);
    embers_fit_second(&e);
    ent_world_destroy(e.world);
    assert_int_equal(counting.live_bytes, 0);
}

/* To the same version, again and again: nothing changes, nothing leaks. */
static const void* get_again(u32 id, u32 version) { return get_1(id, version); }

static void plugin_replaced_by_the_same_again_and_again_keeps_all(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    static Embers     e;
    size_t            bytes = 0;
    UNUSED(state);
    memset(&seen, 0, sizeof seen);
    embers_open(&e, &desc, 6);
    for (u32 i = 0; i < 300; i++) {
        ApiGet *before = i % 2 ? get_again : get_1, *next = i % 2 ? get_1 : get_again;
        assert_int_equal(ent_world_plugin_replace(e.world, before, next), ENT_OK);
        assert_int_equal(ent_world_manager_by_name(e.world, "ash")->count, e.ashes);
        if (i == 20) bytes = counting.live_bytes;
        if (i > 20) assert_true(counting.live_bytes <= bytes);
    }
    assert_int_equal(ent_world_plugin_replace(e.world, get_1, get_2), ENT_OK);
    embers_fit_second(&e);
    ent_world_destroy(e.world);
    assert_int_equal(counting.live_bytes, 0);
}

TEST_SUITE(plugin_replace) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_plugin_leaves_its_rows_to_the_new_one),
        cmocka_unit_test(two_components_do_not_become_one),
        cmocka_unit_test(entity_destroyed_by_the_closed_plugin_has_no_rows),
        cmocka_unit_test(plugin_that_cannot_be_replaced_goes_on_with_its_rows),
        cmocka_unit_test(plugin_replaced_by_the_same_again_and_again_keeps_all),
    };
    return TEST_RUN("plugin_replace", tests);
}
