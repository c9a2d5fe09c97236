/* pose_library_internal.h - the skeletons and clips of a library in tables, which follow its changes. */
#ifndef ENT_POSE_LIBRARY_INTERNAL_H
#define ENT_POSE_LIBRARY_INTERNAL_H

#include "library.h"
#include "pose_tables_internal.h"

typedef struct PoseLibrary {
    World*         world;
    const Library* library;
    PoseTables     tables;
    u64            version; /* EntLibrary.version in the last attempt to follow it, */
    u64            taken;   /* and in the last one that succeeded */
    u32            cleared; /* EntLibrary.cleared likewise */
} PoseLibrary;

PoseLibrary pose_library_of(World* world, const Library* library);
void        pose_library_free(PoseLibrary* poses);

/* Takes the skeletons and clips that the library has changed. True: all rows of the tables were removed, because the
 * blobs of a library that was cleared do not exist any more. */
bool pose_library_follow(PoseLibrary* poses);

/* A resource of the library, or NULL. */
const Blob* pose_library_find(const PoseLibrary* poses, ResourceRef id, ResourceType type);

/* The row of a clip; NONE: the library does not have it. */
MUST_CHECK ent_status pose_library_clip(PoseLibrary* poses, ResourceRef id, u32* clip);

/* Memory of the world's allocator. */
void* pose_library_take(const PoseLibrary* poses, size_t bytes);
/* A larger array with the elements of `old`, which is given back; NULL, and `old` stays: there is no memory.
 *
 *   old  [room] of `bytes` each */
void* pose_library_grow(const PoseLibrary* poses, void* old, u32 room, u32 grown, size_t bytes);
void  pose_library_return(const PoseLibrary* poses, void* at, size_t bytes);

#endif
