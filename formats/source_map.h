/* source_map.h - reads the text that `entc build --source-map` writes beside a blob: where in the
 * sources each entity and each instance of a component was defined.
 *
 *     // The text of town.level.map, and its size:
 *     EntSourceMap   map;
 *     EntSourcePlace place;
 *     void*          memory = malloc(ent_source_map_bytes(text, size));
 *     if (ent_source_map_open(&map, text, size, memory) == ENT_OK &&
 *         ent_source_map_is_of(&map, &level.blob) &&
 *         ent_source_map_find(&map, &level.blob, 0, NULL, 0, &place)) {
 *         const EntSourceFile* found = &map.file[place.file];
 *         printf("%.*s:%u:%u\n", (int)found->path_bytes, found->path, place.line, place.column);
 *     }
 *
 * formats/FORMAT.md, section 12, is the specification. A map is validated completely when it is
 * opened; lookups read single lines again and do not fail because of its content. Texts are not
 * NUL-terminated; paths are UTF-8 without control characters. An opened map is not changed by lookups: several
 * threads may use it. */
#ifndef ENT_SOURCE_MAP_H
#define ENT_SOURCE_MAP_H

#include "blob.h"
#include "component_type.h"

#define ENT_SOURCE_MAP_SUFFIX ".map" /* appended to the name of the blob */
#define ENT_SOURCE_MAP_MAGIC  "entc source map 1\n"

/* A source, below the source folder. */
typedef struct EntSourceFile {
    const char* path;         /* [path_bytes] */
    const char* name;         /* [name_bytes] of its resource: mostly a part of the path */
    uint32_t    path_bytes;   /* */
    uint32_t    name_bytes;   /* */
    uint32_t    line, column; /* the position at which its root refers to a prefab */
    uint32_t    prefab;       /* row of the file of that prefab, or UINT32_MAX */
} EntSourceFile;

/* A value in a source: the object of an entity, or the part of an instance that one file
 * defines. */
typedef struct EntSourcePlace {
    uint32_t file;         /* row of EntSourceMap.file */
    uint32_t line, column; /* from 1; columns in bytes */
    uint32_t scope;        /* entity with the prefab through which the file was reached, or
                            * UINT32_MAX: the own file of the resource */
    uint32_t prefab;       /* file that the entity instances, or UINT32_MAX */
    uint64_t given; /* bit f: it defines field f of an instance; all bits if it is the only layer */
} EntSourcePlace;

/* The rows of a section of the blob. */
typedef struct EntSourceRows {
    uint32_t        component; /* id of the component type; 0: the entities */
    uint32_t        count;
    uint32_t        offset; /* of the section in the blob; 0: it has none */
    const uint32_t* line;   /* [count] offsets in the text */
} EntSourceRows;

/* Points into the caller's text and memory. */
typedef struct EntSourceMap {
    const char*          text;            /* [size] */
    size_t               size;            /* */
    EntResourceRef       blob;            /* the hash in the header of its blob */
    const char*          resource;        /* [resource_bytes] NAME.TYPE */
    uint32_t             resource_bytes;  /* */
    uint32_t             file_count;      /* */
    uint32_t             component_count; /* */
    EntSourcePlace       source;          /* of the resource */
    const EntSourceFile* file;            /* [file_count] 0: of the resource itself */
    const EntSourceRows* component;       /* [component_count] in the order of the blob */
    EntSourceRows        entities;        /* */
} EntSourceMap;

#ifdef __cplusplus
extern "C" {
#endif

/* The size of the memory for ent_source_map_open; never 0.
 *
 *   text  [size] of any content
 *
 * Cost     one pass over the text. */
ENT_API size_t ent_source_map_bytes(const char* text, size_t size);

/* Opens a map.
 *
 *   text    [size] unchanged for as long as `out` is used
 *   memory  [ent_source_map_bytes(text, size)] aligned to 8, as long as `out` is used
 *
 * Returns  ENT_OK; ENT_BAD_VERSION: its first line is not ENT_SOURCE_MAP_MAGIC; ENT_BAD_HASH: it is
 *          truncated, or a byte of it was changed; ENT_BAD_FIELD: a line is invalid. Then `out` is
 *          empty, and every lookup returns 0.
 * Cost     three passes over the text; no allocation. */
ENT_API ENT_MUST_CHECK EntStatus ent_source_map_open(EntSourceMap* out, const char* text,
                                                     size_t size, void* memory);

/* Was the map written for the content of this blob?
 *
 * Returns  1; or 0: its places are those of another content, and may be wrong. */
ENT_API int ent_source_map_is_of(const EntSourceMap* map, const EntBlob* blob);

/* The place of an entity of a blob, or of its instance of a component type; of multiple instances
 * the first one.
 *
 *   entity  index in the blob, as in the array that ent_world_spawn filled
 *   type    of the component; NULL: the object of the entity itself
 *   field   index of a field of its record: the file that defines it; UINT32_MAX: the file with the
 *           highest priority that defines a part of the instance
 *
 * Needs    a blob that ent_source_map_is_of accepted.
 * Returns  1; or 0: there is no such entity or instance.
 * Cost     a binary search, and the line of the map. */
ENT_API int ent_source_map_find(const EntSourceMap* map, const EntBlob* blob, uint32_t entity,
                                const EntComponentType* type, uint32_t field,
                                EntSourcePlace* place);

/* The place of an entity: its object in the outermost file that contains it.
 *
 * Returns  1; or 0: there is no such entity. */
ENT_API int ent_source_map_entity(const EntSourceMap* map, uint32_t entity, EntSourcePlace* place);

/* The places of a row of a component section in all files; layer 0 has the highest priority.
 *
 * Returns  1; or 0: there is no such row or layer. */
ENT_API int ent_source_map_layer(const EntSourceMap* map, uint32_t component, uint32_t row,
                                 uint32_t layer, EntSourcePlace* place);

/* The layer that defines a field of a row; layer 0 if no file defines it, or for UINT32_MAX.
 *
 * Returns  1; or 0: there is no such row. */
ENT_API int ent_source_map_field(const EntSourceMap* map, uint32_t component, uint32_t row,
                                 uint32_t field, EntSourcePlace* place);

/* Goes one step outwards: to the position that instances the file of `place` as a prefab.
 *
 * Returns  1; or 0: the place is in the own file of the resource. It is then unchanged. */
ENT_API int ent_source_map_outer(const EntSourceMap* map, EntSourcePlace* place);

#ifdef __cplusplus
}
#endif

#ifdef ENT_BUILD
#include "base.h"

/* Does the map contain these rows of a component type, at this offset in the blob? */
bool source_map_has(const EntSourceMap* map, u32 component, u32 count, u32 offset);

/* Reads the first lines of a map, which contain its blob and its resource; the rest may be damaged,
 * or of another version. Returns false when they are invalid. */
bool source_map_head(EntSourceMap* out, const char* text, size_t size);

/* Does the last line match everything before it? */
bool source_map_is_complete(const char* text, size_t size);

/* Reads the path of the first file of a map that may be damaged. Returns false unless it and the
 * head name the same resource: a changed byte in one of the names is noticed. */
bool source_map_first_file(const char* text, size_t size, EntSourceMap* head, EntSourceFile* file);
#endif

#endif
