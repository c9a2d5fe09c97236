/* test_redeclare.c - another declaration of a component type in a running world: what is refused changes nothing. Conversions
 * are tested with those of saves: test_evolution.c. */
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

TEST_SUITE(redeclare) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_changed_is_patched),
        cmocka_unit_test(refused_declaration_changes_nothing),
        cmocka_unit_test(manager_of_the_host_is_not_converted),
        cmocka_unit_test(each_failing_allocation_keeps_the_former_declaration)};
    return TEST_RUN("redeclare", tests);
}
