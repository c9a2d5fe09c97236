/* test_gpu_support.h - one device for all tests of a suite, under the validation layer, whose
 * silence every test asserts. */
#ifndef TEST_GPU_SUPPORT_H
#define TEST_GPU_SUPPORT_H

#include "gpu_list.h"
#include "test.h"

/* The device that ENT_TEST_DEVICE names, or the first; opened once. Skips the test where there is
 * none, unless REQUIRE_GPU is 1: then it fails. */
Gpu* gpu_for_test(void);

/* Another one in its place, for what was lost. The driver stays loaded: some may not be loaded
 * often by one process. */
Gpu* gpu_renewed_for_test(void);

/* Closes it: return gpu_suite_end(TEST_RUN("gpu", tests)); */
int gpu_suite_end(int failed);

/* The validation layer has said nothing since the last call. */
void test_gpu_silent(void);

/* A device whose n-th call fails, or the status that opening it came to. */
ent_status test_gpu_open(Gpu** gpu, u32 fault_call, VkResult fault);

/* What was told last. */
const char* test_gpu_told(void);

#endif
