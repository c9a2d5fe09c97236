/* test_canvas.c - pictures: the pyramid of depths, sizes, failures, and PNG files that are read back. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "picture.h"
#include "shapes_stage.h"
#include "test_gpu_support.h"

static const CanvasView view = {
    .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .height_m = 8, .near_m = 0.1f},
    .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 10}}},
    .light = {0.48f, 0.64f, 0.6f},
    .light_color = {1, 0.9f, 0.8f},
    .reach_m = 10,
    .grid_m = 1};

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
    const CanvasDesc desc = {.width = width, .height = height, .samples = samples};
    const Vec3       at[] = {{0, 0, 0}, {2, 1, -3}, {-2, -1, 2}};
    ShapesStage      stage;
    GpuFrames*       frames;
    GpuPicture       picture = {0};
    assert_int_equal(shapes_stage_open(&stage, gpu_for_test(), &desc), ENT_OK);
    const EntShapesSpheres spheres = {.count = COUNT_OF(at), .position = at, .radius_m = 1};
    Canvas* const          canvas = stage.canvas;
    assert_int_equal(ent_shapes_spheres(shapes_stage_shapes(&stage), &spheres), ENT_OK);
    assert_int_equal(ent_picture_draw(canvas, &stage.parts, &view), ENT_OK);
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
    shapes_stage_close(&stage);
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
    assert_int_equal(ent_canvas_create(&canvas, gpu, &wide), ENT_LIMIT);
    assert_null(canvas);
    assert_non_null(strstr(test_gpu_message(), " at most"));
    if (ent_gpu_info(gpu)->buffer_bytes < 8192ull * 8192 * 8) {
        assert_int_equal(ent_canvas_create(&canvas, gpu, &large), ENT_LIMIT);
        assert_non_null(strstr(test_gpu_message(), "would fit"));
    }
    test_gpu_silent();
}

/* One picture of nothing, in which the n-th call fails. */
static ent_status draw_once(u32 fault_call, VkResult fault, bool* reached) {
    Gpu*             gpu;
    Canvas*          canvas = NULL;
    const CanvasDesc desc = {.width = 16, .height = 16, .times = GPU_TIMES_LIST};
    u8               pixels[16 * 16 * 4];
    ent_status       status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    status = ent_canvas_create(&canvas, gpu, &desc);
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

TEST_SUITE(canvas) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pyramid_has_farthest_and_nearest_depth_of_each_block),
        cmocka_unit_test(canvas_beyond_device_limits_is_refused),
        cmocka_unit_test(canvas_with_any_failing_vulkan_call_returns_status),
        cmocka_unit_test(picture_written_as_png_is_read_back_unchanged),
    };
    return gpu_suite_end(TEST_RUN("canvas", tests));
}
