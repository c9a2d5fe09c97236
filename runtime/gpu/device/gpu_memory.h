/* gpu_memory.h - device memory: pools of a few large allocations, buffers packed into them, and memory
 * that the host sees. */
#ifndef ENT_GPU_MEMORY_H
#define ENT_GPU_MEMORY_H

#include "gpu_internal.h"

#define GPU_POOL_BLOCKS 16

typedef struct GpuBlock {
    VkDeviceMemory memory;
    VkBuffer       handle;
    u64            bytes, used;
    u64*           end; /* [end_count] with guards: where the bytes of each buffer end */
    u32            end_count;
} GpuBlock;

/* The device memory of a system, freed as a unit. Zeroed: empty. */
typedef struct GpuPool {
    Gpu*     gpu;
    GpuBlock block[GPU_POOL_BLOCKS];
    u32      count;
    u64      bytes; /* of its buffers */
} GpuPool;

/* The requested properties of a buffer. */
typedef struct GpuBufferRequest {
    GpuBuffer*  buffer;
    u64         count, stride; /* elements, and bytes of one */
    const char* name;          /* for messages */
} GpuBufferRequest;

/* Checks the sizes against the limits of the device, before a caller allocates as much itself; logs how
 * many elements would fit.
 *
 * Returns  ENT_OK or ENT_LIMIT. */
MUST_CHECK ent_status gpu_requests_check(Gpu* gpu, const GpuBufferRequest* requests, u32 count);

/* Creates all buffers, in one allocation unless they exceed the driver's limit of an allocation.
 *
 * Returns  ENT_OK; ENT_LIMIT after a message with the number of elements that would fit, when a
 *          buffer is larger than a kernel can access or all are larger than the device memory;
 *          ENT_NO_MEMORY. After a failure the pool is empty. */
MUST_CHECK ent_status gpu_pool_create(GpuPool* pool, Gpu* gpu, const GpuBufferRequest* requests,
                                      u32 count);
void                  gpu_pool_destroy(GpuPool* pool);

/* After a failure it can still be destroyed.
 *
 *   liked  properties of the memory that it has if possible */
MUST_CHECK ent_status gpu_mapped_create(GpuMapped* mapped, Gpu* gpu, u64 bytes,
                                        VkMemoryPropertyFlags liked);
void                  gpu_mapped_destroy(GpuMapped* mapped);

#endif
