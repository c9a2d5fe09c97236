/* test_unspawn.c - what a spawn made is removed by its number: random sequences of spawns, removals, attachments,
 * patches, saves and loads, compared with a plain model; parts, jobs, references, callbacks, memory. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "rows.h"
#include "spawned_internal.h"
#include "test_source.h"

static ent_status spawn_numbered(World* world, const Blob* blob, Spawned* number,
                                 Entity* entities) {
    const SpawnOptions options = {.spawned = number};
    return ent_world_spawn(world, blob, &options, entities);
}

/* --- a plain model --- */

#define MODEL_MAX  4096
#define SPAWNS_MAX 12
#define LIST_MAX   16

/* An entity has its number in the model as the x of its scale, which no operation changes. */
typedef struct ModelEntity {
    Entity entity;
    bool   alive;
    u32    parent, target; /* of its camera; in the model, or NONE */
    bool   has_camera;
} ModelEntity;

typedef struct ModelSpawn {
    Spawned number;
    u32     source;         /* the blob; SPAWNS_MAX: none, it was removed */
    u32     list[LIST_MAX]; /* [count] */
    u32     count;
} ModelSpawn;

typedef struct Model {
    World*      world;
    Random      random;
    ModelEntity entity[MODEL_MAX];
    ModelSpawn  spawn[SPAWNS_MAX];
    u32         count, spawn_count;
    Compiled    source[4];
} Model;

static const char* const texts[] = {"a(b c(d)) e", "a(b(x) c) f", "a", "e(a(b c) d) g h(i)"};

static u32 model_add(Model* m, Entity entity, u32 parent) {
    assert_true(m->count < MODEL_MAX);
    m->entity[m->count] = (ModelEntity){entity, true, parent, NONE, false};
    const u32       row = ent_transform_row(m->world, entity);
    TransformRecord local = ent_transform_local(m->world, row);
    local.scale.x = (f32)(m->count + 1);
    ent_transform_set_local(m->world, row, &local);
    return m->count++;
}

static u32 model_of(const Model* m, Entity entity) {
    for (u32 i = 0; i < m->count; i++) {
        if (m->entity[i].entity == entity && m->entity[i].alive) return i;
    }
    return NONE;
}

static u32 random_alive(Model* m) {
    for (u32 i = 0; i < 50; i++) {
        const u32 at = random_below(&m->random, m->count);
        if (m->count && m->entity[at].alive) return at;
    }
    return NONE;
}

static void model_kill(Model* m, u32 at) {
    m->entity[at].alive = false;
    for (u32 i = 0; i < m->count; i++) {
        if (m->entity[i].parent == at) m->entity[i].parent = NONE;
    }
}

static void mark_below(const Model* m, u8* marked) {
    for (bool more = true; more;) {
        more = false;
        for (u32 i = 0; i < m->count; i++) {
            const u32 parent = m->entity[i].parent;
            if (!m->entity[i].alive || marked[i] || parent == NONE || !marked[parent]) continue;
            marked[i] = 1;
            more = true;
        }
    }
}

static u32 model_count(const Model* m) {
    u32 alive = 0;
    for (u32 i = 0; i < m->count; i++) alive += m->entity[i].alive;
    return alive;
}

/* The world has these entities, parents, cameras and spawns, and no other ones. */
static void model_check(const Model* m) {
    const Manager*   cameras = ent_world_manager_by_name(m->world, "camera");
    const CameraRows rows = ent_camera_rows(m->world);
    assert_int_equal(ent_entity_count(m->world), model_count(m));
    for (u32 i = 0; i < m->count; i++) {
        const ModelEntity* e = &m->entity[i];
        if (!e->alive) continue;
        assert_true(ent_entity_alive(m->world->entities, e->entity));
        const Entity parent = e->parent == NONE ? ENTITY_NULL : m->entity[e->parent].entity;
        assert_int_equal(ent_transform_parent(m->world, e->entity), parent);
        const u32 row = ent_manager_row(cameras, m->world->entities, e->entity);
        assert_int_equal(row != MANAGER_NO_ROW, e->has_camera);
        if (!e->has_camera) continue;
        const Entity target = rows.record[row].target;
        if (e->target == NONE)
            assert_false(ent_entity_alive(m->world->entities, target));
        else
            assert_int_equal(target, m->entity[e->target].entity);
    }
    for (u32 i = 0; i < m->spawn_count; i++) {
        const ModelSpawn* s = &m->spawn[i];
        SpawnedInfo       info;
        const ent_status  status = ent_world_spawned_info(m->world, s->number, &info);
        assert_int_equal(status, s->source == SPAWNS_MAX ? ENT_NOT_FOUND : ENT_OK);
        if (status != ENT_OK) continue;
        assert_int_equal(info.count, s->count);
        for (u32 k = 0; k < s->count; k++) {
            const bool alive = s->list[k] != NONE && m->entity[s->list[k]].alive;
            assert_int_equal(ent_entity_alive(m->world->entities, info.entities[k]), alive);
            if (alive) assert_int_equal(info.entities[k], m->entity[s->list[k]].entity);
        }
    }
}

/* --- operations --- */

static void op_spawn(Model* m) {
    Entity      entities[LIST_MAX];
    const u32   source = random_below(&m->random, 4);
    const Blob* blob = &m->source[source].blob;
    const u32*  parent = ent_blob_data(blob, ent_blob_section(blob, SECTION_PARENT));
    u32         at = 0;
    while (at < m->spawn_count && m->spawn[at].source != SPAWNS_MAX) at++;
    if (at == SPAWNS_MAX) return;
    ModelSpawn* s = &m->spawn[at];
    m->spawn_count = MAX_OF(m->spawn_count, at + 1);
    assert_int_equal(spawn_numbered(m->world, blob, &s->number, entities), ENT_OK);
    s->source = source;
    s->count = blob->header->element_count;
    for (u32 i = 0; i < s->count; i++)
        s->list[i] = model_add(m, entities[i], parent[i] == NONE ? NONE : s->list[parent[i]]);
}

static void op_unspawn(Model* m) {
    ModelSpawn* s = &m->spawn[random_below(&m->random, MAX_OF(m->spawn_count, 1u))];
    static u8   marked[MODEL_MAX];
    const u32   flags = random_below(&m->random, 4);
    u32         references = 0, removed = 0;
    Unspawned   counts;
    if (m->spawn_count == 0) return;
    if (s->source == SPAWNS_MAX) {
        assert_int_equal(ent_world_unspawn(m->world, s->number, flags, NULL), ENT_NOT_FOUND);
        return;
    }
    memset(marked, 0, sizeof marked);
    for (u32 i = 0; i < s->count; i++)
        if (s->list[i] != NONE) marked[s->list[i]] = m->entity[s->list[i]].alive;
    if (flags & UNSPAWN_CHILDREN) mark_below(m, marked);
    for (u32 i = 0; i < m->count; i++) {
        ModelEntity* e = &m->entity[i];
        removed += marked[i];
        if (marked[i] || !e->alive || e->target == NONE || !marked[e->target]) continue;
        references++;
        e->target = NONE;
    }
    for (u32 i = 0; i < m->count; i++)
        if (marked[i]) model_kill(m, i);
    for (u32 i = 0; i < m->count; i++)
        if (m->entity[i].target != NONE && !m->entity[m->entity[i].target].alive)
            m->entity[i].target = NONE;
    assert_int_equal(ent_world_unspawn(m->world, s->number, flags, &counts), ENT_OK);
    s->source = SPAWNS_MAX;
    assert_int_equal(counts.entities, removed);
    assert_int_equal(counts.references, flags & UNSPAWN_REFERENCES ? references : 0);
    const CameraRows rows = ent_camera_rows(m->world);
    for (u32 i = 0; i < rows.count && flags & UNSPAWN_REFERENCES; i++) {
        const u32 owner = model_of(m, rows.entity[i]);
        if (m->entity[owner].target != NONE) continue;
        /* Null, or stale since an earlier call without the flag. */
        assert_false(ent_entity_alive(m->world->entities, rows.record[i].target));
    }
}

static void op_attach(Model* m) {
    const u32 child = random_alive(m), parent = random_alive(m);
    if (child == NONE || parent == NONE) return;
    u32 above = parent;
    while (above != NONE && above != child) above = m->entity[above].parent;
    const ent_status status =
        ent_transform_reparent(m->world, m->entity[child].entity, m->entity[parent].entity);
    assert_int_equal(status, above == child ? ENT_CYCLE : ENT_OK);
    if (status == ENT_OK) m->entity[child].parent = parent;
}

static void op_create(Model* m) {
    Manager* cameras = ent_world_manager_by_name(m->world, "camera");
    Entity   entity;
    u32      row;
    assert_int_equal(ent_entity_create(m->world, &entity, 1), ENT_OK);
    Manager* transforms = ent_world_built_in(m->world, COMPONENT_TRANSFORM);
    assert_int_equal(ent_manager_create(m->world, transforms, entity, &row), ENT_OK);
    const u32 at = model_add(m, entity, NONE), other = random_alive(m);
    const u32 target = other == NONE ? at : other;
    assert_int_equal(ent_manager_create(m->world, cameras, entity, &row), ENT_OK);
    ent_camera_rows(m->world).record[row].target = m->entity[target].entity;
    m->entity[at].has_camera = true;
    m->entity[at].target = target;
}

static void op_destroy(Model* m) {
    const u32 at = random_alive(m);
    if (at == NONE) return;
    assert_int_equal(ent_entity_destroy(m->world, &m->entity[at].entity, 1), 1);
    model_kill(m, at);
    for (u32 i = 0; i < m->count; i++)
        if (m->entity[i].target == at) m->entity[i].target = NONE;
}

/* A spawn becomes that of another source. Entities that it keeps are those of the same path. */
static void op_patch(Model* m) {
    ModelSpawn* s = &m->spawn[random_below(&m->random, MAX_OF(m->spawn_count, 1u))];
    const u32   to = random_below(&m->random, 4);
    Entity      before[LIST_MAX], after[LIST_MAX];
    Patch*      patch;
    if (m->spawn_count == 0 || s->source == SPAWNS_MAX) return;
    const Blob *       old_blob = &m->source[s->source].blob, *blob = &m->source[to].blob;
    const SpawnOptions options = {.spawned = &s->number};
    for (u32 i = 0; i < s->count; i++)
        before[i] = s->list[i] == NONE ? ENTITY_NULL : m->entity[s->list[i]].entity;
    assert_int_equal(ent_patch_create(&patch, m->world, old_blob, blob, NULL), ENT_OK);
    const bool given = random_below(&m->random, 2);
    assert_int_equal(ent_world_patch(m->world, patch, &options, given ? before : NULL, after, NULL),
                     ENT_OK);
    u32 list[LIST_MAX];
    for (u32 i = 0; i < patch->removed_count; i++) {
        const u32 at = s->list[patch->removed[i]];
        if (at != NONE && m->entity[at].alive) model_kill(m, at);
    }
    for (u32 i = 0; i < patch->new_count; i++) {
        const u32 old = patch->old_of_new[i];
        list[i] = old == NONE ? NONE : s->list[old];
        if (old == NONE && after[i] != ENTITY_NULL) list[i] = model_add(m, after[i], NONE);
    }
    ent_patch_destroy(patch);
    s->source = to;
    s->count = blob->header->element_count;
    memcpy(s->list, list, sizeof list);
    for (u32 i = 0; i < m->count; i++) { /* where a patch attaches transforms is test_patch.c's */
        ModelEntity* e = &m->entity[i];
        if (e->alive) e->parent = model_of(m, ent_transform_parent(m->world, e->entity));
        if (e->target != NONE && !m->entity[e->target].alive) e->target = NONE;
    }
}

/* The world is saved, and loaded in a new one. */
static void op_save(Model* m) {
    const SaveOptions options = {.name = "saves/x"};
    void*             bytes;
    size_t            size;
    Blob              blob;
    BlobFault         fault;
    static Entity     loaded[MODEL_MAX];
    static u32        number[MODEL_MAX];
    assert_int_equal(ent_world_save(m->world, &options, &bytes, &size), ENT_OK);
    if (ent_blob_open(&blob, bytes, size, NULL, &fault) != ENT_OK)
        fail_msg("%s: %s", fault.field, fault.reason);
    World* world = world_new(NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, loaded), ENT_OK);
    void*  again;
    size_t again_size;
    assert_int_equal(ent_world_save(world, &options, &again, &again_size), ENT_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    ent_world_save_free(world, again, again_size);
    for (u32 i = 0; i < m->count; i++) number[i] = NONE;
    for (u32 i = 0; i < blob.header->element_count; i++) {
        const u32 row = ent_transform_row(world, loaded[i]);
        number[(u32)ent_transform_local(world, row).scale.x - 1] = i;
    }
    for (u32 i = 0; i < m->count; i++) {
        m->entity[i].entity = ENTITY_NULL;
        if (!m->entity[i].alive) continue;
        assert_true(number[i] != NONE);
        m->entity[i].entity = loaded[number[i]];
    }
    Spawned at = SPAWNED_NONE, before = SPAWNED_NONE;
    for (u32 place = 0; place < m->spawn_count; place++) {
        /* In the order of their places in the world, which is that of their numbers' low halves. */
        ModelSpawn* next = NULL;
        for (u32 i = 0; i < m->spawn_count; i++) {
            ModelSpawn* s = &m->spawn[i];
            if (s->source == SPAWNS_MAX || (u32)s->number <= (u32)before) continue;
            if (!next || (u32)s->number < (u32)next->number) next = s;
        }
        if (!next) break;
        before = next->number;
        at = ent_world_spawned_next(world, (ResourceRef){0, 0}, at);
        assert_true(at != SPAWNED_NONE);
        next->list[LIST_MAX - 1] = (u32)at; /* until all were found */
    }
    assert_true(ent_world_spawned_next(world, (ResourceRef){0, 0}, at) == SPAWNED_NONE);
    for (u32 i = 0; i < m->spawn_count; i++) {
        ModelSpawn* s = &m->spawn[i];
        if (s->source == SPAWNS_MAX)
            s->number = UINT64_MAX;
        else
            s->number = 1ull << 32 | s->list[LIST_MAX - 1];
    }
    ent_world_save_free(m->world, bytes, size);
    ent_world_destroy(m->world);
    m->world = world;
}

static void sequence_run(u64 seed, u32 steps) {
    static Model m;
    memset(&m, 0, sizeof m);
    m.random.state = seed;
    m.world = world_new(NULL);
    for (u32 i = 0; i < 4; i++) compile(&m.source[i], forest(texts[i]));
    for (u32 step = 0; step < steps; step++) {
        switch (random_below(&m.random, 12)) {
        case 0:
        case 1:
        case 2: op_spawn(&m); break;
        case 3:
        case 4: op_unspawn(&m); break;
        case 5:
        case 6: op_attach(&m); break;
        case 7: op_destroy(&m); break;
        case 8: op_patch(&m); break;
        case 9: op_save(&m); break;
        default: op_create(&m);
        }
        model_check(&m);
    }
    ent_world_destroy(m.world);
    for (u32 i = 0; i < 4; i++) free(m.source[i].bytes.at);
}

static void random_sequences_equal_a_plain_model(void** state) {
    const u64 seed = test_seed("unspawn", 1);
    const u32 sequences = getenv("TEST_FULL") ? 10000 : SANITIZED ? 60 : 600;
    UNUSED(state);
    for (u32 i = 0; i < sequences; i++) sequence_run(seed + i, 30);
}

/* --- parts and jobs --- */

typedef struct Grouped {
    Bytes bytes;
    Blob  blob;
} Grouped;

/* Entities 0 to 2 are the base, 3 and 4 a group, 5 to 7 another one; no entity has components. */
static Grouped grouped_new(void) {
    static const u32 parent[8] = {NONE, 0, 0, 0, 3, NONE, 5, 5}, first[] = {3, 5};
    const Level      level = {.resource = RESOURCE_LEVEL, .entity_count = 8, .parent = parent};
    Grouped          g = {.bytes = level_bytes_in_groups(&level, first, 2, target_native(), NULL)};
    g.blob = blob_valid(g.bytes, NULL);
    return g;
}

static void each_part_of_a_level_is_a_spawn(void** state) {
    Grouped      g = grouped_new();
    World*       world = world_new(NULL);
    Entity       entities[8] = {0};
    Spawned      number[4];
    SpawnedInfo  info;
    Unspawned    removed;
    SpawnOptions options = {0};
    UNUSED(state);
    const u32       group = ent_blob_group_find(&g.blob, "g0");
    const SpawnPart part[] = {SPAWN_BASE, SPAWN_GROUP, SPAWN_SUBTREE, SPAWN_GROUP};
    const u32       which[] = {0, group, 5, group};
    u32             count[4], first, end;
    ent_blob_group_range(&g.blob, group, &first, &end);
    for (u32 i = 0; i < 4; i++) {
        options = (SpawnOptions){.part = part[i], .which = which[i], .spawned = &number[i]};
        const u32 before = ent_entity_count(world);
        assert_int_equal(ent_world_spawn(world, &g.blob, &options, entities), ENT_OK);
        count[i] = ent_entity_count(world) - before;
        assert_int_equal(ent_world_spawned_info(world, number[i], &info), ENT_OK);
        assert_int_equal(info.part, part[i]);
        assert_true(info.count >= count[i] && info.blob_entities == 8);
        for (u32 k = 0; k < info.count; k++)
            assert_int_equal(info.entities[k], entities[info.first + k]);
    }
    assert_int_equal(count[0], 3);
    assert_int_equal(count[1], end - first);
    assert_int_equal(count[2], 3 - (first == 5 ? 3 : 0));
    assert_int_equal(count[3], 0); /* it was spawned before */
    assert_int_equal(ent_world_spawned_info(world, number[1], &info), ENT_OK);
    assert_int_equal(info.which, ent_blob_group_id(&g.blob, group));
    for (u32 i = 0; i < 4; i++) {
        const u32 before = ent_entity_count(world);
        assert_int_equal(ent_world_unspawn(world, number[i], 0, &removed), ENT_OK);
        assert_int_equal(removed.entities, count[i]);
        assert_int_equal(ent_entity_count(world), before - count[i]);
        assert_int_equal(ent_world_unspawn(world, number[i], 0, NULL), ENT_NOT_FOUND);
    }
    assert_int_equal(ent_entity_count(world), 0);
    ent_world_destroy(world);
    bytes_free(&g.bytes);
}

/* At each number of steps: what exists is removed, and nothing is created afterwards. */
static void job_that_is_removed_creates_nothing_more(void** state) {
    enum { ENTITIES = 3000 };
    const SceneShape shape = {.entity_count = ENTITIES, .reach = 20, .share = 30, .transform = 90};
    Random           random = {11};
    Scene            s;
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    for (u32 steps = 0; steps < 14; steps++) {
        World*       world = world_new(NULL);
        Spawned      number = SPAWNED_NONE;
        SpawnJob*    job;
        Unspawned    removed;
        int          done = 0;
        SpawnOptions options = {.spawned = &number};
        assert_int_equal(ent_spawn_begin(&job, world, &s.blob, &options, NULL), ENT_OK);
        assert_true(number != SPAWNED_NONE);
        for (u32 i = 0; i < steps; i++) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
        assert_int_equal(done, steps >= 12);
        const u32 exist = ent_entity_count(world);
        assert_int_equal(ent_world_unspawn(world, number, 0, &removed), ENT_OK);
        assert_int_equal(removed.entities, exist);
        done = 0;
        assert_int_equal(ent_spawn_step(job, 1000000, &done), ENT_OK);
        assert_true(done && ent_entity_count(world) == 0);
        ent_spawn_end(job);
        ent_world_destroy(world);
    }
    scene_close(&s);
}

/* The spawns of a save exist when its last entity does, whatever happens to the world before. */
static void spawns_of_a_save_that_is_loaded_over_frames(void** state) {
    const SaveOptions options = {.name = "saves/x"};
    const ResourceRef any = {0, 0};
    World*            world = world_new(NULL);
    Compiled          c;
    Spawned           number;
    void*             bytes;
    size_t            size;
    Blob              save;
    Unspawned         removed;
    UNUSED(state);
    compile(&c, forest(texts[0]));
    for (u32 i = 0; i < 250; i++)
        assert_int_equal(spawn_numbered(world, &c.blob, &number, NULL), ENT_OK);
    assert_int_equal(ent_world_save(world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_blob_open(&save, bytes, size, NULL, NULL), ENT_OK);
    for (u32 kind = 0; kind < 3; kind++) {
        World*    loaded = world_new(NULL);
        SpawnJob* job;
        int       done = 0;
        u32       count = 0;
        assert_int_equal(ent_spawn_begin(&job, loaded, &save, NULL, NULL), ENT_OK);
        assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
        assert_true(ent_world_spawned_next(loaded, any, SPAWNED_NONE) == SPAWNED_NONE);
        if (kind == 1) ent_world_clear(loaded);
        while (!done && kind < 2) assert_int_equal(ent_spawn_step(job, 1000, &done), ENT_OK);
        ent_spawn_end(job);
        for (number = SPAWNED_NONE;
             (number = ent_world_spawned_next(loaded, any, number)) != SPAWNED_NONE; count++) {
            if (kind == 0 && count % 2) {
                assert_int_equal(ent_world_unspawn(loaded, number, 0, &removed), ENT_OK);
                assert_int_equal(removed.entities, 5);
            }
        }
        assert_int_equal(count, kind < 2 ? 250 : 0);
        ent_world_destroy(loaded);
    }
    ent_world_save_free(world, bytes, size);
    ent_world_destroy(world);
    free(c.bytes.at);
}

/* Of another resource, of another state of it, or of a job that has not ended. */
static void patch_of_another_blob_than_that_of_the_number_is_refused(void** state) {
    World*   world = world_new(NULL);
    Compiled a, b, c;
    Spawned  number;
    Patch*   patch;
    UNUSED(state);
    compile(&a, forest("a b"));
    compile(&b, forest("c d"));
    compile(&c, forest("c"));
    const SpawnOptions options = {.spawned = &number};
    assert_int_equal(spawn_numbered(world, &a.blob, &number, NULL), ENT_OK);
    assert_int_equal(ent_patch_create(&patch, world, &b.blob, &c.blob, NULL), ENT_OK);
    assert_int_equal(ent_world_patch(world, patch, &options, NULL, NULL, NULL), ENT_NOT_FOUND);
    assert_int_equal(ent_entity_count(world), 2);
    ent_patch_destroy(patch);
    SpawnJob* job;
    int       done = 0;
    assert_int_equal(ent_spawn_begin(&job, world, &b.blob, &options, NULL), ENT_OK);
    assert_int_equal(ent_patch_create(&patch, world, &b.blob, &c.blob, NULL), ENT_OK);
    assert_int_equal(ent_world_patch(world, patch, &options, NULL, NULL, NULL), ENT_NOT_FOUND);
    assert_int_equal(ent_spawn_step(job, 1000000, &done), ENT_OK);
    assert_true(done);
    assert_int_equal(ent_world_patch(world, patch, &options, NULL, NULL, NULL), ENT_OK);
    ent_spawn_end(job);
    ent_patch_destroy(patch);
    assert_int_equal(ent_entity_count(world), 3);
    ent_world_destroy(world);
    free(a.bytes.at);
    free(b.bytes.at);
    free(c.bytes.at);
}

/* --- callbacks, clearing, memory --- */

typedef struct Calls {
    u32 destroyed, removed;
} Calls;

static void destroyed_count(void* user, const Entity* entities, u32 count) {
    UNUSED(entities);
    ((Calls*)user)->destroyed += count;
}

static Calls* removed_calls;

static void removed_count(Manager* m, u32 row) {
    UNUSED(m);
    UNUSED(row);
    removed_calls->removed++;
}

static void callbacks_are_those_of_a_destroy(void** state) {
    UNUSED(state);
    for (u32 kind = 0; kind < 3; kind++) {
        Calls             calls = {0};
        const WorldDesc   desc = {.destroyed = {kind == 1 ? destroyed_count : NULL, &calls}};
        World*            world = world_new(&desc);
        const ManagerDesc probe = {.type = *type_of(type_index("probe")), .removed = removed_count};
        Compiled          c;
        Spawned           number;
        Entity            entities[LIST_MAX];
        Unspawned         removed;
        u32               row;
        removed_calls = &calls;
        compile(&c, forest(texts[0]));
        if (kind == 2) assert_int_equal(ent_world_register(world, &probe), ENT_OK);
        assert_int_equal(spawn_numbered(world, &c.blob, &number, entities), ENT_OK);
        if (kind == 2)
            assert_int_equal(ent_manager_create(world, ent_world_manager_by_name(world, "probe"),
                                                entities[1], &row),
                             ENT_OK);
        assert_int_equal(ent_entity_destroy(world, &entities[0], 1), 1);
        assert_int_equal(ent_world_unspawn(world, number, 0, &removed), ENT_OK);
        assert_int_equal(removed.entities, 4);
        assert_int_equal(calls.destroyed, kind == 1 ? 5 : 0);
        assert_int_equal(calls.removed, kind == 2 ? 1 : 0);
        ent_world_destroy(world);
        free(c.bytes.at);
    }
}

static void clear_ends_all_spawns_and_their_numbers_do_not_return(void** state) {
    World*   world = world_new(NULL);
    Compiled c;
    Spawned  old[20], number;
    UNUSED(state);
    compile(&c, forest(texts[0]));
    for (u32 round = 0; round < 20; round++) {
        assert_int_equal(spawn_numbered(world, &c.blob, &old[round], NULL), ENT_OK);
        assert_int_equal(spawn_numbered(world, &c.blob, &number, NULL), ENT_OK);
        if (round % 2)
            ent_world_clear(world);
        else
            assert_true(ent_world_unspawn(world, old[round], 0, NULL) == ENT_OK &&
                        ent_world_unspawn(world, number, 0, NULL) == ENT_OK);
        for (u32 i = 0; i <= round; i++)
            assert_int_equal(ent_world_unspawn(world, old[i], 0, NULL), ENT_NOT_FOUND);
        assert_true(ent_world_spawned_next(world, (ResourceRef){0, 0}, SPAWNED_NONE) ==
                    SPAWNED_NONE);
    }
    assert_int_equal(ent_world_unspawn(world, SPAWNED_NONE, 0, NULL), ENT_NOT_FOUND);
    ent_world_destroy(world);
    free(c.bytes.at);
}

/* A spawn whose entities are all destroyed stays when another one, which is all of the world, is removed. */
static void spawn_without_entities_stays_until_it_is_removed(void** state) {
    World*    world = world_new(NULL);
    Compiled  c;
    Spawned   empty, all;
    Entity    entities[LIST_MAX];
    Unspawned removed;
    UNUSED(state);
    compile(&c, forest(texts[0]));
    assert_int_equal(spawn_numbered(world, &c.blob, &empty, entities), ENT_OK);
    assert_int_equal(ent_entity_destroy(world, entities, 5), 5);
    assert_int_equal(spawn_numbered(world, &c.blob, &all, NULL), ENT_OK);
    assert_int_equal(ent_world_unspawn(world, all, 0, &removed), ENT_OK);
    assert_int_equal(removed.entities, 5);
    assert_int_equal(ent_world_unspawn(world, empty, 0, &removed), ENT_OK);
    assert_int_equal(removed.entities, 0);
    ent_world_destroy(world);
    free(c.bytes.at);
}

static void spawning_the_same_again_allocates_nothing(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_new(&desc);
    Compiled          c[4];
    Spawned           number[40];
    u32               allocations = 0;
    UNUSED(state);
    for (u32 i = 0; i < 4; i++) compile(&c[i], forest(texts[i]));
    for (u32 round = 0; round < 16; round++) {
        for (u32 i = 0; i < 40; i++)
            assert_int_equal(spawn_numbered(world, &c[(i + round) % 4].blob, &number[i], NULL),
                             ENT_OK);
        if (round == 9) allocations = counting.allocations; /* indices are reused after others */
        if (round > 9) assert_int_equal(counting.allocations, allocations);
        for (u32 i = 0; i < 40; i++)
            assert_int_equal(ent_world_unspawn(world, number[(i * 7) % 40], 0, NULL), ENT_OK);
    }
    ent_world_destroy(world);
    assert_int_equal(counting.live_blocks, 0);
    for (u32 i = 0; i < 4; i++) free(c[i].bytes.at);
}

/* Spawning, removing with each flag, saving and loading: after a failure nothing has changed. */
static void each_failing_allocation_changes_nothing(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    Compiled          c;
    UNUSED(state);
    compile(&c, forest(texts[3]));
    for (u32 flags = 0; flags < 4; flags++) {
        World*    world = world_new(&desc);
        Spawned   number, second;
        Unspawned removed;
        for (u32 at = 1;; at++) {
            counting.fail_at = counting.allocations + at;
            const ent_status status = spawn_numbered(world, &c.blob, &number, NULL);
            if (status == ENT_OK) break;
            assert_true(status == ENT_NO_MEMORY && number == SPAWNED_NONE);
            assert_int_equal(ent_entity_count(world), 0);
        }
        counting.fail_at = 0;
        assert_int_equal(spawn_numbered(world, &c.blob, &second, NULL), ENT_OK);
        const u32 before = ent_entity_count(world);
        for (u32 at = 1;; at++) {
            counting.fail_at = counting.allocations + at;
            const ent_status status = ent_world_unspawn(world, number, flags, &removed);
            if (status == ENT_OK) break;
            assert_int_equal(status, ENT_NO_MEMORY);
            assert_int_equal(ent_entity_count(world), before);
        }
        counting.fail_at = 0;
        assert_int_equal(removed.entities, before / 2);
        ent_world_destroy(world);
        assert_int_equal(counting.live_blocks, 0);
    }
    free(c.bytes.at);
}

/* --- worlds that share entities --- */

static void entities_are_removed_from_all_worlds_that_share_them(void** state) {
    World*          world = world_new(NULL);
    const WorldDesc desc = {.entities_of = world};
    World*          other = world_new(&desc);
    Compiled        c;
    Spawned         number, here;
    Entity          entities[LIST_MAX], camera;
    Unspawned       removed;
    u32             row;
    UNUSED(state);
    compile(&c, forest(texts[0]));
    assert_int_equal(spawn_numbered(world, &c.blob, &number, entities), ENT_OK);
    assert_int_equal(spawn_numbered(other, &c.blob, &here, NULL), ENT_OK);
    Manager* transforms = ent_world_built_in(other, COMPONENT_TRANSFORM);
    Manager* cameras = ent_world_built_in(other, COMPONENT_CAMERA);
    assert_int_equal(ent_manager_create(other, transforms, entities[2], &row), ENT_OK);
    assert_int_equal(ent_entity_create(other, &camera, 1), ENT_OK);
    assert_int_equal(ent_manager_create(other, cameras, camera, &row), ENT_OK);
    ent_camera_rows(other).record[row].target = entities[2];
    assert_int_equal(ent_world_unspawn(world, number, UNSPAWN_REFERENCES, &removed), ENT_OK);
    assert_true(removed.entities == 5 && removed.references == 1);
    assert_int_equal(ent_camera_rows(other).record[row].target, ENTITY_NULL);
    assert_int_equal(transforms->count, 5);
    ent_world_clear(world); /* the entities of both */
    assert_int_equal(ent_world_unspawn(other, here, 0, NULL), ENT_NOT_FOUND);
    ent_world_destroy(other);
    ent_world_destroy(world);
    free(c.bytes.at);
}

TEST_SUITE(unspawn) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_sequences_equal_a_plain_model),
        cmocka_unit_test(each_part_of_a_level_is_a_spawn),
        cmocka_unit_test(job_that_is_removed_creates_nothing_more),
        cmocka_unit_test(spawns_of_a_save_that_is_loaded_over_frames),
        cmocka_unit_test(patch_of_another_blob_than_that_of_the_number_is_refused),
        cmocka_unit_test(callbacks_are_those_of_a_destroy),
        cmocka_unit_test(clear_ends_all_spawns_and_their_numbers_do_not_return),
        cmocka_unit_test(spawn_without_entities_stays_until_it_is_removed),
        cmocka_unit_test(spawning_the_same_again_allocates_nothing),
        cmocka_unit_test(each_failing_allocation_changes_nothing),
        cmocka_unit_test(entities_are_removed_from_all_worlds_that_share_them),
    };
    return TEST_RUN("unspawn", tests);
}
