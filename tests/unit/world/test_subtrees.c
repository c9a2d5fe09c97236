/* test_subtrees.c - entities that are destroyed with all their descendants.
 *
 * Invariants: exactly the entities that a naive search over parents finds are destroyed, in all
 * worlds that share the entities, each once; with one that is not alive, or without memory, nothing
 * changes; the cost is proportional to the number of destroyed entities, however deep they are. */
#include "test_mirror.h"

#include <stdlib.h>
#include <time.h>

#include "persistent_manager.h"
#include "transform_internal.h"
#include "world_internal.h"

#define COUNT 150

/* --- compared with a naive search --- */

static void subtrees_play(Random* r, u32 transform, bool deferred) {
    const SceneShape shape = {
        .entity_count = COUNT, .reach = 8, .roots = 20, .share = 50, .transform = transform};
    World* world = world_wide(NULL);
    Scene  s;
    Mirror mirror;
    Entity entities[COUNT], gone[COUNT + 4], named[4];
    scene_open(&s, r, all_types(), ALL_TYPES, shape);
    mirror_open(&mirror, world, all_types(), ALL_TYPES);
    ent_transform_defer(world, deferred);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    mirror_spawn(&mirror, &s, entities);
    while (mirror.count) {
        u32 count = 1 + random_below(r, 4);
        for (u32 i = 0; i < count; i++) {
            gone[i] = named[i] = mirror.at[random_below(r, mirror.count)]->id;
        }
        assert_int_equal(ent_entity_destroy_subtrees(world, named, count, NULL), ENT_OK);
        count = mirror_subtrees(&mirror, 1, gone, count);
        for (u32 i = 0; i < count; i++) mirror_destroy(&mirror, gone[i]);
        if (deferred) ent_transform_update(world);
        mirror_check(&mirror);
        assert_matrices_fit(world);
    }
    mirror_close(&mirror);
    scene_close(&s);
    ent_world_destroy(world);
}

static void subtrees_destroyed_at_random_equal_naive_search(void** state) {
    Random random = {test_seed("subtrees", 11)};
    UNUSED(state);
    for (u32 round = 0; round < 12; round++) {
        subtrees_play(&random, round % 3 ? 85 : 100, round & 1);
    }
}

static Manager* transforms_of(World* world) { return world_transforms(world); }

/* Entities with transforms; parent[i] is the index of the parent of entity i, before it, or
 * NONE. */
static void tree_create(World* w, Entity* entities, const u32* parent, u32 count) {
    u32 row;
    assert_int_equal(ent_entity_create(w, entities, count), ENT_OK);
    for (u32 i = 0; i < count; i++) {
        assert_int_equal(ent_manager_create(w, transforms_of(w), entities[i], &row), ENT_OK);
        if (parent[i] == NONE) continue;
        assert_int_equal(ent_transform_reparent(w, entities[i], entities[parent[i]]), ENT_OK);
    }
}

/* The same twice, a parent with its child, in any order: each is destroyed once. */
static void overlapping_subtrees_are_destroyed_once(void** state) {
    static const u32 parent[] = {NONE, 0, 1, 2, 0, NONE};
    static const u32 named[][4] = {{0, 0, 0, 0}, {3, 2, 1, 0}, {0, 1, 2, 3}, {2, 0, 4, 2}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(named); i++) {
        World* w = world_new(NULL);
        Entity e[COUNT_OF(parent)], list[4];
        tree_create(w, e, parent, COUNT_OF(parent));
        for (u32 k = 0; k < 4; k++) list[k] = e[named[i][k]];
        assert_int_equal(ent_entity_destroy_subtrees(w, list, 4, NULL), ENT_OK);
        assert_int_equal(ent_entity_count(w), 1);
        assert_true(ent_entity_alive(w->entities, e[5]));
        assert_int_equal(transforms_of(w)->count, 1);
        ent_world_destroy(w);
    }
}

/* Also without transforms, and a subtree below an entity that is kept. */
static void subtree_of_entity_without_transform_is_that_entity(void** state) {
    static const u32 parent[] = {NONE, 0, 1, 0};
    World*           w = world_new(NULL);
    Entity           e[COUNT_OF(parent)], plain;
    UNUSED(state);
    tree_create(w, e, parent, COUNT_OF(parent));
    assert_int_equal(ent_entity_create(w, &plain, 1), ENT_OK);
    assert_int_equal(ent_entity_destroy_subtrees(w, &plain, 1, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(w), 4);
    assert_int_equal(ent_entity_destroy_subtrees(w, &e[1], 1, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(w), 2);
    const TransformLinks* link = ent_transform_links(w) + ent_transform_row(w, e[0]);
    assert_int_equal(link->first_child, ent_transform_row(w, e[3]));
    assert_int_equal(link->last_child, ent_transform_row(w, e[3]));
    ent_manager_remove(w, transforms_of(w), ent_transform_row(w, e[0]));
    assert_int_equal(ent_entity_destroy_subtrees(w, &e[0], 1, NULL), ENT_OK);
    assert_true(ent_entity_alive(w->entities, e[3])); /* its parent had no transform any more */
    ent_world_destroy(w);
}

/* --- all or nothing --- */

static void stale_entities_among_subtrees_are_skipped(void** state) {
    static const u32 parent[] = {NONE, 0, 1, NONE, 3, NONE};
    World*           w = world_new(NULL);
    Entity           e[COUNT_OF(parent)], list[3];
    UNUSED(state);
    tree_create(w, e, parent, COUNT_OF(parent));
    assert_int_equal(ent_entity_destroy(w, &e[5], 1), 1);
    const Entity wrong[] = {e[5], ENTITY_NULL, UINT32_MAX};
    u32          destroyed = 7;
    assert_int_equal(ent_entity_destroy_subtrees(w, NULL, 0, &destroyed), ENT_OK);
    assert_int_equal(destroyed, 0);
    for (u32 i = 0; i < 9; i++) {
        ent_world_clear(w);
        tree_create(w, e, parent, 5);
        list[0] = e[0], list[1] = e[3], list[2] = e[3];
        list[i % 3] = wrong[i / 3];
        assert_int_equal(ent_entity_destroy_subtrees(w, list, 3, &destroyed), ENT_OK);
        assert_int_equal(destroyed, i % 3 == 0 ? 2 : 5);
        assert_int_equal(ent_entity_count(w), 5 - destroyed);
    }
    const Entity gone = wrong[0];
    assert_int_equal(ent_entity_destroy_subtrees(w, &gone, 1, &destroyed), ENT_OK);
    assert_int_equal(destroyed, 0);
    ent_world_destroy(w);
}

/* Roots with `count` descendants: in a chain, or each a child of the first. */
static Entity many_create(World* w, u32 count, bool line) {
    Entity* e = calloc(count, sizeof *e);
    u32*    parent = calloc(count, sizeof *parent);
    for (u32 i = 0; i < count; i++) parent[i] = i == 0 ? NONE : line ? i - 1 : 0;
    tree_create(w, e, parent, count);
    const Entity root = e[0];
    free(e);
    free(parent);
    return root;
}

/* The memory for the list grows a few times; each of these allocations may fail. */
static void subtrees_with_failing_allocation_are_not_destroyed(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    UNUSED(state);
    World*       w = world_new(&desc);
    const Entity root = many_create(w, 10000, false);
    const u64    before = world_digest(w);
    u32          failures = 0;
    for (;; failures++) {
        const u32 allocations = counting.allocations;
        counting.fail_at = allocations + 1 + failures;
        const ent_status status = ent_entity_destroy_subtrees(w, &root, 1, NULL);
        counting.fail_at = 0;
        if (status == ENT_OK) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_true(before == world_digest(w));
        assert_true(failures < 10);
    }
    assert_true(failures > 0);
    assert_int_equal(ent_entity_count(w), 0);
    assert_int_equal(transforms_of(w)->count, 0);
    const Entity again = many_create(w, 5000, false);
    const u32    more = counting.allocations;
    assert_int_equal(ent_entity_destroy_subtrees(w, &again, 1, NULL), ENT_OK);
    assert_int_equal(counting.allocations, more); /* there is enough memory */
    ent_world_destroy(w);
    assert_int_equal(counting.live_bytes, 0);
}

/* --- worlds that share entities --- */

/* The children of an entity in one world may have another parent in another world; all are
 * destroyed. */
static void subtree_in_sharing_worlds_includes_children_of_each_world(void** state) {
    World*          owner = world_new(NULL);
    const WorldDesc shares = {.entities_of = owner};
    World *         guest = world_new(&shares), *of[] = {owner, guest};
    Entity          e[6];
    u32             row;
    UNUSED(state);
    for (u32 through = 0; through < 2; through++) {
        assert_int_equal(ent_entity_create(owner, e, 6), ENT_OK);
        for (u32 i = 0; i < 12; i++) {
            World* w = of[i % 2];
            assert_int_equal(ent_manager_create(w, transforms_of(w), e[i / 2], &row), ENT_OK);
        }
        /* 0 <- 1 here, 1 <- 2 and 2 <- 0 there, 2 <- 3 here; none of these has 4 or 5. */
        assert_int_equal(ent_transform_attach(owner, e[1], e[0], 0), ENT_OK);
        assert_int_equal(ent_transform_attach(guest, e[2], e[1], 0), ENT_OK);
        assert_int_equal(ent_transform_attach(guest, e[0], e[4], 0), ENT_OK);
        assert_int_equal(ent_transform_attach(owner, e[3], e[2], 0), ENT_OK);
        assert_int_equal(ent_transform_attach(guest, e[1], e[3], 0),
                         ENT_OK); /* a cycle across both worlds */
        assert_int_equal(ent_entity_destroy_subtrees(of[through], &e[0], 1, NULL), ENT_OK);
        for (u32 i = 0; i < 6; i++) {
            assert_int_equal(ent_entity_alive(owner->entities, e[i]), i >= 4);
        }
        for (u32 i = 0; i < 2; i++) assert_int_equal(transforms_of(of[i])->count, 2);
        assert_int_equal(ent_transform_links(guest)[ent_transform_row(guest, e[4])].first_child,
                         MANAGER_NO_ROW);
        assert_int_equal(ent_entity_destroy(owner, &e[4], 2), 2);
    }
    ent_world_destroy(guest);
    ent_world_destroy(owner);
}

/* --- callbacks, and other data about the entities --- */

typedef struct Reported {
    World* world;
    u32    calls, count;
} Reported;

/* Every destroyed entity, once, while all of them still exist. */
static void destroyed_note(void* user, const Entity* entities, u32 count) {
    Reported* reported = user;
    reported->calls++;
    reported->count += count;
    for (u32 i = 0; i < count; i++) {
        assert_true(ent_entity_alive(reported->world->entities, entities[i]));
        assert_int_not_equal(ent_transform_row(reported->world, entities[i]), MANAGER_NO_ROW);
        for (u32 k = 0; k < i; k++) assert_int_not_equal(entities[i], entities[k]);
    }
    u32 destroyed = 7; /* they are being destroyed */
    assert_int_equal(ent_entity_destroy_subtrees(reported->world, entities, count, &destroyed),
                     ENT_OK);
    assert_int_equal(destroyed, 0);
}

static void destroyed_callback_receives_complete_subtree(void** state) {
    static const u32 parent[] = {NONE, 0, 1, 0, NONE};
    Reported         reported = {0};
    const WorldDesc  desc = {.destroyed = {destroyed_note, &reported}};
    Entity           e[COUNT_OF(parent)];
    UNUSED(state);
    reported.world = world_new(&desc);
    tree_create(reported.world, e, parent, COUNT_OF(parent));
    assert_int_equal(ent_entity_destroy_subtrees(reported.world, e, 1, NULL), ENT_OK);
    assert_int_equal(reported.calls, 1);
    assert_int_equal(reported.count, 4);
    ent_world_destroy(reported.world);
}

static void subtree_destroyed_removes_ids_and_rows_of_all_types(void** state) {
    static const u32 parent[] = {NONE, 0, 1};
    World*           w = world_wide(NULL);
    Entity           e[COUNT_OF(parent)];
    u32              row;
    UNUSED(state);
    tree_create(w, e, parent, COUNT_OF(parent));
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        Manager* m = manager_of(w, &plugin_types()[t]);
        assert_int_equal(ent_manager_create(w, m, e[1], &row), ENT_OK);
    }
    assert_int_equal(ent_persistent_set(w, e[2], 4711), ENT_OK);
    assert_int_equal(ent_persistent_find(w, 4711), e[2]);
    assert_int_equal(ent_entity_destroy_subtrees(w, e, 1, NULL), ENT_OK);
    assert_int_equal(ent_persistent_find(w, 4711), ENTITY_NULL);
    for (u32 i = 0; i < w->manager_count; i++) assert_int_equal(w->manager[i].count, 0);
    ent_world_destroy(w);
}

/* --- cost --- */

static f64 seconds_to_destroy(u32 count, bool line) {
    struct timespec from, to;
    World*          w = world_new(NULL);
    const Entity    root = many_create(w, count, line);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    assert_int_equal(ent_entity_destroy_subtrees(w, &root, 1, NULL), ENT_OK);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    assert_int_equal(ent_entity_count(w), 0);
    ent_world_destroy(w);
    return (f64)(to.tv_sec - from.tv_sec) + (f64)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/* In a chain whose parents were destroyed first, each step would update all descendants: a thousand
 * times the cost. */
static void chain_of_4000_entities_is_destroyed_in_linear_time(void** state) {
    f64 ratio = 1e9;
    UNUSED(state);
    for (u32 i = 0; i < 5 && ratio > 20; i++) {
        ratio = seconds_to_destroy(4000, true) / seconds_to_destroy(4000, false);
    }
    if (ratio > 20) fail_msg("a line of 4,000 entities costs %.0f times what a star does", ratio);
}

TEST_SUITE(subtrees) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subtrees_destroyed_at_random_equal_naive_search),
        cmocka_unit_test(overlapping_subtrees_are_destroyed_once),
        cmocka_unit_test(subtree_of_entity_without_transform_is_that_entity),
        cmocka_unit_test(stale_entities_among_subtrees_are_skipped),
        cmocka_unit_test(subtrees_with_failing_allocation_are_not_destroyed),
        cmocka_unit_test(subtree_in_sharing_worlds_includes_children_of_each_world),
        cmocka_unit_test(destroyed_callback_receives_complete_subtree),
        cmocka_unit_test(subtree_destroyed_removes_ids_and_rows_of_all_types),
        cmocka_unit_test(chain_of_4000_entities_is_destroyed_in_linear_time),
    };
    return TEST_RUN("subtrees", tests);
}
