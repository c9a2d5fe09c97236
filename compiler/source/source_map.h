/* source_map.h - reads the file beside a blob that maps its content to positions in the sources:
 * FORMAT.md, section 12.
 *
 * A map is optional. One that is damaged, or does not belong to the content of the blob, is
 * reported in a note and not used; without a map, every lookup returns false. */
#ifndef ENTC_SOURCE_MAP_H
#define ENTC_SOURCE_MAP_H

#include "blob.h"
#include "file.h"
#include "memory.h"

#define SOURCE_MAP_SUFFIX ".map" /* appended to the name of the blob */
#define SOURCE_MAP_MAGIC  "entc source map 1\n"

/* A value in a source: the object of an entity, or the part of an instance that one file
 * defines. */
typedef struct SourcePlace {
    u32 file; /* in SourceMap.files */
    u32 line, column;
    u32 scope;  /* entity with the prefab through which the file was reached, or NONE: the own file
                 * of the resource */
    u32 prefab; /* file that the entity instances, or NONE */
    u64 given;  /* bit f: it defines field f of an instance; all bits if it is the only layer */
} SourcePlace;

/* A source, below the source folder. */
typedef struct MapFile {
    Text path;
    u32  line, column; /* the position at which its root refers to a prefab */
    u32  prefab;       /* the file of that prefab, or NONE */
} MapFile;

/* Lines for the rows of a section of the blob. */
typedef struct MapRows {
    u32  identifier; /* of the component type */
    u32  count;
    u32  offset; /* of the section in the blob */
    u32* line;   /* [count] offsets in the text */
} MapRows;

typedef struct SourceMap {
    FileView    view;
    Arena       arena;
    const char* text;     /* [view.size] NULL: there is no map */
    u64         blob;     /* hash in its header */
    Text        resource; /* NAME.TYPE */
    SourcePlace source;   /* of the resource */
    ARRAY(MapFile) files;
    MapRows entities;
    ARRAY(MapRows) components;
    ent_status unread; /* a file exists and could not be read */
} SourceMap;

/* Reads the map beside a blob; `hash` is that of the header of the blob, as a number. Returns
 * false, with an empty map, when there is no usable one. */
bool source_map_open(SourceMap* map, const char* blob_path, u64 hash);
void source_map_close(SourceMap* map);

/* The same for a damaged blob, whose hash is not known or is not that of the map: only the source of
 * the resource is of use. Reports nothing. */
bool source_map_open_apart(SourceMap* map, const char* blob_path);

/* Is the file a map of this resource according to its head? False for a missing file, and for one
 * that is not regular.
 *
 * Returns  ENT_OK, or ENT_IO with errno: it cannot be read, so this is unknown. */
MUST_CHECK ent_status source_map_is_of(const char* path, Text name, ResourceType type, bool* own);

/* Is this text a complete map of this resource, according to its head and its end? */
bool source_map_names(const char* text, size_t bytes, Text name, ResourceType type);

/* Does the map contain these rows of a component type, at this offset in the blob? */
bool source_map_has(const SourceMap* map, u32 identifier, u32 count, u32 offset);

/* Returns the position of an entity: its object in the outermost file that contains it. */
bool source_map_entity(const SourceMap* map, u32 entity, SourcePlace* place);

/* Returns the positions of a row of a component section in all files; 0 is the highest layer. */
bool source_map_layer(const SourceMap* map, u32 identifier, u32 row, u32 layer, SourcePlace* place);

/* Returns the layer that defines a field; the highest when no file defines it, or for NONE. */
bool source_map_field(const SourceMap* map, u32 identifier, u32 row, u32 field, SourcePlace* place);

/* Goes one step outwards: to the position that instances the file of `place` as a prefab, the name
 * of which is stored in `prefab`. Returns false when it is the own file of the resource. */
bool source_map_outer(const SourceMap* map, SourcePlace* place, Text* prefab);

#endif
