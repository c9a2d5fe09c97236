/* test_water.c - the surface of particles: its normals are those of the shape that they fill, what is behind it is absorbed as by its
 * thickness and shifted as by Snell's law, and nothing before it is seen in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_gpu_support.h"
#include "water_stage.h"

#define PI 3.14159265358979

/* Along the z axis, from z; `pixels_m`: pixels of a metre. */
static CanvasView flat_view(u32 high, f32 pixels_m, Vec3 at) {
    return (CanvasView){.camera = {.kind = CAMERA_ORTHOGRAPHIC,
                                   .height_m = (f32)high / pixels_m,
                                   .near_m = 0.1f,
                                   .far_m = 1000},
                        .pose = {{{1, 0, 0, at.x}, {0, 1, 0, at.y}, {0, 0, 1, at.z}}},
                        .light = {0, 0, 1},
                        .light_color = {1, 1, 1},
                        .reach_m = 1000,
                        .grid_m = 1e4f};
}

static u8* drawn(WaterStage* s, const CanvasView* view, u32 pixels) {
    u8* rgba = malloc((size_t)pixels * 4);
    assert_int_equal(ent_picture_draw(s->shapes.canvas, &s->parts, view), ENT_OK);
    assert_int_equal(ent_canvas_read(s->shapes.canvas, rgba), ENT_OK);
    test_gpu_silent();
    return rgba;
}

static f64 linear_of(u8 c) {
    const f64 v = c / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* The direction that a pixel of ENT_CANVAS_SHOWS_NORMALS states. */
static Vec3 normal_of(const u8* pixel) {
    f64 n[3];
    for (u32 k = 0; k < 3; k++) n[k] = pow(linear_of(pixel[k]), 1 / 2.2) * 2 - 1;
    return vec3_unit((Vec3){(f32)n[0], (f32)n[1], (f32)n[2]});
}

static void water_defaults(WaterStage* s, f32 spacing_m) {
    WaterDraw* const d = &s->water->draw;
    d->spacing_m = spacing_m;
    d->radius_m = spacing_m / 2;
    d->h_m = spacing_m * 2;
    d->smoothing = 0.5f;
    d->index = 1.333f;
    d->look = (EntShapesLook){.roughness = 0.05f};
}

/* --- normals --- */

/* Particles in shells, evenly: the outermost is a radius inside the ball. */
static u32 ball_fill(Vec3* at, f64 ball_m, f64 spacing_m, u32 shells) {
    u32 count = 0;
    for (u32 shell = 0; shell < shells; shell++) {
        const f64 radius = ball_m - spacing_m / 2 - shell * spacing_m * 0.866;
        const u32 points = (u32)(4 * PI * radius * radius / (spacing_m * spacing_m * 0.866) + 1);
        for (u32 i = 0; i < points; i++) {
            const f64 z = 1 - (2 * i + 1.0) / points, turn = i * 2.399963229728653 + shell;
            const f64 aside = sqrt(1 - z * z);
            at[count++] = (Vec3){(f32)(radius * aside * cos(turn)), (f32)(radius * aside * sin(turn)), (f32)(radius * z)};
        }
    }
    return count;
}

static void statistics(f64* angle, u32 count, f64* mean, f64* wide) {
    u32 above = 0;
    *mean = 0;
    for (u32 i = 0; i < count; i++) *mean += angle[i] / count, above += angle[i] > 10;
    *wide = (f64)above / count;
}

static void normals_are_those_of_a_ball(void** state) {
    enum { SIDE = 512 };
    static const f32 radius_px[] = {2, 6, 20};
    Vec3* const      at = malloc(400000 * sizeof *at);
    f64* const       angle = malloc(SIDE * SIDE * sizeof *angle);
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(radius_px); k++) {
        const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
        const f32        spacing = 1, ball = 20 * spacing, pixels_m = radius_px[k] * 2 / spacing;
        const f32        shown = MIN_OF(0.0f, SIDE / 2 / pixels_m - ball - 1); /* its edge is seen */
        CanvasView       view = flat_view(SIDE, pixels_m, (Vec3){-shown, 0, 100});
        WaterStage       s;
        assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
        water_defaults(&s, spacing);
        assert_int_equal(water_system_fill(s.water, at, ball_fill(at, ball, spacing, 4)), ENT_OK);
        view.shows = ENT_CANVAS_SHOWS_NORMALS;
        u8* rgba = drawn(&s, &view, SIDE * SIDE);
        u32 count = 0;
        f64 mean, wide;
        for (u32 i = 0; i < SIDE * SIDE; i++) {
            const f64 x = (i % SIDE + 0.5 - SIDE / 2) / pixels_m - shown, y = (SIDE / 2 - (i / SIDE + 0.5)) / pixels_m;
            const f64 r = sqrt(x * x + y * y);
            if (r > ball - spacing) continue;
            const Vec3 n = {(f32)(x / ball), (f32)(y / ball), (f32)(sqrt(ball * ball - r * r) / ball)};
            angle[count++] = acos(MIN_OF(vec3_dot(n, normal_of(rgba + i * 4)), 1.0f)) * 180 / PI;
        }
        statistics(angle, count, &mean, &wide);
        printf("ball: radius %g px: mean %.2f, above 10 degrees %.4f of %u\n", radius_px[k], mean, wide, count);
        free(rgba);
        water_stage_close(&s);
    }
    free(at);
    free(angle);
}

static void normals_are_those_of_a_plane(void** state) {
    enum { SIDE = 512 };
    static const f32 radius_px[] = {2, 6, 20}, tilt[] = {0, 0.5f, 1.1f};
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(radius_px) * COUNT_OF(tilt); k++) {
        const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
        const f32        spacing = 1, pixels_m = radius_px[k / 3] * 2, turn = tilt[k % 3];
        const u32        wide_count = (u32)(SIDE * 3 / pixels_m);
        const CanvasView view0 = flat_view(SIDE, pixels_m, (Vec3){0, 0, 500});
        CanvasView       view = view0;
        Vec3* const      at = malloc((size_t)wide_count * wide_count * 3 * sizeof *at);
        u32              count = 0, angles = 0;
        WaterStage       s;
        for (u32 i = 0; i < wide_count * wide_count * 3; i++) {
            const f32 x = ((f32)(i % wide_count) - (f32)wide_count / 2) * spacing;
            const f32 y = ((f32)(i / wide_count % wide_count) - (f32)wide_count / 2) * spacing;
            const f32 z = -(f32)(i / wide_count / wide_count) * spacing;
            at[count++] = (Vec3){x, y * cosf(turn) - z * sinf(turn), y * sinf(turn) + z * cosf(turn)};
        }
        assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
        water_defaults(&s, spacing);
        assert_int_equal(water_system_fill(s.water, at, count), ENT_OK);
        view.shows = ENT_CANVAS_SHOWS_NORMALS;
        u8*        rgba = drawn(&s, &view, SIDE * SIDE);
        f64*       angle = malloc(SIDE * SIDE * sizeof *angle);
        f64        mean, wide;
        const Vec3 n = {0, -sinf(turn), cosf(turn)};
        for (u32 i = 0; i < SIDE * SIDE; i++) angle[angles++] = acos(MIN_OF(vec3_dot(n, normal_of(rgba + i * 4)), 1.0f)) * 180 / PI;
        statistics(angle, angles, &mean, &wide);
        printf("plane: radius %g px, %g rad: mean %.2f, above 10 degrees %.4f\n", radius_px[k / 3], turn, mean, wide);
        free(rgba);
        free(at);
        free(angle);
        water_stage_close(&s);
    }
}

/* --- what is behind it --- */

/* A slab of particles from z = -thick to 0, as wide as the picture. */
static u32 slab_fill(Vec3* at, f32 spacing_m, u32 wide, u32 layers) {
    u32 count = 0;
    for (u32 i = 0; i < wide * wide * layers; i++)
        at[count++] = (Vec3){((f32)(i % wide) - (f32)(wide - 1) / 2) * spacing_m,
                             ((f32)(i / wide % wide) - (f32)(wide - 1) / 2) * spacing_m,
                             -((f32)(i / wide / wide) + 0.5f) * spacing_m};
    return count;
}

static void slab_open(WaterStage* s, u32 side, u32 samples, f32 spacing_m, u32 wide, u32 layers) {
    const CanvasDesc desc = {.width = side, .height = side, .samples = samples};
    Vec3* const      at = malloc((size_t)wide * wide * layers * sizeof *at);
    assert_int_equal(water_stage_open(s, gpu_for_test(), &desc), ENT_OK);
    water_defaults(s, spacing_m);
    assert_int_equal(water_system_fill(s->water, at, slab_fill(at, spacing_m, wide, layers)), ENT_OK);
    free(at);
}

/* Discs that only emit light, parallel to the slab. */
static void discs_add(WaterStage* s, const Vec4* disc, u32 count, f32 z, Vec3 light) {
    const EntShapesDiscs discs = {.count = count,
                                  .disc = disc,
                                  .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, z}}},
                                  .look = {.emissive = light, .roughness = 1}};
    assert_int_equal(ent_shapes_discs(shapes_stage_shapes(&s->shapes), &discs), ENT_OK);
}

/* No light but that of discs. */
static CanvasView dark_view(u32 high, f32 pixels_m, Vec3 at) {
    CanvasView view = flat_view(high, pixels_m, at);
    view.light_color = (Vec3){0, 0, 0};
    view.dimmed = 1;
    return view;
}

static void light_is_absorbed_by_the_thickness(void** state) {
    enum { SIDE = 256, LAYERS = 12 };
    static const f32 pixels[] = {4, 12, 40}; /* of a distance of particles */
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(pixels); k++) {
        const f32        spacing = 0.25f, thick = spacing * LAYERS;
        const Vec3       absorption = {0.1f, 0.4f, 1.2f};
        const CanvasView view = dark_view(SIDE, pixels[k] / spacing, (Vec3){0, 0, 50});
        WaterStage       s;
        slab_open(&s, SIDE, 1, spacing, (u32)(SIDE * 1.3f / pixels[k]) + 4, LAYERS);
        s.water->draw.absorption_per_m = absorption;
        s.water->draw.index = 1;
        discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, -thick - 5, (Vec3){1, 1, 1});
        u8* rgba = drawn(&s, &view, SIDE * SIDE);
        for (u32 c = 0; c < 3; c++) {
            const f64 expected = exp(-(c == 0 ? absorption.x : c == 1 ? absorption.y : absorption.z) * (f64)thick);
            f64       mean = 0;
            u32       far = 0;
            for (u32 i = 0; i < SIDE * SIDE; i++) {
                const f64 error = linear_of(rgba[i * 4 + c]) - expected;
                mean += error / (SIDE * SIDE);
                far += fabs(error) > 8 / 255.0;
            }
            printf("absorption: %g px, channel %u: %.4f, mean error %.5f, far %u\n", pixels[k], c, expected, mean, far);
            assert_true(fabs(mean) < 3 / 255.0 && far < SIDE * SIDE / 100);
        }
        free(rgba);
        water_stage_close(&s);
    }
}

enum { SPOTS = 5 };

/* The centre of what is bright around a pixel. */
static bool spot_find(const u8* rgba, u32 side, f64 x, f64 y, f64 reach, f64* at_x, f64* at_y) {
    f64 sum = 0, sum_x = 0, sum_y = 0;
    for (u32 i = 0; i < side * side; i++) {
        const f64 px = i % side + 0.5, py = i / side + 0.5;
        if (fabs(px - x) > reach || fabs(py - y) > reach) continue;
        const f64 light = linear_of(rgba[i * 4]);
        sum += light, sum_x += light * px, sum_y += light * py;
    }
    if (sum < 1) return false;
    *at_x = sum_x / sum;
    *at_y = sum_y / sum;
    return true;
}

static void what_is_behind_is_shifted_as_by_snells_law(void** state) {
    enum { SIDE = 512, LAYERS = 20 };
    static const f64 angle[] = {0, PI / 6};
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(angle); k++) {
        const f32  spacing = 0.25f, thick = spacing * LAYERS, pixels_m = 32;
        const f64  sine = sin(angle[k]), cosine = cos(angle[k]), inside = asin(sine / 1.333);
        CanvasView view = dark_view(SIDE, pixels_m, (Vec3){(f32)(-sine * 50), 0, (f32)(cosine * 50)});
        Vec4       disc[SPOTS * SPOTS];
        WaterStage s;
        /* Looks along (sine, 0, -cosine). */
        view.pose.m[0][0] = (f32)cosine, view.pose.m[0][2] = (f32)-sine;
        view.pose.m[2][0] = (f32)sine, view.pose.m[2][2] = (f32)cosine;
        slab_open(&s, SIDE, 1, spacing, 110, LAYERS);
        for (u32 i = 0; i < SPOTS * SPOTS; i++)
            disc[i] = (Vec4){((f32)(i % SPOTS) - 2) * 2.2f, ((f32)(i / SPOTS) - 2) * 2.2f, 0.15f, 0};
        discs_add(&s, disc, SPOTS * SPOTS, -thick, (Vec3){1, 1, 1});
        u8* rgba = drawn(&s, &view, SIDE * SIDE);
        f64 worst = 0;
        for (u32 i = 0; i < SPOTS * SPOTS; i++) {
            const f64 x = (disc[i].x - (f64)thick * tan(inside)) * cosine * pixels_m + SIDE / 2.0;
            const f64 y = SIDE / 2.0 - (f64)disc[i].y * pixels_m;
            f64       at_x = 0, at_y = 0;
            if (x < 20 || x > SIDE - 20) continue;
            assert_true(spot_find(rgba, SIDE, x, y, 16, &at_x, &at_y));
            worst = fmax(worst, fmax(fabs(at_x - x), fabs(at_y - y)));
        }
        printf("refraction: %.0f degrees, shift %.1f px: worst %.3f px\n", angle[k] * 180 / PI,
               (f64)thick * (tan(angle[k]) - tan(inside)) * cosine * pixels_m, worst);
        assert_true(worst < 1);
        free(rgba);
        water_stage_close(&s);
    }
}

TEST_SUITE(water) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(normals_are_those_of_a_ball),
                                       cmocka_unit_test(normals_are_those_of_a_plane),
 cmocka_unit_test(light_is_absorbed_by_the_thickness),
 cmocka_unit_test(what_is_behind_is_shifted_as_by_snells_law)};
    return gpu_suite_end(TEST_RUN("water", tests));
}
