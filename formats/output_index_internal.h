/* output_index_internal.h - writing the index of an output folder, and reading one of the other byte
 * order. Private. */
#ifndef ENT_OUTPUT_INDEX_INTERNAL_H
#define ENT_OUTPUT_INDEX_INTERNAL_H

#include "base.h"
#include "output_index.h"

/* A resource of an index that is written. */
typedef struct OutputIndexEntry {
    u64         id;
    u32         type;
    const char* name; /* without its type */
    u64         hash; /* as blob_stored_hash returns it */
} OutputIndexEntry;

/* Sorts the entries by id, and returns the size of their index in bytes. */
size_t output_index_lay(OutputIndexEntry* entries, u32 count);

/* Writes the index of entries that are sorted.
 *
 *   other_order  for blobs of the byte order that this machine does not have
 *   bytes        [output_index_lay()], aligned to 16 */
void output_index_write(const OutputIndexEntry* entries, u32 count, bool other_order, void* bytes);

/* Changes the hash of one row of a valid index; output_index_seal completes the header after the last one. False: there
 * is no such row. */
bool output_index_change(void* bytes, bool other_order, u64 id, u64 hash);
void output_index_seal(void* bytes, size_t size, bool other_order);

/* Does the header of a blob, in either byte order, name the resource with this id? False when there
 * are too few bytes for one. */
bool blob_header_names(const void* bytes, size_t size, u64 id);

/* The hash that is in the header of a blob of either byte order, which is at least as large as its
 * header; `other_order` receives whether it has the other byte order. */
u64 blob_stored_hash(const void* blob, bool* other_order);

/* The hash that the header contains, of an index in any byte order. */
u64 output_index_hash(const void* bytes, size_t size);

/* Rewrites an index in the other byte order for this machine, in place, hash included, when its
 * header is valid for its size; otherwise it stays as it is, and is refused afterwards. */
void output_index_swap(void* bytes, size_t size);

#endif
