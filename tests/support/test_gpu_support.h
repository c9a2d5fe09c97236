/* test_gpu_support.h - one device for all tests of a suite, with the validation layer; every test
 * asserts that the layer reports nothing. */
#ifndef TEST_GPU_SUPPORT_H
#define TEST_GPU_SUPPORT_H

#include "gpu_frame_internal.h"
#include "gpu_image.h"
#include "gpu_picture.h"
#include "test.h"

/* The device that ENT_TEST_DEVICE names, or the first; opened once. Skips the test if there is
 * none, unless REQUIRE_GPU is 1: then the test fails. */
Gpu* gpu_for_test(void);

/* Replaces a lost device by another one. The driver stays loaded: one process cannot load some
 * drivers often. */
Gpu* gpu_renewed_for_test(void);

/* Closes it: return gpu_suite_end(TEST_RUN("gpu", tests)); */
int gpu_suite_end(int failed);

/* Asserts that the validation layer has reported nothing since the last call. */
void test_gpu_silent(void);

/* Runs a frame of what one function records, such as that of a system. */
ent_status test_gpu_frame(Gpu*  gpu, ent_status (*record)(void* state, GpuFrame* frame),
                          void* state);

/* A system with a lighting of its own. */
ent_status test_system_create(const GpuSystem* system, void** state, Gpu* gpu,
                              const GpuScene* scene, GpuProblem* problem);
void       test_system_destroy(const GpuSystem* system, void* state);

/* A frame of one system without a picture, as it is or recorded to another frame; and a picture of it. */
ent_status test_system_frame(const GpuSystem* system, void* state, Gpu* gpu);
ent_status test_system_record(const GpuSystem* system, void* state, GpuFrame* frame);
ent_status test_system_draw(const GpuSystem* system, void* state, Canvas* canvas,
                            const CanvasView* view);

/* A device whose n-th call fails, or the status of opening it. */
ent_status test_gpu_open(Gpu** gpu, u32 fault_call, VkResult fault);

/* Runs a suite in processes of their own, in which the software device has the other widths of subgroups: vectors
 * of 128, 256 and 512 bits, up to `bits_most`. In these processes it returns at once. Skips the test on another
 * device, and under sanitizers. */
void test_gpu_widths(const char* suite, u32 bits_max);

/* Mesa's llvmpipe 22.3 crashes when it compiles a fragment shader for vectors of 512 bits. */
#define TEST_NEEDS_RASTER                                                                          \
    do {                                                                                           \
        const GpuInfo* info_ = ent_gpu_info(gpu_for_test());                                       \
        if (info_->software && info_->subgroup_size == 16)                                         \
            TEST_SKIP("the software device cannot draw with subgroups of 16");                     \
    } while (0)

/* The pixels of an image that kernels read, row by row; the caller frees them. */
void* test_image_read(Gpu* gpu, const GpuImage* image, VkImageAspectFlags aspect, u32 width,
                      u32 height, u32 pixel_bytes);

/* An image of depths for kernels that read those of a picture, where none can be drawn.
 *
 *   depth  [height * width] the top row first: 1 near, 0 where there is nothing */
typedef struct TestDepth {
    GpuImage         image;
    VkDescriptorPool pool;
    VkDescriptorSet  images; /* as CANVAS_IMAGES */
} TestDepth;
void test_depth_create(TestDepth* out, Gpu* gpu, u32 width, u32 height, const f32* depth);
void test_depth_destroy(TestDepth* depth, Gpu* gpu);

/* The last message. */
const char* test_gpu_message(void);

#endif
