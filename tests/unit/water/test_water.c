/* test_water.c - the surface of particles: its normals are those of the shape that they fill, what is behind it is absorbed as by its
 * thickness and shifted as by Snell's law, and nothing before it is seen in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test_water_scenes.h"

/* --- normals --- */

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
    for (u32 k = SANITIZED; k < COUNT_OF(radius_px); k += 1 + SANITIZED) { /* or of one size */
        const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = 1};
        const f32        spacing = 1, ball = 20 * spacing, pixels_m = radius_px[k] * 2 / spacing;
        const f32  shown = MIN_OF(0.0f, SIDE / 2 / pixels_m - ball - 1); /* its edge is seen */
        CanvasView view = flat_view(SIDE, pixels_m, (Vec3){-shown, 0, 100});
        WaterStage s;
        assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
        water_defaults(&s, spacing);
        assert_int_equal(water_system_fill(s.water, at, ball_fill(at, ball, spacing, 4)), ENT_OK);
        view.shows = ENT_CANVAS_SHOWS_NORMALS;
        u8* rgba = drawn(&s, &view, SIDE * SIDE);
        u32 count = 0;
        f64 mean, wide;
        for (u32 i = 0; i < SIDE * SIDE; i++) {
            const f64 x = (i % SIDE + 0.5 - SIDE / 2) / pixels_m - shown,
                      y = (SIDE / 2 - (i / SIDE + 0.5)) / pixels_m;
            const f64 r = sqrt(x * x + y * y);
            if (r > ball - spacing) continue;
            const Vec3 n = {(f32)(x / ball), (f32)(y / ball),
                            (f32)(sqrt(ball * ball - r * r) / ball)};
            angle[count++] = acos(MIN_OF(vec3_dot(n, normal_of(rgba + i * 4)), 1.0f)) * 180 / PI;
        }
        statistics(angle, count, &mean, &wide);
        printf("ball: radius %g px: mean %.2f, above 10 degrees %.4f of %u\n", radius_px[k], mean,
               wide, count);
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
    for (u32 k = SANITIZED; k < COUNT_OF(radius_px) * COUNT_OF(tilt); k += test_step(1, 5)) {
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
            at[count++] =
                (Vec3){x, y * cosf(turn) - z * sinf(turn), y * sinf(turn) + z * cosf(turn)};
        }
        assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
        water_defaults(&s, spacing);
        assert_int_equal(water_system_fill(s.water, at, count), ENT_OK);
        view.shows = ENT_CANVAS_SHOWS_NORMALS;
        u8*        rgba = drawn(&s, &view, SIDE * SIDE);
        f64*       angle = malloc(SIDE * SIDE * sizeof *angle);
        f64        mean, wide;
        const Vec3 n = {0, -sinf(turn), cosf(turn)};
        for (u32 i = 0; i < SIDE * SIDE; i++)
            angle[angles++] = acos(MIN_OF(vec3_dot(n, normal_of(rgba + i * 4)), 1.0f)) * 180 / PI;
        statistics(angle, angles, &mean, &wide);
        printf("plane: radius %g px, %g rad: mean %.2f, above 10 degrees %.4f\n", radius_px[k / 3],
               turn, mean, wide);
        free(rgba);
        free(at);
        free(angle);
        water_stage_close(&s);
    }
}

/* --- what is behind it --- */

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
            const f64 expected = exp(-(c == 0   ? absorption.x
                                       : c == 1 ? absorption.y
                                                : absorption.z) *
                                     (f64)thick);
            f64       mean = 0;
            u32       far = 0;
            for (u32 i = 0; i < SIDE * SIDE; i++) {
                const f64 error = linear_of(rgba[i * 4 + c]) - expected;
                mean += error / (SIDE * SIDE);
                far += fabs(error) > 8 / 255.0;
            }
            printf("absorption: %g px, channel %u: %.4f, mean error %.5f, far %u\n", pixels[k], c,
                   expected, mean, far);
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
        CanvasView view =
            dark_view(SIDE, pixels_m, (Vec3){(f32)(-sine * 50), 0, (f32)(cosine * 50)});
        Vec4       disc[SPOTS * SPOTS];
        WaterStage s;
        /* Looks along (sine, 0, -cosine). */
        view.pose.m[0][0] = (f32)cosine, view.pose.m[0][2] = (f32)-sine;
        view.pose.m[2][0] = (f32)sine, view.pose.m[2][2] = (f32)cosine;
        slab_open(&s, SIDE, 1, spacing, 110, LAYERS);
        for (u32 i = 0; i < SPOTS * SPOTS; i++)
            disc[i] =
                (Vec4){((f32)(i % SPOTS) - 2) * 2.2f, ((f32)(i / SPOTS) - 2) * 2.2f, 0.15f, 0};
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

/* --- cameras --- */

/* Particles at random in a ball, some of which are apart. */
static u32 cloud_fill(Vec3* at, u32 count, f32 radius_m) {
    u32 seed = 5;
    for (u32 i = 0; i < count;) {
        f32 v[3];
        for (u32 k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            v[k] = ((f32)(seed >> 8) / 8388608.0f - 1) * radius_m;
        }
        at[i] = (Vec3){v[0], v[1], v[2]};
        i += vec3_length(at[i]) < radius_m;
    }
    return count;
}

static CanvasView near_view(void) {
    return (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.8f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0.3f}, {0, 0, 1, 6}}},
        .light = {0.48f, 0.64f, 0.6f},
        .light_color = {1, 0.9f, 0.8f},
        .has_sky = 1};
}

static void cloud_open(WaterStage* s, u32 side, u32 samples, u32 count, f32 spacing_m) {
    const CanvasDesc desc = {.width = side, .height = side, .samples = samples};
    Vec3* const      at = malloc(count * sizeof *at);
    assert_int_equal(water_stage_open(s, gpu_for_test(), &desc), ENT_OK);
    water_defaults(s, spacing_m);
    s->water->draw.absorption_per_m = (Vec3){0.8f, 0.3f, 0.1f};
    s->water->draw.look.color = (Vec3){0.1f, 0.3f, 0.5f};
    assert_int_equal(water_system_fill(s->water, at, cloud_fill(at, count, 1.6f)), ENT_OK);
    free(at);
}

static void turned_camera_gives_the_turned_picture(void** state) {
    enum { SIDE = 256 };
    CanvasView view = near_view();
    WaterStage s;
    u32        far = 0;
    UNUSED(state);
    cloud_open(&s, SIDE, 2, 3000, 0.2f);
    u8* const upright = drawn(&s, &view, SIDE * SIDE);
    for (u32 row = 0; row < 3; row++) {
        const f32 right = view.pose.m[row][0];
        view.pose.m[row][0] = view.pose.m[row][1];
        view.pose.m[row][1] = -right;
    }
    u8* const turned = drawn(&s, &view, SIDE * SIDE);
    for (u32 y = 0; y < SIDE; y++) {
        for (u32 x = 0; x < SIDE; x++) {
            const u8 *a = upright + (y * SIDE + x) * 4, *b = turned + (x * SIDE + SIDE - 1 - y) * 4;
            bool      is_far = false;
            for (u32 c = 0; c < 3; c++) is_far |= abs(a[c] - b[c]) > 2;
            far += is_far;
        }
    }
    printf("turned: %u of %u pixels differ by more than 2\n", far, SIDE * SIDE);
    assert_true(far <= SIDE * SIDE / 1000);
    free(upright);
    free(turned);
    water_stage_close(&s);
}

static void repeated_pictures_are_equal(void** state) {
    enum { SIDE = 160 };
    const CanvasView view = near_view();
    WaterStage       s;
    UNUSED(state);
    cloud_open(&s, SIDE, 2, 3000, 0.2f);
    u8* const first = drawn(&s, &view, SIDE * SIDE);
    for (u32 i = 0; i < 3; i++) {
        u8* const again = drawn(&s, &view, SIDE * SIDE);
        assert_memory_equal(first, again, SIDE * SIDE * 4);
        free(again);
    }
    free(first);
    water_stage_close(&s);
}

/* One and two particles, and none that are in the view. */
static void few_particles_are_drawn(void** state) {
    enum { SIDE = 64 };
    static const Vec3 at[] = {{0, 0, 0}, {0.2f, 0, 0}, {100, 0, 0}};
    const CanvasView  view = near_view();
    const CanvasDesc  desc = {.width = SIDE, .height = SIDE, .samples = 1};
    WaterStage        s;
    u8*               rgba[4];
    UNUSED(state);
    assert_int_equal(water_stage_open(&s, gpu_for_test(), &desc), ENT_OK);
    water_defaults(&s, 0.4f);
    rgba[0] = drawn(&s, &view, SIDE * SIDE); /* none */
    for (u32 i = 1; i < 4; i++) {
        assert_int_equal(water_system_fill(s.water, i == 3 ? at + 2 : at, i == 3 ? 1 : i), ENT_OK);
        rgba[i] = drawn(&s, &view, SIDE * SIDE);
    }
    for (u32 i = 1; i < 4; i++) {
        u32 differ = 0;
        for (u32 k = 0; k < SIDE * SIDE; k++)
            differ += memcmp(rgba[0] + k * 4, rgba[i] + k * 4, 4) != 0;
        printf("%u particles: %u pixels\n", i, differ);
        assert_true(i == 3 ? differ == 0 : differ > 20 && differ < SIDE * SIDE / 2);
    }
    for (u32 i = 0; i < 4; i++) free(rgba[i]);
    water_stage_close(&s);
}

/* --- what is before it --- */

/* A red ball before water that bends much: only its own pixels are red. */
static void nothing_before_water_is_seen_in_it(void** state) {
    enum { SIDE = 256 };
    const Vec3             at = {0.3f, 0.2f, 3};
    const EntShapesSpheres ball = {.count = 1,
                                   .position = &at,
                                   .radius_m = 0.3f,
                                   .look = {.emissive = {1, 0, 0}, .roughness = 1}};
    CanvasView             view = near_view();
    WaterStage             s;
    u32                    red = 0, of_ball = 0;
    UNUSED(state);
    view.dimmed = 1;
    view.light_color = (Vec3){0, 0, 0};
    cloud_open(&s, SIDE, 1, 3000, 0.2f);
    s.water->draw.index = 2;
    discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, -10, (Vec3){0, 1, 0});
    assert_int_equal(ent_shapes_spheres(shapes_stage_shapes(&s.shapes), &ball), ENT_OK);
    u8* const rgba = drawn(&s, &view, SIDE * SIDE);
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 far = 6 - (f64)at.z, each = SIDE / 2 / tan(0.4) / far;
        const f64 x = i % SIDE + 0.5 - SIDE / 2 - (f64)at.x * each,
                  y = SIDE / 2 - (i / SIDE + 0.5) - ((f64)at.y - 0.3) * each;
        const bool is_ball = x * x + y * y < 0.32 * 0.32 * each * each;
        of_ball += is_ball && rgba[i * 4] > 200;
        red += !is_ball && rgba[i * 4] > 0;
    }
    printf("red: %u own pixels, %u others\n", of_ball, red);
    assert_true(of_ball > 500 && red == 0);
    free(rgba);
    water_stage_close(&s);
}

/* --- from inside --- */

/* In the middle of a slab: what is at its end is absorbed over the distance. */
static void distance_is_absorbed_around_the_eye(void** state) {
    enum { SIDE = 128, LAYERS = 24 };
    const f32  spacing = 0.25f, half = spacing * LAYERS / 2;
    CanvasView view = near_view();
    WaterStage s;
    f64        mean = 0;
    UNUSED(state);
    slab_open(&s, SIDE, 2, spacing, 40, LAYERS);
    s.water->draw.absorption_per_m = (Vec3){0.4f, 0.2f, 0.1f};
    discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, -2 * half, (Vec3){1, 1, 1});
    view.dimmed = 1;
    view.light_color = (Vec3){0, 0, 0};
    view.pose.m[1][3] = 0, view.pose.m[2][3] = -half;
    u8* const rgba = drawn(&s, &view, SIDE * SIDE);
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 x = (i % SIDE + 0.5) / SIDE * 2 - 1, y = (i / SIDE + 0.5) / SIDE * 2 - 1,
                  t = tan(0.4);
        const f64 expected = exp(-0.4 * (f64)half * sqrt(1 + t * t * (x * x + y * y)));
        const f64 error = linear_of(rgba[i * 4]) - expected;
        if (fabs(error) > 4 / 255.0)
            fail_msg("pixel %u %u: %g, not %g", i % SIDE, i / SIDE, linear_of(rgba[i * 4]),
                     expected);
        mean += error / (SIDE * SIDE);
    }
    printf("inside: mean error %.5f\n", mean);
    free(rgba);
    water_stage_close(&s);
}

/* From below, all that is above the surface is seen in a circle: beyond it, light is reflected. */
static void surface_from_below_reflects_beyond_the_critical_angle(void** state) {
    enum { SIDE = 256, LAYERS = 16 };
    const f32  spacing = 0.25f, depth = 2;
    CanvasView view = near_view();
    WaterStage s;
    UNUSED(state);
    slab_open(&s, SIDE, 1, spacing, 90, LAYERS);
    discs_add(&s, &(Vec4){0, 0, 1e5f, 0}, 1, 1000, (Vec3){1, 1, 1});
    view.dimmed = 1;
    view.light_color = (Vec3){0, 0, 0};
    view.camera.vertical_fov_rad = 2;
    view.pose = (Mat34){{{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, -1, -depth}}}; /* towards z */
    u8* const rgba = drawn(&s, &view, SIDE * SIDE);
    const f64 edge = tan(asin(1 / 1.333)) / tan(1) * SIDE / 2; /* of the circle in pixels */
    u32       wrong = 0;
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 x = i % SIDE + 0.5 - SIDE / 2, y = i / SIDE + 0.5 - SIDE / 2,
                  r = sqrt(x * x + y * y);
        if (r < edge - 6) wrong += rgba[i * 4] < 100;
        if (r > edge + 6 && r < SIDE / 2) wrong += rgba[i * 4] > 60;
    }
    printf("from below: circle of %.1f pixels, %u wrong\n", edge, wrong);
    assert_true(wrong < SIDE);
    free(rgba);
    water_stage_close(&s);
}

/* --- failures --- */

static ent_status pictures_drawn(Gpu* gpu) {
    const CanvasDesc desc = {.width = 48, .height = 48, .samples = 2};
    const CanvasView view = near_view();
    Vec3             at[200];
    WaterStage       s;
    TRY(water_stage_open(&s, gpu, &desc));
    water_defaults(&s, 0.3f);
    ent_status        status = water_system_fill(s.water, at, cloud_fill(at, COUNT_OF(at), 1));
    const LightRecord light = {
        .kind = LIGHT_DIRECTIONAL, .color = {1, 1, 1}, .intensity = 1, .casts_shadow = 1};
    if (status == ENT_OK)
        status =
            shapes_stage_light(&s.shapes, &light, (Vec3){0, 0, 0}, (Quat){-0.5f, 0.2f, 0, 0.84f});
    for (u32 i = 0; i < 2 && status == ENT_OK; i++)
        status = ent_picture_draw(s.shapes.canvas, &s.parts, &view);
    water_stage_close(&s);
    return status;
}

static void water_with_any_failing_vulkan_call_returns_status(void** state) {
    const u32 step = test_step(41, 97);
    Gpu*      gpu = gpu_for_test();
    u32       failed = 0;
    UNUSED(state);
    for (u32 call = 1;; call += step) {
        const u64 bytes = ent_gpu_bytes(gpu);
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const ent_status status = pictures_drawn(gpu);
        gpu->desc.fault_call = 0;
        assert_true(status == ENT_OK || status == ENT_NO_MEMORY);
        assert_int_equal(ent_gpu_bytes(gpu), bytes);
        failed += status != ENT_OK;
        if (gpu->lost) gpu = gpu_renewed_for_test();
        if (status == ENT_OK) break;
    }
    printf("%u calls failed\n", failed);
    assert_true(failed > 5);
}

static void surface_with_any_subgroup_size_is_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("water_width", 256);
}

/* Repeated for every width of subgroups. */
TEST_SUITE(water_width) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(light_is_absorbed_by_the_thickness),
                                       cmocka_unit_test(what_is_behind_is_shifted_as_by_snells_law),
                                       cmocka_unit_test(turned_camera_gives_the_turned_picture),
                                       cmocka_unit_test(repeated_pictures_are_equal)};
    return gpu_suite_end(TEST_RUN("water_width", tests));
}

TEST_SUITE(water) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_are_those_of_a_ball),
        cmocka_unit_test(normals_are_those_of_a_plane),
        cmocka_unit_test(few_particles_are_drawn),
        cmocka_unit_test(nothing_before_water_is_seen_in_it),
        cmocka_unit_test(distance_is_absorbed_around_the_eye),
        cmocka_unit_test(surface_from_below_reflects_beyond_the_critical_angle),
        cmocka_unit_test(water_with_any_failing_vulkan_call_returns_status),
        cmocka_unit_test(surface_with_any_subgroup_size_is_the_same)};
    return gpu_suite_end(TEST_RUN("water", tests));
}
