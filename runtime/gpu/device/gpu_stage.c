/* gpu_stage.c - copies through memory that the host and the device see. Its two parts are used in turn:
 * the host fills one while the device copies the other. */
#include "gpu_stage.h"

/* --- create and destroy --- */

static ent_status part_create(Gpu* gpu, GpuStagePart* part) {
    const VkFenceCreateInfo           fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->commands,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1};
    GPU_TRY(gpu, "a buffer of commands",
            gpu->vk.vkAllocateCommandBuffers(gpu->device, &commands, &part->commands));
    GPU_TRY(gpu, "a fence", gpu->vk.vkCreateFence(gpu->device, &fence, NULL, &part->fence));
    return ENT_OK;
}

ent_status gpu_stage_create(Gpu* gpu) {
    GpuStage* s = &gpu->stage;
    TRY(gpu_mapped_create(&s->memory, gpu, GPU_STAGE_BYTES, VK_MEMORY_PROPERTY_HOST_CACHED_BIT));
    s->at = s->memory.at;
    for (u32 i = 0; i < COUNT_OF(s->part); i++) TRY(part_create(gpu, &s->part[i]));
    s->commands = s->part[0].commands;
    return ENT_OK;
}

void gpu_stage_destroy(Gpu* gpu) {
    for (u32 i = 0; i < COUNT_OF(gpu->stage.part); i++)
        gpu->vk.vkDestroyFence(gpu->device, gpu->stage.part[i].fence, NULL);
    gpu_mapped_destroy(&gpu->stage.memory);
    gpu->stage = (GpuStage){0};
}

/* --- commands --- */

static ent_status commands_begin(Gpu* gpu) {
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    GPU_TRY(gpu, "a buffer of commands", gpu->vk.vkBeginCommandBuffer(gpu->stage.commands, &begin));
    /* Writes of kernels in earlier submissions are visible to the copy. */
    const VkMemoryBarrier before = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask =
                                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    gpu->vk.vkCmdPipelineBarrier(gpu->stage.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                 VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before, 0, NULL, 0, NULL);
    return ENT_OK;
}

static ent_status commands_end(Gpu* gpu) {
    const VkMemoryBarrier after = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_HOST_READ_BIT |
                                                    VK_ACCESS_MEMORY_READ_BIT |
                                                    VK_ACCESS_MEMORY_WRITE_BIT};
    gpu->vk.vkCmdPipelineBarrier(gpu->stage.commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                                 1, &after, 0, NULL, 0, NULL);
    const VkResult result = GPU_CALL(gpu, gpu->vk.vkEndCommandBuffer(gpu->stage.commands));
    if (result == VK_SUCCESS) return ENT_OK;
    gpu->vk.vkResetCommandBuffer(gpu->stage.commands, 0); /* the next copy begins it again */
    return gpu_refused(gpu, "a buffer of commands", result);
}

/* --- parts --- */

static ent_status part_await(Gpu* gpu, GpuStagePart* part) {
    if (!part->is_running) return ENT_OK;
    part->is_running = false;
    return gpu_fence_await(gpu, part->fence);
}

/* Submits the copies of the part in use, and goes on with the other one. */
static ent_status part_submit(Gpu* gpu) {
    GpuStage*          s = &gpu->stage;
    GpuStagePart*      part = &s->part[s->which];
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &part->commands};
    s->used = 0;
    if (gpu->lost) return ENT_DEVICE_LOST;
    TRY(commands_end(gpu));
    GPU_TRY(gpu, "a submission", gpu->vk.vkQueueSubmit(gpu->queue, 1, &info, part->fence));
    part->is_running = true;
    s->which = !s->which;
    s->commands = s->part[s->which].commands;
    return ENT_OK;
}

ent_status gpu_stage_take(Gpu* gpu, u64 bytes, u64* offset) {
    GpuStage* s = &gpu->stage;
    const u64 room = align_up(MAX_OF(bytes, (u64)1), 16);
    assert(room <= GPU_STAGE_PART);
    if (s->used + room > GPU_STAGE_PART) TRY(part_submit(gpu));
    if (s->used == 0) {
        TRY(part_await(gpu, &s->part[s->which]));
        TRY(commands_begin(gpu));
    }
    *offset = s->which * GPU_STAGE_PART + s->used;
    s->used += room;
    return ENT_OK;
}

ent_status gpu_upload_end(Gpu* gpu) {
    GpuStage*  s = &gpu->stage;
    ent_status status = s->used > 0 ? part_submit(gpu) : ENT_OK;
    for (u32 i = 0; i < COUNT_OF(s->part); i++) {
        const ent_status waited = part_await(gpu, &s->part[(s->which + i) % COUNT_OF(s->part)]);
        if (status == ENT_OK) status = waited;
    }
    return status;
}

void gpu_stage_drop(Gpu* gpu) {
    GpuStage* s = &gpu->stage;
    if (s->used > 0) gpu->vk.vkResetCommandBuffer(s->commands, 0);
    s->used = 0;
    for (u32 i = 0; i < COUNT_OF(s->part); i++) {
        if (!s->part[i].is_running) continue;
        gpu->vk.vkWaitForFences(gpu->device, 1, &s->part[i].fence, VK_TRUE, UINT64_MAX);
        gpu->vk.vkResetFences(gpu->device, 1, &s->part[i].fence);
        s->part[i].is_running = false;
    }
}

ent_status gpu_stage_begin(Gpu* gpu) {
    TRY(gpu_upload_end(gpu));
    return commands_begin(gpu);
}

ent_status gpu_stage_end(Gpu* gpu) {
    TRY(commands_end(gpu));
    return gpu_submit(gpu, &gpu->stage.commands, 1);
}

/* --- copies --- */

ent_status gpu_upload_add(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from,
                          u64 bytes) {
    assert(offset + bytes <= buffer->bytes);
    for (u64 done = 0, part; done < bytes; done += part) {
        VkBufferCopy copy = {.dstOffset = buffer->offset + offset + done};
        part = copy.size = MIN_OF(bytes - done, GPU_STAGE_PART);
        TRY(gpu_stage_take(gpu, part, &copy.srcOffset));
        memcpy(gpu->stage.at + copy.srcOffset, (const u8*)from + done, part);
        gpu->vk.vkCmdCopyBuffer(gpu->stage.commands, gpu->stage.memory.buffer.handle,
                                buffer->handle, 1, &copy);
    }
    return ENT_OK;
}

ent_status gpu_upload(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from, u64 bytes) {
    TRY(gpu_upload_add(gpu, buffer, offset, from, bytes));
    return gpu_upload_end(gpu);
}

ent_status gpu_download(Gpu* gpu, const GpuBuffer* buffer, u64 offset, void* to, u64 bytes) {
    assert(offset + bytes <= buffer->bytes);
    for (u64 done = 0, part; done < bytes; done += part) {
        part = MIN_OF(bytes - done, GPU_STAGE_BYTES);
        const VkBufferCopy copy = {buffer->offset + offset + done, 0, part};
        TRY(gpu_stage_begin(gpu));
        gpu->vk.vkCmdCopyBuffer(gpu->stage.commands, buffer->handle,
                                gpu->stage.memory.buffer.handle, 1, &copy);
        TRY(gpu_stage_end(gpu));
        memcpy((u8*)to + done, gpu->stage.at, part);
    }
    return ENT_OK;
}

ent_status gpu_fill(Gpu* gpu, const GpuBuffer* buffer, u32 word) {
    TRY(gpu_stage_begin(gpu));
    gpu->vk.vkCmdFillBuffer(gpu->stage.commands, buffer->handle, buffer->offset,
                            align_up(buffer->bytes, 4), word);
    return gpu_stage_end(gpu);
}
