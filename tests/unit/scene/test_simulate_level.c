/* test_simulate_level.c - the levels of a game are edited while they run, and its worlds saved.
 *
 * Which entities of two blobs are the same is taken from the patch (test_patch.c tests that); the
 * effects on the world are computed here from the two sources alone. */
#include "test_simulate.h"

#include <stdlib.h>

#include "patch.h"
#include "snapshot.h"

/* A failure, if there is one, affects any of the next allocations. */
static void failure_spread(Sim* sim, u32 allocations) {
    if (sim->counting.fail_at) sim->counting.fail_at += random_below(&sim->r, allocations);
}

static HostAllocator sim_allocator(Sim* sim) { return counting_allocator(&sim->counting); }

/* --- reloading: the sources --- */

typedef struct Reload {
    Sim*          sim;
    Mirror*       mirror;
    const Source *a, *b;
    const Patch*  patch;
    const Entity* before;          /* [a->count] the previous entities, destroyed or alive */
    Entity        now[NODES_MAX];  /* [b->count] the current ones; ENTITY_NULL: not alive */
    bool          came[NODES_MAX]; /* [b->count] their transforms */
    Entity        parent;          /* of the level */
    PatchResult   reported;        /* everything except what was skipped */
} Reload;

/* References of a node's record become the entities of the nodes by `meaning`, or `otherwise`. */
static void record_resolve(const Source* s, u32 t, const u8* record, const u32* meaning,
                           u32 otherwise, u8* out) {
    const RecordType* type = &type_of(t)->record;
    memcpy(out, record, type->bytes);
    for (u32 f = 0; f < type->field_count; f++) {
        u8* const at = out + type->fields[f].offset;
        u32       id;
        if (type->fields[f].kind != FIELD_EntityRef) continue;
        memcpy(&id, at, 4);
        const u32 index = id == NONE ? NONE : node_by_id(s, id);
        memcpy(at, index == NONE ? &otherwise : &meaning[index], 4);
    }
}

/* The nearest ancestor with a transform, according to a source. */
static u32 parent_in_source(const Source* s, const Mirror* mirror, u32 i) {
    u32 above = s->node[i].parent;
    while (above != NONE && !s->node[above].count[mirror->transform]) above = s->node[above].parent;
    return above;
}

static MirrorEntity* reload_find(const Reload* r, Entity entity) {
    return entity == ENTITY_NULL ? NULL : mirror_find(r->mirror, entity);
}

static MirrorEntity* reload_transform(const Reload* r, Entity entity) {
    MirrorEntity* e = reload_find(r, entity);
    return e && e->count[r->mirror->transform] ? e : NULL;
}

/* --- reloading: the effects on the world --- */

/* `next` lists the entities that stayed, destroyed or alive, and the new ones: those below an
 * entity that is alive. */
static void reload_entities(Reload* r, const Entity* next) {
    for (u32 i = 0; i < r->b->count; i++) {
        const u32 other = r->patch->old_of_new[i], parent = r->b->node[i].parent;
        if (other != NONE) {
            assert_int_equal(next[i], r->before[other]);
            r->now[i] = reload_find(r, next[i]) ? next[i] : ENTITY_NULL;
            continue;
        }
        const bool comes = parent == NONE || r->now[parent] != ENTITY_NULL;
        assert_int_equal(next[i] != ENTITY_NULL, comes);
        r->now[i] = next[i];
        if (!comes) continue;
        sim_add(r->sim, next[i]);
        r->reported.entities_added++;
    }
}

static void instance_drop(const Reload* r, MirrorEntity* e, u32 t, u32 k) {
    e->count[t]--;
    memmove(e->record[t][k], e->record[t][k + 1], (size_t)(e->count[t] - k) * RECORD_MAX);
    if (t != r->mirror->transform) return;
    mirror_orphan(r->mirror, e);
    mirror_set_parent(r->mirror, e, ENTITY_NULL);
}

static void reload_remove(Reload* r) {
    for (u32 i = 0; i < r->b->count; i++) {
        const u32     other = r->patch->old_of_new[i];
        MirrorEntity* e = other == NONE ? NULL : reload_find(r, r->now[i]);
        for (u32 t = 0; e && t < ALL_TYPES; t++) {
            for (u32 k = r->a->node[other].count[t]; k-- > r->b->node[i].count[t];) {
                if (k >= e->count[t]) continue;
                instance_drop(r, e, t, k);
                r->reported.instances_removed++;
            }
        }
    }
}

static void reload_destroy(Reload* r) {
    for (u32 i = 0; i < r->a->count; i++) {
        if (r->patch->new_of_old[i] != NONE || !reload_find(r, r->before[i])) continue;
        for (u32 k = 0; k < r->sim->world_count; k++) {
            mirror_destroy(&r->sim->mirror[k], r->before[i]);
        }
        r->reported.entities_removed++;
    }
}

/* Fields on which the sources differ. */
static void record_edit(Reload* r, u32 t, const u8* a, const u8* b, u8* record) {
    const RecordType* type = &type_of(t)->record;
    u32               same[NODES_MAX];
    u8                older[RECORD_MAX], newer[RECORD_MAX], value[RECORD_MAX];
    for (u32 i = 0; i < NODES_MAX; i++) same[i] = i;
    record_resolve(r->a, t, a, r->patch->new_of_old, NODES_MAX, older);
    record_resolve(r->b, t, b, same, NODES_MAX, newer);
    record_resolve(r->b, t, b, r->now, ENTITY_NULL, value);
    for (u32 f = 0; f < type->field_count; f++) {
        const Field* field = &type->fields[f];
        if (memcmp(older + field->offset, newer + field->offset, field->bytes) == 0) continue;
        memcpy(record + field->offset, value + field->offset, field->bytes);
        r->reported.fields_written++;
    }
}

static void reload_fields(Reload* r) {
    for (u32 i = 0; i < r->b->count; i++) {
        const u32     other = r->patch->old_of_new[i];
        MirrorEntity* e = other == NONE ? NULL : reload_find(r, r->now[i]);
        for (u32 t = 0; e && t < ALL_TYPES; t++) {
            const Node *a = &r->a->node[other], *b = &r->b->node[i];
            for (u32 k = 0; k < a->count[t] && k < b->count[t] && k < e->count[t]; k++) {
                record_edit(r, t, a->record[t][k], b->record[t][k], e->record[t][k]);
            }
        }
    }
}

/* The parent of a new transform is the nearest ancestor that got one with it, or that of the level,
 * until reload_hang. */
static void reload_parent_new(Reload* r, u32 i, MirrorEntity* e) {
    u32 above = r->b->node[i].parent;
    while (above != NONE && !r->came[above]) above = r->b->node[above].parent;
    const MirrorEntity* to = reload_transform(r, above == NONE ? r->parent : r->now[above]);
    mirror_set_parent(r->mirror, e, to ? to->id : ENTITY_NULL);
    r->came[i] = true;
}

static void reload_add(Reload* r) {
    for (u32 i = 0; i < r->b->count; i++) {
        const u32     other = r->patch->old_of_new[i];
        const Node*   node = &r->b->node[i];
        MirrorEntity* e = reload_find(r, r->now[i]);
        for (u32 t = 0; e && t < ALL_TYPES; t++) {
            for (u32 k = other == NONE ? 0 : r->a->node[other].count[t]; k < node->count[t]; k++) {
                if (type_of(t)->several == SINGLE && e->count[t]) continue;
                assert_true(e->count[t] < MIRROR_SEVERAL);
                record_resolve(r->b, t, node->record[t][k], r->now, ENTITY_NULL,
                               e->record[t][e->count[t]++]);
                if (t == r->mirror->transform) reload_parent_new(r, i, e);
                r->reported.instances_added += other != NONE;
            }
        }
    }
}

/* Does the new source change the parent of node `i`? */
static bool parent_changed(const Reload* r, u32 i) {
    const u32 t = r->mirror->transform, other = r->patch->old_of_new[i];
    const u32 above = parent_in_source(r->b, r->mirror, i);
    if (!r->b->node[i].count[t]) return false;
    if (other == NONE || !r->a->node[other].count[t]) return above != NONE;
    const u32 before = parent_in_source(r->a, r->mirror, other);
    if (before == NONE) return above != NONE;
    return r->patch->new_of_old[before] == NONE || r->patch->new_of_old[before] != above;
}

/* Only then it gets the parent of the source, unless the game would make that cyclic. */
static void reload_parents(Reload* r) {
    for (u32 i = 0; i < r->b->count; i++) {
        const u32     above = parent_in_source(r->b, r->mirror, i);
        MirrorEntity* e = reload_transform(r, r->now[i]);
        if (!e || !parent_changed(r, i)) continue;
        const MirrorEntity* to = reload_transform(r, above == NONE ? r->parent : r->now[above]);
        if (e->parent == (to ? to->id : ENTITY_NULL)) continue;
        if (to && mirror_below(r->mirror, to, e->id)) continue;
        mirror_set_parent(r->mirror, e, to ? to->id : ENTITY_NULL);
        r->reported.transforms_attached++;
    }
}

static void reload_follow(Reload* r, const Entity* next, PatchResult result) {
    reload_entities(r, next);
    reload_remove(r);
    reload_destroy(r);
    reload_fields(r);
    reload_add(r);
    reload_parents(r);
    r->reported.passed_over = result.passed_over;
    assert_memory_equal(&r->reported, &result, sizeof result);
    for (u32 i = 0; i < r->sim->world_count; i++) {
        sim_moved(r->sim, &r->sim->mirror[i]);
        sim_extras_mark(&r->sim->mirror[i]);
    }
}

/* --- levels --- */

static void level_close(SimLevel* level) {
    if (!level->source) return;
    free(level->source);
    scene_close(&level->scene);
    *level = (SimLevel){0};
}

static void level_spawn(Sim* sim, SimLevel* level) {
    SpawnOptions    options;
    TransformRecord root;
    *level = (SimLevel){.source = malloc(sizeof(Source)), .mirror = sim_any_mirror(sim)};
    source_random(&sim->r, level->source, 1 + random_below(&sim->r, 40));
    source_scene(&level->scene, level->source, RESOURCE_LEVEL, true);
    sim_options_choose(sim, level->mirror, &options, &root);
    options.root = NULL;
    options.which = random_below(&sim->r, level->source->count);
    if (random_below(&sim->r, 4) == 0) options.part = SPAWN_SUBTREE;
    level->parent = options.parent;
    if (level->mirror->count > 2 * LIVING_MAX ||
        !sim_spawn_once(sim, level->mirror, &level->scene, &options, level->entities)) {
        level_close(level);
    }
}

/* The world is updated from one blob to the other, or nothing happens. */
static ent_status level_patch(Sim* sim, SimLevel* level, const Source* source, const Scene* scene) {
    const HostAllocator host = sim_allocator(sim);
    const SpawnOptions  options = {.parent = level->parent};
    World*              world = level->mirror->world;
    Entity              next[NODES_MAX];
    Patch*              patch;
    PatchResult         result;
    failure_spread(sim, 6);
    ent_status status = ent_patch_create(&patch, NULL, &level->scene.blob, &scene->blob,
                                         &(PatchOptions){all_types(), ALL_TYPES, &host});
    if (status != ENT_OK) return status;
    status = ent_world_patch(world, patch, &options, level->entities, next, &result);
    if (status == ENT_OK) {
        Reload reload = {.sim = sim,
                         .mirror = level->mirror,
                         .a = level->source,
                         .b = source,
                         .patch = patch,
                         .before = level->entities,
                         .parent = level->parent};
        reload_follow(&reload, next, result);
        memcpy(level->entities, next, sizeof(Entity) * source->count);
    }
    ent_patch_destroy(patch);
    return status;
}

static void level_edit(Sim* sim, SimLevel* level) {
    Source*   source = malloc(sizeof *source);
    Scene     scene;
    const u64 digest = world_digest(level->mirror->world);
    *source = *level->source;
    for (u32 k = random_below(&sim->r, 20); k > 0; k--) source_edit(&sim->r, source);
    source_scene(&scene, source, RESOURCE_LEVEL, true);
    const ent_status status = level_patch(sim, level, source, &scene);
    if (status != ENT_OK) {
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_true(world_digest(level->mirror->world) == digest);
        free(source);
        scene_close(&scene);
        return;
    }
    free(level->source);
    scene_close(&level->scene);
    level->source = source;
    level->scene = scene;
}

Entity sim_any_of_level(Sim* sim, const Mirror* mirror) {
    const SimLevel* level = &sim->level[random_below(&sim->r, LEVELS)];
    if (!level->source || level->mirror != mirror) return ENTITY_NULL;
    return level->entities[random_below(&sim->r, level->source->count)];
}

/* A level is kept for some edits, so that the game has not destroyed most of it. */
void sim_reload(Sim* sim) {
    SimLevel* level = &sim->level[random_below(&sim->r, LEVELS)];
    if (!level->source)
        level_spawn(sim, level);
    else if (random_below(&sim->r, 5) == 0)
        level_close(level);
    else
        level_edit(sim, level);
}

void sim_levels_close(Sim* sim) {
    for (u32 i = 0; i < LEVELS; i++) level_close(&sim->level[i]);
}

/* --- saves --- */

/* Fills sources[SCENES + LEVELS], and returns how many there are. */
static u32 save_sources(const Sim* sim, const Mirror* mirror, SaveSource* sources) {
    u32 count = 0;
    for (u32 i = 0; i < LEVELS; i++) {
        const SimLevel* level = &sim->level[i];
        if (!level->source || level->mirror != mirror) continue;
        sources[count++] = (SaveSource){&level->scene.blob, level->entities};
    }
    for (u32 i = 0; i < SCENES; i++) sources[count++] = (SaveSource){&sim->scene[i].blob, NULL};
    return count;
}

/* The counts of everything equal those of the mirror. */
static void save_check(const World* loaded, const Mirror* mirror) {
    assert_int_equal(ent_entity_count(loaded), mirror->count);
    for (u32 t = 0; t < mirror->type_count; t++) {
        u32 rows = 0;
        for (u32 i = 0; i < mirror->count; i++) rows += mirror->at[i]->count[t];
        assert_int_equal(manager_of((World*)loaded, mirror->type[t])->count, rows);
    }
}

/* A world that is loaded and saved again gives the same bytes. */
static void save_load(const void* bytes, size_t size, const Mirror* mirror) {
    const BlobOptions  known = all_options();
    const SpawnOptions strict = {.strict = 1};
    World*             loaded = world_wide(NULL);
    Blob               blob;
    void*              again;
    size_t             again_size;
    assert_int_equal(ent_blob_open(&blob, bytes, size, &known, NULL), ENT_OK);
    Entity*           entities = calloc(blob.header->element_count + 1, sizeof *entities);
    const SaveSource  source = {&blob, entities};
    const SaveOptions options = {.name = "saves/game", .sources = &source, .source_count = 1};
    assert_int_equal(ent_world_spawn(loaded, &blob, &strict, entities), ENT_OK);
    save_check(loaded, mirror);
    assert_int_equal(ent_world_save(loaded, &options, &again, &again_size), ENT_OK);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    ent_world_save_free(loaded, again, again_size);
    ent_world_destroy(loaded);
    free(entities);
}

void sim_save(Sim* sim) {
    const Mirror*     mirror = sim_any_mirror(sim);
    SaveSource        sources[SCENES + LEVELS];
    const u32         count = save_sources(sim, mirror, sources);
    const SaveOptions options = {.name = "saves/game", .sources = sources, .source_count = count};
    const u64         digest = world_digest(mirror->world);
    const size_t      live_bytes = sim->counting.live_bytes;
    void*             bytes = NULL;
    size_t            size = 0;
    failure_spread(sim, 2);
    const ent_status status = ent_world_save(mirror->world, &options, &bytes, &size);
    assert_true(world_digest(mirror->world) == digest);
    if (status == ENT_OK) {
        save_load(bytes, size, mirror);
        ent_world_save_free(mirror->world, bytes, size);
    } else {
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_null(bytes);
    }
    assert_int_equal(sim->counting.live_bytes, live_bytes);
}
