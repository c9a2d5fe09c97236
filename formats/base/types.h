/* types.h - the basic types of records. */
#ifndef ENT_TYPES_H
#define ENT_TYPES_H

#include <stdint.h>

#ifdef ENT_BUILD
#include "short_names.h"
#endif

typedef struct EntVec2 {
    float x, y;
} EntVec2;
typedef struct EntVec3 {
    float x, y, z;
} EntVec3;
typedef struct EntVec4 {
    float x, y, z, w;
} EntVec4;
typedef EntVec4 EntQuat; /* x y z w, unit length */

/* The upper three rows of a 4x4 matrix for column vectors: translation in the last column. The same
 * bytes are a row_major mat4x3 in GLSL. */
typedef struct EntMat34 {
    float m[3][4];
} EntMat34;

typedef uint32_t EntBool32;  /* 0 or 1 */
typedef uint32_t EntEnum32;  /* position in the list of the enum */
typedef uint32_t EntFlags32; /* bit i: the flag with position i in the list is set */
typedef uint32_t
    EntEntityRef; /* in a blob: entity index, UINT32_MAX: none; in a world: an EntEntity */
typedef uint32_t EntNameRef; /* 32-bit hash of a name; 0: no name */
typedef uint32_t
    EntTextRef; /* in a blob: index of a string, in a world: for ent_world_text; 0: empty */
typedef uint32_t EntPersistentRef; /* persistent id of an entity, 1 to 2^31 - 1; 0: none */

/* The 64-bit id of a resource as two words, in the same order on every machine; 0, 0: none. */
typedef struct EntResourceRef {
    uint32_t lo, hi;
} EntResourceRef;

#endif
