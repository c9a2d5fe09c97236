/* test_runs.c - rows of many entities that are destroyed together leave as runs: the world then equals one in which the
 * same entities were destroyed one after the other, which is other code. */
#include <stdlib.h>

#include "ent.h"
#include "manager_watch.h"
#include "rows.h"
#include "test_scene.h"
#include "world_internal.h"

#define SPAWNS       4
#define ENTITIES_MAX 900
#define ROWS_MAX     (SPAWNS * ENTITIES_MAX)

/* Two worlds with the same history. */
typedef struct Twins {
    World*  world[2]; /* lists are destroyed at once; one by one */
    Random  random;
    Scene   scene[SPAWNS];
    u32     count[SPAWNS];
    Entity  list[SPAWNS][ENTITIES_MAX];
    Spawned number[2][SPAWNS];
    bool    exists[SPAWNS];

    /* Positions of the first world, copied where a watch reports a row. */
    ManagerWatch watch;
    u64          words[ENT_MANAGER_WATCH_WORDS(ROWS_MAX)];
    Vec3         copy[ROWS_MAX];
} Twins;

static void spawn(Twins* t, u32 i) {
    static Entity other[ENTITIES_MAX];
    for (u32 k = 0; k < 2; k++) {
        const SpawnOptions options = {.spawned = &t->number[k][i]};
        assert_int_equal(
            ent_world_spawn(t->world[k], &t->scene[i].blob, &options, k ? other : t->list[i]),
            ENT_OK);
    }
    assert_memory_equal(other, t->list[i], sizeof *other * t->count[i]);
    t->exists[i] = true;
}

static Entity any_alive(Twins* t) {
    for (u32 tries = 0; tries < 50; tries++) {
        const u32    i = random_below(&t->random, SPAWNS);
        const Entity entity = t->list[i][random_below(&t->random, t->count[i])];
        if (t->exists[i] && ent_entity_alive(t->world[0]->entities, entity)) return entity;
    }
    return ENTITY_NULL;
}

/* --- comparison --- */

/* Of each entity, because rows are in another order. */
static void rows_equal(const Twins* t, u32 k, Entity entity) {
    const Manager *a = &t->world[0]->manager[k], *b = &t->world[1]->manager[k];
    u32            x = ent_manager_row(a, t->world[0]->entities, entity);
    u32            y = ent_manager_row(b, t->world[1]->entities, entity);
    for (; x != MANAGER_NO_ROW && y != MANAGER_NO_ROW;
         x = ent_manager_next(a, x), y = ent_manager_next(b, y)) {
        assert_true(x < a->count && a->entity[x] == entity && b->entity[y] == entity);
        for (u32 c = 0; c < ent_component_column_count(&a->desc.type); c++) {
            const size_t bytes = a->column_bytes[c];
            assert_memory_equal((u8*)a->column[c] + x * bytes, (u8*)b->column[c] + y * bytes,
                                bytes);
        }
    }
    assert_true(x == MANAGER_NO_ROW && y == MANAGER_NO_ROW);
}

/* Each child of a row is in its list of children once, and in no other. */
static void links_check(World* w) {
    const Manager*        m = ent_world_built_in(w, COMPONENT_TRANSFORM);
    const TransformLinks* l = ent_transform_links(w);
    u32                   children = 0, with_parent = 0;
    for (u32 row = 0; row < m->count; row++) {
        u32 before = MANAGER_NO_ROW;
        with_parent += l[row].parent != MANAGER_NO_ROW;
        for (u32 c = l[row].first_child; c != MANAGER_NO_ROW; c = l[c].next_sibling) {
            assert_true(c < m->count && l[c].parent == row && l[c].previous_sibling == before);
            before = c;
            assert_true(++children <= m->count);
        }
        assert_int_equal(l[row].last_child, before);
    }
    assert_int_equal(children, with_parent);
}

static void copy_equals(Twins* t) {
    const TransformRows rows = ent_transform_rows(t->world[0]);
    assert_false(t->watch.overflow);
    for (u32 i = 0; i < rows.count; i++)
        if (t->words[i / 64] >> i % 64 & 1) t->copy[i] = rows.position[i];
    memset(t->words, 0, sizeof t->words);
    assert_memory_equal(t->copy, rows.position, sizeof *t->copy * rows.count);
}

static void worlds_equal(const Twins* t) {
    World *const a = t->world[0], *const b = t->world[1];
    assert_int_equal(ent_entity_count(a), ent_entity_count(b));
    for (u32 k = 0; k < a->manager_count; k++)
        assert_int_equal(a->manager[k].count, b->manager[k].count);
    links_check(a);
    for (u32 i = 0; i < SPAWNS; i++) {
        for (u32 n = 0; n < t->count[i] && t->exists[i]; n++) {
            const Entity entity = t->list[i][n];
            assert_int_equal(ent_entity_alive(a->entities, entity),
                             ent_entity_alive(b->entities, entity));
            for (u32 k = 0; k < a->manager_count; k++) rows_equal(t, k, entity);
            assert_int_equal(ent_transform_parent(a, entity), ent_transform_parent(b, entity));
            const Mat34 *x = ent_transform_world(a, entity), *y = ent_transform_world(b, entity);
            assert_true(!x == !y && (!x || memcmp(x, y, sizeof *x) == 0));
        }
    }
}

/* --- operations --- */

static void move(Twins* t) {
    const Entity          entity = any_alive(t);
    const TransformRecord pose = tame_pose(&t->random);
    for (u32 k = 0; k < 2; k++) {
        const u32 row = ent_transform_row(t->world[k], entity);
        if (row != MANAGER_NO_ROW) ent_transform_set_local(t->world[k], row, &pose);
    }
}

static void attach(Twins* t) {
    const Entity child = any_alive(t), parent = any_alive(t);
    ent_status   status[2];
    if (child == ENTITY_NULL || ent_transform_row(t->world[0], child) == MANAGER_NO_ROW ||
        ent_transform_row(t->world[0], parent) == MANAGER_NO_ROW)
        return;
    for (u32 k = 0; k < 2; k++) status[k] = ent_transform_attach(t->world[k], child, parent, 0);
    assert_int_equal(status[0], status[1]);
}

static void destroy(Twins* t) {
    const Entity entity = any_alive(t);
    for (u32 k = 0; k < 2; k++)
        assert_int_equal(ent_entity_destroy(t->world[k], &entity, 1), entity != ENTITY_NULL);
}

/* All of a spawn, in the order of its list, or a part of it. */
static void leave(Twins* t, u32 i) {
    const u32 first = random_below(&t->random, 3) ? 0 : random_below(&t->random, t->count[i]);
    u32       removed = 0;
    if (first == 0) {
        Unspawned out;
        assert_int_equal(ent_world_unspawn(t->world[0], t->number[0][i], 0, &out), ENT_OK);
        removed = out.entities;
    } else {
        removed = ent_entity_destroy(t->world[0], t->list[i] + first, t->count[i] - first);
    }
    for (u32 n = first; n < t->count[i]; n++)
        removed -= ent_entity_destroy(t->world[1], &t->list[i][n], 1);
    assert_int_equal(removed, 0);
    if (first == 0) t->exists[i] = false;
    if (first == 0)
        assert_int_equal(ent_world_unspawn(t->world[1], t->number[1][i], 0, NULL), ENT_OK);
}

static void twins_run(u64 seed, bool deferred) {
    static Twins t;
    memset(&t, 0, sizeof t);
    t.random.state = seed;
    for (u32 i = 0; i < SPAWNS; i++) {
        const SceneShape shape = {.entity_count = 40 + random_below(&t.random, ENTITIES_MAX - 40),
                                  .reach = 1 + random_below(&t.random, 30),
                                  .roots = 4,
                                  .share = 40,
                                  .transform = 90};
        scene_open(&t.scene[i], &t.random, listed_types(), COMPONENT_COUNT, shape);
        t.count[i] = shape.entity_count;
    }
    for (u32 k = 0; k < 2; k++) {
        t.world[k] = world_new(NULL);
        if (deferred) ent_transform_defer(t.world[k], 1);
        Entity stays; /* or all would leave as if the world were cleared */
        assert_int_equal(ent_entity_create(t.world[k], &stays, 1), ENT_OK);
    }
    t.watch = (ManagerWatch){.changed = t.words, .capacity = ROWS_MAX};
    ent_manager_watch(ent_world_built_in(t.world[0], COMPONENT_TRANSFORM), &t.watch);
    for (u32 step = 0; step < 24; step++) {
        const u32 i = random_below(&t.random, SPAWNS);
        if (!t.exists[i])
            spawn(&t, i);
        else
            leave(&t, i);
        for (u32 k = random_below(&t.random, 12); k > 0; k--) {
            switch (random_below(&t.random, 5)) {
            case 0: destroy(&t); break;
            case 1:
            case 2: attach(&t); break;
            default: move(&t);
            }
        }
        if (random_below(&t.random, 3) == 0) continue;
        /* Rows that have not changed for several updates are kept apart. */
        for (u32 n = random_below(&t.random, 2) ? 9 : 1; deferred && n > 0; n--)
            for (u32 k = 0; k < 2; k++) ent_transform_update(t.world[k]);
        worlds_equal(&t);
        copy_equals(&t);
    }
    ent_manager_unwatch(ent_world_built_in(t.world[0], COMPONENT_TRANSFORM), &t.watch);
    for (u32 k = 0; k < 2; k++) ent_world_destroy(t.world[k]);
    for (u32 i = 0; i < SPAWNS; i++) scene_close(&t.scene[i]);
}

static void runs_leave_as_entities_do_one_by_one(void** state) {
    const u64 seed = test_seed("runs", 1);
    const u32 sequences = getenv("TEST_FULL") ? 3000 : SANITIZED ? 12 : 120;
    UNUSED(state);
    for (u32 i = 0; i < sequences; i++) twins_run(seed + i, i % 2);
}

TEST_SUITE(runs) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_leave_as_entities_do_one_by_one)};
    return TEST_RUN("runs", tests);
}
