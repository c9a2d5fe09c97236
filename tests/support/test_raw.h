/* test_raw.h - blobs that are written section by section, so that they can break exactly one rule
 * of the validator. */
#ifndef TEST_RAW_H
#define TEST_RAW_H

#include "test_worlds_support.h"

#define RAW_BYTES_MAX    32768
#define RAW_SECTIONS_MAX 12
#define RAW_ENTITIES_MAX 8

/* A blob before its sections have offsets. */
typedef struct Raw {
    BlobHeader  header;
    BlobSection section[RAW_SECTIONS_MAX];
    const void* data[RAW_SECTIONS_MAX];
    u32         last_offset; /* added to the offset of the last section */
    u32         extra_bytes; /* after the last section */
} Raw;

typedef struct RawOpened {
    ent_status status;
    BlobFault  fault;
} RawOpened;

extern const u32 raw_no_parent[RAW_ENTITIES_MAX];

Raw raw_begin(ResourceType type, u32 elements);
/* A level of entities without parents. */
Raw raw_level(u32 entities);

/* Adds a section; `data` is read when the blob is opened. */
BlobSection* raw_add(Raw* raw, BlobSection section, const void* data);
/* Rows or bytes of a section whose layout is determined by its kind. */
BlobSection* raw_rows(Raw* raw, SectionKind kind, const void* rows, u32 count);
/* Instances of a type that no validator supports: owners and one word each. */
BlobSection* raw_unknown(Raw* raw, u32 identifier, const u32* words, u32 count);

/* Copies the blob to memory after which nothing can be read, and opens it. */
RawOpened raw_open(Raw* raw, const BlobOptions* options);
/* The blob that was opened last and was valid; until the next one is. */
Blob raw_blob(Raw* raw);

void expect_valid(Raw* raw);
void expect_fault_with(Raw* raw, const BlobOptions* options, const char* field, const char* reason);
void expect_fault(Raw* raw, const char* field, const char* reason);

#endif
