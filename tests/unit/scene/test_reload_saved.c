/* test_reload_saved.c - a level is reloaded in a world that was loaded from a save: the source of
 * the level, what the game changes and what the author edits are a plain model. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "patch.h"
#include "persistent_manager.h"
#include "resource.h"
#include "rows.h"
#include "snapshot.h"
#include "test_worlds_support.h"
#include "transform_manager.h"

static u32 found_count(const Blob* level, const Entity* entities) {
    u32 count = 0;
    for (u32 i = 0; i < level->header->element_count; i++) count += entities[i] != ENTITY_NULL;
    return count;
}

#define NODES  24
#define EXTRAS 3
#define ROUNDS 12

/* --- the model: entity i has the name "eI", everywhere and always --- */

typedef struct Node {
    bool exists, has_light, has_health;
    u32  parent; /* or NONE */
    u32  x, range, points, armor;
} Node;

typedef struct Model {
    Node node[NODES];
} Model;

static Node node_random(Random* r, const Model* m, u32 index) {
    Node n = {.exists = true, .parent = NONE};
    if (index > 0 && random_below(r, 3)) n.parent = random_below(r, index);
    if (n.parent != NONE && !m->node[n.parent].exists) n.parent = NONE;
    n.has_light = random_below(r, 2) != 0;
    n.has_health = random_below(r, 2) != 0;
    n.x = random_below(r, 100), n.range = 1 + random_below(r, 100);
    n.points = random_below(r, 100), n.armor = random_below(r, 100);
    return n;
}

static bool is_below(const Model* m, u32 node, u32 top) {
    while (node != NONE && node != top) node = m->node[node].parent;
    return node == top;
}

static void subtree_remove(Model* m, u32 top) {
    bool gone[NODES] = {false};
    for (u32 i = 0; i < NODES; i++) gone[i] = m->node[i].exists && is_below(m, i, top);
    for (u32 i = 0; i < NODES; i++) {
        if (gone[i]) m->node[i].exists = false;
    }
}

static void node_write(FILE* out, const Model* m, u32 i) {
    const Node* n = &m->node[i];
    u32         children = 0;
    fprintf(out,
            "{ \"name\": \"e%u\", \"components\": { \"transform\": { \"position\": [%u, 0, 0] }", i,
            n->x);
    if (n->has_light) fprintf(out, ", \"light\": { \"range_m\": %u }", n->range);
    if (n->has_health)
        fprintf(out, ", \"health\": { \"points\": %u, \"armor\": %u }", n->points, n->armor);
    fprintf(out, " }, \"children\": [");
    for (u32 k = 0; k < NODES; k++) {
        if (!m->node[k].exists || m->node[k].parent != i) continue;
        fprintf(out, children++ ? ", " : "");
        node_write(out, m, k);
    }
    fprintf(out, "] }");
}

static void level_build(const char* folder, const Model* m, const char* name, Resource* level) {
    char  path[1200];
    u32   roots = 0;
    FILE* out;
    snprintf(path, sizeof path, "%s/src/a.level.json", folder);
    out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "{ \"entities\": [");
    for (u32 i = 0; i < NODES; i++) {
        if (!m->node[i].exists || m->node[i].parent != NONE) continue;
        fprintf(out, roots++ ? ", " : "");
        node_write(out, m, i);
    }
    fprintf(out, "] }\n");
    assert_int_equal(fclose(out), 0);
    TEST_DONE(folder, "entc build src -o out -q && cp out/a.level %s", name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(ent_resource_open(level, path, NULL, NULL), ENT_OK);
}

/* --- worlds --- */

static char logged[2000];

static void log_append(void* user, LogLevel level, const char* text) {
    UNUSED(user);
    if (level != LOG_INFO)
        snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static World* world_of(const char* folder) {
    const WorldDesc desc = {.log = {log_append, NULL}};
    char            path[1200];
    Resource        health;
    World*          world;
    *logged = 0;
    snprintf(path, sizeof path, "%s/out/health.component", folder);
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    assert_int_equal(ent_resource_open(&health, path, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_declare(world, &health.blob), ENT_OK);
    ent_resource_close(&health);
    return world;
}

static u32 blob_index(const Blob* blob, u32 node) {
    char name[16];
    u32  i = 0;
    snprintf(name, sizeof name, "e%u", node);
    while (i < blob->header->element_count && strcmp(ent_blob_name(blob, i), name) != 0) i++;
    return i < blob->header->element_count ? i : NONE;
}

static u32 row_in(World* w, const char* type, Entity e) {
    return ent_manager_row(ent_world_manager_by_name(w, type), ent_world_entities(w), e);
}

static void values_put(World* w, Entity e, const Node* n) {
    const u32       row = ent_transform_row(w, e);
    TransformRecord local = ent_transform_local(w, row);
    local.position.x = (f32)n->x;
    ent_transform_set_local(w, row, &local);
    if (n->has_light) ent_light_rows(w).record[row_in(w, "light", e)].range_m = (f32)n->range;
    if (!n->has_health) return;
    Manager* m = ent_world_manager_by_name(w, "health");
    *(u32*)ent_manager_get(m, row_in(w, "health", e), 0) = n->points;
    *(u32*)ent_manager_get(m, row_in(w, "health", e), 1) = n->armor;
}

static Node values_get(World* w, Entity e) {
    Node      n = {.exists = ent_entity_alive(ent_world_entities(w), e) != 0};
    const u32 light = row_in(w, "light", e), health = row_in(w, "health", e);
    if (!n.exists) return n;
    Manager* m = ent_world_manager_by_name(w, "health");
    n.x = (u32)ent_transform_local(w, ent_transform_row(w, e)).position.x;
    n.has_light = light != MANAGER_NO_ROW, n.has_health = health != MANAGER_NO_ROW;
    if (n.has_light) n.range = (u32)ent_light_rows(w).record[light].range_m;
    if (n.has_health) n.points = *(u32*)ent_manager_get(m, health, 0);
    if (n.has_health) n.armor = *(u32*)ent_manager_get(m, health, 1);
    return n;
}

/* --- the game, and the author --- */

static void game_play(Random* r, World* w, Model* m, const Entity* at) {
    for (u32 step = 0; step < 20; step++) {
        const u32 i = random_below(r, NODES), k = random_below(r, NODES);
        Node*     n = &m->node[i];
        if (!n->exists) continue;
        if (random_below(r, 8) == 0) {
            assert_int_equal(ent_entity_destroy_subtrees(w, &at[i], 1, NULL), ENT_OK);
            subtree_remove(m, i);
        } else if (random_below(r, 4) == 0 && m->node[k].exists && !is_below(m, k, i)) {
            assert_int_equal(ent_transform_reparent(w, at[i], at[k]), ENT_OK);
            n->parent = k;
        } else {
            n->x = random_below(r, 100), n->range = 1 + random_below(r, 100);
            if (random_below(r, 2)) n->points = random_below(r, 100);
            if (random_below(r, 2)) n->armor = random_below(r, 100);
            values_put(w, at[i], n);
        }
    }
}

static void author_edit(Random* r, Model* m) {
    for (u32 step = 0; step < 8; step++) {
        const u32 i = random_below(r, NODES);
        Node*     n = &m->node[i];
        if (!n->exists)
            *n = node_random(r, m, i);
        else if (random_below(r, 8) == 0)
            subtree_remove(m, i);
        else if (random_below(r, 2))
            n->x = random_below(r, 100), n->armor = random_below(r, 100);
        else
            n->range = 1 + random_below(r, 100), n->points = random_below(r, 100);
    }
}

/* What the world must contain: the edits of the author over the state of the game. */
static Node overlay(const Node* older, const Node* now, const Node* state) {
    Node n = *state;
    n.has_light = now->has_light, n.has_health = now->has_health;
    if (older->x != now->x) n.x = now->x;
    if (older->range != now->range || !older->has_light) n.range = now->range;
    if (older->points != now->points || !older->has_health) n.points = now->points;
    if (older->armor != now->armor || !older->has_health) n.armor = now->armor;
    return n;
}

static Model expected_model(const Model* older, const Model* now, const Model* state) {
    Model m = {0};
    for (u32 i = 0; i < NODES; i++) {
        const Node* n = &now->node[i];
        if (!n->exists) continue;
        if (older->node[i].exists && state->node[i].exists)
            m.node[i] = overlay(&older->node[i], n, &state->node[i]);
        else if (!older->node[i].exists && (n->parent == NONE || m.node[n->parent].exists))
            m.node[i] = *n;
    }
    return m;
}

static void world_expect(World* w, const Blob* blob, const Entity* at, const Model* wanted,
                         u32 extras) {
    u32 alive = extras;
    for (u32 i = 0; i < NODES; i++) {
        const u32   index = blob_index(blob, i);
        const Node* n = &wanted->node[i];
        const Node  is = index == NONE ? (Node){0} : values_get(w, at[index]);
        alive += n->exists;
        if (is.exists != n->exists) fail_msg("e%u: exists %d", i, is.exists);
        if (!n->exists) continue;
        const bool same = is.has_light == n->has_light && is.has_health == n->has_health &&
                          is.x == n->x && (!n->has_light || is.range == n->range) &&
                          (!n->has_health || (is.points == n->points && is.armor == n->armor));
        if (!same)
            fail_msg("e%u: x %u range %u points %u armor %u, not %u %u %u %u", i, is.x, is.range,
                     is.points, is.armor, n->x, n->range, n->points, n->armor);
    }
    assert_int_equal(ent_entity_count(w), alive);
}

/* --- the flow --- */

typedef struct Flow {
    const char* folder;
    Random      r;
    Model       older, state, now;
    Resource    old, fresh;
    void*       save;
    size_t      save_bytes;
} Flow;

static void flow_save(Flow* f) {
    World*  w = world_of(f->folder);
    Entity* spawned = calloc(f->old.blob.header->element_count + 1u, sizeof *spawned);
    Entity  at[NODES] = {0}, extra[EXTRAS];
    u32     row;
    assert_int_equal(ent_world_spawn(w, &f->old.blob, NULL, spawned), ENT_OK);
    for (u32 i = 0; i < NODES; i++) {
        if (f->older.node[i].exists) at[i] = spawned[blob_index(&f->old.blob, i)];
    }
    assert_int_equal(ent_entity_create(w, extra, EXTRAS), ENT_OK);
    assert_int_equal(
        ent_manager_create(w, ent_world_manager_by_name(w, "transform"), extra[0], &row), ENT_OK);
    f->state = f->older;
    game_play(&f->r, w, &f->state, at);
    const SaveSource  source = {&f->old.blob, spawned};
    const SaveOptions options = {.name = "save", .sources = &source, .source_count = 1};
    assert_int_equal(ent_world_save(w, &options, &f->save, &f->save_bytes), ENT_OK);
    void* copy = memory_alloc(f->save_bytes); /* the world's allocator frees its own */
    memcpy(copy, f->save, f->save_bytes);
    ent_world_save_free(w, f->save, f->save_bytes);
    f->save = copy;
    ent_world_destroy(w);
    free(spawned);
}

static void flow_reload(Flow* f) {
    World*      w = world_of(f->folder);
    Blob        save;
    Patch*      patch;
    PatchResult result;
    u32         alive = 0;
    Entity      at[NODES + 1] = {0}, next[NODES + 1] = {0};
    assert_int_equal(ent_blob_open(&save, f->save, f->save_bytes, NULL, NULL), ENT_OK);
    Entity* loaded = calloc(save.header->element_count + 1u, sizeof *loaded);
    assert_int_equal(ent_world_spawn(w, &save, NULL, loaded), ENT_OK);
    for (u32 i = 0; i < NODES; i++) alive += f->state.node[i].exists;
    const ent_status status = ent_saved_entities(w, &save, loaded, &f->old.blob, NULL, at);
    assert_int_equal(status, alive ? ENT_OK : ENT_NOT_FOUND);
    assert_int_equal(found_count(&f->old.blob, at), alive);
    assert_int_equal(ent_patch_create(&patch, w, &f->old.blob, &f->fresh.blob, NULL), ENT_OK);
    assert_int_equal(patch->unknown_count, 0);
    assert_int_equal(ent_world_patch(w, patch, NULL, at, next, &result), ENT_OK);
    const Model wanted = expected_model(&f->older, &f->now, &f->state);
    world_expect(w, &f->fresh.blob, next, &wanted, EXTRAS);
    if (alive) assert_string_equal(logged, "");
    ent_patch_destroy(patch);
    ent_world_destroy(w);
    free(loaded);
}

static void level_reloaded_after_loading_a_save_equals_edits_over_the_saved_state(void** state) {
    Flow f = {.folder = strdup(test_folder("reload_saved")), .r = {test_seed("reload_saved", 1)}};
    UNUSED(state);
    test_write_text(f.folder, "src/health.component.json",
                    "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 0 }, "
                    "\"armor\": { \"type\": \"u32\", \"default\": 0 } } }");
    for (u32 round = 0; round < ROUNDS; round++) {
        f.older = (Model){0};
        for (u32 i = 0; i < NODES - 6; i++) f.older.node[i] = node_random(&f.r, &f.older, i);
        level_build(f.folder, &f.older, "old.level", &f.old);
        f.now = f.older;
        author_edit(&f.r, &f.now);
        flow_save(&f);
        level_build(f.folder, &f.now, "fresh.level", &f.fresh);
        flow_reload(&f);
        ent_resource_close(&f.old);
        ent_resource_close(&f.fresh);
        memory_free(f.save);
    }
    free((char*)f.folder);
}

/* --- what identifies an entity --- */

typedef struct Pair {
    const char* folder;
    Resource    level, save;
    World*      world;
    Entity      spawned[8], loaded[24], at[8];
} Pair;

static void text_build(Pair* p, const char* text, const char* options) {
    char path[1200];
    test_write_text(p->folder, "src/a.level.json", text);
    TEST_DONE(p->folder, "entc build src -o out -q %s", options);
    snprintf(path, sizeof path, "%s/out/a.level", p->folder);
    assert_int_equal(ent_resource_open(&p->level, path, NULL, NULL), ENT_OK);
}

static void pair_open(Pair* p, const char* text, const char* options) {
    *p = (Pair){.folder = strdup(test_folder("reload_ids"))};
    test_write_text(p->folder, "src/health.component.json",
                    "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 0 }, "
                    "\"armor\": { \"type\": \"u32\", \"default\": 0 } } }");
    text_build(p, text, options);
    p->world = world_of(p->folder);
}

/* Saves the world, and loads it in another one. */
static void pair_load(Pair* p, const SaveSource* sources, u32 count) {
    const SaveOptions options = {.name = "save", .sources = sources, .source_count = count};
    char              path[1200];
    void*             bytes;
    size_t            size;
    assert_int_equal(ent_world_save(p->world, &options, &bytes, &size), ENT_OK);
    test_write(p->folder, "save.level", bytes, size);
    ent_world_save_free(p->world, bytes, size);
    ent_world_destroy(p->world);
    p->world = world_of(p->folder);
    snprintf(path, sizeof path, "%s/save.level", p->folder);
    assert_int_equal(ent_resource_open(&p->save, path, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(p->world, &p->save.blob, NULL, p->loaded), ENT_OK);
}

static void pair_close(Pair* p) {
    ent_world_destroy(p->world);
    ent_resource_close(&p->level);
    ent_resource_close(&p->save);
    free((char*)p->folder);
}

static f32 x_of(const Pair* p, u32 index) {
    return ent_transform_local(p->world, ent_transform_row(p->world, p->at[index])).position.x;
}

#define PLACED(x) "\"transform\": { \"position\": [" #x ", 0, 0] }"

/* Two spawns of one level, of which the second has other ids and a parent. Its names are not saved. */
static void level_spawned_twice_is_found_by_persistent_ids_after_loading(void** state) {
    Pair   p;
    Entity second[8], anchor;
    u32    row;
    UNUSED(state);
    pair_open(
        &p,
        "{ \"entities\": [ { \"name\": \"a\", \"components\": { " PLACED(
            1) ", "
               "\"persistent_id\": { \"id\": 5 } }, \"children\": [ { \"name\": \"b\", "
               "\"components\": { " PLACED(2) ", \"persistent_id\": { \"id\": 6 } } } ] } ] }",
        "");
    assert_int_equal(ent_world_spawn(p.world, &p.level.blob, NULL, p.spawned), ENT_OK);
    assert_int_equal(ent_entity_create(p.world, &anchor, 1), ENT_OK);
    assert_int_equal(
        ent_manager_create(p.world, ent_world_manager_by_name(p.world, "transform"), anchor, &row),
        ENT_OK);
    const SpawnOptions other = {.seed = 77, .parent = anchor};
    assert_int_equal(ent_world_spawn(p.world, &p.level.blob, &other, second), ENT_OK);
    TransformRecord local = ent_transform_local(p.world, ent_transform_row(p.world, second[1]));
    local.position.x = 9;
    ent_transform_set_local(p.world, ent_transform_row(p.world, second[1]), &local);
    const SaveSource sources[] = {{&p.level.blob, p.spawned}, {&p.level.blob, second}};
    pair_load(&p, sources, 2);
    const SpawnOptions seeded = {.seed = 77};
    assert_int_equal(
        ent_saved_entities(p.world, &p.save.blob, p.loaded, &p.level.blob, &seeded, p.at), ENT_OK);
    assert_int_equal(found_count(&p.level.blob, p.at), 2);
    assert_true(x_of(&p, 0) == 1 && x_of(&p, 1) == 9);
    assert_int_equal(ent_saved_entities(p.world, &p.save.blob, p.loaded, &p.level.blob, NULL, p.at),
                     ENT_OK);
    assert_int_equal(found_count(&p.level.blob, p.at), 2);
    assert_true(x_of(&p, 0) == 1 && x_of(&p, 1) == 2);
    assert_string_equal(logged, "");
    pair_close(&p);
}

/* The second entity without a name must not be taken for the first one, which was destroyed. */
static void entities_without_name_and_id_are_not_found_which_the_log_states(void** state) {
    Pair p;
    UNUSED(state);
    pair_open(
        &p,
        "{ \"entities\": [ { \"components\": { " PLACED(1) " } }, { \"components\": { " PLACED(
            2) " } }, { \"name\": \"c\", \"components\": { " PLACED(3) " } } ] }",
        "");
    assert_int_equal(ent_world_spawn(p.world, &p.level.blob, NULL, p.spawned), ENT_OK);
    assert_int_equal(ent_entity_destroy_subtrees(p.world, p.spawned, 1, NULL), ENT_OK);
    const SaveSource source = {&p.level.blob, p.spawned};
    pair_load(&p, &source, 1);
    assert_int_equal(ent_saved_entities(p.world, &p.save.blob, p.loaded, &p.level.blob, NULL, p.at),
                     ENT_OK);
    assert_int_equal(found_count(&p.level.blob, p.at), 1);
    assert_true(p.at[0] == ENTITY_NULL && p.at[1] == ENTITY_NULL && x_of(&p, 2) == 3);
    assert_non_null(strstr(logged, "2 of the 3 entities of the level have neither a name nor"));
    pair_close(&p);
}

static void stripped_level_is_not_found_in_a_save(void** state) {
    Pair p;
    UNUSED(state);
    pair_open(&p, "{ \"entities\": [ { \"name\": \"c\", \"components\": { " PLACED(3) " } } ] }",
              "--strip");
    assert_int_equal(ent_world_spawn(p.world, &p.level.blob, NULL, p.spawned), ENT_OK);
    const SaveSource source = {&p.level.blob, p.spawned};
    pair_load(&p, &source, 1);
    assert_int_equal(ent_saved_entities(p.world, &p.save.blob, p.loaded, &p.level.blob, NULL, p.at),
                     ENT_NOT_FOUND);
    assert_int_equal(found_count(&p.level.blob, p.at), 0);
    assert_non_null(strstr(logged, "the save has no entity of the level"));
    pair_close(&p);
}

/* --- what the log states --- */

static u32 times_logged(const char* text) {
    u32 times = 0;
    for (const char* at = logged; (at = strstr(at, text)) != NULL; at++) times++;
    return times;
}

static void patch_with_unknown_types_and_stale_entities_is_logged_and_types_once(void** state) {
    Pair        p;
    Patch*      patch;
    Entity      stale[8] = {0};
    PatchResult result;
    UNUSED(state);
    pair_open(&p, "{ \"entities\": [ { \"name\": \"c\", \"components\": { \"health\": {} } } ] }",
              "");
    const u32 health = ent_world_manager_by_name(p.world, "health")->desc.type.id;
    assert_int_equal(ent_world_unregister(p.world, health), ENT_OK);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(ent_patch_create(&patch, p.world, &p.level.blob, &p.level.blob, NULL),
                         ENT_OK);
        assert_int_equal(patch->unknown_count, 1);
        assert_int_equal(times_logged("the component type health of the blob is not registered"),
                         1);
        assert_int_equal(times_logged("none of the 1 entities of the level is alive"), i);
        assert_int_equal(ent_world_patch(p.world, patch, NULL, stale, stale, &result), ENT_OK);
        ent_patch_destroy(patch);
    }
    pair_close(&p);
}

TEST_SUITE(reload_saved) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_spawned_twice_is_found_by_persistent_ids_after_loading),
        cmocka_unit_test(entities_without_name_and_id_are_not_found_which_the_log_states),
        cmocka_unit_test(stripped_level_is_not_found_in_a_save),
        cmocka_unit_test(patch_with_unknown_types_and_stale_entities_is_logged_and_types_once),
        cmocka_unit_test(level_reloaded_after_loading_a_save_equals_edits_over_the_saved_state),
    };
    return TEST_RUN("reload_saved", tests);
}
