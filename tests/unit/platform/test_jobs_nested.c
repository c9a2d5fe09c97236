/* test_jobs_nested.c - the thread that waits for work, and what items dispatch on other threads: it helps with that, and
 * begins no item within another one. Also run under the thread sanitizer. */
#include <time.h>

#include "job_help.h"
#include "test.h"

#define WORKERS_MAX 16
#define MOMENTS_MAX 20000 /* then a condition that another thread has to make true is a failure */

static void moment(void) {
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}

static u32 get(const u32* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static u32 add(u32* at, int more) { return __atomic_add_fetch(at, (u32)more, __ATOMIC_SEQ_CST); }

static JobPool* pool_new(u32 threads) {
    JobPool* pool = ent_job_pool_create(threads, NULL);
    assert_non_null(pool);
    job_pool_help(pool);
    return pool;
}

/* An item that dispatches items which can only end together. */
typedef struct Together {
    JobPool* pool;
    u32      count;  /* of them */
    u32      pauses; /* before they are dispatched */
    u32      entered, open, running, missed;
} Together;

static void together_run(void* user, u32 first, u32 end, u32 worker) {
    Together* m = user;
    UNUSED(first), UNUSED(end), UNUSED(worker);
    add(&m->running, 1);
    for (u32 i = 0; get(&m->running) < m->count; i++) {
        if (i == MOMENTS_MAX) {
            add(&m->missed, 1);
            return;
        }
        moment();
    }
}

static void together_dispatch(void* user, u32 first, u32 end, u32 worker) {
    Together* m = user;
    JobGroup  group = {0};
    UNUSED(first), UNUSED(end), UNUSED(worker);
    add(&m->entered, 1);
    while (!get(&m->open)) moment();
    for (u32 i = 0; i < m->pauses; i++) moment();
    ent_job_dispatch(m->pool, &group, m->count, 1, together_run, m);
    ent_job_wait(m->pool, &group);
}

/* All threads of the pool, and the one that waits, are needed. */
static void check_together(u32 threads, u32 pauses) {
    Together m = {.pool = pool_new(threads), .count = threads + 1, .pauses = pauses};
    JobGroup group = {0};
    ent_job_execute(m.pool, &group, together_dispatch, &m);
    while (!get(&m.entered)) moment(); /* by a thread of the pool */
    add(&m.open, 1);
    ent_job_wait(m.pool, &group);
    ent_job_pool_destroy(m.pool);
    assert_int_equal(m.missed, 0);
}

static void thread_that_waits_helps_with_work_of_items_on_other_threads(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 30; i++) check_together(1 + i % 3, i % 4);
}

/* It sleeps when the work is dispatched. */
static void thread_asleep_in_its_wait_wakes_for_work_of_other_threads(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 4; i++) check_together(1 + i % 2, 30);
}

/* --- items within items --- */

typedef struct Outer {
    JobPool* pool;
    u32      busy[WORKERS_MAX], inner_busy[WORKERS_MAX];
    u32      outer, inner, leaves, wrong;
} Outer;

static void leaf_run(void* user, u32 first, u32 end, u32 worker) {
    Outer* o = user;
    UNUSED(worker);
    add(&o->leaves, (int)(end - first));
}

static void inner_run(void* user, u32 first, u32 end, u32 worker) {
    Outer*   o = user;
    JobGroup group = {0};
    if (add(&o->inner_busy[worker], 1) != 1) add(&o->wrong, 1);
    add(&o->inner, (int)(end - first));
    ent_job_dispatch(o->pool, &group, 8, 1, leaf_run, o);
    ent_job_wait(o->pool, &group);
    add(&o->inner_busy[worker], -1);
}

static void outer_run(void* user, u32 first, u32 end, u32 worker) {
    Outer*   o = user;
    JobGroup group = {0};
    if (add(&o->busy[worker], 1) != 1) add(&o->wrong, 1);
    add(&o->outer, (int)(end - first));
    for (u32 i = 0; i < 3; i++) {
        ent_job_dispatch(o->pool, &group, 40, 3, inner_run, o);
        ent_job_wait(o->pool, &group);
    }
    add(&o->busy[worker], -1);
}

static void threads_begin_no_item_within_another_one(void** state) {
    UNUSED(state);
    for (u32 threads = 0; threads < 5; threads++) {
        Outer    o = {.pool = pool_new(threads)};
        JobGroup group = {0};
        ent_job_dispatch(o.pool, &group, 300, 1, outer_run, &o);
        ent_job_wait(o.pool, &group);
        ent_job_pool_destroy(o.pool);
        assert_int_equal(o.outer, 300);
        assert_int_equal(o.inner, 300 * 3 * 40);
        assert_int_equal(o.leaves, 300 * 3 * 14 * 8);
        assert_int_equal(o.wrong, 0);
    }
}

/* Three items, one on each thread: the one of the thread that waits dispatches leaves, of which another thread holds one;
 * meanwhile another item dispatches work. */
typedef struct Foreign {
    JobPool* pool;
    u32      entered, leaves, others, open, is_left, wrong;
} Foreign;

static void leaf_hold(void* user, u32 first, u32 end, u32 worker) {
    Foreign* t = user;
    UNUSED(first), UNUSED(end);
    add(&t->leaves, 1);
    while (get(&t->leaves) < 2) moment(); /* on two threads */
    while (worker && !get(&t->open)) moment();
}

static void foreign_run(void* user, u32 first, u32 end, u32 worker) {
    Foreign* t = user;
    UNUSED(first), UNUSED(end);
    if (worker == 0 && !get(&t->is_left)) add(&t->wrong, 1);
    for (u32 i = 0; i < 20 && worker; i++) moment();
    add(&t->open, 1);
}

static void item_run(void* user, u32 first, u32 end, u32 worker) {
    Foreign* t = user;
    JobGroup group = {0};
    UNUSED(first), UNUSED(end);
    add(&t->entered, 1);
    while (get(&t->entered) < 3) moment();
    if (worker == 0) {
        ent_job_dispatch(t->pool, &group, 2, 1, leaf_hold, t);
        ent_job_wait(t->pool, &group);
        add(&t->is_left, 1);
    } else if (add(&t->others, 1) == 1) {
        while (get(&t->leaves) < 2) moment();
        ent_job_dispatch(t->pool, &group, 2, 1, foreign_run, t);
        ent_job_wait(t->pool, &group);
    }
}

static void thread_that_waits_within_an_item_does_not_help_other_threads(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 10; i++) {
        Foreign  t = {.pool = pool_new(2)};
        JobGroup group = {0};
        ent_job_dispatch(t.pool, &group, 3, 1, item_run, &t);
        ent_job_wait(t.pool, &group);
        ent_job_pool_destroy(t.pool);
        assert_int_equal(t.wrong, 0);
    }
}

/* An item that dispatches items which other threads must not begin while they wait for something else. */
typedef struct Held {
    JobPool* pool;
    u32      begun, open, missed, by_waiter, counted;
} Held;

static void hold(void* user, u32 first, u32 end, u32 worker) {
    Held* h = user;
    UNUSED(first), UNUSED(end);
    if (worker == 0) add(&h->by_waiter, 1);
    add(&h->begun, 1);
    for (u32 i = 0; !get(&h->open) && i < MOMENTS_MAX; i++) moment();
    if (!get(&h->open)) add(&h->missed, 1);
}

static void holds_dispatch(void* user, u32 first, u32 end, u32 worker) {
    Held*    h = user;
    JobGroup group = {0};
    UNUSED(first), UNUSED(end), UNUSED(worker);
    ent_job_dispatch(h->pool, &group, 3, 1, hold, h);
    ent_job_wait(h->pool, &group);
}

static void count_one(void* user, u32 first, u32 end, u32 worker) {
    Held* h = user;
    UNUSED(worker);
    add(&h->counted, (int)(end - first));
}

static void wait_in_a_usual_pool_takes_no_work_of_other_threads(void** state) {
    Held     h = {.pool = ent_job_pool_create(1, NULL)};
    JobGroup slow = {0}, quick = {0};
    UNUSED(state);
    ent_job_execute(h.pool, &slow, holds_dispatch, &h);
    while (!get(&h.begun)) moment(); /* on the only thread of the pool */
    ent_job_dispatch(h.pool, &quick, 50, 1, count_one, &h);
    ent_job_wait(h.pool, &quick);
    assert_int_equal(h.counted, 50);
    assert_int_equal(h.by_waiter, 0);
    add(&h.open, 1);
    ent_job_wait(h.pool, &slow);
    ent_job_pool_destroy(h.pool);
    assert_int_equal(h.missed, 0);
}

TEST_SUITE(jobs_nested) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_that_waits_helps_with_work_of_items_on_other_threads),
        cmocka_unit_test(thread_asleep_in_its_wait_wakes_for_work_of_other_threads),
        cmocka_unit_test(threads_begin_no_item_within_another_one),
        cmocka_unit_test(thread_that_waits_within_an_item_does_not_help_other_threads),
        cmocka_unit_test(wait_in_a_usual_pool_takes_no_work_of_other_threads),
    };
    return TEST_RUN("jobs_nested", tests);
}
