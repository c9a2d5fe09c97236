/* source_map.h - reads the file beside a blob that says where in the sources everything in it came
 * from: FORMAT.md, section 12.
 *
 * A map is only a help. One that is damaged, or belongs to another content than the blob, is told
 * of in a note and not used; where there is none, every lookup says false. */
#ifndef ENTC_SOURCE_MAP_H
#define ENTC_SOURCE_MAP_H

#include "blob.h"
#include "file.h"
#include "memory.h"

#define SOURCE_MAP_SUFFIX ".map" /* behind the blob's name */
#define SOURCE_MAP_MAGIC  "entc source map 1\n"

/* A value in a source: an entity's object, or what one file gives of an instance. */
typedef struct SourcePlace {
    u32 file; /* in SourceMap.files */
    u32 line, column;
    u32 scope;  /* entity whose prefab brought the file, or NONE: the resource's own */
    u32 prefab; /* file that the entity instances, or NONE */
    u64 given;  /* bit f: it gives field f of an instance; all, where it is the only layer */
} SourcePlace;

/* A source, below the source folder. */
typedef struct MapFile {
    Text path;
    u32  line, column; /* where its root names a prefab */
    u32  prefab;       /* the file of that, or NONE */
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

/* The map beside a blob; `hash` is the one in the blob's header, as a number. False: there is none
 * that could be used, and the map is one that knows nothing. */
bool source_map_open(SourceMap* map, const char* blob_path, u64 hash);
void source_map_close(SourceMap* map);

/* Does the file say of itself that it is the map of this resource? One that is not there, and what
 * is no regular file, does not.
 *
 * Returns  ENT_OK, or ENT_IO with errno: it cannot be read, so that is not known. */
MUST_CHECK ent_status source_map_is_of(const char* path, Text name, ResourceType type, bool* own);

/* Is this text a whole map of this resource, as far as its head and its end tell? */
bool source_map_names(const char* text, size_t bytes, Text name, ResourceType type);

/* Has the map these rows of a component type, at this place in the blob? */
bool source_map_has(const SourceMap* map, u32 identifier, u32 count, u32 offset);

/* Of an entity: its object in the outermost file that speaks of it. */
bool source_map_entity(const SourceMap* map, u32 entity, SourcePlace* place);

/* Of a row of a component section: what files give of it, 0 the one above all others. */
bool source_map_layer(const SourceMap* map, u32 identifier, u32 row, u32 layer, SourcePlace* place);

/* The layer that decides about a field; the highest when no file gives it, or with NONE. */
bool source_map_field(const SourceMap* map, u32 identifier, u32 row, u32 field, SourcePlace* place);

/* One step outwards: the place that instances the file of `place` as a prefab, whose name is left
 * in `prefab`. False: it is the resource's own file. */
bool source_map_outer(const SourceMap* map, SourcePlace* place, Text* prefab);

#endif
