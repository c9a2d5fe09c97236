/* patch_spawns.c - which entities of a patched blob belong to which spawn. */
#include "patch_spawns_internal.h"

#include "hash.h"
#include "patch_internal.h"

static SpawnRecord* record_of(const PatchSpawns* s, u32 k) {
    return &s->world->spawned->at[s->spawn[k].place];
}

/* --- the set --- */

/* Was it made of this blob? */
static bool is_of_blob(const SpawnedInfo* info, const Blob* blob) {
    const BlobHeader* h = blob->header;
    return resource_id(info->resource) == resource_id(h->resource) &&
           resource_id(info->hash) == resource_id(h->hash) &&
           info->blob_entities == h->element_count &&
           (info->part != SPAWN_ALL || info->count == h->element_count);
}

/* One patch has one parent, root and seed. */
static bool is_placed_as(const SpawnRecord* a, const SpawnRecord* b) {
    return a->info.parent == b->info.parent && a->info.seed == b->info.seed &&
           a->has_root == b->has_root && memcmp(&a->root, &b->root, sizeof a->root) == 0;
}

/* `spawn` may be NULL: they are only counted. */
static ent_status set_find(PatchSpawns* s, const SpawnRecord* record, PatchSpawn* spawn) {
    const SpawnRecords* records = s->world->spawned;
    s->count = 0;
    for (u32 i = 0; i < records->count; i++) {
        const SpawnRecord* each = &records->at[i];
        if (!each->used || each->info.set != record->info.set) continue;
        if (!each->is_open || !is_of_blob(&each->info, s->patch->old_blob) ||
            !is_placed_as(each, record))
            return ENT_NOT_FOUND;
        if (spawn) spawn[s->count] = (PatchSpawn){.place = i, .root = NONE};
        s->count++;
    }
    return ENT_OK;
}

/* What the spawns made. An entity that was spawned again after its destruction has two records. */
static void before_fill(PatchSpawns* s) {
    const EntityPool* pool = s->world->entities;
    memset(s->before, 0, sizeof(Entity) * s->patch->old_count);
    memset(s->had, 0xff, sizeof(u32) * s->patch->old_count);
    for (u32 k = 0; k < s->count; k++) {
        const SpawnRecord* record = record_of(s, k);
        for (u32 i = 0; i < record->info.count; i++) {
            const u32 at = record->info.first + i;
            if (record->entities[i] == ENTITY_NULL || ent_entity_alive(pool, s->before[at]))
                continue;
            s->before[at] = record->entities[i];
            s->had[at] = k;
        }
    }
}

/* --- parts in the new blob --- */

static void part_find(PatchSpawns* s, u32 k) {
    const SpawnedInfo* info = &record_of(s, k)->info;
    PatchSpawn*        part = &s->spawn[k];
    const Blob*        blob = s->patch->new_blob;
    part->end = info->part == SPAWN_ALL ? s->patch->new_count : 0;
    if (info->part == SPAWN_BASE) ent_blob_group_range(blob, NONE, &part->first, &part->end);
    for (u32 g = 0; info->part == SPAWN_GROUP && g < ent_blob_group_count(blob); g++) {
        if (ent_blob_group_id(blob, g) == info->which)
            ent_blob_group_range(blob, g, &part->first, &part->end);
    }
    /* A save may contain any number. */
    if (info->part == SPAWN_SUBTREE && info->which < s->patch->old_count)
        part->root = s->patch->new_of_old[info->which];
}

static bool part_contains(const PatchSpawns* s, u32 k, u32 entity) {
    const PatchSpawn* part = &s->spawn[k];
    const u32*        parent = patch_parents(s->patch->new_blob);
    if (part->root == NONE) return entity >= part->first && entity < part->end;
    while (entity != NONE && entity > part->root) entity = parent[entity];
    return entity == part->root;
}

static u32 part_with(const PatchSpawns* s, u32 preferred, u32 entity) {
    if (preferred != NONE && part_contains(s, preferred, entity)) return preferred;
    for (u32 k = 0; k < s->count; k++) {
        if (part_contains(s, k, entity)) return k;
    }
    return NONE;
}

/* An entity stays with its spawn; added ones go with their parents. What was moved out of the part, into one that is
 * spawned as well, belongs to that one. */
static void owners_find(PatchSpawns* s) {
    const Patch* p = s->patch;
    const u32*   parent = patch_parents(p->new_blob);
    for (u32 k = 0; k < s->count; k++) part_find(s, k);
    for (u32 i = 0; i < p->new_count; i++) {
        const u32 had = p->old_of_new[i] == NONE ? NONE : s->had[p->old_of_new[i]];
        const u32 above = parent[i] == NONE ? NONE : s->owner[parent[i]];
        u32       k = had != NONE && part_contains(s, had, i) ? had : part_with(s, above, i);
        if (k == NONE) k = had;
        s->owner[i] = k;
        if (k == NONE) continue;
        if (s->spawn[k].high == 0) s->spawn[k].low = i;
        s->spawn[k].high = i + 1;
    }
    for (u32 k = 0; k < s->count;
         k++) { /* its list is that of all entities, whatever others made again */
        if (record_of(s, k)->info.part != SPAWN_ALL) continue;
        s->spawn[k].low = 0;
        s->spawn[k].high = p->new_count;
    }
}

static ent_status set_open(PatchSpawns* s, const SpawnRecord* record) {
    const size_t old_count = s->patch->old_count, new_count = s->patch->new_count;
    u8*          at = world_keep(s->world, sizeof(PatchSpawn) * s->count +
                                               (sizeof(Entity) + sizeof(u32)) * old_count +
                                               sizeof(u32) * new_count);
    if (!at) return ENT_NO_MEMORY;
    s->memory = at;
    s->spawn = (PatchSpawn*)(void*)at;
    s->before = (Entity*)(void*)(at + sizeof(PatchSpawn) * s->count);
    s->had = s->before + old_count;
    s->owner = s->had + old_count;
    TRY(set_find(s, record, s->spawn));
    before_fill(s);
    owners_find(s);
    for (u32 k = 0; k < s->count; k++) {
        const PatchSpawn* part = &s->spawn[k];
        TRY(spawned_reserve(s->world, spawned_number(s->world, record_of(s, k)),
                            part->high - part->low));
    }
    return ENT_OK;
}

/* --- all of it --- */

ent_status patch_spawns_open(PatchSpawns* s, World* w, const Patch* patch, Spawned spawned) {
    const SpawnRecord* record = spawned_find(w, spawned);
    *s = (PatchSpawns){.world = w, .patch = patch};
    if (!record) return ENT_NOT_FOUND;
    TRY(set_find(s, record, NULL));
    if (s->count > 1 || record->info.part != SPAWN_ALL) {
        const ent_status status = set_open(s, record);
        if (status != ENT_OK) world_drop(w, s->memory);
        return status;
    }
    TRY(spawned_reserve(w, spawned, patch->new_count));
    s->before = record->entities;
    s->only = spawned;
    return ENT_OK;
}

static void record_renew(const PatchSpawns* s, SpawnRecord* record, u32 first, u32 end) {
    record->info.hash = s->patch->new_blob->header->hash;
    record->info.blob_entities = s->patch->new_count;
    record->info.entities = record->entities;
    record->info.first = first;
    record->info.count = end - first;
}

static void set_renew(const PatchSpawns* s, const Entity* now) {
    for (u32 k = 0; k < s->count; k++) {
        const PatchSpawn* part = &s->spawn[k];
        SpawnRecord*      record = record_of(s, k);
        record_renew(s, record, part->low, part->high);
        if (record->info.part == SPAWN_SUBTREE) record->info.which = part->root;
        for (u32 i = part->low; i < part->high; i++)
            record->entities[i - part->low] = s->owner[i] == k ? now[i] : ENTITY_NULL;
    }
}

void patch_spawns_close(PatchSpawns* s, const Entity* now) {
    SpawnRecord* only = spawned_find(s->world, s->only);
    if (now && only) {
        memcpy(only->entities, now, sizeof(Entity) * s->patch->new_count);
        record_renew(s, only, 0, s->patch->new_count);
    } else if (now) {
        set_renew(s, now);
    }
    world_drop(s->world, s->memory);
}
