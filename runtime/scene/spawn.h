/* spawn.h - from a blob to living entities: at once, in parts, or over frames.
 *
 *     ent_world_spawn(world, &level.blob, NULL, NULL);                 all of it
 *
 *     EntEntity* made = calloc(blob->header->element_count, sizeof *made);
 *     EntSpawnOptions part = {.part = ENT_SPAWN_BASE};                        a part, and later
 *     another ent_world_spawn(world, blob, &part, made);
 *     part = (EntSpawnOptions){.part = ENT_SPAWN_GROUP, .which = ent_blob_group_find(blob,
 *     "cellar")}; ent_world_spawn(world, blob, &part, made);
 *
 *     EntSpawnJob* job;                                                   over frames
 *     ent_spawn_begin(&job, world, blob, NULL, NULL);
 *     do frame(); while (ent_spawn_step(job, 500, &done) == ENT_OK && !done);
 *     ent_spawn_end(job);
 *
 * Each component type's spawner is called once, in spawn order, with all instances; world matrices
 * are right afterwards, at any depth. The same blob may be spawned any number of times.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#ifndef ENT_SPAWN_H
#define ENT_SPAWN_H

#include "world.h"

typedef enum EntSpawnPart {
    ENT_SPAWN_ALL,
    ENT_SPAWN_SUBTREE, /* entity `which` of the blob and all below it */
    ENT_SPAWN_BASE,    /* what is in no group */
    ENT_SPAWN_GROUP    /* group `which`: ent_blob_group_find. It refers to itself and to the base */
} EntSpawnPart;

typedef struct EntSpawnOptions {
    int       strict; /* refuse a blob with component types that are not registered; else skip
                      them */
    EntEntity parent; /* on which entities without a parent are hung; ENT_ENTITY_NULL: on none */
    const EntTransformRecord*
                 root; /* what their poses are relative to; NULL: nothing. One scale for
                                    all axes */
    EntSpawnPart part;
    uint32_t     which; /* entity or group of the blob */
    uint32_t     seed; /* of persistent ids, see persistent_manager.h; 0: they stay what they are */
} EntSpawnOptions;

typedef struct EntSpawnJob EntSpawnJob;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates entities of an entity or level blob with their components. Components of a type that the
 * world has not registered are left out, which the log states, unless `strict` refuses them.
 *
 *   blob      opened with ent_blob_open; not needed afterwards
 *   options   NULL: all zero
 *   entities  [blob->header->element_count]; may be NULL when everything is spawned.
 *             ENT_SPAWN_ALL: receives what was created. A part: what is not ENT_ENTITY_NULL was
 *             spawned before, is not spawned again, and is what references and parents outside of
 *             the part lead to; receives what was created.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_WRONG_TYPE: neither an entity nor a level;
 *          ENT_UNKNOWN_COMPONENT: see above; ENT_LIMIT (see ENT_ENTITY_COUNT_MAX); ENT_NO_MEMORY;
 *          ENT_NOT_FOUND: no such entity or group in the blob; ENT_STALE or ENT_NO_TRANSFORM:
 *          options->parent; ENT_BAD_FIELD when instances of a type that was not named to
 *          ent_blob_open turn out to be wrong, or are of another layout (which the log states).
 * Cost     one copy per column; no allocation when there is room, as after ent_world_clear. With
 *          the world's jobs the copies and matrices of large levels are made by all threads. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_spawn(EntWorld* world, const EntBlob* blob,
                                                 const EntSpawnOptions* options,
                                                 EntEntity*             entities);

/* Begins to spawn over frames. Takes the room for all of it; no entity exists yet.
 *
 *   blob      must stay until ent_spawn_end
 *   options   copied, and *root with it; as above
 *   entities  as above, good from the step on that creates them; NULL: not wanted. Must stay
 *
 * Returns  as ent_world_spawn. */
ENT_API ENT_MUST_CHECK EntStatus ent_spawn_begin(EntSpawnJob** out, EntWorld* world,
                                                 const EntBlob*         blob,
                                                 const EntSpawnOptions* options,
                                                 EntEntity*             entities);

/* Goes on for about so many microseconds, in steps of some ten. First all entities are created,
 * then they get their components, parents before children. What the host does to the world in
 * between is respected: an entity that was destroyed gets nothing, and an instance that the host
 * created stays, alone where the type allows one, in front of the blob's where it allows several.
 * When it does nothing, the world ends as after ent_world_spawn.
 *
 *   done  1 when everything is spawned
 *
 * Returns  ENT_OK; ENT_NO_MEMORY or ENT_LIMIT when the host used up the room: may be called again.
 * Needs    options->parent alive, or what is spawned from then on has no parent. */
ENT_API ENT_MUST_CHECK EntStatus ent_spawn_step(EntSpawnJob* job, uint32_t budget_us, int* done);

/* Ends a job; entities of one that is not done stay as they are. NULL: nothing.
 *
 * Needs    the world: every job is ended before it is destroyed, and before component types come or
 *          go. */
ENT_API void ent_spawn_end(EntSpawnJob* job);

#ifdef __cplusplus
}
#endif

#endif
