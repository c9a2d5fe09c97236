/* gltf_cost.h - what reading and compiling a glTF file comes to, counted from its JSON before any
 * array is made: accessors cost the file a few bytes each, however long they are. */
#ifndef ENTC_GLTF_COST_H
#define ENTC_GLTF_COST_H

#include "json.h"

#define GLTF_FILE_BYTES_MAX    (1u << 30)    /* of a file that a model names */
#define GLTF_ZERO_BYTES_MAX    (64ull << 20) /* of all models together: accessors without data */
#define GLTF_DECODED_BYTES_MAX (2ull << 30)  /* of all arrays that a file asks for */

typedef struct GltfCost {
    u64 zero_bytes;    /* that used accessors without a buffer view are decoded to */
    u64 decoded_bytes; /* of all arrays that are made while the file is read */
    u64 output_bytes;  /* of its meshes, skeletons and clips */
    u32 zero_offset;   /* in the JSON: of the accessor that has most of zero_bytes */
} GltfCost;

/* Counts upper bounds; what is wrong with the file is reported by whoever reads it, and counts
 * nothing. Cost: one pass over the JSON, and another over accessors, meshes and animations. */
GltfCost gltf_cost(const char* path, const void* bytes, u64 size, bool binary);

/* What a build has to provide for a model. */
static inline u64 gltf_cost_bytes(const GltfCost* cost) {
    return MAX_OF(cost->decoded_bytes, cost->output_bytes);
}

#endif
