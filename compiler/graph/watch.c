/* watch.c - waits for changes, with the watches of the kernel or by polling, and builds. */
#include "watch.h"

#include <errno.h>

#include "build_again.h"
#include "exit_codes.h"
#include "failure.h"
#include "folder_watch.h"
#include "hash.h"
#include "tree.h"
#include "clock.h"
#include "temporary.h"
#include "streams.h"

#define COMPLETE_MS 10   /* time without changes after a file was closed or moved to its name */
#define QUIET_MS    50   /* the same after any other change */
#define MAX_MS      500  /* maximum time before a build */
#define LOOK_MS     1000 /* polling interval without watches of the kernel */

typedef struct Watch {
    const BuildOptions* options;
    FolderWatch*        folders; /* NULL: the folder is polled */
    u64                 seen;    /* hash of its state */
    bool                failed;  /* the last build */
    BuildAgain*         again;
} Watch;

/* --- polling --- */

static u64 file_digest(const TreeFile* file) {
    const char* path = tree_relative(file);
    return hash_bytes(path, strlen(path), hash_bytes(&file->stamp, sizeof file->stamp, file->kind));
}

/* The sum over all files, because their order is undefined. */
static int folder_look(const Watch* w, u64* digest) {
    Tree        tree;
    const char* failed;
    *digest = 0;
    const ent_status status = tree_read(&tree, w->options->source, true, NULL, &failed);
    for (u32 i = 0; i < tree.files.count; i++) *digest += file_digest(&tree.files.at[i]);
    const int code =
        status == ENT_OK ? EXIT_OK : io_failure("cannot read the asset folder", failed);
    tree_drop(&tree);
    return code;
}

static int look_wait(Watch* w) {
    u64 now = w->seen, before;
    int code = EXIT_OK;
    while (code == EXIT_OK && now == w->seen) {
        clock_wait_ms(LOOK_MS);
        code = folder_look(w, &now);
    }
    for (u32 ms = 0; code == EXIT_OK && ms < MAX_MS; ms += QUIET_MS) {
        before = now;
        clock_wait_ms(QUIET_MS);
        code = folder_look(w, &now);
        if (now == before) break;
    }
    w->seen = now;
    return code;
}

/* The number of folders that the kernel watches is limited. */
static int look_instead(Watch* w) {
    fprintf(stderr,
            "entc: \"%s\" is polled every second, because this user has reached the kernel's limit "
            "of watches (sysctl fs.inotify.max_user_watches and max_user_instances)\n",
            w->options->source);
    folder_watch_close(w->folders);
    w->folders = NULL;
    return folder_look(w, &w->seen);
}

/* --- the loop --- */

static int status_code(Watch* w, ent_status status) {
    if (status == ENT_OK) return EXIT_OK;
    if (status == ENT_LIMIT) return look_instead(w);
    if (status == ENT_NO_MEMORY) memory_exhausted(4096);
    return io_failure("cannot watch the asset folder", w->options->source);
}

static int watch_open(Watch* w) {
    return status_code(w, folder_watch_open(&w->folders, w->options->source));
}

static int watch_wait(Watch* w) {
    const WatchTimes times = {COMPLETE_MS, QUIET_MS, MAX_MS};
    if (!w->folders) return look_wait(w);
    const ent_status status = folder_watch_wait(w->folders, &times);
    if (status != ENT_LIMIT) return status_code(w, status);
    build_again_forget(w->again); /* the watches of the output folder may suffice for new folders */
    folder_watch_close(w->folders);
    return watch_open(w);
}

static void counts_print(const char* word, const BuildCounts* c) {
    printf("%s: %u compiled, ", word, c->compiled);
    if (c->cached) printf("%u from the cache, ", c->cached);
    printf("%u written, %u removed, %.0f ms\n", c->written, c->removed, c->ms);
}

static int watch_build(Watch* w, bool first) {
    BuildCounts          c = {0};
    bool                 complete;
    const FolderChanges* changes = w->folders && !first ? folder_watch_changes(w->folders) : NULL;
    const int            code = build_again_run(w->again, changes, &c, &complete);
    if (w->options->messages.verbose && !w->options->messages.quiet)
        fputs(complete ? "entc: all files were looked at\n"
                       : "entc: only files that have changed were looked at\n",
              stderr);
    const bool idle = c.compiled + c.cached + c.written + c.removed == 0;
    const bool shown =
        !w->options->messages.quiet && (first || code != EXIT_OK || w->failed || !idle);
    if (shown && code == EXIT_OK) counts_print(first ? "built" : "rebuilt", &c);
    if (shown && code != EXIT_OK && c.errors)
        printf("failed: %u error%s, %.0f ms\n", c.errors, c.errors == 1 ? "" : "s", c.ms);
    else if (shown && code != EXIT_OK)
        printf("failed: %.0f ms\n", c.ms);
    w->failed = code != EXIT_OK;
    if (streams_flush() != 0) return EXIT_IO; /* the output pipe was closed */
    if (w->folders && code == EXIT_OK) build_again_prepare(w->again);
    return code == EXIT_INVALID || code == EXIT_IO || code == EXIT_LIMIT ? EXIT_OK : code;
}

int watch_run(const BuildOptions* options) {
    Watch w = {.options = options, .again = build_again_open(options)};
    signals_exit_with(EXIT_OK);
    int code = watch_open(&w);
    if (code == EXIT_OK) {
        if (!options->messages.quiet) printf("watching %s\n", options->source);
        streams_flush();
        code = watch_build(&w, true);
    }
    while (code == EXIT_OK && (code = watch_wait(&w)) == EXIT_OK) code = watch_build(&w, false);
    folder_watch_close(w.folders);
    build_again_close(w.again);
    return code;
}
