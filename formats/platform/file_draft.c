/* file_draft.c - files that are written step by step. */
#define _GNU_SOURCE
#include "file_draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "file_internal.h"
#include "temporary_internal.h"

struct FileDraft {
    Temporary* temporary; /* NULL: a device, or a folder in which no file can be created */
    int        fd;        /* -1: the same */
    u8*        memory;    /* [capacity] the content without a temporary file */
    size_t     capacity;
    u64        bytes;
    char       path[];
};

static bool write_at(int fd, const u8* bytes, size_t size, u64 at) {
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = pwrite(fd, bytes + done, size - done, (off_t)(at + done));
        if (wrote < 0 && errno != EINTR) return false;
        if (wrote > 0) done += (size_t)wrote;
    }
    return true;
}

static ent_status draft_open(FileDraft* d) {
    d->fd = temporary_make(d->path, &d->temporary);
    return d->fd >= 0 ? ENT_OK : errno_status(errno);
}

ent_status file_draft_begin(FileDraft** draft, const char* path) {
    FileKind     kind;
    const size_t length = strlen(path) + 1;
    *draft = NULL;
    TRY(file_look(path, true, &kind));
    FileDraft* d = calloc(1, sizeof *d + length);
    if (!d) return errno_status(errno);
    memcpy(d->path, path, length);
    d->fd = -1;
    ent_status status = kind == FILE_OTHER ? ENT_OK : draft_open(d);
    /* Where no file can be created, the old one may have the required content. */
    if (kind == FILE_REGULAR && status == ENT_IO) status = ENT_OK;
    if (status == ENT_OK)
        *draft = d;
    else
        file_draft_drop(d);
    return status;
}

static ent_status memory_add(FileDraft* d, const void* bytes, size_t size) {
    if (d->capacity - d->bytes < size) {
        if (size > SIZE_MAX / 4 || d->capacity > SIZE_MAX / 4) return errno = ENOMEM, ENT_NO_MEMORY;
        const size_t capacity = 2 * d->capacity + size;
        u8*          memory = realloc(d->memory, capacity);
        if (!memory) return errno_status(errno);
        d->memory = memory;
        d->capacity = capacity;
    }
    memcpy(d->memory + d->bytes, bytes, size);
    return ENT_OK;
}

ent_status file_draft_add(FileDraft* d, const void* bytes, size_t size) {
    if (size == 0) return ENT_OK;
    if (d->temporary) {
        if (!write_at(d->fd, bytes, size, d->bytes)) return errno_status(errno);
    } else {
        TRY(memory_add(d, bytes, size));
    }
    d->bytes += size;
    return ENT_OK;
}

ent_status file_draft_set(FileDraft* d, u64 at, const void* bytes, size_t size) {
    assert(at <= d->bytes && size <= d->bytes - at);
    if (d->temporary) return write_at(d->fd, bytes, size, at) ? ENT_OK : errno_status(errno);
    if (size) memcpy(d->memory + at, bytes, size);
    return ENT_OK;
}

/* Reads `size` bytes; false with errno, or when the file ends before. */
static bool read_at(int fd, u8* bytes, size_t size, u64 at) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(fd, bytes + done, size - done, (off_t)(at + done));
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += (size_t)got;
    }
    return true;
}

#define COMPARED_BYTES ((size_t)64 << 10)

/* Has the old file the same content? Both are read in parts: they may be larger than memory. */
static bool parts_equal(const FileDraft* d, int old, int new) {
    u8* room = malloc(2 * COMPARED_BYTES);
    u64 at = 0;
    if (!room) return false;
    while (at < d->bytes) {
        const size_t size = (size_t)MIN_OF(d->bytes - at, (u64)COMPARED_BYTES);
        if (!read_at(old, room, size, at) || !read_at(new, room + COMPARED_BYTES, size, at) ||
            memcmp(room, room + COMPARED_BYTES, size) != 0)
            break;
        at += size;
    }
    free(room);
    return at == d->bytes;
}

/* A file that cannot be read is replaced: afterwards it has the required content. */
static bool draft_is_same(const FileDraft* d) {
    struct stat info;
    bool        same = false;
    const int   old = open_complete(AT_FDCWD, d->path, O_RDONLY | O_NONBLOCK, 0);
    const int new = open_complete(AT_FDCWD, d->temporary->path, O_RDONLY, 0);
    if (old >= 0 && new >= 0 && look_into(old, &info) && S_ISREG(info.st_mode) &&
        (u64)info.st_size == d->bytes)
        same = parts_equal(d, old, new);
    if (old >= 0) close(old);
    if (new >= 0) close(new);
    return same;
}

static ent_status draft_put(FileDraft* d, FileChange* change) {
    int       result;
    const int fd = d->fd;
    *change = draft_is_same(d) ? FILE_SAME : FILE_CHANGED;
    if (*change == FILE_SAME) return ENT_OK;
    d->fd = -1;
    if (close(fd) != 0 && errno != EINTR)
        return errno_status(errno); /* a late error of a network disk */
    UNINTERRUPTED(result, renameat(AT_FDCWD, d->temporary->path, AT_FDCWD, d->path));
    if (result != 0) return errno_status(errno);
    temporary_close(d->temporary, true);
    d->temporary = NULL;
    return ENT_OK;
}

ent_status file_draft_end(FileDraft* d, FileChange* change) {
    if (d->temporary) return draft_put(d, change);
    return file_replace(d->path, d->memory, (size_t)d->bytes, change);
}

void file_draft_drop(FileDraft* d) {
    const int kept = errno;
    if (!d) return;
    if (d->fd >= 0) close(d->fd);
    if (d->temporary) temporary_close(d->temporary, false);
    free(d->memory);
    free(d);
    errno = kept;
}
