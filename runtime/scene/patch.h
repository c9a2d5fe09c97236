/* patch.h - hot reload: what differs between two blobs of one level, and a running world that
 * follows.
 *
 *     Patch*  patch;
 *     Entity* next = malloc(sizeof(Entity) * new_blob->header->element_count);
 *     ent_patch_create(&patch, old_blob, new_blob, NULL, 0, NULL);
 *     ent_world_patch(world, patch, NULL, now, next, NULL);
 *     ent_patch_destroy(patch);
 *
 * `now` is what ent_world_spawn filled, or the last patch; `next` takes its place.
 *
 * What the sources did not change stays as the game made it, field by field: somebody who walked
 * away and whose colour is edited changes colour where he stands.
 *
 * The same entity is the one with the same path. One that is found at another path is the same
 * when it alone, in both blobs, has lost or gained a place and bears the name: below the nearest
 * ancestor that stayed, or else in the whole level. Only when the one parent went and the other
 * one came is it another entity, since then a whole branch was replaced. Entities without names,
 * and all of a blob that was built with --strip, are matched by their place among their siblings
 * without names: build without it what is to be reloaded. */
#ifndef ENT_PATCH_H
#define ENT_PATCH_H

#include "spawn.h"

#define PATCH_NONE UINT32_MAX

/* An entity of both blobs that has another parent. */
typedef struct PatchMove {
    u32 old_index, new_index;
    u32 parent; /* in the new blob, or PATCH_NONE */
} PatchMove;

/* An instance that an entity of both blobs gained or lost. */
typedef struct PatchInstance {
    u32 entity;   /* index in the blob that has the instance */
    u32 position; /* among the entity's instances of the type */
    u32 row;      /* of the section in that blob */
} PatchInstance;

/* A field of an instance that both blobs have; its values: ent_patch_words. */
typedef struct PatchChange {
    u32 entity;   /* index in the new blob */
    u32 position; /* among the entity's instances of the type */
    u32 field;    /* of the type's record */
    u32 old_row, new_row;
} PatchChange;

/* One component type that a blob has instances of. */
typedef struct PatchPart {
    const ComponentType* type;
    PatchInstance*       added;         /* [added_count] rising rows */
    PatchInstance*       removed;       /* [removed_count] */
    PatchChange*         changed;       /* [changed_count] all of an instance beside each other */
    u32                  added_count;   /* */
    u32                  removed_count; /* */
    u32                  changed_count; /* */
    u32                  spawned_count; /* instances of entities that are added */
} PatchPart;

/* Whose transform is to hang on another one, or may have to. */
typedef struct PatchLink {
    u32 entity, parent; /* in the new blob; PATCH_NONE: on nobody's */
    u32 was_root;       /* 1: it hung on nobody's in the old blob */
} PatchLink;

/* Read it, do not write it. */
typedef struct Patch {
    const Blob*   old_blob;      /* */
    const Blob*   new_blob;      /* */
    u32           old_count;     /* entities */
    u32           new_count;     /* */
    u32*          new_of_old;    /* [old_count] the same entity of the new blob, or PATCH_NONE */
    u32*          old_of_new;    /* [new_count] */
    u32*          hang;          /* [new_count] nearest ancestor with a transform, or PATCH_NONE */
    u32*          removed;       /* [removed_count] in the old blob, parents first */
    u32*          added;         /* [added_count] in the new blob, parents first */
    PatchMove*    moved;         /* [moved_count] in the order of the new blob */
    PatchPart*    part;          /* [part_count] */
    PatchLink*    link;          /* [link_count] */
    u32           removed_count; /* */
    u32           added_count;   /* */
    u32           moved_count;   /* */
    u32           part_count;    /* */
    u32           link_count;    /* */
    u32           unknown_count; /* component types of the new blob that nobody named */
    HostAllocator allocator;
    size_t        bytes; /* of the block in which all of it stands */
} Patch;

/* What became of a patch. What the game destroyed, removed or put in the way is passed over. */
typedef struct PatchResult {
    u32 entities_added, entities_removed;
    u32 instances_added, instances_removed; /* of entities that stayed */
    u32 fields_written;
    u32 transforms_hung; /* on another parent */
    u32 passed_over;     /* entities, instances, fields and links */
} PatchResult;

#ifdef __cplusplus
extern "C" {
#endif

/* Finds what differs.
 *
 *   old_blob, new_blob  opened with ent_blob_open; stay for as long as the patch
 *   types               [type_count] to compare instances of; stay for as long; NULL: built-in
 *   allocator           NULL: pages from the system
 *
 * Returns  ENT_OK; ENT_WRONG_TYPE: not two entities or two levels; ENT_BAD_FIELD: instances are
 *          wrong, or a blob has them in another layout than the type; ENT_NO_MEMORY.
 * Cost     time in proportion to both blobs; two allocations, of which one stays. */
ENT_API MUST_CHECK ent_status ent_patch_create(Patch** out, const Blob* old_blob,
                                               const Blob*                 new_blob,
                                               const ComponentType* const* types, u32 type_count,
                                               const HostAllocator* allocator);
ENT_API void                  ent_patch_destroy(Patch* patch);

/* Lets a world follow: adds and removes entities and instances, hangs transforms on other parents,
 * where their local poses stay, and writes the fields that changed. World matrices are right
 * afterwards; while they are deferred, with the next ent_transform_update. Instances that come do
 * so through their managers' spawners, one call a type; a manager is told of fields that were
 * written.
 *
 *   options       parent, root and seed that the level was spawned with; the rest is not looked
 *                 at. NULL: none
 *   old_entities  [patch->old_count] as the spawn of the old blob, or the last patch, filled it
 *   new_entities  [patch->new_count] receives who is who from now on: dead entities where the game
 *                 destroyed them, ENTITY_NOBODY for what was never spawned. May be old_entities
 *   result        or NULL
 *
 * An entity that is added below one that the game destroyed, or that was never spawned, is passed
 * over; so are what is added to a group that was not spawned, an instance of a type that an entity
 * may have once and the game gave it, a parent that the game hung on its child, and component types
 * that the world does not know. Instances are known by their place among the entity's: the game's
 * stand behind those of the source. What the game has made a child of an entity that is removed
 * stays, without a parent. Rows change places.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_NO_MEMORY, ENT_LIMIT.
 * Cost     time in proportion to both blobs' entities and what changed, and to what hangs below it;
 *          one allocation besides those that the world needs to grow. */
ENT_API MUST_CHECK ent_status ent_world_patch(World* world, const Patch* patch,
                                              const SpawnOptions* options,
                                              const Entity* old_entities, Entity* new_entities,
                                              PatchResult* result);

/* The words of a field in row `row` of a component's section: field->bytes, aligned to 4.
 *
 * Needs    a blob that has instances of the type. */
ENT_API const void* ent_patch_words(const Blob* blob, const ComponentType* type, u32 row,
                                    u32 field);

#ifdef __cplusplus
}
#endif

#endif
