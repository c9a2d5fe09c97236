/* output.c - the writer of blobs. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "sections.h"

void output_begin(Output* out, ResourceType type, Text name, u32 element_count, u32 section_room) {
    assert(section_room <= OUTPUT_SECTIONS_MAX);
    *out = (Output){.type = type,
                    .id = hash_resource(name, ent_resource_suffix(type)),
                    .element_count = element_count,
                    .section_room = section_room};
    out->size = sizeof(BlobHeader) + section_room * sizeof(BlobSection);
    out->capacity = align_up(out->size, 4096);
    out->bytes = memory_alloc(out->capacity);
}

/* Fresh memory is zero and is not touched to make it so. */
static void output_grow(Output* out, u64 capacity) {
    u8* grown = memory_alloc(capacity);
    memcpy(grown, out->bytes, out->size);
    memory_free(out->bytes);
    out->bytes = grown;
    out->capacity = capacity;
}

void output_reserve(Output* out, u64 bytes) {
    const u64 need = align_up(out->size + bytes, 4096);
    if (need > out->capacity && need <= BLOB_BYTES_MAX) output_grow(out, need);
}

/* Room of `bytes` at the next aligned place, zeroed. */
static u64 output_room(Output* out, u64 bytes) {
    const u64 start = align_up(out->size, BLOB_ALIGN);
    const u64 end = align_up(start + bytes, BLOB_ALIGN);
    if (end > BLOB_BYTES_MAX) {
        out->too_large = true;
        return 0;
    }
    if (end > out->capacity) {
        output_grow(out, align_up(MAX_OF(end, out->capacity + out->capacity / 4), 4096));
    }
    out->size = start + bytes;
    return start;
}

static u64 section_add(Output* out, BlobSection entry, u64 bytes) {
    assert(out->section_count < out->section_room);
    assert(out->section_count == 0 || out->section[out->section_count - 1].kind <= entry.kind);
    const u64 start = output_room(out, bytes);
    if (out->too_large) return 0;
    entry.offset = (u32)start;
    entry.bytes = (u32)bytes;
    out->section[out->section_count++] = entry;
    return start;
}

void* output_section(Output* out, SectionKind kind, const void* records, u64 count) {
    const RecordType* record = section_record(kind);
    if (count == 0 || out->too_large) return NULL;
    const u32         stride = record ? record->bytes : 1;
    const BlobSection entry = {.kind = kind,
                               .layout = record ? record_layout_hash(record) : 0,
                               .count = (u32)MIN_OF(count, (u64)UINT32_MAX),
                               .stride = stride,
                               .column_count = 1};
    const u64         start = section_add(out, entry, count * stride);
    if (out->too_large) return NULL;
    if (records) memcpy(out->bytes + start, records, count * stride);
    return out->bytes + start;
}

void* output_room_of(Output* out, SectionKind kind) {
    for (u32 i = 0; i < out->section_count; i++) {
        if (out->section[i].kind == kind) return out->bytes + out->section[i].offset;
    }
    return NULL;
}

void output_component(Output* out, const ComponentType* type, u32 count) {
    if (count == 0 || out->too_large) return;
    const BlobSection entry = {.kind = SECTION_COMPONENT,
                               .identifier = type->id,
                               .layout = type->layout,
                               .count = count,
                               .stride = type->record.bytes,
                               .column_count = ent_component_column_count(type)};
    section_add(out, entry, component_section_bytes(type, count));
}

static const BlobSection* component_entry(const Output* out, const ComponentType* type) {
    for (u32 i = 0; i < out->section_count; i++) {
        if (out->section[i].kind == SECTION_COMPONENT && out->section[i].identifier == type->id) {
            return &out->section[i];
        }
    }
    return NULL;
}

u32* output_owners(Output* out, const ComponentType* type) {
    const BlobSection* entry = component_entry(out, type);
    return entry ? (u32*)(void*)(out->bytes + entry->offset) : NULL;
}

void* output_column(Output* out, const ComponentType* type, u32 column) {
    const BlobSection* entry = component_entry(out, type);
    if (!entry) return NULL;
    return out->bytes + entry->offset + component_column_start(type, entry->count, column);
}

/* Sections that were allowed for and not used leave room in the table: closes it. */
static void table_close_up(Output* out) {
    const u32 spare = (out->section_room - out->section_count) * (u32)sizeof(BlobSection);
    const u64 first = sizeof(BlobHeader) + out->section_room * sizeof(BlobSection);
    if (spare == 0) return;
    memmove(out->bytes + first - spare, out->bytes + first, out->size - first);
    memset(out->bytes + out->size - spare, 0, spare);
    for (u32 i = 0; i < out->section_count; i++) out->section[i].offset -= spare;
    out->size -= spare;
}

bool output_finish(Output* out, Target target, const BlobOptions* options, u8** bytes,
                   size_t* size) {
    BlobFault fault;
    Blob      blob;
    if (out->too_large) {
        memory_free(out->bytes);
        return false;
    }
    table_close_up(out);
    const u64  end = align_up(out->size, BLOB_ALIGN);
    BlobHeader header = {.magic = {'E', 'N', 'T', 'B'},
                         .byte_order = BLOB_BYTE_ORDER,
                         .version = BLOB_VERSION,
                         .resource_type = out->type,
                         .resource = resource_ref(out->id),
                         .blob_bytes = (u32)end,
                         .section_count = out->section_count,
                         .element_count = out->element_count};
    memcpy(out->bytes, &header, sizeof header);
    memcpy(out->bytes + sizeof header, out->section, out->section_count * sizeof(BlobSection));
    header.hash = resource_ref(blob_hash(out->bytes, end));
    memcpy(out->bytes, &header, sizeof header);
    BlobOptions known = *options;
    known.skip_hash = 1; /* computed a moment ago */
    if (ent_blob_open(&blob, out->bytes, end, &known, &fault) != ENT_OK) {
        fprintf(stderr, "entc: internal error: the blob that was written is refused: %s: %s\n",
                fault.field, fault.reason);
        abort();
    }
    if ((target == TARGET_LITTLE) != HOST_IS_LITTLE) blob_swap(out->bytes, end, true);
    *bytes = memory_shrink(out->bytes, end);
    *size = end;
    return true;
}
