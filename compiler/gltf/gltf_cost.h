/* gltf_cost.h - estimates the memory for reading and compiling a glTF file from its JSON, before
 * any array is allocated: an accessor needs only a few bytes in the file, however long it is. */
#ifndef ENTC_GLTF_COST_H
#define ENTC_GLTF_COST_H

#include "gltf_file.h"

#define GLTF_FILE_BYTES_MAX    (1u << 30)    /* of a file to which a model refers */
#define GLTF_ZERO_BYTES_MAX    (64ull << 20) /* of all models together: accessors without data */
#define GLTF_DECODED_BYTES_MAX (2ull << 30)  /* of all arrays that a file requests */

typedef struct GltfCost {
    u64 zero_bytes;    /* to which used accessors without a buffer view are decoded */
    u64 decoded_bytes; /* of all arrays that are allocated while the file is read */
    u64 output_bytes;  /* of its meshes, skeletons and clips */
    u32 zero_offset;   /* in the JSON: of the accessor with the largest part of zero_bytes */
} GltfCost;

/* Computes upper bounds. Errors in the file are reported when it is read, and count nothing. */
GltfCost gltf_cost(const GltfFile* file);

/* The memory that a build needs for a model. */
static inline u64 gltf_cost_bytes(const GltfCost* cost) {
    return MAX_OF(cost->decoded_bytes, cost->output_bytes);
}

#endif
