/* test_sph_reference.c - the fluid on the CPU, before anything is compared with it: by values that
 * were computed elsewhere, by all pairs, by conserved quantities; and the longest stable step. */
#include "fluid_step.h"
#include "sph_reference.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"
#include "test_worlds_support.h"

#define MANY 1000

static const FluidRecord still = {.smoothing_radius_m = 1,
                                  .rest_density_kg_m3 = 1,
                                  .stiffness = 250,
                                  .viscosity = 0.5f,
                                  .particle_mass_kg = 1,
                                  .step_s = 0.0078125f,
                                  .model = FLUID_MUELLER};

static void assert_near(f64 is, f64 wanted, f64 max) {
    if (!(fabs(is - wanted) <= max)) fail_msg("%.17g, expected %.17g within %g", is, wanted, max);
}

static void assert_vector(const f64 is[3], f64 x, f64 y, f64 z) {
    const f64 max = 1e-12 * (1 + fabs(x) + fabs(y) + fabs(z));
    assert_near(is[0], x, max);
    assert_near(is[1], y, max);
    assert_near(is[2], z, max);
}

/* --- two particles: the values were computed with 25 digits --- */

static void reference_of_two_particles_equals_values_computed_by_hand(void** state) {
    static const struct {
        f32 h, m, K, e, p0, r;
        f64 density, mueller[3], article;
    } rows[] = {
        {1,
         1,
         250,
         0.5f,
         1,
         0.5f,
         2.227625216664638574, /* no unit, so powers of h do not count */
         {-219.3098348934416770, 2.886545384376558888, -1.443272692188279444},
         -101.5868146061014461},
        {2,
         3,
         10,
         0.25f,
         0.125f,
         1,
         0.8353594562492394653,
         {-6.113313019520807942, 0.9621817947921862961, -0.4810908973960931480},
         -2.967894062712202947},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Vec3  position[2] = {{0, 0, 0}, {rows[i].r, 0, 0}};
        const Vec3  velocity[2] = {{0, 0, 0}, {3, 4, -2}};
        FluidRecord fluid = {.smoothing_radius_m = rows[i].h,
                             .particle_mass_kg = rows[i].m,
                             .stiffness = rows[i].K,
                             .viscosity = rows[i].e,
                             .rest_density_kg_m3 = rows[i].p0};
        SphCase     c = {.fluid = &fluid, .count = 2, .position = position, .velocity = velocity};
        const f64*  a = rows[i].mueller;
        f64         density[2], acceleration[2][3];
        sph_reference_density(&c, density);
        assert_near(density[0], rows[i].density, 1e-12);
        assert_near(density[1], rows[i].density, 1e-12);
        sph_reference_acceleration(&c, density, acceleration);
        assert_vector(acceleration[0], a[0], a[1], a[2]);
        assert_vector(acceleration[1], -a[0], -a[1], -a[2]);
        fluid.model = FLUID_ARTICLE;
        sph_reference_acceleration(&c, density, acceleration);
        assert_vector(acceleration[0], rows[i].article, 0, 0);
    }
}

/* At distance zero there is no direction; from h on there is no neighbour; below p0 there is no
 * pressure. */
static void reference_at_zero_and_maximum_distance_has_no_force(void** state) {
    const f64   alone = 315 / (64 * 3.14159265358979323846);
    const Vec3  together[2] = {{5, 5, 5}, {5, 5, 5}}, apart[2] = {{0, 0, 0}, {1, 0, 0}};
    const Vec3  velocity[2] = {{1, 2, 3}, {-1, 7, 0}};
    FluidRecord fluid = still;
    SphCase     c = {.fluid = &fluid, .count = 2, .position = together, .velocity = velocity};
    f64         density[2], acceleration[2][3];
    UNUSED(state);
    fluid.gravity_m_s2 = (Vec3){1, -2, 3};
    for (u32 model = 0; model < FLUID_MODEL_COUNT; model++) {
        fluid.model = model;
        c.position = together;
        sph_reference_density(&c, density);
        assert_near(density[0], 2 * alone, 1e-12);
        sph_reference_acceleration(&c, density, acceleration);
        assert_vector(acceleration[1], 1, -2, 3);
        c.position = apart;
        sph_reference_density(&c, density);
        assert_near(density[0], alone, 1e-12);
        sph_reference_acceleration(&c, density, acceleration);
        assert_vector(acceleration[0], 1, -2, 3);
    }
    fluid.rest_density_kg_m3 = 10;
    sph_reference_density(&c, density);
    assert_true(density[0] == 10 && density[1] == 10);
}

/* --- many --- */

typedef struct Crowd {
    Vec3    position[MANY], velocity[MANY];
    f64     density[2][MANY];
    f64     acceleration[2][MANY][3];
    SphCase c;
} Crowd;

typedef enum Shape { LOOSE, HUGE, NEGATIVE, ONE_CELL, FEW_PLACES, FAR, SHAPE_COUNT } Shape;

static f32 coordinate(Random* r, Shape shape, u32 i) {
    static const f32 places[] = {-3, -0.5f, 0, 0.25f, 1, 1.5f};
    switch (shape) {
    case HUGE: return 1e6f + random_float(r, -4, 4);
    case NEGATIVE: return -2e4f - random_float(r, 0, 5);
    case ONE_CELL: return random_float(r, 0.25f, 0.75f);
    case FEW_PLACES: return places[random_below(r, COUNT_OF(places))];
    case FAR: return i % 4 ? ldexpf(random_float(r, -1, 1), (int)(i * 7 % 127)) : (f32)(i % 3);
    default: return random_float(r, -2.5f, 2.5f);
    }
}

static void crowd_make(Crowd* crowd, const FluidRecord* fluid, Shape shape) {
    Random r = {shape + 1};
    for (u32 i = 0; i < MANY; i++) {
        f32 at[3], speed[3];
        for (u32 k = 0; k < 3; k++) {
            at[k] = coordinate(&r, shape, i);
            speed[k] = random_float(&r, -3, 3);
        }
        crowd->position[i] = (Vec3){at[0], at[1], at[2]};
        crowd->velocity[i] = (Vec3){speed[0], speed[1], speed[2]};
    }
    crowd->c = (SphCase){
        .fluid = fluid, .count = MANY, .position = crowd->position, .velocity = crowd->velocity};
}

static f64 length_of(const f64 v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static void grid_is_all_pairs(Crowd* crowd) {
    f64 max = 0;
    sph_reference_density(&crowd->c, crowd->density[0]);
    sph_reference_density_all_pairs(&crowd->c, crowd->density[1]);
    sph_reference_acceleration(&crowd->c, crowd->density[1], crowd->acceleration[0]);
    sph_reference_acceleration_all_pairs(&crowd->c, crowd->density[1], crowd->acceleration[1]);
    for (u32 i = 0; i < MANY; i++) max = fmax(max, length_of(crowd->acceleration[1][i]));
    assert_true(max > 1);
    for (u32 i = 0; i < MANY; i++) {
        assert_near(crowd->density[0][i], crowd->density[1][i], 1e-13 * crowd->density[1][i]);
        for (u32 k = 0; k < 3; k++) {
            assert_near(crowd->acceleration[0][i][k], crowd->acceleration[1][i][k], 1e-13 * max);
        }
    }
}

static void neighbours_found_by_grid_equal_all_pairs(void** state) {
    static const f32 radii[] = {1, 0.3f, 2.75f};
    Crowd*           crowd = malloc(sizeof *crowd);
    FluidRecord      fluid = still;
    UNUSED(state);
    for (u32 model = 0; model < FLUID_MODEL_COUNT; model++) {
        for (u32 shape = 0; shape < SHAPE_COUNT; shape++) {
            for (u32 i = 0; i < COUNT_OF(radii); i++) {
                fluid.model = model;
                fluid.smoothing_radius_m = radii[i];
                crowd_make(crowd, &fluid, (Shape)shape);
                grid_is_all_pairs(crowd);
            }
        }
    }
    free(crowd);
}

/* The sum of all forces relative to the sum of their lengths. */
static f64 momentum_lost(Crowd* crowd) {
    f64 sum[3] = {0, 0, 0}, lengths = 0;
    sph_reference_density(&crowd->c, crowd->density[0]);
    sph_reference_acceleration(&crowd->c, crowd->density[0], crowd->acceleration[0]);
    for (u32 i = 0; i < MANY; i++) {
        for (u32 k = 0; k < 3; k++) sum[k] += crowd->acceleration[0][i][k];
        lengths += length_of(crowd->acceleration[0][i]);
    }
    return length_of(sum) / lengths;
}

/* The forces of Mueller's model are symmetric. Those of the article are not, which also shows that
 * the test detects it. */
static void reference_conserves_momentum_in_symmetric_model(void** state) {
    Crowd*      crowd = malloc(sizeof *crowd);
    FluidRecord fluid = still, article = still;
    UNUSED(state);
    article.model = FLUID_ARTICLE;
    for (u32 shape = 0; shape < SHAPE_COUNT; shape++) {
        crowd_make(crowd, &fluid, (Shape)shape);
        assert_near(momentum_lost(crowd), 0, 1e-13);
    }
    crowd_make(crowd, &article, LOOSE);
    assert_true(momentum_lost(crowd) > 1e-5);
    free(crowd);
}

/* --- steps --- */

static void reference_step_equals_values_computed_by_hand(void** state) {
    static const Vec4 plane[2] = {{0, 1, 0, 0}, {-0.6f, 0.8f, 0, -8}};
    static const f32  restitution[2] = {0.5f, 0};
    static const Vec3 position[] = {{0, 8, 0}, {4, 0.0625f, 0}, {0, -1, 4}, {30, 10, 0}};
    static const Vec3 velocity[] = {{1, 0, 0}, {2, -10, 3}, {0, 4, 0}, {0, 1, 0}};
    FluidRecord       fluid = still;
    const SphCase     c = {.fluid = &fluid,
                           .count = COUNT_OF(position),
                           .position = position,
                           .velocity = velocity,
                           .plane = plane,
                           .plane_restitution = restitution,
                           .plane_count = COUNT_OF(plane)};
    const f64         dt = 0.0078125, fall = -10 * dt;
    f64               x[COUNT_OF(position)][3], v[COUNT_OF(position)][3];
    UNUSED(state);
    fluid.gravity_m_s2 = (Vec3){0, -10, 0};
    fluid.stiffness = 0; /* walls do not press */
    sph_reference_step(&c, x, v);
    assert_vector(v[0], 1, fall, 0); /* falls freely */
    assert_vector(x[0], dt, 8 + fall * dt, 0);
    assert_vector(v[1], 2, 0.5 * (10 - fall), 3); /* bounces with half its velocity */
    assert_vector(x[1], 4 + 2 * dt, 0, 3 * dt);
    assert_vector(v[2], 0, 4 + fall, 0); /* moves upwards by itself: keeps its velocity */
    assert_vector(x[2], 0, 0, 4);
    const f64 n[2] = {-(f64)0.6f, 0.8f}, up = 1 + fall,
              behind = n[0] * 30 + n[1] * (10 + up * dt) + 8;
    assert_vector(v[3], 0, up, 0); /* behind the slope, and moving away from it */
    assert_vector(x[3], 30 - behind * n[0], 10 + up * dt - behind * n[1], 0);
}

/* The step uses the results of the two functions. */
static void reference_step_uses_its_density_and_acceleration(void** state) {
    Crowd* crowd = malloc(sizeof *crowd);
    f64(*x)[3] = malloc(sizeof(f64[MANY][3]));
    f64(*v)[3] = malloc(sizeof(f64[MANY][3]));
    UNUSED(state);
    crowd_make(crowd, &still, LOOSE);
    sph_reference_step(&crowd->c, x, v);
    sph_reference_density(&crowd->c, crowd->density[0]);
    sph_reference_acceleration(&crowd->c, crowd->density[0], crowd->acceleration[0]);
    for (u32 i = 0; i < MANY; i++) {
        const f64 dt = still.step_s, vy = crowd->velocity[i].y + crowd->acceleration[0][i][1] * dt;
        assert_near(v[i][1], vy, 1e-12 * (1 + fabs(vy)));
        assert_near(x[i][1], crowd->position[i].y + vy * dt, 1e-12 * (1 + fabs(vy)));
    }
    free(crowd);
    free(x);
    free(v);
}

/* --- walls --- */

/* Of a function of the distance, over the part of the sphere of radius 1 behind a plane, in rings. */
typedef f64 (*Kernel)(f64 r, f64 along);

static f64 poly6(f64 r, f64 along) {
    UNUSED(along);
    return 315 / (64 * 3.14159265358979323846) * pow(1 - r * r, 3);
}
static f64 spiky_gradient(f64 r, f64 along) {
    return 45 / 3.14159265358979323846 * (1 - r) * (1 - r) * along / r;
}

static f64 half_space_integral(f64 distance, Kernel kernel) {
    const u32 rings = 1000;
    f64       sum = 0;
    for (u32 i = 0; i < rings; i++) {
        const f64 z = distance + (1 - distance) * (i + 0.5) / rings, wide = sqrt(1 - z * z);
        for (u32 k = 0; k < rings; k++) {
            const f64 s = wide * (k + 0.5) / rings;
            sum += kernel(sqrt(z * z + s * s), z) * 2 * 3.14159265358979323846 * s * wide / rings;
        }
    }
    return sum * (1 - distance) / rings;
}

/* A particle alone: its density is divided by what is left of the integral of the kernel, and the wall presses it by the
 * integral of the kernel's gradient. In a corner, the parts that are left are multiplied. */
static void walls_of_reference_are_integrals_of_kernels(void** state) {
    static const Vec4 plane[2] = {{0, 1, 0, 0}, {1, 0, 0, 0}};
    const f64         alone = 315 / (64 * 3.14159265358979323846);
    UNUSED(state);
    for (u32 i = 0; i < 10; i++) {
        const f32  y = (f32)i * 0.105f, x = 0.3f;
        const Vec3 at = {x, y, 0}, still_at = {0, 0, 0};
        const f64  down = 1 - half_space_integral(y, poly6),
                  left = 1 - half_space_integral(x, poly6);
        const f64 free = down * left, rho = alone / free, p = 250 * (rho - 1);
        f64       density, acceleration[1][3];
        SphCase   c = {.fluid = &still, .count = 1, .position = &at, .velocity = &still_at};
        c.plane = plane, c.plane_count = 2;
        sph_reference_density(&c, &density);
        assert_near(density, rho, 1e-5 * rho);
        sph_reference_acceleration(&c, &density, acceleration);
        assert_near(acceleration[0][1], p / rho * half_space_integral(y, spiky_gradient) * left,
                    1e-4 * p);
        assert_near(acceleration[0][0], p / rho * half_space_integral(x, spiky_gradient) * down,
                    1e-4 * p);
    }
}

static void longest_stable_step_is_the_minimum_of_three_bounds(void** state) {
    static const struct {
        f32        h, p0, K, e;
        Vec3       g;
        f64        step_s;
        FluidBound bound;
    } rows[] = {
        {1, 1, 250, 0.018f, {0, -9.81f, 0}, 0.025298221281347034, FLUID_BOUND_SOUND}, /* defaults */
        {0.5f, 1, 100, 0, {0, 0, 0}, 0.02, FLUID_BOUND_SOUND},
        {0.5f, 8, 1, 64, {0, 0, 0}, 0.00390625, FLUID_BOUND_VISCOSITY},
        {2, 1, 1, 0, {60, 0, -80}, 0.035355339059327376, FLUID_BOUND_GRAVITY},
        {2, 1, 0, 0, {0, 0, 0}, INFINITY, FLUID_BOUND_NONE},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const FluidRecord fluid = {.smoothing_radius_m = rows[i].h,
                                   .rest_density_kg_m3 = rows[i].p0,
                                   .stiffness = rows[i].K,
                                   .viscosity = rows[i].e,
                                   .gravity_m_s2 = rows[i].g};
        FluidBound        bound = FLUID_BOUND_NONE;
        assert_true(ent_fluid_step_max_s(&fluid, &bound) == (f32)rows[i].step_s);
        assert_true(ent_fluid_step_max_s(&fluid, NULL) == (f32)rows[i].step_s);
        assert_int_equal(bound, rows[i].bound);
    }
}

TEST_SUITE(sph_reference) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_of_two_particles_equals_values_computed_by_hand),
        cmocka_unit_test(reference_at_zero_and_maximum_distance_has_no_force),
        cmocka_unit_test(neighbours_found_by_grid_equal_all_pairs),
        cmocka_unit_test(reference_conserves_momentum_in_symmetric_model),
        cmocka_unit_test(reference_step_equals_values_computed_by_hand),
        cmocka_unit_test(walls_of_reference_are_integrals_of_kernels),
        cmocka_unit_test(reference_step_uses_its_density_and_acceleration),
        cmocka_unit_test(longest_stable_step_is_the_minimum_of_three_bounds)};
    return TEST_RUN("sph_reference", tests);
}
