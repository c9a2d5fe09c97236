/* library.h - the source of a host's resources: an output folder of entc, or a bundle of one. The
 * calls are the same, and so are the blobs.
 *
 *     EntLibrary     library;
 *     const EntBlob* level;
 *     if (ent_library_open(&library, "town.pak", NULL) != ENT_OK) return 1; // or the folder "out"
 *     // With the resources that it refers to:
 *     if (ent_library_load(&library, "levels/town", ENT_RESOURCE_LEVEL, &level) != ENT_OK)
 *         return 1;
 *     if (ent_world_spawn(world, level, NULL, NULL) != ENT_OK) return 1;
 *     const EntMeshRows meshes = ent_mesh_rows(world);
 *     const EntBlob*    mesh = ent_library_find(&library, meshes.record[0].resource);
 *     ent_library_close(&library);
 *
 * Each resource is opened once, validated, and stays until ent_library_clear or
 * ent_library_close. Of a bundle only the index and the requested resources are read; an
 * uncompressed resource is used in place in the file, a compressed one needs one allocation. The
 * file or folder may be replaced by renaming meanwhile. A library may be used by one thread at a
 * time.
 *
 * A running program follows a build, once per frame or when it likes:
 *
 *     EntLibraryChanges changes;
 *     if (ent_library_follow(&library, &changes) != ENT_OK) puts(library.problem);
 *     for (uint32_t i = 0; i < changes.count; i++) puts(changes.change[i].entry->name);
 */
#ifndef ENT_LIBRARY_H
#define ENT_LIBRARY_H

#include "bundle.h"
#include "host.h"
#include "jobs.h"
#include "output_index.h"
#include "resource.h"

struct EntLibraryChange;

typedef struct EntLibraryDesc {
    EntHostAllocator allocator; /* zero: pages from the system */
    EntBlobOptions   blob;      /* zero: built-in component types, hash checked */
    /* Limit of the total bytes of all open resources that are compressed in a bundle, so that a
     * small file cannot use all memory; 0: ENT_BUNDLE_EXPANDED_MAX. */
    uint64_t expanded_max;
    /* 1: ent_library_load reports referenced resources that are missing or of another type to `log`,
     * as warnings, and opens the others. */
    int        skip_missing;
    EntHostLog log;
    /* ent_library_follow reads and validates on a thread of the pool, which then calls `allocator`
     * too; NULL: it does so in the call. The pool exists longer than the library, which is followed,
     * cleared and closed by the thread that may wait for work of the pool. */
    EntJobPool* pool;
    /* Called by ent_library_follow for each change, after all of them were taken; must not follow,
     * clear or close the library. NULL: none. */
    void (*changed)(void* user, const struct EntLibraryChange* change);
    void* user; /* of `changed` */
} EntLibraryDesc;

typedef struct EntLibraryEntry {
    EntResourceRef id;
    EntResource    resource;
    uint32_t       wanted;   /* number of the load that opened what it refers to; 0: none */
    int            followed; /* that was done */
    uint64_t       version;  /* EntLibrary.version of its last change; 0: none */
    int            removed;  /* a build has removed it; the blob is the last one */
    uint32_t       expanded; /* bytes, when it is compressed in a bundle */
    uint64_t       piece;    /* of a bundle: hash of its piece and all that expanding it needs */
    struct LibrarySource* source; /* the bundle in which its bytes are; or NULL */
    char                  name[ENT_BUNDLE_NAME_BYTES_MAX + 1]; /* without its type */
} EntLibraryEntry;

#define ENT_LIBRARY_BLOCKS 24

typedef enum EntLibraryChangeKind {
    ENT_LIBRARY_CHANGED, /* its blob was replaced */
    ENT_LIBRARY_ADDED,   /* it was opened because another one refers to it, or was removed before */
    ENT_LIBRARY_REMOVED  /* a build has removed it; its last blob stays open */
} EntLibraryChangeKind;

typedef struct EntLibraryChange {
    EntLibraryChangeKind   kind;
    const EntLibraryEntry* entry;  /* with its id, name, version and blob */
    const EntBlob*         before; /* the former blob; NULL: it was not open, or stays as it is */
    /* Of ENT_LIBRARY_REMOVED: an open resource that refers to it, or NULL. */
    const EntLibraryEntry* referrer;
} EntLibraryChange;

typedef struct EntLibraryChanges {
    const EntLibraryChange* change; /* [count] in the order in which they were opened */
    uint32_t                count;
} EntLibraryChanges;

typedef struct EntLibrary {
    EntLibraryEntry*      block[ENT_LIBRARY_BLOCKS]; /* each twice as long as the one before it */
    uint32_t              count;                     /* of entries in them: ent_library_entry */
    uint32_t              slot_count;                /* */
    uint32_t*             slot;                      /* [slot_count] hash table of ids: index + 1 */
    char*                 path;                      /* as passed to ent_library_open */
    size_t                path_bytes;                /* with the NUL */
    EntBundle             bundle;                    /* zero: a folder */
    struct LibrarySource* source;                    /* the bundles that are in use, newest first */
    struct LibraryFollow* follow;                    /* what ent_library_follow keeps; or NULL */
    const EntOutputIndex* index;                     /* of ent_library_follow, while it reads */
    struct LibraryFailed* failed;                    /* the same */
    uint32_t              loads;                     /* calls of ent_library_load */
    uint32_t              cleared;                   /* calls of ent_library_clear */
    uint64_t              version;                   /* changes that were taken */
    uint64_t              bytes;                     /* of the blobs that are open */
    uint64_t              expanded;                  /* of those that were compressed */
    uint64_t              open_ns, verify_ns;        /* mapping and expanding; ent_blob_open */
    EntLibraryDesc        desc;                      /* */
    char                  problem[4608];             /* one sentence, when a call failed */
} EntLibrary;

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a folder, or a bundle when `path` is a file.
 *
 *   desc  NULL: all zero
 *
 * Returns  ENT_OK; ENT_NOT_FOUND, ENT_IO, ENT_NO_MEMORY, or a status of ent_bundle_open: then
 *          library->problem states why, and there is nothing to close.
 * Cost     of a bundle, one pass over its index. */
ENT_API ENT_MUST_CHECK EntStatus ent_library_open(EntLibrary* library, const char* path,
                                                  const EntLibraryDesc* desc);
ENT_API void                     ent_library_close(EntLibrary* library);

/* The blob of resource `name` of a type, opened now or before. `type` is an EntResourceType:
 * ENT_RESOURCE_LEVEL, ENT_RESOURCE_MESH, ..
 *
 *   out  receives it; valid until ent_library_clear or ent_library_close
 *
 * Returns  ENT_OK; ENT_NOT_FOUND; ENT_IO; ENT_NO_MEMORY; ENT_LIMIT: more than
 *          desc->expanded_max; or a status of ent_blob_open or the bundle. library->problem
 *          states which file or resource, and why.
 * Cost     a hash lookup; the first time one pass over the bytes, two when they are compressed, and
 *          an allocation of the blob's size for those. */
ENT_API ENT_MUST_CHECK EntStatus ent_library_resource(EntLibrary* library, const char* name,
                                                      uint32_t type, const EntBlob** out);

/* The bytes of the file of resource `name` of type data, which is opened now or before.
 *
 *   bytes, size_bytes  receive them, as ent_blob_contents returns them: aligned to 16, valid until
 *                      ent_library_clear or ent_library_close
 *
 * Needs    a name without an extension: "audio/theme" for audio/theme.ogg.
 * Returns  as ent_library_resource.
 * Cost     as ent_library_resource; nothing else is copied. */
ENT_API ENT_MUST_CHECK EntStatus ent_library_data(EntLibrary* library, const char* name,
                                                  const void** bytes, uint32_t* size_bytes);

/* The blob of a resource with everything that it refers to, directly or indirectly. Resources that were opened
 * before a failure stay open. */
ENT_API ENT_MUST_CHECK EntStatus ent_library_load(EntLibrary* library, const char* name,
                                                  uint32_t type, const EntBlob** out);

/* The blob of a resource that is open, or NULL.
 * Cost     a hash lookup. */
ENT_API const EntBlob* ent_library_find(const EntLibrary* library, EntResourceRef id);

/* Resource `index` < library->count in the order of their opening. The pointer stays valid. */
ENT_API const EntLibraryEntry* ent_library_entry(const EntLibrary* library, uint32_t index);

/* Compares the folder, or the bundle, with the resources that are open, and takes what has changed:
 * all of it, or nothing. Of a folder it reads the index that a build writes last
 * (ENT_OUTPUT_INDEX_FILE), so it does not matter how many builds there were. What a changed
 * resource refers to is opened too, if ent_library_load had opened that resource.
 *
 *   changes  receives what was taken by this call; count 0: nothing
 *
 * The EntBlob of a resource that was returned before becomes the new one, at the same address.
 * The bytes of the former blob, and `changes`, stay valid until the next ent_library_follow,
 * ent_library_clear or ent_library_close. Resources that a build has removed stay open.
 *
 * A job that spawns a blob (ent_spawn_begin) goes on with the former bytes: it is ended before the call
 * after the one that replaces them.
 *
 * With desc->pool the call that finds a change returns without it, and a later call takes it. After
 * a failure everything is as before, and each call returns it until a file has changed; without
 * memory, each call tries again.
 *
 * Returns  ENT_OK; ENT_CHANGING: a file is not the one that the index states, because another
 *          build is writing, or a resource was compiled without a new index; ENT_NOT_FOUND: there is no index; ENT_NOT_AN_INDEX, ENT_BAD_HASH and
 *          others: it, or a blob, is damaged or of another version; ENT_IO, ENT_NO_MEMORY,
 *          ENT_LIMIT. library->problem states which file, why, and what repairs it.
 * Cost     one query of a file's time stamp; after a build a pass over its index, and opening what
 *          has changed. */
ENT_API ENT_MUST_CHECK EntStatus ent_library_follow(EntLibrary*        library,
                                                    EntLibraryChanges* changes);

/* Closes all resources; the folder or bundle stays open. Spawned entities stay, because their
 * data was copied. */
ENT_API void ent_library_clear(EntLibrary* library);

#ifdef __cplusplus
}
#endif

#endif
