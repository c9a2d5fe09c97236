/* test_deferred.c - deferred transforms compared with a world that updates everything at once:
 * bitwise equal matrices, computed only where something changed, in a tail whose rows are added and
 * removed.
 *
 * Both worlds receive the same calls, so their entities have the same ids. An entity that is
 * attached or detached gets a pose from its world matrix; the deferred world computes that from
 * poses alone, in another order of operations, so from then on the two agree only up to
 * rounding. */
#include "test_mirror.h"

#include <math.h>
#include <stdlib.h>

#include "transform_internal.h"

#define PAIR_MAX 400 /* entities */
#define POISON   1e30f

typedef struct Pair {
    World *now, *later;
    Random r;
    Entity entity[PAIR_MAX];
    u32    count;
    bool   dirty[PAIR_MAX]; /* entities whose own matrix must be computed */
    bool   deferred;
} Pair;

static Manager* transforms_of(World* w) { return world_transforms(w); }

static u32 row_now(const Pair* p, u32 i) { return ent_transform_row(p->now, p->entity[i]); }
static u32 row_later(const Pair* p, u32 i) { return ent_transform_row(p->later, p->entity[i]); }

/* Index of an entity with a transform; PAIR_MAX: not found. */
static u32 any_transform(Pair* p) {
    for (u32 k = 0; k < 10 && p->count; k++) {
        const u32 i = random_below(&p->r, p->count);
        if (row_now(p, i) != MANAGER_NO_ROW) return i;
    }
    return PAIR_MAX;
}

/* --- steps --- */

static void pair_add(Pair* p, Entity entity, bool dirty) {
    p->dirty[p->count] = dirty;
    p->entity[p->count++] = entity;
}

static void pair_spawn(Pair* p, const Scene* s) {
    Entity now[64], later[64];
    if (p->count + s->entity_count > PAIR_MAX) return;
    const u32          outer = random_below(&p->r, 2) ? any_transform(p) : PAIR_MAX;
    const SpawnOptions options = {.parent = outer < PAIR_MAX ? p->entity[outer] : ENTITY_NULL};
    assert_int_equal(ent_world_spawn(p->now, &s->blob, &options, now), ENT_OK);
    assert_int_equal(ent_world_spawn(p->later, &s->blob, &options, later), ENT_OK);
    assert_memory_equal(now, later, sizeof(Entity) * s->entity_count);
    for (u32 e = 0; e < s->entity_count; e++) pair_add(p, now[e], true);
}

static void pair_create(Pair* p) {
    Entity now, later;
    u32    row;
    if (p->count == PAIR_MAX) return;
    assert_int_equal(ent_entity_create(p->now, &now, 1), ENT_OK);
    assert_int_equal(ent_entity_create(p->later, &later, 1), ENT_OK);
    assert_int_equal(now, later);
    pair_add(p, now, true);
    if (random_below(&p->r, 4) == 0) return;
    assert_int_equal(ent_manager_create(p->now, transforms_of(p->now), now, &row), ENT_OK);
    assert_int_equal(ent_manager_create(p->later, transforms_of(p->later), now, &row), ENT_OK);
}

/* Children of an entity that loses its transform become roots, with the same poses. */
static void children_dirty(Pair* p, Entity parent) {
    for (u32 i = 0; i < p->count; i++) {
        if (ent_transform_parent(p->now, p->entity[i]) == parent) p->dirty[i] = true;
    }
}

static void pair_destroy(Pair* p) {
    if (p->count == 0) return;
    const u32    i = random_below(&p->r, p->count);
    const Entity entity = p->entity[i];
    children_dirty(p, entity);
    assert_int_equal(ent_entity_destroy(p->now, &entity, 1), 1);
    assert_int_equal(ent_entity_destroy(p->later, &entity, 1), 1);
    p->count--;
    p->entity[i] = p->entity[p->count];
    p->dirty[i] = p->dirty[p->count];
}

static void pair_remove(Pair* p) {
    const u32 i = any_transform(p);
    if (i == PAIR_MAX) return;
    children_dirty(p, p->entity[i]);
    if (random_below(&p->r, 2)) {
        ent_manager_remove(p->now, transforms_of(p->now), row_now(p, i));
        ent_manager_remove(p->later, transforms_of(p->later), row_later(p, i));
    } else {
        ent_manager_remove_keep_order(p->now, transforms_of(p->now), row_now(p, i));
        ent_manager_remove_keep_order(p->later, transforms_of(p->later), row_later(p, i));
    }
    p->dirty[i] = false;
}

static void pair_set(Pair* p) {
    for (u32 k = random_below(&p->r, 5); k > 0; k--) {
        const u32             i = any_transform(p);
        const TransformRecord pose = tame_pose(&p->r);
        if (i == PAIR_MAX) return;
        const u32 row = row_later(p, i);
        ent_transform_set_local(p->now, row_now(p, i), &pose);
        if (random_below(&p->r, 2))
            ent_transform_set_local(p->later, row, &pose);
        else
            ent_transform_set_locals(p->later, &row, &pose, 1);
        p->dirty[i] = true;
    }
}

typedef ent_status ReparentCall(World* world, Entity child, Entity parent);

static ent_status detach(World* w, Entity child, Entity parent) {
    UNUSED(parent);
    return ent_transform_detach(w, child);
}

static void pair_reparent(Pair* p, ReparentCall* call) {
    const u32 child = any_transform(p), parent = any_transform(p);
    if (child == PAIR_MAX || parent == PAIR_MAX) return;
    const bool       stays = call == detach && !ent_transform_parent(p->now, p->entity[child]);
    const ent_status status = call(p->now, p->entity[child], p->entity[parent]);
    assert_int_equal(call(p->later, p->entity[child], p->entity[parent]), status);
    if (status == ENT_OK && !stays) p->dirty[child] = true;
}

/* --- comparing --- */

static void assert_floats_agree(const void* a, const void* b, u32 count, bool bits) {
    const f32 *x = a, *y = b;
    if (bits) {
        assert_memory_equal(a, b, sizeof(f32) * count);
        return;
    }
    for (u32 i = 0; i < count; i++) {
        if (!(fabsf(x[i] - y[i]) <= 1e-3f * (1 + fabsf(x[i])))) {
            fail_msg("%g and %g", (f64)x[i], (f64)y[i]);
        }
    }
}

/* The first child of a row, or its next sibling, as an entity. */
static Entity entity_at(World* w, u32 row) {
    return row == MANAGER_NO_ROW ? ENTITY_NULL : transforms_of(w)->entity[row];
}

static void pair_check_links(Pair* p) {
    for (u32 i = 0; i < p->count; i++) {
        const u32 now = row_now(p, i), later = row_later(p, i);
        assert_int_equal(now == MANAGER_NO_ROW, later == MANAGER_NO_ROW);
        if (now == MANAGER_NO_ROW) continue;
        const TransformLinks a = ent_transform_links(p->now)[now];
        const TransformLinks b = ent_transform_links(p->later)[later];
        assert_int_equal(entity_at(p->now, a.parent), entity_at(p->later, b.parent));
        assert_int_equal(entity_at(p->now, a.first_child), entity_at(p->later, b.first_child));
        assert_int_equal(entity_at(p->now, a.next_sibling), entity_at(p->later, b.next_sibling));
        assert_int_equal(entity_at(p->now, a.previous_sibling),
                         entity_at(p->later, b.previous_sibling));
    }
}

static void pair_check_poses(Pair* p, bool bits) {
    for (u32 i = 0; i < p->count; i++) {
        if (row_now(p, i) == MANAGER_NO_ROW) continue;
        const TransformRecord a = ent_transform_local(p->now, row_now(p, i));
        const TransformRecord b = ent_transform_local(p->later, row_later(p, i));
        assert_floats_agree(&a, &b, 10, bits);
        assert_floats_agree(ent_transform_world(p->now, p->entity[i]),
                            ent_transform_world(p->later, p->entity[i]), 12, bits);
    }
}

/* The tail contains the descendants of everything it contains. */
static void tail_check(World* w) {
    const Manager*        m = transforms_of(w);
    const TransformLinks* link = ent_transform_links(w);
    for (u32 row = 0; row < m->count; row++) {
        const u32 parent = link[row].parent;
        if (parent == MANAGER_NO_ROW || parent < m->count - m->tail) continue;
        assert_true(row >= m->count - m->tail);
    }
}

/* Must be computed: it or an ancestor is dirty. */
static bool is_below_dirty(const Pair* p, Entity entity) {
    for (; entity; entity = ent_transform_parent(p->now, entity)) {
        for (u32 i = 0; i < p->count; i++) {
            if (p->entity[i] == entity && p->dirty[i]) return true;
        }
    }
    return false;
}

/* Matrices that need no update are overwritten, and must still be so after the update. */
static void pair_update(Pair* p, bool bits) {
    Mat34* had = calloc(PAIR_MAX, sizeof *had);
    bool   wanted[PAIR_MAX], poisoned[PAIR_MAX];
    Mat34  poison;
    u32    rebuilt = 0;
    for (u32 k = 0; k < 12; k++) ((f32*)&poison)[k] = POISON;
    for (u32 i = 0; i < p->count; i++) {
        if (row_later(p, i) == MANAGER_NO_ROW) continue;
        Mat34* at = &ent_transform_worlds(p->later)[row_later(p, i)];
        wanted[i] = is_below_dirty(p, p->entity[i]);
        rebuilt += wanted[i];
        had[i] = *at;
        poisoned[i] = !wanted[i];
        if (poisoned[i]) *at = poison;
    }
    /* Clean ancestors of updated rows keep their matrices: they are read. */
    for (u32 i = 0; i < p->count; i++) {
        const Entity parent = ent_transform_parent(p->later, p->entity[i]);
        for (u32 k = 0; k < p->count && parent && wanted[i]; k++) {
            if (p->entity[k] != parent || wanted[k]) continue;
            ent_transform_worlds(p->later)[row_later(p, k)] = had[k];
            poisoned[k] = false;
        }
    }
    assert_int_equal(ent_transform_update(p->later), rebuilt);
    for (u32 i = 0; i < p->count; i++) {
        if (row_later(p, i) == MANAGER_NO_ROW) continue;
        Mat34* at = &ent_transform_worlds(p->later)[row_later(p, i)];
        if (wanted[i]) continue;
        assert_memory_equal(at, poisoned[i] ? &poison : &had[i], sizeof *at);
        *at = had[i];
    }
    memset(p->dirty, 0, sizeof p->dirty);
    free(had);
    pair_check_links(p);
    pair_check_poses(p, bits);
    tail_check(p->later);
}

static ent_status attach_only(World* w, Entity child, Entity parent) {
    return ent_transform_attach(w, child, parent, 0);
}

static void pair_step(Pair* p, const Scene* scenes, bool attach) {
    switch (random_below(&p->r, attach ? 16 : 13)) {
    case 0: pair_spawn(p, &scenes[random_below(&p->r, 3)]); break;
    case 1:
    case 2: pair_create(p); break;
    case 3:
    case 4:
    case 5: pair_destroy(p); break;
    case 6: pair_remove(p); break;
    case 7:
    case 8: pair_reparent(p, ent_transform_reparent); break;
    case 13:
    case 14: pair_reparent(p, attach_only); break;
    case 15: pair_reparent(p, detach); break;
    default: pair_set(p);
    }
}

/* Deferring is switched off and on; in both cases nothing remains to be updated. */
static void pair_switch(Pair* p, bool bits) {
    ent_transform_defer(p->later, 0);
    memset(p->dirty, 0, sizeof p->dirty);
    assert_int_equal(transforms_of(p->later)->tail, 0);
    assert_int_equal(transforms_of(p->later)->marked, 0);
    pair_check_poses(p, bits);
    assert_int_equal(ent_transform_update(p->later), 0);
    ent_transform_defer(p->later, 1);
    ent_transform_defer(p->later, 1);
}

static void pair_play(u64 seed, bool attach) {
    static Pair p;
    Scene       scenes[3];
    p = (Pair){.now = world_new(NULL), .later = world_new(NULL), .r = {seed}};
    for (u32 i = 0; i < 3; i++) {
        const SceneShape shape = {.entity_count = 5 + 20 * i,
                                  .reach = 1 + 4 * i,
                                  .roots = 4,
                                  .share = 10,
                                  .transform = 80};
        scene_open(&scenes[i], &p.r, listed_types(), COMPONENT_COUNT, shape);
    }
    ent_transform_defer(p.later, 1);
    for (u32 step = 0; step < 3000; step++) {
        const u32 what = random_below(&p.r, 100);
        if (what < 80)
            pair_step(&p, scenes, attach);
        else if (what < 99)
            pair_update(&p, !attach);
        else
            pair_switch(&p, !attach);
        if (step % 50 == 0) pair_check_links(&p);
    }
    pair_update(&p, !attach);
    ent_transform_update_all(p.later);
    ent_transform_update_all(p.now);
    pair_check_poses(&p, !attach);
    for (u32 i = 0; i < 3; i++) scene_close(&scenes[i]);
    ent_world_destroy(p.now);
    ent_world_destroy(p.later);
}

static void deferred_updates_equal_immediate_ones_bit_by_bit(void** state) {
    const u64 seed = test_seed("deferred", 1);
    UNUSED(state);
    for (u32 game = 0; game < 6; game++) pair_play(seed + game, false);
}

static void deferred_attach_equals_immediate_one_up_to_rounding(void** state) {
    const u64 seed = test_seed("deferred attaching", 100);
    UNUSED(state);
    for (u32 game = 0; game < 6; game++) pair_play(seed + game, true);
}

/* --- the tail --- */

#define TREE 85 /* four children each, three levels */

static void tree_open(World* w, Entity* entity) {
    u32 row;
    assert_int_equal(ent_entity_create(w, entity, TREE), ENT_OK);
    for (u32 i = 0; i < TREE; i++) {
        assert_int_equal(ent_manager_create(w, transforms_of(w), entity[i], &row), ENT_OK);
        if (i) assert_int_equal(ent_transform_reparent(w, entity[i], entity[(i - 1) / 4]), ENT_OK);
    }
    ent_transform_defer(w, 1);
}

static void tree_move(World* w, Entity entity, f32 x) {
    const TransformRecord pose = {{x, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    ent_transform_set_local(w, ent_transform_row(w, entity), &pose);
}

/* A row that moves in three updates in succession is in the tail with all its descendants until it has
 * not moved for five updates. */
static void row_that_moved_thrice_stays_in_tail_for_five_updates(void** state) {
    Random random = {test_seed("tail", 2)};
    Entity entity[TREE];
    UNUSED(state);
    World* w = world_new(NULL);
    tree_open(w, entity);
    assert_int_equal(ent_transform_update(w), 0);
    for (u32 round = 0; round < 40; round++) {
        const u32 top = random_below(&random, TREE);
        const u32 below = top == 0 ? 85 : top < 5 ? 21 : top < 21 ? 5 : 1;
        for (u32 times = 0; times < 3; times++) {
            tree_move(w, entity[top], (f32)(round + times));
            assert_int_equal(transforms_of(w)->tail, 0);
            assert_int_equal(ent_transform_update(w), below);
        }
        for (u32 still = 0; still < TRANSFORM_STILL; still++) {
            assert_int_equal(transforms_of(w)->tail, below);
            for (u32 i = 0; i < TREE; i++) {
                const u32  row = ent_transform_row(w, entity[i]);
                const bool in = row >= TREE - below;
                u32        up = i;
                while (up > top) up = (up - 1) / 4;
                assert_int_equal(in, up == top);
            }
            assert_int_equal(ent_transform_update(w), 0);
        }
        assert_int_equal(transforms_of(w)->tail, 0);
    }
    ent_world_destroy(w);
}

/* One row moves in every frame: the others are removed, it stays. */
static void row_that_keeps_moving_stays_in_tail(void** state) {
    Entity entity[TREE];
    UNUSED(state);
    World* w = world_new(NULL);
    tree_open(w, entity);
    for (u32 times = 0; times < 3; times++) {
        tree_move(w, entity[0], 1);
        assert_int_equal(ent_transform_update(w), TREE);
    }
    for (u32 frame = 1; frame < 20; frame++) {
        tree_move(w, entity[3], (f32)frame);
        assert_int_equal(ent_transform_update(w), 21);
        assert_int_equal(transforms_of(w)->tail, frame < TRANSFORM_STILL ? TREE : 21);
        assert_true(ent_transform_world(w, entity[TREE - 1])->m[0][3] == 1);
        assert_true(ent_transform_world(w, entity[13])->m[0][3] == 1 + (f32)frame);
    }
    ent_world_destroy(w);
}

static u32 moves;
static void (*moved_really)(Manager* m, u32 from, u32 to);

static void moved_count(Manager* m, u32 from, u32 to) {
    moves++;
    moved_really(m, from, to);
}

/* Others move in every update, or the same ones with pauses: none is moved to another place. */
static void rows_that_move_in_turn_stay_at_their_places(void** state) {
    Entity entity[TREE];
    UNUSED(state);
    World*   w = world_new(NULL);
    Manager* m = transforms_of(w);
    tree_open(w, entity);
    moved_really = m->desc.moved;
    m->desc.moved = moved_count;
    moves = 0;
    for (u32 frame = 0; frame < 200; frame++) {
        tree_move(w, entity[TREE - 1 - frame % 40], (f32)frame);
        if (frame % 3) tree_move(w, entity[7], (f32)frame);
        assert_int_equal(ent_transform_update(w), frame % 3 ? 1 + 5 : 1);
        assert_int_equal(m->tail, 0);
    }
    assert_int_equal(moves, 0);
    m->desc.moved = moved_really;
    assert_matrices_fit(w);
    ent_world_destroy(w);
}

/* --- order --- */

/* A chain in reverse order, or among others of which half are removed from the tail, is sorted with
 * a few moves per row, however long it is. */
static void long_chain_in_any_order_is_sorted_with_few_moves(void** state) {
    enum { LINE = 3000 };
    Random  random = {test_seed("lines", 5)};
    Entity* entity = calloc(2 * LINE, sizeof *entity);
    u32     row;
    UNUSED(state);
    for (u32 round = 0; round < 4; round++) {
        World*    w = world_new(NULL);
        Manager*  m = transforms_of(w);
        const u32 count = round < 2 ? LINE : 2 * LINE;
        u32       above = NONE;
        assert_int_equal(ent_entity_create(w, entity, count), ENT_OK);
        ent_transform_defer(w, 1);
        for (u32 i = 0; i < count; i++) {
            assert_int_equal(ent_manager_create(w, m, entity[i], &row), ENT_OK);
            if (round < 2 && i)
                assert_int_equal(ent_transform_reparent(w, entity[i - 1], entity[i]), ENT_OK);
            if (round < 2 || (i && random_below(&random, 2))) continue;
            if (above != NONE)
                assert_int_equal(ent_transform_reparent(w, entity[i], entity[above]), ENT_OK);
            above = i;
        }
        moved_really = m->desc.moved;
        m->desc.moved = moved_count;
        moves = 0;
        if (round == 0) ent_transform_update_all(w);
        for (u32 frame = 0; frame < 2 * TRANSFORM_STILL; frame++) {
            tree_move(w, round < 2 ? entity[LINE - 1] : entity[0], (f32)frame);
            ent_transform_update(w);
        }
        assert_true(moves > 0 || round == 1);
        assert_true(moves < 12 * count);
        for (u32 i = 0; i < m->count; i++) {
            const u32 parent = ent_transform_links(w)[i].parent;
            assert_true(parent == NONE || parent < i);
        }
        m->desc.moved = moved_really;
        assert_matrices_fit(w);
        ent_world_destroy(w);
    }
    free(entity);
}

/* Nothing changes: no row moves and no byte of any column is written. */
static void update_without_changes_writes_nothing(void** state) {
    Random           random = {test_seed("nothing changes", 3)};
    const SceneShape shape = {.entity_count = 300, .reach = 9, .roots = 9, .transform = 90};
    Scene            s;
    UNUSED(state);
    scene_open(&s, &random, listed_types(), COMPONENT_COUNT, shape);
    World* w = world_new(NULL);
    ent_transform_defer(w, 1);
    assert_int_equal(ent_world_spawn(w, &s.blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_transform_update(w), s.count[COMPONENT_TRANSFORM]);
    const u64 spawned = world_digest(w);
    for (u32 i = 0; i + 1 < TRANSFORM_STILL; i++) {
        assert_int_equal(ent_transform_update(w), 0);
        assert_true(spawned == world_digest(w)); /* also while all are in the tail */
    }
    for (u32 round = 0; round < 10; round++) {
        const u32 row = random_below(&random, s.count[COMPONENT_TRANSFORM]);
        ent_transform_touch(w, &row, 1);
        for (u32 i = 0; i <= TRANSFORM_STILL; i++) ent_transform_update(w);
        assert_int_equal(transforms_of(w)->tail, 0);
        const u64 before = world_digest(w);
        for (u32 i = 0; i < 10; i++) assert_int_equal(ent_transform_update(w), 0);
        assert_true(before == world_digest(w));
    }
    scene_close(&s);
    ent_world_destroy(w);
}

/* Rows are exchanged by means of the slot after the last one, where the update keeps the matrix
 * above roots when the arrays are full: roots after such an exchange have their own matrices. */
static void rows_exchanged_in_full_arrays_keep_matrices_of_roots(void** state) {
    Random random = {test_seed("full arrays", 5)};
    Entity entities[64];
    u32    rows[64], row, count = 0;
    UNUSED(state);
    World*   w = world_new(NULL);
    Manager* m = transforms_of(w);
    do {
        assert_int_equal(ent_entity_create(w, &entities[count], 1), ENT_OK);
        assert_int_equal(ent_manager_create(w, m, entities[count], &row), ENT_OK);
        count++;
    } while (m->count < m->capacity);
    ent_transform_defer(w, 1);
    for (row = 0; row < count; row++) {
        const TransformRecord pose = tame_pose(&random);
        ent_transform_set_local(w, row, &pose);
        rows[row] = row;
    }
    assert_int_equal(ent_transform_update(w), count);
    for (row = 0; row + 1 < count; row += 3) { /* each before its parent */
        const Entity child = m->entity[row], parent = m->entity[row + 1];
        assert_int_equal(ent_transform_reparent(w, child, parent), ENT_OK);
    }
    ent_transform_touch(w, rows, count);
    assert_int_equal(ent_transform_update(w), count);
    assert_int_equal(m->count, m->capacity);
    assert_matrices_fit(w);
    ent_world_destroy(w);
}

/* Rows that wait for the update are found after the arrays have grown and rows were removed and
 * created again, at all places up to the capacity. */
static void marks_of_rows_survive_growth_and_removal(void** state) {
    enum { VALUES_MAX = 3000 };
    Random        random = {test_seed("marks", 4)};
    static Entity entity[VALUES_MAX];
    u32           row;
    UNUSED(state);
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            w = world_new(&desc);
    Manager*          m = transforms_of(w);
    u32               count = 0;
    assert_int_equal(ent_entity_create(w, entity, VALUES_MAX), ENT_OK);
    for (u32 round = 0; count < VALUES_MAX; round++) {
        for (u32 k = random_below(&random, 100); k > 0 && count < VALUES_MAX; k--) {
            assert_int_equal(ent_manager_create(w, m, entity[count++], &row), ENT_OK);
        }
        ent_transform_defer(w, 1);
        for (u32 k = 0; k < 30; k++) {
            const u32 i = random_below(&random, count);
            tree_move(w, entity[i], (f32)k);
            if (random_below(&random, 3)) continue;
            ent_manager_remove(w, m, ent_transform_row(w, entity[i]));
            assert_int_equal(ent_manager_create(w, m, entity[i], &row), ENT_OK);
        }
        if (round % 3 == 0) continue;
        ent_transform_update(w);
        assert_matrices_fit(w);
        if (round % 7 == 0) ent_transform_defer(w, 0);
    }
    ent_world_destroy(w);
    assert_int_equal(counting.live_bytes, 0);
}

TEST_SUITE(deferred) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deferred_updates_equal_immediate_ones_bit_by_bit),
        cmocka_unit_test(deferred_attach_equals_immediate_one_up_to_rounding),
        cmocka_unit_test(row_that_moved_thrice_stays_in_tail_for_five_updates),
        cmocka_unit_test(rows_that_move_in_turn_stay_at_their_places),
        cmocka_unit_test(row_that_keeps_moving_stays_in_tail),
        cmocka_unit_test(long_chain_in_any_order_is_sorted_with_few_moves),
        cmocka_unit_test(update_without_changes_writes_nothing),
        cmocka_unit_test(rows_exchanged_in_full_arrays_keep_matrices_of_roots),
        cmocka_unit_test(marks_of_rows_survive_growth_and_removal),
    };
    return TEST_RUN("deferred", tests);
}
