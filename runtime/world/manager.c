/* manager.c - operations of all managers: appending a batch, finding, moving and removing rows.
 *
 * Rows of one entity form a chain; the lookup contains the first row of it. Every change of the
 * order of rows consists of one kind of step, which moves a row to an unused place; a manager
 * that stores row numbers in its columns corrects them in its `moved`. */
#include "manager.h"

#include "fields.h"
#include "jobs.h"
#include "manager_internal.h"
#include "persistent_manager.h"
#include "watch_internal.h"

#define APPEND_GROUP 16384 /* instances that one job copies, in about 10 microseconds */

/* --- lookup --- */

static void slot_put(const Manager* m, Entity entity, u32 row) {
    ManagerSlot* const slot = m->slot;
    const u32          mask = m->slot_mask;
    u32                at = ent_manager_slot(mask + 1, entity);
    while (slot[at].entity != ENTITY_NULL) at = (at + 1) & mask;
    slot[at] = (ManagerSlot){entity, row};
}

static ManagerSlot* slot_find(Manager* m, Entity entity) {
    for (u32 at = ent_manager_slot(m->slot_mask + 1, entity);; at++) {
        ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == entity) return slot;
        assert(slot->entity != ENTITY_NULL);
    }
}

/* Its row, or MANAGER_NO_ROW. Needs a map. */
static u32 slot_row(const Manager* m, Entity entity) {
    for (u32 at = ent_manager_slot(m->slot_mask + 1, entity);; at++) {
        const ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == entity) return slot->row;
        if (slot->entity == ENTITY_NULL) return MANAGER_NO_ROW;
    }
}

/* Closes the hole by moving displaced entries back, so that no tombstones slow later lookups. */
static void slot_empty(Manager* m, u32 hole) {
    ManagerSlot* const slot = m->slot;
    const u32          mask = m->slot_mask;
    for (u32 at = (hole + 1) & mask; slot[at].entity; at = (at + 1) & mask) {
        const u32 home = ent_manager_slot(mask + 1, slot[at].entity);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        slot[hole] = slot[at];
        hole = at;
    }
    slot[hole].entity = ENTITY_NULL;
}

static void slot_remove(Manager* m, Entity entity) {
    slot_empty(m, (u32)(slot_find(m, entity) - m->slot));
}

u32 ent_manager_row_hashed(const Manager* m, const EntityPool* pool, Entity entity) {
    return ent_manager_row(m, pool, entity);
}

static void lookup_set(Manager* m, Entity entity, u32 row) {
    if (m->desc.type.lookup == DIRECT)
        m->row[ent_entity_index(entity)] = row + 1;
    else
        slot_find(m, entity)->row = row;
}

static void lookup_remove(Manager* m, Entity entity) {
    if (m->desc.type.lookup == DIRECT)
        m->row[ent_entity_index(entity)] = 0;
    else
        slot_remove(m, entity);
}

static u32 lookup_first(const Manager* m, Entity entity) {
    if (m->desc.type.lookup == DIRECT) return m->row[ent_entity_index(entity)] - 1;
    return slot_find((Manager*)m, entity)->row;
}

/* --- appending --- */

/* Replaces an entity's index in the blob by the entity that was created for it. */
static void entities_resolve(const SpawnBatch* batch, u8* at, u32 stride, u32 count) {
    for (u32 i = 0; i < count; i++, at += stride) {
        u32 entity;
        memcpy(&entity, at, 4);
        entity = entity == UINT32_MAX ? ENTITY_NULL : batch->entities[entity];
        memcpy(at, &entity, 4);
    }
}

static void persistent_resolve(const SpawnBatch* batch, u8* at, u32 stride, u32 count) {
    for (u32 i = 0; i < count && batch->seed; i++, at += stride) {
        PersistentRef id;
        memcpy(&id, at, 4);
        id = ent_persistent_seeded(id, batch->seed);
        memcpy(at, &id, 4);
    }
}

static void texts_resolve(const SpawnBatch* batch, u8* at, u32 stride, u32 count) {
    for (u32 i = 0; i < count && batch->texts; i++, at += stride) {
        TextRef text;
        memcpy(&text, at, 4);
        memcpy(at, &batch->texts[text], 4);
    }
}

void manager_links_resolve(const Field* field, const SpawnBatch* batch, void* at, u32 stride,
                           u32 count) {
    const FieldForm form = field_form(field);
    if (form != FORM_ENTITY && form != FORM_PERSISTENT && form != FORM_TEXT) return;
    for (u32 e = 0; e < field->bytes; e += 4) {
        u8* element = (u8*)at + e;
        if (form == FORM_ENTITY) entities_resolve(batch, element, stride, count);
        if (form == FORM_PERSISTENT) persistent_resolve(batch, element, stride, count);
        if (form == FORM_TEXT) texts_resolve(batch, element, stride, count);
    }
}

static void references_resolve(Manager* m, const SpawnBatch* batch, u32 row, u32 count) {
    const ComponentType* type = &m->desc.type;
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        const u32    stride = ent_component_column_bytes(type, column);
        u8*          at = (u8*)m->column[column] + (size_t)row * stride;
        manager_links_resolve(field, batch,
                              at + field->offset - ent_component_column_offset(type, column),
                              stride, count);
    }
}

/* The loop of every spawn: owners and direct lookup, a load and two stores per instance. */
static void owners_direct(const ManagerAppend* a, u32 first, u32 end) {
    const Entity* entities = a->batch->entities;
    const u32*    index = a->batch->entity_index;
    Entity*       owner = a->manager->entity + a->base;
    u32*          row = a->manager->row;
    for (u32 i = first; i < end; i++) {
        const Entity e = entities[index[i]];
        owner[i] = e;
        row[ent_entity_index(e)] = a->base + i + 1;
    }
}

static void owners_plain(const ManagerAppend* a, u32 first, u32 end) {
    for (u32 i = first; i < end; i++) {
        a->manager->entity[a->base + i] = a->batch->entities[a->batch->entity_index[i]];
    }
}

/* Instances of one entity are adjacent, so the next one in the chain is the following instance. */
static void owners_several(const ManagerAppend* a, u32 first, u32 end) {
    const u32* index = a->batch->entity_index;
    Manager*   m = a->manager;
    u32*       row = m->desc.type.lookup == DIRECT ? m->row : NULL;
    u32        before = first > 0 ? index[first - 1] : NONE;
    for (u32 i = first; i < end; i++) {
        const u32    row_index = index[i], at = a->base + i;
        const Entity e = a->batch->entities[row_index];
        const bool   more = i + 1 < a->batch->count && index[i + 1] == row_index;
        m->entity[at] = e;
        m->next[at] = more ? at + 1 : MANAGER_NO_ROW;
        if (row && row_index != before) row[ent_entity_index(e)] = at + 1;
        before = row_index;
    }
}

static void columns_copy(const ManagerAppend* a, u32 first, u32 end) {
    const ComponentType* type = &a->manager->desc.type;
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const size_t bytes = ent_component_column_bytes(type, c);
        memcpy((u8*)a->manager->column[c] + (a->base + first) * bytes,
               (const u8*)a->batch->columns[c] + first * bytes, (end - first) * bytes);
    }
}

/* Instances [first, end) of a batch: everything except the hash map. */
static void append_run(void* user, u32 first, u32 end, u32 worker) {
    const ManagerAppend* a = user;
    const ComponentType* type = &a->manager->desc.type;
    UNUSED(worker);
    columns_copy(a, first, end);
    if (type->several == SEVERAL)
        owners_several(a, first, end);
    else if (type->lookup == DIRECT)
        owners_direct(a, first, end);
    else
        owners_plain(a, first, end);
    references_resolve(a->manager, a->batch, a->base + first, end - first);
}

/* The instances that ent_manager_create adds are often those of entities in their order: then the next
 * ones are in the slots of the next eight entities. */
static void next_prefetch(const Manager* m, Entity entity) {
    PREFETCH(&m->slot[ent_manager_slot(m->slot_mask + 1, entity + 8)]);
}

static void append_hashed(const ManagerAppend* a) {
    const u32* index = a->batch->entity_index;
    if (a->batch->count == 1) next_prefetch(a->manager, a->manager->entity[a->base]);
    for (u32 i = 0; i < a->batch->count; i++) {
        if (i > 0 && index[i] == index[i - 1]) continue;
        slot_put(a->manager, a->manager->entity[a->base + i], a->base + i);
    }
}

/* The last row of an entity's chain, or MANAGER_NO_ROW. */
static u32 chain_last(const Manager* m, Entity entity) {
    u32 row = MANAGER_NO_ROW;
    if (m->desc.type.lookup == DIRECT)
        row = m->row[ent_entity_index(entity)] - 1;
    else if (m->count > 0)
        row = slot_row(m, entity);
    while (row != MANAGER_NO_ROW && m->next[row] != MANAGER_NO_ROW) row = m->next[row];
    return row;
}

/* Adds an instance to an entity that may already have instances: behind the last of them. */
static bool append_chained(const ManagerAppend* a) {
    Manager*  m = a->manager;
    const u32 last = chain_last(m, a->batch->entities[a->batch->entity_index[0]]);
    if (last == MANAGER_NO_ROW) return false;
    columns_copy(a, 0, 1);
    owners_plain(a, 0, 1);
    m->next[a->base] = MANAGER_NO_ROW;
    m->next[last] = a->base;
    references_resolve(m, a->batch, a->base, 1);
    return true;
}

ManagerAppend manager_append_begin(Manager* m, const SpawnBatch* batch) {
    assert(batch->count <= m->capacity - m->count);
    m->count += batch->count;
    if (m->watch) {
        watch_rows(m->watch, m->count - batch->count, m->count);
        watch_moves(m->watch);
    }
    return (ManagerAppend){m, batch, m->count - batch->count};
}

void manager_append_rows(const ManagerAppend* append, u32 first, u32 end) {
    append_run((void*)append, first, end, 0);
}

u32 manager_append(Manager* m, const SpawnBatch* batch, JobPool* jobs) {
    ManagerAppend append = manager_append_begin(m, batch);
    JobGroup      group = {0};
    if (m->next && batch->count == 1 && append_chained(&append)) return append.base;
    if (jobs && batch->count > APPEND_GROUP) {
        ent_job_dispatch(jobs, &group, batch->count, APPEND_GROUP, append_run, &append);
        ent_job_wait(jobs, &group);
    } else {
        append_run(&append, 0, batch->count, 0);
    }
    if (m->desc.type.lookup == HASHED) append_hashed(&append);
    return append.base;
}

u32 ent_manager_append(Manager* m, const SpawnBatch* batch) {
    return manager_append(m, batch, NULL);
}

void manager_fill(Manager* m, const Entity* owners, const void* const* columns, u32 count) {
    assert(m->count == 0 && count <= m->capacity && m->desc.type.lookup == HASHED);
    for (u32 c = 0; c < m->column_count && count; c++)
        memcpy(m->column[c], columns[c], (size_t)m->column_bytes[c] * count);
    if (count) memcpy(m->entity, owners, sizeof(Entity) * count);
    for (u32 i = 0; i < count; i++) {
        const bool more = i + 1 < count && owners[i + 1] == owners[i];
        if (m->next) m->next[i] = more ? i + 1 : MANAGER_NO_ROW;
        if (i == 0 || owners[i - 1] != owners[i]) slot_put(m, owners[i], i);
    }
    m->count = count;
    if (m->watch) watch_rows(m->watch, 0, count);
    watch_moves(m->watch);
}

void manager_zero_extras(Manager* m, u32 first, u32 count) {
    for (u32 c = ent_component_column_count(&m->desc.type); c < m->column_count; c++) {
        const size_t bytes = m->column_bytes[c];
        memset((u8*)m->column[c] + first * bytes, 0, count * bytes);
    }
}

/* --- moving and removing --- */

/* Removes a row from its entity's chain; the chain's first row is in the lookup. */
static void chain_remove(Manager* m, u32 row) {
    const Entity owner = m->entity[row];
    const u32    next = ent_manager_next(m, row);
    if (!m->next) {
        lookup_remove(m, owner);
        return;
    }
    u32 at = lookup_first(m, owner);
    if (at == row && next == MANAGER_NO_ROW) {
        lookup_remove(m, owner);
    } else if (at == row) {
        lookup_set(m, owner, next);
    } else {
        while (m->next[at] != row) at = m->next[at];
        m->next[at] = next;
    }
}

void manager_chain_move(Manager* m, u32 from, u32 to) {
    if (!m->next) {
        lookup_set(m, m->entity[from], to);
        return;
    }
    u32 at = lookup_first(m, m->entity[from]);
    if (at == from) {
        lookup_set(m, m->entity[from], to);
        return;
    }
    while (m->next[at] != from) at = m->next[at];
    m->next[at] = to;
}

/* The place past the end, which swaps use, is not a row. */
void manager_report_move(const Manager* m, u32 to) {
    if (to < m->count) watch_row(m->watch, to);
    watch_moves(m->watch);
}

static inline void row_move(Manager* m, u32 from, u32 to) {
    if (from == to) return;
    if (m->watch) manager_report_move(m, to);
    if (m->desc.moved) m->desc.moved(m, from, to);
    manager_chain_move(m, from, to);
    m->entity[to] = m->entity[from];
    if (m->next) m->next[to] = m->next[from];
    for (u32 c = 0; c < m->column_count; c++) {
        const u32 bytes = m->column_bytes[c];
        u8*       column = m->column[c];
        element_copy(column + (size_t)to * bytes, column + (size_t)from * bytes, bytes);
    }
}

void manager_move_row(Manager* m, u32 from, u32 to) { row_move(m, from, to); }

void manager_take_row(Manager* m, u32 row) {
    if (m->desc.removed) m->desc.removed(m, row);
    chain_remove(m, row);
}

u32 manager_tail_hole(Manager* m, u32 row) {
    const u32 tail_first = m->count - m->tail;
    if (row >= tail_first) {
        m->tail--;
        return row;
    }
    manager_move_row(m, tail_first - 1, row);
    return tail_first - 1;
}

void manager_fill_hole(Manager* m, u32 row) {
    row_move(m, m->count - 1, m->tail > 0 ? manager_tail_hole(m, row) : row);
    if (m->watch) watch_moves(m->watch);
    m->count--;
}

void manager_remove_row(Manager* m, u32 row) {
    assert(row < m->count);
    manager_take_row(m, row);
    manager_fill_hole(m, row);
}

/* One search for the row, which is the only one of its entity, and one for that of the last row. */
static void remove_single_hashed(Manager* m, Entity entity) {
    for (u32 at = ent_manager_slot(m->slot_mask + 1, entity);; at++) {
        const ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == ENTITY_NULL) return;
        if (slot->entity != entity) continue;
        const u32 row = slot->row;
        if (m->desc.removed) m->desc.removed(m, row);
        slot_empty(m, at & m->slot_mask);
        manager_fill_hole(m, row);
        return;
    }
}

void manager_remove_hashed(Manager* m, Entity entity) {
    if (!m->next) {
        remove_single_hashed(m, entity);
        return;
    }
    for (u32 row; (row = slot_row(m, entity)) != MANAGER_NO_ROW;) manager_remove_row(m, row);
}

void manager_swap_rows(Manager* m, u32 a, u32 b) {
    if (a == b) return;
    manager_move_row(m, a, m->count);
    manager_move_row(m, b, a);
    manager_move_row(m, m->count, b);
}

void manager_clear(Manager* m, u32 slot_count) {
    if (m->row) memset(m->row, 0, sizeof(u32) * MIN_OF(slot_count, m->row_slots));
    if (m->slot_mask && m->count) {
        memset(m->slot, 0, sizeof(ManagerSlot) * ((size_t)m->slot_mask + 1));
    }
    m->count = m->tail = m->list_count = m->marked = m->marked_often = 0;
    watch_moves(m->watch);
}

void manager_rehash(Manager* m, const ManagerSlot* old, u32 old_count) {
    for (u32 i = 0; i < old_count; i++) {
        if (old[i].entity != ENTITY_NULL) slot_put(m, old[i].entity, old[i].row);
    }
}

void* ent_manager_get(const Manager* m, u32 row, u32 column) {
    assert(row < m->count && column < m->column_count);
    return (u8*)m->column[column] + (size_t)row * m->column_bytes[column];
}
