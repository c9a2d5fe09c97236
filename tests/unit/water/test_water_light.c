/* test_water_light.c - what fluids do with light: it is absorbed on its way to what is behind them, and gathered by a surface that
 * bends. */
#include "sph.h"
#include "test_colliders.h"
#include "test_water_scenes.h"

enum { SIDE = 128 };

/* A floor far below, on which the light of 45 degrees projects what is at the origin beside it. */
static const f32 floor_z = -20;

static void floor_open(WaterStage* s, const EntShapesLook* look) {
    const CanvasDesc     desc = {.width = SIDE, .height = SIDE, .samples = 1};
    const EntShapesDiscs floor = {.count = 1,
                                  .disc = &(Vec4){20, 0, 60, 0},
                                  .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, floor_z}}},
                                  .look = *look};
    const LightRecord    sun = {
           .kind = LIGHT_DIRECTIONAL, .color = {1, 1, 1}, .intensity = 1, .casts_shadow = 1};
    assert_int_equal(water_stage_open(s, gpu_for_test(), &desc), ENT_OK);
    assert_int_equal(ent_shapes_discs(shapes_stage_shapes(&s->shapes), &floor), ENT_OK);
    /* Shines along (1, 0, -1): -z turned by -45 degrees about y. */
    assert_int_equal(shapes_stage_light(&s->shapes, &sun, (Vec3){0, 0, 0},
                                        (Quat){0, -0.38268343f, 0, 0.92387953f}),
                     ENT_OK);
    ent_lighting_shadows(s->shapes.part[0].state,
                         &(EntLightingShadows){.cascade_side = 1024, .cascades = 1, .reach_m = 60});
}

/* The floor under the shadow: the water is beside the picture. */
static CanvasView floor_view(void) {
    CanvasView view = flat_view(SIDE, 16, (Vec3){20, 0, 30});
    view.dimmed = 1;
    return view;
}

static u8* floor_drawn(WaterStage* s) {
    const CanvasView view = floor_view();
    return drawn(s, &view, SIDE * SIDE);
}

static void light_through_a_slab_is_absorbed(void** state) {
    enum { LAYERS = 8, WIDE = 64 };
    const f32           spacing = 0.25f, thick = spacing * LAYERS;
    const Vec3          absorption = {0.1f, 0.3f, 0.9f};
    const EntShapesLook matt = {.color = {0.8f, 0.8f, 0.8f}, .roughness = 1};
    Vec3* const         at = malloc((size_t)WIDE * WIDE * LAYERS * sizeof *at);
    WaterStage          s;
    UNUSED(state);
    floor_open(&s, &matt);
    u8* const open = floor_drawn(&s);
    water_defaults(&s, spacing);
    s.water->draw.absorption_per_m = absorption;
    assert_int_equal(water_system_fill(s.water, at, slab_fill(at, spacing, WIDE, LAYERS)), ENT_OK);
    u8* const shaded = floor_drawn(&s);
    for (u32 c = 0; c < 3; c++) {
        const f64 a = c == 0 ? absorption.x : c == 1 ? absorption.y : absorption.z;
        const f64 expected = exp(-a * (f64)thick * sqrt(2));
        f64       mean = 0, worst = 0;
        u32       count = 0;
        for (u32 i = 0; i < SIDE * SIDE; i++) {
            const u32 x = i % SIDE, y = i / SIDE;
            if (x < SIDE / 4 || x > SIDE * 3 / 4 || y < SIDE / 4 || y > SIDE * 3 / 4) continue;
            const f64 share = linear_of(shaded[i * 4 + c]) / linear_of(open[i * 4 + c]);
            mean += share - expected;
            worst = fmax(worst, fabs(share - expected));
            count++;
        }
        mean /= count;
        printf("through a slab, channel %u: %.4f, mean error %.4f, worst %.4f\n", c, expected, mean,
               worst);
        assert_true(fabs(mean) < 0.02 && worst < 0.08);
    }
    free(open), free(shaded), free(at);
    water_stage_close(&s);
}

/* A ball of clear water is a lens. */
static void light_is_gathered_by_a_ball(void** state) {
    const EntShapesLook matt = {.color = {0.5f, 0.5f, 0.5f}, .roughness = 1};
    Vec3* const         at = malloc(100000 * sizeof *at);
    WaterStage          s;
    UNUSED(state);
    floor_open(&s, &matt);
    u8* const open = floor_drawn(&s);
    water_defaults(&s, 0.25f);
    assert_int_equal(water_system_fill(s.water, at, ball_fill(at, 2.5, 0.25, 11)), ENT_OK);
    u8* const lit = floor_drawn(&s);
    f64       middle = 0, beside = 0;
    u32       in_middle = 0, outside = 0;
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 x = (i % SIDE + 0.5 - SIDE / 2) / 16, y = (i / SIDE + 0.5 - SIDE / 2) / 16;
        const f64 share = linear_of(lit[i * 4]) / linear_of(open[i * 4]),
                  r = sqrt(x * x / 2 + y * y); /* a circle, 45 degrees */
        if (r < 0.8) middle += share, in_middle++;
        if (r > 3.2) beside += share, outside++;
    }
    printf("behind a ball: %.3f in the middle, %.3f beside it\n", middle / in_middle,
           beside / outside);
    assert_true(middle / in_middle > 1.3 && fabs(beside / outside - 1) < 0.002);
    free(open), free(lit), free(at);
    water_stage_close(&s);
}

/* Foam hides what is behind it, and returns the light of the sky. */
static void foam_is_white_and_hides(void** state) {
    CanvasView view = dark_view(SIDE, 16, (Vec3){0, 0, 50});
    WaterStage s;
    UNUSED(state);
    slab_open(&s, SIDE, 1, 0.25f, 48, 4);
    discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, -5, (Vec3){1, 0, 0});
    view.dimmed = 0;
    s.water->draw.foaming = 1;
    u8* const clear = drawn(&s, &view, SIDE * SIDE);
    assert_int_equal(gpu_fill(gpu_for_test(), &s.water->draw.foam, 0x3f800000u), ENT_OK); /* 1 */
    u8* const white = drawn(&s, &view, SIDE * SIDE);
    const u32 middle = (SIDE / 2 * SIDE + SIDE / 2) * 4;
    printf("foam: %u %u %u, without %u %u %u\n", white[middle], white[middle + 1],
           white[middle + 2], clear[middle], clear[middle + 1], clear[middle + 2]);
    assert_true(clear[middle] > 200 && clear[middle + 1] < 60);
    assert_true(white[middle + 1] > 120 && abs(white[middle] - white[middle + 1]) < 40);
    free(clear), free(white);
    water_stage_close(&s);
}

/* --- a dam that breaks --- */

enum {
    DAM_WIDE = 12,
    DAM_HIGH = 16,
    DAM_DEEP = 8,
    DAM = DAM_WIDE * DAM_HIGH * DAM_DEEP,
    FRAMES = 200
};

static Sph* dam_create(GpuColliders** colliders) {
    static const Vec4 plane[] = {
        {0, 1, 0, 0}, {1, 0, 0, -2}, {-1, 0, 0, -2}, {0, 0, 1, -0.5f}, {0, 0, -1, -0.5f}};
    static const f32  restitution[5];
    const FluidRecord fluid = {.smoothing_radius_m = 0.25f,
                               .rest_density_kg_m3 = 1000,
                               .stiffness = 300,
                               .viscosity = 250,
                               .particle_mass_kg = 1000 * 0.125f * 0.125f * 0.125f,
                               .gravity_m_s2 = {0, -9.81f, 0},
                               .step_s = 0.00416f,
                               .substeps = 4};
    Vec3              at[DAM];
    Sph*              sph;
    for (u32 i = 0; i < DAM; i++)
        at[i] = (Vec3){-1.94f + 0.125f * (f32)(i % DAM_WIDE),
                       0.0625f + 0.125f * (f32)(i / DAM_WIDE % DAM_HIGH),
                       -0.4375f + 0.125f * (f32)(i / DAM_WIDE / DAM_HIGH)};
    *colliders = colliders_of_planes(gpu_for_test(), plane, restitution, COUNT_OF(plane));
    const SphDesc desc = {.fluid = &fluid, .count = DAM, .position = at, .colliders = *colliders};
    assert_int_equal(ent_sph_create(&sph, gpu_for_test(), &desc), ENT_OK);
    return sph;
}

/* Of spheres that touch at rest, along the ray of a pixel. */
static f64 thickness_of(const Vec3* at, f64 x, f64 y, f64 radius) {
    f64 sum = 0;
    for (u32 i = 0; i < DAM; i++) {
        const f64 dx = x - (f64)at[i].x, dy = y - (f64)at[i].y,
                  half2 = radius * radius - dx * dx - dy * dy;
        if (half2 > 0) sum += 2 * sqrt(half2);
    }
    return sum;
}

static u32 holes_count(const WaterStage* s, const Vec3* at, f32 pixels_m, f64 radius,
                       u32* thick_count) {
    static u32  nearest[SIDE * SIDE];
    static bool is_thick[SIDE * SIDE];
    u32         holes = 0;
    assert_int_equal(
        gpu_download(gpu_for_test(), &s->water->water.view.nearest, 0, nearest, sizeof nearest),
        ENT_OK);
    for (u32 i = 0; i < SIDE * SIDE; i++)
        is_thick[i] =
            thickness_of(at, (i % SIDE + 0.5 - SIDE / 2) / pixels_m,
                         (SIDE / 2 - (i / SIDE + 0.5)) / pixels_m + 1.5, radius) > 4 * radius;
    for (u32 y = 1; y + 1 < SIDE; y++) {
        for (u32 x = 1; x + 1 < SIDE; x++) {
            bool all = true;
            for (u32 k = 0; k < 9; k++) all &= is_thick[(y + k / 3 - 1) * SIDE + x + k % 3 - 1];
            *thick_count += all;
            holes += all && nearest[y * SIDE + x] == 0;
        }
    }
    return holes;
}

static void surface_of_a_dam_has_no_holes(void** state) {
    const u32        step = test_step(20, 50);
    const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
    const f32        pixels_m = 30;
    const CanvasView view = flat_view(SIDE, pixels_m, (Vec3){0, 1.5f, 10});
    WaterStage       s;
    Vec3             at[DAM];
    u32              thick = 0;
    GpuColliders*    colliders;
    Sph* const       sph = dam_create(&colliders);
    UNUSED(state);
    assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
    water_defaults(&s, 0.125f);
    for (u32 frame = 1; frame <= FRAMES; frame++) {
        assert_int_equal(ent_sph_run(sph, 4), ENT_OK);
        if (frame % step != 0) continue;
        assert_int_equal(ent_sph_read(sph, at, NULL, NULL), ENT_OK);
        assert_int_equal(water_system_fill(s.water, at, DAM), ENT_OK);
        free(drawn(&s, &view, SIDE * SIDE));
        const u32 holes = holes_count(&s, at, pixels_m, 0.0625, &thick);
        if (holes) fail_msg("frame %u: %u pixels of the background are in the fluid", frame, holes);
    }
    printf("%u pixels behind fluid\n", thick);
    assert_true(thick > FRAMES / step * 400);
    ent_sph_destroy(sph);
    ent_gpu_colliders_destroy(colliders);
    water_stage_close(&s);
}

TEST_SUITE(water_light) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_through_a_slab_is_absorbed),
                                       cmocka_unit_test(light_is_gathered_by_a_ball),
                                       cmocka_unit_test(foam_is_white_and_hides),
                                       cmocka_unit_test(surface_of_a_dam_has_no_holes)};
    return gpu_suite_end(TEST_RUN("water_light", tests));
}
