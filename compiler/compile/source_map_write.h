/* source_map_write.h - what a source map says, gathered while a resource is compiled.
 *
 * Places become text at once: nothing has to be kept for an instance, and slices of a level, which
 * several threads compile, only have to be put behind each other. */
#ifndef ENTC_SOURCE_MAP_WRITE_H
#define ENTC_SOURCE_MAP_WRITE_H

#include "compile.h"

/* Part of an instance, as one file gives it. */
typedef struct MapLayer {
    Asset* asset;
    u32    offset; /* in its text */
    u32    scope;  /* entity whose prefab brought the file */
    u64    given;  /* bit f: it gives field f */
} MapLayer;

typedef ARRAY(char) MapText;

#define MAP_PLACES 512u

/* A place whose text was made. */
typedef struct MapPlace {
    const Asset* asset;
    u32          offset, bytes;
    char         text[32]; /* three numbers and two colons are not longer */
} MapPlace;

/* The lines of entities next to each other. */
typedef struct MapDraft {
    const Compile* whole; /* of the resource; its reads number the files */
    MapText        entities;
    MapText        rows[REGISTRY_TYPES_MAX]; /* by component type */
    MapPlace       known[MAP_PLACES];
    ARRAY(MapLayer) layers; /* of the instance at hand, lowest first */
} MapDraft;

MapDraft* map_draft_create(const Compile* whole);
void      map_draft_destroy(MapDraft* draft);
void      map_draft_clear(MapDraft* draft);

/* The next entity. */
void map_draft_entity(MapDraft* draft, u32 entity);

/* A layer of the next instance, above those before it. What glTF brought stands at its node. */
void map_draft_layer(MapDraft* draft, Asset* asset, const DocComponent* component, u32 offset,
                     u32 scope, u64 given);

/* The instance of a type that the layers were of. */
void map_draft_row(MapDraft* draft, u32 type);

/* Puts the lines of another one behind one's own. */
void map_draft_join(MapDraft* draft, const MapDraft* other);

/* The whole text, into compile->map_text, for the blob that came out; `type` and `index` are those
 * of compile_resource. */
void source_map_write(Compile* compile, ResourceType type, u32 index, const u8* blob);

#endif
