/* test_managers.c - rows: created, found, removed, moved and exchanged, for each way to store a
 * type, compared with a plain array; the callbacks for each of these; and the links of transforms
 * under the same operations. */
#include "test_mirror.h"
#include "world_internal.h"

#include <stdlib.h>

/* --- single instances --- */

static void instances_created_and_removed_keep_order_of_rest(void** state) {
    World* world = world_wide(NULL);
    Entity entities[3];
    u32    rows[5];
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, 3), ENT_OK);
    for (u32 t = 0; t < ALL_TYPES; t++) {
        const ComponentType* type = all_types()[t];
        Manager*             m = manager_of(world, type);
        const u32            count = type->several == SEVERAL ? 5 : 1;
        u8                   record[RECORD_MAX], got[RECORD_MAX];
        record_defaults(&type->record, record);
        for (u32 f = 0; f < type->record.field_count; f++) {
            const Field* field = &type->record.fields[f];
            if (field->kind == FIELD_EntityRef) memset(record + field->offset, 0, 4);
        }
        for (u32 e = 0; e < 3; e++) {
            for (u32 k = 0; k < count; k++) {
                assert_int_equal(ent_manager_create(world, m, entities[e], &rows[k]), ENT_OK);
                assert_int_equal(rows[k], e * count + k);
                assert_row_is(m, rows[k], entities[e], record);
            }
            u32 row = ent_manager_row(m, world->entities, entities[e]);
            for (u32 k = 0; k < count; k++) {
                assert_int_equal(row, rows[k]);
                row = ent_manager_next(m, row);
            }
            assert_int_equal(row, MANAGER_NO_ROW);
        }
        /* Rows of the first entity are removed, from the middle on: the order of the others is
         * kept. */
        row_record(m, 0, got);
        for (u32 left = count; left > 0; left--) {
            u32 row = ent_manager_row(m, world->entities, entities[0]);
            for (u32 k = 0; k < left / 2; k++) row = ent_manager_next(m, row);
            ent_manager_remove(world, m, row);
            u32 seen = 0;
            for (row = ent_manager_row(m, world->entities, entities[0]); row != MANAGER_NO_ROW;
                 row = ent_manager_next(m, row)) {
                assert_int_equal(m->entity[row], entities[0]);
                seen++;
            }
            assert_int_equal(seen, left - 1);
        }
        assert_int_equal(m->count, 2 * count);
        assert_true(ent_entity_alive(world->entities, entities[0]));
    }
    ent_world_destroy(world);
}

/* A new row is zero in the columns that only the runtime has, also where another row was stored
 * before. */
static void extra_columns_of_new_row_are_zero_and_move_with_it(void** state) {
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world = world_wide(&desc);
    Entity            entities[4];
    UNUSED(state);
    assert_int_equal(ent_entity_create(world, entities, 4), ENT_OK);
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        Manager*  m = manager_of(world, &plugin_types()[t]);
        const u32 record_columns = ent_component_column_count(&m->desc.type);
        u32       row;
        assert_int_equal(m->column_count, record_columns + 2);
        for (u32 round = 0; round < 3; round++) {
            for (u32 e = 0; e < 4; e++) {
                const u64 mark = 0x1111111111111111u * (e + 1);
                assert_int_equal(ent_manager_create(world, m, entities[e], &row), ENT_OK);
                assert_true(((u64*)m->column[record_columns])[row] == 0);
                assert_true(((u32*)m->column[record_columns + 1])[row] == 0);
                ((u64*)m->column[record_columns])[row] = mark;
                ((u32*)m->column[record_columns + 1])[row] = (u32)mark;
            }
            for (u32 e = 0; e < 3; e++) {
                ent_manager_remove(world, m, ent_manager_row(m, world->entities, entities[e]));
                for (u32 k = e + 1; k < 4; k++) {
                    const u64 mark = 0x1111111111111111u * (k + 1);
                    row = ent_manager_row(m, world->entities, entities[k]);
                    assert_true(((u64*)m->column[record_columns])[row] == mark);
                    assert_true(((u32*)m->column[record_columns + 1])[row] == (u32)mark);
                }
            }
            ent_manager_remove(world, m, 0);
            assert_int_equal(m->count, 0);
        }
    }
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
}

/* --- every way to store a type, compared with a plain array --- */

#define WAYS     8
#define OWNERS   40
#define ROWS_MAX 160 /* and some entities have up to a dozen rows */

typedef struct PlainRow {
    Entity    entity;
    u32       serial; /* in the order of creation */
    TagRecord record;
} PlainRow;

typedef struct Plain {
    World*   world;
    Manager* m;
    Entity   entity[OWNERS];
    PlainRow row[ROWS_MAX];
    u32      count, serial;
    /* Recorded by the callbacks. */
    u32 shadow[2 * ROWS_MAX + 64];              /* serial in each row, 0: none */
    u32 removed, moved, cleared, spawned, gone; /* gone: serial of the row removed last */
} Plain;

static Plain plain;

static u32 extra_serial(const Manager* m, u32 row) {
    return ((const u32*)m->column[ent_component_column_count(&m->desc.type) + 1])[row];
}

static void plain_removed(Manager* m, u32 row) {
    assert_true(row < m->count);
    assert_int_equal(extra_serial(m, row), plain.shadow[row]); /* can still be read */
    plain.gone = plain.shadow[row];
    plain.shadow[row] = 0;
    plain.removed++;
}

static void plain_moved(Manager* m, u32 from, u32 to) {
    assert_true(from <= m->count && to <= m->count && from != to);
    assert_int_not_equal(plain.shadow[from], 0);
    assert_int_equal(plain.shadow[to], 0); /* the target row is free */
    assert_int_equal(extra_serial(m, from), plain.shadow[from]);
    plain.shadow[to] = plain.shadow[from];
    plain.shadow[from] = 0;
    plain.moved++;
}

static void plain_cleared(Manager* m) {
    assert_true(m->count > 0);
    memset(plain.shadow, 0, sizeof plain.shadow);
    plain.cleared++;
}

static void plain_spawn(World* world, Manager* m, const SpawnBatch* batch) {
    UNUSED(world);
    const u32 count = m->count;
    assert_int_equal(ent_manager_append(m, batch), count);
    assert_int_equal(m->count, count + batch->count);
    plain.spawned += batch->count;
}

/* way: bit 0 SEVERAL, bit 1 BY_FIELD, bit 2 DIRECT. */
static void plain_open(u32 way, bool spawner) {
    ManagerDesc desc = {.type = plugin_types()[PLUGIN_tag],
                        .extra_bytes = {3, 4, 16},
                        .removed = plain_removed,
                        .moved = plain_moved,
                        .cleared = plain_cleared,
                        .spawn = spawner ? plain_spawn : NULL};
    desc.type.several = way & 1 ? SEVERAL : SINGLE;
    desc.type.columns = way & 2 ? BY_FIELD : BY_RECORD;
    desc.type.lookup = way & 4 ? DIRECT : HASHED;
    desc.type.record.name = "way";
    plain = (Plain){.world = world_new(NULL)};
    assert_int_equal(ent_world_register(plain.world, &desc), ENT_OK);
    plain.m = ent_world_manager_by_name(plain.world, "way");
    assert_int_equal(plain.m->desc.type.lookup, desc.type.lookup);
    assert_int_equal(ent_entity_create(plain.world, plain.entity, OWNERS), ENT_OK);
}

static u32 plain_rows_of(Entity entity) {
    u32 rows = 0;
    for (u32 i = 0; i < plain.count; i++) rows += plain.row[i].entity == entity;
    return rows;
}

/* Writes the values of the plain row into the columns of a row. */
static void plain_write(u32 row, const PlainRow* p) {
    const ComponentType* type = &plain.m->desc.type;
    const u32            columns = ent_component_column_count(type);
    for (u32 c = 0; c < columns; c++) {
        memcpy(ent_manager_get(plain.m, row, c),
               (const u8*)&p->record + ent_component_column_offset(type, c),
               ent_component_column_bytes(type, c));
    }
    const u8 wide[16] = {(u8)p->serial, 1, 2, 3};
    memcpy(ent_manager_get(plain.m, row, columns), wide, 3);
    memcpy(ent_manager_get(plain.m, row, columns + 1), &p->serial, 4);
    memcpy(ent_manager_get(plain.m, row, columns + 2), wide, 16);
}

static void plain_create(Random* r) {
    const Entity entity = plain.entity[random_below(r, OWNERS)];
    const bool   several = plain.m->desc.type.several == SEVERAL;
    const u32    has = plain_rows_of(entity), before = plain.spawned;
    u32          row = 12345;
    if (plain.count == ROWS_MAX) return;
    const ent_status status = ent_manager_create(plain.world, plain.m, entity, &row);
    assert_int_equal(status, has && !several ? ENT_EXISTS : ENT_OK);
    if (status != ENT_OK) {
        assert_int_equal(row, 12345);
        return;
    }
    assert_int_equal(row, plain.count);
    assert_int_equal(plain.spawned - before, plain.m->desc.spawn != NULL);
    const u32 columns = ent_component_column_count(&plain.m->desc.type);
    for (u32 c = 0; c < 3; c++) { /* begins with zeros and default values */
        const u8* extra = ent_manager_get(plain.m, row, columns + c);
        for (u32 b = 0; b < plain.m->column_bytes[columns + c]; b++) assert_int_equal(extra[b], 0);
    }
    const TagRecord usual = {.color = 7, .at = {1, 2}};
    assert_row_is(plain.m, row, entity, (const u8*)&usual);
    PlainRow* p = &plain.row[plain.count++];
    *p = (PlainRow){.entity = entity, .serial = ++plain.serial};
    random_record(r, &plain.m->desc.type.record, 1, &p->record);
    plain_write(row, p);
    plain.shadow[row] = p->serial;
}

static void plain_remove(u32 row) {
    const u32 serial = plain.row[row].serial, removed = plain.removed, moved = plain.moved;
    ent_manager_remove(plain.world, plain.m, row);
    plain.row[row] = plain.row[--plain.count];
    assert_int_equal(plain.removed, removed + 1);
    assert_int_equal(plain.gone, serial);
    assert_int_equal(plain.moved - moved, row != plain.count);
}

static void plain_remove_keep_order(u32 row) {
    const u32 serial = plain.row[row].serial, removed = plain.removed, moved = plain.moved;
    ent_manager_remove_keep_order(plain.world, plain.m, row);
    plain.count--;
    memmove(&plain.row[row], &plain.row[row + 1], sizeof *plain.row * (plain.count - row));
    assert_int_equal(plain.removed, removed + 1);
    assert_int_equal(plain.gone, serial);
    assert_int_equal(plain.moved - moved, plain.count - row);
}

static void plain_move_item(u32 from, u32 to) {
    const PlainRow row = plain.row[from];
    const u32      moved = plain.moved, far = from > to ? from - to : to - from;
    ent_manager_move_item(plain.world, plain.m, from, to);
    for (u32 i = from; i < to; i++) plain.row[i] = plain.row[i + 1];
    for (u32 i = from; i > to; i--) plain.row[i] = plain.row[i - 1];
    plain.row[to] = row;
    assert_int_equal(plain.moved - moved, far ? far + 2 : 0);
}

static void plain_swap(u32 a, u32 b) {
    const PlainRow row = plain.row[a];
    const u32      moved = plain.moved;
    ent_manager_swap(plain.world, plain.m, a, b);
    plain.row[a] = plain.row[b];
    plain.row[b] = row;
    assert_int_equal(plain.moved - moved, a == b ? 0 : 3);
}

/* Every row of an entity is removed, and no callback is called for another. */
static void plain_destroy(Random* r) {
    const u32 at = random_below(r, OWNERS), removed = plain.removed;
    const u32 rows = plain_rows_of(plain.entity[at]);
    assert_int_equal(ent_entity_destroy(plain.world, &plain.entity[at], 1), 1);
    assert_int_equal(plain.removed - removed, rows);
    u32 row = 99;
    assert_int_equal(ent_manager_create(plain.world, plain.m, plain.entity[at], &row), ENT_STALE);
    assert_int_equal(row, 99);
    /* The manager decides which row fills which hole: the rest is read from it. */
    const u32 count = plain.count;
    PlainRow  old[ROWS_MAX];
    memcpy(old, plain.row, sizeof old);
    plain.count -= rows;
    for (u32 i = 0; i < plain.count; i++) {
        u32 from = 0;
        while (from < count && old[from].serial != extra_serial(plain.m, i)) from++;
        assert_true(from < count && old[from].entity != plain.entity[at]);
        plain.row[i] = old[from];
    }
    assert_int_equal(ent_entity_create(plain.world, &plain.entity[at], 1), ENT_OK);
}

static void plain_clear(void) {
    const u32 before = plain.cleared, removed = plain.removed;
    ent_world_clear(plain.world);
    assert_int_equal(plain.cleared - before, plain.count > 0);
    assert_int_equal(plain.removed, removed);
    plain.count = 0;
    assert_int_equal(ent_entity_create(plain.world, plain.entity, OWNERS), ENT_OK);
}

/* The rows of an entity are a chain in the order of their creation. */
static void plain_check_chain(Entity entity) {
    u32 row = ent_manager_row(plain.m, plain.world->entities, entity), serial = 0, seen = 0;
    assert_int_equal(ent_manager_contains(plain.m, plain.world->entities, entity),
                     row != MANAGER_NO_ROW);
    for (; row != MANAGER_NO_ROW; row = ent_manager_next(plain.m, row)) {
        assert_true(row < plain.count);
        assert_int_equal(plain.row[row].entity, entity);
        assert_true(plain.row[row].serial > serial);
        serial = plain.row[row].serial;
        seen++;
    }
    assert_int_equal(seen, plain_rows_of(entity));
}

static void plain_check(void) {
    const u32 columns = ent_component_column_count(&plain.m->desc.type);
    assert_int_equal(ent_manager_count(plain.m), plain.count);
    for (u32 i = 0; i < plain.count; i++) {
        const PlainRow* p = &plain.row[i];
        const u8        wide[16] = {(u8)p->serial, 1, 2, 3};
        assert_int_equal(ent_manager_entity_at(plain.m, i), p->entity);
        assert_row_is(plain.m, i, p->entity, (const u8*)&p->record);
        assert_int_equal(extra_serial(plain.m, i), p->serial);
        assert_memory_equal(ent_manager_get(plain.m, i, columns), wide, 3);
        assert_memory_equal(ent_manager_get(plain.m, i, columns + 2), wide, 16);
        assert_int_equal(plain.shadow[i], p->serial);
    }
    for (u32 i = plain.count; i < COUNT_OF(plain.shadow); i++) {
        assert_int_equal(plain.shadow[i], 0);
    }
    for (u32 e = 0; e < OWNERS; e++) plain_check_chain(plain.entity[e]);
}

static void plain_step(Random* r) {
    const u32 what = random_below(r, 100);
    const u32 a = random_below(r, plain.count), b = random_below(r, plain.count);
    if (what < 50)
        plain_create(r);
    else if (what == 50 && random_below(r, 4) == 0)
        plain_clear();
    else if (plain.count == 0)
        return;
    else if (what < 62)
        plain_remove(a);
    else if (what < 72)
        plain_remove_keep_order(a);
    else if (what < 84)
        plain_move_item(a, b);
    else if (what < 96)
        plain_swap(a, b);
    else
        plain_destroy(r);
}

static void rows_after_random_operations_equal_a_plain_array(void** state) {
    Random random = {test_seed("plain array", 2)};
    UNUSED(state);
    for (u32 way = 0; way < 2 * WAYS; way++) {
        plain_open(way % WAYS, way >= WAYS);
        for (u32 step = 0; step < 2000; step++) {
            plain_step(&random);
            if (step % 4 == 0) plain_check();
        }
        plain_check();
        const u32 before = plain.cleared, rows = plain.count;
        ent_world_destroy(plain.world); /* removes all rows at once */
        assert_int_equal(plain.cleared - before, rows > 0);
    }
}

/* --- refusals --- */

static void instance_of_null_entity_or_beyond_limit_is_refused(void** state) {
    World*                   world = world_wide(NULL);
    Manager*                 tags = manager_of(world, &plugin_types()[PLUGIN_tag]);
    static const char* const names[] = {"a", "b", "c", "d"};
    Field                    field[4];
    ManagerDesc              large = {.type = plugin_types()[PLUGIN_tag]};
    Entity                   entity;
    u32                      row = 77;
    UNUSED(state);
    assert_int_equal(ent_manager_create(world, tags, ENTITY_NULL, &row), ENT_STALE);
    assert_int_equal(ent_manager_create(world, tags, UINT32_MAX, &row), ENT_STALE);
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    tags->count = 1u << 28; /* simulates the maximum number of rows */
    assert_int_equal(ent_manager_create(world, tags, entity, &row), ENT_LIMIT);
    tags->count = 0;
    assert_int_equal(row, 77);
    assert_int_equal(ent_manager_create(world, tags, entity, &row), ENT_OK);
    assert_int_equal(row, 0);
    ent_world_destroy(world);

    world = world_new(NULL);
    large.type.record.bytes = MANAGER_RECORD_BYTES_MAX + 4;
    assert_int_equal(ent_world_register(world, &large), ENT_LIMIT);
    for (u32 i = 0; i < COUNT_OF(field); i++) {
        field[i] = (Field){.name = names[i], .kind = FIELD_Vec4, .offset = 256 * i, .bytes = 256};
    }
    large.type.record =
        (RecordType){large.type.record.name, field, COUNT_OF(field), MANAGER_RECORD_BYTES_MAX};
    large.type.columns = BY_RECORD;
    assert_int_equal(ent_world_register(world, &large), ENT_OK);
    assert_int_equal(ent_entity_create(world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(world, manager_of(world, &large.type), entity, &row),
                     ENT_OK);
    ent_world_destroy(world);
}

/* --- transforms are ordinary rows --- */

static void transform_trade(Mirror* mirror, Random* r) {
    World*    w = mirror->world;
    Manager*  m = manager_of(w, mirror->type[mirror->transform]);
    const u32 front = m->count - m->tail, a = random_below(r, m->count);
    const u32 b = a < front ? random_below(r, front) : front + random_below(r, m->tail);
    if (m->count == 0) return;
    if (random_below(r, 3))
        ent_manager_swap(w, m, a, b);
    else
        ent_manager_move_item(w, m, a, b);
}

static void transform_remove(Mirror* mirror, Random* r) {
    Manager*  m = manager_of(mirror->world, mirror->type[mirror->transform]);
    const u32 row = random_below(r, m->count);
    if (m->count == 0) return;
    MirrorEntity* e = mirror_find(mirror, m->entity[row]);
    if (random_below(r, 2))
        ent_manager_remove(mirror->world, m, row);
    else
        ent_manager_remove_keep_order(mirror->world, m, row);
    e->count[mirror->transform] = 0;
    mirror_orphan(mirror, e);
    mirror_set_parent(mirror, e, ENTITY_NULL);
}

/* A removed transform is created again, under an entity that has one. */
static void transform_return(Mirror* mirror, Random* r) {
    Manager*      m = manager_of(mirror->world, mirror->type[mirror->transform]);
    MirrorEntity* e = mirror->at[random_below(r, mirror->count)];
    MirrorEntity* parent = mirror->at[random_below(r, mirror->count)];
    u32           row;
    if (e->count[mirror->transform]) return;
    assert_int_equal(ent_manager_create(mirror->world, m, e->id, &row), ENT_OK);
    row_record(m, row, e->record[mirror->transform][0]);
    e->count[mirror->transform] = 1;
    if (parent == e || !parent->count[mirror->transform]) return;
    assert_int_equal(ent_transform_reparent(mirror->world, e->id, parent->id), ENT_OK);
    mirror_set_parent(mirror, e, parent->id);
}

static void links_between_transforms_survive_moved_rows(void** state) {
    Random           random = {test_seed("links", 3)};
    const SceneShape shape = {
        .entity_count = 200, .reach = 12, .roots = 25, .share = 0, .transform = 90};
    Entity entities[200];
    UNUSED(state);
    for (u32 round = 0; round < 4; round++) {
        World* world = world_wide(NULL);
        Scene  s;
        Mirror mirror;
        scene_open(&s, &random, all_types(), ALL_TYPES, shape);
        mirror_open(&mirror, world, all_types(), ALL_TYPES);
        if (round % 2) ent_transform_defer(world, 1);
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, entities), ENT_OK);
        mirror_spawn(&mirror, &s, entities);
        for (u32 step = 0; step < 1500; step++) {
            const u32 what = random_below(&random, 10);
            if (what < 7)
                transform_trade(&mirror, &random);
            else if (what < 8)
                transform_remove(&mirror, &random);
            else
                transform_return(&mirror, &random);
            if (step % 10) continue;
            mirror_check_rows(&mirror, mirror.transform);
            mirror_check_links(&mirror);
            if (round % 2 && step % 50) continue;
            ent_transform_update(world);
            mirror_check_matrices(&mirror);
        }
        mirror_close(&mirror);
        scene_close(&s);
        ent_world_destroy(world);
    }
}

/* --- rows of many entities --- */

/* The owners of the rows that are left: the last ones are in the holes, in their order. */
static u32 owners_after(const Manager* m, u32 first, u32 count, Entity* owners) {
    const u32 stay = m->count - count;
    u32       from = MAX_OF(stay, first + count);
    for (u32 row = 0; row < stay; row++) {
        const bool is_hole = row >= first && row < first + count;
        owners[row] = m->entity[is_hole ? from++ : row];
    }
    return stay;
}

static void adjacent_rows_that_leave_are_filled_in_order(void** state) {
    Random           random = {test_seed("adjacent rows", 4)};
    const SceneShape shape = {
        .entity_count = 400, .reach = 12, .roots = 25, .share = 40, .transform = 100};
    Entity gone[400], owners[400];
    UNUSED(state);
    for (u32 round = 0; round < 6; round++) {
        World* world = world_wide(NULL);
        Scene  s;
        Mirror mirror;
        scene_open(&s, &random, all_types(), ALL_TYPES, shape);
        mirror_open(&mirror, world, all_types(), ALL_TYPES);
        ent_transform_defer(world, round % 2);
        assert_int_equal(ent_world_spawn(world, &s.blob, NULL, gone), ENT_OK);
        mirror_spawn(&mirror, &s, gone);
        const Manager* m = manager_of(world, mirror.type[mirror.transform]);
        while (m->count) {
            const u32 count = 1 + random_below(&random, MIN_OF(m->count, 40u));
            const u32 first = random_below(&random, m->count - count + 1);
            memcpy(gone, &m->entity[first], sizeof(Entity) * count);
            const u32 left = owners_after(m, first, count, owners);
            assert_int_equal(ent_entity_destroy(world, gone, count), count);
            assert_int_equal(m->count, left);
            if (!m->deferred) assert_memory_equal(m->entity, owners, sizeof(Entity) * left);
            for (u32 i = 0; i < count; i++) mirror_destroy(&mirror, gone[i]);
            if (random_below(&random, 2)) continue;
            ent_transform_update(world);
            mirror_check(&mirror);
        }
        mirror_close(&mirror);
        scene_close(&s);
        ent_world_destroy(world);
    }
}

TEST_SUITE(managers) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_created_and_removed_keep_order_of_rest),
        cmocka_unit_test(extra_columns_of_new_row_are_zero_and_move_with_it),
        cmocka_unit_test(rows_after_random_operations_equal_a_plain_array),
        cmocka_unit_test(instance_of_null_entity_or_beyond_limit_is_refused),
        cmocka_unit_test(links_between_transforms_survive_moved_rows),
        cmocka_unit_test(adjacent_rows_that_leave_are_filled_in_order),
    };
    return TEST_RUN("managers", tests);
}
