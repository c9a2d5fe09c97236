/* bench_gpu.c - the speed of the GPU systems: bench_gpu [FILTER [DEVICE [CSV]]]
 *
 * Times are measured by the device around a complete list of passes with its barriers, the median
 * of many runs; on a software device they are measured by the host. Each row prints its target, and
 * the time of a copy of the bytes that the work must move. CSV: the file to which rows are written
 * like those of tests/bench.csv, with the time relative to its target, or to the copy if there is
 * none, and with the program without its hash, which bench.py adds. */
#include "bench_gpu.h"

#include <stdio.h>
#include <stdlib.h>

#include "copy.comp.h"
#include "clock.h"
#include "file.h"
#include "scan.h"

#define COPY_BYTES ((u64)1 << 30)
#define SPIN_NS    200000000u

void bench_must(ent_status status, const char* what) {
    if (status == ENT_OK) return;
    fprintf(stderr, "bench_gpu: %s: %s\n", what, ent_status_text(status));
    exit(1);
}

static void log_print(void* user, LogLevel level, const char* text) {
    UNUSED(user), UNUSED(level);
    fprintf(stderr, "bench_gpu: %s\n", text);
}

static int by_value(const void* a, const void* b) {
    const f64 x = *(const f64*)a, y = *(const f64*)b;
    return (x > y) - (x < y);
}

f64 bench_median(f64* values, u32 count) {
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

f64 bench_list(GpuList* list) {
    f64       ms[BENCH_RUNS];
    const u32 runs = list->gpu->info.software ? 5 : BENCH_RUNS;
    for (u32 i = 0; i < 3; i++) bench_must(gpu_list_run(list), "a list");
    for (u32 i = 0; i < runs; i++) {
        bench_must(gpu_list_run(list), "a list");
        ms[i] = list->ms;
    }
    return bench_median(ms, runs);
}

bool bench_is_selected(Bench* b, const char* what, u64 count) {
    if (b->filter && !strstr(what, b->filter)) return false;
    if (b->gpu->info.software && count > 400000) return false; /* not of interest there */
    const u64 start = clock_ns();
    while (!b->gpu->info.software && clock_ns() - start < SPIN_NS)
        bench_must(gpu_list_run(&b->spin), "a copy");
    return true;
}

/* A row of tests/bench.csv, whose fields are separated by commas. */
static void row_write(const Bench* b, const char* what, u64 count, f64 value, const char* unit,
                      f64 ratio, const char* target) {
    char name[640];
    if (!b->csv) return;
    snprintf(name, sizeof name, "gpu %s: %s", b->gpu->info.name, what);
    for (char* at = name; *at; at++) {
        if (*at == ',') *at = ';';
    }
    fprintf(b->csv, "%s,%llu,%.4f,%s,%.2f,%s,%s\n", name, (unsigned long long)count, value, unit,
            ratio, target, b->program);
}

/* The time relative to its target, or to a copy of the bytes that must be moved; or alone. */
static void rows_write(const Bench* b, const char* what, u64 count, f64 ms, f64 target_ms,
                       f64 bytes) {
    char name[256];
    if (target_ms > 0) {
        snprintf(name, sizeof name, "%s / %g ms", what, target_ms);
        row_write(b, name, count, ms, "ms", ms / target_ms, "<= 1");
    }
    if (bytes > 0) {
        snprintf(name, sizeof name, "%s / a copy of its bytes", what);
        row_write(b, name, count, ms, "ms", ms * b->copy_gb_s * 1e6 / bytes, "");
    }
    if (target_ms <= 0 && bytes <= 0) row_write(b, what, count, ms, "ms", 1, "");
}

void bench_report(const Bench* b, const char* what, u64 count, f64 ms, f64 target_ms, f64 bytes) {
    printf("%-52s %10llu %10.4f ms", what, (unsigned long long)count, ms);
    if (target_ms > 0)
        printf("  %7.3f %s", target_ms, ms <= target_ms ? "      " : "missed");
    else
        printf("  %7s %6s", "", "");
    if (bytes > 0) printf("  %9.4f", bytes / b->copy_gb_s / 1e6);
    printf("\n");
    fflush(stdout);
    rows_write(b, what, count, ms, target_ms, bytes);
}

void bench_report_beside(const Bench* b, const char* what, const char* other, u64 count, f64 ms,
                         f64 other_ms, f64 max) {
    char name[200], bound[32];
    snprintf(name, sizeof name, "%s / %s", what, other);
    snprintf(bound, sizeof bound, "<= %g", max);
    printf("%-52s %10llu %10.4f ms  %7.3f %s\n", name, (unsigned long long)count, ms,
           other_ms * max, ms <= other_ms * max ? "      " : "missed");
    row_write(b, name, count, ms, "ms", ms / other_ms, bound);
}

void bench_passes_add(BenchPasses* p, u32 count) {
    assert(p->runs < BENCH_RUNS && count <= BENCH_PASSES);
    for (u32 i = 0; i < count; i++) p->ms[i][p->runs] = p->last[i].ms;
    p->count = count;
    p->runs++;
}

void bench_passes_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    BenchPasses* p = user;
    if (cost->frame <= 2 || p->runs == BENCH_RUNS) return;
    memcpy(p->last, times, count * sizeof *times);
    bench_passes_add(p, count);
}

f64 bench_passes_ms(const BenchPasses* p, const char* name, const char* other) {
    f64 sums[BENCH_RUNS] = {0};
    for (u32 i = 0; i < p->count; i++) {
        const char* pass = p->last[i].name;
        if (strcmp(pass, name) != 0 && (!other || strcmp(pass, other) != 0)) continue;
        for (u32 k = 0; k < p->runs; k++) sums[k] += p->ms[i][k];
    }
    return bench_median(sums, p->runs);
}

void bench_passes_report(BenchPasses* p) {
    for (u32 i = 0; i < p->count; i++)
        printf("    %-12s %-35s %10s %10.4f ms\n", p->last[i].group, p->last[i].name, "",
               bench_median(p->ms[i], p->runs));
}

static void copy_measure(Bench* b) {
    const u64              bytes = MIN_OF(COPY_BYTES, b->gpu->info.buffer_bytes / 2);
    const GpuBufferRequest requests[] = {{&b->from, bytes, 1, "copy"}, {&b->to, bytes, 1, "copy"}};
    bench_must(gpu_kernel_create(&b->copy, b->gpu, &GPU_KERNEL(copy, 256)), "copy");
    bench_must(gpu_pool_create(&b->pool, b->gpu, requests, 2), "copy");
    bench_must(gpu_fill(b->gpu, &b->from, 0x12345678), "copy");
    bench_must(gpu_list_begin(&b->spin, b->gpu, GPU_TIMES_LIST), "copy");
    gpu_pass(&b->spin, &(GpuPass){.name = "copy",
                                  .kernel = &b->copy,
                                  .use = {{&b->from, GPU_READ}, {&b->to, GPU_WRITE}},
                                  .threads = bytes / 16});
    bench_must(gpu_list_end(&b->spin), "copy");
    bench_is_selected(b, b->filter ? b->filter : "copy", 0);
    b->copy_gb_s = 2 * (f64)bytes / bench_list(&b->spin) / 1e6;
    printf("%s, %s\n", b->gpu->info.name, b->gpu->info.driver);
    printf("%-52s %10.0f GB/s\n", "copy, bytes read and written", b->copy_gb_s);
    row_write(b, "copy, bytes read and written", bytes, b->copy_gb_s, "GB/s", 1, "");
    printf("%-52s %10s %13s  %7s %6s  %9s\n", "", "n", "", "target", "", "bytes, ms");
}

static void scan_measure(Bench* b, const char* what, u32 count, f64 target_ms,
                         const ScanTune* tune) {
    Scan                   scan;
    GpuPool                pool;
    GpuBuffer              words;
    GpuList                list;
    bool                   gave_up;
    const GpuBufferRequest request = {&words, count, 4, "prefix sum"};
    if (!bench_is_selected(b, what, count)) return;
    bench_must(tune ? scan_create_tuned(&scan, b->gpu, count, false, tune)
                    : scan_create(&scan, b->gpu, count, false),
               "scan");
    bench_must(gpu_pool_create(&pool, b->gpu, &request, 1), "scan");
    bench_must(gpu_fill(b->gpu, &words, 3), "scan");
    bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), "scan");
    scan_record(&scan, &list, &words, &words, count);
    bench_must(gpu_list_end(&list), "scan");
    bench_report(b, what, count, bench_list(&list), target_ms, 8.0 * count);
    bench_must(scan_gave_up(&scan, &gave_up), "scan");
    if (gave_up) printf("    groups gave up\n");
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
}

void bench_scan(Bench* b) {
    const u32 counts[] = {1u << 17, 1u << 20, 1u << 24, 1u << 26};
    const f64 targets[] = {0, 0.012, 0, 0.18};
    for (u32 i = 0; i < COUNT_OF(counts); i++)
        scan_measure(b, "prefix sum", counts[i], targets[i], NULL);
}

/* Only when requested by name: variants of the single pass, and multiple passes. */
static void bench_scan_tune(Bench* b) {
    const u32 counts[] = {1u << 22, 1u << 23, 1u << 24, 1u << 26};
    const u32 groups[] = {256, 512}, vectors[] = {4, 8};
    if (!b->filter || strcmp(b->filter, "scan tune") != 0) return;
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        scan_measure(b, "scan tune, multiple passes", counts[i], 0, &(ScanTune){false, 0, 0, 0});
        for (u32 k = 0; k < COUNT_OF(groups) * COUNT_OF(vectors); k++) {
            const ScanTune tune = {true, groups[k % 2], vectors[k / 2], 1u << 16};
            char           what[64];
            snprintf(what, sizeof what, "scan tune, group %u, vectors %u", tune.group,
                     tune.vectors);
            scan_measure(b, what, counts[i], 0, &tune);
        }
    }
}

/* What is measured, each with the file that contains it. */
static const struct {
    const char* program;
    void (*run)(Bench* b);
} PARTS[] = {
    {"bench_gpu", bench_scan},
    {"bench_gpu", bench_scan_tune},
    {"bench_gpu_sph", bench_sph},
    {"bench_gpu_particles", bench_particles},
    {"bench_gpu_spheres", bench_spheres},
    {"bench_gpu_water", bench_water},
    {"bench_gpu_pool", bench_pool},
    {"bench_gpu_meshes", bench_meshes},
    {"bench_gpu_reload", bench_reload},
    {"bench_gpu_frames", bench_frames},
    {"bench_gpu_skinning", bench_skinning},
    {"bench_gpu_layout", bench_skinning_layout},
    {"bench_gpu_animators", bench_animators},
    {"bench_gpu_morph", bench_morph},
    {"bench_gpu_lights", bench_lights},
    {"bench_gpu_normals", bench_normals},
    {"bench_gpu_shadows", bench_shadows},
    {"bench_gpu_crowds", bench_crowds},
};

int main(int argc, char** argv) {
    Bench         b = {.filter = argc > 1 && *argv[1] ? argv[1] : NULL, .program = "bench_gpu"};
    const GpuDesc desc = {.device = argc > 2 && *argv[2] ? argv[2] : NULL,
                          .log = {log_print, NULL}};
    bench_must(ent_gpu_create(&b.gpu, &desc), "a device");
    if (argc > 3 && !(b.csv = fopen(argv[3], "w"))) bench_must(ENT_IO, argv[3]);
    copy_measure(&b);
    for (u32 i = 0; i < COUNT_OF(PARTS); i++) {
        b.program = PARTS[i].program;
        PARTS[i].run(&b);
    }
    if (b.csv && fclose(b.csv) != 0) bench_must(ENT_IO, argv[3]);
    gpu_list_destroy(&b.spin);
    gpu_pool_destroy(&b.pool);
    gpu_kernel_destroy(&b.copy);
    ent_gpu_destroy(b.gpu);
    return 0;
}
