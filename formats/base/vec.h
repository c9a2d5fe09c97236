/* vec.h - arithmetic of vectors, quaternions and matrices. Private: no public header includes it.
 *
 * A matrix is affine and multiplies column vectors: its columns 0 to 2 are the axes of a space, and
 * column 3 is the origin of that space. Sums are computed from the left to the right. */
#ifndef ENT_VEC_H
#define ENT_VEC_H

#include <math.h>

#include "base.h"

/* --- vectors --- */

static inline Vec3 vec3_add(Vec3 a, Vec3 b) { return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec3 vec3_sub(Vec3 a, Vec3 b) { return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec3 vec3_scale(Vec3 v, f32 scale) {
    return (Vec3){v.x * scale, v.y * scale, v.z * scale};
}
static inline Vec3 vec3_divide(Vec3 v, f32 divisor) {
    return (Vec3){v.x / divisor, v.y / divisor, v.z / divisor};
}

/* a + b * scale */
static inline Vec3 vec3_add_scaled(Vec3 a, Vec3 b, f32 scale) {
    return vec3_add(a, vec3_scale(b, scale));
}

static inline f32  vec3_dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline f32 vec3_length(Vec3 v) { return sqrtf(vec3_dot(v, v)); }

/* The vector of length 1 with the same direction; the zero vector stays as it is. */
static inline Vec3 vec3_unit(Vec3 v) {
    const f32 length = vec3_length(v);
    return length > 0 ? vec3_divide(v, length) : v;
}

/* --- boxes whose sides are parallel to the axes of the world --- */

typedef struct Bounds {
    Vec3 low, high; /* the box is empty when low is above high */
} Bounds;

static inline Bounds bounds_empty(void) {
    return (Bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline bool bounds_is_empty(const Bounds* b) { return !(b->low.x <= b->high.x); }

static inline void bounds_add(Bounds* b, Vec3 p) {
    b->low = (Vec3){MIN_OF(b->low.x, p.x), MIN_OF(b->low.y, p.y), MIN_OF(b->low.z, p.z)};
    b->high = (Vec3){MAX_OF(b->high.x, p.x), MAX_OF(b->high.y, p.y), MAX_OF(b->high.z, p.z)};
}

/* Corner 0 to 7. */
static inline Vec3 bounds_corner(const Bounds* b, u32 corner) {
    return (Vec3){corner & 1 ? b->high.x : b->low.x, corner & 2 ? b->high.y : b->low.y,
                  corner & 4 ? b->high.z : b->low.z};
}

/* The largest side of the box; 0 of an empty one. */
static inline f32 bounds_extent(const Bounds* b) {
    const Vec3 size = vec3_sub(b->high, b->low);
    const f32  wide = MAX_OF(size.x, size.y);
    return bounds_is_empty(b) ? 0 : MAX_OF(wide, size.z);
}

/* --- quaternions --- */

static inline Quat quat_unit(Quat q) {
    const f32 length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

static inline Vec3 quat_rotate(Quat q, Vec3 v) {
    const Vec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z),
                    2 * (q.x * v.y - q.y * v.x)};
    return (Vec3){v.x + q.w * t.x + (q.y * t.z - q.z * t.y),
                  v.y + q.w * t.y + (q.z * t.x - q.x * t.z),
                  v.z + q.w * t.z + (q.x * t.y - q.y * t.x)};
}

/* By the inverse of a unit quaternion. */
static inline Vec3 quat_rotate_back(Quat q, Vec3 v) {
    return quat_rotate((Quat){-q.x, -q.y, -q.z, q.w}, v);
}

/* First b, then a. */
static inline Quat quat_multiply(Quat a, Quat b) {
    return (Quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                  a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* The rotation that turns the axes x, y and z into `axis`.
 *
 *   axis  [3] vectors of length 1 at right angles to each other */
static inline Quat quat_from_axes(const Vec3* axis) {
    const f32 a[3][3] = {{axis[0].x, axis[0].y, axis[0].z},
                         {axis[1].x, axis[1].y, axis[1].z},
                         {axis[2].x, axis[2].y, axis[2].z}};
    const f32 trace = a[0][0] + a[1][1] + a[2][2];
    if (trace > 0) {
        const f32 s = 2 * sqrtf(trace + 1);
        return (Quat){(a[1][2] - a[2][1]) / s, (a[2][0] - a[0][2]) / s, (a[0][1] - a[1][0]) / s,
                      s / 4};
    }
    u32 i = a[1][1] > a[0][0] ? 1 : 0;
    if (a[2][2] > a[i][i]) i = 2;
    const u32 j = (i + 1) % 3, k = (i + 2) % 3;
    const f32 s = 2 * sqrtf(MAX_OF(1 + a[i][i] - a[j][j] - a[k][k], 1e-12f));
    f32       q[3];
    q[i] = s / 4;
    q[j] = (a[i][j] + a[j][i]) / s;
    q[k] = (a[i][k] + a[k][i]) / s;
    return (Quat){q[0], q[1], q[2], (a[j][k] - a[k][j]) / s};
}

/* --- matrices --- */

static const Mat34 mat34_identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static inline Vec3 mat34_column(const Mat34* m, u32 c) {
    return (Vec3){m->m[0][c], m->m[1][c], m->m[2][c]};
}

static inline Mat34 mat34_from_columns(Vec3 x, Vec3 y, Vec3 z, Vec3 origin) {
    return (Mat34){
        {{x.x, y.x, z.x, origin.x}, {x.y, y.y, z.y, origin.y}, {x.z, y.z, z.z, origin.z}}};
}

/* The matrix of a pose. */
static inline Mat34 mat34_of_pose(const Vec3* position, const Quat* q, const Vec3* scale) {
    const f32  x = q->x + q->x, y = q->y + q->y, z = q->z + q->z;
    const Vec3 a = {1 - q->y * y - q->z * z, q->x * y + q->w * z, q->x * z - q->w * y};
    const Vec3 b = {q->x * y - q->w * z, 1 - q->x * x - q->z * z, q->y * z + q->w * x};
    const Vec3 c = {q->x * z + q->w * y, q->y * z - q->w * x, 1 - q->x * x - q->y * y};
    return mat34_from_columns(vec3_scale(a, scale->x), vec3_scale(b, scale->y),
                              vec3_scale(c, scale->z), *position);
}

/* A direction in the space of the matrix, as a direction in the world. */
static inline Vec3 mat34_direction(const Mat34* m, Vec3 v) {
    return (Vec3){m->m[0][0] * v.x + m->m[0][1] * v.y + m->m[0][2] * v.z,
                  m->m[1][0] * v.x + m->m[1][1] * v.y + m->m[1][2] * v.z,
                  m->m[2][0] * v.x + m->m[2][1] * v.y + m->m[2][2] * v.z};
}

/* A point in the space of the matrix, as a point in the world. */
static inline Vec3 mat34_point(const Mat34* m, Vec3 v) {
    return vec3_add(mat34_direction(m, v), mat34_column(m, 3));
}

/* The matrix of what is in the space of `b`, which is in the space of `a`. */
static inline Mat34 mat34_product(const Mat34* a, const Mat34* b) {
    return mat34_from_columns(
        mat34_direction(a, mat34_column(b, 0)), mat34_direction(a, mat34_column(b, 1)),
        mat34_direction(a, mat34_column(b, 2)), mat34_point(a, mat34_column(b, 3)));
}

/* The inverse of a matrix; false when the matrix is singular. */
static inline bool mat34_invert(Mat34* out, const Mat34* a) {
    f64 inverse[3][3], determinant = 0;
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = 0; c < 3; c++) {
            const u32 r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            inverse[r][c] = (f64)a->m[r1][c1] * a->m[r2][c2] - (f64)a->m[r1][c2] * a->m[r2][c1];
        }
    }
    for (u32 c = 0; c < 3; c++) determinant += a->m[0][c] * inverse[c][0];
    if (!(fabs(determinant) > 1e-30)) return false;
    for (u32 r = 0; r < 3; r++) {
        f64 move = 0;
        for (u32 c = 0; c < 3; c++) {
            out->m[r][c] = (f32)(inverse[r][c] / determinant);
            move -= inverse[r][c] / determinant * a->m[c][3];
        }
        out->m[r][3] = (f32)move;
    }
    return true;
}

#endif
