/* gpu_mirror.h - what the device has of a table of the host: a hash of each block, so that only blocks that
 * changed are uploaded.
 *
 *     GpuMirror mirror = {0};
 *     TRY(gpu_mirror_upload(&mirror, frame, &buffer, table, bytes));   the first time: all of it
 *     gpu_mirror_free(&mirror); */
#ifndef ENT_GPU_MIRROR_H
#define ENT_GPU_MIRROR_H

#include "gpu_frame_internal.h"

typedef struct GpuMirror {
    u64* hash; /* [capacity] of each block */
    u64  bytes;
    u32  number, capacity; /* of the buffer */
    u32  dropped;          /* Gpu.dropped */
} GpuMirror;

/* The buffer has these bytes, which were uploaded in another way. */
MUST_CHECK ent_status gpu_mirror_note(GpuMirror* mirror, const Gpu* gpu, const GpuBuffer* buffer,
                                      const void* from, u64 bytes);

/* Records the upload of the blocks that changed; of all, when it is another buffer or size, or when a
 * frame has failed meanwhile. The bytes are read before the function returns. */
MUST_CHECK ent_status gpu_mirror_upload(GpuMirror* mirror, GpuFrame* frame, const GpuBuffer* buffer,
                                        const void* from, u64 bytes);

/* The same for tables to the buffers of a pool, which are replaced when one of them has too little room.
 *
 *   mirrors, tables, from  [count] */
MUST_CHECK ent_status gpu_mirrors_upload(GpuMirror* mirrors, GpuFrame* frame, GpuPool* pool,
                                         const GpuBufferRequest* tables, const void* const* from,
                                         u32 count);

void gpu_mirror_free(GpuMirror* mirror);

#endif
