/* jobs.c - threads that take items from a list of batches under one lock.
 *
 * A batch is a counter: taking items is one addition under the lock, so items should be worth some
 * microseconds, which group_size is for. Nobody spins. */
#define _GNU_SOURCE
#include "jobs.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCHES_MAX 64 /* dispatched and not finished; more wait for room */

typedef struct Batch {
    JobFunction call; /* NULL: the slot is free */
    void*       user;
    JobGroup*   group;
    u32         count, group_size;
    u32         next;    /* first item that nobody took */
    u32         running; /* calls that have not returned */
} Batch;

struct JobPool {
    pthread_mutex_t lock;
    pthread_cond_t  work; /* there may be items to take */
    pthread_cond_t  done; /* a batch was finished */
    Batch           batch[BATCHES_MAX];
    u32             batch_count;
    bool            closing;
    bool            permitted;
    JobPermit       permit;
    u32             thread_count;
    pthread_t       thread[];
};

typedef struct Start {
    JobPool* pool;
    u32      worker;
} Start;

/* --- batches; all under the lock --- */

static Batch* batch_open(JobPool* pool, const JobGroup* group) {
    for (u32 i = 0; i < BATCHES_MAX && pool->batch_count > 0; i++) {
        Batch* b = &pool->batch[i];
        if (b->call && b->next < b->count && (!group || b->group == group)) return b;
    }
    return NULL;
}

/* Which worker of its pool a thread is; 0 for who is of none. */
static _Thread_local u32 own_worker;

static Batch* batch_slot(JobPool* pool) {
    Batch* b = pool->batch;
    while (b->call) b++;
    return b;
}

static void batch_close(JobPool* pool, Batch* b) {
    b->group->pending--;
    b->call = NULL;
    pool->batch_count--;
    pthread_cond_broadcast(&pool->done);
}

/* Takes items of an open batch, runs them with the lock open, and takes it again. */
static void batch_run(JobPool* pool, Batch* b, u32 worker) {
    const u32 first = b->next;
    const u32 end = MIN_OF(b->count, first + b->group_size);
    b->next = end;
    b->running++;
    pthread_mutex_unlock(&pool->lock);
    b->call(b->user, first, end, worker);
    pthread_mutex_lock(&pool->lock);
    if (--b->running == 0 && b->next == b->count) batch_close(pool, b);
}

/* --- threads --- */

/* One stretch of work: with leave to run, until there is nothing to take. */
static void worker_stretch(JobPool* pool, u32 worker) {
    if (pool->permitted) {
        pthread_mutex_unlock(&pool->lock);
        const bool leave = pool->permit.take(pool->permit.user);
        pthread_mutex_lock(&pool->lock);
        if (!leave) return;
    }
    for (Batch* b; (b = batch_open(pool, NULL));) batch_run(pool, b, worker);
    if (pool->permitted) pool->permit.give(pool->permit.user);
}

static void* worker_main(void* user) {
    Start    start = *(Start*)user;
    JobPool* pool = start.pool;
    char     name[16];
    free(user);
    own_worker = start.worker;
    snprintf(name, sizeof name, "ent job %u", start.worker);
    pthread_setname_np(pthread_self(), name);
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        if (batch_open(pool, NULL))
            worker_stretch(pool, start.worker);
        else
            pthread_cond_wait(&pool->work, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool worker_start(JobPool* pool) {
    Start* start = malloc(sizeof *start);
    if (!start) return errno = ENOMEM, false;
    *start = (Start){pool, pool->thread_count + 1};
    const int code = pthread_create(&pool->thread[pool->thread_count], NULL, worker_main, start);
    if (code != 0) {
        free(start);
        return errno = code, false;
    }
    pool->thread_count++;
    return true;
}

JobPool* job_pool_create(u32 threads, const JobPermit* permit) {
    JobPool* pool = calloc(1, sizeof *pool + sizeof(pthread_t) * threads);
    if (!pool) return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    if (permit) pool->permit = *permit, pool->permitted = true;
    for (u32 i = 0; i < threads; i++) {
        if (worker_start(pool)) continue;
        const int kept = errno;
        job_pool_destroy(pool);
        errno = kept;
        return NULL;
    }
    return pool;
}

void job_pool_destroy(JobPool* pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    assert(pool->batch_count == 0);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    if (pool->permitted) pool->permit.close(pool->permit.user);
    for (u32 i = 0; i < pool->thread_count; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

u32 job_worker_count(const JobPool* pool) { return pool->thread_count + 1; }

/* --- work --- */

void job_dispatch(JobPool* pool, JobGroup* group, u32 count, u32 group_size, JobFunction call,
                  void* user) {
    assert(group_size > 0);
    if (count == 0) return;
    pthread_mutex_lock(&pool->lock);
    while (pool->batch_count == BATCHES_MAX) { /* nobody else may be there to make room */
        Batch* b = batch_open(pool, NULL);
        if (b)
            batch_run(pool, b, own_worker);
        else
            pthread_cond_wait(&pool->done, &pool->lock);
    }
    group->pending++;
    pool->batch_count++;
    *batch_slot(pool) = (Batch){call, user, group, count, group_size, 0, 0};
    if (count > group_size)
        pthread_cond_broadcast(&pool->work);
    else
        pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

void job_execute(JobPool* pool, JobGroup* group, JobFunction call, void* user) {
    job_dispatch(pool, group, 1, 1, call, user);
}

bool job_busy(const JobPool* pool, const JobGroup* group) {
    pthread_mutex_t* lock = (pthread_mutex_t*)&pool->lock;
    pthread_mutex_lock(lock);
    const bool busy = group->pending > 0;
    pthread_mutex_unlock(lock);
    return busy;
}

void job_wait(JobPool* pool, JobGroup* group) {
    pthread_mutex_lock(&pool->lock);
    while (group->pending > 0) {
        Batch* b = batch_open(pool, group);
        if (b)
            batch_run(pool, b, own_worker);
        else
            pthread_cond_wait(&pool->done, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* --- once --- */

enum { ONCE_NEW, ONCE_BUSY, ONCE_DONE };

static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  once_done = PTHREAD_COND_INITIALIZER;

bool job_once_done(const JobOnce* once) {
    return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == ONCE_DONE;
}

bool job_once_begin(JobOnce* once) {
    if (job_once_done(once)) return false;
    pthread_mutex_lock(&once_lock);
    while (once->state == ONCE_BUSY) pthread_cond_wait(&once_done, &once_lock);
    const bool first = once->state == ONCE_NEW;
    if (first) __atomic_store_n(&once->state, ONCE_BUSY, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&once_lock);
    return first;
}

void job_once_end(JobOnce* once) {
    pthread_mutex_lock(&once_lock);
    __atomic_store_n(&once->state, ONCE_DONE, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&once_done);
    pthread_mutex_unlock(&once_lock);
}

u32 job_processor_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    return (u32)CPU_COUNT(&set);
}
