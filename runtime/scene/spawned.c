/* spawned.c - what one spawn made, under a number: records, and removal. */
#include "spawned_internal.h"

#include "fields.h"
#include "hash.h"
#include "manager_internal.h"
#include "manager_watch.h"

#define SPAWNED_FIRST 16u   /* records, and entities of the smallest block */
#define SPAWNED_CHUNK 4096u /* entities */

/* --- records --- */

Spawned spawned_number(const World* w, const SpawnRecord* record) {
    return (u64)record->generation << 32 | ((u32)(record - w->spawned->at) + 1);
}

SpawnRecord* spawned_find(const World* w, Spawned spawned) {
    const SpawnRecords* records = w->spawned;
    const u32           place = (u32)spawned - 1;
    if (!records || place >= records->count) return NULL;
    SpawnRecord* record = &records->at[place];
    return record->used && record->generation == spawned >> 32 ? record : NULL;
}

static u32 class_of(u32 count) {
    u32 c = 0;
    while ((SPAWNED_FIRST << c) < count) c++;
    assert(c < SPAWNED_CLASSES); /* a blob has at most BLOB_ENTITIES_MAX entities */
    return c;
}

static void block_give(SpawnRecords* records, Entity* block, u32 block_class) {
    void* next = records->free_block[block_class];
    memcpy(block, &next, sizeof next);
    records->free_block[block_class] = block;
}

static Entity* block_take(World* w, u32 block_class) {
    SpawnRecords* records = w->spawned;
    const u32     count = SPAWNED_FIRST << block_class;
    Entity*       block = records->free_block[block_class];
    if (block) {
        memcpy(&records->free_block[block_class], block, sizeof(void*));
        return block;
    }
    if (count > records->chunk_size - records->chunk_used) {
        const u32 size = MAX_OF(MAX_OF(records->chunk_size * 2, SPAWNED_CHUNK), count);
        Entity*   chunk = world_keep(w, sizeof(Entity) * size);
        if (!chunk) return NULL;
        records->chunk = chunk;
        records->chunk_size = size;
        records->chunk_used = 0;
    }
    block = records->chunk + records->chunk_used;
    records->chunk_used += count;
    return block;
}

static void record_free(SpawnRecords* records, SpawnRecord* record) {
    block_give(records, record->entities, record->block_class);
    record->used = false;
    record->next_free = records->free;
    records->free = (u32)(record - records->at) + 1;
}

/* Every entity is destroyed. From the last to the first, so that places are used again in their order. */
static void records_clear(World* w) {
    SpawnRecords* records = w->spawned;
    for (u32 i = records ? records->count : 0; i-- > 0;) {
        if (records->at[i].used) record_free(records, &records->at[i]);
    }
}

static ent_status records_open(World* w) {
    if (w->spawned) return ENT_OK;
    SpawnRecords* records = world_keep(w, sizeof *records);
    if (!records) return ENT_NO_MEMORY;
    memset(records, 0, sizeof *records);
    w->spawned = records;
    w->cleared = records_clear;
    return ENT_OK;
}

static ent_status records_grow(World* w) {
    SpawnRecords* records = w->spawned;
    if (records->count < records->capacity) return ENT_OK;
    const u32    capacity = MAX_OF(records->capacity * 2, SPAWNED_FIRST);
    SpawnRecord* at = world_keep(w, sizeof *at * capacity);
    if (!at) return ENT_NO_MEMORY;
    if (records->count) memcpy(at, records->at, sizeof *at * records->count);
    world_drop(w, records->at);
    records->at = at;
    records->capacity = capacity;
    return ENT_OK;
}

static ent_status record_take(World* w, u32 block_class, SpawnRecord** out) {
    SpawnRecords* records = w->spawned;
    if (!records->free) TRY(records_grow(w));
    Entity* block = block_take(w, block_class);
    if (!block) return ENT_NO_MEMORY;
    SpawnRecord* record = &records->at[records->free ? records->free - 1 : records->count];
    if (records->free)
        records->free = record->next_free;
    else
        *record = (SpawnRecord){0}, records->count++;
    record->used = record->is_open = true;
    record->generation++;
    record->entities = block;
    record->block_class = block_class;
    *out = record;
    return ENT_OK;
}

ent_status spawned_add(World* w, const SpawnedInfo* info, const TransformRecord* root,
                       SpawnRecord** out) {
    SpawnRecord* record;
    TRY(records_open(w));
    TRY(record_take(w, class_of(info->count), &record));
    record->info = *info;
    record->info.set = w->spawned->set_count++;
    record->info.entities = record->entities;
    record->is_joined = false;
    record->has_root = root != NULL;
    record->root = root ? *root : (TransformRecord){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    memset(record->entities, 0, sizeof(Entity) * info->count);
    *out = record;
    return ENT_OK;
}

/* --- sets --- */

/* Does a record belong to the array with which a part is spawned? The first entity that both have decides. Destroyed
 * ones may have been spawned again with the same array. */
static bool shares_entities(const World* w, const SpawnRecord* record, const Entity* entities) {
    for (u32 k = 0; k < record->info.count; k++) {
        const Entity a = record->entities[k], b = entities[record->info.first + k];
        if (a == ENTITY_NULL || b == ENTITY_NULL) continue;
        if (a == b) return true;
        if (ent_entity_alive(w->entities, a)) return false;
    }
    return false;
}

static bool is_same_blob(const SpawnedInfo* a, const SpawnedInfo* b) {
    return resource_id(a->resource) == resource_id(b->resource) &&
           resource_id(a->hash) == resource_id(b->hash) && a->blob_entities == b->blob_entities;
}

/* Before the new record has entities. */
static void set_find(World* w, SpawnRecord* record, const Entity* entities) {
    SpawnRecords* records = w->spawned;
    if (!entities || record->info.part == SPAWN_ALL) return;
    for (u32 i = 0; i < records->count; i++) {
        SpawnRecord* other = &records->at[i];
        if (!other->used || other == record || !is_same_blob(&other->info, &record->info)) continue;
        if (!shares_entities(w, other, entities)) continue;
        record->info.set = other->info.set;
        record->is_joined = other->is_joined = true;
        return;
    }
}

ent_status ent_world_spawned_entities(const World* w, Spawned spawned, Entity* entities) {
    const SpawnRecord* record = spawned_find(w, spawned);
    if (!record) return ENT_NOT_FOUND;
    memset(entities, 0, sizeof(Entity) * record->info.blob_entities);
    for (u32 i = 0; i < w->spawned->count; i++) {
        const SpawnRecord* each = &w->spawned->at[i];
        if (!each->used || each->info.set != record->info.set) continue;
        for (u32 k = 0; k < each->info.count; k++) {
            Entity* at = &entities[each->info.first + k];
            if (!ent_entity_alive(w->entities, *at) && each->entities[k] != ENTITY_NULL)
                *at = each->entities[k];
        }
    }
    return ENT_OK;
}

ent_status spawned_begin(World* w, const Blob* blob, const SpawnOptions* options,
                         const Entity* entities, u32 first, u32 count, Spawned* out) {
    SpawnRecord* record;
    SpawnedInfo  info = {.resource = blob->header->resource,
                         .hash = blob->header->hash,
                         .blob_entities = blob->header->element_count,
                         .part = options->part,
                         .which = options->which,
                         .seed = options->seed,
                         .parent = options->parent,
                         .first = first,
                         .count = count};
    if (options->part == SPAWN_GROUP) info.which = ent_blob_group_id(blob, options->which);
    TRY(spawned_add(w, &info, options->root, &record));
    set_find(w, record, entities);
    *out = spawned_number(w, record);
    return ENT_OK;
}

void spawned_release(World* w, Spawned spawned) {
    SpawnRecord* record = spawned_find(w, spawned);
    if (record) record_free(w->spawned, record);
}

ent_status spawned_reserve(World* w, Spawned spawned, u32 count) {
    SpawnRecord* record = spawned_find(w, spawned);
    const u32    block_class = class_of(count);
    if (block_class <= record->block_class) return ENT_OK;
    Entity* entities = block_take(w, block_class);
    if (!entities) return ENT_NO_MEMORY;
    memcpy(entities, record->entities, sizeof(Entity) * record->info.count);
    block_give(w->spawned, record->entities, record->block_class);
    record->info.entities = record->entities = entities;
    record->block_class = block_class;
    return ENT_OK;
}

Spawned ent_world_spawned_next(const World* w, ResourceRef resource, Spawned after) {
    const SpawnRecords* records = w->spawned;
    const u64           id = resource_id(resource);
    for (u32 i = (u32)after; records && i < records->count; i++) {
        const SpawnRecord* record = &records->at[i];
        if (record->used && (id == 0 || resource_id(record->info.resource) == id))
            return spawned_number(w, record);
    }
    return SPAWNED_NONE;
}

ent_status ent_world_spawned_info(const World* w, Spawned spawned, SpawnedInfo* out) {
    const SpawnRecord* record = spawned_find(w, spawned);
    if (!record) return ENT_NOT_FOUND;
    *out = record->info;
    return ENT_OK;
}

/* --- references to what was removed --- */

/* The slots of removed entities, one bit each. */
typedef struct Removed {
    const EntityPool* pool;
    u64*              slots;
} Removed;

static size_t removed_bytes(const EntityPool* pool) {
    return sizeof(u64) * (pool->slot_capacity / 64 + 1);
}

/* They are the last ones in the queue of free indices. */
static void removed_mark(Removed* removed, u32 count) {
    const EntityPool* p = removed->pool;
    memset(removed->slots, 0, removed_bytes(p));
    for (u32 i = p->free_count - count; i < p->free_count; i++) {
        const u32 at = p->free_first + i;
        const u32 index = p->free_index[at >= p->slot_capacity ? at - p->slot_capacity : at];
        removed->slots[index / 64] |= 1ull << index % 64;
    }
}

/* Does it refer to the entity that was removed, not to an earlier one in its slot? */
static bool was_removed(const Removed* removed, Entity entity) {
    const u32 index = ent_entity_index(entity);
    if (index >= removed->pool->slot_capacity || !(removed->slots[index / 64] >> index % 64 & 1))
        return false;
    const u32 next = (entity >> ENTITY_INDEX_BITS) + 1;
    return removed->pool->next[index] == (next == ENTITY_GENERATIONS ? 0 : next);
}

/* Sets the references of a field that is at offset `at` in each element of a column. Returns their number. */
static u32 field_clear(const Removed* removed, Manager* m, const Field* field, u32 column, u32 at) {
    const u32 stride = m->column_bytes[column];
    u32       cleared = 0;
    for (u32 row = 0; row < m->count; row++) {
        u8*  element = (u8*)m->column[column] + (size_t)row * stride + at;
        bool changed = false;
        if (m->desc.lazy && !ent_entity_alive(removed->pool, m->entity[row])) continue;
        for (u32 e = 0; e < field->bytes; e += 4) {
            Entity entity;
            memcpy(&entity, element + e, sizeof entity);
            if (!was_removed(removed, entity)) continue;
            entity = ENTITY_NULL;
            memcpy(element + e, &entity, sizeof entity);
            changed = true;
            cleared++;
        }
        if (!changed) continue;
        ent_manager_changed(m, &row, 1);
        if (m->desc.changed) m->desc.changed(m, row);
    }
    return cleared;
}

static u32 manager_clear_references(const Removed* removed, Manager* m) {
    const ComponentType* type = &m->desc.type;
    const RecordType*    state = m->desc.state;
    u32                  cleared = 0;
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        if (field_form(field) != FORM_ENTITY) continue;
        cleared += field_clear(removed, m, field, column,
                               field->offset - ent_component_column_offset(type, column));
    }
    for (u32 f = 0; state && f < state->field_count; f++) {
        if (field_form(&state->fields[f]) != FORM_ENTITY) continue;
        cleared +=
            field_clear(removed, m, &state->fields[f], ent_component_column_count(type) + f, 0);
    }
    return cleared;
}

static u32 references_clear(World* w, Removed* removed, u32 count) {
    u32 cleared = 0;
    removed_mark(removed, count);
    for (World* each = w->owner; each; each = each->next_sharing) {
        for (u32 k = 0; k < each->used_count; k++)
            cleared += manager_clear_references(removed, each->used[k]);
    }
    return cleared;
}

/* --- removal --- */

/* Are they all entities of the world, and would no callback of a host see the difference to a world that is
 * cleared? */
static bool is_everything(const World* w, const SpawnRecord* record) {
    const Entity* entities = record->entities;
    const u32     count = record->info.count;
    if (w->owner->next_sharing || w->owner->destroyed.call || count < ent_entity_count(w))
        return false;
    for (u32 k = 0; k < w->used_count; k++) {
        const Manager* m = w->used[k];
        if (m->count == 0 || world_is_built_in(m->desc.type.id)) continue;
        if (m->desc.removed || m->desc.cleared) return false;
    }
    u32 alive = 0;
    for (u32 i = 0; i < count; i++) alive += (u32)ent_entity_alive(w->entities, entities[i]);
    return alive == ent_entity_count(w);
}

static ent_status entities_unspawn(World* w, const SpawnRecord* record, u32 flags, u32* removed) {
    if (flags & UNSPAWN_CHILDREN)
        return ent_entity_destroy_subtrees(w, record->entities, record->info.count, removed);
    *removed = ent_entity_destroy(w, record->entities, record->info.count);
    return ENT_OK;
}

ent_status ent_world_unspawn(World* w, Spawned spawned, u32 flags, Unspawned* out) {
    const SpawnRecord* record = spawned_find(w, spawned);
    Removed            removed = {.pool = w->entities};
    Unspawned          counts = {0};
    if (!record) return ENT_NOT_FOUND;
    if (flags & UNSPAWN_REFERENCES) {
        removed.slots = world_keep(w, removed_bytes(w->entities));
        if (!removed.slots) return ENT_NO_MEMORY;
    }
    if (is_everything(w, record)) {
        counts.entities = ent_entity_count(w);
        w->cleared = NULL; /* other spawns stay, without entities */
        ent_world_clear(w);
        w->cleared = records_clear;
        spawned_release(w, spawned);
    } else {
        const ent_status status = entities_unspawn(w, record, flags, &counts.entities);
        if (status != ENT_OK) {
            world_drop(w, removed.slots);
            return status;
        }
        spawned_release(w, spawned);
    }
    if (removed.slots) counts.references = references_clear(w, &removed, counts.entities);
    world_drop(w, removed.slots);
    if (out) *out = counts;
    return ENT_OK;
}
