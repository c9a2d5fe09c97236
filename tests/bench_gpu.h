/* bench_gpu.h - times the systems on the GPU, one function a system.
 *
 *     void bench_gpu_particles(BenchGpu* bench) {
 *         static const BenchGpuSystem system = {create, run, ms, times, destroy};
 *         bench_gpu_row(bench, &(BenchGpuRow){.name = "particles in bins", .system = &system,
 * ...});
 *     }
 *
 * and its name in bench_gpu.c. */
#ifndef BENCH_GPU_H
#define BENCH_GPU_H

#include "gpu_list.h"

typedef struct BenchGpu {
    Gpu*        gpu;
    const char* filter;  /* part of the names of rows that are wanted */
    f64         copy_gb; /* a second, read and written, measured in the same run */
    u32         failed;
} BenchGpu;

/* What is timed: a system that is made, and run again and again. */
typedef struct BenchGpuSystem {
    ent_status (*create)(void** made, Gpu* gpu, const void* desc, GpuTimes times);
    ent_status (*run)(void* made); /* a list, once */
    f64 (*ms)(const void* made);   /* of that list */
    u32 (*times)(const void* made, GpuTime* times,
                 u32 capacity); /* of its passes, when asked for */
    void (*destroy)(void* made);
} BenchGpuSystem;

typedef struct BenchGpuRow {
    const char*           name;
    u64                   count;     /* of what it works on */
    f64                   target_ms; /* 0: none */
    f64                   bytes;     /* that it must move at least; 0: not counted */
    const BenchGpuSystem* system;
    const void*           desc; /* for create */
} BenchGpuRow;

/* Makes the system twice, to time whole lists and then its passes, and prints medians. Rows that
 * the filter does not name are left out; those that the device has no room for say so. */
void bench_gpu_row(BenchGpu* bench, const BenchGpuRow* row);

void bench_gpu_particles(BenchGpu* bench);

#endif
