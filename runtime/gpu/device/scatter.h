/* scatter.h - writes single elements of arrays on the device, from the memory of a frame. */
#ifndef ENT_SCATTER_H
#define ENT_SCATTER_H

#include "gpu_frame_internal.h"

typedef struct Scatter {
    GpuKernel kernel;
} Scatter;

/* After a failure it can still be destroyed. */
MUST_CHECK ent_status scatter_create(Scatter* scatter, Gpu* gpu);
void                  scatter_destroy(Scatter* scatter);

/* Bytes that the host writes for `count` elements. */
static inline u64 scatter_bytes(u32 element_words, u32 count) {
    return (u64)count * (1 + element_words) * sizeof(u32);
}

/* Numbers of elements, each once. */
typedef struct ScatterRows {
    const u32* at; /* [count] */
    u32        count;
} ScatterRows;

/* Records a pass that copies elements of `from`, which is read before the function returns, to the same
 * places of `to`. A failure is reported at the end of the frame.
 *
 *   from  an array of elements of element_words words */
void scatter_record(const Scatter* scatter, GpuFrame* frame, const GpuBuffer* to, u32 element_words,
                    const void* from, ScatterRows rows);

#endif
