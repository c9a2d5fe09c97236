/* world_follow.h - hot reload of a world: patches all spawns of the levels and entities that a library has changed.
 *
 *     EntLibraryChanges changes;
 *     EntWorldFollowed  followed;
 *     if (ent_library_follow(&library, &changes) != ENT_OK) puts(library.problem);
 *     if (ent_world_follow(world, &changes, &followed) != ENT_OK) puts(followed.failed->name);
 *
 * Only spawns with a number are found (EntSpawnOptions.spawned), also after a load. Fields that the
 * sources did not change keep the values that the game set. Instances of a changed declaration are converted first
 * (ent_world_redeclare): also those that the game created. Systems on the device follow the other
 * resources by themselves. */
#ifndef ENT_WORLD_FOLLOW_H
#define ENT_WORLD_FOLLOW_H

#include "library.h"
#include "patch.h"

typedef struct EntWorldFollowed {
    uint32_t spawns; /* that were patched */
    uint32_t
        left; /* spawns of these resources that stay as they are: of a job that has not ended, of
                                      an older blob than the one before the change, or of parts in one set that were
                                      spawned with different parents, roots or seeds */
    EntPatchResult         result; /* of all of them */
    const EntLibraryEntry* failed; /* the resource that cannot be followed; NULL: none */
} EntWorldFollowed;

#ifdef __cplusplus
extern "C" {
#endif

/* Converts the instances of the changed declarations that the world knows, then patches the spawns of all levels and
 * entities among the changes.
 *
 *   changes   of the last ent_library_follow
 *   followed  receives the result; or NULL
 *
 * Returns  ENT_OK; or the status of ent_world_redeclare, ent_patch_create or ent_world_patch for the first resource that
 *          cannot be followed: the others are followed nevertheless, but for levels with instances of a declaration
 *          that was refused. It may be called again with the same changes,
 *          such as after ENT_NO_MEMORY: a spawn is patched once.
 * Cost     of each changed blob that of ent_patch_create, and of each spawn that of ent_world_patch. */
ENT_API ENT_MUST_CHECK EntStatus ent_world_follow(EntWorld* world, const EntLibraryChanges* changes,
                                                  EntWorldFollowed* followed);

#ifdef __cplusplus
}
#endif

#endif
