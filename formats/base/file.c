/* file.c - POSIX behind file.h. */
#define _GNU_SOURCE
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ent_status open_status(void) {
    return errno == ENOENT || errno == ENOTDIR ? ENT_NOT_FOUND : ENT_IO;
}

/* Reserves a page more than the file needs, so that a NUL stands behind its last byte. */
static ent_status map_descriptor(FileView* out, int fd, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped = (size_t)align_up(size + 1, page);
    u8* memory = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return ENT_NO_MEMORY;
    if (size > 0 && mmap(memory, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(memory, mapped);
        return ENT_IO;
    }
    *out = (FileView){memory, size, memory, mapped};
    return ENT_OK;
}

ent_status file_map(FileView* out, const char* path) {
    struct stat info;
    *out = (FileView){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return open_status();
    ent_status status = ENT_IO;
    if (fstat(fd, &info) == 0) {
        if (S_ISREG(info.st_mode))
            status = map_descriptor(out, fd, (size_t)info.st_size);
        else
            errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    }
    const int kept = errno;
    close(fd);
    errno = kept;
    return status;
}

void file_unmap(FileView* view) {
    if (view->memory) munmap(view->memory, view->mapped);
    *view = (FileView){0};
}

static bool file_holds_parts(const char* path, const FilePart* parts, size_t count) {
    FileView view;
    size_t   at = 0;
    if (file_map(&view, path) != ENT_OK) return false;
    bool same = true;
    for (size_t i = 0; i < count && same; at += parts[i].bytes, i++) {
        same = parts[i].bytes <= view.size - at &&
               (parts[i].bytes == 0 || memcmp(view.bytes + at, parts[i].at, parts[i].bytes) == 0);
    }
    same = same && at == view.size;
    file_unmap(&view);
    return same;
}

bool file_holds(const char* path, const void* bytes, size_t size) {
    const FilePart whole = {bytes, size};
    return file_holds_parts(path, &whole, 1);
}

static bool folders_make(const char* path) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return errno = ENAMETOOLONG, false;
    strcpy(folder, path);
    for (char* at = folder + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST) return false;
        *at = '/';
    }
    return true;
}

static bool write_whole(int fd, const FilePart* parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t done = 0; done < parts[i].bytes;) {
            const ssize_t wrote = write(fd, (const u8*)parts[i].at + done, parts[i].bytes - done);
            if (wrote < 0 && errno != EINTR) return false;
            if (wrote > 0) done += (size_t)wrote;
        }
    }
    return true;
}

/* A name beside `path` that nobody else has: process and a counter, created exclusively. */
static int temporary_open(const char* path, char* name, size_t bytes) {
    static unsigned counter;
    const char*     slash = strrchr(path, '/');
    const int       folder = slash ? (int)(slash - path) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) {
        const unsigned number = __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        const int      wrote =
            snprintf(name, bytes, "%.*s.entc.%ld.%u.tmp", folder, path, (long)getpid(), number);
        if (wrote < 0 || (size_t)wrote >= bytes) return errno = ENAMETOOLONG, -1;
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* /dev/null, a pipe: what cannot be replaced is written into. */
static ent_status device_write(const char* path, const FilePart* parts, size_t count) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return ENT_IO;
    bool done = write_whole(fd, parts, count);
    int  kept = errno;
    if (close(fd) != 0 && done) done = false, kept = errno;
    errno = kept;
    return done ? ENT_OK : ENT_IO;
}

ent_status file_replace(const char* path, const void* bytes, size_t size, FileChange* change) {
    const FilePart whole = {bytes, size};
    return file_replace_parts(path, &whole, 1, change);
}

ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                              FileChange* change) {
    char name[PATH_MAX];
    *change = FILE_SAME;
    const FileKind kind = file_kind(path, true);
    if (kind == FILE_REGULAR && file_holds_parts(path, parts, count)) return ENT_OK;
    *change = FILE_CHANGED;
    if (kind == FILE_OTHER) return device_write(path, parts, count);
    if (!folders_make(path)) return ENT_IO;
    const int fd = temporary_open(path, name, sizeof name);
    if (fd < 0) return ENT_IO;
    bool done = write_whole(fd, parts, count);
    int  kept = errno;
    if (close(fd) != 0 && done) done = false, kept = errno;
    if (done && rename(name, path) != 0) done = false, kept = errno;
    if (!done) unlink(name);
    errno = kept;
    return done ? ENT_OK : ENT_IO;
}

FileKind file_kind(const char* path, bool follow) {
    struct stat info;
    if ((follow ? stat(path, &info) : lstat(path, &info)) != 0) return FILE_NONE;
    if (S_ISREG(info.st_mode)) return FILE_REGULAR;
    return S_ISDIR(info.st_mode) ? FILE_FOLDER : FILE_OTHER;
}

ent_status folder_list(const char* path, void (*each)(void* user, const char* name), void* user) {
    DIR* folder = opendir(path);
    if (!folder) return open_status();
    errno = 0;
    for (struct dirent* entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            each(user, entry->d_name);
        }
        errno = 0;
    }
    const int kept = errno;
    closedir(folder);
    errno = kept;
    return kept ? ENT_IO : ENT_OK;
}

bool path_resolve(const char* path, char* out, size_t bytes) {
    char whole[PATH_MAX];
    if (!realpath(path, whole) || strlen(whole) >= bytes) return false;
    strcpy(out, whole);
    return true;
}

/* A huge page is worth its zeroing from half its size on; smaller needs keep small pages. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define HUGE_FROM_BYTES ((size_t)1 << 20)

static size_t pages_bytes(size_t bytes) {
    return (size_t)align_up(bytes, bytes >= HUGE_FROM_BYTES ? HUGE_PAGE_BYTES : 4096);
}

void* pages_alloc(size_t bytes) {
    const size_t whole = pages_bytes(bytes);
    const bool   huge = bytes >= HUGE_FROM_BYTES;
    const size_t spare = huge ? HUGE_PAGE_BYTES : 0; /* to align in; given back below */
    u8* at = mmap(NULL, whole + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (!huge) return at;
    u8* aligned = (u8*)align_up((uintptr_t)at, HUGE_PAGE_BYTES);
    if (aligned > at) munmap(at, (size_t)(aligned - at));
    if (at + spare > aligned) munmap(aligned + whole, (size_t)(at + spare - aligned));
    madvise(aligned, whole, MADV_HUGEPAGE); /* a wish: without it only time is lost */
    return aligned;
}

void pages_free(void* at, size_t bytes) {
    if (at) munmap(at, pages_bytes(bytes));
}

u64 clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}
