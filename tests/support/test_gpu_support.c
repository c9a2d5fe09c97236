/* test_gpu_support.c - opens the device that tests run on. */
#define _GNU_SOURCE
#include "test_gpu_support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Allocations of drivers and layers belong to them. Their libraries stay loaded, so that a search
 * for leaks can attribute the allocations. */
#define NOT_OURS(X)                                                                                \
    X(libvulkan_lvp.so)                                                                            \
    X(libVkLayer_khronos_validation.so)                                                            \
    X(libvulkan.so .1)                                                                             \
    X(libLLVM - 15.so.1)
#define NAME(library) #library,
#define LEAK(library) "leak:" #library "\n"

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
    const ent_status status = test_gpu_open(&shared, 0, VK_SUCCESS);
    if (status != ENT_OK && (!required || strcmp(required, "1") != 0)) {
        TEST_SKIP(reported);
    }
    if (status != ENT_OK) fail_msg("a GPU is required: %s", reported);
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
}
