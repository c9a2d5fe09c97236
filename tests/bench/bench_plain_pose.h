/* bench_plain_pose.h - a plain loop over keys and matrices, for comparison. */
#ifndef BENCH_PLAIN_POSE_H
#define BENCH_PLAIN_POSE_H

#include <math.h>

#include "vec.h"

typedef struct PlainChannel {
    const f32* times;
    f32*       values; /* [count x 3 or 4] */
    u32        count;
} PlainChannel;

static inline void plain_channel_sample(const PlainChannel* c, u32 words, f32 time_s, f32* out) {
    u32 low = 0, high = c->count;
    if (c->count == 0) return;
    while (low + 1 < high) {
        const u32 middle = (low + high) / 2;
        if (c->times[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    const u32  next = MIN_OF(low + 1, c->count - 1);
    const f32 *a = c->values + low * words, *b = c->values + next * words;
    const f32  step = c->times[next] - c->times[low];
    f32        t = step > 0 ? (time_s - c->times[low]) / step : 0, from = 1 - t;
    if (words == 4 && t > 0) {
        const f32 dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        const f32 cosine = fabsf(dot);
        if (cosine < 0.9995f) {
            const f32 angle = acosf(cosine), sine = sinf(angle);
            from = sinf(from * angle) / sine;
            t = sinf(t * angle) / sine;
        }
        if (dot < 0) t = -t;
    }
    for (u32 i = 0; i < words; i++) out[i] = from * a[i] + t * b[i];
    if (words == 4) {
        const f32 scale =
            1 / sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
        for (u32 i = 0; i < 4; i++) out[i] *= scale;
    }
}

static inline Mat34 plain_product(const Mat34* a, const Mat34* b) {
    Mat34 out;
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = 0; c < 4; c++)
            out.m[r][c] = a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] +
                          a->m[r][2] * b->m[2][c] + (c == 3 ? a->m[r][3] : 0);
    }
    return out;
}

#endif
