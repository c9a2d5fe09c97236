/* blob_write_internal.h - the one place that writes a blob's header, table, padding and hash: for
 * the compiler, whose memory grows as it writes, and for a world, which asks first how much it
 * takes.
 *
 * Without bytes the same calls only measure, so that two walks over one content, the first without
 * and the second with blob_write_size() bytes, give a blob that fills its memory to the last byte.
 * What the bytes held before does not matter: whatever no section covers is zeroed. */
#ifndef ENT_BLOB_WRITE_INTERNAL_H
#define ENT_BLOB_WRITE_INTERNAL_H

#include "base.h"
#include "blob.h"

typedef struct BlobWriter {
    u8*  bytes;         /* NULL: measures */
    u64  size;          /* of header, table and sections so far */
    u32  section_room;  /* rows of the table; 0 while measuring */
    u32  section_count; /* of them in use */
    bool too_large;     /* BLOB_BYTES_MAX was exceeded: nothing is added any more */
    u64  left_out;      /* bytes of what was not added for that */
} BlobWriter;

/* `section_room` is how many sections there may be at most; `bytes` are aligned to 16. */
void blob_write_begin(BlobWriter* writer, void* bytes, u32 section_room);

/* Where a section of this many bytes would end, padding included: so much has to be there. */
u64 blob_write_end_of(const BlobWriter* writer, u64 bytes);

/* Adds [count] records of the section's field table, or bytes of text, and returns their room. NULL
 * for an empty section, which is left out, while measuring, and when the blob is too large. */
void* blob_write_section(BlobWriter* writer, u32 kind, u64 count);

/* Adds one type's instances: entity_index[count] at the start of the room, then the columns. */
void* blob_write_component(BlobWriter* writer, const ComponentType* type, u32 count);

/* The rows of the table so far; NULL while measuring. */
const BlobSection* blob_write_table(const BlobWriter* writer);

/* Bytes of the blob that was measured. */
u64 blob_write_size(const BlobWriter* writer);

/* Closes the table up when it has room to spare, writes header and hash. Returns the blob's size.
 */
u64 blob_write_finish(BlobWriter* writer, u32 resource_type, ResourceRef id, u32 element_count);

#endif
