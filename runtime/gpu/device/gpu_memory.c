/* gpu_memory.c - allocations, and memory that the host sees. */
#include "gpu_memory.h"

u32 gpu_memory_type(const Gpu* gpu, u32 allowed, VkMemoryPropertyFlags wanted,
                    VkMemoryPropertyFlags liked) {
    u32 found = NONE;
    for (u32 i = 0; i < gpu->memory.types.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags has = gpu->memory.types.memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (has & wanted) != wanted) continue;
        if ((has & liked) == liked) return i;
        if (found == NONE) found = i;
    }
    return found;
}

ent_status gpu_allocate(Gpu* gpu, u64 bytes, u32 type, VkDeviceMemory* memory) {
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = bytes,
                                       .memoryTypeIndex = type};
    if (type == NONE)
        return gpu_refused(gpu, "memory of a kind that it has not got",
                           VK_ERROR_FEATURE_NOT_PRESENT);
    if (gpu->memory.bytes + bytes > gpu->info.memory_bytes) {
        gpu_log(gpu, LOG_ERROR,
                "%llu bytes of \"%s\" are needed and %llu are in use; the limit is %llu",
                (unsigned long long)bytes, gpu->info.name, (unsigned long long)gpu->memory.bytes,
                (unsigned long long)gpu->info.memory_bytes);
        return ENT_LIMIT;
    }
    GPU_TRY(gpu, "an allocation", gpu->vk.vkAllocateMemory(gpu->device, &info, NULL, memory));
    gpu->memory.bytes += bytes;
    gpu->memory.bytes_peak = MAX_OF(gpu->memory.bytes_peak, gpu->memory.bytes);
    return ENT_OK;
}

void gpu_release(Gpu* gpu, u64 bytes, VkDeviceMemory memory) {
    if (!memory) return;
    gpu->vk.vkFreeMemory(gpu->device, memory, NULL);
    gpu->memory.bytes -= bytes;
}

ent_status gpu_buffer_create(Gpu* gpu, u64 bytes, VkBufferUsageFlags usage, VkBuffer* buffer) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    GPU_TRY(gpu, "a buffer", gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, buffer));
    return ENT_OK;
}

/* --- memory that the host sees --- */

ent_status gpu_mapped_create(GpuMapped* mapped, Gpu* gpu, u64 bytes, VkMemoryPropertyFlags liked) {
    VkMemoryRequirements        need;
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    *mapped =
        (GpuMapped){.gpu = gpu, .buffer = {.bytes = bytes, .number = gpu->memory.buffer_count++}};
    TRY(gpu_buffer_create(gpu, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &mapped->buffer.handle));
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, mapped->buffer.handle, &need);
    TRY(gpu_allocate(gpu, need.size, gpu_memory_type(gpu, need.memoryTypeBits, seen, liked),
                     &mapped->memory));
    mapped->bytes = need.size;
    GPU_TRY(gpu, "a buffer's memory",
            gpu->vk.vkBindBufferMemory(gpu->device, mapped->buffer.handle, mapped->memory, 0));
    void* at = NULL;
    GPU_TRY(gpu, "memory that the host sees",
            gpu->vk.vkMapMemory(gpu->device, mapped->memory, 0, VK_WHOLE_SIZE, 0, &at));
    mapped->at = at;
    return ENT_OK;
}

void gpu_mapped_destroy(GpuMapped* mapped) {
    Gpu* gpu = mapped->gpu;
    if (!gpu) return;
    gpu->changes++;
    gpu->vk.vkDestroyBuffer(gpu->device, mapped->buffer.handle, NULL);
    gpu_release(gpu, mapped->bytes, mapped->memory);
    *mapped = (GpuMapped){0};
}
