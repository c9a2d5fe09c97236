/* test_scroll.c - normal maps that move: the normals of a picture are the mean of two layers of the map, which is read in double
 * precision, of opaque and of blended surfaces; and the caustics of kept shadow maps are those of maps that are drawn anew. */
#include "test_panels.h"

enum { SIDE_TEXELS = 16 };

static void scene_open(Stage* s) {
    thin_open(s);
    s->view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.7f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}}},
        .exposure = 1,
        .dimmed = 1,
        .has_sky = 1};
}

static u16* scene_drawn(Stage* s) {
    u16* colors = malloc(WIDTH * HEIGHT * 4 * sizeof *colors);
    ent_transform_update(s->world);
    stage_draw(s);
    assert_int_equal(gpu_download(gpu_for_test(), &s->canvas->color, 0, colors,
                                  WIDTH * HEIGHT * 4 * sizeof *colors),
                     ENT_OK);
    return colors;
}

/* --- normals --- */

/* x or y of the map. */
static f64 texel_at(i32 x, i32 y, u32 channel) {
    const f64 pi = 3.14159265358979;
    x = (x % SIDE_TEXELS + SIDE_TEXELS) % SIDE_TEXELS;
    y = (y % SIDE_TEXELS + SIDE_TEXELS) % SIDE_TEXELS;
    return round(channel == 0 ? 128 + 60 * sin(x * pi / 8) : 128 + 60 * cos(y * pi / 8)) / 255;
}

static f64 map_at(f64 u, f64 v, u32 channel) {
    const f64 x = u * SIDE_TEXELS - 0.5, y = v * SIDE_TEXELS - 0.5, fx = x - floor(x),
              fy = y - floor(y);
    const i32 ix = (i32)floor(x), iy = (i32)floor(y);
    return (texel_at(ix, iy, channel) * (1 - fx) + texel_at(ix + 1, iy, channel) * fx) * (1 - fy) +
           (texel_at(ix, iy + 1, channel) * (1 - fx) + texel_at(ix + 1, iy + 1, channel) * fx) * fy;
}

static void normals_compare(const Stage* s, const u16* colors, f64 opacity) {
    const f64 t = tan((f64)0.35f), time = (f64)s->view.time_s;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        const f64 x = ((i % WIDTH + 0.5) / WIDTH * 2 - 1) * t * WIDTH / HEIGHT * 5,
                  y = (1 - (i / WIDTH + 0.5) / HEIGHT * 2) * t * 5;
        const f64 u = (x / 3 + 1) / 2, v = (1 - y / 3) / 2;
        f64       n[3];
        for (u32 c = 0; c < 2; c++) {
            const f64 first = map_at(u + 0.31 * time, v - 0.17 * time, c),
                      second = map_at(u - 0.23 * time, v + 0.11 * time, c);
            n[c] = first + second - 1; /* the mean, from -1 to 1 */
        }
        n[2] = sqrt(fmax(1 - n[0] * n[0] - n[1] * n[1], 0));
        for (u32 c = 0; c < 3; c++) {
            const f64 expected = pow(n[c] * 0.5 + 0.5, 2.2) * opacity,
                      found = half_of(colors[i * 4 + c]);
            if (fabs(found - expected) > 2 / 255.0)
                fail_msg("time %g, sample %u %u, channel %u: %g, not %g", time, i % WIDTH,
                         i / WIDTH, c, found, expected);
        }
    }
}

static void normals_are_the_mean_of_two_layers_that_move(void** state) {
    static const f32 times_s[] = {0, 0.4f, 1, 7.3f, 100};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 k = 0; k < 2; k++) {
        Stage s;
        scene_open(&s);
        square_add(&s, k ? "waves_1/square" : "waves_0/square", (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1},
                   3);
        s.view.shows = ENT_CANVAS_SHOWS_NORMALS;
        for (u32 i = 0; i < COUNT_OF(times_s); i++) {
            s.view.time_s = times_s[i];
            u16* colors = scene_drawn(&s);
            normals_compare(&s, colors, k ? 0.5 : 1);
            free(colors);
        }
        stage_close(&s);
    }
}

/* --- caustics --- */

static void pool_open(Stage* s) {
    u32 row;
    scene_open(s);
    square_add(s, "thin_7/square", (Vec3){0, 0, -1}, (Quat){0, 0, 0, 1}, 3);
    square_add(s, "waves_1/square", (Vec3){0.4f, 0, 1}, (Quat){0, 0, 0, 1}, 0.8f);
    const Entity sun = entity_add(s, "light", &row);
    ent_light_rows(s->world).record[row] = (LightRecord){
        .kind = LIGHT_DIRECTIONAL, .color = {1, 1, 1}, .intensity = 2, .casts_shadow = 1};
    entity_place(s, sun, (Vec3){0, 0, 0}, (Quat){0.1f, -0.2f, 0, 0.9746794f}, 1);
}

static void caustics_of_kept_maps_are_those_of_new_ones(void** state) {
    Stage s;
    u32   changed = 0;
    u16*  last = NULL;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    pool_open(&s);
    for (u32 i = 0; i < 6; i++) {
        Stage anew;
        s.view.time_s = i < 4 ? (f32)i * 0.3f : 0.9f; /* it stands at the end */
        u16* kept = scene_drawn(&s);
        pool_open(&anew);
        anew.view.time_s = s.view.time_s;
        u16* expected = scene_drawn(&anew);
        assert_memory_equal(kept, expected, WIDTH * HEIGHT * 4 * sizeof *kept);
        changed += last && memcmp(kept, last, WIDTH * HEIGHT * 4 * sizeof *kept) != 0;
        free(expected);
        free(last);
        last = kept;
        stage_close(&anew);
    }
    assert_int_equal(changed, 3);
    free(last);
    stage_close(&s);
}

TEST_SUITE(scroll) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normals_are_the_mean_of_two_layers_that_move),
        cmocka_unit_test(caustics_of_kept_maps_are_those_of_new_ones)};
    return gpu_suite_end(TEST_RUN("scroll", tests));
}
