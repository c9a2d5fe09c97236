/* scan_io.h - the inputs and outputs of the kernels of the prefix sum. */
#ifndef ENT_SCAN_IO_H
#define ENT_SCAN_IO_H

#include "kernel_io.h"

#define SCAN_GROUP 256u
#define SCAN_TILE  4096u /* words of a group: four times four per thread */
#define SCAN_FEW   4096u /* up to this many tiles, each group adds up the sums before its own */

#define SCAN_CLEARS 1 /* constants of the last pass: the words are set to 0 */
#define SCAN_IS_FEW 2 /* there are few tiles */
#define SCAN_ATTEMPTS                                                                              \
    2 /* of the single pass: how often a group reads sums that are not there yet, */
#define SCAN_IS_REST 3 /* 1: the pass after it, */
#define SCAN_VECTORS 4 /* and four words each of a thread */

#define SCAN_WORDS 0 /* bindings: four words per element */
#define SCAN_SUMS  1 /* one per tile */
#define SCAN_OUT   2 /* the results: four words per element, may be the words themselves */
#define SCAN_STATE                                                                                 \
    3 /* of the single pass: ticket, whether a group gave up, and two words per tile */

#define SCAN_STATE_WORDS 2u  /* before those of tiles */
#define SCAN_TICKET_BITS 18u /* the lower bits of a ticket number tiles, the upper ones runs */
#define SCAN_TICKET_MASK 0x3ffffu
#define SCAN_RUN_MASK    0x3fffu
#define SCAN_REST_GROUPS 64u

KERNEL_STRUCT(ScanPush) {
    u32 count; /* words; a multiple of 4 */
    u32 tiles;
};

#endif
