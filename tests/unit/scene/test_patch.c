/* test_patch.c - reload: the difference between two blobs, and a world that is updated by it.
 *
 * Invariants: a world that the game did not change equals, after a patch, a new spawn of the new
 * blob, whatever was edited; what both blobs agree on keeps the value of the game; every allocation
 * may fail, and then the world is unchanged. */
#include "test_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "patch.h"
#include "persistent_manager.h"
#include "transform_manager.h"
#include "rows.h"
#include "world_internal.h"

/* --- worlds --- */

static Manager* manager_at(World* w, u32 t) { return manager_of(w, type_of(t)); }

static u8* field_at(const Manager* m, u32 row, u32 field) {
    const ComponentType* type = &m->desc.type;
    const u32            column = type->columns == BY_FIELD ? field : 0;
    return (u8*)m->column[column] + (size_t)row * ent_component_column_bytes(type, column) +
           type->record.fields[field].offset - ent_component_column_offset(type, column);
}

static u32 row_of(World* w, u32 t, Entity entity, u32 position) {
    const Manager* m = manager_at(w, t);
    u32            row = ent_manager_row(m, w->entities, entity);
    while (position-- > 0 && row != MANAGER_NO_ROW) row = ent_manager_next(m, row);
    return row;
}

static u32 index_of(const Entity* entities, u32 count, Entity entity) {
    for (u32 i = 0; i < count; i++) {
        if (entities[i] == entity) return i;
    }
    return NONE;
}

/* The words of a field with entities as indices of the blob. */
static void words_of(const Manager* m, u32 row, u32 field, const Entity* entities, u32 count,
                     u8* out) {
    const Field* f = &m->desc.type.record.fields[field];
    u32          entity;
    memcpy(out, field_at(m, row, field), f->bytes);
    if (f->kind != FIELD_EntityRef) return;
    memcpy(&entity, out, 4);
    entity = entity == ENTITY_NULL ? NONE : index_of(entities, count, entity);
    memcpy(out, &entity, 4);
}

static void rows_equal(World* a, const Entity* in_a, World* b, const Entity* in_b, u32 count,
                       u32 entity, u32 t) {
    const RecordType* type = &type_of(t)->record;
    u8                x[16], y[16];
    for (u32 k = 0;; k++) {
        const u32 row_a = row_of(a, t, in_a[entity], k), row_b = row_of(b, t, in_b[entity], k);
        if ((row_a == MANAGER_NO_ROW) != (row_b == MANAGER_NO_ROW)) {
            fail_msg("entity %u: %s[%u] is there once only", entity, type->name, k);
        }
        if (row_a == MANAGER_NO_ROW) return;
        assert_int_equal(manager_at(a, t)->entity[row_a], in_a[entity]);
        for (u32 f = 0; f < type->field_count; f++) {
            words_of(manager_at(a, t), row_a, f, in_a, count, x);
            words_of(manager_at(b, t), row_b, f, in_b, count, y);
            if (memcmp(x, y, type->fields[f].bytes) == 0) continue;
            fail_msg("entity %u: %s[%u].%s differs", entity, type->name, k, type->fields[f].name);
        }
    }
}

static void matrices_near(World* a, Entity in_a, World* b, Entity in_b) {
    const Mat34 *x = ent_transform_world(a, in_a), *y = ent_transform_world(b, in_b);
    assert_int_equal(!x, !y);
    for (u32 i = 0; x && i < 12; i++) {
        const f32 left = x->m[i / 4][i % 4], right = y->m[i / 4][i % 4];
        if (fabsf(left - right) > 1e-3f * (1 + fabsf(right))) {
            fail_msg("world matrix: %g, not %g", (f64)left, (f64)right);
        }
    }
}

static u32 parent_index(World* w, const Entity* entities, u32 count, u32 entity) {
    const Entity parent = ent_transform_parent(w, entities[entity]);
    return parent == ENTITY_NULL ? NONE : index_of(entities, count, parent);
}

/* An entity as parent of a level, away from all others. */
static Entity anchor_new(World* world) {
    const TransformRecord pose = {{5, 6, 7}, {0, 0, 0, 1}, {1, 1, 1}};
    Entity                anchor;
    u32                   row;
    assert_int_equal(ent_entity_create(world, &anchor, 1), ENT_OK);
    assert_int_equal(
        ent_manager_create(world, manager_at(world, type_index("transform")), anchor, &row),
        ENT_OK);
    ent_transform_set_local(world, row, &pose);
    return anchor;
}

/* The world contains exactly what a new spawn of the blob contains, and its parent. */
static void world_is_under(World* world, const Entity* entities, const Blob* blob,
                           const SpawnOptions* options) {
    const u32    count = blob->header->element_count;
    World*       fresh = world_wide(NULL);
    SpawnOptions same = {0};
    Entity       other[NODES_MAX];
    if (options) same = *options;
    if (same.parent) same.parent = anchor_new(fresh);
    assert_int_equal(ent_world_spawn(fresh, blob, &same, other), ENT_OK);
    assert_int_equal(ent_entity_count(world), ent_entity_count(fresh));
    ent_transform_update(world); /* no effect unless the world defers */
    for (u32 t = 0; t < ALL_TYPES; t++) {
        assert_int_equal(manager_at(world, t)->count, manager_at(fresh, t)->count);
    }
    for (u32 i = 0; i < count; i++) {
        assert_true(ent_entity_alive(world->entities, entities[i]));
        for (u32 t = 0; t < ALL_TYPES; t++) {
            rows_equal(world, entities, fresh, other, count, i, t);
        }
        assert_int_equal(parent_index(world, entities, count, i),
                         parent_index(fresh, other, count, i));
        assert_int_equal(!ent_transform_parent(world, entities[i]),
                         !ent_transform_parent(fresh, other[i]));
        matrices_near(world, entities[i], fresh, other[i]);
    }
    ent_world_destroy(fresh);
}

static void world_is(World* world, const Entity* entities, const Blob* blob) {
    world_is_under(world, entities, blob, NULL);
}

/* A world with a spawned source, and the blob compiled from it. */
typedef struct Stage {
    World*       world;
    Compiled     at;
    SpawnOptions options;
    Entity       entities[NODES_MAX];
} Stage;

static void stage_spawn(Stage* stage, const Source* s) {
    compile(&stage->at, s);
    assert_int_equal(
        ent_world_spawn(stage->world, &stage->at.blob, &stage->options, stage->entities), ENT_OK);
}

static void stage_open(Stage* stage, const Source* s) {
    *stage = (Stage){.world = world_wide(NULL)};
    stage_spawn(stage, s);
}

static void stage_close(Stage* stage) {
    ent_world_destroy(stage->world);
    bytes_free(&stage->at.bytes);
}

static Patch* patch_of(const Blob* a, const Blob* b) {
    Patch* patch;
    assert_int_equal(
        ent_patch_create(&patch, NULL, a, b,
                         &(PatchOptions){.types = all_types(), .type_count = ALL_TYPES}),
        ENT_OK);
    assert_int_equal(patch->unknown_count, 0);
    return patch;
}

static PatchResult stage_apply(Stage* stage, const Patch* patch) {
    PatchResult result;
    Entity      next[NODES_MAX];
    assert_int_equal(
        ent_world_patch(stage->world, patch, &stage->options, stage->entities, next, &result),
        ENT_OK);
    memcpy(stage->entities, next, sizeof(Entity) * patch->new_count);
    return result;
}

/* Updates the stage to an edited source. */
static PatchResult stage_follow(Stage* stage, const Source* s) {
    Compiled next;
    compile(&next, s);
    Patch*            patch = patch_of(&stage->at.blob, &next.blob);
    const PatchResult result = stage_apply(stage, patch);
    ent_patch_destroy(patch);
    bytes_free(&stage->at.bytes);
    stage->at = next;
    return result;
}

static Entity stage_entity(const Stage* stage, const Source* s, const char* name) {
    return stage->entities[node_named(s, name)];
}

/* --- random edits --- */

static void world_patched_after_random_edits_equals_new_spawn(void** state) {
    static Source s;
    Random        random = {test_seed("patch", 1)};
    UNUSED(state);
    for (u32 round = 0; round < 60; round++) {
        Stage stage;
        source_random(&random, &s, 1 + random_below(&random, 40));
        stage_open(&stage, &s);
        if (round % 2) ent_transform_defer(stage.world, 1);
        world_is(stage.world, stage.entities, &stage.at.blob);
        for (u32 edit = 0; edit < 12; edit++) {
            for (u32 k = random_below(&random, 10); k > 0; k--) source_edit(&random, &s);
            /* Sometimes what no compiler writes: siblings of one name, and of none. */
            Node* odd = &s.node[random_below(&random, s.count)];
            if (random_below(&random, 5) == 0)
                strcpy(odd->name, random_below(&random, 2) ? "" : "n1");
            const PatchResult result = stage_follow(&stage, &s);
            assert_int_equal(result.passed_over, 0);
            world_is(stage.world, stage.entities, &stage.at.blob);
        }
        stage_close(&stage);
    }
}

/* A level that was spawned with a seed: ids and references to them become those of a new spawn, and
 * are found. */
static void world_spawned_with_seed_and_patched_equals_new_spawn(void** state) {
    static Source s;
    Random        random = {test_seed("patch with a seed", 4)};
    u32           found = 0;
    UNUSED(state);
    for (u32 round = 0; round < 20; round++) {
        Stage stage = {.world = world_wide(NULL), .options = {.seed = 0x9e3779b9u + round}};
        source_random(&random, &s, 1 + random_below(&random, 40));
        stage_spawn(&stage, &s);
        for (u32 edit = 0; edit < 6; edit++) {
            for (u32 k = random_below(&random, 10); k > 0; k--) source_edit(&random, &s);
            stage_follow(&stage, &s);
            world_is_under(stage.world, stage.entities, &stage.at.blob, &stage.options);
            const PersistentIdRows ids = ent_persistent_id_rows(stage.world);
            for (u32 i = 0; i < ids.count; i++) {
                if (ids.record[i].id == 0) continue;
                const Entity entity = ent_persistent_find(stage.world, ids.record[i].id);
                assert_int_equal(ent_persistent_of(stage.world, entity), ids.record[i].id);
                found++;
            }
        }
        stage_close(&stage);
    }
    assert_true(found > 100);
}

static void patch_between_equal_sources_changes_nothing(void** state) {
    static Source s;
    Random        random = {2};
    Stage         stage;
    UNUSED(state);
    source_random(&random, &s, 40);
    stage_open(&stage, &s);
    Entity before[NODES_MAX];
    memcpy(before, stage.entities, sizeof before);
    const PatchResult same = stage_follow(&stage, &s);
    assert_memory_equal(&same, &(PatchResult){0}, sizeof same);
    assert_memory_equal(before, stage.entities, sizeof(Entity) * s.count);
    /* Another order of the same entities is no change either. */
    source_shuffle(&random, &s);
    const PatchResult shuffled = stage_follow(&stage, &s);
    assert_memory_equal(&shuffled, &(PatchResult){0}, sizeof shuffled);
    world_is(stage.world, stage.entities, &stage.at.blob);
    stage_close(&stage);
}

/* --- changes of the game --- */

static void path_of(const Source* s, u32 i, char* out) {
    if (s->node[i].parent != NONE) path_of(s, s->node[i].parent, out);
    strcat(strcat(out, "/"), s->node[i].name);
}

/* The node at the same path. */
static u32 same_path(const Source* from, u32 i, const Source* to) {
    char a[NODES_MAX * 8] = "", b[NODES_MAX * 8];
    path_of(from, i, a);
    for (u32 k = 0; k < to->count; k++) {
        b[0] = 0;
        path_of(to, k, b);
        if (strcmp(a, b) == 0) return k;
    }
    return NONE;
}

/* The game writes into fields of every kind except references, which must remain indices. */
static void game_plays(Random* r, Stage* stage, u32 count) {
    for (u32 e = 0; e < count; e++) {
        for (u32 t = 0; t < ALL_TYPES; t++) {
            const RecordType* type = &type_of(t)->record;
            Manager*          m = manager_at(stage->world, t);
            for (u32 k = 0, row; (row = row_of(stage->world, t, stage->entities[e], k)) != NONE;
                 k++) {
                const u32    f = random_below(r, type->field_count);
                const Field* field = &type->fields[f];
                if (field->kind == FIELD_EntityRef || random_below(r, 3)) continue;
                random_field(r, field, count, field_at(m, row, f));
                if (strcmp(type->name, "transform") != 0) continue;
                const TransformRecord local = ent_transform_local(stage->world, row);
                ent_transform_set_local(stage->world, row, &local);
            }
        }
    }
}

static bool sources_agree(const Source* a, const u8* x, const Source* b, const u8* y,
                          const Field* f, const Patch* patch) {
    u32 in_a, in_b;
    if (f->kind != FIELD_EntityRef) return memcmp(x + f->offset, y + f->offset, f->bytes) == 0;
    memcpy(&in_a, x + f->offset, 4);
    memcpy(&in_b, y + f->offset, 4);
    in_a = in_a == NONE ? NONE : node_by_id(a, in_a);
    in_b = in_b == NONE ? NONE : node_by_id(b, in_b);
    return in_a == NONE || in_b == NONE ? in_a == in_b : patch->new_of_old[in_a] == in_b;
}

typedef struct Played {
    const Source *a, *b; /* the old and the new source */
    const Patch*  patch;
    World*        world;                              /* the current world */
    const Entity* now;                                /* [b->count] */
    u8 (*before)[ALL_TYPES][SEVERAL_MAX][RECORD_MAX]; /* [a->count] the values of the game */
} Played;

static void fields_are_kept(const Played* p, u32 i, u32 k) {
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const Node *      a = &p->a->node[i], *b = &p->b->node[k];
        const RecordType* type = &type_of(t)->record;
        for (u32 at = 0; at < MIN_OF(a->count[t], b->count[t]); at++) {
            const u32 row = row_of(p->world, t, p->now[k], at);
            assert_int_not_equal(row, MANAGER_NO_ROW);
            for (u32 f = 0; f < type->field_count; f++) {
                const Field* field = &type->fields[f];
                const u8 *   x = a->record[t][at], *y = b->record[t][at];
                const bool   agree = sources_agree(p->a, x, p->b, y, field, p->patch);
                const u8*    want = agree ? p->before[i][t][at] : y;
                if (!agree && field->kind == FIELD_EntityRef) continue; /* as in a new world */
                assert_memory_equal(field_at(manager_at(p->world, t), row, f), want + field->offset,
                                    field->bytes);
            }
        }
    }
}

static void game_record(const Stage* stage, const Source* s,
                        u8 (*before)[ALL_TYPES][SEVERAL_MAX][RECORD_MAX]) {
    for (u32 e = 0; e < s->count; e++) {
        for (u32 t = 0; t < ALL_TYPES; t++) {
            const RecordType* type = &type_of(t)->record;
            for (u32 k = 0; k < s->node[e].count[t]; k++) {
                const u32 row = row_of(stage->world, t, stage->entities[e], k);
                for (u32 f = 0; f < type->field_count; f++) {
                    memcpy(before[e][t][k] + type->fields[f].offset,
                           field_at(manager_at(stage->world, t), row, f), type->fields[f].bytes);
                }
            }
        }
    }
}

static void values_changed_by_game_survive_patch(void** state) {
    static Source a, b;
    static u8     before[NODES_MAX][ALL_TYPES][SEVERAL_MAX][RECORD_MAX];
    Random        random = {test_seed("patch game", 3)};
    u32           kept = 0;
    UNUSED(state);
    for (u32 round = 0; round < 80; round++) {
        Stage    stage;
        Compiled next;
        source_random(&random, &a, 2 + random_below(&random, 40));
        stage_open(&stage, &a);
        game_plays(&random, &stage, a.count);
        game_record(&stage, &a, before);
        b = a;
        for (u32 k = random_below(&random, 12); k > 0; k--) source_edit(&random, &b);
        compile(&next, &b);
        Patch* patch = patch_of(&stage.at.blob, &next.blob);
        stage_apply(&stage, patch);
        for (u32 i = 0; i < a.count; i++) {
            const u32 k = same_path(&a, i, &b);
            /* An entity at an unchanged path is the same entity; a moved one may be. */
            if (k != NONE) assert_int_equal(patch->new_of_old[i], k);
            if (patch->new_of_old[i] == NONE) continue;
            const Played played = {&a, &b, patch, stage.world, stage.entities, before};
            fields_are_kept(&played, i, patch->new_of_old[i]);
            kept++;
        }
        ent_patch_destroy(patch);
        bytes_free(&next.bytes);
        stage_close(&stage);
    }
    assert_true(kept > 500);
}

/* --- by hand --- */

/* The report of a patch between two forests: "-a/b +c >d:e/d" in the order of its arrays. */
static const char* reported(const char* before, const char* after) {
    static char text[400];
    char        path[64];
    Compiled    a, b;
    compile(&a, forest(before));
    compile(&b, forest(after));
    Patch* p = patch_of(&a.blob, &b.blob);
    text[0] = 0;
    for (u32 i = 0; i < p->removed_count; i++) {
        ent_blob_path(&a.blob, p->removed[i], path, sizeof path);
        strcat(strcat(strcat(text, " -"), path), "");
    }
    for (u32 i = 0; i < p->added_count; i++) {
        ent_blob_path(&b.blob, p->added[i], path, sizeof path);
        strcat(strcat(text, " +"), path);
    }
    for (u32 i = 0; i < p->moved_count; i++) {
        const PatchMove* m = &p->moved[i];
        ent_blob_path(&a.blob, m->old_index, path, sizeof path);
        strcat(strcat(text, " >"), path);
        ent_blob_path(&b.blob, m->new_index, path, sizeof path);
        strcat(strcat(text, ":"), path);
        const u32* parent = ent_blob_data(&b.blob, ent_blob_section(&b.blob, SECTION_PARENT));
        assert_int_equal(m->parent, parent[m->new_index]);
    }
    ent_patch_destroy(p);
    bytes_free(&a.bytes);
    bytes_free(&b.bytes);
    return text;
}

static void patch_between_forests_reports_entities_by_path(void** state) {
    UNUSED(state);
    assert_string_equal(reported("a b(c)", "a b(c)"), "");
    assert_string_equal(reported("a b(c)", "b(c) a"), "");
    assert_string_equal(reported("a", "a b(c d)"), " +b +b/c +b/d");
    assert_string_equal(reported("a b(c d(e))", "a b(c)"), " -b/d -b/d/e");
    assert_string_equal(reported("a(b(c)) d", "a d(b(c))"), " >a/b:d/b");
    assert_string_equal(reported("a(b(c))", "b(a(c))"), " >a/b:b >a:b/a >a/b/c:b/a/c");
    assert_string_equal(reported("", "a"), " +a");
    assert_string_equal(reported("a(b)", ""), " -a -a/b");
    /* The child of a removed entity stays if it still exists. */
    assert_string_equal(reported("a(b(c) d)", "b(c)"), " -a -a/d >a/b:b");
    /* A group around an entity, and without it again. */
    assert_string_equal(reported("a(k) b", "g(a(k)) b"), " +g >a:g/a");
    assert_string_equal(reported("g(a(k)) b", "a(k) b"), " -g >g/a:a");
    /* The lamp of each house is moved into the porch of that house. */
    assert_string_equal(reported("h1(lamp) h2(lamp)", "h1(p(lamp)) h2(p(lamp))"),
                        " +h1/p +h2/p >h1/lamp:h1/p/lamp >h2/lamp:h2/p/lamp");
    /* One house is removed and another one added: the lamp of one is not that of the other. */
    assert_string_equal(reported("h1(lamp)", "h2(lamp)"), " -h1 -h1/lamp +h2 +h2/lamp");
    /* Two lamps were removed and one was added: the pairs are ambiguous. */
    assert_string_equal(reported("h1(lamp) h2(lamp) x", "h1 h2 x(lamp)"),
                        " -h1/lamp -h2/lamp +x/lamp");
}

static const char* const forests[] = {
    "a(b(c(d))) e",    "b(a(c(d))) e",    "d(c(b(a))) e",     "e(d c b a)", "e(a(b(c(d))))",
    "a(b(c(d)) e)",    "e(b(c) d)",       "b(c(d(e)))",       "",           "b",
    "g(b(c)) h(d(e))", "h(d(e) g(b(c)))", "c(b(g(h(d(e)))))", "c(h(d(e)))", "h e(d) c",
};

static void world_patched_after_reparenting_has_hierarchy_of_source(void** state) {
    Stage stage;
    UNUSED(state);
    stage_open(&stage, forest(forests[0]));
    for (u32 i = 1; i < COUNT_OF(forests); i++) {
        stage_follow(&stage, forest(forests[i]));
        world_is(stage.world, stage.entities, &stage.at.blob);
    }
    stage_close(&stage);
}

/* A level that was spawned with a pose, and under a parent. Poses are integers, so that all is
 * exact. */
static void level_with_root_pose_or_parent_keeps_them_after_patch(void** state) {
    const TransformRecord root = {{10, 20, 30}, {0, 1, 0, 0}, {2, 2, 2}};
    UNUSED(state);
    for (u32 way = 1; way < 4; way++) {
        Stage stage = {.world = world_wide(NULL)};
        if (way & 1) stage.options.root = &root;
        if (way & 2) stage.options.parent = anchor_new(stage.world);
        stage_spawn(&stage, forest(forests[0]));
        for (u32 i = 1; i < COUNT_OF(forests); i++) {
            Source s = *forest(forests[i]);
            for (u32 k = i % 3; k < s.count; k += 3) {
                ((TransformRecord*)s.node[k].record[type_index("transform")][0])->position.y +=
                    (f32)i;
            }
            stage_follow(&stage, &s);
            world_is_under(stage.world, stage.entities, &stage.at.blob, &stage.options);
        }
        stage_close(&stage);
    }
}

/* The parent of a transform is the nearest ancestor that has one: that may be added or removed. */
static void transform_added_or_removed_between_ancestors_updates_hierarchy(void** state) {
    const u32 transform = type_index("transform");
    Stage     stage;
    Source    s = *forest("a(b(c(d)) e)");
    UNUSED(state);
    stage_open(&stage, &s);
    for (u32 mask = 0; mask < 64; mask++) {
        for (u32 i = 0; i < s.count; i++) s.node[i].count[transform] = (mask * 7 >> i) & 1;
        const PatchResult result = stage_follow(&stage, &s);
        assert_int_equal(result.passed_over, 0);
        world_is(stage.world, stage.entities, &stage.at.blob);
    }
    stage_close(&stage);
}

static void entity_moved_by_game_keeps_its_position_after_patch(void** state) {
    Stage         stage;
    const Source* a = forest("hero house(door)");
    UNUSED(state);
    stage_open(&stage, a);
    const Entity    hero = stage_entity(&stage, a, "hero");
    TransformRecord pose = ent_transform_local(stage.world, ent_transform_row(stage.world, hero));
    pose.position = (Vec3){100, 0, 0};
    ent_transform_set_local(stage.world, ent_transform_row(stage.world, hero), &pose);
    /* The source rotates the hero and makes it a child of the house: the position is the game's,
     * the rotation is not. */
    Source     b = *forest("house(door hero) tree");
    const u32  turned = node_named(&b, "hero"), transform = type_index("transform");
    const Quat turn = {0, 1, 0, 0};
    memcpy(b.node[turned].record[transform][0] + sizeof(Vec3), &turn, sizeof turn);
    const PatchResult result = stage_follow(&stage, &b);
    assert_int_equal(stage_entity(&stage, &b, "hero"), hero);
    assert_int_equal(result.fields_written, 1);
    assert_int_equal(result.transforms_attached, 1);
    assert_int_equal(result.entities_added, 1);
    pose = ent_transform_local(stage.world, ent_transform_row(stage.world, hero));
    assert_true(pose.position.x == 100);
    assert_true(pose.rotation.y == 1);
    assert_int_equal(ent_transform_parent(stage.world, hero), stage_entity(&stage, &b, "house"));
    const Mat34* house = ent_transform_world(stage.world, stage_entity(&stage, &b, "house"));
    assert_true(ent_transform_world(stage.world, hero)->m[0][3] == house->m[0][3] + 100);
    stage_close(&stage);
}

static void entity_destroyed_by_game_is_skipped_by_patch(void** state) {
    const u32 light = type_index("light"), transform = type_index("transform");
    Random    random = {4};
    Stage     stage;
    Source    a = *forest("house(door(knob)) hero tree(nest)"), b = a;
    UNUSED(state);
    instance_add(&random, &a, &a.node[node_named(&a, "door")], light);
    stage_open(&stage, &a);
    const Entity gone[] = {stage_entity(&stage, &a, "door"), stage_entity(&stage, &a, "tree")};
    assert_int_equal(ent_entity_destroy(stage.world, gone, 2), 2);
    /* The light of the door is removed and its pose changes, it gets a bell, it becomes the parent
     * of the hero, and the tree is removed. */
    b = *forest("house(door(knob bell(clapper) hero)) nest");
    b.node[node_named(&b, "door")].record[transform][0][3] ^= 1;
    const PatchResult result = stage_follow(&stage, &b);
    assert_int_equal(result.entities_added, 0);
    assert_int_equal(result.entities_removed, 0);
    assert_int_equal(result.fields_written, 0);
    assert_int_equal(stage_entity(&stage, &b, "door"), gone[0]);
    assert_int_equal(stage_entity(&stage, &b, "bell"), ENTITY_NULL);
    assert_int_equal(stage_entity(&stage, &b, "clapper"), ENTITY_NULL);
    assert_true(result.passed_over >= 5);
    assert_int_equal(ent_entity_count(stage.world), 4);
    assert_int_equal(ent_transform_parent(stage.world, stage_entity(&stage, &b, "hero")),
                     ENTITY_NULL);
    /* The door is not created again by any further patch. */
    const PatchResult again = stage_follow(&stage, &b);
    assert_int_equal(again.entities_added, 0);
    assert_int_equal(stage_entity(&stage, &b, "door"), gone[0]);
    stage_close(&stage);
}

static void entity_reparented_by_game_keeps_its_parent_after_patch(void** state) {
    Stage         stage;
    const Source* a = forest("hero house(door) sword");
    UNUSED(state);
    stage_open(&stage, a);
    const Entity hero = stage_entity(&stage, a, "hero"), sword = stage_entity(&stage, a, "sword");
    const Entity door = stage_entity(&stage, a, "door");
    assert_int_equal(ent_transform_reparent(stage.world, sword, hero), ENT_OK);
    assert_int_equal(ent_transform_reparent(stage.world, hero, door), ENT_OK);
    Source b = *forest("hero house(door) sword tree");
    stage_follow(&stage, &b);
    assert_int_equal(ent_transform_parent(stage.world, sword), hero);
    assert_int_equal(ent_transform_parent(stage.world, hero), door);
    /* The source would create a cycle with it: that is skipped. */
    Source            c = *forest("hero(house(door)) sword tree");
    const PatchResult result = stage_follow(&stage, &c);
    assert_int_equal(result.passed_over, 1);
    assert_int_equal(ent_transform_parent(stage.world, hero), door);
    assert_int_equal(ent_transform_parent(stage.world, stage_entity(&stage, &c, "house")),
                     ENTITY_NULL);
    stage_close(&stage);
}

static void instances_added_by_game_survive_patch(void** state) {
    const u32 light = type_index("light"), camera = type_index("camera");
    Random    random = {5};
    Stage     stage;
    Source    s = *forest("a b");
    u32       row;
    UNUSED(state);
    instance_add(&random, &s, &s.node[0], light);
    stage_open(&stage, &s);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(ent_manager_create(stage.world, manager_at(stage.world, light),
                                            stage.entities[i], &row),
                         ENT_OK);
        assert_int_equal(ent_manager_create(stage.world, manager_at(stage.world, camera),
                                            stage.entities[i], &row),
                         ENT_OK);
    }
    ((CameraRecord*)manager_at(stage.world, camera)->column[0])[0].aspect = 7;
    /* The source adds one of each: one more light, but a second camera is not allowed. */
    for (u32 i = 0; i < 2; i++) {
        instance_add(&random, &s, &s.node[i], light);
        instance_add(&random, &s, &s.node[i], camera);
    }
    const PatchResult result = stage_follow(&stage, &s);
    assert_int_equal(result.instances_added, 2);
    assert_int_equal(result.passed_over, 2);
    assert_int_equal(manager_at(stage.world, light)->count, 5);
    assert_int_equal(manager_at(stage.world, camera)->count, 2);
    assert_true(((CameraRecord*)manager_at(stage.world, camera)->column[0])[0].aspect == 7);
    /* The instances of the game keep their positions, those of the source follow them. */
    const u32 last = row_of(stage.world, light, stage.entities[0], 2);
    assert_memory_equal((LightRecord*)manager_at(stage.world, light)->column[0] + last,
                        s.node[0].record[light][1], sizeof(LightRecord));
    assert_int_equal(row_of(stage.world, light, stage.entities[0], 3), MANAGER_NO_ROW);
    stage_close(&stage);
}

/* --- managers of the host --- */

static struct {
    u32    spawned, changed, rows[8];
    Entity owner[8], foe[8];
} seen;

static void seen_spawn(World* world, Manager* m, const SpawnBatch* batch) {
    UNUSED(world);
    const u32 base = ent_manager_append(m, batch);
    for (u32 i = 0; i < batch->count; i++) {
        ((u32*)m->column[1])[base + i] = 77;
        seen.owner[seen.spawned] = batch->entities[batch->entity_index[i]];
        seen.foe[seen.spawned++] = ((ProbeRecord*)m->column[0])[base + i].foe;
    }
}

static void seen_changed(Manager* m, u32 row) {
    assert_true(row < m->count);
    seen.rows[seen.changed++] = row;
}

static void patch_calls_spawn_and_changed_callbacks_of_manager(void** state) {
    const u32         probe = type_index("probe");
    const ManagerDesc desc = {.type = plugin_types()[PLUGIN_probe],
                              .extra_bytes = {4},
                              .spawn = seen_spawn,
                              .changed = seen_changed};
    Random            random = {6};
    Source            a = *forest("a b c"), b;
    World*            world;
    Entity            before[8], after[8];
    Compiled          x, y;
    UNUSED(state);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_register(world, &desc), ENT_OK);
    instance_add(&random, &a, &a.node[0], probe);
    instance_add(&random, &a, &a.node[1], probe);
    b = a;
    /* Two fields of one instance, one call; a new instance that refers to a new entity. */
    ProbeRecord* edited = (ProbeRecord*)b.node[1].record[probe][0];
    edited->health += edited->health < 50 ? 1 : -1;
    edited->rank = edited->rank % 10 + 1;
    node_add(&random, &b, NONE)->count[probe] = 0;
    memset(b.node[3].count, 0, sizeof b.node[3].count);
    instance_add(&random, &b, &b.node[2], probe);
    ((ProbeRecord*)b.node[2].record[probe][0])->foe = b.node[3].id;
    compile(&x, &a);
    compile(&y, &b);
    seen.spawned = seen.changed = 0;
    assert_int_equal(ent_world_spawn(world, &x.blob, NULL, before), ENT_OK);
    assert_int_equal(seen.spawned, 2);
    Patch*      patch = patch_of(&x.blob, &y.blob);
    PatchResult result;
    assert_int_equal(ent_world_patch(world, patch, NULL, before, after, &result), ENT_OK);
    assert_int_equal(seen.spawned, 3);
    assert_int_equal(seen.owner[2], before[2]);
    assert_int_equal(seen.foe[2], after[3]);
    assert_int_equal(seen.changed, 1);
    const Manager* m = manager_at(world, probe);
    assert_int_equal(m->entity[seen.rows[0]], before[1]);
    assert_int_equal(((u32*)m->column[1])[ent_manager_row(m, world->entities, after[2])], 77);
    assert_int_equal(result.fields_written, 2);
    assert_int_equal(result.instances_added, 1);
    ent_patch_destroy(patch);
    ent_world_destroy(world);
    bytes_free(&x.bytes);
    bytes_free(&y.bytes);
}

static void patch_of_types_unknown_to_world_skips_them(void** state) {
    static Source a;
    Random        random = {7};
    Compiled      x, y;
    World*        world;
    Entity        before[NODES_MAX], after[NODES_MAX];
    Patch*        patch;
    UNUSED(state);
    source_random(&random, &a, 30);
    compile(&x, &a);
    for (u32 i = 0; i < 10; i++) source_edit(&random, &a);
    compile(&y, &a);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &x.blob, NULL, before), ENT_OK);
    /* The types of the plugin are not passed: they are counted. */
    assert_int_equal(ent_patch_create(&patch, NULL, &x.blob, &y.blob, NULL), ENT_OK);
    assert_int_equal(patch->unknown_count, PLUGIN_COUNT);
    ent_patch_destroy(patch);
    patch = patch_of(&x.blob, &y.blob);
    assert_int_equal(ent_world_patch(world, patch, NULL, before, after, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(world), a.count);
    ent_patch_destroy(patch);
    ent_world_destroy(world);
    bytes_free(&x.bytes);
    bytes_free(&y.bytes);
}

/* --- blobs --- */

static void patch_between_stripped_blobs_matches_entities_by_position(void** state) {
    static Source a;
    Random        random = {8};
    UNUSED(state);
    for (u32 round = 0; round < 20; round++) {
        Stage    stage = {.world = world_wide(NULL)};
        Compiled next;
        source_random(&random, &a, 1 + random_below(&random, 20));
        compile_as(&stage.at, &a, RESOURCE_LEVEL, round % 3 == 0);
        assert_int_equal(ent_world_spawn(stage.world, &stage.at.blob, NULL, stage.entities),
                         ENT_OK);
        for (u32 i = random_below(&random, 6); i > 0; i--) source_edit(&random, &a);
        compile_as(&next, &a, RESOURCE_LEVEL, round % 3 == 1);
        Patch* patch = patch_of(&stage.at.blob, &next.blob);
        assert_int_equal(patch->new_of_old[0], 0);
        stage_apply(&stage, patch);
        world_is(stage.world, stage.entities, &next.blob);
        ent_patch_destroy(patch);
        bytes_free(&next.bytes);
        stage_close(&stage);
    }
}

static void patch_between_blobs_of_different_types_is_refused(void** state) {
    Compiled level, entity;
    Patch*   patch = NULL;
    UNUSED(state);
    compile(&level, forest("a"));
    compile_as(&entity, forest("a"), RESOURCE_ENTITY, true);
    assert_int_equal(ent_patch_create(&patch, NULL, &level.blob, &entity.blob, NULL),
                     ENT_WRONG_TYPE);
    assert_null(patch);
    bytes_free(&level.bytes);
    bytes_free(&entity.bytes);
}

/* A type whose fields have changed has other columns. */
static void patch_with_other_layout_of_component_is_refused(void** state) {
    Random               random = {9};
    Source               a = *forest("a");
    Compiled             x;
    Patch*               patch = NULL;
    ComponentType        other = plugin_types()[PLUGIN_tag];
    const ComponentType* types[] = {&other};
    UNUSED(state);
    instance_add(&random, &a, &a.node[0], type_index("tag"));
    compile(&x, &a);
    other.record.field_count = 1;
    other.record.bytes = other.record.fields[0].bytes;
    ent_component_type_finish(&other);
    x.blob.validated = 0;
    assert_int_equal(ent_patch_create(&patch, NULL, &x.blob, &x.blob,
                                      &(PatchOptions){.types = types, .type_count = 1}),
                     ENT_BAD_FIELD);
    assert_null(patch);
    bytes_free(&x.bytes);
}

/* Groups that the host did not spawn are not created by a patch, with everything that is added to
 * them, until the host spawns them. */
static void groups_that_were_not_spawned_are_skipped_by_patch(void** state) {
    static const u32   first[] = {2, 3}, parent[] = {NONE, 0, 1, 1, 3, NONE};
    const BlobOptions  options = all_options();
    const SpawnOptions group = {.part = SPAWN_GROUP, .which = 0};
    const Level        small = {RESOURCE_LEVEL, 3, parent, 0, NULL, false, true};
    const Level        large = {RESOURCE_LEVEL, 6, parent, 0, NULL, false, true};
    UNUSED(state);
    for (u32 part = SPAWN_ALL; part <= SPAWN_BASE; part += SPAWN_BASE - SPAWN_ALL) {
        const SpawnOptions some = {.part = (SpawnPart)part};
        /* e2 is in g0; then e3, e4 and e5 are in g1. */
        Bytes  a = level_bytes_in_groups(&small, first, 1, target_native(), &options);
        Bytes  b = level_bytes_in_groups(&large, first, 2, target_native(), &options);
        Blob   old_blob = blob_valid(a, &options), new_blob = blob_valid(b, &options);
        World* world = world_wide(NULL);
        Entity spawned[6] = {0};
        assert_int_equal(ent_world_spawn(world, &old_blob, &some, spawned), ENT_OK);
        assert_int_equal(ent_entity_count(world), part == SPAWN_ALL ? 3 : 2);
        Patch* patch = patch_of(&old_blob, &new_blob);
        assert_int_equal(patch->added_count, 3);
        assert_int_equal(ent_world_patch(world, patch, NULL, spawned, spawned, NULL), ENT_OK);
        assert_int_equal(ent_entity_count(world), part == SPAWN_ALL ? 6 : 2);
        assert_int_equal(spawned[5] != ENTITY_NULL, part == SPAWN_ALL);
        ent_patch_destroy(patch);
        if (part == SPAWN_BASE) {
            SpawnOptions rest = group;
            for (; rest.which < 2; rest.which++) {
                assert_int_equal(ent_world_spawn(world, &new_blob, &rest, spawned), ENT_OK);
            }
            assert_int_equal(ent_entity_count(world), 6);
        }
        ent_world_destroy(world);
        bytes_free(&a);
        bytes_free(&b);
    }
}

/* --- failing allocations --- */

/* One reload in which the allocation of a given number fails, and optionally all after it. */
static bool shortage(const Compiled* a, const Compiled* b, u32 fail_at, bool after) {
    CountingAllocator   counting = {0};
    const HostAllocator host = counting_allocator(&counting);
    const WorldDesc     desc = {.allocator = host};
    World*              world = world_wide(&desc);
    Entity              before[NODES_MAX], now[NODES_MAX];
    Patch*              patch = NULL;
    assert_int_equal(ent_world_spawn(world, &a->blob, NULL, before), ENT_OK);
    counting.fail_at = counting.allocations + fail_at;
    counting.fail_after = after;
    const u64  digest = world_digest(world);
    ent_status status = ent_patch_create(&patch, NULL, &a->blob, &b->blob,
                                         &(PatchOptions){all_types(), ALL_TYPES, &host});
    if (status == ENT_OK) status = ent_world_patch(world, patch, NULL, before, now, NULL);
    const bool failed = counting.refused > 0;
    assert_int_equal(status, failed ? ENT_NO_MEMORY : ENT_OK);
    counting.fail_at = 0;
    if (failed) assert_true(world_digest(world) == digest);
    world_is(world, failed ? before : now, failed ? &a->blob : &b->blob);
    if (failed) {
        /* A second attempt succeeds. */
        if (!patch) {
            assert_int_equal(ent_patch_create(&patch, NULL, &a->blob, &b->blob,
                                              &(PatchOptions){all_types(), ALL_TYPES, &host}),
                             ENT_OK);
        }
        assert_int_equal(ent_world_patch(world, patch, NULL, before, now, NULL), ENT_OK);
        world_is(world, now, &b->blob);
    }
    ent_patch_destroy(patch);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    return failed;
}

static void patch_with_any_failing_allocation_leaves_world_unchanged(void** state) {
    static Source s;
    Random        random = {test_seed("patch memory", 10)};
    UNUSED(state);
    for (u32 round = 0; round < 6; round++) {
        Compiled a, b;
        source_random(&random, &s, 5 + 4 * round);
        compile(&a, &s);
        for (u32 k = 0; k < 40; k++) source_edit(&random, &s);
        compile(&b, &s);
        for (u32 after = 0; after < 2; after++) {
            u32 k = 1;
            while (shortage(&a, &b, k, after)) k++;
            assert_true(k > 3); /* two for the patch, one to apply it, and those of the world */
        }
        bytes_free(&a.bytes);
        bytes_free(&b.bytes);
    }
}

/* Repeated patches between two blobs need no more memory. */
static void patches_back_and_forth_use_constant_memory(void** state) {
    static Source       a, b;
    CountingAllocator   counting = {0};
    const HostAllocator host = counting_allocator(&counting);
    Random              random = {11};
    Compiled            x, y;
    Entity              now[NODES_MAX];
    size_t              bytes = 0;
    UNUSED(state);
    source_random(&random, &a, 30);
    b = a;
    for (u32 k = 0; k < 30; k++) source_edit(&random, &b);
    compile(&x, &a);
    compile(&y, &b);
    const WorldDesc desc = {.allocator = host};
    World*          world = world_wide(&desc);
    assert_int_equal(ent_world_spawn(world, &x.blob, NULL, now), ENT_OK);
    Patch* later = patch_of(&x.blob, &y.blob);
    Patch* back = patch_of(&y.blob, &x.blob);
    for (u32 round = 0; round < 300; round++) {
        assert_int_equal(ent_world_patch(world, later, NULL, now, now, NULL), ENT_OK);
        assert_int_equal(ent_world_patch(world, back, NULL, now, now, NULL), ENT_OK);
        if (round == 100) bytes = counting.live_bytes;
    }
    assert_int_equal(counting.live_bytes, bytes);
    world_is(world, now, &x.blob);
    ent_patch_destroy(later);
    ent_patch_destroy(back);
    ent_world_destroy(world);
    bytes_free(&x.bytes);
    bytes_free(&y.bytes);
    assert_int_equal(counting.live_bytes, 0);
}

/* The names and their order are the same. */
static void entity_with_another_parent_at_the_same_place_has_moved(void** state) {
    Compiled a, b;
    Patch*   patch;
    World*   world = world_new(NULL);
    Entity   entities[3];
    UNUSED(state);
    compile(&a, forest("a(c) b"));
    compile(&b, forest("a b(c)"));
    assert_int_equal(ent_world_spawn(world, &a.blob, NULL, entities), ENT_OK);
    assert_int_equal(ent_patch_create(&patch, world, &a.blob, &b.blob, NULL), ENT_OK);
    assert_int_equal(patch->moved_count, 1);
    assert_int_equal(ent_world_patch(world, patch, NULL, entities, entities, NULL), ENT_OK);
    const u32 child = ent_blob_path_find(&b.blob, "b/c");
    const u32 parent = ent_blob_path_find(&b.blob, "b");
    assert_int_equal(ent_transform_parent(world, entities[child]), entities[parent]);
    ent_patch_destroy(patch);
    ent_world_destroy(world);
    free(a.bytes.at);
    free(b.bytes.at);
}

TEST_SUITE(patch) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world_patched_after_random_edits_equals_new_spawn),
        cmocka_unit_test(world_spawned_with_seed_and_patched_equals_new_spawn),
        cmocka_unit_test(patch_between_equal_sources_changes_nothing),
        cmocka_unit_test(values_changed_by_game_survive_patch),
        cmocka_unit_test(patch_between_forests_reports_entities_by_path),
        cmocka_unit_test(world_patched_after_reparenting_has_hierarchy_of_source),
        cmocka_unit_test(level_with_root_pose_or_parent_keeps_them_after_patch),
        cmocka_unit_test(transform_added_or_removed_between_ancestors_updates_hierarchy),
        cmocka_unit_test(entity_moved_by_game_keeps_its_position_after_patch),
        cmocka_unit_test(entity_destroyed_by_game_is_skipped_by_patch),
        cmocka_unit_test(entity_reparented_by_game_keeps_its_parent_after_patch),
        cmocka_unit_test(instances_added_by_game_survive_patch),
        cmocka_unit_test(patch_calls_spawn_and_changed_callbacks_of_manager),
        cmocka_unit_test(patch_of_types_unknown_to_world_skips_them),
        cmocka_unit_test(patch_between_stripped_blobs_matches_entities_by_position),
        cmocka_unit_test(patch_between_blobs_of_different_types_is_refused),
        cmocka_unit_test(patch_with_other_layout_of_component_is_refused),
        cmocka_unit_test(groups_that_were_not_spawned_are_skipped_by_patch),
        cmocka_unit_test(patch_with_any_failing_allocation_leaves_world_unchanged),
        cmocka_unit_test(patches_back_and_forth_use_constant_memory),
        cmocka_unit_test(entity_with_another_parent_at_the_same_place_has_moved),
    };
    return TEST_RUN("patch", tests);
}
