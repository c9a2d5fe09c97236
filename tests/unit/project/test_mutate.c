/* test_mutate.c - a sample of what mutate.py does to the readers of untrusted bytes: a condition
 * that is negated or removed is noticed by a test. The whole of it is `make mutate`. */
#include "test.h"

/* Also: what is kept in mutate_kept.txt is still in the source. */
static void changed_conditions_are_noticed(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("the conditions are the same without sanitizers");
    TestRun run = test_command(".", "python3 tests/sweeps/mutate.py %s --short", TEST_BUILD);
    if (run.code != 0) fail_msg("%s%s", run.out, run.err);
    test_run_free(&run);
}

TEST_SUITE(mutate) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_conditions_are_noticed)};
    return TEST_RUN("mutate", tests);
}
