/* manager.c - what all managers share: appending a batch, finding and removing rows. */
#include "manager.h"

#include "fields.h"
#include "manager_internal.h"

/* --- lookup --- */

static void slot_put(Manager* m, Entity entity, u32 row) {
    u32 at = ent_manager_hash(entity);
    while (m->slot[at & m->slot_mask].entity != ENTITY_NOBODY) at++;
    m->slot[at & m->slot_mask] = (ManagerSlot){entity, row};
}

static ManagerSlot* slot_find(Manager* m, Entity entity) {
    for (u32 at = ent_manager_hash(entity);; at++) {
        ManagerSlot* slot = &m->slot[at & m->slot_mask];
        if (slot->entity == entity) return slot;
        assert(slot->entity != ENTITY_NOBODY);
    }
}

/* Closes the hole by moving back what was pushed past it: no tombstones that slow later lookups. */
static void slot_remove(Manager* m, Entity entity) {
    u32 hole = (u32)(slot_find(m, entity) - m->slot);
    for (u32 at = (hole + 1) & m->slot_mask; m->slot[at].entity; at = (at + 1) & m->slot_mask) {
        const u32 home = ent_manager_hash(m->slot[at].entity) & m->slot_mask;
        if (((at - home) & m->slot_mask) < ((at - hole) & m->slot_mask)) continue;
        m->slot[hole] = m->slot[at];
        hole = at;
    }
    m->slot[hole].entity = ENTITY_NOBODY;
}

void manager_lookup_put(Manager* m, Entity entity, u32 row) {
    if (m->desc.type.lookup == DIRECT)
        m->row[ent_entity_index(entity)] = row + 1;
    else
        slot_put(m, entity, row);
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

/* The loop of every spawn: owners and direct lookup, a load and two stores an instance. */
static void owners_direct(Manager* m, const SpawnBatch* batch, u32 base) {
    Entity* owner = m->entity + base;
    u32*    row = m->row;
    for (u32 i = 0; i < batch->count; i++) {
        const Entity e = batch->entities[batch->entity_index[i]];
        owner[i] = e;
        row[ent_entity_index(e)] = base + i + 1;
    }
}

static void owners_hashed(Manager* m, const SpawnBatch* batch, u32 base) {
    for (u32 i = 0; i < batch->count; i++) {
        const Entity e = batch->entities[batch->entity_index[i]];
        m->entity[base + i] = e;
        slot_put(m, e, base + i);
    }
}

/* Instances of one entity stand beside each other in a blob: they are chained as they come. */
static void owners_several(Manager* m, const SpawnBatch* batch, u32 base) {
    for (u32 i = 0; i < batch->count; i++) {
        const Entity e = batch->entities[batch->entity_index[i]];
        const u32    row = base + i;
        m->entity[row] = e;
        m->next[row] = MANAGER_NO_ROW;
        if (i && batch->entity_index[i] == batch->entity_index[i - 1])
            m->next[row - 1] = row;
        else
            manager_lookup_put(m, e, row);
    }
}

/* An entity's index in the blob becomes the entity that was made of it. */
static void references_resolve(Manager* m, const SpawnBatch* batch, u32 base) {
    const ComponentType* type = &m->desc.type;
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        const u32    stride = ent_component_column_bytes(type, column);
        if (field->kind != FIELD_EntityRef) continue;
        u8* at = (u8*)m->column[column] + (size_t)base * stride +
                 (field->offset - ent_component_column_offset(type, column));
        for (u32 i = 0; i < batch->count; i++, at += stride) {
            u32 entity;
            memcpy(&entity, at, 4);
            entity = entity == UINT32_MAX ? ENTITY_NOBODY : batch->entities[entity];
            memcpy(at, &entity, 4);
        }
    }
}

u32 ent_manager_append(Manager* m, const SpawnBatch* batch) {
    const ComponentType* type = &m->desc.type;
    const u32            base = m->count;
    assert(batch->count <= m->capacity - base);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const size_t bytes = ent_component_column_bytes(type, c);
        memcpy((u8*)m->column[c] + base * bytes, batch->columns[c], batch->count * bytes);
    }
    if (type->several == SEVERAL)
        owners_several(m, batch, base);
    else if (type->lookup == DIRECT)
        owners_direct(m, batch, base);
    else
        owners_hashed(m, batch, base);
    references_resolve(m, batch, base);
    m->count = base + batch->count;
    return base;
}

u32 manager_chain_last(const Manager* m, u32 row) {
    while (ent_manager_next(m, row) != MANAGER_NO_ROW) row = m->next[row];
    return row;
}

void manager_append_chained(Manager* m, const SpawnBatch* batch, u32 last) {
    const ComponentType* type = &m->desc.type;
    const u32            row = m->count++;
    assert(type->several == SEVERAL && batch->count == 1 && row < m->capacity);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const size_t bytes = ent_component_column_bytes(type, c);
        memcpy((u8*)m->column[c] + row * bytes, batch->columns[c], bytes);
    }
    m->entity[row] = batch->entities[0];
    m->next[row] = MANAGER_NO_ROW;
    m->next[last] = row;
    references_resolve(m, batch, row);
}

/* --- removing --- */

/* Takes a row out of its entity's chain; the chain's first row is in the lookup. */
static void chain_remove(Manager* m, u32 row) {
    const Entity owner = m->entity[row];
    const u32    next = ent_manager_next(m, row);
    u32          at = lookup_first(m, owner);
    if (at == row && next == MANAGER_NO_ROW) {
        lookup_remove(m, owner);
    } else if (at == row) {
        lookup_set(m, owner, next);
    } else {
        while (m->next[at] != row) at = m->next[at];
        m->next[at] = next;
    }
}

static void chain_move(Manager* m, u32 from, u32 to) {
    u32 at = lookup_first(m, m->entity[from]);
    if (at == from) {
        lookup_set(m, m->entity[from], to);
        return;
    }
    while (m->next[at] != from) at = m->next[at];
    m->next[at] = to;
}

void manager_remove_row(Manager* m, u32 row) {
    assert(row < m->count);
    const u32 last = m->count - 1;
    if (m->desc.remove) m->desc.remove(m, row, last);
    chain_remove(m, row);
    if (row != last) {
        chain_move(m, last, row);
        m->entity[row] = m->entity[last];
        if (m->next) m->next[row] = m->next[last];
        for (u32 c = 0; c < m->column_count; c++) {
            const size_t bytes = manager_column_bytes(m, c);
            memcpy((u8*)m->column[c] + row * bytes, (u8*)m->column[c] + last * bytes, bytes);
        }
    }
    m->count = last;
}

void manager_clear(Manager* m, u32 slot_count) {
    if (m->desc.type.lookup == DIRECT && m->row) memset(m->row, 0, sizeof(u32) * slot_count);
    if (m->desc.type.lookup == HASHED && m->slot_mask && m->count) {
        memset(m->slot, 0, sizeof(ManagerSlot) * ((size_t)m->slot_mask + 1));
    }
    m->count = 0;
}

void manager_rehash(Manager* m, const ManagerSlot* old, u32 old_count) {
    for (u32 i = 0; i < old_count; i++) {
        if (old[i].entity != ENTITY_NOBODY) slot_put(m, old[i].entity, old[i].row);
    }
}

u32 manager_column_bytes(const Manager* m, u32 column) {
    const u32 own = ent_component_column_count(&m->desc.type);
    return column < own ? ent_component_column_bytes(&m->desc.type, column)
                        : m->desc.extra_bytes[column - own];
}
