/* gpu_kernel.c - creates compute pipelines. */
#include "gpu_kernel.h"

ent_status gpu_kernel_create(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc) {
    VkSpecializationMapEntry entries[GPU_CONSTANTS_MAX + 1];
    u32                      values[GPU_CONSTANTS_MAX + 1] = {desc->group_size};
    const u32                count = desc->constant_count + 1;
    VkShaderModule           module;
    assert(desc->constant_count <= GPU_CONSTANTS_MAX);
    assert(count <= COUNT_OF(entries) && count <= COUNT_OF(values));
    for (u32 i = 0; i < count; i++) {
        entries[i] = (VkSpecializationMapEntry){i, i * (u32)sizeof(u32), sizeof(u32)};
        if (i > 0) values[i] = desc->constants[i - 1];
    }
    const VkSpecializationInfo     constants = {count, entries, count * sizeof(u32), values};
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = desc->bytes,
                                           .pCode = desc->code};
    *kernel = (GpuKernel){.gpu = gpu, .name = desc->name, .group_size = desc->group_size};
    kernel->constant = desc->constant_count ? desc->constants[0] : 0;
    GPU_TRY(gpu, desc->name, gpu->vk.vkCreateShaderModule(gpu->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = gpu->layouts.pipelines};
    const VkResult result =
        GPU_CALL(gpu, gpu->vk.vkCreateComputePipelines(gpu->device, gpu->cache, 1, &info, NULL,
                                                       &kernel->pipeline));
    gpu->vk.vkDestroyShaderModule(gpu->device, module, NULL);
    return result == VK_SUCCESS ? ENT_OK : gpu_refused(gpu, desc->name, result);
}

ent_status gpu_kernel_create_with(GpuKernel* kernel, Gpu* gpu, const GpuKernelDesc* desc,
                                  const u32* constants, u32 count) {
    GpuKernelDesc with = *desc;
    with.constants = constants;
    with.constant_count = count;
    return gpu_kernel_create(kernel, gpu, &with);
}

void gpu_kernel_destroy(GpuKernel* kernel) {
    if (kernel->gpu) {
        kernel->gpu->vk.vkDestroyPipeline(kernel->gpu->device, kernel->pipeline, NULL);
        kernel->gpu->changes++;
    }
    *kernel = (GpuKernel){0};
}
