/* gpu_vulkan.h - for hosts with a Vulkan device of their own: what that device needs, frames that are
 * recorded to the host's commands, and the handles of buffers and images.
 *
 *     EntGpuNeeds needs;
 *     if (ent_gpu_needs(&needs, instance, physical_device) != ENT_OK) return 1;
 *     VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &needs.features};
 *     // vkCreateDevice(physical_device, &info, NULL, &device), and then:
 *     const EntGpuHost host = {instance, physical_device, device, queue, queue_family};
 *     EntGpuDesc       desc = {0};
 *     desc.host = &host;
 *     if (ent_gpu_create(&gpu, &desc) != ENT_OK) return 1;
 *     while (running) {
 *         if (ent_gpu_frame_begin(frames, &frame) != ENT_OK) return 1;
 *         if (ent_picture_record(frame, &parts, NULL, NULL) != ENT_OK) return 1; // all systems
 *         if (ent_gpu_frame_end_in(frame, commands) != ENT_OK) return 1;
 *         draw_frame(); // the host's own commands, which read the ranges of systems
 *     }
 *
 * Functions that create objects, and those whose comment says that they wait, submit to the host's
 * queue: no other thread may use the queue meanwhile. */
#ifndef ENT_GPU_VULKAN_H
#define ENT_GPU_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "gpu_frame.h"

/* What vkCreateDevice is called with. The structs of the features are chained; a host adds its own. */
typedef struct EntGpuNeeds {
    uint32_t                         api_version; /* of the instance: at least */
    VkPhysicalDeviceFeatures2        features;
    VkPhysicalDeviceVulkan11Features features_1_1;
    VkPhysicalDeviceVulkan12Features features_1_2;
    uint32_t                         queue_family; /* one that can be used */
    const char*                      lacks; /* ENT_NO_DEVICE: what the device does not have */
} EntGpuNeeds;

typedef struct EntGpuHost {
    VkInstance       instance; /* of Vulkan 1.2 or later */
    VkPhysicalDevice physical_device;
    VkDevice         device; /* with the features of EntGpuNeeds */
    VkQueue          queue;  /* for compute and graphics */
    uint32_t         queue_family;
} EntGpuHost;

/* A range of a buffer (EntGpuRange), and how the passes of a frame leave it: a host's command that reads it needs a
 * barrier whose source is `stages` and `access`. */
struct EntGpuRange {
    VkBuffer             buffer;
    VkDeviceSize         offset, bytes;
    VkPipelineStageFlags stages;
    VkAccessFlags        access;
    uint32_t             number; /* of the buffer among those of its EntGpu */
};

/* An image (EntGpuImageView), and how the passes of a frame leave it. */
struct EntGpuImageView {
    VkImage              image;
    VkImageView          view;
    VkFormat             format;
    uint32_t             width, height;
    VkImageLayout        layout;
    VkPipelineStageFlags stages;
    VkAccessFlags        access;
};

#ifdef __cplusplus
extern "C" {
#endif

/* The features that must be enabled, and those that only some systems need as far as the device has
 * them. `needs` must not be moved afterwards: its structs point to each other.
 *
 * Returns  ENT_OK; ENT_NO_DEVICE: the device cannot be used, or there is no loader. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_needs(EntGpuNeeds* needs, VkInstance instance,
                                               VkPhysicalDevice physical_device);

/* Ends the frame by recording its passes to the commands of the host, outside of a render pass. The
 * passes wait for everything that is recorded or submitted before them.
 *
 * Needs    the commands that ENT_GPU_FRAMES_IN_FLIGHT frames earlier were recorded to are complete
 *          when the frame begins. */
ENT_API ENT_MUST_CHECK EntStatus ent_gpu_frame_end_in(EntGpuFrame* frame, VkCommandBuffer commands);

#ifdef __cplusplus
}
#endif

#endif
