/* test_spawn.c - worlds: the managers contain what the blob contains, entities are created and
 * destroyed, memory is counted and allocations fail. */
#include "test_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "hash.h"
#include "resource.h"
#include "sections.h"
#include "rows.h"
#include "world_internal.h"

/* --- every type of the list --- */

static void component_of_each_type_is_spawned_with_its_values(void** state) {
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

static void typed_rows_point_to_the_manager_columns(void** state) {
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
            assert_int_equal(c.record[i].target, ENTITY_NULL);
        else
            assert_true(ent_entity_alive(world->entities, c.record[i].target));
    }
    scene_close(&s);
    ent_world_destroy(world);
}

static void worlds_with_equal_levels_are_independent(void** state) {
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

static void matrices_of_hierarchy_of_any_depth_equal_reference(void** state) {
    static const SceneShape shapes[] = {
        {.entity_count = 200, .reach = 1, .transform = 100},                  /* one chain */
        {.entity_count = 200, .reach = 1, .transform = 60},                   /* with gaps */
        {.entity_count = 1000, .reach = 1000, .roots = 50, .transform = 100}, /* shuffled */
        {.entity_count = 1000, .reach = 1000, .roots = 50, .transform = 40},
        {.entity_count = 900, .reach = 6, .roots = 90, .transform = 100}, /* over many chunks */
        {.entity_count = 900, .reach = 6, .roots = 90, .transform = 80},
        {.entity_count = 600, .reach = 0, .transform = 100}, /* no parents */
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

/* --- memory --- */

static void spawn_allocates_one_block_and_respawn_none(void** state) {
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

/* A restart that destroys each entity must not cost more than clearing the world. */
static void respawn_after_destroying_entities_allocates_nothing(void** state) {
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

static void world_with_reserved_entities_allocates_nothing_later(void** state) {
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

/* A world that grows in small steps frees its old blocks and needs few allocations. */
static void world_growing_in_steps_frees_its_old_blocks(void** state) {
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

/* --- failing allocations --- */

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

/* The steps of a sequence in which everything grows at least once. */
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

static void spawn_with_any_failing_allocation_leaves_world_usable(void** state) {
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
            /* Memory is available again: the world is usable as before. */
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

/* --- names --- */

static void entity_found_by_name_is_the_first_with_it(void** state) {
    static const u32 owner[] = {0, 2, 3};
    const NameRecord record[] = {
        {hash_name(text_of("door"))}, {hash_name(text_of("lamp"))}, {hash_name(text_of("door"))}};
    const ComponentType* name = &ent_component_types()[COMPONENT_NAME];
    const LevelPart      part = {name, 3, owner, record};
    const Level          level = {RESOURCE_LEVEL, 4, NULL, 1, &part, false, false};
    Bytes                bytes = level_bytes(&level, target_native(), NULL);
    const Blob           blob = blob_valid(bytes, NULL);
    World*               world = world_new(NULL);
    Entity               entities[4];
    UNUSED(state);
    assert_int_equal(ent_name_find(world, "door"), ENTITY_NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_name_find(world, "door"), entities[0]);
    assert_int_equal(ent_name_find(world, "lamp"), entities[2]);
    assert_int_equal(ent_name_find(world, "Lamp"), ENTITY_NULL);
    assert_int_equal(ent_name_find(world, ""), ENTITY_NULL);
    ent_entity_destroy(world, &entities[0], 1);
    assert_int_equal(ent_name_find(world, "door"), entities[3]);
    assert_int_equal(ent_entity_destroy(world, entities + 1, 3), 3);
    assert_int_equal(ent_name_find(world, "door"), ENTITY_NULL);
    ent_world_destroy(world);
    bytes_free(&bytes);
}

/* --- types that are not in the list --- */

static struct {
    u32          calls, removed;
    u32          order[8]; /* spawn order of the types in the order of their calls */
    const Scene* scene;
    u32          transforms, lights, decals; /* number of rows when the type was spawned */
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
    /* The rows of types with lower order are available, with their matrices. */
    for (u32 i = 0; i < batch->count; i++) {
        const Entity e = batch->entities[batch->entity_index[i]];
        const Mat34* matrix = ent_transform_world(world, e);
        assert_true(ent_entity_alive(world->entities, e));
        assert_non_null(matrix);
        Mat64 want = mat64_identity;
        for (u32 p = batch->entity_index[i]; p != NONE; p = batch->parent_index[p]) {
            const Mat64 local = mat64_of((const TransformRecord*)watch.scene->record[1] + p);
            want = mat64_multiply(&local, &want);
        }
        assert_matrix_near(matrix, &want);
    }
}

static void watch_removed(Manager* m, u32 row) {
    assert_true(row < m->count);
    watch.removed++;
}

static void host_types_are_spawned_in_spawn_order(void** state) {
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

static void register_of_duplicate_or_too_many_types_is_refused(void** state) {
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

static void unknown_component_type_is_skipped_or_refused_if_strict(void** state) {
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
    const Blob blob = blob_valid(s.bytes, NULL); /* the validator does not support them either */
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

/* Data that the validator could not check is validated before it is spawned. */
static void component_validated_on_spawn_with_damage_is_refused(void** state) {
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
        const u32 invalid = 0x7fc00000; /* not a number, in a float of each of the types */
        u32       valid;
        memcpy(&valid, at, 4);
        memcpy(at, &invalid, 4);
        hash_fix(s.bytes.at, s.bytes.size);
        const Blob blob = blob_valid(s.bytes, NULL);
        const u64  before = world_digest(world);
        assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_BAD_FIELD);
        assert_true(before == world_digest(world));
        memcpy(at, &valid, 4);
        hash_fix(s.bytes.at, s.bytes.size);
    }
    const Blob blob = blob_valid(s.bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    scene_close(&s);
    ent_world_destroy(world);
}

static void spawn_of_blob_that_is_no_level_is_refused(void** state) {
    Output out;
    World* world = world_new(NULL);
    u8     material[256];
    UNUSED(state);
    record_defaults(section_record(SECTION_MATERIAL), material);
    output_begin(&out, RESOURCE_MATERIAL, text_of("m"), 1, 1);
    output_section(&out, SECTION_MATERIAL, material, 1);
    Bytes      bytes = output_bytes(&out, target_native(), NULL);
    const Blob blob = blob_valid(bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_WRONG_TYPE);
    assert_int_equal(ent_entity_count(world), 0);
    bytes_free(&bytes);
    /* A level without entities is a level. */
    const Level empty = {.resource = RESOURCE_LEVEL};
    bytes = level_bytes(&empty, target_native(), NULL);
    const Blob unpopulated = blob_valid(bytes, NULL);
    assert_int_equal(ent_world_spawn(world, &unpopulated, NULL, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(world), 0);
    ent_world_clear(world);
    ent_world_destroy(world);
    ent_world_destroy(NULL);
    bytes_free(&bytes);
}

/* --- files --- */

static void resource_file_is_opened_or_refused_with_status(void** state) {
    static const u32 parent[] = {NONE, 0, 1};
    const Level      level = {.resource = RESOURCE_LEVEL, .entity_count = 3, .parent = parent};
    Bytes            bytes = level_bytes(&level, target_native(), NULL);
    const char*      folder = test_folder("spawn_files");
    char             path[2048];
    Resource         resource;
    BlobFault        fault;
    World*           world = world_new(NULL);
    UNUSED(state);
    test_write(folder, "valid.level", bytes.at, bytes.size);
    test_write(folder, "short.level", bytes.at, bytes.size - 1);
    test_write(folder, "empty.level", "", 0);

    snprintf(path, sizeof path, "%s/valid.level", folder);
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_OK);
    assert_int_equal(fault.status, ENT_OK);
    assert_int_equal(ent_world_spawn(world, &resource.blob, NULL, NULL), ENT_OK);
    ent_resource_close(&resource);
    assert_null(resource.memory);
    ent_resource_close(&resource); /* without a resource */
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
    /* A pipe without a writer must not block. */
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

TEST_SUITE(spawn) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(component_of_each_type_is_spawned_with_its_values),
        cmocka_unit_test(typed_rows_point_to_the_manager_columns),
        cmocka_unit_test(worlds_with_equal_levels_are_independent),
        cmocka_unit_test(matrices_of_hierarchy_of_any_depth_equal_reference),
        cmocka_unit_test(spawn_allocates_one_block_and_respawn_none),
        cmocka_unit_test(respawn_after_destroying_entities_allocates_nothing),
        cmocka_unit_test(world_with_reserved_entities_allocates_nothing_later),
        cmocka_unit_test(world_growing_in_steps_frees_its_old_blocks),
        cmocka_unit_test(spawn_with_any_failing_allocation_leaves_world_usable),
        cmocka_unit_test(entity_found_by_name_is_the_first_with_it),
        cmocka_unit_test(host_types_are_spawned_in_spawn_order),
        cmocka_unit_test(register_of_duplicate_or_too_many_types_is_refused),
        cmocka_unit_test(unknown_component_type_is_skipped_or_refused_if_strict),
        cmocka_unit_test(component_validated_on_spawn_with_damage_is_refused),
        cmocka_unit_test(spawn_of_blob_that_is_no_level_is_refused),
        cmocka_unit_test(resource_file_is_opened_or_refused_with_status),
    };
    return TEST_RUN("spawn", tests);
}
