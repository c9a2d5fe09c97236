/* test_refraction.c - a blended surface with `refraction` shifts what is behind it as Snell's law says, with an index of
 * 1 + refraction / 2, and nothing that stands before it is seen in it. */
#include "test_panels.h"

static f64 middle_of(const f64* light) {
    f64 sum = 0, sum_x = 0;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++)
        sum += light[i * 4], sum_x += light[i * 4] * (i % WIDTH + 0.5);
    assert_true(sum > 4);
    return sum_x / sum;
}

/* A spot 2 m behind the surface, at several angles. */
static void what_is_behind_a_surface_is_shifted_as_by_snells_law(void** state) {
    static const f64 angles[] = {0, 0.2617994, 0.5235988, 0.7853982};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 i = 0; i < COUNT_OF(angles); i++) {
        const f64 sine = sin(angles[i]), cosine = cos(angles[i]), inside = asin(sine / 1.333),
                  depth = 2, pixels_m = 18;
        Stage s;
        thin_open(&s);
        square_add(&s, "bend_0/square", (Vec3){0, 0, -2}, (Quat){0, 0, 0, 1}, 0.2f);
        square_add(&s, "thin_7/square", (Vec3){0, 0, -2.01f}, (Quat){0, 0, 0, 1},
                   9); /* dark, without light */
        square_add(&s, "bend_1/square", (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 5);
        s.view = (CanvasView){.camera = {.kind = CAMERA_ORTHOGRAPHIC,
                                         .height_m = (f32)(HEIGHT / pixels_m),
                                         .near_m = 0.1f,
                                         .far_m = 100},
                              .pose = {{{(f32)cosine, 0, (f32)-sine, (f32)(-sine * 20)},
                                        {0, 1, 0, 0},
                                        {(f32)sine, 0, (f32)cosine, (f32)(cosine * 20)}}},
                              .exposure = 1,
                              .dimmed = 1,
                              .has_sky = 1};
        f64*      light = stage_light(&s);
        const f64 expected = WIDTH / 2.0 - depth * tan(inside) * cosine * pixels_m,
                  found = middle_of(light);
        print_message("%.0f degrees: at %.2f, expected %.2f, without refraction %.2f\n",
                      angles[i] * 180 / 3.14159265, found, expected,
                      WIDTH / 2.0 - depth * sine * pixels_m);
        assert_true(fabs(found - expected) < 1);
        free(light);
        stage_close(&s);
    }
}

/* A bright square before the surface: without it, the picture is dark. */
static void nothing_before_a_surface_is_refracted(void** state) {
    Stage s;
    u32   bright = 0, others = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    thin_open(&s);
    square_add(&s, "bend_0/square", (Vec3){0.3f, 0, 1}, (Quat){0, 0, 0, 1}, 0.5f);
    square_add(&s, "bend_1/square", (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 5);
    square_add(&s, "thin_7/square", (Vec3){0, 0, -3}, (Quat){0, 0, 0, 1}, 9);
    s.view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{0.8f, 0, 0.6f, 3.6f}, {0, 1, 0, 0}, {-0.6f, 0, 0.8f, 4.8f}}},
        .exposure = 1,
        .dimmed = 1,
        .has_sky = 1};
    f64* light = stage_light(&s);
    for (u32 i = 0; i < WIDTH * HEIGHT; i++)
        bright += light[i * 4] > 0.9, others += light[i * 4] > 0 && light[i * 4] <= 0.9;
    print_message("%u bright samples, %u others\n", bright, others);
    assert_true(bright > 50);
    assert_int_equal(others, 0);
    free(light);
    stage_close(&s);
}

TEST_SUITE(refraction) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_behind_a_surface_is_shifted_as_by_snells_law),
        cmocka_unit_test(nothing_before_a_surface_is_refracted)};
    return gpu_suite_end(TEST_RUN("refraction", tests));
}
