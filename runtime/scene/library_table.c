/* library_table.c - the resources that are open, each once, and opening what they refer to. */
#include <stdio.h>

#include "fields.h"
#include "hash.h"
#include "library_internal.h"
#include "sections.h"
#include "slots.h"

#define ENTRIES_FIRST 32u /* a power of two */

static u32 block_entries(u32 block) { return ENTRIES_FIRST << block; }

/* Block b begins with entry ENTRIES_FIRST * (2^b - 1). */
LibraryEntry* library_entry_at(const Library* library, u32 index) {
    u32 block = 0;
    for (; index >= block_entries(block); block++) index -= block_entries(block);
    return &library->block[block][index];
}

void library_entries_close(Library* library) {
    for (u32 i = 0; i < library->count; i++)
        ent_resource_close(&library_entry_at(library, i)->resource);
    if (library->slot) memset(library->slot, 0, sizeof(u32) * library->slot_count);
    library->count = 0;
    library->bytes = library->expanded = 0;
}

void library_table_free(Library* library) {
    for (u32 i = 0; i < LIBRARY_BLOCKS; i++) {
        library_free(library, library->block[i], sizeof(LibraryEntry) * block_entries(i));
        library->block[i] = NULL;
    }
    library_free(library, library->slot, sizeof(u32) * library->slot_count);
    library->slot = NULL;
    library->slot_count = 0;
}

static u32* slot_of(const Library* library, u64 id) {
    const Slots slots = {library->slot, library->slot_count};
    u32*        slot = slots_first(&slots, id);
    while (*slot && resource_id(library_entry_at(library, *slot - 1)->id) != id) {
        slot = slots_next(&slots, slot);
    }
    return slot;
}

u32 library_entry_index(const Library* library, ResourceRef id) {
    return library->slot ? *slot_of(library, resource_id(id)) - 1 : NONE;
}

LibraryEntry* library_entry_find(const Library* library, ResourceRef id) {
    const u32 index = library_entry_index(library, id);
    return index == NONE ? NULL : library_entry_at(library, index);
}

static ent_status slots_grow(Library* library, u32 count) {
    const u32 old_count = library->slot_count;
    u32*      old = library->slot;
    u32*      slot = library_alloc(library, sizeof(u32) * count);
    if (!slot) return ENT_NO_MEMORY;
    memset(slot, 0, sizeof(u32) * count);
    library->slot = slot;
    library->slot_count = count;
    for (u32 i = 0; i < library->count; i++) {
        *slot_of(library, resource_id(library_entry_at(library, i)->id)) = i + 1;
    }
    library_free(library, old, sizeof(u32) * old_count);
    return ENT_OK;
}

ent_status library_reserve(Library* library, u32 more) {
    const u32 end = library->count + more;
    u32       slots = library->slot_count ? library->slot_count : ENTRIES_FIRST * 4;
    while (end * 2 > slots) slots *= 2;
    if (slots > library->slot_count) TRY(slots_grow(library, slots));
    for (u32 block = 0, first = 0; first < end; first += block_entries(block++)) {
        if (block == LIBRARY_BLOCKS) {
            return library_problem(library, ENT_LIMIT,
                                   "%u resources are open; there may be as many", library->count);
        }
        if (library->block[block]) continue;
        library->block[block] = library_alloc(library, sizeof(LibraryEntry) * block_entries(block));
        if (!library->block[block]) return ENT_NO_MEMORY;
    }
    return ENT_OK;
}

LibraryEntry* library_entry_add(Library* library, const LibraryEntry* entry) {
    LibraryEntry* added = library_entry_at(library, library->count++);
    *added = *entry;
    *slot_of(library, resource_id(entry->id)) = library->count;
    library->bytes += entry->resource.blob.size;
    return added;
}

ent_status library_entry_open(Library* library, ResourceRef id, const char* name, u32 type,
                              LibraryEntry** out) {
    LibraryEntry entry = {.id = id, .version = library->failed ? 1 : 0};
    const Text   text = text_of(name);
    *out = library_entry_find(library, id);
    if (*out) return ENT_OK;
    if (!resource_name_is_canonical(text)) {
        return library_problem(library, ENT_NOT_FOUND, "\"%s\" is no name that a resource may have",
                               name);
    }
    memcpy(entry.name, name, text.bytes);
    const ent_status room = library_reserve(library, 1);
    if (room == ENT_LIMIT) return room; /* already reported */
    if (room != ENT_OK) return library_problem_io(library, room, name);
    TRY(library_resource_open(library, &entry, type));
    *out = library_entry_add(library, &entry);
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

/* The references of a blob. */
static const ReferenceRecord* references_of(const Blob* blob, u32* count) {
    const BlobSection* section = ent_blob_section(blob, SECTION_REFERENCE);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

/* Opens the resources that an entry refers to. When entries before `first` are among them,
 * lowers `first`. */
static ent_status entry_follow(Library* library, LibraryEntry* entry, u32* first) {
    const Blob*            blob = &entry->resource.blob;
    u32                    count;
    const ReferenceRecord* r = references_of(blob, &count);
    for (u32 i = 0; i < count; i++) {
        LibraryEntry*    other;
        const ent_status status = library_entry_open(
            library, r[i].id, ent_blob_reference_name(blob, i), r[i].type, &other);
        if (status != ENT_OK) TRY(reference_failed(library, entry, r[i].id, status));
        if (status != ENT_OK || other->wanted) continue;
        other->wanted = library->loads;
        *first = MIN_OF(*first, library_entry_index(library, r[i].id));
    }
    entry->followed = 1;
    return ENT_OK;
}

ent_status library_wanted_follow(Library* library, u32 next) {
    while (next < library->count) {
        LibraryEntry* entry = library_entry_at(library, next++);
        if (entry->wanted && !entry->followed) TRY(entry_follow(library, entry, &next));
    }
    return ENT_OK;
}

void library_load_undo(Library* library) {
    for (u32 i = 0; i < library->count; i++) {
        LibraryEntry* entry = library_entry_at(library, i);
        if (entry->wanted != library->loads) continue;
        entry->wanted = 0;
        entry->followed = 0;
    }
}

void library_references_warn(Library* library, const LibraryEntry* entry) {
    const HostLog          log = library->desc.log;
    const Blob*            blob = &entry->resource.blob;
    u32                    count;
    const ReferenceRecord* r = references_of(blob, &count);
    for (u32 i = 0; i < count && entry->wanted && log.write; i++) {
        if (library_entry_find(library, r[i].id)) continue;
        library_problem(library, ENT_NOT_FOUND, "there is no %s.%s in \"%s\"",
                        ent_blob_reference_name(blob, i), ent_resource_suffix(r[i].type),
                        library->path);
        referrer_add(library, entry, r[i].id);
        log.write(log.user, LOG_WARNING, library->problem);
    }
}

bool library_refers(const LibraryEntry* entry, ResourceRef id) {
    u32                    count;
    const ReferenceRecord* r = references_of(&entry->resource.blob, &count);
    u32                    i = 0;
    while (i < count && resource_id(r[i].id) != resource_id(id)) i++;
    return i < count;
}
