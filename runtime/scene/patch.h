/* patch.h - hot reload: the differences between two blobs of one level, applied to a running world.
 *
 *     EntPatch*  patch;
 *     EntEntity* next = (EntEntity*)calloc(new_blob->header->element_count, sizeof *next);
 *     if (ent_patch_create(&patch, world, old_blob, new_blob, NULL) != ENT_OK) return 1;
 *     if (ent_world_patch(world, patch, NULL, now, next, NULL) != ENT_OK) return 1;
 *     ent_patch_destroy(patch);
 *
 * `now` was filled by ent_world_spawn or the last patch, or by ent_saved_entities after a save was
 * loaded; `next` replaces it.
 *
 * Fields that the sources did not change keep the values that the game set: when the colour of a
 * character that has moved is edited, its colour changes and its position does not.
 *
 * Entities with the same path are the same entity. Entities at different paths are the same when
 * they are the only ones of that name without a match in their blob: below the nearest ancestor
 * that stayed, or else in the complete level. Only when the old parent was removed and the new
 * one added are they different entities, since then a complete branch was replaced. Entities
 * without names, and all of a blob that was built with --strip, are matched by their position
 * among their siblings without names: build levels that are to be reloaded without --strip. */
#ifndef ENT_PATCH_H
#define ENT_PATCH_H

#include "spawn.h"

#define ENT_PATCH_NONE UINT32_MAX

/* An entity of both blobs that has another parent. */
typedef struct EntPatchMove {
    uint32_t old_index, new_index;
    uint32_t parent; /* in the new blob, or ENT_PATCH_NONE */
} EntPatchMove;

/* An instance that an entity of both blobs gained or lost. */
typedef struct EntPatchInstance {
    uint32_t entity;   /* index in the blob that has the instance */
    uint32_t position; /* among the entity's instances of the type */
    uint32_t row;      /* of the section in that blob */
} EntPatchInstance;

/* A field of an instance that both blobs have; its values: ent_patch_words. */
typedef struct EntPatchChange {
    uint32_t entity;   /* index in the new blob */
    uint32_t position; /* among the entity's instances of the type */
    uint32_t field;    /* of the type's record */
    uint32_t old_row, new_row;
} EntPatchChange;

/* One component type that a blob has instances of. */
typedef struct EntPatchPart {
    const EntComponentType* type;
    EntPatchInstance*       added;         /* [added_count] rising rows */
    EntPatchInstance*       removed;       /* [removed_count] */
    EntPatchChange*         changed;       /* [changed_count] those of an instance are adjacent */
    uint32_t                added_count;   /* */
    uint32_t                removed_count; /* */
    uint32_t                changed_count; /* */
    uint32_t                spawned_count; /* instances of entities that are added */
    uint32_t converted; /* 1: those of the old blob have another declaration, from which they were
                                          converted: ent_patch_words cannot read its old_row */

} EntPatchPart;

/* An entity whose transform gets another parent, or may have to. */
typedef struct EntPatchLink {
    uint32_t entity, parent; /* in the new blob; ENT_PATCH_NONE: no parent */
    uint32_t was_root;       /* 1: it had no parent in the old blob */
} EntPatchLink;

/* To be read only. */
typedef struct EntPatch {
    const EntBlob* old_blob;   /* */
    const EntBlob* new_blob;   /* */
    uint32_t       old_count;  /* entities */
    uint32_t       new_count;  /* */
    uint32_t*      new_of_old; /* [old_count] the same entity of the new blob, or ENT_PATCH_NONE */
    uint32_t*      old_of_new; /* [new_count] */
    uint32_t*      ancestor; /* [new_count] nearest ancestor with a transform, or ENT_PATCH_NONE */
    uint32_t*      removed;  /* [removed_count] in the old blob, parents first */
    uint32_t*      added;    /* [added_count] in the new blob, parents first */
    EntPatchMove*  moved;    /* [moved_count] in the order of the new blob */
    EntPatchPart*  part;     /* [part_count] */
    EntPatchLink*  link;     /* [link_count] */
    uint32_t       removed_count; /* */
    uint32_t       added_count;   /* */
    uint32_t       moved_count;   /* */
    uint32_t       part_count;    /* */
    uint32_t       link_count;    /* */
    uint32_t       unknown_count; /* component types of the new blob that are not in `types` */
    EntHostAllocator allocator;
    size_t           bytes; /* of the block that contains the patch */
} EntPatch;

/* Options of ent_patch_create; all 0: the same as none.
 *
 *   types      [type_count] whose instances are compared; must exist as long as the patch. NULL: all that are
 *              registered in the world, and none is registered, unregistered or redeclared before the patch is
 *              destroyed; without a world, the built-in ones
 *   allocator  NULL: that of the world, or else pages from the system */
typedef struct EntPatchOptions {
    const EntComponentType* const* types;
    uint32_t                       type_count;
    const EntHostAllocator*        allocator;
} EntPatchOptions;

/* The result of a patch. Changes that conflict with what the game destroyed, removed or added
 * are skipped. */
typedef struct EntPatchResult {
    uint32_t entities_added, entities_removed;
    uint32_t instances_added, instances_removed; /* of entities that stayed */
    uint32_t fields_written;
    uint32_t transforms_attached; /* attached to another parent */
    uint32_t passed_over;         /* entities, instances, fields and links */
} EntPatchResult;

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the differences.
 *
 *   world               to which the patch will be applied, or NULL
 *   old_blob, new_blob  opened with ent_blob_open; must exist as long as the patch
 *   options             NULL: none
 *
 * The log of the world states each component type of the blobs that is not compared, once as long as
 * the world exists.
 *
 * Returns  ENT_OK; ENT_WRONG_TYPE: not two entities or two levels; ENT_BAD_FIELD: instances are
 *          invalid, or those of the new blob have another layout than the type, or those of the old one and it does
 *          not contain their declaration; ENT_NO_MEMORY.
 * Cost     time in proportion to both blobs; two allocations, of which one is kept, and one more for each type whose
 *          instances in the old blob are converted. */
ENT_API ENT_MUST_CHECK EntStatus ent_patch_create(EntPatch** out, EntWorld* world,
                                                  const EntBlob* old_blob, const EntBlob* new_blob,
                                                  const EntPatchOptions* options);
ENT_API void                     ent_patch_destroy(EntPatch* patch);

/* Applies a patch to a world: adds and removes entities and instances, attaches transforms to other
 * parents, without changes of their local poses, and writes the fields that changed. World matrices
 * are up to date afterwards, or, when deferred, after the next ent_transform_update. Instances are
 * added by their managers' spawners, one call per type; `changed` is called for fields that were
 * written.
 *
 *   options       parent, root and seed that the level was spawned with. With `spawned`, which points to the
 *                 number of a spawn of the old blob, these are those of that spawn, and what is added
 *                 belongs to it. All parts of its set (EntSpawnedInfo.set) are patched together: an entity
 *                 is added where it belongs to a part that was spawned. Other members are not used.
 *                 NULL: none
 *   old_entities  [patch->old_count] as the spawn of the old blob, or the last patch, filled it; with
 *                 `spawned` it is not used
 *   new_entities  [patch->new_count] receives the entity of each index from now on: destroyed ones
 *                 where the game destroyed them, ENT_ENTITY_NULL for what was never spawned. May be
 *                 old_entities, and with `spawned` NULL
 *   result        or NULL
 *
 * An entity that is added below one that the game destroyed, or that was never spawned, is skipped;
 * so are additions to a group, or another part, that was not spawned, an instance of a type that an entity may have
 * once when the game has added one, a parent that the game attached to its child, and component
 * types that are not registered in the world. Instances are identified by their position among the
 * entity's: those of the game come after those of the source. Entities that the game attached to a
 * removed entity stay, without a parent. Rows move.
 *
 * Returns  ENT_OK, or with nothing changed: ENT_NO_MEMORY, ENT_LIMIT; ENT_NOT_FOUND: no spawn of the
 *          old blob has the number, its job has not ended, or parts of its set have other parents, roots or seeds.
 * Cost     time in proportion to both blobs' entities and what changed, and their descendants;
 *          one allocation besides those that the world needs to grow. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_patch(EntWorld* world, const EntPatch* patch,
                                                 const EntSpawnOptions* options,
                                                 const EntEntity*       old_entities,
                                                 EntEntity* new_entities, EntPatchResult* result);

/* Finds the entities of a level in a world that was loaded from a save, so that the level can be
 * reloaded: a save contains what the game destroyed no more, and its entities are in another order.
 * Entities with the same persistent id are the same; those without one have the same path, or, when the
 * game attached them to another parent, are the only ones of that name. What has neither a name nor an
 * id is not found: build levels that are to be reloaded without --strip.
 *
 *   save      that was loaded
 *   loaded    [entities of the save] as ent_world_spawn filled it
 *   level     from which the world that was saved was spawned
 *   options   parent (its entity in this world) and seed with which it was spawned. NULL: none
 *   entities  [entities of the level] receives what was found, or ENT_ENTITY_NULL: for
 *             ent_world_patch and as EntSaveSource.entities
 *
 * Returns  ENT_OK; ENT_NOT_FOUND: none was found, although the level has entities; ENT_WRONG_TYPE:
 *          a blob is neither an entity nor a level; ENT_NO_MEMORY. The log states how many cannot be
 *          identified.
 * Cost     time in proportion to both blobs; one allocation, which is freed. */
ENT_API ENT_MUST_CHECK EntStatus ent_saved_entities(EntWorld* world, const EntBlob* save,
                                                    const EntEntity* loaded, const EntBlob* level,
                                                    const EntSpawnOptions* options,
                                                    EntEntity*             entities);

/* The words of a field in row `row` of a component's section: field->bytes, aligned to 4.
 *
 * Needs    a blob that has instances of the type. */
ENT_API const void* ent_patch_words(const EntBlob* blob, const EntComponentType* type, uint32_t row,
                                    uint32_t field);

#ifdef __cplusplus
}
#endif

#endif
