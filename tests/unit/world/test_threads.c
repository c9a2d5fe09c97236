/* test_threads.c - worlds with jobs equal worlds without them bit by bit; `make tsan` runs this
 * suite. */
#include "test_scene.h"

#include <stdlib.h>

#include "jobs.h"
#include "transform_internal.h"
#include "rows.h"

static World* world_of(const Scene* s, JobPool* jobs) {
    const WorldDesc desc = {.jobs = jobs};
    World*          world = world_new(&desc);
    assert_int_equal(ent_world_spawn(world, &s->blob, NULL, NULL), ENT_OK);
    return world;
}

/* The two worlds with every operation that uses jobs. Threads share a row when its parent is in the
 * range of another thread. */
static void jobs_compare(const Scene* s, JobPool* jobs, Random* random) {
    const TransformRecord root = {{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {2, 2, 2}};
    World *               alone = world_of(s, NULL), *helped = world_of(s, jobs);
    assert_true(world_digest(alone) == world_digest(helped));
    assert_matrices_fit(helped);
    const Entity       parent = ent_transform_rows(alone).entity[0];
    const SpawnOptions under = {.parent = parent, .root = &root};
    assert_int_equal(ent_world_spawn(alone, &s->blob, &under, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(helped, &s->blob, &under, NULL), ENT_OK);
    assert_true(world_digest(alone) == world_digest(helped));
    const u32 count = ent_transform_rows(alone).count;
    for (u32 round = 0; round < 2; round++) {
        for (u32 row = 0; row < count; row += 1 + random_below(random, 50)) {
            const TransformRecord pose = tame_pose(random);
            pose_write(alone, row, &pose);
            pose_write(helped, row, &pose);
        }
        for (u32 i = 0; i < 3 && round; i++) { /* then with children before parents */
            const u32 a = random_below(random, 20), b = random_below(random, 20);
            ent_manager_swap(alone, world_transforms(alone), a, b);
            ent_manager_swap(helped, world_transforms(helped), a, b);
        }
        ent_transform_update_all(alone);
        ent_transform_update_all(helped);
        assert_true(world_digest(alone) == world_digest(helped));
    }
    assert_matrices_fit(helped);
    ent_transform_defer(alone, 1);
    ent_transform_defer(helped, 1);
    assert_int_equal(ent_world_spawn(alone, &s->blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(helped, &s->blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_transform_update(alone), ent_transform_update(helped));
    assert_true(world_digest(alone) == world_digest(helped));
    ent_world_destroy(alone);
    ent_world_destroy(helped);
}

static void transforms_updated_by_jobs_equal_those_without(void** state) {
    static const SceneShape shapes[] = {
        {.entity_count = 100000, .reach = 8, .roots = 100, .transform = 100},      /* near */
        {.entity_count = 100000, .reach = 100000, .roots = 100, .transform = 100}, /* far */
        {.entity_count = 100000, .reach = 60000, .roots = 3, .transform = 70},     /* and gaps */
        {.entity_count = 100000, .reach = 1, .transform = 100},                    /* one chain */
        {.entity_count = 100000, .reach = 0, .transform = 100},                    /* all roots */
        {.entity_count = 16385, .reach = 16385, .transform = 100}};
    Random   random = {test_seed("threads", 4)};
    JobPool* jobs = ent_job_pool_create(3, NULL);
    UNUSED(state);
    assert_non_null(jobs);
    for (u32 i = 0; i < COUNT_OF(shapes); i++) {
        Scene s;
        scene_open(&s, &random, transform_type(), 1, shapes[i]);
        jobs_compare(&s, jobs, &random);
        scene_close(&s);
    }
    ent_job_pool_destroy(jobs);
}

/* Columns, owners, chains and references of all types, at once, in parts and over frames. */
static void rows_spawned_by_jobs_equal_those_without(void** state) {
    const SceneShape shape = {
        .entity_count = 40000, .reach = 30, .roots = 50, .share = 50, .transform = 90};
    Random          random = {test_seed("rows", 5)};
    JobPool*        jobs = ent_job_pool_create(3, NULL);
    const WorldDesc desc = {.jobs = jobs};
    World *         alone = world_wide(NULL), *helped = world_wide(&desc);
    Entity*         in_alone = calloc(shape.entity_count, sizeof(Entity));
    Entity*         in_helped = calloc(shape.entity_count, sizeof(Entity));
    Scene           s;
    SpawnJob*       job;
    UNUSED(state);
    assert_non_null(jobs);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    for (u32 round = 0; round < 2; round++) {
        const SpawnOptions part = {.part = round ? SPAWN_SUBTREE : SPAWN_ALL};
        assert_int_equal(ent_world_spawn(alone, &s.blob, &part, in_alone), ENT_OK);
        assert_int_equal(ent_world_spawn(helped, &s.blob, &part, in_helped), ENT_OK);
        assert_memory_equal(in_alone, in_helped, sizeof(Entity) * shape.entity_count);
        assert_true(world_digest(alone) == world_digest(helped));
        memset(in_alone, 0, sizeof(Entity) * shape.entity_count);
        memset(in_helped, 0, sizeof(Entity) * shape.entity_count);
    }
    assert_int_equal(ent_world_spawn(alone, &s.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_spawn_begin(&job, helped, &s.blob, NULL, NULL), ENT_OK);
    for (int done = 0; !done;) assert_int_equal(ent_spawn_step(job, 100, &done), ENT_OK);
    ent_spawn_end(job);
    assert_true(world_digest(alone) == world_digest(helped));
    free(in_alone);
    free(in_helped);
    ent_world_destroy(alone);
    ent_world_destroy(helped);
    scene_close(&s);
    ent_job_pool_destroy(jobs);
}

TEST_SUITE(threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_updated_by_jobs_equal_those_without),
        cmocka_unit_test(rows_spawned_by_jobs_equal_those_without),
    };
    return TEST_RUN("threads", tests);
}
