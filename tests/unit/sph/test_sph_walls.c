/* test_sph_walls.c - fluid beside walls: its pressure against a model in double precision, in a column at rest, and the front of a
 * collapsing column against an experiment. TEST_FULL runs more steps, and more particles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collider_oracle.h"
#include "sph_internal.h"
#include "sph_reference.h"
#include "test_colliders.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "wall_oracle.h"

/* --- a step beside each kind, in double precision --- */

enum { PARTICLES = 500 };

static const ColliderRecord kinds[] = {
    {.kind = COLLIDER_PLANE, .normal = {0.6f, 0.8f, 0}, .offset_m = -0.5f, .friction = 0.3f},
    {.kind = COLLIDER_SPHERE, .radius_m = 0.4f, .restitution = 0.3f},
    {.kind = COLLIDER_BOX,
     .half_extent_m = {0.5f, 0.3f, 0.4f},
     .restitution = 0.8f,
     .friction = 0.2f},
    {.kind = COLLIDER_CAPSULE, .radius_m = 0.05f, .length_m = 0.6f}};

static const FluidRecord water = {.smoothing_radius_m = 0.2f,
                                  .rest_density_kg_m3 = 1000,
                                  .stiffness = 50,
                                  .viscosity = 5,
                                  .particle_mass_kg = 1.2f,
                                  .gravity_m_s2 = {0, -9.81f, 0},
                                  .step_s = 0.004f,
                                  .substeps = 1,
                                  .speed_max_m_s = 20};

typedef struct Stage {
    Gpu*          gpu;
    GpuColliders* colliders;
    Sph*          sph;
    Vec3          position[2][PARTICLES], velocity[2][PARTICLES]; /* before and after a step */
    f32           density[PARTICLES];
    f64           expected[3][PARTICLES][3]; /* position, velocity, density */
} Stage;

static void step_expect(Stage* s, const ColliderMotion* at, u32 count) {
    f64           density[PARTICLES];
    const f64     dt = (f64)water.step_s;
    const SphCase c = {.fluid = &water,
                       .count = PARTICLES,
                       .position = s->position[0],
                       .velocity = s->velocity[0],
                       .wall = wall_begin,
                       .wall_user = at,
                       .wall_count = count};
    sph_reference_density(&c, density);
    sph_reference_acceleration(&c, density, s->expected[1]);
    for (u32 i = 0; i < PARTICLES; i++) {
        f64*      a = s->expected[1][i];
        const Vec from = of(s->position[0][i]);
        Vec       v = add(of(s->velocity[0][i]), times(vec(a[0], a[1], a[2]), dt));
        Vec       p = add(from, times(v, dt));
        bool      again = true;
        for (u32 round = 0; round < 4 && again; round++) {
            again = false;
            for (u32 k = 0; k < count; k++) again |= ball_meets(&at[k], 0, 1, dt, 0, from, &p, &v);
        }
        for (u32 k = 0; k < count; k++) v = wall_rubs(&water, &at[k], p, v, density[i]);
        s->expected[0][i][0] = p.x, s->expected[0][i][1] = p.y, s->expected[0][i][2] = p.z;
        a[0] = v.x, a[1] = v.y, a[2] = v.z;
        s->expected[2][i][0] = density[i];
    }
}

static f64 far_from(Vec3 is, const f64 expected[3]) {
    const f64 d[3] = {is.x - expected[0], is.y - expected[1], is.z - expected[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Returns how many particles were pressed or met. */
static u32 step_compare(Stage* s, const ColliderMotion* at, u32 count, u32* wrong, f64* worst) {
    GpuFrames* frames;
    GpuFrame*  frame;
    u32        touched = 0;
    assert_int_equal(ent_gpu_colliders_set(s->colliders, at, count), ENT_OK);
    assert_int_equal(ent_sph_read(s->sph, s->position[0], s->velocity[0], NULL), ENT_OK);
    assert_int_equal(gpu_alone_begin(s->gpu, &frames, &frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, ent_sph_record(s->sph, frame, 1)), ENT_OK);
    assert_int_equal(ent_sph_read(s->sph, s->position[1], s->velocity[1], s->density), ENT_OK);
    step_expect(s, at, count);
    for (u32 i = 0; i < PARTICLES; i++) {
        const f64 p[3] = {s->position[0][i].x, s->position[0][i].y, s->position[0][i].z};
        f64       n[3], volume;
        const f64 off = fmax(far_from(s->position[1][i], s->expected[0][i]),
                             far_from(s->velocity[1][i], s->expected[1][i]) * (f64)water.step_s);
        const f64 rho = s->expected[2][i][0], dense = fabs(s->density[i] - rho) / rho;
        touched += wall_begin(at, 0, p, n, &volume) < 0.2;
        *wrong += !(off < 1e-5 && dense < 1e-4);
        if (off < 1e-5) *worst = fmax(*worst, off);
    }
    return touched;
}

/* A block of particles, which falls. */
static void stage_open(Stage* s, Random* r) {
    SphDesc desc = {.fluid = &water, .count = PARTICLES, .position = s->position[0]};
    for (u32 i = 0; i < PARTICLES; i++)
        s->position[0][i] = (Vec3){0.1f * (f32)(i % 8) - 0.4f + random_float(r, 0, 0.02f),
                                   0.1f * (f32)(i / 8 % 8) + random_float(r, 0, 0.02f) + 0.35f,
                                   0.1f * (f32)(i / 64) - 0.4f + random_float(r, 0, 0.02f)};
    assert_int_equal(ent_gpu_colliders_create(&s->colliders, s->gpu), ENT_OK);
    desc.colliders = s->colliders;
    assert_int_equal(ent_sph_create(&s->sph, s->gpu, &desc), ENT_OK);
}

static void stage_close(Stage* s) {
    ent_sph_destroy(s->sph);
    ent_gpu_colliders_destroy(s->colliders);
}

static void fluid_beside_each_kind_is_as_in_double_precision(void** state) {
    static const char* const names[] = {"plane", "sphere", "box", "capsule"};
    const Vec3               axis = {0.3f, 0.8f, -0.5f};
    Stage*                   s = malloc(sizeof *s);
    UNUSED(state);
    s->gpu = gpu_for_test();
    for (u32 run = 0; run < 2 * COUNT_OF(kinds); run += SANITIZED ? 3 : 1) {
        const bool moves = run % 2;
        u32        touched = 0, wrong = 0;
        f64        worst = 0;
        Random     r = {run + 1};
        stage_open(s, &r);
        Vec3  place = {0, 0, 0}, one = {1, 1, 1};
        Mat34 was = mat34_identity;
        for (u32 f = 0; f < (SANITIZED && run ? 20 : 100); f++) {
            const f32  angle = moves ? 0.01f * (f32)f : 0.2f, sine = sinf(angle) / 0.99f;
            const Quat turn =
                quat_unit((Quat){axis.x * sine, axis.y * sine, axis.z * sine, cosf(angle)});
            if (moves) place.y = 0.003f * (f32)f;
            const Mat34 pose = mat34_of_pose(&place, &turn, &one);
            if (f == 0) was = pose;
            const ColliderMotion at = collider_moving(&kinds[run / 2], &was, &pose);
            touched += step_compare(s, &at, 1, &wrong, &worst);
            was = pose;
        }
        printf("%s, %s: %u beside it, %u wrong, others within %.2g m\n", names[run / 2],
               moves ? "moving" : "still", touched, wrong, worst);
        assert_true(touched > (SANITIZED ? 50 : 1000) && wrong * 400 <= touched);
        stage_close(s);
    }
    free(s);
    test_gpu_silent();
}

/* More than are met without cells, all of which move; some have no place in the cells, and are met by all particles. */
static void fluid_beside_many_colliders_is_as_in_double_precision(void** state) {
    enum { MANY = 400 };
    Stage*          s = malloc(sizeof *s);
    ColliderMotion* at = malloc(MANY * sizeof *at);
    Mat34*          was = malloc(MANY * sizeof *was);
    Random          r = {8};
    u32             touched = 0, wrong = 0;
    f64             worst = 0;
    UNUSED(state);
    s->gpu = gpu_for_test();
    for (u32 i = 0; i < MANY; i++) {
        const Vec3 place = {random_float(&r, -0.5f, 0.5f), random_float(&r, 0.2f, 1.3f),
                            random_float(&r, -0.5f, 0.5f)};
        const f32  size = i % 50 ? 0.04f : 0.3f;
        was[i] = mat34_of_pose(&place, &(Quat){0, 0, 0, 1}, &(Vec3){size, size, size});
    }
    stage_open(s, &r);
    for (u32 f = 0; f < (SANITIZED ? 5 : 20); f++) {
        for (u32 i = 0; i < MANY; i++) {
            Mat34 pose = was[i];
            pose.m[i % 3][3] += f == 0 ? 0 : 0.002f;
            at[i] = collider_moving(&kinds[1 + i % 3], &was[i], &pose);
            was[i] = pose;
        }
        touched += step_compare(s, at, MANY, &wrong, &worst);
    }
    printf("%u colliders: %u of %u wrong, others within %.2g m\n", MANY, wrong,
           PARTICLES * (SANITIZED ? 5u : 20u), worst);
    /* Friction and contacts with several depend on their order. */
    assert_true(touched > 0 && wrong * 20 <= PARTICLES * (SANITIZED ? 5u : 20u));
    stage_close(s);
    free(at), free(was), free(s);
    test_gpu_silent();
}

/* --- a tank --- */

/* A box without a lid, from the origin. */
typedef struct Tank {
    GpuColliders* colliders;
    Sph*          sph;
    u32           count;
    Vec3          size_m;
    Vec3 *        position, *velocity;
    f32*          density;
} Tank;

/* A block of particles in its corner. */
static void tank_open(Tank* t, const FluidRecord* fluid, Vec3 size_m, const u32 cells[3],
                      f32 strain) {
    const Vec4 planes[] = {
        {0, 1, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, -size_m.x}, {0, 0, 1, 0}, {0, 0, -1, -size_m.z}};
    const f32 restitution[COUNT_OF(planes)] = {0};
    const f32 spacing = fluid->smoothing_radius_m / 2, high = (f32)cells[1] * spacing;
    u32       n = 0;
    *t = (Tank){.count = cells[0] * cells[1] * cells[2], .size_m = size_m};
    t->position = malloc(t->count * sizeof *t->position);
    t->velocity = malloc(t->count * sizeof *t->velocity);
    t->density = malloc(t->count * sizeof *t->density);
    for (u32 z = 0; z < cells[2]; z++)
        for (u32 y = 0; y < cells[1]; y++)
            for (u32 x = 0; x < cells[0]; x++) {
                const f32 up = ((f32)y + 0.5f) * spacing;
                t->position[n++] =
                    (Vec3){((f32)x + 0.5f) * spacing, up - strain * (up - up * up / 2 / high),
                           ((f32)z + 0.5f) * spacing};
            }
    t->colliders = colliders_of_planes(gpu_for_test(), planes, restitution, COUNT_OF(planes));
    const SphDesc desc = {
        .fluid = fluid, .count = t->count, .position = t->position, .colliders = t->colliders};
    assert_int_equal(ent_sph_create(&t->sph, gpu_for_test(), &desc), ENT_OK);
}

static void tank_close(Tank* t) {
    ent_sph_destroy(t->sph);
    ent_gpu_colliders_destroy(t->colliders);
    free(t->position), free(t->velocity), free(t->density);
    test_gpu_silent();
}

static void tank_run(Tank* t, u32 steps) {
    assert_int_equal(ent_sph_run(t->sph, steps), ENT_OK);
    assert_int_equal(ent_sph_read(t->sph, t->position, t->velocity, t->density), ENT_OK);
    for (u32 i = 0; i < t->count; i++) {
        const Vec3 p = t->position[i];
        if (!(p.y >= -1e-6f && p.x >= -1e-6f && p.x <= t->size_m.x + 1e-6f && p.z >= -1e-6f &&
              p.z <= t->size_m.z + 1e-6f))
            fail_msg("particle %u is at %g %g %g", i, p.x, p.y, p.z);
    }
}

/* --- a column at rest --- */

enum { LAYERS = 10 }; /* of h */

typedef struct Column {
    f64 sum[LAYERS][2], count[LAYERS][2]; /* of pressures: far from walls, and beside them */
    f64 line[LAYERS];                     /* that fits them best between 2 and 8 h */
} Column;

static void column_measure(const Tank* t, const FluidRecord* f, Column* c) {
    const f64 h = f->smoothing_radius_m;
    for (u32 i = 0; i < t->count; i++) {
        const Vec3 p = t->position[i];
        const u32  layer = (u32)fmin(p.y / h, LAYERS - 1);
        const f64  beside = fmin(fmin(p.x, t->size_m.x - p.x), fmin(p.z, t->size_m.z - p.z)) / h;
        const f64  pressure = (f64)f->stiffness * ((f64)t->density[i] - f->rest_density_kg_m3);
        if (beside > 0.5 && beside < 1) continue;
        c->sum[layer][beside <= 0.5] += pressure;
        c->count[layer][beside <= 0.5] += 1;
    }
}

static f64 pressure_of(const Column* c, u32 layer) {
    return (c->sum[layer][0] + c->sum[layer][1]) / (c->count[layer][0] + c->count[layer][1]);
}

/* Least squares over the layers from 2 to 8. */
static void line_fit(Column* c) {
    f64 n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (u32 k = 2; k < 8; k++) {
        const f64 p = pressure_of(c, k);
        n += 1, x += k, y += p, xx += k * k, xy += k * p;
    }
    const f64 slope = (n * xy - x * y) / (n * xx - x * x);
    for (u32 k = 0; k < LAYERS; k++) c->line[k] = (y - slope * x) / n + slope * k;
}

/* Of its energy of position, the energy of motion is at most this share. */
static f64 motion_share(const Tank* t, f64 height_m) {
    f64 square = 0;
    for (u32 i = 0; i < t->count; i++) square += (f64)vec3_dot(t->velocity[i], t->velocity[i]);
    return square / 2 / (t->count * 9.81 * height_m / 2);
}

/* The pressure between particles acts by half, because Mueller's symmetric form has half of the gradient: in the model it is more
 * than the weight above, but as linear. */
static void column_at_rest_has_linear_pressure_up_to_its_walls(void** state) {
    static const u32  cells[3] = {10, 20, 10};
    const FluidRecord fluid = {.smoothing_radius_m = 0.1f,
                               .rest_density_kg_m3 = 1000,
                               .stiffness = 300,
                               .viscosity = 300,
                               .particle_mass_kg = 0.125f,
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.0023f};
    const bool        full = getenv("TEST_FULL");
    const u32         steps = full ? 20000 : SANITIZED ? 100 : 500;
    Tank              t;
    Column            c = {0};
    f64               far = 0, beside = 0;
    UNUSED(state);
    tank_open(&t, &fluid, (Vec3){0.5f, 0, 0.5f}, cells, 0.075f);
    for (u32 done = 0; done < steps; done += steps / 20) {
        tank_run(&t, steps / 20);
        if (done >= steps / 2) column_measure(&t, &fluid, &c);
    }
    line_fit(&c);
    for (u32 k = 2; k < 8; k++) {
        const f64 is = pressure_of(&c, k), limit = SANITIZED ? 0.1 : 0.05;
        if (!(fabs(is - c.line[k]) <= limit * c.line[2]))
            fail_msg("at %u h: %g Pa, on the line %g", k, is, c.line[k]);
        far += c.sum[k][0] / c.count[k][0];
        beside += c.sum[k][1] / c.count[k][1];
    }
    const f64 motion = motion_share(&t, 1);
    printf("%u steps: pressure beside walls %.3f of that in the bulk, energy of motion %.2g\n",
           steps, beside / far, motion);
    assert_true(c.line[2] > c.line[7] && c.line[7] > 1000);
    assert_true(beside / far > 0.95 && beside / far < (full ? 1.05 : 1.1));
    assert_true(motion < (full ? 5e-4 : 0.1));
    tank_close(&t);
}

/* --- a dam breaks --- */

/* A column of the width a and the height 2 a; times are in 1 / sqrt(2 g / a), places in a.
 *
 * Source   J. C. Martin, W. J. Moyce, An experimental study of the collapse of liquid columns on a rigid horizontal plane, 1952,
 *          tables 2 and 6. */
static const f64 experiment[][2] = {
    {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89}, {1.83, 2.11}, {1.98, 2.33}, {2.2, 2.56}, {2.32, 2.78},
    {2.51, 3},    {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};

/* Beyond it is one particle in 500: spray. */
static f64 front_of(const Tank* t) {
    enum { BINS = 1000 };
    u32 bin[BINS] = {0}, beyond = 0, k = BINS;
    for (u32 i = 0; i < t->count; i++)
        bin[(u32)fmin(t->position[i].x / t->size_m.x * BINS, BINS - 1)]++;
    while (k > 0 && beyond + bin[k - 1] <= t->count / 500) beyond += bin[--k];
    return (f64)t->size_m.x * k / BINS;
}

static void front_of_a_dam_break_is_that_of_the_experiment(void** state) {
    const bool        full = getenv("TEST_FULL");
    const u32         wide = full ? 33 : SANITIZED ? 6 : 12;
    const u32         cells[3] = {wide, 2 * wide, full ? 40 : SANITIZED ? 6 : 14};
    const f32         h = 2.0f / (f32)wide;
    const FluidRecord fluid = {.smoothing_radius_m = h,
                               .rest_density_kg_m3 = 1000,
                               .stiffness = 1000,
                               .viscosity = 100, /* also in the place of the drag of the floor */
                               .particle_mass_kg =
                                   123.8f * h * h * h, /* at rest, a lattice has no pressure */
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.3f * h / sqrtf(1000)};
    const f64         unit_s = sqrt(1 / (2 * 9.81)), low = -0.1, high = 0.05;
    f64               done_s = 0, worst[2] = {0, 0};
    Tank              t;
    UNUSED(state);
    tank_open(&t, &fluid, (Vec3){6, 0, (f32)cells[2] * h / 2}, cells, 0);
    for (u32 i = 0; i < COUNT_OF(experiment); i++) {
        const u32 steps = (u32)((experiment[i][0] * unit_s - done_s) / (f64)fluid.step_s);
        tank_run(&t, steps);
        done_s += steps * (f64)fluid.step_s;
        const f64 off = front_of(&t) / experiment[i][1] - 1;
        printf("%.2f: %.2f, of %.2f: %+.1f %%\n", experiment[i][0], front_of(&t), experiment[i][1],
               off * 100);
        worst[0] = fmin(worst[0], off), worst[1] = fmax(worst[1], off);
    }
    printf("%u particles: the front is %+.1f to %+.1f %% of the experiment\n", t.count,
           worst[0] * 100, worst[1] * 100);
    assert_true(SANITIZED || (worst[0] >= low && worst[1] <= high));
    tank_close(&t);
}

static void fluid_is_beside_walls_the_same_at_all_sizes_of_subgroups(void** state) {
    UNUSED(state);
    test_gpu_widths("sph_walls_width", 512);
}

TEST_SUITE(sph_walls_width) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_beside_each_kind_is_as_in_double_precision),
        cmocka_unit_test(fluid_is_beside_walls_the_same_at_all_sizes_of_subgroups)};
    return gpu_suite_end(TEST_RUN("sph_walls_width", tests));
}

TEST_SUITE(sph_walls) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_beside_many_colliders_is_as_in_double_precision),
        cmocka_unit_test(column_at_rest_has_linear_pressure_up_to_its_walls),
        cmocka_unit_test(front_of_a_dam_break_is_that_of_the_experiment)};
    return gpu_suite_end(TEST_RUN("sph_walls", tests));
}
