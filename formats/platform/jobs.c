/* jobs.c - threads that take groups of items from atomic counters.
 *
 * A dispatch becomes a batch in the array of batches of the dispatching worker, one cache line per
 * batch. `left` counts the groups of items that no thread has taken: a thread that subtracts one
 * and finds that the value was above 0 has taken a group. Only then does it read the rest of the
 * line, which does not change until that group is reported as finished. So no lock is needed, a
 * batch that was finished and used again is never mistaken for its predecessor, and an idle thread
 * reads lines that change only when there is work.
 *
 * Only the worker that dispatched a batch waits for it and frees it: no other thread reads which
 * slots are in use, and by which groups. Locks are used only for sleeping and waking. */
#define _GNU_SOURCE
#include "job_help.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#include "base.h"
#include "clock.h"
#include "file.h"

#define LINE_BYTES  64
#define BATCHES_MAX 64 /* of one worker, unfinished */

/* Batches without work that other threads may keep reading; a lower `shown` would be one more line
 * that changes with every dispatch. */
#define SHOWN_MAX 4

/* Bits of JobWorker.used and JobGroup.batches. */
static_assert(BATCHES_MAX == 64, "a batch is a bit of a u64");

/* How long a thread spins before it sleeps: no longer than sleeping and waking take, so that
 * spinning at most doubles the cost of a pause. On two cores of an AMD EPYC (Zen 4) under KVM a
 * thread that waits for a condition runs 17 to 28 us after it was signalled, which costs the
 * signalling thread 6 to 9 us of these. */
#define SPIN_NS 15000
/* Searches for work between two reads of the clock, which takes as long as a pause instruction. */
#define SPIN_LOOKS 16

/* Added to Batch.unfinished: its worker sleeps until it is finished. */
#define AWAITED (1ull << 63)

typedef struct Batch {
    _Alignas(LINE_BYTES) int64_t left; /* groups that are not taken; 0 or less: none */
    u64         unfinished;            /* groups that are not reported as finished, and AWAITED */
    JobFunction call;
    void*       user;
    JobGroup*   group; /* for the worker that owns the batch; never dereferenced */
    u32         groups, first, count, group_size;
} Batch;

static_assert(sizeof(Batch) == LINE_BYTES, "what a thread needs to take items is one line");

typedef struct JobWorker {
    JobPool*  pool;
    u32       index;
    u32       shown; /* the batches below it may have work: what other threads read */
    pthread_t thread;
    _Alignas(LINE_BYTES) u64 used; /* a bit per batch; apart from what others read */
    u32   depth;                   /* items that it runs, one within the other */
    Batch batch[BATCHES_MAX];
} JobWorker;

struct JobPool {
    u32             sleeping;      /* threads to be woken; changed with the lock, read without */
    bool            closing;       /* likewise */
    bool            waiter_sleeps; /* likewise: worker 0, which would help with nested work */
    bool            helps;         /* see job_help.h */
    bool            spins, permitted;
    u32             worker_count, thread_count;
    JobPermit       permit;
    pthread_mutex_t lock;
    pthread_cond_t  work;     /* wakes > 0 */
    pthread_cond_t  done;     /* a batch that is waited for was finished */
    pthread_cond_t  waiter;   /* the same, or there is nested work, while waiter_sleeps */
    u32             wakes;    /* threads that were signalled and are not awake yet */
    JobWorker       worker[]; /* [worker_count] */
};

/* Which worker of which pool this thread is. */
static _Thread_local struct {
    const JobPool* pool;
    u32            worker;
} self;

static JobWorker* worker_self(const JobPool* pool) {
    return (JobWorker*)&pool->worker[self.pool == pool ? self.worker : 0];
}

/* --- spinning --- */

typedef struct Spin {
    u64 until_ns;
    u32 looks;
} Spin;

static inline void cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* False: the time is over. */
static bool spin_more(const JobPool* pool, Spin* spin) {
    if (!pool->spins) return false;
    cpu_relax();
    if (++spin->looks % SPIN_LOOKS) return true;
    const u64 now_ns = clock_ns();
    if (!spin->until_ns) spin->until_ns = now_ns + SPIN_NS;
    return now_ns < spin->until_ns;
}

/* --- batches --- */

/* Reports groups that the caller took and ran. Afterwards the batch may be used again.
 *
 * Release: the waiter's acquire of 0 comes after all writes of the items, also in other threads,
 * since every report is a read-modify-write and so continues the release sequence of the earlier
 * ones. */
static void batch_report(JobPool* pool, Batch* b, u64 groups) {
    const u64 unfinished = __atomic_sub_fetch(&b->unfinished, groups, __ATOMIC_RELEASE);
    if (unfinished != AWAITED) return;
    pthread_mutex_lock(&pool->lock); /* then the waiter is asleep, and not about to sleep */
    pthread_cond_broadcast(&pool->done);
    if (pool->waiter_sleeps) pthread_cond_signal(&pool->waiter);
    pthread_mutex_unlock(&pool->lock);
}

static bool batch_finished(const Batch* b) {
    return (__atomic_load_n(&b->unfinished, __ATOMIC_ACQUIRE) & ~AWAITED) == 0;
}

/* Runs groups of a batch until all are taken.
 *
 * The load before the first subtraction avoids a write to `left` when there is nothing to take. It
 * is an acquire: the line was written before `left` was stored. The later ones need no order,
 * because the batch cannot be finished, and so not be written again, before the report. A thread
 * that waits for the batch and took every group has no other thread to synchronise with. */
static void batch_help(JobPool* pool, Batch* b, u32 worker, bool waits) {
    JobWorker* const this_worker = &pool->worker[worker];
    if (__atomic_load_n(&b->left, __ATOMIC_RELAXED) <= 0) return;
    int64_t left = __atomic_fetch_sub(&b->left, 1, __ATOMIC_ACQUIRE);
    if (left <= 0) return;
    const JobFunction call = b->call;
    void* const       user = b->user;
    const u32         groups = b->groups, begin = b->first, count = b->count, size = b->group_size;
    u64               taken = 0;
    this_worker->depth++;
    for (; left > 0; left = __atomic_fetch_sub(&b->left, 1, __ATOMIC_RELAXED), taken++) {
        const u32 first = begin + (u32)(groups - left) * size;
        call(user, first, first + MIN_OF(size, count - first), worker);
    }
    this_worker->depth--;
    if (waits && taken == groups)
        __atomic_store_n(&b->unfinished, 0, __ATOMIC_RELAXED);
    else
        batch_report(pool, b, taken);
}

/* A batch with work that a worker from `first` on has dispatched; the search begins where work was found
 * the last time. Sequentially consistent: see worker_park. */
static Batch* batch_find_from(JobPool* pool, u32 first, u32* last) {
    const u32 count = pool->worker_count - first;
    for (u32 i = 0; i < count; i++) {
        const u32  index = first + (*last + i) % count;
        JobWorker* w = &pool->worker[index];
        const u32  shown = __atomic_load_n(&w->shown, __ATOMIC_SEQ_CST);
        for (u32 k = 0; k < shown; k++) {
            if (__atomic_load_n(&w->batch[k].left, __ATOMIC_SEQ_CST) <= 0) continue;
            *last = index - first;
            return &w->batch[k];
        }
    }
    return NULL;
}

static Batch* batch_find(JobPool* pool, u32* last) { return batch_find_from(pool, 0, last); }

/* Work that items dispatched on the threads of the pool. */
static Batch* batch_find_nested(JobPool* pool, u32* last) { return batch_find_from(pool, 1, last); }

/* --- threads --- */

/* Sleeps until it is signalled, unless there is work.
 *
 * No work is missed: the thread announces that it sleeps and then searches for work; the dispatcher
 * publishes the work and then checks for sleeping threads. All four accesses are sequentially
 * consistent, so at least one of the two sees the other. The lock is held from here to the wait for
 * the condition, so a signal cannot come too early. */
static void worker_park(JobPool* pool, u32* last) {
    pthread_mutex_lock(&pool->lock);
    __atomic_store_n(&pool->sleeping, pool->sleeping + 1, __ATOMIC_SEQ_CST);
    if (pool->closing || batch_find(pool, last)) {
        __atomic_store_n(&pool->sleeping, pool->sleeping - 1, __ATOMIC_RELAXED);
    } else {
        while (pool->wakes == 0) pthread_cond_wait(&pool->work, &pool->lock);
        pool->wakes--;
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Wakes at most `max` sleeping threads. They count as awake from now on, so that the next dispatch
 * does not wake them again. */
static void workers_wake(JobPool* pool, u32 max) {
    const bool waiter = __atomic_load_n(&pool->waiter_sleeps, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&pool->sleeping, __ATOMIC_SEQ_CST) == 0 && !waiter) return;
    pthread_mutex_lock(&pool->lock);
    if (waiter) pthread_cond_signal(&pool->waiter);
    const u32 count = MIN_OF(max, pool->sleeping);
    __atomic_store_n(&pool->sleeping, pool->sleeping - count, __ATOMIC_RELAXED);
    pool->wakes += count;
    pthread_mutex_unlock(&pool->lock);
    for (u32 i = 0; i < count; i++) pthread_cond_signal(&pool->work);
}

/* Runs work with a permit until there is nothing to take. Without a permit: false. */
static bool worker_stretch(JobPool* pool, Batch* b, u32* last, u32 worker) {
    if (pool->permitted && !pool->permit.take(pool->permit.user)) return false;
    for (; b; b = batch_find(pool, last)) batch_help(pool, b, worker, false);
    if (pool->permitted) pool->permit.give(pool->permit.user);
    return true;
}

static void thread_name(u32 worker) {
#ifdef __linux__
    char name[16];
    snprintf(name, sizeof name, "ent job %u", worker);
    pthread_setname_np(pthread_self(), name);
#else
    UNUSED(worker);
#endif
}

static void* worker_main(void* user) {
    JobWorker* this_worker = user;
    JobPool*   pool = this_worker->pool;
    Spin       spin = {0};
    u32        last = 0;
    self.pool = pool;
    self.worker = this_worker->index;
    thread_name(this_worker->index);
    while (!__atomic_load_n(&pool->closing, __ATOMIC_RELAXED)) {
        Batch* b = batch_find(pool, &last);
        if (!b && spin_more(pool, &spin)) continue;
        spin = (Spin){0};
        if (!b)
            worker_park(pool, &last);
        else if (!worker_stretch(pool, b, &last, this_worker->index))
            break;
    }
    return NULL;
}

static JobPool* pool_alloc(u32 threads) {
    const size_t bytes = sizeof(JobPool) + sizeof(JobWorker) * ((size_t)threads + 1);
    JobPool*     pool = aligned_alloc(LINE_BYTES, bytes);
    if (!pool) return NULL;
    memset(pool, 0, bytes);
    pool->worker_count = threads + 1;
    for (u32 i = 0; i <= threads; i++) pool->worker[i].pool = pool, pool->worker[i].index = i;
    return pool;
}

JobPool* ent_job_pool_create(u32 threads, const JobPermit* permit) {
    JobPool* pool = pool_alloc(threads);
    if (!pool) return errno = ENOMEM, NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pthread_cond_init(&pool->waiter, NULL);
    if (permit) pool->permit = *permit, pool->permitted = true;
    /* A spinning thread takes processor time from a thread that works, where there are too few
     * processors. */
    pool->spins = !permit && threads > 0 && threads < ent_job_processor_count();
    for (; pool->thread_count < threads; pool->thread_count++) {
        JobWorker* w = &pool->worker[pool->thread_count + 1];
        const int  code = pthread_create(&w->thread, NULL, worker_main, w);
        if (code == 0) continue;
        ent_job_pool_destroy(pool);
        return errno = code, NULL;
    }
    return pool;
}

static void threads_end(JobPool* pool) {
    pthread_mutex_lock(&pool->lock);
    __atomic_store_n(&pool->closing, true, __ATOMIC_RELAXED);
    pool->wakes += pool->sleeping;
    __atomic_store_n(&pool->sleeping, 0, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    if (pool->permitted) pool->permit.close(pool->permit.user);
    for (u32 i = 1; i <= pool->thread_count; i++) pthread_join(pool->worker[i].thread, NULL);
}

void ent_job_pool_destroy(JobPool* pool) {
    if (!pool) return;
    for (u32 i = 0; i < BATCHES_MAX; i++) assert(batch_finished(&pool->worker[0].batch[i]));
    threads_end(pool);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->waiter);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void job_pool_help(JobPool* pool) { pool->helps = true; }

u32 ent_job_worker_count(const JobPool* pool) { return pool->worker_count; }

u32 ent_job_processor_count(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return (u32)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (u32)count : 1;
}

/* --- work --- */

/* A free batch, or NULL. A finished batch that was not waited for yet is free too: the waiting
 * worker sees by `group` that the batch belongs to another group. */
static Batch* batch_claim(JobWorker* this_worker) {
    if (~this_worker->used == 0) {
        for (u32 i = 0; i < BATCHES_MAX; i++) {
            if (batch_finished(&this_worker->batch[i])) this_worker->used &= ~(1ull << i);
        }
        if (~this_worker->used == 0) return NULL;
    }
    const u32 slot = trailing_zeros(~this_worker->used);
    this_worker->used |= 1ull << slot;
    if (this_worker->shown <= slot)
        __atomic_store_n(&this_worker->shown, slot + 1, __ATOMIC_SEQ_CST);
    return &this_worker->batch[slot];
}

/* Other threads see the batch from the last store on: the store releases all writes before it, and
 * is sequentially consistent for worker_park. Until then the worker alone uses `unfinished` and all
 * other members but `left`. */
static void batch_show(Batch* b, const Batch* what) {
    b->call = what->call;
    b->user = what->user;
    b->group = what->group;
    b->groups = what->groups;
    b->first = what->first;
    b->count = what->count;
    b->group_size = what->group_size;
    __atomic_store_n(&b->unfinished, what->groups, __ATOMIC_RELAXED);
    __atomic_store_n(&b->left, what->groups, __ATOMIC_SEQ_CST);
}

void ent_job_dispatch(JobPool* pool, JobGroup* group, u32 count, u32 group_size, JobFunction call,
                      void* user) {
    JobWorker* this_worker = worker_self(pool);
    Batch*     b = NULL;
    u32        first = 0;
    assert(group_size > 0);
    assert(!group->batches || group->worker == this_worker->index);
    /* When all batches are in use, it may be that no other thread can finish one. */
    while (first < count && !(b = batch_claim(this_worker))) {
        const u32 end = first + MIN_OF(group_size, count - first);
        this_worker->depth++;
        call(user, first, end, this_worker->index);
        this_worker->depth--;
        first = end;
    }
    if (!b) return;
    const u32 groups = (count - first - 1) / group_size + 1;
    group->batches |= 1ull << (b - this_worker->batch);
    group->worker = this_worker->index;
    batch_show(b, &(Batch){.call = call,
                           .user = user,
                           .group = group,
                           .groups = groups,
                           .first = first,
                           .count = count,
                           .group_size = group_size});
    workers_wake(pool, groups);
}

void ent_job_execute(JobPool* pool, JobGroup* group, JobFunction call, void* user) {
    ent_job_dispatch(pool, group, 1, 1, call, user);
}

/* The batch of the group with the lowest number; NULL: there is none. */
static Batch* batch_next(JobWorker* this_worker, const JobGroup* group, u64* batches) {
    while (*batches) {
        Batch* b = &this_worker->batch[trailing_zeros(*batches)];
        *batches &= *batches - 1;
        if (b->group == group) return b;
    }
    return NULL;
}

bool ent_job_busy(const JobPool* pool, const JobGroup* group) {
    JobWorker* this_worker = worker_self(pool);
    u64        batches = group->batches;
    assert(!batches || group->worker == this_worker->index);
    for (const Batch* b; (b = batch_next(this_worker, group, &batches));) {
        if (!batch_finished(b)) return true;
    }
    return false;
}

/* Sleeps until the batch is finished, or there is nested work with which this thread would help.
 *
 * Acquire and release when it announces that it will sleep: as in batch_report, whose subtraction
 * either comes before and is seen here, or sees the bit. Nested work is not missed for the same reason
 * as in worker_park. */
static void batch_sleep(JobPool* pool, Batch* b, bool helps, u32* last) {
    pthread_mutex_lock(&pool->lock);
    __atomic_fetch_or(&b->unfinished, AWAITED, __ATOMIC_ACQ_REL);
    if (helps) __atomic_store_n(&pool->waiter_sleeps, true, __ATOMIC_SEQ_CST);
    while (!batch_finished(b) && !(helps && batch_find_nested(pool, last)))
        pthread_cond_wait(helps ? &pool->waiter : &pool->done, &pool->lock);
    if (helps) __atomic_store_n(&pool->waiter_sleeps, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool->lock);
}

/* Waits for groups that other threads took, and frees the batch; see job_help.h. */
static void batch_await(JobPool* pool, JobWorker* this_worker, Batch* b) {
    const bool helps = pool->helps && this_worker->index == 0 && this_worker->depth == 0;
    Spin       spin = {0};
    u32        last = 0;
    while (!batch_finished(b)) {
        Batch* nested = helps ? batch_find_nested(pool, &last) : NULL;
        if (nested) batch_help(pool, nested, 0, false), spin = (Spin){0};
        if (nested || spin_more(pool, &spin)) continue;
        batch_sleep(pool, b, helps, &last);
    }
    b->group = NULL;
    this_worker->used &= ~(1ull << (b - this_worker->batch));
}

void ent_job_wait(JobPool* pool, JobGroup* group) {
    JobWorker* this_worker = worker_self(pool);
    assert(!group->batches || group->worker == this_worker->index);
    while (group->batches) {
        u64 help = group->batches, await = group->batches;
        group->batches = 0;
        for (Batch* b; (b = batch_next(this_worker, group, &help));)
            batch_help(pool, b, this_worker->index, true);
        for (Batch* b; (b = batch_next(this_worker, group, &await));)
            batch_await(pool, this_worker, b);
    }
    if (!this_worker->used && this_worker->shown > SHOWN_MAX)
        __atomic_store_n(&this_worker->shown, 0, __ATOMIC_SEQ_CST);
}
