/* test_clearcoat.c - the colour of lacquered surfaces under a lamp and a sky, beside KHR_materials_clearcoat in double precision. */
#include "test_panels.h"

enum { KINDS = 2, ANGLES = 5 };

/* As in thin_script. */
static const f64 color_of[KINDS][3] = {{0.6, 0.1, 0.05}, {0.9, 0.6, 0.2}};
static const f64 metallic_of[KINDS] = {0, 1}, rough_of[KINDS] = {0.8, 0.5};
static const f64 coat_of[KINDS] = {1, 0.5}, coat_rough_of[KINDS] = {0.15, 0.4};

/* What a mirror without colour, of this roughness, reflects of the light, with a Fresnel term of 1. */
static f64 mirrored(f64 rough, Vec n, Vec v, Vec l) {
    const f64 alpha2 = pow(fmax(rough, 0.04), 4), pi = 3.14159265358979;
    const Vec h = unit(add(l, v));
    const f64 nl = dot(n, l), nv = dot(n, v), nh = dot(n, h), d = nh * nh * (alpha2 - 1) + 1;
    const f64 mask = 0.5 / (nl * sqrt(nv * nv * (1 - alpha2) + alpha2) +
                            nv * sqrt(nl * nl * (1 - alpha2) + alpha2));
    return nl > 0 ? alpha2 / (pi * d * d) * mask * nl : 0;
}

static Vec expected_of(const Stage* s, u32 kind, Vec v, Vec l, Vec light) {
    const Vec n = vec(0, 0, 1), mirror = add(times(n, 2 * v.z), times(v, -1));
    const Vec color = vec(color_of[kind][0], color_of[kind][1], color_of[kind][2]);
    const f64 coat = coat_of[kind] * (0.04 + 0.96 * pow(1 - v.z, 5));
    const f64 sky = 1 - (f64)s->view.dimmed, shine = mirrored(coat_rough_of[kind], n, v, l);
    const Vec bare = add(mul(light, reflected(color, metallic_of[kind], rough_of[kind], n, v, l)),
                         times(around(color, metallic_of[kind], rough_of[kind], n, v), sky));
    const Vec over = add(times(light, shine),
                         times(sky_at(mirror.y), sky * mirror_kept(coat_rough_of[kind], v.z)));
    return add(times(bare, 1 - coat), times(over, coat));
}

/* A lamp at 30 degrees, seen from several directions, one of which is that of its mirror image. */
static void lacquer_reflects_as_a_second_lobe(void** state) {
    static const f64 angles[ANGLES] = {0, 0.3, 0.5235988, 0.9, 1.3};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 i = 0; i < KINDS * ANGLES * 2; i++) {
        const u32 kind = i % KINDS;
        const f64 angle = angles[i / KINDS % ANGLES];
        const Vec v = vec(sin(angle), 0, cos(angle)), l = vec(-0.5, 0, sqrt(0.75));
        Stage     s;
        char      name[16];
        thin_open(&s);
        snprintf(name, sizeof name, "glass_%u/square", 4 + kind);
        square_add(&s, name, (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 20);
        s.view = (CanvasView){
            .camera = {.kind = CAMERA_ORTHOGRAPHIC, .height_m = 2, .near_m = 0.1f, .far_m = 100},
            .pose = {{{(f32)v.z, 0, (f32)v.x, (f32)(v.x * 20)},
                      {0, 1, 0, 0},
                      {(f32)-v.x, 0, (f32)v.z, (f32)(v.z * 20)}}},
            .light = {(f32)l.x, (f32)l.y, (f32)l.z},
            .light_color = {0.5f, 0.6f, 0.7f},
            .exposure = 1,
            .dimmed = i / KINDS / ANGLES ? 0 : 1,
            .has_sky = 1};
        f64*      light = stage_light(&s);
        const f64 scale = 3.14159265358979 * 0.9; /* of the light of a view */
        const Vec wanted = expected_of(&s, kind, v, l, times(of(s.view.light_color), scale));
        const f64 each[3] = {wanted.x, wanted.y, wanted.z};
        for (u32 c = 0; c < 3; c++) {
            const f64 found = light[(HEIGHT / 2 * WIDTH + WIDTH / 2) * 4 + c];
            if (fabs(found - each[c]) > 0.004 * each[c] + 1e-3)
                fail_msg("material %u at %.0f degrees, channel %u: %g, not %g", kind,
                         angle * 180 / 3.14159265, c, found, each[c]);
        }
        free(light);
        stage_close(&s);
    }
}

TEST_SUITE(clearcoat) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lacquer_reflects_as_a_second_lobe)};
    return gpu_suite_end(TEST_RUN("clearcoat", tests));
}
