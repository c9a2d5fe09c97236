/* library_source.c - opens one resource: from a file of the folder, or from the bundle. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "clock.h"
#include "hash.h"
#include "host_internal.h"
#include "library_internal.h"

void* library_alloc(const Library* library, size_t bytes) {
    return library->desc.allocator.alloc(library->desc.allocator.user, bytes);
}

void library_free(const Library* library, void* at, size_t bytes) {
    if (at) library->desc.allocator.free(library->desc.allocator.user, at, bytes);
}

/* --- problems --- */

ent_status library_problem(Library* library, ent_status status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(library->problem, sizeof library->problem, format, arguments);
    va_end(arguments);
    return status;
}

ent_status library_problem_io(Library* library, ent_status status, const char* path) {
    const bool system = status == ENT_IO || status == ENT_LIMIT;
    return library_problem(library, status, "\"%s\": %s", path,
                           system ? strerror(errno) : ent_status_text(status));
}

ent_status library_problem_fault(Library* library, const char* what, const BlobFault* fault) {
    return library_problem(library, fault->status, "\"%s\": %s at offset %u: %s", what,
                           fault->field, fault->offset, fault->reason);
}

/* --- bundles --- */

ent_status source_open(Library* library, FileStamp* stamp) {
    FileView     view;
    BlobFault    fault;
    Bundle       bundle;
    const char*  path = library->path;
    const size_t head = (size_t)align_up(sizeof(LibrarySource), 64);
    ent_status   status = file_map_stamped(&view, path, stamp);
    if (status != ENT_OK) return library_problem_io(library, status, path);
    status = ent_bundle_open(&bundle, view.bytes, view.size, &fault);
    if (status != ENT_OK) {
        file_unmap(&view);
        return library_problem_fault(library, path, &fault);
    }
    const size_t   room = bundle_decoder_bytes(&bundle);
    LibrarySource* source = library_alloc(library, head + room);
    if (!source) {
        file_unmap(&view);
        return library_problem_io(library, ENT_NO_MEMORY, path);
    }
    *source = (LibrarySource){
        .next = library->source, .view = view, .bundle = bundle, .bytes = head + room};
    bundle_decoder_init(&source->decoder, &source->bundle, room ? (u8*)source + head : NULL);
    library->source = source;
    library->bundle = bundle;
    return ENT_OK;
}

void source_close(Library* library, LibrarySource* source) {
    file_unmap(&source->view);
    library_free(library, source, source->bytes);
}

/* A bundle may state any expanded size, which is therefore limited. */
static ent_status expanded_check(Library* library, const BundleResource* row, const char* what) {
    const u64 given = library->desc.expanded_max, max = given ? given : BUNDLE_EXPANDED_MAX;
    if (row->codec == BUNDLE_PLAIN || row->size <= max - MIN_OF(library->expanded, max)) {
        return ENT_OK;
    }
    return library_problem(
        library, ENT_LIMIT,
        "\"%s\" has %u bytes, and %llu of others were expanded before; the limit is %llu", what,
        row->size, (unsigned long long)library->expanded, (unsigned long long)max);
}

/* The bytes of a resource: in place, or expanded into memory that `out` then owns. */
static ent_status bundle_bytes(Library* library, Resource* out, const BundleResource* row,
                               const void** bytes, BlobFault* fault) {
    BundleDecoder* decoder = &library->source->decoder;
    TRY(bundle_piece_validate(&library->bundle, row, fault));
    *bytes = bundle_piece(&library->bundle, row);
    if (row->codec == BUNDLE_PLAIN) return ENT_OK;
    TRY(bundle_head_validate(decoder, &library->bundle, row, fault));
    out->memory = library_alloc(library, row->size);
    if (!out->memory) return ENT_NO_MEMORY;
    out->mapped = row->size;
    out->allocator = library->desc.allocator;
    *bytes = out->memory;
    return bundle_decode(decoder, &library->bundle, row, out->memory, fault);
}

u64 library_piece(const Bundle* bundle, const BundleResource* row) {
    u64 words[] = {resource_id(row->hash), (u64)row->stored << 32 | row->size, row->codec, 0};
    if (row->dictionary != BUNDLE_NO_DICTIONARY)
        words[3] = resource_id(bundle->dictionary[row->dictionary].hash);
    return hash_bytes(words, sizeof words, 0);
}

static ent_status bundle_open(Library* library, LibraryEntry* out, u32 type) {
    char                  what[4600];
    const void*           bytes;
    Resource*             resource = &out->resource;
    BlobFault             fault = {.status = ENT_OK};
    const BundleResource* row = ent_bundle_find(&library->bundle, out->id);
    if (!row) {
        return library_problem(library, ENT_NOT_FOUND, "there is no %s.%s in \"%s\"", out->name,
                               ent_resource_suffix(type), library->path);
    }
    snprintf(what, sizeof what, "%s.%s\" in \"%s", out->name, ent_resource_suffix(type),
             library->path);
    TRY(expanded_check(library, row, what));
    const u64  start = clock_ns();
    ent_status status = bundle_bytes(library, resource, row, &bytes, &fault);
    const u64  expanded = clock_ns();
    if (status == ENT_OK)
        status = ent_blob_open(&resource->blob, bytes, row->size, &library->desc.blob, &fault);
    if (status == ENT_OK) status = bundle_blob_validate(&resource->blob, row, &fault);
    library->open_ns += expanded - start;
    library->verify_ns += clock_ns() - expanded;
    if (status != ENT_OK) {
        ent_resource_close(resource);
        return fault.status == ENT_OK ? library_problem_io(library, status, what)
                                      : library_problem_fault(library, what, &fault);
    }
    out->piece = library_piece(&library->bundle, row);
    out->expanded = row->codec == BUNDLE_ZSTD ? row->size : 0;
    out->source = out->expanded ? NULL : library->source;
    library->expanded += out->expanded;
    return ENT_OK;
}

/* --- folders --- */

/* While a library follows: a file is the one that the index states, or another build has written it. */
static ent_status index_check(Library* library, LibraryEntry* out, const char* path,
                              ent_status status) {
    const OutputIndexRow* row =
        library->index ? ent_output_index_find(library->index, out->id) : NULL;
    if (!row) return status;
    if (status == ENT_NOT_FOUND)
        return library_problem(library, ENT_CHANGING,
                               "\"%s\" is in the index of the folder, and does not exist; another "
                               "build is writing, or the folder has to be built again",
                               path);
    if (status != ENT_OK || resource_id(row->hash) == resource_id(out->resource.blob.header->hash))
        return status;
    ent_resource_close(&out->resource);
    return library_problem(library, ENT_CHANGING,
                           "\"%s\" is not the one that the index of the folder states; another "
                           "build is writing, or the folder has to be built again",
                           path);
}

static ent_status file_open(Library* library, LibraryEntry* out, const char* path) {
    FileView   view;
    BlobFault  fault;
    Resource*  resource = &out->resource;
    const u64  start = clock_ns();
    FileStamp  stamp;
    ent_status status = file_map_stamped(&view, path, &stamp);
    if (library->failed) library->failed->stamp = stamp;
    if (status != ENT_OK) return library_problem_io(library, status, path);
    const u64 mapped = clock_ns();
    status = ent_resource_open_bytes(resource, view.bytes, view.size, &library->desc.blob, &fault);
    library->open_ns += mapped - start;
    library->verify_ns += clock_ns() - mapped;
    if (status != ENT_OK) {
        file_unmap(&view);
        return library_problem_fault(library, path, &fault);
    }
    resource->memory = view.memory;
    resource->mapped = view.mapped;
    if (resource_id(resource->blob.header->resource) == resource_id(out->id)) return ENT_OK;
    ent_resource_close(resource);
    return library_problem(library, ENT_WRONG_TYPE,
                           "\"%s\": the blob is of another resource; it was renamed", path);
}

static ent_status folder_open(Library* library, LibraryEntry* out, u32 type) {
    char      path[4096];
    const int wrote = snprintf(path, sizeof path, "%s/%s.%s", library->path, out->name,
                               ent_resource_suffix(type));
    if ((size_t)wrote >= sizeof path) {
        return library_problem(library, ENT_LIMIT,
                               "the path of \"%s\" has %d bytes; the limit is %zu", out->name,
                               wrote, sizeof path - 1);
    }
    if (library->index && !ent_output_index_find(library->index, out->id))
        return library_problem(library, ENT_NOT_FOUND, "there is no %s.%s in the index of \"%s\"",
                               out->name, ent_resource_suffix(type), library->path);
    const ent_status status = index_check(library, out, path, file_open(library, out, path));
    if (status != ENT_OK && library->failed) memcpy(library->failed->path, path, (size_t)wrote + 1);
    return status;
}

ent_status library_resource_open(Library* library, LibraryEntry* out, u32 type) {
    out->resource = (Resource){0};
    out->source = NULL;
    out->expanded = 0;
    return library->source ? bundle_open(library, out, type) : folder_open(library, out, type);
}
