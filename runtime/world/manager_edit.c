/* manager_edit.c - changes of single instances, which a game makes between frames. */
#include "fields.h"
#include "watch_internal.h"
#include "world_internal.h"

/* A batch of one instance with default values. */
static void batch_of_one(const ComponentType* type, u8* record, const void** columns) {
    record_defaults(&type->record, record);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        columns[c] = record + ent_component_column_offset(type, c);
    }
}

ent_status ent_manager_create(World* w, Manager* m, Entity entity, u32* row) {
    const ComponentType* type = &m->desc.type;
    _Alignas(16) u8      record[MANAGER_RECORD_BYTES_MAX];
    const void*          columns[COMPONENT_COLUMNS_MAX];
    u32                  scratch[2];
    const u32            index = 0, no_parent = MANAGER_NO_ROW;
    if (!ent_entity_alive(w->entities, entity)) return ENT_STALE;
    if (type->several == SINGLE && ent_manager_contains(m, w->entities, entity)) return ENT_EXISTS;

    TRY(world_reserve_one(w, m));
    batch_of_one(type, record, columns);
    const SpawnBatch batch = {.entities = &entity,
                              .parent_index = &no_parent,
                              .entity_count = 1,
                              .entity_end = 1,
                              .count = 1,
                              .entity_index = &index,
                              .columns = columns,
                              .scratch = scratch};
    *row = m->count;
    m->given++;
    manager_zero_extras(m, m->count, 1);
    if (m->desc.spawn)
        m->desc.spawn(w, m, &batch);
    else
        ent_manager_append(m, &batch);
    return ENT_OK;
}

void ent_manager_remove(World* w, Manager* m, u32 row) {
    UNUSED(w);
    manager_remove_row(m, row);
}

void ent_manager_remove_keep_order(World* w, Manager* m, u32 row) {
    UNUSED(w);
    assert(row < m->count);
    const bool in_tail = row >= m->count - m->tail;
    manager_take_row(m, row);
    for (u32 i = row + 1; i < m->count; i++) manager_move_row(m, i, i - 1);
    m->count--;
    if (in_tail) m->tail--;
    watch_moves(m->watch);
}

/* The row is stored past the end while those in between move by one. */
void ent_manager_move_item(World* w, Manager* m, u32 from, u32 to) {
    UNUSED(w);
    assert(from < m->count && to < m->count);
    assert((from < m->count - m->tail) == (to < m->count - m->tail));
    if (from == to) return;
    manager_move_row(m, from, m->count);
    for (u32 i = from; i < to; i++) manager_move_row(m, i + 1, i);
    for (u32 i = from; i > to; i--) manager_move_row(m, i - 1, i);
    manager_move_row(m, m->count, to);
}

void ent_manager_swap(World* w, Manager* m, u32 a, u32 b) {
    UNUSED(w);
    assert(a < m->count && b < m->count);
    assert((a < m->count - m->tail) == (b < m->count - m->tail));
    manager_swap_rows(m, a, b);
}

/* --- state --- */

ComponentType manager_state_type(const Manager* m) {
    ComponentType type = {.record = *m->desc.state,
                          .order = m->desc.type.order,
                          .several = m->desc.type.several,
                          .columns = BY_FIELD,
                          .lookup = m->desc.type.lookup};
    ent_component_type_finish(&type);
    return type;
}

bool manager_state_fits(const Manager* m) {
    const RecordType* state = m->desc.state;
    const u32         record_columns = ent_component_column_count(&m->desc.type);
    for (u32 f = 0; state && f < state->field_count; f++) {
        if (record_columns + f >= m->column_count ||
            state->fields[f].bytes != m->column_bytes[record_columns + f])
            return false;
    }
    return true;
}
