/* bench_rows.h - alternating times, medians and minima, and the rows that bench.py reads. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "clock.h"

#define BENCH_RUNS 15

/* Median of the times of each contender. */
typedef struct BenchTimes {
    f64 ns[BENCH_RUNS];
    u32 count;
} BenchTimes;

static inline void bench_add(BenchTimes* times, u64 ns) {
    if (times->count < BENCH_RUNS) times->ns[times->count++] = (f64)ns;
}

static inline int bench_compare(const void* a, const void* b) {
    const f64 x = *(const f64*)a, y = *(const f64*)b;
    return (x > y) - (x < y);
}

static inline f64 bench_median_of(f64* values, u32 count) {
    qsort(values, count, sizeof *values, bench_compare);
    return values[count / 2];
}

static inline f64 bench_median(BenchTimes* times) {
    return bench_median_of(times->ns, times->count);
}

/* A row: what, n, value, unit, ratio, target, and whether less or more is better. Target 0: none;
 * below 0: the ratio must be at least -target. */
static inline void bench_row(const char* what, u32 n, f64 value, const char* unit, f64 ratio,
                             f64 target) {
    printf("%s,%u,%.3f,%s,%.2f,%.2f,%s\n", what, n, value, unit, ratio,
           target < 0 ? -target : target, target < 0 ? "more" : "less");
}

#define BENCH_TIMED(times, call)                                                                   \
    do {                                                                                           \
        const u64 start_ = clock_ns();                                                             \
        call;                                                                                      \
        bench_add(&times, clock_ns() - start_);                                                    \
    } while (0)

#endif
