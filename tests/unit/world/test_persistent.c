/* test_persistent.c - persistent ids: seeds separate loads, references are translated, and the
 * lookup finds what a search of all rows finds. */
#include "test_worlds_support.h"

#include <stdlib.h>

#include "persistent_manager.h"
#include "spawn.h"
#include "world.h"
#include "rows.h"

static Entity found_by_looking(World* w, PersistentRef id) {
    const PersistentIdRows rows = ent_persistent_id_rows(w);
    for (u32 i = 0; i < rows.count && id != 0; i++) {
        if (rows.record[i].id == id) return rows.entity[i];
    }
    return ENTITY_NULL;
}

static World* world_new(void) {
    World* w;
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = {.type = plugin_types()[i]};
        assert_int_equal(ent_world_register(w, &type), ENT_OK);
    }
    return w;
}

/* --- seeds --- */

static void ids_with_any_seed_map_one_to_one(void** state) {
    static const u32 seeds[] = {0, 1, 2, 3, 0x80000000u, 0xffffffffu, 0xfffffffeu, 0x12345678u};
    Random           r = {3};
    UNUSED(state);
    for (u32 s = 0; s < COUNT_OF(seeds); s++) {
        const u32 seed = seeds[s];
        assert_int_equal(ent_persistent_seeded(0, seed), 0);
        if (seed > 1) {
            /* The id that 0 would map to, and that would map to 0, is kept. */
            assert_int_equal(ent_persistent_seeded(seed >> 1, seed), seed >> 1);
        }
        for (u32 i = 0; i < 100000; i++) {
            const u32 id = i < 1000 ? i + 1 : random_next(&r) >> 1,
                      to = ent_persistent_seeded(id, seed);
            if (id == 0) continue;
            assert_in_range(to, 1, PERSISTENT_ID_MAX);
            if (id != seed >> 1) assert_int_equal(to, ((id << 1) ^ seed) >> 1);
            assert_int_equal(ent_persistent_seeded(to, seed), id);
            if (seed == 0) assert_int_equal(to, id);
        }
    }
}

/* --- loads --- */

/* Every entity has an id, and a tag that refers to the next one; every other one has a probe. */
typedef struct Ring {
    Bytes bytes;
    Blob  blob;
} Ring;

#define RING 60

static u32 ring_id(u32 entity) { return 1000 + entity * 77; }

static Ring ring_make(void) {
    const BlobOptions  options = all_options();
    PersistentIdRecord id[RING];
    TagRecord          tag[RING];
    ProbeRecord        probe[RING];
    u32                owner[RING];
    Ring               ring;
    for (u32 i = 0; i < RING; i++) {
        owner[i] = i;
        id[i].id = ring_id(i);
        record_defaults(&plugin_types()[PLUGIN_tag].record, &tag[i]);
        record_defaults(&plugin_types()[PLUGIN_probe].record, &probe[i]);
        tag[i].buddy = i % 5 ? ring_id((i + 1) % RING) : 0;
        probe[i].nemesis = ring_id((i + 2) % RING);
    }
    const LevelPart parts[] = {{&plugin_types()[PLUGIN_tag], RING, owner, tag},
                               {&plugin_types()[PLUGIN_probe], RING, owner, probe},
                               {&ent_component_types()[COMPONENT_PERSISTENT_ID], RING, owner, id}};
    const Level     level = {RESOURCE_LEVEL, RING, NULL, COUNT_OF(parts), parts, false, false};
    ring.bytes = level_bytes(&level, target_native(), &options);
    ring.blob = blob_valid(ring.bytes, &options);
    return ring;
}

static void ring_spawn(World* w, const Ring* ring, u32 seed, bool frames, Entity* entities) {
    const SpawnOptions options = {.seed = seed};
    SpawnJob*          job;
    int                done = 0;
    if (!frames) {
        assert_int_equal(ent_world_spawn(w, &ring->blob, &options, entities), ENT_OK);
        return;
    }
    assert_int_equal(ent_spawn_begin(&job, w, &ring->blob, &options, entities), ENT_OK);
    while (!done) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    ent_spawn_end(job);
}

static void ring_check(World* w, u32 seed, const Entity* entities) {
    const EntityPool* pool = ent_world_entities(w);
    const Manager*    tags = ent_world_manager_by_name(w, "tag");
    const Manager*    probes = ent_world_manager_by_name(w, "probe");
    for (u32 i = 0; i < RING; i++) {
        const u32 id = ent_persistent_seeded(ring_id(i), seed);
        assert_int_equal(ent_persistent_of(w, entities[i]), id);
        assert_int_equal(ent_persistent_find(w, id), entities[i]);
        const u32* buddy = ent_manager_get(tags, ent_manager_row(tags, pool, entities[i]), 2);
        const ProbeRecord* probe =
            ent_manager_get(probes, ent_manager_row(probes, pool, entities[i]), 0);
        assert_int_equal(ent_persistent_find(w, *buddy),
                         i % 5 ? entities[(i + 1) % RING] : ENTITY_NULL);
        assert_int_equal(ent_persistent_find(w, probe->nemesis), entities[(i + 2) % RING]);
    }
}

static void loads_with_different_seeds_have_different_ids(void** state) {
    static const u32 seeds[] = {0, 0x5eed0001, 0xabcdef12, 0x80000000u};
    Entity           entities[COUNT_OF(seeds)][RING];
    Ring             ring = ring_make();
    World*           w = world_new();
    UNUSED(state);
    for (u32 round = 0; round < 2; round++) {
        for (u32 s = 0; s < COUNT_OF(seeds); s++) {
            ring_spawn(w, &ring, seeds[s], (s + round) % 2, entities[s]);
        }
        for (u32 s = 0; s < COUNT_OF(seeds); s++) ring_check(w, seeds[s], entities[s]);
        ent_world_clear(w);
        assert_int_equal(ent_persistent_find(w, ring_id(3)), ENTITY_NULL);
    }
    ent_world_destroy(w);
    bytes_free(&ring.bytes);
}

/* Two loads with one seed: the first is found, and the second when the first is destroyed. */
static void lookup_of_duplicate_id_finds_the_first_entity(void** state) {
    Entity first[RING], second[RING];
    Ring   ring = ring_make();
    World* w = world_new();
    UNUSED(state);
    ring_spawn(w, &ring, 5, false, first);
    ring_spawn(w, &ring, 5, false, second);
    ring_check(w, 5, first);
    assert_int_equal(ent_entity_destroy(w, first, RING), RING);
    ring_check(w, 5, second);
    ent_world_destroy(w);
    bytes_free(&ring.bytes);
}

/* --- the table --- */

/* Compared with a search of all rows, while ids are added, changed and removed, rows move and
 * memory grows. */
static void lookup_after_random_changes_equals_search_of_rows(void** state) {
    Random   r = {test_seed("persistent", 42)};
    World*   w = world_new();
    Entity   entity[800];
    u32      count = 0;
    Manager* m = ent_world_manager_by_name(w, "persistent_id");
    UNUSED(state);
    for (u32 i = 0; i < 20000; i++) {
        const u32 id = random_below(&r, 700); /* some twice, some never, and 0 */
        const u32 who = random_below(&r, count);
        switch (random_below(&r, 7)) {
        case 0:
        case 1:
        case 2:
            if (count == COUNT_OF(entity)) break;
            assert_int_equal(ent_entity_create(w, &entity[count], 1), ENT_OK);
            assert_int_equal(ent_persistent_set(w, entity[count++], id), ENT_OK);
            break;
        case 3:
            if (count == 0) break;
            assert_int_equal(ent_entity_destroy(w, &entity[who], 1), 1);
            assert_int_equal(ent_persistent_of(w, entity[who]), 0);
            assert_int_equal(ent_persistent_set(w, entity[who], 9), ENT_STALE);
            assert_int_equal(ent_persistent_set(w, entity[who], 0), ENT_STALE);
            entity[who] = entity[--count];
            break;
        case 4:
            if (count) assert_int_equal(ent_persistent_set(w, entity[who], id), ENT_OK);
            break;
        case 5:
            if (m->count)
                ent_manager_swap(w, m, random_below(&r, m->count), random_below(&r, m->count));
            break;
        default:
            if (m->count == 0) break;
            if (id % 2)
                ent_manager_remove(w, m, random_below(&r, m->count));
            else
                ent_manager_remove_keep_order(w, m, random_below(&r, m->count));
            break;
        }
        for (u32 k = 0; k < 8; k++) {
            const u32 ask = random_below(&r, 750);
            assert_int_equal(ent_persistent_find(w, ask), found_by_looking(w, ask));
        }
        if (random_below(&r, 4000) == 0) ent_world_clear(w), count = 0;
    }
    ent_world_destroy(w);
}

TEST_SUITE(persistent) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_with_any_seed_map_one_to_one),
        cmocka_unit_test(loads_with_different_seeds_have_different_ids),
        cmocka_unit_test(lookup_of_duplicate_id_finds_the_first_entity),
        cmocka_unit_test(lookup_after_random_changes_equals_search_of_rows)};
    return TEST_RUN("persistent", tests);
}
