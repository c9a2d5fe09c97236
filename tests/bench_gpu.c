/* bench_gpu.c - how fast the systems on the GPU are: medians of lists of passes, by the device's
 * clock, or by the host's where the device is software.
 *
 *     build/release/bench_gpu [FILTER]     rows whose name contains FILTER
 *
 * ENT_BENCH_DEVICE chooses the device: a number, or a part of its name. */
#include "bench_gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench_copy.comp.h"
#include "file.h"

#define RUNS       50
#define RUNS_LEAST 3          /* on a software device, where time runs out */
#define SOFTWARE_S 4          /* for a row there */
#define WARM_NS    300000000u /* until the clock of the device is up */
#define PASSES     32
#define COPY_BYTES ((u64)1 << 30)

static char told[1024];

static void log_keep(void* user, LogLevel level, const char* text) {
    UNUSED(user), UNUSED(level);
    snprintf(told, sizeof told, "%s", text);
}

/* --- medians --- */

typedef struct Samples {
    f64         ms[RUNS];
    u32         count;
    const char* name;
} Samples;

static void sample_put(Samples* s, f64 ms) { s->ms[s->count++] = ms; }

static int smaller(const void* a, const void* b) {
    const f64 x = *(const f64*)a, y = *(const f64*)b;
    return x < y ? -1 : x > y;
}

static f64 median(Samples* s) {
    qsort(s->ms, s->count, sizeof *s->ms, smaller);
    return s->ms[s->count / 2];
}

/* --- runs --- */

/* Until the clock is up; on a software device once, which there is as good. */
static ent_status warm_up(const BenchGpu* bench, const BenchGpuSystem* system, void* made) {
    const u64 start = clock_ns();
    do TRY(system->run(made));
    while (!bench->gpu->info.software && clock_ns() - start < WARM_NS);
    return ENT_OK;
}

static bool enough(const BenchGpu* bench, u32 runs, u64 start) {
    if (runs == RUNS) return true;
    return bench->gpu->info.software && runs >= RUNS_LEAST &&
           clock_ns() - start > SOFTWARE_S * 1000000000ull;
}

static ent_status list_sample(const BenchGpu* bench, const BenchGpuRow* row, void* made,
                              Samples* all) {
    TRY(warm_up(bench, row->system, made));
    const u64 start = clock_ns();
    while (!enough(bench, all->count, start)) {
        TRY(row->system->run(made));
        sample_put(all, row->system->ms(made));
    }
    return ENT_OK;
}

static ent_status passes_sample(const BenchGpu* bench, const BenchGpuRow* row, void* made,
                                Samples* passes, u32* pass_count) {
    GpuTime times[PASSES];
    TRY(warm_up(bench, row->system, made));
    const u64 start = clock_ns();
    for (u32 runs = 0; !enough(bench, runs, start); runs++) {
        TRY(row->system->run(made));
        *pass_count = row->system->times(made, times, PASSES);
        for (u32 i = 0; i < *pass_count; i++) {
            passes[i].name = times[i].name;
            sample_put(&passes[i], times[i].ms);
        }
    }
    return ENT_OK;
}

/* --- rows --- */

static void row_print(const BenchGpu* bench, const BenchGpuRow* row, Samples* all, Samples* passes,
                      u32 pass_count) {
    const f64 ms = median(all);
    printf("%-34s %10llu %9.4f", row->name, (unsigned long long)row->count, ms);
    if (row->target_ms > 0)
        printf(" %9.4f %6.2f", row->target_ms, ms / row->target_ms);
    else
        printf(" %9s %6s", "", "");
    if (row->bytes > 0)
        printf(" %9.4f", row->bytes / bench->copy_gb / 1e6);
    else
        printf(" %9s", "");
    printf(" %5u", all->count);
    for (u32 i = 0; i < pass_count; i++) {
        printf("%s%s %.4f", i ? ", " : "   ", passes[i].name, median(&passes[i]));
    }
    printf("\n");
    fflush(stdout);
}

static ent_status row_sample(const BenchGpu* bench, const BenchGpuRow* row, Samples* all,
                             Samples* passes, u32* pass_count) {
    void* made;
    TRY(row->system->create(&made, bench->gpu, row->desc, GPU_TIMES_LIST));
    ent_status status = list_sample(bench, row, made, all);
    row->system->destroy(made);
    TRY(status);
    TRY(row->system->create(&made, bench->gpu, row->desc, GPU_TIMES_PASSES));
    status = passes_sample(bench, row, made, passes, pass_count);
    row->system->destroy(made);
    return status;
}

void bench_gpu_row(BenchGpu* bench, const BenchGpuRow* row) {
    static Samples all, passes[PASSES];
    u32            pass_count = 0;
    if (!strstr(row->name, bench->filter)) return;
    all = (Samples){0};
    memset(passes, 0, sizeof passes);
    told[0] = 0;
    const ent_status status = row_sample(bench, row, &all, passes, &pass_count);
    if (status == ENT_OK) {
        row_print(bench, row, &all, passes, pass_count);
        return;
    }
    const bool room = status != ENT_LIMIT && status != ENT_NO_MEMORY;
    printf("%-34s %10llu %s: %s\n", row->name, (unsigned long long)row->count,
           room ? "failed" : "does not fit", told[0] ? told : ent_status_text(status));
    bench->failed += room;
}

/* --- what memory can do --- */

typedef struct Copy {
    GpuKernel kernel;
    GpuPool   pool;
    GpuBuffer from, to;
    GpuList   list;
} Copy;

static ent_status copy_fill(Copy* c, Gpu* gpu, u64 bytes, GpuTimes times) {
    const u32           count = (u32)(bytes / 16);
    const GpuBufferWish wishes[] = {{&c->from, count, 16, "copy"}, {&c->to, count, 16, "copy"}};
    TRY(gpu_pool_create(&c->pool, gpu, wishes, COUNT_OF(wishes)));
    TRY(gpu_kernel_create(&c->kernel, gpu, &GPU_KERNEL(bench_copy, 256)));
    TRY(gpu_fill(gpu, &c->from, 1));
    TRY(gpu_list_begin(&c->list, gpu, times));
    gpu_pass(&c->list, &(GpuPass){.name = "copy",
                                  .kernel = &c->kernel,
                                  .use = {{&c->from, GPU_READ}, {&c->to, GPU_WRITE}},
                                  .push = &count,
                                  .push_bytes = sizeof count,
                                  .threads = count});
    return gpu_list_end(&c->list);
}

static void copy_destroy(void* made) {
    Copy* c = made;
    gpu_list_destroy(&c->list);
    gpu_kernel_destroy(&c->kernel);
    if (c->pool.gpu) gpu_pool_destroy(&c->pool);
    free(c);
}

static ent_status copy_create(void** made, Gpu* gpu, const void* desc, GpuTimes times) {
    Copy* c = calloc(1, sizeof *c);
    if (!c) return ENT_NO_MEMORY;
    const ent_status status = copy_fill(c, gpu, *(const u64*)desc, times);
    *made = c;
    if (status != ENT_OK) copy_destroy(c);
    return status;
}

static ent_status copy_run(void* made) { return gpu_list_run(&((Copy*)made)->list); }
static f64        copy_ms(const void* made) { return ((const Copy*)made)->list.ms; }
static u32        copy_times(const void* made, GpuTime* times, u32 capacity) {
           return gpu_list_times(&((const Copy*)made)->list, times, capacity);
}

/* 1 GiB, or what the device has room for. */
static u64 copy_bytes(const GpuInfo* info) {
    u64 bytes = MIN_OF(COPY_BYTES, info->buffer_bytes & ~(u64)255);
    while (bytes > info->memory_bytes / 8) bytes /= 2;
    return bytes;
}

static ent_status copy_measure(BenchGpu* bench) {
    static const BenchGpuSystem system = {copy_create, copy_run, copy_ms, copy_times, copy_destroy};
    const u64                   bytes = copy_bytes(&bench->gpu->info);
    const BenchGpuRow           row = {.name = "copy", .system = &system, .desc = &bytes};
    Samples                     all = {0};
    void*                       made;
    TRY(system.create(&made, bench->gpu, &bytes, GPU_TIMES_LIST));
    const ent_status status = list_sample(bench, &row, made, &all);
    system.destroy(made);
    TRY(status);
    bench->copy_gb = 2 * (f64)bytes / median(&all) / 1e6;
    printf("copy of %llu MiB, read + written: %.0f GB/s\n", (unsigned long long)(bytes >> 20),
           bench->copy_gb);
    return ENT_OK;
}

int main(int argc, char** argv) {
    BenchGpu   bench = {.filter = argc > 1 ? argv[1] : ""};
    ent_status status = ent_gpu_create(
        &bench.gpu, &(GpuDesc){.device = getenv("ENT_BENCH_DEVICE"), .log = {log_keep, NULL}});
    if (status != ENT_OK) {
        fprintf(stderr, "bench_gpu: %s\n", told[0] ? told : ent_status_text(status));
        return 1;
    }
    const GpuInfo* info = ent_gpu_info(bench.gpu);
    printf("device: %s, %s%s\n", info->name, info->driver,
           info->software ? "; software, times by the wall clock" : "");
    status = copy_measure(&bench);
    if (status != ENT_OK) fprintf(stderr, "bench_gpu: %s\n", told);
    printf("%-34s %10s %9s %9s %6s %9s %5s   %s\n", "work", "count", "ms", "target", "ratio",
           "floor ms", "runs", "passes, ms");
    if (status == ENT_OK) bench_gpu_particles(&bench);
    ent_gpu_destroy(bench.gpu);
    return status != ENT_OK || bench.failed;
}
