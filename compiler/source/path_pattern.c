/* path_pattern.c - compares paths with patterns.
 *
 * Only the last star of a segment and the last "**" have to be tried again: what comes before them
 * was matched as early as possible, which leaves the most for the rest. */
#include "path_pattern.h"

bool path_pattern_is(const char* text) { return strpbrk(text, "*?") != NULL; }

const char* path_pattern_fault(const char* pattern) {
    if (!*pattern) return "it must not be empty";
    if (*pattern == '/') return "it must begin with a name, not with '/'";
    if (strchr(pattern, '\\')) return "its segments must be separated by '/', not by '\\'";
    for (const char* at = pattern;; at++) {
        const size_t bytes = strcspn(at, "/");
        const char*  stars = strstr(at, "**");
        if (bytes == 0) return "there must be a name after each '/'";
        if (*at == '.') return "names that begin with '.' are never read";
        if (stars && stars < at + bytes && (bytes != 2 || stars != at))
            return "\"**\" must be a complete segment, as in \"scripts/**/*.lua\"";
        at += bytes;
        if (!*at) return NULL;
    }
}

/* The rest of a pattern, and the rest of the path with which it is compared next. */
typedef struct Attempt {
    const char *pattern, *path;
} Attempt;

static bool stars_begin(const char* pattern) { return pattern[0] == '*' && pattern[1] == '*'; }

static bool segments_match(const char* pattern, const char* path) {
    Attempt star = {0}, folders = {0};
    for (;;) {
        if (stars_begin(pattern)) {
            if (!pattern[2]) return *path != 0;
            folders = (Attempt){pattern += 3, path};
            star = (Attempt){0};
        } else if (*pattern == '*') {
            star = (Attempt){++pattern, path};
        } else if (*path && (*pattern == *path || (*pattern == '?' && *path != '/'))) {
            pattern++, path++;
        } else if (!*pattern && !*path) {
            return true;
        } else if (star.pattern && *star.path && *star.path != '/') {
            pattern = star.pattern, path = ++star.path;
        } else if (folders.pattern && (folders.path = strchr(folders.path, '/'))) {
            pattern = folders.pattern, path = ++folders.path;
            star = (Attempt){0};
        } else {
            return false;
        }
    }
}

bool path_pattern_matches(const char* pattern, const char* path) {
    const char* name = strrchr(path, '/');
    return segments_match(pattern, name && !strchr(pattern, '/') ? name + 1 : path);
}
