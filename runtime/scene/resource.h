/* resource.h - files that hold blobs: mapped, proved, used in place. */
#ifndef ENT_RESOURCE_H
#define ENT_RESOURCE_H

#include "blob.h"
#include "host.h"

typedef struct Resource {
    Blob          blob;
    void*         memory;    /* the mapping; NULL when the bytes are the caller's or a bundle's */
    size_t        mapped;    /* */
    HostAllocator allocator; /* zero, or where `memory` comes from: what was compressed */
} Resource;

#ifdef __cplusplus
extern "C" {
#endif

/* Maps a file read-only and opens the blob in it. The file may be replaced by renaming meanwhile;
 * it must not be rewritten in place.
 *
 *   options  as for ent_blob_open; NULL: built-in types, hash checked
 *   fault    why it was refused; may be NULL
 *
 * Returns  ENT_OK, ENT_NOT_FOUND, ENT_IO, ENT_NO_MEMORY, or what ent_blob_open says.
 * Cost     one pass over the bytes; nothing is copied. */
ENT_API MUST_CHECK ent_status ent_resource_open(Resource* out, const char* path,
                                                const BlobOptions* options, BlobFault* fault);

/* The same over bytes of the caller, which must be aligned to 16 and outlive the resource. */
ENT_API MUST_CHECK ent_status ent_resource_open_bytes(Resource* out, const void* bytes, size_t size,
                                                      const BlobOptions* options, BlobFault* fault);

/* Lets go of the file. Worlds keep what was spawned from it: they copied it. */
ENT_API void ent_resource_close(Resource* resource);

#ifdef __cplusplus
}
#endif

#endif
