/* test_main.c - runs every suite, or those whose names contain the argument; ends with the tally.
 *
 *     build/release/tests/run [-j N] [-x "SUITE SUITE"] [FILTER]      -x: suites that are left out
 *     TEST_SECONDS=60               the maximum duration of one test (test_suites.h)
 *     TEST_SLOW=1000                how many of the slowest suites are listed (10)
 *
 * A debugger must follow the child: each suite runs in a separate process.
 * Exit code: 0 when every test has passed or was skipped, otherwise 1; 2: they cannot be run here.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "test_suites.h"

/* --- folders and files --- */

static char root_path[512];

const char* test_folder(const char* name) {
    static char path[1024];
    char        command[4096];
    snprintf(path, sizeof path, "%s/%s.%s", root_path, test_suite_name(), name);
    snprintf(command, sizeof command, "rm -rf '%s' && mkdir -p '%s'", path, path);
    assert_int_equal(system(command), 0);
    return path;
}

int test_enter(const char* folder) {
    const int here = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(folder), 0);
    return here;
}

void test_leave(int here) {
    assert_int_equal(fchdir(here), 0);
    close(here);
}

void test_write(const char* folder, const char* name, const void* bytes, size_t size) {
    char       path[2048];
    FileChange change;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(file_replace(path, bytes, size, &change), ENT_OK);
}

void test_write_text(const char* folder, const char* name, const char* text) {
    test_write(folder, name, text, strlen(text));
}

void test_page_equals(const char* path, char* text, const char* source, const char* target) {
    size_t size;
    if (getenv("GOLDEN")) test_write_text(".", path, text);
    char* page = (char*)test_read(path, &size);
    assert_non_null(page);
    if (strcmp(page, text) != 0)
        fail_msg("%s differs from %s; `make %s` writes it", path, source, target);
    free(page);
    free(text);
}

void test_quote(char* text) {
    for (char* at = text; (at = strchr(at, '\'')); at++) *at = '"';
}

void test_write_quoted(const char* folder, const char* name, const char* text) {
    char* quoted = strdup(text);
    test_quote(quoted);
    test_write_text(folder, name, quoted);
    free(quoted);
}

void test_write_files(const char* folder, const char* root, const TestFile* files, u32 count) {
    char path[1024];
    for (u32 i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i].name);
        test_write_text(folder, path, files[i].text);
    }
}

void test_write_box(const char* folder, const char* root) {
    static const TestFile box = {
        "models/box.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"box%20data.bin\",\n"
        "  \"byteLength\": 36 } ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ],\n"
        "  \"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3,\n"
        "    \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0] } ],\n"
        "  \"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": { \"POSITION\": "
        "0 } "
        "} ] } ],\n"
        "  \"nodes\": [ { \"name\": \"box\", \"mesh\": 0 } ] }\n"};
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    char               path[1024];
    test_write_files(folder, root, &box, 1);
    snprintf(path, sizeof path, "%s/models/box data.bin", root);
    test_write(folder, path, triangle, sizeof triangle);
}

u8* test_read(const char* path, size_t* size) {
    FileView view;
    if (file_map(&view, path) != ENT_OK) return NULL;
    u8* bytes = aligned_alloc(16, (size_t)align_up(view.size + 1, 16));
    memcpy(bytes, view.bytes, view.size);
    bytes[view.size] = 0;
    *size = view.size;
    file_unmap(&view);
    return bytes;
}

/* --- commands --- */

TestRun test_command(const char* folder, const char* format, ...) {
    char    line[4096], complete[8192], out[1024], err[1024];
    va_list arguments;
    TestRun run = {0};
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(out, sizeof out, "%s/.stdout_%d", root_path, (int)getpid());
    snprintf(err, sizeof err, "%s/.stderr_%d", root_path, (int)getpid());
    snprintf(complete, sizeof complete, "{ cd '%s' && %s ; } >'%s' 2>'%s' </dev/null", folder, line,
             out, err);
    const int status = system(complete);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.out = (char*)test_read(out, &run.out_bytes);
    run.err = (char*)test_read(err, &run.err_bytes);
    unlink(out);
    unlink(err);
    return run;
}

void test_run_free(TestRun* run) {
    free(run->out);
    free(run->err);
    *run = (TestRun){0};
}

char* test_tree(const char* folder) {
    TestRun run =
        test_command(folder, "LC_ALL=C find . -type f ! -name .entc.index | LC_ALL=C sort");
    free(run.err);
    return run.out;
}

bool test_is_without(const char* program) {
    const char* words = getenv("TEST_WITHOUT");
    return words && test_has_word(words, program);
}

/* --- suites --- */

#define SUITE(name) int test_##name(void);
#include "suites_found.h"
#undef SUITE

#define SUITE(name)         {#name, test_##name},
#define TALLY_ROW(function) {#function, function},

static const TestSuite suites[] = {
#include "suites_found.h"
};
static const TestSuite tally_suites[] = {TALLY_LIST(TALLY_ROW)};

static TestTally run_chosen(const TestChoice* choice, u32 jobs) {
    if (strncmp(choice->filter, "tally_", 6) == 0)
        return test_suites(tally_suites, COUNT_OF(tally_suites), choice, jobs);
    return test_suites(suites, COUNT_OF(suites), choice, jobs);
}

/* A program that may hang is ended before its test is, so that the test reports which it was. */
static void bound_set(void) {
    char text[40];
    snprintf(text, sizeof text, "timeout %u", test_seconds() / 2 + 1);
    setenv("BOUNDED", text, 1);
}

int main(int argc, char** argv) {
    char        here[400], path[8192];
    u32         jobs = 1;
    const char* left_out = "";
    for (; argc > 2 && argv[1][0] == '-'; argc -= 2, argv += 2) {
        if (strcmp(argv[1], "-j") == 0) jobs = (u32)strtoul(argv[2], NULL, 10);
        if (strcmp(argv[1], "-x") == 0) left_out = argv[2];
    }
    signal(SIGCHLD,
           SIG_DFL); /* if ignored, exit codes would be lost for the process that waits for them */
    if (!getcwd(here, sizeof here)) return 2;
    snprintf(root_path, sizeof root_path, "%s/%s/scratch", here, TEST_BUILD);
    snprintf(path, sizeof path, "%s/%s:%s", here, TEST_BUILD, getenv("PATH"));
    setenv("PATH", path, 1);
    unsetenv("CLICOLOR_FORCE");
    bound_set();
    snprintf(path, sizeof path, "mkdir -p '%s'", root_path);
    if (system(path) != 0) return 2;
    const TestTally tally =
        run_chosen(&(TestChoice){argc > 1 ? argv[1] : "", left_out}, MIN_OF(jobs, 64u));
    fflush(stderr);
    printf("%u passed, %u failed", tally.passed, tally.failed);
    if (tally.skipped) printf(", %u skipped", tally.skipped);
    printf("\n");
    return tally.failed != 0;
}
