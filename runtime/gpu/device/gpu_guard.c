/* gpu_guard.c - words behind each buffer that no kernel may write: a check for tests. */
#include "gpu_stage.h"

#define GUARD_WORD  0xfeedc0deu
#define GUARD_BYTES 256u /* at least, behind each buffer */

ent_status gpu_guards_set(Gpu* gpu, const GpuPool* pool) {
    TRY(gpu_stage_begin(gpu));
    for (u32 i = 0; i < pool->count; i++)
        gpu->vk.vkCmdFillBuffer(gpu->stage.commands, pool->block[i].handle, 0, VK_WHOLE_SIZE,
                                GUARD_WORD);
    return gpu_stage_end(gpu);
}

static u32 block_check(Gpu* gpu, const GpuBlock* block) {
    const u32* words = (const u32*)(const void*)gpu->stage.at;
    u32        broken = 0;
    assert((u64)block->end_count * GUARD_BYTES <= GPU_STAGE_BYTES);
    if (gpu_stage_begin(gpu) != ENT_OK) return 0;
    for (u32 i = 0; i < block->end_count; i++) {
        const VkBufferCopy copy = {align_up(block->end[i], 4), (u64)i * GUARD_BYTES, GUARD_BYTES};
        gpu->vk.vkCmdCopyBuffer(gpu->stage.commands, block->handle, gpu->stage.memory.buffer.handle,
                                1, &copy);
    }
    if (gpu_stage_end(gpu) != ENT_OK) return 0;
    for (u32 i = 0; i < block->end_count * GUARD_BYTES / 4; i++) broken += words[i] != GUARD_WORD;
    return broken;
}

void gpu_guards_check(Gpu* gpu, const GpuPool* pool) {
    for (u32 i = 0; i < pool->count && !gpu->lost; i++) {
        const u32 broken = block_check(gpu, &pool->block[i]);
        if (broken) gpu_log(gpu, LOG_ERROR, "%u words behind buffers were written", broken);
        gpu->guards.broken += broken;
    }
}
