/* test_entity_names.c - names and paths of entities in a world: random spawns, patches, renames, attachments,
 * destructions, saves and loads, compared with a plain list of names that is searched from its
 * beginning. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "entity_names_internal.h"
#include "hash.h"
#include "rows.h"
#include "test_source.h"

#define LISTED_MAX 2000
#define LEVELS_MAX 6
#define PATH_MAX   4096

/* What is known of an entity. */
typedef struct Listed {
    Entity entity, source; /* itself, and its parent in the source */
    char   name[16];
} Listed;

/* A spawned level, and its source. */
typedef struct Spawnling {
    Source   source;
    Compiled compiled;
    Spawned  number;
} Spawnling;

typedef struct Register {
    World*    world;
    Random    random;
    Listed    list[LISTED_MAX]; /* [count] */
    u32       count;
    Spawnling level[LEVELS_MAX]; /* [level_count] */
    u32       level_count;
} Register;

static World* world_with_names(const WorldDesc* given) {
    WorldDesc desc = given ? *given : (WorldDesc){0};
    World*    w;
    desc.names = 1;
    assert_int_equal(ent_world_create(&w, &desc), ENT_OK);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = {.type = plugin_types()[i]};
        assert_int_equal(ent_world_register(w, &type), ENT_OK);
    }
    return w;
}

/* --- the list --- */

static Listed* listed(Register* g, Entity entity) {
    for (u32 i = 0; i < g->count; i++) {
        if (g->list[i].entity == entity) return &g->list[i];
    }
    return NULL;
}

static Listed* list_add(Register* g, Entity entity) {
    assert_true(g->count < LISTED_MAX);
    g->list[g->count] = (Listed){.entity = entity};
    return &g->list[g->count++];
}

static void list_sweep(Register* g) {
    u32 kept = 0;
    for (u32 i = 0; i < g->count; i++) {
        if (ent_entity_alive(ent_world_entities(g->world), g->list[i].entity))
            g->list[kept++] = g->list[i];
    }
    g->count = kept;
}

static bool has_transform(const Register* g, Entity entity) {
    return ent_transform_row(g->world, entity) != MANAGER_NO_ROW;
}

/* Above entities without a transform, in the source, as far as these are alive. */
static Entity transform_above(Register* g, Entity entity) {
    const Entity above = listed(g, entity)->source;
    if (!ent_entity_alive(ent_world_entities(g->world), above)) return ENTITY_NULL;
    return has_transform(g, above) ? above : transform_above(g, above);
}

static Entity parent_expected(Register* g, Entity entity) {
    const Listed* l = listed(g, entity);
    const Entity  above = ent_transform_parent(g->world, entity);
    if (!ent_entity_alive(ent_world_entities(g->world), l->source)) return above;
    if (!has_transform(g, entity)) return l->source;
    return transform_above(g, entity) == above ? l->source : above;
}

/* From the root down, by recursion. */
static void path_expected(Register* g, Entity entity, char* out) {
    const Entity  above = parent_expected(g, entity);
    const Listed* l = listed(g, entity);
    if (above) {
        path_expected(g, above, out);
        strcat(out, "/");
    } else {
        *out = 0;
    }
    if (*l->name)
        strcat(out, l->name);
    else
        sprintf(out + strlen(out), "#%u", entity);
}

/* Of equal paths, the entity whose name has the first row. */
static Entity find_expected(Register* g, const char* path) {
    const Manager* names = names_manager(g->world);
    char           each[PATH_MAX];
    for (u32 row = 0; row < names->count; row++) {
        if (!*listed(g, names->entity[row])->name) continue;
        path_expected(g, names->entity[row], each);
        if (strcmp(each, path) == 0) return names->entity[row];
    }
    return ENTITY_NULL;
}

static bool has_only_transforms(Register* g, Entity entity) {
    for (; entity && has_transform(g, entity);) entity = parent_expected(g, entity);
    return entity == ENTITY_NULL;
}

/* Where an entity without a transform has the name of a sibling, it may be found instead of the first. */
static void path_found(Register* g, const char* path, Entity found, Entity expected) {
    char again[PATH_MAX];
    if (found == expected) return;
    assert_false(has_only_transforms(g, expected));
    path_expected(g, found, again);
    assert_string_equal(again, path);
}

static void world_fits(Register* g, u32 samples) {
    char expected[PATH_MAX], path[PATH_MAX];
    list_sweep(g);
    assert_int_equal(g->count, ent_entity_count(g->world));
    for (u32 i = 0; i < g->count; i++) {
        const Listed* l = &g->list[i];
        assert_string_equal(ent_world_name(g->world, l->entity), l->name);
    }
    for (u32 k = 0; k < samples && g->count; k++) {
        const Listed* l = &g->list[random_below(&g->random, g->count)];
        path_expected(g, l->entity, expected);
        const size_t bytes = ent_world_path(g->world, l->entity, path, sizeof path);
        assert_string_equal(path, expected);
        assert_int_equal(bytes, strlen(expected));
        const Entity found = ent_world_path_find(g->world, path);
        path_found(g, path, found, *l->name ? find_expected(g, path) : l->entity);
        const size_t room = random_below(&g->random, (u32)bytes + 2);
        memset(path, 'x', sizeof path);
        assert_int_equal(ent_world_path(g->world, l->entity, path, room), bytes);
        if (room) assert_int_equal(strlen(path), MIN_OF(room - 1, bytes));
        assert_memory_equal(path, expected, room ? MIN_OF(room - 1, bytes) : 0);
        assert_int_equal(path[room], 'x');
    }
}

/* --- operations --- */

static void entity_enter(Register* g, const Blob* blob, u32 index, const Entity* entities,
                         bool rename) {
    const u32* parent = ent_blob_data(blob, ent_blob_section(blob, SECTION_PARENT));
    Listed*    l = listed(g, entities[index]);
    if (!l) l = list_add(g, entities[index]), rename = true;
    if (rename) snprintf(l->name, sizeof l->name, "%s", ent_blob_name(blob, index));
    l->source = parent[index] == NONE ? ENTITY_NULL : entities[parent[index]];
}

static void do_spawn(Register* g) {
    Entity entities[NODES_MAX];
    if (g->level_count == LEVELS_MAX) return;
    Spawnling* s = &g->level[g->level_count++];
    source_random(&g->random, &s->source, 5 + random_below(&g->random, 40));
    compile(&s->compiled, &s->source);
    const SpawnOptions options = {.spawned = &s->number};
    assert_int_equal(ent_world_spawn(g->world, &s->compiled.blob, &options, entities), ENT_OK);
    for (u32 i = 0; i < s->source.count; i++) entity_enter(g, &s->compiled.blob, i, entities, true);
}

/* Names follow the source where it has changed them. */
static void do_patch(Register* g) {
    Entity      now[NODES_MAX * 2];
    Patch*      patch;
    PatchResult result;
    if (g->level_count == 0) return;
    Spawnling* s = &g->level[random_below(&g->random, g->level_count)];
    Compiled   next;
    for (u32 k = 0; k < 3; k++) source_edit(&g->random, &s->source);
    compile(&next, &s->source);
    assert_int_equal(ent_patch_create(&patch, g->world, &s->compiled.blob, &next.blob, NULL),
                     ENT_OK);
    const SpawnOptions options = {.spawned = &s->number};
    assert_int_equal(ent_world_patch(g->world, patch, &options, NULL, now, &result), ENT_OK);
    for (u32 i = 0; i < next.blob.header->element_count; i++) {
        const u32 before = patch->old_of_new[i];
        if (!ent_entity_alive(ent_world_entities(g->world), now[i])) continue;
        const bool renamed = before == NONE || strcmp(ent_blob_name(&s->compiled.blob, before),
                                                      ent_blob_name(&next.blob, i)) != 0;
        entity_enter(g, &next.blob, i, now, renamed);
    }
    ent_patch_destroy(patch);
    bytes_free(&s->compiled.bytes);
    s->compiled = next;
}

static void do_edit(Register* g) {
    static const char* const names[] = {"a", "b", "lamp", "", "\xc3\xa4", "c d", ".", "a"};
    if (g->count == 0) return;
    Listed*     l = &g->list[random_below(&g->random, g->count)];
    Entity      other = g->list[random_below(&g->random, g->count)].entity;
    const char* name = names[random_below(&g->random, COUNT_OF(names))];
    switch (random_below(&g->random, 5)) {
    case 0:
    case 1:
        assert_int_equal(ent_world_name_set(g->world, l->entity, name), ENT_OK);
        snprintf(l->name, sizeof l->name, "%s", name);
        break;
    case 2: /* also in vain: below itself, or without a transform */
        if (ent_transform_attach(g->world, l->entity, other, ATTACH_CREATE) == ENT_LIMIT) fail();
        break;
    case 3:
        if (ent_transform_detach(g->world, l->entity) == ENT_LIMIT) fail();
        break;
    default:
        if (random_below(&g->random, 3) == 0) ent_entity_destroy(g->world, &l->entity, 1);
        list_sweep(g);
    }
}

static bool is_name_of_any(const Register* g, const char* name) {
    for (u32 i = 0; i < g->count; i++) {
        if (strcmp(g->list[i].name, name) == 0) return true;
    }
    return false;
}

/* The save contains names, without sources; of siblings with one name the first keeps it. */
static void do_save(Register* g) {
    SaveSource        source[LEVELS_MAX];
    const SaveOptions options = {
        .name = "saves/x", .sources = source, .source_count = g->level_count};
    for (u32 i = 0; i < g->level_count; i++)
        source[i] = (SaveSource){&g->level[i].compiled.blob, NULL};
    World*            fresh = world_with_names(NULL);
    Blob              blob;
    BlobFault         fault;
    void*             bytes;
    size_t            size;
    const BlobOptions types = all_options();
    u32               named = 0;
    assert_int_equal(ent_world_save(g->world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_blob_open(&blob, bytes, size, &types, &fault), ENT_OK);
    static Entity entities[LISTED_MAX];
    assert_int_equal(ent_world_spawn(fresh, &blob, NULL, entities), ENT_OK);
    for (u32 i = 0; i < blob.header->element_count; i++) {
        char path[PATH_MAX], again[PATH_MAX];
        assert_string_equal(ent_world_name(fresh, entities[i]), ent_blob_name(&blob, i));
        assert_true(!*ent_blob_name(&blob, i) || is_name_of_any(g, ent_blob_name(&blob, i)));
        named += *ent_blob_name(&blob, i) != 0;
        ent_world_path(fresh, entities[i], again, sizeof again);
        ent_blob_path(&blob, i, path, sizeof path);
        if (strchr(path, '#')) continue; /* the number is another one */
        assert_string_equal(again, path);
        const Entity before = ent_world_path_find(g->world, path);
        assert_true(before &&
                    strcmp(ent_world_name(g->world, before), ent_blob_name(&blob, i)) == 0);
    }
    assert_true(named > 0 || g->count < 10);
    const SaveSource again = {&blob, NULL};
    SaveOptions      once_more = options;
    void*            second;
    size_t           second_size;
    once_more.sources = &again, once_more.source_count = 1;
    assert_int_equal(ent_world_save(fresh, &once_more, &second, &second_size), ENT_OK);
    assert_int_equal(second_size, size);
    assert_memory_equal(second, bytes, size);
    ent_world_save_free(fresh, second, second_size);
    ent_world_destroy(fresh);
    ent_world_save_free(g->world, bytes, size);
}

static void names_and_paths_after_random_changes_equal_those_of_list(void** state) {
    static Register g;
    const u32       rounds = getenv("TEST_FULL") ? 400 : SANITIZED ? 6 : 24;
    UNUSED(state);
    g.random = (Random){test_seed("entity names", 41)};
    for (u32 round = 0; round < rounds; round++) {
        g.world = world_with_names(NULL);
        g.count = g.level_count = 0;
        ent_transform_defer(g.world, round % 2);
        for (u32 step = 0; step < 60; step++) {
            switch (random_below(&g.random, 12)) {
            case 0: do_spawn(&g); break;
            case 1: do_patch(&g); break;
            case 2: do_save(&g); break;
            default: do_edit(&g);
            }
            list_sweep(&g);
            if (step % 4 == 0) world_fits(&g, 4);
        }
        ent_world_clear(g.world);
        list_sweep(&g);
        assert_int_equal(g.count, 0);
        ent_world_destroy(g.world);
        for (u32 i = 0; i < g.level_count; i++) bytes_free(&g.level[i].compiled.bytes);
    }
}

/* --- saves, jobs, hostile blobs --- */

/* A transform skips parents without one; its entity is below them in paths, in saves and after loads. */
static void paths_through_entities_without_transform_survive_a_save(void** state) {
    static const u32         parent[] = {NONE, 0, 1, 0, 3, NONE, 5};
    static const char* const names[] = {"house", "g1", "lamp", "g2", "lamp", "props", "crate"};
    static const char* const paths[] = {"house/g1/lamp", "house/g2/lamp", "props/crate"};
    static const u32         owner[] = {0, 2, 4, 6};
    static const u32         expected[] = {2, 4, 6};
    TransformRecord          pose[4];
    const LevelPart          part = {*transform_type(), 4, owner, pose};
    const Level              level = {RESOURCE_LEVEL, 7, parent, 1, &part, false, true};
    const SaveOptions        options = {.name = "saves/x"};
    Random                   r = {5};
    UNUSED(state);
    for (u32 i = 0; i < 4; i++) pose[i] = tame_pose(&r);
    Bytes      bytes = level_bytes_named(&level, names, target_native(), NULL);
    const Blob blob = blob_valid(bytes, NULL);
    World*     w = world_with_names(NULL);
    World*     again = world_with_names(NULL);
    Entity     entities[7];
    Blob       save;
    void*      saved;
    size_t     size;
    assert_int_equal(ent_world_spawn(w, &blob, NULL, entities), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(paths); i++)
        assert_int_equal(ent_world_path_find(w, paths[i]), entities[expected[i]]);
    assert_int_equal(ent_world_save(w, &options, &saved, &size), ENT_OK);
    assert_int_equal(ent_blob_open(&save, saved, size, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(again, &save, NULL, entities), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(paths); i++) {
        const Entity found = ent_world_path_find(again, paths[i]);
        assert_int_equal(found, entities[ent_blob_path_find(&save, paths[i])]);
        assert_string_equal(ent_world_name(again, found), strrchr(paths[i], '/') + 1);
    }
    ent_world_save_free(w, saved, size);
    ent_world_destroy(again);
    ent_world_destroy(w);
    bytes_free(&bytes);
}

/* The host names an entity before the job has spawned its components: the name stays, and so does its place. */
static void entity_named_during_a_job_keeps_name_and_place(void** state) {
    static const u32         parent[] = {NONE, 0};
    static const char* const names[] = {"lamp", "tag"};
    static const u32         owner[] = {0};
    const TransformRecord    pose = {{1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}};
    const LevelPart          part = {*transform_type(), 1, owner, &pose};
    const Level              level = {RESOURCE_LEVEL, 2, parent, 1, &part, false, true};
    Bytes                    bytes = level_bytes_named(&level, names, target_native(), NULL);
    const Blob               blob = blob_valid(bytes, NULL);
    World*                   w = world_with_names(NULL);
    Entity                   entities[2] = {0};
    SpawnJob*                job;
    int                      done = 0;
    char                     path[64];
    UNUSED(state);
    assert_int_equal(ent_spawn_begin(&job, w, &blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    assert_true(!done && ent_entity_count(w) == 2);
    assert_int_equal(ent_world_name_set(w, entities[1], "x"), ENT_OK);
    while (!done) assert_int_equal(ent_spawn_step(job, 0, &done), ENT_OK);
    ent_spawn_end(job);
    ent_world_path(w, entities[1], path, sizeof path);
    assert_string_equal(path, "lamp/x");
    ent_world_destroy(w);
    bytes_free(&bytes);
}

/* No blob has instances of the manager of names, and no host removes it. */
static void manager_of_names_is_private(void** state) {
    World*                   w = world_with_names(NULL);
    Manager*                 names = names_manager(w);
    static const Field       field = {.name = "text", .kind = FIELD_u32, .bytes = 4};
    static const RecordType  record = {"#name", &field, 1, 4};
    ComponentType            type = {.record = record, .order = 9, .columns = BY_FIELD};
    static const u32         owner[] = {0}, text[] = {123456789};
    static const u32         parent[] = {NONE};
    static const char* const given[] = {"a"};
    UNUSED(state);
    ent_component_type_finish(&type);
    assert_int_equal(type.id, names->desc.type.id);
    assert_int_equal(type.layout, names->desc.type.layout);
    const LevelPart part = {&type, 1, owner, text};
    const Level     level = {RESOURCE_LEVEL, 1, parent, 1, &part, false, true};
    Bytes           bytes = level_bytes_named(&level, given, target_native(), NULL);
    const Blob      blob = blob_valid(bytes, NULL);
    Entity          entity;
    Patch*          patch;
    assert_null(ent_world_manager(w, type.id));
    assert_null(ent_world_manager_by_name(w, "#name"));
    assert_int_equal(ent_world_unregister(w, type.id), ENT_NOT_FOUND);
    assert_int_equal(ent_world_spawn(w, &blob, NULL, &entity), ENT_OK);
    assert_string_equal(ent_world_name(w, entity), "a");
    assert_int_equal(ent_patch_create(&patch, w, &blob, &blob, NULL), ENT_OK);
    assert_int_equal(patch->part_count, 0);
    ent_patch_destroy(patch);
    ent_world_destroy(w);
    bytes_free(&bytes);
}

/* --- edges --- */

static void paths_that_no_entity_has_find_none(void** state) {
    static const char* const paths[] = {"",    "/",     "a/",   "/a",  "a/b/c/d/e/f", "x",
                                        "a//", "#",     "#0",   "#-1", "#4294967296", "#1x",
                                        "#01", "a/#77", "a/b/", "b",   "#+1"};
    const Source*            source = forest("a(b c(d)) e");
    Compiled                 c;
    Entity                   entities[5];
    World*                   w = world_with_names(NULL);
    char                     numbered[32];
    UNUSED(state);
    compile(&c, source);
    assert_int_equal(ent_world_path_find(w, "a"), ENTITY_NULL);
    assert_int_equal(ent_world_spawn(w, &c.blob, NULL, entities), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(paths); i++)
        assert_int_equal(ent_world_path_find(w, paths[i]), ENTITY_NULL);
    const Entity d = ent_world_path_find(w, "a/c/d");
    assert_string_equal(ent_world_name(w, d), "d");
    assert_string_equal(ent_world_name(w, ENTITY_NULL), "");
    assert_int_equal(ent_world_path(w, ENTITY_NULL, NULL, 0), 0);
    static const char* const wrong[] = {"a/b", "#1", "a\n", "\x7f", "\xff", "\xc3"};
    for (u32 i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(ent_world_name_set(w, d, wrong[i]), ENT_BAD_FIELD);
    assert_string_equal(ent_world_name(w, d), "d");
    snprintf(numbered, sizeof numbered, "a/c/#%u", d);
    assert_int_equal(ent_world_path_find(w, numbered), ENTITY_NULL); /* it has a name */
    assert_int_equal(ent_world_name_set(w, d, ""), ENT_OK);
    assert_int_equal(ent_world_path_find(w, numbered), d);
    ent_entity_destroy(w, &d, 1);
    assert_int_equal(ent_world_path_find(w, numbered), ENTITY_NULL);
    assert_int_equal(ent_world_name_set(w, d, "d"), ENT_STALE);
    assert_int_equal(ent_world_path_find(w, "a/c/d"), ENTITY_NULL);
    ent_world_destroy(w);
    bytes_free(&c.bytes);
}

static void world_without_names_has_none(void** state) {
    const Source* source = forest("a(b)");
    Compiled      c;
    Entity        entities[2];
    char          path[64], expected[64];
    World*        w;
    UNUSED(state);
    compile(&c, source);
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    const u32 types = ent_world_manager_count(w);
    assert_int_equal(ent_world_spawn(w, &c.blob, NULL, entities), ENT_OK);
    assert_int_equal(types, COMPONENT_COUNT);
    assert_string_equal(ent_world_name(w, entities[1]), "");
    assert_int_equal(ent_world_path_find(w, "a/b"), ENTITY_NULL);
    ent_world_path(w, entities[1], path, sizeof path);
    snprintf(expected, sizeof expected, "#%u/#%u", entities[0], entities[1]);
    assert_string_equal(path, expected);
    assert_int_equal(ent_world_path_find(w, path), entities[1]);
    ent_world_destroy(w);
    bytes_free(&c.bytes);
}

/* More children than are searched one by one, all below one parent, and equal names in many places. */
static void long_lists_of_children_are_searched_by_name(void** state) {
    enum { CHILDREN = 500 };
    World*                   w = world_with_names(NULL);
    static Entity            e[CHILDREN + 1], below[CHILDREN];
    static const char* const leaf = "bulb";
    char                     name[16], path[64];
    u32                      row;
    UNUSED(state);
    assert_int_equal(ent_entity_create(w, e, CHILDREN + 1), ENT_OK);
    assert_int_equal(ent_entity_create(w, below, CHILDREN), ENT_OK);
    Manager* transforms = ent_world_built_in(w, COMPONENT_TRANSFORM);
    for (u32 i = 0; i <= CHILDREN; i++) {
        assert_int_equal(ent_manager_create(w, transforms, e[i], &row), ENT_OK);
        snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(ent_world_name_set(w, e[i], name), ENT_OK);
    }
    for (u32 i = 0; i < CHILDREN; i++) {
        assert_int_equal(ent_manager_create(w, transforms, below[i], &row), ENT_OK);
        assert_int_equal(ent_transform_reparent(w, e[i], e[CHILDREN]), ENT_OK);
        assert_int_equal(ent_transform_reparent(w, below[i], e[i]), ENT_OK);
        assert_int_equal(ent_world_name_set(w, below[i], leaf), ENT_OK);
    }
    for (u32 i = 0; i < CHILDREN; i++) {
        snprintf(path, sizeof path, "n%u/n%u/%s", CHILDREN, i, leaf);
        assert_int_equal(ent_world_path_find(w, path), below[i]);
    }
    assert_int_equal(ent_world_path_find(w, "bulb"), ENTITY_NULL);
    assert_int_equal(ent_world_path_find(w, "n500/bulb"), ENTITY_NULL);
    assert_int_equal(ent_transform_detach(w, below[77]), ENT_OK);
    assert_int_equal(ent_world_path_find(w, "bulb"), below[77]);
    ent_world_destroy(w);
}

static void spawn_with_names_and_failing_allocation_changes_nothing(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    const Source*     source = forest("a(b c(d)) e f(g(h(i)))");
    Compiled          c;
    Entity            entities[9];
    u32               failures = 0;
    ent_status        status;
    UNUSED(state);
    compile(&c, source);
    do {
        World*    w = world_with_names(&desc);
        const u32 before = counting.allocations;
        counting.fail_at = before + ++failures;
        status = ent_world_spawn(w, &c.blob, NULL, entities);
        counting.fail_at = 0;
        assert_int_equal(ent_entity_count(w), status == ENT_OK ? 9 : 0);
        if (status != ENT_OK) assert_int_equal(status, ENT_NO_MEMORY);
        assert_int_equal(ent_world_spawn(w, &c.blob, NULL, entities), ENT_OK);
        assert_string_equal(ent_world_name(w, entities[8]), "i");
        ent_world_destroy(w);
    } while (status != ENT_OK);
    assert_true(failures > 3);
    bytes_free(&c.bytes);
}

/* --- the component `name` --- */

static Entity first_with(World* w, NameRef id) {
    const NameRows rows = ent_name_rows(w);
    for (u32 i = 0; i < rows.count; i++) {
        if (rows.record[i].id == id) return rows.entity[i];
    }
    return ENTITY_NULL;
}

static void name_component_is_found_as_by_search_of_rows(void** state) {
    static Entity e[300];
    char          name[16];
    Random        r = {test_seed("name component", 5)};
    World*        w;
    UNUSED(state);
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    assert_int_equal(ent_entity_create(w, e, COUNT_OF(e)), ENT_OK);
    for (u32 step = 0; step < 20000; step++) {
        const u32 at = random_below(&r, COUNT_OF(e));
        /* Few names, so that many entities have the same, and many, so that some have their own. */
        snprintf(name, sizeof name, "n%u", random_below(&r, step % 3 ? 4 : 1000));
        if (step % 50 == 49) {
            ent_entity_destroy(w, &e[at], 1);
            assert_int_equal(ent_name_set(w, e[at], name), ENT_STALE);
            assert_int_equal(ent_entity_create(w, &e[at], 1), ENT_OK);
        }
        assert_int_equal(ent_name_set(w, e[at], name), ENT_OK);
        snprintf(name, sizeof name, "n%u", random_below(&r, step % 2 ? 4 : 1000));
        assert_int_equal(ent_name_find(w, name), first_with(w, hash_name(text_of(name))));
    }
    ent_world_clear(w);
    assert_int_equal(ent_name_find(w, "n1"), ENTITY_NULL);
    ent_world_destroy(w);
}

/* The parent with the first row has the child with the later one. */
static void of_equal_paths_the_first_row_of_the_last_name_is_found(void** state) {
    World* w = world_with_names(NULL);
    Entity e[4];
    u32    row;
    UNUSED(state);
    assert_int_equal(ent_entity_create(w, e, 4), ENT_OK);
    for (u32 i = 0; i < 4; i++)
        assert_int_equal(
            ent_manager_create(w, ent_world_built_in(w, COMPONENT_TRANSFORM), e[i], &row), ENT_OK);
    assert_int_equal(ent_transform_reparent(w, e[2], e[0]), ENT_OK);
    assert_int_equal(ent_transform_reparent(w, e[3], e[1]), ENT_OK);
    assert_int_equal(ent_world_name_set(w, e[0], "a"), ENT_OK);
    assert_int_equal(ent_world_name_set(w, e[1], "a"), ENT_OK);
    assert_int_equal(ent_world_name_set(w, e[3], "b"), ENT_OK);
    assert_int_equal(ent_world_name_set(w, e[2], "b"), ENT_OK);
    assert_int_equal(ent_world_path_find(w, "a"), e[0]);
    assert_int_equal(ent_world_path_find(w, "a/b"), e[3]);
    ent_entity_destroy(w, &e[3], 1);
    assert_int_equal(ent_world_path_find(w, "a/b"), e[2]);
    ent_world_destroy(w);
}

static Entity first_named(World* w, const char* name) {
    const Manager* names = names_manager(w);
    for (u32 row = 0; row < names->count; row++) {
        if (strcmp(ent_world_name(w, names->entity[row]), name) == 0) return names->entity[row];
    }
    return ENTITY_NULL;
}

/* Without parents, so that the table alone decides; names are removed and set again. */
static void entity_without_parent_is_found_as_by_search_of_rows(void** state) {
    static Entity e[200];
    char          name[16];
    Random        r = {test_seed("names of roots", 6)};
    World*        w = world_with_names(NULL);
    UNUSED(state);
    assert_int_equal(ent_entity_create(w, e, COUNT_OF(e)), ENT_OK);
    for (u32 step = 0; step < 20000; step++) {
        const u32 at = random_below(&r, COUNT_OF(e));
        snprintf(name, sizeof name, "n%u", random_below(&r, step % 3 ? 4 : 300));
        if (random_below(&r, 3) == 0) *name = 0;
        if (step % 20 == 19) {
            ent_entity_destroy(w, &e[at], 1);
            assert_int_equal(ent_entity_create(w, &e[at], 1), ENT_OK);
        }
        assert_int_equal(ent_world_name_set(w, e[at], name), ENT_OK);
        snprintf(name, sizeof name, "n%u", random_below(&r, step % 2 ? 4 : 300));
        assert_int_equal(ent_world_path_find(w, name), first_named(w, name));
    }
    ent_world_destroy(w);
}

/* --- new persistent ids --- */

static void new_persistent_ids_differ_from_all_others(void** state) {
    enum { COUNT = 20000 };
    static Entity        e[COUNT];
    static PersistentRef id[COUNT];
    const WorldDesc      desc = {.id_start = 77};
    World *              w, *again;
    PersistentRef        same;
    UNUSED(state);
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    assert_int_equal(ent_entity_create(w, e, COUNT), ENT_OK);
    for (u32 i = 0; i < COUNT; i++) {
        assert_int_equal(ent_persistent_add(w, e[i], &id[i]), ENT_OK);
        assert_in_range(id[i], 1, PERSISTENT_ID_MAX);
        assert_int_equal(ent_persistent_find(w, id[i]), e[i]);
    }
    for (u32 i = 0; i < COUNT; i++) assert_int_equal(ent_persistent_of(w, e[i]), id[i]);
    assert_int_equal(ent_persistent_add(w, e[5], &same), ENT_OK);
    assert_int_equal(same, id[5]);
    ent_entity_destroy(w, &e[5], 1);
    assert_int_equal(ent_persistent_add(w, e[5], NULL), ENT_STALE);
    /* An id that the order would give is in use. */
    assert_int_equal(ent_world_create(&again, NULL), ENT_OK);
    assert_int_equal(ent_entity_create(again, e, 2), ENT_OK);
    assert_int_equal(ent_persistent_set(again, e[0], id[0]), ENT_OK);
    assert_int_equal(ent_persistent_add(again, e[1], &same), ENT_OK);
    assert_int_equal(same, id[1]);
    ent_world_destroy(again);
    assert_int_equal(ent_world_create(&again, &desc), ENT_OK);
    assert_int_equal(ent_entity_create(again, e, 1), ENT_OK);
    assert_int_equal(ent_persistent_add(again, e[0], &same), ENT_OK);
    assert_int_equal(same, id[76]); /* scatter(0) is no id */
    ent_world_destroy(again);
    ent_world_destroy(w);
}

TEST_SUITE(entity_names) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_paths_after_random_changes_equal_those_of_list),
        cmocka_unit_test(paths_through_entities_without_transform_survive_a_save),
        cmocka_unit_test(entity_named_during_a_job_keeps_name_and_place),
        cmocka_unit_test(manager_of_names_is_private),
        cmocka_unit_test(paths_that_no_entity_has_find_none),
        cmocka_unit_test(world_without_names_has_none),
        cmocka_unit_test(long_lists_of_children_are_searched_by_name),
        cmocka_unit_test(spawn_with_names_and_failing_allocation_changes_nothing),
        cmocka_unit_test(name_component_is_found_as_by_search_of_rows),
        cmocka_unit_test(of_equal_paths_the_first_row_of_the_last_name_is_found),
        cmocka_unit_test(entity_without_parent_is_found_as_by_search_of_rows),
        cmocka_unit_test(new_persistent_ids_differ_from_all_others),
    };
    return TEST_RUN("entity_names", tests);
}
