/* spawn.h - creates entities from a blob: all together, in parts, or over frames.
 *
 *     // All of it:
 *     if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) return 1;
 *
 *     // A part, and later another:
 *     EntEntity*      made = (EntEntity*)calloc(blob->header->element_count, sizeof *made);
 *     EntSpawnOptions part = {0};
 *     part.part = ENT_SPAWN_BASE;
 *     if (ent_world_spawn(world, blob, &part, made) != ENT_OK) return 1;
 *     part.part = ENT_SPAWN_GROUP;
 *     part.which = ent_blob_group_find(blob, "cellar");
 *     if (ent_world_spawn(world, blob, &part, made) != ENT_OK) return 1;
 *
 *     // Over several frames:
 *     EntSpawnJob* job;
 *     int          done = 0;
 *     if (ent_spawn_begin(&job, world, blob, NULL, NULL) != ENT_OK) return 1;
 *     while (ent_spawn_step(job, 500, &done) == ENT_OK && !done) draw_frame();
 *     ent_spawn_end(job);
 *
 * Each component type's spawner is called once, in spawn order, with all instances; world matrices
 * are up to date afterwards, at any depth. The same blob may be spawned any number of times.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#ifndef ENT_SPAWN_H
#define ENT_SPAWN_H

#include "spawned.h"
#ifdef ENT_BUILD
#include "transform.h"
#else
#include "records.h"
#endif

typedef enum EntSpawnPart {
    ENT_SPAWN_ALL,
    ENT_SPAWN_SUBTREE, /* entity `which` of the blob and all below it */
    ENT_SPAWN_BASE,    /* what is in no group */
    ENT_SPAWN_GROUP    /* group `which`: ent_blob_group_find. It refers to itself and to the base */
} EntSpawnPart;

typedef struct EntSpawnOptions {
    int       strict; /* refuse a blob with component types that are not registered; else skip
                      them */
    EntEntity parent; /* of entities without a parent; ENT_ENTITY_NULL: none */
    const EntTransformRecord*
                 root; /* what their poses are relative to; NULL: the world. One scale for
                                    all axes */
    EntSpawnPart part;
    uint32_t     which;   /* entity or group of the blob */
    uint32_t     seed;    /* of persistent ids, see persistent_manager.h; 0: unchanged */
    EntSpawned*  spawned; /* receives the number of this spawn (spawned.h); NULL: it has none */
} EntSpawnOptions;

typedef struct EntSpawnJob EntSpawnJob;

#ifdef __cplusplus
extern "C" {
#endif

/* Creates entities of an entity or level blob with their components. Components of a type that the
 * world has not registered are left out, which the log states, unless `strict` refuses them.
 * Instances that were written under an older declaration, which the blob contains, are converted:
 * fields and texts of enums are found by their names or older names ("was"), new fields have their
 * defaults, and the log states what was dropped.
 *
 *   blob      opened with ent_blob_open; not needed afterwards
 *   options   NULL: all zero
 *   entities  [blob->header->element_count]; may be NULL when everything is spawned. ENT_SPAWN_ALL:
 *             receives what was created. A part: what is not ENT_ENTITY_NULL was spawned before, is
 *             not spawned again, and is used for references and parents outside of the part;
 *             receives what was created.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_WRONG_TYPE: neither an entity nor a level;
 *          ENT_UNKNOWN_COMPONENT: see above; ENT_LIMIT (see ENT_ENTITY_COUNT_MAX); ENT_NO_MEMORY;
 *          ENT_NOT_FOUND: no such entity or group in the blob; ENT_STALE or ENT_NO_TRANSFORM:
 *          options->parent; ENT_BAD_FIELD when instances of a type that was not passed to
 *          ent_blob_open are invalid, have a different layout without a declaration in the blob, or
 *          no value of a field that is required (which the log states).
 * Cost     one copy per column; no allocation while the capacity suffices, as after
 *          ent_world_clear. With the world's jobs, all threads copy and compute the matrices of
 *          large levels. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_spawn(EntWorld* world, const EntBlob* blob,
                                                 const EntSpawnOptions* options,
                                                 EntEntity*             entities);

/* Begins to spawn over frames. Allocates the memory for all of it; no entity exists yet.
 *
 *   blob      must exist until ent_spawn_end
 *   options   copied, and *root with it; as above
 *   entities  as above, valid from the step on that creates them; NULL: not requested. Must exist
 *             as long
 *
 * Returns  as ent_world_spawn. */
ENT_API ENT_MUST_CHECK EntStatus ent_spawn_begin(EntSpawnJob** out, EntWorld* world,
                                                 const EntBlob*         blob,
                                                 const EntSpawnOptions* options,
                                                 EntEntity*             entities);

/* Continues for about `budget_us` microseconds, in steps of about ten. First all entities are
 * created, then they get their components, parents before children. What the host does to the world
 * in between is respected: an entity that was destroyed gets no components, and an instance that
 * the host created stays, alone when the type allows one, before the blob's when it allows
 * multiple. When the host changes nothing, the result is that of ent_world_spawn.
 *
 *   done  1 when everything is spawned
 *
 * Returns  ENT_OK; ENT_NO_MEMORY or ENT_LIMIT when the host used the allocated capacity: may be
 *          called again.
 * Needs    options->parent alive, or entities that are spawned from then on have no parent. */
ENT_API ENT_MUST_CHECK EntStatus ent_spawn_step(EntSpawnJob* job, uint32_t budget_us, int* done);

/* Ends a job; entities of an unfinished job stay as they are. NULL: does nothing.
 *
 * Needs    the world: every job is ended before it is destroyed, and before component types are
 *          registered or unregistered. */
ENT_API void ent_spawn_end(EntSpawnJob* job);

#ifdef __cplusplus
}
#endif

#endif
