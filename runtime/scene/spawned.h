/* spawned.h - what one spawn made, under a number: to find it, to remove it, to save it.
 *
 *     EntSpawned      house;
 *     EntSpawnOptions options = {0};
 *     options.spawned = &house;
 *     if (ent_world_spawn(world, blob, &options, NULL) != ENT_OK) return 1;
 *     if (ent_world_unspawn(world, house, 0, NULL) != ENT_OK) return 1;
 *
 * Each part of a level, and each job, is a spawn of its own. What a patch adds to it belongs to it
 * (EntSpawnOptions.spawned of ent_world_patch). Before a part is spawned again with the same array of
 * entities, its elements are set to ENT_ENTITY_NULL. ent_world_clear ends all spawns. A save contains all spawns with a number: after it
 * was loaded, ent_world_spawned_next finds the new numbers by the resource. */
#ifndef ENT_SPAWNED_H
#define ENT_SPAWNED_H

#include "world.h"

/* The number of a spawn; no other spawn of the world ever has the same. 0: none. */
typedef uint64_t EntSpawned;

#define ENT_SPAWNED_NONE 0u

typedef enum EntUnspawnFlags {
    ENT_UNSPAWN_CHILDREN = 1,  /* also what the host attached below its entities; else it stays,
                                  without a parent */
    ENT_UNSPAWN_REFERENCES = 2 /* references of other entities to what is removed become null; else
                                  they are stale */
} EntUnspawnFlags;

typedef struct EntUnspawned {
    uint32_t entities;   /* that were removed */
    uint32_t references; /* that became null */
} EntUnspawned;

/* What is known about a spawn. */
typedef struct EntSpawnedInfo {
    EntResourceRef resource; /* the entity or level */
    EntResourceRef hash;     /* that is in the header of its blob */
    uint32_t       blob_entities;
    uint32_t       part; /* EntSpawnPart */
    uint32_t which; /* entity of the blob, UINT32_MAX when a patch removed it; or id of the group:
                             ent_blob_group_id */
    uint32_t
        set; /* the same for parts that belong together: they were spawned with the same array of
                             entities; of a save as well */
    uint32_t  seed;
    EntEntity parent;
    /* [count] what was made of entity first + i of the blob, in the order of the blob;
     * ENT_ENTITY_NULL: nothing. Those that were destroyed are stale. */
    const EntEntity* entities;
    uint32_t         first, count;
} EntSpawnedInfo;

#ifdef __cplusplus
extern "C" {
#endif

/* Removes all that a spawn, and later patches of it, have made and that is alive. The number is
 * then invalid. Of a job that has not ended, what exists is removed, and the job is done.
 * EntHostDestroyed and the callbacks of managers are called as by ent_entity_destroy.
 *
 *   flags    EntUnspawnFlags, or 0
 *   removed  receives the counts; or NULL
 *
 * Returns  ENT_OK; or with nothing changed: ENT_NOT_FOUND: no spawn has the number any more;
 *          ENT_NO_MEMORY and ENT_LIMIT: with flags.
 * Cost     as ent_entity_destroy for its entities, or as ent_world_clear when they are all of the
 *          world; with ENT_UNSPAWN_REFERENCES also a pass over all fields that refer to entities.
 *          Spawning the same again allocates nothing. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_unspawn(EntWorld* world, EntSpawned spawned,
                                                   uint32_t flags, EntUnspawned* removed);

/* The next spawn of a resource in an order that does not change while they exist, or
 * ENT_SPAWNED_NONE.
 *
 *   resource  ent_resource_ref("levels/town", ENT_RESOURCE_LEVEL); zero: of any resource
 *   after     the one that was found before; ENT_SPAWNED_NONE: the first
 *
 * Cost     a pass over the spawns from `after` on. */
ENT_API EntSpawned ent_world_spawned_next(const EntWorld* world, EntResourceRef resource,
                                          EntSpawned after);

/* The entities of a spawn and of all that belong to the same set: the array with which another part of the level is
 * spawned, such as after a save was loaded, or after a patch.
 *
 *   entities  [blob_entities] of the spawn; receives ENT_ENTITY_NULL for what was not spawned
 *
 * Returns  ENT_OK; ENT_NOT_FOUND.
 * Cost     a pass over the spawns, and one over the entities. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_spawned_entities(const EntWorld* world,
                                                            EntSpawned      spawned,
                                                            EntEntity*      entities);

/* What is known about a spawn. Pointers are valid until the next spawn, patch or removal.
 *
 * Returns  ENT_OK; ENT_NOT_FOUND. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_spawned_info(const EntWorld* world, EntSpawned spawned,
                                                        EntSpawnedInfo* out);

#ifdef __cplusplus
}
#endif

#endif
