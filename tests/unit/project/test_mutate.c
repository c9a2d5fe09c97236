/* test_mutate.c - a sample of what mutate.py does to the readers of untrusted bytes: a condition
 * that is negated or removed makes a test fail. `make mutate` runs all of it. */
#include "test.h"

/* Also: every line of mutate_kept.txt is still in the source. */
static void reader_with_negated_or_removed_condition_fails_a_test(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("the same conditions are tested without sanitizers");
    TestRun run = test_command(".", "python3 tests/sweeps/mutate.py %s --short", TEST_BUILD);
    if (run.code != 0) fail_msg("%s%s", run.out, run.err);
    test_run_free(&run);
}

TEST_SUITE(mutate) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_with_negated_or_removed_condition_fails_a_test)};
    return TEST_RUN("mutate", tests);
}
