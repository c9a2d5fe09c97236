/* output_index.c - the index of an output folder: validation, search, writing. */
#include "output_index_internal.h"

#include <stdlib.h>

#include "hash.h"
#include "named_rows.h"
#include "sections.h"
#include "swap.h"
#include "validation_internal.h"

static_assert(sizeof(OutputIndexHeader) == 64 && sizeof(OutputIndexRow) == 24, "as FORMAT.md");
static_assert(offsetof(NamedRow, id) == offsetof(OutputIndexRow, id) &&
                  offsetof(NamedRow, type) == offsetof(OutputIndexRow, type) &&
                  offsetof(NamedRow, name) == offsetof(OutputIndexRow, name),
              "a row of an index begins like one with a name");

#define INDEX_AT(member) offsetof(OutputIndexHeader, member), "header." #member

u64 output_index_hash(const void* bytes, size_t size) {
    static_assert(sizeof(OutputIndexHeader) == sizeof(BlobHeader) &&
                      offsetof(OutputIndexHeader, hash) == offsetof(BlobHeader, hash),
                  "the hash is at the same place, and of the same bytes, as in a blob");
    return blob_hash(bytes, size);
}

static u64 index_bytes(const OutputIndexHeader* h) {
    return sizeof *h + (u64)h->resource_count * sizeof(OutputIndexRow) + h->name_bytes;
}

static NamedRows index_rows(const OutputIndex* index) {
    return (NamedRows){index->row, sizeof *index->row, index->header->resource_count, index->names,
                       index->header->name_bytes};
}

/* --- validation --- */

static bool header_check(const OutputIndexHeader* h, u64 size, BlobFault* fault) {
    if (size < 4 || memcmp(h->magic, OUTPUT_INDEX_MAGIC_BYTES, 4) != 0) {
        return validation_refuse(fault, ENT_NOT_AN_INDEX, 0, "header.magic",
                                 "the first four bytes are not ENTI");
    }
    if (!validation_header_check(fault, sizeof *h, size)) return false;
    if (!validation_order_check(fault, h->byte_order, offsetof(OutputIndexHeader, byte_order),
                                "build with")) {
        return false;
    }
    if (h->version != OUTPUT_INDEX_VERSION) {
        return validation_refuse(fault, ENT_BAD_VERSION, INDEX_AT(version),
                                 "index version %u; this build reads version %u", h->version,
                                 OUTPUT_INDEX_VERSION);
    }
    if (h->resource_count > OUTPUT_INDEX_ROWS_MAX) {
        return validation_refuse(fault, ENT_LIMIT, INDEX_AT(resource_count),
                                 "is %u; an index has at most %u resources", h->resource_count,
                                 OUTPUT_INDEX_ROWS_MAX);
    }
    if (index_bytes(h) != size) {
        return validation_refuse(fault, index_bytes(h) > size ? ENT_TRUNCATED : ENT_BAD_FIELD,
                                 INDEX_AT(name_bytes),
                                 "an index of %llu bytes is in a file of %llu bytes",
                                 (unsigned long long)index_bytes(h), (unsigned long long)size);
    }
    if (validation_zeros(h->zero, sizeof h->zero)) return true;
    return validation_refuse(fault, ENT_BAD_FIELD, INDEX_AT(zero), "reserved words must be 0");
}

ent_status ent_output_index_open(OutputIndex* out, const void* bytes, uint64_t size,
                                 BlobFault* fault) {
    BlobFault                ignored;
    BlobFault*               f = fault ? fault : &ignored;
    const OutputIndexHeader* h = bytes;
    assert(((uintptr_t)bytes & 15) == 0 && "ent_output_index_open needs bytes aligned to 16");
    *f = (BlobFault){.status = ENT_OK};
    if (!header_check(h, size, f)) return f->status;
    const u64 hash = output_index_hash(bytes, (size_t)size);
    if (!validation_hash_check(f, resource_id(h->hash), hash, offsetof(OutputIndexHeader, hash),
                               "index")) {
        return f->status;
    }
    const OutputIndexRow* row = (const OutputIndexRow*)(h + 1);
    const OutputIndex     index = {h, row, (const char*)(row + h->resource_count)};
    const NamedRows       rows = index_rows(&index);
    if (!named_rows_check(&rows, sizeof *h, offsetof(OutputIndexHeader, name_bytes), f))
        return f->status;
    *out = index;
    return ENT_OK;
}

const OutputIndexRow* ent_output_index_find(const OutputIndex* index, ResourceRef id) {
    const NamedRows rows = index_rows(index);
    return (const OutputIndexRow*)named_row_find(&rows, id);
}

const char* ent_output_index_name(const OutputIndex* index, const OutputIndexRow* row) {
    return index->names + row->name;
}

/* --- writing --- */

static int entry_order(const void* a, const void* b) {
    const OutputIndexEntry *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

size_t output_index_lay(OutputIndexEntry* entries, u32 count) {
    size_t bytes = sizeof(OutputIndexHeader) + sizeof(OutputIndexRow) * (size_t)count;
    if (count) qsort(entries, count, sizeof *entries, entry_order);
    for (u32 i = 0; i < count; i++) bytes += strlen(entries[i].name) + 1;
    return bytes;
}

void output_index_write(const OutputIndexEntry* entries, u32 count, bool other_order, void* bytes) {
    OutputIndexHeader header = {.magic = {'E', 'N', 'T', 'I'},
                                .byte_order = BLOB_BYTE_ORDER,
                                .version = OUTPUT_INDEX_VERSION,
                                .resource_count = count};
    OutputIndexRow*   row = (OutputIndexRow*)((u8*)bytes + sizeof header);
    char*             names = (char*)(row + count);
    for (u32 i = 0; i < count; i++) {
        const OutputIndexEntry* e = &entries[i];
        const size_t            name_bytes = strlen(e->name) + 1;
        row[i] = (OutputIndexRow){resource_ref(e->id), e->type, header.name_bytes,
                                  resource_ref(e->hash)};
        memcpy(names + header.name_bytes, e->name, name_bytes);
        header.name_bytes += (u32)name_bytes;
    }
    const size_t size = (size_t)index_bytes(&header);
    if (other_order) {
        words_swap(row, sizeof *row * count);
        words_swap(&header.byte_order, offsetof(OutputIndexHeader, hash) - 4);
    }
    memcpy(bytes, &header, sizeof header);
    output_index_seal(bytes, size, other_order);
}

void output_index_seal(void* bytes, size_t size, bool other_order) {
    const EntResourceRef hash = resource_ref(output_index_hash(bytes, size));
    OutputIndexHeader*   header = bytes;
    header->hash = other_order ? resource_swap(hash) : hash;
}

bool output_index_change(void* bytes, bool other_order, u64 id, u64 hash) {
    const OutputIndexHeader* header = bytes;
    OutputIndexRow*          row = (OutputIndexRow*)((u8*)bytes + sizeof *header);
    const u32                count = word_read(header->resource_count, other_order);
    u32                      at = 0, end = count;
    while (at < end) {
        const u32            middle = at + (end - at) / 2;
        const EntResourceRef current = other_order ? resource_swap(row[middle].id) : row[middle].id;
        if (resource_id(current) < id)
            at = middle + 1;
        else
            end = middle;
    }
    if (at == count) return false;
    const EntResourceRef found = other_order ? resource_swap(row[at].id) : row[at].id;
    if (resource_id(found) != id) return false;
    row[at].hash = other_order ? resource_swap(resource_ref(hash)) : resource_ref(hash);
    return true;
}

bool blob_header_names(const void* bytes, size_t size, u64 id) {
    BlobHeader header;
    if (size < sizeof header) return false;
    memcpy(&header, bytes, sizeof header);
    return memcmp(header.magic, BLOB_MAGIC_BYTES, sizeof header.magic) == 0 &&
           (resource_id(header.resource) == id ||
            resource_id(resource_swap(header.resource)) == id);
}

u64 blob_stored_hash(const void* blob, bool* other_order) {
    BlobHeader header;
    memcpy(&header, blob, sizeof header);
    *other_order = header.byte_order != BLOB_BYTE_ORDER;
    if (*other_order) words_swap(&header.hash, sizeof header.hash);
    return resource_id(header.hash);
}

void output_index_swap(void* bytes, size_t size) {
    OutputIndexHeader header;
    if (size < sizeof header) return;
    memcpy(&header, bytes, sizeof header);
    words_swap(&header.byte_order, sizeof header - 4);
    if (index_bytes(&header) != size || resource_id(header.hash) != output_index_hash(bytes, size))
        return;
    memcpy(bytes, &header, sizeof header);
    words_swap((u8*)bytes + sizeof header, sizeof(OutputIndexRow) * header.resource_count);
    header.hash = resource_ref(output_index_hash(bytes, size));
    memcpy(bytes, &header, sizeof header);
}
