/* test_cookies.c - the textures of lights: what a light with one adds to a surface is that of the same light without it, times the
 * texture, which is read in double precision: on a wall, a ball and a blended pane. */
#include "test_panels.h"

#include "shapes.h"

enum { SIDE_TEXELS = 32, LIGHTS = 6 };

typedef struct Scene {
    Stage    stage;
    void*    shapes;
    GpuPart  part[3];
    GpuParts parts;
    Entity   light;
    Mat34    pose; /* of the light */
} Scene;

static const Vec3 ball_at = {0, -0.9f, 0.4f};
static const f32  ball_radius = 0.5f;

static void scene_open(Scene* s) {
    GpuProblem problem = {0};
    GpuScene   scene = {0};
    u32        row;
    *s = (Scene){0};
    thin_open(&s->stage);
    thin_add(&s->stage, 7, (Vec3){-1.2f, 0, -1}, (Quat){0, 0, 0, 1}, 1.1f); /* opaque */
    thin_add(&s->stage, 6, (Vec3){1.2f, 0, 0}, (Quat){0, 0, 0, 1}, 1);
    s->light = entity_add(&s->stage, "light", &row);
    scene.lighting = s->stage.meshes->lighting;
    scene.world = s->stage.world;
    assert_int_equal(ent_shapes_system()->create(&s->shapes, gpu_for_test(), &scene, &problem),
                     ENT_OK);
    const EntShapesSpheres ball = {.count = 1,
                                   .position = &ball_at,
                                   .radius_m = ball_radius,
                                   .look = {.color = {0.8f, 0.8f, 0.8f}, .roughness = 1}};
    assert_int_equal(ent_shapes_spheres(s->shapes, &ball), ENT_OK);
    s->part[0] = (GpuPart){ent_lighting_system(), s->stage.meshes->lighting};
    s->part[1] = (GpuPart){ent_meshes_system(), s->stage.meshes};
    s->part[2] = (GpuPart){ent_shapes_system(), s->shapes};
    s->parts = (GpuParts){s->part, 3};
    s->stage.view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.7f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}}},
        .exposure = 1,
        .dimmed = 1,
        .has_sky = 1};
}

static void scene_close(Scene* s) {
    ent_shapes_system()->destroy(s->shapes);
    stage_close(&s->stage);
}

static u16* scene_drawn(Scene* s, LightKind kind, const TransformRecord* pose, bool has_cookie) {
    u16*              colors = malloc(WIDTH * HEIGHT * 4 * sizeof *colors);
    const LightRecord light = {.kind = kind,
                               .color = {1, 1, 1},
                               .intensity = 20,
                               .range_m = 100,
                               .inner_angle_rad = 0.7f,
                               .outer_angle_rad = 0.8f,
                               .cookie = has_cookie ? ent_resource_ref("ramp", RESOURCE_TEXTURE)
                                                    : (ResourceRef){0, 0}};
    ent_transform_set_local(s->stage.world, ent_transform_row(s->stage.world, s->light), pose);
    const LightRows rows = ent_light_rows(s->stage.world);
    for (u32 i = 0; i < rows.count; i++) {
        if (rows.entity[i] != s->light) continue;
        rows.record[i] = light;
        ent_manager_changed(ent_world_built_in(s->stage.world, COMPONENT_LIGHT), &i, 1);
    }
    ent_transform_update(s->stage.world);
    s->pose = *ent_transform_world(s->stage.world, s->light);
    s->stage.eye = canvas_eye(&s->stage.view, WIDTH, HEIGHT, 1);
    assert_int_equal(test_system_frame(ent_meshes_system(), s->stage.meshes, gpu_for_test()),
                     ENT_OK);
    assert_int_equal(ent_picture_draw(s->stage.canvas, &s->parts, &s->stage.view), ENT_OK);
    assert_int_equal(gpu_download(gpu_for_test(), &s->stage.canvas->color, 0, colors,
                                  WIDTH * HEIGHT * 4 * sizeof *colors),
                     ENT_OK);
    return colors;
}

/* --- in double precision --- */

/* The point that a sample shows; false: none, or rounding decides. */
static bool point_at(u32 i, Vec* at) {
    const f64 t = tan((f64)0.35f), x = ((i % WIDTH + 0.5) / WIDTH * 2 - 1) * t * WIDTH / HEIGHT,
              y = (1 - (i / WIDTH + 0.5) / HEIGHT * 2) * t;
    const Vec ray = vec(x, y, -1), eye = vec(0, 0, 5), to = add(of(ball_at), times(eye, -1));
    const f64 along = dot(to, ray) / dot(ray, ray), r = (f64)ball_radius;
    const Vec off = add(to, times(ray, -along));
    const f64 half2 = (r * r - dot(off, off)) / dot(ray, ray);
    if (half2 > 0.01) {
        *at = add(eye, times(ray, along - sqrt(half2)));
        return true;
    }
    if (half2 > -0.01) return false;
    const Vec pane = add(eye, times(ray, 5)), wall = add(eye, times(ray, 6));
    if (fabs(pane.x - 1.2) < 0.97 && fabs(pane.y) < 0.97) {
        *at = pane;
        return wall.x > 0;
    }
    *at = wall;
    return fabs(wall.x + 1.2) < 1.05 && fabs(wall.y) < 1.05 && fabs(pane.x - 1.2) > 1.03;
}

static f64 texel_at(i32 x, i32 y, u32 channel) {
    x = (x % SIDE_TEXELS + SIDE_TEXELS) % SIDE_TEXELS; /* it repeats */
    y = (y % SIDE_TEXELS + SIDE_TEXELS) % SIDE_TEXELS;
    return (channel == 0 ? 8 * x : channel == 1 ? 255 - 8 * y : 128 + 4 * abs(x - 16)) / 255.0;
}

static f64 cookie_at(const Scene* s, LightKind kind, Vec at, u32 channel) {
    const f64 pi = 3.14159265358979;
    const Vec v =
        add(at, times(vec((f64)s->pose.m[0][3], (f64)s->pose.m[1][3], (f64)s->pose.m[2][3]), -1));
    const Vec n = unit(
        vec(dot(v, column(&s->pose, 0)), dot(v, column(&s->pose, 1)), dot(v, column(&s->pose, 2))));
    const f64 wide = tan((f64)0.8f);
    const f64 u =
        kind == LIGHT_SPOT ? n.x / -n.z / wide * 0.5 + 0.5 : atan2(n.x, -n.z) / (2 * pi) + 0.5;
    const f64 w = kind == LIGHT_SPOT ? 0.5 - n.y / -n.z / wide * 0.5 : acos(n.y) / pi;
    const f64 x = u * SIDE_TEXELS - 0.5, y = w * SIDE_TEXELS - 0.5, fx = x - floor(x),
              fy = y - floor(y);
    const i32 ix = (i32)floor(x), iy = (i32)floor(y);
    return (texel_at(ix, iy, channel) * (1 - fx) + texel_at(ix + 1, iy, channel) * fx) * (1 - fy) +
           (texel_at(ix, iy + 1, channel) * (1 - fx) + texel_at(ix + 1, iy + 1, channel) * fx) * fy;
}

static u32 picture_compare(const Scene* s, LightKind kind, const u16* plain, const u16* colored) {
    u32 compared = 0;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        Vec at;
        if (!point_at(i, &at)) continue;
        for (u32 c = 0; c < 3; c++) {
            const f64 before = half_of(plain[i * 4 + c]), found = half_of(colored[i * 4 + c]);
            const f64 expected = before * cookie_at(s, kind, at, c);
            if (fabs(found - expected) > before * 2 / 255 + 1e-4)
                fail_msg("kind %u, sample %u %u, channel %u: %g, not %g of %g", kind, i % WIDTH,
                         i / WIDTH, c, found, expected, before);
            compared += before > 0.003;
        }
    }
    return compared;
}

static void lights_are_multiplied_by_their_cookies(void** state) {
    Random random = {17};
    Scene  s;
    u32    compared = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&s);
    for (u32 i = 0; i < LIGHTS * 2; i++) {
        const LightKind       kind = i % 2 ? LIGHT_SPOT : LIGHT_POINT;
        const Vec3            at = {random_float(&random, -1, 1), random_float(&random, -1, 1),
                                    random_float(&random, 1.5f, 3)};
        const TransformRecord pose = {
            at, turn_random(&random, kind == LIGHT_SPOT ? 0.3f : 3), {1, 1, 1}};
        u16* plain = scene_drawn(&s, kind, &pose, false);
        u16* colored = scene_drawn(&s, kind, &pose, true);
        compared += picture_compare(&s, kind, plain, colored);
        free(plain), free(colored);
    }
    print_message("%u values were compared\n", compared);
    assert_true(compared > 20000);
    scene_close(&s);
}

TEST_SUITE(cookies) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lights_are_multiplied_by_their_cookies)};
    return gpu_suite_end(TEST_RUN("cookies", tests));
}
