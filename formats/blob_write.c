/* blob_write.c - writes sections to bytes: a content has one valid encoding. */
#include "blob_write_internal.h"

#include "hash.h"
#include "sections.h"

static BlobSection* table_of(const BlobWriter* w) {
    return (BlobSection*)(void*)(w->bytes + sizeof(BlobHeader));
}

void blob_write_begin(BlobWriter* w, void* bytes, u32 section_capacity) {
    assert(((uintptr_t)bytes & (BLOB_ALIGN - 1)) == 0);
    *w = (BlobWriter){.bytes = bytes, .section_capacity = bytes ? section_capacity : 0};
    w->size = sizeof(BlobHeader) + (u64)w->section_capacity * sizeof(BlobSection);
}

u64 blob_write_end_of(const BlobWriter* w, u64 bytes) {
    return align_up(align_up(w->size, BLOB_ALIGN) + bytes, BLOB_ALIGN);
}

/* Zeros the bytes between the last section and the start of the next one. */
static void padding_write(BlobWriter* w) {
    const u64 start = align_up(w->size, BLOB_ALIGN);
    if (w->bytes) memset(w->bytes + w->size, 0, start - w->size);
    w->size = start;
}

static u8* section_add(BlobWriter* w, BlobSection entry, u64 bytes) {
    if (w->too_large || blob_write_end_of(w, bytes) > BLOB_BYTES_MAX) {
        w->too_large = true;
        w->left_out += bytes;
        return NULL;
    }
    padding_write(w);
    entry.offset = (u32)w->size;
    entry.bytes = (u32)bytes;
    w->size += bytes;
    const u32 at = w->section_count++;
    if (!w->bytes) return NULL;
    assert(at < w->section_capacity);
    assert(at == 0 || table_of(w)[at - 1].kind <= entry.kind);
    table_of(w)[at] = entry;
    return w->bytes + entry.offset;
}

void* blob_write_section(BlobWriter* w, u32 kind, u64 count) {
    const RecordType* record = section_record(kind);
    const u32         stride = record ? record->bytes : 1;
    if (count == 0) return NULL;
    const BlobSection entry = {.kind = kind,
                               .layout = record ? record_layout_hash(record) : 0,
                               .count = (u32)MIN_OF(count, (u64)UINT32_MAX),
                               .stride = stride,
                               .column_count = 1};
    return section_add(w, entry, count * stride);
}

void* blob_write_component(BlobWriter* w, const ComponentType* type, u32 count) {
    if (count == 0) return NULL;
    const BlobSection entry = {.kind = SECTION_COMPONENT,
                               .identifier = type->id,
                               .layout = type->layout,
                               .count = count,
                               .stride = type->record.bytes,
                               .column_count = ent_component_column_count(type)};
    u8*               room = section_add(w, entry, component_section_bytes(type, count));
    u64               end = (u64)count * sizeof(u32);
    for (u32 c = 0; c < entry.column_count && room; c++) {
        const u64 start = component_column_start(type, count, c);
        memset(room + end, 0, start - end);
        end = start + (u64)count * ent_component_column_bytes(type, c);
    }
    return room;
}

void* blob_write_copy(BlobWriter* w, const BlobSection* section) {
    return section_add(w, *section, section->bytes);
}

const BlobSection* blob_write_table(const BlobWriter* w) { return w->bytes ? table_of(w) : NULL; }

u64 blob_write_size(const BlobWriter* w) {
    assert(!w->bytes);
    return align_up(w->size, BLOB_ALIGN) + (u64)w->section_count * sizeof(BlobSection);
}

/* Sections that were reserved but not used leave free rows in the table. */
static void table_close_up(BlobWriter* w) {
    const u32 spare = (w->section_capacity - w->section_count) * (u32)sizeof(BlobSection);
    const u64 first = sizeof(BlobHeader) + (u64)w->section_capacity * sizeof(BlobSection);
    if (spare == 0) return;
    memmove(w->bytes + first - spare, w->bytes + first, w->size - first);
    for (u32 i = 0; i < w->section_count; i++) table_of(w)[i].offset -= spare;
    w->size -= spare;
}

u64 blob_write_finish(BlobWriter* w, u32 resource_type, ResourceRef id, u32 element_count) {
    assert(w->bytes && !w->too_large);
    table_close_up(w);
    padding_write(w);
    BlobHeader header = {.magic = {'E', 'N', 'T', 'B'},
                         .byte_order = BLOB_BYTE_ORDER,
                         .version = BLOB_VERSION,
                         .resource_type = resource_type,
                         .resource = id,
                         .blob_bytes = (u32)w->size,
                         .section_count = w->section_count,
                         .element_count = element_count};
    memcpy(w->bytes, &header, sizeof header);
    header.hash = resource_ref(blob_hash(w->bytes, w->size));
    memcpy(w->bytes, &header, sizeof header);
    return w->size;
}
