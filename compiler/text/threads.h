/* threads.h - the threads of a command, as many as its options or make's jobserver permit. */
#ifndef ENTC_THREADS_H
#define ENTC_THREADS_H

#include "base.h"
#include "jobs.h"

/*   jobs  0: as many as this process has processors, or one when make's jobserver cannot be used
 *
 * Returns NULL after a message, when threads cannot be started: EXIT_LIMIT. At most one pool at a time. */
JobPool* threads_open(u32 jobs);
void     threads_close(JobPool* pool);

/* The number of threads, and so of the values that `worker` can have; of no pool: 1. */
static inline u32 threads_count(const JobPool* pool) {
    return pool ? ent_job_worker_count(pool) : 1;
}

/* Runs a loop, at most `group` items in a call, on all threads of a pool, and waits for its end; without a
 * pool, on this thread. */
void threads_run(JobPool* pool, u32 count, u32 group, JobFunction call, void* user);

#endif
