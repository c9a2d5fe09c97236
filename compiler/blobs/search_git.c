/* search_git.c - finds declarations in the git repository that contains the working directory.
 *
 * git is run, because only git supports all its storage formats. Settings of the repository that
 * could start other programs are switched off, because a repository is untrusted data. The complete
 * search ends after SEARCH_MS. */
#include "search_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "child.h"
#include "clock.h"
#include "file.h"
#include "sections.h"

#define SEARCH_MS     3000
#define OBJECTS_MAX   1000       /* maximum number of examined versions of one declaration */
#define OBJECT_BYTES  (1u << 20) /* of one of them */
#define OBJECT_ID_MAX 64         /* digits */
#define LINE_BYTES    8192

static const char* const variables[] = {"GIT_OPTIONAL_LOCKS=0",
                                        "GIT_ALLOW_PROTOCOL=none",
                                        "GIT_NO_LAZY_FETCH=1",
                                        "GIT_TERMINAL_PROMPT=0",
                                        "GIT_LITERAL_PATHSPECS=0",
                                        "GIT_GLOB_PATHSPECS=0",
                                        "GIT_NOGLOB_PATHSPECS=0",
                                        "GIT_ICASE_PATHSPECS=0",
                                        "LC_ALL=C",
                                        NULL};

typedef struct ObjectId {
    char text[OBJECT_ID_MAX + 1];
} ObjectId;

typedef struct GitSearch {
    Search* search;
    char    pathspec[3][512]; /* NAME.component, NAME.component.json, NAME.*.component.json */
    u64     deadline_ns;
    Child   objects;    /* git cat-file --batch: started when it is needed */
    bool    is_started; /* it was started, or cannot be */
    ARRAY(ObjectId) tried;
    u32  tracked; /* declarations of that name in the index */
    bool failed;  /* git could not be started, or reported an error of the repository */
    int  reason;  /* errno of a call that failed in this process */
} GitSearch;

/* Is the working directory in a repository? */
static bool in_repository(int* reason) {
    char        path[4096 + 8];
    const char* given = getenv("GIT_DIR");
    if (given && *given) return true;
    if (path_resolve(".", path, 4096) != ENT_OK) {
        *reason = errno;
        return false;
    }
    for (;;) {
        char* end = path + strlen(path);
        snprintf(end, 8, "/.git");
        FileKind   kind;
        const bool exists = file_look(path, true, &kind) != ENT_OK || kind != FILE_NONE;
        *end = 0;
        char* slash = strrchr(path, '/');
        if (exists || !slash) return exists;
        *slash = 0;
    }
}

static bool is_json(const char* path) {
    const size_t bytes = strlen(path);
    return bytes > 5 && strcmp(path + bytes - 5, ".json") == 0;
}

/* --- git --- */

static bool git_start(GitSearch* g, Child* child, const char* const* words) {
    const bool started = child_start(child, words, variables, g->deadline_ns);
    g->failed |= !started;
    if (!g->reason) g->reason = child->reason;
    return started;
}

static bool git_end(GitSearch* g, Child* child, bool succeeded) {
    const int code = child_end(child);
    g->failed |= !succeeded && code != 0;
    if (!g->reason) g->reason = child->reason;
    return succeeded;
}

/* --- objects --- */

static bool was_tried(GitSearch* g, const char* id) {
    for (u32 i = 0; i < g->tried.count; i++) {
        if (strcmp(g->tried.at[i].text, id) == 0) return true;
    }
    snprintf(array_push(&g->tried)->text, OBJECT_ID_MAX + 1, "%s", id);
    return false;
}

static void objects_start(GitSearch* g) {
    static const char* const words[] = {"git", "cat-file", "--batch", NULL};
    if (!g->is_started) (void)git_start(g, &g->objects, words);
    g->is_started = true;
}

/* The answer is "ID blob SIZE", a newline, the bytes and a newline; or "ID missing". */
static bool object_try(GitSearch* g, const char* id, bool json) {
    char       line[256], kind[16] = "";
    unsigned   size = 0;
    const u32  bytes = (u32)strlen(id);
    const bool zero = strspn(id, "0") == bytes; /* there was none */
    if (bytes > OBJECT_ID_MAX || zero || g->tried.count >= OBJECTS_MAX || was_tried(g, id)) {
        return false;
    }
    objects_start(g);
    snprintf(line, sizeof line, "%s\n", id);
    if (!child_put(&g->objects, line, strlen(line)) ||
        !child_take_until(&g->objects, '\n', line, sizeof line) ||
        sscanf(line, "%*s %15s %u", kind, &size) != 2) {
        return false;
    }
    if (size > OBJECT_BYTES || strcmp(kind, "blob") != 0) {
        (void)child_end(
            &g->objects); /* the process is ended, so that its complete output need not be read */
        return false;
    }
    char*      object = memory_alloc((size_t)size + 1);
    const bool read = child_take_bytes(&g->objects, object, (size_t)size + 1);
    const bool succeeded = read && search_try(g->search, object, size, json);
    memory_free(object);
    return succeeded;
}

/* --- lists of paths --- */

/* Tracked files: "MODE ID STAGE\tPATH" and a NUL; as the working tree has it, and as the index has
 * it. */
static bool tracked_try(GitSearch* g) {
    const char* const words[] = {
        "git", "-c",           "core.fsmonitor=false", "ls-files",     "-s", "-z",
        "--",  g->pathspec[0], g->pathspec[1],         g->pathspec[2], NULL};
    Child child;
    char  line[LINE_BYTES];
    bool  succeeded = false;
    if (!git_start(g, &child, words)) return false;
    while (!succeeded && child_take_until(&child, 0, line, sizeof line)) {
        char        id[OBJECT_ID_MAX + 1];
        const char* path = strchr(line, '\t');
        if (!path || sscanf(line, "%*s %64s", id) != 1) continue;
        g->tracked++;
        succeeded =
            search_try_file(g->search, path + 1, is_json(path)) || object_try(g, id, is_json(path));
    }
    return git_end(g, &child, succeeded);
}

static bool untracked_try(GitSearch* g) {
    const char* const words[] = {
        "git", "-c",           "core.fsmonitor=false", "ls-files",     "-o", "-z",
        "--",  g->pathspec[0], g->pathspec[1],         g->pathspec[2], NULL};
    Child child;
    char  path[LINE_BYTES];
    bool  succeeded = false;
    if (!git_start(g, &child, words)) return false;
    while (!succeeded && child_take_until(&child, 0, path, sizeof path)) {
        succeeded = search_try_file(g->search, path, is_json(path));
    }
    return git_end(g, &child, succeeded);
}

/* Every commit that is reachable from any reference, newest first: ":MODE MODE ID ID
 * STATUS\tPATH". */
static bool history_try(GitSearch* g) {
    const char* const words[] = {"git",
                                 "-c",
                                 "core.fsmonitor=false",
                                 "log",
                                 "--all",
                                 "--reflog",
                                 "--full-history",
                                 "-m",
                                 "--raw",
                                 "--no-abbrev",
                                 "--no-renames",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-color",
                                 "--no-show-signature",
                                 "--no-notes",
                                 "--no-decorate",
                                 "--no-mailmap",
                                 "--format=",
                                 "--",
                                 g->pathspec[0],
                                 g->pathspec[1],
                                 g->pathspec[2],
                                 NULL};
    Child             child;
    char              line[LINE_BYTES];
    bool              succeeded = false;
    if (!git_start(g, &child, words)) return false;
    while (!succeeded && child_take_until(&child, '\n', line, sizeof line)) {
        char   id[2][OBJECT_ID_MAX + 1];
        size_t bytes = strlen(line);
        assert(bytes < sizeof line);                              /* child_take_until ends it */
        if (bytes && line[bytes - 1] == '"') line[bytes - 1] = 0; /* a path with unusual bytes */
        if (sscanf(line, ":%*s %*s %64s %64s", id[0], id[1]) != 2) continue;
        succeeded = object_try(g, id[1], is_json(line)) || object_try(g, id[0], is_json(line));
    }
    return git_end(g, &child, succeeded);
}

bool search_git(Search* search, const char* name, const char** reason) {
    GitSearch g = {.search = search, .objects = {.in = -1, .out = -1}};
    *reason =
        "is not in the folder of the blob, and the working directory is not in a git repository";
    /* The name becomes a part of a pattern and a path: it must not contain special characters. */
    if (!resource_name_is_canonical(text_of(name)) || !in_repository(&g.reason)) {
        if (g.reason) search_unread(search, g.reason);
        return false;
    }
    g.deadline_ns = clock_ns() + SEARCH_MS * 1000000ull;
    snprintf(g.pathspec[0], sizeof g.pathspec[0], ":(top,glob)**/%s.component", name);
    snprintf(g.pathspec[1], sizeof g.pathspec[1], ":(top,glob)**/%s.component.json", name);
    snprintf(g.pathspec[2], sizeof g.pathspec[2], ":(top,glob)**/%s.*.component.json", name);
    const bool succeeded =
        tracked_try(&g) || (g.tracked == 0 && untracked_try(&g)) || history_try(&g);
    *reason = clock_ns() >= g.deadline_ns ? "was not found in the git repository within 3 s"
              : g.failed                  ? "cannot be searched: git could not read the repository"
                                          : "was not found in the git repository";
    (void)child_end(&g.objects);
    if (!g.reason) g.reason = g.objects.reason;
    if (g.reason) search_unread(search, g.reason);
    array_drop(&g.tried);
    return succeeded;
}
