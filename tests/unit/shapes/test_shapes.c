/* test_shapes.c - spheres, discs and planes: they cover the correct samples, near ones hide far ones, by kernels and
 * rasterised alike, and colours equal those of a sum in double precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "lit_oracle.h"
#include "rows.h"
#include "shapes_internal.h"
#include "shapes_stage.h"
#include "test_gpu_support.h"

enum { WIDE = 320, HIGH = 200 };

static const Vec3 lamp = {0.48f, 0.64f, 0.6f}, lamp_color = {1, 0.9f, 0.8f};

static CanvasView view_of(CameraKind kind) {
    return (CanvasView){.camera = {.kind = kind,
                                   .vertical_fov_rad = 0.9f,
                                   .height_m = 8,
                                   .near_m = 0.1f,
                                   .far_m = kind == CAMERA_ORTHOGRAPHIC ? 100 : 0},
                        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 10}}},
                        .light = lamp,
                        .light_color = lamp_color,
                        .reach_m = 10,
                        .grid_m = 1};
}

static const EntShapesLook plain = {.color = {0.8f, 0.3f, 0.2f}, .roughness = 0.5f};

/* Spheres of a draw whose samples kernels find. */
static u32 splat_min = SHAPES_SPLAT_MIN;

static void stage_open(ShapesStage* stage, u32 samples) {
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = samples};
    assert_int_equal(shapes_stage_open(stage, gpu_for_test(), &desc), ENT_OK);
    ((Shapes*)shapes_stage_shapes(stage))->splat_min = splat_min;
}

/* A picture of what was added, which is removed. */
static u32* drawn(ShapesStage* stage, const CanvasView* view) {
    u32* pixels = malloc(WIDE * HIGH * 4);
    assert_int_equal(ent_picture_draw(stage->canvas, &stage->parts, view), ENT_OK);
    assert_int_equal(ent_canvas_read(stage->canvas, (u8*)pixels), ENT_OK);
    ent_shapes_clear(shapes_stage_shapes(stage));
    return pixels;
}

/* The rasterised numbers of the samples, without their second words. */
static u32* ids_of(Canvas* canvas) {
    const u32 width = canvas->raster.width, height = canvas->raster.height;
    u32* ids = test_image_read(canvas->gpu, &canvas->raster.id, VK_IMAGE_ASPECT_COLOR_BIT, width,
                               height, 8);
    for (u64 i = 0; i < (u64)width * height; i++) ids[i] = ids[i * 2];
    return ids;
}

static u32 count_of(const u32* ids, u32 which) {
    u32 count = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) count += ids[i] == which;
    return count;
}

static void spheres_add(ShapesStage* stage, const Vec3* position, const Vec3* velocity, u32 count) {
    const EntShapesSpheres s = {.count = count,
                                .position = position,
                                .velocity = velocity,
                                .radius_m = 1,
                                .speed_max_m_s = 4,
                                .look = plain};
    assert_int_equal(ent_shapes_spheres(shapes_stage_shapes(stage), &s), ENT_OK);
}

/* --- colours --- */

static u32 srgb_of(f64 linear) {
    const f64 c = fmin(linear, 1);
    return (u32)lrint(255 * (c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055));
}

static Vec mix(Vec a, Vec b, f64 t) { return add(times(a, 1 - t), times(b, t)); }

static Vec speed_color(f64 share) {
    const Vec slow = vec(0.010, 0.070, 0.330), middle = vec(0.030, 0.480, 0.700);
    const f64 x = fmin(share, 1) * 2;
    return x < 1 ? mix(slow, middle, x) : mix(middle, vec(0.95, 0.95, 0.95), x - 1);
}

/* In a world without lights: the light of the view, and the sky. */
static Vec lit_by_view(const EntShapesLook* look, Vec n, Vec to_eye) {
    const Vec color = of(look->color);
    const f64 metallic = (f64)look->metallic, rough = (f64)look->roughness;
    const Vec direct = mul(of(lamp_color), reflected(color, metallic, rough, n, to_eye, of(lamp)));
    return add(
        add(times(direct, 3.14159265358979 * 0.9), around(color, metallic, rough, n, to_eye)),
        of(look->emissive));
}

static void color_is(const u32* pixels, u32 at, Vec wanted) {
    const u32 want[3] = {srgb_of(wanted.x), srgb_of(wanted.y), srgb_of(wanted.z)};
    for (u32 c = 0; c < 3; c++) {
        const u32 is = ((const u8*)&pixels[at])[c];
        if (is + 2 < want[c] || is > want[c] + 2)
            fail_msg("pixel %u %u, channel %u: %u, not %u", at % WIDE, at / WIDE, c, is, want[c]);
    }
    assert_int_equal(((const u8*)&pixels[at])[3], 255);
}

/* --- lights --- */

static void sun_add(ShapesStage* stage) {
    const LightRecord sun = {
        .kind = LIGHT_DIRECTIONAL, .color = {1, 0.9f, 0.8f}, .intensity = 2, .casts_shadow = true};
    assert_int_equal(
        shapes_stage_light(stage, &sun, (Vec3){0, 0, 0}, (Quat){-0.3827f, 0, 0, 0.9239f}), ENT_OK);
}

/* --- spheres --- */

/* The outline of a sphere in front of the camera is a circle, as large as its tangent cone. */
static void sphere_in_front_of_camera_covers_area_of_its_outline(void** state) {
    UNUSED(state);
    ShapesStage stage;
    stage_open(&stage, 1);
    const Vec3 at = {0, 0, 0};
    for (u32 kind = CAMERA_PERSPECTIVE; kind <= CAMERA_ORTHOGRAPHIC; kind++) {
        const CanvasView view = view_of((CameraKind)kind);
        const f64        radius =
            kind == CAMERA_ORTHOGRAPHIC ? HIGH / 8.0 : tan(asin(0.1)) / tan(0.45) * HIGH / 2;
        spheres_add(&stage, &at, NULL, 1);
        free(drawn(&stage, &view));
        u32*      ids = ids_of(stage.canvas);
        const f64 area = radius * radius * 3.14159265358979;
        if (fabs(count_of(ids, 1) - area) > radius) /* a sixth of the pixels on the outline */
            fail_msg("%u samples, not %.1f", count_of(ids, 1), area);
        assert_int_equal(count_of(ids, 0) + count_of(ids, 1), WIDE * HIGH);
        for (u32 i = 0; i < WIDE * HIGH; i++) {
            const f64 x = i % WIDE + 0.5 - WIDE / 2, y = i / WIDE + 0.5 - HIGH / 2;
            if (fabs(sqrt(x * x + y * y) - radius) > 0.01)
                assert_int_equal(ids[i], x * x + y * y < radius * radius);
        }
        free(ids);
    }
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* Also off the axis, where the outline is an ellipse: the ray of each sample decides whether it
 * hits. */
static void sphere_off_axis_covers_exactly_the_samples_of_its_rays(void** state) {
    UNUSED(state);
    ShapesStage stage;
    stage_open(&stage, 1);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       at = {5, 2.5f, 2};
    const f64        high = tan(0.45), wide = high * WIDE / HIGH;
    u32              off = 0, met = 0;
    spheres_add(&stage, &at, NULL, 1);
    free(drawn(&stage, &view));
    u32* ids = ids_of(stage.canvas);
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const f64 x = ((i % WIDE + 0.5) / WIDE * 2 - 1) * wide;
        const f64 y = (1 - (i / WIDE + 0.5) / HIGH * 2) * high;
        const f64 along = (x * at.x + y * at.y + 8) / sqrt(x * x + y * y + 1);
        const f64 far2 = at.x * at.x + at.y * at.y + 64.0 - along * along;
        met += far2 < 1;
        if (fabs(far2 - 1) > 1e-4) off += ids[i] != (far2 < 1);
    }
    assert_true(met > 500);
    assert_int_equal(off, 0);
    free(ids);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* In whatever order they are drawn, and in whichever draw call. */
static void near_sphere_drawn_in_any_order_hides_far_sphere(void** state) {
    UNUSED(state);
    ShapesStage stage;
    stage_open(&stage, 1);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       place[] = {{0, 0, 3}, {0.3f, 0, 0}, {0.5f, 0, -4}};
    for (u32 nearest = 0; nearest < 3; nearest++) {
        const u32 middle = HIGH / 2 * WIDE + WIDE / 2;
        Vec3      at[3];
        for (u32 i = 0; i < 3; i++) at[(i + nearest) % 3] = place[i];
        spheres_add(&stage, at, NULL, 1);
        spheres_add(&stage, at + 1, NULL, 2);
        free(drawn(&stage, &view));
        u32* ids = ids_of(stage.canvas);
        assert_int_equal(ids[middle], nearest + 1);
        free(ids);
    }
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* Where the camera looks along -z, the normal of a sphere follows from the place of a sample. */
static void spheres_have_colours(bool shows_speed) {
    ShapesStage stage;
    CanvasView  view = view_of(CAMERA_ORTHOGRAPHIC);
    const Vec3  at[] = {{-4, 0, 0}, {0, 0, 0}, {4, 0, 0}};
    const Vec3  velocity[] = {{0, 0, 0}, {0, -1.2f, 1.6f}, {9, 0, 0}};
    const f64   speed[] = {0, 2, 9};
    view.shows = shows_speed ? ENT_CANVAS_SHOWS_SPEED : ENT_CANVAS_SHOWS_LIT;
    stage_open(&stage, 1);
    spheres_add(&stage, at, velocity, 3);
    u32* pixels = drawn(&stage, &view);
    for (u32 i = 0; i < 3; i++) {
        for (u32 k = 0; k < 3; k++) { /* 25 pixels are a metre */
            const u32 x = (u32)(WIDE / 2 + at[i].x * 25) + k * 7, y = HIGH / 2 - k * 5;
            const f64 u = k * 0.28 + 0.02, v = k * 0.2 - 0.02;
            const Vec n = vec(u, v, sqrt(1 - u * u - v * v)), to_eye = vec(0, 0, 1);
            color_is(pixels, y * WIDE + x,
                     shows_speed ? times(speed_color(speed[i] / 4), 0.5 + 0.5 * n.z)
                                 : lit_by_view(&plain, n, to_eye));
        }
    }
    free(pixels);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

static void sphere_has_colour_of_its_light_and_in_that_view_of_its_speed(void** state) {
    UNUSED(state);
    spheres_have_colours(false);
    spheres_have_colours(true);
}

/* --- many spheres --- */

static void spheres_whose_samples_kernels_find_pass_the_same_tests(void** state) {
    splat_min = 1;
    sphere_in_front_of_camera_covers_area_of_its_outline(state);
    sphere_off_axis_covers_exactly_the_samples_of_its_rays(state);
    near_sphere_drawn_in_any_order_hides_far_sphere(state);
    sphere_has_colour_of_its_light_and_in_that_view_of_its_speed(state);
    splat_min = SHAPES_SPLAT_MIN;
}

static f32 random_between(f32 low, f32 high, u32* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (f32)(*seed >> 8) / 16777216.0f;
}

enum { MANY = 3000, LARGE = 40 };

/* Around the camera and behind it, small ones and such that cover much of the picture, equal ones, and
 * a disc between them. */
static void many_add(void* shapes) {
    static Vec3          at[MANY], velocity[MANY];
    const Vec4           disc[] = {{0, 0, 3, 0.5f}};
    const EntShapesDiscs discs = {.count = 1,
                                  .disc = disc,
                                  .pose = {{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 4}}},
                                  .look = plain};
    u32                  seed = 5;
    for (u32 i = 0; i < MANY; i++) {
        at[i] = (Vec3){random_between(-9, 9, &seed), random_between(-6, 6, &seed),
                       random_between(-30, 14, &seed)};
        velocity[i] = (Vec3){random_between(0, 4, &seed), 0, 0};
        if (i % 7 == 1) at[i] = at[i - 1];
    }
    const EntShapesSpheres small = {MANY - LARGE, at, velocity, 0.1f, 4, plain},
                           large = {LARGE, at + MANY - LARGE, velocity, 1.5f, 4, plain};
    assert_int_equal(ent_shapes_spheres(shapes, &small), ENT_OK);
    assert_int_equal(ent_shapes_discs(shapes, &discs), ENT_OK);
    assert_int_equal(ent_shapes_spheres(shapes, &large), ENT_OK);
}

/* The numbers of samples, and pixels, of a picture by kernels or by rasterising. */
static u32* many_drawn(CameraKind kind, u32 min, u32** pixels) {
    ShapesStage stage;
    splat_min = min;
    stage_open(&stage, 1);
    const CanvasView view = view_of(kind);
    splat_min = SHAPES_SPLAT_MIN;
    many_add(shapes_stage_shapes(&stage));
    *pixels = drawn(&stage, &view);
    u32* ids = ids_of(stage.canvas);
    shapes_stage_close(&stage);
    return ids;
}

/* All samples except some on outlines are the same; the picture is the same each time. With a limit
 * between the counts of both draws, one is drawn in each way. */
static void picture_of_spheres_by_kernels_is_that_of_rasterised_ones(void** state) {
    UNUSED(state);
    for (u32 kind = CAMERA_PERSPECTIVE; kind <= CAMERA_ORTHOGRAPHIC; kind++) {
        u32 *raster_pixels, *raster = many_drawn((CameraKind)kind, UINT32_MAX, &raster_pixels);
        u32  first_drawn = 0, large_drawn = 0;
        for (u32 min = 1; min <= LARGE + 1; min += LARGE) {
            u32 *pixels[2], *ids[2], other = 0;
            for (u32 i = 0; i < 2; i++) ids[i] = many_drawn((CameraKind)kind, min, &pixels[i]);
            assert_memory_equal(ids[0], ids[1], WIDE * HIGH * 4);
            assert_memory_equal(pixels[0], pixels[1], WIDE * HIGH * 4);
            for (u32 i = 0; i < WIDE * HIGH; i++) {
                other += ids[0][i] != raster[i];
                first_drawn += ids[0][i] > 0 && ids[0][i] <= MANY - LARGE;
                large_drawn += ids[0][i] > MANY - LARGE + 1;
                if (ids[0][i] != raster[i]) continue;
                for (u32 c = 0; c < 3; c++)
                    assert_true(abs(((u8*)&pixels[0][i])[c] - ((u8*)&raster_pixels[i])[c]) <= 2);
            }
            if (other > WIDE * HIGH / 2000) fail_msg("camera %u: %u samples differ", kind, other);
            for (u32 i = 0; i < 2; i++) free(ids[i]), free(pixels[i]);
        }
        assert_true(first_drawn > 2000 && large_drawn > 2000);
        free(raster), free(raster_pixels);
    }
    test_gpu_silent();
}

/* --- discs --- */

static void disc_has_round_outline_and_lit_colour_and_glows_by_heat(void** state) {
    UNUSED(state);
    ShapesStage          stage;
    const CanvasView     view = view_of(CAMERA_ORTHOGRAPHIC);
    const Vec4           disc[] = {{-1, 0.5f, 1, 0}, {1.5f, -0.5f, 0.5f, 1}};
    const EntShapesDiscs discs = {.count = 2,
                                  .disc = disc,
                                  .pose = {{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 1}}},
                                  .look = {.color = {0.2f, 0.6f, 0.1f}, .roughness = 1}};
    const EntShapesLook  hot = {.emissive = {1, 0.22f, 0.03f}, .roughness = 1};
    const Vec3           ball = {-2, 1, 3.5f};
    const Vec            front = vec(0, 0, 1);
    stage_open(&stage, 1);
    spheres_add(&stage, &ball, NULL, 1);
    assert_int_equal(ent_shapes_discs(shapes_stage_shapes(&stage), &discs), ENT_OK);
    u32* pixels = drawn(&stage, &view);
    u32* ids = ids_of(stage.canvas);
    for (u32 i = 0; i < 2; i++) {
        const f64 radius = (f64)disc[i].z * 2 * 25, area = radius * radius * 3.14159265358979;
        const f64 hidden = i == 0 ? 25.0 * 25 * 3.14159265358979 : 0;
        if (fabs(count_of(ids, i + 2) - (area - hidden)) > radius)
            fail_msg("%u samples, not %.1f", count_of(ids, i + 2), area - hidden);
    }
    const u32 half = (HIGH / 2 - 25) * WIDE + WIDE / 2 - 50 + 37;
    assert_int_equal(ids[half], 2);
    color_is(pixels, half, lit_by_view(&discs.look, front, front));
    color_is(pixels, (HIGH / 2 + 25) * WIDE + WIDE / 2 + 75, lit_by_view(&hot, front, front));
    free(ids);
    free(pixels);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* --- planes, samples, sizes --- */

/* A floor hides what is below it and is visible only from above; an object on it hides it. */
static void plane_is_visible_only_from_its_front_side(void** state) {
    UNUSED(state);
    ShapesStage stage;
    stage_open(&stage, 1);
    CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec4 floor = {0, 0.8f, 0.6f, 0}, roof = {0, -0.8f, -0.6f, 0};
    const Vec3 at[] = {{0, 0, 0}, {3, -0.8f, -0.6f}};
    u32*       nothing = drawn(&stage, &view);
    view.plane = &floor;
    view.plane_count = 1;
    u32* empty = drawn(&stage, &view);
    view.plane = &roof;
    u32* behind = drawn(&stage, &view);
    assert_memory_equal(behind, nothing, WIDE * HIGH * 4);
    view.plane = &floor;
    spheres_add(&stage, at, NULL, 2);
    u32* both = drawn(&stage, &view);
    u32* ids = ids_of(stage.canvas);
    u32  changed = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        changed += empty[i] != behind[i];
        if (ids[i] != 1) assert_int_equal(both[i], empty[i]);
    }
    assert_true(changed > WIDE * HIGH / 4);
    assert_true(count_of(ids, 1) > 100);
    assert_int_equal(count_of(ids, 2), 0); /* it is below the floor */
    assert_int_not_equal(both[(HIGH / 2 - 8) * WIDE + WIDE / 2],
                         empty[(HIGH / 2 - 8) * WIDE + WIDE / 2]);
    free(nothing), free(empty), free(behind), free(both), free(ids);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* A floor is drawn only where no wall limits it, even a wall that is not visible itself. */
static void floor_plane_ends_at_intersecting_wall_plane(void** state) {
    UNUSED(state);
    ShapesStage stage;
    stage_open(&stage, 1);
    CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec4 planes[] = {{0, 1, 0, -2}, {1, 0, 0, 1}};
    u32*       nothing = drawn(&stage, &view);
    view.plane = planes;
    view.plane_count = 1;
    u32* floor = drawn(&stage, &view);
    view.plane_count = 2;
    u32*      both = drawn(&stage, &view);
    const f64 high = tan(0.45);
    u32       left = 0, right = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const f64 down = -(1 - (i / WIDE + 0.5) / HIGH * 2) * high;
        const f64 x = ((i % WIDE + 0.5) / WIDE * 2 - 1) * high * WIDE / HIGH * 2 / down;
        if (floor[i] == nothing[i] || fabs(x - 1) < 0.01) continue;
        assert_int_equal(both[i], x > 1 ? floor[i] : nothing[i]);
        left += x<1, right += x> 1;
    }
    assert_true(left > 1000 && right > 1000);
    free(nothing), free(floor), free(both);
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* Where all samples of a pixel hit the same sphere, the colour hardly changes; on an outline it is
 * a mixture. Two equal draws give equal pixels. */
static void pixel_with_multiple_samples_has_their_average_colour(void** state) {
    UNUSED(state);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       at = {0, 0, 0};
    ShapesStage      one, four;
    stage_open(&one, 1);
    stage_open(&four, 4);
    spheres_add(&one, &at, NULL, 1);
    u32* coarse = drawn(&one, &view);
    u32* fine[2];
    for (u32 i = 0; i < 2; i++) {
        spheres_add(&four, &at, NULL, 1);
        fine[i] = drawn(&four, &view);
    }
    u32* ids = ids_of(one.canvas);
    u32  other = 0;
    assert_memory_equal(fine[0], fine[1], WIDE * HIGH * 4);
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        u32 apart = 0;
        for (u32 c = 0; c < 3; c++) apart += (u32)abs(((u8*)&coarse[i])[c] - ((u8*)&fine[0][i])[c]);
        other += apart > 24;
    }
    assert_in_range(other, 20, 200);
    free(coarse), free(fine[0]), free(fine[1]), free(ids);
    shapes_stage_close(&one);
    shapes_stage_close(&four);
    test_gpu_silent();
}

static void draws_beyond_the_limit_are_refused(void** state) {
    UNUSED(state);
    ShapesStage            stage;
    const Vec3             at = {0, 0, 0};
    const EntShapesSpheres another = {.count = 1, .position = &at};
    stage_open(&stage, 1);
    for (u32 i = 0; i < SHAPES_DRAWS_MAX; i++) spheres_add(&stage, &at, NULL, 1);
    assert_int_equal(ent_shapes_spheres(shapes_stage_shapes(&stage), &another), ENT_LIMIT);
    assert_non_null(strstr(test_gpu_message(), "64 draws"));
    shapes_stage_close(&stage);
    test_gpu_silent();
}

/* One picture with a shadow, in which the n-th call fails. */
static ent_status draw_once(u32 fault_call, VkResult fault, bool* reached) {
    Gpu*             gpu;
    ShapesStage      stage = {0};
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const CanvasDesc desc = {.width = 16, .height = 16, .times = GPU_TIMES_LIST};
    const Vec3       at = {0, 0, 0};
    u8               pixels[16 * 16 * 4];
    ent_status       status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    status = shapes_stage_open(&stage, gpu, &desc);
    if (status == ENT_OK) {
        Shapes* const shapes = shapes_stage_shapes(&stage);
        shapes->splat_min = 1;
        sun_add(&stage);
        status = ent_shapes_spheres(shapes, &(EntShapesSpheres){1, &at, NULL, 1, 1, plain});
        if (status == ENT_OK) status = ent_picture_draw(stage.canvas, &stage.parts, &view);
        if (status == ENT_OK) status = ent_canvas_read(stage.canvas, pixels);
        shapes_stage_close(&stage);
    }
    *reached = gpu->calls >= fault_call;
    assert_int_equal(ent_gpu_bytes(gpu), before);
    if (ent_gpu_validation_count(gpu)) fail_msg("call %u: %s", fault_call, test_gpu_message());
    ent_gpu_destroy(gpu);
    return status;
}

static void shapes_with_any_failing_vulkan_call_return_status(void** state) {
    UNUSED(state);
    bool reached = true;
    u32  call = 12; /* after the calls that open a device, which test_gpu.c tests */
    gpu_for_test();
    for (; call < 1000; call += getenv("TEST_FULL") ? 1 : SANITIZED ? 41 : 13) {
        const ent_status status = draw_once(call, VK_ERROR_OUT_OF_DEVICE_MEMORY, &reached);
        if (!reached) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_non_null(strstr(test_gpu_message(), "Vulkan: "));
    }
    assert_true(call > 40 && call < 1000);
}

static void values_of_a_draw_are_passed_to_its_pipeline(void** state) {
    Shapes           shapes = {.draw_count = 3};
    const GpuPicture picture = {.id_first = 100};
    ShapeDraw* const draw = &shapes.draw[2];
    UNUSED(state);
    shapes.draw[0].count = 5, shapes.draw[1].count = 7;
    for (u32 i = 0; i < 12; i++) draw->pose.m[i / 4][i % 4] = (f32)i + 1;
    draw->look = (EntShapesLook){{13, 14, 15}, 21, 22, {23, 24, 25}};
    draw->radius_m = 16, draw->speed_max_m_s = 17, draw->word = 18, draw->count = 19;
    const ShapesPush push = shapes_push(&shapes, &picture, 2);
    const f32        pose[] = {push.pose_x.x, push.pose_x.y, push.pose_x.z, push.pose_x.w,
                               push.pose_y.x, push.pose_y.y, push.pose_y.z, push.pose_y.w,
                               push.pose_z.x, push.pose_z.y, push.pose_z.z, push.pose_z.w};
    assert_memory_equal(pose, &draw->pose, sizeof pose);
    assert_memory_equal(&push.color, &draw->look.color, sizeof push.color);
    assert_memory_equal(&push.emissive, &draw->look.emissive, sizeof push.emissive);
    assert_true(push.radius_m == 16 && push.speed_max_m_s == 17);
    assert_true(push.roughness == 21 && push.metallic == 22);
    assert_int_equal(push.word, 18);
    assert_int_equal(push.count, 19);
    assert_int_equal(push.id_first, 112);
    assert_int_equal(push.draw, 2);
}

TEST_SUITE(shapes) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_draw_are_passed_to_its_pipeline),
        cmocka_unit_test(sphere_in_front_of_camera_covers_area_of_its_outline),
        cmocka_unit_test(sphere_off_axis_covers_exactly_the_samples_of_its_rays),
        cmocka_unit_test(near_sphere_drawn_in_any_order_hides_far_sphere),
        cmocka_unit_test(sphere_has_colour_of_its_light_and_in_that_view_of_its_speed),
        cmocka_unit_test(spheres_whose_samples_kernels_find_pass_the_same_tests),
        cmocka_unit_test(picture_of_spheres_by_kernels_is_that_of_rasterised_ones),
        cmocka_unit_test(disc_has_round_outline_and_lit_colour_and_glows_by_heat),
        cmocka_unit_test(plane_is_visible_only_from_its_front_side),
        cmocka_unit_test(floor_plane_ends_at_intersecting_wall_plane),
        cmocka_unit_test(pixel_with_multiple_samples_has_their_average_colour),
        cmocka_unit_test(draws_beyond_the_limit_are_refused),
        cmocka_unit_test(shapes_with_any_failing_vulkan_call_return_status),
    };
    return gpu_suite_end(TEST_RUN("shapes", tests));
}
