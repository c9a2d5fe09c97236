/* pose_internal.h - poses to matrices, four lanes at a time where the compiler supports them. */
#ifndef ENT_POSE_INTERNAL_H
#define ENT_POSE_INTERNAL_H

#include "base.h"
#include "transform_manager.h"

/* The compiler's vector types, which are portable: SSE on x86-64, other instructions elsewhere. */
typedef f32 f32x4 __attribute__((vector_size(16)));

static inline f32x4 f32x4_load(const f32* at) {
    f32x4 v;
    memcpy(&v, at, sizeof v);
    return v;
}
static inline f32x4 f32x4_all(f32 v) { return (f32x4){v, v, v, v}; }

#if defined(__clang__)
#define f32x4_shuffle(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
typedef i32 i32x4 __attribute__((vector_size(16)));
#define f32x4_shuffle(a, b, i, j, k, l) __builtin_shuffle(a, b, (i32x4){i, j, k, l})
#endif

/* parent * local, for affine matrices: column-vector convention. */
static inline void mat34_multiply(Mat34* out, const Mat34* parent, const Mat34* local) {
    const f32x4 l0 = f32x4_load(local->m[0]), l1 = f32x4_load(local->m[1]),
                l2 = f32x4_load(local->m[2]);
    for (int r = 0; r < 3; r++) {
        const f32*  p = parent->m[r];
        const f32x4 move = {-0.0f, -0.0f, -0.0f, p[3]}; /* adding -0 changes no number */
        const f32x4 row =
            f32x4_all(p[0]) * l0 + f32x4_all(p[1]) * l1 + (f32x4_all(p[2]) * l2 + move);
        memcpy(out->m[r], &row, sizeof row);
    }
}

/* Selects one of two pointers without a branch: whether a row has a parent is unpredictable. */
static inline void* pointer_select(bool which, void* yes, void* no) {
    const uintptr_t mask = (uintptr_t)0 - (uintptr_t)which;
    return (void*)(((uintptr_t)yes & mask) | ((uintptr_t)no & ~mask));
}

static inline void f32x4_transpose(f32x4* a, f32x4* b, f32x4* c, f32x4* d) {
    const f32x4 ab_low = f32x4_shuffle(*a, *b, 0, 4, 1, 5),
                ab_high = f32x4_shuffle(*a, *b, 2, 6, 3, 7);
    const f32x4 cd_low = f32x4_shuffle(*c, *d, 0, 4, 1, 5),
                cd_high = f32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = f32x4_shuffle(ab_low, cd_low, 0, 1, 4, 5);
    *b = f32x4_shuffle(ab_low, cd_low, 2, 3, 6, 7);
    *c = f32x4_shuffle(ab_high, cd_high, 0, 1, 4, 5);
    *d = f32x4_shuffle(ab_high, cd_high, 2, 3, 6, 7);
}

/* Four poses at a time, one per lane; bit-identical to the results of mat34_from_pose. */
static inline void mat34_from_four_poses(Mat34 out[4], const Vec3* p, const Quat* q,
                                         const Vec3* s) {
    f32x4 x = f32x4_load(&q[0].x), y = f32x4_load(&q[1].x), z = f32x4_load(&q[2].x),
          w = f32x4_load(&q[3].x);
    f32x4_transpose(&x, &y, &z, &w);
    const f32x4 sx = {s[0].x, s[1].x, s[2].x, s[3].x}, sy = {s[0].y, s[1].y, s[2].y, s[3].y},
                sz = {s[0].z, s[1].z, s[2].z, s[3].z};
    const f32x4 x2 = x + x, y2 = y + y, z2 = z + z;
    const f32x4 xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
    const f32x4 wx = w * x2, wy = w * y2, wz = w * z2;
    f32x4       rows[3][4] = {
              {(1 - (yy + zz)) * sx, (xy - wz) * sy, (xz + wy) * sz, {p[0].x, p[1].x, p[2].x, p[3].x}},
              {(xy + wz) * sx, (1 - (xx + zz)) * sy, (yz - wx) * sz, {p[0].y, p[1].y, p[2].y, p[3].y}},
              {(xz - wy) * sx, (yz + wx) * sy, (1 - (xx + yy)) * sz, {p[0].z, p[1].z, p[2].z, p[3].z}}};
    for (int r = 0; r < 3; r++) {
        f32x4_transpose(&rows[r][0], &rows[r][1], &rows[r][2], &rows[r][3]);
        for (int i = 0; i < 4; i++) memcpy(out[i].m[r], &rows[r][i], sizeof(f32x4));
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
