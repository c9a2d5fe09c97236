/* blob_write_internal.h - the only module that writes the header, table, padding and hash of a
 * blob: for the compiler, whose memory grows during writing, and for a world, which first queries
 * the size.
 *
 * Without bytes the same calls only measure, so that two walks over one content, the first without
 * and the second with blob_write_size() bytes, give a blob that fills its memory exactly. The
 * previous content of the bytes does not matter: whatever no section covers is zeroed. */
#ifndef ENT_BLOB_WRITE_INTERNAL_H
#define ENT_BLOB_WRITE_INTERNAL_H

#include "base.h"
#include "blob.h"

typedef struct BlobWriter {
    u8*  bytes;            /* NULL: measures */
    u64  size;             /* of header, table and sections so far */
    u32  section_capacity; /* rows of the table; 0 while measuring */
    u32  section_count;    /* of them in use */
    bool too_large;        /* BLOB_BYTES_MAX was exceeded: no more sections are added */
    u64  left_out;         /* bytes of the sections that were not added */
} BlobWriter;

/* `section_capacity` is the maximum number of sections; `bytes` are aligned to 16. */
void blob_write_begin(BlobWriter* writer, void* bytes, u32 section_capacity);

/* Where a section of this many bytes would end, padding included: the size of memory that
 * it needs. */
u64 blob_write_end_of(const BlobWriter* writer, u64 bytes);

/* Adds [count] records of the section's field table, or bytes of text, and returns their memory.
 * NULL for an empty section, which is omitted, while measuring, and when the blob is too large. */
void* blob_write_section(BlobWriter* writer, u32 kind, u64 count);

/* Adds the instances of one type: entity_index[count] at the start of the memory, then
 * the columns. */
void* blob_write_component(BlobWriter* writer, const ComponentType* type, u32 count);

/* Adds a section of the same kind, layout and size as one of another blob, and returns its memory. */
void* blob_write_copy(BlobWriter* writer, const BlobSection* section);

/* The rows of the table so far; NULL while measuring. */
const BlobSection* blob_write_table(const BlobWriter* writer);

/* Bytes of the blob that was measured. */
u64 blob_write_size(const BlobWriter* writer);

/* Removes free rows of the table, writes header and hash. Returns the size of the blob. */
u64 blob_write_finish(BlobWriter* writer, u32 resource_type, ResourceRef id, u32 element_count);

#endif
