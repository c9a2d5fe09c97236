/* gate_internal.h - a blob while it is proved. Private to the two halves of ent_blob_open:
 *
 * blob_open.c     header, table, values, text: every row by itself
 * blob_meaning.c  what the rows of each type of resource mean to each other */
#ifndef ENT_GATE_INTERNAL_H
#define ENT_GATE_INTERNAL_H

#include "sections.h"

#define REFERENCE_CACHE 1024 /* slots that remember where a reference id stands in the table */

typedef struct Gate {
    const u8*                   bytes;
    u64                         size;
    BlobHeader                  header;
    const BlobSection*          section; /* set once the table is inside the blob */
    BlobFault*                  fault;
    const ComponentType* const* types;
    u32                         type_count;
    const ReferenceRecord*      reference;
    u32                         reference_count;
    u16                         reference_slot[REFERENCE_CACHE];
    Groups                      groups;
} Gate;

static inline u64 gate_offset(const Gate* g, const void* at) {
    return (u64)((const u8*)at - g->bytes);
}

/* Each fills the fault and returns false: a field by its name; row `row` of a table,
 * "light[7].range_m" at its offset; a member of a row of the table of sections. */
bool gate_refuse(Gate* g, ent_status status, u64 offset, const char* field, const char* format, ...)
    PRINTF_LIKE(5, 6);
bool gate_refuse_value(Gate* g, u64 offset, const char* table, u32 row, const char* field,
                       const char* why);
bool gate_refuse_entry(Gate* g, u32 index, u32 member_offset, const char* member,
                       const char* format, ...) PRINTF_LIKE(5, 6);

/* The arguments that name a member of the header, or of row `index` of the table. */
#define HEADER_AT(member)       offsetof(BlobHeader, member), "header." #member
#define ENTRY_AT(index, member) index, (u32)offsetof(BlobSection, member), #member

/* The section of a kind, or NULL; its rows and how many they are. */
const BlobSection* gate_find(const Gate* g, u32 kind);
const void*        gate_data(const Gate* g, u32 kind, u32* count);

bool gate_meaning_check(Gate* g);

#endif
