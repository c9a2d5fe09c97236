/* clip_packing.h - values of keys in two words.
 *
 * A rotation: its component with the largest magnitude is left out; the quaternion has the sign that makes
 * it positive. The others, in their order, are numbers of 20 bits, from -sqrt(1/2) to sqrt(1/2):
 *
 *     word 0    bits 0..19 the first, 20..31 the lower bits of the second
 *     word 1    bits 0..7 the higher bits of the second, 8..27 the third, 28..29 which one is left out
 *
 * A translation or a scale: the values of a track begin with a box, six floats: its lowest corner and its
 * size. Values are numbers of 21 bits, from 0 at the lowest corner to 2,097,151 at the highest one:
 *
 *     word 0    bits 0..20 x, 21..31 the lower bits of y
 *     word 1    bits 0..9 the higher bits of y, 10..30 z
 *
 * All other bits are 0. */
#ifndef ENT_CLIP_PACKING_H
#define ENT_CLIP_PACKING_H

#include <math.h>

#include "base.h"

#define CLIP_BOX_WORDS 6u
#define CLIP_KEY_WORDS 2u

#define CLIP_ROTATION_MAX 1048575u /* 20 bits */
#define CLIP_VECTOR_MAX   2097151u /* 21 bits */

/* Words of the packed values of a track. */
static inline u64 clip_packed_words(bool rotates, u32 key_count) {
    return (rotates ? 0 : CLIP_BOX_WORDS) + (u64)key_count * CLIP_KEY_WORDS;
}

static inline void clip_rotation_unpack(const u32* words, f32* q) {
    const f32 half = 0.70710678f, step = 2 * half / (f32)CLIP_ROTATION_MAX;
    const u32 low = words[0], high = words[1], left_out = high >> 28 & 3;
    const f32 a = (f32)(i32)(low & CLIP_ROTATION_MAX) * step - half;
    const f32 b = (f32)(i32)(low >> 20 | (high & 0xff) << 12) * step - half;
    const f32 c = (f32)(i32)(high >> 8 & CLIP_ROTATION_MAX) * step - half;
    const f32 rest = 1 - a * a - b * b - c * c;
    q[left_out == 0] = a;
    q[1 + (left_out <= 1)] = b;
    q[2 + (left_out <= 2)] = c;
    q[left_out] = sqrtf(MAX_OF(rest, 0));
}

static inline void clip_vector_unpack(const f32* box, const u32* words, f32* v) {
    const f32 step = 1 / (f32)CLIP_VECTOR_MAX;
    const u32 low = words[0], high = words[1];
    v[0] = box[0] + box[3] * ((f32)(i32)(low & CLIP_VECTOR_MAX) * step);
    v[1] = box[1] + box[4] * ((f32)(i32)(low >> 21 | (high & 0x3ff) << 11) * step);
    v[2] = box[2] + box[5] * ((f32)(i32)(high >> 10 & CLIP_VECTOR_MAX) * step);
}

/* Are the bits 0 that no value uses? */
static inline bool clip_packing_fits(bool rotates, const u32* words) {
    return words[1] >> (rotates ? 30 : 31) == 0;
}

#endif
