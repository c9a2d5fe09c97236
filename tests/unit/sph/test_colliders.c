/* test_colliders.c - particles among colliders of all kinds, still and moving, against a model in double precision; particles that
 * are fast, and colliders that are thin or many. There are no forces between particles: each moves alone. */
#include <stdio.h>
#include <stdlib.h>

#include "collider_oracle.h"
#include "particles.h"
#include "sph_internal.h"
#include "test_colliders.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

enum { PARTICLES = 500, FRAMES = 25, SUBSTEPS = 4 };

static const f32 step_s = 0.005f;

/* --- a cloud of particles --- */

typedef struct Cloud {
    GpuColliders* colliders;
    Sph*          sph;
    u32           count;
    Vec3 *        position, *velocity; /* [count] */
} Cloud;

static FluidRecord alone(f32 speed_max_m_s) {
    return (FluidRecord){.smoothing_radius_m = 0.1f,
                         .rest_density_kg_m3 = 1,
                         .particle_mass_kg = 1e-12f,
                         .gravity_m_s2 = {0, -9.81f, 0},
                         .step_s = step_s,
                         .substeps = SUBSTEPS,
                         .speed_max_m_s = speed_max_m_s};
}

static void cloud_open(Cloud* c, u32 count) {
    *c = (Cloud){.count = count};
    c->position = malloc(count * sizeof *c->position);
    c->velocity = malloc(count * sizeof *c->velocity);
    assert_int_equal(ent_gpu_colliders_create(&c->colliders, gpu_for_test()), ENT_OK);
}

static void cloud_begin(Cloud* c, f32 speed_max_m_s) {
    const FluidRecord fluid = alone(speed_max_m_s);
    const SphDesc     desc = {.fluid = &fluid,
                              .count = c->count,
                              .position = c->position,
                              .velocity = c->velocity,
                              .colliders = c->colliders};
    assert_int_equal(ent_sph_create(&c->sph, gpu_for_test(), &desc), ENT_OK);
}

static void cloud_close(Cloud* c) {
    ent_sph_destroy(c->sph);
    ent_gpu_colliders_destroy(c->colliders);
    free(c->position);
    free(c->velocity);
    test_gpu_silent();
}

static Vec3 random_vec(Random* r, f32 reach) {
    return (Vec3){random_float(r, -reach, reach), random_float(r, -reach, reach),
                  random_float(r, -reach, reach)};
}

/* Around the origin, towards which they move, but in no collider. */
static void cloud_fill(Cloud* c, Random* r, f32 reach, f32 speed, const ColliderMotion* at,
                       u32 count) {
    for (u32 i = 0; i < c->count; i++) {
        bool inside = true;
        while (inside) {
            c->position[i] = random_vec(r, reach);
            inside = false;
            for (u32 k = 0; k < count; k++)
                inside |=
                    shape_distance(&at[k], turned_back(turn_at(&at[k], 0),
                                                       add(of(c->position[i]),
                                                           times(of(at[k].at_was), -1)))) < 0.01;
        }
        c->velocity[i] = vec3_add_scaled(random_vec(r, speed), c->position[i], -2);
    }
}

static void frame_run(Cloud* c) {
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, ent_sph_record(c->sph, frame, SUBSTEPS)), ENT_OK);
}

typedef struct Compared {
    u32 met, wrong; /* particles of frames */
    f64 worst_m;    /* of those that are not wrong */
} Compared;

/* Runs a frame, and compares each particle with the model from the same beginning. */
static void frame_compare(Cloud* c, const ColliderMotion* at, u32 count, Compared* result) {
    const f64 dt = (f64)step_s;
    Vec3*     before = malloc(c->count * sizeof *before);
    Vec3*     speed = malloc(c->count * sizeof *speed);
    assert_int_equal(ent_gpu_colliders_set(c->colliders, at, count), ENT_OK);
    assert_int_equal(ent_sph_read(c->sph, before, speed, NULL), ENT_OK);
    frame_run(c);
    assert_int_equal(ent_sph_read(c->sph, c->position, c->velocity, NULL), ENT_OK);
    for (u32 i = 0; i < c->count; i++) {
        Vec  p = of(before[i]), v = of(speed[i]);
        bool met = false;
        for (u32 s = 0; s < SUBSTEPS; s++) {
            const Vec from = p;
            v.y -= 9.81 * dt;
            p = add(p, times(v, dt));
            bool again = true;
            for (u32 round = 0; round < 4 && again; round++) {
                again = false;
                for (u32 k = 0; k < count; k++)
                    again |= ball_meets(&at[k], (f64)s / SUBSTEPS, (s + 1.0) / SUBSTEPS, dt, 0,
                                        from, &p, &v);
                met |= again;
            }
        }
        const Vec off = add(of(c->position[i]), times(p, -1)),
                  fast = add(of(c->velocity[i]), times(v, -1));
        const f64  apart = fmax(sqrt(dot(off, off)), sqrt(dot(fast, fast)) * dt);
        const bool wrong = !(apart < 3e-4);
        result->met += met;
        result->wrong += wrong;
        if (!wrong) result->worst_m = fmax(result->worst_m, apart);
    }
    free(before), free(speed);
}

/* --- each kind --- */

static Mat34 pose_of(Vec3 at, Vec3 axis, f32 angle, f32 scale) {
    const f32  s = sinf(angle / 2) / vec3_length(axis);
    const Quat q = {axis.x * s, axis.y * s, axis.z * s, cosf(angle / 2)};
    return mat34_of_pose(&at, &q, &(Vec3){scale, scale, scale});
}

static const ColliderRecord kinds[] = {
    {.kind = COLLIDER_PLANE, .normal = {0.6f, 0.8f, 0}, .offset_m = -0.5f, .restitution = 0.5f},
    {.kind = COLLIDER_SPHERE, .radius_m = 0.7f, .restitution = 0.3f, .friction = 0.4f},
    {.kind = COLLIDER_BOX, .half_extent_m = {0.8f, 0.3f, 0.5f}, .restitution = 0.8f},
    {.kind = COLLIDER_CAPSULE, .radius_m = 0.3f, .length_m = 1.2f, .friction = 2}};

static void particles_meet_each_kind_as_in_double_precision(void** state) {
    static const char* const names[] = {"plane", "sphere", "box", "capsule"};
    const Vec3               axis = {0.3f, 0.8f, -0.5f};
    UNUSED(state);
    for (u32 run = 0; run < 2 * COUNT_OF(kinds); run += SANITIZED ? 3 : 1) {
        const u32      kind = run / 2;
        const bool     moves = run % 2;
        Random         r = {run + 1};
        Cloud          c;
        Compared       result = {0};
        ColliderMotion at;
        Mat34          was = pose_of((Vec3){0, 0, 0}, axis, 0.4f, 1.1f);
        at = collider_moving(&kinds[kind], &was, &was);
        cloud_open(&c, PARTICLES);
        cloud_fill(&c, &r, 1.5f, 3, &at, 1);
        cloud_begin(&c, 0);
        for (u32 f = 0; f < FRAMES; f++) {
            const f32   t = moves ? (f32)(f + 1) : 0;
            const Mat34 pose =
                pose_of((Vec3){0.02f * t, 0.015f * t, -0.01f * t}, axis, 0.4f + 0.08f * t, 1.1f);
            at = collider_moving(&kinds[kind], &was, &pose);
            frame_compare(&c, &at, 1, &result);
            was = pose;
        }
        printf("%s, %s: %u met, %u of %u wrong, others within %.2g m\n", names[kind],
               moves ? "moving" : "still", result.met, result.wrong, PARTICLES * FRAMES,
               result.worst_m);
        /* Where a particle only just meets it, rounding decides. */
        assert_true(result.met > 100 && result.wrong * 200 <= result.met);
        cloud_close(&c);
    }
}

/* More than are met without cells, of all kinds, all of which move. */
static void particles_meet_many_colliders_as_in_double_precision(void** state) {
    enum { MANY = 300 };
    ColliderMotion* at = malloc(MANY * sizeof *at);
    Mat34           was[MANY];
    Random          r = {77};
    Cloud           c;
    Compared        result = {0};
    UNUSED(state);
    for (u32 i = 0; i < MANY; i++) {
        was[i] = pose_of(random_vec(&r, 2), random_vec(&r, 1), random_float(&r, 0, 3),
                         i % 50 == 1 ? 1.0f : 0.12f); /* some are in no cell */
        at[i] = collider_moving(&kinds[i % 100 == 0 ? 0 : 1 + i % 3], &was[i], &was[i]);
        if (at[i].is_plane) at[i].at.y = at[i].at_was.y = -3;
    }
    cloud_open(&c, PARTICLES);
    cloud_fill(&c, &r, 1.5f, 4, at, MANY);
    cloud_begin(&c, 20);
    for (u32 f = 0; f < (SANITIZED ? 3 : 10); f++) {
        for (u32 i = 0; i < MANY; i++) {
            Mat34 pose = was[i];
            pose.m[i % 3][3] += i % 2 ? 0.01f : -0.01f;
            if (!at[i].is_plane) at[i] = collider_moving(&kinds[1 + i % 3], &was[i], &pose);
            was[i] = pose;
        }
        frame_compare(&c, at, MANY, &result);
    }
    printf("%u colliders: %u met, %u of %u wrong, others within %.2g m\n", MANY, result.met,
           result.wrong, PARTICLES * 10, result.worst_m);
    /* Those that meet two at once depend on their order. */
    assert_true(result.met > (SANITIZED ? 60 : 300) && result.wrong * 50 <= result.met);
    cloud_close(&c);
    free(at);
}

/* --- limits --- */

/* A plate of a millimetre moves at 20 m/s towards particles of up to 60 m/s. */
static void nothing_passes_a_thin_plate_that_moves(void** state) {
    const ColliderRecord plate = {
        .kind = COLLIDER_BOX, .half_extent_m = {50, 0.0005f, 50}, .restitution = 0.2f};
    Random r = {5};
    Cloud  c;
    Mat34  was = pose_of((Vec3){0, 0, 0}, (Vec3){0, 1, 0}, 0, 1);
    UNUSED(state);
    cloud_open(&c, PARTICLES);
    for (u32 i = 0; i < PARTICLES; i++) {
        c.position[i] = (Vec3){random_float(&r, -1, 1), random_float(&r, 0.01f, 2), 0};
        c.velocity[i] = (Vec3){0, random_float(&r, -60, 0), 0};
    }
    cloud_begin(&c, 100);
    for (u32 f = 0; f < 20; f++) {
        const Mat34 pose = pose_of((Vec3){0, (f32)(f + 1) * 0.4f, 0}, (Vec3){0, 1, 0}, 0, 1);
        const ColliderMotion at = collider_moving(&plate, &was, &pose);
        assert_int_equal(ent_gpu_colliders_set(c.colliders, &at, 1), ENT_OK);
        frame_run(&c);
        was = pose;
        assert_int_equal(ent_sph_read(c.sph, c.position, c.velocity, NULL), ENT_OK);
        for (u32 i = 0; i < PARTICLES; i++) {
            if (!(c.position[i].y > at.at.y))
                fail_msg("frame %u: particle %u is at %g, the plate at %g", f, i, c.position[i].y,
                         at.at.y);
            if (f == 19 && !(c.velocity[i].y > 10)) fail_msg("%g m/s", c.velocity[i].y);
        }
    }
    cloud_close(&c);
}

static void particles_that_are_too_fast_are_slowed_and_counted(void** state) {
    uint64_t slowed;
    Cloud    c;
    UNUSED(state);
    cloud_open(&c, 10);
    for (u32 i = 0; i < 10; i++) {
        c.position[i] = (Vec3){(f32)i, 0, 0};
        c.velocity[i] = (Vec3){i < 3 ? 40.0f : 1.0f, 0, 0};
    }
    cloud_begin(&c, 5);
    assert_int_equal(ent_sph_slowed(c.sph, &slowed), ENT_OK);
    assert_int_equal(slowed, 0);
    assert_int_equal(ent_sph_run(c.sph, 1), ENT_OK);
    assert_int_equal(ent_sph_slowed(c.sph, &slowed), ENT_OK);
    assert_int_equal(slowed, 3);
    assert_int_equal(ent_sph_read(c.sph, c.position, c.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < 10; i++)
        assert_true(fabsf(vec3_length(c.velocity[i]) - (i < 3 ? 5.0f : 1.0f)) < 1e-2f);
    const u32 many[2] = {UINT32_MAX, 0}; /* the next three are a carry, and two */
    assert_int_equal(gpu_upload(gpu_for_test(), &c.sph->buffer[SPH_SLOWED], 0, many, sizeof many),
                     ENT_OK);
    for (u32 i = 0; i < 2; i++) assert_int_equal(ent_sph_run(c.sph, 1), ENT_OK);
    assert_int_equal(ent_sph_slowed(c.sph, &slowed), ENT_OK);
    assert_true(slowed > UINT32_MAX && slowed <= (u64)UINT32_MAX + 6);
    cloud_close(&c);
}

/* 4,096 balls on a grid: a particle on each of them stays on it. */
static void particles_rest_on_thousands_of_colliders(void** state) {
    enum { SIDE = 64, MANY = SIDE * SIDE };
    const ColliderRecord ball = {.kind = COLLIDER_SPHERE, .radius_m = 0.4f};
    ColliderMotion*      at = malloc(MANY * sizeof *at);
    Cloud                c;
    UNUSED(state);
    cloud_open(&c, MANY);
    for (u32 i = 0; i < MANY; i++) {
        const Vec3  place = {(f32)(i % SIDE), (f32)(i % 7) * 0.3f, (f32)(i / SIDE)};
        const Mat34 pose = pose_of(place, (Vec3){0, 1, 0}, 0, 1);
        at[i] = collider_moving(&ball, &pose, &pose);
        c.position[i] = vec3_add(place, (Vec3){0, 0.45f, 0});
        c.velocity[i] = (Vec3){0, 0, 0};
    }
    cloud_begin(&c, 10);
    assert_int_equal(ent_gpu_colliders_set(c.colliders, at, MANY), ENT_OK);
    for (u32 f = 0; f < 10; f++) frame_run(&c);
    assert_int_equal(ent_sph_read(c.sph, c.position, c.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < MANY; i++)
        if (!(fabsf(c.position[i].y - at[i].at.y - 0.4f) < 5e-4f))
            fail_msg("particle %u is %g above its ball", i, c.position[i].y - at[i].at.y);
    cloud_close(&c);
    free(at);
}

/* Four walls that stand on a floor, whose lower edges are in it: where they meet, nothing leaks. */
static void fluid_between_boxes_on_a_floor_stays_there(void** state) {
    enum { WIDE = 10, COUNT = WIDE * WIDE * WIDE };
    const ColliderRecord floor = {.kind = COLLIDER_PLANE, .normal = {0, 1, 0}},
                         wall = {.kind = COLLIDER_BOX, .half_extent_m = {1.2f, 3, 0.1f}};
    const FluidRecord fluid = {.smoothing_radius_m = 0.2f,
                               .rest_density_kg_m3 = 1000,
                               .stiffness = 300,
                               .viscosity = 200,
                               .particle_mass_kg = 1,
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.004f,
                               .substeps = SUBSTEPS};
    ColliderMotion    at[5];
    const Mat34       here = mat34_identity;
    Cloud             c;
    UNUSED(state);
    at[0] = collider_moving(&floor, &here, &here);
    for (u32 i = 0; i < 4; i++) {
        const f32   angle = (f32)i * 1.5707963f;
        const Mat34 pose =
            pose_of((Vec3){1.1f * sinf(angle), 3, 1.1f * cosf(angle)}, (Vec3){0, 1, 0}, angle, 1);
        at[1 + i] = collider_moving(&wall, &pose, &pose);
    }
    cloud_open(&c, COUNT);
    for (u32 i = 0; i < COUNT; i++)
        c.position[i] =
            (Vec3){-0.95f + 0.1f * (f32)(i % WIDE), 0.05f + 0.1f * (f32)(i / WIDE % WIDE),
                   -0.95f + 0.1f * (f32)(i / WIDE / WIDE)};
    const SphDesc desc = {
        .fluid = &fluid, .count = COUNT, .position = c.position, .colliders = c.colliders};
    assert_int_equal(ent_sph_create(&c.sph, gpu_for_test(), &desc), ENT_OK);
    assert_int_equal(ent_gpu_colliders_set(c.colliders, at, COUNT_OF(at)), ENT_OK);
    assert_int_equal(ent_sph_run(c.sph, SANITIZED ? 100 : 500), ENT_OK);
    assert_int_equal(ent_sph_read(c.sph, c.position, c.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < COUNT; i++) {
        const Vec3 p = c.position[i];
        if (!(p.y > -1e-5f && fabsf(p.x) < 1.0001f && fabsf(p.z) < 1.0001f))
            fail_msg("particle %u is at %g %g %g", i, p.x, p.y, p.z);
    }
    cloud_close(&c);
}

/* A particle that would meet a wall only after a floor has moved it, whose edges are flush: it stays in front of both. */
static void corners_of_flush_boxes_hold_particles(void** state) {
    const ColliderRecord wall = {.kind = COLLIDER_BOX, .half_extent_m = {0.05f, 0.5f, 1}},
                         ground = {.kind = COLLIDER_BOX, .half_extent_m = {1, 0.05f, 1}};
    const Mat34 wall_pose = pose_of((Vec3){0.05f, 0.5f, 0}, (Vec3){0, 1, 0}, 0, 1),
                ground_pose = pose_of((Vec3){-0.5f, -0.05f, 0}, (Vec3){0, 1, 0}, 0, 1);
    const ColliderMotion at[2] = {collider_moving(&wall, &wall_pose, &wall_pose),
                                  collider_moving(&ground, &ground_pose, &ground_pose)};
    Random               r = {11};
    Cloud                c;
    UNUSED(state);
    cloud_open(&c, PARTICLES);
    for (u32 i = 0; i < PARTICLES; i++) {
        c.position[i] = (Vec3){random_float(&r, -0.03f, -0.001f), random_float(&r, 0.001f, 0.03f),
                               random_float(&r, -0.5f, 0.5f)};
        c.velocity[i] = (Vec3){random_float(&r, 2, 8), random_float(&r, -8, -2), 0};
    }
    cloud_begin(&c, 100);
    assert_int_equal(ent_gpu_colliders_set(c.colliders, at, 2), ENT_OK);
    for (u32 f = 0; f < 3; f++) frame_run(&c);
    assert_int_equal(ent_sph_read(c.sph, c.position, c.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < PARTICLES; i++)
        if (!(c.position[i].x < 0 && c.position[i].y > 0))
            fail_msg("particle %u is at %g %g", i, c.position[i].x, c.position[i].y);
    cloud_close(&c);
}

/* After any failure of the driver nothing of the fluid and its colliders remains. */
static void fluid_among_colliders_with_any_failing_vulkan_call_frees_everything(void** state) {
    const ColliderRecord ball = {.kind = COLLIDER_SPHERE, .radius_m = 0.4f};
    const FluidRecord    fluid = alone(10);
    Gpu*                 gpu = gpu_for_test();
    u64                  bytes = ent_gpu_bytes(gpu);
    Vec3                 position[50];
    u32                  call = 1;
    UNUSED(state);
    for (u32 i = 0; i < 50; i++) position[i] = (Vec3){0.1f * (f32)i, 0.5f, 0};
    for (ent_status status = ENT_NO_MEMORY; status != ENT_OK; call += getenv("TEST_FULL") ? 1
                                                                      : SANITIZED         ? 61
                                                                                          : 11) {
        const Mat34          here = mat34_identity;
        const ColliderMotion at = collider_moving(&ball, &here, &here);
        SphDesc              desc = {.fluid = &fluid, .count = 50, .position = position};
        Sph*                 sph = NULL;
        assert_int_equal(ent_gpu_colliders_create(&desc.colliders, gpu), ENT_OK);
        assert_int_equal(ent_gpu_colliders_set(desc.colliders, &at, 1), ENT_OK);
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        status = ent_sph_create(&sph, gpu, &desc);
        if (status == ENT_OK) status = ent_sph_run(sph, 1);
        if (status == ENT_OK) status = ent_sph_read(sph, position, NULL, NULL);
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        gpu->desc.fault_call = 0;
        /* What could not be created is created by the next step. */
        if (sph && !gpu->lost) assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
        ent_sph_destroy(sph);
        ent_gpu_colliders_destroy(desc.colliders);
        assert_int_equal(ent_gpu_bytes(gpu), bytes);
        if (!gpu->lost) continue;
        gpu = gpu_renewed_for_test(); /* a lost device stays lost */
        bytes = ent_gpu_bytes(gpu);
    }
    assert_true(call > 40);
}

/* --- discs --- */

/* In a plane that is turned, moved and twice as large: a plane through its middle, and a ball that moves through it. */
static void discs_stay_out_of_colliders(void** state) {
    enum { DISCS = 400 };
    const ParticleSystemRecord system = {.count = DISCS,
                                         .half_extent_m = {2, 1},
                                         .radius_min_m = 0.01f,
                                         .radius_max_m = 0.03f,
                                         .speed_max_m_s = 2,
                                         .seed = 3};
    const Mat34                plane = pose_of((Vec3){3, 1, -2}, (Vec3){1, 2, 0.5f}, 0.7f, 2);
    const ColliderRecord wall = {.kind = COLLIDER_PLANE, .normal = {1, 0, 0}, .restitution = 1},
                         ball = {.kind = COLLIDER_SPHERE, .radius_m = 0.25f, .restitution = 0.5f};
    ParticlesDesc desc = {.system = &system, .step_s = 0.01f};
    ParticleState disc[DISCS];
    Particles*    particles;
    u32           pushed = 0;
    Mat34         was = plane;
    UNUSED(state);
    assert_int_equal(ent_gpu_colliders_create(&desc.colliders, gpu_for_test()), ENT_OK);
    assert_int_equal(ent_particles_create(&particles, gpu_for_test(), &desc), ENT_OK);
    ent_particles_place(particles, &plane);
    for (u32 f = 0; f < 60; f++) {
        const Vec3     place = mat34_point(&plane, (Vec3){0.3f + 0.02f * (f32)f, 0.1f, 0.05f});
        Mat34          pose = plane;
        ColliderMotion at[2];
        GpuFrames*     frames;
        GpuFrame*      frame;
        pose.m[0][3] = place.x, pose.m[1][3] = place.y, pose.m[2][3] = place.z;
        if (f == 0) was = pose;
        at[0] = collider_moving(&wall, &plane, &plane);
        at[1] = collider_moving(&ball, &was, &pose);
        was = pose;
        assert_int_equal(ent_gpu_colliders_set(desc.colliders, at, 2), ENT_OK);
        assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
        assert_int_equal(gpu_alone_end(frames, frame, ent_particles_record(particles, frame, 1)),
                         ENT_OK);
        assert_int_equal(ent_particles_read(particles, disc), ENT_OK);
        u32 behind = 0, inside = 0; /* half of them begin behind the plane */
        for (u32 i = 0; i < DISCS; i++) {
            const Vec3 p = mat34_point(&plane, (Vec3){disc[i].position.x, disc[i].position.y, 0});
            /* Discs that collide with each other are moved after they were kept out, by less than a diameter. */
            behind += disc[i].position.x < -disc[i].radius;
            inside += vec3_length(vec3_sub(p, place)) < 0.5f - 2 * disc[i].radius;
            pushed += f == 59 && disc[i].velocity.x > 2.05f;
        }
        if (f > 30 && (behind > 0 || inside > 0))
            fail_msg("frame %u: %u are behind the plane, %u in the ball", f, behind, inside);
    }
    assert_true(pushed > 0);
    ent_particles_destroy(particles);
    ent_gpu_colliders_destroy(desc.colliders);
    test_gpu_silent();
}

TEST_SUITE(colliders) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_meet_each_kind_as_in_double_precision),
        cmocka_unit_test(particles_meet_many_colliders_as_in_double_precision),
        cmocka_unit_test(nothing_passes_a_thin_plate_that_moves),
        cmocka_unit_test(particles_that_are_too_fast_are_slowed_and_counted),
        cmocka_unit_test(particles_rest_on_thousands_of_colliders),
        cmocka_unit_test(fluid_between_boxes_on_a_floor_stays_there),
        cmocka_unit_test(corners_of_flush_boxes_hold_particles),
        cmocka_unit_test(discs_stay_out_of_colliders),
        cmocka_unit_test(fluid_among_colliders_with_any_failing_vulkan_call_frees_everything)};
    return gpu_suite_end(TEST_RUN("colliders", tests));
}
