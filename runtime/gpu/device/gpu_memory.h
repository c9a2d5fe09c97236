/* gpu_memory.h - device memory: pools of a few large allocations, buffers packed into them, and
 * copies in both directions. */
#ifndef ENT_GPU_MEMORY_H
#define ENT_GPU_MEMORY_H

#include "gpu_internal.h"

#define GPU_POOL_BLOCKS 16

typedef struct GpuBlock {
    VkDeviceMemory memory;
    VkBuffer       handle;
    u64            bytes, used;
} GpuBlock;

/* The device memory of a system, freed as a unit. Zeroed: empty. */
typedef struct GpuPool {
    Gpu*     gpu;
    GpuBlock block[GPU_POOL_BLOCKS];
    u32      count;
    u64      bytes; /* of its buffers */
} GpuPool;

/* A range of a block, valid until its pool is destroyed. */
typedef struct GpuBuffer {
    VkBuffer handle;
    u64      offset, bytes;
    u32      number; /* unique among the buffers of its Gpu */
} GpuBuffer;

/* The requested properties of a buffer. */
typedef struct GpuBufferWish {
    GpuBuffer*  buffer;
    u64         count, stride; /* elements, and bytes of one */
    const char* name;          /* for messages */
} GpuBufferWish;

/* Creates all buffers, in one allocation unless they exceed the driver's limit of an allocation.
 *
 * Returns  ENT_OK; ENT_LIMIT after a message with the number of elements that would fit, when a
 *          buffer is larger than a kernel can access or all are larger than the device memory;
 *          ENT_NO_MEMORY. After a failure the pool can still be destroyed. */
MUST_CHECK ent_status gpu_pool_create(GpuPool* pool, Gpu* gpu, const GpuBufferWish* wishes,
                                      u32 count);
void                  gpu_pool_destroy(GpuPool* pool);

/* Copies in pieces through host-visible memory; complete when the function returns. */
MUST_CHECK ent_status gpu_upload(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from,
                                 u64 bytes);
MUST_CHECK ent_status gpu_download(Gpu* gpu, const GpuBuffer* buffer, u64 offset, void* to,
                                   u64 bytes);
/* The same for many copies, which are submitted together: the bytes are copied before the function
 * returns; the buffer has them after gpu_upload_end, or after any other copy. */
MUST_CHECK ent_status gpu_upload_add(Gpu* gpu, const GpuBuffer* buffer, u64 offset,
                                     const void* from, u64 bytes);
MUST_CHECK ent_status gpu_upload_end(Gpu* gpu);

/* Memory for the bytes of a copy that is recorded to gpu->stage_commands: at gpu->stage.at + offset,
 * a multiple of 16. */
MUST_CHECK ent_status gpu_stage_take(Gpu* gpu, u64 bytes, u64* offset);

/* Forgets copies that were added and not submitted. */
void gpu_stage_drop(Gpu* gpu);

/* Records a copy: commands between the two calls, to gpu->stage_commands; complete when the second
 * one returns. */
#define GPU_STAGE_BYTES ((u64)32 << 20) /* of gpu->stage.at */
MUST_CHECK ent_status gpu_stage_begin(Gpu* gpu);
MUST_CHECK ent_status gpu_stage_end(Gpu* gpu);

/* Memory that the host and the device see. Zeroed: empty. */
typedef struct GpuMapped {
    Gpu*           gpu;
    VkDeviceMemory memory;
    GpuBuffer      buffer;
    u64            bytes; /* of the allocation */
    u8*            at;    /* [buffer.bytes] mapped */
} GpuMapped;

/* After a failure it can still be destroyed.
 *
 *   liked  properties of the memory that it has if possible */
MUST_CHECK ent_status gpu_mapped_create(GpuMapped* mapped, Gpu* gpu, u64 bytes,
                                        VkMemoryPropertyFlags liked);
void                  gpu_mapped_destroy(GpuMapped* mapped);

/* Sets every word of a buffer; complete when the function returns. */
MUST_CHECK ent_status gpu_fill(Gpu* gpu, const GpuBuffer* buffer, u32 word);

#endif
