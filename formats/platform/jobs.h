/* jobs.h - distributes work over threads: parallel loops, and waiting for groups of work.
 *
 *     static void move(void* user, uint32_t first, uint32_t end, uint32_t worker) {
 *         for (uint32_t i = first; i < end; i++) step(&((Body*)user)[i]);
 *     }
 *
 *     EntJobPool* pool = ent_job_pool_create(ent_job_processor_count() - 1, NULL);
 *     EntJobGroup group = {0};
 *     ent_job_dispatch(pool, &group, body_count, 1000, move, bodies); // at most 1000 a call
 *     ent_job_wait(pool, &group);                                     // helps, then all are done
 *     ent_job_pool_destroy(pool);
 *
 * Each item runs once, in unspecified order, on any thread; what items write is visible after the
 * wait. A thread that waits helps with that group and with no other work. So a pool without threads
 * works too, and items may dispatch work and wait for it, to any depth.
 *
 * Threads are named "ent job 1", "ent job 2" and so on. A thread without work spins for the time
 * that sleeping and waking would take, some microseconds, and then sleeps; where there are more
 * threads than processors, or an EntJobPermit, it sleeps at once.
 *
 * Source   J. Turanszki, Simple job system using standard C++, 2018 (execute, dispatch, busy,
 *          wait); waiting for a single group is an addition. */
#ifndef ENT_JOBS_H
#define ENT_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "types.h"
#include "status.h"

/* A pool of threads and the work that is dispatched to it. It may be called by one thread at a time
 * that is not of the pool, and by the threads of the pool from within items. */
typedef struct EntJobPool EntJobPool;

/* A permit for one more running thread. It is requested before a sleeping thread takes work and
 * returned when the thread finds none: this is how a client of make's jobserver respects its
 * tokens. Both functions are called on the threads of the pool. */
typedef struct EntJobPermit {
    bool (*take)(void* user); /* may block; false: the pool is closing, the thread ends */
    void (*give)(void* user);
    void (*close)(void* user); /* ends blocking in take, which then returns false */
    void* user;
} EntJobPermit;

/* Items [first, end) of a dispatch. `worker` is less than ent_job_worker_count, and no other
 * call has the same one at that time: data that is kept per worker needs no lock. */
typedef void (*EntJobFunction)(void* user, uint32_t first, uint32_t end, uint32_t worker);

/* Work that is waited for together. Zero before its first use and after a wait; until then it must
 * not be moved. The fields belong to the pool. */
typedef struct EntJobGroup {
    uint64_t batches; /* which of the worker's batches may be this group's */
    uint32_t worker;  /* the worker that dispatched them */
} EntJobGroup;

#ifdef __cplusplus
extern "C" {
#endif

/* Starts threads.
 *
 *   threads   in addition to the caller's thread; 0: all work runs in the thread that waits for it
 *   permit    or NULL; copied
 *
 * Returns  NULL without memory, or with errno when a thread cannot be started.
 * Cost     one malloc of some 4 KB per worker, and what the system needs for a thread. No call
 *          below allocates. */
ENT_API ENT_MUST_CHECK EntJobPool* ent_job_pool_create(uint32_t            threads,
                                                       const EntJobPermit* permit);

/* Ends and joins the threads. Does nothing for NULL.
 *
 * Needs    no unfinished work; not to be called by a thread of the pool. */
ENT_API void ent_job_pool_destroy(EntJobPool* pool);

/* The number of workers that functions can receive: 0 is the thread that is not of the pool, the
 * others are the threads of the pool. */
ENT_API uint32_t ent_job_worker_count(const EntJobPool* pool);

/* Runs call(user, ...) over items 0 to count - 1, at most `group_size` of them per call. What
 * `user` points to must exist until the wait.
 *
 * Needs    group_size > 0; a group that was waited for since another thread dispatched to it.
 * Cost     some 100 ns with the wait while threads are awake and 10 ns for each call; waking a
 *          sleeping thread takes some microseconds. A worker can have 64 unfinished dispatches;
 *          it runs the calls of a further one itself until one of them is finished. */
ENT_API void ent_job_dispatch(EntJobPool* pool, EntJobGroup* group, uint32_t count,
                              uint32_t group_size, EntJobFunction call, void* user);

/* The same for one item. */
ENT_API void ent_job_execute(EntJobPool* pool, EntJobGroup* group, EntJobFunction call, void* user);

/* Is some of the work of the group unfinished? Called by the thread that dispatched it. Only a wait
 * makes visible what the work wrote. */
ENT_API bool ent_job_busy(const EntJobPool* pool, const EntJobGroup* group);

/* Helps with the work of the group until all of it is finished.
 *
 * Needs    to be called by the thread that dispatched it. */
ENT_API void ent_job_wait(EntJobPool* pool, EntJobGroup* group);

/* Processors that this process may run on, at least 1. */
ENT_API uint32_t ent_job_processor_count(void);

#ifdef __cplusplus
}
#endif

#endif
