/* test_watch.c - `entc build --watch`.
 *
 * Invariants: whatever users and programs do to the sources, in whatever way they save, once no
 * more changes occur the outputs are those of a clean build; each build is reported in one line, a
 * build that found nothing to do is not reported; the outputs of a build do not cause another
 * build. */
#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"

#define PATIENCE_MS 30000 /* under sanitizers, on a machine that runs other programs too */

/* --- a watcher --- */

typedef struct Watcher {
    char* folder;
    pid_t pid;
    int   out;        /* its standard output */
    char  text[8192]; /* read and not yet processed */
    u32   bytes;
} Watcher;

/* Runs a shell command in the folder; its standard error is written to the file `err` there. */
static void watcher_start(Watcher* w, const char* folder, const char* command) {
    int ends[2];
    *w = (Watcher){.folder = strdup(folder)};
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        if (chdir(folder) != 0) _exit(99);
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char*)NULL);
        _exit(98);
    }
    close(ends[1]);
    w->out = ends[0];
}

/* The next line, or NULL when none arrives within `wait_ms` or the output has ended. Valid until
 * the next call. */
static const char* line_next(Watcher* w, int wait_ms) {
    static char line[8192];
    for (;;) {
        char* end = memchr(w->text, '\n', w->bytes);
        if (end) {
            const u32 bytes = (u32)(end - w->text);
            memcpy(line, w->text, bytes);
            line[bytes] = 0;
            w->bytes -= bytes + 1;
            memmove(w->text, end + 1, w->bytes);
            return line;
        }
        struct pollfd poller = {w->out, POLLIN, 0};
        if (poll(&poller, 1, wait_ms) <= 0) return NULL;
        const ssize_t got = read(w->out, w->text + w->bytes, sizeof w->text - w->bytes);
        if (got <= 0) return NULL;
        w->bytes += (u32)got;
    }
}

/* Waits for its exit code; -1: a signal ended it. */
static int watcher_end(Watcher* w, int number) {
    int status = 0;
    if (number) kill(w->pid, number);
    for (u32 ms = 0; waitpid(w->pid, &status, WNOHANG) == 0; ms += 5) {
        if (ms > PATIENCE_MS) kill(w->pid, SIGKILL);
        clock_wait_ms(5);
    }
    close(w->out);
    free(w->folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Changes sources atomically: the watcher sees no change before all are done, however slow the
 * machine is. */
static void at_once(const Watcher* w, const char* script) {
    kill(w->pid, SIGSTOP);
    TestRun run = test_command(w->folder, "cd src && %s", script);
    kill(w->pid, SIGCONT);
    if (run.code != 0) fail_msg("%s: %s%s", script, run.out, run.err);
    test_run_free(&run);
}

/* The next line begins with `wanted`. */
static void line_is(Watcher* w, const char* wanted) {
    const char* line = line_next(w, PATIENCE_MS);
    if (line && strncmp(line, wanted, strlen(wanted)) == 0) return;
    char text[600];
    snprintf(text, sizeof text, "%s", line ? line : "nothing");
    watcher_end(w, SIGKILL);
    fail_msg("expected \"%s\", printed %s", wanted, text);
}

/* With -v, other lines come before it. */
static void line_is_somewhere(Watcher* w, const char* wanted) {
    const char* line = line_next(w, PATIENCE_MS);
    while (line && strncmp(line, wanted, strlen(wanted)) != 0) {
        if (strncmp(line, "rebuilt", 7) == 0 || strncmp(line, "failed", 6) == 0)
            fail_msg("expected \"%s\", printed %s", wanted, line);
        line = line_next(w, PATIENCE_MS);
    }
    if (!line) fail_msg("expected \"%s\", printed nothing", wanted);
}

static void no_line_is_printed(Watcher* w, int wait_ms) {
    const char* line = line_next(w, wait_ms);
    if (line) fail_msg("unexpected line: %s", line);
}

/* --- a project --- */

static char* project_new(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/base.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n");
    test_write_text(folder, "src/levels/yard.level.json",
                    "{ \"entities\": [ { \"name\": \"lamp\", \"prefab\": \"base\" } ] }\n");
    test_write_text(folder, "src/mud.material.json", "{ \"roughness\": 0.5 }\n");
    return folder;
}

/* Waits until the outputs are those of a clean build. */
static void outputs_become_clean(const char* folder, const char* what) {
    const u64 end_ns = clock_ns() + (u64)PATIENCE_MS * 1000000u;
    TEST_DONE(folder, "rm -rf clean && entc build src -o clean");
    for (;;) {
        TestRun    run = test_command(folder, "diff -rq out clean");
        const bool same = run.code == 0;
        if (!same && clock_ns() > end_ns) fail_msg("%s: %s%s", what, run.out, run.err);
        test_run_free(&run);
        if (same) return;
        clock_wait_ms(20);
    }
}

/* --- ways of saving --- */

/* what a shell does in src/ with a new number; what is reported then */
static const struct {
    const char *name, *script, *reported;
} saves[] = {
    {"written over", "echo '{ \"roughness\": 0.1 }' > mud.material.json", "rebuilt: 1 compiled, 1"},
    {"in place", "printf '{ \"roughness\": 0.2 }' | dd of=mud.material.json conv=notrunc 2>&1",
     "rebuilt: 1 compiled, 1"},
    {"beside, then renamed",
     "echo '{ \"roughness\": 0.3 }' > .mud.tmp && mv .mud.tmp mud.material.json",
     "rebuilt: 1 compiled, 1"},
    {"moved in from elsewhere",
     "echo '{ \"roughness\": 0.35 }' > ../mud.tmp && mv ../mud.tmp mud.material.json",
     "rebuilt: 1 compiled, 1"},
    {"backup, then new",
     "mv mud.material.json mud.material.json~; echo '{ \"roughness\": 0.4 }' > mud.material.json; "
     "rm mud.material.json~",
     "rebuilt: 1 compiled, 1"},
    {"removed, then new",
     "rm mud.material.json; echo '{ \"roughness\": 0.45 }' > mud.material.json",
     "rebuilt: 1 compiled, 1"},
    {"as vim does it",
     "touch 4913; rm 4913; mv mud.material.json mud.material.json~; "
     "echo '{ \"roughness\": 0.6 }' > mud.material.json; chmod 644 mud.material.json; "
     "rm mud.material.json~",
     "rebuilt: 1 compiled, 1"},
    {"by a link to another",
     "echo '{ \"roughness\": 0.7 }' > mud.2; ln -f mud.2 mud.material.json; rm mud.2",
     "rebuilt: 1 compiled, 1"},
    {"many times at once",
     "for i in 1 2 3 4 5 6 7 8 9; do echo \"{ \\\"roughness\\\": 0.8$i }\" > mud.material.json; "
     "done",
     "rebuilt: 1 compiled, 1"},
    {"a space", "echo '{ \"roughness\":  0.89 }' > mud.material.json", "rebuilt: 1 compiled, 0"},
    {"a new one", "echo '{}' > new.material.json", "rebuilt: 1 compiled, 1 written, 0 removed"},
    {"away", "rm new.material.json", "rebuilt: 0 compiled, 0 written, 1 removed"},
    {"a folder of folders",
     "mkdir -p a/b/c && echo '{}' > a/b/c/one.material.json && echo '{}' > a/two.material.json",
     "rebuilt: 2 compiled, 2 written"},
    {"in the new folder", "echo '{ \"roughness\": 0.1 }' > a/b/c/one.material.json",
     "rebuilt: 1 compiled, 1"},
    {"a folder renamed", "mv a/b a/d", "rebuilt: 1 compiled, 1 written, 1 removed"},
    {"in the renamed folder", "echo '{ \"roughness\": 0.2 }' > a/d/c/one.material.json",
     "rebuilt: 1 compiled, 1"},
    {"a folder moved out", "mv a ../a", "rebuilt: 0 compiled, 0 written, 2 removed"},
    {"and in again", "mv ../a a", "rebuilt: 2 compiled, 2 written"},
    {"in what came back", "echo '{ \"roughness\": 0.3 }' > a/d/c/one.material.json",
     "rebuilt: 1 compiled, 1"},
    {"a folder removed", "rm -r a", "rebuilt: 0 compiled, 0 written, 2 removed"},
    {"a prefab", "sed -i s/7/8/ base.entity.json", "rebuilt: 2 compiled, 2 written"},
    {"an error", "echo '{' > new.material.json", "failed: 1 error"},
    {"two errors", "echo '[' > other.material.json", "failed: 2 errors"},
    {"none", "rm new.material.json other.material.json", "rebuilt: 0 compiled, 0 written"},
};

static void source_saved_in_any_way_is_rebuilt_while_watching(void** state) {
    char*   folder = project_new("watch/saves");
    Watcher w;
    UNUSED(state);
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: 3 compiled, 3 written, 0 removed, ");
    for (u32 i = 0; i < COUNT_OF(saves); i++) {
        at_once(&w, saves[i].script);
        print_message("[    ...   ] %s\n", saves[i].name);
        line_is(&w, saves[i].reported);
    }
    TEST_DONE(folder, "grep -q 'src/other.material.json:.*E0101' err");
    outputs_become_clean(folder, "after all ways");
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

/* How many builds have looked at all files, and how many at some; -v reports it before the line of a build. */
static void expect_looks(const char* folder, u32 complete, u32 parts) {
    TestRun run =
        test_command(folder, "grep -c 'all files were looked at' err; "
                             "grep -c 'only files that have changed were looked at' err; :");
    char wanted[40];
    snprintf(wanted, sizeof wanted, "%u\n%u\n", complete, parts);
    assert_string_equal(run.out, wanted);
    test_run_free(&run);
}

/* A build after a watch has ended: from what the watch has recorded, and from nothing. */
static void outputs_match_after_build(const char* folder) {
    TEST_DONE(
        folder,
        "entc build src -o out && rm -rf clean && entc build src -o clean && diff -r out clean");
}

/* The number of builds: -v reports each build on stderr, also those that found nothing to do. */
static u32 builds_of(const char* folder) {
    TestRun   run = test_command(folder, "grep -c '^entc: .* resources' err || true");
    const u32 count = (u32)atoi(run.out);
    test_run_free(&run);
    return count;
}

static void watch_after_edit_without_effect_prints_nothing(void** state) {
    static const char* const scripts[] = {
        "touch mud.material.json",
        "echo hello > notes.txt",
        "cp mud.material.json x && mv x mud.material.json",
        "mkdir empty",
        "chmod 600 mud.material.json",
    };
    char*   folder = project_new("watch/silent");
    Watcher w;
    UNUSED(state);
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: ");
    for (u32 i = 0; i < COUNT_OF(scripts); i++) {
        at_once(&w, scripts[i]);
        no_line_is_printed(&w, 150);
    }
    assert_int_equal(watcher_end(&w, SIGINT), 0);
    watcher_start(&w, folder, "exec entc build src -o out --watch -q");
    test_write_text(folder, "src/mud.material.json", "{ \"roughness\": 0.6 }\n");
    no_line_is_printed(&w, 200);
    outputs_become_clean(folder, "-q");
    no_line_is_printed(&w, 0);
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    TEST_DONE(folder, "! test -s err");
    free(folder);
}

/* A cache below the sources, and files of editors, cause no build. */
static void outputs_and_cache_inside_sources_cause_no_further_build(void** state) {
    char*   folder = project_new("watch/inside");
    Watcher w;
    UNUSED(state);
    watcher_start(&w, folder,
                  "exec entc build src/ -o gen/out --watch -v --cache ./src/levels/../.cache");
    line_is(&w, "watching src/");
    for (const char* line = ""; strncmp(line, "built: ", 7) != 0;) {
        line = line_next(&w, PATIENCE_MS);
        assert_non_null(line);
    }
    no_line_is_printed(&w, 300);
    assert_int_equal(builds_of(folder), 1);
    TEST_DONE(folder, "cd src && touch .mud.swp levels/.x && rm .mud.swp && mkdir .git && "
                      "touch .git/index && rm ../gen/out/mud.material");
    no_line_is_printed(&w, 300);
    assert_int_equal(builds_of(folder), 1);
    at_once(&w, "sed -i s/0.5/0.6/ mud.material.json");
    line_is(&w, "wrote gen/out/mud.material");
    line_is(&w, "rebuilt: 1 compiled, 1 written");
    no_line_is_printed(&w, 300);
    assert_int_equal(builds_of(folder), 2);
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

/* More events at once than the kernel stores for a process that does not read them. */
static void watch_after_overflow_of_events_finds_all_changes(void** state) {
    char*   folder = project_new("watch/overflow");
    char    script[300];
    Watcher w;
    UNUSED(state);
    TestRun   run = test_command(".", "cat /proc/sys/fs/inotify/max_queued_events");
    const int max = atoi(run.out);
    test_run_free(&run);
    if (max <= 0 || max > 40000) {
        free(folder);
        TEST_SKIP("the kernel keeps too many events to overflow");
    }
    watcher_start(&w, folder, "exec entc build src -o out --watch -v");
    line_is_somewhere(&w, "built: ");
    at_once(&w, "sed -i s/0.5/0.6/ mud.material.json");
    line_is_somewhere(&w, "rebuilt: 1 compiled, 1 written");
    expect_looks(folder, 1, 1);
    snprintf(script, sizeof script,
             "for i in $(seq %d); do : > x; : > y; done; rm x y; mkdir -p late/r && "
             "echo '{}' > late/r/a.material.json",
             max / 3);
    at_once(&w, script);
    line_is_somewhere(&w, "rebuilt: 1 compiled, 1 written");
    expect_looks(folder, 2, 1);
    at_once(&w, "echo '{ \"roughness\": 0.1 }' >late/r/a.material.json");
    line_is_somewhere(&w, "rebuilt: 1 compiled, 1 written");
    expect_looks(folder, 2, 2);
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

/* The kind of a change decides how much is looked at. */
static void edit_while_watching_looks_at_changed_files_only(void** state) {
    static const struct {
        const char *script, *reported;
        bool        complete;
    } steps[] = {
        {"echo '{ \"roughness\": 0.1 }' >mud.material.json", "rebuilt: 1 compiled, 1", false},
        {"sed -i s/7/8/ base.entity.json", "rebuilt: 2 compiled, 2", false},
        {"echo '{' >mud.material.json", "failed: 1 error", false},
        {"sed -i s/8/9/ base.entity.json", "failed: 1 error", false},
        {"echo '{ \"roughness\": 0.2 }' >mud.material.json", "rebuilt: 3 compiled, 3", false},
        {"echo '{}' >new.material.json", "rebuilt: 1 compiled, 1", true},
        {"echo '{ \"roughness\": 0.3 }' >new.material.json", "rebuilt: 1 compiled, 1", false},
        {"echo '{ \"prefab\": \"base\" }' >new.entity.json", "rebuilt: 1 compiled, 1", true},
        {"sed -i s/9/6/ base.entity.json", "rebuilt: 3 compiled, 3", false},
        {"rm ../out/mud.material; echo '{}' >new.material.json", "rebuilt: 2 compiled, 2", true},
        {"echo x >>../out/mud.material; echo '{ \"roughness\": 0.4 }' >new.material.json",
         "rebuilt: 2 compiled, 2", true},
        {"echo '{}' >entc.json; sed -i s/6/7/ base.entity.json", "rebuilt: 3 compiled, 3", true},
        {"sed -i s/7/5/ base.entity.json", "rebuilt: 3 compiled, 3", false},
    };
    char*   folder = project_new("watch/looks_of_edits");
    u32     complete = 1, parts = 0;
    Watcher w;
    UNUSED(state);
    watcher_start(&w, folder, "exec entc build src -o out --watch -v");
    line_is_somewhere(&w, "built: 3 compiled");
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        at_once(&w, steps[i].script);
        line_is_somewhere(&w, steps[i].reported);
        *(steps[i].complete ? &complete : &parts) += 1;
        print_message("[    ...   ] %s\n", steps[i].script);
        expect_looks(folder, complete, parts);
    }
    outputs_become_clean(folder, "after all edits");
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    TEST_DONE(
        folder,
        "entc build src -o out --check && entc build src -o out -v 2>&1 | grep ' 0 compiled'");
    free(folder);
}

/* A change of one file may be one of another, and a link in the output folder leads out of it. */
static void watch_of_folders_with_links_builds_as_new_program(void** state) {
    char*   folder = project_new("watch/links");
    Watcher w;
    UNUSED(state);
    TEST_DONE(folder, "cd src && mkdir a && ln mud.material.json a/hard.material.json && "
                      "ln -s ../base.entity.json a/soft.entity.json");
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: 5 compiled");
    at_once(&w, "echo '{ \"roughness\": 0.7 }' >mud.material.json");
    line_is(&w, "rebuilt: 2 compiled, 2 written");
    at_once(&w, "echo '{ \"components\": { \"light\": { \"range_m\": 3 } } }' >base.entity.json");
    line_is(&w, "rebuilt: 3 compiled, 3 written");
    at_once(&w, "rm a/*");
    line_is(&w, "rebuilt: 0 compiled, 0 written, 2 removed");
    at_once(&w, "mkdir ../elsewhere sub && ln -s ../elsewhere ../out/sub");
    at_once(&w, "echo '{}' >sub/new.material.json");
    line_is(&w, "failed: ");
    TEST_DONE(folder, "grep -q 'symbolic link' err && test -z \"$(ls elsewhere)\" && rm out/sub");
    at_once(&w, "echo '{}' >sub/other.material.json");
    line_is(&w, "rebuilt: 2 compiled, 2 written");
    outputs_become_clean(folder, "links");
    at_once(&w, "rm ../out/.entc.index && touch mud.material.json");
    outputs_become_clean(folder, "index");
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

/* A program that is killed, and another one that builds the same folder meanwhile. */
static void build_database_of_killed_or_disturbed_watch_is_consistent(void** state) {
    char*   folder = project_new("watch/killed");
    Watcher w;
    UNUSED(state);
    for (u32 i = 0; i < 12; i++) {
        watcher_start(&w, folder, "exec entc build src -o out --watch");
        line_is(&w, "watching src");
        line_is(&w, "built: ");
        for (u32 k = 0; k < 3; k++) {
            char script[200];
            snprintf(script, sizeof script, "echo '{ \"roughness\": 0.%u%u }' >mud.material.json%s",
                     i + 10, k + 1, i % 3 == 1 ? "; entc build . -o ../out -q" : "");
            at_once(&w, script);
            if (k < 2 && i % 3 != 1) line_is(&w, "rebuilt: 1 compiled, 1 written");
        }
        clock_wait_ms(i);
        watcher_end(&w, SIGKILL);
        outputs_match_after_build(folder);
    }
    free(folder);
}

static void watch_ends_on_signal_closed_output_or_deleted_folder(void** state) {
    char*   folder = project_new("watch/ends");
    Watcher w;
    UNUSED(state);
    for (u32 i = 0; i < 8; i++) { /* whatever it is doing */
        TEST_DONE(folder, "rm -rf out");
        watcher_start(&w, folder, "exec entc build src -o out --watch");
        line_is(&w, "watching src");
        clock_wait_ms(i * 2);
        assert_int_equal(watcher_end(&w, i & 1 ? SIGINT : SIGTERM), 0);
    }
    TEST_DONE(folder, "test -z \"$(find . -name '*.tmp')\"");
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: ");
    TEST_DONE(folder, "mv src gone");
    assert_int_equal(watcher_end(&w, 0), 2);
    TEST_DONE(folder, "grep -q '\"src\": No such file' err && mv gone src");
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: ");
    TEST_DONE(folder, "rm -rf src");
    assert_int_equal(watcher_end(&w, 0), 2);
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    assert_int_equal(watcher_end(&w, 0), 2);
    free(folder);
}

/* The watched folder is replaced at once by another one, as git and rsync do. */
static void watched_folder_replaced_by_other_folder_is_rebuilt(void** state) {
    char*   folder = project_new("watch/place");
    Watcher w;
    UNUSED(state);
    watcher_start(&w, folder, "exec entc build src -o out --watch");
    line_is(&w, "watching src");
    line_is(&w, "built: 3 ");
    TEST_DONE(folder, "cp -r src new && echo '{}' > new/x.material.json");
    at_once(&w, "mv ../src ../old && mv ../new ../src");
    line_is(&w, "rebuilt: 1 compiled, 1 written");
    test_write_text(folder, "src/x.material.json", "{ \"roughness\": 0.1 }\n");
    line_is(&w, "rebuilt: 1 compiled, 1 written");
    test_write_text(folder, "old/mud.material.json", "{ \"roughness\": 0.1 }\n");
    no_line_is_printed(&w, 150);
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

/* A separate namespace has separate limits. */
static void watch_without_inotify_watches_polls_for_changes(void** state) {
    static const char limited[] =
        "exec unshare -r sh -c 'echo %d >/proc/sys/user/max_inotify_watches && exec %s'";
    char*   folder = project_new("watch/looks");
    char    command[300];
    Watcher w;
    UNUSED(state);
    snprintf(command, sizeof command, limited, 1, "true");
    TestRun    run = test_command(folder, "(%s)", command);
    const bool possible = run.code == 0;
    test_run_free(&run);
    if (!possible) {
        free(folder);
        TEST_SKIP("a user namespace cannot be created here");
    }
    for (int limit = 1; limit <= 2; limit++) { /* from the start, and once there are more folders */
        TEST_DONE(folder, "rm -rf out src/more");
        snprintf(command, sizeof command, limited, limit, "entc build src -o out --watch -v");
        watcher_start(&w, folder, command);
        line_is(&w, "watching src");
        for (const char* line = ""; strncmp(line, "built: ", 7) != 0;) {
            line = line_next(&w, PATIENCE_MS);
            assert_non_null(line);
        }
        test_write_text(folder, "src/more/b.material.json", "{}");
        line_is(&w, "wrote out/more/b.material");
        line_is(&w, "rebuilt: 1 compiled, 1 written");
        TEST_DONE(folder, "test $(grep -c 'is polled every second' err) = 1");
        if (limit == 1) {
            assert_int_equal(watcher_end(&w, SIGTERM), 0);
            continue;
        }
        const u32 builds = builds_of(folder);
        no_line_is_printed(&w, 1300);
        assert_int_equal(builds_of(folder), builds);
        TEST_DONE(folder, "cd src/more && echo '{ \"roughness\": 0.1 }' > b.material.json");
        line_is(&w, "wrote out/more/b.material");
        line_is(&w, "rebuilt: 1 compiled, 1 written");
        TEST_DONE(folder, "mv src gone");
        assert_int_equal(watcher_end(&w, 0), 2);
    }
    free(folder);
}

static void options_that_exclude_each_other_are_refused_by_build(void** state) {
    static const char* const rows[] = {
        "--watch --check",
        "--watch --dry-run",
        "--watch --list-outputs",
        "--watch --emit-ninja x",
        "--list-outputs --check",
        "--emit-ninja x --check",
        "--emit-ninja x --list-outputs",
        "--watch --diag-format sarif",
        "--list-outputs -k",
    };
    const char* folder = test_folder("watch/modes");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TestRun run = test_command(folder, "$BOUNDED entc build . -o out %s", rows[i]);
        if (run.code != 1 || !strstr(run.err, " cannot be combined")) fail_msg("%s", rows[i]);
        test_run_free(&run);
    }
}

/* --check lists what --dry-run lists, in either order of the two. */
static void check_includes_dry_run(void** state) {
    const char* folder = test_folder("watch/both");
    UNUSED(state);
    TEST_DONE(folder, "mkdir src && echo '{ \"roughness\": 0.1 }' >src/a.material.json");
    for (u32 i = 0; i < 2; i++) {
        TestRun run = test_command(folder, "entc build src -o out %s",
                                   i ? "--dry-run --check" : "--check --dry-run");
        if (run.code != 3 || !strstr(run.out, "would write out/a.material"))
            fail_msg("%s", run.out);
        test_run_free(&run);
    }
}

/* --- random edits --- */

static u64 random_state;
static u32 random_below(u32 n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (u32)(random_state >> 33) % n;
}

/* A file of some name, valid or not, in some folder that exists or not. */
static void random_file(char* name, char* text, size_t bytes) {
    static const char* const folders[] = {"", "a/", "a/b/", "a/b/c/", "d/", "d/e/", "levels/"};
    const char*              folder = folders[random_below(COUNT_OF(folders))];
    const u32                number = random_below(6), value = random_below(90) + 10;
    const u32                kind = random_below(8);
    if (kind < 4) {
        snprintf(name, bytes, "src/%sm%u.material.json", folder, number);
        snprintf(text, bytes, "{ \"roughness\": 0.%u }\n", value);
    } else if (kind < 7) {
        snprintf(name, bytes, "src/%se%u.entity.json", folder, number);
        snprintf(text, bytes,
                 "{ \"prefab\": \"base\", \"components\": { \"light\": { \"range_m\": %u } } }\n",
                 value);
    } else {
        snprintf(name, bytes, "src/base.entity.json");
        snprintf(text, bytes, "{ \"components\": { \"light\": { \"range_m\": %u } } }\n", value);
        return;
    }
    if (random_below(10) == 0) strcpy(text, "{");
}

static void folders_moved(const char* folder) {
    static const char* const scripts[] = {
        "rm -rf src/a/b",
        "mv src/a/b src/d/f 2>/dev/null; rm -rf src/d/f/f",
        "rm -rf src/d",
        "mv src/d/e src/z 2>/dev/null; mkdir -p src/d; mv src/z src/d/e 2>/dev/null",
        "mkdir -p src/a/b/c src/d/e",
        "rm -rf src/t; cp -r src/a src/t 2>/dev/null",
    };
    TestRun run = test_command(folder, "{ %s; } || true", scripts[random_below(COUNT_OF(scripts))]);
    test_run_free(&run);
}

static void file_saved(const char* folder, const char* name, const char* text) {
    char path[1200], other[1300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(other, sizeof other, "%s~", path);
    const size_t bytes = strlen(text), half = bytes / 2;
    if (!folders_make(path)) return;
    const u32 way = random_below(7);
    if (way == 0) { /* to another name, then renamed */
        test_write_text(folder, name, text);
        return;
    }
    if (way == 1 && rename(path, other) != 0 && errno != ENOENT) fail();
    if (way == 2 && unlink(path) != 0 && errno != ENOENT) fail();
    const int fd = open(path, O_WRONLY | O_CREAT | (way == 3 ? 0 : O_TRUNC), 0666);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, half), half);
    if (way == 4) clock_wait_ms(random_below(80)); /* the watcher sees half of the file */
    assert_int_equal(write(fd, text + half, bytes - half), bytes - half);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
    if (way == 1) unlink(other);
    for (u32 i = 0; way == 5 && i < 20; i++) test_write_text(folder, name, i % 2 ? text : "{}\n");
}

static void random_edit(const char* folder) {
    char      name[300], text[300], path[1200];
    const u32 kind = random_below(10);
    if (kind == 0) {
        folders_moved(folder);
        return;
    }
    random_file(name, text, sizeof text);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (kind == 1 && !strstr(name, "base."))
        unlink(path);
    else
        file_saved(folder, name, text);
    if (random_below(3) == 0) clock_wait_ms(random_below(random_below(8) ? 20 : 200));
}

static void kept_memory_is_bounded(const Watcher* w) {
    char path[100];
    snprintf(path, sizeof path, "grep VmRSS /proc/%d/status | tr -dc 0-9", (int)w->pid);
    TestRun    run = test_command(".", "%s", path);
    const long kib = atol(run.out);
    test_run_free(&run);
    if (!SANITIZED && kib > 100 * 1024) fail_msg("%ld KiB are held", kib);
}

/* TEST_FULL: a thousand edits, in several rounds; else forty. The output is read from time to
 * time. */
static void random_edits_while_watching_end_in_outputs_of_clean_build(void** state) {
    const u32 rounds = getenv("TEST_FULL") ? 25 : 2, edits = getenv("TEST_FULL") ? 40 : 20;
    char*     folder = project_new("watch/random");
    Watcher   w;
    UNUSED(state);
    random_state = getenv("TEST_SEED") ? strtoull(getenv("TEST_SEED"), NULL, 0) : clock_wall_ns();
    print_message("[    ...   ] TEST_SEED=%llu\n", (unsigned long long)random_state);
    watcher_start(&w, folder, "exec entc build src -o out --watch --cache cache");
    line_is(&w, "watching src");
    line_is(&w, "built: 3 compiled, 3 written");
    for (u32 round = 0; round < rounds; round++) {
        for (u32 i = 0; i < edits; i++) random_edit(folder);
        TEST_DONE(folder,
                  "find src -name '*.json' -size -3c | while read f; do echo '{}' > $f; done; "
                  "grep -q range_m src/base.entity.json");
        outputs_become_clean(folder, "random edits");
        while (line_next(&w, 0)) continue;
    }
    kept_memory_is_bounded(&w);
    assert_int_equal(watcher_end(&w, SIGTERM), 0);
    free(folder);
}

TEST_SUITE(watch) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_saved_in_any_way_is_rebuilt_while_watching),
        cmocka_unit_test(watch_after_edit_without_effect_prints_nothing),
        cmocka_unit_test(outputs_and_cache_inside_sources_cause_no_further_build),
        cmocka_unit_test(watch_after_overflow_of_events_finds_all_changes),
        cmocka_unit_test(edit_while_watching_looks_at_changed_files_only),
        cmocka_unit_test(watch_of_folders_with_links_builds_as_new_program),
        cmocka_unit_test(build_database_of_killed_or_disturbed_watch_is_consistent),
        cmocka_unit_test(watch_ends_on_signal_closed_output_or_deleted_folder),
        cmocka_unit_test(watched_folder_replaced_by_other_folder_is_rebuilt),
        cmocka_unit_test(watch_without_inotify_watches_polls_for_changes),
        cmocka_unit_test(options_that_exclude_each_other_are_refused_by_build),
        cmocka_unit_test(check_includes_dry_run),
        cmocka_unit_test(random_edits_while_watching_end_in_outputs_of_clean_build),
    };
    return TEST_RUN("watch", tests);
}
