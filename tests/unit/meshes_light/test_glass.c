/* test_glass.c - a blended surface with `transmission`: what passes it, its reflections, and how far it refracts, beside the laws of
 * Lambert and Beer, Schlick and Snell in double precision. */
#include "test_panels.h"

/* From 20 m, at an angle to the axis Z; without other light than what surfaces emit. */
static CanvasView view_at(f64 angle, f64 pixels_m) {
    const f64 sine = sin(angle), cosine = cos(angle);
    return (CanvasView){.camera = {.kind = CAMERA_ORTHOGRAPHIC,
                                   .height_m = (f32)(HEIGHT / pixels_m),
                                   .near_m = 0.1f,
                                   .far_m = 100},
                        .pose = {{{(f32)cosine, 0, (f32)sine, (f32)(sine * 20)},
                                  {0, 1, 0, 0},
                                  {(f32)-sine, 0, (f32)cosine, (f32)(cosine * 20)}}},
                        .exposure = 1,
                        .dimmed = 1,
                        .has_sky = 1};
}

static f64 schlick(f64 index, f64 facing) {
    const f64 root = (index - 1) / (index + 1), mirror = root * root;
    return mirror + (1 - mirror) * pow(1 - facing, 5);
}

/* A white surface that emits light of 1, behind a pane, and behind a body. */
static void light_that_passes_glass_is_colored(void** state) {
    static const f64 angles[] = {0, 0.5235988, 1.0471976};
    static const f64 passes[2][3] = {{0.72, 0.4, 0.16}, {0.25, 0.64, 1}}, index[2] = {1.8, 1.333};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 i = 0; i < 2 * COUNT_OF(angles); i++) {
        const u32 kind = i % 2;
        const f64 angle = angles[i / 2], share = 1 - schlick(index[kind], cos(angle));
        Stage     s;
        char      name[16];
        thin_open(&s);
        snprintf(name, sizeof name, "glass_%u/square", kind);
        square_add(&s, "bend_0/square", (Vec3){0, 0, -1}, (Quat){0, 0, 0, 1}, 30);
        square_add(&s, name, (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 20);
        s.view = view_at(angle, 18);
        f64* light = stage_light(&s);
        for (u32 c = 0; c < 3; c++) {
            const f64 found = light[(HEIGHT / 2 * WIDTH + WIDTH / 2) * 4 + c];
            const f64 expected = passes[kind][c] * share;
            if (fabs(found - expected) > 1e-3)
                fail_msg("glass %u at %.0f degrees, channel %u: %g, not %g", kind,
                         angle * 180 / 3.14159265, c, found, expected);
        }
        free(light);
        stage_close(&s);
    }
}

/* A body whose far side is seen too, in place of the near one: it does not colour again what passes it. */
static void far_side_of_a_body_colors_nothing(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    Stage s;
    thin_open(&s);
    square_add(&s, "bend_0/square", (Vec3){0, 0, -1}, (Quat){0, 0, 0, 1}, 30);
    square_add(&s, "glass_6/square", (Vec3){0, 0, 0}, (Quat){0, 1, 0, 0}, 20);
    s.view = view_at(0, 18);
    f64* light = stage_light(&s);
    for (u32 c = 0; c < 3; c++) {
        const f64 found = light[(HEIGHT / 2 * WIDTH + WIDTH / 2) * 4 + c];
        assert_true(fabs(found - (1 - schlick(1.333, 1))) < 1e-3);
    }
    free(light);
    stage_close(&s);
}

/* Lamps before a dark wall: glass of an index of 1.5 shows the reflections of a black surface. */
static void reflections_of_glass_are_those_of_an_opaque_surface(void** state) {
    f64*   light[2];
    f64    brightest = 0;
    Random r = {5};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 kind = 0; kind < 2; kind++) {
        Stage s;
        r = (Random){5};
        thin_open(&s);
        square_add(&s, kind ? "glass_3/square" : "glass_2/square", (Vec3){0, 0, 0},
                   (Quat){0, 0, 0, 1}, 4);
        square_add(&s, "glass_3/square", (Vec3){0, 0, -60}, (Quat){0, 0, 0, 1}, 60);
        for (u32 i = 0; i < 3; i++) light_add(&s, &r, LIGHT_POINT);
        s.view = view_at(0.3, 18);
        light[kind] = stage_light(&s);
        stage_close(&s);
    }
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        for (u32 c = 0; c < 3; c++) {
            const f64 glass = light[0][i * 4 + c], black = light[1][i * 4 + c];
            brightest = fmax(brightest, black);
            if (fabs(glass - black) > 0.01 * black + 2e-3)
                fail_msg("sample %u, channel %u: %g, not %g", i, c, glass, black);
        }
    }
    print_message("the brightest reflection is %g\n", brightest);
    assert_true(brightest > 0.05);
    for (u32 kind = 0; kind < 2; kind++) free(light[kind]);
}

static f64 middle_of(const f64* light) {
    f64 sum = 0, sum_x = 0;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++)
        sum += light[i * 4 + 2], sum_x += light[i * 4 + 2] * (i % WIDTH + 0.5);
    assert_true(sum > 4);
    return sum_x / sum;
}

/* A spot 2 m behind a body of 0.1 m, scaled by 5, and behind a pane, which does not refract. */
static void glass_refracts_over_its_thickness(void** state) {
    static const f64 angles[] = {0, 0.2617994, 0.5235988, 0.7853982};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 i = 0; i < 2 * COUNT_OF(angles); i++) {
        const bool is_body = i % 2;
        const f64  angle = angles[i / 2], inside = asin(sin(angle) / 1.333),
                  thick = is_body ? 0.5 : 0, depth = 2, pixels_m = 18;
        Stage s;
        thin_open(&s);
        square_add(&s, "bend_0/square", (Vec3){0, 0, -2}, (Quat){0, 0, 0, 1}, 0.2f);
        square_add(&s, "glass_3/square", (Vec3){0, 0, -2.01f}, (Quat){0, 0, 0, 1}, 9);
        square_add(&s, is_body ? "glass_1/square" : "glass_0/square", (Vec3){0, 0, 0},
                   (Quat){0, 0, 0, 1}, 5);
        s.view = view_at(angle, pixels_m);
        f64*      light = stage_light(&s);
        const f64 aside = thick * tan(inside) + (depth - thick) * tan(angle);
        const f64 expected = WIDTH / 2.0 + aside * cos(angle) * pixels_m, found = middle_of(light);
        print_message("%s at %.0f degrees: at %.2f, expected %.2f\n", is_body ? "body" : "pane",
                      angle * 180 / 3.14159265, found, expected);
        assert_true(fabs(found - expected) < 0.5);
        free(light);
        stage_close(&s);
    }
}

TEST_SUITE(glass) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_that_passes_glass_is_colored),
        cmocka_unit_test(far_side_of_a_body_colors_nothing),
        cmocka_unit_test(reflections_of_glass_are_those_of_an_opaque_surface),
        cmocka_unit_test(glass_refracts_over_its_thickness)};
    return gpu_suite_end(TEST_RUN("glass", tests));
}
