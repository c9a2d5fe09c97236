/* test_jobserver.c - entc as a client of make's jobserver, with the test in the role of make and
 * under the real make.
 *
 * Invariants: only the first thread works without a token; however a build ends, all tokens are
 * returned; without a usable jobserver there is one thread. */
#define _GNU_SOURCE
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"
#include "jobs.h"

#define LEVELS   24
#define ENTITIES 4000 /* of each: some milliseconds */
#define TOKENS   "abcdefgh"

#define PATIENCE_US 60000000u /* under sanitizers, on a machine that runs other programs too */

static const char* sources(void) {
    static char path[1100];
    if (*path) return path;
    char * text = NULL, name[64];
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("{ \"entities\": [", out);
    for (u32 i = 0; i < ENTITIES; i++) {
        fprintf(out,
                "%s\n{ \"name\": \"e%u\", \"components\": { \"transform\": { \"position\": [%u, 2, "
                "3] }, \"light\": { \"range_m\": 7 } } }",
                i ? "," : "", i, i);
    }
    fputs(" ] }\n", out);
    fclose(out);
    snprintf(path, sizeof path, "%s", test_folder("jobserver/src"));
    for (u32 i = 0; i < LEVELS; i++) {
        snprintf(name, sizeof name, "l%u.level.json", i);
        test_write(path, name, text, bytes);
    }
    free(text);
    return path;
}

static const char* folder_of_sources(void) {
    static char path[1100];
    snprintf(path, sizeof path, "%s", sources());
    *strrchr(path, '/') = 0;
    return path;
}

/* --- the role of make --- */

typedef struct Server {
    int  ends[2];
    u32  count;
    char flags[1300]; /* MAKEFLAGS */
} Server;

static Server server_new(u32 tokens) {
    Server s = {.count = tokens};
    assert_int_equal(pipe(s.ends), 0);
    assert_int_equal(write(s.ends[1], TOKENS, tokens), tokens);
    snprintf(s.flags, sizeof s.flags, " -j%u --jobserver-auth=%d,%d", tokens + 1, s.ends[0],
             s.ends[1]);
    return s;
}

static u32 server_left(const Server* s) {
    int bytes = 0;
    assert_int_equal(ioctl(s->ends[0], FIONREAD, &bytes), 0);
    return (u32)bytes;
}

/* All tokens are returned, unchanged; and the mode of the pipe is unchanged. */
static void server_close(Server* s) {
    char left[sizeof TOKENS] = "", wanted[sizeof TOKENS] = "";
    assert_int_equal(server_left(s), s->count);
    assert_int_equal(fcntl(s->ends[0], F_GETFL) & O_NONBLOCK, 0);
    if (s->count) assert_int_equal(read(s->ends[0], left, s->count), s->count);
    memcpy(wanted, TOKENS, s->count);
    for (u32 i = 0; i < s->count; i++) {
        char* at = strchr(wanted, left[i]);
        assert_true(at && left[i]);
        *at = ' ';
    }
    close(s->ends[0]);
    close(s->ends[1]);
}

/* --- running --- */

/* What was observed of a process while it ran. */
typedef struct Seen {
    int code;     /* -1: a signal */
    u32 min_left; /* tokens */
    u32 threads;  /* at most */
    u64 first_ns; /* running time of the first thread */
    u64 max_ns;   /* the longest running time of any other */
} Seen;

static u64 thread_ns(pid_t pid, const char* thread) {
    char path[400], text[100] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, thread);
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return 0;
    if (read(fd, text, sizeof text - 1) < 0) *text = 0;
    close(fd);
    return strtoull(text, NULL, 10);
}

static void threads_look(pid_t pid, Seen* seen) {
    char path[64], pid_text[16];
    u32  threads = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    snprintf(pid_text, sizeof pid_text, "%d", (int)pid);
    DIR* folder = opendir(path);
    if (!folder) return;
    for (struct dirent* e; (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        const u64 ns = thread_ns(pid, e->d_name);
        u64*      max = strcmp(e->d_name, pid_text) == 0 ? &seen->first_ns : &seen->max_ns;
        *max = MAX_OF(*max, ns);
        threads++;
    }
    closedir(folder);
    seen->threads = MAX_OF(seen->threads, threads);
}

/* Runs entc with these MAKEFLAGS; sends a signal, if not 0, after this time. */
static Seen watched_run(const char* folder, const char* flags, const Server* server, int number,
                        u32 after_us, const char* command) {
    Seen seen = {.min_left = UINT32_MAX};
    int  status;
    u32  us = 0;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(folder) != 0) _exit(99);
        setenv("MAKEFLAGS", flags, 1);
        dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char*)NULL);
        _exit(98);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (server) seen.min_left = MIN_OF(seen.min_left, server_left(server));
        threads_look(pid, &seen);
        if (number && us >= after_us) kill(pid, number), number = 0;
        usleep(200);
        us += 200;
        if (us > PATIENCE_US) kill(pid, SIGKILL);
    }
    if (us > PATIENCE_US) fail_msg("%s: %s has not ended", folder, command);
    seen.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return seen;
}

/* Did any other thread run for a tenth of the first thread's time, or more? */
static bool work_is_shared(const Seen* seen) { return seen->max_ns > seen->first_ns / 10; }

/* On a busy machine an expected effect may not be observed: the same is repeated until all of it
 * was observed. A forbidden effect counts in whichever run it occurred. */
static void seen_at_last(const Server* server, const char* command, u32 threads, u32 min_left,
                         bool shared) {
    Seen all = {.min_left = UINT32_MAX};
    bool was_shared = false, as_requested = false;
    for (u32 i = 0; i < 20 && !as_requested; i++) {
        const Seen one = watched_run(folder_of_sources(), server->flags, server, 0, 0, command);
        assert_int_equal(one.code, 0);
        all.threads = MAX_OF(all.threads, one.threads);
        all.min_left = MIN_OF(all.min_left, one.min_left);
        was_shared |= work_is_shared(&one);
        as_requested = all.threads == threads && all.min_left == min_left && was_shared == shared;
    }
    if (!as_requested) {
        fail_msg("%s: %u threads, not %u; %u tokens left, not %u; work is %sshared", server->flags,
                 all.threads, threads, all.min_left, min_left, was_shared ? "" : "not ");
    }
}

#define BUILD "exec entc build src -o out --force "

/* --- the test in the role of make --- */

static void build_under_jobserver_without_token_uses_one_thread(void** state) {
    UNUSED(state);
    Server s = server_new(0);
    seen_at_last(&s, BUILD "-j 4", 4, 0, false);
    server_close(&s);
}

static void jobserver_tokens_of_each_form_are_used_and_returned(void** state) {
    static const char* const forms[] = {" -j3 --jobserver-auth=%d,%d",
                                        "s -j3 --jobserver-fds=%d,%d",
                                        " -j --jobserver-auth=77,78 --jobserver-auth=%d,%d -- A=b"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(forms); i++) {
        Server s = server_new(2);
        snprintf(s.flags, sizeof s.flags, forms[i], s.ends[0], s.ends[1]);
        seen_at_last(&s, BUILD "-j 8", 8, 0, true);
        server_close(&s);
    }
}

static void jobserver_of_named_pipe_is_used(void** state) {
    char   path[1200];
    Server s = {.count = 3};
    UNUSED(state);
    snprintf(path, sizeof path, "%s/fi fo", folder_of_sources());
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    s.ends[0] = open(path, O_RDWR);
    s.ends[1] = dup(s.ends[0]);
    assert_int_equal(write(s.ends[1], TOKENS, s.count), s.count);
    snprintf(s.flags, sizeof s.flags, " -j4 --jobserver-auth=fifo:fi\\ fo");
    seen_at_last(&s, BUILD "-j 3", 3, 1, true); /* no third token is read */
    server_close(&s);
}

/* Whatever ends it, and whenever. */
static void jobserver_tokens_after_signal_at_any_time_are_returned(void** state) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const char*      folder = folder_of_sources();
    u32              taken = 0;
    UNUSED(state);
    for (u32 i = 0; i < 24 || (!taken && i < 100); i++) {
        Server     s = server_new(2);
        const Seen seen =
            watched_run(folder, s.flags, &s, numbers[i % 3], 1000 + i * 1500, BUILD "-j 4");
        assert_true(seen.code == -1 || seen.code == 0);
        taken += seen.code == -1 && seen.min_left < 2;
        server_close(&s);
    }
    if (!taken) fail_msg("no signal came while a token was held");
    TEST_DONE(
        folder,
        "rm -rf invalid && cp -r src invalid && echo '{' > invalid/l3.level.json && cp -r src two "
        "&& test -z \"$(find . -name '*.tmp')\"");
    Server s = server_new(2);
    assert_int_equal(
        watched_run(folder, s.flags, &s, 0, 0, "exec entc build invalid -o out -j 4").code, 3);
    server_close(&s);
    s = server_new(2);
    assert_int_equal(
        watched_run(folder, s.flags, &s, 0, 0, "exec entc build src -o /dev/null/x -j 4").code, 2);
    server_close(&s);
}

static void jobserver_tokens_after_out_of_memory_are_returned(void** state) {
    u32 ended = 0;
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer reserves more memory than ulimit permits");
    for (u32 mb = 20; mb <= 60; mb += 4) {
        char command[200];
        snprintf(command, sizeof command, "ulimit -v %u; " BUILD "-j 3", mb * 1000);
        Server     s = server_new(2);
        const Seen seen = watched_run(folder_of_sources(), s.flags, &s, 0, 0, command);
        assert_true(seen.code == 4 || seen.code == 2 || seen.code == 0); /* 2: no memory to read */
        ended += seen.code == 4;
        server_close(&s);
    }
    assert_true(ended > 0);
}

/* Descriptors that make did not pass on, or that are something else by now. */
static void build_with_unusable_jobserver_uses_one_thread(void** state) {
    const char* folder = folder_of_sources();
    UNUSED(state);
    Seen seen = watched_run(folder, " -j8 --jobserver-auth=77,78", NULL, 0, 0, BUILD);
    assert_int_equal(seen.code, 0);
    assert_int_equal(seen.threads, 1);
    seen = watched_run(folder, " -j8 --jobserver-auth=-2,-2", NULL, 0, 0, BUILD);
    assert_int_equal(seen.threads, 1);
    seen = watched_run(folder, " -j8 --jobserver-auth=fifo:/nowhere", NULL, 0, 0, BUILD);
    assert_int_equal(seen.threads, 1);
    seen = watched_run(folder, " -j8 --jobserver-auth=77,78", NULL, 0, 0, BUILD "-j 3");
    assert_int_equal(seen.threads, 3);
    Server s = server_new(2), other = server_new(2); /* two pipes are no jobserver */
    snprintf(s.flags, sizeof s.flags, " -j8 --jobserver-auth=%d,%d", s.ends[0], other.ends[1]);
    seen = watched_run(folder, s.flags, &s, 0, 0, BUILD);
    assert_int_equal(seen.threads, 1);
    assert_int_equal(seen.min_left, 2);
    server_close(&s);
    server_close(&other);
    seen = watched_run(folder, "", NULL, 0, 0, BUILD);
    assert_int_equal(seen.threads, ent_job_processor_count());
    seen = watched_run(folder, "", NULL, 0, 0, "exec taskset -c 0 entc build src -o out --force");
    assert_int_equal(seen.threads, 1);
}

/* Make ends with the number of tokens that it began with, or prints an error. */
static void builds_under_real_make_return_all_tokens(void** state) {
    static const char makefile[] = "all: $(foreach i,1 2 3 4 5 6,out$i)\n"
                                   "out%:\n\t+@entc build src -o $@ -j 4\n"
                                   "broken%: out1\n\t+@entc build invalid -o $@ -j 4\n"
                                   "plain:\n\t@entc build src -o plain\n";
    const char*       folder = folder_of_sources();
    UNUSED(state);
    test_write_text(folder, "Makefile", makefile);
    TestRun run = test_command(folder, "unset MAKEFLAGS MFLAGS MAKELEVEL; rm -rf out*; make -j3");
    if (run.code != 0 || run.err_bytes) fail_msg("%d: %s", run.code, run.err);
    test_run_free(&run);
    TEST_DONE(folder, "diff -rq out1 out6");
    run = test_command(folder, "unset MAKEFLAGS MFLAGS MAKELEVEL; mkdir -p invalid; echo '{' > "
                               "invalid/x.level.json; make -k -j3 broken1 broken2 plain");
    assert_int_equal(run.code, 2);
    assert_non_null(strstr(run.err, "E0101"));
    assert_null(strstr(run.err, "jobserver"));
    test_run_free(&run);
    run = test_command(folder, "unset MAKEFLAGS MFLAGS MAKELEVEL; rm -rf out*; make -n -j2 out1");
    if (run.code != 0 || !strstr(run.out, "would write out1/l0.level")) {
        fail_msg("make -n: %d: %s%s", run.code, run.out, run.err);
    }
    test_run_free(&run);
    TEST_DONE(folder, "! test -e out1");
}

TEST_SUITE(jobserver) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_under_jobserver_without_token_uses_one_thread),
        cmocka_unit_test(jobserver_tokens_of_each_form_are_used_and_returned),
        cmocka_unit_test(jobserver_of_named_pipe_is_used),
        cmocka_unit_test(jobserver_tokens_after_signal_at_any_time_are_returned),
        cmocka_unit_test(jobserver_tokens_after_out_of_memory_are_returned),
        cmocka_unit_test(build_with_unusable_jobserver_uses_one_thread),
        cmocka_unit_test(builds_under_real_make_return_all_tokens),
    };
    return TEST_RUN("jobserver", tests);
}
