/* scan.h - exclusive prefix sums of words on the device.
 *
 * Passes: the sum of each tile, unless there is but one; the sums before each tile, which up to 16
 * Mi words each group adds up for itself instead; the sums before each word. That is 12 bytes a
 * word, against 8 of a single pass whose groups wait for each other: Vulkan does not promise that a
 * group which is waited for runs at all. */
#ifndef ENT_SCAN_H
#define ENT_SCAN_H

#include "gpu_list.h"

typedef struct Scan {
    GpuKernel reduce, sums, apply;
    GpuPool   pool;
    GpuBuffer sum; /* of each tile */
    u32       count_max;
    bool      is_few; /* at most SCAN_FEW tiles */
} Scan;

/* `clears`: words become 0 while the sums go into another buffer. */
MUST_CHECK ent_status scan_create(Scan* scan, Gpu* gpu, u32 count_max, bool clears);
void                  scan_destroy(Scan* scan);

/* The first `count` words of `out`, which may be the words themselves unless they are cleared,
 * become the sum of the words before each, modulo 2^32.
 *
 * Needs    a count that is a multiple of 4, and at most count_max. */
void scan_record(const Scan* scan, GpuList* list, const GpuBuffer* words, const GpuBuffer* out,
                 u32 count);

#endif
