/* transform_pass_x86.c - sixteen poses at a time, where the processor has AVX-512.
 *
 * Lane 4i + k of the sums holds row 4k + i of sixteen: turning four registers of one matrix row
 * within their quarters then gives registers of four rows each, in their order. The operations on
 * every number, and their order, are those of pose_internal.h, so the bits are the same. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "pose_internal.h"
#include "transform_internal.h"

#define AVX512 __attribute__((target("avx512f,avx512dq")))

typedef struct Lanes3 {
    __m512 x, y, z;
} Lanes3;

typedef struct Lanes4 {
    __m512 a, b, c, d;
} Lanes4;

static const Mat34 identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* Four registers whose quarters are 4x4 squares: turns each square. */
AVX512 static inline Lanes4 quarters_turn(Lanes4 v) {
    const __m512 ab_low = _mm512_unpacklo_ps(v.a, v.b), ab_high = _mm512_unpackhi_ps(v.a, v.b);
    const __m512 cd_low = _mm512_unpacklo_ps(v.c, v.d), cd_high = _mm512_unpackhi_ps(v.c, v.d);
    return (Lanes4){
        _mm512_shuffle_ps(ab_low, cd_low, 0x44), _mm512_shuffle_ps(ab_low, cd_low, 0xee),
        _mm512_shuffle_ps(ab_high, cd_high, 0x44), _mm512_shuffle_ps(ab_high, cd_high, 0xee)};
}

/* Of 48 numbers, those of sixteen x, y or z, in the order of the lanes. */
#define PART(k)                                                                                    \
    {                                                                                              \
        k, 12 + k, 24 + k, 36 + k, 3 + k, 15 + k, 27 + k, 39 + k, 6 + k, 18 + k, 30 + k, 42 + k,   \
            9 + k, 21 + k, 33 + k, 45 + k                                                          \
    }
static const i32 part_of[3][16] __attribute__((aligned(64))) = {PART(0), PART(1), PART(2)};

/* Lanes whose number is among the last sixteen of the 48. */
enum { LAST_X = 0xc888, LAST_Y = 0xc888, LAST_Z = 0xcc88 };

AVX512 static inline __m512 vec3_part(__m512 a, __m512 b, __m512 c, const i32* part,
                                      __mmask16 last) {
    const __m512i number = _mm512_load_si512(part);
    return _mm512_mask_permutexvar_ps(_mm512_permutex2var_ps(a, number, b), last, number, c);
}

AVX512 static inline Lanes3 vec3_load(const Vec3* v) {
    const f32*   at = &v->x;
    const __m512 a = _mm512_loadu_ps(at), b = _mm512_loadu_ps(at + 16),
                 c = _mm512_loadu_ps(at + 32);
    return (Lanes3){vec3_part(a, b, c, part_of[0], LAST_X), vec3_part(a, b, c, part_of[1], LAST_Y),
                    vec3_part(a, b, c, part_of[2], LAST_Z)};
}

AVX512 static inline Lanes4 quat_load(const Quat* q) {
    const f32* at = &q->x;
    return quarters_turn((Lanes4){_mm512_loadu_ps(at), _mm512_loadu_ps(at + 16),
                                  _mm512_loadu_ps(at + 32), _mm512_loadu_ps(at + 48)});
}

/* Matrices of sixteen poses: row r of node i at out[r][i]. */
typedef struct Locals {
    f32 row[3][16][4];
} __attribute__((aligned(64))) Locals;

AVX512 static inline void row_store(f32 out[16][4], __m512 x, __m512 y, __m512 z, __m512 move) {
    const Lanes4 turned = quarters_turn((Lanes4){x, y, z, move});
    _mm512_store_ps(out[0], turned.a);
    _mm512_store_ps(out[4], turned.b);
    _mm512_store_ps(out[8], turned.c);
    _mm512_store_ps(out[12], turned.d);
}

AVX512 static inline void poses_make(const Rows* r, u32 row, Locals* out) {
    const Lanes3 p = vec3_load(&r->position[row]), s = vec3_load(&r->scale[row]);
    const Lanes4 q = quat_load(&r->rotation[row]);
    const __m512 one = _mm512_set1_ps(1);
    const __m512 x2 = _mm512_add_ps(q.a, q.a), y2 = _mm512_add_ps(q.b, q.b),
                 z2 = _mm512_add_ps(q.c, q.c);
    const __m512 xx = _mm512_mul_ps(q.a, x2), yy = _mm512_mul_ps(q.b, y2),
                 zz = _mm512_mul_ps(q.c, z2);
    const __m512 xy = _mm512_mul_ps(q.a, y2), xz = _mm512_mul_ps(q.a, z2),
                 yz = _mm512_mul_ps(q.b, z2);
    const __m512 wx = _mm512_mul_ps(q.d, x2), wy = _mm512_mul_ps(q.d, y2),
                 wz = _mm512_mul_ps(q.d, z2);
    row_store(out->row[0], _mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(yy, zz)), s.x),
              _mm512_mul_ps(_mm512_sub_ps(xy, wz), s.y), _mm512_mul_ps(_mm512_add_ps(xz, wy), s.z),
              p.x);
    row_store(out->row[1], _mm512_mul_ps(_mm512_add_ps(xy, wz), s.x),
              _mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(xx, zz)), s.y),
              _mm512_mul_ps(_mm512_sub_ps(yz, wx), s.z), p.y);
    row_store(out->row[2], _mm512_mul_ps(_mm512_sub_ps(xz, wy), s.x),
              _mm512_mul_ps(_mm512_add_ps(yz, wx), s.y),
              _mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(xx, yy)), s.z), p.z);
}

/* The three rows of a matrix in three quarters. Loaded as it was stored, 32 and 16 bytes, so that a
 * parent that was made a moment ago need not reach the cache first. */
AVX512 static inline __m512 matrix_load(const Mat34* m) {
    const __m512 low = _mm512_castps256_ps512(_mm256_loadu_ps(m->m[0]));
    return _mm512_insertf32x4(low, _mm_loadu_ps(m->m[2]), 2);
}

AVX512 static inline void matrix_store(Mat34* m, __m512 rows) {
    _mm256_storeu_ps(m->m[0], _mm512_castps512_ps256(rows));
    _mm_storeu_ps(m->m[2], _mm512_extractf32x4_ps(rows, 2));
}

AVX512 static inline __m512 everywhere(const f32* row) {
    return _mm512_broadcast_f32x4(_mm_load_ps(row));
}

/* parent * local of node i. */
AVX512 static inline __m512 product(__m512 parent, const Locals* local, u32 i) {
    const __m512 a = _mm512_mul_ps(_mm512_permute_ps(parent, 0x00), everywhere(local->row[0][i]));
    const __m512 b = _mm512_mul_ps(_mm512_permute_ps(parent, 0x55), everywhere(local->row[1][i]));
    const __m512 c = _mm512_mul_ps(_mm512_permute_ps(parent, 0xaa), everywhere(local->row[2][i]));
    return _mm512_add_ps(_mm512_add_ps(a, b), _mm512_mask_add_ps(c, 0x8888, c, parent));
}

AVX512 static inline void sixteen_make(const Rows* r, u32 row, const u32* parent) {
    Locals local;
    poses_make(r, row, &local);
    for (u32 i = 0; i < 16; i++) {
        const Mat34* above =
            pointer_select(parent[i] == NONE, (Mat34*)&identity, &r->world[parent[i]]);
        matrix_store(&r->world[row + i], product(matrix_load(above), &local, i));
    }
}

AVX512 void pass_kernel_avx512(const Rows* r, u32 row, u32 count, const u32* parent) {
    u32 i = 0;
    for (; i + 16 <= count; i += 16) sixteen_make(r, row + i, parent + i);
    if (i < count) pass_kernel_portable(r, row + i, count - i, parent + i);
}

#else
typedef int transform_pass_x86_is_for_others; /* ISO C wants something in a file */
#endif
