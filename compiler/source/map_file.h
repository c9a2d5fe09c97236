/* map_file.h - the source map beside a blob as a file; source_map.h reads its text.
 *
 * A map is optional. One that is damaged, or does not belong to the content of the blob, is
 * reported in a note and not used; without a map, every lookup in the reader finds nothing. */
#ifndef ENTC_MAP_FILE_H
#define ENTC_MAP_FILE_H

#include "file.h"
#include "source_map.h"

typedef struct SourceMap {
    FileView     view;
    void*        memory; /* of the reader */
    EntSourceMap reader; /* empty: there is no map */
    ent_status   unread; /* a file exists and could not be read */
} SourceMap;

/* Reads the map beside a blob; `hash` is that of the header of the blob, as a number. Returns
 * false, with an empty map, when there is no usable one. */
bool source_map_open(SourceMap* map, const char* blob_path, u64 hash);
void source_map_close(SourceMap* map);

/* The same for a damaged blob, whose hash is not known or is not that of the map: only the source
 * of the resource is of use. Reports nothing. */
bool source_map_open_apart(SourceMap* map, const char* blob_path);

/* What is left of a damaged map beside a blob: the path of the source, which is valid until
 * source_map_close. Its places are not used, because nothing shows which of them were changed. The
 * path is used if its name and its type agree with those of the resource, which the map states
 * separately; a variant has tags, which are stated once. Reports nothing.
 *
 * Returns  false, with an empty map, if the path is not used. */
bool source_map_open_damaged(SourceMap* map, const char* blob_path, Text* source);

/* Is the file a map of this resource according to its head? False for a missing file, and for one
 * that is not regular.
 *
 * Returns  ENT_OK, or ENT_IO with errno: it cannot be read, so this is unknown. */
MUST_CHECK ent_status source_map_is_of(const char* path, Text name, ResourceType type, bool* is_of);

/* Is this text a complete map of this resource, according to its head and its end? */
bool source_map_names(const char* text, size_t bytes, Text name, ResourceType type);

static inline Text source_map_path(const SourceMap* map, u32 file) {
    const EntSourceFile* f = &map->reader.file[file];
    return (Text){f->path, f->path_bytes};
}

/* "props/lamp" for props/lamp.fr.entity.json. */
static inline Text source_map_prefab(const SourceMap* map, u32 file) {
    const EntSourceFile* f = &map->reader.file[file];
    return (Text){f->name, f->name_bytes};
}

#endif
