/* bundle_internal.h - what the compiler and the runtime share about bundles. Private.
 *
 * Opening a resource consists of these steps: bundle_piece_validate; bundle_head_validate and
 * bundle_decode, when it is compressed; ent_blob_open; bundle_blob_validate. */
#ifndef ENT_BUNDLE_INTERNAL_H
#define ENT_BUNDLE_INTERNAL_H

#include "base.h"
#include "bundle.h"

static inline u64 bundle_u64(u32 lo, u32 hi) { return (u64)hi << 32 | lo; }

/* The end of the tables and names: the size of the index in bytes. */
u64 bundle_index_bytes(const BundleHeader* header);

/* The hash that the header contains, of an index in any byte order. */
u64 bundle_hash(const void* index, u64 index_bytes);

/* Rewrites header and tables for the other byte order, in place, hash included; `native`: they are
 * in the native byte order before the call. */
void bundle_swap(void* index, bool native);

/* ent_bundle_open for an index that is stored apart from the pieces, which is the case for an index
 * of the other byte order after it was swapped. */
ent_status bundle_validate(Bundle* out, const void* index, const void* bytes, u64 size,
                           bool skip_hash, BlobFault* fault);

/* Validates that the bytes of a resource are those that were packed, that the padding before them
 * is zero, and that a frame matches its row: called before memory for the blob is allocated. */
ent_status              bundle_piece_validate(const Bundle* bundle, const BundleResource* resource,
                                              BlobFault* fault);
static inline const u8* bundle_piece(const Bundle* bundle, const BundleResource* resource) {
    return bundle->bytes + bundle_u64(resource->offset_lo, resource->offset_hi);
}

/* The memory that zstd needs, in one block of the caller. A dictionary is validated and prepared
 * when a resource needs it for the first time. */
typedef struct BundleDecoder {
    struct ZSTD_DCtx_s*        context;                    /* NULL: nothing is compressed */
    u8*                        head;                       /* for the first block of a frame */
    u8*                        room[RESOURCE_COUNT];       /* of each dictionary */
    const struct ZSTD_DDict_s* dictionary[RESOURCE_COUNT]; /* NULL until it is needed */
} BundleDecoder;

size_t bundle_decoder_bytes(const Bundle* bundle);
/*   memory  [bundle_decoder_bytes], aligned to 64 */
void bundle_decoder_init(BundleDecoder* decoder, const Bundle* bundle, void* memory);

/* Validates that the frame of a BUNDLE_ZSTD resource begins with the header of a blob of that
 * resource and size: called before memory for the blob is allocated, for blobs of more than one
 * block. */
ent_status bundle_head_validate(BundleDecoder* decoder, const Bundle* bundle,
                                const BundleResource* resource, BlobFault* fault);

/* Decompresses a BUNDLE_ZSTD resource into `out` [resource->size]; does not write beyond it.
 *
 * Returns  ENT_OK, or ENT_BAD_HASH or ENT_BAD_FIELD when the frame or its dictionary is damaged. */
ent_status bundle_decode(BundleDecoder* decoder, const Bundle* bundle,
                         const BundleResource* resource, void* out, BlobFault* fault);

/* Validates that a blob that ent_blob_open accepted is the resource of the row. */
ent_status bundle_blob_validate(const Blob* blob, const BundleResource* resource, BlobFault* fault);

#endif
