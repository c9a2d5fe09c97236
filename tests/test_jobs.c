/* test_jobs.c - loops over items on threads: each item once, groups that are waited for alone,
 * permits, and what is done once by whoever comes first. Under the thread sanitizer as well. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "jobs.h"
#include "test.h"

#define ITEMS_MAX   10000
#define WORKERS_MAX 16

static void moment(void) {
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}

static u32 get(const u32* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static u32 add(u32* at, int more) { return __atomic_add_fetch(at, (u32)more, __ATOMIC_SEQ_CST); }

/* --- items --- */

typedef struct Count {
    u32 items[ITEMS_MAX]; /* plain: the wait is what makes them seen */
    u32 workers, group_size, wrong;
    u32 busy[WORKERS_MAX];
} Count;

static void count_items(void* user, u32 first, u32 end, u32 worker) {
    Count* c = user;
    if (worker >= c->workers || add(&c->busy[worker], 1) != 1) add(&c->wrong, 1);
    if (first >= end || end - first > c->group_size) add(&c->wrong, 1);
    for (u32 i = first; i < end; i++) c->items[i]++;
    add(&c->busy[worker], -1);
}

static void each_item_once(void** state) {
    static const u32 counts[] = {1, 2, 63, 64, 65, 1000, ITEMS_MAX}, sizes[] = {1, 7, 64, 100000};
    Count*           c = malloc(sizeof *c);
    UNUSED(state);
    for (u32 threads = 0; threads < 8; threads += threads ? threads : 1) {
        JobPool* pool = job_pool_create(threads, NULL);
        assert_non_null(pool);
        assert_int_equal(job_worker_count(pool), threads + 1);
        for (u32 i = 0; i < COUNT_OF(counts) * COUNT_OF(sizes); i++) {
            const u32 count = counts[i / COUNT_OF(sizes)], size = sizes[i % COUNT_OF(sizes)];
            JobGroup  group = {0};
            *c = (Count){.workers = threads + 1, .group_size = size};
            job_dispatch(pool, &group, count, size, count_items, c);
            job_wait(pool, &group);
            assert_false(job_busy(pool, &group));
            assert_int_equal(c->wrong, 0);
            for (u32 k = 0; k < ITEMS_MAX; k++) assert_int_equal(c->items[k], k < count);
        }
        job_pool_destroy(pool);
    }
    free(c);
}

static void no_items_is_no_work(void** state) {
    JobPool* pool = job_pool_create(2, NULL);
    JobGroup group = {0};
    UNUSED(state);
    job_dispatch(pool, &group, 0, 1, count_items, NULL);
    assert_false(job_busy(pool, &group));
    job_wait(pool, &group);
    job_pool_destroy(pool);
    job_pool_destroy(NULL);
}

static void count_up(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(worker);
    add(user, (int)(end - first));
}

/* More batches than the pool has room for, with and without threads to make room. */
static void many_batches(void** state) {
    UNUSED(state);
    for (u32 threads = 0; threads < 3; threads++) {
        JobPool* pool = job_pool_create(threads, NULL);
        JobGroup groups[3] = {0};
        u32      sum = 0;
        for (u32 i = 0; i < 1000; i++) {
            job_dispatch(pool, &groups[i % 3], 1 + i % 5, 2, count_up, &sum);
        }
        for (u32 i = 0; i < 3; i++) job_wait(pool, &groups[i]);
        assert_int_equal(sum, 3000);
        job_pool_destroy(pool);
    }
}

static void pools_come_and_go(void** state) {
    u32 sum = 0;
    UNUSED(state);
    for (u32 i = 0; i < 200; i++) {
        JobPool* pool = job_pool_create(i % 5, NULL);
        JobGroup group = {0};
        if (i % 2) job_dispatch(pool, &group, 10, 1, count_up, &sum);
        if (i % 2) job_wait(pool, &group);
        job_pool_destroy(pool);
    }
    assert_int_equal(sum, 1000);
}

/* --- groups --- */

typedef struct Gate {
    u32 entered, open, passed;
} Gate;

static void pass_gate(void* user, u32 first, u32 end, u32 worker) {
    Gate* gate = user;
    UNUSED(worker);
    add(&gate->entered, 1);
    while (!get(&gate->open)) moment();
    add(&gate->passed, (int)(end - first));
}

static void a_group_is_waited_for_alone(void** state) {
    JobPool* pool = job_pool_create(1, NULL);
    JobGroup slow = {0}, quick = {0};
    Gate     gate = {0};
    u32      sum = 0;
    UNUSED(state);
    job_execute(pool, &slow, pass_gate, &gate);
    while (!get(&gate.entered)) moment(); /* the only thread stands in it */
    job_dispatch(pool, &quick, 100, 3, count_up, &sum);
    job_wait(pool, &quick);
    assert_int_equal(sum, 100);
    assert_int_equal(gate.passed, 0);
    assert_true(job_busy(pool, &slow));
    assert_false(job_busy(pool, &quick));
    add(&gate.open, 1);
    job_wait(pool, &slow);
    assert_int_equal(gate.passed, 1);
    job_pool_destroy(pool);
}

static void without_threads_work_is_done_where_it_is_waited_for(void** state) {
    JobPool* pool = job_pool_create(0, NULL);
    JobGroup first = {0}, second = {0};
    u32      one = 0, two = 0;
    UNUSED(state);
    job_dispatch(pool, &first, 10, 1, count_up, &one);
    job_dispatch(pool, &second, 10, 1, count_up, &two);
    assert_int_equal(one + two, 0);
    job_wait(pool, &second);
    assert_int_equal(one, 0);
    assert_int_equal(two, 10);
    assert_true(job_busy(pool, &first));
    job_wait(pool, &first);
    assert_int_equal(one, 10);
    job_pool_destroy(pool);
}

typedef struct Nest {
    JobPool* pool;
    u32      depth, sum;
} Nest;

static void nest_run(void* user, u32 first, u32 end, u32 worker) {
    const Nest* outer = user;
    Nest*       sums = user;
    JobGroup    group = {0};
    UNUSED(worker);
    add(&sums->sum, (int)(end - first));
    if (outer->depth == 0) return;
    Nest inner = {outer->pool, outer->depth - 1, 0};
    job_dispatch(outer->pool, &group, 3, 1, nest_run, &inner);
    job_wait(outer->pool, &group);
    add(&sums->sum, (int)inner.sum);
}

static void waits_may_be_nested(void** state) {
    JobPool* pool = job_pool_create(0, NULL);
    Nest     nest = {pool, 4, 0};
    UNUSED(state);
    nest_run(&nest, 0, 1, 0);
    assert_int_equal(nest.sum, 1 + 3 + 9 + 27 + 81);
    job_pool_destroy(pool);
}

/* --- permits --- */

typedef struct Permits {
    pthread_mutex_t lock;
    pthread_cond_t  given;
    u32             free, taken, back, closed;
    u32             running, most; /* on the pool's threads */
} Permits;

static bool permit_take(void* user) {
    Permits* p = user;
    pthread_mutex_lock(&p->lock);
    while (p->free == 0 && !p->closed) pthread_cond_wait(&p->given, &p->lock);
    const bool good = !p->closed;
    if (good) p->free--, p->taken++;
    pthread_mutex_unlock(&p->lock);
    return good;
}

static void permit_give(void* user) {
    Permits* p = user;
    pthread_mutex_lock(&p->lock);
    p->free++, p->back++;
    pthread_cond_signal(&p->given);
    pthread_mutex_unlock(&p->lock);
}

static void permit_close(void* user) {
    Permits* p = user;
    pthread_mutex_lock(&p->lock);
    p->closed = 1;
    pthread_cond_broadcast(&p->given);
    pthread_mutex_unlock(&p->lock);
}

static void run_permitted(void* user, u32 first, u32 end, u32 worker) {
    Permits* p = user;
    UNUSED(first);
    UNUSED(end);
    if (worker == 0) { /* who waits needs no leave, and leaves some for others */
        moment();
        return;
    }
    const u32 running = add(&p->running, 1);
    pthread_mutex_lock(&p->lock);
    p->most = MAX_OF(p->most, running);
    pthread_mutex_unlock(&p->lock);
    moment();
    add(&p->running, -1);
}

static void permits_are_kept_to_and_given_back(void** state) {
    UNUSED(state);
    for (u32 free = 0; free < 3; free++) {
        Permits   p = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};
        JobPermit permit = {permit_take, permit_give, permit_close, &p};
        p.free = free;
        JobPool* pool = job_pool_create(4, &permit);
        for (u32 round = 0; round < 10; round++) {
            JobGroup group = {0};
            job_dispatch(pool, &group, 40, 1, run_permitted, &p);
            job_wait(pool, &group); /* ends also where nobody has leave */
        }
        job_pool_destroy(pool); /* and so does this while threads wait for leave */
        assert_true(p.most <= free);
        assert_int_equal(p.most > 0, free > 0);
        assert_int_equal(p.taken, p.back);
        assert_int_equal(p.free, free);
    }
}

/* --- once --- */

typedef struct Once {
    JobOnce once;
    u32     value; /* plain: the once is what makes it seen */
    u32     did, wrong;
} Once;

static void do_once(void* user, u32 first, u32 end, u32 worker) {
    Once* once = user;
    UNUSED(first);
    UNUSED(end);
    UNUSED(worker);
    if (job_once_begin(&once->once)) {
        if (job_once_done(&once->once)) add(&once->wrong, 1);
        moment();
        once->value = 42;
        add(&once->did, 1);
        job_once_end(&once->once);
    }
    if (once->value != 42 || !job_once_done(&once->once)) add(&once->wrong, 1);
}

static void once_is_done_by_one(void** state) {
    JobPool* pool = job_pool_create(7, NULL);
    UNUSED(state);
    for (u32 round = 0; round < 100; round++) {
        JobGroup group = {0};
        Once     once = {0};
        assert_false(job_once_done(&once.once));
        job_dispatch(pool, &group, 32, 1, do_once, &once);
        job_wait(pool, &group);
        assert_int_equal(once.did, 1);
        assert_int_equal(once.wrong, 0);
    }
    job_pool_destroy(pool);
}

static void there_is_a_processor(void** state) {
    UNUSED(state);
    assert_in_range(job_processor_count(), 1, 1u << 20);
}

int test_jobs(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_once),
        cmocka_unit_test(no_items_is_no_work),
        cmocka_unit_test(many_batches),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(a_group_is_waited_for_alone),
        cmocka_unit_test(without_threads_work_is_done_where_it_is_waited_for),
        cmocka_unit_test(waits_may_be_nested),
        cmocka_unit_test(permits_are_kept_to_and_given_back),
        cmocka_unit_test(once_is_done_by_one),
        cmocka_unit_test(there_is_a_processor),
    };
    return TEST_RUN("jobs", tests);
}
