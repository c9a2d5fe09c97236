/* gpu_stage.h - copies between the host's memory and buffers or images, through memory that both see.
 * Frames have uploads of their own, which do not wait (gpu_frame_internal.h). */
#ifndef ENT_GPU_STAGE_H
#define ENT_GPU_STAGE_H

#include "gpu_memory.h"

/* Copies in pieces; complete when the function returns. */
MUST_CHECK ent_status gpu_upload(Gpu* gpu, const GpuBuffer* buffer, u64 offset, const void* from,
                                 u64 bytes);
MUST_CHECK ent_status gpu_download(Gpu* gpu, const GpuBuffer* buffer, u64 offset, void* to,
                                   u64 bytes);
/* Sets every word of a buffer; complete when the function returns. */
MUST_CHECK ent_status gpu_fill(Gpu* gpu, const GpuBuffer* buffer, u32 word);

/* The same as gpu_upload for many copies: while the device makes some, the host fills the memory of the
 * next ones. The bytes are read before the function returns; the buffer has them after gpu_upload_end,
 * or after any other copy. */
MUST_CHECK ent_status gpu_upload_add(Gpu* gpu, const GpuBuffer* buffer, u64 offset,
                                     const void* from, u64 bytes);
MUST_CHECK ent_status gpu_upload_end(Gpu* gpu);

/* Memory for the bytes of a copy that is recorded to gpu->stage.commands: at gpu->stage.at + offset,
 * a multiple of 16.
 *
 * Needs    bytes <= GPU_STAGE_PART (asserted). */
#define GPU_STAGE_PART (GPU_STAGE_BYTES / 2)
MUST_CHECK ent_status gpu_stage_take(Gpu* gpu, u64 bytes, u64* offset);

/* Forgets copies that were added and are not complete, to what is about to be destroyed. */
void gpu_stage_drop(Gpu* gpu);

/* Records a copy: commands between the two calls, to gpu->stage.commands; complete when the second
 * one returns. */
#define GPU_STAGE_BYTES ((u64)32 << 20) /* of gpu->stage.at */
MUST_CHECK ent_status gpu_stage_begin(Gpu* gpu);
MUST_CHECK ent_status gpu_stage_end(Gpu* gpu);

#endif
