/* test_tally.c - the run of the tests itself: what its tally says of suites that fail on purpose.
 *
 * Invariants: a test that has neither passed nor been skipped has failed, whatever happened; a test
 * that hangs is ended in time, is named, and the programs that it has started end with it; programs
 * have the default of every signal, whatever the run of the tests was given; .ci/run fails when
 * what it runs fails, whether or not the tally says so. */
#include "test_suites.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- suites that fail on purpose --- */

static void passes(void** state) { UNUSED(state); }
static void fails(void** state) {
    UNUSED(state);
    fail();
}
static int fixture_fails(void** state) {
    UNUSED(state);
    return -1;
}
static int fixture_skips(void** state) {
    UNUSED(state);
    TEST_SKIP("a set-up must not do this");
    return 0;
}

/* All of it may fail at once: set-up, test and teardown. */
int tally_setup(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes),
        cmocka_unit_test_setup(passes, fixture_fails),
        cmocka_unit_test_setup(passes, fixture_skips),
        cmocka_unit_test_teardown(passes, fixture_fails),
        cmocka_unit_test_teardown(fails, fixture_fails),
        cmocka_unit_test(fails),
    };
    return TEST_RUN("tally_setup", tests);
}

int tally_group(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(passes)};
    return test_run_fixtures("tally_group", tests, COUNT_OF(tests), fixture_fails, NULL);
}

/* All tests have passed, and then the suite says otherwise. */
int tally_end(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(passes)};
    return TEST_RUN("tally_end", tests) - 7;
}

static void skips(void** state) {
    UNUSED(state);
    TEST_SKIP("this is a test of skips");
}
static void skips_uncounted(void** state) {
    UNUSED(state);
    skip();
}

int tally_skip(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(skips), cmocka_unit_test(passes),
                                       cmocka_unit_test(skips_uncounted)};
    return TEST_RUN("tally_skip", tests);
}

static void raises_a_fault(void** state) {
    UNUSED(state);
    raise(SIGSEGV);
}
static void aborts(void** state) {
    UNUSED(state);
    abort();
}

int tally_crash(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(raises_a_fault), cmocka_unit_test(passes),
                                       cmocka_unit_test(aborts), cmocka_unit_test(passes)};
    return TEST_RUN("tally_crash", tests);
}

static void ends_the_process(void** state) {
    UNUSED(state);
    exit(0);
}

int tally_exit(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes),
                                       cmocka_unit_test(ends_the_process)};
    return TEST_RUN("tally_exit", tests);
}

/* Waits without end, and so does a program in a session of its own, whose id is in a file. */
static void hangs(void** state) {
    UNUSED(state);
    if (system("setsid sh -c 'echo $$ >\"$HANGING\"; exec sleep 12345' & sleep 12345")) fail();
}

int tally_hang(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes), cmocka_unit_test(hangs),
                                       cmocka_unit_test(passes)};
    return TEST_RUN("tally_hang", tests);
}

/* But for two that are the C library's own: it ignores them in what system() starts. */
static void signals_are_default(void** state) {
    UNUSED(state);
    if (system("grep -Eq '^SigBlk:[[:space:]]*0+$' /proc/self/status && "
               "grep -Eq '^SigIgn:[[:space:]]*0+(180000000)?$' /proc/self/status"))
        fail();
}

int tally_signals(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_are_default)};
    return TEST_RUN("tally_signals", tests);
}

/* --- what the tally says of them --- */

/* These commands run in the root of the repository, as the run of the tests does. */
#define RUN TEST_BUILD "/tests/run "

static void a_set_up_that_fails_is_a_failure_of_its_test(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "\n1 passed, 5 failed\n", RUN "tally_setup");
    EXPECT(".", 1, "\n0 passed, 2 failed\n", RUN "tally_group");
}

static void a_suite_may_report_failures_beside_its_tests(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "\n2 passed, 1 failed\n", RUN "tally_end");
}

static void a_filter_that_chooses_nothing_is_a_failure(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "no tests have a name that contains \"no_such\"\n0 passed, 1 failed\n",
           RUN "no_such");
}

static void skips_are_counted_and_those_that_are_not_have_failed(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "\n1 passed, 1 failed, 1 skipped\n", RUN "tally_skip");
}

static void a_crash_is_a_failure_of_all_that_did_not_pass(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "\n1 passed, 3 failed\n", RUN "tally_crash");
    EXPECT(".", 1,
           "suite tally_crash, test aborts: signal 6 (Aborted) ended the process; 1 of its tests "
           "did not run\n[  FAILED  ] aborts\n",
           RUN "tally_crash");
    EXPECT(".", 1,
           "suite tally_exit, test ends_the_process: the process ended with exit code 0\n"
           "[  FAILED  ] ends_the_process\n1 passed, 1 failed\n",
           RUN "tally_exit");
}

/* The file into which the test that hangs writes the id of a program that it has started. */
static void hanging_prepare(void) {
    char        path[1200];
    const char* folder = test_folder("tally");
    snprintf(path, sizeof path, "%s/pid", folder);
    setenv("HANGING", path, 1);
}

static void a_test_that_hangs_is_ended_and_named(void** state) {
    UNUSED(state);
    hanging_prepare();
    EXPECT(".", 1,
           "suite tally_hang, test hangs: has not ended after 1 s (TEST_SECONDS changes that "
           "bound); 1 of its tests did not run\n[  FAILED  ] hangs\n1 passed, 2 failed\n",
           "TEST_SECONDS=1 timeout 60 " RUN "tally_hang");
    EXPECT(".", 1, "", "kill -0 $(cat \"$HANGING\")");
}

static void a_run_that_is_ended_ends_its_tests(void** state) {
    UNUSED(state);
    hanging_prepare();
    EXPECT(".", 143, "",
           "timeout 60 " RUN "tally_hang & run=$!; for i in $(seq 600); do\n"
           "[ -s \"$HANGING\" ] && break; sleep 0.05; done; kill $run; wait $run");
    EXPECT(".", 1, "", "kill -0 $(cat \"$HANGING\")");
}

static void programs_have_the_default_of_every_signal(void** state) {
    UNUSED(state);
    EXPECT(".", 0, "\n1 passed, 0 failed\n",
           "env --ignore-signal=HUP,INT,TERM,QUIT,PIPE,CHLD,USR1 --block-signal=ALRM,TERM " RUN
           "tally_signals");
}

/* --- .ci/run: one part of it alone --- */

static void a_part_fails_when_its_command_does(void** state) {
    UNUSED(state);
    EXPECT(".", 0, "\n2 passed, 0 failed, 1 skipped\n",
           ".ci/run part echo 2 passed, 0 failed, 1 skipped");
    EXPECT(".", 1, "\n2 passed, 1 failed\n", ".ci/run part echo 2 passed, 1 failed");
    EXPECT(".", 1, "\n2 passed, 1 failed\n",
           ".ci/run part sh -c 'echo 2 passed, 0 failed; exit 3'");
    EXPECT(".", 1, "\n0 passed, 1 failed\n", ".ci/run part true");
    EXPECT(".", 1, "\n0 passed, 1 failed\n", ".ci/run part echo 0 passed, 0 failed");
    EXPECT(".", 1, "\n0 passed, 1 failed\n", ".ci/run part echo 4294967295 passed, -1 failed");
    EXPECT(".", 1, "\n0 passed, 1 failed\n",
           ".ci/run part sh -c 'echo 5 passed, 0 failed; echo more; kill $$'");
    EXPECT(".", 1, "\n1 passed, 3 failed\n", ".ci/run part " RUN "tally_crash");
    EXPECT(".", 1, "    suite tally_crash, test aborts: ", ".ci/run part " RUN "tally_crash");
}

/* --- long.py: rows of whatever make says --- */

static void a_long_run_adds_up_its_rows(void** state) {
    const char* folder = test_folder("tally_long");
    char        path[1200];
    UNUSED(state);
    TEST_NEEDS("python3");
    test_write_text(folder, "make",
                    "#!/bin/sh\n"
                    "case \"$*\" in\n"
                    "*sanitize*) echo 1 passed, 2 failed; echo 'make: *** Error 1'; exit 2 ;;\n"
                    "simulate*) echo counted: 9 steps; echo 4 passed, 0 failed, 1 skipped ;;\n"
                    "fuzz*) echo 5 passed, 0 failed; echo killed; kill $$ ;;\n"
                    "*) echo 2 passed, 0 failed; exit 1 ;;\n"
                    "esac\n");
    snprintf(path, sizeof path, "chmod +x '%s/make'; PATH=\"%s:$PATH\"", folder, folder);
    EXPECT(".", 1, "\n7 passed, 4 failed, 1 skipped\n",
           "%s python3 tests/sweeps/long.py --quick --only simulate --only simulate-sanitize "
           "--only fuzz "
           "--only allocations",
           path);
    EXPECT(".", 1, "simulate                          9 steps        0        0  \n",
           "%s python3 tests/sweeps/long.py --quick --only simulate --only fuzz", path);
    EXPECT(".", 1, "exit code 143, and the last line is not a tally\n0 passed, 1 failed\n",
           "%s python3 tests/sweeps/long.py --quick --only fuzz", path);
    EXPECT(".", 1, "exit code 1 without a failure in the tally\n2 passed, 1 failed\n",
           "%s python3 tests/sweeps/long.py --quick --only allocations", path);
}

TEST_SUITE(tally) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_up_that_fails_is_a_failure_of_its_test),
        cmocka_unit_test(a_suite_may_report_failures_beside_its_tests),
        cmocka_unit_test(a_filter_that_chooses_nothing_is_a_failure),
        cmocka_unit_test(skips_are_counted_and_those_that_are_not_have_failed),
        cmocka_unit_test(a_crash_is_a_failure_of_all_that_did_not_pass),
        cmocka_unit_test(a_test_that_hangs_is_ended_and_named),
        cmocka_unit_test(a_run_that_is_ended_ends_its_tests),
        cmocka_unit_test(programs_have_the_default_of_every_signal),
        cmocka_unit_test(a_part_fails_when_its_command_does),
        cmocka_unit_test(a_long_run_adds_up_its_rows),
    };
    return TEST_RUN("tally", tests);
}
