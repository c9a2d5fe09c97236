/* bench_gpu_frames.c - what a frame of at least 40 passes costs the host, without the driver's submission: with
 * other passes than before, and with the same. */
#include <stdlib.h>

#include "bench_gpu.h"
#include "gpu_frame_internal.h"
#include "sph_internal.h"

#define PASSES 40u
#define SIDE   16u /* of a cube of particles */

static Sph* fluid_create(Bench* b) {
    const FluidRecord record = {.spacing_m = 0.05f,
                                .smoothing_radius_m = 0.1f,
                                .rest_density_kg_m3 = 1000,
                                .particle_mass_kg = 0.125f,
                                .stiffness = 20,
                                .viscosity = 0.5f,
                                .gravity_m_s2 = {0, -9.81f, 0},
                                .step_s = 0.0005f,
                                .substeps = 1};
    Vec3              at[SIDE * SIDE * SIDE];
    Sph*              sph;
    for (u32 i = 0; i < COUNT_OF(at); i++)
        at[i] = (Vec3){(f32)(i % SIDE) * 0.05f, (f32)(i / SIDE % SIDE) * 0.05f,
                       (f32)(i / SIDE / SIDE) * 0.05f};
    const SphDesc desc = {.fluid = &record, .count = COUNT_OF(at), .position = at};
    bench_must(ent_sph_create(&sph, b->gpu, &desc), "a fluid");
    return sph;
}

static u32 passes_of(const Sph* sph, Gpu* gpu) {
    GpuList list = {0};
    gpu_list_restart(&list, gpu, GPU_TIMES_NONE);
    sph_record_step(sph, &list);
    const u32 count = list.script.step_count;
    gpu_list_destroy(&list);
    return count;
}

typedef struct Costs {
    f64 record_ms[BENCH_RUNS], submit_ms[BENCH_RUNS];
    u32 count, recorded;
} Costs;

static void cost_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Costs* costs = user;
    UNUSED(times), UNUSED(count);
    if (cost->frame <= GPU_FRAMES_IN_FLIGHT || costs->count == BENCH_RUNS) return;
    costs->recorded += cost->recorded != 0;
    costs->submit_ms[costs->count] = cost->submit_ms;
    costs->record_ms[costs->count++] = cost->record_ms;
}

/* Each of the two frames in flight has the same fluid as before, or the other one. */
static void frames_measure(Bench* b, Sph* const* fluid, bool changes, f64 target_ms) {
    Costs               costs = {0};
    const GpuFramesDesc desc = {GPU_TIMES_NONE, cost_keep, &costs};
    const u32           each = passes_of(fluid[0], b->gpu), steps = (PASSES + each - 1) / each;
    GpuFrames*          frames;
    GpuFrame*           frame;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 i = 0; i < BENCH_RUNS + 2 * GPU_FRAMES_IN_FLIGHT; i++) {
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        bench_must(ent_sph_record(fluid[changes ? i / GPU_FRAMES_IN_FLIGHT % 2 : 0], frame, steps),
                   "steps");
        bench_must(ent_gpu_frame_end(frame), "a frame");
    }
    bench_must(ent_gpu_frames_wait(frames), "frames");
    ent_gpu_frames_destroy(frames);
    if (costs.recorded != (changes ? costs.count : 0)) bench_must(ENT_IO, "recording");
    bench_report(b,
                 changes ? "frames: host, passes recorded anew" : "frames: host, the same passes",
                 steps * each, bench_median(costs.record_ms, costs.count), target_ms, 0);
    bench_report(b, changes ? "frames: submission of new commands" : "frames: submission",
                 steps * each, bench_median(costs.submit_ms, costs.count), 0, 0);
}

void bench_frames(Bench* b) {
    if (!bench_is_selected(b, "frames", PASSES)) return;
    Sph* const fluid[] = {fluid_create(b), fluid_create(b)};
    frames_measure(b, fluid, true, 0.060);
    frames_measure(b, fluid, false, 0.015);
    for (u32 i = 0; i < COUNT_OF(fluid); i++) ent_sph_destroy(fluid[i]);
}
