/* library.c - opens resources breadth first, each one once. */
#include "library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool ref_equal(ResourceRef a, ResourceRef b) { return a.lo == b.lo && a.hi == b.hi; }

const Blob* library_find(const Library* library, ResourceRef id) {
    for (u32 i = 0; i < library->count; i++) {
        if (ref_equal(library->entry[i].id, id)) return &library->entry[i].resource.blob;
    }
    return NULL;
}

static ent_status problem(Library* library, ent_status status, const char* path,
                          const BlobFault* fault) {
    if (fault && fault->field[0]) {
        snprintf(library->problem, sizeof library->problem, "\"%s\": %s at offset %u: %s", path,
                 fault->field, fault->offset, fault->reason);
    } else {
        snprintf(library->problem, sizeof library->problem, "\"%s\": %s", path,
                 status == ENT_IO ? strerror(errno) : ent_status_text(status));
    }
    return status;
}

static ent_status entry_open(Library* library, const char* path, const char* name) {
    LibraryEntry entry = {0};
    BlobFault    fault;
    const u64    start = clock_ns();
    ent_status   status = file_map(&entry.view, path);
    if (status != ENT_OK) return problem(library, status, path, NULL);
    const u64 mapped = clock_ns();
    status =
        ent_resource_open_bytes(&entry.resource, entry.view.bytes, entry.view.size, NULL, &fault);
    const u64 verified = clock_ns();
    if (status == ENT_OK && library->count == library->capacity) {
        const u32     capacity = library->capacity ? library->capacity * 2 : 16;
        LibraryEntry* grown = realloc(library->entry, sizeof(LibraryEntry) * capacity);
        if (grown)
            library->entry = grown, library->capacity = capacity;
        else
            status = ENT_NO_MEMORY;
    }
    if (status != ENT_OK) {
        file_unmap(&entry.view);
        return problem(library, status, path, status == ENT_NO_MEMORY ? NULL : &fault);
    }
    entry.id = entry.resource.blob.header->resource;
    library->open_ns += mapped - start;
    library->verify_ns += verified - mapped;
    library->bytes += entry.view.size;
    snprintf(entry.name, sizeof entry.name, "%s", name);
    library->entry[library->count++] = entry;
    return ENT_OK;
}

static ent_status open_by_name(Library* library, const char* folder, const char* name, u32 type) {
    char      path[4096];
    const int wrote =
        snprintf(path, sizeof path, "%s/%s.%s", folder, name, ent_resource_suffix(type));
    if (wrote < 0 || (size_t)wrote >= sizeof path) return problem(library, ENT_LIMIT, name, NULL);
    return entry_open(library, path, name);
}

/* Adds who wanted what could not be opened. */
static ent_status referred_by(Library* library, u32 entry, ent_status status) {
    const size_t used = strlen(library->problem);
    snprintf(library->problem + used, sizeof library->problem - used, "; \"%s\" refers to it",
             library->entry[entry].name);
    return status;
}

ent_status library_load(Library* library, const char* folder, const char* name, ResourceType type) {
    *library = (Library){0};
    TRY(open_by_name(library, folder, name, type));
    for (u32 next = 0; next < library->count; next++) {
        const Blob         blob = library->entry[next].resource.blob;
        const BlobSection* section = ent_blob_section(&blob, SECTION_REFERENCE);
        if (!section) continue;
        const ReferenceRecord* reference = ent_blob_data(&blob, section);
        for (u32 i = 0; i < section->count; i++) {
            if (library_find(library, reference[i].id)) continue;
            const ent_status status =
                open_by_name(library, folder, ent_blob_reference_name(&blob, i), reference[i].type);
            if (status != ENT_OK) return referred_by(library, next, status);
        }
    }
    return ENT_OK;
}

void library_close(Library* library) {
    for (u32 i = 0; i < library->count; i++) {
        ent_resource_close(&library->entry[i].resource);
        file_unmap(&library->entry[i].view);
    }
    free(library->entry);
    *library = (Library){0};
}
