/* bundle_internal.h - what the compiler and the runtime share about bundles. Private.
 *
 * Opening a resource takes these steps: bundle_piece_prove; bundle_head_prove and bundle_decode,
 * when it is compressed; ent_blob_open; bundle_blob_prove. */
#ifndef ENT_BUNDLE_INTERNAL_H
#define ENT_BUNDLE_INTERNAL_H

#include "base.h"
#include "bundle.h"

static inline u64 bundle_u64(u32 lo, u32 hi) { return (u64)hi << 32 | lo; }

/* Where the tables and names end: the bytes that the index has. */
u64 bundle_index_bytes(const BundleHeader* header);

/* The hash that stands in the header, of an index in any byte order. */
u64 bundle_hash(const void* index, u64 index_bytes);

/* Rewrites header and tables for the other byte order, in place, hash included; `native` says
 * whether they are readable here before the call. */
void bundle_swap(void* index, bool native);

/* ent_bundle_open over an index that stands apart from the pieces, as that of the other byte order
 * does once it was swapped. */
ent_status bundle_prove(Bundle* out, const void* index, const void* bytes, u64 size, bool skip_hash,
                        BlobFault* fault);

/* The bytes of a resource are those that were packed, what precedes them is zero, and a frame says
 * of itself what the row says of it: asked before room is made for the blob. */
ent_status              bundle_piece_prove(const Bundle* bundle, const BundleResource* resource,
                                           BlobFault* fault);
static inline const u8* bundle_piece(const Bundle* bundle, const BundleResource* resource) {
    return bundle->bytes + bundle_u64(resource->offset_lo, resource->offset_hi);
}

/* What zstd needs to work in, in one block of memory of the caller. Dictionaries are proved and
 * made ready when a resource needs them for the first time. */
typedef struct BundleDecoder {
    struct ZSTD_DCtx_s*        context;                    /* NULL: nothing is compressed */
    u8*                        head;                       /* room for the first block of a frame */
    u8*                        room[RESOURCE_COUNT];       /* of each dictionary */
    const struct ZSTD_DDict_s* dictionary[RESOURCE_COUNT]; /* NULL until it is needed */
} BundleDecoder;

size_t bundle_decoder_bytes(const Bundle* bundle);
/*   memory  [bundle_decoder_bytes], aligned to 64 */
void bundle_decoder_init(BundleDecoder* decoder, const Bundle* bundle, void* memory);

/* The frame of a resource that is BUNDLE_ZSTD begins with the header of a blob of that resource and
 * size: asked before room is made for the blob, of those that need more than one block. */
ent_status bundle_head_prove(BundleDecoder* decoder, const Bundle* bundle,
                             const BundleResource* resource, BlobFault* fault);

/* Expands a resource that is BUNDLE_ZSTD into `out` [resource->size]; never writes behind it.
 *
 * Returns  ENT_OK, or ENT_BAD_HASH or ENT_BAD_FIELD when the frame or its dictionary is damaged. */
ent_status bundle_decode(BundleDecoder* decoder, const Bundle* bundle,
                         const BundleResource* resource, void* out, BlobFault* fault);

/* A blob that was proved is the resource that the row names. */
ent_status bundle_blob_prove(const Blob* blob, const BundleResource* resource, BlobFault* fault);

#endif
