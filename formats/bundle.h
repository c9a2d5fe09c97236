/* bundle.h - many blobs in one file: an index that is proved as a whole, and one piece per
 * resource.
 *
 * formats/FORMAT.md, section 10, is the specification. In short: a header of 64 bytes, a row of 48
 * bytes for each resource in the order of ids, a row of 32 bytes for each dictionary, the names of
 * the resources, then dictionaries and resources, each where the one before it ends. A resource is
 * a zstd frame of its own, or the plain blob where a frame does not pay. Finding one and reading it
 * touches the index, its piece, and the dictionary that the piece was written with: nothing else.
 *
 * Numbers are 32-bit words in the byte order of the blobs inside; a pair lo, hi is one number of 64
 * bits. What is opened here is read by hosts through runtime/scene/library.h. */
#ifndef ENT_BUNDLE_H
#define ENT_BUNDLE_H

#include "blob.h"

#define BUNDLE_MAGIC_BYTES          "ENTP"
#define BUNDLE_VERSION              1u
#define BUNDLE_RESOURCES_MAX        (1u << 24)
#define BUNDLE_NAME_BYTES_MAX       255u          /* without the NUL */
#define BUNDLE_DICTIONARY_BYTES_MAX (1u << 20)    /* */
#define BUNDLE_RATIO_MAX            32768u        /* no zstd frame expands further */
#define BUNDLE_EXPANDED_MAX         8000000000ull /* of all resources, when nothing else is said */
#define BUNDLE_NO_DICTIONARY        UINT32_MAX

typedef enum BundleCodec { BUNDLE_PLAIN, BUNDLE_ZSTD, BUNDLE_CODEC_COUNT } BundleCodec;

typedef struct BundleHeader {
    unsigned char magic[4];           /* "ENTP" in every byte order */
    u32           byte_order;         /* BLOB_BYTE_ORDER as the blobs have it */
    u32           version;            /* BUNDLE_VERSION */
    u32           resource_count;     /* rows of the first table */
    u32           dictionary_count;   /* rows of the second */
    u32           name_bytes;         /* of the names behind them */
    u32           bytes_lo, bytes_hi; /* of the whole bundle */
    u32           zero[6];            /* must be 0 */
    ResourceRef   hash;               /* of the index but these two words: header, tables, names */
} BundleHeader;

typedef struct BundleResource {
    ResourceRef id;                   /* rising; hash of `name.type` */
    u32         type;                 /* ResourceType */
    u32         name;                 /* offset in the names */
    u32         offset_lo, offset_hi; /* of its piece, from the bundle's start */
    u32         stored;               /* bytes of the piece */
    u32         size;                 /* bytes of the blob */
    u32         codec;                /* BundleCodec */
    u32         dictionary;           /* row of the second table, or BUNDLE_NO_DICTIONARY */
    ResourceRef hash;                 /* XXH3 of the piece */
} BundleResource;

typedef struct BundleDictionary {
    u32         type; /* of the resources that use it; rising */
    u32         bytes;
    u32         offset_lo, offset_hi;
    ResourceRef hash; /* XXH3 of the dictionary */
    u32         zero[2];
} BundleDictionary;

/* A bundle whose index was proved. Points into the caller's bytes. */
typedef struct Bundle {
    const unsigned char*    bytes;      /* [size] */
    uint64_t                size;       /* */
    const BundleHeader*     header;     /* */
    const BundleResource*   resource;   /* [header->resource_count] */
    const BundleDictionary* dictionary; /* [header->dictionary_count] */
    const char*             names;      /* [header->name_bytes] */
} Bundle;

#ifdef __cplusplus
extern "C" {
#endif

/* Proves everything about a bundle's index, once: header, order, bounds, no gap and no overlap
 * between pieces, canonical names, ids, hash. The pieces are not looked at.
 *
 *   bytes  [size], aligned to 16, unchanged for as long as `out` is used
 *   fault  filled when the bundle is refused, with offsets in the bundle; may be NULL
 *
 * Returns  ENT_OK, or a status that names the kind of damage.
 * Cost     one pass over the index, two with the hash; no allocation. */
ENT_API MUST_CHECK ent_status ent_bundle_open(Bundle* out, const void* bytes, uint64_t size,
                                              BlobFault* fault);

/* The row of a resource, or NULL.
 * Cost     a binary search. */
ENT_API const BundleResource* ent_bundle_find(const Bundle* bundle, ResourceRef id);

/* Name of a resource, without its type. */
ENT_API const char* ent_bundle_name(const Bundle* bundle, const BundleResource* resource);

#ifdef __cplusplus
}
#endif

#endif
