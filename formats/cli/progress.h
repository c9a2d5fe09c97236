/* progress.h - how far something is, in one line of a terminal that is written over: "[ 120/10000]
 * compiling". Any thread counts; whoever finds the line old writes it again. */
#ifndef ENT_PROGRESS_H
#define ENT_PROGRESS_H

#include "base.h"

typedef struct Progress {
    const char* what; /* "compiling"; NULL: nothing is told */
    u32         done, count;
    u64         next_ns; /* when the line is old */
    u32         shown;   /* 1: there is a line */
} Progress;

/* Does somebody see standard error, on a terminal that can do more than print? */
bool progress_is_seen(void);

/* `wanted` false: none of this does anything. A short wait is not told of. */
void progress_begin(Progress* progress, bool wanted, const char* what, u32 count);
void progress_add(Progress* progress, u32 done);

/* Takes the line away. */
void progress_end(Progress* progress);

#endif
