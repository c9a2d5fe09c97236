/* test_gpu.c - the device module: uploads are read back unchanged, prefix sums are correct at every
 * length, passes wait for exactly the passes they depend on, and every failure of the driver is
 * returned as a status. */
#include <stdio.h>
#include <stdlib.h>

#include "scan.h"
#include "scan_io.h"
#include "test_gpu_support.h"

#include "copy.comp.h"

static u32 random_next(u32* state) { return *state = *state * 1664525u + 1013904223u; }

static void buffer_uploaded_and_copied_is_read_back_unchanged(void** state) {
    UNUSED(state);
    Gpu* gpu = gpu_for_test();
    enum { WORDS = 1 << 20 };
    GpuPool                pool;
    GpuBuffer              first, second;
    const GpuBufferRequest requests[] = {{&first, 3, 4, "first"}, {&second, WORDS, 4, "second"}};
    u32*                   words = malloc(WORDS * 4);
    u32*                   back = malloc(WORDS * 4);
    u32                    seed = 7;
    for (u32 i = 0; i < WORDS; i++) words[i] = random_next(&seed);
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, 2), ENT_OK);
    assert_int_equal(pool.count, 1); /* one allocation */
    assert_int_equal(gpu_fill(gpu, &first, 0xabcdef01), ENT_OK);
    assert_int_equal(gpu_upload(gpu, &second, 0, words, WORDS * 4), ENT_OK);
    assert_int_equal(gpu_upload(gpu, &second, 40, words, 4), ENT_OK);
    assert_int_equal(gpu_download(gpu, &second, 0, back, WORDS * 4), ENT_OK);
    words[10] = words[0];
    assert_memory_equal(words, back, WORDS * 4);
    assert_int_equal(gpu_download(gpu, &first, 0, back, 12), ENT_OK);
    for (u32 i = 0; i < 3; i++) assert_int_equal(back[i], 0xabcdef01);
    gpu_pool_destroy(&pool);
    free(words), free(back);
    test_gpu_silent();
}

/* Of a prefix sum that is created for up to count_max words, in some runs: reading and writing the same
 * words, or clearing them. */
static void sums_of_tuned(Gpu* gpu, u32 count, u32 count_max, const ScanTune* tune, bool clears,
                          bool gives_up) {
    enum { RUNS = 3 };
    Scan                   scan;
    GpuPool                pool;
    GpuBuffer              in, out;
    GpuList                list;
    bool                   gave_up;
    const GpuBufferRequest requests[] = {{&in, count, 4, "words"}, {&out, count, 4, "sums"}};
    u32*                   words = malloc(count * 4u);
    u32*                   back = malloc(count * 4u);
    u32                    seed = count;
    assert_int_equal(scan_create_tuned(&scan, gpu, count_max, clears, tune), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, 2), ENT_OK);
    assert_int_equal(gpu_list_begin(&list, gpu, GPU_TIMES_NONE), ENT_OK);
    scan_record(&scan, &list, &in, clears ? &out : &in, count);
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    for (u32 run = 0; run < RUNS; run++) {
        for (u32 i = 0; i < count; i++) words[i] = random_next(&seed);
        assert_int_equal(gpu_upload(gpu, &in, 0, words, count * 4u), ENT_OK);
        assert_int_equal(gpu_list_run(&list), ENT_OK);
        assert_int_equal(gpu_download(gpu, clears ? &out : &in, 0, back, count * 4u), ENT_OK);
        for (u32 i = 0, sum = 0; i < count; sum += words[i++]) {
            if (back[i] != sum) fail_msg("word %u of %u: %u, not %u", i, count, back[i], sum);
        }
        if (!clears) continue;
        assert_int_equal(gpu_download(gpu, &in, 0, back, count * 4u), ENT_OK);
        for (u32 i = 0; i < count; i++) assert_int_equal(back[i], 0);
    }
    assert_int_equal(scan_gave_up(&scan, &gave_up), ENT_OK);
    /* Mesa's llvmpipe ends loops after 65,535 iterations. */
    if (tune->attempts == 0 || !gpu->info.software) assert_int_equal(gave_up, gives_up);
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
    free(words), free(back);
}

/* Of one tile, of some, and of more than a subgroup looks at together. */
static void prefix_sums_in_a_single_pass_equal_reference(void** state) {
    UNUSED(state);
    Gpu*      gpu = gpu_for_test();
    const u32 counts[] = {4, 4092, 4096, 4100, 65536, 1000000, 4000004};
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        for (u32 vectors = 2; vectors <= 8; vectors *= 2) {
            const ScanTune tune = {true, 256, vectors, 1u << 20};
            sums_of_tuned(gpu, counts[i], counts[i], &tune, i % 2 == 0, false);
            sums_of_tuned(gpu, counts[i], 1u << 22, &tune, i % 2 == 1, false);
        }
    }
    test_gpu_silent();
}

/* A last tile in which a subgroup of 32 threads has none, some or all of its vectors, with the
 * parameters of use. */
static void prefix_sums_with_any_last_tile_equal_reference(void** state) {
    UNUSED(state);
    Gpu*           gpu = gpu_for_test();
    const ScanTune tune = {true, 512, 8, 1u << 20};
    const u32      vectors[] = {1, 31, 32, 33, 64, 65, 255, 256, 257, 4095};
    for (u32 i = 0; i < COUNT_OF(vectors); i++)
        sums_of_tuned(gpu, (512 * 8 + vectors[i]) * 4, 1u << 17, &tune, i % 2, false);
    test_gpu_silent();
}

/* All but the first group give up at once: the results are the same, and it is reported. */
static void prefix_sums_of_groups_that_give_up_equal_reference(void** state) {
    UNUSED(state);
    Gpu*           gpu = gpu_for_test();
    const ScanTune tune = {true, 128, 2, 0};
    for (u32 clears = 0; clears < 2; clears++) {
        sums_of_tuned(gpu, 1024, 1024, &tune, clears, false);
        sums_of_tuned(gpu, 1028, 1028, &tune, clears,
                      false); /* the pass that follows has the rest */
        sums_of_tuned(gpu, 2048, 2048, &tune, clears, true);
        sums_of_tuned(gpu, 1000000, 1000000, &tune, clears, true);
        sums_of_tuned(gpu, 4000, 1000000, &tune, clears, true);
    }
    test_gpu_silent();
}

/* A device on which groups give up gets multiple passes. */
static void device_whose_groups_give_up_has_multiple_passes(void** state) {
    UNUSED(state);
    Gpu*            gpu = gpu_for_test();
    const GpuChains chains = gpu->chains;
    const u32       count = 4096 * 4096;
    const ScanTune  hasty = {true, 256, 4, 0}, patient = {true, 256, 4, 1u << 20};
    const struct {
        GpuChains chains;
        bool      is_chained;
    } rows[] = {{GPU_CHAINS_PROCEED, true}, {GPU_CHAINS_STOP, false}};
    Scan scan;
    bool proceeds = true;
    assert_int_equal(scan_try(gpu, &hasty, &proceeds), ENT_OK);
    assert_false(proceeds);
    assert_int_equal(scan_try(gpu, &patient, &proceeds), ENT_OK);
    assert_true(proceeds || gpu->info.software);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        gpu->chains = rows[i].chains;
        assert_int_equal(scan_create(&scan, gpu, count, false), ENT_OK);
        assert_int_equal(scan.is_chained, rows[i].is_chained);
        scan_destroy(&scan);
        assert_int_equal(scan_create(&scan, gpu, 4096, false), ENT_OK);
        assert_false(scan.is_chained); /* few words */
        scan_destroy(&scan);
    }
    gpu->chains = GPU_CHAINS_UNTRIED;
    assert_int_equal(scan_create(&scan, gpu, count, false), ENT_OK);
    assert_int_equal(scan.is_chained, gpu->chains == GPU_CHAINS_PROCEED);
    assert_int_not_equal(gpu->chains, GPU_CHAINS_UNTRIED);
    scan_destroy(&scan);
    gpu->chains = chains;
    test_gpu_silent();
}

/* Multiple passes, of a prefix sum that is created for up to count_max words. */
static void sums_of(Gpu* gpu, u32 count, u32 count_max) {
    Scan                   scan;
    GpuPool                pool;
    GpuBuffer              buffer;
    GpuList                list;
    const GpuBufferRequest request = {&buffer, count, 4, "words"};
    u32*                   words = malloc(count * 4u);
    u32*                   back = malloc(count * 4u);
    u32                    seed = count;
    for (u32 i = 0; i < count; i++) words[i] = random_next(&seed);
    assert_int_equal(scan_create_tuned(&scan, gpu, count_max, false, &(ScanTune){false, 0, 0, 0}),
                     ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, gpu, &request, 1), ENT_OK);
    assert_int_equal(gpu_upload(gpu, &buffer, 0, words, count * 4u), ENT_OK);
    assert_int_equal(gpu_list_begin(&list, gpu, GPU_TIMES_NONE), ENT_OK);
    scan_record(&scan, &list, &buffer, &buffer, count);
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(list.barrier_count, count_max > SCAN_FEW * SCAN_TILE ? 2 : count > SCAN_TILE);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    assert_int_equal(gpu_download(gpu, &buffer, 0, back, count * 4u), ENT_OK);
    for (u32 i = 0, sum = 0; i < count; sum += words[i++]) {
        if (back[i] != sum) fail_msg("word %u of %u: %u, not %u", i, count, back[i], sum);
    }
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
    free(words), free(back);
}

static void prefix_sums_of_each_length_equal_reference(void** state) {
    UNUSED(state);
    Gpu*      gpu = gpu_for_test();
    const u32 counts[] = {4,    8,     1020,    1024,        4092,       4096,
                          4100, 65536, 1000000, 4096 * 4096, 4096 * 4097};
    for (u32 i = 0; i < COUNT_OF(counts); i++) sums_of(gpu, counts[i], counts[i]);
    sums_of(gpu, 4, 4096 * 4097);
    sums_of(gpu, 4100, 4096 * 4097);
    test_gpu_silent();
}

/* Records a pass for each letter: r reads a buffer, w writes it. Returns the number of barriers. */
static u32 barriers_of(const char* passes) {
    enum { OTHERS = 8, GROUP = 64 };
    Gpu*             gpu = gpu_for_test();
    GpuKernel        copy;
    GpuPool          pool;
    GpuBuffer        shared, other[OTHERS];
    GpuList          list;
    GpuBufferRequest requests[OTHERS + 1] = {{&shared, GROUP * 4, 4, "shared"}};
    for (u32 i = 0; i < OTHERS; i++)
        requests[i + 1] = (GpuBufferRequest){&other[i], GROUP * 4, 4, "other"};
    assert_int_equal(gpu_kernel_create(&copy, gpu, &GPU_KERNEL(copy, GROUP)), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, COUNT_OF(requests)), ENT_OK);
    assert_int_equal(gpu_list_begin(&list, gpu, GPU_TIMES_NONE), ENT_OK);
    for (u32 i = 0; passes[i]; i++) {
        const GpuUse here = {&shared, passes[i] == 'r' ? GPU_READ : GPU_WRITE};
        const GpuUse other_use = {&other[i], passes[i] == 'r' ? GPU_WRITE : GPU_READ};
        gpu_pass(&list, &(GpuPass){.name = "pass",
                                   .kernel = &copy,
                                   .use = {passes[i] == 'r' ? here : other_use,
                                           passes[i] == 'r' ? other_use : here},
                                   .threads = GROUP});
    }
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    const u32 count = list.barrier_count;
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    gpu_kernel_destroy(&copy);
    return count;
}

/* A write waits for earlier reads, a read waits for writes, a read after a read does not wait. */
static void passes_wait_only_for_conflicting_passes(void** state) {
    UNUSED(state);
    assert_int_equal(barriers_of("rr"), 0);
    assert_int_equal(barriers_of("rrw"), 1);
    assert_int_equal(barriers_of("rrwr"), 2);
    assert_int_equal(barriers_of("rrwrr"), 2);
    assert_int_equal(barriers_of("rrwrrw"), 3);
    assert_int_equal(barriers_of("ww"), 1);
    test_gpu_silent();
}

/* The number of groups is the result of an earlier pass. */
static void indirect_dispatch_runs_number_of_groups_from_buffer(void** state) {
    UNUSED(state);
    enum { GROUP = 64, WORDS = GROUP * 4 * 4 };
    Gpu*                   gpu = gpu_for_test();
    GpuKernel              copy;
    GpuPool                pool;
    GpuBuffer              given, groups, from, to;
    GpuList                list;
    const u32              wanted[8] = {9, 9, 9, 9, 3, 1, 1, 9}; /* the three at byte 16 */
    u32                    words[WORDS];
    const GpuBufferRequest requests[] = {{&given, 8, 4, "given"},
                                         {&groups, 8, 4, "groups"},
                                         {&from, WORDS, 4, "from"},
                                         {&to, WORDS, 4, "to"}};
    assert_int_equal(gpu_kernel_create(&copy, gpu, &GPU_KERNEL(copy, GROUP)), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, COUNT_OF(requests)), ENT_OK);
    assert_int_equal(gpu_upload(gpu, &given, 0, wanted, sizeof wanted), ENT_OK);
    assert_int_equal(gpu_fill(gpu, &from, 7), ENT_OK);
    assert_int_equal(gpu_fill(gpu, &to, 0), ENT_OK);
    assert_int_equal(gpu_list_begin(&list, gpu, GPU_TIMES_NONE), ENT_OK);
    gpu_pass(&list, &(GpuPass){.name = "groups",
                               .kernel = &copy,
                               .use = {{&given, GPU_READ}, {&groups, GPU_WRITE}},
                               .threads = 2});
    gpu_pass(&list, &(GpuPass){.name = "copy",
                               .kernel = &copy,
                               .use = {{&from, GPU_READ}, {&to, GPU_WRITE}},
                               .indirect = &groups,
                               .indirect_offset = 16});
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(list.barrier_count, 1);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    assert_int_equal(gpu_download(gpu, &to, 0, words, sizeof words), ENT_OK);
    for (u32 i = 0; i < WORDS; i++) assert_int_equal(words[i], i < 3 * GROUP * 4 ? 7 : 0);
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    gpu_kernel_destroy(&copy);
    test_gpu_silent();
}

static void pass_times_are_summed_by_name(void** state) {
    UNUSED(state);
    Gpu*                   gpu = gpu_for_test();
    Scan                   scan;
    GpuPool                pool;
    GpuBuffer              words;
    GpuList                list;
    GpuTime                times[4];
    const GpuBufferRequest request = {&words, 1 << 20, 4, "words"};
    assert_int_equal(scan_create(&scan, gpu, 1 << 20, false), ENT_OK);
    assert_int_equal(gpu_pool_create(&pool, gpu, &request, 1), ENT_OK);
    for (u32 kind = GPU_TIMES_LIST; kind <= GPU_TIMES_PASSES; kind++) {
        assert_int_equal(gpu_list_begin(&list, gpu, (GpuTimes)kind), ENT_OK);
        scan_record(&scan, &list, &words, &words, 1 << 20);
        assert_int_equal(gpu_list_end(&list), ENT_OK);
        assert_int_equal(gpu_list_run(&list), ENT_OK);
        assert_int_equal(gpu_list_times(&list, times, 4), kind == GPU_TIMES_PASSES ? 1 : 0);
        if (kind == GPU_TIMES_PASSES) assert_string_equal(times[0].name, "scan");
        assert_true(list.ms > 0 && (kind != GPU_TIMES_PASSES || times[0].ms <= list.ms));
        gpu_list_destroy(&list);
    }
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
    test_gpu_silent();
}

static void buffer_larger_than_device_limit_is_refused(void** state) {
    UNUSED(state);
    Gpu*                   gpu = gpu_for_test();
    GpuPool                pool;
    GpuBuffer              a;
    const u64              max = ent_gpu_info(gpu)->buffer_bytes;
    const GpuBufferRequest request = {&a, max / 16 + 1, 16, "particles"};
    assert_int_equal(gpu_pool_create(&pool, gpu, &request, 1), ENT_LIMIT);
    gpu_pool_destroy(&pool);
    assert_non_null(strstr(test_gpu_message(), "elements would fit"));
    assert_non_null(strstr(test_gpu_message(), "particles"));
    test_gpu_silent();
}

static void words_written_behind_a_buffer_are_counted(void** state) {
    UNUSED(state);
    Gpu*                   gpu = gpu_for_test();
    GpuPool                pool;
    GpuBuffer              a, b;
    GpuList                list;
    const GpuBufferRequest requests[] = {{&a, 10, 4, "a"}, {&b, 10, 4, "b"}};
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, 2), ENT_OK);
    assert_int_equal(gpu_fill(gpu, &a, 1), ENT_OK);
    assert_int_equal(gpu_fill(gpu, &b, 1), ENT_OK);
    gpu_pool_destroy(&pool);
    assert_int_equal(gpu->guards.broken, 0);
    assert_int_equal(gpu_pool_create(&pool, gpu, requests, 2), ENT_OK);
    GpuBuffer wide = a;
    wide.bytes += 3 * 4;
    assert_int_equal(gpu_list_begin(&list, gpu, GPU_TIMES_NONE), ENT_OK);
    gpu_set(&list, "set", &wide, 1);
    assert_int_equal(gpu_list_end(&list), ENT_OK);
    assert_int_equal(gpu_list_run(&list), ENT_OK);
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    assert_int_equal(gpu->guards.broken, 3);
    assert_non_null(strstr(test_gpu_message(), "3 words behind buffers were written"));
    gpu->guards.broken = 0;
}

/* One complete run, in which the n-th call fails. */
static ent_status run_once(u32 fault_call, VkResult fault, bool* reached) {
    Gpu*                   gpu;
    Scan                   scan = {0};
    GpuPool                pool = {0};
    GpuBuffer              buffer;
    GpuList                list = {0};
    u32                    words[64] = {1};
    const GpuBufferRequest request = {&buffer, 64, 4, "words"};
    ent_status             status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    status = scan_create(&scan, gpu, 64, false);
    if (status == ENT_OK) status = gpu_pool_create(&pool, gpu, &request, 1);
    if (status == ENT_OK) status = gpu_upload(gpu, &buffer, 0, words, sizeof words);
    if (status == ENT_OK) status = gpu_list_begin(&list, gpu, GPU_TIMES_LIST);
    if (status == ENT_OK) {
        scan_record(&scan, &list, &buffer, &buffer, 64);
        status = gpu_list_end(&list);
    }
    if (status == ENT_OK) status = gpu_list_run(&list);
    if (status == ENT_OK) status = gpu_download(gpu, &buffer, 0, words, sizeof words);
    *reached = gpu->calls >= fault_call;
    gpu_list_destroy(&list);
    gpu_pool_destroy(&pool);
    scan_destroy(&scan);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void device_with_any_failing_vulkan_call_returns_status(void** state) {
    UNUSED(state);
    const struct {
        VkResult   result;
        ent_status status;
    } faults[] = {{VK_ERROR_OUT_OF_DEVICE_MEMORY, ENT_NO_MEMORY},
                  {VK_ERROR_DEVICE_LOST, ENT_DEVICE_LOST},
                  {VK_ERROR_INVALID_SHADER_NV, ENT_DEVICE_FAULT}};
    gpu_for_test();
    for (u32 f = 0; f < COUNT_OF(faults); f++) {
        bool reached = true;
        u32  call = 1;
        for (; reached && call < 200; call += f + 1) {
            const ent_status status = run_once(call, faults[f].result, &reached);
            if (!reached) break;
            assert_int_equal(status, faults[f].status);
            assert_non_null(strstr(test_gpu_message(), "Vulkan: "));
        }
        assert_true(call > 20 && call < 200);
    }
}

static void device_selected_by_number_or_name_is_opened(void** state) {
    UNUSED(state);
    Gpu*           gpu = gpu_for_test();
    Gpu*           other;
    char           number[16];
    const GpuInfo* info = ent_gpu_info(gpu);
    snprintf(number, sizeof number, "%u", info->index);
    assert_int_equal(ent_gpu_create(&other, &(GpuDesc){.device = number}), ENT_OK);
    assert_string_equal(ent_gpu_info(other)->name, info->name);
    ent_gpu_destroy(other);
    assert_int_equal(ent_gpu_create(&other, &(GpuDesc){.device = info->name}), ENT_OK);
    ent_gpu_destroy(other);
    assert_int_equal(ent_gpu_create(&other, &(GpuDesc){.device = "no such device"}), ENT_NO_DEVICE);
    assert_null(other);
}

static void prefix_sums_with_any_subgroup_size_equal_reference(void** state) {
    UNUSED(state);
    test_gpu_widths("scan_width", 512);
}

/* Repeated for every width. */
TEST_SUITE(scan_width) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_sums_of_each_length_equal_reference),
        cmocka_unit_test(prefix_sums_in_a_single_pass_equal_reference),
        cmocka_unit_test(prefix_sums_with_any_last_tile_equal_reference),
        cmocka_unit_test(prefix_sums_of_groups_that_give_up_equal_reference)};
    return gpu_suite_end(TEST_RUN("scan_width", tests));
}

TEST_SUITE(gpu) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffer_uploaded_and_copied_is_read_back_unchanged),
        cmocka_unit_test(prefix_sums_with_any_subgroup_size_equal_reference),
        cmocka_unit_test(device_whose_groups_give_up_has_multiple_passes),
        cmocka_unit_test(passes_wait_only_for_conflicting_passes),
        cmocka_unit_test(indirect_dispatch_runs_number_of_groups_from_buffer),
        cmocka_unit_test(pass_times_are_summed_by_name),
        cmocka_unit_test(words_written_behind_a_buffer_are_counted),
        cmocka_unit_test(buffer_larger_than_device_limit_is_refused),
        cmocka_unit_test(device_with_any_failing_vulkan_call_returns_status),
        cmocka_unit_test(device_selected_by_number_or_name_is_opened),
    };
    return gpu_suite_end(TEST_RUN("gpu", tests));
}
