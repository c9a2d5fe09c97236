/* test_water_layers.c - blended squares before, behind and in water: what is behind the surface is seen through it, and what is before
 * it is not. The water neither bends nor reflects, so that the sums of the squares follow from pictures without it. */
#include "test_panels.h"
#include "test_water_scenes.h"

enum { PANE_KIND = 4 }; /* a material of panels_script: 0.02 + 0.03 kind is its opacity */

typedef struct Scene {
    Stage        stage;
    WaterSystem* water;
    GpuPart      part[3];
    GpuParts     parts;
    void*        lighting;
    Entity       wall, pane[2];
} Scene;

static void scene_open(Scene* s) {
    GpuProblem problem = {0};
    GpuScene   scene = {0};
    Vec3       at[14 * 14 * 4];
    *s = (Scene){0};
    thin_open(&s->stage);
    s->wall = thin_add(&s->stage, 7, (Vec3){0, 0, -3}, (Quat){0, 0, 0, 1}, 8);
    for (u32 i = 0; i < 2; i++)
        s->pane[i] = thin_add(&s->stage, PANE_KIND, (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 0.5f);
    s->lighting = s->stage.meshes->lighting;
    scene.lighting = s->lighting;
    void* state;
    assert_int_equal(water_system_create(&state, gpu_for_test(), &scene, &problem), ENT_OK);
    s->water = state;
    s->part[0] = (GpuPart){ent_lighting_system(), s->lighting};
    s->part[1] = (GpuPart){ent_meshes_system(), s->stage.meshes};
    s->part[2] = (GpuPart){&water_system, state};
    s->parts = (GpuParts){s->part, 3};
    WaterDraw* const d = &s->water->draw;
    *d = (WaterDraw){.spacing_m = 0.25f,
                     .radius_m = 0.125f,
                     .h_m = 0.5f,
                     .smoothing = 0.5f,
                     .index = 1,
                     .absorption_per_m = {0.3f, 0.6f, 1},
                     .look = {.roughness = 0.05f}};
    assert_int_equal(water_system_fill(s->water, at, slab_fill(at, 0.25f, 14, 4)), ENT_OK);
    s->stage.view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.5f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}}},
        .light = {0, 0, 1},
        .light_color = {0.3f, 0.3f, 0.3f},
        .dimmed = 1};
}

/* The linear colour in the middle of the picture; with water or without it. */
static void middle_of(Scene* s, bool has_water, f64 color[3]) {
    u8        rgba[WIDTH * HEIGHT * 4];
    const u32 count = s->water->draw.count;
    s->water->draw.count = has_water ? count : 0;
    ent_transform_update(s->stage.world);
    assert_int_equal(test_system_frame(ent_meshes_system(), s->stage.meshes, gpu_for_test()),
                     ENT_OK);
    assert_int_equal(ent_picture_draw(s->stage.canvas, &s->parts, &s->stage.view), ENT_OK);
    assert_int_equal(ent_canvas_read(s->stage.canvas, rgba), ENT_OK);
    for (u32 c = 0; c < 3; c++)
        color[c] = linear_of(rgba[(HEIGHT / 2 * WIDTH + WIDTH / 2) * 4 + c]);
    s->water->draw.count = count;
}

static void pane_place(Scene* s, u32 pane, f32 z) {
    entity_place(&s->stage, s->pane[pane], (Vec3){0, 0, z}, (Quat){0, 0, 0, 1}, 0.5f);
}

/* The slab is from z = -1 to 0: one square at 2 or -2, another at 2.5 or -2.5, or both on one side. */
static void layers_are_seen_through_water_or_before_it(void** state) {
    static const f32 places[][2] = {{100, 100}, {-2, 100},   {2, 100},
                                    {2, -2},    {-2, -2.5f}, {2, 2.5f}};
    const f64        opacity = 0.02 + 0.03 * PANE_KIND;
    Scene            s;
    f64              bare[3];
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&s);
    middle_of(&s, false, bare);
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        f64 one[3], found[3];
        /* The light of a square alone, before the wall: what it adds. */
        pane_place(&s, 0, -2);
        pane_place(&s, 1, 100);
        middle_of(&s, false, one);
        for (u32 k = 0; k < 2; k++) pane_place(&s, k, places[i][k]);
        middle_of(&s, true, found);
        for (u32 c = 0; c < 3; c++) {
            const f64 added = one[c] - bare[c] * (1 - opacity), a = c == 0 ? 0.3 : c == 1 ? 0.6 : 1;
            f64       sum = bare[c];
            for (u32 k = 0; k < 2; k++)
                if (places[i][k] < 0) sum = added + sum * (1 - opacity);
            sum *= exp(-a);
            for (u32 k = 0; k < 2; k++)
                if (places[i][k] > 0 && places[i][k] < 50) sum = added + sum * (1 - opacity);
            if (fabs(found[c] - sum) > 4 / 255.0)
                fail_msg("case %u, channel %u: %g, not %g", i, c, found[c], sum);
        }
    }
    water_system_destroy(s.water);
    stage_close(&s.stage);
}

/* A pane of glass whose colours differ, alone, behind the water, before it, and on both sides. */
static void glass_colors_the_water_behind_it(void** state) {
    static const f32 places[][2] = {{-2, 100}, {2, 100}, {2, -2}};
    static const f64 tint[3] = {0.72, 0.4, 0.16};           /* of glass_0 */
    const f64        share = 1 - (0.8 / 2.8) * (0.8 / 2.8); /* its index is 1.8 */
    Scene            s;
    f64              bare[3], one[3], found[3];
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&s);
    for (u32 i = 0; i < 2; i++)
        s.pane[i] =
            square_add(&s.stage, "glass_0/square", (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    middle_of(&s, false, bare);
    pane_place(&s, 0, -2);
    middle_of(&s, false, one);
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        for (u32 k = 0; k < 2; k++) pane_place(&s, k, places[i][k]);
        middle_of(&s, true, found);
        for (u32 c = 0; c < 3; c++) {
            const f64 passes = tint[c] * share, added = one[c] - bare[c] * passes;
            const f64 water = exp(c == 0 ? -0.3 : c == 1 ? -0.6 : -1.0);
            f64       sum = bare[c];
            if (places[i][0] < 0 || places[i][1] < 0) sum = added + sum * passes;
            sum *= water;
            if (places[i][0] > 0) sum = added + sum * passes;
            sum = fmin(sum, 1); /* as a byte is */
            if (fabs(found[c] - sum) > 4 / 255.0)
                fail_msg("case %u, channel %u: %g, not %g", i, c, found[c], sum);
        }
    }
    water_system_destroy(s.water);
    stage_close(&s.stage);
}

TEST_SUITE(water_layers) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(layers_are_seen_through_water_or_before_it),
                                       cmocka_unit_test(glass_colors_the_water_behind_it)};
    return gpu_suite_end(TEST_RUN("water_layers", tests));
}
