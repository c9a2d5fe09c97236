/* test.h - what every test file uses: cmocka, a tally that counts skips apart, and running entc.
 *
 * A test file has static test functions and one suite function:
 *
 *     TEST_SUITE(blob) {
 *         const struct CMUnitTest tests[] = {cmocka_unit_test(truncated_blob_is_refused)};
 *         return TEST_RUN("blob", tests);
 *     } */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"

/* Begins the suite function of a file. The Makefile finds the suites of tests/unit by this line. */
#define TEST_SUITE(name)                                                                           \
    int test_##name(void);                                                                         \
    int test_##name(void)

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* A sweep over many similar inputs takes every N-th of them: each one with the environment variable TEST_FULL,
 * and fewer under sanitizers, which are slow. Returns N. */
static inline u32 test_step(u32 usual, u32 sanitized) {
    return getenv("TEST_FULL") ? 1 : SANITIZED ? sanitized : usual;
}

/* Runs a group of tests, unless the filter of the command line excludes it, and counts them
 * (test_suites.c). Returns the result of cmocka: how many failed. */
int test_run_fixtures(const char* suite, const struct CMUnitTest* tests, size_t count,
                      CMFixtureFunction setup, CMFixtureFunction teardown);
#define TEST_RUN(suite, tests) test_run_fixtures(suite, tests, COUNT_OF(tests), NULL, NULL)

/* Instead of skip(): counts it, with the reason. Only in the body of a test. */
#define TEST_SKIP(reason)                                                                          \
    do {                                                                                           \
        print_message("skipped: %s\n", reason);                                                    \
        test_note_skip(reason);                                                                    \
        skip();                                                                                    \
    } while (0)
void test_note_skip(const char* reason);

/* A new folder below build/, empty; the same path for the same name in one suite. Suites run at the same time: the path
 * begins with the name of the suite, which test_suite_name returns ("none" outside of one). */
const char* test_folder(const char* name);
const char* test_suite_name(void);

/* Changes to a folder; returns the previous one, to which test_leave changes back. */
int  test_enter(const char* folder);
void test_leave(int here);

/* Writes a file below a folder, and creates the folders above it. */
void test_write(const char* folder, const char* name, const void* bytes, size_t size);
void test_write_text(const char* folder, const char* name, const char* text);

/* A page that is generated equals its text, which is freed; GOLDEN=1 writes it. `source` and `target`, for the
 * message: what it is generated from, and what of make renews it. */
void test_page_equals(const char* path, char* text, const char* source, const char* target);

/* The same as test_write_text with a quotation mark in the place of each apostrophe: JSON that is easy to read in C. */
void test_write_quoted(const char* folder, const char* name, const char* text);
void test_quote(char* text); /* in its place */

/* The same for several files, below `root` in the folder. */
typedef struct TestFile {
    const char *name, *text;
} TestFile;
void test_write_files(const char* folder, const char* root, const TestFile* files, u32 count);

/* models/box.gltf below `root`, with one mesh "box", and "box data.bin" beside it. */
void test_write_box(const char* folder, const char* root);

/* The exit code and the output of a program; free with test_run_free. */
typedef struct TestRun {
    int    code;
    char*  out;
    char*  err;
    size_t out_bytes, err_bytes;
} TestRun;

/* Runs a command in the shell in a folder. "entc" and "entrun" at the start of a word are those of
 * this build (also as $ENTC and $ENTRUN). `$BOUNDED entc ..`: one that could hang, for as long as half of a test may
 * take, however slow the machine is. */
TestRun test_command(const char* folder, const char* format, ...) PRINTF_LIKE(2, 3);
void    test_run_free(TestRun* run);

/* The same, for a command that must end with 0: otherwise fails with its output. */
#define TEST_DONE(...)                                                                             \
    do {                                                                                           \
        TestRun run_ = test_command(__VA_ARGS__);                                                  \
        if (run_.code != 0) fail_msg("%d: %s%s", run_.code, run_.out, run_.err);                   \
        test_run_free(&run_);                                                                      \
    } while (0)

/* Runs, compares the exit code, and requires `text` in the output of either stream. */
#define EXPECT(folder, wanted, text, ...)                                                          \
    do {                                                                                           \
        TestRun run_ = test_command(folder, __VA_ARGS__);                                          \
        if (run_.code != (wanted) || (!strstr(run_.err, text) && !strstr(run_.out, text))) {       \
            print_error("exit code %d, expected %d and \"%s\": %s%s\n", run_.code, wanted, text,   \
                        run_.out, run_.err);                                                       \
            test_run_free(&run_);                                                                  \
            fail();                                                                                \
        }                                                                                          \
        test_run_free(&run_);                                                                      \
    } while (0)

/* Skips the test when a program is not installed. */
#define TEST_NEEDS(program)                                                                        \
    do {                                                                                           \
        if (test_is_without(program)) TEST_SKIP("it is run without " program);                     \
        TestRun    run_ = test_command(".", "command -v %s", program);                             \
        const bool exists_ = run_.code == 0;                                                       \
        test_run_free(&run_);                                                                      \
        if (!exists_) TEST_SKIP(program " is not installed");                                      \
    } while (0)

/* Skips the test where no pseudo-terminal can be created. */
#define TEST_NEEDS_TERMINAL                                                                        \
    do {                                                                                           \
        TEST_NEEDS("script");                                                                      \
        TestRun    terminal_ = test_command(".", "script -qec true /dev/null");                    \
        const bool opened_ = terminal_.code == 0;                                                  \
        test_run_free(&terminal_);                                                                 \
        if (!opened_) TEST_SKIP("there are no pseudo-terminals");                                  \
    } while (0)

/* Is it a word of TEST_WITHOUT, "git gpu": what the tests of a quick run do without? */
bool test_is_without(const char* program);

/* Files below a folder, sorted, one per line, without the index of an output folder. */
char* test_tree(const char* folder);

/* The complete file, aligned to 16, with a NUL after it; NULL when it does not exist. */
u8* test_read(const char* path, size_t* size);

#endif
