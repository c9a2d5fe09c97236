/* map_file.c - source maps as files. */
#include "map_file.h"

#include <errno.h>
#include <stdio.h>

#include "asset_name.h"
#include "failure.h"
#include "hash.h"
#include "libc.h"
#include "memory.h"
#include "sections.h"

/* Returns ENT_NOT_FOUND also for a path that is longer than any file has. */
static ent_status view_open(SourceMap* map, const char* blob_path, char path[4096]) {
    *map = (SourceMap){0};
    if (snprintf(path, 4096, "%s" SOURCE_MAP_SUFFIX, blob_path) >= 4096) return ENT_NOT_FOUND;
    return file_map(&map->view, path);
}

static bool reader_open(SourceMap* map) {
    const char* text = (const char*)map->view.bytes;
    map->memory = memory_alloc(ent_source_map_bytes(text, map->view.size));
    return ent_source_map_open(&map->reader, text, map->view.size, map->memory) == ENT_OK;
}

static bool unused(SourceMap* map, const char* path, const char* reason) {
    fprintf(stderr, "%s: note: the source map is not used: %s\n", path, reason);
    source_map_close(map);
    return false;
}

bool source_map_open(SourceMap* map, const char* blob_path, u64 hash) {
    char             path[4096];
    const ent_status status = view_open(map, blob_path, path);
    if (status == ENT_NOT_FOUND) return false;
    if (status != ENT_OK) {
        io_failure("cannot read the source map", path);
        map->unread = status;
        return false;
    }
    if (!reader_open(map))
        return unused(map, path, "it is damaged, or was written by another version of entc");
    if (resource_id(map->reader.blob) != hash)
        return unused(map, path, "it does not belong to the current content of the blob");
    return true;
}

bool source_map_open_apart(SourceMap* map, const char* blob_path) {
    char path[4096];
    if (view_open(map, blob_path, path) != ENT_OK) return false;
    if (reader_open(map)) return true;
    source_map_close(map);
    return false;
}

static Text file_of_path(Text path) {
    u32 first = path.bytes;
    while (first > 0 && path.at[first - 1] != '/') first--;
    return (Text){path.at + first, path.bytes - first};
}

/* The type of the file is that of the resource, or one that is compiled to resources of others. */
static bool type_agrees(Text path, const EntSourceMap* head) {
    const Suffix suffix = suffix_of(file_of_path(path));
    const Text   resource = {head->resource, head->resource_bytes};
    const char*  text = ent_resource_suffix(suffix.type);
    if (suffix.kind != SUFFIX_VALID || suffix.tags.bytes > 0) return false;
    if (form_is_model(suffix.form) || !text) return true;
    const u32 bytes = (u32)strlen(text);
    return resource.bytes > bytes && resource.at[resource.bytes - bytes - 1] == '.' &&
           memcmp(resource.at + resource.bytes - bytes, text, bytes) == 0;
}

bool source_map_open_damaged(SourceMap* map, const char* blob_path, Text* source) {
    char          path[4096];
    EntSourceMap  head;
    EntSourceFile file;
    if (view_open(map, blob_path, path) != ENT_OK) return false;
    if (source_map_first_file((const char*)map->view.bytes, map->view.size, &head, &file)) {
        *source = (Text){file.path, file.path_bytes};
        if (type_agrees(*source, &head)) return true;
    }
    source_map_close(map);
    return false;
}

void source_map_close(SourceMap* map) {
    file_unmap(&map->view);
    memory_free(map->memory);
    *map = (SourceMap){0};
}

/* Only the head: the rest may be of another version. */
static bool head_names(const char* text, size_t bytes, Text name, ResourceType type) {
    EntSourceMap head;
    if (!source_map_head(&head, text, bytes)) return false;
    const char* suffix = ent_resource_suffix(type);
    const u32   suffix_bytes = (u32)strlen(suffix);
    return head.resource_bytes == name.bytes + 1 + suffix_bytes &&
           memcmp(head.resource, name.at, name.bytes) == 0 && head.resource[name.bytes] == '.' &&
           memcmp(head.resource + name.bytes + 1, suffix, suffix_bytes) == 0;
}

ent_status source_map_is_of(const char* path, Text name, ResourceType type, bool* is_of) {
    FileView         view;
    const ent_status status = file_map(&view, path);
    *is_of = false;
    if (status == ENT_NOT_FOUND) return ENT_OK;
    if (status != ENT_OK)
        return errno == errno_of(SYSTEM_FOLDER) || errno == errno_of(SYSTEM_INVALID) ? ENT_OK
                                                                                     : ENT_IO;
    *is_of = head_names((const char*)view.bytes, view.size, name, type);
    file_unmap(&view);
    return ENT_OK;
}

bool source_map_names(const char* text, size_t bytes, Text name, ResourceType type) {
    return source_map_is_complete(text, bytes) && head_names(text, bytes, name, type);
}
