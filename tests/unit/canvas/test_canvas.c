/* test_canvas.c - pictures: a sphere covers the correct pixels, near objects hide far ones, colours
 * equal those of a reference in C, and PNG files are read back. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "picture.h"
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

/* Spheres of a draw whose samples kernels find. */
static u32 splat_min = CANVAS_SPLAT_MIN;

static Canvas* canvas_for_test(u32 samples) {
    Canvas*          canvas;
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = samples};
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    canvas->splat_min = splat_min;
    return canvas;
}

static u32* drawn(Canvas* canvas, const CanvasView* view) {
    u32* pixels = malloc(WIDE * HIGH * 4);
    assert_int_equal(ent_picture_draw(canvas, NULL, view), ENT_OK);
    assert_int_equal(ent_canvas_read(canvas, (u8*)pixels), ENT_OK);
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

static void spheres_add(Canvas* canvas, const Vec3* position, const Vec3* velocity, u32 count) {
    const CanvasSpheres s = {.count = count,
                             .position = position,
                             .velocity = velocity,
                             .radius_m = 1,
                             .speed_max_m_s = 4};
    assert_int_equal(ent_canvas_spheres(canvas, &s), ENT_OK);
}

/* --- a reference implementation of the colours --- */

static Vec3 mix(Vec3 a, Vec3 b, f32 t) {
    return (Vec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}
static f32 dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static u32 srgb_of(f32 linear) {
    const f32 c = MIN_OF(linear, 1.0f);
    const f32 s = c <= 0.0031308f ? c * 12.92f : 1.055f * powf(c, 1 / 2.4f) - 0.055f;
    return (u32)lrintf(s * 255);
}

static Vec3 speed_color(f32 share) {
    const Vec3 slow = {0.010f, 0.070f, 0.330f}, middle = {0.030f, 0.480f, 0.700f};
    const Vec3 white = {0.95f, 0.95f, 0.95f};
    const f32  x = MIN_OF(share, 1.0f) * 2;
    return x < 1 ? mix(slow, middle, x) : mix(middle, white, x - 1);
}

static Vec3 lit(Vec3 color, Vec3 n, Vec3 to_eye) {
    const Vec3 sky = mix((Vec3){0.10f, 0.10f, 0.11f}, (Vec3){0.38f, 0.43f, 0.52f}, n.y / 2 + 0.5f);
    const Vec3 between = {lamp.x + to_eye.x, lamp.y + to_eye.y, lamp.z + to_eye.z};
    const f32  light = MAX_OF(dot(n, lamp), 0.0f) * 0.9f;
    const f32  facing = dot(n, between) / sqrtf(dot(between, between));
    const f32  shine = powf(MAX_OF(facing, 0.0f), 40) * 0.2f;
    return (Vec3){color.x * (sky.x + lamp_color.x * light) + lamp_color.x * shine,
                  color.y * (sky.y + lamp_color.y * light) + lamp_color.y * shine,
                  color.z * (sky.z + lamp_color.z * light) + lamp_color.z * shine};
}

static void color_is(const u32* pixels, u32 at, Vec3 wanted) {
    const u32 want[3] = {srgb_of(wanted.x), srgb_of(wanted.y), srgb_of(wanted.z)};
    for (u32 c = 0; c < 3; c++) {
        const u32 is = ((const u8*)&pixels[at])[c];
        if (is + 2 < want[c] || is > want[c] + 2)
            fail_msg("pixel %u %u, channel %u: %u, not %u", at % WIDE, at / WIDE, c, is, want[c]);
    }
    assert_int_equal(((const u8*)&pixels[at])[3], 255);
}

/* --- spheres --- */

/* The outline of a sphere in front of the camera is a circle, as large as its tangent cone. */
static void sphere_in_front_of_camera_covers_area_of_its_outline(void** state) {
    UNUSED(state);
    Canvas*    canvas = canvas_for_test(1);
    const Vec3 at = {0, 0, 0};
    for (u32 kind = CAMERA_PERSPECTIVE; kind <= CAMERA_ORTHOGRAPHIC; kind++) {
        const CanvasView view = view_of((CameraKind)kind);
        const f64        radius =
            kind == CAMERA_ORTHOGRAPHIC ? HIGH / 8.0 : tan(asin(0.1)) / tan(0.45) * HIGH / 2;
        spheres_add(canvas, &at, NULL, 1);
        free(drawn(canvas, &view));
        u32*      ids = ids_of(canvas);
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
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* Also off the axis, where the outline is an ellipse: the ray of each sample decides whether it
 * hits. */
static void sphere_off_axis_covers_exactly_the_samples_of_its_rays(void** state) {
    UNUSED(state);
    Canvas*          canvas = canvas_for_test(1);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       at = {5, 2.5f, 2};
    const f64        high = tan(0.45), wide = high * WIDE / HIGH;
    u32              off = 0, met = 0;
    spheres_add(canvas, &at, NULL, 1);
    free(drawn(canvas, &view));
    u32* ids = ids_of(canvas);
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
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* In whatever order they are drawn, and in whichever draw call. */
static void near_sphere_drawn_in_any_order_hides_far_sphere(void** state) {
    UNUSED(state);
    Canvas*          canvas = canvas_for_test(1);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       place[] = {{0, 0, 3}, {0.3f, 0, 0}, {0.5f, 0, -4}};
    for (u32 nearest = 0; nearest < 3; nearest++) {
        const u32 middle = HIGH / 2 * WIDE + WIDE / 2;
        Vec3      at[3];
        for (u32 i = 0; i < 3; i++) at[(i + nearest) % 3] = place[i];
        spheres_add(canvas, at, NULL, 1);
        spheres_add(canvas, at + 1, NULL, 2);
        free(drawn(canvas, &view));
        u32* ids = ids_of(canvas);
        assert_int_equal(ids[middle], nearest + 1);
        free(ids);
    }
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

static void sphere_with_velocity_has_colour_of_its_speed(void** state) {
    UNUSED(state);
    Canvas*          canvas = canvas_for_test(1);
    const CanvasView view = view_of(CAMERA_ORTHOGRAPHIC);
    const Vec3       at[] = {{-4, 0, 0}, {0, 0, 0}, {4, 0, 0}};
    const Vec3       velocity[] = {{0, 0, 0}, {0, -1.2f, 1.6f}, {9, 0, 0}};
    spheres_add(canvas, at, velocity, 3);
    u32* pixels = drawn(canvas, &view);
    for (u32 i = 0; i < 3; i++) {
        const f32 speed = sqrtf(dot(velocity[i], velocity[i]));
        for (u32 k = 0; k < 3; k++) { /* 25 pixels are a metre */
            const u32  x = (u32)(WIDE / 2 + at[i].x * 25) + k * 7, y = HIGH / 2 - k * 5;
            const Vec3 out = {(f32)k * 0.28f + 0.02f, (f32)k * 0.2f - 0.02f, 0};
            const Vec3 n = {out.x, out.y, sqrtf(1 - dot(out, out))};
            color_is(pixels, y * WIDE + x, lit(speed_color(speed / 4), n, (Vec3){0, 0, 1}));
        }
    }
    free(pixels);
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* --- many spheres --- */

static void spheres_whose_samples_kernels_find_pass_the_same_tests(void** state) {
    splat_min = 1;
    sphere_in_front_of_camera_covers_area_of_its_outline(state);
    sphere_off_axis_covers_exactly_the_samples_of_its_rays(state);
    near_sphere_drawn_in_any_order_hides_far_sphere(state);
    sphere_with_velocity_has_colour_of_its_speed(state);
    splat_min = CANVAS_SPLAT_MIN;
}

static f32 random_between(f32 low, f32 high, u32* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (f32)(*seed >> 8) / 16777216.0f;
}

enum { MANY = 3000, LARGE = 40 };

/* Around the camera and behind it, small ones and such that cover much of the picture, equal ones, and
 * a disc between them. */
static void many_add(Canvas* canvas) {
    static Vec3       at[MANY], velocity[MANY];
    const Vec4        disc[] = {{0, 0, 3, 0.5f}};
    const CanvasDiscs discs = {.count = 1,
                               .disc = disc,
                               .pose = {{{1, 0, 0, 1}, {0, 1, 0, 0}, {0, 0, 1, 4}}},
                               .color = {0.2f, 0.6f, 0.1f}};
    u32               seed = 5;
    for (u32 i = 0; i < MANY; i++) {
        at[i] = (Vec3){random_between(-9, 9, &seed), random_between(-6, 6, &seed),
                       random_between(-30, 14, &seed)};
        velocity[i] = (Vec3){random_between(0, 4, &seed), 0, 0};
        if (i % 7 == 1) at[i] = at[i - 1];
    }
    const CanvasSpheres small = {MANY - LARGE, at, velocity, 0.1f, 4},
                        large = {LARGE, at + MANY - LARGE, velocity, 1.5f, 4};
    assert_int_equal(ent_canvas_spheres(canvas, &small), ENT_OK);
    assert_int_equal(ent_canvas_discs(canvas, &discs), ENT_OK);
    assert_int_equal(ent_canvas_spheres(canvas, &large), ENT_OK);
}

/* The numbers of samples, and pixels, of a picture by kernels or by rasterising. */
static u32* many_drawn(CameraKind kind, u32 min, u32** pixels) {
    splat_min = min;
    Canvas*          canvas = canvas_for_test(1);
    const CanvasView view = view_of(kind);
    splat_min = CANVAS_SPLAT_MIN;
    many_add(canvas);
    *pixels = drawn(canvas, &view);
    u32* ids = ids_of(canvas);
    ent_canvas_destroy(canvas);
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

static void disc_has_round_outline_and_flat_colour(void** state) {
    UNUSED(state);
    Canvas*           canvas = canvas_for_test(1);
    const CanvasView  view = view_of(CAMERA_ORTHOGRAPHIC);
    const Vec4        disc[] = {{-1, 0.5f, 1, 0}, {1.5f, -0.5f, 0.5f, 1}};
    const CanvasDiscs discs = {.count = 2,
                               .disc = disc,
                               .pose = {{{2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 1}}},
                               .color = {0.2f, 0.6f, 0.1f}};
    const Vec3        ball = {-2, 1, 3.5f};
    spheres_add(canvas, &ball, NULL, 1);
    assert_int_equal(ent_canvas_discs(canvas, &discs), ENT_OK);
    u32* pixels = drawn(canvas, &view);
    u32* ids = ids_of(canvas);
    for (u32 i = 0; i < 2; i++) {
        const f64 radius = disc[i].z * 2 * 25, area = radius * radius * 3.14159265358979;
        const f64 hidden = i == 0 ? 25.0 * 25 * 3.14159265358979 : 0;
        if (fabs(count_of(ids, i + 2) - (area - hidden)) > radius)
            fail_msg("%u samples, not %.1f", count_of(ids, i + 2), area - hidden);
    }
    /* Half way from its middle to the rim, and in the middle of the hot one. */
    const u32 half = (HIGH / 2 - 25) * WIDE + WIDE / 2 - 50 + 37;
    const f32 rim = hypotf(37.5f, 0.5f) / 50, shade = 1 - 0.55f * rim * rim;
    assert_int_equal(ids[half], 2);
    color_is(pixels, half, (Vec3){0.2f * shade, 0.6f * shade, 0.1f * shade});
    color_is(pixels, (HIGH / 2 + 25) * WIDE + WIDE / 2 + 75, (Vec3){1, 0.22f, 0.03f});
    free(ids);
    free(pixels);
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* --- planes, samples, sizes --- */

/* A floor hides what is below it and is visible only from above; an object on it hides it. */
static void plane_is_visible_only_from_its_front_side(void** state) {
    UNUSED(state);
    Canvas*    canvas = canvas_for_test(1);
    CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec4 floor = {0, 0.8f, 0.6f, 0}, roof = {0, -0.8f, -0.6f, 0};
    const Vec3 at[] = {{0, 0, 0}, {3, -0.8f, -0.6f}};
    u32*       nothing = drawn(canvas, &view);
    view.plane = &floor;
    view.plane_count = 1;
    u32* empty = drawn(canvas, &view);
    view.plane = &roof;
    u32* behind = drawn(canvas, &view);
    assert_memory_equal(behind, nothing, WIDE * HIGH * 4);
    view.plane = &floor;
    spheres_add(canvas, at, NULL, 2);
    u32* both = drawn(canvas, &view);
    u32* ids = ids_of(canvas);
    u32  changed = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        changed += empty[i] != behind[i];
        if (ids[i] != 1) assert_int_equal(both[i], empty[i]); /* the second is below the floor */
    }
    assert_true(changed > WIDE * HIGH / 4);
    assert_true(count_of(ids, 2) > 100);
    assert_int_not_equal(both[(HIGH / 2 - 8) * WIDE + WIDE / 2],
                         empty[(HIGH / 2 - 8) * WIDE + WIDE / 2]);
    free(nothing), free(empty), free(behind), free(both), free(ids);
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* A floor is drawn only where no wall limits it, even a wall that is not visible itself. */
static void floor_plane_ends_at_intersecting_wall_plane(void** state) {
    UNUSED(state);
    Canvas*    canvas = canvas_for_test(1);
    CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec4 planes[] = {{0, 1, 0, -2}, {1, 0, 0, 1}};
    u32*       nothing = drawn(canvas, &view);
    view.plane = planes;
    view.plane_count = 1;
    u32* floor = drawn(canvas, &view);
    view.plane_count = 2;
    u32*      both = drawn(canvas, &view);
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
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* Where all samples of a pixel hit the same sphere, the colour hardly changes; on an outline it is
 * a mixture. Two equal draws give equal pixels. */
static void pixel_with_multiple_samples_has_their_average_colour(void** state) {
    UNUSED(state);
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const Vec3       at = {0, 0, 0};
    Canvas*          one = canvas_for_test(1);
    Canvas*          four = canvas_for_test(4);
    spheres_add(one, &at, NULL, 1);
    u32* coarse = drawn(one, &view);
    u32* fine[2];
    for (u32 i = 0; i < 2; i++) {
        spheres_add(four, &at, NULL, 1);
        fine[i] = drawn(four, &view);
    }
    u32* ids = ids_of(one);
    u32  other = 0;
    assert_memory_equal(fine[0], fine[1], WIDE * HIGH * 4);
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        u32 apart = 0;
        for (u32 c = 0; c < 3; c++) apart += (u32)abs(((u8*)&coarse[i])[c] - ((u8*)&fine[0][i])[c]);
        other += apart > 24;
    }
    assert_in_range(other, 20, 200);
    free(coarse), free(fine[0]), free(fine[1]), free(ids);
    ent_canvas_destroy(one);
    ent_canvas_destroy(four);
    test_gpu_silent();
}

/* --- the pyramid of depths --- */

typedef struct Range {
    f32 farthest, nearest;
} Range;

static Range range_of(const f32* depth, u32 width, u32 height, u32 x, u32 y, u32 side) {
    Range range = {1, 0};
    for (u32 v = y * side; v < MIN_OF((y + 1) * side, height); v++) {
        for (u32 u = x * side; u < MIN_OF((x + 1) * side, width); u++) {
            range.farthest = MIN_OF(range.farthest, depth[(size_t)v * width + u]);
            range.nearest = MAX_OF(range.nearest, depth[(size_t)v * width + u]);
        }
    }
    return range;
}

static void pyramid_compare(u32 width, u32 height, u32 samples) {
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const CanvasDesc desc = {.width = width, .height = height, .samples = samples};
    const Vec3       at[] = {{0, 0, 0}, {2, 1, -3}, {-2, -1, 2}};
    Canvas*          canvas;
    GpuFrames*       frames;
    GpuPicture       picture = {0};
    assert_int_equal(ent_canvas_create(&canvas, gpu_for_test(), &desc), ENT_OK);
    spheres_add(canvas, at, NULL, COUNT_OF(at));
    assert_int_equal(ent_picture_draw(canvas, NULL, &view), ENT_OK);
    canvas->which = !canvas->which; /* the camera of the picture */
    picture.canvas = canvas;
    assert_int_equal(gpu_alone_begin(canvas->gpu, &frames, &picture.frame), ENT_OK);
    canvas_pyramid_record(&picture);
    assert_int_equal(gpu_alone_end(frames, picture.frame, ENT_OK), ENT_OK);
    const u32 wide = width * samples, high = height * samples;
    f32*      depth = test_image_read(canvas->gpu, &canvas->raster.depth, VK_IMAGE_ASPECT_DEPTH_BIT,
                                      wide, high, 4);
    Range*    blocks = malloc(canvas->pyramid.bytes);
    assert_int_equal(gpu_download(canvas->gpu, &canvas->pyramid, 0, blocks, canvas->pyramid.bytes),
                     ENT_OK);
    const Range* next = blocks;
    for (u32 side = 8;; side *= 2) {
        const u32 across = (width + side - 1) / side, down = (height + side - 1) / side;
        for (u32 i = 0; i < across * down; i++, next++) {
            const Range want = range_of(depth, wide, high, i % across, i / across, side * samples);
            if (next->farthest != want.farthest || next->nearest != want.nearest)
                fail_msg("%u x %u, %u samples, side %u, block %u", width, height, samples, side, i);
        }
        if (across * down == 1) break;
    }
    assert_ptr_equal(next, blocks + canvas->pyramid.bytes / sizeof *blocks);
    free(depth);
    free(blocks);
    ent_canvas_destroy(canvas);
}

static void pyramid_has_farthest_and_nearest_depth_of_each_block(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {8, 8}, {9, 3}, {120, 90}, {333, 17}, {16, 513}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        for (u32 samples = 1; samples <= 4; samples++)
            pyramid_compare(sizes[i][0], sizes[i][1], samples);
    }
    test_gpu_silent();
}

static void canvas_beyond_device_limits_is_refused(void** state) {
    UNUSED(state);
    Gpu*             gpu = gpu_for_test();
    Canvas*          canvas;
    const CanvasDesc wide = {.width = 1u << 20, .height = 8};
    const CanvasDesc large = {.width = 8192, .height = 8192, .samples = 1};
    const Vec3       at = {0, 0, 0};
    assert_int_equal(ent_canvas_create(&canvas, gpu, &wide), ENT_LIMIT);
    assert_null(canvas);
    assert_non_null(strstr(test_gpu_message(), " at most"));
    if (ent_gpu_info(gpu)->buffer_bytes < 8192ull * 8192 * 8) {
        assert_int_equal(ent_canvas_create(&canvas, gpu, &large), ENT_LIMIT);
        assert_non_null(strstr(test_gpu_message(), "would fit"));
    }
    canvas = canvas_for_test(1);
    for (u32 i = 0; i < CANVAS_DRAWS_MAX; i++) spheres_add(canvas, &at, NULL, 1);
    assert_int_equal(ent_canvas_spheres(canvas, &(CanvasSpheres){.count = 1, .position = &at}),
                     ENT_LIMIT);
    ent_canvas_destroy(canvas);
    test_gpu_silent();
}

/* One picture, in which the n-th call fails. */
static ent_status draw_once(u32 fault_call, VkResult fault, bool* reached) {
    Gpu*             gpu;
    Canvas*          canvas = NULL;
    const CanvasView view = view_of(CAMERA_PERSPECTIVE);
    const CanvasDesc desc = {.width = 16, .height = 16, .times = GPU_TIMES_LIST};
    const Vec3       at = {0, 0, 0};
    u8               pixels[16 * 16 * 4];
    ent_status       status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    status = ent_canvas_create(&canvas, gpu, &desc);
    if (status == ENT_OK) canvas->splat_min = 1;
    if (status == ENT_OK) status = ent_canvas_spheres(canvas, &(CanvasSpheres){1, &at, NULL, 1, 1});
    if (status == ENT_OK) status = ent_picture_draw(canvas, NULL, &view);
    if (status == ENT_OK) status = ent_canvas_read(canvas, pixels);
    *reached = gpu->calls >= fault_call;
    ent_canvas_destroy(canvas);
    assert_int_equal(ent_gpu_bytes(gpu), before);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void canvas_with_any_failing_vulkan_call_returns_status(void** state) {
    UNUSED(state);
    bool reached = true;
    u32  call = 12; /* after the calls that open a device, which test_gpu.c tests */
    gpu_for_test();
    for (; call < 300; call += 3) {
        const ent_status status = draw_once(call, VK_ERROR_OUT_OF_DEVICE_MEMORY, &reached);
        if (!reached) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_non_null(strstr(test_gpu_message(), "Vulkan: "));
    }
    assert_true(call > 40 && call < 300);
}

/* --- files --- */

static void picture_written_as_png_is_read_back_unchanged(void** state) {
    UNUSED(state);
    enum { W = 37, H = 21 };
    u8        rgba[W * H * 4], back[W * H * 4];
    char      path[1100];
    u32       seed = 3;
    png_image image = {.version = PNG_IMAGE_VERSION};
    for (u32 i = 0; i < sizeof rgba; i++) {
        seed = seed * 1664525u + 1013904223u;
        rgba[i] = i % 4 == 3 ? 255 : (u8)(seed >> 24);
    }
    snprintf(path, sizeof path, "%s/new/folder/a.png", test_folder("picture"));
    assert_int_equal(picture_write(path, W, H, rgba), ENT_OK);
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.width, W);
    assert_int_equal(image.height, H);
    assert_int_equal(image.format, PNG_FORMAT_RGB);
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(rgba, back, sizeof rgba);
    assert_int_equal(picture_write("/dev/null/a.png", W, H, rgba), ENT_IO);
}

static void values_of_a_draw_are_passed_to_its_pipeline(void** state) {
    CanvasDraw draws[3] = {{.count = 5}, {.count = 7}};
    UNUSED(state);
    for (u32 i = 0; i < 12; i++) draws[2].pose.m[i / 4][i % 4] = (f32)i + 1;
    draws[2].color = (Vec3){13, 14, 15};
    draws[2].radius_m = 16, draws[2].speed_max_m_s = 17, draws[2].heat_word = 18;
    draws[2].count = 19;
    const CanvasPush push = canvas_push(draws, 2);
    const f32        pose[] = {push.pose_x.x, push.pose_x.y, push.pose_x.z, push.pose_x.w,
                               push.pose_y.x, push.pose_y.y, push.pose_y.z, push.pose_y.w,
                               push.pose_z.x, push.pose_z.y, push.pose_z.z, push.pose_z.w};
    assert_memory_equal(pose, &draws[2].pose, sizeof pose);
    assert_memory_equal(&push.color, &draws[2].color, sizeof push.color);
    assert_true(push.radius_m == 16 && push.speed_max_m_s == 17);
    assert_int_equal(push.heat_word, 18);
    assert_int_equal(push.count, 19);
    assert_int_equal(push.id_first, 12);
}

TEST_SUITE(canvas) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_draw_are_passed_to_its_pipeline),
        cmocka_unit_test(sphere_in_front_of_camera_covers_area_of_its_outline),
        cmocka_unit_test(sphere_off_axis_covers_exactly_the_samples_of_its_rays),
        cmocka_unit_test(near_sphere_drawn_in_any_order_hides_far_sphere),
        cmocka_unit_test(sphere_with_velocity_has_colour_of_its_speed),
        cmocka_unit_test(spheres_whose_samples_kernels_find_pass_the_same_tests),
        cmocka_unit_test(picture_of_spheres_by_kernels_is_that_of_rasterised_ones),
        cmocka_unit_test(disc_has_round_outline_and_flat_colour),
        cmocka_unit_test(plane_is_visible_only_from_its_front_side),
        cmocka_unit_test(floor_plane_ends_at_intersecting_wall_plane),
        cmocka_unit_test(pixel_with_multiple_samples_has_their_average_colour),
        cmocka_unit_test(pyramid_has_farthest_and_nearest_depth_of_each_block),
        cmocka_unit_test(canvas_beyond_device_limits_is_refused),
        cmocka_unit_test(canvas_with_any_failing_vulkan_call_returns_status),
        cmocka_unit_test(picture_written_as_png_is_read_back_unchanged),
    };
    return gpu_suite_end(TEST_RUN("canvas", tests));
}
