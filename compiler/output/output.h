/* output.h - writes sections to a growing buffer, for either byte order.
 *
 * Add sections in the order of SECTION_LIST, fill their memory, then finish. The result is
 * validated with ent_blob_open, so that the writer and the validation are two independent
 * implementations of the format. */
#ifndef ENTC_OUTPUT_H
#define ENTC_OUTPUT_H

#include "blob_write_internal.h"
#include "memory.h"

typedef enum Target { TARGET_LITTLE, TARGET_BIG } Target;

typedef struct Output {
    BlobWriter   writer;
    u64          capacity; /* capacity of the buffer; zero from the size of the writer */
    ResourceType type;
    u64          id;
    u32          element_count;
} Output;

/* `section_capacity` is the maximum number of sections. */
void output_begin(Output* out, ResourceType type, Text name, u32 element_count,
                  u32 section_capacity);

/* Reserves memory for so many bytes of sections, so that adding them does not reallocate. */
void output_reserve(Output* out, u64 bytes);

/* Adds [count] records of the field table of the section, or bytes of text, and returns their
 * memory, which is valid until the next section is added. NULL: the memory stays zero. An empty
 * section is omitted. */
void* output_section(Output* out, SectionKind kind, const void* records, u64 count);

/* Returns the current memory of a section that was added before. */
void* output_section_bytes(Output* out, SectionKind kind);

/* Adds memory for the instances of one type; fill it with output_owners and output_column. */
void output_component(Output* out, const ComponentType* type, u32 count);

/* Return the current memory of the entity_index and the columns of a component section; NULL when
 * there is none. */
u32*  output_owners(Output* out, const ComponentType* type);
void* output_column(Output* out, const ComponentType* type, u32 column);
u32   output_count(const Output* out, const ComponentType* type);

/* Discards the result. */
void output_drop(Output* out);

/* Header, table, hash, byte order. On success the caller owns the bytes: memory_free. Returns false
 * when the blob would exceed 4 GiB. */
MUST_CHECK bool output_finish(Output* out, Target target, const BlobOptions* options, u8** bytes,
                              size_t* size);

#endif
