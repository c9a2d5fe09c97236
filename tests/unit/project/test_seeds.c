/* test_seeds.c - inputs that a fuzzer found, or that were written by hand to fail:
 * tests/fuzz/TARGET/, each passed to the function of the fuzzer. A separate process runs those of a
 * target, so that one that aborts or does not end fails alone. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "test.h"

#define SEED_SECONDS 20

typedef struct Target {
    const char* name;
    void (*take)(const u8* data, size_t size);
    void (*repair)(u8* data, size_t size);
    void (*seeds)(void); /* writes the first inputs of a fuzzer into the folder $FUZZ_SEEDS */
} Target;

/* The process writes the name of the current seed into the file `at_path`. */
static void seeds_take(const Target* target, const char* folder, const char* at_path) {
    char           path[1200];
    size_t         size;
    u32            count = 0;
    DIR*           list = opendir(folder);
    struct dirent* entry;
    FILE*          at = fopen(at_path, "w");
    target->seeds();
    while (list && at && (entry = readdir(list))) {
        if (entry->d_name[0] == '.') continue;
        rewind(at);
        fprintf(at, "%-200s", entry->d_name);
        fflush(at);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        u8* bytes = test_read(path, &size);
        if (!bytes) abort();
        alarm(SEED_SECONDS);
        target->take(bytes, size);
        target->repair(bytes, size); /* and once with matching checksums */
        target->take(bytes, size);
        alarm(0);
        free(bytes);
        count++;
    }
    if (!at || count == 0) abort();
    _exit(0);
}

static void target_test(const Target* target) {
    char   folder[256], at_path[1200], project[1200], log[1200];
    int    status = 0;
    size_t size;
    snprintf(folder, sizeof folder, "tests/fuzz/%s", target->name);
    const char* scratch = test_folder("seeds");
    snprintf(at_path, sizeof at_path, "%s/at", scratch);
    snprintf(project, sizeof project, "%s/project", scratch);
    snprintf(log, sizeof log, "%s/log", scratch);
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        setenv("FUZZ_FOLDER", project, 1);
        if (!freopen(log, "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) abort();
        seeds_take(target, folder, at_path);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status == 0) return;
    char* at = (char*)test_read(at_path, &size);
    char* printed = (char*)test_read(log, &size);
    fail_msg("%s/%.200s: %s %d: %s", folder, at ? at : "no seed",
             WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), printed ? printed : "");
}

#define SEEDS_TEST(name)                                                                           \
    static void seeds_of_##name##_are_handled(void** state) {                                      \
        static const Target target = {#name, fuzz_##name, fuzz_##name##_repair,                    \
                                      fuzz_##name##_seeds};                                        \
        UNUSED(state);                                                                             \
        target_test(&target);                                                                      \
    }
FUZZ_LIST(SEEDS_TEST)

TEST_SUITE(seeds) {
#define SEEDS_ROW(name) cmocka_unit_test(seeds_of_##name##_are_handled),
    const struct CMUnitTest tests[] = {FUZZ_LIST(SEEDS_ROW)};
    return TEST_RUN("seeds", tests);
}
