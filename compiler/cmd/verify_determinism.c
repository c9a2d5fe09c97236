/* verify_determinism.c - builds a source folder three times and compares the outputs.
 *
 * The first build is an ordinary one. The second one has the same sources in another folder, which
 * is read and compiled in the reverse order, another number of threads, an empty cache, another time
 * zone, and memory that is not zero. The third one reads the cache that the second one has written.
 * The last two are processes of their own, so that their addresses differ too. */
#include <errno.h>
#include <stdlib.h>

#include "child.h"
#include "clock.h"
#include "failure.h"
#include "inspect_text.h"
#include "options.h"
#include "plugin_load.h"
#include "source_map.h"
#include "tree.h"
#include "verify_determinism.h"
#include "work_folder.h"

#define WORDS_MAX   24
#define DEADLINE_NS (7ull * 24 * 3600 * 1000000000)

typedef struct Verification {
    const BuildOptions* options;
    const BlobOptions*  known;
    const char*         folder; /* that contains everything */
    Arena               arena;
} Verification;

static const char* path_in(Verification* v, const char* name) {
    return arena_print(&v->arena, "%s/%s", v->folder, name);
}

/* --- the copy of the sources --- */

static int file_duplicate(Verification* v, const TreeFile* file, const char* to) {
    FileView    view;
    const char* path = arena_print(&v->arena, "%s/%s", to, tree_relative(file));
    if (file_map(&view, file->path) != ENT_OK) return io_failure("cannot read", file->path);
    if (!folders_make(path) || file_put(path, view.bytes, view.size, NULL) != ENT_OK) {
        const int kept = errno;
        file_unmap(&view);
        errno = kept;
        return io_failure("cannot write", path);
    }
    file_unmap(&view);
    return EXIT_OK;
}

/* The files are created in another order than that in which they are listed. */
static int sources_duplicate(Verification* v, const char* to) {
    Tree        tree;
    const char* failed = v->options->source;
    int         code = EXIT_OK;
    if (tree_read(&tree, v->options->source, false, NULL, &failed) != ENT_OK)
        code = io_failure("cannot read the asset folder", failed);
    for (u32 i = tree.files.count; i-- > 0 && code == EXIT_OK;) {
        const TreeFile* file = &tree.files.at[i];
        if (file->kind == FILE_REGULAR) code = file_duplicate(v, file, to);
    }
    if (code == EXIT_OK && !folders_make(arena_print(&v->arena, "%s/x", to)))
        code = io_failure("cannot write", to);
    tree_drop(&tree);
    return code;
}

/* --- builds --- */

typedef struct ChildBuild {
    const char* source;
    const char* out;
    u32         jobs;
    bool        backwards;
} ChildBuild;

static const char** words_add(const char** at, const char* option, const char* value) {
    if (!value) return at;
    *at++ = option, *at++ = value;
    return at;
}

/* The command line of a build with the same options. */
static const char* const* build_words(Verification* v, const ChildBuild* build,
                                      const char* program) {
    const BuildOptions* o = v->options;
    const char**        words =
        ARENA_NEW(&v->arena, const char*, WORDS_MAX + 2 * (size_t)o->plugins.count);
    const char** at = words;
    *at++ = program, *at++ = "build", *at++ = build->source, *at++ = "--source-map", *at++ = "-q";
    at = words_add(at, "-o", build->out);
    at = words_add(at, "-j", arena_print(&v->arena, "%u", build->jobs));
    at = words_add(at, "--cache", path_in(v, "cache"));
    at = words_add(at, "--lang", o->variant.lang);
    at = words_add(at, "--platform", o->variant.platform);
    at = words_add(at, "--target", o->compile.target == TARGET_BIG ? "big" : "little");
    at = words_add(at, "--clip-error", arena_print(&v->arena, "%.9g", (f64)o->compile.clip_error));
    for (u32 i = 0; i < o->plugins.count; i++) at = words_add(at, "--plugin", o->plugins.at[i]);
    if (o->compile.strip) *at++ = "--strip";
    if (o->strict_models) *at++ = "--strict-models";
    if (build->backwards) *at++ = "--backwards";
    return words;
}

static void words_print(FILE* out, const char* const* words) {
    fputs("entc", out);
    for (u32 i = 1; words[i]; i++) fprintf(out, " %s", words[i]);
}

static int build_another(Verification* v, const ChildBuild* build, const char* which) {
    static const char* const variables[] = {"TZ=UTC-14", "LC_ALL=C", "MALLOC_PERTURB_=165",
                                            "MAKEFLAGS=", NULL};
    char                     program[4096];
    Child*                   child = memory_alloc(sizeof *child);
    if (path_resolve("/proc/self/exe", program, sizeof program) != ENT_OK) {
        memory_free(child);
        return io_failure("cannot access", "/proc/self/exe");
    }
    const char* const* words = build_words(v, build, program);
    const bool         started = child_start(child, words, variables, clock_ns() + DEADLINE_NS);
    char               line[2];
    while (started && child_take_bytes(child, line, 1)) continue;
    errno = child->reason;
    const int code = child_end(child);
    memory_free(child);
    if (!started) return io_failure("cannot start", program);
    if (code == EXIT_OK) return EXIT_OK;
    fprintf(stderr,
            "entc: error: verify-determinism: the %s build of \"%s\" failed with exit code %d, "
            "after the first one had succeeded: ",
            which, v->options->source, code);
    words_print(stderr, words);
    fputc('\n', stderr);
    return code == EXIT_LIMIT || code == EXIT_IO ? code : EXIT_INVALID;
}

/* --- comparing --- */

/* The first different byte; the checksum in the header differs in any case. */
static size_t first_difference(const BlobFile* a, const BlobFile* b) {
    const size_t hash = offsetof(BlobHeader, hash), min = MIN_OF(a->size, b->size);
    size_t       at = 0;
    while (at < min && (a->bytes[at] == b->bytes[at] || (at >= hash && at < hash + 8))) at++;
    return at < MAX_OF(a->size, b->size) ? at : hash;
}

static bool files_equal(const BlobFile* a, const BlobFile* b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static int side_print(const Verification* v, const char* which, BlobFile* file, size_t offset) {
    Writer w;
    fprintf(stderr, "    %s: ", which);
    if (offset >= file->size) {
        fprintf(stderr, "it ends after %zu bytes\n", file->size);
        return EXIT_OK;
    }
    const bool is_valid = blob_file_validate(file, v->known) == ENT_OK;
    const int  known = is_valid ? file_types_read(file) : EXIT_OK;
    writer_begin(&w, stderr, TEXT_PLAIN);
    const int code = annotate_byte(&w, file, is_valid, offset);
    const int ended = writer_end(&w), worst = MAX_OF(code, ended);
    return MAX_OF(known, worst);
}

/* Reports one output, which is in both folders. */
static int output_compare(Verification* v, const char* a, const char* b, const char* name,
                          const char* which, bool* same) {
    BlobFile in_a, in_b = {0};
    int      code = blob_file_read(&in_a, arena_print(&v->arena, "%s/%s", a, name));
    if (code == EXIT_OK) code = blob_file_read(&in_b, arena_print(&v->arena, "%s/%s", b, name));
    *same = code != EXIT_OK || files_equal(&in_a, &in_b);
    if (!*same) {
        const size_t at = first_difference(&in_a, &in_b);
        fprintf(stderr,
                "entc: error: verify-determinism: two builds of \"%s\" give different bytes for "
                "\"%s\": the first difference is at offset %zu\n",
                v->options->source, name, at);
        code = side_print(v, "first build", &in_a, at);
        const int other = side_print(v, which, &in_b, at);
        code = MAX_OF(code, other);
    }
    blob_file_close(&in_a);
    blob_file_close(&in_b);
    return code;
}

static int lone_report(const Verification* v, const char* name, bool in_first, const char* which) {
    fprintf(stderr,
            "entc: error: verify-determinism: of two builds of \"%s\", only the %s writes \"%s\"\n",
            v->options->source, in_first ? "first build" : which, name);
    return EXIT_INVALID;
}

/* Stops at the first difference, in the order of names. */
static int folders_verify(Verification* v, const char* a, const char* b, const char* which) {
    PathList  in_a, in_b;
    const int code_a = paths_collect(&in_a, a), code_b = paths_collect(&in_b, b);
    int       code = MAX_OF(code_a, code_b);
    for (u32 i = 0; code == EXIT_OK && (i < in_a.paths.count || i < in_b.paths.count); i++) {
        const char* x = i < in_a.paths.count ? in_a.paths.at[i] : NULL;
        const char* y = i < in_b.paths.count ? in_b.paths.at[i] : NULL;
        const int   order = !x ? 1 : !y ? -1 : strcmp(x, y);
        bool        same = true;
        if (order != 0)
            code = lone_report(v, order < 0 ? x : y, order < 0, which);
        else
            code = output_compare(v, a, b, x, which, &same);
        if (code == EXIT_OK && !same) code = EXIT_INVALID;
    }
    paths_drop(&in_a);
    paths_drop(&in_b);
    return code;
}

/* --- the command --- */

static int builds_compare(Verification* v) {
    const BuildOptions* o = v->options;
    const char * first = path_in(v, "1"), *second = path_in(v, "2"), *third = path_in(v, "3");
    const char*  copy = path_in(v, "copy/of/the/sources");
    BuildOptions build = *o;
    const u32    jobs = o->jobs == 1 ? 3 : 1;
    build.out = first, build.cache = NULL, build.compile.source_map = true;
    int code = build_run(&build, NULL);
    if (code == EXIT_OK) code = sources_duplicate(v, copy);
    if (code == EXIT_OK) code = build_another(v, &(ChildBuild){copy, second, jobs, true}, "second");
    if (code == EXIT_OK) code = folders_verify(v, first, second, "second build");
    if (code == EXIT_OK)
        code = build_another(v, &(ChildBuild){o->source, third, jobs, false}, "third");
    if (code == EXIT_OK) code = folders_verify(v, first, third, "third build, from the cache");
    if (code == EXIT_OK && !o->messages.quiet)
        printf("the outputs of three builds of \"%s\" have the same bytes\n", o->source);
    return code;
}

/* What an earlier run has left would be up to date, and not be compiled again. */
static int folder_check(const char* folder) {
    FileKind kind;
    if (file_look(folder, true, &kind) != ENT_OK) return io_failure("cannot access", folder);
    if (kind == FILE_NONE) return EXIT_OK;
    fprintf(
        stderr,
        "entc: error: verify-determinism: \"%s\" already exists; specify a new folder with -o\n",
        folder);
    return EXIT_USAGE;
}

int verify_determinism(const BuildOptions* options, const BlobOptions* known) {
    char         room[4096];
    Verification v = {.options = options, .known = known, .folder = options->out};
    if (!v.folder) {
        if (work_folder_make(room, sizeof room) != ENT_OK)
            return io_failure("cannot create a folder in", "$TMPDIR or /tmp");
        v.folder = room;
    }
    int code = options->out ? folder_check(options->out) : EXIT_OK;
    if (code == EXIT_OK) code = builds_compare(&v);
    if (!options->out && work_folder_remove(room) != ENT_OK) {
        const int removed = io_failure("cannot remove", room);
        if (code == EXIT_OK) code = removed;
    }
    arena_drop(&v.arena);
    return code;
}
