/* source_map_write.h - collects the content of a source map while a resource is compiled.
 *
 * Positions are converted to text immediately: nothing has to be stored for an instance, and the
 * maps of slices, which several threads compile, only have to be concatenated. */
#ifndef ENTC_SOURCE_MAP_WRITE_H
#define ENTC_SOURCE_MAP_WRITE_H

#include "compile.h"

/* The part of an instance that one file defines. */
typedef struct MapLayer {
    Asset* asset;
    u32    offset; /* in its text */
    u32    scope;  /* entity with the prefab through which the file was reached */
    u64    given;  /* bit f: it defines field f */
} MapLayer;

typedef ARRAY(char) MapText;

#define MAP_PLACES 512u

/* A position with its text. */
typedef struct MapPlace {
    const Asset* asset;
    u32          offset, bytes;
    char         text[32]; /* enough for three numbers and two colons */
} MapPlace;

/* The lines of successive entities. */
typedef struct MapDraft {
    const Compile* compile; /* of the resource; files are numbered by its reads */
    MapText        entities;
    MapText        rows[REGISTRY_TYPES_MAX]; /* by component type */
    MapPlace       known[MAP_PLACES];
    ARRAY(MapLayer) layers; /* of the current instance, lowest first */
} MapDraft;

MapDraft* map_draft_create(const Compile* compile);
void      map_draft_destroy(MapDraft* draft);
void      map_draft_clear(MapDraft* draft);

/* Begins the next entity. */
void map_draft_entity(MapDraft* draft, u32 entity);

/* Adds a layer of the next instance, above the previous ones. The position of data from glTF is
 * that of its node. */
void map_draft_layer(MapDraft* draft, Asset* asset, const DocComponent* component, u32 offset,
                     u32 scope, u64 given);

/* Adds the instance of a type to which the layers belong. */
void map_draft_row(MapDraft* draft, u32 type);

/* Appends the lines of another one. */
void map_draft_join(MapDraft* draft, const MapDraft* other);

/* Writes the complete text to compile->map_text, for the resulting blob. */
void source_map_write(Compile* compile, const u8* blob);

#endif
