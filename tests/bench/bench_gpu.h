/* bench_gpu.h - shared by the measurements on a GPU: a list is run often, and its median is
 * printed. */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include <stdio.h>

#include "gpu_list.h"

#define BENCH_RUNS 41

typedef struct Bench {
    Gpu*        gpu;
    const char* filter;    /* only rows whose name contains it */
    f64         copy_gb_s; /* of a copy, bytes read and written */
    FILE*       csv;       /* or NULL */
    const char* program;   /* whose rows are written: a file of this folder without its .c */
    GpuKernel   copy;
    GpuPool     pool;
    GpuBuffer   from, to;
    GpuList     spin; /* keeps the device busy, so that its clock rate is high */
} Bench;

/* Is the row requested? Then the device is warmed up. */
bool bench_is_selected(Bench* b, const char* what, u64 count);

/* A row: milliseconds, which should be `target_ms` or less (0: none), and the minimum of bytes that
 * the work can move, whose copy time is printed beside it. */
void bench_report(const Bench* b, const char* what, u64 count, f64 ms, f64 target_ms, f64 bytes);

/* A row: milliseconds, beside those of other work, of which they should be at most `most` times as
 * many. */
void bench_report_beside(const Bench* b, const char* what, const char* other, u64 count, f64 ms,
                         f64 other_ms, f64 max);

/* Passes by name, of several runs. */
#define BENCH_PASSES 64
typedef struct BenchPasses {
    GpuTime last[BENCH_PASSES];
    f64     ms[BENCH_PASSES][BENCH_RUNS];
    u32     count, runs;
} BenchPasses;

/* Keeps the times of one more run, `count` of which are in passes->last. */
void bench_passes_add(BenchPasses* passes, u32 count);
/* Of EntGpuFramesDesc, with BenchPasses as `user`: keeps the times of each frame but the first two. */
void bench_passes_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count);
/* The median of a pass, or of the sum of the passes of two names; other: may be NULL. */
f64 bench_passes_ms(const BenchPasses* passes, const char* name, const char* other);
/* A row for the median of each. */
void bench_passes_report(BenchPasses* passes);

/* Median of many runs of a list with GPU_TIMES_LIST. */
f64 bench_list(GpuList* list);

f64 bench_median(f64* values, u32 count);

void bench_scan(Bench* b);
void bench_sph(Bench* b);
void bench_particles(Bench* b);
void bench_spheres(Bench* b);
void bench_water(Bench* b);
void bench_pool(Bench* b);
void bench_meshes(Bench* b);
void bench_reload(Bench* b);
void bench_frames(Bench* b);
void bench_skinning(Bench* b);
void bench_skinning_layout(Bench* b);
void bench_animators(Bench* b);
void bench_morph(Bench* b);
void bench_lights(Bench* b);
void bench_normals(Bench* b);
void bench_shadows(Bench* b);
void bench_crowds(Bench* b);

/* Ends the program with a message when a call has failed. */
void bench_must(ent_status status, const char* what);

#endif
