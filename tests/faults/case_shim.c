/* case_shim.c - preloaded into a program, makes its files those of a file system that ignores the case of ASCII letters.
 *
 * Each segment of a path is replaced by the name that its folder lists, if it differs in case only. A file that is
 * renamed to another spelling of its own name gets it; another file of that name is replaced and keeps its spelling.
 * The folders themselves must not contain two names that differ in case only. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM (PATH_MAX + 64)

/* Declares `real`, the next definition of the wrapping function. */
#define REAL(name)                                                                                 \
    static __typeof__(name)* real;                                                                 \
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name)

/* Replaces the last segment of a path, which does not exist, by the name that its folder lists. */
static void segment_find(const char* folder, char* segment) {
    static __typeof__(opendir)* open_real;
    if (!open_real) *(void**)&open_real = dlsym(RTLD_NEXT, "opendir");
    DIR* listed = open_real(folder);
    for (struct dirent* entry; listed && (entry = readdir(listed));)
        if (strcasecmp(entry->d_name, segment) == 0) {
            strcpy(segment, entry->d_name); /* of the same length */
            break;
        }
    if (listed) closedir(listed);
}

static bool look(const char* path, struct stat* info) {
    static __typeof__(fstatat)* look_real;
    if (!look_real) *(void**)&look_real = dlsym(RTLD_NEXT, "fstatat");
    return look_real(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool exists(const char* path) {
    struct stat info;
    return look(path, &info);
}

static bool same(const char* a, const char* b) {
    struct stat first, second;
    return look(a, &first) && look(b, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* The path as the folders list it, in `out`; the last segment stays if `keeps_last`. */
static const char* path_found(int folder, const char* path, bool keeps_last, char out[ROOM]) {
    const int kept = errno;
    if (!path || !*path || strlen(path) >= PATH_MAX) return path;
    if (*path == '/' || folder == AT_FDCWD)
        *out = 0;
    else
        snprintf(out, ROOM, "/proc/self/fd/%d/", folder);
    char* at = out + strlen(out);
    strcpy(at, path);
    at += strspn(at, "/");
    for (char* end; *at; at = end + strspn(end, "/")) {
        end = at + strcspn(at, "/");
        const char after = *end, before = *at;
        *end = 0;
        if ((keeps_last && !after) || exists(out)) {
            *end = after;
            continue;
        }
        char name[NAME_MAX + 1], above[ROOM];
        if (strlen(at) > NAME_MAX) break;
        strcpy(name, at);
        *at = 0;
        strcpy(above, *out ? out : ".");
        *at = before;
        segment_find(above, name);
        strcpy(at, name);
        *end = after;
    }
    errno = kept;
    return out;
}

#define WRAP(kind, name, parameters, folder, arguments)                                            \
    kind name parameters {                                                                         \
        REAL(name);                                                                                \
        char room[ROOM];                                                                           \
        path = path_found(folder, path, false, room);                                              \
        return real arguments;                                                                     \
    }

WRAP(int, access, (const char* path, int mode), AT_FDCWD, (path, mode))
WRAP(int, faccessat, (int fd, const char* path, int mode, int flags), fd, (fd, path, mode, flags))
WRAP(int, fstatat, (int fd, const char* path, struct stat* out, int flags), fd,
     (fd, path, out, flags))
WRAP(int, inotify_add_watch, (int fd, const char* path, uint32_t what), AT_FDCWD, (fd, path, what))
WRAP(int, lstat, (const char* path, struct stat* out), AT_FDCWD, (path, out))
WRAP(int, mkdir, (const char* path, mode_t mode), AT_FDCWD, (path, mode))
WRAP(int, mkdirat, (int fd, const char* path, mode_t mode), fd, (fd, path, mode))
WRAP(DIR*, opendir, (const char* path), AT_FDCWD, (path))
WRAP(ssize_t, readlink, (const char* path, char* out, size_t bytes), AT_FDCWD, (path, out, bytes))
WRAP(char*, realpath, (const char* path, char* out), AT_FDCWD, (path, out))
WRAP(int, rmdir, (const char* path), AT_FDCWD, (path))
WRAP(int, stat, (const char* path, struct stat* out), AT_FDCWD, (path, out))
WRAP(int, unlink, (const char* path), AT_FDCWD, (path))
WRAP(int, unlinkat, (int fd, const char* path, int flags), fd, (fd, path, flags))
WRAP(int, utimensat, (int fd, const char* path, const struct timespec times[2], int flags), fd,
     (fd, path, times, flags))

/* The mode exists only if the file may be created. */
static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

int open(const char* path, int flags, ...) {
    REAL(open);
    char    room[ROOM];
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return real(path_found(AT_FDCWD, path, false, room), flags, mode);
}

int openat(int fd, const char* path, int flags, ...) {
    REAL(openat);
    char    room[ROOM];
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return real(fd, path_found(fd, path, false, room), flags, mode);
}

int linkat(int a, const char* from, int b, const char* to, int flags) {
    REAL(linkat);
    char room[2][ROOM];
    return real(a, path_found(a, from, false, room[0]), b, path_found(b, to, false, room[1]),
                flags);
}

int renameat(int a, const char* from, int b, const char* to) {
    REAL(renameat);
    char        room[3][ROOM];
    const char* source = path_found(a, from, false, room[0]);
    const char* target = path_found(b, to, false, room[1]);
    return real(a, source, b, same(source, target) ? path_found(b, to, true, room[2]) : target);
}

int rename(const char* from, const char* to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }
