/* test_gpu_frame.c - frames in flight: their uploads, read-backs and times, commands that are used again,
 * and failures of the driver. */
#include <stdlib.h>

#include "gpu_frame_internal.h"
#include "test_gpu_support.h"

#include "copy.comp.h"

enum { GROUP = 64, WORDS = GROUP * 4 };

/* A buffer to which frames upload, and one to which a kernel copies it. */
typedef struct Copier {
    Gpu*       gpu;
    GpuKernel  copy;
    GpuPool    pool;
    GpuBuffer  from, to;
    GpuFrames* frames;
} Copier;

static ent_status copier_open(Copier* c, Gpu* gpu, const GpuFramesDesc* desc) {
    const GpuBufferRequest requests[] = {{&c->from, WORDS, 4, "from"}, {&c->to, WORDS, 4, "to"}};
    *c = (Copier){.gpu = gpu};
    TRY(gpu_kernel_create(&c->copy, gpu, &GPU_KERNEL(copy, GROUP)));
    TRY(gpu_pool_create(&c->pool, gpu, requests, COUNT_OF(requests)));
    return ent_gpu_frames_create(&c->frames, gpu, desc);
}

static void copier_close(Copier* c) {
    ent_gpu_frames_destroy(c->frames);
    if (c->pool.gpu) gpu_pool_destroy(&c->pool);
    gpu_kernel_destroy(&c->copy);
}

/* Words that differ in each frame. */
static void words_fill(u32* words, u64 frame) {
    for (u32 i = 0; i < WORDS; i++) words[i] = (u32)frame * 1000003u + i;
}

static ent_status copy_record(Copier* c, GpuFrame* frame, u64 number) {
    u32 words[WORDS];
    words_fill(words, number);
    TRY(gpu_frame_upload(frame, &c->from, 0, words, c->from.bytes));
    gpu_pass(&frame->list, &(GpuPass){.name = "copy",
                                      .kernel = &c->copy,
                                      .use = {{&c->from, GPU_READ}, {&c->to, GPU_WRITE}},
                                      .threads = WORDS / 4});
    return frame->list.status;
}

/* --- read-backs --- */

typedef struct Readings {
    u64 next; /* frame that is read next */
} Readings;

static void words_check(void* user, const void* bytes, u64 count) {
    Readings* readings = user;
    u32       words[WORDS];
    words_fill(words, ++readings->next);
    assert_int_equal(count, sizeof words);
    assert_memory_equal(bytes, words, sizeof words);
}

static ent_status copied_frame(Copier* c, u64 number, GpuReadDone* done, void* user) {
    GpuFrame*      frame;
    const GpuRange range =
        gpu_range_of(&c->to, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
    TRY(ent_gpu_frame_begin(c->frames, &frame));
    ent_status status = copy_record(c, frame, number);
    if (status == ENT_OK && done) status = ent_gpu_frame_read(frame, &range, done, user);
    const ent_status ended = ent_gpu_frame_end(frame);
    return status == ENT_OK ? ended : status;
}

static void each_frame_reads_back_what_it_has_uploaded(void** state) {
    Copier   c;
    Readings readings = {0};
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    for (u64 i = 1; i <= 50; i++) {
        assert_int_equal(copied_frame(&c, i, words_check, &readings), ENT_OK);
        assert_true(readings.next + GPU_FRAMES_IN_FLIGHT >= i);
    }
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_int_equal(readings.next, 50);
    copier_close(&c);
    test_gpu_silent();
}

static void more_reads_than_a_frame_holds_are_refused(void** state) {
    Copier    c;
    Readings  readings = {0};
    GpuFrame* frame;
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(c.frames, &frame), ENT_OK);
    for (u32 i = 0; i < GPU_READS_MAX; i++)
        assert_int_equal(gpu_frame_read(frame, &c.to, i * 4, 4, NULL, NULL), ENT_OK);
    assert_int_equal(gpu_frame_read(frame, &c.to, 0, 4, NULL, NULL), ENT_LIMIT);
    for (u32 i = 0; i < frame->read_count; i++) frame->read[i].done = words_check;
    frame->read_count = 0; /* without functions to call */
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    assert_int_equal(copied_frame(&c, 1, words_check, &readings), ENT_OK);
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_int_equal(readings.next, 1);
    copier_close(&c);
    test_gpu_silent();
}

/* --- commands that are used again --- */

typedef struct Costs {
    GpuFrameCost cost[64];
    u32          count;
} Costs;

static void costs_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Costs* costs = user;
    UNUSED(times), UNUSED(count);
    assert_int_equal(cost->frame, costs->count + 1);
    costs->cost[costs->count++] = *cost;
}

static void commands_are_recorded_again_only_when_passes_differ(void** state) {
    Copier              c;
    Costs               costs = {0};
    GpuKernel           other;
    const GpuFramesDesc desc = {GPU_TIMES_NONE, costs_keep, &costs};
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), &desc), ENT_OK);
    for (u64 i = 1; i <= 12; i++) {
        if (i == 5) c.from.bytes -= 16; /* another range, for two frames */
        if (i == 7) c.from.bytes += 16;
        if (i == 10) { /* an object that commands could name is destroyed */
            assert_int_equal(gpu_kernel_create(&other, c.gpu, &GPU_KERNEL(copy, GROUP)), ENT_OK);
            gpu_kernel_destroy(&other);
        }
        assert_int_equal(copied_frame(&c, i, NULL, NULL), ENT_OK);
    }
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_int_equal(costs.count, 12);
    /* Each of the two frames in flight has commands of its own. */
    const int recorded[] = {1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0};
    for (u32 i = 0; i < 12; i++) assert_int_equal(costs.cost[i].recorded, recorded[i]);
    copier_close(&c);
    test_gpu_silent();
}

static ent_status twice_record(void* state, GpuFrame* frame) {
    TRY(copy_record(state, frame, 1));
    return copy_record(state, frame, 2);
}

static void passes_of_one_frame_follow_each_other(void** state) {
    Copier c;
    u32    words[WORDS], back[WORDS];
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(test_gpu_frame(c.gpu, twice_record, &c), ENT_OK);
    words_fill(words, 2);
    assert_int_equal(gpu_download(c.gpu, &c.to, 0, back, sizeof back), ENT_OK);
    assert_memory_equal(back, words, sizeof back);
    copier_close(&c);
    test_gpu_silent();
}

/* The second pass leaves a binding out that the first and the third one have: then another buffer is bound to it. */
static void binding_that_another_pass_left_out_is_bound_again(void** state) {
    Copier           c;
    GpuPool          pool;
    GpuBuffer        other;
    u32              words[WORDS], found[WORDS];
    GpuBufferRequest request = {&other, WORDS, 4, "other"};
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, c.gpu, &request, 1), ENT_OK);
    const GpuUse uses[3][2] = {{{&c.from, GPU_READ}, {&c.to, GPU_WRITE}},
                               {{&other, GPU_READ_WRITE}},
                               {{&other, GPU_READ}, {&c.to, GPU_WRITE}}};
    words_fill(words, 7);
    assert_int_equal(gpu_upload(c.gpu, &other, 0, words, sizeof words), ENT_OK);
    for (u32 i = 0; i < GPU_FRAMES_IN_FLIGHT * 3; i++) { /* each frame has commands of its own */
        GpuFrame* frame;
        assert_int_equal(ent_gpu_frame_begin(c.frames, &frame), ENT_OK);
        GpuPass pass = {.name = "copy", .kernel = &c.copy, .threads = WORDS / 4};
        memcpy(pass.use, uses[i / GPU_FRAMES_IN_FLIGHT], sizeof uses[0]);
        gpu_pass(&frame->list, &pass);
        assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    }
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_int_equal(gpu_download(c.gpu, &c.to, 0, found, sizeof found), ENT_OK);
    assert_memory_equal(found, words, sizeof words);
    copier_close(&c);
    gpu_pool_destroy(&pool);
}

static void pass_without_threads_is_not_recorded(void** state) {
    Copier    c;
    GpuFrame* frame;
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(c.frames, &frame), ENT_OK);
    gpu_pass(&frame->list, &(GpuPass){.name = "copy",
                                      .kernel = &c.copy,
                                      .use = {{&c.from, GPU_READ}, {&c.to, GPU_WRITE}}});
    assert_int_equal(gpu_frame_upload(frame, &c.from, 0, NULL, 0), ENT_OK);
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    assert_int_equal(frame->list.pass_count, 0);
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    copier_close(&c);
    test_gpu_silent();
}

/* --- memory --- */

/* A pool that is replaced in every frame, while earlier frames use the older ones. */
static void replaced_buffers_exist_until_their_frames_are_complete(void** state) {
    Copier   c;
    Readings readings = {0};
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    const u64 bytes = ent_gpu_bytes(c.gpu);
    for (u64 i = 1; i <= 20; i++) {
        const GpuBufferRequest requests[] = {{&c.from, WORDS, 4, "from"}, {&c.to, WORDS, 4, "to"}};
        GpuFrame*              frame;
        assert_int_equal(ent_gpu_frame_begin(c.frames, &frame), ENT_OK);
        gpu_frame_retire_pool(frame, &c.pool);
        assert_int_equal(gpu_pool_create(&c.pool, c.gpu, requests, COUNT_OF(requests)), ENT_OK);
        assert_int_equal(copy_record(&c, frame, i), ENT_OK);
        assert_int_equal(gpu_frame_read(frame, &c.to, 0, c.to.bytes, words_check, &readings),
                         ENT_OK);
        assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    }
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_int_equal(readings.next, 20);
    assert_true(ent_gpu_bytes(c.gpu) >= bytes);
    copier_close(&c);
    test_gpu_silent();
}

/* Large uploads get memory of their own, which is freed; small ones share memory that is kept. */
static void memory_for_uploads_follows_what_frames_need(void** state) {
    Copier                 c;
    GpuFrame*              frame;
    GpuPool                pool;
    GpuBuffer              large;
    const u64              bytes = (u64)40 << 20;
    u8*                    data = calloc(bytes, 1);
    const GpuBufferRequest request = {&large, bytes, 1, "large"};
    UNUSED(state);
    assert_int_equal(copier_open(&c, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, c.gpu, &request, 1), ENT_OK);
    for (u64 i = 1; i <= 4; i++) assert_int_equal(copied_frame(&c, i, NULL, NULL), ENT_OK);
    const u64 small = ent_gpu_bytes(c.gpu);
    assert_int_equal(ent_gpu_frame_begin(c.frames, &frame), ENT_OK);
    memset(data, 7, bytes);
    assert_int_equal(gpu_frame_upload(frame, &large, 0, data, bytes), ENT_OK);
    for (u32 i = 0; i < 300; i++) assert_int_equal(copy_record(&c, frame, i), ENT_OK);
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    assert_true(ent_gpu_bytes(c.gpu) >= small + bytes);
    assert_int_equal(ent_gpu_frames_wait(c.frames), ENT_OK);
    assert_in_range(ent_gpu_bytes(c.gpu), small - (1 << 17), small + (4 << 20));
    memset(data, 0, bytes);
    assert_int_equal(gpu_download(c.gpu, &large, 0, data, bytes), ENT_OK);
    for (u64 i = 0; i < bytes; i++)
        if (data[i] != 7) fail_msg("byte %llu: %u", (unsigned long long)i, data[i]);
    gpu_pool_destroy(&pool);
    copier_close(&c);
    free(data);
    test_gpu_silent();
}

/* --- failures --- */

/* Five frames, with the n-th call failing. */
static ent_status frames_with_fault(u32 fault_call, VkResult fault, bool* reached) {
    Copier              c = {0};
    Gpu*                gpu = NULL;
    Costs               costs = {0};
    const GpuFramesDesc desc = {GPU_TIMES_LIST, costs_keep, &costs};
    Readings            readings = {0};
    ent_status          status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    status = copier_open(&c, gpu, &desc);
    for (u64 i = 1; i <= 5 && status == ENT_OK; i++)
        status = copied_frame(&c, i, words_check, &readings);
    if (status == ENT_OK) status = ent_gpu_frames_wait(c.frames);
    *reached = gpu->calls >= fault_call;
    copier_close(&c);
    assert_int_equal(ent_gpu_bytes(gpu), before);
    if (ent_gpu_validation_count(gpu) > 0) fail_msg("call %u: %s", fault_call, test_gpu_message());
    ent_gpu_destroy(gpu);
    return status;
}

static void frames_with_any_failing_vulkan_call_return_status(void** state) {
    u32  call = 12; /* after the calls that open a device, which test_gpu.c tests */
    bool reached = true;
    UNUSED(state);
    gpu_for_test();
    for (; call < 300; call++) {
        const VkResult   fault = call % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_DEVICE_LOST;
        const ent_status status = frames_with_fault(call, fault, &reached);
        if (!reached) break;
        if (status != (call % 2 ? ENT_NO_MEMORY : ENT_DEVICE_LOST))
            fail_msg("call %u: status %d", call, (int)status);
    }
    assert_in_range(call, 40, 299);
}

TEST_SUITE(gpu_frames) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_frame_reads_back_what_it_has_uploaded),
        cmocka_unit_test(more_reads_than_a_frame_holds_are_refused),
        cmocka_unit_test(commands_are_recorded_again_only_when_passes_differ),
        cmocka_unit_test(passes_of_one_frame_follow_each_other),
        cmocka_unit_test(binding_that_another_pass_left_out_is_bound_again),
        cmocka_unit_test(pass_without_threads_is_not_recorded),
        cmocka_unit_test(replaced_buffers_exist_until_their_frames_are_complete),
        cmocka_unit_test(memory_for_uploads_follows_what_frames_need),
        cmocka_unit_test(frames_with_any_failing_vulkan_call_return_status)};
    return gpu_suite_end(TEST_RUN("gpu_frames", tests));
}
