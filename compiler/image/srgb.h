/* srgb.h - conversion between the bytes of sRGB and linear light, without a function of libm.
 *
 * The tables are computed once, in double precision, with + - * / only: they are the same on every
 * machine.
 *
 * Source   IEC 61966-2-1:1999; as in the Khronos Data Format Specification 1.3, section 13.3. */
#ifndef ENTC_SRGB_H
#define ENTC_SRGB_H

#include "base.h"

/* The first threshold is above 2^-13. From there to 1, each binade has 256 bins, and no bin
 * contains more than one threshold. */
#define SRGB_LOW_BITS  0x39000000u /* 2^-13 as f32 */
#define SRGB_BIN_SHIFT 15u
#define SRGB_BIN_COUNT (13u * 256u + 1u) /* the last one is that of 1 */

typedef struct SrgbTables {
    f32 linear[256];          /* of each byte: 0 to 1 */
    f32 threshold[257];       /* the least value that is rounded to this byte; [256]: above 1 */
    u8  bins[SRGB_BIN_COUNT]; /* the byte of the least value in the bin */
} SrgbTables;

/* Computed by the first call; any thread may call it. */
const SrgbTables* srgb_tables(void);

/* The linear value of an encoded one, 0 to 1. */
f64 srgb_decode(f64 encoded);

/* The byte whose encoded value is nearest to that of a linear value; values outside of 0 to 1 are
 * clamped. The inverse of `linear`. */
static inline u8 srgb_encode(const SrgbTables* tables, f32 linear) {
    const f32 low = 1.0f / 8192.0f;
    u32       bits;
    linear = linear > low ? linear : low;
    linear = linear < 1.0f ? linear : 1.0f;
    memcpy(&bits, &linear, sizeof bits);
    const u32 byte = tables->bins[(bits - SRGB_LOW_BITS) >> SRGB_BIN_SHIFT];
    return (u8)(byte + (linear >= tables->threshold[byte + 1]));
}

#endif
