/* measure.h - what resources cost when they are loaded and drawn: entities, draw calls, triangles and
 * bytes of textures. A budget limits these.
 *
 * All of it is read from the blobs, which may be those of an earlier build: nothing outside of their
 * bytes is read, and what they refer to may be missing. */
#ifndef ENTC_MEASURE_H
#define ENTC_MEASURE_H

#include "build_internal.h"

#define MEASURED(name) (1u << RESOURCE_##name)

/*  X(enumerator, key, what it counts, types of resources that have it)
 *
 *  A draw call is a part of a mesh in an instance of any component with a reference to a mesh. The
 *  textures are all to which a resource refers, directly or through other resources, each once. */
#define MEASURES(X)                                                                                \
    X(MEASURE_BYTES, "bytes", "bytes", UINT32_MAX)                                                 \
    X(MEASURE_ENTITIES, "entities", "entities", MEASURED(ENTITY) | MEASURED(LEVEL))                \
    X(MEASURE_DRAW_CALLS, "draw_calls", "draw calls",                                              \
      MEASURED(ENTITY) | MEASURED(LEVEL) | MEASURED(MESH))                                         \
    X(MEASURE_TRIANGLES, "triangles", "triangles",                                                 \
      MEASURED(ENTITY) | MEASURED(LEVEL) | MEASURED(MESH))                                         \
    X(MEASURE_TEXTURE_BYTES, "texture_bytes", "bytes of textures", UINT32_MAX)

#define MEASURE_ENUM(name, key, text, types) name,
typedef enum Measure { MEASURES(MEASURE_ENUM) MEASURE_COUNT } Measure;
#undef MEASURE_ENUM

typedef struct MeasureInfo {
    const char* key;
    const char* text;
    u32         types; /* bit t: resources of type t have it */
} MeasureInfo;

extern const MeasureInfo measures[MEASURE_COUNT];

/* What the blob of one product contains. */
typedef struct Contents {
    u64 bytes;
    u32 entities, draw_calls, triangles, texture_bytes; /* of itself */
    ARRAY(u64) needs;                                   /* ids of the resources that it refers to */
    ARRAY(u64) meshes; /* ids of the meshes of all instances, ascending */
} Contents;

/* Reads a blob, in either byte order. */
void contents_read(Contents* contents, const Registry* registry, const u8* bytes, size_t size);
void contents_drop(Contents* contents);

/* The sum for one product, from the contents of all [build->products.count]. */
typedef struct Measured {
    u64            sum;
    const Product* max;       /* the resource with the largest contribution, or NULL */
    u64            max_sum;   /* its contribution */
    u32            instances; /* of `most`, which is a mesh; 0: it is not counted by instance */
} Measured;

Measured product_measure(const Build* build, const Contents* contents, const Product* product,
                         Measure measure);

#endif
