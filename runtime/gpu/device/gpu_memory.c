/* gpu_memory.c - a block is one allocation with one Vulkan buffer that covers it; kernels access
 * ranges of blocks, so that a system with a dozen buffers needs only one allocation. */
#include "gpu_memory.h"

#define GPU_ALIGN 256u /* of ranges: no device requires more */

u32 gpu_memory_type(const Gpu* gpu, u32 allowed, VkMemoryPropertyFlags wanted,
                    VkMemoryPropertyFlags liked) {
    u32 found = NONE;
    for (u32 i = 0; i < gpu->memory.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags has = gpu->memory.memoryTypes[i].propertyFlags;
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
    if (gpu->bytes + bytes > gpu->info.memory_bytes) {
        gpu_log(gpu, LOG_ERROR,
                "%llu bytes of \"%s\" are needed and %llu are in use; there may be %llu",
                (unsigned long long)bytes, gpu->info.name, (unsigned long long)gpu->bytes,
                (unsigned long long)gpu->info.memory_bytes);
        return ENT_LIMIT;
    }
    GPU_TRY(gpu, "an allocation", gpu->vk.vkAllocateMemory(gpu->device, &info, NULL, memory));
    gpu->bytes += bytes;
    gpu->bytes_peak = MAX_OF(gpu->bytes_peak, gpu->bytes);
    return ENT_OK;
}

void gpu_release(Gpu* gpu, u64 bytes, VkDeviceMemory memory) {
    if (!memory) return;
    gpu->vk.vkFreeMemory(gpu->device, memory, NULL);
    gpu->bytes -= bytes;
}

static ent_status buffer_create(Gpu* gpu, u64 bytes, VkBufferUsageFlags usage, VkBuffer* buffer) {
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    GPU_TRY(gpu, "a buffer", gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, buffer));
    return ENT_OK;
}

/* --- pools --- */

static ent_status block_create(Gpu* gpu, GpuBlock* block, u64 bytes) {
    VkMemoryRequirements need;
    TRY(buffer_create(gpu, bytes,
                      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                          VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
                      &block->handle));
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, block->handle, &need);
    const u32 type =
        gpu_memory_type(gpu, need.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    TRY(gpu_allocate(gpu, need.size, type, &block->memory));
    block->bytes = need.size;
    GPU_TRY(gpu, "a buffer's memory",
            gpu->vk.vkBindBufferMemory(gpu->device, block->handle, block->memory, 0));
    return ENT_OK;
}

static u64 wish_bytes(const GpuBufferWish* wish) {
    return align_up(MAX_OF(wish->count * wish->stride, (u64)4), GPU_ALIGN);
}

/* Checks the sizes against the limits of the device; logs how many elements would fit. */
static ent_status wishes_check(Gpu* gpu, const GpuBufferWish* wishes, u32 count) {
    u64 all = 0;
    for (u32 i = 0; i < count; i++) {
        const GpuBufferWish* w = &wishes[i];
        all += wish_bytes(w);
        if (w->count * w->stride <= gpu->info.buffer_bytes) continue;
        gpu_log(gpu, LOG_ERROR,
                "%s: %llu elements are %llu bytes, and a kernel of \"%s\" sees %llu at most: %llu "
                "elements would fit",
                w->name, (unsigned long long)w->count, (unsigned long long)(w->count * w->stride),
                gpu->info.name, (unsigned long long)gpu->info.buffer_bytes,
                (unsigned long long)(gpu->info.buffer_bytes / w->stride));
        return ENT_LIMIT;
    }
    const u64 room = gpu->info.memory_bytes - MIN_OF(gpu->info.memory_bytes, gpu->bytes);
    if (all <= room) return ENT_OK;
    u64 most = wishes[0].count;
    for (u32 i = 0; i < count; i++) most = MAX_OF(most, wishes[i].count);
    gpu_log(gpu, LOG_ERROR,
            "%s: %llu bytes are needed, and \"%s\" has %llu left: about %llu elements would fit",
            wishes[0].name, (unsigned long long)all, gpu->info.name, (unsigned long long)room,
            (unsigned long long)((f64)most * ((f64)room / (f64)all)));
    return ENT_LIMIT;
}

/* A new block begins where the driver's limit of an allocation is reached. */
static ent_status pool_fill(GpuPool* pool, const GpuBufferWish* wishes, u32 count) {
    Gpu*      gpu = pool->gpu;
    const u64 most = gpu->allocation_bytes_max;
    for (u32 first = 0, end; first < count; first = end) {
        u64 bytes = 0;
        for (end = first; end < count; end++) {
            const u64 more = wish_bytes(&wishes[end]);
            if (end > first && bytes + more > most) break;
            bytes += more;
        }
        if (pool->count == GPU_POOL_BLOCKS) {
            gpu_log(gpu, LOG_ERROR, "%s: block number %u of memory is needed; there may be %u",
                    wishes[first].name, pool->count + 1, GPU_POOL_BLOCKS);
            return ENT_LIMIT;
        }
        GpuBlock* block = &pool->block[pool->count++];
        TRY(block_create(gpu, block, bytes));
        for (u32 i = first; i < end; i++) {
            *wishes[i].buffer = (GpuBuffer){block->handle, block->used,
                                            MAX_OF(wishes[i].count * wishes[i].stride, (u64)4),
                                            gpu->buffer_count++};
            block->used += wish_bytes(&wishes[i]);
        }
        pool->bytes += bytes;
    }
    return ENT_OK;
}

ent_status gpu_pool_create(GpuPool* pool, Gpu* gpu, const GpuBufferWish* wishes, u32 count) {
    *pool = (GpuPool){.gpu = gpu};
    TRY(wishes_check(gpu, wishes, count));
    return pool_fill(pool, wishes, count);
}

/* After a failure: copies to what is about to be destroyed are not made. */
void gpu_stage_drop(Gpu* gpu) {
    if (gpu->stage.used == 0) return;
    gpu->stage.used = 0;
    gpu->vk.vkResetCommandBuffer(gpu->stage_commands, 0);
}

void gpu_pool_destroy(GpuPool* pool) {
    Gpu* gpu = pool->gpu;
    if (pool->count) gpu_stage_drop(gpu), gpu->changes++;
    for (u32 i = 0; i < pool->count; i++) {
        gpu->vk.vkDestroyBuffer(gpu->device, pool->block[i].handle, NULL);
        gpu_release(gpu, pool->block[i].bytes, pool->block[i].memory);
    }
    *pool = (GpuPool){0};
}

/* --- copies --- */

ent_status gpu_stage_create(Gpu* gpu) {
    GpuStage*                   s = &gpu->stage;
    VkMemoryRequirements        need;
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    TRY(buffer_create(gpu, GPU_STAGE_BYTES, 0, &s->buffer));
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, s->buffer, &need);
    const u32 type =
        gpu_memory_type(gpu, need.memoryTypeBits, seen, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    TRY(gpu_allocate(gpu, GPU_STAGE_BYTES, type, &s->memory));
    GPU_TRY(gpu, "a buffer's memory",
            gpu->vk.vkBindBufferMemory(gpu->device, s->buffer, s->memory, 0));
    void* at = NULL;
    GPU_TRY(gpu, "memory that the host sees",
            gpu->vk.vkMapMemory(gpu->device, s->memory, 0, VK_WHOLE_SIZE, 0, &at));
    s->at = at;
    GPU_TRY(gpu, "a buffer of commands",
            gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, &gpu->stage_commands));
    return ENT_OK;
}

ent_status gpu_mapped_create(GpuMapped* mapped, Gpu* gpu, u64 bytes, VkMemoryPropertyFlags liked) {
    VkMemoryRequirements        need;
    const VkMemoryPropertyFlags seen =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    *mapped = (GpuMapped){.gpu = gpu, .buffer = {.bytes = bytes, .number = gpu->buffer_count++}};
    TRY(buffer_create(gpu, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &mapped->buffer.handle));
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

void gpu_stage_destroy(Gpu* gpu) {
    gpu->vk.vkDestroyBuffer(gpu->device, gpu->stage.buffer, NULL);
    gpu_release(gpu, GPU_STAGE_BYTES, gpu->stage.memory);
    gpu->stage = (GpuStage){0};
}

void gpu_wait(Gpu* gpu) {
    if (gpu->device) gpu->vk.vkQueueWaitIdle(gpu->queue);
}

static ent_status submission_await(Gpu* gpu) {
    GPU_TRY(gpu, "waiting for the device",
            gpu->vk.vkWaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX));
    GPU_TRY(gpu, "a fence", gpu->vk.vkResetFences(gpu->device, 1, &gpu->fence));
    return ENT_OK;
}

/* When waiting for a submission fails, no further submission is allowed; and the caller is about to
 * destroy the objects that it uses, so the only remaining wait, for the idle device, is used. */
ent_status gpu_submit(Gpu* gpu, const VkCommandBuffer* commands, u32 count) {
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = count,
                               .pCommandBuffers = commands};
    if (gpu->lost) return ENT_DEVICE_LOST;
    GPU_TRY(gpu, "a submission", gpu->vk.vkQueueSubmit(gpu->queue, 1, &info, gpu->fence));
    const ent_status status = submission_await(gpu);
    if (status == ENT_OK) return ENT_OK;
    gpu->vk.vkDeviceWaitIdle(gpu->device);
    gpu->lost = true;
    return status;
}

static ent_status stage_open(Gpu* gpu) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkBeginCommandBuffer(gpu->stage_commands, &begin));
    /* Writes of kernels in earlier submissions are visible to the copy. */
    const VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask =
                                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    gpu->vk.vkCmdPipelineBarrier(gpu->stage_commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before, 0, NULL, 0, NULL);
    return ENT_OK;
}

ent_status gpu_stage_begin(Gpu* gpu) {
    TRY(gpu_upload_end(gpu));
    return stage_open(gpu);
}

ent_status gpu_stage_take(Gpu* gpu, u64 bytes, u64* offset) {
    const u64 room = align_up(MAX_OF(bytes, (u64)1), 16);
    assert(room <= GPU_STAGE_BYTES);
    if (gpu->stage.used + room > GPU_STAGE_BYTES) TRY(gpu_upload_end(gpu));
    if (gpu->stage.used == 0) TRY(stage_open(gpu));
    *offset = gpu->stage.used;
    gpu->stage.used += room;
    return ENT_OK;
}

ent_status gpu_upload_end(Gpu* gpu) {
    if (gpu->stage.used == 0) return ENT_OK;
    gpu->stage.used = 0;
    return gpu_stage_end(gpu);
}

ent_status gpu_upload_add(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from,
                          u64 bytes) {
    assert(offset + bytes <= buffer->bytes);
    for (u64 done = 0, part; done < bytes; done += part) {
        VkBufferCopy copy = {.dstOffset = buffer->offset + offset + done};
        part = copy.size = MIN_OF(bytes - done, GPU_STAGE_BYTES);
        TRY(gpu_stage_take(gpu, part, &copy.srcOffset));
        memcpy(gpu->stage.at + copy.srcOffset, (const u8*)from + done, part);
        gpu->vk.vkCmdCopyBuffer(gpu->stage_commands, gpu->stage.buffer, buffer->handle, 1, &copy);
    }
    return ENT_OK;
}

ent_status gpu_stage_end(Gpu* gpu) {
    const VkMemoryBarrier after = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_HOST_READ_BIT |
                                                    VK_ACCESS_MEMORY_READ_BIT |
                                                    VK_ACCESS_MEMORY_WRITE_BIT};
    gpu->vk.vkCmdPipelineBarrier(gpu->stage_commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                 1, &after, 0, NULL, 0, NULL);
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkEndCommandBuffer(gpu->stage_commands));
    return gpu_submit(gpu, &gpu->stage_commands, 1);
}

ent_status gpu_upload(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from, u64 bytes) {
    assert(offset + bytes <= buffer->bytes);
    for (u64 done = 0, part; done < bytes; done += part) {
        part = MIN_OF(bytes - done, GPU_STAGE_BYTES);
        const VkBufferCopy copy = {0, buffer->offset + offset + done, part};
        TRY(gpu_upload_end(gpu)); /* its bytes are there */
        memcpy(gpu->stage.at, (const u8*)from + done, part);
        TRY(gpu_stage_begin(gpu));
        gpu->vk.vkCmdCopyBuffer(gpu->stage_commands, gpu->stage.buffer, buffer->handle, 1, &copy);
        TRY(gpu_stage_end(gpu));
    }
    return ENT_OK;
}

ent_status gpu_download(Gpu* gpu, const GpuBuffer* buffer, u64 offset, void* to, u64 bytes) {
    assert(offset + bytes <= buffer->bytes);
    for (u64 done = 0, part; done < bytes; done += part) {
        part = MIN_OF(bytes - done, GPU_STAGE_BYTES);
        const VkBufferCopy copy = {buffer->offset + offset + done, 0, part};
        TRY(gpu_stage_begin(gpu));
        gpu->vk.vkCmdCopyBuffer(gpu->stage_commands, buffer->handle, gpu->stage.buffer, 1, &copy);
        TRY(gpu_stage_end(gpu));
        memcpy((u8*)to + done, gpu->stage.at, part);
    }
    return ENT_OK;
}

ent_status gpu_fill(Gpu* gpu, const GpuBuffer* buffer, u32 word) {
    TRY(gpu_stage_begin(gpu));
    gpu->vk.vkCmdFillBuffer(gpu->stage_commands, buffer->handle, buffer->offset,
                            align_up(buffer->bytes, 4), word);
    return gpu_stage_end(gpu);
}
