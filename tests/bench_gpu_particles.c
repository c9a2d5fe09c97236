/* bench_gpu_particles.c - particles in bins: one a bin, the largest as wide as a bin, 46 % of the
 * plane full. Times are of a step, after as many as it took to warm up. */
#include "bench_gpu.h"

#include <math.h>

#include "particles.h"

static ent_status create(void** made, Gpu* gpu, const void* desc, GpuTimes times) {
    Particles*    particles;
    ParticlesDesc d = *(const ParticlesDesc*)desc;
    d.times = times;
    const ent_status status = ent_particles_create(&particles, gpu, &d);
    *made = particles;
    return status;
}

static ent_status run(void* made) { return ent_particles_run(made, 1); }
static f64        ms(const void* made) { return ent_particles_ms(made); }
static u32        times(const void* made, GpuTime* all, u32 capacity) {
           return ent_particles_times(made, all, capacity);
}
static void destroy(void* made) { ent_particles_destroy(made); }

/* Eight steps in one list: what waiting at the ends of a list costs is left out. */
static ent_status run_eight(void* made) { return ent_particles_run(made, 8); }

#define STEP_BYTES 200 /* of a particle: particles.c counts them */

static void row_put(BenchGpu* bench, const char* name, const BenchGpuSystem* system, u32 count,
                    f64 target_ms, int unordered) {
    const f32                  half = (f32)sqrt((f64)count) / 2;
    const ParticleSystemRecord record = {.count = count,
                                         .half_extent_m = {half, half},
                                         .radius_min_m = 0.25f,
                                         .radius_max_m = 0.5f,
                                         .speed_max_m_s = 0.5f,
                                         .seed = 3};
    const ParticlesDesc        desc = {.system = &record, .step_s = 0.02f, .unordered = unordered};
    bench_gpu_row(bench, &(BenchGpuRow){.name = name,
                                        .count = count,
                                        .target_ms = target_ms,
                                        .bytes = unordered ? 0 : (f64)count * STEP_BYTES,
                                        .system = system,
                                        .desc = &desc});
}

void bench_gpu_particles(BenchGpu* bench) {
    static const BenchGpuSystem one = {create, run, ms, times, destroy};
    static const BenchGpuSystem eight = {create, run_eight, ms, times, destroy};
    static const struct {
        u32 count;
        f64 target_ms; /* issue of the GPU's ground floor; CUDA: 0.223, 1.97 */
    } sizes[] = {{100000, 0}, {1000000, 0.24}, {10000000, 2.1}};
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        const u32 count = sizes[i].count;
        row_put(bench, "particles in bins", &one, count, sizes[i].target_ms, 0);
        row_put(bench, "particles in bins, 8 steps a list", &eight, count, sizes[i].target_ms, 0);
        row_put(bench, "particles in bins, unordered", &one, count, 0, 1);
    }
}
