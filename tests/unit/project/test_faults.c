/* test_faults.c - a sample of what faults.py, histories.py, watches.py and same.py do to `entc build`,
 * and faults_all.py to every command. `make faults` runs all of it. */
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
    if (run.code != 0) { /* a message of cmocka has a maximum length */
        fprintf(stderr, "%s%s", run.out, run.err);
        fail_msg("%s %s: %d", script, arguments, run.code);
    }
    if (strstr(run.out, "skipped: ")) print_message("%s", run.out);
    test_run_free(&run);
}

/* A leak checker cannot run under a tracer. */
static void traced(const char* part) {
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be traced");
    python("faults.py", part);
}

static void build_killed_at_any_point_leaves_no_partial_output(void** state) {
    UNUSED(state);
    traced("kills");
}
static void build_with_any_failing_system_call_ends_with_error_or_result(void** state) {
    UNUSED(state);
    traced("errors");
}
/* Of every command, with a preloaded library. */
static void command_with_any_failing_library_call_ends_with_error_or_result(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a library cannot be preloaded into a program with sanitizers");
    python("faults_all.py", "--short imports calls kills memory");
}
static void build_interrupted_by_signal_leaves_no_partial_output(void** state) {
    UNUSED(state);
    python("faults.py", "signals");
}
static void build_with_damaged_database_equals_clean_build(void** state) {
    UNUSED(state);
    python("faults.py", "database");
}
static void build_with_damaged_cache_equals_clean_build(void** state) {
    UNUSED(state);
    python("faults.py", "cache");
}
static void builds_running_concurrently_in_one_folder_equal_clean_build(void** state) {
    UNUSED(state);
    python("faults.py", "storm");
}
static void any_history_of_a_project_gives_the_result_of_a_build_from_nothing(void** state) {
    UNUSED(state);
    python("histories.py", SANITIZED ? "--seed 1 --steps 12 --length 12"
                                     : "--seed 1 --steps 60 --length 30 --jobs 2");
}
static void any_history_where_case_is_ignored_equals_a_build_from_nothing(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same steps are compared without sanitizers");
    python("histories.py", "--seed 2 --steps 16 --length 16 --ignore-case");
}
static void any_edits_of_a_watched_folder_give_the_result_of_a_new_program(void** state) {
    UNUSED(state);
    python("watches.py", SANITIZED ? "--seed 1 --steps 12 --length 12"
                                   : "--seed 1 --steps 16 --length 8 --jobs 2");
}
static void depfile_names_every_input_for_make_and_ninja(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same files are compared without sanitizers");
    python("depfiles.py", "");
}
static void build_with_any_number_of_threads_writes_equal_bytes(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same bytes are compared without sanitizers");
    python("same.py", "jobs");
}
static void build_with_any_order_of_folder_entries_writes_equal_bytes(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same bytes are compared without sanitizers");
    python("same.py", "orders");
}
static void build_from_any_path_writes_equal_bytes(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same bytes are compared without sanitizers");
    python("same.py", "places");
}
static void build_with_and_without_cache_writes_equal_bytes(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the same bytes are compared without sanitizers");
    python("same.py", "cached");
}

/* One resource is written into a folder with files of the user: only temporary files of entc are
 * removed. */
static void temporary_file_of_killed_compile_is_removed_by_next_compile(void** state) {
    const char* folder = test_folder("faults_compile");
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    test_write_text(folder, "src/a.material.json", "{}\n");
    TEST_DONE(folder, "mkdir out && touch out/.mine.tmp2 && "
                      "strace -f -o log -e trace=renameat -e inject=renameat:signal=SIGKILL "
                      "entc compile src a.material -o out/a; ls -a out | grep -q 'tmp$'");
    TEST_DONE(folder, "entc compile src a.material -o out/b --check; "
                      "ls -a out | grep -q 'tmp$'");
    TEST_DONE(folder, "entc compile src a.material -o out/a && test -e out/.mine.tmp2 && "
                      "! ls -a out | grep -q 'tmp$'");
}

/* An entry that has the name of a blob and cannot be read as one is an error of every command for
 * folders. */
static void unreadable_entry_in_output_folder_is_reported_by_each_command(void** state) {
    static const char* const odd[][2] = {
        {"mkfifo out/pipe.material", "out/pipe.material: error: it is not a regular file"},
        {"ln -s nowhere out/lost.material",
         "out/lost.material: error: it is a broken symbolic link"},
        {"ln -s ../more out/more", "out/more: error: it is a symbolic link to a folder"},
        {"ln -s ../more out/more.material",
         "out/more.material: error: it is a symbolic link to a folder"}};
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

static void init_after_interruption_continues_where_it_stopped(void** state) {
    char* folder = strdup(test_folder("faults_init"));
    UNUSED(state);
    TEST_DONE(folder,
              "entc init whole && cp -r whole part && rm -r part/assets/levels part/.vscode && "
              "echo again >part/.entc.init && touch part/.entc.00000000.1.1.1.tmp");
    EXPECT(folder, 2, "part/.entc.init\" was changed after init", "entc init part");
    TEST_DONE(folder, "rm part/.entc.init && mkdir empty && cp -r part/README.md empty && "
                      "printf 'entc init was interrupted; run it again\n' >part/.entc.init");
    EXPECT(folder, 2, "is not empty", "entc init empty");
    EXPECT(folder, 0, "created a project in", "entc init part");
    TEST_DONE(folder, "rm part/.entc.00000000.1.1.1.tmp && diff -r whole part");
    free(folder);
}

TEST_SUITE(faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_killed_at_any_point_leaves_no_partial_output),
        cmocka_unit_test(build_with_any_failing_system_call_ends_with_error_or_result),
        cmocka_unit_test(command_with_any_failing_library_call_ends_with_error_or_result),
        cmocka_unit_test(build_interrupted_by_signal_leaves_no_partial_output),
        cmocka_unit_test(temporary_file_of_killed_compile_is_removed_by_next_compile),
        cmocka_unit_test(unreadable_entry_in_output_folder_is_reported_by_each_command),
        cmocka_unit_test(init_after_interruption_continues_where_it_stopped),
        cmocka_unit_test(build_with_damaged_database_equals_clean_build),
        cmocka_unit_test(build_with_damaged_cache_equals_clean_build),
        cmocka_unit_test(builds_running_concurrently_in_one_folder_equal_clean_build),
        cmocka_unit_test(any_history_of_a_project_gives_the_result_of_a_build_from_nothing),
        cmocka_unit_test(any_history_where_case_is_ignored_equals_a_build_from_nothing),
        cmocka_unit_test(any_edits_of_a_watched_folder_give_the_result_of_a_new_program),
        cmocka_unit_test(depfile_names_every_input_for_make_and_ninja),
        cmocka_unit_test(build_with_any_number_of_threads_writes_equal_bytes),
        cmocka_unit_test(build_with_any_order_of_folder_entries_writes_equal_bytes),
        cmocka_unit_test(build_from_any_path_writes_equal_bytes),
        cmocka_unit_test(build_with_and_without_cache_writes_equal_bytes),
    };
    return TEST_RUN("faults", tests);
}
