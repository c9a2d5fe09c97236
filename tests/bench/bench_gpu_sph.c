/* bench_gpu_sph.c - the fluid: a block with spacings of half of h, about 30 neighbours per
 * particle, and a column that has begun to fall. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu.h"
#include "sph_methods.h"
#include "test_colliders.h"

typedef struct Case {
    const char*      what;
    u32              count;
    const SphMethod* method; /* NULL: that of the product */
    u32              before; /* steps that are run first */
    f64              target_ms;
    u32              colliders; /* of all kinds, in a block */
    bool             unmet;     /* there is room for them, but they are left out */
    u32              fluids;    /* in layers; 0: one */
    bool             bodies;    /* the colliders are moved by the fluid */
} Case;

static const Case steps[] = {
    {"sph step, block", 30000, NULL, 10, 0.060, 0, false, 0, false},
    {"sph step, block", 100000, NULL, 10, 0.07, 0, false, 0, false},
    {"sph step, block", 300000, NULL, 10, 0, 0, false, 0, false},
    {"sph step, block", 1000000, NULL, 10, 0.33, 0, false, 0, false},
    {"sph step, block", 10000000, NULL, 10, 2.4, 0, false, 0, false},
    {"sph step, block, two fluids", 1000000, NULL, 10, 0, 0, false, 2, false},
    {"sph step, dam break after 600 steps", 30000, NULL, 600, 0, 0, false, 0, false},
    {"sph step, dam break after 600 steps", 100000, NULL, 600, 0, 0, false, 0, false},
    {"sph step, dam break after 600 steps", 1000000, NULL, 600, 0, 0, false, 0, false},
    {"sph step, dam break after 600 steps", 10000000, NULL, 600, 3.8, 0, false, 0, false},
    {"sph step of a frame, room for 8 colliders", 1000000, NULL, 10, 0, 8, true, 0, false},
    {"sph step of a frame, room for 1,000 colliders", 1000000, NULL, 10, 0, 1000, true, 0, false},
    {"sph step of a frame, 8 moving colliders", 1000000, NULL, 10, 0, 8, false, 0, false},
    {"sph step of a frame, 1,000 moving colliders", 1000000, NULL, 10, 0, 1000, false, 0, false},
    {"sph step of a frame, 8 bodies", 1000000, NULL, 10, 0, 8, false, 0, true},
    {"sph step of a frame, 1,000 bodies", 1000000, NULL, 10, 0, 1000, false, 0, true},
    {"sph step, block, hashed cells", 100000, &sph_counted_hashed, 10, 0, 0, false, 0, false},
    {"sph step, block, hashed cells", 1000000, &sph_counted_hashed, 10, 0, 0, false, 0, false},
    {"sph step, block, sorted indices", 100000, &sph_sorted_hashed, 10, 0, 0, false, 0, false},
    {"sph step, block, sorted indices", 1000000, &sph_sorted_hashed, 10, 0, 0, false, 0, false},
    {"sph step, block, all pairs", 20480, &sph_all_pairs, 10, 1.33, 0, false, 0, false},
};

static f32 random_unit(u32* state) {
    *state = *state * 1664525u + 1013904223u;
    return (f32)(*state >> 8) * (1.0f / 16777216.0f);
}

/* Marks the places of a block that are in colliders. */
static void block_mark(unsigned char* inside, u32 side, u32 layers, const GpuColliders* in) {
    for (u32 k = 0; in && k < in->count; k++) {
        const ColliderMotion* c = &in->at[k];
        const f32             reach = c->reach_m + 0.5f, at[3] = {c->at.x, c->at.y, c->at.z};
        const u32             max[3] = {side, layers, side};
        u32                   low[3], high[3];
        for (u32 a = 0; a < 3; a++) {
            low[a] = (u32)MAX_OF(2 * (at[a] - reach), 0.0f);
            high[a] = MIN_OF((u32)(2 * (at[a] + reach)) + 1, max[a]);
        }
        for (u32 y = low[1]; y < high[1]; y++)
            for (u32 z = low[2]; z < high[2]; z++)
                for (u32 x = low[0]; x < high[0]; x++) {
                    const Vec3 p = {0.5f * (f32)x + 0.1f, 0.5f * (f32)y + 0.1f,
                                    0.5f * (f32)z + 0.1f};
                    inside[(y * side + z) * side + x] |= ent_collider_distance(c, p) < 0.25f;
                }
    }
}

/* A column twice as high as it is wide, or a cube; not in colliders that are in it, but higher instead. */
static void block_fill(Vec3* position, u32 count, bool column, const GpuColliders* in) {
    const u32      side = (u32)ceil(cbrt(column ? count / 2.0 : count)), layers = 3 * side;
    unsigned char* inside = calloc((size_t)side * side, layers);
    u32            seed = 1;
    if (!inside) abort();
    block_mark(inside, side, layers, in);
    for (u32 i = 0, done = 0; done < count; i++) {
        const f32 x = (f32)(i % side), z = (f32)(i / side % side), y = (f32)(i / side / side);
        if (i >= side * side * layers) abort(); /* colliders leave too little room */
        if (inside[i]) continue;
        position[done++] = (Vec3){0.5f * (x + 0.4f * random_unit(&seed)) + 0.01f,
                                  0.5f * (y + 0.4f * random_unit(&seed)) + 0.01f,
                                  0.5f * (z + 0.4f * random_unit(&seed)) + 0.01f};
    }
    free(inside);
}

/* Spheres, boxes and capsules anywhere in a cube, each as large as some smoothing radii. */
static GpuColliders* colliders_scatter(Gpu* gpu, u32 count, f32 side_m) {
    ColliderMotion* at = malloc(count * sizeof *at);
    GpuColliders*   colliders;
    u32             seed = 9;
    for (u32 i = 0; i < count; i++) {
        const ColliderRecord record = {.kind = COLLIDER_SPHERE + i % 3,
                                       .half_extent_m = {1, 0.5f, 0.7f},
                                       .radius_m = 0.6f,
                                       .length_m = 2,
                                       .restitution = 0.2f};
        const Vec3           place = {side_m * random_unit(&seed), side_m * random_unit(&seed),
                                      side_m * random_unit(&seed)};
        const Quat  turn = quat_unit((Quat){random_unit(&seed), random_unit(&seed), 0.3f, 1});
        const Mat34 pose = mat34_of_pose(&place, &turn, &(Vec3){1, 1, 1});
        Mat34       was = pose;
        was.m[i % 3][3] += 0.01f;
        at[i] = collider_moving(&record, &was, &pose);
    }
    if (ent_gpu_colliders_create(&colliders, gpu) != ENT_OK ||
        ent_gpu_colliders_set(colliders, at, count) != ENT_OK)
        abort();
    free(at);
    return colliders;
}

/* A body of each, as dense as the fluid. */
static void bodies_make(GpuColliders* in) {
    const u32       count = in->count;
    ColliderMotion* at = malloc(count * sizeof *at);
    Body*           body = malloc(count * sizeof *body);
    if (!at || !body) abort();
    for (u32 i = 0; i < count; i++) {
        at[i] = in->at[i];
        at[i].body = i + 1;
        body[i] = (Body){.position = at[i].at, .mass_kg = 8 * 3, .entity = i};
    }
    if (ent_gpu_colliders_set(in, at, count) != ENT_OK ||
        ent_gpu_colliders_bodies(in, body, count) != ENT_OK)
        abort();
    free(at);
    free(body);
}

/* A column is so stiff that its own weight compresses it by a tenth, and its step is as long as
 * that permits. */
static Sph* fluid_create(Bench* b, const Case* c, GpuTimes times, const SphTune* tune) {
    const bool        column = c->before > 100;
    const f32         wide = 0.5f * (f32)ceil(cbrt(c->count / 2.0));
    const f32         stiffness = 10 * 9.81f * 2 * wide;
    const FluidRecord first = {.smoothing_radius_m = 1,
                               .rest_density_kg_m3 = 8,
                               .stiffness = column ? stiffness : 1,
                               .viscosity = column ? 8 : 0.1f,
                               .particle_mass_kg = 1,
                               .gravity_m_s2 = {0, column ? -9.81f : 0, 0},
                               .step_s = column ? 0.3f / sqrtf(stiffness) : 0.001f,
                               .substeps = 1,
                               .speed_max_m_s = c->colliders ? 100 : 0};
    FluidRecord       fluid[2] = {first, first};
    const u32         counts[2] = {c->count / 2, c->count - c->count / 2};
    const Vec4        planes[] = {{0, 1, 0, 0},
                                  {1, 0, 0, 0},
                                  {-1, 0, 0, -2.5f * wide},
                                  {0, 0, 1, 0},
                                  {0, 0, -1, -wide - 0.3f}};
    const f32         restitution[] = {0.2f, 0.2f, 0.2f, 0.2f, 0.2f};
    Vec3*             position = malloc(sizeof(Vec3) * c->count);
    Sph*              sph;
    SphDesc           desc = {.fluid = fluid,
                              .fluid_count = c->fluids,
                              .counts = counts,
                              .count = c->count,
                              .position = position,
                              .colliders =
                        column ? colliders_of_planes(b->gpu, planes, restitution, COUNT_OF(planes))
                                  : c->colliders
                                      ? colliders_scatter(b->gpu, c->colliders, 0.5f * cbrtf((f32)c->count))
                                      : NULL,
                              .moves_bodies = c->bodies,
                              .times = times};
    fluid[1].rest_density_kg_m3 *= 2, fluid[1].particle_mass_kg *= 2;
    block_fill(position, c->count, column, column ? NULL : desc.colliders);
    if (c->bodies) bodies_make(desc.colliders);
    if (c->unmet) {
        ent_gpu_colliders_destroy(desc.colliders);
        desc.colliders = NULL;
    }
    const SphTune    usual = sph_tune(b->gpu, &desc);
    const ent_status status =
        sph_create_tuned(&sph, b->gpu, &desc, tune ? tune : &usual, c->method);
    free(position);
    bench_must(status, c->what);
    return sph;
}

static void fluid_destroy(Sph* sph) {
    GpuColliders* const colliders = sph->desc.colliders;
    ent_sph_destroy(sph);
    ent_gpu_colliders_destroy(colliders);
}

static f64 grid_target(const Case* c) {
    if (c->method) return 0;
    return c->count == 1000000 ? 0.055 : c->count == 10000000 ? 0.30 : 0;
}

/* Counting, prefix sum and moving; or listing, sorting and finding the first particle of each
 * cell. */
static void grid_measure(Bench* b, Sph* sph, const Case* c) {
    const char* what = c->method == &sph_sorted_hashed ? "sph grid (a), sorted indices"
                       : c->method                     ? "sph grid (b), counted, hashed cells"
                                                       : "sph grid (b), counted";
    GpuList     list;
    if (c->method == &sph_all_pairs || c->before > 100) return;
    bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), what);
    if (sph->method->counts) { /* a step has counted already: that is used up first */
        sph_record_grid(sph, &list);
        bench_must(gpu_list_end(&list), what);
        bench_must(gpu_list_run(&list), what);
        gpu_list_destroy(&list);
        bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), what);
        sph_record_count(sph, &list);
    }
    sph_record_grid(sph, &list);
    bench_must(gpu_list_end(&list), what);
    bench_report(b, what, c->count, bench_list(&list), grid_target(c), 88.0 * c->count);
    gpu_list_destroy(&list);
}

static void passes_measure(Bench* b, const Case* c) {
    Sph*        sph = fluid_create(b, c, GPU_TIMES_PASSES, NULL);
    BenchPasses passes = {.runs = 0};
    bench_must(ent_sph_run(sph, c->before), c->what);
    for (u32 i = 0; i < BENCH_RUNS; i++) {
        bench_must(ent_sph_run(sph, 1), c->what);
        bench_passes_add(&passes, ent_sph_times(sph, passes.last, BENCH_PASSES));
    }
    bench_passes_report(&passes);
    fluid_destroy(sph);
}

static void tune_measure(Bench* b, const Case* c, const SphTune* tune) {
    char what[160];
    Sph* sph = fluid_create(b, c, GPU_TIMES_LIST, tune);
    bench_must(ent_sph_run(sph, c->before), c->what);
    snprintf(what, sizeof what, "%s, lanes %u, shared %u, group %u %u, unroll %u, fine %u", c->what,
             tune->lanes, tune->shared, tune->group, tune->force_group, tune->unroll, tune->fine);
    bench_report(b, what, c->count, bench_list(&sph->step), c->target_ms, 0);
    fluid_destroy(sph);
}

/* Only when requested by name: variants of the same step, to find the best default. */
static void bench_tune(Bench* b) {
    const u32 groups[] = {64, 128, 256, 512}, unrolls[] = {2, 4, 8};
    const u32 shares[][2] = {
        {1, 1}, {1, 2}, {2, 1}, {4, 1}}; /* threads, and particles of a thread */
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        const Case* c = &steps[i];
        if (c->method) continue;
        if (c->before > 100 && c->count < 1000000) continue;
        if (!bench_is_selected(b, "tune", c->count)) continue;
        Sph*          sph = fluid_create(b, c, GPU_TIMES_LIST, NULL);
        const SphTune usual = sph->tune;
        fluid_destroy(sph);
        SphTune t = usual;
        tune_measure(b, c, &t);
        for (u32 k = 0; k < COUNT_OF(shares); k++)
            t = usual, t.lanes = shares[k][0], t.shared = shares[k][1], tune_measure(b, c, &t);
        for (u32 fine = 0; fine < 4; fine++)
            t = usual, t.bits_x += fine - t.fine, t.fine = fine, tune_measure(b, c, &t);
        if (c->before > 100) continue;
        for (u32 k = 0; k < COUNT_OF(groups); k++)
            t = usual, t.force_group = groups[k], tune_measure(b, c, &t);
        for (u32 k = 0; k < COUNT_OF(groups); k++)
            t = usual, t.group = groups[k], tune_measure(b, c, &t);
        for (u32 k = 0; k < COUNT_OF(unrolls); k++)
            t = usual, t.unroll = unrolls[k], tune_measure(b, c, &t);
    }
}

/* A step of a frame, in which colliders are moved once. */
static f64 frame_measure(Bench* b, Sph* sph, const Case* c) {
    enum { STEPS = 4 };
    GpuList list;
    bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), c->what);
    bench_must(sph_colliders_begin(sph, NULL, STEPS), c->what);
    bench_must(sph_colliders_record(sph, &list, STEPS), c->what);
    for (u32 i = 0; i < STEPS; i++) {
        if (!c->unmet) sph->push.collider_first = gpu_colliders_first(sph->desc.colliders, i);
        bench_must(sph_bodies_record(sph, &list, i), c->what);
        sph_record_step(sph, &list);
    }
    bench_must(gpu_list_end(&list), c->what);
    const f64 ms = bench_list(&list) / STEPS;
    gpu_list_destroy(&list);
    return ms;
}

void bench_sph(Bench* b) {
    if (b->filter && strcmp(b->filter, "tune") == 0) {
        bench_tune(b);
        return;
    }
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        const Case* c = &steps[i];
        if (!bench_is_selected(b, c->what, c->count)) continue;
        Sph*      sph = fluid_create(b, c, GPU_TIMES_LIST, NULL);
        const u32 before = b->gpu->info.software ? MIN_OF(c->before, 10u) : c->before;
        bench_must(ent_sph_run(sph, before), c->what);
        bench_report(b, c->what, c->count,
                     c->colliders ? frame_measure(b, sph, c) : bench_list(&sph->step), c->target_ms,
                     !c->method ? 276.0 * c->count : 0);
        if (!b->gpu->info.software) {
            passes_measure(b, c);
            grid_measure(b, sph, c);
        }
        fluid_destroy(sph);
    }
}
