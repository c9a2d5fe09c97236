/* jobs.h - work spread over threads: loops over numbered items, and waiting for one's own.
 *
 *     static void move(void* user, uint32_t first, uint32_t end, uint32_t worker) {
 *         for (uint32_t i = first; i < end; i++) step(&((Body*)user)[i]);
 *     }
 *
 *     EntJobPool* pool = ent_job_pool_create(ent_job_processor_count() - 1, NULL);
 *     EntJobGroup group = {0};
 *     ent_job_dispatch(pool, &group, body_count, 1000, move, bodies);   at most 1000 a call
 *     ent_job_execute(pool, &group, listen, sounds);                    beside it
 *     ent_job_wait(pool, &group);                                       helps, then both are done
 *     ent_job_pool_destroy(pool);
 *
 * Items run once each, in no order, on any thread; what they write for each other to read is seen
 * after the wait. Whoever waits helps with that group and nothing else, so a pool without threads
 * works as well, and work may be dispatched and waited for from within items, to any depth.
 *
 * Threads are named "ent job 1", "ent job 2" and so on. One that finds nothing to do looks again
 * for as long as going to sleep and being woken would take, some microseconds, and then sleeps;
 * where there are more threads than processors, or an EntJobPermit, it sleeps at once.
 *
 * Source   J. Turanszki, Simple job system using standard C++, 2018 (execute, dispatch, busy,
 *          wait); the groups that can be waited for alone are ours. */
#ifndef ENT_JOBS_H
#define ENT_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"
#include "status.h"

/* Threads and what is dispatched to them. Whose calls: one thread's that is not of the pool, at a
 * time, and those of the pool's own threads from within items. */
typedef struct EntJobPool EntJobPool;

/* Leave to run on one more thread, asked for before a sleeping thread takes work and given back
 * when it finds none: how a client of make's jobserver keeps to its tokens. Both are called on the
 * pool's threads. */
typedef struct EntJobPermit {
    bool (*take)(void* user); /* may block; false: the pool is closing, the thread ends */
    void (*give)(void* user);
    void (*close)(void* user); /* wakes whoever blocks in take; it returns false from then on */
    void* user;
} EntJobPermit;

/* Items [first, end) of a dispatch. `worker` is less than ent_job_worker_count, and no other
 * call has the same one at that time: data that is kept per worker needs no lock. */
typedef void (*EntJobFunction)(void* user, uint32_t first, uint32_t end, uint32_t worker);

/* Work that is waited for together. Zero before its first use and after a wait; until then it stays
 * where it is. The fields are the pool's. */
typedef struct EntJobGroup {
    uint64_t batches; /* which of the worker's batches may be this group's */
    uint32_t worker;  /* which dispatched them */
} EntJobGroup;

#ifdef __cplusplus
extern "C" {
#endif

/* Starts threads.
 *
 *   threads   more than the caller's own; 0: everything runs where it is waited for
 *   permit    or NULL; copied
 *
 * Returns  NULL without memory, or with errno when a thread cannot be started.
 * Cost     one malloc of some 4 KB a worker, and what the system takes for a thread. No call below
 *          allocates. */
ENT_API ENT_MUST_CHECK EntJobPool* ent_job_pool_create(uint32_t            threads,
                                                       const EntJobPermit* permit);

/* Ends and joins the threads. NULL: nothing.
 *
 * Needs    no work that is not finished; no call of the pool's own threads. */
ENT_API void ent_job_pool_destroy(EntJobPool* pool);

/* Workers that functions may see: 0 for the thread that is not of the pool, and the pool's. */
ENT_API uint32_t ent_job_worker_count(const EntJobPool* pool);

/* Runs call(user, ...) over items 0 to count - 1, at most `group_size` of them a call. What `user`
 * points to must stay until the wait.
 *
 * Needs    group_size > 0; a group that was waited for since another thread dispatched to it.
 * Cost     some 100 ns with the wait while threads are awake and 10 ns for each call; waking a
 *          thread that sleeps takes some microseconds. A worker has room for 64 dispatches that are
 *          not finished; of one more it runs calls itself until there is room. */
ENT_API void ent_job_dispatch(EntJobPool* pool, EntJobGroup* group, uint32_t count,
                              uint32_t group_size, EntJobFunction call, void* user);

/* The same for one item. */
ENT_API void ent_job_execute(EntJobPool* pool, EntJobGroup* group, EntJobFunction call, void* user);

/* Is some of the group's work not finished? Asked by the thread that dispatched it; a wait is what
 * makes visible what was written. */
ENT_API bool ent_job_busy(const EntJobPool* pool, const EntJobGroup* group);

/* Helps with the group's work until all of it is finished.
 *
 * Needs    the thread that dispatched it. */
ENT_API void ent_job_wait(EntJobPool* pool, EntJobGroup* group);

/* Processors that this process may run on, at least 1. */
ENT_API uint32_t ent_job_processor_count(void);

#ifdef __cplusplus
}
#endif

#endif
