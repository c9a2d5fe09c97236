/* gpu_blobs.h - the blobs of one type in a library, in its order, and their rows in tables of the device. */
#ifndef ENT_GPU_BLOBS_H
#define ENT_GPU_BLOBS_H

#include "base.h"
#include "library.h"

/* A resource of the library and its row in a table of the device. */
typedef struct GpuBlobId {
    u64 id;
    u32 row;
} GpuBlobId;

typedef struct GpuBlobTable {
    GpuBlobId* at; /* [count] sorted by id */
    u32        count;
} GpuBlobTable;

/* The blobs of a type in the library, in its order; `table` finds the row of a blob. */
typedef struct GpuBlobs {
    const Blob** at; /* [count] */
    u32          count;
    GpuBlobTable table;
} GpuBlobs;

/* Which state of a library something was made from. */
typedef struct GpuSeen {
    u64 version; /* EntLibrary.version */
    u32 count;   /* its entries */
    u32 cleared; /* EntLibrary.cleared */
} GpuSeen;

MUST_CHECK ent_status gpu_blobs_find(GpuBlobs* blobs, const Library* library, ResourceType type);
void                  gpu_blobs_free(GpuBlobs* blobs);
/* The name of a blob in MeshesBlobs, without its type. */
const char* gpu_blob_name(const Blob* blob);

/* The row of a resource; NONE: the library does not have it. */
u32 gpu_blob_row(const GpuBlobTable* table, ResourceRef id);

/* The rows of a section; `count` is 0 and the result NULL when the blob does not have it. */
const void* gpu_blob_rows(const Blob* blob, SectionKind kind, u32* count);

/* --- following a library --- */

/* Resources keep their rows until a library is cleared. */
GpuSeen gpu_seen(const Library* library);

/* Has the library others than in this state? One that was cleared is followed from its next load on. */
static inline bool gpu_seen_differs(const GpuSeen* seen, const Library* library) {
    return library->count > 0 &&
           (seen->version != library->version || seen->count != library->count ||
            seen->cleared != library->cleared);
}

#define GPU_OF_TYPE(type) (1ull << (type))
/* Is one of these types, GPU_OF_TYPE, among what the library has changed or opened since? */
bool gpu_seen_concerns(const GpuSeen* seen, const Library* library, u64 types);

/* Is the blob of a row that had this state another one now? */
bool gpu_blob_changed(const GpuSeen* seen, const Library* library, const Blob* blob);

#endif
