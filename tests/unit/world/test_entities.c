/* test_entities.c - which entities are alive: late reuse of ids, destruction of all or none of a
 * list, worlds that share their entities, callbacks before destruction, and rows of destroyed
 * entities that are removed later. */
#include "test_mirror.h"
#include "rows.h"
#include "world_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* --- ids --- */

static void id_of_destroyed_entity_is_reused_late(void** state) {
    World* world = world_new(NULL);
    Entity first, entity;
    u32    pairs = 0;
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, &first, 1), ENT_OK);
    ent_entity_destroy(world, &first, 1);
    do {
        assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
        assert_true(ent_entity_alive(world->entities, entity));
        if (entity != first) {
            assert_false(ent_entity_alive(world->entities, first));
            assert_int_equal(ent_entity_destroy(world, &first, 1), 0);
        }
        assert_int_equal(ent_entity_count(world), 1);
        ent_entity_destroy(world, &entity, 1);
        assert_false(ent_entity_alive(world->entities, entity));
        pairs++;
    } while (entity != first);
    assert_int_equal(pairs, ENTITY_GENERATIONS * (ENTITY_FREE_MINIMUM + 1));
    assert_true(world->entities->slot_count <= ENTITY_FREE_MINIMUM + 2);
    ent_world_destroy(world);
}

/* The fewest creations: the entities that wait before the first reuse exist already, and from then on
 * as few wait as possible. */
static void stale_handle_is_alive_again_after_the_stated_number_of_creations(void** state) {
    World*  world = world_new(NULL);
    Entity* others = calloc(ENTITY_FREE_MINIMUM, sizeof *others);
    Entity  first, again;
    u32     created = 0;
    UNUSED(state);
    assert_int_equal(ENTITY_STALE_CREATIONS, 262382);
    assert_int_equal(ent_entity_create(world, &first, 1), ENT_OK);
    assert_int_equal(ent_entity_create(world, others, ENTITY_FREE_MINIMUM), ENT_OK);
    ent_entity_destroy(world, &first, 1);
    ent_entity_destroy(world, others, ENTITY_FREE_MINIMUM);
    do {
        assert_false(ent_entity_alive(world->entities, first));
        assert_int_equal(ent_entity_create(world, &again, 1), ENT_OK);
        created++;
        if (again != first) ent_entity_destroy(world, &again, 1);
    } while (again != first);
    assert_int_equal(created, ENTITY_STALE_CREATIONS + 1);
    assert_true(ent_entity_alive(world->entities, first));
    ent_world_destroy(world);
    free(others);
}

static void stale_handle_of_a_full_world_is_alive_again_after_255_creations(void** state) {
    World*  world = world_new(NULL);
    Entity* all = malloc(sizeof *all * (size_t)ENTITY_COUNT_MAX);
    Entity  again;
    u32     created = 0;
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, all, ENTITY_COUNT_MAX), ENT_OK);
    ent_entity_destroy(world, &all[7], 1);
    do {
        assert_false(ent_entity_alive(world->entities, all[7]));
        assert_int_equal(ent_entity_create(world, &again, 1), ENT_OK);
        created++;
        if (again != all[7]) ent_entity_destroy(world, &again, 1);
    } while (again != all[7]);
    assert_int_equal(created, ENTITY_GENERATIONS);
    ent_world_destroy(world);
    free(all);
}

/* The same when entities are destroyed by clearing, in large numbers. */
static void id_of_cleared_entity_is_reused_late(void** state) {
    enum { BULK = 700 };
    World* world = world_new(NULL);
    Entity entities[BULK], first = 0;
    u32    created = 0;
    bool   back = false;
    UNUSED(state);
    while (!back) {
        assert_int_equal(ent_entity_create(world, entities, BULK), ENT_OK);
        if (!first) first = entities[BULK / 2];
        for (u32 i = 0; i < BULK && created; i++) back |= entities[i] == first;
        created += BULK;
        if (created / BULK % 2)
            ent_world_clear(world);
        else
            ent_entity_destroy(world, entities, BULK);
        assert_int_equal(ent_entity_count(world), 0);
    }
    assert_true(created > ENTITY_STALE_CREATIONS);
    ent_world_destroy(world);
}

/* Freed slots are used in the order in which they were freed, and never below the minimum. */
static void freed_slots_are_reused_in_order_of_release(void** state) {
    enum { ROOM = 3000 };
    World*  world = world_new(NULL);
    Entity* entities = calloc(ROOM, sizeof(Entity));
    Entity* queue = calloc(ROOM, sizeof(Entity));
    u32     waiting = 0;
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, ROOM), ENT_OK);
    for (u32 i = 0; i < ROOM; i++) assert_int_equal(ent_entity_index(entities[i]), i + 1);
    for (u32 i = 0; i < ROOM; i += 2) queue[waiting++] = entities[i];
    ent_entity_destroy(world, queue, waiting);
    const u32 slots = world->entities->slot_count;
    for (u32 i = 0; i < waiting; i++) {
        Entity fresh;
        assert_int_equal(ent_entity_create(world, &fresh, 1), ENT_OK);
        if (i < waiting - ENTITY_FREE_MINIMUM) {
            assert_int_equal(ent_entity_index(fresh), ent_entity_index(queue[i]));
            assert_int_equal(fresh >> ENTITY_INDEX_BITS, 1);
            assert_int_equal(world->entities->slot_count, slots);
        } else {
            assert_true(ent_entity_index(fresh) >= slots);
            assert_int_equal(world->entities->free_count, ENTITY_FREE_MINIMUM);
        }
    }
    assert_false(ent_entity_alive(world->entities, ENTITY_NULL));
    assert_false(ent_entity_alive(world->entities, UINT32_MAX));
    assert_false(ent_entity_alive(world->entities, ENTITY_COUNT_MAX - 1));
    ent_world_destroy(world);
    free(entities);
    free(queue);
}

static void log_keep(void* user, LogLevel level, const char* text) {
    assert_int_equal(level, LOG_ERROR);
    snprintf(user, 300, "%s", text);
}

static void entities_beyond_four_million_are_refused(void** state) {
    const u32         max = ENTITY_COUNT_MAX;
    char              reported[300] = "";
    CountingAllocator counting = {0};
    WorldDesc desc = {.allocator = counting_allocator(&counting), .log = {log_keep, reported}};
    World*    world = world_new(&desc);
    Entity*   entities = malloc(sizeof(Entity) * (size_t)max);
    Random    random = {10};
    const SceneShape shape = {.entity_count = 3, .transform = 100};
    Scene            s;
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    assert_int_equal(ent_entity_create(world, entities, max + 1), ENT_LIMIT);
    assert_string_equal(reported,
                        "0 entities alive and 4194304 requested exceed the limit of 4194303");
    assert_int_equal(ent_entity_create(world, entities, UINT32_MAX), ENT_LIMIT);
    assert_int_equal(counting.allocations, 1);
    assert_int_equal(ent_entity_create(world, entities, max), ENT_OK);
    assert_int_equal(ent_entity_count(world), max);
    assert_int_equal(ent_entity_index(entities[max - 1]), max);
    const u32 before = counting.allocations;
    assert_int_equal(ent_entity_create(world, entities, 1), ENT_LIMIT);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, NULL), ENT_LIMIT);
    assert_string_equal(reported,
                        "4194303 entities alive and 3 requested exceed the limit of 4194303");
    assert_int_equal(counting.allocations, before);
    assert_int_equal(ent_entity_count(world), max);
    assert_int_equal(ent_transform_rows(world).count, 0);
    ent_world_clear(world);
    assert_int_equal(ent_entity_count(world), 0);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_entity_count(world), 3);
    for (u32 i = 0; i < 3; i++) assert_true(ent_entity_alive(world->entities, entities[i]));

    /* As many again in the cleared world, where 1,032 indices are in the free list: these are used
     * too. */
    ent_world_clear(world);
    assert_int_equal(ent_entity_create(world, entities, max), ENT_OK);
    assert_int_equal(ent_entity_count(world), max);
    assert_int_equal(ent_entity_destroy(world, entities, 5), 5);
    assert_int_equal(ent_entity_create(world, entities, 6), ENT_LIMIT);
    assert_int_equal(ent_entity_create(world, entities, 5), ENT_OK);
    for (u32 i = 0; i < max; i++) assert_true(ent_entity_alive(world->entities, entities[i]));
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);

    desc.entity_count = max + 1;
    assert_int_equal(ent_world_create(&world, &desc), ENT_LIMIT);
    assert_int_equal(counting.live_bytes, 0);
    scene_close(&s);
    free(entities);
}

/* --- destroying --- */

/* Destroys those that are alive: destroyed and duplicate ones are skipped. */
static void destroy_living(World* world, const Entity* entities, u32 count) {
    u32 living = 0;
    for (u32 i = 0; i < count; i++) {
        bool first = ent_entity_alive(world->entities, entities[i]) != 0;
        for (u32 k = 0; k < i; k++) first &= entities[k] != entities[i];
        living += first;
    }
    assert_int_equal(ent_entity_destroy(world, entities, count), living);
}

static void destroyed_entities_leave_all_others_unchanged(void** state) {
    Random           random = {test_seed("destroying", 5)};
    const SceneShape shape = {
        .entity_count = 150, .reach = 8, .roots = 20, .share = 50, .transform = 85};
    Scene  s;
    Mirror mirror;
    World* world = world_wide(NULL);
    Entity entities[150];
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    mirror_open(&mirror, world, all_types(), ALL_TYPES);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    mirror_spawn(&mirror, &s, entities);
    while (mirror.count) {
        Entity    gone[16];
        const u32 count = 1 + random_below(&random, 15);
        for (u32 i = 0; i < count; i++) {
            gone[i] = entities[random_below(&random, 150)];
        }
        gone[count] = mirror.at[random_below(&random, mirror.count)]->id;
        destroy_living(world, gone, count + 1);
        for (u32 i = 0; i <= count; i++) mirror_destroy(&mirror, gone[i]);
        mirror_check(&mirror);
        for (u32 i = 0; i <= count; i++) {
            assert_false(ent_entity_alive(world->entities, gone[i]));
            for (u32 t = 0; t < ALL_TYPES; t++) {
                assert_int_equal(
                    ent_manager_row(manager_of(world, all_types()[t]), world->entities, gone[i]),
                    MANAGER_NO_ROW);
            }
            assert_int_equal(ent_transform_row(world, gone[i]), MANAGER_NO_ROW);
            assert_null(ent_transform_world(world, gone[i]));
            assert_int_equal(ent_transform_parent(world, gone[i]), ENTITY_NULL);
        }
    }
    mirror_close(&mirror);
    scene_close(&s);
    ent_world_destroy(world);
}

/* A destroyed one, the null entity, or a duplicate, at any position in the list. */
static void list_with_stale_or_duplicate_entity_destroys_the_others(void** state) {
    Random           random = {test_seed("all or none", 6)};
    const SceneShape shape = {.entity_count = 40, .reach = 6, .share = 50, .transform = 85};
    World*           world = world_wide(NULL);
    Scene            s;
    Entity           entities[40], list[12], dead;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    dead = entities[39];
    assert_int_equal(ent_entity_destroy(world, &dead, 1), 1);
    assert_int_equal(ent_entity_destroy(world, &dead, 1), 0);
    assert_int_equal(ent_entity_destroy(world, NULL, 0), 0);
    for (u32 invalid = 0; invalid < COUNT_OF(list); invalid++) {
        for (u32 what = 0; what < 4; what++) {
            ent_world_clear(world);
            assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
            memcpy(list, entities, sizeof list);
            const Entity wrong[] = {dead, ENTITY_NULL, UINT32_MAX, list[(invalid + 5) % 12]};
            list[invalid] = wrong[what];
            assert_int_equal(ent_entity_destroy(world, list, COUNT_OF(list)), COUNT_OF(list) - 1);
            assert_int_equal(ent_entity_count(world), 40 - COUNT_OF(list) + 1);
            assert_true(ent_entity_alive(world->entities, entities[invalid]));
        }
    }
    assert_int_equal(ent_entity_destroy(world, entities, 40), 40 - COUNT_OF(list) + 1);
    assert_int_equal(ent_entity_count(world), 0);
    for (u32 i = 0; i < world->manager_count; i++) assert_int_equal(world->manager[i].count, 0);
    scene_close(&s);
    ent_world_destroy(world);
}

/* Row by row, each by the manager, and then the entity without rows. */
static void destroy_by_rows(World* w, Entity entity) {
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager* m = &w->manager[i];
        for (u32 row; (row = ent_manager_row(m, w->entities, entity)) != MANAGER_NO_ROW;) {
            ent_manager_remove(w, m, row);
        }
    }
    assert_int_equal(ent_entity_destroy(w, &entity, 1), 1);
}

/* Some managers destroy rows in a faster way: rows, links, matrices and pending updates are as if
 * every row had been removed alone. */
static void entity_destroyed_equals_removal_of_each_row(void** state) {
    Random           random = {test_seed("every row", 8)};
    const SceneShape shape = {
        .entity_count = 120, .reach = 8, .roots = 10, .share = 50, .transform = 85};
    UNUSED(state);
    for (u32 round = 0; round < 12; round++) {
        World *complete = world_wide(NULL), *by_rows = world_wide(NULL);
        Scene  s;
        Entity entities[120];
        scene_open(&s, &random, all_types(), ALL_TYPES, shape);
        assert_int_equal(ent_world_spawn(complete, &s.blob, NULL, entities), ENT_OK);
        assert_int_equal(ent_world_spawn(by_rows, &s.blob, NULL, entities), ENT_OK);
        ent_transform_defer(complete, round & 1);
        ent_transform_defer(by_rows, round & 1);
        for (u32 left = 120; left > 0;) {
            const u32    at = round % 3 ? random_below(&random, left) : 0;
            const Entity gone = entities[at];
            assert_int_equal(ent_entity_destroy(complete, &gone, 1), 1);
            destroy_by_rows(by_rows, gone);
            memmove(&entities[at], &entities[at + 1], sizeof(Entity) * (--left - at));
            assert_true(world_digest(complete) == world_digest(by_rows));
            if (random_below(&random, 4)) continue;
            assert_int_equal(ent_transform_update(complete), ent_transform_update(by_rows));
            assert_true(world_digest(complete) == world_digest(by_rows));
            assert_matrices_fit(complete);
        }
        scene_close(&s);
        ent_world_destroy(complete);
        ent_world_destroy(by_rows);
    }
}

/* --- worlds that share their entities --- */

typedef struct Shared {
    Scene  s;
    World *owner, *guest, *other;
    Entity entities[120];
} Shared;

static void shared_open(Shared* shared, Random* random) {
    const SceneShape shape = {
        .entity_count = 120, .reach = 6, .roots = 9, .share = 50, .transform = 85};
    scene_open(&shared->s, random, all_types(), ALL_TYPES, shape);
    shared->owner = world_wide(NULL);
    const WorldDesc desc = {.entities_of = shared->owner};
    shared->guest = world_wide(&desc);
    const WorldDesc again = {.entities_of =
                                 shared->guest}; /* whose entities belong to the owning world */
    shared->other = world_wide(&again);
    assert_ptr_equal(shared->guest->entities, shared->owner->entities);
    assert_ptr_equal(shared->other->entities, shared->owner->entities);
}

static void shared_close(Shared* shared) {
    ent_world_destroy(shared->guest);
    ent_world_destroy(shared->other);
    ent_world_destroy(shared->owner);
    scene_close(&shared->s);
}

static Manager* masses_of(World* world) {
    return manager_of(world, &ent_component_types()[COMPONENT_POINT_MASS]);
}

static Manager* transforms_of(World* world) {
    return manager_of(world, &ent_component_types()[COMPONENT_TRANSFORM]);
}

static void assert_rows_are_of_the_living(const World* world) {
    for (u32 k = 0; k < world->manager_count; k++) {
        const Manager* m = &world->manager[k];
        for (u32 r = 0; r < m->count; r++) {
            assert_true(ent_entity_alive(world->entities, m->entity[r]));
        }
    }
}

/* One entity has a mass in each world, with different data, and is removed from all. */
static void entity_with_components_in_three_worlds_is_removed_from_all(void** state) {
    Random random = {test_seed("several worlds", 7)};
    Shared s;
    u32    row;
    UNUSED(state);
    shared_open(&s, &random);
    World* worlds[] = {s.owner, s.guest, s.other};
    assert_int_equal(ent_world_spawn(s.guest, &s.s.blob, NULL, s.entities), ENT_OK);
    const u64 guest = world_digest(s.guest);
    for (u32 i = 0; i < 3; i += 2) {
        assert_int_equal(ent_entity_count(worlds[i]), 120);
        for (u32 e = 0; e < 120; e++) {
            Manager* m = masses_of(worlds[i]);
            assert_false(ent_manager_contains(m, worlds[i]->entities, s.entities[e]));
            assert_int_equal(ent_manager_create(worlds[i], m, s.entities[e], &row), ENT_OK);
            ent_point_mass_rows(worlds[i]).mass[row] = (f32)(1000 * i + e);
        }
    }
    assert_true(guest == world_digest(s.guest));
    for (u32 i = 0; i < 3; i += 2) {
        for (u32 e = 0; e < 120; e++) {
            row = ent_manager_row(masses_of(worlds[i]), worlds[i]->entities, s.entities[e]);
            assert_true(ent_point_mass_rows(worlds[i]).mass[row] == (f32)(1000 * i + e));
        }
    }
    for (u32 e = 0; e < 120; e++) { /* destroyed through each of them in turn */
        assert_int_equal(ent_entity_destroy(worlds[e % 3], &s.entities[e], 1), 1);
        for (u32 i = 0; i < 3; i++) {
            assert_int_equal(ent_entity_count(worlds[i]), 119 - e);
            assert_rows_are_of_the_living(worlds[i]);
        }
    }
    shared_close(&s);
}

static u32 rows_count(const World* world) {
    u32 rows = 0;
    for (u32 i = 0; i < world->manager_count; i++) rows += world->manager[i].count;
    return rows;
}

/* Clearing a sharing world removes its components, clearing the owning world destroys all
 * entities. */
static void clear_of_sharing_world_keeps_entities_of_owning_world(void** state) {
    Random random = {test_seed("clearing", 8)};
    Shared s;
    UNUSED(state);
    shared_open(&s, &random);
    for (u32 round = 0; round < 3; round++) {
        assert_int_equal(ent_world_spawn(s.owner, &s.s.blob, NULL, s.entities), ENT_OK);
        assert_int_equal(ent_world_spawn(s.guest, &s.s.blob, NULL, s.entities), ENT_OK);
        assert_int_equal(ent_entity_count(s.other), 240);
        const u64 owner = world_digest(s.owner);
        ent_world_clear(s.other);
        ent_world_clear(s.guest);
        assert_int_equal(rows_count(s.guest), 0);
        assert_true(owner == world_digest(s.owner));
        for (u32 e = 0; e < 120; e++) {
            assert_true(ent_entity_alive(s.guest->entities, s.entities[e]));
            assert_int_equal(ent_transform_row(s.guest, s.entities[e]), MANAGER_NO_ROW);
        }
        assert_int_equal(ent_world_spawn(s.guest, &s.s.blob, NULL, s.entities), ENT_OK);
        ent_world_clear(s.owner);
        assert_int_equal(rows_count(s.owner) + rows_count(s.guest), 0);
        assert_int_equal(ent_entity_count(s.guest), 0);
    }
    shared_close(&s);
}

/* The pool grows by any of the worlds, and the lookup tables of the others grow when they need
 * it. */
static void shared_pool_grown_by_any_world_is_usable_in_all(void** state) {
    Random random = {test_seed("shared growth", 9)};
    Shared s;
    Entity found[3] = {0}, some[100];
    u32    row;
    UNUSED(state);
    shared_open(&s, &random);
    World* worlds[] = {s.owner, s.guest, s.other};
    for (u32 round = 0; round < 60; round++) {
        assert_int_equal(ent_entity_create(worlds[random_below(&random, 3)], some, 100), ENT_OK);
        for (u32 i = 0; i < 3; i++) {
            assert_int_equal(ent_transform_row(worlds[i], some[99]), MANAGER_NO_ROW);
            if (random_below(&random, 2)) continue;
            found[i] = some[random_below(&random, 100)];
            assert_int_equal(
                ent_manager_create(worlds[i], transforms_of(worlds[i]), found[i], &row), ENT_OK);
        }
        for (u32 i = 0; i < 3; i++) {
            if (!found[i]) continue;
            const u32 at = ent_transform_row(worlds[i], found[i]);
            assert_int_equal(ent_transform_rows(worlds[i]).entity[at], found[i]);
        }
    }
    assert_int_equal(ent_entity_count(s.guest), 6000);
    shared_close(&s);
}

/* A sharing world that is destroyed frees its rows and keeps the entities, in whatever order. */
static void sharing_worlds_destroyed_in_any_order_keep_entities(void** state) {
    UNUSED(state);
    for (u32 first = 0; first < 3; first++) {
        World*          owner = world_new(NULL);
        const WorldDesc desc = {.entities_of = owner};
        World*          guest[3];
        Entity          entity;
        u32             row;
        for (u32 i = 0; i < 3; i++) guest[i] = world_new(&desc);
        World *second = guest[(first + 1) % 3], *third = guest[(first + 2) % 3];
        assert_int_equal(ent_entity_create(guest[1], &entity, 1), ENT_OK);
        for (u32 i = 0; i < 3; i++) {
            assert_int_equal(ent_manager_create(guest[i], transforms_of(guest[i]), entity, &row),
                             ENT_OK);
        }
        ent_world_destroy(guest[first]);
        assert_true(ent_entity_alive(owner->entities, entity));
        assert_int_equal(ent_entity_destroy(second, &entity, 1), 1);
        assert_int_equal(ent_transform_rows(third).count, 0);
        ent_world_destroy(third);
        assert_int_equal(ent_entity_create(second, &entity, 1), ENT_OK);
        ent_world_destroy(second);
        assert_int_equal(ent_entity_count(owner), 1);
        ent_world_destroy(owner);
    }
}

/* A sharing world whose memory cannot be allocated, by its own allocator or for the owning world,
 * leaves no trace. */
static void sharing_world_with_failing_allocation_is_not_created(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   owner_desc = {.allocator = counting_allocator(&counting)};
    World *           owner = world_new(&owner_desc), *guest = NULL;
    const WorldDesc   desc = {
          .allocator = owner_desc.allocator, .entities_of = owner, .entity_count = 100};
    Entity entity;
    UNUSED(state);
    for (u32 place = 1; place <= 2; place++) {
        counting.fail_at = counting.allocations + place;
        assert_int_equal(ent_world_create(&guest, &desc), ENT_NO_MEMORY);
        assert_null(guest);
        assert_null(owner->next_sharing);
        assert_int_equal(counting.live_blocks, 1);
    }
    assert_int_equal(ent_world_create(&guest, &desc), ENT_OK);
    counting.fail_after = true;
    counting.fail_at = counting.allocations + 1;
    for (u32 i = 0; i < 100; i++) assert_int_equal(ent_entity_create(guest, &entity, 1), ENT_OK);
    assert_int_equal(ent_entity_count(owner), 100);
    ent_world_destroy(guest);
    ent_world_destroy(owner);
    assert_int_equal(counting.live_bytes, 0);
}

/* --- callbacks before destruction --- */

typedef struct Reported {
    World*        world[2]; /* both share the entities */
    const Entity* wanted;
    u32           count, calls;
    Entity        created; /* created by the callback itself */
} Reported;

/* During each callback, in whatever world, the entities and all their components still exist. */
static void destroyed_note(void* user, const Entity* entities, u32 count) {
    Reported* reported = user;
    reported->calls++;
    assert_int_equal(count, reported->count);
    assert_memory_equal(entities, reported->wanted, sizeof(Entity) * count);
    for (u32 i = 0; i < count; i++) {
        for (u32 w = 0; w < 2; w++) {
            assert_true(ent_entity_alive(reported->world[w]->entities, entities[i]));
            assert_int_not_equal(ent_transform_row(reported->world[w], entities[i]),
                                 MANAGER_NO_ROW);
        }
    }
    assert_int_equal(ent_entity_destroy(reported->world[0], entities, count), 0);
    assert_int_equal(ent_entity_create(reported->world[0], &reported->created, 1), ENT_OK);
}

static void destroyed_callback_is_called_before_any_removal(void** state) {
    Reported        reported = {0};
    const WorldDesc owner = {.destroyed = {destroyed_note, &reported}};
    World*          world = world_new(&owner);
    const WorldDesc guest = {.destroyed = {destroyed_note, &reported}, .entities_of = world};
    Entity          entities[10], stale[2];
    u32             row;
    UNUSED(state);
    reported.world[0] = world;
    reported.world[1] = world_new(&guest);
    assert_int_equal(ent_entity_create(world, entities, 10), ENT_OK);
    for (u32 i = 0; i < 20; i++) {
        World* w = reported.world[i % 2];
        assert_int_equal(ent_manager_create(w, transforms_of(w), entities[i / 2], &row), ENT_OK);
    }
    stale[0] = ENTITY_NULL, stale[1] = UINT32_MAX;
    assert_int_equal(ent_entity_destroy(world, stale, 2), 0);
    assert_int_equal(reported.calls, 0); /* no call for what did not happen */
    for (u32 half = 0; half < 2; half++) {
        reported.wanted = entities + 5 * half;
        reported.count = 5;
        assert_int_equal(ent_entity_destroy(reported.world[half], reported.wanted, 5), 5);
        assert_int_equal(reported.calls, 2 * (half + 1)); /* the callback of each world once */
        assert_true(ent_entity_alive(world->entities, reported.created));
        for (u32 w = 0; w < 2; w++) assert_int_equal(rows_count(reported.world[w]), 5 - 5 * half);
    }
    assert_int_equal(ent_entity_count(world), 4); /* those created by the callbacks */
    ent_world_clear(world);
    assert_int_equal(reported.calls, 4);
    ent_world_destroy(reported.world[1]);
    ent_world_destroy(world);
}

/* --- rows of destroyed entities --- */

#define LAZY_COUNT 400

static World* world_lazy(void) {
    World* world = world_new(NULL);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = {.type = plugin_types()[i], .extra_bytes = {8, 4}, .lazy = 1};
        assert_int_equal(ent_world_register(world, &type), ENT_OK);
    }
    return world;
}

/* Every other entity is destroyed. */
static void lazy_check(World* world, const Entity* entities) {
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        const Manager* m = manager_of(world, &plugin_types()[t]);
        for (u32 i = 0; i < LAZY_COUNT; i++) {
            const u32 row = ent_manager_row(m, world->entities, entities[i]);
            assert_int_equal(row != MANAGER_NO_ROW, i % 2);
            if (i % 2) assert_int_equal(m->entity[row], entities[i]);
        }
    }
}

/* Entities with more rows of one type than are removed in one step, among entities that stay. */
static void entities_with_thousands_of_rows_are_destroyed_together(void** state) {
    enum { ENTITIES = 40 };
    World*   world = world_new(NULL);
    Manager* m = ent_world_manager_by_name(world, "mesh");
    Entity   entities[ENTITIES], doomed[ENTITIES / 2];
    u32      row, stay = 0;
    UNUSED(state);
    assert_int_equal(m->desc.type.several, SEVERAL);
    assert_int_equal(ent_entity_create(world, entities, ENTITIES), ENT_OK);
    for (u32 k = 0; k < 3000; k++) {
        for (u32 i = 0; i < ENTITIES; i++) {
            if (k >= 40 * i + (i == 7 ? 2000 : 0)) continue;
            assert_int_equal(ent_manager_create(world, m, entities[i], &row), ENT_OK);
            ((MeshRecord*)m->column[0])[row].layer = i;
            stay += i % 2 == 0;
        }
    }
    for (u32 i = 0; i < ENTITIES / 2; i++) doomed[i] = entities[2 * i + 1];
    assert_int_equal(ent_entity_destroy(world, doomed, ENTITIES / 2), ENTITIES / 2);
    assert_int_equal(m->count, stay);
    for (u32 i = 0; i < ENTITIES; i++) {
        u32 found = 0;
        for (row = ent_manager_row(m, world->entities, entities[i]); row != MANAGER_NO_ROW;
             row = ent_manager_next(m, row), found++) {
            assert_int_equal(m->entity[row], entities[i]);
            assert_int_equal(((MeshRecord*)m->column[0])[row].layer, i);
        }
        assert_int_equal(found, i % 2 ? 0 : 40 * i);
    }
    ent_world_destroy(world);
}

/* Rows of destroyed entities remain, are not found, and are all removed in the end; those of alive
 * entities are kept. */
static void rows_of_destroyed_entities_are_removed_by_gc(void** state) {
    World* world = world_lazy();
    Entity entities[LAZY_COUNT];
    u32    removed = 0, calls = 0;
    UNUSED(state);
    assert_int_equal(ent_world_gc(world), 0);
    assert_int_equal(ent_entity_create(world, entities, LAZY_COUNT), ENT_OK);
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        Manager* m = manager_of(world, &plugin_types()[t]);
        u32      row, max = m->desc.type.several == SEVERAL ? 3 : 1;
        assert_int_equal(m->desc.type.lookup, HASHED);
        for (u32 i = 0; i < LAZY_COUNT * max; i++) {
            assert_int_equal(ent_manager_create(world, m, entities[i / max], &row), ENT_OK);
        }
    }
    const u32 rows = rows_count(world);
    assert_int_equal(ent_world_gc(world), 0);
    for (u32 i = 0; i < LAZY_COUNT; i += 2) {
        assert_int_equal(ent_entity_destroy(world, &entities[i], 1), 1);
    }
    assert_int_equal(rows_count(world), rows);
    for (; removed < rows / 2; calls++) {
        removed += ent_world_gc(world);
        assert_int_equal(rows_count(world), rows - removed);
        assert_true(calls < 100000);
        if (calls % 50 == 0) lazy_check(world, entities);
    }
    lazy_check(world, entities);
    for (u32 i = 0; i < 100; i++) assert_int_equal(ent_world_gc(world), 0);
    assert_true(calls > 1); /* more than one call is needed */
    ent_world_destroy(world);
}

/* An index has its next owner while the row of the previous one still exists. */
static void index_reused_before_gc_finds_only_its_new_rows(void** state) {
    enum { AGAIN = 300, MANY = ENTITY_FREE_MINIMUM + AGAIN };
    World*   world = world_lazy();
    Entity*  entities = calloc(2 * MANY, sizeof(Entity));
    Entity*  fresh = entities + MANY; /* the first of these have the indices of destroyed ones */
    Manager* tags = manager_of(world, &plugin_types()[PLUGIN_tag]);
    Manager* probes = manager_of(world, &plugin_types()[PLUGIN_probe]);
    u32      row;
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, MANY), ENT_OK);
    for (u32 i = 0; i < 2 * MANY; i++) {
        if (i % 2) assert_int_equal(ent_manager_create(world, tags, entities[i / 2], &row), ENT_OK);
        assert_int_equal(ent_manager_create(world, probes, entities[i / 2], &row), ENT_OK);
    }
    assert_int_equal(ent_entity_destroy(world, entities, MANY), MANY);
    assert_int_equal(ent_entity_create(world, fresh, MANY), ENT_OK);
    for (u32 i = 0; i < MANY; i++) {
        assert_int_equal(ent_entity_index(fresh[i]) <= MANY, i < AGAIN);
        assert_false(ent_manager_contains(tags, world->entities, fresh[i]));
        assert_false(ent_manager_contains(probes, world->entities, fresh[i]));
    }
    for (u32 i = 0; i < AGAIN; i++) {
        assert_int_equal(ent_manager_create(world, tags, fresh[i], &row), ENT_OK);
        assert_int_equal(ent_manager_row(tags, world->entities, fresh[i]), row);
        assert_int_equal(tags->entity[row], fresh[i]);
    }
    while (tags->count + probes->count > AGAIN) ent_world_gc(world);
    for (u32 i = 0; i < MANY; i++) {
        assert_int_equal(ent_manager_contains(tags, world->entities, fresh[i]), i < AGAIN);
    }
    ent_world_clear(world);
    assert_int_equal(rows_count(world), 0);
    free(entities);
    ent_world_destroy(world);
}

TEST_SUITE(entities) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(id_of_destroyed_entity_is_reused_late),
        cmocka_unit_test(stale_handle_is_alive_again_after_the_stated_number_of_creations),
        cmocka_unit_test(stale_handle_of_a_full_world_is_alive_again_after_255_creations),
        cmocka_unit_test(id_of_cleared_entity_is_reused_late),
        cmocka_unit_test(freed_slots_are_reused_in_order_of_release),
        cmocka_unit_test(entities_beyond_four_million_are_refused),
        cmocka_unit_test(destroyed_entities_leave_all_others_unchanged),
        cmocka_unit_test(list_with_stale_or_duplicate_entity_destroys_the_others),
        cmocka_unit_test(entity_destroyed_equals_removal_of_each_row),
        cmocka_unit_test(entity_with_components_in_three_worlds_is_removed_from_all),
        cmocka_unit_test(clear_of_sharing_world_keeps_entities_of_owning_world),
        cmocka_unit_test(shared_pool_grown_by_any_world_is_usable_in_all),
        cmocka_unit_test(sharing_worlds_destroyed_in_any_order_keep_entities),
        cmocka_unit_test(sharing_world_with_failing_allocation_is_not_created),
        cmocka_unit_test(destroyed_callback_is_called_before_any_removal),
        cmocka_unit_test(entities_with_thousands_of_rows_are_destroyed_together),
        cmocka_unit_test(rows_of_destroyed_entities_are_removed_by_gc),
        cmocka_unit_test(index_reused_before_gc_finds_only_its_new_rows),
    };
    return TEST_RUN("entities", tests);
}
