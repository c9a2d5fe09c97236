/* sort_io.h - the inputs and outputs of the kernels of the bitonic sort. */
#ifndef ENT_SORT_IO_H
#define ENT_SORT_IO_H

#include "kernel_io.h"

#define SORT_GROUP 128u
#define SORT_BLOCK 1024u /* pairs that a group sorts in its shared memory */

#define SORT_PAIR 0 /* binding: uvec2, to be sorted by the first word and then by the second */

/* One step: compares pairs `stride` apart; the order alternates every `turn`. */
KERNEL_STRUCT(SortPush) {
    u32 count; /* a power of two, SORT_BLOCK or more */
    u32 stride, turn;
};

#endif
