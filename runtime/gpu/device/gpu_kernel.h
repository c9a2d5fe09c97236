/* gpu_kernel.h - compute pipelines. */
#ifndef ENT_GPU_KERNEL_H
#define ENT_GPU_KERNEL_H

#include "gpu_internal.h"

typedef struct GpuKernelDesc {
    const char* name; /* for messages */
    const u32*  code; /* SPIR-V */
    size_t      bytes;
    u32         group_size; /* threads: constant 0 of the kernel */
    const u32*  constants;  /* [constant_count] constants 1, 2, ... */
    u32         constant_count;
} GpuKernelDesc;

typedef struct GpuKernel {
    Gpu*        gpu;
    const char* name;
    VkPipeline  pipeline;
    u32         group_size;
    u32         constant; /* the first one with which it was created, or 0 */
} GpuKernel;

#define GPU_CONSTANTS_MAX 9

/* The kernel of shaders/STEM.comp, whose code is in STEM.comp.h. */
#define GPU_KERNEL_OF(stem, group)                                                                 \
    { .name = #stem, .code = stem##_comp, .bytes = sizeof stem##_comp, .group_size = (group) }
#define GPU_KERNEL(stem, group) ((GpuKernelDesc)GPU_KERNEL_OF(stem, group))

MUST_CHECK ent_status gpu_kernel_create(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc);
void                  gpu_kernel_destroy(GpuKernel* kernel);

/* The same with specialisation constants; the caller documents their order at the call. */
MUST_CHECK ent_status gpu_kernel_create_with(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc,
                                             const u32* constants, u32 count);

#endif
