/* gpu_pool.c - a block is one allocation with one Vulkan buffer that covers it; kernels access
 * ranges of blocks, so that a system with a dozen buffers needs only one allocation. */
#include "gpu_stage.h"

#include <stdlib.h>

#define GPU_ALIGN 256u /* of ranges: no device requires more */

static ent_status block_create(Gpu* gpu, GpuBlock* block, u64 bytes) {
    VkMemoryRequirements need;
    TRY(gpu_buffer_create(gpu, bytes,
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

static u64 request_bytes(const Gpu* gpu, const GpuBufferRequest* request) {
    const u64 bytes = align_up(MAX_OF(request->count * request->stride, (u64)4), GPU_ALIGN);
    return gpu->guards.is_on ? bytes + GPU_ALIGN : bytes;
}

ent_status gpu_requests_check(Gpu* gpu, const GpuBufferRequest* requests, u32 count) {
    u64 all = 0;
    for (u32 i = 0; i < count; i++) {
        const GpuBufferRequest* w = &requests[i];
        if (w->count <= gpu->info.buffer_bytes / w->stride) { /* so that the product cannot wrap */
            all += request_bytes(gpu, w);
            continue;
        }
        gpu_log(
            gpu, LOG_ERROR,
            "%s: %llu elements of %llu bytes are needed, and a kernel of \"%s\" sees %llu bytes "
            "at most: %llu elements would fit",
            w->name, (unsigned long long)w->count, (unsigned long long)w->stride, gpu->info.name,
            (unsigned long long)gpu->info.buffer_bytes,
            (unsigned long long)(gpu->info.buffer_bytes / w->stride));
        return ENT_LIMIT;
    }
    const u64 room = gpu->info.memory_bytes - MIN_OF(gpu->info.memory_bytes, gpu->memory.bytes);
    if (all <= room) return ENT_OK;
    u64 max = requests[0].count;
    for (u32 i = 0; i < count; i++) max = MAX_OF(max, requests[i].count);
    gpu_log(gpu, LOG_ERROR,
            "%s: %llu bytes are needed, and \"%s\" has %llu left: about %llu elements would fit",
            requests[0].name, (unsigned long long)all, gpu->info.name, (unsigned long long)room,
            (unsigned long long)((f64)max * ((f64)room / (f64)all)));
    return ENT_LIMIT;
}

static ent_status block_guard(GpuBlock* block, u32 buffers) {
    block->end = calloc(buffers, sizeof *block->end);
    return block->end ? ENT_OK : ENT_NO_MEMORY;
}

/* A new block begins where the driver's limit of an allocation is reached. */
static ent_status pool_fill(GpuPool* pool, const GpuBufferRequest* requests, u32 count) {
    Gpu*      gpu = pool->gpu;
    const u64 max = gpu->memory.allocation_bytes_max;
    for (u32 first = 0, end; first < count; first = end) {
        u64 bytes = 0;
        for (end = first; end < count; end++) {
            const u64 more = request_bytes(gpu, &requests[end]);
            if (end > first && bytes + more > max) break;
            bytes += more;
        }
        if (pool->count == GPU_POOL_BLOCKS) {
            gpu_log(gpu, LOG_ERROR, "%s: block number %u of memory is needed; the limit is %u",
                    requests[first].name, pool->count + 1, GPU_POOL_BLOCKS);
            return ENT_LIMIT;
        }
        GpuBlock* block = &pool->block[pool->count++];
        TRY(block_create(gpu, block, bytes));
        if (gpu->guards.is_on) TRY(block_guard(block, end - first));
        for (u32 i = first; i < end; i++) {
            *requests[i].buffer = (GpuBuffer){
                block->handle, block->used, MAX_OF(requests[i].count * requests[i].stride, (u64)4),
                gpu->memory.buffer_count++};
            if (block->end)
                block->end[block->end_count++] = block->used + requests[i].buffer->bytes;
            block->used += request_bytes(gpu, &requests[i]);
        }
        pool->bytes += bytes;
    }
    return ENT_OK;
}

static void pool_free(GpuPool* pool) {
    Gpu* gpu = pool->gpu;
    if (pool->count) gpu_stage_drop(gpu), gpu->changes++;
    for (u32 i = 0; i < pool->count; i++) {
        free(pool->block[i].end);
        gpu->vk.vkDestroyBuffer(gpu->device, pool->block[i].handle, NULL);
        gpu_release(gpu, pool->block[i].bytes, pool->block[i].memory);
    }
    *pool = (GpuPool){0};
}

ent_status gpu_pool_create(GpuPool* pool, Gpu* gpu, const GpuBufferRequest* requests, u32 count) {
    *pool = (GpuPool){.gpu = gpu};
    ent_status status = gpu_requests_check(gpu, requests, count);
    if (status == ENT_OK) status = pool_fill(pool, requests, count);
    if (status == ENT_OK && gpu->guards.is_on) status = gpu_guards_set(gpu, pool);
    if (status != ENT_OK) pool_free(pool);
    return status;
}

void gpu_pool_destroy(GpuPool* pool) {
    if (pool->count && pool->gpu->guards.is_on) {
        gpu_stage_drop(pool->gpu);
        gpu_guards_check(pool->gpu, pool);
    }
    pool_free(pool);
}
