/* transform_pass_x86.c - sixteen poses at a time, where the processor has AVX-512.
 *
 * Lane 4i + k of the sums holds row 4k + i of sixteen: turning four registers of one matrix row
 * within their quarters then gives registers of four rows each, in their order. The operations on
 * every number, and their order, are those of pose_internal.h, so the bits are the same. */
#if defined(__x86_64__)
#include <immintrin.h>

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
    return (Lanes4){_mm512_shuffle_ps(ab_low, cd_low, 0x44), _mm512_shuffle_ps(ab_low, cd_low, 0xee),
                    _mm512_shuffle_ps(ab_high, cd_high, 0x44),
                    _mm512_shuffle_ps(ab_high, cd_high, 0xee)};
}

/* Number `part` of sixteen Vec3 in the order of the lanes. */
AVX512 static inline __m512 vec3_part(__m512 a, __m512 b, __m512 c, int part) {
    __m512i row = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    row = _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32(3)), _mm512_set1_epi32(part));
    const __mmask16 in_c = _mm512_cmpge_epi32_mask(row, _mm512_set1_epi32(32));
    const __m512    ab = _mm512_permutex2var_ps(a, row, b);
    return _mm512_mask_permutexvar_ps(ab, in_c, row, c);
}

AVX512 static inline Lanes3 vec3_load(const Vec3* v) {
    const f32*   at = &v->x;
    const __m512 a = _mm512_loadu_ps(at), b = _mm512_loadu_ps(at + 16), c = _mm512_loadu_ps(at + 32);
    return (Lanes3){vec3_part(a, b, c, 0), vec3_part(a, b, c, 1), vec3_part(a, b, c, 2)};
}

AVX512 static inline Lanes4 quat_load(const Quat* q) {
    const f32* at = &q->x;
    return quarters_turn((Lanes4){_mm512_loadu_ps(at), _mm512_loadu_ps(at + 16),
                                  _mm512_loadu_ps(at + 32), _mm512_loadu_ps(at + 48)});
}

/* Matrices of sixteen poses: row r of nodes 4k .. 4k + 3 in the k-th register of out[r]. */
AVX512 static inline void poses_make(const Rows* r, u32 row, Lanes4 out[3]) {
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
    out[0] = quarters_turn(
        (Lanes4){_mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(yy, zz)), s.x),
                 _mm512_mul_ps(_mm512_sub_ps(xy, wz), s.y),
                 _mm512_mul_ps(_mm512_add_ps(xz, wy), s.z), p.x});
    out[1] = quarters_turn(
        (Lanes4){_mm512_mul_ps(_mm512_add_ps(xy, wz), s.x),
                 _mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(xx, zz)), s.y),
                 _mm512_mul_ps(_mm512_sub_ps(yz, wx), s.z), p.y});
    out[2] = quarters_turn(
        (Lanes4){_mm512_mul_ps(_mm512_sub_ps(xz, wy), s.x),
                 _mm512_mul_ps(_mm512_add_ps(yz, wx), s.y),
                 _mm512_mul_ps(_mm512_sub_ps(one, _mm512_add_ps(xx, yy)), s.z), p.z});
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

/* parent * local; each row of the local one is in all four quarters. */
AVX512 static inline __m512 product(__m512 parent, __m512 l0, __m512 l1, __m512 l2) {
    const __m512 move = _mm512_maskz_mov_ps(0x8888, parent);
    const __m512 a = _mm512_mul_ps(_mm512_permute_ps(parent, 0x00), l0);
    const __m512 b = _mm512_mul_ps(_mm512_permute_ps(parent, 0x55), l1);
    const __m512 c = _mm512_mul_ps(_mm512_permute_ps(parent, 0xaa), l2);
    return _mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, move));
}

#define NODE(k, register, quarter)                                                                 \
    do {                                                                                           \
        const u32    above_ = parent[(k)*4 + quarter];                                             \
        const Mat34* from_ = above_ == NONE ? &identity : &r->world[above_];                       \
        const __m512 l0_ = _mm512_shuffle_f32x4(local[0].register, local[0].register, quarter * 85); \
        const __m512 l1_ = _mm512_shuffle_f32x4(local[1].register, local[1].register, quarter * 85); \
        const __m512 l2_ = _mm512_shuffle_f32x4(local[2].register, local[2].register, quarter * 85); \
        matrix_store(&r->world[row + (k)*4 + quarter], product(matrix_load(from_), l0_, l1_, l2_)); \
    } while (0)
#define FOUR_NODES(k, register)                                                                    \
    NODE(k, register, 0);                                                                          \
    NODE(k, register, 1);                                                                          \
    NODE(k, register, 2);                                                                          \
    NODE(k, register, 3)

AVX512 static void sixteen_make(const Rows* r, u32 row, const u32* parent) {
    Lanes4 local[3];
    poses_make(r, row, local);
    FOUR_NODES(0, a);
    FOUR_NODES(1, b);
    FOUR_NODES(2, c);
    FOUR_NODES(3, d);
}

AVX512 void pass_kernel_avx512(const Rows* r, u32 row, u32 count, const u32* parent) {
    u32 i = 0;
    for (; i + 16 <= count; i += 16) sixteen_make(r, row + i, parent + i);
    if (i < count) pass_kernel_portable(r, row + i, count - i, parent + i);
}

#else
typedef int transform_pass_x86_is_for_others; /* ISO C wants something in a file */
#endif
