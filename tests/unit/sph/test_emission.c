/* test_emission.c - particles that begin and end, of fluids and particle systems, against a plain model: how many there are after each
 * step, where they begin bit by bit, what sinks take, what has no room, and a fountain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "particles.h"
#include "rows.h"
#include "sph_internal.h"
#include "test_colliders.h"
#include "test_entities.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

static const f32 step_s = 0.01f;

static bool is_existing(f32 x) { return x == x; }

/* Particles that nothing moves but their velocity. */
static FluidRecord free_fluid(void) {
    return (FluidRecord){.smoothing_radius_m = 0.1f,
                         .rest_density_kg_m3 = 1,
                         .particle_mass_kg = 1e-12f,
                         .spacing_m = 0.05f,
                         .step_s = step_s,
                         .substeps = 1};
}

static EntEmitterAt emitter_at(Vec3 at, f32 rate_per_s) {
    EntEmitterAt e = {.record = {.half_extent_m = {0.2f, 0.1f, 0.3f},
                                 .rate_per_s = rate_per_s,
                                 .velocity_m_s = {0.5f, 2, -1},
                                 .spread_rad = 0.3f,
                                 .seed = 7},
                      .pose = mat34_identity};
    e.pose.m[0][3] = at.x, e.pose.m[1][3] = at.y, e.pose.m[2][3] = at.z;
    return e;
}

static Sph* sph_create_empty(const FluidRecord* fluid, u32 capacity) {
    const SphDesc desc = {.fluid = fluid, .capacity = capacity};
    Sph*          sph;
    assert_int_equal(ent_sph_create(&sph, gpu_for_test(), &desc), ENT_OK);
    return sph;
}

static void sph_frame(Sph* sph, u32 steps) {
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, ent_sph_record(sph, frame, steps)), ENT_OK);
}

static EntEmissionCounts sph_counts(const Sph* sph) {
    EntEmissionCounts counts;
    assert_int_equal(ent_sph_emission_counts(sph, 0, &counts), ENT_OK);
    return counts;
}

/* --- the model of an emitter, in the arithmetic of floats --- */

static u32 hash_word(u32 x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static f32 signed_float(u32 bits) { return (f32)(bits >> 8) / 8388608.0f - 1; }

static Vec2 circle_point(u32* random) {
    Vec2 at = {0, 0};
    for (u32 n = 0; n < 16; n++, *random += 2) {
        at = (Vec2){signed_float(hash_word(*random)), signed_float(hash_word(*random + 1))};
        if (at.x * at.x + at.y * at.y <= 1) {
            *random += 2;
            return at;
        }
    }
    return (Vec2){0, 0};
}

/* Particles before a step: the rate of a step has 32 bits behind the point. */
static u64 emitted_until(f32 rate_per_s, u64 step) {
    const u64 rate = (u64)floor((f64)rate_per_s * (f64)step_s * 4294967296.0 + 0.5);
    return (rate >> 32) * step + ((rate & UINT32_MAX) * step >> 32); /* steps are few */
}

static u32 reversed(u32 x) {
    u32 out = 0;
    for (u32 k = 0; k < 32; k++) out |= (x >> k & 1) << (31 - k);
    return out;
}

typedef struct Begun {
    Vec3 position, velocity;
} Begun;

/* Particle `index` of an emitter whose pose moves from one to another in the frame of one step. */
static Begun begun_at(const EntEmitterAt* e, const Mat34* was, u32 index) {
    const EmitterRecord* r = &e->record;
    const f32            half[3] = {r->half_extent_m.x, r->half_extent_m.y, r->half_extent_m.z};
    const f32            fraction = (f32)(reversed(index) >> 8) / 16777216.0f;
    u32                  random = hash_word(hash_word(r->seed) + index) * 64;
    f32                  unit[3] = {0, signed_float(hash_word(random)), 0};
    random++;
    if (r->shape == EMITTER_DISC) {
        const Vec2 at = circle_point(&random);
        unit[0] = at.x, unit[2] = at.y;
    } else {
        unit[0] = signed_float(hash_word(random)), unit[2] = signed_float(hash_word(random + 1));
        random += 2;
    }
    const Vec2 aside = circle_point(&random);
    f32        begin[3];
    for (u32 a = 0; a < 3; a++) {
        f32 row[4];
        for (u32 c = 0; c < 4; c++) {
            const f32 from = was->m[a][c] * (c < 3 ? half[c] : 1),
                      to = e->pose.m[a][c] * (c < 3 ? half[c] : 1);
            row[c] = from + (to - from) * fraction;
        }
        begin[a] = row[0] * unit[0] + row[1] * unit[1] + row[2] * unit[2] + row[3];
    }
    /* Without a turn of the pose, the sides of its velocity are those of the vector. */
    const Vec3 v = r->velocity_m_s;
    const Vec3 n = {fabsf(v.x), fabsf(v.y), fabsf(v.z)};
    const Vec3 other = n.x <= n.y && n.x <= n.z ? (Vec3){1, 0, 0}
                       : n.y <= n.z             ? (Vec3){0, 1, 0}
                                                : (Vec3){0, 0, 1};
    const Vec3 x = vec3_unit(vec3_cross(v, other)), y = vec3_unit(vec3_cross(v, x));
    const f32  across = vec3_length(v) * tanf(r->spread_rad), age = (1 - fraction) * step_s;
    const Vec3 sx = vec3_scale(vec3_scale(x, across), aside.x),
               sy = vec3_scale(vec3_scale(y, across), aside.y);
    const Vec3 velocity = {v.x + (sx.x + sy.x), v.y + (sx.y + sy.y), v.z + (sx.z + sy.z)};
    return (Begun){
        {begin[0] + velocity.x * age, begin[1] + velocity.y * age, begin[2] + velocity.z * age},
        velocity};
}

/* --- where particles begin --- */

/* Without a velocity a particle stays where it begins, bit by bit. With one, its velocity stays, and its place is that after one step. */
static void particles_begin_where_and_when_the_model_states(void** state) {
    enum { CAPACITY = 700 };
    const FluidRecord fluid = free_fluid();
    UNUSED(state);
    for (u32 run = 0; run < 6; run++) {
        EntEmitterAt      e = emitter_at((Vec3){1, -2, 3}, 1234.5f);
        const EntEmission emission = {.emitter = &e, .emitter_count = 1};
        Sph*              sph = sph_create_empty(&fluid, CAPACITY);
        Vec3              position[CAPACITY], velocity[CAPACITY];
        Mat34             was = e.pose;
        u32               bad = 0;
        e.record.shape = run & 1 ? EMITTER_DISC : EMITTER_BOX;
        e.record.seed += run;
        if (run >= 4) e.record.velocity_m_s = (Vec3){0, 0, 0};
        ent_sph_emission(sph, 0, &emission);
        for (u32 step = 0; step < 40; step++) {
            const u32 from = (u32)emitted_until(1234.5f, step),
                      to = (u32)emitted_until(1234.5f, step + 1);
            sph_frame(sph, 1);
            assert_int_equal(ent_sph_read(sph, position, velocity, NULL), ENT_OK);
            for (u32 i = from; i < to; i++) {
                const Begun b = begun_at(&e, &was, i);
                const Vec3  end = vec3_add_scaled(b.position, b.velocity, step_s);
                bad += memcmp(&b.velocity, &velocity[i], sizeof b.velocity) != 0;
                bad += run >= 4 ? memcmp(&b.position, &position[i], sizeof b.position) != 0
                                : !(vec3_length(vec3_sub(end, position[i])) < 2e-6f);
            }
            for (u32 i = to; i < CAPACITY; i++) bad += is_existing(position[i].x);
            if (bad) fail_msg("run %u, step %u: %u of %u are wrong", run, step, bad, to - from);
            was = e.pose;
            if (run >= 2) e.pose.m[0][3] += 0.25f;
            ent_sph_emission(sph, 0, &emission);
        }
        const EntEmissionCounts counts = sph_counts(sph);
        assert_int_equal(counts.emitted, emitted_until(1234.5f, 40));
        assert_int_equal(counts.alive, counts.emitted);
        assert_int_equal(counts.refused, 0);
        ent_sph_destroy(sph);
    }
    test_gpu_silent();
}

/* Of several steps of a frame, those of an emitter that moves are between its poses. */
static void emitter_that_moves_leaves_no_gaps_in_a_frame(void** state) {
    enum { CAPACITY = 4000, STEPS = 8 };
    const FluidRecord fluid = free_fluid();
    EntEmitterAt      e = emitter_at((Vec3){0, 0, 0}, 20000);
    const EntEmission emission = {.emitter = &e, .emitter_count = 1};
    Sph*              sph = sph_create_empty(&fluid, CAPACITY);
    Vec3              position[CAPACITY];
    u32               part[32] = {0};
    UNUSED(state);
    e.record.half_extent_m = (Vec3){0, 0, 0};
    e.record.velocity_m_s = (Vec3){0, 0, 0};
    ent_sph_emission(sph, 0, &emission);
    e.pose.m[0][3] = 16;
    ent_sph_emission(sph, 0, &emission);
    sph_frame(sph, STEPS);
    assert_int_equal(ent_sph_read(sph, position, NULL, NULL), ENT_OK);
    for (u32 i = 0; i < 20000 * STEPS / 100; i++) part[(u32)(position[i].x * 2)]++;
    for (u32 k = 0; k < 32; k++)
        if (part[k] < 45 || part[k] > 55) fail_msg("part %u has %u of 50 particles", k, part[k]);
    ent_sph_destroy(sph);
    test_gpu_silent();
}

/* --- where they end --- */

/* A model of what exists: each particle moves along a line, until its life is over or a sink takes it. */
typedef struct Line {
    f64  at[3], v[3];
    u32  ends; /* step; 0: never */
    bool over;
} Line;

/* A box that is turned about Y, and a disc that lies. */
static bool sinks_take(const Line* l, f64* edge) {
    const f64 c = cos(0.5), s = sin(0.5), x = l->at[0] - 1, y = l->at[1] - 1.5, z = l->at[2];
    const f64 box[3] = {fabs(c * x - s * z) - 0.4, fabs(y) - 0.3, fabs(s * x + c * z) - 2};
    const f64 disc[2] = {hypot(l->at[0] + 1, l->at[2]) - 0.5, fabs(l->at[1] - 1) - 0.1};
    const f64 in_box = fmax(fmax(box[0], box[1]), box[2]), in_disc = fmax(disc[0], disc[1]);
    *edge = fmin(fabs(in_box), fabs(in_disc));
    return in_box <= 0 || in_disc <= 0;
}

static void sinks_and_lives_end_particles_as_in_a_model(void** state) {
    enum { CAPACITY = 3000, STEPS = 120 };
    const FluidRecord fluid = free_fluid();
    const Quat        turn = {0, sinf(0.25f), 0, cosf(0.25f)};
    const Vec3        one = {1, 1, 1}, box_at = {1, 1.5f, 0};
    EntEmitterAt      e = emitter_at((Vec3){0, 0, 0}, 2000);
    EntSinkAt         sink[2] = {{.record = {.half_extent_m = {0.4f, 0.3f, 2}}},
                                 {.record = {.shape = EMITTER_DISC, .half_extent_m = {0.5f, 0.1f, 0.5f}},
                                  .pose = mat34_identity}};
    const EntEmission emission = {
        .emitter = &e, .emitter_count = 1, .sink = sink, .sink_count = COUNT_OF(sink)};
    Sph*  sph = sph_create_empty(&fluid, CAPACITY);
    Line* line = calloc(STEPS * 20, sizeof *line);
    Vec3* position = malloc(CAPACITY * sizeof *position);
    u32   lines = 0, taken = 0, aged = 0;
    UNUSED(state);
    sink[0].pose = mat34_of_pose(&box_at, &turn, &one);
    sink[1].pose.m[0][3] = -1, sink[1].pose.m[1][3] = 1;
    e.record.velocity_m_s = (Vec3){0, 2, 0};
    e.record.spread_rad = 0.8f;
    e.record.life_s = 0.9f;
    ent_sph_emission(sph, 0, &emission);
    for (u32 step = 0; step < STEPS; step++) {
        u32 alive = 0, unsure = 0, exist = 0;
        for (; lines < emitted_until(2000, step + 1); lines++) {
            const Begun b = begun_at(&e, &e.pose, lines);
            line[lines] = (Line){{(f64)b.position.x, (f64)b.position.y, (f64)b.position.z},
                                 {(f64)b.velocity.x, (f64)b.velocity.y, (f64)b.velocity.z},
                                 step + 90,
                                 false};
        }
        for (u32 i = 0; i < lines; i++) {
            Line* l = &line[i];
            f64   edge;
            for (u32 a = 0; a < 3; a++) l->at[a] += l->v[a] * (f64)step_s;
            const bool now = sinks_take(l, &edge), old = step + 1 >= l->ends;
            if (!l->over) taken += now, aged += old;
            unsure += !l->over && edge < 1e-5;
            l->over |= now || old;
            alive += !l->over;
        }
        sph_frame(sph, 1);
        const EntEmissionCounts counts = sph_counts(sph);
        assert_int_equal(ent_sph_read(sph, position, NULL, NULL), ENT_OK);
        for (u32 i = 0; i < CAPACITY; i++) exist += is_existing(position[i].x);
        assert_int_equal(exist, counts.alive);
        if (exist + unsure < alive || exist > alive + unsure)
            fail_msg("step %u: %u exist instead of %u", step, exist, alive);
        for (u32 i = 0; i < lines && step % 10 == 9; i++) { /* each has its place */
            bool found = line[i].over;
            for (u32 k = 0; k < CAPACITY && !found; k++)
                found = fabs(line[i].at[0] - (f64)position[k].x) < 1e-4 &&
                        fabs(line[i].at[1] - (f64)position[k].y) < 1e-4 &&
                        fabs(line[i].at[2] - (f64)position[k].z) < 1e-4;
            if (!found && unsure == 0) fail_msg("step %u: particle %u does not exist", step, i);
        }
    }
    assert_true(taken > 300 && aged > 100);
    ent_sph_destroy(sph);
    free(line), free(position);
    test_gpu_silent();
}

/* Where there is no room nothing begins; what ends makes room, and its numbers are used again. */
static void capacity_is_never_exceeded(void** state) {
    enum { CAPACITY = 257, STEPS = 200 };
    const FluidRecord fluid = free_fluid();
    EntEmitterAt      e[2] = {emitter_at((Vec3){0, 0, 0}, 700), emitter_at((Vec3){3, 0, 0}, 350)};
    const EntEmission emission = {.emitter = e, .emitter_count = 2};
    Sph*              sph = sph_create_empty(&fluid, CAPACITY);
    Vec3              position[CAPACITY];
    u64               wanted = 0, emitted = 0;
    u32               alive = 0, ended[STEPS + 64] = {0};
    UNUSED(state);
    e[0].record.life_s = e[1].record.life_s = 0.4f;
    ent_sph_emission(sph, 0, &emission);
    for (u32 step = 0; step < STEPS; step++) {
        const u32 more = (u32)(emitted_until(700, step + 1) - emitted_until(700, step) +
                               emitted_until(350, step + 1) - emitted_until(350, step));
        /* The place of those that ended at the end of the last step is free one step later. */
        const u32 given = MIN_OF(more, CAPACITY - (alive + ended[step]));
        alive += given;
        ended[step + 40] += given;
        wanted += more, emitted += given;
        if (step % 3)
            sph_frame(sph, 1);
        else
            assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
        const EntEmissionCounts counts = sph_counts(sph);
        alive -= ended[step + 1];
        u32 exist = 0;
        assert_int_equal(ent_sph_read(sph, position, NULL, NULL), ENT_OK);
        for (u32 i = 0; i < CAPACITY; i++) exist += is_existing(position[i].x);
        if (counts.alive != alive || exist != alive || counts.emitted != emitted ||
            counts.refused != wanted - emitted)
            fail_msg("step %u: %u and %u of %u, %llu emitted of %llu", step, counts.alive, exist,
                     alive, (unsigned long long)counts.emitted, (unsigned long long)emitted);
    }
    assert_true(wanted > emitted && emitted > 2 * CAPACITY);
    ent_sph_destroy(sph);
    test_gpu_silent();
}

/* --- discs --- */

static Particles* discs_create(u32 count, u32 capacity, f32 size_end) {
    const ParticleSystemRecord system = {.count = count,
                                         .capacity = capacity,
                                         .half_extent_m = {3, 2},
                                         .radius_min_m = 1e-4f,
                                         .radius_max_m = 2e-4f,
                                         .size_end = size_end,
                                         .color_end = {1, 1, 1},
                                         .seed = 3};
    const ParticlesDesc        desc = {.system = &system, .step_s = step_s};
    Particles*                 discs;
    assert_int_equal(ent_particles_create(&discs, gpu_for_test(), &desc), ENT_OK);
    return discs;
}

/* In a plane that is turned about Z and moved; the emitter is in front of it. */
static void discs_begin_and_end_in_their_plane(void** state) {
    enum { CAPACITY = 500, START = 20, STEPS = 100 };
    const Quat        turn = {0, 0, sinf(0.4f), cosf(0.4f)};
    const Vec3        at = {5, -1, 2}, one = {1, 1, 1};
    const Mat34       plane = mat34_of_pose(&at, &turn, &one);
    EntEmitterAt      e = emitter_at((Vec3){5, -1, 7}, 300);
    const EntEmission emission = {.emitter = &e, .emitter_count = 1};
    Particles*        discs = discs_create(START, CAPACITY, 0.5f);
    ParticleState     disc[CAPACITY];
    UNUSED(state);
    e.record.life_s = 0.5f;
    e.record.spread_rad = 0.2f;
    ent_particles_place(discs, &plane);
    ent_particles_emission(discs, &emission);
    for (u32 step = 0; step < STEPS; step++) {
        u32 exist = 0, found = 0, begun = 0;
        assert_int_equal(ent_particles_run(discs, 1), ENT_OK);
        assert_int_equal(ent_particles_read(discs, disc), ENT_OK);
        for (u32 i = 0; i < CAPACITY; i++) exist += is_existing(disc[i].position.x);
        const u32 last = (u32)emitted_until(300, step + 1),
                  first = step < 50 ? 0 : (u32)emitted_until(300, step + 1 - 50);
        assert_int_equal(exist, START + last - first);
        for (u32 k = first; k < last; k++) {
            const Begun b = begun_at(&e, &e.pose, k);
            u32         when = step;
            while (emitted_until(300, when) > k) when--;
            const f64 age = (f64)(step - when) * (f64)step_s, c = cos(0.8), s = sin(0.8);
            const f64 x = (f64)b.position.x + (f64)b.velocity.x * age - 5,
                      y = (f64)b.position.y + (f64)b.velocity.y * age + 1;
            const f64 u = c * x + s * y, v = c * y - s * x;
            const f64 share = (f64)(step - when) / 50;
            if (fabs(u) > 2.99 || fabs(v) > 1.99) continue; /* it has met a wall */
            begun++;
            for (u32 i = 0; i < CAPACITY; i++) {
                if (!(fabs((f64)disc[i].position.x - u) < 1e-3 &&
                      fabs((f64)disc[i].position.y - v) < 1e-3))
                    continue;
                const f64 size = (f64)disc[i].radius / (1 - share / 2);
                found += size > 0.99e-4 && size < 2.01e-4;
                break;
            }
        }
        if (found + 3 < begun) /* a few collide */
            fail_msg("step %u: %u of %u are where they should be", step, found, begun);
    }
    ent_particles_destroy(discs);
    test_gpu_silent();
}

/* Thousands of discs that collide, begin and end: none is lost, and each number belongs to one. */
static void many_discs_begin_and_end_among_others(void** state) {
    enum { CAPACITY = 3000, STEPS = 300 };
    EntEmitterAt      e = emitter_at((Vec3){0, 0, 0}, 9000);
    EntSinkAt         sink = {.record = {.half_extent_m = {0.3f, 2, 1}}, .pose = mat34_identity};
    const EntEmission emission = {
        .emitter = &e, .emitter_count = 1, .sink = &sink, .sink_count = 1};
    const ParticleSystemRecord system = {.count = 100,
                                         .capacity = CAPACITY,
                                         .half_extent_m = {2, 1},
                                         .radius_min_m = 0.004f,
                                         .radius_max_m = 0.012f,
                                         .speed_max_m_s = 1,
                                         .size_end = 1.5f,
                                         .seed = 4};
    const ParticlesDesc        desc = {.system = &system, .step_s = step_s};
    ParticleState*             disc = malloc(CAPACITY * sizeof *disc);
    Particles*                 discs;
    EntEmissionCounts          counts = {0};
    UNUSED(state);
    sink.pose.m[0][3] = 1.7f;
    e.record.life_s = 0.6f;
    assert_int_equal(ent_particles_create(&discs, gpu_for_test(), &desc), ENT_OK);
    ent_particles_emission(discs, &emission);
    for (u32 step = 0; step < (SANITIZED ? 100 : STEPS); step++) {
        u32 exist = 0;
        assert_int_equal(ent_particles_run(discs, 1), ENT_OK);
        if (step % 7) continue;
        assert_int_equal(ent_particles_emission_counts(discs, &counts), ENT_OK);
        assert_int_equal(ent_particles_read(discs, disc), ENT_OK);
        for (u32 i = 0; i < CAPACITY; i++) {
            if (!is_existing(disc[i].position.x)) continue;
            exist++;
            if (!(fabsf(disc[i].position.x) <= 2 && fabsf(disc[i].position.y) <= 1 &&
                  disc[i].radius >= 0.0039f && disc[i].radius <= 0.0181f))
                fail_msg("disc %u is at %g %g", i, disc[i].position.x, disc[i].position.y);
        }
        assert_int_equal(exist, counts.alive);
    }
    assert_true(counts.refused > 0 && counts.emitted > CAPACITY);
    ent_particles_destroy(discs);
    free(disc);
    test_gpu_silent();
}

/* --- a fountain --- */

/* Water that rises from a nozzle and falls into a sink: the same number is in the air. That of a small one differs more from moment to
 * moment, by its turbulence, but not in its means. */
static void fountain_run(u32 steps, u32 mean_samples, f32 radius_m, f32 rate_per_s, f64 bound) {
    const FluidRecord fluid = {.smoothing_radius_m = 0.1f,
                               .spacing_m = 0.05f,
                               .rest_density_kg_m3 = 1000,
                               .particle_mass_kg = 0.125f,
                               .stiffness = 30,
                               .viscosity = 5,
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.002f,
                               .substeps = 4,
                               .speed_max_m_s = 50};
    EntEmitterAt      e = {.record = {.shape = EMITTER_DISC,
                                      .half_extent_m = {radius_m, 0.01f, radius_m},
                                      .rate_per_s = rate_per_s,
                                      .velocity_m_s = {0, 4, 0},
                                      .spread_rad = 0.15f,
                                      .seed = 1},
                           .pose = mat34_identity};
    EntSinkAt         sink = {.record = {.half_extent_m = {20, 1, 20}}, .pose = mat34_identity};
    const EntEmission emission = {
        .emitter = &e, .emitter_count = 1, .sink = &sink, .sink_count = 1};
    Sph* sph = sph_create_empty(&fluid, (u32)rate_per_s);
    f64  low = INFINITY, high = 0, mean_low = INFINITY, mean_high = 0, sum = 0, part = 0;
    u32  samples = 0;
    sink.pose.m[1][3] = -1.2f;
    ent_sph_emission(sph, 0, &emission);
    for (u32 step = 0; step < steps; step += 20) {
        assert_int_equal(ent_sph_run(sph, 20), ENT_OK);
        if (step < 1000) continue; /* it has not come down */
        const f64 alive = sph_counts(sph).alive;
        low = fmin(low, alive), high = fmax(high, alive);
        sum += alive, part += alive;
        if (++samples % mean_samples) continue;
        mean_low = fmin(mean_low, part / mean_samples),
        mean_high = fmax(mean_high, part / mean_samples);
        part = 0;
    }
    const f64 mean = sum / samples;
    printf("fountain: %g to %g particles in %u steps, %.1f to %.1f of means\n", low, high, steps,
           mean_low, mean_high);
    assert_true(mean > (f64)rate_per_s * 0.7 && samples >= mean_samples);
    assert_true(low > mean * (1 - bound) && high < mean * (1 + bound));
    assert_true(mean_low > mean * 0.99 && mean_high < mean * 1.01);
    assert_int_equal(sph_counts(sph).refused, 0);
    ent_sph_destroy(sph);
    test_gpu_silent();
}

static void fountain_keeps_its_number_of_particles(void** state) {
    UNUSED(state);
    const bool full = getenv("TEST_FULL");
    fountain_run(full        ? 10000
                 : SANITIZED ? 1500
                             : 2000,
                 full ? 75 : 25, 0.1f, 1000, full ? 0.1 : 0.05);
}

/* Equal seeds and times: two fluids agree in every bit of what begins, and in what exists. */
static void emission_is_repeated_bit_by_bit(void** state) {
    enum { CAPACITY = 2000 };
    const FluidRecord fluid = free_fluid();
    EntEmitterAt      e = emitter_at((Vec3){0.1f, 0.2f, 0.3f}, 3000);
    const EntEmission emission = {.emitter = &e, .emitter_count = 1};
    Vec3*             at[2];
    UNUSED(state);
    for (u32 run = 0; run < 2; run++) {
        Sph* sph = sph_create_empty(&fluid, CAPACITY);
        at[run] = malloc(CAPACITY * sizeof **at);
        e.record.shape = EMITTER_DISC;
        ent_sph_emission(sph, 0, &emission);
        for (u32 f = 0; f < 15; f++) sph_frame(sph, 4);
        assert_int_equal(ent_sph_read(sph, at[run], NULL, NULL), ENT_OK);
        ent_sph_destroy(sph);
    }
    assert_memory_equal(at[0], at[1], 1800 * sizeof **at);
    free(at[0]), free(at[1]);
    test_gpu_silent();
}

/* --- worlds --- */

typedef struct Logged {
    char text[512];
    u32  count;
} Logged;

static void log_keep(void* user, LogLevel level, const char* message) {
    Logged* l = user;
    UNUSED(level);
    snprintf(l->text, sizeof l->text, "%s", message);
    l->count++;
}

/* What is drawn of particles: as a surface, as balls, as discs. `run`: without a capacity, with one, and with an emitter too. */
typedef enum Drawn { DRAWN_SURFACE, DRAWN_BALLS, DRAWN_DISCS, DRAWN_KINDS } Drawn;

static World* world_of(Drawn kind, u32 run) {
    const bool discs = kind == DRAWN_DISCS;
    World*     world;
    u32        row, t;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    const Entity entity =
        entity_with(world, discs ? "particle_system" : "fluid", (Vec3){0, 0, 0}, &row);
    if (discs) {
        ent_particle_system_rows(world).record[row] =
            (ParticleSystemRecord){.count = 1,
                                   .capacity = run == 0 ? 0 : 300,
                                   .half_extent_m = {1, 1},
                                   .radius_min_m = 0.04f,
                                   .radius_max_m = 0.04f,
                                   .color = {1, 0.2f, 0.2f},
                                   .size_end = 1,
                                   .seed = 1};
    } else {
        FluidRecord* r = &ent_fluid_rows(world).record[row];
        *r = free_fluid();
        r->particle_mass_kg = 1;
        r->half_extent_m = (Vec3){0.05f, 0.05f, 0.05f};
        r->refraction_index = 1.333f;
        r->draw = kind == DRAWN_SURFACE ? FLUID_SURFACE : FLUID_BALLS;
        r->capacity = run == 0 ? 0 : 300;
    }
    if (run == 2) {
        EntManager* const m = ent_world_built_in(world, COMPONENT_EMITTER);
        assert_int_equal(ent_manager_create(world, m, entity, &t), ENT_OK);
        EmitterRecord* r = &ent_emitter_rows(world).record[t];
        r->rate_per_s = 20000;
        r->half_extent_m = (Vec3){0.8f, 0.8f, 0.1f};
    }
    ent_transform_update(world);
    return world;
}

/* Four frames of the system of a world, and a picture. */
static void world_draw(Drawn kind, u32 run, Canvas* canvas, u8* pixels) {
    static const Library no_library;
    const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 4, .near_m = 1},
                             .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 50}}},
                             .light = {0, 0, 1},
                             .light_color = {1, 1, 1},
                             .reach_m = 1,
                             .grid_m = 1};
    const GpuSystem* system = kind == DRAWN_DISCS ? ent_particles_system() : ent_sph_system();
    World*           world = world_of(kind, run);
    const GpuScene   scene = {.world = world, .library = &no_library};
    GpuProblem       problem = {0};
    Logged           logged = {0};
    Gpu* const       gpu = gpu_for_test();
    const HostLog    before = gpu->desc.log;
    void*            created;
    gpu->desc.log = (HostLog){log_keep, &logged};
    assert_int_equal(test_system_create(system, &created, gpu, &scene, &problem), ENT_OK);
    for (u32 f = 0; f < 4; f++) assert_int_equal(test_system_frame(system, created, gpu), ENT_OK);
    gpu->desc.log = before;
    assert_int_equal(test_system_draw(system, created, canvas, &view), ENT_OK);
    assert_int_equal(ent_canvas_read(canvas, pixels), ENT_OK);
    assert_int_equal(logged.count, run == 2);
    if (run == 2) assert_non_null(strstr(logged.text, "has reached its capacity of 300 particles"));
    test_system_destroy(system, created);
    ent_world_destroy(world);
}

/* Particles that do not exist are not in a picture; what an emitter of a world adds is, and a warning when there is no room for more. */
static void emitters_of_a_world_fill_pictures_and_warn_once(void** state) {
    enum { SIDE = 128 };
    static u8        pixels[3][SIDE * SIDE * 4];
    const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
    Canvas*          canvas;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    for (Drawn kind = 0; kind < DRAWN_KINDS; kind++) {
        u32 differ = 0;
        for (u32 run = 0; run < 3; run++) world_draw(kind, run, canvas, pixels[run]);
        assert_memory_equal(pixels[0], pixels[1], sizeof pixels[0]);
        for (u32 i = 0; i < SIDE * SIDE; i++)
            differ += memcmp(pixels[0] + 4 * i, pixels[2] + 4 * i, 4) != 0;
        if (differ < 500) fail_msg("kind %u: %u pixels", kind, differ);
    }
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

static void fluid_with_emitters_with_any_failing_vulkan_call_frees_everything(void** state) {
    const FluidRecord fluid = free_fluid();
    Gpu*              gpu = gpu_for_test();
    u64               bytes = ent_gpu_bytes(gpu);
    EntEmitterAt      e = emitter_at((Vec3){0, 0, 0}, 1000);
    const EntEmission emission = {.emitter = &e, .emitter_count = 1};
    u32               call = 1;
    UNUSED(state);
    for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; call += SANITIZED ? 23 : 7) {
        const SphDesc desc = {.fluid = &fluid, .capacity = 50};
        Sph*          sph = NULL;
        Vec3          position[50];
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        status = ent_sph_create(&sph, gpu, &desc);
        if (status == ENT_OK) {
            ent_sph_emission(sph, 0, &emission);
            status = ent_sph_run(sph, 1);
        }
        if (status == ENT_OK) status = ent_sph_read(sph, position, NULL, NULL);
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        gpu->desc.fault_call = 0;
        if (sph && !gpu->lost) assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
        ent_sph_destroy(sph);
        assert_int_equal(ent_gpu_bytes(gpu), bytes);
        if (!gpu->lost) continue;
        gpu = gpu_renewed_for_test();
        bytes = ent_gpu_bytes(gpu);
    }
    assert_true(call > 40);
}

static void emission_on_subgroups_of_all_sizes(void** state) {
    UNUSED(state);
    test_gpu_widths("emission", 512);
}

TEST_SUITE(emission) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_begin_where_and_when_the_model_states),
        cmocka_unit_test(emitter_that_moves_leaves_no_gaps_in_a_frame),
        cmocka_unit_test(sinks_and_lives_end_particles_as_in_a_model),
        cmocka_unit_test(capacity_is_never_exceeded),
        cmocka_unit_test(discs_begin_and_end_in_their_plane),
        cmocka_unit_test(many_discs_begin_and_end_among_others),
        cmocka_unit_test(fountain_keeps_its_number_of_particles),
        cmocka_unit_test(emission_is_repeated_bit_by_bit),
        cmocka_unit_test(emitters_of_a_world_fill_pictures_and_warn_once),
        cmocka_unit_test(fluid_with_emitters_with_any_failing_vulkan_call_frees_everything),
        cmocka_unit_test(emission_on_subgroups_of_all_sizes)};
    return gpu_suite_end(TEST_RUN("emission", tests));
}
