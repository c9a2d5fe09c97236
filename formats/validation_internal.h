/* validation_internal.h - shared by the validators. Private to the files blob_*.c that validate blobs,
 * and bundle_open.c, which validates the index of bundles.
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

/* A hash table of the ids in a table of references that has at most half as many rows. */
#define VALIDATION_REFERENCE_SLOTS 16384

/* The ids of one type are also in buckets of four, which are compared at once. No id that is looked up
 * in a bucket is equal to what its unused places contain. */
#define VALIDATION_REFERENCE_BUCKETS 2048
#define REFERENCE_BUCKET_IDS         4

typedef u64 ReferenceLanes __attribute__((vector_size(8 * REFERENCE_BUCKET_IDS)));

typedef struct ReferenceBucket {
    ReferenceLanes id;
} ReferenceBucket;

typedef struct ReferenceBuckets {
    const ReferenceBucket* at; /* [1 << (64 - shift)]; NULL: there are none */
    u64                    factor;
    u32                    shift;
} ReferenceBuckets;

typedef struct ReferenceSlots {
    ReferenceBucket bucket[VALIDATION_REFERENCE_BUCKETS];
    u16             at[VALIDATION_REFERENCE_SLOTS]; /* index + 1 */
} ReferenceSlots;

/* Types of which a blob may have another layout that it declares. */
#define VALIDATION_OLDER_TYPES 256

typedef struct BlobValidation {
    const u8*                   bytes;
    u64                         size;
    BlobHeader                  header;
    const BlobSection*          section; /* set once the table is inside the blob */
    BlobFault*                  fault;
    const ComponentType* const* types;
    u32                         type_count;
    u64                         older[VALIDATION_OLDER_TYPES /
              64]; /* bit i: the blob declares another layout of types[i] */
    const ReferenceRecord*      reference;
    u32                         reference_count;
    const u16*                  reference_slot; /* [reference_slot_count] a power of two, or 0 */
    u32                         reference_slot_count;
    ReferenceBuckets            buckets[RESOURCE_COUNT]; /* of each type */
    Groups                      groups;
    u32                         string_count; /* of text fields; 0 and 1: only the empty one */
} BlobValidation;

#define HEADER_AT(member)       offsetof(BlobHeader, member), "header." #member
#define ENTRY_AT(index, member) index, (u32)offsetof(BlobSection, member), #member

/* "light[7].range_m" at its offset. */
bool validation_refuse_value(BlobValidation* g, u64 offset, const char* table, u32 row,
                             const char* field, const char* reason);

/* "section[2].count" at its offset: ENTRY_AT. */
bool validation_refuse_entry(BlobValidation* g, u32 index, u32 member_offset, const char* member,
                             const char* format, ...) PRINTF_LIKE(5, 6);

static inline u64 validation_offset(const BlobValidation* g, const void* at) {
    return (u64)((const u8*)at - g->bytes);
}

/* The section of a kind, and its rows; NULL when there is none. */
const BlobSection* validation_section(const BlobValidation* g, u32 kind);
const void*        validation_rows(const BlobValidation* g, u32 kind, u32* count);

/* --- blob_names.c: names and their offsets --- */

/* Rows of a section, which several threads validate. What they find is not reported: after a fault, one
 * thread validates all rows. */
typedef struct RowRange {
    u32 first, end;
} RowRange;

static inline RowRange rows_all(const BlobSection* s) { return (RowRange){0, s->count}; }
static inline u32      rows_count(RowRange rows) { return rows.end - rows.first; }

/* The names of some rows of a section, and the text that they are in. */
typedef struct NameTable {
    const char* table;
    const u8 *  first, *text; /* the offset of row 0 */
    u32         stride, count, text_kind;
    u64         text_bytes, text_offset;
} NameTable;

/* Finds what is needed to validate names; false if one of the sections is missing. `first_word` is the
 * position of the offset in a row. */
bool validation_name_table_find(const BlobValidation* g, u32 offset_kind, u32 text_kind,
                                u32 first_word, u32 stride, NameTable* out);

/* Validates some rows of a table; all rows are valid when all ranges are. */
bool validation_name_range_check(BlobValidation* g, const NameTable* table, RowRange rows);

/* Validates the names of two sections: both or neither exist. */
bool validation_names_check(BlobValidation* g, u32 offset_kind, u32 text_kind, u32 first_word,
                            u32 stride);

/* --- blob_columns.c: complete columns, without a reason --- */

/* Enters the ids of the table of references in `slots`, if they are few enough. */
void validation_references_enter(BlobValidation* g, ReferenceSlots* slots);

/* The index of an id in the table of references, or the length of the table. */
u32 validation_reference_find(const BlobValidation* g, ResourceRef ref);

/* Are the references of a field in the table, or to entities or strings of the blob? */
bool validation_links_are_valid(const BlobValidation* g, const Field* f, const u8* first, u32 count,
                                u32 stride);

/* Are all fields of adjacent records, or of a column, valid? False also where that takes as long as
 * validating one field after the other, which finds the invalid one. */
bool validation_rows_are_valid(const BlobValidation* g, const Field* fields, u32 field_count,
                               const u8* first, u32 count, u32 stride);

/* Is the parent of each row, if it has one, before it? */
bool validation_parents_precede(const u32* parent, u32 count);

/* Are the entities of a section in order? Each is at least `least` greater than the one before. */
bool validation_owners_are_valid(const u32* owner, u32 count, u32 entities, u32 min);

/* Does the text of a table consist of one name of plain characters for each row, in the order of the rows? Of these,
 * some rows are compared: all rows are valid when all ranges are. A segment of a path has no '/'. */
bool validation_names_are_valid(const NameTable* table, RowRange rows, bool segment);

/* Validates rules between rows, of sections that were found valid. */
bool blob_meaning_check(BlobValidation* g);

#endif
