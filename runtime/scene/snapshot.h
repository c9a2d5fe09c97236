/* snapshot.h - a running world as a blob: its current state, in the format of any level.
 *
 *     // What ent_world_spawn was given, and the entities that it created:
 *     const EntSaveSource town = {&level.blob, made};
 *     EntSaveOptions      options = {0};
 *     options.name = "saves/quick";
 *     options.sources = &town;
 *     options.source_count = 1;
 *
 *     void*  bytes;
 *     size_t size;
 *     if (ent_world_save(world, &options, &bytes, &size) != ENT_OK) return 1;
 *     fwrite(bytes, 1, size, file);
 *     ent_world_save_free(world, bytes, size);
 *
 * `entc dump`, `diff` and `verify` read what was written, and ent_world_spawn loads it. Entities
 * are in a defined order, independent of their rows and indices: in the hierarchy of their
 * transforms, those without a parent in the order of their rows. So a world that is saved, loaded
 * and saved again gives the same bytes. References to entities are indices again; one to an entity
 * that is destroyed becomes the null reference. Names and persistent ids do not change. The blob
 * has no groups: it is loaded completely.
 *
 * A save contains the declarations of all component types in it, however they were registered: by the
 * project, by a host, by a plugin or by the library, and of saved state. A world in which a type has
 * changed converts the instances when it spawns them; older names are those of EntComponentType.was.
 *
 * Columns that only the runtime has are saved when their manager describes them
 * (EntManagerDesc.state): in a section with the record's name behind the manager's own, which a
 * world without that manager skips like any type that is not registered. */
#ifndef ENT_SNAPSHOT_H
#define ENT_SNAPSHOT_H

#include "world.h"

/* A blob from which something in the world was spawned. */
typedef struct EntSaveSource {
    const EntBlob*   blob; /* contains the names of the resources that its components refer to */
    const EntEntity* entities; /* [blob->header->element_count] what was made of its entities: these
                               keep their names, unless a sibling has the same, and those without a
                               transform their parent. NULL: not known. Not used in a world with
                               names, which knows both (entity_names.h) */
} EntSaveSource;

typedef struct EntSaveOptions {
    const char*          name;         /* of the resource: "saves/quick" */
    uint32_t             type;         /* ENT_RESOURCE_LEVEL or ENT_RESOURCE_ENTITY; 0: a level */
    const EntSaveSource* sources;      /* [source_count] for an entity in two, the first is used */
    uint32_t             source_count; /* */
} EntSaveOptions;

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all entities that are alive, and the components that this world has for them.
 *
 *   bytes, size  receive the blob, from the world's allocator, in this machine's byte order
 *
 * Returns  ENT_OK; or, with the world as it was: ENT_NO_MEMORY; ENT_LIMIT: above 4 GiB;
 *          ENT_UNKNOWN_RESOURCE: a component refers to a resource whose name is in no source;
 *          ENT_BAD_FIELD: a component has a value that is not valid in a blob, so that it could not
 *          be loaded. The log states which.
 * Needs    a canonical name (asserted).
 * Cost     two allocations, of which the blob is kept; about three times what ent_blob_open
 *          costs, which is included: the written blob is validated. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_save(EntWorld* world, const EntSaveOptions* options,
                                                void** bytes, size_t* size);
ENT_API void                     ent_world_save_free(EntWorld* world, void* bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
