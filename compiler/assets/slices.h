/* slices.h - the number of slices into which a long resource is split for several threads. */
#ifndef ENTC_SLICES_H
#define ENTC_SLICES_H

#include "base.h"
#include "jobs.h"

#define SLICES_A_THREAD 16u /* so that threads do not wait long for the last slice */
#define SLICES_MAX      256u

/* Returns at most `most` slices and at least one; one if there is no other thread or no pool. */
static inline u32 slices_requested(const JobPool* pool, u32 max) {
    const u32 threads = pool ? ent_job_worker_count(pool) : 1;
    if (threads == 1) return 1;
    return MAX_OF(MIN_OF(MIN_OF(threads * SLICES_A_THREAD, SLICES_MAX), max), 1u);
}

#endif
