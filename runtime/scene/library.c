/* library.c - resources by name from a folder or a bundle, each one opened once. */
#include "library.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "bundle_internal.h"
#include "clock.h"
#include "fields.h"
#include "file.h"
#include "hash.h"
#include "host_internal.h"
#include "sections.h"
#include "slots.h"

#define ENTRIES_FIRST 32u /* a power of two */

static void* memory_take(const Library* library, size_t bytes) {
    return library->desc.allocator.alloc(library->desc.allocator.user, bytes);
}

static void memory_return(const Library* library, void* at, size_t bytes) {
    if (at) library->desc.allocator.free(library->desc.allocator.user, at, bytes);
}

/* --- problems --- */

static ent_status problem(Library* library, ent_status status, const char* format, ...)
    PRINTF_LIKE(3, 4);

static ent_status problem(Library* library, ent_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(library->problem, sizeof library->problem, format, arguments);
    va_end(arguments);
    return status;
}

static ent_status problem_io(Library* library, ent_status status, const char* path) {
    const bool system = status == ENT_IO || status == ENT_LIMIT;
    return problem(library, status, "\"%s\": %s", path,
                   system ? strerror(errno) : ent_status_text(status));
}

static ent_status problem_fault(Library* library, const char* what, const BlobFault* fault) {
    return problem(library, fault->status, "\"%s\": %s at offset %u: %s", what, fault->field,
                   fault->offset, fault->reason);
}

/* --- opening a folder or bundle --- */

static ent_status bundle_begin(Library* library, const char* path) {
    FileView   view;
    BlobFault  fault;
    ent_status status = file_map(&view, path);
    if (status != ENT_OK) return problem_io(library, status, path);
    library->memory = view.memory;
    library->mapped = view.mapped;
    status = ent_bundle_open(&library->bundle, view.bytes, view.size, &fault);
    if (status != ENT_OK) return problem_fault(library, path, &fault);
    const size_t room = bundle_decoder_bytes(&library->bundle);
    const size_t head = (size_t)align_up(sizeof(BundleDecoder), 64);
    library->decoder = memory_take(library, head + room);
    if (!library->decoder) return problem_io(library, ENT_NO_MEMORY, path);
    library->decoder_bytes = head + room;
    bundle_decoder_init(library->decoder, &library->bundle,
                        room ? (u8*)library->decoder + head : NULL);
    return ENT_OK;
}

ent_status ent_library_open(Library* library, const char* path, const LibraryDesc* desc) {
    *library = (Library){0};
    if (desc) library->desc = *desc;
    library->desc.allocator = host_allocator(library->desc.allocator);
    library->path_bytes = strlen(path) + 1;
    library->path = memory_take(library, library->path_bytes);
    if (!library->path) return problem_io(library, ENT_NO_MEMORY, path);
    memcpy(library->path, path, library->path_bytes);
    FileKind   kind;
    ent_status status = file_look(path, true, &kind);
    if (status == ENT_OK && kind == FILE_FOLDER) return ENT_OK;
    status = status == ENT_OK ? bundle_begin(library, path) : problem_io(library, status, path);
    if (status != ENT_OK) {
        char kept[sizeof library->problem];
        memcpy(kept, library->problem, sizeof kept);
        ent_library_close(library);
        memcpy(library->problem, kept, sizeof kept);
    }
    return status;
}

/* --- open resources --- */

static u32 block_entries(u32 block) { return ENTRIES_FIRST << block; }

/* Block b begins with entry ENTRIES_FIRST * (2^b - 1). */
static LibraryEntry* entry_at(const Library* library, u32 index) {
    u32 block = 0;
    for (; index >= block_entries(block); block++) index -= block_entries(block);
    return &library->block[block][index];
}

const LibraryEntry* ent_library_entry(const Library* library, u32 index) {
    assert(index < library->count);
    return entry_at(library, index);
}

void ent_library_clear(Library* library) {
    for (u32 i = 0; i < library->count; i++) ent_resource_close(&entry_at(library, i)->resource);
    if (library->slot) memset(library->slot, 0, sizeof(u32) * library->slot_count);
    library->count = 0;
    library->bytes = library->expanded = 0;
}

void ent_library_close(Library* library) {
    FileView view = {.memory = library->memory, .mapped = library->mapped};
    ent_library_clear(library);
    for (u32 i = 0; i < LIBRARY_BLOCKS; i++) {
        memory_return(library, library->block[i], sizeof(LibraryEntry) * block_entries(i));
    }
    memory_return(library, library->slot, sizeof(u32) * library->slot_count);
    memory_return(library, library->decoder, library->decoder_bytes);
    memory_return(library, library->path, library->path_bytes);
    file_unmap(&view);
    *library = (Library){0};
}

static u32* slot_of(const Library* library, u64 id) {
    const Slots slots = {library->slot, library->slot_count};
    u32*        slot = slots_first(&slots, id);
    while (*slot && resource_id(entry_at(library, *slot - 1)->id) != id) {
        slot = slots_next(&slots, slot);
    }
    return slot;
}

static LibraryEntry* entry_find(const Library* library, ResourceRef id) {
    const u32 slot = library->slot ? *slot_of(library, resource_id(id)) : 0;
    return slot ? entry_at(library, slot - 1) : NULL;
}

const Blob* ent_library_find(const Library* library, ResourceRef id) {
    const LibraryEntry* entry = entry_find(library, id);
    return entry ? &entry->resource.blob : NULL;
}

static ent_status table_grow(Library* library) {
    const u32 old_count = library->slot_count;
    u32*      old = library->slot;
    const u32 count = old_count ? old_count * 2 : ENTRIES_FIRST * 4;
    u32*      slot = memory_take(library, sizeof(u32) * count);
    if (!slot) return ENT_NO_MEMORY;
    memset(slot, 0, sizeof(u32) * count);
    library->slot = slot;
    library->slot_count = count;
    for (u32 i = 0; i < library->count; i++) {
        *slot_of(library, resource_id(entry_at(library, i)->id)) = i + 1;
    }
    memory_return(library, old, sizeof(u32) * old_count);
    return ENT_OK;
}

/* Ensures capacity for one more entry. */
static ent_status entries_grow(Library* library) {
    u32 block = 0, index = library->count;
    if (library->count * 2 >= library->slot_count) TRY(table_grow(library));
    for (; index >= block_entries(block); block++) index -= block_entries(block);
    if (block == LIBRARY_BLOCKS) {
        return problem(library, ENT_LIMIT, "%u resources are open; there may be as many",
                       library->count);
    }
    if (library->block[block]) return ENT_OK;
    library->block[block] = memory_take(library, sizeof(LibraryEntry) * block_entries(block));
    return library->block[block] ? ENT_OK : ENT_NO_MEMORY;
}

/* --- one resource --- */

static const BlobOptions* blob_options(const Library* library) { return &library->desc.blob; }

static ent_status folder_open(Library* library, Resource* out, ResourceRef id, const char* name,
                              u32 type) {
    char      path[4096];
    FileView  view;
    BlobFault fault;
    const int wrote =
        snprintf(path, sizeof path, "%s/%s.%s", library->path, name, ent_resource_suffix(type));
    if ((size_t)wrote >= sizeof path) {
        return problem(library, ENT_LIMIT, "the path of \"%s\" has %d bytes; the limit is %zu",
                       name, wrote, sizeof path - 1);
    }
    const u64  start = clock_ns();
    ent_status status = file_map(&view, path);
    if (status != ENT_OK) return problem_io(library, status, path);
    const u64 mapped = clock_ns();
    status = ent_resource_open_bytes(out, view.bytes, view.size, blob_options(library), &fault);
    library->open_ns += mapped - start;
    library->verify_ns += clock_ns() - mapped;
    if (status != ENT_OK) {
        file_unmap(&view);
        return problem_fault(library, path, &fault);
    }
    out->memory = view.memory;
    out->mapped = view.mapped;
    if (resource_id(out->blob.header->resource) == resource_id(id)) return ENT_OK;
    ent_resource_close(out);
    return problem(library, ENT_WRONG_TYPE,
                   "\"%s\": the blob is of another resource; it was renamed", path);
}

/* A bundle may state any expanded size, which is therefore limited. */
static ent_status expanded_check(Library* library, const BundleResource* row, const char* what) {
    const u64 given = library->desc.expanded_max, max = given ? given : BUNDLE_EXPANDED_MAX;
    if (row->codec == BUNDLE_PLAIN || row->size <= max - MIN_OF(library->expanded, max)) {
        return ENT_OK;
    }
    return problem(
        library, ENT_LIMIT,
        "\"%s\" has %u bytes, and %llu of others were expanded before; the limit is %llu", what,
        row->size, (unsigned long long)library->expanded, (unsigned long long)max);
}

/* The bytes of a resource: in place, or expanded into memory that `out` then owns. */
static ent_status bundle_bytes(Library* library, Resource* out, const BundleResource* row,
                               const void** bytes, BlobFault* fault) {
    TRY(bundle_piece_validate(&library->bundle, row, fault));
    *bytes = bundle_piece(&library->bundle, row);
    if (row->codec == BUNDLE_PLAIN) return ENT_OK;
    TRY(bundle_head_validate(library->decoder, &library->bundle, row, fault));
    out->memory = memory_take(library, row->size);
    if (!out->memory) return ENT_NO_MEMORY;
    out->mapped = row->size;
    out->allocator = library->desc.allocator;
    *bytes = out->memory;
    return bundle_decode(library->decoder, &library->bundle, row, out->memory, fault);
}

static ent_status bundle_open(Library* library, Resource* out, ResourceRef id, const char* name,
                              u32 type) {
    char                  what[4600];
    const void*           bytes;
    BlobFault             fault = {.status = ENT_OK};
    const BundleResource* row = ent_bundle_find(&library->bundle, id);
    if (!row) {
        return problem(library, ENT_NOT_FOUND, "there is no %s.%s in \"%s\"", name,
                       ent_resource_suffix(type), library->path);
    }
    snprintf(what, sizeof what, "%s.%s\" in \"%s", name, ent_resource_suffix(type), library->path);
    TRY(expanded_check(library, row, what));
    const u64  start = clock_ns();
    ent_status status = bundle_bytes(library, out, row, &bytes, &fault);
    const u64  expanded = clock_ns();
    if (status == ENT_OK) {
        status = ent_blob_open(&out->blob, bytes, row->size, blob_options(library), &fault);
    }
    if (status == ENT_OK) status = bundle_blob_validate(&out->blob, row, &fault);
    library->open_ns += expanded - start;
    library->verify_ns += clock_ns() - expanded;
    if (status == ENT_OK) {
        if (row->codec == BUNDLE_ZSTD) library->expanded += row->size;
        return ENT_OK;
    }
    ent_resource_close(out);
    return fault.status == ENT_OK ? problem_io(library, status, what)
                                  : problem_fault(library, what, &fault);
}

static ent_status entry_open(Library* library, ResourceRef id, const char* name, u32 type,
                             LibraryEntry** out) {
    Resource   resource = {0};
    const Text text = text_of(name);
    *out = entry_find(library, id);
    if (*out) return ENT_OK;
    if (!resource_name_is_canonical(text)) {
        return problem(library, ENT_NOT_FOUND, "\"%s\" is no name that a resource may have", name);
    }
    const ent_status room = entries_grow(library);
    if (room == ENT_LIMIT) return room; /* already reported */
    if (room != ENT_OK) return problem_io(library, room, name);
    TRY(library->bundle.header ? bundle_open(library, &resource, id, name, type)
                               : folder_open(library, &resource, id, name, type));
    LibraryEntry* entry = *out = entry_at(library, library->count++);
    *entry = (LibraryEntry){.id = id, .resource = resource};
    memcpy(entry->name, name, text.bytes);
    *slot_of(library, resource_id(id)) = library->count;
    library->bytes += resource.blob.size;
    return ENT_OK;
}

/* A number that a file or a script stated may be none of a type. */
static ent_status type_check(Library* library, const char* name, u32 type) {
    if (ent_resource_suffix(type)) return ENT_OK;
    return problem(library, ENT_NOT_FOUND, "\"%s\": there is no resource type %u", name, type);
}

ent_status ent_library_resource(Library* library, const char* name, u32 type, const Blob** out) {
    LibraryEntry* entry;
    TRY(type_check(library, name, type));
    TRY(entry_open(library, ent_resource_ref(name, type), name, type, &entry));
    *out = &entry->resource.blob;
    return ENT_OK;
}

/* --- a resource and all that it refers to --- */

/* The first entity in whose instances of a type a field refers to the resource; NONE: none. */
static u32 referring_instance(const Blob* blob, const ComponentType* type, u64 id) {
    const BlobSection* section = ent_blob_component(blob, type->id);
    if (section && section->layout != type->layout) return NONE; /* an older save */
    for (u32 f = 0; section && f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        const u32    stride = ent_component_column_bytes(type, column);
        const u8*    at = ent_blob_column(blob, section, type, column);
        if (field_form(field) != FORM_RESOURCE) continue;
        at += field->offset - ent_component_column_offset(type, column);
        for (u32 i = 0; i < section->count * field_elements(field); i++) {
            const u32   row = i / field_elements(field), e = i % field_elements(field);
            ResourceRef ref;
            memcpy(&ref, at + (size_t)row * stride + e * sizeof ref, sizeof ref);
            if (resource_id(ref) == id) return ((const u32*)ent_blob_data(blob, section))[row];
        }
    }
    return NONE;
}

static u32 referring_entity(const Blob* blob, ResourceRef id) {
    u32 entity = NONE;
    for (u32 i = 0; i < COMPONENT_COUNT && entity == NONE; i++)
        entity = referring_instance(blob, &ent_component_types()[i], resource_id(id));
    return entity;
}

/* Adds to the problem what refers to the resource that could not be opened. */
static void referrer_add(Library* library, const LibraryEntry* entry, ResourceRef id) {
    const Blob*  blob = &entry->resource.blob;
    const size_t used = strlen(library->problem);
    const u32    entity = referring_entity(blob, id);
    char         path[512], of[600] = "";
    if (entity != NONE) {
        ent_blob_path(blob, entity, path, sizeof path);
        snprintf(of, sizeof of, "the entity \"%s\" of ", path);
    }
    snprintf(library->problem + used, sizeof library->problem - used, "; %s\"%s.%s\" refers to it",
             of, entry->name, ent_resource_suffix(blob->header->resource_type));
}

/* A reference to a resource that could not be opened: ENT_OK when it is skipped. */
static ent_status reference_failed(Library* library, const LibraryEntry* entry, ResourceRef id,
                                   ent_status status) {
    const HostLog log = library->desc.log;
    referrer_add(library, entry, id);
    if (!library->desc.skip_missing || (status != ENT_NOT_FOUND && status != ENT_WRONG_TYPE))
        return status;
    if (log.write) log.write(log.user, LOG_WARNING, library->problem);
    return ENT_OK;
}

/* Opens the resources that an entry refers to. When entries before `first` are among them,
 * lowers `first`. */
static ent_status entry_follow(Library* library, LibraryEntry* entry, u32* first) {
    const Blob*        blob = &entry->resource.blob;
    const BlobSection* section = ent_blob_section(blob, SECTION_REFERENCE);
    for (u32 i = 0; section && i < section->count; i++) {
        const ReferenceRecord* r = (const ReferenceRecord*)ent_blob_data(blob, section) + i;
        LibraryEntry*          other;
        const ent_status       status =
            entry_open(library, r->id, ent_blob_reference_name(blob, i), r->type, &other);
        if (status != ENT_OK) TRY(reference_failed(library, entry, r->id, status));
        if (status != ENT_OK || other->wanted) continue;
        other->wanted = 1;
        *first = MIN_OF(*first, *slot_of(library, resource_id(r->id)) - 1);
    }
    entry->followed = 1;
    return ENT_OK;
}

ent_status ent_library_data(Library* library, const char* name, const void** bytes,
                            u32* size_bytes) {
    const Blob* blob;
    TRY(ent_library_resource(library, name, RESOURCE_DATA, &blob));
    *bytes = ent_blob_contents(blob, size_bytes);
    return ENT_OK;
}

/* Opens what the wanted entries refer to, from an entry on. */
static ent_status wanted_follow(Library* library, u32 next) {
    while (next < library->count) {
        LibraryEntry* entry = entry_at(library, next++);
        if (entry->wanted && !entry->followed) TRY(entry_follow(library, entry, &next));
    }
    return ENT_OK;
}

/* After a failure, so that the next call neither opens what only this one needed, nor omits what this one did
 * not reach. */
static void marks_clear(Library* library) {
    for (u32 i = 0; i < library->count; i++) {
        LibraryEntry* entry = entry_at(library, i);
        entry->wanted = entry->followed = 0;
    }
}

ent_status ent_library_load(Library* library, const char* name, u32 type, const Blob** out) {
    LibraryEntry* root;
    TRY(type_check(library, name, type));
    const ResourceRef id = ent_resource_ref(name, type);
    TRY(entry_open(library, id, name, type, &root));
    root->wanted = 1;
    const ent_status status = wanted_follow(library, *slot_of(library, resource_id(id)) - 1);
    if (status != ENT_OK) {
        marks_clear(library);
        return status;
    }
    *out = &root->resource.blob;
    return ENT_OK;
}
