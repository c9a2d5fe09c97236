/* test_manager_watch.c - the watches of managers: a copy that follows the reported rows only is equal to the
 * world after random operations, and the bits are those of the rows that changed. */
#include "test_simulate.h"

#include <stdlib.h>

#include "manager_watch.h"
#include "rows.h"
#include "transform_internal.h"
#include "world_internal.h"

/* --- a copy of a world --- */

typedef struct Copy {
    ManagerWatch watch;
    u32          type, column_count;
    u32          bytes[MANAGER_COLUMNS_MAX];
    u8*          column[MANAGER_COLUMNS_MAX]; /* [watch.capacity] */
    Entity*      entity;                      /* [watch.capacity] */
} Copy;

static struct {
    World* world;
    Copy   of[WORLD_MANAGERS_MAX];
    u32    count;
} copies[2];

/* Extra columns of hosts are written without a report. */
static u32 columns_to_copy(const Manager* m) {
    const u32 record_columns = ent_component_column_count(&m->desc.type);
    return m->hooks == &transform_hooks ? record_columns + 1 : record_columns;
}

static void copy_all(Copy* c, const Manager* m) {
    if (m->count > c->watch.capacity) {
        c->watch.capacity = m->count + 3;
        c->watch.changed =
            realloc(c->watch.changed, MANAGER_WATCH_WORDS(c->watch.capacity) * sizeof(u64));
        c->entity = realloc(c->entity, c->watch.capacity * sizeof(Entity));
        for (u32 i = 0; i < c->column_count; i++)
            c->column[i] = realloc(c->column[i], (size_t)c->watch.capacity * c->bytes[i]);
    }
    memset(c->watch.changed, 0, MANAGER_WATCH_WORDS(c->watch.capacity) * sizeof(u64));
    c->watch.overflow = 0;
    memcpy(c->entity, m->entity, m->count * sizeof(Entity));
    for (u32 i = 0; i < c->column_count; i++)
        memcpy(c->column[i], m->column[i], (size_t)m->count * c->bytes[i]);
}

static bool bit_take(Copy* c, u32 row) {
    const u64  bit = (u64)1 << row % 64;
    const bool is_set = c->watch.changed[row / 64] & bit;
    c->watch.changed[row / 64] &= ~bit;
    return is_set;
}

static void copy_follow(Copy* c, const Manager* m) {
    if (c->watch.overflow || m->count > c->watch.capacity) {
        copy_all(c, m);
        return;
    }
    for (u32 row = 0; row < c->watch.capacity; row++) {
        if (!bit_take(c, row) || row >= m->count) continue;
        c->entity[row] = m->entity[row];
        for (u32 i = 0; i < c->column_count; i++)
            memcpy(c->column[i] + (size_t)row * c->bytes[i], ent_manager_get(m, row, i),
                   c->bytes[i]);
    }
}

static void copies_open(u32 which, World* world) {
    copies[which].world = world;
    copies[which].count = world->manager_count;
    for (u32 i = 0; i < world->manager_count; i++) {
        Manager* m = &world->manager[i];
        Copy*    c = &copies[which].of[i];
        *c = (Copy){.type = m->desc.type.id, .column_count = columns_to_copy(m)};
        memcpy(c->bytes, m->column_bytes, sizeof c->bytes);
        c->watch.capacity = i % 2 ? 0 : 64 * i;
        c->watch.changed = calloc(MANAGER_WATCH_WORDS(c->watch.capacity) + 1, sizeof(u64));
        c->entity = calloc(c->watch.capacity + 1, sizeof(Entity));
        for (u32 k = 0; k < c->column_count; k++)
            c->column[k] = calloc((size_t)c->watch.capacity + 1, c->bytes[k]);
        ent_manager_watch(m, &c->watch);
    }
}

/* Poses of a deferred change are reported with their matrices. */
static void copies_check(u32 which, bool clean) {
    for (u32 i = 0; i < copies[which].count; i++) {
        Copy*          c = &copies[which].of[i];
        const Manager* m = ent_world_manager(copies[which].world, c->type);
        copy_follow(c, m);
        if (m->count) assert_memory_equal(c->entity, m->entity, m->count * sizeof(Entity));
        if (m->hooks == &transform_hooks && !clean) continue;
        for (u32 k = 0; k < c->column_count && m->count; k++) {
            if (memcmp(c->column[k], m->column[k], (size_t)m->count * c->bytes[k]) != 0)
                fail_msg("column %u of %s differs", k, m->desc.type.record.name);
        }
    }
}

static void copies_close(u32 which) {
    for (u32 i = 0; i < copies[which].count; i++) {
        Copy* c = &copies[which].of[i];
        ent_manager_unwatch(ent_world_manager(copies[which].world, c->type), &c->watch);
        for (u32 k = 0; k < c->column_count; k++) free(c->column[k]);
        free(c->entity);
        free(c->watch.changed);
    }
}

static void copy_of_reported_rows_equals_world_after_random_operations(void** state) {
    const SimWatcher watcher = {copies_open, copies_check, copies_close};
    UNUSED(state);
    for (u64 seed = 100; seed < 108; seed++) sim_play(seed, 1250, 4, &watcher);
}

/* --- single bits --- */

enum { ROWS = 300 };

static World* world_of_rows(Entity* entities) {
    World* world = world_new(&(WorldDesc){0});
    u32    row;
    assert_int_equal(ent_entity_create(world, entities, ROWS), ENT_OK);
    for (u32 i = 0; i < ROWS; i++)
        assert_int_equal(ent_manager_create(world, world_transforms(world), entities[i], &row),
                         ENT_OK);
    return world;
}

static u32 bits_of(const ManagerWatch* watch) {
    u32 count = 0;
    for (u32 i = 0; i < watch->capacity; i++) count += watch->changed[i / 64] >> i % 64 & 1;
    return count;
}

static bool has_bit(const ManagerWatch* watch, u32 row) {
    return watch->changed[row / 64] >> row % 64 & 1;
}

static void moving_entity_marks_its_subtree_in_every_watch(void** state) {
    UNUSED(state);
    Entity       entities[ROWS];
    World*       world = world_of_rows(entities);
    Manager*     m = world_transforms(world);
    u64          words[2][MANAGER_WATCH_WORDS(ROWS)] = {{0}};
    ManagerWatch watch[2] = {{.changed = words[0], .capacity = ROWS},
                             {.changed = words[1], .capacity = 100}};
    const Entity parent = entities[70], child = entities[299];
    assert_int_equal(ent_transform_attach(world, child, parent, 0), ENT_OK);
    for (u32 i = 0; i < 2; i++) ent_manager_watch(m, &watch[i]);
    TransformRecord pose = ent_transform_local(world, 70);
    pose.position.x = 4;
    ent_transform_set_local(world, 70, &pose);
    assert_int_equal(bits_of(&watch[0]), 2);
    assert_true(has_bit(&watch[0], 70) && has_bit(&watch[0], ent_transform_row(world, child)));
    assert_int_equal(watch[0].moves, 0);
    assert_int_equal(bits_of(&watch[1]), 1);
    assert_int_equal(watch[1].overflow, 1); /* the child is behind its capacity */
    ent_manager_unwatch(m, &watch[0]);
    ent_transform_set_local(world, 3, &pose);
    assert_int_equal(bits_of(&watch[0]), 2);
    assert_int_equal(bits_of(&watch[1]), 2);
    ent_manager_unwatch(m, &watch[1]);
    ent_world_destroy(world);
}

static void removed_row_marks_the_row_that_fills_its_place(void** state) {
    UNUSED(state);
    Entity       entities[ROWS];
    World*       world = world_of_rows(entities);
    Manager*     m = world_transforms(world);
    u64          words[MANAGER_WATCH_WORDS(ROWS)] = {0};
    ManagerWatch watch = {.changed = words, .capacity = ROWS};
    ent_manager_watch(m, &watch);
    assert_int_equal(ent_entity_destroy(world, &entities[128], 1), 1);
    assert_int_equal(bits_of(&watch), 1);
    assert_true(has_bit(&watch, 128) && watch.moves > 0);
    const u32 moves = watch.moves;
    assert_int_equal(ent_entity_destroy(world, &entities[m->count - 1], 1), 1);
    assert_true(watch.moves > moves);
    assert_int_equal(watch.overflow, 0);
    ent_manager_unwatch(m, &watch);
    ent_world_destroy(world);
}

static void deferred_changes_are_reported_by_the_update(void** state) {
    UNUSED(state);
    Entity                entities[ROWS];
    World*                world = world_of_rows(entities);
    Manager*              m = world_transforms(world);
    u64                   words[MANAGER_WATCH_WORDS(ROWS)] = {0};
    ManagerWatch          watch = {.changed = words, .capacity = ROWS};
    const TransformRecord pose = ent_transform_local(world, 0);
    ent_transform_defer(world, 1);
    ent_manager_watch(m, &watch);
    for (u32 times = 0; times < 3; times++) {
        assert_int_equal(bits_of(&watch), times > 0);
        ent_transform_set_local(world, 65, &pose);
        assert_int_equal(bits_of(&watch), times > 0);
        assert_int_equal(ent_transform_update(world), 1);
        assert_true(has_bit(&watch, 65));
    }
    const u32 row = ent_transform_row(world, entities[65]);
    assert_true(row != 65 && has_bit(&watch, row)); /* it was swapped with another row */
    assert_int_equal(bits_of(&watch), 2);
    ent_manager_unwatch(m, &watch);
    ent_world_destroy(world);
}

static void ranges_of_rows_set_exactly_their_bits(void** state) {
    UNUSED(state);
    static const u32 ends[] = {0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 200};
    for (u32 a = 0; a < COUNT_OF(ends); a++) {
        for (u32 b = a; b < COUNT_OF(ends); b++) {
            u64          words[MANAGER_WATCH_WORDS(192) + 1] = {0};
            ManagerWatch watch = {.changed = words, .capacity = 192};
            watch_rows(&watch, ends[a], ends[b]);
            for (u32 row = 0; row < 192; row++)
                assert_int_equal(has_bit(&watch, row), row >= ends[a] && row < ends[b]);
            assert_int_equal(words[3], 0);
            assert_int_equal(watch.overflow, ends[b] > 192);
        }
    }
}

TEST_SUITE(manager_watch) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_of_reported_rows_equals_world_after_random_operations),
        cmocka_unit_test(moving_entity_marks_its_subtree_in_every_watch),
        cmocka_unit_test(removed_row_marks_the_row_that_fills_its_place),
        cmocka_unit_test(deferred_changes_are_reported_by_the_update),
        cmocka_unit_test(ranges_of_rows_set_exactly_their_bits)};
    return TEST_RUN("manager_watch", tests);
}
