/* places.c - compares the paths that a command was given. */
#include "places.h"

#include <errno.h>
#include <stdio.h>

#include "assets.h"
#include "exit_codes.h"

/* --- paths --- */

/* One step from `path`, which is absolute and without links. What is not there yet will be made as
 * it is named, so ".." behind it leads back. */
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
    if (end + !root + bytes >= room) return errno = ENAMETOOLONG, false;
    if (!root) path[end++] = '/';
    memcpy(path + end, name, bytes);
    path[end + bytes] = 0;
    if (!follow) return true;
    const ent_status status = path_resolve(path, real, sizeof real);
    if (status != ENT_OK) return status == ENT_NOT_FOUND;
    if (strlen(real) >= room) return errno = ENAMETOOLONG, false;
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

/* What is left of a path below a folder, "" for the folder itself; NULL when it is elsewhere. */
static const char* below(const char* path, const char* folder) {
    const size_t bytes = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    if (strncmp(path, folder, bytes) != 0 || (path[bytes] && path[bytes] != '/')) return NULL;
    return path + bytes + (path[bytes] == '/');
}

/* Does a path lead through a name that begins with a dot? Sources are not looked for there. */
static bool is_hidden(const char* path) { return path[0] == '.' || strstr(path, "/."); }

/* --- the source folder, and something that is written --- */

typedef struct Pair {
    char source[4096];
    char named[4096]; /* where the path itself lies */
    char real[4096];  /* where it leads */
} Pair;

typedef enum PairState {
    PAIR_READ,
    PAIR_FAILED,
    PAIR_NOWHERE /* one of them does not exist: the command itself reports that */
} PairState;

/* `code` is what a failure ends with. */
static PairState pair_read(Pair* pair, const char* source, const char* path, int* code) {
    *code = EXIT_OK;
    const ent_status status = path_resolve(source, pair->source, sizeof pair->source);
    if (status == ENT_NOT_FOUND) return PAIR_NOWHERE;
    if (status != ENT_OK) return *code = io_failure("cannot look at", source), PAIR_FAILED;
    const bool good = path_absolute(path, false, pair->named, sizeof pair->named) &&
                      path_absolute(path, true, pair->real, sizeof pair->real);
    if (good) return PAIR_READ;
    if (errno == ENAMETOOLONG) return PAIR_NOWHERE; /* nothing can be made there either */
    *code = io_failure("cannot look at", path);
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
                "entc: error: %s: the output folder \"%s\" is the source folder \"%s\"; write to "
                "another folder beside it\n",
                command, out, source);
    } else if (path) {
        fprintf(stderr,
                "entc: error: %s: the output folder \"%s\" is in the source folder \"%s\", so "
                "outputs would lie among the sources; write to a folder outside of it\n",
                command, out, source);
    } else if (below(pair.source, pair.real)) {
        fprintf(stderr,
                "entc: error: %s: the source folder \"%s\" is in the output folder \"%s\", so "
                "sources would lie among the outputs; write to a folder beside the source folder\n",
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
            "entc: error: %s: %s \"%s\" is in the source folder \"%s\", so its files would lie "
            "among the sources; name a folder outside of it, or one whose name begins with a dot\n",
            command, option, folder, source);
    return EXIT_USAGE;
}

int places_check_file(const char* command, const char* option, const char* source,
                      const char* file) {
    Pair            pair;
    int             code = EXIT_OK;
    const PairState state = file ? pair_read(&pair, source, file, &code) : PAIR_NOWHERE;
    if (state != PAIR_READ) return code;
    const char* path = pair_below(&pair);
    if (!path || is_hidden(path) || !assets_concern(strrchr(pair.named, '/') + 1)) return EXIT_OK;
    fprintf(stderr,
            "entc: error: %s: %s \"%s\" is named like a source of the folder \"%s\"; give it "
            "another name, or write it to another folder\n",
            command, option, file, source);
    return EXIT_USAGE;
}
