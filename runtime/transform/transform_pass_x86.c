/* transform_pass_x86.c - sixteen poses at a time, when the processor supports AVX-512.
 *
 * Lane 4i + k of the sums contains row 4k + i of sixteen: transposing four registers of one
 * matrix row within their quarters then produces registers of four rows each, in their order.
 * The operations on every number, and their order, are those of pose_internal.h, so the bits are
 * the same. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "transform_internal.h"

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

typedef struct Lanes3 {
    __m512 x, y, z;
} Lanes3;

typedef struct Lanes4 {
    __m512 a, b, c, d;
} Lanes4;

/* Transposes the 4x4 matrix in each quarter of four registers. */
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

/* parent * local of node i. Two rows in one register and the third in another: with all three in
 * one, a quarter of the work would be wasted, and a parent that was computed just before is
 * loaded with the size with which it was stored, so that store forwarding works. */
AVX512 static inline void product_store(Mat34* out, const Mat34* parent, const Locals* local,
                                        u32 i) {
    const __m256 l0 = _mm256_broadcast_ps((const __m128*)(const void*)local->row[0][i]),
                 l1 = _mm256_broadcast_ps((const __m128*)(const void*)local->row[1][i]),
                 l2 = _mm256_broadcast_ps((const __m128*)(const void*)local->row[2][i]);
    const __m256 p = _mm256_loadu_ps(parent->m[0]);
    const __m128 q = _mm_loadu_ps(parent->m[2]);
    const __m256 a = _mm256_mul_ps(_mm256_permute_ps(p, 0x00), l0),
                 b = _mm256_mul_ps(_mm256_permute_ps(p, 0x55), l1),
                 c = _mm256_mul_ps(_mm256_permute_ps(p, 0xaa), l2);
    const __m128 d = _mm_mul_ps(_mm_permute_ps(q, 0x00), _mm256_castps256_ps128(l0)),
                 e = _mm_mul_ps(_mm_permute_ps(q, 0x55), _mm256_castps256_ps128(l1)),
                 f = _mm_mul_ps(_mm_permute_ps(q, 0xaa), _mm256_castps256_ps128(l2));
    _mm256_storeu_ps(out->m[0],
                     _mm256_add_ps(_mm256_add_ps(a, b), _mm256_mask_add_ps(c, 0x88, c, p)));
    _mm_storeu_ps(out->m[2], _mm_add_ps(_mm_add_ps(d, e), _mm_mask_add_ps(f, 0x8, f, q)));
}

/* --- parents --- */

static_assert(sizeof(TransformLinks) == 20, "the parent is the first of five words");

/* Of the 80 words of sixteen links, those of the parents: in the first two registers, in the next two,
 * and in the last. */
static const i32 parent_in[3][16] __attribute__((aligned(64))) = {
    {0, 5, 10, 15, 20, 25, 30}, {0, 0, 0, 0, 0, 0, 0, 3, 8, 13, 18, 23, 28}, {[13] = 1, 6, 11}};
enum { PARENT_MIDDLE = 0x1f80, PARENT_LAST = 0xe000 };

AVX512 static inline __m512i parents_load(const TransformLinks* links) {
    const u32*    at = &links->parent;
    const __m512i first = _mm512_permutex2var_epi32(_mm512_loadu_si512(at),
                                                    _mm512_load_si512(parent_in[0]),
                                                    _mm512_loadu_si512(at + 16)),
                  middle = _mm512_permutex2var_epi32(_mm512_loadu_si512(at + 32),
                                                     _mm512_load_si512(parent_in[1]),
                                                     _mm512_loadu_si512(at + 48));
    return _mm512_mask_permutexvar_epi32(_mm512_mask_mov_epi32(first, PARENT_MIDDLE, middle),
                                         PARENT_LAST, _mm512_load_si512(parent_in[2]),
                                         _mm512_loadu_si512(at + 64));
}

static_assert(sizeof(Mat34) == 48, "three times sixteen");

AVX512 bool above_kernel_avx512(const Rows* r, u32 row, u32 count, u32* above, u32* lowest) {
    const u32     full = count / 16 * 16;
    const __m512i one = _mm512_set1_epi32(1), spare = _mm512_set1_epi32((i32)r->spare);
    __m512i       min = _mm512_set1_epi32(-1);
    __m512i       row_number =
        _mm512_add_epi32(_mm512_set1_epi32((i32)row),
                         _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __mmask16 disordered = 0;
    for (u32 i = 0; i < full; i += 16) {
        const __m512i parent = parents_load(&r->links[row + i]);
        const __m512i place = _mm512_min_epu32(parent, spare);
        const __m512i three = _mm512_add_epi32(place, _mm512_add_epi32(place, place));
        disordered |= _mm512_cmpgt_epu32_mask(_mm512_add_epi32(parent, one), row_number);
        row_number = _mm512_add_epi32(row_number, _mm512_set1_epi32(16));
        min = _mm512_min_epu32(min, parent);
        _mm512_storeu_si512(above + i, _mm512_slli_epi32(three, 4));
    }
    const bool ordered = above_kernel_portable(r, row + full, count - full, above + full, lowest);
    *lowest = MIN_OF(*lowest, _mm512_reduce_min_epu32(min));
    return ordered && !disordered;
}

/* --- passes --- */

/* Rows between a request and the use of a line: some microseconds of work. */
#define AHEAD 128

/* Otherwise gcc removes calls of a function that only requests lines: it has no effect. */
#define INLINE       static inline __attribute__((always_inline))
#define LINES(bytes) (((bytes)*16 + 63) / 64) /* of sixteen rows */

AVX512 INLINE void lines_request(const void* column, size_t bytes, u32 row) {
    const u8* at = (const u8*)column + bytes * row;
    for (u32 k = 0; k < LINES(bytes); k++) __builtin_prefetch(at + 64 * k);
}

/* What is needed some rows later; of the last rows, lines behind the columns, which has no effect. A
 * chunk's links are read before its poses. */
AVX512 INLINE void rows_request(const Rows* r, u32 row) {
    const u8* to = (const u8*)r->world + sizeof(Mat34) * row;
    for (u32 k = 0; k < LINES(sizeof(Mat34)); k++) __builtin_prefetch(to + 64 * k, 1);
    lines_request(r->position, sizeof(Vec3), row);
    lines_request(r->rotation, sizeof(Quat), row);
    lines_request(r->scale, sizeof(Vec3), row);
    lines_request(r->links, sizeof(TransformLinks), row + PASS_CHUNK);
}

/* Poses are computed one step before products: a register that is stored and then loaded in
 * pieces immediately afterwards has to wait for the cache. */
AVX512 INLINE void rows_compute(const Rows* r, u32 row, u32 count, const u32* above, bool ahead) {
    const u32 full = count / 16 * 16;
    Locals    local[2];
    if (full) poses_make(r, row, &local[0]);
    for (u32 i = 0; i < full; i += 16) {
        const Locals* now = &local[i / 16 % 2];
        Mat34*        out = &r->world[row + i];
        if (ahead) rows_request(r, row + i + AHEAD);
        if (i + 16 < full) poses_make(r, row + i + 16, &local[(i / 16 + 1) % 2]);
        for (u32 k = 0; k < 16; k++) product_store(&out[k], pass_above(r, above[i + k]), now, k);
    }
    if (full < count) pass_kernel_portable(r, row + full, count - full, above + full);
}

AVX512 void pass_kernel_avx512(const Rows* r, u32 row, u32 count, const u32* above) {
    rows_compute(r, row, count, above, false);
}

AVX512 void pass_kernel_avx512_ahead(const Rows* r, u32 row, u32 count, const u32* above) {
    rows_compute(r, row, count, above, true);
}

/* Poses of rows that are not adjacent are copied side by side first. */
AVX512 void rows_kernel_avx512(const Rows* r, const u32* row, u32 count, const u32* above) {
    const u32  full = count / 16 * 16;
    Vec3       position[16], scale[16];
    Quat       rotation[16];
    Locals     local;
    const Rows gathered = {.position = position, .rotation = rotation, .scale = scale};
    for (u32 i = 0; i < full; i += 16) {
        for (u32 k = 0; k < 16; k++) {
            position[k] = r->position[row[i + k]];
            rotation[k] = r->rotation[row[i + k]];
            scale[k] = r->scale[row[i + k]];
        }
        poses_make(&gathered, 0, &local);
        for (u32 k = 0; k < 16; k++) {
            product_store(&r->world[row[i + k]], pass_above(r, above[i + k]), &local, k);
        }
    }
    if (full < count) rows_kernel_portable(r, row + full, count - full, above + full);
}

#else
typedef int transform_pass_x86_is_for_others; /* ISO C forbids empty files */
#endif
