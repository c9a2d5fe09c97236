/* validation_internal.h - shared by the validators. Private to blob_open.c and blob_meaning.c,
 * which validate blobs, and bundle_open.c, which validates the index of bundles.
 *
 * Rules for all of them: offsets are u64 and are checked before a pointer is computed from them;
 * every loop is bounded by a count that was checked; there is no recursion and no allocation. */
#ifndef ENT_VALIDATION_INTERNAL_H
#define ENT_VALIDATION_INTERNAL_H

#include "sections.h"

/* Reports what is wrong and where. Returns false. */
bool validation_refuse(BlobFault* fault, ent_status status, u64 offset, const char* field,
                       const char* format, ...) PRINTF_LIKE(5, 6);

/* Checks the word of the byte order, which is stored at `offset`. `again` is the part of the
 * message that explains how to create another file. */
bool validation_order_check(BlobFault* fault, u32 order, u64 offset, const char* again);

/* Are the `size` available bytes enough for a header? */
bool validation_header_check(BlobFault* fault, size_t header_bytes, u64 size);

/* Compares the hash in the header, at `offset`, with the hash of `what`. */
bool validation_hash_check(BlobFault* fault, u64 stored, u64 computed, u64 offset,
                           const char* what);

static inline bool validation_zeros(const void* bytes, u64 count) {
    u8 any = 0;
    for (u64 i = 0; i < count; i++) any |= ((const u8*)bytes)[i];
    return any == 0;
}

/* --- of blobs --- */

#define VALIDATION_REFERENCE_CACHE 1024 /* slots that cache the index of an id in the table */

typedef struct BlobValidation {
    const u8*                   bytes;
    u64                         size;
    BlobHeader                  header;
    const BlobSection*          section; /* set once the table is inside the blob */
    BlobFault*                  fault;
    const ComponentType* const* types;
    u32                         type_count;
    const ReferenceRecord*      reference;
    u32                         reference_count;
    u16                         reference_slot[VALIDATION_REFERENCE_CACHE];
    Groups                      groups;
    u32                         string_count; /* of text fields; 0 and 1: only the empty one */
} BlobValidation;

#define HEADER_AT(member)       offsetof(BlobHeader, member), "header." #member
#define ENTRY_AT(index, member) index, (u32)offsetof(BlobSection, member), #member

/* "light[7].range_m" at its offset. */
bool validation_refuse_value(BlobValidation* g, u64 offset, const char* table, u32 row,
                             const char* field, const char* why);

/* "section[2].count" at its offset: ENTRY_AT. */
bool validation_refuse_entry(BlobValidation* g, u32 index, u32 member_offset, const char* member,
                             const char* format, ...) PRINTF_LIKE(5, 6);

static inline u64 validation_offset(const BlobValidation* g, const void* at) {
    return (u64)((const u8*)at - g->bytes);
}

/* The section of a kind, and its rows; NULL when there is none. */
const BlobSection* validation_section(const BlobValidation* g, u32 kind);
const void*        validation_rows(const BlobValidation* g, u32 kind, u32* count);

/* Validates rules between rows, of sections that were found valid. */
bool blob_meaning_check(BlobValidation* g);

#endif
