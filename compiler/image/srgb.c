/* srgb.c - the tables of srgb.h. */
#include "srgb.h"

#include "job_once.h"

#define NEWTON_STEPS 16u /* from 1; 9 are enough for the arguments that occur, 0.09 to 1 */

/* Newton's method for y^5 = x: it approaches the root from above. */
static f64 fifth_root(f64 x) {
    f64 y = 1;
    for (u32 i = 0; i < NEWTON_STEPS; i++) {
        const f64 y2 = y * y;
        y = (4 * y + x / (y2 * y2)) / 5;
    }
    return y;
}

f64 srgb_decode(f64 encoded) {
    if (encoded <= 0.04045) return encoded / 12.92;
    const f64 x = (encoded + 0.055) / 1.055, root = fifth_root(x);
    return x * x * (root * root); /* x^2.4 */
}

static f32 f32_of_bits(u32 bits) {
    f32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The least f32 that is not below a value. */
static f32 f32_above(f64 value) {
    f32 nearest = (f32)value;
    u32 bits;
    memcpy(&bits, &nearest, sizeof bits);
    return (f64)nearest < value ? f32_of_bits(bits + 1) : nearest;
}

static void tables_compute(SrgbTables* tables) {
    u32 byte = 0;
    for (u32 i = 0; i < 256; i++) tables->linear[i] = (f32)srgb_decode(i / 255.0);
    for (u32 i = 1; i < 256; i++) tables->threshold[i] = f32_above(srgb_decode((i - 0.5) / 255.0));
    tables->threshold[0] = 0;
    tables->threshold[256] = 2;
    for (u32 i = 0; i < SRGB_BIN_COUNT; i++) {
        const f32 min = f32_of_bits(SRGB_LOW_BITS + (i << SRGB_BIN_SHIFT));
        while (min >= tables->threshold[byte + 1]) byte++;
        tables->bins[i] = (u8)byte;
    }
}

const SrgbTables* srgb_tables(void) {
    static SrgbTables tables;
    static JobOnce    once;
    if (job_once_begin(&once)) {
        tables_compute(&tables);
        job_once_end(&once);
    }
    return &tables;
}
