/* test_job_budget.c - threads that share a number of bytes: together they never use more, and one
 * that needs more than all of them is the only one. Threads that share a lock. */
#include "job_budget.h"
#include "job_lock.h"
#include "jobs.h"
#include "test.h"

#define LIMIT 100u

typedef struct Sharing {
    JobBudget budget;
    u64       used, wrong; /* atomic */
} Sharing;

static void bytes_use(void* user, u32 first, u32 end, u32 worker) {
    Sharing* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const u64 bytes = i % 17 == 3 ? LIMIT * 3 : 1 + i * 7 % LIMIT;
        job_budget_take(&s->budget, bytes, LIMIT);
        const u64 used = __atomic_add_fetch(&s->used, bytes, __ATOMIC_SEQ_CST);
        if (used > MAX_OF(bytes, LIMIT)) __atomic_add_fetch(&s->wrong, 1, __ATOMIC_SEQ_CST);
        __atomic_sub_fetch(&s->used, bytes, __ATOMIC_SEQ_CST);
        job_budget_give(&s->budget, bytes);
    }
}

static void threads_never_use_more_than_the_limit_together(void** state) {
    Sharing  s = {0};
    JobPool* pool = ent_job_pool_create(7, NULL);
    JobGroup group = {0};
    UNUSED(state);
    assert_non_null(pool);
    ent_job_dispatch(pool, &group, 20000, 16, bytes_use, &s);
    ent_job_wait(pool, &group);
    ent_job_pool_destroy(pool);
    assert_int_equal(s.wrong, 0);
    assert_int_equal(s.budget.used, 0);
}

/* --- locks --- */

#define LOCKS 3u

typedef struct Locked {
    JobLock lock;
    u32     count; /* not atomic: the lock guards it */
} Locked;

static void locked_add(void* user, u32 first, u32 end, u32 worker) {
    Locked* locked = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        job_lock_take(&locked[i % LOCKS].lock);
        locked[i % LOCKS].count++;
        job_lock_give(&locked[i % LOCKS].lock);
    }
}

static void lock_is_taken_by_one_thread_at_a_time(void** state) {
    Locked   locked[LOCKS] = {0};
    JobPool* pool = ent_job_pool_create(7, NULL);
    JobGroup group = {0};
    UNUSED(state);
    assert_non_null(pool);
    ent_job_dispatch(pool, &group, LOCKS * 100000, 16, locked_add, locked);
    ent_job_wait(pool, &group);
    ent_job_pool_destroy(pool);
    for (u32 i = 0; i < LOCKS; i++) {
        assert_int_equal(locked[i].count, 100000);
        assert_int_equal(locked[i].lock.state, 0);
    }
}

TEST_SUITE(job_budget) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_is_taken_by_one_thread_at_a_time),
        cmocka_unit_test(threads_never_use_more_than_the_limit_together),
    };
    return TEST_RUN("job_budget", tests);
}
