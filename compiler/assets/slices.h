/* slices.h - into how many slices a long resource is cut, for all threads to work on. */
#ifndef ENTC_SLICES_H
#define ENTC_SLICES_H

#include "base.h"
#include "jobs.h"

#define SLICES_A_THREAD 16u /* so that few threads wait long for the last one */
#define SLICES_MAX      256u

/* `most` of these at most, but one; one where there is no other thread, or no pool. */
static inline u32 slices_wanted(const JobPool* pool, u32 most) {
    const u32 threads = pool ? ent_job_worker_count(pool) : 1;
    if (threads == 1) return 1;
    return MAX_OF(MIN_OF(MIN_OF(threads * SLICES_A_THREAD, SLICES_MAX), most), 1u);
}

#endif
