/* gpu_memory.h - memory of the device: pools of a few large allocations, buffers one behind the
 * other in them, and copies both ways. */
#ifndef ENT_GPU_MEMORY_H
#define ENT_GPU_MEMORY_H

#include "gpu_internal.h"

#define GPU_POOL_BLOCKS 16

typedef struct GpuBlock {
    VkDeviceMemory memory;
    VkBuffer       handle;
    u64            bytes, used;
} GpuBlock;

/* What a system holds, and gives back at once. Zeroed: empty. */
typedef struct GpuPool {
    Gpu*     gpu;
    GpuBlock block[GPU_POOL_BLOCKS];
    u32      count;
    u64      bytes; /* of its buffers */
} GpuPool;

/* A range of a block, good for as long as its pool. */
typedef struct GpuBuffer {
    VkBuffer handle;
    u64      offset, bytes;
    u32      number; /* tells it from all others of its Gpu */
} GpuBuffer;

/* What one buffer shall be. */
typedef struct GpuBufferWish {
    GpuBuffer*  buffer;
    u64         count, stride; /* elements, and bytes of one */
    const char* name;          /* for messages */
} GpuBufferWish;

/* Makes all buffers, in one allocation unless the driver limits these.
 *
 * Returns  ENT_OK; ENT_LIMIT after a message that says how many elements would fit, when a buffer
 *          is longer than a kernel can see or all are more than the device has; ENT_NO_MEMORY.
 *          After a failure the pool can be destroyed as ever. */
MUST_CHECK ent_status gpu_pool_create(GpuPool* pool, Gpu* gpu, const GpuBufferWish* wishes,
                                      u32 count);
void                  gpu_pool_destroy(GpuPool* pool);

/* Copies through memory that both see, piece by piece; done when it returns. */
MUST_CHECK ent_status gpu_upload(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from,
                                 u64 bytes);
MUST_CHECK ent_status gpu_download(Gpu* gpu, const GpuBuffer* buffer, u64 offset, void* to,
                                   u64 bytes);
/* Every word of a buffer, done when it returns. */
MUST_CHECK ent_status gpu_fill(Gpu* gpu, const GpuBuffer* buffer, u32 word);

#endif
