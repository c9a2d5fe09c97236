/* scan.h - exclusive prefix sums of words on the device.
 *
 * Passes: the sum of each tile, unless there is only one; the sums before each tile, which for up
 * to 16 Mi words each group computes itself instead; the sums before each word. That is 12 bytes of
 * memory traffic per word, compared to 8 for a single pass whose groups wait for each other: Vulkan
 * does not guarantee forward progress between groups. */
#ifndef ENT_SCAN_H
#define ENT_SCAN_H

#include "gpu_frame_internal.h"

typedef struct Scan {
    GpuKernel reduce, sums, apply;
    GpuPool   pool;
    GpuBuffer sum; /* of each tile */
    u32       count_max;
    bool      is_few; /* at most SCAN_FEW tiles */
} Scan;

/* `clears`: words are set to 0 while the sums are written to another buffer. */
MUST_CHECK ent_status scan_create(Scan* scan, Gpu* gpu, u32 count_max, bool clears);
void                  scan_destroy(Scan* scan);
/* Destroys it when the frame is complete; it is empty afterwards. */
void scan_retire(Scan* scan, GpuFrame* frame);

/* Records the passes that set each of the first `count` words of `out` to the sum of the words
 * before it, modulo 2^32. `out` may be `words` itself unless these are cleared.
 *
 * Needs    a count that is a multiple of 4, and at most count_max. */
void scan_record(const Scan* scan, GpuList* list, const GpuBuffer* words, const GpuBuffer* out,
                 u32 count);

#endif
