/* scan.h - exclusive prefix sums of words on the device.
 *
 * Three passes: the sum of each tile, unless there is only one; the sums before each tile, which for
 * up to 16 Mi words each group computes itself instead; the sums before each word. That is 12 bytes of
 * memory traffic per word.
 *
 * There is also a single pass whose groups wait for each other, 8 bytes per word. Vulkan does not
 * guarantee forward progress between groups: a group gives up after a number of attempts, and a short
 * pass that follows, and that waits for nothing, completes what was given up. scan_create uses it for
 * many words if Gpu.chains allows that, after it was tried on the device: the sums of a last tile that
 * is not full are compared with those that the host computes. On an H200 it takes 0.79 of the time.
 *
 * Source   D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA,
 *          2016. */
#ifndef ENT_SCAN_H
#define ENT_SCAN_H

#include "gpu_frame_internal.h"

/* Parameters that do not affect the results. */
typedef struct ScanTune {
    bool is_chained;     /* a single pass */
    u32  group, vectors; /* of it: threads of a group, and vectors of four words of a thread */
    u32  attempts;       /* of it: before a group gives up */
} ScanTune;

typedef struct Scan {
    GpuKernel reduce, sums, apply; /* of multiple passes */
    GpuKernel chain, rest;         /* of a single one */
    GpuPool   pool;
    GpuBuffer sum, state; /* of each tile */
    u32       count_max, chain_tile;
    bool      is_few; /* at most SCAN_FEW tiles */
    bool      is_chained;
} Scan;

/* `clears`: words are set to 0 while the sums are written to another buffer. */
MUST_CHECK ent_status scan_create(Scan* scan, Gpu* gpu, u32 count_max, bool clears);
MUST_CHECK ent_status scan_create_tuned(Scan* scan, Gpu* gpu, u32 count_max, bool clears,
                                        const ScanTune* tune);
void                  scan_destroy(Scan* scan);
/* Destroys it when the frame is complete; it is empty afterwards. */
void scan_retire(Scan* scan, GpuFrame* frame);

/* Do all groups of a single pass proceed on this device, and are the results correct? Tried with some
 * millions of words. */
MUST_CHECK ent_status scan_try(Gpu* gpu, const ScanTune* tune, bool* proceeds);

/* Has a group given up in a run that is complete? */
MUST_CHECK ent_status scan_gave_up(const Scan* scan, bool* gave_up);

/* Records the passes that set each of the first `count` words of `out` to the sum of the words
 * before it, modulo 2^32. `out` may be `words` itself unless these are cleared.
 *
 * Needs    a count that is a multiple of 4, and at most count_max. */
void scan_record(const Scan* scan, GpuList* list, const GpuBuffer* words, const GpuBuffer* out,
                 u32 count);

#endif
