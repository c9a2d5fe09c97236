/* test_suites.h - suites that are run by one or several jobs, each suite in a separate process.
 *
 * A test that takes longer than test_seconds() is ended with all programs that it has started, is
 * named and has failed; the suites after it still run. */
#ifndef TEST_SUITES_H
#define TEST_SUITES_H

#include "test.h"

/* The maximum duration of one test, in seconds, on a machine that runs other programs too: about
 * ten times that of the longest on an idle one. The environment variable TEST_SECONDS has
 * precedence: the long forms set it (tests.mk), and it must be set to run tests under valgrind or
 * an emulator. */
#define TEST_SECONDS_PLAIN     300u
#define TEST_SECONDS_SANITIZED 1200u

u32 test_seconds(void);

typedef int SuiteFunction(void);

typedef struct TestSuite {
    const char*    name; /* the beginning of the names of its groups */
    SuiteFunction* run;
} TestSuite;

typedef struct TestTally {
    u32 passed, failed, skipped;
} TestTally;

/* Which tests run: all of a suite that the filter names; else the groups whose names contain it, and the tests of others
 * whose own names do. A filter that selects nothing is a failure. */
typedef struct TestChoice {
    const char* filter;
    const char* left_out; /* words: suites that are not run, unless the filter names one */
} TestChoice;

/* Is `word` one of the words, which are separated by spaces? */
bool test_has_word(const char* words, const char* word);

/* With several jobs, that many suites run at once, and the output of one is printed when it has ended. At the end
 * prints the slowest suites, a line for each test that was skipped, with the reason, and for each that failed. */
TestTally test_suites(const TestSuite* suites, u32 count, const TestChoice* choice, u32 jobs);

/* Suites that test_tally.c runs, most of which fail on purpose: they run only when the filter
 * begins with tally_.
 *
 *  X(suite function) */
#define TALLY_LIST(X)                                                                              \
    X(tally_setup)                                                                                 \
    X(tally_group)                                                                                 \
    X(tally_end)                                                                                   \
    X(tally_skip)                                                                                  \
    X(tally_case)                                                                                  \
    X(tally_crash)                                                                                 \
    X(tally_exit)                                                                                  \
    X(tally_endless)                                                                               \
    X(tally_signals)

#define TALLY_PROTOTYPE(name) SuiteFunction name;
TALLY_LIST(TALLY_PROTOTYPE)

#endif
