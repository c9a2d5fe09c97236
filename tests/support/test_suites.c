/* test_suites.c - runs each suite in a separate process, and ends tests that take too long.
 *
 * With several jobs, as many processes take the next suite in turn; each waits for the suite that it has
 * started. The output of a suite is then printed at once, when it has ended. Below a make with -j, each job but the
 * first has a token of its jobserver while a suite runs.
 *
 * A suite counts in memory that it shares with the process that waits for it, and notes there the names of
 * tests that failed or were skipped, which are repeated at the end. So there is also a tally of a suite that
 * crashes, ends its process or never ends: every test that has neither passed nor been skipped has failed, also when it
 * never began. Programs that a suite leaves running become
 * children of the waiting process (a subreaper) and are ended with the suite.
 *
 * The process of a suite has the default disposition of every signal and blocks none, whatever
 * nohup or a background job of a shell changed: programs that tests start inherit that. The waiting
 * process keeps its own dispositions. */
#define _GNU_SOURCE
#include "test_suites.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "jobserver.h"

#define LOOK_NS         100000000L /* between two checks of the clock */
#define SIGNAL_COUNT    65
#define DESCENDANTS_MAX 512
#define LEFT_MS         10000 /* the maximum wait for a killed process */
#define NOTES_BYTES     (1u << 20)
#define SUITES_MAX      1024

/* The state of a suite; written only by its process. */
typedef struct Progress {
    u32  count; /* tests of its groups that have run */
    u32  begun; /* the last of these is `test`, */
    u64  begun_ns;
    bool ended; /* unless it has ended */
    u32  passed, skipped;
    int  failed; /* the return value of the suite */
    bool returned;
    char suite[64], group[128], test[128];
} Progress;

/* Lines that are printed at the end; of too many, the first. */
typedef struct Notes {
    u32  bytes;
    char text[NOTES_BYTES];
} Notes;

/* What one job has done so far; the waiting process of a job has several suites in turn. */
typedef struct Job {
    Progress  progress;
    Notes     failures, skips;
    TestTally tally;
    pid_t     pid; /* the waiting process; 0: it has ended */
} Job;

/* Shared by all processes. */
typedef struct Run {
    u32 next; /* suite */
    u64 ns[SUITES_MAX];
    Job jobs[];
} Run;

static Run*        run;
static u32         job_count;
static Job*        job;           /* of this process */
static const char* left_out = ""; /* suites */
static JobPermit   permit_of_make;
static JobPermit*
    permit; /* of a token for each suite of a job but the first; NULL: there is no jobserver */
static int printed = -1,
           kept = -1; /* with several jobs: standard output, and a suite's part of it */
static int lock = -1; /* a file that a job locks while it prints */

/* Of `job`. */
static Progress* progress;
static Notes *   failures, *skips;

static void note(Notes* notes, const char* format, ...) PRINTF_LIKE(2, 3);
static void note(Notes* notes, const char* format, ...) {
    va_list   arguments;
    const u32 room = NOTES_BYTES - notes->bytes;
    va_start(arguments, format);
    const int bytes = vsnprintf(notes->text + notes->bytes, room, format, arguments);
    va_end(arguments);
    if (bytes > 0 && (u32)bytes < room) notes->bytes += (u32)bytes;
    notes->text[notes->bytes] = 0;
}

static void failure_note(const char* suite, const char* what) {
    note(failures, "FAILED   %s: %s\n", suite, what);
}

/* --- the process of the suite: counting --- */

static const char*              wanted = ""; /* part of the names of groups, or of tests */
static const struct CMUnitTest* group;       /* the tests of the current group */
static const char*              group_name = "none";
static bool                     in_body; /* of a test, not in its set-up or teardown */
static bool                     body_returned, is_skipped;

const char* test_suite_name(void) { return group_name; }

static u32 group_begun;

static const struct CMUnitTest* test_now(void) { return &group[group_begun - 1]; }

/* A test whose set-up failed has no other end. */
static void test_without_end_note(void) {
    if (!progress->ended) failure_note(group_name, progress->test);
    progress->ended = true;
}

static int test_begin(void** state) {
    test_without_end_note();
    body_returned = in_body = is_skipped = false;
    group_begun++;
    progress->begun++;
    snprintf(progress->test, sizeof progress->test, "%s", test_now()->name);
    progress->begun_ns = clock_ns();
    progress->ended = false;
    return test_now()->setup_func ? test_now()->setup_func(state) : 0;
}

static void test_body(void** state) {
    in_body = true;
    test_now()->test_func(state);
    in_body = false;
    body_returned = true;
}

/* Also called after a test that failed, but not after a set-up that did. */
static int test_end(void** state) {
    const bool valid = body_returned;
    in_body = false;
    const int failed = test_now()->teardown_func ? test_now()->teardown_func(state) : 0;
    progress->passed += valid && failed == 0;
    if (failed || !(valid || is_skipped)) failure_note(group_name, progress->test);
    progress->ended = true;
    return failed;
}

void test_note_skip(const char* reason) {
    if (!in_body) fail_msg("only the body of a test can be skipped, not its set-up or teardown");
    in_body = false;
    is_skipped = true;
    progress->skipped++;
    note(skips, "skipped  %s: %s: %s\n", group_name, progress->test, reason);
}

/* All tests of a group whose name has the wanted part, else those whose own name has it. */
static size_t tests_choose(struct CMUnitTest* chosen, const char* suite,
                           const struct CMUnitTest* tests, size_t count) {
    const bool all = strstr(suite, wanted) != NULL;
    size_t     n = 0;
    for (size_t i = 0; i < count; i++)
        if (all || strstr(tests[i].name, wanted)) chosen[n++] = tests[i];
    return n;
}

int test_run_fixtures(const char* suite, const struct CMUnitTest* tests, size_t count,
                      CMFixtureFunction setup, CMFixtureFunction teardown) {
    struct CMUnitTest* chosen = calloc(2 * count, sizeof *chosen);
    struct CMUnitTest* watched = chosen + count;
    if (!chosen) return (int)count;
    count = tests_choose(chosen, suite, tests, count);
    if (count == 0) return free(chosen), 0;
    for (size_t i = 0; i < count; i++) {
        watched[i] = chosen[i];
        watched[i].setup_func = test_begin;
        watched[i].test_func = test_body;
        watched[i].teardown_func = test_end;
    }
    group = chosen;
    group_name = suite;
    snprintf(progress->group, sizeof progress->group, "%s", suite);
    group_begun = 0;
    progress->count += (u32)count;
    const int failed = _cmocka_run_group_tests(suite, watched, count, setup, teardown);
    test_without_end_note();
    if (group_begun < count)
        note(failures, "FAILED   %s: %u of its tests did not run\n", suite,
             (u32)count - group_begun);
    free(chosen);
    return failed;
}

static void signals_reset(void) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < SIGNAL_COUNT; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A separate session: all of it can be ended at once, and no terminal stops or ends its
 * programs. */
static _Noreturn void suite_process(SuiteFunction* suite) {
    setsid();
    signals_reset();
    if (permit) jobserver_forget();
    unsetenv(
        "MAKEFLAGS"); /* programs that tests start are not part of the make that runs the tests */
    unsetenv("MFLAGS");
    unsetenv("MAKELEVEL");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    progress->failed = suite();
    progress->returned = true;
    fflush(NULL);
    exit(0); /* the search for leaks of a sanitizer determines the code */
}

/* --- the waiting process --- */

/* Ids of the current children of this process. */
static u32 children_list(pid_t* children) {
    char      path[64], text[8192];
    u32       count = 0;
    const int me = (int)getpid();
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", me, me);
    const int     fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[MAX_OF(got, (ssize_t)0)] = 0;
    for (char *at = text, *end; count < DESCENDANTS_MAX; at = end) {
        const long pid = strtol(at, &end, 10);
        if (end == at) break;
        children[count++] = (pid_t)pid;
    }
    return count;
}

/* Ends the processes that a suite left running, and their children. */
static void descendants_end(void) {
    pid_t children[DESCENDANTS_MAX];
    for (u32 ms = 0; ms < LEFT_MS; ms += 2) {
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        const u32 count = children_list(children);
        for (u32 i = 0; i < count; i++) kill(children[i], SIGKILL);
        if (count == 0) return;
        clock_wait_ms(2);
    }
    printf("processes that a suite has started cannot be ended\n");
}

static void suite_kill(pid_t pid) {
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Signals that would end this process: it ends the suite first. Ignored signals stay ignored. */
static void endings_block(sigset_t* set) {
    static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action;
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (u32 i = 0; i < COUNT_OF(endings); i++) {
        if (sigaction(endings[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            sigaddset(set, endings[i]);
    }
    sigprocmask(SIG_BLOCK, set, NULL);
}

static _Noreturn void ended_by(int number) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    exit(1);
}

u32 test_seconds(void) {
    const char* given = getenv("TEST_SECONDS");
    const long  seconds = given ? strtol(given, NULL, 10) : 0;
    if (seconds > 0) return (u32)MIN_OF(seconds, 1000000L);
    return SANITIZED ? TEST_SECONDS_SANITIZED : TEST_SECONDS_PLAIN;
}

static bool test_never_ends(u32 seconds) {
    return clock_ns() - progress->begun_ns > (u64)seconds * 1000000000u;
}

/* Prints which test it was, in the form of cmocka. */
static void failure_print(const char* format, ...) PRINTF_LIKE(1, 2);
static void failure_print(const char* format, ...) {
    char      text[512];
    va_list   arguments;
    const u32 not_begun = progress->count - MIN_OF(progress->count, progress->begun);
    va_start(arguments, format);
    const int bytes = vsnprintf(text, 256, format, arguments);
    va_end(arguments);
    if (not_begun)
        snprintf(text + MIN_OF(bytes, 255), 64, "; %u of its tests did not run", not_begun);
    if (progress->begun == 0 || progress->ended) {
        printf("suite %s, outside of its tests: %s", progress->suite, text);
        failure_note(progress->suite, text);
    } else {
        printf("suite %s, test %s: %s", progress->suite, progress->test, text);
        note(failures, "FAILED   %s: %s: %s\n", progress->group, progress->test, text);
    }
    printf("\n[  FAILED  ] %s\n", progress->ended ? progress->suite : progress->test);
    fflush(stdout);
}

/* Waits for the suite; kills it when a test exceeds its time. False: it did not end normally. */
static bool suite_wait(pid_t pid, const sigset_t* set) {
    const u32             seconds = test_seconds();
    const struct timespec look = {0, LOOK_NS};
    int                   status = 0;
    for (;;) {
        const int number = sigtimedwait(set, NULL, &look);
        if (number > 0 && number != SIGCHLD) {
            suite_kill(pid);
            descendants_end();
            ended_by(number);
        }
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended != pid) continue;
            if (WIFSIGNALED(status))
                failure_print("signal %d (%s) ended the process", WTERMSIG(status),
                              strsignal(WTERMSIG(status)));
            else if (WEXITSTATUS(status) != 0 || !progress->returned)
                failure_print("the process ended with exit code %d", WEXITSTATUS(status));
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 && progress->returned;
        }
        if (!test_never_ends(seconds)) continue;
        suite_kill(pid);
        failure_print("has not ended after %u s (TEST_SECONDS changes that bound)", seconds);
        return false;
    }
}

/* A test that has neither passed nor been skipped has failed. A fixture of the suite that failed,
 * or a process that ended abnormally after all tests had passed, is one failure. */
static void tally_add(TestTally* tally, bool valid) {
    const Progress* p = progress;
    const u32       done = p->passed + p->skipped, missing = p->count - MIN_OF(p->count, done);
    const u32       reported = p->failed > 0 ? (u32)p->failed : p->failed != 0;
    tally->passed += p->passed;
    tally->skipped += p->skipped;
    tally->failed += MAX_OF(MAX_OF(missing, reported), valid ? 0u : 1u);
}

/* Under sanitizers, the programs of these suites do not look for leaks when they end, which takes a third of their
 * time: they run the commands that `cases` runs too, many times. */
static void leaks_choose(const char* suite) {
    const char* suites = getenv("TEST_LEAKLESS");
    const char* options = getenv("ASAN_OPTIONS");
    char        text[1024];
    if (!suites || !test_has_word(suites, suite)) return;
    snprintf(text, sizeof text, "%s:detect_leaks=0", options ? options : "");
    setenv("ASAN_OPTIONS", text, 1);
}

static void suite_run(TestTally* tally, const TestSuite* suite, const sigset_t* set) {
    *progress = (Progress){.begun_ns = clock_ns(), .ended = true};
    snprintf(progress->suite, sizeof progress->suite, "%s", suite->name);
    const u32 failed = tally->failed, noted = failures->bytes;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        leaks_choose(suite->name);
        suite_process(suite->run);
    }
    if (pid < 0) {
        printf("suite %s cannot be started: %s\n", suite->name, strerror(errno));
        failure_note(suite->name, "it cannot be started");
        tally->failed++;
        return;
    }
    tally_add(tally, suite_wait(pid, set));
    if (tally->failed > failed && failures->bytes == noted)
        failure_note(suite->name, "it reports a failure, but none of its tests");
    descendants_end();
}

/* --- jobs --- */

/* From now on, what this process and its children print is kept. */
static bool output_redirect(void) {
    printed = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    kept = memfd_create("output", MFD_CLOEXEC);
    return printed >= 0 && kept >= 0 && dup2(kept, STDOUT_FILENO) >= 0 &&
           dup2(kept, STDERR_FILENO) >= 0;
}

/* Prints what was kept; one job at a time. */
static void kept_print(void) {
    char         bytes[65536];
    struct flock complete = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fflush(NULL);
    fcntl(lock, F_SETLKW, &complete);
    lseek(kept, 0, SEEK_SET);
    for (ssize_t got; (got = read(kept, bytes, sizeof bytes)) > 0;) {
        for (ssize_t at = 0, done; at < got; at += done)
            if ((done = write(printed, bytes + at, (size_t)(got - at))) < 0) break;
    }
    complete.l_type = F_UNLCK;
    fcntl(lock, F_SETLK, &complete);
    if (ftruncate(kept, 0) == 0) lseek(kept, 0, SEEK_SET);
}

static void job_is(Job* this) {
    job = this;
    progress = &this->progress;
    failures = &this->failures;
    skips = &this->skips;
}

/* Runs one suite after the other, each of which no other job has begun, until all have begun. */
static void suites_take(const TestSuite* suites, u32 count, const sigset_t* set) {
    const bool needs_token = permit && job != run->jobs;
    while (__atomic_load_n(&run->next, __ATOMIC_RELAXED) < count) {
        if (needs_token && !permit->take(permit->user)) return;
        const u32 i = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
        if (i < count && !test_has_word(left_out, suites[i].name)) {
            const u64 begun_ns = clock_ns();
            suite_run(&job->tally, &suites[i], set);
            run->ns[i] = clock_ns() - begun_ns;
            if (kept >= 0) kept_print();
        }
        if (needs_token) permit->give(permit->user);
    }
}

/* A process that takes suites, with its output in a file. */
static _Noreturn void job_process(Job* this, const TestSuite* suites, u32 count,
                                  const sigset_t* set) {
    job_is(this);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!output_redirect()) {
        failure_note("a job", "there is no file for its output");
        this->tally.failed++;
        exit(1);
    }
    suites_take(suites, count, set);
    exit(0);
}

static void jobs_end(int number) {
    for (u32 i = 0; i < job_count; i++)
        if (run->jobs[i].pid > 0) kill(run->jobs[i].pid, SIGTERM);
    for (u32 i = 0; i < job_count; i++)
        if (run->jobs[i].pid > 0) waitpid(run->jobs[i].pid, NULL, 0);
    ended_by(number);
}

/* A job that did not end normally is a failure. */
static void job_note(pid_t pid, int status) {
    for (u32 i = 0; i < job_count; i++) {
        if (run->jobs[i].pid != pid) continue;
        job_is(&run->jobs[i]);
        job->pid = 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        failure_note(progress->suite, "the process that waits for it has ended");
        job->tally.failed++;
    }
}

/* When all suites have begun, jobs that wait for a token end. */
static void jobs_wait(u32 count, const sigset_t* set) {
    int status;
    for (u32 left = job_count; left;) {
        const int number = sigwaitinfo(set, NULL);
        if (number > 0 && number != SIGCHLD) jobs_end(number);
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0; left--)
            job_note(ended, status);
        if (permit && __atomic_load_n(&run->next, __ATOMIC_RELAXED) >= count)
            permit->close(permit->user);
    }
}

/* At least one job, if only this process. */
static void jobs_run(const TestSuite* suites, u32 count, const sigset_t* set) {
    u32 started = 0;
    fflush(NULL);
    lock = memfd_create("lock", MFD_CLOEXEC);
    if (job_count > 1 && jobserver_open(&permit_of_make) == JOBSERVER_OPEN)
        permit = &permit_of_make;
    for (; job_count > 1 && lock >= 0 && started < job_count; started++) {
        const pid_t pid = fork();
        if (pid == 0) job_process(&run->jobs[started], suites, count, set);
        if (pid < 0) break;
        run->jobs[started].pid = pid;
    }
    job_count = started;
    if (started) {
        jobs_wait(count, set);
    } else {
        job_count = 1;
        suites_take(suites, count, set);
    }
}

/* The suites that took the longest, in descending order; TEST_SLOW changes their number. */
#define SLOW_MAX 10
#define SLOW_NS_MIN                                                                                \
    1000000000ull /* shorter ones, and those of few suites, are printed only by request */

static void slow_print(const TestSuite* suites, u32 count) {
    const char* given = getenv("TEST_SLOW");
    const u32   max = given ? (u32)strtoul(given, NULL, 10) : count > SLOW_MAX ? SLOW_MAX : 0;
    for (u32 printed_count = 0; printed_count < max; printed_count++) {
        u32 slowest = 0;
        for (u32 i = 1; i < count; i++) slowest = run->ns[i] > run->ns[slowest] ? i : slowest;
        if (run->ns[slowest] < (given ? 1 : SLOW_NS_MIN)) return;
        printf("slow     %s: %.2f s\n", suites[slowest].name, (double)run->ns[slowest] / 1e9);
        run->ns[slowest] = 0;
    }
}

/* Skipped tests with their reasons, then the failed ones. */
static TestTally jobs_sum(void) {
    TestTally sum = {0};
    fflush(stderr);
    for (u32 i = 0; i < job_count; i++) {
        sum.passed += run->jobs[i].tally.passed;
        sum.failed += run->jobs[i].tally.failed;
        sum.skipped += run->jobs[i].tally.skipped;
        printf("%s", run->jobs[i].skips.text);
    }
    for (u32 i = 0; i < job_count; i++) printf("%s", run->jobs[i].failures.text);
    fflush(stdout);
    return sum;
}

bool test_has_word(const char* words, const char* word) {
    const size_t bytes = strlen(word);
    for (const char* at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[bytes] == ' ' || !at[bytes])) return true;
    return false;
}

/* Suites that were left out are no failure, but are stated. */
static void left_out_print(const TestSuite* suites, u32 count) {
    u32 n = 0;
    for (u32 i = 0; i < count; i++) n += test_has_word(left_out, suites[i].name);
    if (n) printf("left out %u of %u suites\n", n, count);
}

TestTally test_suites(const TestSuite* suites, u32 count, const TestChoice* choice, u32 jobs) {
    const size_t bytes = sizeof *run + MAX_OF(jobs, 1u) * sizeof run->jobs[0];
    sigset_t     set;
    assert(count <= SUITES_MAX);
    run = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run == MAP_FAILED) return (TestTally){.failed = 1};
    job_count = MAX_OF(jobs, 1u);
    job_is(&run->jobs[0]);
    wanted = choice->filter;
    left_out = choice->left_out;
    for (u32 i = 0; i < count; i++) {
        if (strcmp(suites[i].name, choice->filter) != 0) continue;
        suites = &suites[i]; /* only this one */
        count = 1;
        wanted = left_out = "";
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    endings_block(&set);
    jobs_run(suites, count, &set);
    slow_print(suites, count);
    left_out_print(suites, count);
    TestTally tally = jobs_sum();
    if (tally.passed + tally.failed + tally.skipped == 0) {
        printf("no tests have a name that contains \"%s\"\n", choice->filter);
        tally.failed = 1;
    }
    return tally;
}
