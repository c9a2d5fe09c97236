/* shared.h - one spelling of the basic types for C, C++ and GLSL.
 *
 * Records are made of 32-bit words only. Under GLSL's scalar layout (core in Vulkan 1.2 as
 * scalarBlockLayout) a record then has the same offsets as in C, with no padding to think of, and
 * changing the byte order of a blob is one loop over words. */
#ifndef ENT_SHARED_H
#define ENT_SHARED_H

#ifdef GL_core_profile /* GLSL */
#define u32           uint
#define f32           float
#define Vec2          vec2
#define Vec3          vec3
#define Vec4          vec4
#define Quat          vec4
#define Bool32        uint
#define Enum32        uint
#define EntityRef     uint
#define NameRef       uint
#define ResourceRef   uvec2
#define PersistentRef uint
#define resource      resource_ /* a reserved word there, a field's name here */
#else
#include <stdint.h>

typedef uint32_t u32;
typedef int32_t  i32;
typedef float    f32;

typedef struct Vec2 {
    f32 x, y;
} Vec2;
typedef struct Vec3 {
    f32 x, y, z;
} Vec3;
typedef struct Vec4 {
    f32 x, y, z, w;
} Vec4;
typedef Vec4 Quat; /* x y z w, unit length */

typedef u32 Bool32;    /* 0 or 1 */
typedef u32 Enum32;    /* position in the enum's list */
typedef u32 EntityRef; /* in a blob: entity index; in a world: Entity; UINT32_MAX and 0: nobody */
typedef u32 NameRef;   /* 32-bit hash of a name; 0: no name */

typedef u32 PersistentRef; /* persistent id of an entity, 1 to 2^31 - 1; 0: none */

/* A resource's 64-bit id as two words in the same order on every machine; 0, 0: none. */
typedef struct ResourceRef {
    u32 lo, hi;
} ResourceRef;
#endif

#endif
