/* places.c - compares the paths in the arguments of a command. */
#include "places.h"

#include <errno.h>
#include <stdio.h>

#include "assets.h"
#include "exit_codes.h"
#include "failure.h"
#include "libc.h"
#include "sections.h"

/* --- paths --- */

/* Appends one segment to `path`, which is absolute and without symbolic links. A folder that does
 * not exist yet will be created under this name, so ".." after it refers to its parent. */
static bool step(char* path, size_t room, const char* name, size_t bytes, bool follow) {
    char   real[4096];
    size_t end = strlen(path);
    if (bytes == 0 || (bytes == 1 && name[0] == '.')) return true;
    if (bytes == 2 && name[0] == '.' && name[1] == '.') {
        while (end > 1 && path[end - 1] != '/') end--;
        path[end > 1 ? end - 1 : 1] = 0;
        return true;
    }
    const bool root = end == 1;
    if (end + !root + bytes >= room) return errno = errno_of(SYSTEM_LONG_NAME), false;
    if (!root) path[end++] = '/';
    memcpy(path + end, name, bytes);
    path[end + bytes] = 0;
    if (!follow) return true;
    const ent_status status = path_resolve(path, real, sizeof real);
    if (status != ENT_OK) return status == ENT_NOT_FOUND;
    if (strlen(real) >= room) return errno = errno_of(SYSTEM_LONG_NAME), false;
    strcpy(path, real);
    return true;
}

bool path_absolute(const char* path, bool follow, char* out, size_t bytes) {
    size_t end = strlen(path);
    if (path_resolve(*path == '/' ? "/" : ".", out, bytes) != ENT_OK) return false;
    while (end > 0 && path[end - 1] == '/') end--;
    for (size_t at = 0; at < end;) {
        const size_t length = strcspn(path + at, "/");
        const size_t used = MIN_OF(length, end - at);
        if (!step(out, bytes, path + at, used, follow || at + used < end)) return false;
        at += used + 1;
    }
    return true;
}

/* The part of a path below a folder, "" for the folder itself; NULL when the path is outside of
 * it. */
static const char* below(const char* path, const char* folder) {
    const size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(path, folder, bytes) != 0 || (path[bytes] && path[bytes] != '/')) return NULL;
    return path + bytes + (path[bytes] == '/');
}

/* Does a path contain a name that begins with a dot? Such folders contain no sources. */
static bool is_hidden(const char* path) { return path[0] == '.' || strstr(path, "/."); }

/* --- the source folder and an output --- */

typedef struct Pair {
    char source[4096];
    char named[4096]; /* the folder of the path itself */
    char real[4096];  /* the target of the path */
} Pair;

typedef enum PairState {
    PAIR_READ,
    PAIR_FAILED,
    PAIR_ABSENT /* one of them does not exist: the command itself reports that */
} PairState;

/* `code` is the exit code of a failure. */
static PairState pair_read(Pair* pair, const char* source, const char* path, int* code) {
    *code = EXIT_OK;
    const ent_status status = path_resolve(source, pair->source, sizeof pair->source);
    if (status == ENT_NOT_FOUND) return PAIR_ABSENT;
    if (status != ENT_OK) return *code = io_failure("cannot access", source), PAIR_FAILED;
    const bool succeeded = path_absolute(path, false, pair->named, sizeof pair->named) &&
                           path_absolute(path, true, pair->real, sizeof pair->real);
    if (succeeded) return PAIR_READ;
    if (errno == errno_of(SYSTEM_LONG_NAME))
        return PAIR_ABSENT; /* nothing can be created there either */
    *code = io_failure("cannot access", path);
    return PAIR_FAILED;
}

static const char* pair_below(const Pair* pair) {
    const char* path = below(pair->real, pair->source);
    return path ? path : below(pair->named, pair->source);
}

int places_check_apart(const char* command, const char* source, const char* out) {
    Pair            pair;
    int             code;
    const PairState state = pair_read(&pair, source, out, &code);
    if (state != PAIR_READ) return code;
    const char* path = pair_below(&pair);
    if (path && !*path) {
        fprintf(stderr,
                "entc: error: %s: the output folder \"%s\" is the same as the source folder "
                "\"%s\"; write to another folder\n",
                command, out, source);
    } else if (path) {
        fprintf(stderr,
                "entc: error: %s: the output folder \"%s\" is inside the source folder \"%s\"; "
                "write to a folder outside of it\n",
                command, out, source);
    } else if (below(pair.source, pair.real)) {
        fprintf(stderr,
                "entc: error: %s: the source folder \"%s\" is inside the output folder \"%s\"; "
                "write to a folder outside of both\n",
                command, source, out);
    } else {
        return EXIT_OK;
    }
    return EXIT_USAGE;
}

int places_check_folder(const char* command, const char* option, const char* source,
                        const char* folder) {
    Pair            pair;
    int             code;
    const PairState state = pair_read(&pair, source, folder, &code);
    if (state != PAIR_READ) return code;
    const char* path = pair_below(&pair);
    if (!path || is_hidden(path)) return EXIT_OK;
    fprintf(stderr,
            "entc: error: %s: %s \"%s\" is inside the source folder \"%s\"; specify a folder "
            "outside of it, or one with a name that begins with a dot\n",
            command, option, folder, source);
    return EXIT_USAGE;
}

int places_check_file(const char* command, const char* option, const char* source,
                      const char* file) {
    Pair            pair;
    int             code = EXIT_OK;
    const PairState state = file ? pair_read(&pair, source, file, &code) : PAIR_ABSENT;
    if (state != PAIR_READ) return code;
    const char* path = pair_below(&pair);
    if (!path || is_hidden(path) || !assets_concern(NULL, strrchr(pair.named, '/') + 1))
        return EXIT_OK;
    fprintf(stderr,
            "entc: error: %s: %s \"%s\" has the name of a source file of the folder \"%s\"; choose "
            "another name or another folder\n",
            command, option, file, source);
    return EXIT_USAGE;
}

int places_check_distinct(const char* command, const PlaceOption* files, u32 count) {
    for (u32 i = 0; i < count; i++) {
        for (u32 k = 0; k < i; k++) {
            char a[4096], b[4096];
            if (!files[i].file || !files[k].file) continue;
            if (!path_absolute(files[i].file, true, a, sizeof a) ||
                !path_absolute(files[k].file, true, b, sizeof b) || strcmp(a, b) != 0)
                continue; /* a path that cannot be read is reported when it is written */
            if (strncmp(a, "/dev/", 5) == 0) continue;
            fprintf(stderr,
                    "entc: error: %s: %s and %s are the same file, \"%s\"; choose another name for "
                    "one of them\n",
                    command, files[k].option, files[i].option, files[i].file);
            return EXIT_USAGE;
        }
    }
    return EXIT_OK;
}

int places_check_output(const char* command, const PlaceOption* file, const char* out) {
    char folder[4096], path[4096];
    if (!out || !file->file || !path_absolute(out, true, folder, sizeof folder) ||
        !path_absolute(file->file, true, path, sizeof path) || !below(path, folder))
        return EXIT_OK;
    const char* dot = strrchr(path, '.');
    if (!dot || resource_from_suffix(text_of(dot + 1)) == RESOURCE_NONE) return EXIT_OK;
    fprintf(stderr,
            "entc: error: %s: %s \"%s\" has the name of an output of the folder \"%s\"; choose "
            "another name or another folder\n",
            command, file->option, file->file, out);
    return EXIT_USAGE;
}
