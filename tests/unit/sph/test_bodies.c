/* test_bodies.c - bodies that a fluid moves: what particles give to them, against a model in double precision; momentum; what floats and
 * what sinks; and how bodies meet colliders and each other. TEST_FULL runs more particles, and larger bodies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sph_internal.h"
#include "sph_reference.h"
#include "test_colliders.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "wall_oracle.h"

enum { BODIES_MAX = 40, PARTICLES_MAX = 60000 };

static const ColliderRecord ball = {.kind = COLLIDER_SPHERE, .radius_m = 0.4f, .friction = 0.3f},
                            crate = {.kind = COLLIDER_BOX,
                                     .half_extent_m = {0.5f, 0.3f, 0.4f},
                                     .friction = 0.2f},
                            log_shape = {
                                .kind = COLLIDER_CAPSULE, .radius_m = 0.15f, .length_m = 0.6f};

static FluidRecord fluid_of(f32 gravity_m_s2) {
    return (FluidRecord){.smoothing_radius_m = 0.2f,
                         .rest_density_kg_m3 = 1000,
                         .stiffness = 50,
                         .viscosity = 5,
                         .particle_mass_kg = 1.2f,
                         .gravity_m_s2 = {0, -gravity_m_s2, 0},
                         .step_s = 0.004f,
                         .substeps = 1,
                         .speed_max_m_s = 20};
}

/* --- a fluid, its bodies, and colliders that stand --- */

typedef struct Pool {
    Gpu*           gpu;
    GpuColliders*  colliders;
    Sph*           sph;
    FluidRecord    fluid;
    ColliderMotion at[BODIES_MAX + 30];
    Body           body[BODIES_MAX];
    BodyState      state[BODIES_MAX];
    u32            collider_count, body_count, count;
    Vec3 *         position, *velocity; /* [count] */
} Pool;

static Pool* pool_open(FluidRecord fluid) {
    Pool* p = calloc(1, sizeof *p);
    p->gpu = gpu_for_test();
    p->fluid = fluid;
    p->position = malloc(PARTICLES_MAX * sizeof *p->position);
    p->velocity = calloc(PARTICLES_MAX, sizeof *p->velocity);
    assert_int_equal(ent_gpu_colliders_create(&p->colliders, p->gpu), ENT_OK);
    return p;
}

static void pool_close(Pool* p) {
    ent_sph_destroy(p->sph);
    ent_gpu_colliders_destroy(p->colliders);
    free(p->position), free(p->velocity), free(p);
    test_gpu_silent();
}

static Mat34 pose_at(Vec3 at, Vec3 axis, f32 angle) {
    const f32  s = sinf(angle / 2) / vec3_length(axis);
    const Quat q = {axis.x * s, axis.y * s, axis.z * s, cosf(angle / 2)};
    return mat34_of_pose(&at, &q, &(Vec3){1, 1, 1});
}

static void solid_add(Pool* p, const ColliderRecord* record, Mat34 pose, u32 body) {
    p->at[p->collider_count] = collider_moving(record, &pose, &pose);
    p->at[p->collider_count++].body = body;
}

static u32 body_add(Pool* p, const ColliderRecord* record, f32 mass_kg, Vec3 at, Vec3 velocity) {
    Body* b = &p->body[p->body_count];
    *b = (Body){.position = at, .velocity_m_s = velocity, .mass_kg = mass_kg};
    b->entity = 100 + p->body_count++;
    solid_add(p, record, pose_at(at, (Vec3){0, 1, 0}, 0), p->body_count);
    return p->body_count - 1;
}

static void pool_begin(Pool* p) {
    const SphDesc desc = {.fluid = &p->fluid,
                          .count = p->count,
                          .position = p->position,
                          .velocity = p->velocity,
                          .colliders = p->colliders,
                          .moves_bodies = 1};
    assert_int_equal(ent_gpu_colliders_set(p->colliders, p->at, p->collider_count), ENT_OK);
    assert_int_equal(ent_gpu_colliders_bodies(p->colliders, p->body, p->body_count), ENT_OK);
    assert_int_equal(ent_sph_create(&p->sph, p->gpu, &desc), ENT_OK);
}

/* Bodies without water: a particle that is far away. */
static void pool_begin_dry(Pool* p) {
    p->position[0] = (Vec3){1000, 0, 0};
    p->count = 1;
    pool_begin(p);
}

static void pool_frame(Pool* p, u32 steps) {
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(p->gpu, &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, ent_sph_record(p->sph, frame, steps)), ENT_OK);
}

static void pool_read(Pool* p) {
    assert_int_equal(ent_sph_read(p->sph, p->position, p->velocity, NULL), ENT_OK);
    assert_int_equal(ent_gpu_colliders_read(p->colliders, p->body, p->body_count), ENT_OK);
    if (!p->colliders->bodies.begun) return;
    assert_int_equal(gpu_download(p->gpu, gpu_bodies_state(&p->colliders->bodies), 0, p->state,
                                  p->body_count * sizeof *p->state),
                     ENT_OK);
}

/* What particles have given to a body in the last step. */
static Vec given_to(const Pool* p, u32 body) {
    f64 sum[3];
    for (u32 a = 0; a < 3; a++) {
        const u64 bits = p->state[body].sum[2 * a] | (u64)p->state[body].sum[2 * a + 1] << 32;
        sum[a] = (f64)(int64_t)bits / 4294967296.0 * (f64)p->fluid.particle_mass_kg;
    }
    return vec(sum[0], sum[1], sum[2]);
}

/* A block of cells of 0.1 m, of which those near a body are left out. */
static void block_fill(Pool* p, Vec3 low, const u32 cells[3], Random* r) {
    for (u32 i = 0; i < cells[0] * cells[1] * cells[2]; i++) {
        const u32  x = i % cells[0], y = i / cells[0] % cells[1], z = i / cells[0] / cells[1];
        const f32  jitter = r ? random_float(r, 0, 0.02f) : 0;
        const Vec3 at = {low.x + 0.1f * (f32)x + jitter, low.y + 0.1f * (f32)y + jitter,
                         low.z + 0.1f * (f32)z + jitter};
        bool       inside = false;
        for (u32 k = 0; k < p->collider_count; k++)
            inside |= !p->at[k].is_plane && ent_collider_distance(&p->at[k], at) < 0.04f;
        if (!inside) p->position[p->count++] = at;
    }
    assert_true(p->count > 0 && p->count <= PARTICLES_MAX);
}

/* --- a step, in double precision --- */

typedef struct Compared {
    u32 touched, wrong; /* particles */
    f64 worst;          /* metres */
    f64 worst_sum,
        largest; /* of what particles gave to the body, relative to all of it and 1 N s; N s */
} Compared;

/* The step of a particle that a body presses with `by_wall`; returns what it gives to the body. */
static Vec particle_expect(const Pool* p, const ColliderMotion* c, Vec from, Vec* v, Vec* at,
                           Vec by_wall, f64 density) {
    const f64 dt = p->fluid.step_s, m = p->fluid.particle_mass_kg;
    Vec       given = times(by_wall, -dt);
    bool      again = true;
    *at = add(from, times(*v, dt));
    const Vec pressed = *v;
    for (u32 round = 0; round < 4 && again; round++)
        again = ball_meets(c, 0, 1, dt, 0, from, at, v);
    *v = wall_rubs(&p->fluid, c, *at, *v, density);
    given = add(given, add(pressed, times(*v, -1)));
    return times(given, m);
}

static void step_expect(Pool* p, const ColliderMotion* c, const Vec3* before, const Vec3* fast,
                        Compared* result) {
    enum { MAX = 1000 };
    static f64 density[MAX], with[MAX][3], without[MAX][3];
    assert_true(p->count <= MAX);
    const SphCase model = {.fluid = &p->fluid,
                           .count = p->count,
                           .position = before,
                           .velocity = fast,
                           .wall = wall_begin,
                           .wall_user = c,
                           .wall_count = 1};
    SphCase       alone = model;
    Vec           sum = {0, 0, 0};
    f64           all = 0;
    alone.wall_count = 0;
    sph_reference_density(&model, density);
    sph_reference_acceleration(&model, density, with);
    sph_reference_acceleration(&alone, density, without);
    for (u32 i = 0; i < p->count; i++) {
        const f64 dt = p->fluid.step_s;
        const Vec a = vec(with[i][0], with[i][1], with[i][2]);
        const Vec by_wall = add(a, vec(-without[i][0], -without[i][1], -without[i][2]));
        Vec       v = add(of(fast[i]), times(a, dt)), at;
        const Vec given = particle_expect(p, c, of(before[i]), &v, &at, by_wall, density[i]);
        const Vec off = add(of(p->position[i]), times(at, -1)),
                  slip = add(of(p->velocity[i]), times(v, -1));
        const f64 apart = fmax(sqrt(dot(off, off)), sqrt(dot(slip, slip)) * dt);
        sum = add(sum, given);
        all += sqrt(dot(given, given));
        result->touched += dot(given, given) > 0;
        result->wrong += !(apart < 1e-5);
        if (apart < 1e-5) result->worst = fmax(result->worst, apart);
    }
    const Vec off = add(given_to(p, 0), times(sum, -1));
    result->worst_sum = fmax(result->worst_sum, sqrt(dot(off, off)) / (all + 1));
    result->largest = fmax(result->largest, all);
}

static void step_compare(Pool* p, Compared* result) {
    const Vec  pending = given_to(p, 0), force = of(p->body[0].force_n);
    const f64  dt = p->fluid.step_s, m = p->body[0].mass_kg;
    const Vec  at = of(p->body[0].position);
    Vec        v = add(of(p->body[0].velocity_m_s), times(add(pending, times(force, dt)), 1 / m));
    Vec3*      before = malloc(2 * p->count * sizeof *before);
    Vec3*      fast = before + p->count;
    const Vec3 from = p->body[0].position;
    memcpy(before, p->position, p->count * sizeof *before);
    memcpy(fast, p->velocity, p->count * sizeof *fast);
    pool_frame(p, 1);
    pool_read(p);
    v.y += (f64)p->fluid.gravity_m_s2.y * dt;
    const Vec off = add(of(p->body[0].velocity_m_s), times(v, -1)),
              apart = add(of(p->body[0].position), times(add(at, times(v, dt)), -1));
    if (!(sqrt(dot(off, off)) < 1e-5 && sqrt(dot(apart, apart)) < 1e-6))
        fail_msg("the body is %g m and %g m/s off", sqrt(dot(apart, apart)), sqrt(dot(off, off)));
    ColliderMotion c = p->at[0];
    c.at_was = from;
    c.at = p->body[0].position;
    step_expect(p, &c, before, fast, result);
    free(before);
}

/* Small ones that are far away: bodies among them are found in cells. */
static void far_add(Pool* p, u32 count) {
    const ColliderRecord small = {.kind = COLLIDER_SPHERE, .radius_m = 0.1f};
    for (u32 i = 0; i < count; i++)
        solid_add(p, &small, pose_at((Vec3){(f32)i, 20, 5}, (Vec3){0, 1, 0}, 0), 0);
}

static void fluid_moves_each_kind_as_in_double_precision(void** state) {
    static const char* const           names[] = {"ball", "box", "capsule"};
    static const ColliderRecord* const records[] = {&ball, &crate, &log_shape};
    UNUSED(state);
    for (u32 run = 0; run < 6; run += SANITIZED ? 4 : 1) {
        Random    r = {run + 1};
        Compared  result = {0};
        Pool*     p = pool_open(fluid_of(9.81f));
        const u32 cells[3] = {8, 8, 8};
        p->body[0] = (Body){.position = {0.02f, 0.01f, 0},
                            .velocity_m_s = {0.3f, 0.2f, -0.1f},
                            .mass_kg = 60,
                            .force_n = {20, 300, 10},
                            .entity = 7};
        p->body_count = 1;
        solid_add(p, records[run / 2],
                  pose_at(p->body[0].position, (Vec3){0.3f, 0.8f, -0.5f}, 0.4f), 1);
        if (run % 2) far_add(p, 20);
        block_fill(p, (Vec3){-0.4f, 0.35f, -0.4f}, cells, &r);
        pool_begin(p);
        for (u32 f = 0; f < (SANITIZED ? 20 : 100); f++) step_compare(p, &result);
        printf("%s%s: %u particles touched it, %u wrong, others within %.2g m; %.3g N s in a "
               "step, within %.2g\n",
               names[run / 2], run % 2 ? " in cells" : "", result.touched, result.wrong,
               result.worst, result.largest, result.worst_sum);
        assert_true(result.touched > (SANITIZED ? 50 : 500) &&
                    result.wrong * 400 <= result.touched && result.worst_sum < 1e-3);
        pool_close(p);
    }
}

/* --- momentum --- */

static Vec momentum_of(Pool* p) {
    Vec sum = {0, 0, 0};
    pool_read(p);
    for (u32 i = 0; i < p->count; i++)
        sum = add(sum, times(of(p->velocity[i]), p->fluid.particle_mass_kg));
    for (u32 k = 0; k < p->body_count; k++)
        sum = add(sum, add(times(of(p->body[k].velocity_m_s), p->body[k].mass_kg), given_to(p, k)));
    return sum;
}

/* A block of water flies against bodies, which are thrown against each other. */
static void momentum_is_kept_without_gravity_and_walls(void** state) {
    const u32 cells[3] = {10, 10, 10};
    Pool*     p = pool_open(fluid_of(0));
    UNUSED(state);
    body_add(p, &ball, 150, (Vec3){0, 0, 0}, (Vec3){0, 0, 0});
    body_add(p, &crate, 80, (Vec3){0.2f, 0.85f, 0.1f}, (Vec3){0, -0.5f, 0});
    body_add(p, &log_shape, 30, (Vec3){0.9f, 0.1f, -0.1f}, (Vec3){-0.4f, 0, 0});
    block_fill(p, (Vec3){-1.6f, -0.3f, -0.45f}, cells, NULL);
    for (u32 i = 0; i < p->count; i++) p->velocity[i] = (Vec3){2, 0, 0};
    pool_begin(p);
    const Vec before = momentum_of(p);
    assert_int_equal(ent_sph_run(p->sph, SANITIZED ? 40 : 300), ENT_OK);
    const Vec after = momentum_of(p), off = add(after, times(before, -1));
    const f64 wrong = sqrt(dot(off, off) / dot(before, before));
    printf("%g kg m/s, the bodies at %g, %g and %g m/s: %.2g off\n", sqrt(dot(before, before)),
           vec3_length(p->body[0].velocity_m_s), vec3_length(p->body[1].velocity_m_s),
           vec3_length(p->body[2].velocity_m_s), wrong);
    assert_true(wrong < 0.01 && p->body[0].velocity_m_s.x > (SANITIZED ? 0.01f : 0.3f));
    pool_close(p);
}

/* --- floating and sinking --- */

/* Water in a box without a lid from the origin, of cells of half of h. Its pressure is that at rest. */
static void basin_fill(Pool* p, const u32 cells[3], f32 wide_m) {
    const Vec4 planes[] = {
        {0, 1, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, -wide_m}, {0, 0, 1, 0}, {0, 0, -1, -wide_m}};
    for (u32 i = 0; i < COUNT_OF(planes); i++) {
        const ColliderRecord plane = {.normal = {planes[i].x, planes[i].y, planes[i].z},
                                      .offset_m = planes[i].w};
        solid_add(p, &plane, mat34_identity, 0);
    }
    block_fill(p, (Vec3){0.05f, 0.05f, 0.05f}, cells, NULL);
}

/* The mean height of the highest particles, not beside the body. */
static f64 surface_of(const Pool* p, f32 wide_m, f32 clear_m) {
    enum { SIDE = 64 };
    static f64 top[SIDE][SIDE];
    const Vec3 at = p->body[0].position;
    const f64  cell = p->fluid.smoothing_radius_m;
    f64        sum = 0, count = 0;
    memset(top, 0, sizeof top);
    for (u32 i = 0; i < p->count; i++) {
        const u32 x = MIN_OF((u32)fmax(p->position[i].x / cell, 0), SIDE - 1),
                  z = MIN_OF((u32)fmax(p->position[i].z / cell, 0), SIDE - 1);
        top[x][z] = fmax(top[x][z], p->position[i].y);
    }
    for (u32 x = 0; x < SIDE && (x + 1) * cell <= wide_m; x++)
        for (u32 z = 0; z < SIDE && (z + 1) * cell <= wide_m; z++) {
            const f64 dx = (x + 0.5) * cell - at.x, dz = (z + 0.5) * cell - at.z;
            if (top[x][z] == 0 || dx * dx + dz * dz < (f64)clear_m * clear_m) continue;
            sum += top[x][z], count++;
        }
    return sum / count + cell / 4;
}

/* Of half of the density of the water, whose mean is looked at over the last second. */
static void ball_of_half_the_density_floats_half_above_the_surface(void** state) {
    const bool full = getenv("TEST_FULL");
    const u32  wide = full ? 40 : SANITIZED ? 12 : 16, high = full ? 26 : SANITIZED ? 6 : 11;
    const u32  cells[3] = {wide, high, wide};
    const f32  wide_m = 0.1f * (f32)wide, radius = full ? 1.0f : SANITIZED ? 0.3f : 0.4f;
    const ColliderRecord shape = {.kind = COLLIDER_SPHERE, .radius_m = radius};
    FluidRecord          fluid = fluid_of(9.81f);
    fluid.stiffness = 1000;
    fluid.viscosity = 100;
    fluid.particle_mass_kg = 0.98f;
    fluid.step_s = 0.0018f;
    Pool*     p = pool_open(fluid);
    const f32 mass = 0.5f * 1000 * 4 / 3 * 3.14159265f * radius * radius * radius;
    f64       below = 0, samples = 0, surface = 0;
    UNUSED(state);
    body_add(p, &shape, mass, (Vec3){wide_m / 2, 0.1f * (f32)high, wide_m / 2}, (Vec3){0, 0, 0});
    basin_fill(p, cells, wide_m);
    pool_begin(p);
    const u32 settling = SANITIZED ? 50 : full ? 1600 : 700, looks = SANITIZED ? 5 : full ? 40 : 25;
    assert_int_equal(ent_sph_run(p->sph, settling), ENT_OK);
    for (u32 k = 0; k < looks; k++) {
        assert_int_equal(ent_sph_run(p->sph, 15), ENT_OK);
        pool_read(p);
        surface = surface_of(p, wide_m, radius + 2 * fluid.smoothing_radius_m);
        below += surface - p->body[0].position.y, samples++;
    }
    const f64 off = below / samples / (2 * radius);
    printf("%u particles, a diameter of %.0f h: the centre is %.3f diameters below the surface at "
           "%.2f m; at %g %g %g\n",
           p->count, 2 * radius / fluid.smoothing_radius_m, off, surface, p->body[0].position.x,
           p->body[0].position.y, p->body[0].position.z);
    assert_true(fabs(off) < (full ? 0.1 : 0.15) || SANITIZED);
    pool_close(p);
}

/* --- among colliders, and each other --- */

static void ground_add(Pool* p, f32 friction, f32 restitution) {
    const ColliderRecord plane = {
        .normal = {0, 1, 0}, .friction = friction, .restitution = restitution};
    solid_add(p, &plane, mat34_identity, 0);
}

/* Without anything to meet: a parabola, also by another force. */
static void bodies_fall_as_masses_do(void** state) {
    Pool*     p = pool_open(fluid_of(9.81f));
    const u32 steps = 100;
    UNUSED(state);
    body_add(p, &ball, 2, (Vec3){0, 5, 0}, (Vec3){1, 2, 3});
    body_add(p, &crate, 4, (Vec3){5, 5, 0}, (Vec3){0, 0, 0});
    p->body[1].force_n = (Vec3){8, 0, 0};
    pool_begin_dry(p);
    assert_int_equal(ent_sph_run(p->sph, steps), ENT_OK);
    pool_read(p);
    const f64 dt = p->fluid.step_s, t = steps * dt, sum = dt * dt * steps * (steps + 1) / 2;
    const f64 expected[2][3] = {{t, 5 + 2 * t - 9.81 * sum, 3 * t},
                                {5 + 2 * sum, 5 - 9.81 * sum, 0}};
    for (u32 k = 0; k < 2; k++) {
        const Vec3 at = p->body[k].position;
        if (fabs(at.x - expected[k][0]) + fabs(at.y - expected[k][1]) +
                fabs(at.z - expected[k][2]) >
            1e-4)
            fail_msg("body %u is at %g %g %g", k, at.x, at.y, at.z);
    }
    pool_close(p);
}

/* Each kind comes to rest on a floor, and a ball, box and capsule on a box. */
static void bodies_rest_on_floors_and_on_each_other(void** state) {
    static const ColliderRecord* const on[] = {&ball, &crate, &log_shape};
    static const f32                   half[] = {0.4f, 0.3f, 0.45f};
    Pool*                              p = pool_open(fluid_of(9.81f));
    UNUSED(state);
    ground_add(p, 0.5f, 0.2f);
    for (u32 k = 0; k < 3; k++) {
        body_add(p, on[k], 10, (Vec3){3 * (f32)k, half[k] + 0.3f, 0}, (Vec3){0, 0, 0});
        body_add(p, &crate, 40, (Vec3){3 * (f32)k, 0.35f, 5}, (Vec3){0, 0, 0});
        body_add(p, on[k], 10, (Vec3){3 * (f32)k, 0.8f + half[k], 5}, (Vec3){0, 0, 0});
    }
    pool_begin_dry(p);
    assert_int_equal(ent_sph_run(p->sph, SANITIZED ? 300 : 1000), ENT_OK);
    pool_read(p);
    for (u32 i = 0; i < p->body_count; i++) {
        const f32   expected = i % 3 == 0 ? half[i / 3] : i % 3 == 1 ? 0.3f : 0.6f + half[i / 3];
        const Body* b = &p->body[i];
        if (!(fabsf(b->position.y - expected) < 0.004f && vec3_length(b->velocity_m_s) < 0.1f &&
              fabsf(b->position.x - 3 * (f32)(i / 3)) < 0.01f))
            fail_msg("body %u is at %g %g %g, not %g above the floor", i, b->position.x,
                     b->position.y, b->position.z, expected);
    }
    pool_close(p);
}

/* Equal ones exchange their velocities; of 1 and 3 kg, the lighter one returns with half of its speed. */
static void bodies_that_collide_keep_momentum_and_energy(void** state) {
    const ColliderRecord shape = {.kind = COLLIDER_SPHERE, .radius_m = 0.25f, .restitution = 1};
    Pool*                p = pool_open(fluid_of(0));
    UNUSED(state);
    body_add(p, &shape, 2, (Vec3){0, 0, 0}, (Vec3){1, 0, 0});
    body_add(p, &shape, 2, (Vec3){1, 0, 0}, (Vec3){-2, 0, 0});
    body_add(p, &shape, 1, (Vec3){0, 5, 0}, (Vec3){3, 0, 0});
    body_add(p, &shape, 3, (Vec3){1, 5, 0}, (Vec3){0, 0, 0});
    pool_begin_dry(p);
    for (u32 f = 0; f < 50; f++) pool_frame(p, 4);
    pool_read(p);
    const f32 expected[] = {-2, 1, -1.5f, 1.5f};
    for (u32 k = 0; k < 4; k++)
        if (fabsf(p->body[k].velocity_m_s.x - expected[k]) > 1e-4f)
            fail_msg("body %u: %g m/s", k, p->body[k].velocity_m_s.x);
    pool_close(p);
}

/* On a floor with friction, a box slides v2 / (2 mu g). */
static void bodies_slide_until_friction_has_stopped_them(void** state) {
    const ColliderRecord shape = {
        .kind = COLLIDER_BOX, .half_extent_m = {0.2f, 0.2f, 0.2f}, .friction = 0.4f};
    Pool* p = pool_open(fluid_of(9.81f));
    UNUSED(state);
    ground_add(p, 0.2f, 0);
    body_add(p, &shape, 7, (Vec3){0, 0.2f, 0}, (Vec3){2, 0, 0});
    pool_begin_dry(p);
    assert_int_equal(ent_sph_run(p->sph, 400), ENT_OK);
    pool_read(p);
    const f64 expected = 4 / (2 * 0.3 * 9.81), is = p->body[0].position.x;
    if (fabs(is - expected) > 0.02 * expected || vec3_length(p->body[0].velocity_m_s) > 1e-2f)
        fail_msg("%g m, not %g; %g m/s", is, expected, p->body[0].velocity_m_s.x);
    pool_close(p);
}

/* A crate falls on a ramp of 45 degrees without friction, and on a thin board that it would pass in a step. */
static void bodies_meet_colliders_that_are_turned_or_thin(void** state) {
    const ColliderRecord board = {.kind = COLLIDER_BOX, .half_extent_m = {1, 0.001f, 1}},
                         smooth = {.kind = COLLIDER_BOX, .half_extent_m = {0.1f, 0.1f, 0.1f}};
    Pool* p = pool_open(fluid_of(9.81f));
    UNUSED(state);
    p->fluid.speed_max_m_s = 0;
    solid_add(p, &board, pose_at((Vec3){0, 0, 0}, (Vec3){0, 1, 0}, 0), 0);
    solid_add(p, &board, pose_at((Vec3){5, 0, 0}, (Vec3){0, 0, 1}, 0.78539816f), 0);
    body_add(p, &smooth, 1, (Vec3){0, 3, 0}, (Vec3){0, -300, 0});
    body_add(p, &smooth, 1, (Vec3){5, 0.3f, 0}, (Vec3){0, 0, 0});
    pool_begin_dry(p);
    assert_int_equal(ent_sph_run(p->sph, 125), ENT_OK);
    pool_read(p);
    const Vec3 fell = p->body[0].position, slid = p->body[1].position;
    /* The corner of the crate is 0.1 sqrt(2) from its centre: it slides down the ramp by its side. */
    if (!(fabsf(fell.y - 0.101f) < 2e-3f)) fail_msg("the crate is %g above the board", fell.y);
    if (!(slid.x < 4.5f && slid.y < -0.3f && slid.y > slid.x - 5))
        fail_msg("the crate is at %g %g", slid.x, slid.y);
    pool_close(p);
}

/* 36 balls in a bowl of planes, met in cells, with water: none leaves it, and their density decides which ones float. */
static void many_bodies_in_water_sink_or_float(void** state) {
    const ColliderRecord small = {.kind = COLLIDER_SPHERE, .radius_m = 0.12f};
    const u32            cells[3] = {14, 5, 14};
    FluidRecord          fluid = fluid_of(9.81f);
    fluid.stiffness = 400;
    fluid.viscosity = 50;
    fluid.particle_mass_kg = 0.98f;
    fluid.step_s = 0.0025f;
    Pool*     p = pool_open(fluid);
    const f32 volume = 4.0f / 3 * 3.14159265f * 0.12f * 0.12f * 0.12f;
    f64       height[2] = {0, 0};
    UNUSED(state);
    for (u32 i = 0; i < 36; i++)
        body_add(p, &small, volume * (i % 2 ? 300.0f : 4000.0f),
                 (Vec3){0.15f + 0.22f * (f32)(i % 6), 0.75f, 0.15f + 0.22f * (f32)(i / 6)},
                 (Vec3){0, 0, 0});
    basin_fill(p, cells, 1.4f);
    pool_begin(p);
    assert_int_equal(ent_sph_run(p->sph, SANITIZED ? 15 : 600), ENT_OK);
    pool_read(p);
    for (u32 i = 0; i < 36; i++) {
        const Vec3 at = p->body[i].position;
        if (!(at.y > 0.11f && at.y < 3 && at.x > 0.1f && at.x < 1.3f && at.z > 0.1f && at.z < 1.3f))
            fail_msg("body %u is at %g %g %g", i, at.x, at.y, at.z);
        height[i % 2] += at.y / 18;
    }
    printf("heavy ones at %.2f m, light ones at %.2f m\n", height[0], height[1]);
    assert_true(SANITIZED || (height[0] < 0.25 && height[1] > height[0] + 0.15));
    pool_close(p);
}

/* In one frame it falls through more cells than it is in when the frame begins: what it meets there is what it meets without cells. */
static void bodies_that_are_fast_are_found_in_the_cells_of_each_step(void** state) {
    const u32 cells[3] = {8, 8, 8}, steps = 20;
    Vec3      velocity[2];
    f64       mean[2] = {0, 0};
    UNUSED(state);
    for (u32 run = 0; run < 2; run++) {
        Pool* p = pool_open(fluid_of(0));
        body_add(p, &ball, 300, (Vec3){0, 1.3f, 0}, (Vec3){0, -15, 0});
        if (run) far_add(p, 20);
        block_fill(p, (Vec3){-0.35f, -0.35f, -0.35f}, cells, NULL);
        pool_begin(p);
        pool_frame(p, steps);
        pool_read(p);
        velocity[run] = p->body[0].velocity_m_s;
        for (u32 i = 0; i < p->count; i++) mean[run] += (f64)p->velocity[i].y / p->count;
        pool_close(p);
    }
    printf("the ball at %g and %g m/s, the water at %g and %g\n", velocity[0].y, velocity[1].y,
           mean[0], mean[1]);
    assert_true(mean[0] < -1 && fabs(mean[0] - mean[1]) < 0.01);
    assert_true(fabsf(velocity[0].y - velocity[1].y) < 0.01f);
}

/* One that is set goes on from there; the others go on as if nothing had happened, also when some are added or removed. */
static void bodies_that_are_set_begin_there_and_others_go_on(void** state) {
    Pool *p = pool_open(fluid_of(9.81f)), *plain = pool_open(fluid_of(9.81f));
    UNUSED(state);
    for (u32 i = 0; i < 3; i++) {
        body_add(p, &ball, 2, (Vec3){3 * (f32)i, 5, 0}, (Vec3){(f32)i, 1, 0});
        body_add(plain, &ball, 2, (Vec3){3 * (f32)i, 5, 0}, (Vec3){(f32)i, 1, 0});
    }
    pool_begin_dry(p), pool_begin_dry(plain);
    pool_frame(p, 5), pool_frame(plain, 5);
    /* What was set goes on with another force, without having been read. */
    p->body[0].force_n.x = 1;
    assert_int_equal(ent_gpu_colliders_bodies(p->colliders, p->body, 3), ENT_OK);
    pool_frame(p, 5), pool_frame(plain, 5);
    pool_read(p), pool_read(plain);
    assert_memory_equal(&p->body[2].position, &plain->body[2].position, sizeof(Vec3));
    assert_true(p->body[0].position.y == plain->body[0].position.y &&
                p->body[0].velocity_m_s.x > 0.009f);
    p->body[1].velocity_m_s = (Vec3){0, 0, 9};
    assert_int_equal(ent_gpu_colliders_bodies(p->colliders, p->body, 3), ENT_OK);
    pool_frame(p, 10), pool_frame(plain, 10);
    pool_read(p);
    assert_true(fabsf(p->body[1].velocity_m_s.z - 9) < 1e-6f);
    assert_true(fabsf(p->body[1].position.z - 9 * 10 * p->fluid.step_s) < 1e-5f);
    /* Without the first one, but with more than there is memory for yet. */
    Body           next[9] = {p->body[2], p->body[1]};
    ColliderMotion shape[9];
    for (u32 i = 0; i < 9; i++) {
        shape[i] = p->at[0];
        shape[i].body = i + 1;
        if (i < 2) continue;
        next[i] = (Body){.position = {0, 20 * (f32)i, 0}, .mass_kg = 1, .entity = 500 + i};
    }
    memcpy(p->body, next, sizeof next);
    p->body_count = 9;
    assert_int_equal(ent_gpu_colliders_set(p->colliders, shape, 9), ENT_OK);
    assert_int_equal(ent_gpu_colliders_bodies(p->colliders, p->body, 9), ENT_OK);
    pool_frame(p, 10), pool_frame(plain, 10);
    pool_read(p), pool_read(plain);
    assert_memory_equal(&p->body[0].position, &plain->body[2].position, sizeof(Vec3));
    assert_memory_equal(&p->body[0].velocity_m_s, &plain->body[2].velocity_m_s, sizeof(Vec3));
    assert_true(p->body[8].position.y < 160 && p->body[8].position.y > 159);
    /* Without any, nothing moves them any more, also in a list that was recorded before. */
    assert_int_equal(ent_sph_run(p->sph, 1), ENT_OK);
    pool_read(p);
    const BodyState last = p->state[0];
    assert_int_equal(ent_gpu_colliders_bodies(p->colliders, NULL, 0), ENT_OK);
    assert_int_equal(ent_sph_run(p->sph, 2), ENT_OK);
    pool_frame(p, 2);
    pool_read(p);
    assert_memory_equal(&p->state[0], &last, sizeof last);
    pool_close(p), pool_close(plain);
}

/* After any failure of the driver nothing of the fluid and its bodies remains. */
static void fluid_with_bodies_with_any_failing_vulkan_call_frees_everything(void** state) {
    Gpu* gpu = gpu_for_test();
    u64  bytes = ent_gpu_bytes(gpu);
    u32  call = 1;
    UNUSED(state);
    for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; call += getenv("TEST_FULL") ? 1
                                                                      : SANITIZED         ? 131
                                                                                          : 13) {
        const FluidRecord    fluid = fluid_of(9.81f);
        const ColliderRecord shape = {.kind = COLLIDER_SPHERE, .radius_m = 0.3f};
        ColliderMotion       at[20];
        Body                 body = {.mass_kg = 3, .entity = 1};
        const Vec3           position[2] = {{0.35f, 0, 0}, {5, 0, 0}};
        SphDesc desc = {.fluid = &fluid, .count = 2, .position = position, .moves_bodies = 1};
        Sph*    sph = NULL;
        for (u32 i = 0; i < COUNT_OF(at); i++) {
            const Mat34 pose = pose_at((Vec3){i == 3 ? 0 : 10 + (f32)i, 0, 0}, (Vec3){0, 1, 0}, 0);
            at[i] = collider_moving(&shape, &pose, &pose);
        }
        at[3].body = 1;
        assert_int_equal(ent_gpu_colliders_create(&desc.colliders, gpu), ENT_OK);
        assert_int_equal(ent_gpu_colliders_set(desc.colliders, at, COUNT_OF(at)), ENT_OK);
        assert_int_equal(ent_gpu_colliders_bodies(desc.colliders, &body, 1), ENT_OK);
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        status = ent_sph_create(&sph, gpu, &desc);
        if (status == ENT_OK) status = ent_sph_run(sph, 1);
        if (status == ENT_OK) status = ent_gpu_colliders_read(desc.colliders, &body, 1);
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        gpu->desc.fault_call = 0;
        /* What could not be created is created by the next step. */
        if (sph && !gpu->lost) {
            assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
            assert_int_equal(ent_gpu_colliders_read(desc.colliders, &body, 1), ENT_OK);
            assert_true(vec3_length(body.position) < 0.01f &&
                        vec3_length(body.velocity_m_s) < 0.2f);
        }
        ent_sph_destroy(sph);
        ent_gpu_colliders_destroy(desc.colliders);
        assert_int_equal(ent_gpu_bytes(gpu), bytes);
        if (!gpu->lost) continue;
        gpu = gpu_renewed_for_test(); /* a lost device stays lost */
        bytes = ent_gpu_bytes(gpu);
    }
    assert_true(call > 60);
}

static void bodies_are_moved_the_same_at_all_sizes_of_subgroups(void** state) {
    UNUSED(state);
    test_gpu_widths("bodies_width", 512);
}

/* What the threads of a subgroup add together. */
TEST_SUITE(bodies_width) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept_without_gravity_and_walls),
        cmocka_unit_test(bodies_that_are_fast_are_found_in_the_cells_of_each_step),
        cmocka_unit_test(bodies_are_moved_the_same_at_all_sizes_of_subgroups)};
    return gpu_suite_end(TEST_RUN("bodies_width", tests));
}

TEST_SUITE(bodies) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_moves_each_kind_as_in_double_precision),
        cmocka_unit_test(ball_of_half_the_density_floats_half_above_the_surface),
        cmocka_unit_test(bodies_fall_as_masses_do),
        cmocka_unit_test(bodies_rest_on_floors_and_on_each_other),
        cmocka_unit_test(bodies_that_collide_keep_momentum_and_energy),
        cmocka_unit_test(bodies_slide_until_friction_has_stopped_them),
        cmocka_unit_test(bodies_meet_colliders_that_are_turned_or_thin),
        cmocka_unit_test(many_bodies_in_water_sink_or_float),
        cmocka_unit_test(bodies_that_are_set_begin_there_and_others_go_on),
        cmocka_unit_test(fluid_with_bodies_with_any_failing_vulkan_call_frees_everything)};
    return gpu_suite_end(TEST_RUN("bodies", tests));
}
