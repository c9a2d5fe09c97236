/* test_sph_fluids.c - fluids that meet: each step against a model in double precision, momentum, layers of different densities, emitters
 * of several fluids, and pictures of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rows.h"
#include "sph_internal.h"
#include "test_colliders.h"
#include "test_entities.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

#define PI 3.14159265358979323846

static FluidRecord fluid_of(f32 density, f32 mass, f32 stiffness, f32 viscosity) {
    return (FluidRecord){.smoothing_radius_m = 0.2f,
                         .spacing_m = 0.1f,
                         .rest_density_kg_m3 = density,
                         .particle_mass_kg = mass,
                         .stiffness = stiffness,
                         .viscosity = viscosity,
                         .gravity_m_s2 = {0, -9.81f, 0},
                         .step_s = 0.002f,
                         .substeps = 1};
}

/* --- the model --- */

typedef struct Model {
    const FluidRecord* fluid; /* of each kind */
    u32                count;
    const u32*         kind; /* [count] */
    f64 (*at)[3], (*v)[3];   /* [count] */
    f64* density;
} Model;

static f64 distance2(const Model* m, u32 i, u32 j, f64 d[3]) {
    f64 sum = 0;
    for (u32 a = 0; a < 3; a++) d[a] = m->at[i][a] - m->at[j][a], sum += d[a] * d[a];
    return sum;
}

/* Number densities, times the mass of the own fluid. */
static void model_densities(Model* m) {
    const f64 h = m->fluid->smoothing_radius_m;
    for (u32 i = 0; i < m->count; i++) {
        const FluidRecord* f = &m->fluid[m->kind[i]];
        f64                number = 0, d[3];
        for (u32 j = 0; j < m->count; j++) {
            const f64 r2 = distance2(m, i, j, d);
            if (r2 < h * h) number += 315 / (64 * PI * pow(h, 9)) * pow(h * h - r2, 3);
        }
        m->density[i] = fmax(number * (f64)f->particle_mass_kg, (f64)f->rest_density_kg_m3);
    }
}

static f64 pressure_of(const Model* m, u32 i) {
    const FluidRecord* f = &m->fluid[m->kind[i]];
    return (f64)f->stiffness * (m->density[i] - (f64)f->rest_density_kg_m3);
}

/* The force of each pair in newtons: equal and opposite. */
static void model_force(const Model* m, u32 i, f64 force[3]) {
    const f64 h = m->fluid->smoothing_radius_m;
    const f64 volume_i = (f64)m->fluid[m->kind[i]].particle_mass_kg / m->density[i];
    for (u32 j = 0; j < m->count; j++) {
        f64       d[3];
        const f64 r2 = distance2(m, i, j, d), r = sqrt(r2);
        if (r2 >= h * h || r2 == 0) continue;
        const f64 volume = volume_i * (f64)m->fluid[m->kind[j]].particle_mass_kg / m->density[j];
        const f64 press = volume * (pressure_of(m, i) + pressure_of(m, j)) / 2 * 45 /
                          (PI * pow(h, 6)) * (h - r) * (h - r);
        const f64 rub =
            volume * 45 / (PI * pow(h, 6)) * (h - r) *
            ((f64)m->fluid[m->kind[i]].viscosity + (f64)m->fluid[m->kind[j]].viscosity) / 2;
        for (u32 a = 0; a < 3; a++) force[a] += press * d[a] / r + rub * (m->v[j][a] - m->v[i][a]);
    }
}

static void model_step(Model* m) {
    const f64 dt = (f64)m->fluid->step_s;
    f64(*force)[3] = calloc(m->count, sizeof *force);
    model_densities(m);
    for (u32 i = 0; i < m->count; i++) model_force(m, i, force[i]);
    for (u32 i = 0; i < m->count; i++) {
        const FluidRecord* f = &m->fluid[m->kind[i]];
        const f64          g[3] = {f->gravity_m_s2.x, f->gravity_m_s2.y, f->gravity_m_s2.z};
        for (u32 a = 0; a < 3; a++) {
            m->v[i][a] += (g[a] + force[i][a] / (f64)f->particle_mass_kg) * dt;
            m->at[i][a] += m->v[i][a] * dt;
        }
    }
    free(force);
}

/* --- a mixture --- */

typedef struct Mixture {
    FluidRecord fluid[3];
    u32         counts[3], kinds, count;
    Vec3 *      position, *velocity; /* [count] */
    u32*        kind;
    Sph*        sph;
} Mixture;

static void mixture_open(Mixture* m, u32 kinds, const u32* counts) {
    m->kinds = kinds;
    m->count = 0;
    for (u32 k = 0; k < kinds; k++) m->counts[k] = counts[k], m->count += counts[k];
    m->position = calloc(m->count, sizeof *m->position);
    m->velocity = calloc(m->count, sizeof *m->velocity);
    m->kind = calloc(m->count, sizeof *m->kind);
    for (u32 i = 0, k = 0, left = counts[0]; i < m->count; i++, left--) {
        while (left == 0) left = counts[++k];
        m->kind[i] = k;
    }
}

static void mixture_begin(Mixture* m, GpuColliders* colliders) {
    const SphDesc desc = {.fluid = m->fluid,
                          .fluid_count = m->kinds,
                          .counts = m->counts,
                          .position = m->position,
                          .velocity = m->velocity,
                          .colliders = colliders};
    assert_int_equal(ent_sph_create(&m->sph, gpu_for_test(), &desc), ENT_OK);
    assert_int_equal(ent_sph_count(m->sph), m->count);
}

static void mixture_close(Mixture* m) {
    ent_sph_destroy(m->sph);
    free(m->position), free(m->velocity), free(m->kind);
    test_gpu_silent();
}

/* A block of cells, with the particles of all kinds among each other. */
static void mixture_shake(Mixture* m, Random* r, u32 side) {
    for (u32 i = 0; i < m->count; i++) {
        const u32 cell = (i * 7) % m->count;
        const f32 each = 0.1f;
        m->position[i] = (Vec3){each * ((f32)(cell % side) + random_float(r, -0.3f, 0.3f)),
                                each * ((f32)(cell / side % side) + random_float(r, -0.3f, 0.3f)),
                                each * ((f32)(cell / side / side) + random_float(r, -0.3f, 0.3f))};
        m->velocity[i] =
            (Vec3){random_float(r, -1, 1), random_float(r, -1, 1), random_float(r, -1, 1)};
    }
}

/* One step of the device and of the model from the same state. Returns the largest difference of a velocity over the change of the fastest. */
static f64 step_compare(Mixture* m, f64 (*work)[3]) {
    f64*  density = malloc(m->count * sizeof *density);
    f32*  found = malloc(m->count * sizeof *found);
    Model model = {m->fluid, m->count, m->kind, work, work + m->count, density};
    f64   most = 0, worst = 0;
    assert_int_equal(ent_sph_read(m->sph, m->position, m->velocity, NULL), ENT_OK);
    for (u32 i = 0; i < m->count; i++) {
        const Vec3 p = m->position[i], v = m->velocity[i];
        model.at[i][0] = p.x, model.at[i][1] = p.y, model.at[i][2] = p.z;
        model.v[i][0] = v.x, model.v[i][1] = v.y, model.v[i][2] = v.z;
    }
    model_step(&model);
    assert_int_equal(ent_sph_run(m->sph, 1), ENT_OK);
    Vec3* after = malloc(m->count * sizeof *after);
    assert_int_equal(ent_sph_read(m->sph, NULL, after, found), ENT_OK);
    for (u32 i = 0; i < m->count; i++) {
        const f64 is[3] = {after[i].x, after[i].y, after[i].z},
                  was[3] = {m->velocity[i].x, m->velocity[i].y, m->velocity[i].z};
        f64 off = 0, change = 0;
        for (u32 a = 0; a < 3; a++) {
            off += (is[a] - model.v[i][a]) * (is[a] - model.v[i][a]);
            change += (model.v[i][a] - was[a]) * (model.v[i][a] - was[a]);
        }
        worst = fmax(worst, sqrt(off)), most = fmax(most, sqrt(change));
        if (!(fabs((f64)found[i] - density[i]) < 1e-5 * density[i]))
            fail_msg("density of %u: %g instead of %g", i, found[i], density[i]);
    }
    free(after), free(density), free(found);
    return worst / most;
}

static void fluids_that_meet_step_as_in_double_precision(void** state) {
    static const u32 counts[3] = {250, 180, 82}; /* 8 * 8 * 8 */
    Random           r = {5};
    UNUSED(state);
    f64(*work)[3] = calloc(2 * 512, sizeof *work);
    for (u32 kinds = 2; kinds <= 3; kinds++) {
        const u32 two[2] = {300, 212};
        Mixture   m = {.fluid = {fluid_of(1000, 1, 20, 10), fluid_of(2500, 2.2f, 15, 40),
                                 fluid_of(700, 0.8f, 30, 2)}};
        f64       worst = 0;
        mixture_open(&m, kinds, kinds == 2 ? two : counts);
        mixture_shake(&m, &r, 8);
        mixture_begin(&m, NULL);
        for (u32 step = 0; step < (SANITIZED ? 10 : 100); step++)
            worst = fmax(worst, step_compare(&m, work));
        printf("%u fluids: %.2g of the greatest change\n", kinds, worst);
        assert_true(worst < 1e-4);
        mixture_close(&m);
    }
    free(work);
}

/* Without gravity and walls, the momentum of all is what it was. */
static void momentum_of_fluids_that_meet_is_kept(void** state) {
    static const u32 counts[2] = {700, 300};
    Random           r = {9};
    Mixture          m = {.fluid = {fluid_of(1000, 1, 20, 20), fluid_of(3000, 3, 20, 20)}};
    f64              before[3] = {0}, after[3] = {0}, moved = 0;
    UNUSED(state);
    m.fluid[0].gravity_m_s2 = m.fluid[1].gravity_m_s2 = (Vec3){0, 0, 0};
    mixture_open(&m, 2, counts);
    mixture_shake(&m, &r, 10);
    for (u32 i = 0; i < m.count; i++) {
        const f64 mass = (f64)m.fluid[m.kind[i]].particle_mass_kg;
        before[0] += mass * (f64)m.velocity[i].x, before[1] += mass * (f64)m.velocity[i].y;
        before[2] += mass * (f64)m.velocity[i].z;
        moved += mass * (f64)vec3_length(m.velocity[i]);
    }
    mixture_begin(&m, NULL);
    assert_int_equal(ent_sph_run(m.sph, SANITIZED ? 50 : 300), ENT_OK);
    assert_int_equal(ent_sph_read(m.sph, m.position, m.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < m.count; i++) {
        const f64 mass = (f64)m.fluid[m.kind[i]].particle_mass_kg;
        after[0] += mass * (f64)m.velocity[i].x, after[1] += mass * (f64)m.velocity[i].y;
        after[2] += mass * (f64)m.velocity[i].z;
    }
    for (u32 a = 0; a < 3; a++) assert_true(fabs(after[a] - before[a]) < 1e-4 * moved);
    mixture_close(&m);
}

static int lower_first(const void* a, const void* b) {
    const f32 x = *(const f32*)a, y = *(const f32*)b;
    return x < y ? -1 : x > y;
}

static f32 median_height(const Mixture* m) {
    f32* height = malloc(m->count * sizeof *height);
    for (u32 i = 0; i < m->count; i++) height[i] = m->position[i].y;
    qsort(height, m->count, sizeof *height, lower_first);
    const f32 median = height[m->count / 2];
    free(height);
    return median;
}

/* The denser of two fluids is on top, and sinks: afterwards it rests below. */
static void denser_fluid_sinks_and_both_rest_in_layers(void** state) {
    enum { ACROSS = 12, DEEP = 4, LAYERS = 5 };
    static const u32 counts[2] = {ACROSS * DEEP * LAYERS, ACROSS * DEEP * LAYERS};
    const f32        wide = 0.1f * ACROSS, deep = 0.1f * DEEP;
    const Vec4       plane[5] = {
              {0, 1, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, -wide}, {0, 0, 1, 0}, {0, 0, -1, -deep}};
    const f32 restitution[5] = {0};
    Mixture   m = {.fluid = {fluid_of(1000, 1, 300, 600), fluid_of(2000, 2, 300, 600)}};
    f64       height[2] = {0}, energy = 0;
    u32       wrong = 0;
    UNUSED(state);
    mixture_open(&m, 2, counts);
    for (u32 i = 0; i < m.count; i++) {
        const u32 n = i % counts[0], layer = n / (ACROSS * DEEP);
        const f32 lean = 0.04f * (f32)(n % ACROSS); /* so that one side begins */
        m.position[i] = (Vec3){0.1f * ((f32)(n % ACROSS) + 0.5f),
                               0.1f * ((f32)(layer + (m.kind[i] ? LAYERS : 0)) + 0.5f) + lean,
                               0.1f * ((f32)(n / ACROSS % DEEP) + 0.5f)};
    }
    GpuColliders* colliders = colliders_of_planes(gpu_for_test(), plane, restitution, 5);
    mixture_begin(&m, colliders);
    assert_int_equal(ent_sph_run(m.sph, SANITIZED ? 200 : 8000), ENT_OK);
    assert_int_equal(ent_sph_read(m.sph, m.position, m.velocity, NULL), ENT_OK);
    for (u32 i = 0; i < m.count; i++) {
        height[m.kind[i]] += (f64)m.position[i].y / counts[0];
        energy += (f64)vec3_dot(m.velocity[i], m.velocity[i]) / m.count;
        assert_true(m.position[i].y > -1e-4f);
    }
    const f64 border = (f64)median_height(&m);
    for (u32 i = 0; i < m.count; i++) {
        const f64 above =
            (f64)m.position[i].y - border; /* more than a distance between particles */
        wrong += m.kind[i] ? above > 0.1 : above < -0.1;
    }
    printf("layers: %.2f and %.2f m, %u of %u on the wrong side, %.2g m2/s2\n", height[0],
           height[1], wrong, m.count, energy);
    if (!SANITIZED) {
        assert_true(height[0] > height[1] + 0.2);
        assert_true(wrong < m.count / 12);
        assert_true(energy <
                    0.1); /* some of 480 particles still move; the fall sets free 4 m2/s2 */
    }
    mixture_close(&m);
    ent_gpu_colliders_destroy(colliders);
}

/* --- emitters --- */

static void each_of_several_fluids_has_its_capacity(void** state) {
    static const u32  counts[3] = {30, 0, 20}, capacities[3] = {100, 80, 20};
    const FluidRecord fluid[3] = {fluid_of(1000, 1e-9f, 0, 0), fluid_of(2000, 1e-9f, 0, 0),
                                  fluid_of(1, 1e-9f, 0, 0)};
    Vec3              at[50], position[200];
    EntEmitterAt      e[2] = {
             {.record = {.rate_per_s = 5000, .half_extent_m = {1, 1, 1}, .seed = 1},
              .pose = mat34_identity},
             {.record = {.rate_per_s = 3000, .half_extent_m = {1, 1, 1}, .seed = 2, .life_s = 0.02f},
              .pose = mat34_identity}};
    Sph* sph;
    UNUSED(state);
    for (u32 i = 0; i < 50; i++) at[i] = (Vec3){9 + 0.1f * (f32)i, 9, 9};
    const SphDesc desc = {.fluid = fluid,
                          .fluid_count = 3,
                          .counts = counts,
                          .capacities = capacities,
                          .position = at};
    assert_int_equal(ent_sph_create(&sph, gpu_for_test(), &desc), ENT_OK);
    for (u32 k = 0; k < 2; k++) {
        const EntEmission emission = {.emitter = &e[k], .emitter_count = 1};
        ent_sph_emission(sph, k, &emission);
    }
    for (u32 step = 0; step < 60; step++) {
        EntEmissionCounts c[3];
        u32               exist[3] = {0};
        assert_int_equal(ent_sph_run(sph, 1), ENT_OK);
        assert_int_equal(ent_sph_read(sph, position, NULL, NULL), ENT_OK);
        for (u32 i = 0; i < 200; i++)
            exist[i < 100 ? 0 : i < 180 ? 1 : 2] += position[i].x == position[i].x;
        for (u32 k = 0; k < 3; k++) {
            assert_int_equal(ent_sph_emission_counts(sph, k, &c[k]), ENT_OK);
            assert_int_equal(c[k].capacity, capacities[k]);
            if (c[k].alive != exist[k])
                fail_msg("step %u, fluid %u: %u, %u", step, k, c[k].alive, exist[k]);
        }
        const u32 first = MIN_OF(30 + (u32)(5000 * 0.002f * (f32)(step + 1) + 1e-3f), 100u);
        assert_in_range(c[0].alive, first - 1, first);
        assert_int_equal(c[2].alive, 20);
        if (step > 15) assert_in_range(c[1].alive, 54, 60);
    }
    for (u32 i = 0; i < 30; i++) assert_true(position[i].x > 8.9f); /* numbers of the start stay */
    ent_sph_destroy(sph);
    test_gpu_silent();
}

/* --- pictures --- */

static void fluid_spawn(World* world, const FluidRecord* fluid, Vec3 at) {
    u32 row;
    entity_with(world, "fluid", at, &row);
    ent_fluid_rows(world).record[row] = *fluid;
}

/* Two fluids in a picture: as they meet, and as they do not, because the second one has another step. */
static void fluids_that_meet_are_drawn_as_those_that_do_not(void** state) {
    enum { SIDE = 96 };
    static u8            pixels[2][SIDE * SIDE * 4];
    static const Library no_library;
    const CanvasDesc     desc = {.width = SIDE, .height = SIDE, .samples = 1};
    const CanvasView view = {.camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 3, .near_m = 1},
                             .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 50}}},
                             .light = {0, 0, 1},
                             .light_color = {1, 1, 1},
                             .reach_m = 1,
                             .grid_m = 1};
    Canvas*          canvas;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    for (u32 kind = 0; kind < 2; kind++) {
        for (u32 apart = 0; apart < 2; apart++) {
            World*      world;
            GpuProblem  problem = {0};
            void*       created;
            FluidRecord a = fluid_of(1000, 1, 20, 10), b = fluid_of(500, 0.5f, 20, 10);
            a.half_extent_m = b.half_extent_m = (Vec3){0.3f, 0.3f, 0.2f};
            a.draw = b.draw = kind ? FLUID_BALLS : FLUID_SURFACE;
            a.refraction_index = b.refraction_index = 1.3f;
            a.color = (Vec3){0.9f, 0.1f, 0.1f}, b.color = (Vec3){0.1f, 0.9f, 0.1f};
            a.absorption_per_m = b.absorption_per_m = (Vec3){9, 9, 9};
            if (apart) b.step_s /= 2;
            assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
            fluid_spawn(world, &a, (Vec3){-0.7f, 0, 0});
            fluid_spawn(world, &b, (Vec3){0.7f, 0.2f, 0});
            ent_transform_update(world);
            const GpuScene scene = {.world = world, .library = &no_library};
            assert_int_equal(
                test_system_create(ent_sph_system(), &created, gpu_for_test(), &scene, &problem),
                ENT_OK);
            assert_int_equal(test_system_draw(ent_sph_system(), created, canvas, &view), ENT_OK);
            assert_int_equal(ent_canvas_read(canvas, pixels[apart]), ENT_OK);
            test_system_destroy(ent_sph_system(), created);
            ent_world_destroy(world);
        }
        u32 seen = 0, other = 0;
        for (u32 i = 0; i < SIDE * SIDE; i++) {
            const u8* p = pixels[0] + 4 * i;
            seen += p[0] > p[1] + 20 || p[1] > p[0] + 20;
            for (u32 c = 0; c < 3; c++) other += abs(p[c] - pixels[1][4 * i + c]) > 2;
        }
        if (seen < 300 || other > 20) fail_msg("kind %u: %u pixels, %u differ", kind, seen, other);
    }
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

static void fluids_that_meet_on_subgroups_of_all_sizes(void** state) {
    UNUSED(state);
    test_gpu_widths("sph_fluids", 512);
}

TEST_SUITE(sph_fluids) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluids_that_meet_step_as_in_double_precision),
        cmocka_unit_test(momentum_of_fluids_that_meet_is_kept),
        cmocka_unit_test(denser_fluid_sinks_and_both_rest_in_layers),
        cmocka_unit_test(each_of_several_fluids_has_its_capacity),
        cmocka_unit_test(fluids_that_meet_are_drawn_as_those_that_do_not),
        cmocka_unit_test(fluids_that_meet_on_subgroups_of_all_sizes)};
    return gpu_suite_end(TEST_RUN("sph_fluids", tests));
}
