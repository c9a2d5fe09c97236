/* test_figures.c - `make figures-stale` reports a row of bench.csv when a source of what it measures has
 * changed, and no other row. */
#include <string.h>

#include "test.h"

/* A tree with a copy of one source, and one row of each of three programs that is up to date. */
static const char tree[] =
    "for f in formats compiler shaders Makefile; do ln -s ../../../../$f .; done; "
    "mkdir runtime tests && (cd runtime && ln -s ../../../../../runtime/* . && rm world && "
    "cp -r ../../../../../runtime/world .) && (cd tests && ln -s ../../../../../tests/* .) && "
    "rm tests/bench.csv && { echo what,n,value,unit,ratio,target,sources && "
    "for of in $(python3 tests/bench/sources.py --of bench_jobs bench_spawn bench_tree.py); do "
    "echo \"row of $of,1,1.00,ms,1.00,,$of\"; done && echo 'cited,1,1.00,ms,1.00,,-'; } "
    ">tests/bench.csv && ";

/* bench_jobs and the compiler do not see runtime/world. One test: each call of make takes a while. */
static void only_rows_that_see_a_changed_module_are_stale_and_strict_fails(void** state) {
    const char* folder = test_folder("figures");
    UNUSED(state);
    TEST_NEEDS("python3");
    TestRun run =
        test_command(folder,
                     "%secho >>runtime/world/world.c && python3 tests/bench/sources.py && "
                     "! make -s figures-stale strict=1",
                     tree);
    const char* first = strstr(run.out, "bench_spawn: 1\n    row of bench_spawn:");
    const char* second = first ? strstr(first + 1, "bench_spawn: 1\n") : NULL;
    if (run.code != 0 || !second || !strstr(second, "1 of 4 rows are older") ||
        strstr(run.out, "row of bench_jobs") || strstr(run.out, "row of bench_tree.py"))
        fail_msg("exit code %d, %s%s", run.code, run.out, run.err);
    test_run_free(&run);
}

TEST_SUITE(figures) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_rows_that_see_a_changed_module_are_stale_and_strict_fails),
    };
    return TEST_RUN("figures", tests);
}
