/* pose_internal.h - poses to matrices, four lanes at a time where the compiler has them. */
#ifndef ENT_POSE_INTERNAL_H
#define ENT_POSE_INTERNAL_H

#include "base.h"
#include "transform_manager.h"

/* Vectors of the compiler, not of one machine: SSE on x86-64, whatever there is elsewhere. */
typedef f32 f32x4 __attribute__((vector_size(16)));

static inline f32x4 f32x4_load(const f32* at) {
    f32x4 v;
    memcpy(&v, at, sizeof v);
    return v;
}
static inline f32x4 f32x4_all(f32 v) { return (f32x4){v, v, v, v}; }

/* parent * local, for affine matrices: column-vector convention. */
static inline void mat34_multiply(Mat34* out, const Mat34* parent, const Mat34* local) {
    const f32x4 l0 = f32x4_load(local->m[0]), l1 = f32x4_load(local->m[1]),
                l2 = f32x4_load(local->m[2]);
    for (int r = 0; r < 3; r++) {
        const f32*  p = parent->m[r];
        const f32x4 move = {0, 0, 0, p[3]};
        const f32x4 row =
            f32x4_all(p[0]) * l0 + f32x4_all(p[1]) * l1 + (f32x4_all(p[2]) * l2 + move);
        memcpy(out->m[r], &row, sizeof row);
    }
}

static inline void mat34_from_pose(Mat34* out, const Vec3* p, const Quat* q, const Vec3* s) {
    const f32   x = q->x, y = q->y, z = q->z, w = q->w;
    const f32   x2 = x + x, y2 = y + y, z2 = z + z;
    const f32   xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
    const f32   wx = w * x2, wy = w * y2, wz = w * z2;
    const f32x4 scale = {s->x, s->y, s->z, 1};
    const f32x4 rows[3] = {(f32x4){1 - (yy + zz), xy - wz, xz + wy, p->x} * scale,
                           (f32x4){xy + wz, 1 - (xx + zz), yz - wx, p->y} * scale,
                           (f32x4){xz - wy, yz + wx, 1 - (xx + yy), p->z} * scale};
    memcpy(out, rows, sizeof rows);
}

#endif
