/* test_jobs.c - loops over items on threads: each item once, at any nesting; groups that are waited
 * for separately; threads that wake for work, sleep without it, and end; permits, and tasks that
 * are done once by the first thread. Also run under the thread sanitizer. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "file.h"

#include "job_once.h"
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
    u32 items[ITEMS_MAX]; /* not atomic: the wait makes them visible */
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

static void dispatched_items_with_any_thread_count_run_exactly_once(void** state) {
    static const u32 counts[] = {1, 2, 63, 64, 65, 1000, ITEMS_MAX}, sizes[] = {1, 7, 64, 100000};
    Count*           c = malloc(sizeof *c);
    UNUSED(state);
    for (u32 threads = 0; threads < 8; threads += threads ? threads : 1) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        assert_non_null(pool);
        assert_int_equal(ent_job_worker_count(pool), threads + 1);
        for (u32 i = 0; i < COUNT_OF(counts) * COUNT_OF(sizes); i++) {
            const u32 count = counts[i / COUNT_OF(sizes)], size = sizes[i % COUNT_OF(sizes)];
            JobGroup  group = {0};
            *c = (Count){.workers = threads + 1, .group_size = size};
            ent_job_dispatch(pool, &group, count, size, count_items, c);
            ent_job_wait(pool, &group);
            assert_false(ent_job_busy(pool, &group));
            assert_int_equal(c->wrong, 0);
            for (u32 k = 0; k < ITEMS_MAX; k++) assert_int_equal(c->items[k], k < count);
        }
        ent_job_pool_destroy(pool);
    }
    free(c);
}

static void dispatch_of_no_items_is_complete_at_once(void** state) {
    JobPool* pool = ent_job_pool_create(2, NULL);
    JobGroup group = {0};
    UNUSED(state);
    ent_job_dispatch(pool, &group, 0, 1, count_items, NULL);
    assert_false(ent_job_busy(pool, &group));
    ent_job_wait(pool, &group);
    ent_job_pool_destroy(pool);
    ent_job_pool_destroy(NULL);
}

static void count_up(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(worker);
    add(user, (int)(end - first));
}

/* More batches than the pool can store, with and without threads that complete some. */
static void batches_beyond_capacity_of_pool_all_run(void** state) {
    UNUSED(state);
    for (u32 threads = 0; threads < 3; threads++) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        JobGroup groups[3] = {0};
        u32      sum = 0;
        for (u32 i = 0; i < 1000; i++) {
            ent_job_dispatch(pool, &groups[i % 3], 1 + i % 5, 2, count_up, &sum);
        }
        for (u32 i = 0; i < 3; i++) ent_job_wait(pool, &groups[i]);
        assert_int_equal(sum, 3000);
        ent_job_pool_destroy(pool);
    }
}

static void pools_created_and_destroyed_repeatedly_complete_their_work(void** state) {
    u32 sum = 0;
    UNUSED(state);
    for (u32 i = 0; i < 200; i++) {
        JobPool* pool = ent_job_pool_create(i % 5, NULL);
        JobGroup group = {0};
        if (i % 2) ent_job_dispatch(pool, &group, 10, 1, count_up, &sum);
        if (i % 2) ent_job_wait(pool, &group);
        ent_job_pool_destroy(pool);
    }
    assert_int_equal(sum, 1000);
}

/* --- groups --- */

typedef struct Latch {
    u32 entered, open, passed;
} Latch;

static void pass_latch(void* user, u32 first, u32 end, u32 worker) {
    Latch* latch = user;
    UNUSED(worker);
    add(&latch->entered, 1);
    while (!get(&latch->open)) moment();
    add(&latch->passed, (int)(end - first));
}

static void wait_for_group_returns_while_other_group_runs(void** state) {
    JobPool* pool = ent_job_pool_create(1, NULL);
    JobGroup slow = {0}, quick = {0};
    Latch    latch = {0};
    u32      sum = 0;
    UNUSED(state);
    ent_job_execute(pool, &slow, pass_latch, &latch);
    while (!get(&latch.entered)) moment(); /* the only thread is in it */
    ent_job_dispatch(pool, &quick, 100, 3, count_up, &sum);
    ent_job_wait(pool, &quick);
    assert_int_equal(sum, 100);
    assert_int_equal(latch.passed, 0);
    assert_true(ent_job_busy(pool, &slow));
    assert_false(ent_job_busy(pool, &quick));
    add(&latch.open, 1);
    ent_job_wait(pool, &slow);
    assert_int_equal(latch.passed, 1);
    ent_job_pool_destroy(pool);
}

static void work_of_pool_without_threads_runs_in_the_wait(void** state) {
    JobPool* pool = ent_job_pool_create(0, NULL);
    JobGroup first = {0}, second = {0};
    u32      one = 0, two = 0;
    UNUSED(state);
    ent_job_dispatch(pool, &first, 10, 1, count_up, &one);
    ent_job_dispatch(pool, &second, 10, 1, count_up, &two);
    assert_int_equal(one + two, 0);
    ent_job_wait(pool, &second);
    assert_int_equal(one, 0);
    assert_int_equal(two, 10);
    assert_true(ent_job_busy(pool, &first));
    ent_job_wait(pool, &first);
    assert_int_equal(one, 10);
    ent_job_pool_destroy(pool);
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
    ent_job_dispatch(outer->pool, &group, 3, 1, nest_run, &inner);
    ent_job_wait(outer->pool, &group);
    add(&sums->sum, (int)inner.sum);
}

typedef struct Chain {
    JobPool* pool;
    u32      left, passed;
} Chain;

static void chain_run(void* user, u32 first, u32 end, u32 worker) {
    Chain*   chain = user;
    JobGroup group = {0};
    UNUSED(worker);
    add(&chain->passed, (int)(end - first));
    if (chain->left == 0) return;
    chain->left--;
    ent_job_execute(chain->pool, &group, chain_run, chain);
    ent_job_wait(chain->pool, &group);
}

static void wait_inside_a_job_completes_nested_work(void** state) {
    JobPool* pool = ent_job_pool_create(0, NULL);
    Nest     nest = {pool, 4, 0};
    UNUSED(state);
    nest_run(&nest, 0, 1, 0);
    assert_int_equal(nest.sum, 1 + 3 + 9 + 27 + 81);
    ent_job_pool_destroy(pool);
}

/* The number of batches per thread is limited; the nesting depth is not. */
static void nesting_deeper_than_capacity_of_pool_completes(void** state) {
    UNUSED(state);
    for (u32 threads = 0; threads < 3; threads++) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        Chain    chain = {pool, 200, 0};
        JobGroup group = {0};
        ent_job_execute(pool, &group, chain_run, &chain);
        ent_job_wait(pool, &group);
        assert_int_equal(chain.passed, 201);
        ent_job_pool_destroy(pool);
    }
}

/* Finished groups free their batches before the wait. */
static void groups_waited_for_in_reverse_order_complete(void** state) {
    JobPool* pool = ent_job_pool_create(2, NULL);
    JobGroup groups[150] = {0};
    u32      sums[150] = {0};
    UNUSED(state);
    for (u32 i = 0; i < 150; i++) {
        ent_job_dispatch(pool, &groups[i], 1 + i, 3, count_up, &sums[i]);
        if (i % 50 == 49) moment();
    }
    for (u32 i = 150; i-- > 0;) {
        ent_job_wait(pool, &groups[i]);
        assert_int_equal(sums[i], i + 1);
        assert_false(ent_job_busy(pool, &groups[i]));
    }
    ent_job_pool_destroy(pool);
}

/* The slow work reuses the slot of finished work: its group is nevertheless another one. */
static void wait_for_finished_group_ignores_newer_work(void** state) {
    JobPool* pool = ent_job_pool_create(1, NULL);
    JobGroup groups[64] = {0}, slow = {0};
    Latch    latch = {0};
    u32      sum = 0;
    UNUSED(state);
    for (u32 i = 0; i < 64; i++) ent_job_execute(pool, &groups[i], count_up, &sum);
    while (get(&sum) < 64 || ent_job_busy(pool, &groups[63])) moment();
    ent_job_execute(pool, &slow, pass_latch, &latch);
    while (!get(&latch.entered)) moment();
    for (u32 i = 0; i < 64; i++) ent_job_wait(pool, &groups[i]);
    assert_int_equal(latch.passed, 0);
    assert_true(ent_job_busy(pool, &slow));
    add(&latch.open, 1);
    ent_job_wait(pool, &slow);
    assert_int_equal(latch.passed, 1);
    ent_job_pool_destroy(pool);
}

static void other_pool_run(void* user, u32 first, u32 end, u32 worker) {
    Nest*    nest = user;
    JobGroup group = {0};
    UNUSED(first), UNUSED(end), UNUSED(worker);
    Count* c = calloc(1, sizeof *c);
    c->workers = ent_job_worker_count(nest->pool), c->group_size = 10;
    ent_job_dispatch(nest->pool, &group, 1000, 10, count_items, c);
    ent_job_wait(nest->pool, &group);
    for (u32 i = 0; i < 1000; i++) nest->sum += c->items[i];
    nest->sum += c->wrong * 1000000;
    free(c);
}

/* A thread of one pool is an ordinary caller of another pool. */
static void pool_used_from_threads_of_other_pool_completes(void** state) {
    JobPool *outer = ent_job_pool_create(3, NULL), *inner = ent_job_pool_create(1, NULL);
    UNUSED(state);
    for (u32 i = 0; i < 50; i++) {
        JobGroup group = {0};
        Nest     nest = {inner, 0, 0};
        ent_job_execute(outer, &group, other_pool_run, &nest);
        ent_job_wait(outer, &group);
        assert_int_equal(nest.sum, 1000);
    }
    ent_job_pool_destroy(outer);
    ent_job_pool_destroy(inner);
}

/* --- random work --- */

#define STRESS_ITEMS 200000

typedef struct Stress {
    JobPool* pool;
    u32      next, wrong;         /* first item that is not yet dispatched */
    u8       items[STRESS_ITEMS]; /* not atomic */
    u32      busy[WORKERS_MAX];
} Stress;

/* Items of one dispatch. */
typedef struct Span {
    Stress* stress;
    u32     first, count, group_size, depth, seed;
} Span;

static u32 random_next(u32* state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void span_run(void* user, u32 first, u32 end, u32 worker);

/* Dispatches up to five spans to up to three groups, waits for these in some order. */
static void spans_run(Stress* s, u32 depth, u32 seed) {
    Span      span[5];
    JobGroup  groups[3] = {0};
    u32       random = seed * 2654435761u | 1;
    const u32 count = 1 + random_next(&random) % COUNT_OF(span);
    u32       used = 0;
    for (; used < count; used++) {
        const u32 items = 1 + random_next(&random) % (depth ? 20 : 200);
        const u32 at = add(&s->next, (int)items) - items;
        if (at + items > STRESS_ITEMS) break;
        span[used] = (Span){
            s, at, items, 1 + random_next(&random) % (2 * items), depth, random_next(&random)};
        ent_job_dispatch(s->pool, &groups[random_next(&random) % 3], items, span[used].group_size,
                         span_run, &span[used]);
    }
    const u32 from = random_next(&random);
    for (u32 i = 0; i < 3; i++) ent_job_wait(s->pool, &groups[(from + i) % 3]);
    for (u32 i = 0; i < used; i++) {
        for (u32 k = 0; k < span[i].count; k++) {
            if (s->items[span[i].first + k] != 1) add(&s->wrong, 1);
        }
    }
}

static void span_run(void* user, u32 first, u32 end, u32 worker) {
    const Span* span = user;
    Stress*     s = span->stress;
    if (first >= end || end > span->count || end - first > span->group_size) add(&s->wrong, 1);
    for (u32 i = first; i < end; i++) {
        const u32 other = add(&s->busy[worker], 1);
        s->items[span->first + i]++;
        if (other != 1) add(&s->wrong, 1);
        add(&s->busy[worker], -1);
        if (span->depth && (span->seed + i) % 7 == 0) {
            spans_run(s, span->depth - 1, span->seed ^ (i + 1));
        }
    }
}

static void randomly_nested_work_runs_each_item_once(void** state) {
    Stress*   s = malloc(sizeof *s);
    const u32 seed = getenv("TEST_SEED") ? (u32)strtoul(getenv("TEST_SEED"), NULL, 0) : 20240611;
    UNUSED(state);
    print_message("seed %u\n", seed);
    for (u32 round = 0; round < 40; round++) {
        memset(s, 0, sizeof *s);
        s->pool = ent_job_pool_create(round % 5, NULL);
        for (u32 i = 0; i < 20; i++) spans_run(s, 1 + (round + i) % 3, seed + round * 100 + i);
        ent_job_pool_destroy(s->pool);
        assert_int_equal(s->wrong, 0);
        const u32 given = MIN_OF(s->next, STRESS_ITEMS);
        for (u32 i = given; i < STRESS_ITEMS; i++) assert_int_equal(s->items[i], 0);
    }
    free(s);
}

/* --- threads --- */

static void until_ns(u64 end) {
    while (clock_ns() < end) continue;
}

/* Two items that end only when both have begun: a lost wake-up shows as a test that does not end.
 * The pauses cover the moment at which threads go to sleep. */
static void meet(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(first), UNUSED(end), UNUSED(worker);
    add(user, 1);
    while (get(user) < 2) sched_yield();
}

static void sleeping_thread_wakes_for_dispatched_work(void** state) {
    UNUSED(state);
    for (u32 threads = 1; threads < 4; threads += 2) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        for (u32 i = 0; i < 600; i++) {
            JobGroup  group = {0};
            u32       met = 0;
            const u64 now = clock_ns();
            if (i % 100 == 0) moment();
            ent_job_dispatch(pool, &group, 2, 1, meet, &met);
            ent_job_wait(pool, &group);
            assert_int_equal(met, 2);
            until_ns(now + i * 100);
        }
        ent_job_pool_destroy(pool);
    }
}

static bool always(void* user) {
    UNUSED(user);
    return true;
}

static void never_mind(void* user) { UNUSED(user); }

/* With a permit threads sleep at once: some of these dispatches occur while one is about to
 * sleep. */
static void thread_about_to_sleep_notices_dispatched_work(void** state) {
    const JobPermit permit = {always, never_mind, never_mind, NULL};
    JobPool*        pool = ent_job_pool_create(1, &permit);
    UNUSED(state);
    for (u32 i = 0; i < 20000; i++) {
        JobGroup group = {0};
        u32      met = 0;
        ent_job_dispatch(pool, &group, 2, 1, meet, &met);
        ent_job_wait(pool, &group);
        assert_int_equal(met, 2);
        for (volatile u32 pause = 0; pause < i % 256;) pause = pause + 1;
    }
    ent_job_pool_destroy(pool);
}

/* Work that is not waited for begins nevertheless. */
static void dispatched_work_begins_before_the_wait(void** state) {
    JobPool* pool = ent_job_pool_create(3, NULL);
    UNUSED(state);
    for (u32 i = 0; i < 20; i++) {
        JobGroup group = {0};
        u32      sum = 0;
        if (i % 2) moment();
        ent_job_dispatch(pool, &group, 100, 1, count_up, &sum);
        while (ent_job_busy(pool, &group)) moment();
        assert_int_equal(get(&sum), 100);
        if (i % 3) ent_job_wait(pool, &group); /* and once it is done, no wait is needed */
    }
    ent_job_pool_destroy(pool);
}

static void pool_destroyed_in_any_state_of_its_threads_ends(void** state) {
    u32 sum = 0;
    UNUSED(state);
    for (u32 i = 0; i < 200; i++) {
        JobPool*  pool = ent_job_pool_create(1 + i % 3, NULL);
        JobGroup  group = {0};
        const u64 now = clock_ns();
        if (i % 2) ent_job_dispatch(pool, &group, 4, 1, count_up, &sum);
        if (i % 2) ent_job_wait(pool, &group);
        until_ns(now + i * 400); /* some are starting, some search for work, some sleep */
        ent_job_pool_destroy(pool);
    }
    assert_int_equal(sum, 400);
}

/* The first line of a file in the kernel's folder of a thread; false when the thread has ended. */
static bool thread_line(const char* thread, const char* name, char* line, int bytes) {
    char path[300];
    snprintf(path, sizeof path, "/proc/self/task/%s/%s", thread, name);
    FILE*      file = fopen(path, "r");
    const bool read = file && fgets(line, bytes, file);
    if (file) fclose(file);
    return read;
}

typedef struct Threads {
    u32 count;
    u64 ns; /* their running time */
} Threads;

/* Threads of pools, by their names: a graphics driver may have threads in this process too. */
static Threads threads_of_pools(void) {
    DIR*    folder = opendir("/proc/self/task");
    Threads threads = {0};
    for (const struct dirent* e; (e = readdir(folder));) {
        char line[100];
        if (!thread_line(e->d_name, "comm", line, sizeof line)) continue;
        if (strncmp(line, "ent job ", 8) != 0) continue;
        threads.count++;
        if (thread_line(e->d_name, "schedstat", line, sizeof line))
            threads.ns += strtoull(line, NULL, 10);
    }
    closedir(folder);
    return threads;
}

/* A thread is listed for a moment after it was joined, and at first it has no name. */
static void threads_become(u32 count) {
    for (u32 i = 0; i < 5000 && threads_of_pools().count != count; i++) moment();
    assert_int_equal(threads_of_pools().count, count);
}

typedef struct Names {
    char name[WORKERS_MAX][16];
    u32  entered;
} Names;

static void name_take(void* user, u32 first, u32 end, u32 worker) {
    Names* names = user;
    UNUSED(first), UNUSED(end);
    pthread_getname_np(pthread_self(), names->name[worker], sizeof names->name[worker]);
    add(&names->entered, 1);
    while (get(&names->entered) < 3) sched_yield(); /* so that each thread has one */
}

static void pool_threads_have_names_and_end_with_the_pool(void** state) {
    threads_become(0);
    JobPool* pool = ent_job_pool_create(2, NULL);
    JobGroup group = {0};
    Names    names = {0};
    char     thread_name[16];
    UNUSED(state);
    threads_become(2);
    ent_job_dispatch(pool, &group, 3, 1, name_take, &names);
    ent_job_wait(pool, &group);
    pthread_getname_np(pthread_self(), thread_name, sizeof thread_name);
    assert_string_equal(names.name[0], thread_name);
    assert_string_equal(names.name[1], "ent job 1");
    assert_string_equal(names.name[2], "ent job 2");
    ent_job_pool_destroy(pool);
    threads_become(0);
}

/* Of this thread and those of pools. */
static u64 processor_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec + threads_of_pools().ns;
}

/* Both kinds: no work, and a wait for work that takes long. */
static void slow_item(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(user), UNUSED(first), UNUSED(end), UNUSED(worker);
    clock_wait_ms(100);
}

/* Under load a thread that searches for work may run late, so one of the attempts suffices:
   threads that never sleep exceed the limit in each of them. */
static void assert_idle(JobPool* pool, void (*wait)(JobPool*), u64 limit_ns) {
    u64 used = UINT64_MAX;
    for (u32 attempt = 0; attempt < 50 && used > limit_ns; attempt++) {
        const u64 before = processor_ns();
        wait(pool);
        used = processor_ns() - before;
    }
    assert_in_range(used, 0, limit_ns);
}

static void wait_without_work(JobPool* pool) {
    UNUSED(pool);
    clock_wait_ms(100);
}

static void wait_for_slow_items(JobPool* pool) {
    JobGroup group = {0};
    ent_job_dispatch(pool, &group, 3, 1, slow_item, NULL);
    ent_job_wait(pool, &group);
}

static void idle_pool_threads_use_no_processor_time(void** state) {
    UNUSED(state);
    for (u32 threads = 1; threads < 4; threads += 2) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        JobGroup group = {0};
        u32      sum = 0;
        ent_job_dispatch(pool, &group, 100, 1, count_up, &sum);
        ent_job_wait(pool, &group);
        assert_idle(pool, wait_without_work, 3000000);
        assert_idle(pool, wait_for_slow_items, 5000000);
        ent_job_pool_destroy(pool);
    }
}

/* --- permits --- */

typedef struct Permits {
    pthread_mutex_t lock;
    pthread_cond_t  given;
    u32             free, taken, back, closed;
    u32             running, max; /* on the threads of the pool */
} Permits;

static bool permit_take(void* user) {
    Permits* p = user;
    pthread_mutex_lock(&p->lock);
    while (p->free == 0 && !p->closed) pthread_cond_wait(&p->given, &p->lock);
    const bool valid = !p->closed;
    if (valid) p->free--, p->taken++;
    pthread_mutex_unlock(&p->lock);
    return valid;
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
    if (worker == 0) { /* a waiting caller needs no permit, and leaves some for others */
        moment();
        return;
    }
    const u32 running = add(&p->running, 1);
    pthread_mutex_lock(&p->lock);
    p->max = MAX_OF(p->max, running);
    pthread_mutex_unlock(&p->lock);
    moment();
    add(&p->running, -1);
}

static void pool_with_permits_runs_no_more_threads_and_returns_them(void** state) {
    UNUSED(state);
    for (u32 free = 0; free < 3; free++) {
        Permits   p = {.lock = PTHREAD_MUTEX_INITIALIZER, .given = PTHREAD_COND_INITIALIZER};
        JobPermit permit = {permit_take, permit_give, permit_close, &p};
        p.free = free;
        JobPool* pool = ent_job_pool_create(4, &permit);
        for (u32 round = 0; round < 10; round++) {
            JobGroup group = {0};
            ent_job_dispatch(pool, &group, 40, 1, run_permitted, &p);
            ent_job_wait(pool, &group); /* ends also when no thread has a permit */
        }
        ent_job_pool_destroy(pool); /* and so does this while threads wait for a permit */
        assert_true(p.max <= free);
        assert_int_equal(p.max > 0, free > 0);
        assert_int_equal(p.taken, p.back);
        assert_int_equal(p.free, free);
    }
}

/* --- once --- */

typedef struct Once {
    JobOnce once;
    u32     value; /* not atomic: the once makes it visible */
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

static void task_done_once_runs_in_exactly_one_thread(void** state) {
    JobPool* pool = ent_job_pool_create(7, NULL);
    UNUSED(state);
    for (u32 round = 0; round < 100; round++) {
        JobGroup group = {0};
        Once     once = {0};
        assert_false(job_once_done(&once.once));
        ent_job_dispatch(pool, &group, 32, 1, do_once, &once);
        ent_job_wait(pool, &group);
        assert_int_equal(once.did, 1);
        assert_int_equal(once.wrong, 0);
    }
    ent_job_pool_destroy(pool);
}

static void processor_count_is_at_least_one(void** state) {
    UNUSED(state);
    assert_in_range(ent_job_processor_count(), 1, 1u << 20);
}

TEST_SUITE(jobs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatched_items_with_any_thread_count_run_exactly_once),
        cmocka_unit_test(dispatch_of_no_items_is_complete_at_once),
        cmocka_unit_test(batches_beyond_capacity_of_pool_all_run),
        cmocka_unit_test(pools_created_and_destroyed_repeatedly_complete_their_work),
        cmocka_unit_test(wait_for_group_returns_while_other_group_runs),
        cmocka_unit_test(work_of_pool_without_threads_runs_in_the_wait),
        cmocka_unit_test(wait_inside_a_job_completes_nested_work),
        cmocka_unit_test(nesting_deeper_than_capacity_of_pool_completes),
        cmocka_unit_test(groups_waited_for_in_reverse_order_complete),
        cmocka_unit_test(wait_for_finished_group_ignores_newer_work),
        cmocka_unit_test(pool_used_from_threads_of_other_pool_completes),
        cmocka_unit_test(randomly_nested_work_runs_each_item_once),
        cmocka_unit_test(sleeping_thread_wakes_for_dispatched_work),
        cmocka_unit_test(thread_about_to_sleep_notices_dispatched_work),
        cmocka_unit_test(dispatched_work_begins_before_the_wait),
        cmocka_unit_test(pool_destroyed_in_any_state_of_its_threads_ends),
        cmocka_unit_test(pool_threads_have_names_and_end_with_the_pool),
        cmocka_unit_test(idle_pool_threads_use_no_processor_time),
        cmocka_unit_test(pool_with_permits_runs_no_more_threads_and_returns_them),
        cmocka_unit_test(task_done_once_runs_in_exactly_one_thread),
        cmocka_unit_test(processor_count_is_at_least_one),
    };
    return TEST_RUN("jobs", tests);
}
