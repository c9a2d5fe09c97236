/* test_join.c - a loop over entities with several types visits what a search through all rows finds, in the order of
 * the first type. */
#include <stdlib.h>

#include "join.h"
#include "test_scene.h"
#include "test_worlds_support.h"
#include "world_internal.h"

#define ENTITIES 400

/* All instances of the first type, one per visit, and for the others the first row of the same owner. */
static u32 visited_by_search(const Manager* const* types, u32 count, u32 out[][JOIN_TYPES_MAX]) {
    u32 visits = 0;
    for (u32 row = 0; row < types[0]->count; row++) {
        u32 found = 1;
        out[visits][0] = row;
        for (u32 k = 1; k < count; k++) {
            for (u32 i = 0; i < types[k]->count; i++) {
                const Manager* m = types[k];
                if (m->entity[i] != types[0]->entity[row]) continue;
                /* Of several, the one that no other one refers to. */
                bool first = true;
                for (u32 j = 0; m->next && j < m->count; j++) first &= m->next[j] != i;
                if (!first) continue;
                out[visits][k] = i;
                found++;
                break;
            }
        }
        visits += found == count;
    }
    return visits;
}

static World* world_random(Random* r, Entity* e) {
    World* w;
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    assert_int_equal(ent_entity_create(w, e, ENTITIES), ENT_OK);
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager*  m = &w->manager[i];
        const u32 instances = ENTITIES * random_below(r, 4) / 2;
        u32       row;
        for (u32 k = 0; k < instances; k++) {
            const ent_status status = ent_manager_create(w, m, e[random_below(r, ENTITIES)], &row);
            if (status != ENT_EXISTS) assert_int_equal(status, ENT_OK);
        }
    }
    ent_entity_destroy(w, e, ENTITIES / 4);
    return w;
}

static void join_visits_what_a_search_of_all_rows_finds(void** state) {
    static u32 expected[2 * ENTITIES][JOIN_TYPES_MAX];
    Random     r = {test_seed("join", 8)};
    Entity     e[ENTITIES];
    u32        visits = 0, of_several = 0;
    UNUSED(state);
    for (u32 round = 0; round < 200; round++) {
        World*         w = world_random(&r, e);
        const Manager* types[JOIN_TYPES_MAX];
        const u32      count = 1 + round % JOIN_TYPES_MAX;
        for (u32 k = 0; k < count; k++) types[k] = &w->manager[random_below(&r, w->manager_count)];
        const u32 wanted = visited_by_search(types, count, expected);
        u32       at = 0;
        EntJoin   join = ent_join_of(w, types, count);
        while (ent_join_next(&join)) {
            assert_true(at < wanted);
            assert_memory_equal(join.row, expected[at], sizeof(u32) * count);
            assert_int_equal(join.entity, types[0]->entity[join.row[0]]);
            at++;
        }
        assert_int_equal(at, wanted);
        assert_false(ent_join_next(&join));
        visits += wanted;
        for (u32 k = 0; k < count; k++) of_several += types[k]->next && wanted;
        ent_world_destroy(w);
    }
    assert_true(visits > 1000 && of_several > 20);
}

/* Rows of destroyed entities stay in a manager that collects lazily; a type that is not registered has none. */
static void join_leaves_out_destroyed_entities_and_missing_types(void** state) {
    static const Field      field = {.name = "value", .kind = FIELD_u32, .bytes = 4};
    static const RecordType record = {"slow", &field, 1, 4};
    const ManagerDesc       desc = {.type = {.record = record, .order = 5000, .columns = BY_FIELD},
                                    .lazy = 1};
    World*                  w;
    Entity                  e[3];
    u32                     row;
    UNUSED(state);
    assert_int_equal(ent_world_create(&w, NULL), ENT_OK);
    assert_int_equal(ent_world_register(w, &desc), ENT_OK);
    assert_int_equal(ent_entity_create(w, e, 3), ENT_OK);
    Manager* slow = ent_world_manager_by_name(w, "slow");
    Manager* transforms = ent_world_built_in(w, COMPONENT_TRANSFORM);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(ent_manager_create(w, slow, e[i], &row), ENT_OK);
        assert_int_equal(ent_manager_create(w, transforms, e[i], &row), ENT_OK);
    }
    ent_entity_destroy(w, &e[1], 1);
    assert_int_equal(slow->count, 3);
    EntJoin join = ENT_JOIN(w, slow, transforms);
    u32     count = 0;
    for (; ent_join_next(&join); count++) assert_int_not_equal(join.entity, e[1]);
    assert_int_equal(count, 2);
    join = ENT_JOIN(w, slow);
    for (count = 0; ent_join_next(&join); count++) assert_int_not_equal(join.entity, e[1]);
    assert_int_equal(count, 2);
    join = ENT_JOIN(w, transforms, ent_world_manager_by_name(w, "nothing"));
    assert_false(ent_join_next(&join));
    join = ENT_JOIN(w, ent_world_manager_by_name(w, "nothing"), transforms);
    assert_false(ent_join_next(&join));
    ent_world_destroy(w);
}

TEST_SUITE(join) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(join_visits_what_a_search_of_all_rows_finds),
        cmocka_unit_test(join_leaves_out_destroyed_entities_and_missing_types),
    };
    return TEST_RUN("join", tests);
}
