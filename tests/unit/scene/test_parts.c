/* test_parts.c - levels in parts, under parents and poses, repeatedly, and over frames. */
#include "test_mirror.h"
#include "rows.h"
#include "world_internal.h"

#include <stdlib.h>

#define PART_MAX 2000 /* entities of a scene */

static SceneShape part_shape(u32 entities) {
    return (SceneShape){
        .entity_count = entities, .reach = 12, .roots = 15, .share = 40, .transform = 80};
}

/* Is entity `e` of a scene `which` or a descendant of it? */
static bool is_below(const Scene* s, u32 e, u32 which) {
    while (e != which && s->parent[e] != NONE) e = s->parent[e];
    return e == which;
}

/* Adds a spawned part to the model: `had` is what existed before. */
static void part_add(Mirror* mirror, const Scene* s, const Entity* had, const Entity* entities,
                     Entity outer) {
    for (u32 e = 0; e < s->entity_count; e++) {
        if (had[e] != entities[e]) mirror_add(mirror, entities[e]);
    }
    for (u32 e = 0; e < s->entity_count; e++) {
        if (had[e] != entities[e]) mirror_spawn_entity(mirror, s, entities, e, outer);
    }
}

/* --- parts --- */

/* The subtree of every entity, alone in a world: it and all its descendants, and nothing else. */
static void subtree_of_any_entity_spawns_alone(void** state) {
    static const Entity none[PART_MAX];
    Random              random = {test_seed("subtrees", 1)};
    UNUSED(state);
    for (u32 round = 0; round < 6; round++) {
        Scene  s;
        Mirror mirror;
        scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(10 + 15 * round));
        World* w = world_wide(NULL);
        mirror_open(&mirror, w, all_types(), ALL_TYPES);
        for (u32 which = 0; which < s.entity_count; which++) {
            const SpawnOptions part = {.part = SPAWN_SUBTREE, .which = which};
            Entity             entities[PART_MAX] = {0};
            assert_int_equal(ent_world_spawn(w, &s.blob, &part, entities), ENT_OK);
            for (u32 e = 0; e < s.entity_count; e++) {
                assert_int_equal(entities[e] != ENTITY_NULL, is_below(&s, e, which));
            }
            part_add(&mirror, &s, none, entities, ENTITY_NULL);
            mirror_check(&mirror);
            /* Spawning the same again creates new entities. */
            const u64 before = world_digest(w);
            assert_int_equal(ent_world_spawn(w, &s.blob, &part, entities), ENT_OK);
            assert_true(before == world_digest(w));
            if (which % 7) continue;
            ent_world_clear(w);
            mirror_clear(&mirror);
        }
        mirror_close(&mirror);
        ent_world_destroy(w);
        scene_close(&s);
    }
}

static void assert_same_entities(World* a, const Entity* in_a, World* b, const Entity* in_b,
                                 u32 count) {
    for (u32 k = 0; k < a->manager_count; k++) {
        const Manager *ma = &a->manager[k], *mb = &b->manager[k];
        assert_int_equal(ma->count, mb->count);
        for (u32 e = 0; e < count; e++) {
            u32 ra = ent_manager_row(ma, a->entities, in_a[e]);
            u32 rb = ent_manager_row(mb, b->entities, in_b[e]);
            while (ra != MANAGER_NO_ROW && rb != MANAGER_NO_ROW) {
                u8 got[RECORD_MAX], want[RECORD_MAX];
                row_record(ma, ra, want);
                row_record(mb, rb, got);
                for (u32 f = 0; f < ma->desc.type.record.field_count; f++) {
                    const Field* field = &ma->desc.type.record.fields[f];
                    u32          from, to, who = 0;
                    if (field->kind != FIELD_EntityRef) continue;
                    memcpy(&from, want + field->offset, 4);
                    memcpy(&to, got + field->offset, 4);
                    while (who < count && in_a[who] != from) who++;
                    assert_int_equal(to, who < count ? in_b[who] : ENTITY_NULL);
                    memcpy(got + field->offset, &from, 4);
                }
                assert_memory_equal(got, want, ma->desc.type.record.bytes);
                ra = ent_manager_next(ma, ra);
                rb = ent_manager_next(mb, rb);
            }
            assert_true(ra == MANAGER_NO_ROW && rb == MANAGER_NO_ROW);
        }
    }
}

static void assert_same_poses(World* a, const Entity* in_a, World* b, const Entity* in_b,
                              u32 count) {
    for (u32 e = 0; e < count; e++) {
        const Entity pa = ent_transform_parent(a, in_a[e]), pb = ent_transform_parent(b, in_b[e]);
        u32          who = 0;
        while (who < count && in_a[who] != pa) who++;
        assert_int_equal(pb, who < count ? in_b[who] : ENTITY_NULL);
        const Mat34 *ma = ent_transform_world(a, in_a[e]), *mb = ent_transform_world(b, in_b[e]);
        assert_int_equal(ma != NULL, mb != NULL);
        if (ma) assert_memory_equal(ma, mb, sizeof *ma);
    }
}

static u32 top_of(const Scene* s, u32 e) {
    while (s->parent[e] != NONE) e = s->parent[e];
    return e;
}

/* References of the scene refer to the same tree or to an earlier one, so that no entity is
 * searched for before it exists. */
static void references_refer_back(Scene* s) {
    Bytes             bytes;
    LevelPart         part[ALL_TYPES];
    const BlobOptions options = all_options();
    for (u32 t = 0; t < s->type_count; t++) {
        const RecordType* type = &s->type[t]->record;
        for (u32 i = 0; i < s->count[t]; i++) {
            for (u32 f = 0; f < type->field_count; f++) {
                u8* at = s->record[t] + (size_t)i * type->bytes + type->fields[f].offset;
                u32 index;
                memcpy(&index, at, 4);
                if (type->fields[f].kind != FIELD_EntityRef || index == NONE) continue;
                if (top_of(s, index) > top_of(s, s->owner[t][i])) index = s->owner[t][i];
                memcpy(at, &index, 4);
            }
        }
        part[t] = (LevelPart){s->type[t], s->count[t], s->owner[t], s->record[t]};
    }
    const Level level = {RESOURCE_LEVEL, s->entity_count, s->parent, s->type_count, part, true,
                         false};
    bytes = level_bytes(&level, target_native(), &options);
    bytes_free(&s->bytes);
    s->bytes = bytes;
    s->blob = blob_valid(bytes, &options);
}

/* Parts that are spawned one after another, each after its parent, equal the complete level. */
static void parts_spawned_in_order_equal_complete_level(void** state) {
    Random random = {test_seed("parts", 2)};
    UNUSED(state);
    for (u32 round = 0; round < 30; round++) {
        Scene  s;
        Entity in_complete[PART_MAX], in_parts[PART_MAX] = {0};
        World *complete = world_wide(NULL), *parts = world_wide(NULL);
        scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(5 + 10 * round));
        references_refer_back(&s);
        assert_int_equal(ent_world_spawn(complete, &s.blob, NULL, in_complete), ENT_OK);
        for (u32 e = 0; e < s.entity_count; e++) { /* all whose parts were not spawned yet */
            const SpawnOptions part = {.part = SPAWN_SUBTREE, .which = e};
            const bool         spawned = in_parts[e] != ENTITY_NULL;
            const u64          before = spawned ? world_digest(parts) : 0;
            assert_int_equal(ent_world_spawn(parts, &s.blob, &part, in_parts), ENT_OK);
            if (spawned) assert_true(before == world_digest(parts));
        }
        assert_int_equal(ent_entity_count(parts), s.entity_count);
        assert_same_entities(complete, in_complete, parts, in_parts, s.entity_count);
        assert_same_poses(complete, in_complete, parts, in_parts, s.entity_count);
        ent_world_destroy(complete);
        ent_world_destroy(parts);
        scene_close(&s);
    }
}

/* Two in the base, three in a group below them, three in another one; cameras refer to allowed
 * targets. */
static Bytes level_in_groups(void) {
    static const u32 parent[8] = {NONE, 0, 1, 2, 0, NONE, 5, 0}, first[] = {2, 5};
    static const u32 owner[8] = {0, 1, 2, 3, 4, 5, 6, 7}, target[8] = {1, 0, 0, 2, NONE, 6, 1, 7};
    const ComponentType *camera = &ent_component_types()[COMPONENT_CAMERA],
                        *pose = &ent_component_types()[COMPONENT_TRANSFORM];
    Random          random = {5};
    CameraRecord    cameras[8];
    TransformRecord poses[8];
    for (u32 i = 0; i < 8; i++) {
        random_record(&random, &camera->record, 0, &cameras[i]);
        cameras[i].target = target[i];
        poses[i] = tame_pose(&random);
    }
    const LevelPart   part[] = {{pose, 8, owner, poses}, {camera, 8, owner, cameras}};
    const Level       level = {RESOURCE_LEVEL, 8, parent, COUNT_OF(part), part, false, true};
    const BlobOptions options = all_options();
    return level_bytes_in_groups(&level, first, COUNT_OF(first), target_native(), &options);
}

/* The base and the groups in either order, at once and over frames; a group alone has no references
 * outside. */
static void groups_spawned_in_any_order_equal_complete_level(void** state) {
    Bytes      bytes = level_in_groups();
    const Blob blob = blob_valid(bytes, NULL);
    UNUSED(state);
    for (u32 round = 0; round < 4; round++) {
        const u32    group[2] = {round % 2, 1 - round % 2};
        SpawnOptions part = {.part = SPAWN_BASE};
        Entity       in_complete[8], spawned[8] = {0};
        World *      complete = world_new(NULL), *parts = world_new(NULL);
        assert_int_equal(ent_world_spawn(complete, &blob, NULL, in_complete), ENT_OK);
        for (u32 i = 0; i < 3; i++) {
            SpawnJob* job;
            int       done = 0;
            if (i > 0) part = (SpawnOptions){.part = SPAWN_GROUP, .which = group[i - 1]};
            if (round < 2) {
                assert_int_equal(ent_world_spawn(parts, &blob, &part, spawned), ENT_OK);
            } else {
                assert_int_equal(ent_spawn_begin(&job, parts, &blob, &part, spawned), ENT_OK);
                while (!done) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
                ent_spawn_end(job);
            }
            assert_int_equal(ent_entity_count(parts), 2 + i * 3);
        }
        assert_same_entities(complete, in_complete, parts, spawned, 8);
        assert_same_poses(complete, in_complete, parts, spawned, 8);
        ent_world_destroy(complete);
        ent_world_destroy(parts);
    }
    World*       alone = world_new(NULL);
    Entity       spawned[8] = {0};
    SpawnOptions part = {.part = SPAWN_GROUP, .which = ent_blob_group_find(&blob, "cellar")};
    assert_int_equal(ent_world_spawn(alone, &blob, &part, spawned), ENT_NOT_FOUND);
    part.which = 0;
    assert_int_equal(ent_world_spawn(alone, &blob, &part, spawned), ENT_OK);
    const CameraRows c = ent_camera_rows(alone);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.record[0].target, ENTITY_NULL); /* it is in the base */
    assert_int_equal(c.record[1].target, spawned[2]);
    assert_int_equal(ent_transform_parent(alone, spawned[2]), ENTITY_NULL);
    assert_int_equal(ent_transform_parent(alone, spawned[3]), spawned[2]);
    ent_world_destroy(alone);
    bytes_free(&bytes);
}

/* If any allocation fails, nothing is spawned, and then everything is. */
static void part_spawned_with_failing_allocation_leaves_world_unchanged(void** state) {
    Random random = {12};
    Scene  s;
    u32    failures = 0, refused = 1;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(300));
    for (u32 place = 1; refused; place++) {
        static const Entity none[300];
        CountingAllocator   counting = {0};
        const WorldDesc     desc = {.allocator = counting_allocator(&counting)};
        World*              w = world_wide(&desc);
        Entity              entities[300] = {0};
        counting.fail_at = counting.allocations + place;
        for (u32 e = 0; e < s.entity_count; e++) {
            const SpawnOptions part = {.part = SPAWN_SUBTREE, .which = e};
            Entity             before[300];
            const u64          digest = world_digest(w);
            memcpy(before, entities, sizeof before);
            const ent_status status = ent_world_spawn(w, &s.blob, &part, entities);
            if (status == ENT_OK) continue;
            assert_int_equal(status, ENT_NO_MEMORY);
            assert_memory_equal(before, entities, sizeof before);
            assert_true(digest == world_digest(w));
            assert_int_equal(ent_world_spawn(w, &s.blob, &part, entities), ENT_OK);
            failures++;
        }
        assert_memory_not_equal(entities, none, sizeof none);
        assert_int_equal(ent_entity_count(w), 300);
        refused = counting.refused;
        ent_world_destroy(w);
        assert_int_equal(counting.live_bytes, 0);
    }
    assert_true(failures >= 4);
    scene_close(&s);
}

/* --- under a parent, with a pose --- */

static void assert_near(const Mat34* got, const TransformRecord* above, const Mat34* below) {
    const Mat64 a = mat64_of(above);
    Mat64       b;
    for (u32 i = 0; i < 12; i++) b.m[i / 4][i % 4] = (f64)below->m[i / 4][i % 4];
    const Mat64 want = mat64_multiply(&a, &b);
    assert_matrix_near(got, &want);
}

/* Matrices are root * the matrices without one; and parent * that under a parent. */
static void level_spawned_with_parent_and_root_pose_is_transformed(void** state) {
    Random random = {test_seed("under a parent", 3)};
    UNUSED(state);
    for (u32 round = 0; round < 20; round++) {
        Scene  s;
        Entity plain[PART_MAX], moved[PART_MAX], attached[PART_MAX], post;
        World* w = world_wide(NULL);
        u32    row;
        scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(20 + 10 * round));
        TransformRecord root = tame_pose(&random), pose = tame_pose(&random);
        root.scale.y = root.scale.z = root.scale.x = 1 + (f32)(round % 3);
        assert_int_equal(ent_entity_create(w, &post, 1), ENT_OK);
        assert_int_equal(
            ent_manager_create(w, manager_of(w, &ent_component_types()[COMPONENT_TRANSFORM]), post,
                               &row),
            ENT_OK);
        ent_transform_set_local(w, row, &pose);
        if (round % 2) ent_transform_defer(w, 1);
        const SpawnOptions under_pose = {.root = &root};
        const SpawnOptions under_both = {.root = &root, .parent = post};
        assert_int_equal(ent_world_spawn(w, &s.blob, NULL, plain), ENT_OK);
        assert_int_equal(ent_world_spawn(w, &s.blob, &under_pose, moved), ENT_OK);
        assert_int_equal(ent_world_spawn(w, &s.blob, &under_both, attached), ENT_OK);
        ent_transform_update(w);
        for (u32 e = 0; e < s.entity_count; e++) {
            const Mat34* plain_world = ent_transform_world(w, plain[e]);
            if (!plain_world) continue;
            assert_near(ent_transform_world(w, moved[e]), &root, plain_world);
            assert_near(ent_transform_world(w, attached[e]), &pose,
                        ent_transform_world(w, moved[e]));
            if (ent_transform_parent(w, plain[e])) continue;
            assert_int_equal(ent_transform_parent(w, moved[e]), ENTITY_NULL);
            assert_int_equal(ent_transform_parent(w, attached[e]), post);
        }
        ent_world_destroy(w);
        scene_close(&s);
    }
}

/* A part whose parent is an entity of the same level: an entity that already has that parent in the
 * level is no root. */
static void part_spawned_under_entity_of_same_level_is_transformed(void** state) {
    Random           random = {4};
    const SceneShape shape = {.entity_count = 6, .reach = 1, .transform = 100};
    Scene            s;
    World*           w = world_wide(NULL);
    Entity           entities[6] = {0};
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape); /* one chain */
    const TransformRecord root = {{1, 2, 3}, {0, 0, 0, 1}, {2, 2, 2}};
    const SpawnOptions    first = {.part = SPAWN_SUBTREE, .which = 3};
    const SpawnOptions    all = {.part = SPAWN_SUBTREE, .which = 0};
    assert_int_equal(ent_world_spawn(w, &s.blob, &all, entities), ENT_OK);
    for (u32 e = 3; e < 6; e++) {
        assert_int_equal(ent_entity_destroy(w, &entities[e], 1), 1);
        entities[e] = ENTITY_NULL;
    }
    SpawnOptions under = first;
    under.parent = entities[2];
    under.root = &root;
    assert_int_equal(ent_world_spawn(w, &s.blob, &under, entities), ENT_OK);
    const TransformRecord* want = (const TransformRecord*)(void*)s.record[1];
    for (u32 e = 0; e < 6; e++) {
        const TransformRecord got = ent_transform_local(w, ent_transform_row(w, entities[e]));
        assert_memory_equal(&got, &want[e], sizeof got);
        assert_int_equal(ent_transform_parent(w, entities[e]), e ? entities[e - 1] : ENTITY_NULL);
    }
    ent_world_destroy(w);
    scene_close(&s);
}

static void part_spawned_under_invalid_parent_is_refused(void** state) {
    Random random = {5};
    Scene  s;
    World* w = world_wide(NULL);
    Entity bare, dead, entities[50] = {0};
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(50));
    assert_int_equal(ent_entity_create(w, &bare, 1), ENT_OK);
    assert_int_equal(ent_entity_create(w, &dead, 1), ENT_OK);
    assert_int_equal(ent_entity_destroy(w, &dead, 1), 1);
    const u64 before = world_digest(w);
    for (u32 part = 0; part < 2; part++) {
        SpawnJob*          job = NULL;
        const SpawnOptions stale = {.parent = dead, .part = part ? SPAWN_SUBTREE : SPAWN_ALL};
        SpawnOptions       flat = stale;
        flat.parent = bare;
        assert_int_equal(ent_world_spawn(w, &s.blob, &stale, entities), ENT_STALE);
        assert_int_equal(ent_world_spawn(w, &s.blob, &flat, entities), ENT_NO_TRANSFORM);
        assert_int_equal(ent_spawn_begin(&job, w, &s.blob, &stale, entities), ENT_STALE);
        assert_int_equal(ent_spawn_begin(&job, w, &s.blob, &flat, entities), ENT_NO_TRANSFORM);
        assert_null(job);
        for (u32 e = 0; e < 50; e++) assert_int_equal(entities[e], ENTITY_NULL);
        assert_true(before == world_digest(w));
    }
    ent_spawn_end(NULL);
    ent_world_destroy(w);
    scene_close(&s);
}

/* --- over frames --- */

static World* frames_world(CountingAllocator* counting) {
    const WorldDesc desc = {.allocator = counting_allocator(counting)};
    return world_wide(&desc);
}

/* The smallest steps, one after another. Returns how many. */
static u32 frames_run(SpawnJob* job) {
    int done = 0;
    u32 calls = 0;
    for (; !done; calls++) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    return calls;
}

/* If the host does nothing, a job allocates nothing between its steps and ends like a spawn in one
 * call: also under a parent and with a pose, after others, deferred, and for parts. */
static void level_spawned_over_frames_equals_spawn_at_once(void** state) {
    Random random = {test_seed("frames", 6)};
    UNUSED(state);
    for (u32 round = 0; round < 24; round++) {
        const u32         count = round % 6 == 5 ? 0 : 1 + random_below(&random, PART_MAX);
        CountingAllocator counting[2] = {0};
        Scene             s;
        World*            w[2];
        Entity            entities[2][PART_MAX] = {0}, first[PART_MAX];
        SpawnJob*         job;
        TransformRecord   root = tame_pose(&random);
        root.scale.y = root.scale.z = root.scale.x;
        scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(count));
        SpawnOptions options = {.root = round % 2 ? &root : NULL};
        if (count && round % 3 == 1) options.part = SPAWN_SUBTREE;
        options.which = random_below(&random, MIN_OF(count, 4));
        for (u32 i = 0; i < 2; i++) {
            w[i] = frames_world(&counting[i]);
            if (round % 4 == 3) ent_transform_defer(w[i], 1);
            for (u32 k = 0; k < round % 3; k++) {
                assert_int_equal(ent_world_spawn(w[i], &s.blob, NULL, first), ENT_OK);
            }
        }
        const TransformRows t = ent_transform_rows(w[0]);
        if (t.count && round % 5) options.parent = t.entity[random_below(&random, t.count)];
        assert_int_equal(ent_world_spawn(w[0], &s.blob, &options, entities[0]), ENT_OK);
        assert_int_equal(ent_spawn_begin(&job, w[1], &s.blob, &options, entities[1]), ENT_OK);
        root.position.x += 100; /* it was copied */
        const u32 taken = counting[1].allocations;
        const u32 calls = frames_run(job);
        assert_int_equal(counting[1].allocations, taken);
        assert_true(options.part == SPAWN_ALL ? calls >= 2 * (count / 512) : calls > 0);
        ent_spawn_end(job);
        assert_memory_equal(entities[0], entities[1], sizeof entities[0]);
        assert_true(world_digest(w[0]) == world_digest(w[1]));
        for (u32 i = 0; i < 2; i++) {
            ent_world_destroy(w[i]);
            assert_int_equal(counting[i].live_bytes, 0);
        }
        scene_close(&s);
    }
}

/* For a small part of a level, memory is reserved for that part only, and nothing later. */
static void part_spawned_over_frames_reserves_memory_for_itself_only(void** state) {
    Random            random = {11};
    CountingAllocator counting = {0};
    World*            w = frames_world(&counting);
    Entity            entities[PART_MAX] = {0}, one;
    Scene             s;
    SpawnJob*         job;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(PART_MAX));
    do assert_int_equal(ent_entity_create(w, &one, 1), ENT_OK);
    while (w->entities->slot_count + 4 < w->entities->slot_capacity);
    const SpawnOptions part = {.part = SPAWN_SUBTREE, .which = PART_MAX - 1};
    const u32          slots = w->entities->slot_capacity;
    assert_int_equal(ent_spawn_begin(&job, w, &s.blob, &part, entities), ENT_OK);
    counting.fail_at = counting.allocations + 1;
    counting.fail_after = true;
    frames_run(job);
    assert_int_equal(w->entities->slot_capacity, slots);
    ent_spawn_end(job);
    ent_world_destroy(w);
    scene_close(&s);
}

/* A small part of a large blob does not need a step for each entity that is not spawned. */
static void part_spawned_over_frames_skips_other_entities(void** state) {
    Random    random = {7};
    Scene     s;
    World*    w = world_wide(NULL);
    Entity    entities[PART_MAX] = {0};
    SpawnJob* job;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(PART_MAX));
    const SpawnOptions part = {.part = SPAWN_SUBTREE, .which = PART_MAX - 1};
    assert_int_equal(ent_spawn_begin(&job, w, &s.blob, &part, entities), ENT_OK);
    assert_true(frames_run(job) < 20);
    assert_int_equal(ent_entity_count(w), 1);
    ent_spawn_end(job);
    ent_world_destroy(w);
    scene_close(&s);
}

/* A job that ends early keeps the entities created so far; a job without an array of entities works
 * as well. */
static void spawn_over_frames_ended_early_keeps_created_entities(void** state) {
    Random random = {test_seed("middle", 8)};
    Scene  s;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, part_shape(PART_MAX));
    for (u32 steps = 0; steps < 12; steps++) {
        CountingAllocator counting = {0};
        World*            w = frames_world(&counting);
        SpawnJob*         job;
        int               done = 0;
        assert_int_equal(ent_spawn_begin(&job, w, &s.blob, NULL, NULL), ENT_OK);
        for (u32 i = 0; i < steps && !done; i++) {
            assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
        }
        const size_t bytes = counting.live_bytes;
        ent_spawn_end(job);
        assert_true(counting.live_bytes < bytes);
        assert_int_equal(ent_entity_count(w), MIN_OF(steps * 512, PART_MAX));
        for (u32 k = 0; k < w->manager_count; k++) {
            const Manager* m = &w->manager[k];
            for (u32 row = 0; row < m->count; row++) {
                assert_true(ent_entity_alive(w->entities, m->entity[row]));
            }
        }
        assert_int_equal(ent_world_spawn(w, &s.blob, NULL, NULL), ENT_OK);
        ent_world_destroy(w);
        assert_int_equal(counting.live_bytes, 0);
    }
    scene_close(&s);
}

/* Memory fails at every point of a job whose reserved memory the host uses up: the job continues
 * later. */
static void spawn_over_frames_continues_after_failed_allocation(void** state) {
    Random           random = {9};
    Scene            s;
    const SceneShape shape = {
        .entity_count = 1500, .reach = 4, .roots = 9, .share = 25, .transform = 90};
    u32 failures = 0;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    for (u32 place = 1, refused = 1; refused; place++) {
        CountingAllocator counting = {0};
        World*            w = frames_world(&counting);
        SpawnJob*         job = NULL;
        int               done = 0;
        counting.fail_at = counting.allocations + place;
        ent_status status = ent_spawn_begin(&job, w, &s.blob, NULL, NULL);
        if (status != ENT_OK) {
            assert_int_equal(status, ENT_NO_MEMORY);
            assert_int_equal(counting.live_blocks, 1); /* the world */
            assert_int_equal(ent_spawn_begin(&job, w, &s.blob, NULL, NULL), ENT_OK);
            failures++;
        }
        for (u32 calls = 0; !done; calls++) {
            const u64 before = world_digest(w);
            status = ent_spawn_step(job, 0, &done);
            if (status != ENT_OK) {
                assert_int_equal(status, ENT_NO_MEMORY);
                assert_true(before == world_digest(w));
                failures++;
            }
            if (calls > 3) continue;
            status = ent_world_spawn(w, &s.blob, NULL,
                                     NULL); /* uses up the memory reserved by the job */
            if (status == ENT_NO_MEMORY) failures++;
        }
        ent_spawn_end(job);
        assert_true(ent_entity_count(w) >= 1500 * 4);
        refused = counting.refused;
        ent_world_destroy(w);
        assert_int_equal(counting.live_bytes, 0);
    }
    print_message("memory ran out at %u places\n", failures);
    assert_true(failures >= 5);
    scene_close(&s);
}

/* --- over frames, with a host that changes the world --- */

typedef struct Frames {
    Mirror       mirror;
    Random       r;
    const Scene* s;
    Entity       entities[PART_MAX];
    bool         created[PART_MAX], served[PART_MAX];
} Frames;

/* What a step created. Every entity has a name, and the host adds none. */
static void frames_look(Frames* f) {
    const Manager* names = manager_of(f->mirror.world, &ent_component_types()[COMPONENT_NAME]);
    for (u32 e = 0; e < f->s->entity_count; e++) {
        if (f->created[e] || f->entities[e] == ENTITY_NULL) continue;
        f->created[e] = true;
        mirror_add(&f->mirror, f->entities[e]);
    }
    for (u32 e = 0; e < f->s->entity_count; e++) {
        if (!f->created[e] || f->served[e]) continue;
        f->served[e] = ent_manager_contains(names, f->mirror.world->entities, f->entities[e]);
        if (!f->served[e]) continue;
        mirror_spawn_entity(&f->mirror, f->s, f->entities, e, ENTITY_NULL);
    }
}

/* An entity of the level is destroyed, moved, gets a light or a pose; a new entity is created. */
static void frames_host(Frames* f) {
    World*        w = f->mirror.world;
    MirrorEntity* e = f->mirror.count ? f->mirror.at[random_below(&f->r, f->mirror.count)] : NULL;
    const u32     what = random_below(&f->r, 20);
    const u32     type = what % 2 ? COMPONENT_TRANSFORM : COMPONENT_LIGHT;
    Manager*      m = manager_of(w, &ent_component_types()[type]);
    u32           t = 0, row;
    Entity        fresh;
    if (!e) return;
    while (f->mirror.type[t]->id != m->desc.type.id) t++;
    if (what < 8) {
        const Entity id = e->id;
        assert_int_equal(ent_entity_destroy(w, &id, 1), 1);
        mirror_destroy(&f->mirror, id);
    } else if (what < 16) {
        if (e->count[t]) return;
        assert_int_equal(ent_manager_create(w, m, e->id, &row), ENT_OK);
        row_record(m, row, e->record[t][e->count[t]++]);
    } else if (what < 18) {
        assert_int_equal(ent_entity_create(w, &fresh, 1), ENT_OK);
        mirror_add(&f->mirror, fresh);
    } else {
        row = ent_transform_row(w, e->id);
        if (row == MANAGER_NO_ROW) return;
        *mirror_pose(&f->mirror, e) = tame_pose(&f->r);
        ent_transform_set_local(w, row, mirror_pose(&f->mirror, e));
    }
}

static void spawn_over_frames_keeps_changes_of_the_host(void** state) {
    const u64 seed = test_seed("host", 10);
    UNUSED(state);
    for (u32 round = 0; round < 12; round++) {
        static Frames    f;
        Scene            s;
        SpawnJob*        job;
        int              done = 0;
        const SceneShape shape = {.entity_count = 1300,
                                  .reach = round % 2 ? 1300 : 9,
                                  .roots = 30,
                                  .share = 20,
                                  .transform = 70,
                                  .named = 1};
        World*           w = world_wide(NULL);
        f = (Frames){.r = {seed + round}, .s = &s};
        scene_open(&s, &f.r, all_types(), ALL_TYPES, shape);
        mirror_open(&f.mirror, w, all_types(), ALL_TYPES);
        assert_int_equal(ent_spawn_begin(&job, w, &s.blob, NULL, f.entities), ENT_OK);
        while (!done) {
            assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
            frames_look(&f);
            mirror_check(&f.mirror);
            if (round == 11 && f.mirror.count > 1000 && random_below(&f.r, 3) == 0) {
                ent_world_clear(w);
                mirror_clear(&f.mirror);
            }
            for (u32 i = random_below(&f.r, 60); i > 0 && round; i--) frames_host(&f);
        }
        ent_spawn_end(job);
        for (u32 e = 0; e < s.entity_count;
             e++) { /* those without components are no longer named */
            assert_int_equal(f.entities[e] != ENTITY_NULL, f.served[e]);
        }
        mirror_check(&f.mirror);
        mirror_close(&f.mirror);
        ent_world_destroy(w);
        scene_close(&s);
    }
}

/* The parent loses its transform for one step: entities created from then on have no parent, even
 * when it has a transform again. */
static void spawn_over_frames_whose_parent_loses_transform_creates_roots(void** state) {
    Random           random = {13};
    const SceneShape shape = {.entity_count = PART_MAX, .reach = 0, .transform = 100};
    Scene            s;
    World*           w = world_wide(NULL);
    Manager*         m = manager_of(w, &ent_component_types()[COMPONENT_TRANSFORM]);
    static Entity    entities[PART_MAX];
    Entity           post;
    SpawnJob*        job;
    u32              row, attached = 0;
    int              done = 0;
    UNUSED(state);
    scene_open(&s, &random, all_types(), ALL_TYPES, shape);
    assert_int_equal(ent_entity_create(w, &post, 1), ENT_OK);
    assert_int_equal(ent_manager_create(w, m, post, &row), ENT_OK);
    const SpawnOptions under = {.parent = post};
    assert_int_equal(ent_spawn_begin(&job, w, &s.blob, &under, entities), ENT_OK);
    while (m->count == 1) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    const u32 first = m->count - 1;
    for (u32 e = 0; e < first; e++) {
        assert_int_equal(ent_transform_parent(w, entities[e]), post);
    }
    ent_manager_remove(w, m, ent_transform_row(w, post));
    assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    assert_int_equal(ent_manager_create(w, m, post, &row), ENT_OK);
    frames_run(job);
    ent_spawn_end(job);
    for (u32 e = 0; e < PART_MAX; e++)
        attached += ent_transform_parent(w, entities[e]) != ENTITY_NULL;
    assert_int_equal(attached, 0);
    assert_true(first < PART_MAX / 2);
    ent_world_destroy(w);
    scene_close(&s);
}

TEST_SUITE(parts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subtree_of_any_entity_spawns_alone),
        cmocka_unit_test(parts_spawned_in_order_equal_complete_level),
        cmocka_unit_test(groups_spawned_in_any_order_equal_complete_level),
        cmocka_unit_test(part_spawned_with_failing_allocation_leaves_world_unchanged),
        cmocka_unit_test(level_spawned_with_parent_and_root_pose_is_transformed),
        cmocka_unit_test(part_spawned_under_entity_of_same_level_is_transformed),
        cmocka_unit_test(part_spawned_under_invalid_parent_is_refused),
        cmocka_unit_test(level_spawned_over_frames_equals_spawn_at_once),
        cmocka_unit_test(part_spawned_over_frames_reserves_memory_for_itself_only),
        cmocka_unit_test(part_spawned_over_frames_skips_other_entities),
        cmocka_unit_test(spawn_over_frames_ended_early_keeps_created_entities),
        cmocka_unit_test(spawn_over_frames_continues_after_failed_allocation),
        cmocka_unit_test(spawn_over_frames_keeps_changes_of_the_host),
        cmocka_unit_test(spawn_over_frames_whose_parent_loses_transform_creates_roots),
    };
    return TEST_RUN("parts", tests);
}
