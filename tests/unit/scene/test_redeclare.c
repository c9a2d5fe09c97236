/* test_redeclare.c - another declaration of a component type in a running world: what is refused changes nothing. Conversions
 * are tested with those of saves: test_evolution.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "test_source.h"
#include "world_internal.h"

static const char* const fields[] = {
    "'points': { 'type': 'f32', 'default': 1 }",
    "'points': { 'type': 'f32', 'default': 1 }, 'lives': { 'type': 'u32', 'default': 3 }",
    "'points': { 'type': 'f32', 'default': 1 }, 'maker': { 'type': 'u32' }"};

typedef struct Versions {
    Resource health[COUNT_OF(fields)], level;
} Versions;

static void resource_open(Resource* resource, const char* folder, const char* name) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(ent_resource_open(resource, path, NULL, NULL), ENT_OK);
}

static void versions_open(Versions* v) {
    char* folder = strdup(test_folder("redeclare"));
    char  text[512];
    for (u32 i = 0; i < COUNT_OF(fields); i++) {
        snprintf(text, sizeof text, "{ 'fields': { %s } }", fields[i]);
        test_write_quoted(folder, "src/health.component.json", text);
        test_write_quoted(folder, "src/yard.level.json",
                          i == 2
                              ? "{ 'entities': [] }"
                              : "{ 'entities': [ { 'components': { 'health': { 'points': 7 } } },\n"
                                "{ 'components': { 'health': {} } } ] }");
        TEST_DONE(folder, "entc build src -o out%u -q", i);
        snprintf(text, sizeof text, "out%u/health.component", i);
        resource_open(&v->health[i], folder, text);
    }
    resource_open(&v->level, folder, "out0/yard.level");
    free(folder);
}

static void versions_close(Versions* v) {
    for (u32 i = 0; i < COUNT_OF(fields); i++) ent_resource_close(&v->health[i]);
    ent_resource_close(&v->level);
}

static World* world_with(const Versions* v, const WorldDesc* desc) {
    World* world = world_new(desc);
    assert_int_equal(ent_world_declare(world, &v->health[0].blob), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &v->level.blob, NULL, NULL), ENT_OK);
    return world;
}

static void world_expect(World* world, u32 field_count) {
    Manager*   m = ent_world_manager_by_name(world, "health");
    const f32* points = m->column[0];
    assert_int_equal(m->count, 2);
    assert_int_equal(m->desc.type.record.field_count, field_count);
    assert_true(points[0] == 7 && points[1] == 1);
    if (field_count < 2) return;
    const u32* lives = m->column[1];
    assert_true(lives[0] == 3 && lives[1] == 3);
}

static void refused_declaration_changes_nothing(void** state) {
    Versions  v;
    SpawnJob* job;
    int       done = 0;
    UNUSED(state);
    versions_open(&v);
    World* world = world_new(NULL);
    assert_int_equal(ent_world_redeclare(world, &v.health[0].blob), ENT_NOT_FOUND);
    assert_int_equal(ent_world_redeclare(world, &v.level.blob), ENT_WRONG_TYPE);
    ent_world_destroy(world);
    world = world_with(&v, NULL);
    assert_int_equal(ent_world_redeclare(world, &v.health[2].blob), ENT_BAD_FIELD); /* no value */
    world_expect(world, 1);
    assert_int_equal(ent_spawn_begin(&job, world, &v.level.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_redeclare(world, &v.health[1].blob), ENT_LIMIT);
    while (!done) assert_int_equal(ent_spawn_step(job, 1000, &done), ENT_OK);
    ent_spawn_end(job);
    assert_int_equal(ent_world_redeclare(world, &v.health[1].blob), ENT_OK);
    assert_int_equal(ent_world_redeclare(world, &v.health[0].blob), ENT_OK);
    assert_int_equal(ent_world_manager_by_name(world, "health")->count, 4);
    ent_world_destroy(world);
    versions_close(&v);
}

/* The host knows the layout of its rows. */
static void manager_of_the_host_is_not_converted(void** state) {
    Versions v;
    UNUSED(state);
    versions_open(&v);
    World*            world = world_new(NULL);
    void*             memory = malloc(ent_component_type_bytes(&v.health[0].blob));
    const ManagerDesc desc = {.type = ent_component_type_open(&v.health[0].blob, memory)};
    assert_int_equal(ent_world_register(world, &desc), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &v.level.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_redeclare(world, &v.health[0].blob), ENT_OK); /* the same layout */
    assert_int_equal(ent_world_redeclare(world, &v.health[1].blob), ENT_EXISTS);
    world_expect(world, 1);
    ent_world_destroy(world);
    free(memory);
    versions_close(&v);
}

static void each_failing_allocation_keeps_the_former_declaration(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    Versions          v;
    u32               failed = 0;
    UNUSED(state);
    versions_open(&v);
    World* world = world_with(&v, &desc);
    for (u32 at = 1;; at++, failed++) {
        counting.fail_at = counting.allocations + at;
        const ent_status status = ent_world_redeclare(world, &v.health[1].blob);
        counting.fail_at = 0;
        if (status == ENT_OK) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        world_expect(world, 1);
    }
    assert_true(failed >= 3);
    world_expect(world, 2);
    const u32 open = counting.live_blocks;
    for (u32 i = 0; i < 40; i++)
        assert_int_equal(ent_world_redeclare(world, &v.health[i % 2].blob), ENT_OK);
    assert_true(counting.live_blocks <= open);
    assert_int_equal(ent_world_spawn(world, &v.level.blob, NULL, NULL), ENT_OK);
    ent_world_destroy(world);
    assert_int_equal(counting.live_blocks, 0);
    versions_close(&v);
}

/* Of two levels with the same structure, in which the text has the same number. */
static void text_that_changed_is_patched(void** state) {
    char*    folder = strdup(test_folder("redeclare_text"));
    Resource note, level[2];
    Entity   entity;
    Patch*   patch;
    World*   world = world_new(NULL);
    UNUSED(state);
    test_write_quoted(folder, "src/note.component.json",
                      "{ 'fields': { 'says': { 'type': 'text' } } }");
    for (u32 i = 0; i < 2; i++) {
        char path[32];
        test_write_quoted(
            folder, "src/yard.level.json",
            i ? "{ 'entities': [ { 'components': { 'note': { 'says': 'night' } } } ] }"
              : "{ 'entities': [ { 'components': { 'note': { 'says': 'light' } } } ] }");
        TEST_DONE(folder, "entc build src -o out%u -q", i);
        snprintf(path, sizeof path, "out%u/yard.level", i);
        resource_open(&level[i], folder, path);
    }
    resource_open(&note, folder, "out0/note.component");
    assert_int_equal(ent_world_declare(world, &note.blob), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &level[0].blob, NULL, &entity), ENT_OK);
    const Manager* m = ent_world_manager_by_name(world, "note");
    assert_string_equal(ent_world_text(world, *(const TextRef*)m->column[0]), "light");
    assert_int_equal(ent_patch_create(&patch, world, &level[0].blob, &level[1].blob, NULL), ENT_OK);
    assert_int_equal(ent_world_patch(world, patch, NULL, &entity, &entity, NULL), ENT_OK);
    assert_string_equal(ent_world_text(world, *(const TextRef*)m->column[0]), "night");
    ent_patch_destroy(patch);
    ent_world_destroy(world);
    ent_resource_close(&note);
    for (u32 i = 0; i < 2; i++) ent_resource_close(&level[i]);
    free(folder);
}

static u32 place_of(const World* w, const char* name) {
    u32 at = 0;
    while (at < w->manager_count && strcmp(w->manager[at].desc.type.record.name, name) != 0) at++;
    assert_true(at < w->manager_count);
    return at;
}

/* Pointers to other managers stay valid, unless the order of spawning has changed. */
static void redeclared_types_keep_their_place(void** state) {
    static const char* const words[] = {"", "'extra': { 'type': 'u32', 'default': 2 },", ""};
    CountingAllocator        counting = {0};
    const WorldDesc          desc = {.allocator = counting_allocator(&counting)};
    char*                    folder = strdup(test_folder("redeclare_place"));
    static const char* const names[] = {"ash", "birch", "cedar"};
    Resource                 version[3], other[2];
    World*                   world = world_new(&desc);
    UNUSED(state);
    for (u32 i = 0; i < 3; i++) {
        char text[300];
        for (u32 k = 0; k < 3; k++) {
            snprintf(text, sizeof text,
                     "{ %s 'fields': { %s 'x': { 'type': 'u32', 'default': 1 } } }",
                     k == 1 && i == 2 ? "'order': 7," : "", k == 1 ? words[i] : "");
            char path[64];
            snprintf(path, sizeof path, "src/%s.component.json", names[k]);
            test_write_quoted(folder, path, text);
        }
        TEST_DONE(folder, "entc build src -o out%u -q", i);
        snprintf(text, sizeof text, "out%u/birch.component", i);
        resource_open(&version[i], folder, text);
    }
    resource_open(&other[0], folder, "out0/ash.component");
    resource_open(&other[1], folder, "out0/cedar.component");
    assert_int_equal(ent_world_declare(world, &other[0].blob), ENT_OK);
    assert_int_equal(ent_world_declare(world, &version[0].blob), ENT_OK);
    assert_int_equal(ent_world_declare(world, &other[1].blob), ENT_OK);
    const u32 ash = place_of(world, "ash"), cedar = place_of(world, "cedar");
    assert_int_equal(place_of(world, "birch"), ash + 1);
    assert_int_equal(cedar, ash + 2);
    for (u32 at = 1;; at++) {
        counting.fail_at = counting.allocations + at;
        const ent_status status = ent_world_redeclare(world, &version[1].blob);
        counting.fail_at = 0;
        assert_int_equal(place_of(world, "ash"), ash);
        assert_int_equal(place_of(world, "birch"), ash + 1);
        assert_int_equal(place_of(world, "cedar"), cedar);
        if (status == ENT_OK) break;
    }
    assert_int_equal(ent_world_redeclare(world, &version[2].blob), ENT_OK);
    assert_int_equal(place_of(world, "birch"), 0); /* before the built-in ones that are later */
    ent_world_destroy(world);
    for (u32 i = 0; i < 3; i++) ent_resource_close(&version[i]);
    for (u32 i = 0; i < 2; i++) ent_resource_close(&other[i]);
    free(folder);
}

/* A program can write anything into its rows. */
static void values_out_of_range_become_defaults(void** state) {
    char*    folder = strdup(test_folder("redeclare_values"));
    Resource mood[2];
    World*   world = world_new(NULL);
    Entity   entity;
    u32      row;
    UNUSED(state);
    for (u32 i = 0; i < 2; i++) {
        char path[64];
        test_write_quoted(
            folder, "src/mood.component.json",
            i ? "{ 'fields': { 'kind': { 'type': 'enum', 'enum': ['c', 'a', 'b'],\n"
                "'default': 'b' }, 'heat': { 'type': 'f32', 'default': 3, 'max': 9 },\n"
                "'more': { 'type': 'u32', 'default': 4 } } }"
              : "{ 'fields': { 'kind': { 'type': 'enum', 'enum': ['a', 'b', 'c'],\n"
                "'default': 'a' }, 'heat': { 'type': 'f32', 'default': 3 } } }");
        TEST_DONE(folder, "entc build src -o out%u -q", i);
        snprintf(path, sizeof path, "out%u/mood.component", i);
        resource_open(&mood[i], folder, path);
    }
    assert_int_equal(ent_world_declare(world, &mood[0].blob), ENT_OK);
    Manager* m = ent_world_manager_by_name(world, "mood");
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
        assert_int_equal(ent_manager_create(world, m, entity, &row), ENT_OK);
    }
    const u32 kind[] = {2, 3, UINT32_MAX};
    const f32 heat[] = {NAN, INFINITY, 7};
    memcpy(m->column[0], kind, sizeof kind);
    memcpy(m->column[1], heat, sizeof heat);
    assert_int_equal(ent_world_redeclare(world, &mood[1].blob), ENT_OK);
    m = ent_world_manager_by_name(world, "mood");
    const u32* now = m->column[0];
    const f32* hot = m->column[1];
    assert_int_equal(now[0], 0); /* "c" */
    assert_int_equal(now[1], 2); /* the default, "b" */
    assert_int_equal(now[2], 2);
    assert_true(hot[0] == 3 && hot[1] == 9 && hot[2] == 7);
    ent_world_destroy(world);
    for (u32 i = 0; i < 2; i++) ent_resource_close(&mood[i]);
    free(folder);
}

TEST_SUITE(redeclare) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_changed_is_patched),
        cmocka_unit_test(refused_declaration_changes_nothing),
        cmocka_unit_test(manager_of_the_host_is_not_converted),
        cmocka_unit_test(redeclared_types_keep_their_place),
        cmocka_unit_test(values_out_of_range_become_defaults),
        cmocka_unit_test(each_failing_allocation_keeps_the_former_declaration)};
    return TEST_RUN("redeclare", tests);
}
