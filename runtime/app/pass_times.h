/* pass_times.h - times of passes over all frames: a printed table, and a CSV file. */
#ifndef ENTRUN_PASS_TIMES_H
#define ENTRUN_PASS_TIMES_H

#include <stdio.h>

#include "base.h"
#include "gpu.h"

#define PASS_TIMES_MAX 128

typedef struct PassSample {
    u32 frame;
    f64 ms;
} PassSample;

typedef struct PassRow {
    const char *group, *name; /* "fluid", "density" */
    PassSample* sample;       /* [count] one per frame in which it ran */
    u32         count, capacity;
} PassRow;

typedef struct PassTimes {
    PassRow row[PASS_TIMES_MAX];
    u32     count;
} PassTimes;

/* Adds to the times of passes, which have groups, in a frame. Frame numbers must not decrease; the names must exist as
 * long as `times`. Rows are in the order of the passes of a frame.
 *
 *   at  the row before which a first group that is new is added
 *
 * Returns  ENT_OK, ENT_NO_MEMORY, ENT_LIMIT: too many passes. */
MUST_CHECK ent_status pass_times_add(PassTimes* times, u32 frame, const GpuTime* time, u32 count,
                                     u32 at);
void                  pass_times_free(PassTimes* times);

/* Median and maximum of each pass. Its samples are no longer in the order of frames afterwards. */
void pass_times_print(PassTimes* times, FILE* out);

/* "frame,pass,ms" and a line for each pass of each frame, pass by pass. ENT_OK, ENT_IO with errno,
 * ENT_NO_MEMORY. */
MUST_CHECK ent_status pass_times_write(const PassTimes* times, const char* path);

#endif
