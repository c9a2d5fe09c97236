/* output.c - writes a blob with a size that is not known in advance. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "sections.h"

void output_begin(Output* out, ResourceType type, Text name, u32 element_count,
                  u32 section_capacity) {
    *out = (Output){.type = type,
                    .id = hash_resource(name, ent_resource_suffix(type)),
                    .element_count = element_count};
    out->capacity =
        align_up(sizeof(BlobHeader) + (u64)section_capacity * sizeof(BlobSection), 4096);
    blob_write_begin(&out->writer, memory_alloc(out->capacity), section_capacity);
}

void output_drop(Output* out) {
    memory_free(out->writer.bytes);
    out->writer.bytes = NULL;
}

/* New memory is zero already and is not written. */
static void output_grow(Output* out, u64 capacity) {
    u8* grown = memory_alloc(capacity);
    memcpy(grown, out->writer.bytes, out->writer.size);
    memory_free(out->writer.bytes);
    out->writer.bytes = grown;
    out->capacity = capacity;
}

void output_reserve(Output* out, u64 bytes) {
    const u64 need = align_up(out->writer.size + bytes, 4096);
    if (need > out->capacity && need <= BLOB_BYTES_MAX) output_grow(out, need);
}

/* Memory for a section of `bytes`; one that is too large needs none. */
static void output_capacity(Output* out, u64 bytes) {
    const u64 end = blob_write_end_of(&out->writer, bytes);
    if (end <= out->capacity || end > BLOB_BYTES_MAX) return;
    output_grow(out, align_up(MAX_OF(end, out->capacity + out->capacity / 4), 4096));
}

void* output_section(Output* out, SectionKind kind, const void* records, u64 count) {
    const RecordType* record = section_record(kind);
    const u64         bytes = count * (record ? record->bytes : 1);
    output_capacity(out, bytes);
    void* room = blob_write_section(&out->writer, kind, count);
    if (room && records) memcpy(room, records, bytes);
    return room;
}

void* output_section_bytes(Output* out, SectionKind kind) {
    const BlobSection* table = blob_write_table(&out->writer);
    for (u32 i = 0; i < out->writer.section_count; i++) {
        if (table[i].kind == kind) return out->writer.bytes + table[i].offset;
    }
    return NULL;
}

void output_component(Output* out, const ComponentType* type, u32 count) {
    if (count == 0) return;
    output_capacity(out, component_section_bytes(type, count));
    blob_write_component(&out->writer, type, count);
}

static const BlobSection* component_entry(const Output* out, const ComponentType* type) {
    const BlobSection* table = blob_write_table(&out->writer);
    for (u32 i = 0; i < out->writer.section_count; i++) {
        if (table[i].kind == SECTION_COMPONENT && table[i].identifier == type->id) {
            return &table[i];
        }
    }
    return NULL;
}

u32* output_owners(Output* out, const ComponentType* type) {
    const BlobSection* entry = component_entry(out, type);
    return entry ? (u32*)(void*)(out->writer.bytes + entry->offset) : NULL;
}

void* output_column(Output* out, const ComponentType* type, u32 column) {
    const BlobSection* entry = component_entry(out, type);
    if (!entry) return NULL;
    return out->writer.bytes + entry->offset + component_column_start(type, entry->count, column);
}

u32 output_count(const Output* out, const ComponentType* type) {
    const BlobSection* entry = component_entry(out, type);
    return entry ? entry->count : 0;
}

bool output_finish(Output* out, Target target, const BlobOptions* options, u8** bytes,
                   size_t* size) {
    BlobFault fault;
    Blob      blob;
    if (out->writer.too_large) {
        output_drop(out);
        return false;
    }
    const u64 end =
        blob_write_finish(&out->writer, out->type, resource_ref(out->id), out->element_count);
    u8*         at = out->writer.bytes;
    BlobOptions known = *options;
    known.skip_hash = 1; /* computed just before */
    if (ent_blob_open(&blob, at, end, &known, &fault) != ENT_OK) {
        fprintf(stderr, "entc: internal error: the compiled blob is invalid: %s: %s\n", fault.field,
                fault.reason);
        abort();
    }
    if ((target == TARGET_LITTLE) != HOST_IS_LITTLE) blob_swap(at, end, true);
    *bytes = memory_shrink(at, end);
    *size = end;
    return true;
}
