/* jobs.h - work spread over threads: loops over numbered items, and waiting for one's own.
 *
 * A JobPool holds threads that sleep until there is work. A JobGroup is work that is waited for
 * together; whoever waits helps with that group, so a pool without threads works as well. Items run
 * once each, in no order; what they write for each other to read is seen after the wait.
 *
 * Source   J. Turanszki, Simple job system using standard C++, 2018 (execute, dispatch, busy,
 * wait); the groups that can be waited for alone are ours. */
#ifndef ENT_JOBS_H
#define ENT_JOBS_H

#include "base.h"

typedef struct JobPool JobPool;

/* Leave to run on one more thread, asked for before a sleeping thread takes work and given back
 * when it finds none: how a client of make's jobserver keeps to its tokens. Both are called on the
 * pool's threads. */
typedef struct JobPermit {
    bool (*take)(void* user); /* may block; false: the pool is closing */
    void (*give)(void* user);
    void (*close)(void* user); /* wakes whoever blocks in take; it returns false from then on */
    void* user;
} JobPermit;

/* Items [first, end) of a dispatch. `worker` is less than job_worker_count and nobody else's while
 * the call lasts: what is kept per worker needs no lock. */
typedef void (*JobFunction)(void* user, u32 first, u32 end, u32 worker);

/* Work that is waited for together. Zero before its first use; must outlive its work. */
typedef struct JobGroup {
    u32 pending; /* batches that are not finished; the pool's */
} JobGroup;

/*   threads   more than the caller's own; 0: everything runs where it is waited for
 *   permit    or NULL; copied
 *
 * Returns  NULL without memory, or with errno when a thread cannot be started. */
JobPool* job_pool_create(u32 threads, const JobPermit* permit);

/* Needs    no work pending. Ends and joins the threads. */
void job_pool_destroy(JobPool* pool);

/* Workers that functions may see: the pool's threads and one for who waits. */
u32 job_worker_count(const JobPool* pool);

/* Runs call(user, ...) over items 0 to count - 1, at most `group_size` of them a call.
 *
 * Needs    waited for by the thread that dispatched: the one that made the pool, or one of the
 * pool's from within an item. */
void job_dispatch(JobPool* pool, JobGroup* group, u32 count, u32 group_size, JobFunction call,
                  void* user);

/* The same for one item. */
void job_execute(JobPool* pool, JobGroup* group, JobFunction call, void* user);

/* Is some of the group's work not finished? */
bool job_busy(const JobPool* pool, const JobGroup* group);

/* Helps with the group's work until all of it is finished. */
void job_wait(JobPool* pool, JobGroup* group);

/* Something that is done by whoever needs it first, while the others wait. Zero at the start. */
typedef struct JobOnce {
    u32 state;
} JobOnce;

/* True: nobody did it, the caller does and then says job_once_end. False: it is done, and what was
 * written is seen. */
MUST_CHECK bool job_once_begin(JobOnce* once);
void            job_once_end(JobOnce* once);

/* Was it done by anybody? */
bool job_once_done(const JobOnce* once);

/* Processors that this process may run on. */
u32 job_processor_count(void);

#endif
