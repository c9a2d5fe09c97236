/* bench_rows.h - times in turn, medians and least ones, and the rows that bench.py reads. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "base.h"

#define BENCH_RUNS 15

/* Median of what each contender took in its turn. */
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

static inline f64 bench_median(BenchTimes* times) {
    qsort(times->ns, times->count, sizeof *times->ns, bench_compare);
    return times->ns[times->count / 2];
}

/* A row; target 0: none. */
static inline void bench_row(const char* what, u32 n, f64 value, const char* unit, f64 ratio,
                             f64 target) {
    printf("%s,%u,%.3f,%s,%.2f,%.2f\n", what, n, value, unit, ratio, target);
}

#endif
