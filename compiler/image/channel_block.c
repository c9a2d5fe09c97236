/* channel_block.c - encodes one channel of a block.
 *
 * A block has two end points and, for each pixel, the index of a value between them. Given the
 * indices, the best end points are those of a straight line through the pixels (least squares);
 * given the end points, the best index of each pixel is known. Both are computed in turn. */
#include "channel_block.h"

#include <string.h>

#define FITS_MAX 3u

/* The values of a block: `count` steps from the first end point to the second one; with 6 of them,
 * 0 and 255 follow. */
typedef struct Trial {
    u8  ends[2];   /* low, high */
    u32 count;     /* 8 or 6 */
    u8  steps[16]; /* from low: 0 to count - 1; 6 and 7 are 0 and 255 */
    f64 error;
} Trial;

static f64 square(f64 x) { return x * x; }

/* The nearest value of each pixel, and the error of all. */
static void trial_assign(Trial* t, const u8* values) {
    const f64 low = t->ends[0], high = t->ends[1], last = t->count - 1;
    const f64 scale = high > low ? last / (high - low) : 0, width = (high - low) / last;
    t->error = 0;
    for (u32 i = 0; i < 16; i++) {
        const f64 at = (values[i] - low) * scale + 0.5;
        const u32 step = at <= 0 ? 0 : at >= last ? t->count - 1 : (u32)at;
        const f64 nearest = square(low + width * step - values[i]);
        f64       error = nearest;
        t->steps[i] = (u8)step;
        if (t->count == 6) {
            const f64 zero = square(values[i]), full = square(255.0 - values[i]);
            if (zero < error) t->steps[i] = 6, error = zero;
            if (full < error) t->steps[i] = 7, error = full;
        }
        t->error += error;
    }
}

static u8 byte_of(f64 x) { return (u8)(x <= 0 ? 0 : x >= 255 ? 255 : x + 0.5); }

/* End points for the steps of the pixels; false: all of these are equal. */
static bool ends_fit(const Trial* t, const u8* values, u8* ends) {
    const f64 unit = 1.0 / (t->count - 1);
    f64       aa = 0, ab = 0, bb = 0, av = 0, bv = 0;
    for (u32 i = 0; i < 16; i++) {
        if (t->steps[i] >= t->count) continue;
        const f64 b = t->steps[i] * unit, a = 1 - b;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        av += a * values[i];
        bv += b * values[i];
    }
    const f64 divisor = aa * bb - ab * ab;
    if (divisor < 1e-9) return false;
    ends[0] = byte_of((av * bb - bv * ab) / divisor);
    ends[1] = byte_of((bv * aa - av * ab) / divisor);
    return ends[0] < ends[1];
}

/* Improves the end points as long as the error becomes smaller. */
static Trial trial_of(const u8* values, u32 count, u8 low, u8 high) {
    Trial best = {.ends = {low, high}, .count = count};
    trial_assign(&best, values);
    for (u32 i = 0; i < FITS_MAX && best.error > 0; i++) {
        Trial next = best;
        if (!ends_fit(&best, values, next.ends)) break;
        trial_assign(&next, values);
        if (next.error >= best.error) break;
        best = next;
    }
    return best;
}

static void trial_better(Trial* best, Trial other) {
    if (other.error < best->error) *best = other;
}

/* Eight values have the higher end point first, six values the lower one. The indices of the two
 * end points come first, then those between them in the order from the first one. */
static void trial_write(const Trial* t, u8* out) {
    const bool eight = t->count == 8;
    u64        bits = 0;
    out[0] = t->ends[eight];
    out[1] = t->ends[!eight];
    for (u32 i = 0; i < 16; i++) {
        const u32 step = eight ? 7u - t->steps[i] : t->steps[i], last = t->count - 1;
        const u64 index = step > last ? step : step == 0 ? 0 : step == last ? 1 : step + 1;
        bits |= index << 3 * i;
    }
    for (u32 i = 0; i < 6; i++) out[2 + i] = (u8)(bits >> 8 * i);
}

void channel_block_encode(const u8* values, u8* out) {
    u8 low = 255, high = 0, inner_low = 255, inner_high = 0;
    for (u32 i = 0; i < 16; i++) {
        low = MIN_OF(low, values[i]);
        high = MAX_OF(high, values[i]);
        if (values[i] == 0 || values[i] == 255) continue;
        inner_low = MIN_OF(inner_low, values[i]);
        inner_high = MAX_OF(inner_high, values[i]);
    }
    if (low == high) {
        memset(out, 0, 8);
        out[0] = out[1] = low;
        return;
    }
    const u8 inset = (u8)((high - low) / 16);
    Trial    best = trial_of(values, 8, low, high);
    if (inset) trial_better(&best, trial_of(values, 8, low + inset, high - inset));
    if ((low == 0 || high == 255) && inner_low <= inner_high)
        trial_better(&best, trial_of(values, 6, inner_low, inner_high));
    trial_write(&best, out);
}
