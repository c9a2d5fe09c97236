/* spawned_save.c - the spawns of a world in a save. */
#include <float.h>
#include <math.h>

#include "hash.h"
#include "sections.h"
#include "spawned_internal.h"

/* --- saving --- */

/* A host may have passed any rotation; that of a blob has length 1. */
static Quat rotation_valid(Quat q) {
    const f32 square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const f32 scale = square > 0 ? 1 / sqrtf(square) : 0;
    if (!(square > 0 && square < FLT_MAX)) return (Quat){0, 0, 0, 1};
    return (Quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

/* The first row of the record's set; `row`: its own. */
static u32 set_row(const SpawnRecords* records, const SpawnRecord* record, u32 row) {
    u32 first = 0;
    if (!record->is_joined) return row;
    for (const SpawnRecord* at = records->at; at->info.set != record->info.set || !at->used; at++)
        first += at->used;
    return first;
}

static SpawnedRecord row_of(const SpawnRecord* record, u32 parent, u32 set) {
    const SpawnedInfo* info = &record->info;
    return (SpawnedRecord){.resource_lo = info->resource.lo,
                           .resource_hi = info->resource.hi,
                           .hash_lo = info->hash.lo,
                           .hash_hi = info->hash.hi,
                           .blob_entities = info->blob_entities,
                           .part = info->part,
                           .which = info->which,
                           .seed = info->seed,
                           .parent = parent,
                           .has_root = record->has_root,
                           .root_position = record->root.position,
                           .root_rotation = rotation_valid(record->root.rotation),
                           .root_scale = record->root.scale,
                           .first = info->first,
                           .count = info->count,
                           .set = set};
}

void spawned_write(BlobWriter* writer, const World*                           w,
                   u32 (*index)(const void* user, Entity entity), const void* user) {
    const SpawnRecords* records = w->spawned;
    u32                 count = 0;
    u64                 entities = 0;
    for (u32 i = 0; records && i < records->count; i++) {
        if (!records->at[i].used) continue;
        count++;
        entities += records->at[i].info.count;
    }
    SpawnedRecord* row = blob_write_section(writer, SECTION_SPAWNED, count);
    u32*           entity = blob_write_section(writer, SECTION_SPAWNED_ENTITY, entities);
    u32            at = 0;
    for (u32 i = 0; row && i < records->count; i++) {
        const SpawnRecord* record = &records->at[i];
        if (!record->used) continue;
        row[at] = row_of(record, index(user, record->info.parent), set_row(records, record, at));
        at++;
        for (u32 k = 0; k < record->info.count; k++) *entity++ = index(user, record->entities[k]);
    }
}

/* --- loading --- */

static const SpawnedRecord* rows_of(const Blob* save, u32* count) {
    const BlobSection* section = ent_blob_section(save, SECTION_SPAWNED);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(save, section) : NULL;
}

void spawned_load_undo(World* w, Spawned chain) {
    while (chain != SPAWNED_NONE) {
        const Spawned next = spawned_find(w, chain)->chained;
        spawned_release(w, chain);
        chain = next;
    }
}

ent_status spawned_load(World* w, const Blob* save, Spawned* chain) {
    u32                  count;
    const SpawnedRecord* row = rows_of(save, &count);
    const u32            sets = w->spawned ? w->spawned->set_count : 0;
    bool*                joined = count ? world_keep(w, count) : NULL; /* with another row */
    *chain = SPAWNED_NONE;
    if (count && !joined) return ENT_NO_MEMORY;
    for (u32 i = 0; i < count; i++) joined[i] = false;
    for (u32 i = 0; i < count; i++)
        if (row[i].set != i) joined[i] = joined[row[i].set] = true;
    for (u32 i = 0; i < count; i++) {
        const SpawnedRecord*  r = &row[i];
        const TransformRecord root = {r->root_position, r->root_rotation, r->root_scale};
        const SpawnedInfo     info = {.resource = {r->resource_lo, r->resource_hi},
                                      .hash = {r->hash_lo, r->hash_hi},
                                      .blob_entities = r->blob_entities,
                                      .part = r->part,
                                      .which = r->which,
                                      .seed = r->seed,
                                      .first = r->first,
                                      .count = r->count};
        SpawnRecord*          record;
        const ent_status      status = spawned_add(w, &info, r->has_root ? &root : NULL, &record);
        if (status != ENT_OK) {
            spawned_load_undo(w, *chain);
            world_drop(w, joined);
            return status;
        }
        record->is_joined = joined[i];
        record->info.set = sets + r->set; /* each row has begun one */
        record->chained = *chain;
        *chain = spawned_number(w, record);
    }
    world_drop(w, joined);
    return ENT_OK;
}

static Entity entity_of(const Entity* entities, u32 index) {
    return index == NONE ? ENTITY_NULL : entities[index];
}

void spawned_load_fill(World* w, const Blob* save, Spawned chain, const Entity* entities) {
    u32                  count;
    const SpawnedRecord* row = rows_of(save, &count);
    const BlobSection*   section = ent_blob_section(save, SECTION_SPAWNED_ENTITY);
    const u32*           index = section ? ent_blob_data(save, section) : NULL;
    u32                  end = section ? section->count : 0;
    for (u32 i = count; i-- > 0 && chain != SPAWNED_NONE;) {
        SpawnRecord* record = spawned_find(w, chain);
        end -= row[i].count;
        record->info.parent = entity_of(entities, row[i].parent);
        for (u32 k = 0; k < row[i].count; k++)
            record->entities[k] = entity_of(entities, index[end + k]);
        chain = record->chained;
    }
}
