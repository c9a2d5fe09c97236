/* test_water_meets.c - water beside other things: what hides the sky from it, decals on it, and kept shadow maps of water that stands
 * beside a mesh that moves. */
#include "test_panels.h"
#include "test_water_scenes.h"

enum { SIDE = 96 };

/* --- occlusion --- */

/* A wall along x = 0, of balls that overlap, from below the surface up to `high` above it. */
static void wall_add(WaterStage* s, f32 high) {
    enum { ACROSS = 120, UP = 30 };
    Vec3* const            at = malloc(ACROSS * UP * sizeof *at);
    const EntShapesLook    look = {.color = {1, 1, 1}, .roughness = 1};
    const EntShapesSpheres wall = {
        .count = ACROSS * UP, .position = at, .radius_m = 0.2f, .look = look};
    for (u32 i = 0; i < ACROSS * UP; i++)
        at[i] = (Vec3){-0.2f, ((f32)(i % ACROSS) - ACROSS / 2) * 0.1f,
                       high - 0.2f - (f32)(i / ACROSS) * 0.1f};
    assert_int_equal(ent_shapes_spheres(shapes_stage_shapes(&s->shapes), &wall), ENT_OK);
    free(at);
}

static CanvasView occlusion_view(bool is_flat) {
    CanvasView view = flat_view(SIDE, 12, (Vec3){2, 0, 20});
    if (!is_flat)
        view.camera =
            (CameraRecord){.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.4f, .near_m = 0.1f};
    view.shows = ENT_CANVAS_SHOWS_OCCLUSION;
    view.occlusion_m = 1.5f;
    return view;
}

/* The occlusion that is shown of a floor at z = 0 beside the wall, as opaque surfaces have it. */
static u8* floor_occlusion(const CanvasDesc* desc, const CanvasView* view) {
    WaterStage s;
    assert_int_equal(water_stage_open(&s, gpu_for_test(), desc), ENT_OK);
    water_defaults(&s, 0.1f);
    discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, 0, (Vec3){0, 0, 0});
    wall_add(&s, 1);
    u8* const rgba = drawn(&s, view, SIDE * SIDE);
    water_stage_close(&s);
    return rgba;
}

static void occlusion_compare(u32 samples, bool is_flat) {
    const CanvasDesc desc = {.width = SIDE, .height = SIDE, .samples = samples};
    const CanvasView view = occlusion_view(is_flat);
    u8* const        floor = floor_occlusion(&desc, &view);
    WaterStage       s;
    f64              mean = 0, worst = 0, darkest = 1;
    u32              count = 0;
    slab_open(&s, SIDE, samples, 0.1f, 160, 4);
    discs_add(&s, &(Vec4){0, 0, 1000, 0}, 1, -3, (Vec3){0, 0, 0});
    wall_add(&s, 1);
    u8* const water = drawn(&s, &view, SIDE * SIDE);
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 x = (i % SIDE + 0.5 - SIDE / 2.0) / 12 + 2;
        if (x < 0.25 || x > 5.5) continue; /* the wall itself, and the end of the picture */
        const f64 open = linear_of(floor[i * 4]), found = linear_of(water[i * 4]);
        mean += found - open;
        worst = fmax(worst, fabs(found - open));
        darkest = fmin(darkest, found);
        if (x > 2.5 && found < 0.97) fail_msg("%g from the wall, %g is left", x, found);
        count++;
    }
    printf("occlusion of water, %u samples: mean error %.4f, worst %.3f, darkest %.3f\n", samples,
           mean / count, worst, darkest);
    assert_true(fabs(mean / count) < 0.01 && worst < 0.05 && darkest < 0.9);
    free(floor), free(water);
    water_stage_close(&s);
}

static void water_beside_a_wall_sees_as_much_of_the_sky_as_a_floor(void** state) {
    UNUSED(state);
    occlusion_compare(1, true);
    occlusion_compare(2, false);
}

/* --- decals --- */

static void decal_add(const ShapesStage* s, const DecalRecord* decal, Vec3 at) {
    const TransformRecord pose = {at, {0, 0, 0, 1}, {1, 1, 1}};
    Entity                entity;
    u32                   row;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_TRANSFORM),
                                        entity, &row),
                     ENT_OK);
    ent_transform_set_local(s->world, row, &pose);
    assert_int_equal(
        ent_manager_create(s->world, ent_world_built_in(s->world, COMPONENT_DECAL), entity, &row),
        ENT_OK);
    ent_decal_rows(s->world).record[row] = *decal;
    ent_transform_update(s->world);
}

static void decals_color_the_surface_of_water(void** state) {
    const DecalRecord decal = {.color = {0.9f, 0.5f, 0.1f},
                               .opacity = 0.75f,
                               .fade_angle_rad = 1.2f,
                               .half_extent_m = {1.5f, 1, 0.3f}};
    const f64         mixed[3] = {0.75 * 0.9 + 0.25 * 0.2, 0.75 * 0.5 + 0.25 * 0.4,
                                  0.75 * 0.1 + 0.25 * 0.8},
              bare[3] = {0.2, 0.4, 0.8};
    CanvasView view = flat_view(SIDE, 12, (Vec3){0, 0, 20});
    WaterStage s;
    u32        inside = 0, outside = 0;
    UNUSED(state);
    slab_open(&s, SIDE, 1, 0.25f, 64, 4);
    s.water->draw.look.color = (Vec3){0.2f, 0.4f, 0.8f};
    s.water->draw.absorption_per_m = (Vec3){50, 50, 50};
    decal_add(&s.shapes, &decal, (Vec3){0.5f, -0.5f, 0});
    view.shows = ENT_CANVAS_SHOWS_ALBEDO;
    u8* const rgba = drawn(&s, &view, SIDE * SIDE);
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f64 x = fabs((i % SIDE + 0.5 - SIDE / 2.0) / 12 - 0.5) - 1.5,
                  y = fabs((SIDE / 2.0 - i / SIDE - 0.5) / 12 + 0.5) - 1;
        if (fabs(x) < 0.1 || fabs(y) < 0.1) continue; /* its edge */
        const bool covers = x < 0 && y < 0;
        for (u32 c = 0; c < 3; c++) {
            const f64 expected = covers ? mixed[c] : bare[c];
            if (fabs(linear_of(rgba[i * 4 + c]) - expected) > 0.012)
                fail_msg("pixel %u %u, channel %u: %g, not %g", i % SIDE, i / SIDE, c,
                         linear_of(rgba[i * 4 + c]), expected);
        }
        covers ? inside++ : outside++;
    }
    assert_true(inside > 300 && outside > 5000);
    free(rgba);
    water_stage_close(&s);
}

/* --- kept shadow maps --- */

typedef struct Scene {
    Stage        stage;
    WaterSystem* water;
    GpuPart      part[3];
    GpuParts     parts;
    Entity       walker;
} Scene;

/* A slab between a wall and a sun, and an opaque square beside it. */
static void scene_open(Scene* s) {
    GpuProblem problem = {0};
    GpuScene   scene = {0};
    Vec3       at[14 * 14 * 2];
    u32        row;
    void*      state;
    *s = (Scene){0};
    thin_open(&s->stage);
    thin_add(&s->stage, 7, (Vec3){0, 0, -2}, (Quat){0, 0, 0, 1}, 8);
    s->walker = thin_add(&s->stage, 7, (Vec3){2, 0, 0}, (Quat){0, 0, 0, 1}, 0.4f);
    const Entity sun = entity_add(&s->stage, "light", &row);
    ent_light_rows(s->stage.world).record[row] = (LightRecord){
        .kind = LIGHT_DIRECTIONAL, .color = {1, 1, 1}, .intensity = 2, .casts_shadow = 1};
    entity_place(&s->stage, sun, (Vec3){0, 0, 0}, (Quat){0.1f, -0.2f, 0, 0.9746794f}, 1);
    scene.lighting = s->stage.meshes->lighting;
    assert_int_equal(water_system_create(&state, gpu_for_test(), &scene, &problem), ENT_OK);
    s->water = state;
    s->part[0] = (GpuPart){ent_lighting_system(), scene.lighting};
    s->part[1] = (GpuPart){ent_meshes_system(), s->stage.meshes};
    s->part[2] = (GpuPart){&water_system, state};
    s->parts = (GpuParts){s->part, 3};
    s->water->draw = (WaterDraw){.spacing_m = 0.25f,
                                 .radius_m = 0.125f,
                                 .h_m = 0.5f,
                                 .smoothing = 0.5f,
                                 .index = 1.333f,
                                 .absorption_per_m = {0.3f, 0.6f, 1},
                                 .look = {.roughness = 0.05f}};
    assert_int_equal(water_system_fill(s->water, at, slab_fill(at, 0.25f, 14, 2)), ENT_OK);
    s->stage.view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.7f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 7}}},
        .exposure = 1,
        .dimmed = 1};
}

static void scene_close(Scene* s) {
    water_system_destroy(s->water);
    stage_close(&s->stage);
}

static u8* scene_drawn(Scene* s, f32 x) {
    entity_place(&s->stage, s->walker, (Vec3){x, 0, 0.6f}, (Quat){0, 0, 0, 1}, 0.4f);
    ent_transform_update(s->stage.world);
    assert_int_equal(test_system_frame(ent_meshes_system(), s->stage.meshes, gpu_for_test()),
                     ENT_OK);
    assert_int_equal(ent_picture_draw(s->stage.canvas, &s->parts, &s->stage.view), ENT_OK);
    return pixels_of(&s->stage);
}

/* The square moves before the water, beside it, and stands at the end. */
static void kept_maps_of_standing_water_are_those_of_new_ones(void** state) {
    static const f32 x[] = {2.4f, 2.2f, 1.5f, 0.4f, -0.6f, -0.6f, -0.6f};
    Scene            s;
    u8*              last = NULL;
    u32              changed = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&s);
    for (u32 i = 0; i < COUNT_OF(x); i++) {
        Scene anew;
        u8*   kept = scene_drawn(&s, x[i]);
        scene_open(&anew);
        u8* expected = scene_drawn(&anew, x[i]);
        assert_memory_equal(kept, expected, WIDTH * HEIGHT * 4);
        changed += last && memcmp(kept, last, WIDTH * HEIGHT * 4) != 0;
        free(last);
        free(expected);
        last = kept;
        scene_close(&anew);
    }
    assert_int_equal(changed, 4);
    free(last);
    scene_close(&s);
}

TEST_SUITE(water_meets) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_beside_a_wall_sees_as_much_of_the_sky_as_a_floor),
        cmocka_unit_test(decals_color_the_surface_of_water),
        cmocka_unit_test(kept_maps_of_standing_water_are_those_of_new_ones)};
    return gpu_suite_end(TEST_RUN("water_meets", tests));
}
