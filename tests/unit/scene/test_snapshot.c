/* test_snapshot.c - saves: random worlds that are saved and loaded are equal, and saved again give
 * the same bytes; errors are reported, and nothing is lost or leaked. */
#include "test_worlds_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "persistent_manager.h"
#include "resource.h"
#include "sections.h"
#include "snapshot.h"
#include "spawn.h"
#include "transform_manager.h"
#include "world.h"
#include "rows.h"
#include "world_internal.h"

#define RECORD_MAX   128
#define ENTITIES_MAX 4096

/* --- worlds with all component types, three of which have state --- */

#define PROBE_STATE_FIELDS(F, R)                                                                   \
    F(R, Vec2, speed, V2(0, 0), LOW, HIGH, "", PLAIN, "")                                          \
    F(R, EntityRef, prey, NO_ENTITY, 0, ALL, "", PLAIN, "")
#define TAG_STATE_FIELDS(F, R)                                                                     \
    F(R, PersistentRef, owner, NO_PERSISTENT, 0, ID31, "", PLAIN, "")                              \
    F(R, ResourceRef, shape, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MESH), "")
#define ORBIT_STATE_FIELDS(F, R) F(R, u32, turns, V1(0), 0, ALL, "", PLAIN, "")
RECORD(ProbeState, PROBE_STATE_FIELDS)
RECORD(OrbitState, ORBIT_STATE_FIELDS)
RECORD(TagState, TAG_STATE_FIELDS)

static const Field      probe_state_fields[] = {PROBE_STATE_FIELDS(FIELD_ROW, ProbeState)};
static const Field      tag_state_fields[] = {TAG_STATE_FIELDS(FIELD_ROW, TagState)};
static const Field      orbit_state_fields[] = {ORBIT_STATE_FIELDS(FIELD_ROW, OrbitState)};
static const RecordType orbit_state = {"orbit_state", orbit_state_fields, 1, sizeof(OrbitState)};
static const RecordType probe_state = {"probe_state", probe_state_fields, 2, sizeof(ProbeState)};
static const RecordType tag_state = {"tag_state", tag_state_fields, 2, sizeof(TagState)};

static ManagerDesc desc_of(u32 plugin) {
    ManagerDesc desc = {.type = plugin_types()[plugin], .extra_bytes = {4, 8, 4}};
    if (plugin == PLUGIN_probe) {
        desc.extra_bytes[0] = 8, desc.extra_bytes[1] = 4; /* and a column that is not saved */
        desc.state = &probe_state;
    }
    if (plugin == PLUGIN_tag) desc.state = &tag_state;
    if (plugin == PLUGIN_orbit) desc.state = &orbit_state; /* of its first column */
    return desc;
}

static World* world_bare(const WorldDesc* desc) {
    World* world;
    assert_int_equal(ent_world_create(&world, desc), ENT_OK);
    return world;
}

static World* world_all(const WorldDesc* desc) {
    World* world = world_bare(desc);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = desc_of(i);
        assert_int_equal(ent_world_register(world, &type), ENT_OK);
    }
    return world;
}

static u32 extra_column(const Manager* m, u32 extra) {
    return ent_component_column_count(&m->desc.type) + extra;
}

/* --- random levels --- */

typedef struct Built {
    u32       count; /* of entities */
    u32*      parent;
    u32*      owner[ALL_TYPES];
    u8*       record[ALL_TYPES];
    LevelPart part[ALL_TYPES];
    Bytes     bytes;
    Blob      blob;
} Built;

static TransformRecord tame_pose(Random* r) {
    static const Field quat = {.kind = FIELD_Quat, .bytes = 16};
    TransformRecord    pose;
    pose.position = (Vec3){random_float(r, -3, 3), random_float(r, -3, 3), random_float(r, -3, 3)};
    random_field(r, &quat, 0, &pose.rotation);
    const f32 scale = random_float(r, 0.95f, 1.05f);
    pose.scale = (Vec3){scale, scale, scale};
    return pose;
}

static void record_make(Random* r, const ComponentType* type, u32 entity_count, u8* record) {
    random_record(r, &type->record, entity_count, record);
    if (strcmp(type->record.name, "transform") != 0) return;
    const TransformRecord pose = tame_pose(r);
    memcpy(record, &pose, sizeof pose);
}

static void part_make(Built* built, Random* r, u32 t, u32 share) {
    const ComponentType* type = all_types()[t];
    const u32            max = type->several == SEVERAL ? 3 : 1, bytes = type->record.bytes;
    u32                  count = 0;
    built->owner[t] = calloc((size_t)built->count * max + 1, sizeof(u32));
    built->record[t] = calloc((size_t)built->count * max + 1, bytes);
    for (u32 e = 0; e < built->count; e++) {
        if (random_below(r, 100) >= share) continue;
        for (u32 k = 1 + random_below(r, max); k > 0; k--) {
            record_make(r, type, built->count, built->record[t] + (size_t)count * bytes);
            built->owner[t][count++] = e;
        }
    }
    built->part[t] = (LevelPart){type, count, built->owner[t], built->record[t]};
}

/* reach: the maximum distance of a parent before its child in entities; 1: chains */
static void built_open(Built* built, Random* r, u32 count, u32 reach, u32 share, bool names) {
    const BlobOptions options = all_options();
    *built = (Built){.count = count, .parent = calloc(count + 1, sizeof(u32))};
    for (u32 e = 0; e < count; e++) {
        const u32 max = MIN_OF(reach, e);
        built->parent[e] =
            max == 0 || random_below(r, 9) == 0 ? NONE : e - 1 - random_below(r, max);
    }
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const bool transform = strcmp(all_types()[t]->record.name, "transform") == 0;
        part_make(built, r, t, transform ? 80 : share);
    }
    const Level level = {RESOURCE_LEVEL, count, built->parent, ALL_TYPES, built->part, true, names};
    built->bytes = level_bytes(&level, target_native(), &options);
    built->blob = blob_valid(built->bytes, &options);
}

static void built_close(Built* built) {
    for (u32 t = 0; t < ALL_TYPES; t++) {
        free(built->owner[t]);
        free(built->record[t]);
    }
    free(built->parent);
    bytes_free(&built->bytes);
}

/* --- a world after random changes --- */

typedef struct Life {
    Random* r;
    World*  world;
    Entity  ever[ENTITIES_MAX]; /* [count] alive and destroyed ones */
    u32     count;
} Life;

static bool is_alive(const World* w, Entity e) {
    return ent_entity_alive(ent_world_entities(w), e);
}

static Entity random_entity(Life* l) { return l->ever[random_below(l->r, l->count)]; }

/* References in words that were written for a blob become entities of this world. */
static void links_make(Life* l, const RecordType* type, u8* record) {
    for (u32 f = 0; f < type->field_count; f++) {
        u32 word;
        if (type->fields[f].kind != FIELD_EntityRef) continue;
        memcpy(&word, record + type->fields[f].offset, 4);
        const Entity entity = word == NONE ? ENTITY_NULL : l->ever[word];
        memcpy(record + type->fields[f].offset, &entity, 4);
    }
}

static void state_fill(Life* l, const Manager* m, u32 row) {
    const RecordType* state = m->desc.state;
    u8                record[RECORD_MAX];
    if (!state) return;
    random_record(l->r, state, l->count, record);
    links_make(l, state, record);
    for (u32 f = 0; f < state->field_count; f++) {
        memcpy(ent_manager_get(m, row, extra_column(m, f)), record + state->fields[f].offset,
               state->fields[f].bytes);
    }
}

static void row_fill(Life* l, Manager* m, u32 row) {
    const ComponentType* type = &m->desc.type;
    u8                   record[RECORD_MAX];
    record_make(l->r, type, l->count, record);
    links_make(l, &type->record, record);
    state_fill(l, m, row);
    if (strcmp(type->record.name, "persistent_id") == 0)
        return; /* every entity gets one at the end */
    if (strcmp(type->record.name, "transform") == 0) {
        ent_transform_set_local(l->world, row, (const TransformRecord*)(const void*)record);
        return;
    }
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        memcpy(ent_manager_get(m, row, c), record + ent_component_column_offset(type, c),
               ent_component_column_bytes(type, c));
    }
}

static void life_spawn(Life* l, const Built* built) {
    Entity* to = l->ever + l->count;
    assert_true(l->count + built->count <= ENTITIES_MAX);
    assert_int_equal(ent_world_spawn(l->world, &built->blob, NULL, to), ENT_OK);
    l->count += built->count;
    for (u32 i = 0; i < l->world->manager_count; i++) {
        const Manager* m = &l->world->manager[i];
        for (u32 row = 0; row < m->count; row++) state_fill(l, m, row);
    }
}

static void component_add(Life* l, Entity entity) {
    Manager* m = &l->world->manager[random_below(l->r, l->world->manager_count)];
    u32      row;
    if (ent_manager_create(l->world, m, entity, &row) == ENT_OK) row_fill(l, m, row);
}

static void component_remove(Life* l) {
    Manager* m = &l->world->manager[random_below(l->r, l->world->manager_count)];
    if (m->count == 0) return;
    const u32 row = random_below(l->r, m->count);
    if (random_below(l->r, 4) || m == ent_world_manager_by_name(l->world, "transform"))
        ent_manager_remove(l->world, m, row);
    else
        ent_manager_remove_keep_order(l->world, m, row);
}

/* A random entity may be destroyed, or already be a child of the other one. */
static void may_fail(ent_status status) { UNUSED(status); }

static void life_step(Life* l) {
    const Entity e = random_entity(l), other = random_entity(l);
    switch (random_below(l->r, 8)) {
    case 0: ent_entity_destroy(l->world, &e, 1); break;
    case 1:
        if (l->count == ENTITIES_MAX) break;
        assert_int_equal(ent_entity_create(l->world, &l->ever[l->count], 1), ENT_OK);
        component_add(l, l->ever[l->count]);
        component_add(l, l->ever[l->count++]);
        break;
    case 2: may_fail(ent_transform_attach(l->world, e, other, 0)); break;
    case 3: may_fail(ent_transform_detach(l->world, e)); break;
    case 4: may_fail(ent_transform_reparent(l->world, e, other)); break;
    case 5: component_remove(l); break;
    default: component_add(l, e); break;
    }
}

/* Every entity that is alive gets a unique id, by which two worlds are compared. */
static void life_number(Life* l) {
    for (u32 i = 0; i < l->count; i++) {
        if (!is_alive(l->world, l->ever[i])) continue;
        assert_int_equal(ent_persistent_set(l->world, l->ever[i], l->ever[i]), ENT_OK);
    }
}

/* --- saving --- */

typedef struct Saved {
    void*  at;
    size_t size;
    Blob   blob;
} Saved;

static Saved world_save(World* w, const SaveSource* sources, u32 count) {
    const SaveOptions options = {.name = "saves/test", .sources = sources, .source_count = count};
    const BlobOptions known = all_options();
    Saved             s = {0};
    BlobFault         fault;
    assert_int_equal(ent_world_save(w, &options, &s.at, &s.size), ENT_OK);
    const ent_status status = ent_blob_open(&s.blob, s.at, s.size, &known, &fault);
    if (status != ENT_OK) fail_msg("%s: %s", fault.field, fault.reason);
    return s;
}

static void saved_drop(World* w, Saved* s) { ent_world_save_free(w, s->at, s->size); }

static void assert_same_bytes(const Saved* a, const Saved* b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->at, b->at, a->size);
}

/* --- two worlds that should be equal --- */

typedef struct Twins {
    World *a, *b;
} Twins;

static Entity twin_of(const Twins* t, Entity e) {
    if (!is_alive(t->a, e)) return ENTITY_NULL;
    const Entity twin = ent_persistent_find(t->b, e); /* its id is its handle in the first world */
    assert_int_not_equal(twin, ENTITY_NULL);
    return twin;
}

static void assert_words(const Twins* t, const Field* field, const void* a, const void* b) {
    u32 word;
    if (field->kind != FIELD_EntityRef) {
        assert_memory_equal(a, b, field->bytes);
        return;
    }
    memcpy(&word, a, 4);
    const Entity twin = twin_of(t, word);
    assert_memory_equal(&twin, b, 4);
}

static void assert_rows(const Twins* t, const Manager* a, u32 row_a, const Manager* b, u32 row_b) {
    const ComponentType* type = &a->desc.type;
    const RecordType*    state = a->desc.state;
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        const u32    at = field->offset - ent_component_column_offset(type, column);
        assert_words(t, field, (u8*)ent_manager_get(a, row_a, column) + at,
                     (u8*)ent_manager_get(b, row_b, column) + at);
    }
    for (u32 f = 0; state && f < state->field_count; f++) {
        assert_words(t, &state->fields[f], ent_manager_get(a, row_a, extra_column(a, f)),
                     ent_manager_get(b, row_b, extra_column(b, f)));
    }
}

static void assert_components(const Twins* t, Entity a, Entity b) {
    for (u32 i = 0; i < t->a->manager_count; i++) {
        const Manager *in_a = &t->a->manager[i], *in_b = &t->b->manager[i];
        u32            row_a = ent_manager_row(in_a, ent_world_entities(t->a), a);
        u32            row_b = ent_manager_row(in_b, ent_world_entities(t->b), b);
        for (; row_a != MANAGER_NO_ROW && row_b != MANAGER_NO_ROW;
             row_a = ent_manager_next(in_a, row_a), row_b = ent_manager_next(in_b, row_b)) {
            assert_rows(t, in_a, row_a, in_b, row_b);
        }
        assert_int_equal(row_a, row_b);
    }
}

static Entity entity_in(const World* w, u32 row) {
    const Manager* m = ent_world_manager_by_name((World*)w, "transform");
    return row == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[row];
}

static void assert_places(const Twins* t, Entity a, Entity b) {
    const u32 row_a = ent_transform_row(t->a, a), row_b = ent_transform_row(t->b, b);
    if (row_a == MANAGER_NO_ROW) return;
    const TransformLinks in_a = ent_transform_links(t->a)[row_a];
    const TransformLinks in_b = ent_transform_links(t->b)[row_b];
    assert_int_equal(twin_of(t, entity_in(t->a, in_a.parent)), entity_in(t->b, in_b.parent));
    assert_int_equal(twin_of(t, entity_in(t->a, in_a.first_child)),
                     entity_in(t->b, in_b.first_child));
    assert_int_equal(twin_of(t, entity_in(t->a, in_a.next_sibling)),
                     entity_in(t->b, in_b.next_sibling));
    const Mat34 *m = ent_transform_world(t->a, a), *n = ent_transform_world(t->b, b);
    for (u32 i = 0; i < 12; i++) {
        const f32 x = m->m[i / 4][i % 4], y = n->m[i / 4][i % 4];
        if (fabsf(x - y) > 1e-4f * fmaxf(1, fabsf(x))) fail_msg("%g is not %g", (f64)x, (f64)y);
    }
}

static void assert_twins(World* a, World* b) {
    const Twins       t = {a, b};
    const EntityPool* pool = ent_world_entities(a);
    u32               seen = 0;
    assert_int_equal(ent_entity_count(a), ent_entity_count(b));
    for (u32 i = 0; i < a->manager_count; i++) {
        assert_int_equal(a->manager[i].count, b->manager[i].count);
    }
    for (u32 slot = 1; slot < pool->slot_count; slot++) {
        if (pool->generation[slot] == ENTITY_WAITING) continue;
        const Entity e = slot | (u32)pool->generation[slot] << ENTITY_INDEX_BITS;
        const Entity twin = twin_of(&t, e);
        assert_components(&t, e, twin);
        assert_places(&t, e, twin);
        seen++;
    }
    assert_int_equal(seen, ent_entity_count(b));
}

/* --- the property --- */

/* Into a new world or one that was cleared; at once or over frames. */
static World* world_load(Random* r, const Blob* blob, Entity* entities) {
    const SpawnOptions options = {.strict = 1};
    World*             w = world_all(NULL);
    int                done = 0;
    if (random_below(r, 2)) {
        Entity crowd[1500];
        assert_int_equal(ent_entity_create(w, crowd, COUNT_OF(crowd)), ENT_OK);
        assert_int_equal(ent_entity_destroy(w, crowd + 7, 1200), 1200);
        ent_world_clear(w);
    }
    if (random_below(r, 2)) {
        assert_int_equal(ent_world_spawn(w, blob, &options, entities), ENT_OK);
        return w;
    }
    SpawnJob* job;
    assert_int_equal(ent_spawn_begin(&job, w, blob, &options, entities), ENT_OK);
    while (!done) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    ent_spawn_end(job);
    return w;
}

/* As the format requires. */
static void assert_siblings_differ(const Blob* blob) {
    const BlobSection* section = ent_blob_section(blob, SECTION_PARENT);
    const u32*         parent = section ? ent_blob_data(blob, section) : NULL;
    for (u32 i = 0; i < blob->header->element_count; i++) {
        const char* name = ent_blob_name(blob, i);
        for (u32 k = 0; k < i && *name; k++) {
            if (parent[k] != parent[i]) continue;
            assert_string_not_equal(ent_blob_name(blob, k), name);
        }
    }
}

static void one_life(u64 seed) {
    Random           r = {seed};
    Life             l = {.r = &r, .world = world_all(NULL)};
    Built            built[2];
    SaveSource       sources[2];
    const bool       names = random_below(&r, 2), known = random_below(&r, 4) != 0;
    static const u32 reaches[] = {1, 3, 40, 0};
    for (u32 i = 0; i < 2; i++) {
        built_open(&built[i], &r, 1 + random_below(&r, 300), reaches[random_below(&r, 4)],
                   1 + random_below(&r, 40), names);
        sources[i] = (SaveSource){&built[i].blob, known ? l.ever + l.count : NULL};
        life_spawn(&l, &built[i]);
    }
    ent_transform_defer(l.world, random_below(&r, 2) != 0);
    for (u32 i = random_below(&r, 1500); i > 0; i--) life_step(&l);
    life_number(&l);

    Saved            first = world_save(l.world, sources, 2);
    Entity*          entities = malloc(sizeof(Entity) * ENTITIES_MAX);
    World*           loaded = world_load(&r, &first.blob, entities);
    const SaveSource again = {&first.blob, entities};
    Saved            second = world_save(loaded, &again, 1);
    assert_same_bytes(&first, &second);
    assert_siblings_differ(&first.blob);
    ent_transform_update(l.world);
    assert_twins(l.world, loaded);
    saved_drop(loaded, &second);
    ent_world_destroy(loaded);
    saved_drop(l.world, &first);
    ent_world_destroy(l.world);
    free(entities);
    for (u32 i = 0; i < 2; i++) built_close(&built[i]);
}

static void random_world_saved_and_loaded_is_equal(void** state) {
    const u64 seed = test_seed("snapshot", 20261121);
    const u32 runs = SANITIZED ? 60 : 200;
    UNUSED(state);
    for (u32 i = 0; i < runs; i++) one_life(seed + i);
}

/* --- a save is a valid level --- */

/* Every entity has a transform, and nothing happened: the compiler and the world write the same. */
static void unchanged_level_saved_equals_the_compiled_blob(void** state) {
    Random            r = {7};
    const BlobOptions options = all_options();
    UNUSED(state);
    for (u32 n = 0; n < 200; n = n * 2 + 1) {
        u32   parent[200], owner[200];
        Built built;
        u32   open[200], depth = 0; /* depth first, as the compiler numbers them */
        built_open(&built, &r, n, 3, 30, true);
        for (u32 e = 0; e < n; e++) {
            depth = random_below(&r, depth + 1);
            parent[e] = depth ? open[depth - 1] : NONE;
            open[depth++] = e;
            owner[e] = e;
        }
        TransformRecord* pose = calloc(n + 1, sizeof *pose);
        for (u32 e = 0; e < n; e++) pose[e] = tame_pose(&r);
        for (u32 t = 0; t < ALL_TYPES; t++) {
            if (strcmp(built.part[t].type->record.name, "transform") != 0) continue;
            built.part[t] = (LevelPart){built.part[t].type, n, owner, pose};
        }
        /* A table of references that contains exactly what is used indicates a save. */
        const Level level = {RESOURCE_LEVEL, n, parent, ALL_TYPES, built.part, true, n > 0};
        Bytes       bytes = level_bytes(&level, target_native(), &options);
        Blob        blob = blob_valid(bytes, &options);
        World*      w = world_all(NULL);
        Entity      entities[200];
        assert_int_equal(ent_world_spawn(w, &blob, NULL, entities), ENT_OK);
        const SaveSource   source = {&blob, entities};
        Saved              saved = world_save(w, &source, 1);
        const BlobSection* b = saved.blob.section;
        u32                compared = 0;
        for (u32 i = 0; i < saved.blob.header->section_count; i++) {
            if (b[i].kind == SECTION_REFERENCE || b[i].kind == SECTION_REFERENCE_NAME) continue;
            const BlobSection* expected = b[i].kind == SECTION_COMPONENT
                                              ? ent_blob_component(&blob, b[i].identifier)
                                              : ent_blob_section(&blob, b[i].kind);
            if (!expected) continue; /* state */
            assert_int_equal(expected->bytes, b[i].bytes);
            assert_memory_equal(ent_blob_data(&blob, expected), ent_blob_data(&saved.blob, &b[i]),
                                b[i].bytes);
            compared++;
        }
        assert_true(n < 7 || compared > 8);
        saved_drop(w, &saved);
        ent_world_destroy(w);
        bytes_free(&bytes);
        free(pose);
        built_close(&built);
    }
}

/* --- memory --- */

static void save_with_any_failing_allocation_returns_no_memory(void** state) {
    Random            r = {11};
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    Built             built;
    Entity            entities[120];
    UNUSED(state);
    World* w = world_all(&desc);
    built_open(&built, &r, 120, 5, 40, true);
    assert_int_equal(ent_world_spawn(w, &built.blob, NULL, entities), ENT_OK);
    const SaveSource  source = {&built.blob, entities};
    const SaveOptions options = {.name = "saves/test", .sources = &source, .source_count = 1};
    const Saved       before = world_save(w, &source, 1);
    const u32         blocks = counting.live_blocks, allocations = counting.allocations;
    Saved             complete = world_save(w, &source, 1);
    const u32         needed = counting.allocations - allocations;
    assert_int_equal(needed, 2);
    saved_drop(w, &complete);
    for (u32 k = 1; k <= needed; k++) {
        for (int after = 0; after < 2; after++) {
            void*  bytes = NULL;
            size_t size = 0;
            counting.fail_at = counting.allocations + k;
            counting.fail_after = after;
            assert_int_equal(ent_world_save(w, &options, &bytes, &size), ENT_NO_MEMORY);
            counting.fail_at = 0;
            assert_null(bytes);
            assert_int_equal(counting.live_blocks, blocks);
            Saved same = world_save(w, &source, 1);
            assert_same_bytes(&before, &same);
            saved_drop(w, &same);
        }
    }
    ent_world_save_free(w, before.at, before.size);
    ent_world_destroy(w);
    assert_int_equal(counting.live_blocks, 0);
    built_close(&built);
}

/* --- edge cases --- */

static void world_without_components_is_saved_and_loaded(void** state) {
    World* w = world_all(NULL);
    Entity crowd[5];
    UNUSED(state);
    Saved none = world_save(w, NULL, 0);
    assert_int_equal(none.blob.header->element_count, 0);
    assert_int_equal(none.size, sizeof(BlobHeader));
    assert_int_equal(ent_entity_create(w, crowd, 5), ENT_OK);
    assert_int_equal(ent_entity_destroy(w, crowd + 1, 2), 2);
    Saved three = world_save(w, NULL, 0);
    assert_int_equal(three.blob.header->element_count, 3);
    assert_int_equal(three.blob.header->section_count, 1);
    World* other = world_all(NULL);
    assert_int_equal(ent_world_spawn(other, &none.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(other, &three.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(other), 3);
    Saved again = world_save(other, NULL, 0);
    assert_same_bytes(&three, &again);
    saved_drop(w, &none);
    saved_drop(w, &three);
    saved_drop(other, &again);
    ent_world_destroy(other);
    ent_world_destroy(w);
}

static char log_text[256];

static void log_write(void* user, LogLevel level, const char* text) {
    UNUSED(user);
    if (level == LOG_ERROR) snprintf(log_text, sizeof log_text, "%s", text);
}

static void assert_refused(World* w, ent_status wanted, const char* text) {
    const SaveOptions options = {.name = "saves/test"};
    void*             bytes = NULL;
    size_t            size = 0;
    log_text[0] = 0;
    assert_int_equal(ent_world_save(w, &options, &bytes, &size), wanted);
    assert_null(bytes);
    if (!strstr(log_text, text)) fail_msg("\"%s\" has no \"%s\"", log_text, text);
}

static void world_with_invalid_values_is_refused_by_save(void** state) {
    const WorldDesc desc = {.log = {log_write, NULL}};
    World*          w = world_all(&desc);
    Manager*        probes = ent_world_manager_by_name(w, "probe");
    Entity          e;
    u32             row;
    UNUSED(state);
    assert_int_equal(ent_entity_create(w, &e, 1), ENT_OK);
    assert_int_equal(ent_manager_create(w, probes, e, &row), ENT_OK);
    ProbeRecord* probe = ent_manager_get(probes, row, 0);
    Vec2*        speed = ent_manager_get(probes, row, 1);
    probe->health = NAN;
    assert_refused(w, ENT_BAD_FIELD, "probe[0].health is not finite");
    probe->health = 5;
    *speed = (Vec2){INFINITY, 0};
    assert_refused(w, ENT_BAD_FIELD, "probe_state[0].speed is not finite");
    *speed = (Vec2){1, 2};
    probe->model = test_reference(0);
    assert_refused(w, ENT_UNKNOWN_RESOURCE, "probe.model refers to the mesh 0x");
    probe->model = (ResourceRef){0, 0};
    Saved saved = world_save(w, NULL, 0);
    saved_drop(w, &saved);
    ent_world_destroy(w);
}

/* An entity without a transform keeps the parent of its source blob, unless the transforms
 * determine another; two sources that contradict each other create no cycle. */
static void saved_entity_without_transform_keeps_parent_of_source(void** state) {
    const u32   down[] = {NONE, 0, 1, 1}, up[] = {NONE, 0};
    const Level one = {RESOURCE_LEVEL, 4, down, 0, NULL, false, true};
    const Level two = {RESOURCE_LEVEL, 2, up, 0, NULL, false, false};
    Bytes       bytes = level_bytes(&one, target_native(), NULL);
    Bytes       other_bytes = level_bytes(&two, target_native(), NULL);
    const Blob  blob = blob_valid(bytes, NULL), other = blob_valid(other_bytes, NULL);
    World*      w = world_all(NULL);
    Entity      e[4];
    UNUSED(state);
    assert_int_equal(ent_world_spawn(w, &blob, NULL, e), ENT_OK);
    const Entity     turned[] = {e[1], e[0]};
    const SaveSource sources[] = {{&other, turned}, {&blob, e}};
    Saved            saved = world_save(w, sources + 1, 1);
    assert_int_equal(saved.size, bytes.size);
    assert_memory_equal((u8*)saved.at + sizeof(BlobHeader), bytes.at + sizeof(BlobHeader),
                        bytes.size - sizeof(BlobHeader));
    saved_drop(w, &saved);
    saved = world_save(w, sources, 2);
    const u32* parent = ent_blob_data(&saved.blob, ent_blob_section(&saved.blob, SECTION_PARENT));
    assert_int_equal(saved.blob.header->element_count, 4);
    for (u32 i = 0; i < COUNT_OF(down); i++) {
        assert_int_equal(parent[i], down[i]); /* the first source that is read determines it */
        assert_string_equal(ent_blob_name(&saved.blob, i), ent_blob_name(&blob, i));
    }
    saved_drop(w, &saved);
    assert_int_equal(ent_entity_destroy(w, &e[1], 1), 1);
    saved = world_save(w, sources + 1, 1);
    parent = ent_blob_data(&saved.blob, ent_blob_section(&saved.blob, SECTION_PARENT));
    for (u32 i = 0; i < 3; i++) assert_int_equal(parent[i], NONE);
    assert_string_equal(ent_blob_name(&saved.blob, 1), "e2");
    saved_drop(w, &saved);
    ent_world_destroy(w);
    bytes_free(&bytes);
    bytes_free(&other_bytes);
}

/* --- state --- */

static void saved_state_without_its_manager_is_skipped_or_refused(void** state) {
    const SpawnOptions strict = {.strict = 1};
    const WorldDesc    desc = {.log = {log_write, NULL}};
    World *            w = world_all(NULL), *other = world_bare(&desc);
    Manager*           probes = ent_world_manager_by_name(w, "probe");
    Entity             e[2];
    u32                row;
    UNUSED(state);
    assert_int_equal(ent_entity_create(w, e, 2), ENT_OK);
    assert_int_equal(ent_manager_create(w, probes, e[1], &row), ENT_OK);
    Saved saved = world_save(w, NULL, 0);
    assert_non_null(ent_blob_component(&saved.blob, hash_name(text_of("probe_state"))));
    assert_int_equal(ent_world_spawn(other, &saved.blob, &strict, NULL), ENT_UNKNOWN_COMPONENT);
    assert_int_equal(ent_world_spawn(other, &saved.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(other), 2);

    /* State of instances that do not exist is ignored. */
    u8* damaged = memory_alloc(saved.size);
    memcpy(damaged, saved.at, saved.size);
    const BlobSection* s = ent_blob_component(&saved.blob, hash_name(text_of("probe_state")));
    assert_int_equal(damaged[s->offset + (HOST_IS_LITTLE ? 0 : 3)], 0);
    damaged[s->offset + (HOST_IS_LITTLE ? 0 : 3)] = 1;
    hash_fix(damaged, saved.size);
    const BlobOptions options = all_options();
    const Blob        blob = blob_valid((Bytes){damaged, saved.size}, &options);
    assert_int_equal(ent_world_spawn(w, &blob, NULL, NULL), ENT_BAD_FIELD);
    assert_int_equal(ent_entity_count(w), 2);
    memory_free(damaged);
    saved_drop(w, &saved);
    ent_world_destroy(other);
    ent_world_destroy(w);
}

/* --- with entc --- */

static World* world_of_town(const char* folder, Resource* level) {
    char     path[1200];
    Resource health;
    World*   w = world_bare(NULL);
    snprintf(path, sizeof path, "%s/out/gameplay/health.component", folder);
    assert_int_equal(ent_resource_open(&health, path, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_declare(w, &health.blob), ENT_OK);
    ent_resource_close(&health);
    snprintf(path, sizeof path, "%s/out/levels/town.level", folder);
    assert_int_equal(ent_resource_open(level, path, NULL, NULL), ENT_OK);
    return w;
}

/* A game without the sources of the level; the save replaces the blob of the level. */
static void save_read_by_entc_verifies_dumps_and_diffs(void** state) {
    char*    folder = strdup(test_folder("snapshot"));
    Resource level;
    void*    bytes;
    size_t   size;
    UNUSED(state);
    TEST_DONE(".", "entc build assets -o '%s/out'", folder);
    World*            w = world_of_town(folder, &level);
    Entity*           e = malloc(sizeof(Entity) * level.blob.header->element_count);
    const SaveSource  source = {&level.blob, e};
    const SaveOptions options = {.name = "levels/town", .sources = &source, .source_count = 1};
    assert_int_equal(ent_world_spawn(w, &level.blob, NULL, e), ENT_OK);
    assert_int_equal(ent_world_save(w, &options, &bytes, &size), ENT_OK);
    TEST_DONE(folder, "cp out/levels/town.level town.level");
    test_write(folder, "out/levels/town.level", bytes, size);
    TEST_DONE(folder, "entc verify out/levels/town.level");
    EXPECT(folder, 0, "", "entc diff town.level out/levels/town.level");
    ent_world_save_free(w, bytes, size);

    LightRows lights = ent_light_rows(w);
    lights.record[0].range_m += 1;
    assert_int_equal(ent_entity_destroy(w, &e[level.blob.header->element_count - 1], 1), 1);
    assert_int_equal(ent_world_save(w, &options, &bytes, &size), ENT_OK);
    test_write(folder, "out/levels/town.level", bytes, size);
    TEST_DONE(folder, "entc verify out/levels/town.level");
    EXPECT(folder, 1, "range_m", "entc diff town.level out/levels/town.level");
    EXPECT(folder, 0, "health", "entc dump out/levels/town.level");
    EXPECT(folder, 0, "level", "entc info out/levels/town.level");
    ent_world_save_free(w, bytes, size);
    ent_world_destroy(w);
    ent_resource_close(&level);
    free(e);
    free(folder);
}

/* entc reads the fields of state from the declarations in the save. */
static void dump_and_diff_of_saved_state_name_its_component(void** state) {
    const u32   parent[] = {NONE, 0, NONE};
    const Level level = {RESOURCE_LEVEL, 3, parent, 0, NULL, false, true};
    char*       folder = strdup(test_folder("snapshot_state"));
    Bytes       bytes = level_bytes(&level, target_native(), NULL);
    const Blob  blob = blob_valid(bytes, NULL);
    World*      w = world_all(NULL);
    Manager*    orbits = ent_world_manager_by_name(w, "orbit");
    Entity      e[3];
    u32         row;
    UNUSED(state);
    assert_int_equal(ent_world_spawn(w, &blob, NULL, e), ENT_OK);
    const SaveSource source = {&blob, e};
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(ent_manager_create(w, orbits, e[i % 3], &row), ENT_OK);
        *(u32*)ent_manager_get(orbits, row, extra_column(orbits, 0)) = 0xab00 + i;
    }
    Saved saved = world_save(w, &source, 1);
    test_write(folder, "a.level", saved.at, saved.size);
    saved_drop(w, &saved);
    row = ent_manager_row(orbits, ent_world_entities(w), e[1]);
    *(u32*)ent_manager_get(orbits, row, extra_column(orbits, 0)) = 7;
    saved = world_save(w, &source, 1);
    test_write(folder, "b.level", saved.at, saved.size);
    saved_drop(w, &saved);

    const char* differs = "~ e0/e1: orbit_state[0].turns: 43777 -> 7\n";
    EXPECT(folder, 0, "  orbit_state[0]\n    turns: 43776\n  orbit_state[1]\n    turns: 43779\n",
           "entc dump a.level");
    EXPECT(folder, 0, "ok", "entc verify a.level b.level");
    EXPECT(folder, 1, differs, "entc diff a.level b.level");
    EXPECT(folder, 0, "", "entc diff a.level a.level");
    ent_world_destroy(w);
    bytes_free(&bytes);
    free(folder);
}

/* --- size --- */

static void world_of_100000_entities_is_saved_and_loaded(void** state) {
    Random r = {5};
    Built  built;
    Life   l = {.r = &r, .world = world_all(NULL)};
    UNUSED(state);
    built_open(&built, &r, 100000, 50, 10, true);
    Entity* entities = malloc(sizeof(Entity) * built.count);
    assert_int_equal(ent_world_spawn(l.world, &built.blob, NULL, entities), ENT_OK);
    for (u32 i = 0; i < built.count; i += 3) {
        assert_int_equal(ent_entity_destroy(l.world, &entities[i], 1), 1);
    }
    const SaveSource source = {&built.blob, entities};
    Saved            first = world_save(l.world, &source, 1);
    World*           loaded = world_all(NULL);
    assert_int_equal(ent_world_spawn(loaded, &first.blob, NULL, entities), ENT_OK);
    const SaveSource again = {&first.blob, entities};
    Saved            second = world_save(loaded, &again, 1);
    assert_same_bytes(&first, &second);
    saved_drop(loaded, &second);
    saved_drop(l.world, &first);
    ent_world_destroy(loaded);
    ent_world_destroy(l.world);
    free(entities);
    built_close(&built);
}

TEST_SUITE(snapshot) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_world_saved_and_loaded_is_equal),
        cmocka_unit_test(unchanged_level_saved_equals_the_compiled_blob),
        cmocka_unit_test(save_with_any_failing_allocation_returns_no_memory),
        cmocka_unit_test(world_without_components_is_saved_and_loaded),
        cmocka_unit_test(world_with_invalid_values_is_refused_by_save),
        cmocka_unit_test(saved_entity_without_transform_keeps_parent_of_source),
        cmocka_unit_test(saved_state_without_its_manager_is_skipped_or_refused),
        cmocka_unit_test(save_read_by_entc_verifies_dumps_and_diffs),
        cmocka_unit_test(dump_and_diff_of_saved_state_name_its_component),
        cmocka_unit_test(world_of_100000_entities_is_saved_and_loaded),
    };
    return TEST_RUN("snapshot", tests);
}
