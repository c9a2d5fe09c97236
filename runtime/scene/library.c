/* library.c - the calls of a host: resources by name from a folder or a bundle. */
#include <stdio.h>

#include "hash.h"
#include "host_internal.h"
#include "library_internal.h"
#include "sections.h"

ent_status ent_library_open(Library* library, const char* path, const LibraryDesc* desc) {
    FileStamp stamp;
    *library = (Library){0};
    if (desc) library->desc = *desc;
    library->desc.allocator = host_allocator(library->desc.allocator);
    library->path_bytes = strlen(path) + 1;
    library->path = library_alloc(library, library->path_bytes);
    if (!library->path) return library_problem_io(library, ENT_NO_MEMORY, path);
    memcpy(library->path, path, library->path_bytes);
    FileKind   kind;
    ent_status status = file_look(path, true, &kind);
    if (status == ENT_OK && kind == FILE_FOLDER) return ENT_OK;
    status =
        status == ENT_OK ? source_open(library, &stamp) : library_problem_io(library, status, path);
    if (status != ENT_OK) {
        char kept[sizeof library->problem];
        memcpy(kept, library->problem, sizeof kept);
        ent_library_close(library);
        memcpy(library->problem, kept, sizeof kept);
    }
    return status;
}

const LibraryEntry* ent_library_entry(const Library* library, u32 index) {
    assert(index < library->count);
    return library_entry_at(library, index);
}

void ent_library_clear(Library* library) {
    library->cleared++;
    library_follow_end(library);
    library_entries_close(library);
    library_sources_sweep(library);
}

void ent_library_close(Library* library) {
    ent_library_clear(library);
    library_table_free(library);
    for (LibrarySource *source = library->source, *next; source; source = next) {
        next = source->next;
        source_close(library, source);
    }
    library_free(library, library->path, library->path_bytes);
    *library = (Library){0};
}

const Blob* ent_library_find(const Library* library, ResourceRef id) {
    const LibraryEntry* entry = library_entry_find(library, id);
    return entry ? &entry->resource.blob : NULL;
}

/* A number that a file or a script stated may be none of a type. */
static ent_status type_check(Library* library, const char* name, u32 type) {
    if (ent_resource_suffix(type)) return ENT_OK;
    return library_problem(library, ENT_NOT_FOUND, "\"%s\": there is no resource type %u", name,
                           type);
}

ent_status ent_library_resource(Library* library, const char* name, u32 type, const Blob** out) {
    LibraryEntry* entry;
    TRY(type_check(library, name, type));
    TRY(library_entry_open(library, ent_resource_ref(name, type), name, type, &entry));
    *out = &entry->resource.blob;
    return ENT_OK;
}

ent_status ent_library_data(Library* library, const char* name, const void** bytes,
                            u32* size_bytes) {
    const Blob* blob;
    TRY(ent_library_resource(library, name, RESOURCE_DATA, &blob));
    *bytes = ent_blob_contents(blob, size_bytes);
    return ENT_OK;
}

ent_status ent_library_load(Library* library, const char* name, u32 type, const Blob** out) {
    LibraryEntry* root;
    TRY(type_check(library, name, type));
    TRY(library_entry_open(library, ent_resource_ref(name, type), name, type, &root));
    library->loads++;
    if (!root->wanted) root->wanted = library->loads;
    const ent_status status =
        library_wanted_follow(library, library_entry_index(library, root->id));
    if (status != ENT_OK) {
        library_load_undo(library);
        return status;
    }
    *out = &root->resource.blob;
    return ENT_OK;
}
