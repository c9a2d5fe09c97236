/* make fuzz target=index seconds=60
 *
 * Every row of whatever index the validator accepts is found by its id, and writing the rows again gives the same
 * bytes: an index has one valid layout. Also of one in the other byte order. */
#include <stdlib.h>

#include "fuzz.h"
#include "hash.h"
#include "output_index_internal.h"
#include "sections.h"

static void index_write_again(const OutputIndex* index, const void* bytes, size_t size) {
    const u32         count = index->header->resource_count;
    OutputIndexEntry* entries = malloc(sizeof *entries * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) {
        const OutputIndexRow* row = &index->row[i];
        if (ent_output_index_find(index, row->id) != row) abort();
        entries[i] = (OutputIndexEntry){resource_id(row->id), row->type,
                                        ent_output_index_name(index, row), resource_id(row->hash)};
    }
    if (output_index_lay(entries, count) != size) abort();
    u8* again = aligned_alloc(16, align_up(size, 16));
    output_index_write(entries, count, false, again);
    if (memcmp(again, bytes, size) != 0) abort();
    free(again);
    free(entries);
}

void fuzz_index_seeds(void) {}

void fuzz_index_repair(u8* data, size_t size) {
    if (size < sizeof(OutputIndexHeader)) return;
    const ResourceRef hash = resource_ref(output_index_hash(data, size));
    memcpy(data + offsetof(OutputIndexHeader, hash), &hash, sizeof hash);
}

void fuzz_index(const u8* data, size_t size) {
    OutputIndex index;
    BlobFault   fault;
    u8*         bytes = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(bytes, data, size);
    ent_status status = ent_output_index_open(&index, bytes, size, &fault);
    if (status != fault.status) abort();
    if (status == ENT_OTHER_BYTE_ORDER) {
        output_index_swap(bytes, size);
        status = ent_output_index_open(&index, bytes, size, &fault);
    }
    if (status == ENT_OK) index_write_again(&index, bytes, size);
    free(bytes);
}

FUZZ_TARGET(index)
