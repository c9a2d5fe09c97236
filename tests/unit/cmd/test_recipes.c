/* test_recipes.c - the workflow and the Makefile of compiler/BUILDING.md, run exactly as the page
 * shows them; and the progress line, which is shown on a terminal and nowhere else. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "file.h"
#include "test.h"

#define CLEAN_MAKE "unset MAKEFLAGS MFLAGS MAKELEVEL; "

#define PAGE     "compiler/BUILDING.md"
#define WORKFLOW "yaml .github\\/workflows\\/assets.yml"

/* The block of the page after a fence, without its fences. */
static void block_copy(const char* folder, const char* fence, const char* name) {
    TEST_DONE(".",
              "sed -n '/^```%s$/,/^```$/p' " PAGE " | sed '1d;$d' > '%s/%s' && test -s '%s/%s'",
              fence, folder, name, folder, name);
}

/* --- the workflow --- */

/* As a runner does: each `run` in a separate shell, in the checkout. The sources of entc are these,
 * and it is installed in a folder that only this test uses. */
#define STEP                                                                                       \
    CLEAN_MAKE "export BUILD=" TEST_BUILD " DESTDIR=\"$PWD/stage\" "                               \
               "PATH=\"$PWD/stage/usr/local/bin:$PATH\"; config=" TEST_BUILD "; "                  \
               "export config=${config##*/}; bash -e -o pipefail step"

static void step_is(const char* folder, u32 number, int code, const char* text) {
    TestRun run = test_command(folder, "sed -n '%up' steps > step && " STEP, number);
    if (run.code != code || (!strstr(run.out, text) && !strstr(run.err, text))) {
        fail_msg("step %u: %d: %s%s", number, run.code, run.out, run.err);
    }
    test_run_free(&run);
}

static void readme_workflow_run_unchanged_builds_and_checks_assets(void** state) {
    char* folder = strdup(test_folder("recipes/workflow"));
    char  here[600];
    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    TEST_DONE(folder, "entc init . -q && ln -s '%s' .entc/source && rm -r .github", here);
    block_copy(folder, WORKFLOW, "assets.yml");
    TEST_DONE(folder, "sed -n 's/^ *- run: //p' assets.yml > steps && test $(wc -l < steps) = 3 && "
                      "grep -q 'path: .entc-cache,' assets.yml");
    step_is(folder, 1, 0, "");
    TEST_DONE(folder, "test -x stage/usr/local/bin/entc");
    step_is(folder, 2, 0, "");
    step_is(folder, 3, 0, "");
    /* The next run starts with the cache, and with nothing else. */
    TEST_DONE(folder, "mv out first && rm -r .out.entc && sed -i '2s/$/ -v/' steps");
    step_is(folder, 2, 0, " 0 compiled, 24 from the cache, 24 written");
    TEST_DONE(folder, "diff -r out first");
    test_write_text(folder, "assets/levels/start.level.json", "{ \"entities\": 1 }");
    step_is(folder, 2, 3, "::error file=assets/levels/start.level.json,line=1");
    free(folder);
}

/* --- the Makefile --- */

static void make_is(const char* folder, const char* arguments, int code, const char* text) {
    TestRun run = test_command(folder, CLEAN_MAKE "make %s", arguments);
    if (run.code != code || strstr(run.err, "jobserver") ||
        (!strstr(run.out, text) && !strstr(run.err, text))) {
        fail_msg("make %s: %d: %s%s", arguments, run.code, run.out, run.err);
    }
    test_run_free(&run);
}

static void readme_makefile_run_unchanged_builds_and_checks_assets(void** state) {
    char* folder = strdup(test_folder("recipes/make"));
    UNUSED(state);
    TEST_DONE(folder, "entc init . -q");
    block_copy(folder, "make Makefile", "Makefile");
    make_is(folder, "-j2 -n assets", 0, "would write out/levels/start.level");
    TEST_DONE(folder, "! test -e out");
    make_is(folder, "-j2 assets", 0, "");
    TEST_DONE(folder, "entc build assets -o clean && diff -r out clean");
    make_is(folder, "-j2 assets assets-check", 0, "");
    TEST_DONE(folder, "echo '{}' > assets/new.material.json");
    make_is(folder, "-j2 assets-check", 2, "Error 3");
    make_is(folder, "assets-check", 2, "would write out/new.material");
    TEST_DONE(folder, "! test -e out/new.material");
    make_is(folder, "-j2 assets", 0, "");
    make_is(folder, "assets-check", 0, "");
    free(folder);
}

/* --- the progress line --- */

/* The processor time of programs that have ended. */
static u64 children_ns(void) {
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (u64)used.ru_utime.tv_sec * 1000000000u + (u64)used.ru_utime.tv_usec * 1000u;
}

/* The least duration of a build without output, with one thread: whatever else the machine does, it takes as
 * long as it computes. */
static u64 build_ns(const char* folder) {
    const u64 start = children_ns();
    TEST_DONE(folder, "entc build src -o out --force -j 1");
    return children_ns() - start;
}

/* A folder of levels whose build takes at least half a second, however fast the machine is. */
static char* slow_new(const char* name, u32* levels) {
    char*  folder = strdup(test_folder(name));
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("{ \"entities\": [ {}", out);
    for (u32 i = 0; i < 10000; i++) fputs(", { \"components\": { \"transform\": {} } }", out);
    fputs(" ] }", out);
    fclose(out);
    test_write(folder, "src/l.level.json", text, bytes);
    free(text);
    for (*levels = 1; build_ns(folder) < 500000000u; *levels *= 2) {
        TEST_DONE(folder,
                  "cd src && for i in $(seq %u); do ln l.level.json l%u_$i.level.json; done",
                  *levels, *levels);
    }
    return folder;
}

/* With both output streams on a terminal; escapes become visible. */
static TestRun on_terminal(const char* folder, const char* before, const char* arguments) {
    return test_command(folder,
                        "env -u CI -u NO_COLOR TERM=xterm %s script -qec "
                        "'entc build src -o out --force -j 1 %s' typescript > all; "
                        "code=$?; cat -v all; exit $code",
                        before, arguments);
}

static void build_on_terminal_shows_progress_line(void** state) {
    u32 levels;
    UNUSED(state);
    TEST_NEEDS_TERMINAL;
    char*       folder = slow_new("recipes/terminal", &levels);
    TestRun     run = on_terminal(folder, "", "");
    const char* line = strstr(run.out, "^M^[[K[");
    u32         done = 0, count = 0;
    assert_int_equal(run.code, 0);
    if (!line || sscanf(line, "^M^[[K[%u/%u] compiling", &done, &count) != 2) {
        fail_msg("no line: %s", run.out);
    }
    assert_true(done > 0 && done <= count && count == levels);
    /* At the end it is cleared. */
    assert_string_equal(run.out + run.out_bytes - strlen("^M^[[K"), "^M^[[K");
    test_run_free(&run);
    free(folder);
}

static void build_in_ci_or_without_terminal_shows_no_progress_line(void** state) {
    static const char* const rows[][2] = {
        {"CI=1", ""},         {"TERM=dumb", ""}, {"", "-q"}, {"", "--diag-format json"},
        {"", "2> /dev/null"},
    };
    u32  levels;
    char reported[100];
    UNUSED(state);
    TEST_NEEDS_TERMINAL;
    char* folder = slow_new("recipes/quiet", &levels);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TestRun run = on_terminal(folder, rows[i][0], rows[i][1]);
        if (run.code != 0 || run.out_bytes || run.err_bytes) {
            fail_msg("%s %s: %d: %s%s", rows[i][0], rows[i][1], run.code, run.out, run.err);
        }
        test_run_free(&run);
    }
    TestRun run = on_terminal(folder, "", "-v");
    assert_null(strstr(run.out, "^["));
    snprintf(reported, sizeof reported, "%u resources, %u compiled", levels, levels);
    assert_non_null(strstr(run.out, reported));
    test_run_free(&run);
    run = test_command(folder, "env -u CI TERM=xterm entc build src -o out --force -j 1 2>&1");
    assert_int_equal(run.code + (int)run.out_bytes, 0);
    test_run_free(&run);
    free(folder);
}

TEST_SUITE(recipes) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readme_workflow_run_unchanged_builds_and_checks_assets),
        cmocka_unit_test(readme_makefile_run_unchanged_builds_and_checks_assets),
        cmocka_unit_test(build_on_terminal_shows_progress_line),
        cmocka_unit_test(build_in_ci_or_without_terminal_shows_no_progress_line),
    };
    return TEST_RUN("recipes", tests);
}
