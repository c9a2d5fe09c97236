/* shared.h - one spelling of the basic types for C and GLSL. Private: hosts include types.h.
 *
 * Records consist of 32-bit words only. So a record has the same offsets under GLSL's scalar layout
 * (core in Vulkan 1.2 as scalarBlockLayout) as in C, without padding, and changing the byte order
 * of a blob is one loop over words. */
#ifndef ENT_SHARED_H
#define ENT_SHARED_H

#ifdef GL_core_profile /* GLSL */
#define u32  uint
#define i32  int
#define f32  float
#define Vec2 vec2
#define Vec3 vec3
#define Vec4 vec4
#define Quat vec4
#else
#include "types.h"

typedef uint32_t u32;
typedef int32_t  i32;
typedef float    f32;

typedef EntVec2 Vec2;
typedef EntVec3 Vec3;
typedef EntVec4 Vec4;
typedef EntQuat Quat;
#endif

#endif
