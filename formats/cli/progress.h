/* progress.h - shows progress in one line of a terminal that is overwritten: "[ 120/10000]
 * compiling". Any thread may count; a thread that finds the line outdated writes it again. */
#ifndef ENT_PROGRESS_H
#define ENT_PROGRESS_H

#include "base.h"

typedef struct Progress {
    const char* what; /* "compiling"; NULL: nothing is shown */
    u32         done, count;
    u64         next_ns; /* when the line is outdated */
    u32         shown;   /* 1: there is a line */
} Progress;

/* Is standard error a terminal that can overwrite lines? */
bool progress_is_seen(void);

/* `wanted` false: nothing is shown. Nothing is shown for a short wait either. */
void progress_begin(Progress* progress, bool wanted, const char* what, u32 count);
void progress_add(Progress* progress, u32 done);

/* Removes the line. */
void progress_end(Progress* progress);

#endif
