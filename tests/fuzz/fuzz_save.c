/* make fuzz target=save seconds=60
 *
 * An arbitrary save, and the world of a host whose managers store state in it. What the validator
 * accepts is loaded or refused, at once and over frames; a loaded world can be used and saved, and
 * its save can be loaded and saved again with the same bytes. */
#include <stdlib.h>

#include "blob_write_internal.h"
#include "ent.h"
#include "fuzz.h"
#include "hash.h"
#include "sections.h"

#define ENTITIES_MAX 20000

/* --- the types of the host: structure of arrays and array of structures, single and multiple, both
 * lookups --- */

#define ORBIT_FIELDS(F, R)                                                                         \
    F(R, Vec3, axis, V3(0, 1, 0), LOW, HIGH, "", PLAIN, "")                                        \
    F(R, EntityRef, around, NO_ENTITY, 0, ALL, "", PLAIN, "")
#define ORBIT_STATE_FIELDS(F, R)                                                                   \
    F(R, u32, turns, V1(0), 0, 1000, "", PLAIN, "")                                                \
    F(R, EntityRef, prey, NO_ENTITY, 0, ALL, "", PLAIN, "")
#define LABEL_FIELDS(F, R) F(R, u32, colour, V1(0), 0, ALL, "", PLAIN, "")
#define LABEL_STATE_FIELDS(F, R)                                                                   \
    F(R, PersistentRef, owner, NO_PERSISTENT, 0, ID31, "", PLAIN, "")                              \
    F(R, ResourceRef, shape, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MESH), "")                  \
    F(R, Vec2, speed, V2(0, 0), LOW, HIGH, "", PLAIN, "")
RECORD(Orbit, ORBIT_FIELDS)
RECORD(OrbitState, ORBIT_STATE_FIELDS)
RECORD(Label, LABEL_FIELDS)
RECORD(LabelState, LABEL_STATE_FIELDS)
static const Field      orbit_fields[] = {ORBIT_FIELDS(FIELD_ROW, Orbit)};
static const Field      orbit_state_fields[] = {ORBIT_STATE_FIELDS(FIELD_ROW, OrbitState)};
static const Field      label_fields[] = {LABEL_FIELDS(FIELD_ROW, Label)};
static const Field      label_state_fields[] = {LABEL_STATE_FIELDS(FIELD_ROW, LabelState)};
static const RecordType orbit_state = {"orbit_state", orbit_state_fields, 2, sizeof(OrbitState)};
static const RecordType label_state = {"label_state", label_state_fields, 3, sizeof(LabelState)};

static const ManagerDesc orbits = {.type = {.record = {"orbit", orbit_fields, 2, sizeof(Orbit)},
                                            .order = 5000,
                                            .several = SINGLE,
                                            .columns = BY_FIELD,
                                            .lookup = DIRECT},
                                   .extra_bytes = {4, 4, 8}, /* the last one is not saved */
                                   .state = &orbit_state};
static const ManagerDesc labels = {.type = {.record = {"label", label_fields, 1, sizeof(Label)},
                                            .order = 250,
                                            .several = SEVERAL,
                                            .columns = BY_RECORD,
                                            .lookup = HASHED},
                                   .extra_bytes = {4, 8, 8},
                                   .state = &label_state,
                                   .lazy = 1};

static World* world_open(void) {
    World* w;
    if (ent_world_create(&w, NULL) != ENT_OK || ent_world_register(w, &orbits) != ENT_OK ||
        ent_world_register(w, &labels) != ENT_OK) {
        abort();
    }
    return w;
}

/* --- the first inputs --- */

static void* row_add(World* w, const char* name, Entity entity, u32 column) {
    Manager* m = ent_world_manager_by_name(w, name);
    u32      row;
    if (ent_manager_create(w, m, entity, &row) != ENT_OK) abort();
    return ent_manager_get(m, row, column);
}

static void seed_make(u32 count, const char* name) {
    const SaveOptions options = {.name = "saves/quick"};
    Entity            e[64];
    void*             bytes;
    size_t            size;
    World*            w = world_open();
    if (count && ent_entity_create(w, e, count) != ENT_OK) abort();
    for (u32 i = 0; i < count; i++) {
        if (i % 3) (void)row_add(w, "transform", e[i], 0);
        if (i % 3 == 2 && ent_transform_attach(w, e[i], e[i - 1], 0) != ENT_OK) abort();
        if (i % 4 == 0) *(Entity*)row_add(w, "orbit", e[i], 2 + 1) = e[count - 1 - i];
        for (u32 k = 0; k < i % 3; k++) *(u32*)row_add(w, "label", e[i], 1) = i + 1;
        if (ent_persistent_set(w, e[i], i * 7 + 1) != ENT_OK) abort();
    }
    if (ent_world_save(w, &options, &bytes, &size) != ENT_OK) abort();
    fuzz_seed(name, bytes, size);
    ent_world_save_free(w, bytes, size);
    ent_world_destroy(w);
}

void fuzz_save_seeds(void) {
    seed_make(0, "empty");
    seed_make(1, "one");
    seed_make(5, "few");
    seed_make(40, "many");
}

void fuzz_save_repair(u8* data, size_t size) {
    if (size < sizeof(BlobHeader)) return;
    const ResourceRef hash = resource_ref(blob_hash(data, size));
    memcpy(data + offsetof(BlobHeader, hash), &hash, sizeof hash);
}

/* --- the actions of a host --- */

static void world_live(World* w, Entity* entities, u32 count) {
    if (ent_transform_depth(w) > count) abort();
    ent_transform_update_all(w);
    for (u32 i = 0; i < count; i++) {
        const PersistentRef id = ent_persistent_of(w, entities[i]);
        if (id && ent_persistent_find(w, id) == ENTITY_NULL) abort();
    }
    Manager* m = ent_world_manager_by_name(w, "orbit");
    for (u32 row = 0; row < m->count; row++) {
        const Entity prey = *(Entity*)ent_manager_get(m, row, 2 + 1);
        if (prey != ENTITY_NULL && !ent_entity_alive(ent_world_entities(w), prey)) abort();
    }
    for (u32 i = 0; i < count; i += 2) (void)ent_entity_destroy(w, &entities[i], 1);
    (void)ent_world_gc(w);
}

/* Saved, loaded and saved again: the same bytes. */
static void save_again(World* w, const Blob* blob, const Entity* entities, bool first) {
    const SaveSource  source = {blob, entities};
    const SaveOptions options = {.name = "saves/quick", .sources = &source, .source_count = 1};
    BlobFault         fault;
    Blob              saved;
    void*             bytes;
    size_t            size;
    if (ent_world_save(w, &options, &bytes, &size) != ENT_OK) {
        if (first)
            return; /* the blob contains an unnamed reference, or a field that is not finite */
        abort();
    }
    if (ent_blob_open(&saved, bytes, size, NULL, &fault) != ENT_OK) abort();
    if (first) {
        World*  again = world_open();
        Entity* spawned = calloc(saved.header->element_count + 1u, sizeof *spawned);
        if (ent_world_spawn(again, &saved, NULL, spawned) != ENT_OK) abort();
        save_again(again, &saved, spawned, false);
        ent_world_destroy(again);
        free(spawned);
    } else if (size != blob->size || memcmp(bytes, blob->bytes, size) != 0) {
        abort();
    }
    ent_world_save_free(w, bytes, size);
}

static void load_at_once(const Blob* blob, u32 seed) {
    const u32          count = blob->header->element_count;
    const SpawnOptions options = {.seed = seed};
    Entity*            entities = calloc(count + 1u, sizeof *entities);
    World*             w = world_open();
    if (ent_world_spawn(w, blob, &options, entities) == ENT_OK) {
        save_again(w, blob, entities, true);
        if (ent_world_spawn(w, blob, NULL, NULL) != ENT_OK) abort(); /* a second time */
        world_live(w, entities, count);
    }
    ent_world_destroy(w);
    free(entities);
}

static void load_over_frames(const Blob* blob) {
    const u32 count = blob->header->element_count;
    Entity*   entities = calloc(count + 1u, sizeof *entities);
    World*    w = world_open();
    SpawnJob* job;
    int       done = 0;
    if (ent_spawn_begin(&job, w, blob, NULL, entities) == ENT_OK) {
        while (!done) {
            if (ent_spawn_step(job, 0, &done) != ENT_OK) abort();
            if (count && !done) (void)ent_entity_destroy(w, &entities[count / 2], 1);
        }
        ent_spawn_end(job);
        world_live(w, entities, count);
    }
    ent_world_destroy(w);
    free(entities);
}

void fuzz_save(const u8* data, size_t size) {
    const BlobOptions trusting = {.skip_hash = 1};
    Blob              blob;
    void*             bytes = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(bytes, data, size);
    if (ent_blob_open(&blob, bytes, size, &trusting, NULL) == ENT_OK &&
        (blob.header->resource_type == RESOURCE_ENTITY ||
         blob.header->resource_type == RESOURCE_LEVEL) &&
        blob.header->element_count <= ENTITIES_MAX) {
        load_at_once(&blob, 0);
        load_at_once(&blob, 0x5eed1234);
        load_over_frames(&blob);
    }
    free(bytes);
}

FUZZ_TARGET(save)
