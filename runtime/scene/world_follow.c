/* world_follow.c - patches the spawns of changed levels and entities. */
#include "world_follow.h"

#include "hash.h"
#include "redeclare.h"
#include "world_internal.h"

/* Of one resource. */
typedef struct Followed {
    World*         world;
    const Blob*    before;
    const Blob*    now;
    Patch*         patch; /* NULL: not created yet */
    WorldFollowed* sum;
} Followed;

static bool is_hash(ResourceRef a, ResourceRef b) { return a.lo == b.lo && a.hi == b.hi; }

static void result_add(PatchResult* sum, const PatchResult* more) {
    sum->entities_added += more->entities_added;
    sum->entities_removed += more->entities_removed;
    sum->instances_added += more->instances_added;
    sum->instances_removed += more->instances_removed;
    sum->fields_written += more->fields_written;
    sum->transforms_attached += more->transforms_attached;
    sum->passed_over += more->passed_over;
}

/* ENT_NOT_FOUND: it cannot be patched from the blob before. */
static ent_status spawn_follow(Followed* f, Spawned spawned) {
    const SpawnOptions options = {.spawned = &spawned};
    SpawnedInfo        info;
    PatchResult        result;
    TRY(ent_world_spawned_info(f->world, spawned, &info));
    if (is_hash(info.hash, f->now->header->hash)) return ENT_OK;
    if (!is_hash(info.hash, f->before->header->hash)) return ENT_NOT_FOUND;
    if (!f->patch) TRY(ent_patch_create(&f->patch, f->world, f->before, f->now, NULL));
    TRY(ent_world_patch(f->world, f->patch, &options, NULL, NULL, &result));
    result_add(&f->sum->result, &result);
    return ENT_OK;
}

/* Spawns that are not of the blob now. */
static u32 former_count(const Followed* f) {
    SpawnedInfo info;
    u32         count = 0;
    for (Spawned s = SPAWNED_NONE;
         (s = ent_world_spawned_next(f->world, f->now->header->resource, s)) != SPAWNED_NONE;)
        count += ent_world_spawned_info(f->world, s, &info) == ENT_OK &&
                 !is_hash(info.hash, f->now->header->hash);
    return count;
}

static ent_status resource_follow(Followed* f) {
    const u32     former = former_count(f);
    ent_status    status = ENT_OK;
    const Spawned none = SPAWNED_NONE;
    for (Spawned s = ent_world_spawned_next(f->world, f->now->header->resource, none);
         s != none && status == ENT_OK;
         s = ent_world_spawned_next(f->world, f->now->header->resource, s)) {
        status = spawn_follow(f, s);
        if (status == ENT_NOT_FOUND) status = ENT_OK;
    }
    ent_patch_destroy(f->patch);
    f->sum->left += former_count(f);
    f->sum->spawns += former - former_count(f);
    return status;
}

static bool is_spawned(const Blob* blob) {
    const u32 type = blob->header->resource_type;
    return type == RESOURCE_LEVEL || type == RESOURCE_ENTITY;
}

/* Those that the world does not know are left to the host, which registers what it needs. */
static ent_status declaration_follow(World* world, const Blob* blob) {
    const ent_status status = ent_world_redeclare(world, blob);
    return status == ENT_NOT_FOUND ? ENT_OK : status;
}

static void failed_put(WorldFollowed* sum, ent_status* first, ent_status status,
                       const LibraryEntry* entry) {
    if (status == ENT_OK || *first != ENT_OK) return;
    *first = status;
    sum->failed = entry;
}

ent_status ent_world_follow(World* world, const LibraryChanges* changes, WorldFollowed* followed) {
    WorldFollowed sum = {0};
    ent_status    first = ENT_OK;
    for (u32 i = 0; i < changes->count; i++) {
        const LibraryChange* change = &changes->change[i];
        const Blob*          now = &change->entry->resource.blob;
        if (change->kind == LIBRARY_REMOVED || !ent_component_type_bytes(now)) continue;
        failed_put(&sum, &first, declaration_follow(world, now), change->entry);
    }
    for (u32 i = 0; i < changes->count; i++) {
        const LibraryChange* change = &changes->change[i];
        Followed             f = {.world = world,
                                  .before = change->before,
                                  .now = &change->entry->resource.blob,
                                  .sum = &sum};
        if (!change->before || !is_spawned(f.now)) continue;
        failed_put(&sum, &first, resource_follow(&f), change->entry);
    }
    if (followed) *followed = sum;
    return first;
}
