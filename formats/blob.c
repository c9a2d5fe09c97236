/* blob.c - reads a validated blob, computes its hash and changes its byte order. */
#include "sections.h"

#include "hash.h"
#include "search.h"
#include "swap.h"

/* A hostile blob has many component sections before the others, and some callers search once for each
 * entity. */
const BlobSection* section_of_kind(const BlobSection* section, u32 count, u32 kind) {
    Search s = search_between(0, count);
    while (search_continues(&s)) search_narrow(&s, section[s.middle].kind < kind);
    return s.first < count && section[s.first].kind == kind ? &section[s.first] : NULL;
}

const BlobSection* ent_blob_section(const Blob* blob, u32 kind) {
    return section_of_kind(blob->section, blob->header->section_count, kind);
}

const BlobSection* ent_blob_component(const Blob* blob, u32 component_id) {
    for (u32 i = 0; i < blob->header->section_count; i++) {
        const BlobSection* s = &blob->section[i];
        if (s->kind == SECTION_COMPONENT && s->identifier == component_id) return s;
    }
    return NULL;
}

const void* ent_blob_data(const Blob* blob, const BlobSection* section) {
    return blob->bytes + section->offset;
}

const void* ent_blob_column(const Blob* blob, const BlobSection* section, const ComponentType* type,
                            u32 column) {
    assert(section->identifier == type->id && section->layout == type->layout);
    return blob->bytes + section->offset + component_column_start(type, section->count, column);
}

const char* ent_blob_name(const Blob* blob, u32 index) {
    const BlobSection* offsets = ent_blob_section(blob, SECTION_NAME_OFFSET);
    const BlobSection* names = ent_blob_section(blob, SECTION_NAME);
    if (!offsets || !names) return "";
    assert(index < offsets->count);
    const u32* offset = ent_blob_data(blob, offsets);
    return (const char*)ent_blob_data(blob, names) + offset[index];
}

const char* ent_blob_text(const Blob* blob, TextRef text) {
    const BlobSection* offsets = ent_blob_section(blob, SECTION_STRING_OFFSET);
    if (text == 0) return "";
    assert(offsets && text < offsets->count);
    const u32* offset = ent_blob_data(blob, offsets);
    return (const char*)ent_blob_data(blob, ent_blob_section(blob, SECTION_STRING)) + offset[text];
}

const char* ent_blob_reference_name(const Blob* blob, u32 index) {
    const BlobSection* references = ent_blob_section(blob, SECTION_REFERENCE);
    const BlobSection* names = ent_blob_section(blob, SECTION_REFERENCE_NAME);
    assert(references && names && index < references->count);
    const ReferenceRecord* reference = ent_blob_data(blob, references);
    return (const char*)ent_blob_data(blob, names) + reference[index].name;
}

ResourceRef ent_resource_ref(const char* name, u32 resource_type) {
    return resource_ref(hash_resource(text_of(name), ent_resource_suffix(resource_type)));
}

/* --- columns of a component section --- */

u32 ent_component_column_count(const ComponentType* type) {
    return type->columns == BY_FIELD ? type->record.field_count : 1;
}

u32 ent_component_column_bytes(const ComponentType* type, u32 column) {
    return type->columns == BY_FIELD ? type->record.fields[column].bytes : type->record.bytes;
}

u32 ent_component_column_offset(const ComponentType* type, u32 column) {
    return type->columns == BY_FIELD ? type->record.fields[column].offset : 0;
}

u64 component_column_start(const ComponentType* type, u64 count, u32 column) {
    u64 at = align_up(count * 4, BLOB_ALIGN);
    for (u32 c = 0; c < column; c++) {
        at += align_up(count * ent_component_column_bytes(type, c), BLOB_ALIGN);
    }
    return at;
}

u64 component_section_bytes(const ComponentType* type, u64 count) {
    const u32 last = ent_component_column_count(type) - 1;
    return component_column_start(type, count, last) +
           count * ent_component_column_bytes(type, last);
}

const void* ent_blob_contents(const Blob* blob, u32* size_bytes) {
    const BlobSection* section = ent_blob_section(blob, SECTION_DATA);
    assert(blob->header->resource_type == RESOURCE_DATA);
    *size_bytes = blob->header->element_count;
    return section ? ent_blob_data(blob, section) : blob->bytes;
}

/* --- hash and byte order --- */

u64 blob_hash(const void* bytes, size_t size) {
    assert(size >= sizeof(BlobHeader));
    const size_t head = offsetof(BlobHeader, hash);
    return hash_bytes((const u8*)bytes + sizeof(BlobHeader), size - sizeof(BlobHeader),
                      hash_bytes(bytes, head, 0));
}

void blob_swap(void* bytes, size_t size, bool native) {
    u8*        at = bytes;
    BlobHeader header;
    memcpy(&header, at, sizeof header);
    u32 section_count = word_read(header.section_count, !native);
    for (u32 i = 0; i < section_count; i++) {
        u8*         entry = at + sizeof header + i * sizeof(BlobSection);
        BlobSection section;
        memcpy(&section, entry, sizeof section);
        words_swap(entry, sizeof section);
        if (!native) memcpy(&section, entry, sizeof section);
        if (!section_is_bytes(section.kind)) words_swap(at + section.offset, section.bytes);
    }
    words_swap(at + 4, sizeof header - 4);
    /* The hash covers the bytes, which have changed; its own words have the byte order of
     * the blob. */
    ResourceRef hash = resource_ref(blob_hash(at, size));
    memcpy(at + offsetof(BlobHeader, hash), &hash, sizeof hash);
    if (native) words_swap(at + offsetof(BlobHeader, hash), sizeof hash);
}
