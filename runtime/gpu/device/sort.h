/* sort.h - sorts pairs of words on the device, by the first word and then by the second. */
#ifndef ENT_SORT_H
#define ENT_SORT_H

#include "gpu_list.h"

typedef struct Sort {
    GpuKernel step, block, turn;
} Sort;

/* After a failure it can still be destroyed. */
MUST_CHECK ent_status sort_create(Sort* sort, Gpu* gpu);
void                  sort_destroy(Sort* sort);

/* How many pairs a buffer for `count` of them must have: a power of two. The pairs behind the last
 * one are sorted as well: those of UINT32_MAX stay at the end. */
u32 sort_capacity(u32 count);

/* Records the passes that sort `count` pairs, a result of sort_capacity.
 * Cost     about log2(count)^2 / 2 steps of count / 2 comparisons. */
void sort_record(const Sort* sort, GpuList* list, const GpuBuffer* pairs, u32 count);

#endif
