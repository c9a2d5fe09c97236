/* bench_transform.c - updates of a hierarchy compared with a hand-written loop.
 *
 *     bench_transform LEVEL...
 *
 * The loop: existing local 4x4 matrices, times that of the parent, into a 4x4 matrix; roots are
 * multiplied with the identity, because an unpredictable branch costs more. The update of libent
 * also computes the local matrix from position, rotation and scale, and writes 3x4. Contenders
 * alternate in one process; medians. A second loop by hand reads poses as well. */
#define _GNU_SOURCE
#include <sys/mman.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "bench_rows.h"
#include "ent.h"
#include "file.h"
#include "pages.h"
#include "jobs.h"

/* --- hand-written loops --- */

#define HAND_BLOCK 256u /* rows whose local matrices are composed before they are used */

typedef struct Hand {
    u32        n, first; /* rows [first, n) */
    const i32* parent;
    f32 (*local)[16];
    f32 (*world)[16];
} Hand;

static const f32 identity[16]
    __attribute__((aligned(64))) = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

/* Row vectors: the transpose of libent's matrices. */
static inline void local_compose(const Vec3* position, const Quat* rotation, const Vec3* scale,
                                 f32 out[16]) {
    const Quat q = *rotation;
    const Vec3 s = *scale, p = *position;
    const f32  m[16] = {(1 - 2 * (q.y * q.y + q.z * q.z)) * s.x,
                        2 * (q.x * q.y + q.z * q.w) * s.x,
                        2 * (q.x * q.z - q.y * q.w) * s.x,
                        0,
                        2 * (q.x * q.y - q.z * q.w) * s.y,
                        (1 - 2 * (q.x * q.x + q.z * q.z)) * s.y,
                        2 * (q.y * q.z + q.x * q.w) * s.y,
                        0,
                        2 * (q.x * q.z + q.y * q.w) * s.z,
                        2 * (q.y * q.z - q.x * q.w) * s.z,
                        (1 - 2 * (q.x * q.x + q.y * q.y)) * s.z,
                        0,
                        p.x,
                        p.y,
                        p.z,
                        1};
    memcpy(out, m, sizeof m);
}

static inline const f32* above(const Hand* h, u32 i) {
    const intptr_t  parent = h->parent[i];
    const uintptr_t mask = (uintptr_t)(parent >> 63);
    return (const f32*)(((uintptr_t)identity & mask) | ((uintptr_t)h->world[parent] & ~mask));
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq"))) static void hand_avx512(const Hand* h) {
    for (u32 i = h->first; i < h->n; i++) {
        const f32*   p = above(h, i);
        const __m512 l = _mm512_loadu_ps(h->local[i]);
        const __m512 p0 = _mm512_broadcast_f32x4(_mm_loadu_ps(p)),
                     p1 = _mm512_broadcast_f32x4(_mm_loadu_ps(p + 4)),
                     p2 = _mm512_broadcast_f32x4(_mm_loadu_ps(p + 8)),
                     p3 = _mm512_broadcast_f32x4(_mm_loadu_ps(p + 12));
        __m512 a = _mm512_mul_ps(_mm512_permute_ps(l, 0x00), p0);
        a = _mm512_fmadd_ps(_mm512_permute_ps(l, 0x55), p1, a);
        a = _mm512_fmadd_ps(_mm512_permute_ps(l, 0xaa), p2, a);
        _mm512_storeu_ps(h->world[i], _mm512_fmadd_ps(_mm512_permute_ps(l, 0xff), p3, a));
    }
}
#endif

typedef f32 f32x4 __attribute__((vector_size(16)));

static void hand_four(const Hand* h) {
    for (u32 i = h->first; i < h->n; i++) {
        f32x4 p[4];
        memcpy(p, above(h, i), sizeof p);
        for (u32 r = 0; r < 4; r++) {
            const f32*  l = h->local[i] + r * 4;
            const f32x4 row = l[0] * p[0] + l[1] * p[1] + l[2] * p[2] + l[3] * p[3];
            memcpy(h->world[i] + r * 4, &row, sizeof row);
        }
    }
}

/* The same from poses, block by block: what is added is the part that composes local matrices. */
static void hand_locals(const Hand* h, const TransformRows* t) {
    for (u32 i = 0; i < h->n; i++) {
        local_compose(&t->position[i], &t->rotation[i], &t->scale[i], h->local[i]);
    }
}

static void hand_poses(const Hand* h, const TransformRows* t, void (*best)(const Hand*)) {
    for (u32 first = 0; first < h->n; first += HAND_BLOCK) {
        const u32           count = MIN_OF(h->n - first, HAND_BLOCK);
        const TransformRows part = {.position = t->position + first,
                                    .rotation = t->rotation + first,
                                    .scale = t->scale + first};
        const Hand          locals = {.n = count, .local = h->local + first};
        const Hand          rows = {.n = first + count,
                                    .first = first,
                                    .parent = h->parent,
                                    .local = h->local,
                                    .world = h->world};
        hand_locals(&locals, &part);
        best(&rows);
    }
}

static void (*hand_best(const char** name))(const Hand*) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        *name = "AVX-512";
        return hand_avx512;
    }
#endif
    *name = "4 lanes";
    return hand_four;
}

static Hand hand_open(World* w) {
    const TransformRows   t = ent_transform_rows(w);
    const TransformLinks* links = ent_transform_links(w);
    Hand                  h = {.n = t.count};
    i32*                  parent = pages_alloc(sizeof(i32) * t.count);
    h.local = pages_alloc((size_t)64 * t.count);
    h.world = pages_alloc((size_t)64 * t.count);
    for (u32 i = 0; i < t.count; i++) {
        local_compose(&t.position[i], &t.rotation[i], &t.scale[i], h.local[i]);
        parent[i] = (i32)links[i].parent;
        memset(h.world[i], 0, 64);
    }
    h.parent = parent;
    return h;
}

static void hand_close(Hand* h) {
    pages_free((void*)h->parent, sizeof(i32) * h->n);
    pages_free(h->local, (size_t)64 * h->n);
    pages_free(h->world, (size_t)64 * h->n);
}

/* Are both results equal? Otherwise the benchmark compares nothing. */
static void hand_check(const Hand* h, World* w) {
    const Mat34* m = ent_transform_worlds(w);
    for (u32 i = 0; i < h->n; i++) {
        for (u32 k = 0; k < 12; k++) {
            const f32 a = h->world[i][k % 4 * 4 + k / 4], b = m[i].m[k / 4][k % 4];
            if (!(a - b < 1e-3f * (1 + (a < 0 ? -a : a)) &&
                  b - a < 1e-3f * (1 + (a < 0 ? -a : a)))) {
                fprintf(stderr, "bench_transform: row %u differs: %g, %g\n", i, (f64)a, (f64)b);
                exit(1);
            }
        }
    }
}

/* --- passes --- */

static World* world_with(const Blob* blob, JobPool* jobs) {
    const WorldDesc desc = {.jobs = jobs};
    World*          w;
    if (ent_world_create(&w, &desc) != ENT_OK) exit(1);
    if (ent_world_spawn(w, blob, NULL, NULL) != ENT_OK) exit(1);
    return w;
}

/* --- two threads --- */

typedef struct Copy {
    u8 *      to, *from;
    const u32 bytes; /* of a row */
} Copy;

static void copy_rows(void* user, u32 first, u32 end, u32 worker) {
    const Copy*  c = user;
    const size_t at = (size_t)first * c->bytes;
    UNUSED(worker);
    memcpy(c->to + at, c->from + at, (size_t)(end - first) * c->bytes);
}

static void copy_by(JobPool* jobs, Copy* c, u32 n) {
    JobGroup group = {0};
    ent_job_dispatch(jobs, &group, n, 8192, copy_rows, c);
    ent_job_wait(jobs, &group);
}

static f64 minimum(f64 min, u64 ns) { return MIN_OF(min, (f64)ns); }

/* Minima of many runs: threads of other programs on the same cores disturb two threads more than one.
 * A copy reads and writes half of the bytes of a row each. */
static void bench_threads(const Blob* blob, JobPool* jobs) {
    World*    w = world_with(blob, NULL);
    World*    two = world_with(blob, jobs);
    const u32 n = ent_transform_rows(w).count, runs = n >= 1000000 ? 60 : 400;
    Copy      c = {.bytes = 54};
    f64       min[4] = {1e18, 1e18, 1e18, 1e18};
    c.to = pages_alloc((size_t)n * c.bytes), c.from = pages_alloc((size_t)n * c.bytes);
    memset(c.from, 1, (size_t)n * c.bytes);
    for (u32 r = 0; r < runs; r++) {
        u64 at[5];
        at[0] = clock_ns();
        ent_transform_update_all(w);
        at[1] = clock_ns();
        ent_transform_update_all(two);
        at[2] = clock_ns();
        copy_rows(&c, 0, n, 0);
        at[3] = clock_ns();
        copy_by(jobs, &c, n);
        at[4] = clock_ns();
        for (u32 k = 0; k < 4; k++) min[k] = minimum(min[k], at[k + 1] - at[k]);
    }
    bench_row("all transforms dirty; two threads / one", n, min[1] / n, "ns/row", min[1] / min[0],
              n >= 1000000  ? 0.7
              : n >= 100000 ? 0.6
                            : 0);
    bench_row("a copy of as many bytes; two threads / one", n, min[3] / n, "ns/row",
              min[3] / min[2], 0);
    pages_free(c.to, (size_t)n * c.bytes);
    pages_free(c.from, (size_t)n * c.bytes);
    ent_world_destroy(w);
    ent_world_destroy(two);
}

static void bench_all_dirty(const Blob* blob) {
    const char* name;
    void (*best)(const Hand*) = hand_best(&name);
    World*              w = world_with(blob, NULL);
    Hand                h = hand_open(w);
    BenchTimes          hand = {0}, four = {0}, pass = {0}, poses = {0}, locals = {0};
    const TransformRows t = ent_transform_rows(w);
    char                text[96];
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(hand, best(&h));
        BENCH_TIMED(four, hand_four(&h));
        BENCH_TIMED(pass, ent_transform_update_all(w));
        BENCH_TIMED(poses, hand_poses(&h, &t, best));
        BENCH_TIMED(locals, hand_locals(&h, &t));
    }
    hand_check(&h, w);
    const f64 n = h.n, by_hand = bench_median(&hand) / n, ours = bench_median(&pass) / n,
              posed = bench_median(&poses) / n;
    snprintf(text, sizeof text, "all transforms dirty / loop by hand; %s", name);
    bench_row(text, h.n, ours, "ns/row", ours / by_hand, h.n >= 1000000 ? 1.25 : 1.15);
    snprintf(text, sizeof text, "loop by hand; %s", name);
    bench_row(text, h.n, by_hand, "ns/row", 1, 0);
    bench_row("loop by hand; 4 lanes", h.n, bench_median(&four) / n, "ns/row", 1, 0);
    bench_row("all transforms dirty / loop by hand over poses", h.n, ours, "ns/row", ours / posed,
              1.15);
    bench_row("loop by hand over poses", h.n, posed, "ns/row", 1, 0);
    bench_row("its part that composes local matrices", h.n, bench_median(&locals) / n, "ns/row",
              bench_median(&locals) / n / posed, 0);
    hand_close(&h);
    ent_world_destroy(w);
}

/* One row in a hundred changes: the same ones every time, as moving objects do, or others every
 * time. */
static void rows_choose(World* w, const Entity* chosen, u32 count, u32* rows) {
    for (u32 i = 0; i < count; i++) rows[i] = ent_transform_row(w, chosen[i]);
}

static void bench_deferred(const Blob* blob) {
    World*              w = world_with(blob, NULL);
    const TransformRows t = ent_transform_rows(w);
    const u32           n = t.count, few = n / 100;
    Entity*             chosen = malloc(sizeof(Entity) * few * (BENCH_RUNS + 1));
    u32*                rows = malloc(sizeof(u32) * few);
    BenchTimes          all = {0}, same = {0}, other = {0};
    for (u32 i = 0; i < few * (BENCH_RUNS + 1); i++) {
        chosen[i] = t.entity[(u32)((u64)(i * 2654435761u) * n >> 32)];
    }
    ent_transform_defer(w, 1);
    for (u32 r = 0; r < BENCH_RUNS; r++) BENCH_TIMED(all, ent_transform_update_all(w));
    for (u32 r = 0; r < 6; r++) ent_transform_update(w); /* no row moves any more */
    for (u32 r = 0; r < BENCH_RUNS + 3; r++) {
        rows_choose(w, chosen, few, rows);
        ent_transform_touch(w, rows, few);
        if (r < 3)
            ent_transform_update(w);
        else
            BENCH_TIMED(same, ent_transform_update(w));
    }
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        rows_choose(w, chosen + (size_t)few * (r + 1), few, rows);
        ent_transform_touch(w, rows, few);
        BENCH_TIMED(other, ent_transform_update(w));
    }
    const f64 complete = bench_median(&all), part = bench_median(&same),
              fresh = bench_median(&other);
    bench_row("deferred; all dirty / one in 100 dirty; the same", n, part / 1000, "us",
              complete / part, -20);
    bench_row("deferred; one in 100 dirty; others every time / all dirty", n, fresh / 1000, "us",
              fresh / complete,
              n >= 1000000  ? 0.15
              : n >= 100000 ? 0.2
                            : 0);
    free(chosen);
    free(rows);
    ent_world_destroy(w);
}

/* --- attaching --- */

/* A subtree of 1,000: a fan of ten, each with ten, each with nine or ten. */
static Entity subtree_make(World* w, u32 count) {
    Manager* m = ent_world_manager_by_name(w, "transform");
    Entity*  e = malloc(sizeof(Entity) * count);
    u32      row;
    if (ent_entity_create(w, e, count) != ENT_OK) exit(1);
    for (u32 i = 0; i < count; i++) {
        if (ent_manager_create(w, m, e[i], &row) != ENT_OK) exit(1);
        if (i > 0 && ent_transform_reparent(w, e[i], e[(i - 1) / 10]) != ENT_OK) exit(1);
    }
    const Entity top = e[0];
    free(e);
    return top;
}

static void bench_attach(const Blob* blob) {
    WorldDesc  desc = {0};
    World*     w;
    BenchTimes attach = {0};
    if (ent_world_create(&w, &desc) != ENT_OK) exit(1);
    const Entity top =
        subtree_make(w, 1000); /* created before all others: it must be moved behind them */
    if (ent_world_spawn(w, blob, NULL, NULL) != ENT_OK) exit(1);
    const u32 n = ent_transform_rows(w).count;
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        const Entity parent = ent_transform_rows(w).entity[n - 1 - r * 7];
        BENCH_TIMED(attach, if (ent_transform_attach(w, top, parent, 0) != ENT_OK) exit(1));
        if (ent_transform_detach(w, top) != ENT_OK) exit(1);
    }
    const f64 us = bench_median(&attach) / 1000;
    bench_row("attach 1000 rows below the last of all; ms", n, us, "us", us / 1000, 1);
    ent_world_destroy(w);
}

int main(int argc, char** argv) {
    JobPool* jobs = ent_job_pool_create(1, NULL);
    for (int i = 1; i < argc; i++) {
        FileView view;
        Blob     blob;
        if (file_map(&view, argv[i]) != ENT_OK ||
            ent_blob_open(&blob, view.bytes, view.size, NULL, NULL) != ENT_OK) {
            fprintf(stderr, "bench_transform: cannot open %s\n", argv[i]);
            return 1;
        }
        bench_all_dirty(&blob);
        bench_threads(&blob, jobs);
        bench_deferred(&blob);
        if (blob.header->element_count == 100000) bench_attach(&blob);
        fflush(stdout);
        file_unmap(&view);
    }
    ent_job_pool_destroy(jobs);
    return 0;
}
