/* test_tally.c - the test runner itself: its tally for suites that fail on purpose.
 *
 * Invariants: a test that neither passed nor was skipped has failed, whatever happened; a test that
 * never ends is ended in time, is named, and the programs that it started end with it; programs run with
 * the default of every signal, whatever signals the runner ignores; .ci/run fails when a command
 * that it runs fails, whether or not the tally shows it. */
#include "test_suites.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- suites that fail on purpose --- */

static void test_that_passes(void** state) { UNUSED(state); }
static void test_that_fails(void** state) {
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

/* Set-up, test and teardown may all fail at once. */
int tally_setup(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_that_passes),
        cmocka_unit_test_setup(test_that_passes, fixture_fails),
        cmocka_unit_test_setup(test_that_passes, fixture_skips),
        cmocka_unit_test_teardown(test_that_passes, fixture_fails),
        cmocka_unit_test_teardown(test_that_fails, fixture_fails),
        cmocka_unit_test(test_that_fails),
    };
    return TEST_RUN("tally_setup", tests);
}

int tally_group(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_passes),
                                       cmocka_unit_test(test_that_passes)};
    return test_run_fixtures("tally_group", tests, COUNT_OF(tests), fixture_fails, NULL);
}

/* All tests have passed, but the suite reports a failure. */
int tally_end(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_passes),
                                       cmocka_unit_test(test_that_passes)};
    return TEST_RUN("tally_end", tests) - 7;
}

static void test_that_skips(void** state) {
    UNUSED(state);
    TEST_SKIP("this is a test of skips");
}
static void test_that_skips_uncounted(void** state) {
    UNUSED(state);
    skip();
}

int tally_skip(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_skips),
                                       cmocka_unit_test(test_that_passes),
                                       cmocka_unit_test(test_that_skips_uncounted)};
    return TEST_RUN("tally_skip", tests);
}

/* With a name as those of tests/cases. */
int tally_case(void) {
    const struct CMUnitTest tests[] = {
        {"names: a missing folder", test_that_fails, NULL, NULL, NULL}};
    return TEST_RUN("tally_case", tests);
}

static void test_that_raises_sigsegv(void** state) {
    UNUSED(state);
    raise(SIGSEGV);
}
static void test_that_aborts(void** state) {
    UNUSED(state);
    abort();
}

int tally_crash(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_that_raises_sigsegv), cmocka_unit_test(test_that_passes),
        cmocka_unit_test(test_that_aborts), cmocka_unit_test(test_that_passes)};
    return TEST_RUN("tally_crash", tests);
}

static void test_that_exits(void** state) {
    UNUSED(state);
    exit(0);
}

int tally_exit(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_passes),
                                       cmocka_unit_test(test_that_exits)};
    return TEST_RUN("tally_exit", tests);
}

/* Waits without end, and so does a program in a separate session, whose id is in a file. */
static void test_that_never_ends(void** state) {
    UNUSED(state);
    if (system("setsid sh -c 'echo $$ >\"$ENDLESS\"; exec sleep 12345' & sleep 12345")) fail();
}

int tally_endless(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_passes),
                                       cmocka_unit_test(test_that_never_ends),
                                       cmocka_unit_test(test_that_passes)};
    return TEST_RUN("tally_endless", tests);
}

/* Except two of the C library: it ignores them in programs that system() starts. */
static void test_that_needs_default_signals(void** state) {
    UNUSED(state);
    if (system("grep -Eq '^SigBlk:[[:space:]]*0+$' /proc/self/status && "
               "grep -Eq '^SigIgn:[[:space:]]*0+(180000000)?$' /proc/self/status"))
        fail();
}

int tally_signals(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_that_needs_default_signals)};
    return TEST_RUN("tally_signals", tests);
}

/* --- the tally of these suites --- */

/* These commands run in the root of the repository, as the test runner does. */
#define RUN TEST_BUILD "/tests/run "

static void test_whose_set_up_or_teardown_fails_has_failed(void** state) {
    UNUSED(state);
    EXPECT(".", 1,
           "\nFAILED   tally_setup: test_that_passes\nFAILED   tally_setup: test_that_passes\n"
           "FAILED   tally_setup: test_that_passes\nFAILED   tally_setup: test_that_fails\n"
           "FAILED   tally_setup: test_that_fails\n1 passed, 5 failed\n",
           RUN "tally_setup");
    EXPECT(".", 1, "\nFAILED   tally_group: 2 of its tests did not run\n0 passed, 2 failed\n",
           RUN "tally_group");
}

static void suite_that_reports_failure_after_passed_tests_has_failed(void** state) {
    UNUSED(state);
    EXPECT(
        ".", 1,
        "\nFAILED   tally_end: it reports a failure, but none of its tests\n2 passed, 1 failed\n",
        RUN "tally_end");
}

/* The setup, the skipping and the signals. */
static void suites_run_by_several_jobs_have_the_same_tally(void** state) {
    char* folder = strdup(test_folder("tally_jobs"));
    UNUSED(state);
    EXPECT(".", 0, "3 passed, 7 failed, 1 skipped\n3\n",
           "for jobs in 1 2 9; do " RUN "-j $jobs tally_s >'%s'/$jobs 2>&1; done; cd '%s'\n"
           "for jobs in 1 2 9; do LC_ALL=C sort $jobs >sorted_$jobs; done\n"
           "cmp sorted_1 sorted_2 && cmp sorted_1 sorted_9 && tail -n 1 9 && grep -c Running 9",
           folder, folder);
    EXPECT(".", 1, "\n1 passed, 3 failed\n", RUN "-j 2 tally_crash");
    free(folder);
}

static void filter_that_selects_no_suite_is_a_failure(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "no tests have a name that contains \"no_such\"\n0 passed, 1 failed\n",
           RUN "no_such");
}

static void test_that_skips_without_being_counted_has_failed(void** state) {
    UNUSED(state);
    EXPECT(".", 1,
           "\nskipped  tally_skip: test_that_skips: this is a test of skips\n"
           "FAILED   tally_skip: test_that_skips_uncounted\n1 passed, 1 failed, 1 skipped\n",
           RUN "tally_skip");
}

static void suite_that_crashes_counts_remaining_tests_as_failed(void** state) {
    UNUSED(state);
    EXPECT(".", 1, "\n1 passed, 3 failed\n", RUN "tally_crash");
    EXPECT(".", 1,
           "suite tally_crash, test test_that_aborts: signal 6 (Aborted) ended the process; 1 of "
           "its tests "
           "did not run\n[  FAILED  ] test_that_aborts\n"
           "FAILED   tally_crash: test_that_raises_sigsegv\n"
           "FAILED   tally_crash: test_that_aborts: signal 6 (Aborted) ended the process; 1 of its "
           "tests did not run\n1 passed, 3 failed\n",
           RUN "tally_crash");
    EXPECT(".", 1,
           "suite tally_exit, test test_that_exits: the process ended with exit code 0\n"
           "[  FAILED  ] test_that_exits\n"
           "FAILED   tally_exit: test_that_exits: the process ended with exit code 0\n"
           "1 passed, 1 failed\n",
           RUN "tally_exit");
}

/* Prepares the file into which the test that never ends writes the id of a program that it started. */
static void endless_prepare(void) {
    char        path[1200];
    const char* folder = test_folder("tally");
    snprintf(path, sizeof path, "%s/pid", folder);
    setenv("ENDLESS", path, 1);
}

static void test_that_exceeds_its_time_is_ended_and_named(void** state) {
    UNUSED(state);
    endless_prepare();
    EXPECT(".", 1,
           "suite tally_endless, test test_that_never_ends: has not ended after 1 s (TEST_SECONDS "
           "changes "
           "that "
           "bound); 1 of its tests did not run\n[  FAILED  ] test_that_never_ends\n"
           "FAILED   tally_endless: test_that_never_ends: has not ended after 1 s (TEST_SECONDS "
           "changes that bound); 1 of its tests did not run\n1 passed, 2 failed\n",
           "TEST_SECONDS=1 timeout 60 " RUN "tally_endless");
    EXPECT(".", 1, "", "kill -0 $(cat \"$ENDLESS\")");
}

static void runner_ended_by_signal_ends_programs_of_its_tests(void** state) {
    UNUSED(state);
    for (u32 jobs = 1; jobs <= 2; jobs++) {
        endless_prepare();
        EXPECT(".", 143, "",
               "timeout 60 " RUN "-j %u tally_endless & run=$!; for i in $(seq 600); do\n"
               "[ -s \"$ENDLESS\" ] && break; sleep 0.05; done; kill $run; wait $run",
               jobs);
        EXPECT(".", 1, "", "kill -0 $(cat \"$ENDLESS\")");
    }
}

static void runner_with_ignored_signals_starts_tests_with_defaults(void** state) {
    UNUSED(state);
    EXPECT(".", 0, "\n1 passed, 0 failed\n",
           "env --ignore-signal=HUP,INT,TERM,QUIT,PIPE,CHLD,USR1 --block-signal=ALRM,TERM " RUN
           "tally_signals");
}

/* --- which tests run --- */

#define OF_ONE_TEST "names_are_compared_up_to_the_last_row_only"

static void filter_selects_tests_by_their_own_names_too(void** state) {
    UNUSED(state);
    EXPECT(".", 0, "\n1 passed, 0 failed\n", RUN OF_ONE_TEST);
    EXPECT(".", 1, "no tests have a name that contains ",
           RUN "-x 'text_scan validation_columns' " OF_ONE_TEST);
    EXPECT(".", 0, "left out 1 of ", RUN "-x validation_columns validation_m");
}

/* One token: two suites at once, and the token is there again at the end. */
static void runner_takes_tokens_of_make_and_returns_them(void** state) {
    const char* folder = test_folder("tokens");
    UNUSED(state);
    TEST_DONE(".",
              "mkfifo %s/tokens && exec 8<>%s/tokens && printf + >&8 && "
              "MAKEFLAGS=' -j2 --jobserver-auth=fifo:%s/tokens' timeout 60 " RUN
              "-j 4 validation && test $(timeout 1 cat <&8 | wc -c) = 1",
              folder, folder, folder);
    TEST_DONE(
        ".",
        "exec 8<>%s/tokens && MAKEFLAGS=' -j2 --jobserver-auth=fifo:%s/tokens' timeout 60 " RUN
        "-j 4 validation",
        folder, folder);
}

/* --- .ci/run: one part of it alone --- */

static void ci_part_whose_command_or_tally_fails_has_failed(void** state) {
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
    EXPECT(".", 1,
           "    suite tally_crash, test test_that_aborts: ", ".ci/run part " RUN "tally_crash");
    EXPECT(".", 1, "\n    FAILED   tally_crash: test_that_raises_sigsegv\n",
           ".ci/run part " RUN "tally_crash");
    EXPECT(".", 1,
           " s\n    skipped  tally_skip: test_that_skips: this is a test of skips\n"
           "    FAILED   tally_skip: test_that_skips_uncounted\n",
           ".ci/run part " RUN "tally_skip");
    EXPECT(".", 1, "\n    FAILED   tally_case: names: a missing folder\n",
           ".ci/run part " RUN "tally_case");
}

/* --- long.py: one row for the output of each make target --- */

static void long_run_of_make_targets_sums_their_tallies(void** state) {
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
        cmocka_unit_test(test_whose_set_up_or_teardown_fails_has_failed),
        cmocka_unit_test(suite_that_reports_failure_after_passed_tests_has_failed),
        cmocka_unit_test(suites_run_by_several_jobs_have_the_same_tally),
        cmocka_unit_test(filter_that_selects_no_suite_is_a_failure),
        cmocka_unit_test(test_that_skips_without_being_counted_has_failed),
        cmocka_unit_test(suite_that_crashes_counts_remaining_tests_as_failed),
        cmocka_unit_test(test_that_exceeds_its_time_is_ended_and_named),
        cmocka_unit_test(runner_ended_by_signal_ends_programs_of_its_tests),
        cmocka_unit_test(runner_with_ignored_signals_starts_tests_with_defaults),
        cmocka_unit_test(filter_selects_tests_by_their_own_names_too),
        cmocka_unit_test(runner_takes_tokens_of_make_and_returns_them),
        cmocka_unit_test(ci_part_whose_command_or_tally_fails_has_failed),
        cmocka_unit_test(long_run_of_make_targets_sums_their_tallies),
    };
    return TEST_RUN("tally", tests);
}
