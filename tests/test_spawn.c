/* test_spawn.c - worlds: what a blob says stands in the managers, entities come and go, memory is
 * counted and runs out, and a simulation against a naive model. */
#include "test_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "hash.h"
#include "resource.h"
#include "sections.h"

/* --- every type of the list --- */

static void every_type_is_spawned(void** state) {
    Random random = {test_seed("every type", 1)};
    UNUSED(state);
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const ComponentType* type = all_types()[t];
        const SceneShape     shape = {.entity_count = 40,
                                      .reach = 10,
                                      .roots = 6,
                                      .share = 60,
                                      .transform = 50,
                                      .only = t + 1};
        Scene                s;
        Entity               entities[2][40];
        World*               world = world_wide(NULL);
        Manager*             m = manager_of(world, type);
        scene_open(&s, &random, all_types(), ALL_TYPES, shape);
        assert_true(s.count[t] > 1);
        for (u32 round = 0; round < 2; round++) {
            const u32 base = m->count;
            assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities[round]), ENT_OK);
            assert_int_equal(m->count, base + s.count[t]);
            for (u32 i = 0; i < s.count[t]; i++) {
                u8           record[RECORD_MAX];
                const Entity owner = entities[round][s.owner[t][i]];
                scene_record(&s, t, i, entities[round], record);
                assert_row_is(m, base + i, owner, record);
                const bool first = i == 0 || s.owner[t][i] != s.owner[t][i - 1];
                const bool last = i + 1 == s.count[t] || s.owner[t][i] != s.owner[t][i + 1];
                if (first) assert_int_equal(ent_manager_row(m, world->entities, owner), base + i);
                assert_int_equal(ent_manager_next(m, base + i),
                                 last ? MANAGER_NO_ROW : base + i + 1);
            }
            for (u32 e = 0, i = 0; e < s.entity_count; e++) {
                const bool owns = i < s.count[t] && s.owner[t][i] == e;
                while (i < s.count[t] && s.owner[t][i] == e) i++;
                if (owns) continue;
                assert_int_equal(ent_manager_row(m, world->entities, entities[round][e]),
                                 MANAGER_NO_ROW);
            }
        }
        scene_close(&s);
        ent_world_destroy(world);
    }
}

static void typed_rows_are_the_columns(void** state) {
    Random           random = {2};
    const SceneShape shape = {.entity_count = 30, .reach = 3, .share = 70, .transform = 90};
    Scene            s;
    World*           world = world_new(NULL);
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, NULL), ENT_OK);
    const TransformRows t = ent_transform_rows(world);
    const PointMassRows p = ent_point_mass_rows(world);
    const CameraRows    c = ent_camera_rows(world);
    assert_int_equal(t.count, s.count[COMPONENT_TRANSFORM]);
    for (u32 i = 0; i < t.count; i++) {
        const TransformRecord* want = (const TransformRecord*)s.record[COMPONENT_TRANSFORM] + i;
        const TransformRecord  got = ent_transform_local(world, i);
        assert_memory_equal(&t.position[i], &want->position, sizeof want->position);
        assert_memory_equal(&t.rotation[i], &want->rotation, sizeof want->rotation);
        assert_memory_equal(&t.scale[i], &want->scale, sizeof want->scale);
        assert_memory_equal(&got, want, sizeof got);
    }
    assert_int_equal(p.count, s.count[COMPONENT_POINT_MASS]);
    for (u32 i = 0; i < p.count; i++) {
        const PointMassRecord* want = (const PointMassRecord*)s.record[COMPONENT_POINT_MASS] + i;
        assert_memory_equal(&p.velocity[i], &want->velocity, sizeof want->velocity);
        assert_true(p.mass[i] == want->mass);
    }
    assert_int_equal(c.count, s.count[COMPONENT_CAMERA]);
    for (u32 i = 0; i < c.count; i++) {
        const CameraRecord* want = (const CameraRecord*)s.record[COMPONENT_CAMERA] + i;
        assert_true(c.record[i].near_m == want->near_m);
        if (want->target == NONE)
            assert_int_equal(c.record[i].target, ENTITY_NOBODY);
        else
            assert_true(ent_entity_alive(world->entities, c.record[i].target));
    }
    scene_close(&s);
    ent_world_destroy(world);
}

static void worlds_know_nothing_of_each_other(void** state) {
    Random           random = {3};
    const SceneShape shape = {.entity_count = 50, .reach = 4, .share = 50, .transform = 80};
    Scene            s;
    World *          a = world_wide(NULL), *b = world_wide(NULL);
    Entity           in_a[50], in_b[50];
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    assert_int_equal(ent_world_spawn(a, &s.blob, NULL, in_a), ENT_OK);
    assert_int_equal(ent_world_spawn(b, &s.blob, NULL, in_b), ENT_OK);
    assert_memory_equal(in_a, in_b, sizeof in_a);
    const u64 before = world_digest(b);
    assert_true(before == world_digest(a));
    ent_entity_destroy(a, in_a, 25);
    const TransformRecord pose = tame_pose(&random);
    ent_transform_set_local(a, 0, &pose);
    assert_int_equal(ent_world_spawn(a, &s.blob, NULL, in_a), ENT_OK);
    assert_true(before == world_digest(b));
    ent_world_destroy(a);
    assert_true(before == world_digest(b));
    scene_close(&s);
    ent_world_destroy(b);
}

/* --- hierarchies --- */

static void matrices_are_right_at_any_depth(void** state) {
    static const SceneShape shapes[] = {
        {.entity_count = 200, .reach = 1, .transform = 100},                  /* one chain */
        {.entity_count = 200, .reach = 1, .transform = 60},                   /* with gaps */
        {.entity_count = 1000, .reach = 1000, .roots = 50, .transform = 100}, /* shuffled */
        {.entity_count = 1000, .reach = 1000, .roots = 50, .transform = 40},
        {.entity_count = 900, .reach = 6, .roots = 90, .transform = 100}, /* over many chunks */
        {.entity_count = 900, .reach = 6, .roots = 90, .transform = 80},
        {.entity_count = 600, .reach = 0, .transform = 100}, /* no parents at all */
        {.entity_count = 257, .reach = 2, .transform = 100},
        {.entity_count = 1, .reach = 0, .transform = 100},
        {.entity_count = 5, .reach = 1, .transform = 0}};
    Random random = {test_seed("matrices", 4)};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(shapes); i++) {
        Scene   s;
        Mirror  mirror;
        World*  world = world_new(NULL);
        Entity* entities = calloc(shapes[i].entity_count, sizeof(Entity));
        scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shapes[i]);
        mirror_open(&mirror, world, listed_types(), COMPONENT_COUNT);
        for (u32 round = 0; round < 2; round++) {
            assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
            mirror_spawn(&mirror, &s, entities);
            mirror_check(&mirror);
        }
        u32 deepest = 0;
        for (u32 k = 0; k < mirror.count; k++) {
            u32 depth = 0;
            for (const MirrorEntity* e = mirror.at[k]; e && e->count[mirror.transform];
                 e = e->parent ? mirror_find(&mirror, e->parent) : NULL) {
                depth++;
            }
            deepest = MAX_OF(deepest, depth);
        }
        assert_int_equal(ent_transform_depth(world), deepest);
        for (u32 k = 0; k < 20 && mirror.count; k++) {
            MirrorEntity* e = mirror.at[random_below(&random, mirror.count)];
            const u32     row = ent_transform_row(world, e->id);
            if (row == MANAGER_NO_ROW) continue;
            const TransformRecord pose = tame_pose(&random);
            memcpy(e->record[mirror.transform][0], &pose, sizeof pose);
            ent_transform_set_local(world, row, &pose);
        }
        mirror_check(&mirror);
        mirror_close(&mirror);
        scene_close(&s);
        ent_world_destroy(world);
        free(entities);
    }
}

/* Destroys those that live, one by one; with a dead one, or one twice, nothing may happen. */
static void destroy_living(World* world, const Entity* entities, u32 count) {
    const u64        before = world_digest(world);
    const ent_status status = ent_entity_destroy(world, entities, count);
    if (status == ENT_OK) return;
    assert_int_equal(status, ENT_STALE);
    assert_true(before == world_digest(world));
    for (u32 i = 0; i < count; i++) {
        const bool alive = ent_entity_alive(world->entities, entities[i]);
        assert_int_equal(ent_entity_destroy(world, &entities[i], 1), alive ? ENT_OK : ENT_STALE);
    }
}

static void destroying_keeps_the_rest(void** state) {
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
            assert_int_equal(ent_transform_parent(world, gone[i]), ENTITY_NOBODY);
        }
    }
    mirror_close(&mirror);
    scene_close(&s);
    ent_world_destroy(world);
}

/* --- memory --- */

static void first_spawn_is_one_block_and_respawn_none(void** state) {
    static const u32 sizes[] = {1, 10, 600, 1024, 1500, 5000};
    Random           random = {6};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        const SceneShape shape = {
            .entity_count = sizes[i], .reach = 5, .roots = 9, .share = 30, .transform = 90};
        CountingAllocator counting = {0};
        const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
        World*            world = world_wide(&desc);
        Scene             s;
        assert_int_equal(counting.allocations, 1);
        scene_open(&s, &random, all_types(), ALL_TYPES, shape);
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, NULL), ENT_OK);
        assert_int_equal(counting.allocations, 2);
        for (u32 round = 0; round < 20; round++) {
            ent_world_clear(world);
            assert_int_equal(ent_entity_count(world), 0);
            assert_int_equal(ent_transform_rows(world).count, 0);
            assert_int_equal(ent_world_spawn(world, &s.blob, NULL, NULL), ENT_OK);
            assert_int_equal(ent_entity_count(world), sizes[i]);
        }
        assert_int_equal(counting.allocations, 2);
        assert_int_equal(counting.frees, 0);
        scene_close(&s);
        ent_world_destroy(world);
        assert_int_equal(counting.live_bytes, 0);
        assert_int_equal(counting.live_blocks, 0);
    }
}

/* Restarting by destroying each entity must not cost more than clearing. */
static void respawn_after_destroying_allocates_nothing(void** state) {
    Random           random = {7};
    const SceneShape shape = {
        .entity_count = 300, .reach = 5, .roots = 9, .share = 30, .transform = 90};
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_new(&desc);
    Scene             s;
    Mirror            mirror;
    Entity            entities[300];
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    mirror_open(&mirror, world, listed_types(), COMPONENT_COUNT);
    for (u32 round = 0; round < 20; round++) {
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
        mirror_spawn(&mirror, &s, entities);
        mirror_check(&mirror);
        assert_int_equal(counting.allocations, 2);
        if (round % 3 == 0)
            ent_world_clear(world);
        else
            ent_entity_destroy(world, entities, 300);
        mirror_clear(&mirror);
        mirror_check(&mirror);
    }
    mirror_check_ids(&mirror);
    mirror_close(&mirror);
    scene_close(&s);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

static void room_from_the_start(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting), .entity_count = 5000};
    World*            world = world_wide(&desc);
    Entity*           entities = calloc(5000, sizeof(Entity));
    const u32         before = counting.allocations;
    UNUSED(state);
    for (u32 round = 0; round < 3; round++) {
        assert_int_equal(ent_entity_create(world, entities, 5000), ENT_OK);
        ent_entity_destroy(world, entities, 5000);
    }
    assert_int_equal(counting.allocations, before);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    free(entities);
}

/* A world that grows in small steps leaves no block behind and takes few. */
static void growing_gives_back_what_it_leaves(void** state) {
    Random           random = {8};
    const SceneShape shape = {
        .entity_count = 37, .reach = 5, .roots = 9, .share = 60, .transform = 90};
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_wide(&desc);
    Scene             s;
    Mirror            mirror;
    Entity            entities[37];
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    mirror_open(&mirror, world, all_types(), ALL_TYPES);
    for (u32 round = 0; round < 24; round++) {
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
        mirror_spawn(&mirror, &s, entities);
        mirror_check(&mirror);
    }
    const u32 after_small = counting.allocations;
    for (u32 round = 0; round < 400; round++) {
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    }
    assert_int_equal(ent_entity_count(world), 424 * 37);
    assert_true(counting.allocations < after_small + 200);
    assert_int_equal(counting.live_blocks, counting.allocations - counting.frees);
    assert_int_equal(counting.live_blocks, world->slab_count + 1);
    assert_true(counting.frees > counting.allocations / 4);
    for (u32 i = 0; i < world->slab_count; i++) assert_true(world->slab[i].blocks > 0);
    mirror_close(&mirror);
    scene_close(&s);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

/* --- memory that runs out --- */

typedef struct Shortage {
    World* world;
    Scene  small, large;
    Entity entities[400];
    u32    step;
} Shortage;

static ent_status shortage_create(Shortage* s) {
    Manager* m = manager_of(s->world, s->step % 2 ? &ent_component_types()[COMPONENT_LIGHT]
                                                  : &plugin_types()[PLUGIN_probe]);
    u32      row;
    return ent_manager_create(s->world, m, s->entities[s->step % 7], &row);
}

/* The steps of a story in which everything grows at least once. */
static ent_status shortage_step(Shortage* s) {
    switch (s->step) {
    case 0: return ent_world_spawn(s->world, &s->small.blob, NULL, s->entities);
    case 1: return ent_entity_create(s->world, s->entities + 20, 300);
    case 2: return ent_world_spawn(s->world, &s->large.blob, NULL, NULL);
    case 3: return ent_world_spawn(s->world, &s->small.blob, NULL, s->entities);
    case 4: return ent_entity_create(s->world, s->entities + 20, 380);
    case 5: return ent_world_spawn(s->world, &s->large.blob, NULL, NULL);
    default: return shortage_create(s);
    }
}

static void every_allocation_may_fail(void** state) {
    Random           random = {9};
    const SceneShape small = {.entity_count = 20, .reach = 5, .share = 50, .transform = 90};
    const SceneShape large = {.entity_count = 3000, .reach = 5, .share = 20, .transform = 90};
    Shortage         s = {0};
    bool             refused = true;
    u32              failures = 0;
    UNUSED(state);
    scene_open(&s.small, &random, all_types(), ALL_TYPES, small);
    scene_open(&s.large, &random, all_types(), ALL_TYPES, large);
    for (u32 round = 0; refused; round++) {
        /* One that fails, or all from one on. */
        CountingAllocator counting = {.fail_at = 1 + round / 2, .fail_after = round % 2};
        const WorldDesc   desc = {.allocator = counting_allocator(&counting), .entity_count = 10};
        World*            untouched = (World*)(void*)&counting;
        s.world = untouched;
        ent_status status = ent_world_create(&s.world, &desc);
        if (status != ENT_OK) {
            assert_int_equal(status, ENT_NO_MEMORY);
            assert_ptr_equal(s.world, untouched);
            assert_int_equal(counting.live_bytes, 0);
            failures++;
            continue;
        }
        for (u32 i = 0; i < PLUGIN_COUNT; i++) {
            const ManagerDesc type = {.type = plugin_types()[i]};
            assert_int_equal(ent_world_register(s.world, &type), ENT_OK);
        }
        for (s.step = 0; s.step < 900; s.step++) {
            const u64    before = world_digest(s.world);
            const size_t bytes = counting.live_bytes;
            status = shortage_step(&s);
            if (status == ENT_OK) continue;
            assert_int_equal(status, ENT_NO_MEMORY);
            assert_int_equal(counting.live_bytes, bytes);
            assert_true(before == world_digest(s.world));
            failures++;
            /* There is memory again: the world is as good as before. */
            counting.fail_after = false;
            assert_int_equal(shortage_step(&s), ENT_OK);
        }
        refused = counting.refused > 0;
        ent_world_destroy(s.world);
        assert_int_equal(counting.live_bytes, 0);
    }
    print_message("memory ran out at %u places\n", failures);
    assert_true(failures >= 16);
    scene_close(&s.small);
    scene_close(&s.large);
}

/* --- entities --- */

static void an_id_returns_late(void** state) {
    World*    world = world_new(NULL);
    Entity    first, entity;
    u32       pairs = 0;
    const u32 least = 256 * 1024;
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, &first, 1), ENT_OK);
    ent_entity_destroy(world, &first, 1);
    do {
        assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
        assert_true(ent_entity_alive(world->entities, entity));
        if (entity != first) {
            assert_false(ent_entity_alive(world->entities, first));
            assert_int_equal(ent_entity_destroy(world, &first, 1), ENT_STALE);
        }
        assert_int_equal(ent_entity_count(world), 1);
        ent_entity_destroy(world, &entity, 1);
        assert_false(ent_entity_alive(world->entities, entity));
        pairs++;
    } while (entity != first);
    assert_true(pairs >= least);
    assert_true(world->entities->slot_count <= ENTITY_FREE_MINIMUM + 2);
    ent_world_destroy(world);
}

/* The same when entities go by clearing, in bulk. */
static void an_id_returns_late_after_clearing(void** state) {
    enum { BULK = 700 };
    World*    world = world_new(NULL);
    Entity    entities[BULK], first = 0;
    u32       created = 0;
    bool      back = false;
    const u32 least = 256 * 1024;
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
    assert_true(created >= least);
    ent_world_destroy(world);
}

/* Freed slots are used in the order in which they were freed, and never below the minimum. */
static void freed_slots_wait_in_line(void** state) {
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
    assert_false(ent_entity_alive(world->entities, ENTITY_NOBODY));
    assert_false(ent_entity_alive(world->entities, UINT32_MAX));
    assert_false(ent_entity_alive(world->entities, ENTITY_COUNT_MAX - 1));
    ent_world_destroy(world);
    free(entities);
    free(queue);
}

static void four_million_entities_are_the_limit(void** state) {
    const u32         most = ENTITY_COUNT_MAX - 1;
    CountingAllocator counting = {0};
    WorldDesc         desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_new(&desc);
    Entity*           entities = malloc(sizeof(Entity) * (size_t)ENTITY_COUNT_MAX);
    Random            random = {10};
    const SceneShape  shape = {.entity_count = 3, .transform = 100};
    Scene             s;
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    assert_int_equal(ent_entity_create(world, entities, ENTITY_COUNT_MAX), ENT_LIMIT);
    assert_int_equal(ent_entity_create(world, entities, UINT32_MAX), ENT_LIMIT);
    assert_int_equal(counting.allocations, 1);
    assert_int_equal(ent_entity_create(world, entities, most), ENT_OK);
    assert_int_equal(ent_entity_count(world), most);
    assert_int_equal(ent_entity_index(entities[most - 1]), most);
    const u32 before = counting.allocations;
    assert_int_equal(ent_entity_create(world, entities, 1), ENT_LIMIT);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, NULL), ENT_LIMIT);
    assert_int_equal(counting.allocations, before);
    assert_int_equal(ent_entity_count(world), most);
    assert_int_equal(ent_transform_rows(world).count, 0);
    ent_world_clear(world);
    assert_int_equal(ent_entity_count(world), 0);
    assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_entity_count(world), 3);
    for (u32 i = 0; i < 3; i++) assert_true(ent_entity_alive(world->entities, entities[i]));
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);

    desc.entity_count = ENTITY_COUNT_MAX;
    assert_int_equal(ent_world_create(&world, &desc), ENT_LIMIT);
    assert_int_equal(counting.live_bytes, 0);
    scene_close(&s);
    free(entities);
}

/* --- single instances --- */

static void instances_are_created_and_removed(void** state) {
    World* world = world_wide(NULL);
    Entity entities[3];
    u32    rows[5];
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, 3), ENT_OK);
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const ComponentType* type = all_types()[t];
        Manager*             m = manager_of(world, type);
        const u32            count = type->several == SEVERAL ? 5 : 1;
        u8                   record[RECORD_MAX], got[RECORD_MAX];
        record_defaults(&type->record, record);
        for (u32 f = 0; f < type->record.field_count; f++) {
            const Field* field = &type->record.fields[f];
            if (field->kind == FIELD_EntityRef) memset(record + field->offset, 0, 4);
        }
        for (u32 e = 0; e < 3; e++) {
            for (u32 k = 0; k < count; k++) {
                assert_int_equal(ent_manager_create(world, m, entities[e], &rows[k]), ENT_OK);
                assert_int_equal(rows[k], e * count + k);
                assert_row_is(m, rows[k], entities[e], record);
            }
            u32 row = ent_manager_row(m, world->entities, entities[e]);
            for (u32 k = 0; k < count; k++) {
                assert_int_equal(row, rows[k]);
                row = ent_manager_next(m, row);
            }
            assert_int_equal(row, MANAGER_NO_ROW);
        }
        /* Rows of the first entity go, from the middle on: the order of the rest is kept. */
        row_record(m, 0, got);
        for (u32 left = count; left > 0; left--) {
            u32 row = ent_manager_row(m, world->entities, entities[0]);
            for (u32 k = 0; k < left / 2; k++) row = ent_manager_next(m, row);
            ent_manager_remove(world, m, row);
            u32 seen = 0;
            for (row = ent_manager_row(m, world->entities, entities[0]); row != MANAGER_NO_ROW;
                 row = ent_manager_next(m, row)) {
                assert_int_equal(m->entity[row], entities[0]);
                seen++;
            }
            assert_int_equal(seen, left - 1);
        }
        assert_int_equal(m->count, 2 * count);
        assert_true(ent_entity_alive(world->entities, entities[0]));
    }
    ent_world_destroy(world);
}

/* A new row is zero in the columns that only the runtime has, also where another one stood. */
static void extra_columns_begin_at_zero_and_move_along(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_wide(&desc);
    Entity            entities[4];
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, 4), ENT_OK);
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        Manager*  m = manager_of(world, &plugin_types()[t]);
        const u32 own = ent_component_column_count(&m->desc.type);
        u32       row;
        assert_int_equal(m->column_count, own + 2);
        for (u32 round = 0; round < 3; round++) {
            for (u32 e = 0; e < 4; e++) {
                const u64 mark = 0x1111111111111111u * (e + 1);
                assert_int_equal(ent_manager_create(world, m, entities[e], &row), ENT_OK);
                assert_true(((u64*)m->column[own])[row] == 0);
                assert_true(((u32*)m->column[own + 1])[row] == 0);
                ((u64*)m->column[own])[row] = mark;
                ((u32*)m->column[own + 1])[row] = (u32)mark;
            }
            for (u32 e = 0; e < 3; e++) {
                ent_manager_remove(world, m, ent_manager_row(m, world->entities, entities[e]));
                for (u32 k = e + 1; k < 4; k++) {
                    const u64 mark = 0x1111111111111111u * (k + 1);
                    row = ent_manager_row(m, world->entities, entities[k]);
                    assert_true(((u64*)m->column[own])[row] == mark);
                    assert_true(((u32*)m->column[own + 1])[row] == (u32)mark);
                }
            }
            ent_manager_remove(world, m, 0);
            assert_int_equal(m->count, 0);
        }
    }
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

static void names_are_found(void** state) {
    static const u32 owner[] = {0, 2, 3};
    const NameRecord record[] = {
        {hash_name(text_of("door"))}, {hash_name(text_of("lamp"))}, {hash_name(text_of("door"))}};
    const ComponentType* name = &ent_component_types()[COMPONENT_NAME];
    const LevelPart      part = {name, 3, owner, record};
    const Level          level = {RESOURCE_LEVEL, 4, NULL, 1, &part, false, false};
    Bytes                bytes = level_bytes(&level, target_native(), NULL);
    const Blob           blob = blob_good(bytes, NULL);
    World*               world = world_new(NULL);
    Entity               entities[4];
    UNUSED(state);
    assert_int_equal(ent_name_find(world, "door"), ENTITY_NOBODY);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_name_find(world, "door"), entities[0]);
    assert_int_equal(ent_name_find(world, "lamp"), entities[2]);
    assert_int_equal(ent_name_find(world, "Lamp"), ENTITY_NOBODY);
    assert_int_equal(ent_name_find(world, ""), ENTITY_NOBODY);
    ent_entity_destroy(world, &entities[0], 1);
    assert_int_equal(ent_name_find(world, "door"), entities[3]);
    assert_int_equal(ent_entity_destroy(world, entities + 1, 3), ENT_OK);
    assert_int_equal(ent_name_find(world, "door"), ENTITY_NOBODY);
    ent_world_destroy(world);
    bytes_free(&bytes);
}

/* --- types that are not in the list --- */

static struct {
    u32          calls, removed;
    u32          order[8]; /* spawn order of the types in the order of their calls */
    const Scene* scene;
    u32          transforms, lights, decals; /* rows there were when the type was spawned */
} watch;

static void watch_spawn(World* world, Manager* m, const SpawnBatch* batch) {
    const u32 base = m->count;
    watch.order[watch.calls++] = m->desc.type.order;
    assert_int_equal(batch->entity_count, watch.scene->entity_count);
    assert_memory_equal(batch->parent_index, watch.scene->parent, 4 * batch->entity_count);
    memset(batch->scratch, 0xcd, sizeof(u32) * 2 * batch->entity_count);
    const TransformRows t = ent_transform_rows(world);
    const LightRows     l = ent_light_rows(world);
    const DecalRows     d = ent_decal_rows(world);
    assert_int_equal(t.count > watch.transforms, m->desc.type.order > 100);
    assert_int_equal(l.count > watch.lights, m->desc.type.order >= 500);
    assert_int_equal(d.count > watch.decals, false);
    assert_int_equal(ent_manager_append(m, batch), base);
    assert_int_equal(m->count, base + batch->count);
    if (m->desc.type.order <= 100) return;
    /* What a lower order brought can be looked up, matrices included. */
    for (u32 i = 0; i < batch->count; i++) {
        const Entity e = batch->entities[batch->entity_index[i]];
        const Mat34* matrix = ent_transform_world(world, e);
        assert_true(ent_entity_alive(world->entities, e));
        assert_non_null(matrix);
        Mat64 want = mat64_identity;
        for (u32 p = batch->entity_index[i]; p != NONE; p = batch->parent_index[p]) {
            const Mat64 own = mat64_of((const TransformRecord*)watch.scene->record[1] + p);
            want = mat64_multiply(&own, &want);
        }
        assert_matrix_near(matrix, &want);
    }
}

static void watch_removed(Manager* m, u32 row) {
    assert_true(row < m->count);
    watch.removed++;
}

static void types_are_spawned_in_their_place(void** state) {
    Random           random = {11};
    const SceneShape shape = {.entity_count = 60, .reach = 3, .share = 60, .transform = 100};
    Scene            s;
    World*           world = world_new(NULL);
    Entity           entities[60];
    UNUSED(state);
    assert_string_equal(all_types()[1]->record.name, "transform");
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    /* The last one first: registering sorts. */
    for (u32 i = PLUGIN_COUNT; i-- > 0;) {
        const ManagerDesc desc = {
            .type = plugin_types()[i], .spawn = watch_spawn, .removed = watch_removed};
        assert_int_equal(ent_world_register(world, &desc), ENT_OK);
        assert_int_equal(ent_world_register(world, &desc), ENT_EXISTS);
    }
    for (u32 i = 1; i < world->manager_count; i++) {
        assert_true(world->manager[i - 1].desc.type.order <= world->manager[i].desc.type.order);
    }
    for (u32 round = 0; round < 2; round++) {
        memset(&watch, 0, sizeof watch);
        watch.scene = &s;
        watch.transforms = ent_transform_rows(world).count;
        watch.lights = ent_light_rows(world).count;
        watch.decals = ent_decal_rows(world).count;
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
        assert_int_equal(watch.calls, PLUGIN_COUNT);
        assert_int_equal(watch.order[0], 50);
        assert_int_equal(watch.order[1], 150);
        assert_int_equal(watch.order[2], 500);
    }
    u32 rows = 0;
    for (u32 i = 0; i < PLUGIN_COUNT; i++) rows += manager_of(world, &plugin_types()[i])->count;
    ent_entity_destroy(world, entities, 60);
    assert_int_equal(watch.removed, rows / 2);
    ent_world_destroy(world);
    scene_close(&s);
}

static void registering_has_limits(void** state) {
    World*      world = world_new(NULL);
    static char names[WORLD_MANAGERS_MAX][8];
    ManagerDesc desc = {.type = plugin_types()[PLUGIN_tag]};
    UNUSED(state);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        const ManagerDesc again = {.type = ent_component_types()[i]};
        assert_int_equal(ent_world_register(world, &again), ENT_EXISTS);
    }
    for (u32 i = COMPONENT_COUNT; i < WORLD_MANAGERS_MAX; i++) {
        snprintf(names[i], sizeof names[i], "t%u", i);
        desc.type.record.name = names[i];
        desc.type.order = 37 * i % 1300;
        assert_int_equal(ent_world_register(world, &desc), ENT_OK);
    }
    desc.type.record.name = "one_too_many";
    assert_int_equal(ent_world_register(world, &desc), ENT_LIMIT);
    assert_int_equal(world->manager_count, WORLD_MANAGERS_MAX);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        const ComponentType* type = &ent_component_types()[i];
        assert_ptr_equal(manager_of(world, type), &world->manager[world->built_in[i]]);
    }
    assert_null(ent_world_manager_by_name(world, "nothing"));
    ent_world_destroy(world);
}

typedef struct LogLines {
    u32      count;
    LogLevel level;
    char     text[256];
} LogLines;

static void log_line(void* user, LogLevel level, const char* text) {
    LogLines* lines = user;
    lines->count++;
    lines->level = level;
    snprintf(lines->text, sizeof lines->text, "%s", text);
}

static void unknown_types_are_skipped_or_refused(void** state) {
    Random             random = {12};
    const SceneShape   shape = {.entity_count = 20, .reach = 3, .share = 60, .transform = 100};
    const SpawnOptions strict = {.strict = 1};
    LogLines           lines = {0};
    const WorldDesc    desc = {.log = {log_line, &lines}};
    World*             world = world_new(&desc);
    Scene              s, plain;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    scene_open(&plain, &random, listed_types(), COMPONENT_COUNT, shape);
    const Blob blob = blob_good(s.bytes, NULL); /* the gate does not know them either */
    const u64  before = world_digest(world);
    assert_int_equal(ent_world_spawn(world, &plain.blob, &strict, NULL), ENT_OK);
    assert_int_equal(lines.count, 0);
    ent_world_destroy(world);
    world = world_new(&desc);
    assert_int_equal(ent_world_spawn(world, &blob, &strict, NULL), ENT_UNKNOWN_COMPONENT);
    assert_true(before == world_digest(world));
    assert_int_equal(lines.count, 1);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines.level, LOG_WARNING);
    char counts[32];
    snprintf(counts, sizeof counts, "%u of %u", (u32)PLUGIN_COUNT, (u32)ALL_TYPES);
    assert_non_null(strstr(lines.text, counts));
    assert_null(strchr(lines.text, '\n'));
    assert_int_equal(ent_entity_count(world), 20);
    assert_int_equal(ent_transform_rows(world).count, 20);
    scene_close(&s);
    scene_close(&plain);
    ent_world_destroy(world);
}

/* What the gate could not look into is proved before it is spawned. */
static void unknown_data_is_proved_before_it_is_spawned(void** state) {
    Random           random = {13};
    const SceneShape shape = {.entity_count = 20, .reach = 3, .share = 60, .transform = 100};
    World*           world = world_wide(NULL);
    Scene            s;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        const ComponentType* type = &plugin_types()[t];
        const BlobSection*   section = ent_blob_component(&s.blob, type->id);
        u8*                  at = s.bytes.at + section->offset +
                 component_column_start(type, section->count, type->columns == BY_FIELD ? 1 : 0);
        const u32 bad = 0x7fc00000; /* no number, in a float of each of the types */
        u32       good;
        memcpy(&good, at, 4);
        memcpy(at, &bad, 4);
        hash_mend(s.bytes.at, s.bytes.size);
        const Blob blob = blob_good(s.bytes, NULL);
        const u64  before = world_digest(world);
        assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_BAD_FIELD);
        assert_true(before == world_digest(world));
        memcpy(at, &good, 4);
        hash_mend(s.bytes.at, s.bytes.size);
    }
    const Blob blob = blob_good(s.bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    scene_close(&s);
    ent_world_destroy(world);
}

static void other_resources_are_not_spawned(void** state) {
    Output out;
    World* world = world_new(NULL);
    u8     material[256];
    UNUSED(state);
    record_defaults(section_record(SECTION_MATERIAL), material);
    output_begin(&out, RESOURCE_MATERIAL, text_of("m"), 1, 1);
    output_section(&out, SECTION_MATERIAL, material, 1);
    Bytes      bytes = output_bytes(&out, target_native(), NULL);
    const Blob blob = blob_good(bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_WRONG_TYPE);
    assert_int_equal(ent_entity_count(world), 0);
    bytes_free(&bytes);
    /* A level without anybody is a level. */
    const Level empty = {.resource = RESOURCE_LEVEL};
    bytes = level_bytes(&empty, target_native(), NULL);
    const Blob nobody = blob_good(bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &nobody, NULL, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(world), 0);
    ent_world_clear(world);
    ent_world_destroy(world);
    ent_world_destroy(NULL);
    bytes_free(&bytes);
}

/* --- files --- */

static void resources_are_opened_from_files(void** state) {
    static const u32 parent[] = {NONE, 0, 1};
    const Level      level = {.resource = RESOURCE_LEVEL, .entity_count = 3, .parent = parent};
    Bytes            bytes = level_bytes(&level, target_native(), NULL);
    const char*      folder = test_folder("spawn_files");
    char             path[2048];
    Resource         resource;
    BlobFault        fault;
    World*           world = world_new(NULL);
    UNUSED(state);
    test_write(folder, "good.level", bytes.at, bytes.size);
    test_write(folder, "short.level", bytes.at, bytes.size - 1);
    test_write(folder, "empty.level", "", 0);

    snprintf(path, sizeof path, "%s/good.level", folder);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_OK);
    assert_int_equal(fault.status, ENT_OK);
    assert_int_equal(ent_world_spawn(world, &resource.blob, NULL, NULL), ENT_OK);
    ent_resource_close(&resource);
    assert_null(resource.memory);
    ent_resource_close(&resource); /* of nothing */
    assert_int_equal(ent_entity_count(world), 3);
    assert_int_equal(ent_resource_open(&resource, path, NULL, NULL), ENT_OK);
    ent_resource_close(&resource);

    snprintf(path, sizeof path, "%s/short.level", folder);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_TRUNCATED);
    assert_null(resource.memory);
    snprintf(path, sizeof path, "%s/empty.level", folder);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_NOT_A_BLOB);
    snprintf(path, sizeof path, "%s/missing.level", folder);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_NOT_FOUND);
    assert_int_equal(fault.status, ENT_NOT_FOUND);
    assert_int_equal(ent_resource_open(&resource, folder, NULL, &fault), ENT_IO);
    /* A pipe that nobody writes into must not hold us up. */
    snprintf(path, sizeof path, "%s/pipe.level", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_IO);
    assert_int_equal(fault.status, ENT_IO);

    assert_int_equal(ent_resource_open_bytes(&resource, bytes.at, bytes.size, NULL, NULL), ENT_OK);
    assert_ptr_equal(resource.blob.bytes, bytes.at);
    ent_resource_close(&resource);
    ent_world_destroy(world);
    bytes_free(&bytes);
}

/* --- everything at once, against the mirror --- */

#define SIM_SCENES 5
#define SIM_MOST   400 /* entities in the world, about */

static void sim_spawn(Mirror* mirror, Random* r, const Scene* scenes) {
    const Scene* s = &scenes[random_below(r, SIM_SCENES)];
    Entity       entities[128];
    assert_true(s->entity_count <= COUNT_OF(entities));
    if (mirror->count > SIM_MOST) return;
    assert_int_equal(ent_world_spawn(mirror->world, &s->blob, NULL, entities), ENT_OK);
    mirror_spawn(mirror, s, entities);
}

static void sim_create(Mirror* mirror, Random* r) {
    Entity    entities[8];
    const u32 count = random_below(r, 8);
    assert_int_equal(ent_entity_create(mirror->world, entities, count), ENT_OK);
    for (u32 i = 0; i < count; i++) mirror_add(mirror, entities[i]);
}

static void sim_destroy(Mirror* mirror, Random* r) {
    Entity gone[24];
    u32    count = 0;
    while (count < COUNT_OF(gone) && random_below(r, 12)) {
        if (mirror->ever_count == 0) return;
        const bool stale = random_below(r, 5) == 0 || mirror->count == 0;
        gone[count++] = stale ? mirror->ever[random_below(r, mirror->ever_count)]
                              : mirror->at[random_below(r, mirror->count)]->id;
    }
    destroy_living(mirror->world, gone, count);
    for (u32 i = 0; i < count; i++) mirror_destroy(mirror, gone[i]);
}

static void sim_instance(Mirror* mirror, Random* r) {
    const u32            t = random_below(r, mirror->type_count);
    const ComponentType* type = mirror->type[t];
    Manager*             m = manager_of(mirror->world, type);
    MirrorEntity*        e = mirror->count ? mirror->at[random_below(r, mirror->count)] : NULL;
    u32                  row;
    if (!e) return;
    if (random_below(r, 2) && e->count[t]) { /* one goes */
        const u32 which = random_below(r, e->count[t]);
        row = ent_manager_row(m, mirror->world->entities, e->id);
        for (u32 i = 0; i < which; i++) row = ent_manager_next(m, row);
        ent_manager_remove(mirror->world, m, row);
        memmove(e->record[t][which], e->record[t][which + 1],
                (size_t)(e->count[t] - which - 1) * RECORD_MAX);
        e->count[t]--;
        if (t != mirror->transform) return;
        mirror_orphan(mirror, e);
        mirror_hang(mirror, e, ENTITY_NOBODY);
        return;
    }
    if (e->count[t] >= (type->several == SEVERAL ? (u32)MIRROR_SEVERAL : 1u)) return;
    assert_int_equal(ent_manager_create(mirror->world, m, e->id, &row), ENT_OK);
    row_record(m, row, e->record[t][e->count[t]++]);
}

static void sim_move(Mirror* mirror, Random* r) {
    MirrorEntity* e = mirror->count ? mirror->at[random_below(r, mirror->count)] : NULL;
    if (!e || e->count[mirror->transform] == 0) return;
    const TransformRecord pose = tame_pose(r);
    ent_transform_set_local(mirror->world, ent_transform_row(mirror->world, e->id), &pose);
    memcpy(e->record[mirror->transform][0], &pose, sizeof pose);
}

static void simulation_agrees_with_a_naive_model(void** state) {
    Random            random = {test_seed("simulation", 14)};
    const bool        full = getenv("TEST_FULL") != NULL;
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    Scene             scenes[SIM_SCENES];
    UNUSED(state);
    for (u32 i = 0; i < SIM_SCENES; i++) {
        const SceneShape shape = {.entity_count = 1 + random_below(&random, 100),
                                  .reach = random_below(&random, 20),
                                  .roots = 2 + random_below(&random, 20),
                                  .share = random_below(&random, 70),
                                  .transform = 30 + random_below(&random, 71)};
        scene_open(&scenes[i], &random, all_types(), ALL_TYPES, shape);
    }
    for (u32 game = 0; game < (full ? 200u : 8u); game++) {
        Mirror mirror;
        World* world = world_wide(&desc);
        mirror_open(&mirror, world, all_types(), ALL_TYPES);
        for (u32 step = 0; step < 400; step++) {
            const u32 what = random_below(&random, 100);
            if (what < 12)
                sim_spawn(&mirror, &random, scenes);
            else if (what < 20)
                sim_create(&mirror, &random);
            else if (what < 45)
                sim_destroy(&mirror, &random);
            else if (what < 80)
                sim_instance(&mirror, &random);
            else if (what < 98)
                sim_move(&mirror, &random);
            else {
                ent_world_clear(world);
                mirror_clear(&mirror);
            }
            if (step % 4 == 0) mirror_check(&mirror);
        }
        mirror_check(&mirror);
        mirror_check_ids(&mirror);
        mirror_close(&mirror);
        ent_world_destroy(world);
        assert_int_equal(counting.live_bytes, 0);
    }
    for (u32 i = 0; i < SIM_SCENES; i++) scene_close(&scenes[i]);
}

int test_spawn(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_spawned),
        cmocka_unit_test(typed_rows_are_the_columns),
        cmocka_unit_test(worlds_know_nothing_of_each_other),
        cmocka_unit_test(matrices_are_right_at_any_depth),
        cmocka_unit_test(destroying_keeps_the_rest),
        cmocka_unit_test(first_spawn_is_one_block_and_respawn_none),
        cmocka_unit_test(respawn_after_destroying_allocates_nothing),
        cmocka_unit_test(room_from_the_start),
        cmocka_unit_test(growing_gives_back_what_it_leaves),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(an_id_returns_late),
        cmocka_unit_test(an_id_returns_late_after_clearing),
        cmocka_unit_test(freed_slots_wait_in_line),
        cmocka_unit_test(four_million_entities_are_the_limit),
        cmocka_unit_test(instances_are_created_and_removed),
        cmocka_unit_test(extra_columns_begin_at_zero_and_move_along),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(types_are_spawned_in_their_place),
        cmocka_unit_test(registering_has_limits),
        cmocka_unit_test(unknown_types_are_skipped_or_refused),
        cmocka_unit_test(unknown_data_is_proved_before_it_is_spawned),
        cmocka_unit_test(other_resources_are_not_spawned),
        cmocka_unit_test(resources_are_opened_from_files),
        cmocka_unit_test(simulation_agrees_with_a_naive_model),
    };
    return TEST_RUN("spawn", tests);
}
