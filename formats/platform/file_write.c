/* file_write.c - writes complete files: a temporary file beside the file, then a rename. */
#define _GNU_SOURCE
#include "file_internal.h"
#include "jobs.h"
#include "temporary_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

bool folders_make(const char* path) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return errno = ENAMETOOLONG, false;
    strcpy(folder, path);
    for (char* at = folder + 1; *at; at++) {
        int result;
        if (*at != '/') continue;
        *at = 0;
        UNINTERRUPTED(result, mkdir(folder, 0777));
        if (result != 0 && errno != EEXIST) return false;
        *at = '/';
    }
    return true;
}

bool parts_write(int fd, const FilePart* parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t done = 0; done < parts[i].bytes;) {
            const ssize_t wrote = write(fd, (const u8*)parts[i].at + done, parts[i].bytes - done);
            if (wrote < 0 && errno != EINTR) return false;
            if (wrote > 0) done += (size_t)wrote;
        }
    }
    return true;
}

/* --- writing --- */

/* What cannot be replaced, such as /dev/null or a pipe, is written to directly. */
static ent_status device_write(const char* path, const FilePart* parts, size_t count) {
    const int fd = open_complete(AT_FDCWD, path, O_WRONLY, 0);
    if (fd < 0) return errno_status(errno);
    bool done = parts_write(fd, parts, count);
    int  kept = errno;
    if (close(fd) != 0 && done) done = false, kept = errno;
    errno = kept;
    return done ? ENT_OK : errno_status(kept);
}

bool rename_once(int from_folder, const char* from, int to_folder, const char* to) {
    struct stat info;
    int         result;
    if (look_at(to_folder, to, AT_SYMLINK_NOFOLLOW, &info)) return errno = EEXIST, false;
    if (errno != ENOENT) return false;
    UNINTERRUPTED(result, renameat(from_folder, from, to_folder, to));
    return result == 0;
}

/* Renames the temporary file to its final path. To create a file only where none exists, a hard
 * link is made; on file systems without hard links, a query precedes the rename. */
static bool put_name(const Temporary* t, const Put* put) {
    int result;
    if (put->mode == PUT_CREATE) {
        UNINTERRUPTED(result, linkat(t->folder, t->path, put->folder, put->path, 0));
        if (result == 0) return true;
        const bool unknown = errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS;
        return unknown && rename_once(t->folder, t->path, put->folder, put->path);
    }
    UNINTERRUPTED(result, renameat(t->folder, t->path, put->folder, put->path));
    return result == 0;
}

static bool rights_take(int fd, const Put* put) {
    struct stat old;
    int         result;
    if (!look_at(put->folder, put->path, AT_SYMLINK_NOFOLLOW, &old)) return false;
    UNINTERRUPTED(result, fchmod(fd, old.st_mode & 07777));
    return result == 0;
}

static bool written(int fd, const Put* put, struct stat* info) {
    return parts_write(fd, put->parts, put->count) && look_at(fd, "", AT_EMPTY_PATH, info) &&
           (put->mode != PUT_REWRITE || rights_take(fd, put));
}

bool put_once(const Put* put, const char* beside, FileStamp* stamp) {
    Temporary*  t;
    struct stat before, after;
    const int   fd = temporary_open(put->folder, beside, &t);
    bool        done = fd >= 0 && written(fd, put, &before);
    const int   kept = errno;
    if (fd >= 0 && close(fd) != 0 && done && errno != EINTR) { /* a late error of a network disk */
        temporary_close(t, false);
        return false;
    }
    if (!done) errno = kept;
    done = done && put_name(t, put);
    temporary_close(t, done && put->mode != PUT_CREATE);
    if (!done) return false;
    /* Renaming changed the stamp. A file that another process wrote meanwhile must not count as the
     * file of this call. */
    *stamp = (FileStamp){0};
    if (look_at(put->folder, put->path, 0, &after) && after.st_ino == before.st_ino)
        *stamp = stamp_of(&after);
    return true;
}

int temporary_make(const char* beside, Temporary** taken) {
    for (u32 attempt = 0;; attempt++) {
        const int fd = temporary_open(AT_FDCWD, beside, taken);
        if (fd >= 0) return fd;
        temporary_close(*taken, false);
        *taken = NULL;
        /* The folder does not exist yet, or another process removed it while it was empty. */
        if (errno != ENOENT || attempt == 3 || !folders_make(beside)) return -1;
    }
}

static ent_status put_complete(const Put* put, const char* beside, FileStamp* stamp) {
    FileStamp unused;
    if (!stamp) stamp = &unused;
    for (u32 attempt = 0;; attempt++) {
        if (put_once(put, beside, stamp)) return ENT_OK;
        /* The folder does not exist yet, or another process removed it while it was empty. */
        if (errno != ENOENT || attempt == 3 || !folders_make(put->path)) return errno_status(errno);
    }
}

ent_status file_put(const char* path, const void* bytes, size_t size, FileStamp* stamp) {
    return file_put_by(path, path, bytes, size, stamp);
}

ent_status file_put_parts(const char* path, const FilePart* parts, size_t count, FileStamp* stamp) {
    return put_complete(&(Put){AT_FDCWD, path, parts, count, PUT_REPLACE}, path, stamp);
}

ent_status file_put_by(const char* path, const char* beside, const void* bytes, size_t size,
                       FileStamp* stamp) {
    const FilePart part = {bytes, size};
    return put_complete(&(Put){AT_FDCWD, path, &part, 1, PUT_REPLACE}, beside, stamp);
}

ent_status file_create(const char* path, const void* bytes, size_t size) {
    const FilePart part = {bytes, size};
    return put_complete(&(Put){AT_FDCWD, path, &part, 1, PUT_CREATE}, path, NULL);
}

ent_status file_replace(const char* path, const void* bytes, size_t size, FileChange* change) {
    const FilePart part = {bytes, size};
    return file_replace_parts(path, &part, 1, change, NULL);
}

ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                              FileChange* change, JobPool* pool) {
    FileKind kind;
    bool     same = false;
    TRY(file_look(path, true, &kind));
    /* A file that cannot be read is replaced: afterwards it has the required content. */
    if (kind == FILE_REGULAR && file_compare_parts(path, parts, count, pool, &same) != ENT_OK)
        same = false;
    *change = same ? FILE_SAME : FILE_CHANGED;
    if (same) return ENT_OK;
    if (kind == FILE_OTHER) return device_write(path, parts, count);
    return put_complete(&(Put){AT_FDCWD, path, parts, count, PUT_REPLACE}, path, NULL);
}

ent_status file_append(const char* path, u64 size, const FilePart* parts, size_t count) {
    struct stat info;
    int         result;
    const int   flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
    const int   fd = open_complete(AT_FDCWD, path, flags, 0);
    if (fd < 0) return errno == ELOOP ? ENT_NOT_FOUND : read_status();
    UNINTERRUPTED(
        result,
        flock(fd, LOCK_EX | LOCK_NB)); /* until it is closed; not all file systems have locks */
    bool is_other = result != 0 && errno == EWOULDBLOCK;
    bool done = is_other || look_into(fd, &info);
    if (done && !is_other)
        is_other = !S_ISREG(info.st_mode) || (u64)info.st_size != size || info.st_nlink != 1;
    if (done && !is_other) done = parts_write(fd, parts, count);
    int kept = errno;
    if (close(fd) != 0 && done) done = false, kept = errno;
    errno = kept;
    if (!done) return errno_status(kept);
    return is_other ? ENT_NOT_FOUND : ENT_OK;
}

void folders_remove_empty(const char* path, size_t keep) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return;
    strcpy(folder, path);
    for (char* slash; (slash = strrchr(folder, '/')) && (size_t)(slash - folder) > keep;) {
        *slash = 0;
        if (rmdir(folder) != 0) return;
    }
}
