/* bench_gpu_particles.c - particles in bins: one per bin, the largest as wide as a bin, 46 % of the
 * plane filled. */
#include <math.h>

#include "bench_gpu.h"
#include "particles_lists.h"

#define STEP_BYTES 160 /* of a particle in the order of bins, as counted in particles.c */
#define STEPS_MANY 8

typedef struct Row {
    const char* what;
    u32         count, steps; /* steps of a list, of which one is reported */
    int         unordered;
    f64         target_ms;
    bool        emitted; /* a thousandth begins in each step, and ends after 20 */
} Row;

static const Row rows[] = {
    {"particles step, in bins", 100000, 1, 0, 0, false},
    {"particles step, in bins", 1000000, 1, 0, 0.24, false},
    {"particles step, in bins", 10000000, 1, 0, 0.53, false},
    {"particles step, in bins, with emission", 1000000, 1, 0, 0, true},
    {"particles step, in bins, with emission", 10000000, 1, 0, 0, true},
    {"particles step, in bins, of eight in a list", 1000000, STEPS_MANY, 0, 0, false},
    {"particles step, in bins, of eight in a list", 10000000, STEPS_MANY, 0, 0, false},
    {"particles step, lists of unordered", 100000, 1, 1, 0, false},
    {"particles step, lists of unordered", 1000000, 1, 1, 0, false},
    {"particles step, lists of unordered", 10000000, 1, 1, 0, false},
};

static Particles* particles_created(const Bench* b, const Row* row, GpuTimes times) {
    const f32                  half = (f32)sqrt((f64)row->count) / 2;
    const u32                  lives = 20, part = row->emitted ? row->count / 1000 : 0;
    const ParticleSystemRecord record = {.count = row->count - lives * part,
                                         .capacity = row->emitted ? row->count + 2 * part : 0,
                                         .half_extent_m = {half, half},
                                         .radius_min_m = 0.25f,
                                         .radius_max_m = 0.5f,
                                         .speed_max_m_s = 0.5f,
                                         .size_end = 1,
                                         .seed = 3};
    const ParticlesDesc        desc = {.system = &record, .step_s = 0.02f, .times = times};
    Particles*                 particles;
    const ParticlesMethod*     method = row->unordered ? &particles_lists : NULL;
    bench_must(particles_create(&particles, b->gpu, &desc, method), row->what);
    if (row->emitted) {
        EntEmitterAt      e = {.record = {.half_extent_m = {half, half, 0},
                                          .rate_per_s = (f32)part / desc.step_s,
                                          .life_s = (f32)lives * desc.step_s,
                                          .seed = 1},
                               .pose = mat34_identity};
        const EntEmission emission = {.emitter = &e, .emitter_count = 1};
        ent_particles_emission(particles, &emission);
        bench_must(ent_particles_run(particles, 2 * lives), row->what);
    }
    return particles;
}

static u32 runs_of(const Bench* b) { return b->gpu->info.software ? 3 : BENCH_RUNS; }

static void passes_measure(const Bench* b, const Row* row) {
    Particles*  particles = particles_created(b, row, GPU_TIMES_PASSES);
    BenchPasses passes = {.runs = 0};
    for (u32 i = 0; i < runs_of(b); i++) {
        bench_must(ent_particles_run(particles, 1), row->what);
        bench_passes_add(&passes, ent_particles_times(particles, passes.last, BENCH_PASSES));
    }
    bench_passes_report(&passes);
    ent_particles_destroy(particles);
}

void bench_particles(Bench* b) {
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Row* row = &rows[i];
        f64        ms[BENCH_RUNS];
        if (!bench_is_selected(b, row->what, row->count)) continue;
        Particles* particles = particles_created(b, row, GPU_TIMES_LIST);
        bench_must(ent_particles_run(particles, STEPS_MANY), row->what);
        for (u32 k = 0; k < runs_of(b); k++) {
            bench_must(ent_particles_run(particles, row->steps), row->what);
            ms[k] = ent_particles_ms(particles);
        }
        bench_report(b, row->what, row->count, bench_median(ms, runs_of(b)), row->target_ms,
                     row->unordered ? 0 : (f64)row->count * STEP_BYTES);
        if (row->steps == 1) passes_measure(b, row);
        ent_particles_destroy(particles);
    }
}
