/* gpu_internal.h - what the files of the floor share: the device, and how its calls fail.
 *
 * gpu.c         instance, choice of a device, its queue
 * gpu_memory.c  few large allocations, buffers in them, copies both ways
 * gpu_list.c    kernels, passes with the barriers they need, times */
#ifndef ENT_GPU_INTERNAL_H
#define ENT_GPU_INTERNAL_H

#define VK_NO_PROTOTYPES
#include <volk.h>

#include "base.h"
#include "gpu.h"

/* Buffers that a kernel may see: its bindings are 0 to GPU_BINDINGS - 1 of set 0, in every kernel.
 */
#define GPU_BINDINGS   12
#define GPU_PUSH_BYTES 128 /* what every device has */

typedef struct GpuStage {
    VkDeviceMemory memory;
    VkBuffer       buffer;
    u8*            at; /* [GPU_STAGE_BYTES], mapped */
} GpuStage;

struct Gpu {
    GpuInfo                          info;
    GpuDesc                          desc;
    VkInstance                       instance;
    VkDebugUtilsMessengerEXT         messenger;
    VkPhysicalDevice                 physical;
    VkPhysicalDeviceLimits           limits;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice                         device;
    struct VolkDeviceTable           vk;
    VkQueue                          queue;
    u32                              queue_family;
    VkCommandPool                    commands;
    VkPipelineCache                  cache;
    VkDescriptorSetLayout            set_layout;
    VkPipelineLayout                 layout;
    VkFence                          fence;
    GpuStage                         stage;
    VkCommandBuffer                  stage_commands;
    u64                              bytes, bytes_peak, allocation_bytes_max;
    u32                              calls;        /* that could fail, for desc.fault_call */
    u32                              buffer_count; /* that were ever made: the next one's number */
    u32                              validation_count;
    bool                             lost;
};

/* Says what failed, and what status that is. */
ent_status gpu_refused(Gpu* gpu, const char* what, VkResult result);
void       gpu_tell(const Gpu* gpu, LogLevel level, const char* text, ...) PRINTF_LIKE(3, 4);

static inline bool gpu_fault_now(Gpu* gpu) { return ++gpu->calls == gpu->desc.fault_call; }

/* The call is not made when it is its turn to fail. */
#define GPU_CALL(gpu, call) (gpu_fault_now(gpu) ? (VkResult)(gpu)->desc.fault_result : (call))

/* Forwards a refusal: GPU_TRY(gpu, "a fence", vkCreateFence(...)); */
#define GPU_TRY(gpu, what, call)                                                                   \
    do {                                                                                           \
        const VkResult gpu_result_ = GPU_CALL(gpu, call);                                          \
        if (gpu_result_ != VK_SUCCESS) return gpu_refused((gpu), (what), gpu_result_);             \
    } while (0)

ent_status gpu_stage_create(Gpu* gpu);
void       gpu_stage_destroy(Gpu* gpu);

/* Submits commands, one behind the other, and waits until they are done. */
MUST_CHECK ent_status gpu_submit(Gpu* gpu, const VkCommandBuffer* commands, u32 count);

/* The memory type that has `wanted`, and `liked` where there is such a one; NONE: there is none. */
u32 gpu_memory_type(const Gpu* gpu, u32 allowed, VkMemoryPropertyFlags wanted,
                    VkMemoryPropertyFlags liked);

/* Memory, counted. */
MUST_CHECK ent_status gpu_allocate(Gpu* gpu, u64 bytes, u32 type, VkDeviceMemory* memory);
void                  gpu_release(Gpu* gpu, u64 bytes, VkDeviceMemory memory);

#endif
