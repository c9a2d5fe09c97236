/* scan_io.h - what goes in and out of the prefix sum's kernels. */
#ifndef ENT_SCAN_IO_H
#define ENT_SCAN_IO_H

#include "kernel_io.h"

#define SCAN_GROUP 256u
#define SCAN_TILE  4096u /* words of a group: four times four of each thread */
#define SCAN_FEW   4096u /* tiles at most, of which each group adds up those before its own */

#define SCAN_CLEARS 1 /* constants of the last pass: the words become 0 */
#define SCAN_IS_FEW 2 /* there are few tiles */

#define SCAN_WORDS 0 /* bindings: four words an element */
#define SCAN_SUMS  1 /* one of each tile */
#define SCAN_OUT   2 /* where the sums go: four words an element, may be the words themselves */

KERNEL_STRUCT(ScanPush) {
    u32 count; /* words; a multiple of 4 */
    u32 tiles;
};

#endif
