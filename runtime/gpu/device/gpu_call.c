/* gpu_call.c - failed calls of the driver, submissions, and the pointers to its functions. */
#include <stdarg.h>
#include <stdio.h>

#define VOLK_IMPLEMENTATION
#include "gpu_internal.h"

/* --- messages --- */

void gpu_log(const Gpu* gpu, LogLevel level, const char* text, ...) {
    char    line[1024];
    va_list arguments;
    if (!gpu->desc.log.write) return;
    va_start(arguments, text);
    vsnprintf(line, sizeof line, text, arguments);
    va_end(arguments);
    gpu->desc.log.write(gpu->desc.log.user, level, line);
}

static const char* result_text(VkResult result) {
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "the host is out of memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "the device is out of memory";
    case VK_ERROR_DEVICE_LOST: return "the device was lost";
    case VK_ERROR_INITIALIZATION_FAILED: return "the driver could not be initialised";
    case VK_ERROR_LAYER_NOT_PRESENT: return "a layer is not installed";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "an extension is not there";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "a feature is not there";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "there is no driver that fits";
    case VK_ERROR_TOO_MANY_OBJECTS: return "the driver has too many objects of the kind";
    case VK_ERROR_INVALID_SHADER_NV: return "the shader does not compile";
    default: return "the driver refuses it";
    }
}

ent_status gpu_refused(Gpu* gpu, const char* what, VkResult result) {
    gpu_log(gpu, LOG_ERROR, "Vulkan: %s: %s (VkResult %d)", what, result_text(result), result);
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return ENT_NO_MEMORY;
    case VK_ERROR_DEVICE_LOST: gpu->lost = true; return ENT_DEVICE_LOST;
    default: return ENT_DEVICE_FAULT;
    }
}

/* --- submissions --- */

void gpu_wait(Gpu* gpu) {
    if (gpu->device) gpu->vk.vkQueueWaitIdle(gpu->queue);
}

/* When waiting fails, no further submission is allowed; and the caller is about to destroy the objects
 * that the submission uses, so the only remaining wait, for the idle device, is used. */
ent_status gpu_fence_await(Gpu* gpu, VkFence fence) {
    VkResult result =
        GPU_CALL(gpu, gpu->vk.vkWaitForFences(gpu->device, 1, &fence, VK_TRUE, UINT64_MAX));
    if (result == VK_SUCCESS) result = GPU_CALL(gpu, gpu->vk.vkResetFences(gpu->device, 1, &fence));
    if (result == VK_SUCCESS) return ENT_OK;
    const ent_status status = gpu_refused(gpu, "waiting for the device", result);
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    gpu->lost = true;
    return status;
}

ent_status gpu_submit(Gpu* gpu, const VkCommandBuffer* commands, u32 count) {
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = count,
                               .pCommandBuffers = commands};
    if (gpu->lost) return ENT_DEVICE_LOST;
    GPU_TRY(gpu, "a submission", gpu->vk.vkQueueSubmit(gpu->queue, 1, &info, gpu->fence));
    return gpu_fence_await(gpu, gpu->fence);
}
