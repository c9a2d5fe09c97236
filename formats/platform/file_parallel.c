/* file_parallel.c - reads and compares long files with all threads of a pool. */
#define _GNU_SOURCE
#include "file_internal.h"
#include "jobs.h"
#include "pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* --- copies by multiple threads: most of the time is spent on page faults --- */

#define COPY_PART_BYTES ((size_t)4 << 20)

typedef struct CopyJob {
    int    fd;
    u8*    memory;
    size_t size;
    int    failed; /* errno; ESTALE: it was truncated meanwhile */
} CopyJob;

static void copy_run(void* user, u32 first, u32 end, u32 worker) {
    CopyJob* job = user;
    size_t   at = first * COPY_PART_BYTES;
    UNUSED(worker);
    for (const size_t stop = MIN_OF(end * COPY_PART_BYTES, job->size); at < stop;) {
        const size_t part = MIN_OF(stop - at, PAGES_WINDOW_BYTES);
        pages_populate(job->memory + at, part);
        const ssize_t got = pread(job->fd, job->memory + at, part, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            __atomic_store_n(&job->failed, got < 0 ? errno : ESTALE, __ATOMIC_RELAXED);
            return;
        }
        at += (size_t)got;
    }
}

/* A file that is truncated while it is read is read again by one thread, which stops at its end. */
static ent_status read_parts(FileView* out, int fd, size_t size, void* user) {
    JobPool* pool = user;
    CopyJob  job = {fd, malloc(size + 1), size, 0};
    JobGroup group = {0};
    if (!job.memory) return ENT_NO_MEMORY;
    pages_advise(job.memory, size);
    const u32 parts = (u32)((size + COPY_PART_BYTES - 1) / COPY_PART_BYTES);
    ent_job_dispatch(pool, &group, parts, 1, copy_run, &job);
    ent_job_wait(pool, &group);
    if (job.failed) {
        free(job.memory);
        if (job.failed == ESTALE) return read_descriptor(out, fd, size);
        return errno_status(errno = job.failed);
    }
    job.memory[size] = 0;
    *out = (FileView){job.memory, size, job.memory, 0};
    return ENT_OK;
}

ent_status file_copy_stamped(FileView* out, const char* path, FileStamp* stamp, size_t max,
                             JobPool* pool) {
    const bool   shared = pool && ent_job_worker_count(pool) > 1;
    const Reader reader = {2 * COPY_PART_BYTES, read_parts, pool};
    const int    fd = open_complete(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
    return view_take(out, fd, stamp, max + 1, shared ? &reader : NULL);
}

/* --- comparing --- */

/* Reads through a small buffer: the pages of a mapped file would count as memory of
 * this process. */
#define WINDOW_BYTES ((size_t)64 << 10)

typedef struct CompareJob {
    int       fd;
    size_t    offset; /* of the bytes in the file */
    const u8* bytes;
    size_t    size;
    bool      differ; /* atomic */
    int       failed; /* errno; atomic */
} CompareJob;

/* False when the file has other content, or cannot be read: then `failed` is set. */
static bool range_holds(CompareJob* job, size_t at, size_t stop) {
    u8 window[WINDOW_BYTES];
    while (at < stop) {
        const ssize_t got =
            pread(job->fd, window, MIN_OF(stop - at, sizeof window), (off_t)(job->offset + at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) __atomic_store_n(&job->failed, errno, __ATOMIC_RELAXED);
        if (got <= 0 || memcmp(window, job->bytes + at, (size_t)got) != 0) return false;
        at += (size_t)got;
    }
    return true;
}

static void compare_run(void* user, u32 first, u32 end, u32 worker) {
    CompareJob* job = user;
    UNUSED(worker);
    if (__atomic_load_n(&job->differ, __ATOMIC_RELAXED)) return;
    if (!range_holds(job, first * COPY_PART_BYTES, MIN_OF(end * COPY_PART_BYTES, job->size)))
        __atomic_store_n(&job->differ, true, __ATOMIC_RELAXED);
}

/* 0, or errno. */
static int part_compare(int fd, size_t offset, const FilePart* part, JobPool* pool, bool* same) {
    CompareJob job = {fd, offset, part->at, part->bytes, false, 0};
    JobGroup   group = {0};
    if (!pool || part->bytes < 2 * COPY_PART_BYTES) {
        job.differ = !range_holds(&job, 0, part->bytes);
    } else {
        const u32 count = (u32)((part->bytes + COPY_PART_BYTES - 1) / COPY_PART_BYTES);
        ent_job_dispatch(pool, &group, count, 1, compare_run, &job);
        ent_job_wait(pool, &group);
    }
    *same = !job.differ;
    return job.failed;
}

ent_status file_compare_parts(const char* path, const FilePart* parts, size_t count, JobPool* pool,
                              bool* same) {
    struct stat info;
    size_t      at = 0;
    *same = false;
    const int fd = open_complete(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return errno_is_absence() ? ENT_OK : errno_status(errno);
    for (size_t i = 0; i < count; i++) at += parts[i].bytes;
    int failed = look_into(fd, &info) ? 0 : errno;
    *same = !failed && S_ISREG(info.st_mode) && (size_t)info.st_size == at;
    at = 0;
    for (size_t i = 0; i < count && *same; at += parts[i].bytes, i++)
        failed = part_compare(fd, at, &parts[i], pool, same);
    close(fd);
    errno = failed;
    return failed ? errno_status(failed) : ENT_OK;
}

ent_status file_compare(const char* path, const void* bytes, size_t size, bool* same) {
    const FilePart part = {bytes, size};
    return file_compare_parts(path, &part, 1, NULL, same);
}
