/* resource.h - files that contain blobs: mapped, validated, used in place. */
#ifndef ENT_RESOURCE_H
#define ENT_RESOURCE_H

#include "blob.h"
#include "host.h"

typedef struct EntResource {
    EntBlob          blob;
    void*            memory; /* the mapping; NULL when the bytes are the caller's or a bundle's */
    size_t           mapped; /* */
    EntHostAllocator allocator; /* zero, or that of `memory`, for compressed resources */
} EntResource;

#ifdef __cplusplus
extern "C" {
#endif

/* Maps a file read-only and opens the blob in it. The file may be replaced by renaming meanwhile;
 * it must not be rewritten in place.
 *
 *   options  as for ent_blob_open; NULL: built-in types, hash checked
 *   fault    receives why it is invalid; may be NULL
 *
 * Returns  ENT_OK, ENT_NOT_FOUND, ENT_IO, ENT_NO_MEMORY, or a status of ent_blob_open.
 * Cost     one pass over the bytes; nothing is copied. */
ENT_API ENT_MUST_CHECK EntStatus ent_resource_open(EntResource* out, const char* path,
                                                   const EntBlobOptions* options,
                                                   EntBlobFault*         fault);

/* The same over bytes of the caller, which must be aligned to 16 and outlive the resource. */
ENT_API ENT_MUST_CHECK EntStatus ent_resource_open_bytes(EntResource* out, const void* bytes,
                                                         size_t size, const EntBlobOptions* options,
                                                         EntBlobFault* fault);

/* Closes the file. Worlds keep what was spawned from it, because it was copied. */
ENT_API void ent_resource_close(EntResource* resource);

#ifdef __cplusplus
}
#endif

#endif
