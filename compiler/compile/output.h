/* output.h - sections to bytes that grow as they come, for either byte order.
 *
 * Add sections in the order of SECTION_LIST, fill the rooms, then finish. What was written is
 * reopened through ent_blob_open: the writer and the gate are two opinions on one format. */
#ifndef ENTC_OUTPUT_H
#define ENTC_OUTPUT_H

#include "blob_write_internal.h"
#include "memory.h"

typedef enum Target { TARGET_LITTLE, TARGET_BIG } Target;

typedef struct Output {
    BlobWriter   writer;
    u64          capacity; /* of the writer's bytes; zero from the writer's size on */
    ResourceType type;
    u64          id;
    u32          element_count;
} Output;

/* `section_room` is how many sections there may be at most. */
void output_begin(Output* out, ResourceType type, Text name, u32 element_count, u32 section_room);

/* Room for this many more bytes of sections, so that adding them moves nothing. */
void output_reserve(Output* out, u64 bytes);

/* Adds [count] records of the section's field table, or bytes of text, and returns their room,
 * which is good until the next section is added. NULL: the room is left zeroed. An empty section is
 * left out. */
void* output_section(Output* out, SectionKind kind, const void* records, u64 count);

/* The room of a section that was added before, as it stands now. */
void* output_room_of(Output* out, SectionKind kind);

/* Adds room for one type's instances; filled through output_owners and output_column. */
void output_component(Output* out, const ComponentType* type, u32 count);

/* Where a component section's entity_index and columns stand now; NULL when there is none. */
u32*  output_owners(Output* out, const ComponentType* type);
void* output_column(Output* out, const ComponentType* type, u32 column);
u32   output_count(const Output* out, const ComponentType* type);

/* Gives up what was written. */
void output_drop(Output* out);

/* Header, table, hash, byte order. On success the bytes are the caller's: memory_free. False: the
 * blob would not fit into 4 GiB. */
MUST_CHECK bool output_finish(Output* out, Target target, const BlobOptions* options, u8** bytes,
                              size_t* size);

#endif
