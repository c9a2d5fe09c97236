/* sections.h - what a section of each kind holds. Private to formats/, the compiler and tools. */
#ifndef ENT_SECTIONS_H
#define ENT_SECTIONS_H

#include "blob.h"
#include "fields.h"

/* NULL for component sections and for text. */
const RecordType* section_record(u32 kind);

/* "mesh_part"; "section" for an unknown kind. */
const char* section_name(u32 kind);

static inline bool section_is_text(u32 kind) {
    return kind == SECTION_REFERENCE_NAME || kind == SECTION_NAME;
}

/* May a resource of this type hold the section at all? */
bool section_allowed(u32 resource_type, u32 kind);

/* The type with this suffix; RESOURCE_NONE when there is none. */
ResourceType resource_from_suffix(Text suffix);

/* Segments of a-z, 0-9, '_' and '-' with one '/' between them, 255 bytes at most. */
bool resource_name_is_canonical(Text name);

/* Bytes of a component section, and where a column begins in it. count <= 2^28. */
u64 component_section_bytes(const ComponentType* type, u64 count);
u64 component_column_start(const ComponentType* type, u64 count, u32 column);

/* The hash that stands in the header, of a blob in any byte order. */
u64 blob_hash(const void* bytes, size_t size);

/* Rewrites a valid blob for the other byte order, in place; `native` says whether it is readable
 * here before the call. swap(swap(x)) == x. */
void blob_swap(void* bytes, size_t size, bool native);

#endif
