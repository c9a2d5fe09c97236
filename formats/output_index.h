/* output_index.h - the index of an output folder: which resources are in it, with the hash of each.
 *
 * `entc build` replaces the file OUT/.entc.index as the last step of a build that has written
 * anything, so a program that reads it finds what the folder contains since then, without listing
 * it. formats/FORMAT.md, section 13, is the specification. In short: a header of 64 bytes, a row of
 * 24 bytes for each resource in the order of ids, and the names of the resources.
 *
 * Numbers are 32-bit words in the byte order of the blobs; a pair lo, hi is one number of 64 bits.
 * Hosts follow a folder through ent_library_follow. */
#ifndef ENT_OUTPUT_INDEX_H
#define ENT_OUTPUT_INDEX_H

#include "blob.h"

#define ENT_OUTPUT_INDEX_FILE        ".entc.index" /* in the output folder */
#define ENT_OUTPUT_INDEX_MAGIC_BYTES "ENTI"
#define ENT_OUTPUT_INDEX_VERSION     1u
#define ENT_OUTPUT_INDEX_ROWS_MAX    (1u << 24)

typedef struct EntOutputIndexHeader {
    unsigned char  magic[4];       /* "ENTI" in every byte order */
    uint32_t       byte_order;     /* ENT_BLOB_BYTE_ORDER as the blobs have it */
    uint32_t       version;        /* ENT_OUTPUT_INDEX_VERSION */
    uint32_t       resource_count; /* rows */
    uint32_t       name_bytes;     /* of the names after them */
    uint32_t       zero[9];        /* must be 0 */
    EntResourceRef hash;           /* of all without it: header, rows, names */
} EntOutputIndexHeader;

typedef struct EntOutputIndexRow {
    EntResourceRef id;   /* ascending; hash of `name.type` */
    uint32_t       type; /* EntResourceType */
    uint32_t       name; /* offset in the names */
    EntResourceRef hash; /* that is in the header of the blob */
} EntOutputIndexRow;

/* An index that was validated. Points into the caller's bytes. */
typedef struct EntOutputIndex {
    const EntOutputIndexHeader* header; /* */
    const EntOutputIndexRow*    row;    /* [header->resource_count] */
    const char*                 names;  /* [header->name_bytes] */
} EntOutputIndex;

#ifdef __cplusplus
extern "C" {
#endif

/* Validates all of an index, once: header, size, order, canonical names, ids, hash.
 *
 *   bytes  [size], aligned to 16, unchanged for as long as `out` is used
 *   fault  filled when the index is refused; may be NULL
 *
 * Returns  ENT_OK, or a status for the kind of damage.
 * Cost     two passes over the bytes; no allocation. */
ENT_API ENT_MUST_CHECK EntStatus ent_output_index_open(EntOutputIndex* out, const void* bytes,
                                                       uint64_t size, EntBlobFault* fault);

/* The row of a resource, or NULL.
 * Cost     a binary search. */
ENT_API const EntOutputIndexRow* ent_output_index_find(const EntOutputIndex* index,
                                                       EntResourceRef        id);

/* Name of a resource, without its type. */
ENT_API const char* ent_output_index_name(const EntOutputIndex*    index,
                                          const EntOutputIndexRow* row);

#ifdef __cplusplus
}
#endif

#endif
