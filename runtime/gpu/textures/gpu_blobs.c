/* gpu_blobs.c - the blobs of a type in a library, sorted by id. */
#include "gpu_blobs.h"

#include <stdlib.h>

#include "hash.h"

static int id_order(const void* a, const void* b) {
    const GpuBlobId *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

ent_status gpu_blobs_find(GpuBlobs* blobs, const Library* library, ResourceType type) {
    u32 count = 0;
    for (u32 i = 0; i < library->count; i++)
        count += ent_library_entry(library, i)->resource.blob.header->resource_type == type;
    blobs->at = calloc((size_t)count + 1, sizeof *blobs->at);
    blobs->table.at = calloc((size_t)count + 1, sizeof *blobs->table.at);
    if (!blobs->at || !blobs->table.at) return ENT_NO_MEMORY;
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        if (entry->resource.blob.header->resource_type != type) continue;
        blobs->table.at[blobs->count] = (GpuBlobId){resource_id(entry->id), blobs->count};
        blobs->at[blobs->count++] = &entry->resource.blob;
    }
    blobs->table.count = blobs->count;
    qsort(blobs->table.at, count, sizeof *blobs->table.at, id_order);
    return ENT_OK;
}

void gpu_blobs_free(GpuBlobs* blobs) {
    free(blobs->at);
    free(blobs->table.at);
    *blobs = (GpuBlobs){0};
}

static const LibraryEntry* entry_of(const Blob* blob) {
    const u8* entry = (const u8*)blob - offsetof(LibraryEntry, resource.blob);
    return (const LibraryEntry*)(const void*)entry;
}

const char* gpu_blob_name(const Blob* blob) { return entry_of(blob)->name; }

u32 gpu_blob_row(const GpuBlobTable* table, ResourceRef id) {
    const GpuBlobId key = {resource_id(id), 0};
    if (table->count == 0) return NONE;
    const GpuBlobId* found = bsearch(&key, table->at, table->count, sizeof key, id_order);
    return found ? found->row : NONE;
}

const void* gpu_blob_rows(const Blob* blob, SectionKind kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

GpuSeen gpu_seen(const Library* library) {
    return (GpuSeen){library->version, library->count, library->cleared};
}

bool gpu_blob_changed(const GpuSeen* seen, const Library* library, const Blob* blob) {
    return seen->cleared != library->cleared || entry_of(blob)->version > seen->version;
}

bool gpu_seen_concerns(const GpuSeen* seen, const Library* library, u64 types) {
    if (seen->cleared != library->cleared) return true;
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        const bool          is_new = i >= seen->count || entry->version > seen->version;
        if (is_new && types >> entry->resource.blob.header->resource_type & 1) return true;
    }
    return false;
}
