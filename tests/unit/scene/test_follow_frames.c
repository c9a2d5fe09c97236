/* test_follow_frames.c - frames of a world run on the threads on which a library reads builds: transforms, point masses
 * and patches use what the library has, while it opens what replaces it. The world then equals a fresh one. Under the
 * thread sanitizer, each access of both sides is observed. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "rows.h"
#include "test.h"

#define ENTITIES 3000
#define BUILDS   2

static const char* const builds[BUILDS] = {"first", "second"};

/* The same entities, in two builds with other values and another mass. */
static void level_write(const char* folder, u32 build) {
    static char text[ENTITIES * 160];
    size_t      used = (size_t)snprintf(text, sizeof text, "{ 'entities': [");
    for (u32 i = 0; i < ENTITIES; i++) {
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "%s\n  { 'name': 'e%u', 'components': { 'transform': { 'position': [%u, 0, %u] }%s } }",
            i ? "," : "", i, i, build * (i % 3),
            i % 4   ? ""
            : build ? ", 'point_mass': { 'mass': 2 }"
                    : ", 'point_mass': {}");
    }
    snprintf(text + used, sizeof text - used, " ] }\n");
    test_write_quoted(folder, "src/field.level.json", text);
    test_write_text(folder, "src/note.txt", build ? "second" : "first");
    TEST_DONE(folder, "entc build src -o %s -q", builds[build]);
}

/* As a build replaces them: the index is last. */
static void build_take(const char* folder, u32 build) {
    TEST_DONE(folder,
              "mkdir -p live && for file in $(ls %s) .entc.index; do "
              "cp %s/$file live/.new && mv live/.new live/$file; done",
              builds[build], builds[build]);
}

/* All transforms move, and all matrices are computed, by several threads. */
static void frame_run(World* w) {
    const TransformRows t = ent_transform_rows(w);
    for (u32 i = 0; i < t.count; i++) t.position[i].y += 1;
    for (u32 i = 0; i < t.count; i++) ent_transform_touch(w, &i, 1);
    ent_transform_update(w);
}

/* Frames until the library has taken the build; returns how many it took. */
static u32 follow_beside_frames(Library* library, World* w) {
    LibraryChanges changes = {0};
    WorldFollowed  followed;
    u32            frames = 0;
    while (changes.count == 0) {
        assert_int_equal(ent_library_follow(library, &changes), ENT_OK);
        assert_int_equal(ent_world_follow(w, &changes, &followed), ENT_OK);
        frame_run(w);
        frames++;
    }
    assert_int_equal(followed.spawns, 1);
    return frames;
}

/* Values of the sources, and the heights that the frames have set. */
static void world_fits(World* w, const Blob* level, u32 frames) {
    World*  fresh;
    Entity* entities = malloc(sizeof *entities * ENTITIES);
    assert_int_equal(ent_world_create(&fresh, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(fresh, level, NULL, entities), ENT_OK);
    const EntityPool*   pool = ent_world_entities(w);
    const TransformRows a = ent_transform_rows(w), b = ent_transform_rows(fresh);
    const PointMassRows masses = ent_point_mass_rows(w), expected = ent_point_mass_rows(fresh);
    assert_int_equal(a.count, ENTITIES);
    assert_int_equal(masses.count, expected.count);
    for (u32 row = 0; row < b.count;
         row++) { /* without removals, the order of the handles is that of the blob */
        const u32 at =
            ent_manager_row(ent_world_built_in(w, COMPONENT_TRANSFORM), pool, b.entity[row]);
        assert_true(at != MANAGER_NO_ROW && a.position[at].x == b.position[row].x);
        /* A position that the source has changed is that of the source, and one frame older. */
        const f32 height = (u32)b.position[row].x % 3 ? 1 : (f32)frames;
        assert_true(a.position[at].z == b.position[row].z && a.position[at].y == height);
        assert_true(ent_transform_worlds(w)[at].m[1][3] == height);
    }
    for (u32 row = 0; row < expected.count; row++)
        assert_true(masses.mass[row] == expected.mass[row]);
    ent_world_destroy(fresh);
    free(entities);
}

static void frames_run_beside_reading_of_builds(void** state) {
    const char*       folder = test_folder("follow_frames");
    const u32         rounds = getenv("TEST_FULL") ? 200 : 12;
    JobPool*          pool = ent_job_pool_create(2, NULL);
    const LibraryDesc desc = {.pool = pool};
    const WorldDesc   world_desc = {.jobs = pool};
    Library           library;
    const Blob*       level;
    World*            w;
    Spawned           number;
    u32               frames = 0, beside = 0;
    char              path[2048];
    UNUSED(state);
    assert_non_null(pool);
    for (u32 build = 0; build < BUILDS; build++) level_write(folder, build);
    build_take(folder, 0);
    snprintf(path, sizeof path, "%s/live", folder);
    assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
    assert_int_equal(ent_library_load(&library, "field", RESOURCE_LEVEL, &level), ENT_OK);
    assert_int_equal(ent_world_create(&w, &world_desc), ENT_OK);
    const SpawnOptions options = {.spawned = &number};
    assert_int_equal(ent_world_spawn(w, level, &options, NULL), ENT_OK);
    ent_transform_defer(w, 1);
    for (u32 round = 1; round <= rounds; round++) {
        build_take(folder, round % BUILDS);
        const u32 more = follow_beside_frames(&library, w);
        beside += more > 1;
        frames += more;
        world_fits(w, level, frames);
    }
    print_message("%u frames, in %u of %u builds beside the reading\n", frames, beside, rounds);
    assert_true(beside > rounds / 2);
    ent_world_destroy(w);
    ent_library_close(&library);
    ent_job_pool_destroy(pool);
}

TEST_SUITE(follow_frames) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_run_beside_reading_of_builds),
    };
    return TEST_RUN("follow_frames", tests);
}
