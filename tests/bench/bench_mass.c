/* bench_mass.c - the point-mass simulation: how well the compiler vectorises the loops of a host
 * over the columns of a manager.
 *
 *     acceleration = force / mass, velocity += acceleration * dt, position += velocity * dt
 *
 * Written mass by mass, with three fields each, gcc 12 vectorises it only for processors with AVX2,
 * without a gain: triples of numbers must be transposed. But a Vec3 column is also an array of
 * floats: with the factor of each mass repeated three times, in runs that stay in the cache, the
 * rest is one loop over floats that needs no transposition (as cc -O3 -fopt-info-vec reports). Same
 * operations, same bits. Contenders alternate in one process; medians.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 2), 2014. */
#include "bench_rows.h"
#include "ent.h"
#include "file.h"
#include "pages.h"

#if defined(__clang__)
#define SCALAR
#define SCALAR_LOOP _Pragma("clang loop vectorize(disable) interleave(disable)")
#else
#define SCALAR __attribute__((optimize("no-tree-vectorize")))
#define SCALAR_LOOP
#endif
#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#endif

/* --- the loops --- */

/* The obvious loop. */
#define FLY_MASS_BY_MASS(m, dt)                                                                    \
    for (u32 i = 0; i < m.count; i++) {                                                            \
        const f32 k = dt / m.mass[i];                                                              \
        m.velocity[i].x += m.force[i].x * k;                                                       \
        m.velocity[i].y += m.force[i].y * k;                                                       \
        m.velocity[i].z += m.force[i].z * k;                                                       \
        m.position[i].x += m.velocity[i].x * dt;                                                   \
        m.position[i].y += m.velocity[i].y * dt;                                                   \
        m.position[i].z += m.velocity[i].z * dt;                                                   \
    }

#define RUN 256 /* masses, whose factors stay in the first-level cache */

/* Float by float. */
#define FLY_FLOATS(m, dt)                                                                          \
    for (u32 first = 0; first < m.count; first += RUN) {                                           \
        const u32  n = MIN_OF((u32)RUN, m.count - first);                                          \
        f32        k[3 * RUN];                                                                     \
        f32*       position = &m.position[first].x;                                                \
        f32*       velocity = &m.velocity[first].x;                                                \
        const f32* force = &m.force[first].x;                                                      \
        for (u32 i = 0; i < n; i++)                                                                \
            k[3 * i] = k[3 * i + 1] = k[3 * i + 2] = dt / m.mass[first + i];                       \
        for (u32 i = 0; i < 3 * n; i++) {                                                          \
            velocity[i] += force[i] * k[i];                                                        \
            position[i] += velocity[i] * dt;                                                       \
        }                                                                                          \
    }

SCALAR static void fly_scalar(PointMassRows m, f32 dt) { SCALAR_LOOP FLY_MASS_BY_MASS(m, dt) }
static void        fly_written(PointMassRows m, f32 dt) { FLY_MASS_BY_MASS(m, dt) }
static void        fly_floats(PointMassRows m, f32 dt){FLY_FLOATS(m, dt)}
#if defined(AVX2)
AVX2 static void fly_written_avx2(PointMassRows m, f32 dt){FLY_MASS_BY_MASS(m, dt)} AVX2
    static void fly_floats_avx2(PointMassRows m, f32 dt) {
    FLY_FLOATS(m, dt)
}
#endif

/* --- contenders --- */

typedef struct Contender {
    const char* name;
    void (*fly)(PointMassRows m, f32 dt);
    f64        target; /* of the ratio to the first, the one without vectors; 0: none */
    BenchTimes times;
} Contender;

static u32 contenders_fill(Contender* c) {
    u32 count = 0;
    c[count++] = (Contender){"mass by mass; no vectors", fly_scalar, 0, {{0}, 0}};
    c[count++] = (Contender){"mass by mass", fly_written, 0, {{0}, 0}};
    c[count++] = (Contender){"over floats", fly_floats, -1.2, {{0}, 0}};
#if defined(AVX2)
    if (!__builtin_cpu_supports("avx2")) return count;
    c[count++] = (Contender){"mass by mass; AVX2", fly_written_avx2, 0, {{0}, 0}};
    c[count++] = (Contender){"over floats; AVX2", fly_floats_avx2, -1.7, {{0}, 0}};
#endif
    return count;
}

/* --- worlds --- */

static World* world_of(u32 n) {
    World*  world;
    Entity* entities = malloc(sizeof(Entity) * n);
    u32     row;
    if (!entities || ent_world_create(&world, NULL) != ENT_OK) exit(1);
    if (ent_entity_create(world, entities, n) != ENT_OK) exit(1);
    Manager* masses = ent_world_manager_by_name(world, "point_mass");
    for (u32 i = 0; i < n; i++) {
        if (ent_manager_create(world, masses, entities[i], &row) != ENT_OK) exit(1);
    }
    free(entities);
    return world;
}

static void masses_fill(PointMassRows m) {
    for (u32 i = 0; i < m.count; i++) {
        const f32 f = (f32)(i % 1009);
        m.position[i] = (Vec3){f, 2 * f, -f};
        m.velocity[i] = (Vec3){0, f, 1};
        m.force[i] = (Vec3){f / 7, -9.81f * f, 1};
        m.mass[i] = 1 + f / 3;
    }
}

/* Are all results equal? Otherwise the benchmark compares nothing. */
static void contenders_check(Contender* c, u32 count, PointMassRows m) {
    const size_t bytes = sizeof(Vec3) * m.count;
    u8*          wanted = malloc(2 * bytes);
    for (u32 k = 0; k < count; k++) {
        masses_fill(m);
        for (u32 step = 0; step < 3; step++) c[k].fly(m, 0.01f);
        if (k == 0) memcpy(wanted, m.position, bytes);
        if (k == 0) memcpy(wanted + bytes, m.velocity, bytes);
        if (memcmp(wanted, m.position, bytes) == 0 &&
            memcmp(wanted + bytes, m.velocity, bytes) == 0) {
            continue;
        }
        fprintf(stderr, "bench_mass: %s comes to something else\n", c[k].name);
        exit(1);
    }
    free(wanted);
}

/* For a mass 40 bytes are read and 24 are written: as many as a copy of 32 bytes moves. */
typedef struct Copy {
    u8 *   from, *to;
    size_t bytes;
} Copy;

static Copy copy_open(u32 n) {
    Copy copy = {.bytes = (size_t)32 * n};
    copy.from = pages_alloc(copy.bytes);
    copy.to = pages_alloc(copy.bytes);
    memset(copy.from, 1, copy.bytes);
    memset(copy.to, 2, copy.bytes);
    return copy;
}

static void copy_run(const Copy* copy) {
    memcpy(copy->to, copy->from, copy->bytes);
    __asm__ volatile("" : : "r"(copy->to) : "memory");
}

#define TIMES(count, call)                                                                         \
    for (u32 time_ = 0; time_ < (count); time_++) call

static void bench_masses(u32 n) {
    Contender           c[5];
    const u32           count = contenders_fill(c), repeat = MAX_OF(1u, 200000 / n);
    World*              world = world_of(n);
    const PointMassRows m = ent_point_mass_rows(world);
    Copy                copy = copy_open(n);
    BenchTimes          copied = {0};
    char                text[96];
    contenders_check(c, count, m);
    masses_fill(m);
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        for (u32 k = 0; k < count; k++) {
            BENCH_TIMED(c[k].times, TIMES(repeat, c[k].fly(m, 1e-3f)));
        }
        BENCH_TIMED(copied, TIMES(repeat, copy_run(&copy)));
    }
    const f64 each = (f64)n * repeat, copy_ns = bench_median(&copied) / each;
    f64       scalar_ns = 0;
    for (u32 k = 0; k < count; k++) {
        const f64 ns = bench_median(&c[k].times) / each;
        if (k == 0) scalar_ns = ns;
        snprintf(text, sizeof text, "point masses %s; speed against no vectors", c[k].name);
        if (k > 0) bench_row(text, n, ns, "ns/mass", scalar_ns / ns, n == 10000 ? c[k].target : 0);
        snprintf(text, sizeof text, "point masses %s / a copy of as many bytes", c[k].name);
        bench_row(text, n, ns, "ns/mass", ns / copy_ns, 0);
    }
    pages_free(copy.from, copy.bytes);
    pages_free(copy.to, copy.bytes);
    ent_world_destroy(world);
}

/* A step with gravity and drag: as a host writes it, and by the library. */
static void fly_by_hand(PointMassRows m, Vec3 gravity_m_s2, f32 drag_per_s, f32 dt) {
    const f32 kept = 1 / (1 + drag_per_s * dt);
    for (u32 i = 0; i < m.count; i++) {
        const f32 k = dt / m.mass[i];
        m.velocity[i].x = (m.velocity[i].x + m.force[i].x * k + gravity_m_s2.x * dt) * kept;
        m.velocity[i].y = (m.velocity[i].y + m.force[i].y * k + gravity_m_s2.y * dt) * kept;
        m.velocity[i].z = (m.velocity[i].z + m.force[i].z * k + gravity_m_s2.z * dt) * kept;
        m.position[i].x += m.velocity[i].x * dt;
        m.position[i].y += m.velocity[i].y * dt;
        m.position[i].z += m.velocity[i].z * dt;
    }
}

static void library_run(World* world, const PointsDesc* desc) {
    if (ent_simulate_points(world, desc) != ENT_OK) exit(1);
}

static void bench_library(u32 n) {
    const PointsDesc desc = {.step_s = 1e-3f, .drag_per_s = 0.1f, .gravity_m_s2 = {0, -9.81f, 0}};
    World*           world = world_of(n);
    const PointMassRows m = ent_point_mass_rows(world);
    const u32           repeat = MAX_OF(1u, 200000 / n);
    BenchTimes          hand = {0}, library = {0};
    masses_fill(m);
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(hand,
                    TIMES(repeat, fly_by_hand(m, desc.gravity_m_s2, desc.drag_per_s, desc.step_s)));
        BENCH_TIMED(library, TIMES(repeat, library_run(world, &desc)));
    }
    const f64 ns = bench_median(&library) / ((f64)n * repeat);
    bench_row("point masses with gravity and drag, one thread / a loop by hand", n, ns, "ns/mass",
              bench_median(&library) / bench_median(&hand), 1.05);
    ent_world_destroy(world);
}

int main(void) {
    bench_library(10000);
    bench_library(1000000);
    bench_masses(10000);
    bench_masses(1000000);
    return 0;
}
