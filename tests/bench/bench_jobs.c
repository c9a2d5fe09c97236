/* bench_jobs.c - libent's jobs compared with two threads and a counter.
 *
 *     bench_jobs
 *
 * A pool of one thread and a hand-written lower bound alternate: two threads that spin on one
 * counter of groups, have one fixed loop body, never sleep and never end. Times are medians of
 * short measurements. Prints rows of what, n, value, unit, ratio, target, and whether less or more
 * is better. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base.h"
#include "bench_rows.h"
#include "clock.h"
#include "file.h"
#include "pages.h"
#include "jobs.h"

#define STRETCHES     101
#define PAIRS         1000  /* dispatches of two groups in a measurement */
#define EMPTY_GROUPS  10000 /* of one dispatch */
#define ELEMENTS      16384 /* of 64 bytes: they fit into the cache of a core */
#define ELEMENT_GROUP 1024
#define SWEEPS        8 /* over the elements in a measurement */
#define SPINS         4
#define SPIN_MS       100
#define SPIN_ROUNDS   5

typedef struct Element {
    f32 value[16];
} Element;

static Element* elements;

static void elements_add(u32 first, u32 end) {
    for (u32 i = first; i < end; i++) {
        for (u32 k = 0; k < 16; k++) elements[i].value[k] += 1;
    }
}

/* Empty except for this: the worker that ran groups, each in a separate cache line. */
static struct Ran { _Alignas(64) u64 groups; } ran[2];

static void nothing_do(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(user), UNUSED(first), UNUSED(end);
    __atomic_store_n(&ran[worker].groups, ran[worker].groups + 1, __ATOMIC_RELAXED);
}

static void elements_do(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(user), UNUSED(worker);
    elements_add(first, end);
}

/* --- the lower bound --- */

static struct Floor {
    _Alignas(64) int64_t left;
    _Alignas(64) u64 unfinished;
    _Alignas(64) u32 groups;
    u32       group_size; /* of elements; 0: the groups are empty */
    u32       ended;
    pthread_t thread;
    _Alignas(64) u32 helped; /* the thread ran a group, so it is running */
} ideal;

/* Returns how many groups it ran. */
static u64 floor_help(void) {
    u64 taken = 0;
    if (__atomic_load_n(&ideal.left, __ATOMIC_RELAXED) <= 0) return 0;
    for (int64_t left; (left = __atomic_fetch_sub(&ideal.left, 1, __ATOMIC_ACQUIRE)) > 0; taken++) {
        const u32 first = (ideal.groups - (u32)left) * ideal.group_size;
        elements_add(first, first + ideal.group_size);
    }
    if (taken) __atomic_sub_fetch(&ideal.unfinished, taken, __ATOMIC_RELEASE);
    return taken;
}

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void* floor_main(void* user) {
    while (!__atomic_load_n(&ideal.ended, __ATOMIC_RELAXED)) {
        if (floor_help()) __atomic_store_n(&ideal.helped, 1, __ATOMIC_RELAXED);
        relax();
    }
    return user;
}

static void floor_begin(u32 groups, u32 group_size) {
    ideal = (struct Floor){.groups = groups, .group_size = group_size};
    if (pthread_create(&ideal.thread, NULL, floor_main, NULL) != 0) exit(1);
}

static void floor_end(void) {
    __atomic_store_n(&ideal.ended, 1, __ATOMIC_RELAXED);
    pthread_join(ideal.thread, NULL);
}

static void floor_run(void) {
    __atomic_store_n(&ideal.unfinished, ideal.groups, __ATOMIC_RELAXED);
    __atomic_store_n(&ideal.left, ideal.groups, __ATOMIC_SEQ_CST);
    floor_help();
    while (__atomic_load_n(&ideal.unfinished, __ATOMIC_ACQUIRE)) relax();
}

/* --- what is timed; each is the ns of one round, of `rounds` --- */

static JobPool* pool;

static void pool_run(u32 count, u32 group_size, JobFunction call) {
    JobGroup group = {0};
    ent_job_dispatch(pool, &group, count, group_size, call, NULL);
    ent_job_wait(pool, &group);
}

/* The rounds before it wake the thread. */
static f64 time_pool(u32 rounds, u32 count, u32 group_size, JobFunction call) {
    const u64 before = __atomic_load_n(&ran[1].groups, __ATOMIC_RELAXED);
    while (__atomic_load_n(&ran[1].groups, __ATOMIC_RELAXED) < before + 10) {
        pool_run(2, 1, nothing_do);
    }
    const u64 start = clock_ns();
    for (u32 i = 0; i < rounds; i++) pool_run(count, group_size, call);
    return (f64)(clock_ns() - start) / rounds;
}

static f64 time_floor(u32 rounds, u32 groups, u32 group_size) {
    floor_begin(groups, group_size);
    while (!__atomic_load_n(&ideal.helped, __ATOMIC_RELAXED)) floor_run();
    const u64 start = clock_ns();
    for (u32 i = 0; i < rounds; i++) floor_run();
    const f64 ns = (f64)(clock_ns() - start) / rounds;
    floor_end();
    return ns;
}

static f64 time_alone(u32 rounds) {
    const u64 start = clock_ns();
    for (u32 i = 0; i < rounds; i++) {
        elements_add(0, ELEMENTS);
        __asm__ volatile("" ::: "memory");
    }
    return (f64)(clock_ns() - start) / rounds;
}

static f64 time_asleep(void) {
    clock_wait_ms(1);
    const u64 start = clock_ns();
    pool_run(2, 1, nothing_do);
    return (f64)(clock_ns() - start);
}

static u64 thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static void spin_do(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(user), UNUSED(first), UNUSED(end), UNUSED(worker);
    const u64 until = thread_ns() + SPIN_MS * 1000000ull;
    while (thread_ns() < until) relax();
}

static f64 time_spins(void) {
    JobGroup  group = {0};
    const u64 start = clock_ns();
    for (u32 i = 0; i < SPINS; i++) ent_job_execute(pool, &group, spin_do, NULL);
    ent_job_wait(pool, &group);
    return (f64)(clock_ns() - start) / 1e6;
}

/* --- rows --- */

static void report(const char* what, u32 n, f64 value, const char* unit, f64 ratio, f64 target,
                   const char* better) {
    printf("%s,%u,%.3f,%s,%.3f,%.3f,%s\n", what, n, value, unit, ratio, target, better);
}

static void bench_empty(void) {
    f64 two[STRETCHES], two_floor[STRETCHES], asleep[STRETCHES], many[STRETCHES],
        many_floor[STRETCHES];
    for (u32 r = 0; r < STRETCHES; r++) {
        two[r] = time_pool(PAIRS, 2, 1, nothing_do);
        two_floor[r] = time_floor(PAIRS, 2, 0);
        many[r] = time_pool(1, EMPTY_GROUPS, 1, nothing_do) / EMPTY_GROUPS;
        many_floor[r] = time_floor(1, EMPTY_GROUPS, 0) / EMPTY_GROUPS;
        asleep[r] = time_asleep();
    }
    const f64 a = bench_median_of(two, STRETCHES), b = bench_median_of(two_floor, STRETCHES),
              c = bench_median_of(many, STRETCHES), d = bench_median_of(many_floor, STRETCHES);
    report("jobs: two empty groups and wait / 150 ns", 2, a, "ns", a / 150, 1, "less");
    report("jobs: two empty groups and wait / floor", 2, a, "ns", a / b, 0, "less");
    report("jobs: floor of two empty groups", 2, b, "ns", 1, 0, "less");
    report("jobs: two empty groups and wait; threads asleep", 2, bench_median_of(asleep, STRETCHES),
           "ns", 1, 0, "less");
    report("jobs: an empty group of a dispatch / 10 ns", EMPTY_GROUPS, c, "ns", c / 10, 1, "less");
    report("jobs: an empty group of a dispatch / floor", EMPTY_GROUPS, c, "ns", c / d, 0, "less");
    report("jobs: floor of an empty group", EMPTY_GROUPS, d, "ns", 1, 0, "less");
}

static void bench_work(void) {
    const u32 groups = ELEMENTS / ELEMENT_GROUP;
    f64       alone[STRETCHES], both[STRETCHES], min[STRETCHES];
    for (u32 r = 0; r < STRETCHES; r++) {
        alone[r] = time_alone(SWEEPS) / ELEMENTS;
        both[r] = time_pool(SWEEPS, ELEMENTS, ELEMENT_GROUP, elements_do) / ELEMENTS;
        min[r] = time_floor(SWEEPS, groups, ELEMENT_GROUP) / ELEMENTS;
    }
    const f64 a = bench_median_of(alone, STRETCHES), b = bench_median_of(both, STRETCHES),
              c = bench_median_of(min, STRETCHES);
    report("jobs: work in cache on two cores against one thread", ELEMENTS, b, "ns/element", a / b,
           1.6, "more");
    report("jobs: work in cache on two cores / floor", ELEMENTS, b, "ns/element", b / c, 0, "less");
    report("jobs: work in cache on one thread", ELEMENTS, a, "ns/element", 1, 0, "less");
}

static void bench_spins(void) {
    f64 spins[SPIN_ROUNDS];
    for (u32 r = 0; r < SPIN_ROUNDS; r++) spins[r] = time_spins();
    const f64 ms = bench_median_of(spins, SPIN_ROUNDS);
    report("jobs: four spins of 100 ms on two cores / 200 ms", SPINS, ms, "ms",
           ms / (SPINS * SPIN_MS / 2), 1.02, "less");
}

int main(void) {
    if (ent_job_processor_count() < 2) {
        fprintf(stderr, "bench_jobs: needs two processors\n");
        return 1;
    }
    elements = pages_alloc(sizeof(Element) * ELEMENTS);
    pool = ent_job_pool_create(1, NULL);
    if (!elements || !pool) return 1;
    bench_empty();
    bench_work();
    bench_spins();
    ent_job_pool_destroy(pool);
    pages_free(elements, sizeof(Element) * ELEMENTS);
    return 0;
}
