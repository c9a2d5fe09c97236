/* test_gpu_support.c - opens the device that tests run on. */
#define _GNU_SOURCE
#include "test_gpu_support.h"

#include "lit_system.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_io.h"

/* Allocations of drivers and layers belong to them. Their libraries stay loaded, so that a search
 * for leaks can attribute the allocations. Those of C++ are attributed to its runtime library, of
 * which nothing here allocates. */
#define NOT_OURS(X)                                                                                \
    X("libvulkan_lvp.so")                                                                          \
    X("libVkLayer_khronos_validation.so")                                                          \
    X("libvulkan.so.1")                                                                            \
    X("libLLVM-15.so.1")                                                                           \
    X("libstdc++.so.6")
#define NAME(library) library,
#define LEAK(library) "leak:" library "\n"

ENT_API const char* __lsan_default_suppressions(void);
const char*         __lsan_default_suppressions(void) { return NOT_OURS(LEAK); }

static void drivers_keep_loaded(void) {
    static const char* const libraries[] = {NOT_OURS(NAME)};
    for (u32 i = 0; SANITIZED && i < COUNT_OF(libraries); i++)
        dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static char reported[1024];

static void log_keep(void* user, LogLevel level, const char* text) {
    UNUSED(user), UNUSED(level);
    snprintf(reported, sizeof reported, "%s", text);
}

const char* test_gpu_message(void) { return reported; }

ent_status test_gpu_frame(Gpu*  gpu, ent_status (*record)(void* state, GpuFrame* frame),
                          void* state) {
    GpuFrames* frames;
    GpuFrame*  frame;
    TRY(gpu_alone_begin(gpu, &frames, &frame));
    return gpu_alone_end(frames, frame, record(state, frame));
}

ent_status test_gpu_open(Gpu** gpu, u32 fault_call, VkResult fault) {
    const char*   name = getenv("ENT_TEST_DEVICE");
    const GpuDesc desc = {.device = name && *name ? name : NULL,
                          .validate = getenv("ENT_TEST_NO_LAYER") == NULL,
                          .log = {log_keep, NULL},
                          .fault_call = fault_call,
                          .fault_result = fault};
    reported[0] = 0;
    const ent_status status = ent_gpu_create(gpu, &desc);
    drivers_keep_loaded();
    return status;
}

static Gpu* shared;
static u32  silent_before;

int gpu_suite_end(int failed) {
    ent_gpu_destroy(shared);
    shared = NULL;
    silent_before = 0;
    return failed;
}

Gpu* gpu_for_test(void) {
    const char* required = getenv("REQUIRE_GPU");
    if (shared) return shared;
    if (test_is_without("gpu")) TEST_SKIP("it is run without gpu");
    const ent_status status = test_gpu_open(&shared, 0, VK_SUCCESS);
    if (status != ENT_OK && (!required || strcmp(required, "1") != 0)) {
        TEST_SKIP(reported);
    }
    if (status != ENT_OK) fail_msg("a GPU is required: %s", reported);
    shared->guards.is_on = true;
    return shared;
}

Gpu* gpu_renewed_for_test(void) {
    Gpu* old = shared;
    shared = NULL;
    gpu_for_test();
    ent_gpu_destroy(old);
    silent_before = 0;
    return shared;
}

void test_gpu_silent(void) {
    const u32 now = ent_gpu_validation_count(shared);
    if (now != silent_before) fail_msg("the validation layer reports: %s", reported);
    silent_before = now;
    if (shared->guards.broken) fail_msg("guard words: %s", reported);
}

static void image_move(Gpu* gpu, const GpuImage* image, VkImageAspectFlags aspect,
                       VkImageLayout from, VkImageLayout to) {
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                          .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
                                                           VK_ACCESS_MEMORY_WRITE_BIT,
                                          .oldLayout = from,
                                          .newLayout = to,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = image->image,
                                          .subresourceRange = {aspect, 0, 1, 0, 1}};
    gpu->vk.vkCmdPipelineBarrier(gpu->stage.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                 &barrier);
}

void* test_image_read(Gpu* gpu, const GpuImage* image, VkImageAspectFlags aspect, u32 width,
                      u32 height, u32 pixel_bytes) {
    const u64 row_bytes = (u64)width * pixel_bytes;
    u8*       out = malloc(row_bytes * height);
    for (u32 y = 0, rows; y < height; y += rows) {
        rows = (u32)MIN_OF(height - y, GPU_STAGE_BYTES / row_bytes);
        const VkBufferImageCopy copy = {.imageSubresource = {aspect, 0, 0, 1},
                                        .imageOffset = {0, (i32)y, 0},
                                        .imageExtent = {width, rows, 1}};
        assert_int_equal(gpu_stage_begin(gpu), ENT_OK);
        image_move(gpu, image, aspect, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                   VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        gpu->vk.vkCmdCopyImageToBuffer(gpu->stage.commands, image->image,
                                       VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                       gpu->stage.memory.buffer.handle, 1, &copy);
        image_move(gpu, image, aspect, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                   VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
        assert_int_equal(gpu_stage_end(gpu), ENT_OK);
        memcpy(out + y * row_bytes, gpu->stage.at, rows * row_bytes);
    }
    return out;
}

void test_depth_create(TestDepth* out, Gpu* gpu, u32 width, u32 height, const f32* depth) {
    const GpuImageDesc desc = {.format = VK_FORMAT_R32_SFLOAT,
                               .width = width,
                               .height = height,
                               .usage =
                                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                               .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                               .view = VK_IMAGE_VIEW_TYPE_2D};
    const GpuImagePart part = {.width = width,
                               .height = height,
                               .row_bytes = width * 4,
                               .row_pixels = 1,
                               .bytes = (const u8*)depth};
    *out = (TestDepth){0};
    assert_int_equal(gpu_image_create(&out->image, gpu, &desc), ENT_OK);
    assert_int_equal(gpu_image_begin(&out->image, gpu), ENT_OK);
    assert_int_equal(gpu_image_add(&out->image, gpu, &part), ENT_OK);
    assert_int_equal(gpu_image_ready(&out->image, gpu), ENT_OK);
    assert_int_equal(gpu_image_sets_create(gpu, &out->images, 1, &out->pool), ENT_OK);
    gpu_image_bind(gpu, out->images, CANVAS_DEPTH, out->image.view);
}

void test_depth_destroy(TestDepth* depth, Gpu* gpu) {
    gpu->vk.vkDestroyDescriptorPool(gpu->device, depth->pool, NULL);
    gpu_image_destroy(&depth->image, gpu);
    *depth = (TestDepth){0};
}

/* --- frames of one system --- */

/* Systems that were created with a lighting, so that tests name only the system. */
static LitSystem lit_systems[16];

static LitSystem* lit_of(const GpuSystem* system, void* state) {
    for (u32 i = 0; i < COUNT_OF(lit_systems); i++) {
        const GpuPart* part = &lit_systems[i].at[1];
        if (part->system == system && part->state == state) return &lit_systems[i];
    }
    return NULL;
}

ent_status test_system_create(const GpuSystem* system, void** state, Gpu* gpu,
                              const GpuScene* scene, GpuProblem* problem) {
    LitSystem* lit = lit_of(NULL, NULL);
    assert_non_null(lit);
    const ent_status status = lit_create(lit, system, gpu, scene, problem);
    *state = lit->at[1].state;
    return status;
}

void test_system_destroy(const GpuSystem* system, void* state) {
    LitSystem* lit = lit_of(system, state);
    if (!state) return;
    assert_non_null(lit);
    lit_destroy(lit);
}

typedef struct PartsOf {
    GpuPart  alone;
    GpuParts parts;
} PartsOf;

/* A system without lighting only simulates. */
static void parts_of(PartsOf* of, const GpuSystem* system, void* state) {
    const LitSystem* lit = lit_of(system, state);
    of->alone = (GpuPart){system, state};
    of->parts = lit ? lit_parts(lit) : (GpuParts){&of->alone, 1};
}

ent_status test_system_record(const GpuSystem* system, void* state, GpuFrame* frame) {
    PartsOf of;
    parts_of(&of, system, state);
    return ent_picture_record(frame, &of.parts, NULL, NULL);
}

static ent_status parts_record(void* parts, GpuFrame* frame) {
    return ent_picture_record(frame, parts, NULL, NULL);
}

ent_status test_system_frame(const GpuSystem* system, void* state, Gpu* gpu) {
    PartsOf of;
    parts_of(&of, system, state);
    return test_gpu_frame(gpu, parts_record, &of.parts);
}

ent_status test_system_draw(const GpuSystem* system, void* state, Canvas* canvas,
                            const CanvasView* view) {
    PartsOf of;
    parts_of(&of, system, state);
    return ent_picture_draw(canvas, &of.parts, view);
}

/* --- subgroups --- */

/* Mesa's llvmpipe 22.3 caches fragment shaders without regard to their width, and one of another width damages
 * memory: each width has a cache of its own. */
void test_gpu_widths(const char* suite, u32 bits_max) {
    const GpuInfo* info = ent_gpu_info(gpu_for_test());
    if (getenv("TEST_WIDTH")) return;
    if (!info->software) TEST_SKIP("subgroups of this device have one size");
    if (SANITIZED) TEST_SKIP("one size is sufficient under sanitizers");
    for (u32 bits = 128; bits <= bits_max; bits *= 2) {
        if (bits / 32 == info->subgroup_size) continue;
        TEST_DONE(".",
                  "REQUIRE_GPU=1 TEST_WIDTH=1 LP_NATIVE_VECTOR_WIDTH=%u "
                  "MESA_SHADER_CACHE_DIR=" TEST_BUILD "/tests/shaders_%u " TEST_BUILD
                  "/tests/run %s",
                  bits, bits, suite);
    }
}
