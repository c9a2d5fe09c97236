/* bundle.h - many blobs in one file: an index that is validated as a whole, and one piece per
 * resource.
 *
 * formats/FORMAT.md, section 11, is the specification. In short: a header of 64 bytes, a row of 48
 * bytes for each resource in the order of ids, a row of 32 bytes for each dictionary, the names of
 * the resources, then dictionaries and resources, each at the end of its predecessor. A resource is
 * a separate zstd frame, or the plain blob where compression does not reduce its size. Finding and
 * reading a resource accesses only the index, its piece, and the dictionary of the piece.
 *
 * Numbers are 32-bit words in the byte order of the blobs inside; a pair lo, hi is one number of 64
 * bits. Hosts read bundles through library.h. */
#ifndef ENT_BUNDLE_H
#define ENT_BUNDLE_H

#include "blob.h"

#define ENT_BUNDLE_MAGIC_BYTES          "ENTP"
#define ENT_BUNDLE_VERSION              1u
#define ENT_BUNDLE_RESOURCES_MAX        (1u << 24)
#define ENT_BUNDLE_NAME_BYTES_MAX       255u          /* without the NUL */
#define ENT_BUNDLE_DICTIONARY_BYTES_MAX (1u << 20)    /* */
#define ENT_BUNDLE_RATIO_MAX            32768u        /* no zstd frame expands further */
#define ENT_BUNDLE_EXPANDED_MAX         8000000000ull /* of all resources, by default */
#define ENT_BUNDLE_NO_DICTIONARY        UINT32_MAX

typedef enum EntBundleCodec {
    ENT_BUNDLE_PLAIN,
    ENT_BUNDLE_ZSTD,
    ENT_BUNDLE_CODEC_COUNT
} EntBundleCodec;

typedef struct EntBundleHeader {
    unsigned char  magic[4];           /* "ENTP" in every byte order */
    uint32_t       byte_order;         /* ENT_BLOB_BYTE_ORDER as the blobs have it */
    uint32_t       version;            /* ENT_BUNDLE_VERSION */
    uint32_t       resource_count;     /* rows of the first table */
    uint32_t       dictionary_count;   /* rows of the second */
    uint32_t       name_bytes;         /* of the names after them */
    uint32_t       bytes_lo, bytes_hi; /* of the complete bundle */
    uint32_t       zero[6];            /* must be 0 */
    EntResourceRef hash;               /* of the index without it: header, tables, names */
} EntBundleHeader;

typedef struct EntBundleResource {
    EntResourceRef id;                   /* ascending; hash of `name.type` */
    uint32_t       type;                 /* EntResourceType */
    uint32_t       name;                 /* offset in the names */
    uint32_t       offset_lo, offset_hi; /* of its piece, from the bundle's start */
    uint32_t       stored;               /* bytes of the piece */
    uint32_t       size;                 /* bytes of the blob */
    uint32_t       codec;                /* EntBundleCodec */
    uint32_t       dictionary;           /* row of the second table, or ENT_BUNDLE_NO_DICTIONARY */
    EntResourceRef hash;                 /* XXH3 of the piece */
} EntBundleResource;

typedef struct EntBundleDictionary {
    uint32_t       type; /* of the resources that use it; ascending */
    uint32_t       bytes;
    uint32_t       offset_lo, offset_hi;
    EntResourceRef hash; /* XXH3 of the dictionary */
    uint32_t       zero[2];
} EntBundleDictionary;

/* A bundle whose index was validated. Points into the caller's bytes. */
typedef struct EntBundle {
    const unsigned char*       bytes;      /* [size] */
    uint64_t                   size;       /* */
    const EntBundleHeader*     header;     /* */
    const EntBundleResource*   resource;   /* [header->resource_count] */
    const EntBundleDictionary* dictionary; /* [header->dictionary_count] */
    const char*                names;      /* [header->name_bytes] */
} EntBundle;

#ifdef __cplusplus
extern "C" {
#endif

/* Validates all of the index of a bundle, once: header, order, bounds, no gap and no overlap
 * between pieces, canonical names, ids, hash. The pieces are not read.
 *
 *   bytes  [size], aligned to 16, unchanged for as long as `out` is used
 *   fault  filled when the bundle is refused, with offsets in the bundle; may be NULL
 *
 * Returns  ENT_OK, or a status for the kind of damage.
 * Cost     one pass over the index, two with the hash; no allocation. */
ENT_API ENT_MUST_CHECK EntStatus ent_bundle_open(EntBundle* out, const void* bytes, uint64_t size,
                                                 EntBlobFault* fault);

/* The row of a resource, or NULL.
 * Cost     a binary search. */
ENT_API const EntBundleResource* ent_bundle_find(const EntBundle* bundle, EntResourceRef id);

/* Name of a resource, without its type. */
ENT_API const char* ent_bundle_name(const EntBundle* bundle, const EntBundleResource* resource);

#ifdef __cplusplus
}
#endif

#endif
