/* test_mutate.c - a sample of what mutate.py does to the readers of untrusted bytes: a condition
 * that is negated or removed makes a test fail. `make mutate` runs all of it. And the script itself:
 * what it counts as noticed, as survived, and as an error. */
#include "test.h"

#define MUTATE "python3 tests/sweeps/mutate.py " TEST_BUILD " --short "

/* Also: every line of its lists is still in the source. */
static void reader_with_negated_or_removed_condition_fails_a_test(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("the same conditions are tested without sanitizers");
    TEST_DONE(".", MUTATE);
}

/* The suite "texture" notices the first and the second change; the third is the same condition in
 * another form, and it does not reach the fourth. */
#define FILE   "formats/blob_open.c"
#define CHANGE "--change " FILE " "
#define CHANGES                                                                                    \
    "--operators --suites texture " CHANGE "'s->offset != start' 's->offset == start' " CHANGE     \
    "'s->bytes > g->size - start' 's->bytes < g->size - start' " CHANGE                            \
    "'start > g->size' 'start >= g->size + 1' " CHANGE "'row + 1 < s->count' 'row + 2 < s->count'"

static void change_that_no_suite_notices_is_an_error_unless_listed(void** state) {
    const char* folder = test_folder("mutate");
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("the same is tested without sanitizers");
    test_write_text(
        folder, "kept.txt",
        FILE
        " place_check    s->bytes > g->size - start -> s->bytes < g->size - start    "
        "if (start > g->size || s->bytes > g->size - start) {    wrong\n" FILE
        " owners_check    row + 1 < s->count -> row + 2 < s->count    "
        "while (row + 1 < s->count && !owner_fault(g, owner, row, min)) row++;    a reason\n" FILE
        " owners_check    gone -> going    gone()    a reason\n");
    TestRun run = test_command(".", MUTATE CHANGES " --kept '%s/kept.txt'", folder);
    static const char* const wanted[] = {
        "    kept, but not in the source: " FILE " owners_check: gone -> going: gone()\n",
        ("    no suite notices: " FILE),
        "start > g->size -> start >= g->size + 1: ",
        "    kept, but noticed by texture: ",
        "2 of 4 changes survived (50.0 %); 1 of these are listed with a reason\n",
        "\n2 passed, 3 failed\n"};
    for (u32 i = 0; i < COUNT_OF(wanted); i++) {
        if (!strstr(run.out, wanted[i])) fail_msg("no \"%s\": %s%s", wanted[i], run.out, run.err);
    }
    assert_int_equal(run.code, 1);
    test_run_free(&run);
}

/* With so little memory, it fails with every change too. */
static void suite_that_fails_without_change_ends_the_run(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("programs with sanitizers have no limit of memory");
    TestRun run = test_command(".", MUTATE CHANGES " --memory 1");
    if (run.code != 2 || strstr(run.out, "passed") ||
        !strstr(run.err, "the suite \"texture\" fails without any change"))
        fail_msg("exit code %d: %s%s", run.code, run.out, run.err);
    test_run_free(&run);
}

TEST_SUITE(mutate) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_with_negated_or_removed_condition_fails_a_test),
        cmocka_unit_test(change_that_no_suite_notices_is_an_error_unless_listed),
        cmocka_unit_test(suite_that_fails_without_change_ends_the_run)};
    return TEST_RUN("mutate", tests);
}
