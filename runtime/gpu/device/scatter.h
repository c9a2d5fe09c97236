/* scatter.h - writes single elements of arrays on the device, from memory that the host writes. */
#ifndef ENT_SCATTER_H
#define ENT_SCATTER_H

#include "gpu_list.h"

typedef struct Scatter {
    GpuKernel kernel;
    GpuMapped memory;
    u64       used; /* bytes of `memory` since scatter_begin */
} Scatter;

/* `bytes` is the capacity between two calls of scatter_begin: four bytes and the element for each
 * element. After a failure it can still be destroyed. */
MUST_CHECK ent_status scatter_create(Scatter* scatter, Gpu* gpu, u64 bytes);
void                  scatter_destroy(Scatter* scatter);

/* Reuses the memory: the passes recorded before have ended. */
void scatter_begin(Scatter* scatter);
u64  scatter_bytes_left(const Scatter* scatter);

/* Records a pass that copies elements of `from` to the same places of `to`.
 *
 *   from  an array of elements of element_words words
 *   rows  [count] numbers of the elements, each once
 *
 * Needs    count * (1 + element_words) * 4 <= scatter_bytes_left (asserted). */
void scatter_record(Scatter* scatter, GpuList* list, const GpuBuffer* to, u32 element_words,
                    const void* from, const u32* rows, u32 count);

#endif
