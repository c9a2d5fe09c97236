/* test_faults.c - a sample of what faults.py, edits.py and same.py do to `entc build`, and
 * faults_all.py to every command. The whole of it is `make faults`. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static void python(const char* script, const char* arguments) {
    TEST_NEEDS("python3");
    char*   folder = strdup(test_folder("faults"));
    TestRun run = test_command(".", "python3 tests/faults/%s %s %s/world %s", script, TEST_BUILD,
                               folder, arguments);
    free(folder);
    if (run.code == 77) {
        print_message("%s", run.out);
        test_run_free(&run);
        TEST_SKIP(script);
    }
    if (run.code != 0) { /* a message of cmocka has an end */
        fprintf(stderr, "%s%s", run.out, run.err);
        fail_msg("%s %s: %d", script, arguments, run.code);
    }
    if (strstr(run.out, "skipped: ")) print_message("%s", run.out);
    test_run_free(&run);
}

/* What the leak checker needs, a tracer has. */
static void traced(const char* part) {
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    python("faults.py", part);
}

static void kills(void** state) {
    UNUSED(state);
    traced("kills");
}
static void calls_that_fail(void** state) {
    UNUSED(state);
    traced("errors");
}
/* Of every command, by a library that is preloaded. */
static void calls_of_every_command(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be preloaded");
    python("faults_all.py", "--short imports calls kills memory");
}
static void signals(void** state) {
    UNUSED(state);
    python("faults.py", "signals");
}
static void damaged_ledgers(void** state) {
    UNUSED(state);
    python("faults.py", "ledger");
}
static void damaged_caches(void** state) {
    UNUSED(state);
    python("faults.py", "cache");
}
static void many_at_once(void** state) {
    UNUSED(state);
    python("faults.py", "storm");
}
static void random_edits(void** state) {
    UNUSED(state);
    python("edits.py", "--count 40");
}
static void any_number_of_threads(void** state) {
    UNUSED(state);
    python("same.py", "jobs");
}
static void any_order_of_folders(void** state) {
    UNUSED(state);
    python("same.py", "orders");
}
static void any_place(void** state) {
    UNUSED(state);
    python("same.py", "places");
}
static void with_and_without_a_cache(void** state) {
    UNUSED(state);
    python("same.py", "cached");
}

/* One resource is written beside what is not entc's: only its own leavings go. */
static void a_killed_compile_leaves_nothing_for_ever(void** state) {
    const char* folder = test_folder("faults_compile");
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    test_write_text(folder, "src/a.material.json", "{}\n");
    TEST_DONE(folder, "mkdir out && touch out/.mine.tmp2 && "
                      "strace -f -o log -e trace=renameat -e inject=renameat:signal=SIGKILL "
                      "entc compile src a.material -o out/a; ls -a out | grep -q 'tmp$'");
    TEST_DONE(folder, "entc compile src a.material -o out/b --check; "
                      "ls -a out | grep -q 'tmp$'");
    TEST_DONE(folder, "entc compile src a.material -o out/a && test -e out/.mine.tmp2 && "
                      "! ls -a out | grep -q 'tmp$'");
}

/* What has the name of a blob and cannot be read as one is an error of every command for folders.
 */
static void no_resource_is_left_out_without_a_message(void** state) {
    static const char* const odd[][2] = {
        {"mkfifo out/pipe.material", "out/pipe.material: error: it is not a regular file"},
        {"ln -s nowhere out/lost.material", "out/lost.material: error: it is a link to nothing"},
        {"ln -s ../more out/more", "out/more: error: it is a link to a folder"},
        {"ln -s ../more out/more.material", "out/more.material: error: it is a link to a folder"}};
    static const char* const commands[] = {"pack out -o all.pak", "info out", "verify out",
                                           "diff out same"};
    char*                    folder = strdup(test_folder("faults_pack"));
    UNUSED(state);
    test_write_text(folder, "src/a.material.json", "{}\n");
    TEST_DONE(folder, "entc build src -o out && cp -r out same && mkdir more");
    for (u32 i = 0; i < COUNT_OF(odd); i++) {
        for (u32 k = 0; k < COUNT_OF(commands); k++) {
            EXPECT(folder, 2, odd[i][1],
                   "%s && entc %s; code=$?; rm -f out/pipe* out/lost* out/more*; "
                   "test ! -e all.pak && exit $code",
                   odd[i][0], commands[k]);
        }
    }
    EXPECT(folder, 0, "",
           "ln -s a.material out/b.material && entc info out"); /* a link to a file is read */
    free(folder);
}

static void an_interrupted_init_goes_on(void** state) {
    char* folder = strdup(test_folder("faults_init"));
    UNUSED(state);
    TEST_DONE(folder,
              "entc init whole && cp -r whole part && rm -r part/assets/levels part/.vscode && "
              "echo again >part/.entc.init && touch part/.entc.00000000.1.1.1.tmp");
    EXPECT(folder, 2, "part/.entc.init\" was changed since", "entc init part");
    TEST_DONE(folder, "rm part/.entc.init && mkdir empty && cp -r part/README.md empty && "
                      "printf 'entc init was interrupted; run it again\n' >part/.entc.init");
    EXPECT(folder, 2, "is not empty", "entc init empty");
    EXPECT(folder, 0, "a project stands in", "entc init part");
    TEST_DONE(folder, "rm part/.entc.00000000.1.1.1.tmp && diff -r whole part");
    free(folder);
}

TEST_SUITE(faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kills),
        cmocka_unit_test(calls_that_fail),
        cmocka_unit_test(calls_of_every_command),
        cmocka_unit_test(signals),
        cmocka_unit_test(a_killed_compile_leaves_nothing_for_ever),
        cmocka_unit_test(no_resource_is_left_out_without_a_message),
        cmocka_unit_test(an_interrupted_init_goes_on),
        cmocka_unit_test(damaged_ledgers),
        cmocka_unit_test(damaged_caches),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(random_edits),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(any_order_of_folders),
        cmocka_unit_test(any_place),
        cmocka_unit_test(with_and_without_a_cache),
    };
    return TEST_RUN("faults", tests);
}
