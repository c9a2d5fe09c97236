/* file.c - POSIX behind file.h. */
#define _GNU_SOURCE
#include "file_internal.h"
#include "jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MAP_FROM_BYTES ((size_t)256 << 10)

/* --- what a failed call means --- */

ent_status errno_status(int error) {
    switch (error) {
    case ENOMEM: return ENT_NO_MEMORY;
    case EMFILE:
    case ENFILE: return ENT_LIMIT;
    default: return ENT_IO;
    }
}

bool errno_is_absence(void) { return errno == ENOENT || errno == ENOTDIR; }

ent_status read_status(void) { return errno_is_absence() ? ENT_NOT_FOUND : errno_status(errno); }

/* Reserves a page more than the file needs, so that a NUL stands behind its last byte. */
static ent_status map_descriptor(FileView* out, int fd, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped = (size_t)align_up(size + 1, page);
    u8* memory = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return ENT_NO_MEMORY;
    if (mmap(memory, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        const int kept = errno;
        munmap(memory, mapped);
        return errno_status(errno = kept);
    }
    *out = (FileView){memory, size, memory, mapped};
    return ENT_OK;
}

/* Mapping costs more than copying a small file, and a process may have some 65,000 mappings. */
static ent_status read_descriptor(FileView* out, int fd, size_t size) {
    u8* memory = malloc(size + 1);
    if (!memory) return ENT_NO_MEMORY;
    size_t done = 0;
    while (done < size) {
        const ssize_t got = read(fd, memory + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            const int kept = errno;
            free(memory);
            return errno_status(errno = kept);
        }
        if (got == 0) break; /* it was cut meanwhile */
        done += (size_t)got;
    }
    memory[done] = 0;
    *out = (FileView){memory, done, memory, 0};
    return ENT_OK;
}

/* --- copies made by several threads: most of the time goes into touching the memory --- */

#define COPY_PART_BYTES ((size_t)4 << 20)

typedef struct CopyJob {
    int    fd;
    u8*    memory;
    size_t size;
    int    failed; /* errno; ESTALE: it was cut meanwhile */
} CopyJob;

static void copy_run(void* user, u32 first, u32 end, u32 worker) {
    CopyJob* job = user;
    size_t   at = first * COPY_PART_BYTES;
    UNUSED(worker);
    for (const size_t stop = MIN_OF(end * COPY_PART_BYTES, job->size); at < stop;) {
        const ssize_t got = pread(job->fd, job->memory + at, stop - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            __atomic_store_n(&job->failed, got < 0 ? errno : ESTALE, __ATOMIC_RELAXED);
            return;
        }
        at += (size_t)got;
    }
}

/* A file that is cut while it is read is read again by one thread, which stops where it ends. */
static ent_status read_parts(FileView* out, int fd, size_t size, JobPool* pool) {
    CopyJob  job = {fd, malloc(size + 1), size, 0};
    JobGroup group = {0};
    if (!job.memory) return ENT_NO_MEMORY;
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

int open_whole(int folder, const char* path, int flags, mode_t mode) {
    int fd;
    UNINTERRUPTED(fd, openat(folder, path, flags | O_CLOEXEC, mode));
    return fd;
}

bool look_at(int folder, const char* path, int flags, struct stat* info) {
    int result;
    UNINTERRUPTED(result, fstatat(folder, path, info, flags));
    return result == 0;
}

static bool look_into(int fd, struct stat* info) {
    int result;
    UNINTERRUPTED(result, fstat(fd, info));
    return result == 0;
}

FileStamp stamp_of(const struct stat* info) {
    return (FileStamp){
        .size = (u64)info->st_size,
        .modified_ns = (u64)info->st_mtim.tv_sec * 1000000000u + (u64)info->st_mtim.tv_nsec,
        .changed_ns = (u64)info->st_ctim.tv_sec * 1000000000u + (u64)info->st_ctim.tv_nsec,
        .inode = (u64)info->st_ino};
}

/* Of a file that was opened, and is closed. Smaller files are copied, larger ones mapped. */
static ent_status view_take(FileView* out, int fd, FileStamp* stamp, size_t map_from,
                            JobPool* pool) {
    struct stat info;
    *out = (FileView){0};
    *stamp = (FileStamp){0};
    if (fd < 0) return read_status();
    ent_status status = ENT_IO;
    if (!look_into(fd, &info)) {
        status = errno_status(errno);
    } else {
        const size_t size = (size_t)info.st_size;
        *stamp = stamp_of(&info);
        if (!S_ISREG(info.st_mode))
            errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        else if (size >= map_from)
            status = map_descriptor(out, fd, size);
        else if (pool && ent_job_worker_count(pool) > 1 && size >= 2 * COPY_PART_BYTES)
            status = read_parts(out, fd, size, pool);
        else
            status = read_descriptor(out, fd, size);
    }
    const int kept = errno;
    close(fd);
    errno = kept;
    return status;
}

static ent_status file_view(FileView* out, const char* path, FileStamp* stamp, size_t map_from,
                            JobPool* pool) {
    const int fd = open_whole(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
    return view_take(out, fd, stamp, map_from, pool);
}

ent_status view_open(FileView* out, int fd) {
    FileStamp stamp;
    return view_take(out, fd, &stamp, MAP_FROM_BYTES, NULL);
}

ent_status file_map_stamped(FileView* out, const char* path, FileStamp* stamp) {
    return file_view(out, path, stamp, MAP_FROM_BYTES, NULL);
}

ent_status file_copy_stamped(FileView* out, const char* path, FileStamp* stamp, size_t most,
                             JobPool* pool) {
    return file_view(out, path, stamp, most + 1, pool);
}

ent_status file_map(FileView* out, const char* path) {
    FileStamp stamp;
    return file_map_stamped(out, path, &stamp);
}

void file_unmap(FileView* view) {
    if (view->mapped)
        munmap(view->memory, view->mapped);
    else
        free(view->memory);
    *view = (FileView){0};
}

/* --- comparing --- */

/* Through a small window: the file's pages would count as ours if it were mapped. */
#define WINDOW_BYTES ((size_t)64 << 10)

typedef struct CompareJob {
    int       fd;
    size_t    offset; /* of the bytes in the file */
    const u8* bytes;
    size_t    size;
    bool      differ; /* atomic */
    int       failed; /* errno; atomic */
} CompareJob;

/* False when the file holds something else, or cannot be read: then `failed` is set. */
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
    const int fd = open_whole(AT_FDCWD, path, O_RDONLY | O_NONBLOCK, 0);
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
    const FilePart whole = {bytes, size};
    return file_compare_parts(path, &whole, 1, NULL, same);
}

/* --- looking --- */

FileKind kind_of(const struct stat* info) {
    if (S_ISREG(info->st_mode)) return FILE_REGULAR;
    return S_ISDIR(info->st_mode) ? FILE_FOLDER : FILE_OTHER;
}

ent_status file_look(const char* path, bool follow, FileKind* kind) {
    struct stat info;
    *kind = FILE_NONE;
    if (look_at(AT_FDCWD, path, follow ? 0 : AT_SYMLINK_NOFOLLOW, &info))
        *kind = kind_of(&info);
    else if (!errno_is_absence())
        return errno_status(errno);
    return ENT_OK;
}

static DIR* folder_open(const char* path) {
    DIR* folder;
    do {
        folder = opendir(path);
    } while (!folder && errno == EINTR);
    return folder;
}

/* The next entry but "." and ".."; NULL with errno, which is 0 behind the last one. */
static const struct dirent* entry_next(DIR* folder) {
    const struct dirent* entry;
    bool                 dots;
    do {
        errno = 0;
        entry = readdir(folder);
        dots = entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    } while (dots || (!entry && errno == EINTR));
    return entry;
}

ent_status folder_list(const char* path, void (*each)(void* user, const char* name), void* user) {
    DIR* folder = folder_open(path);
    if (!folder) return read_status();
    for (const struct dirent* entry; (entry = entry_next(folder));) each(user, entry->d_name);
    const int kept = errno;
    closedir(folder);
    errno = kept;
    return kept ? errno_status(kept) : ENT_OK;
}

typedef struct ScanCall {
    int  fd;
    bool stamps;
    void (*each)(void* user, const FolderEntry* entry);
    void* user;
} ScanCall;

/* False with errno. */
static bool scan_one(const ScanCall* call, const char* name, u8 type) {
    struct stat info;
    FolderEntry entry = {.name = name, .kind = FILE_NONE};
    if (!call->stamps && (type == DT_REG || type == DT_DIR)) {
        entry.kind = type == DT_REG ? FILE_REGULAR : FILE_FOLDER;
        call->each(call->user, &entry);
        return true;
    }
    if (!look_at(call->fd, name, AT_SYMLINK_NOFOLLOW, &info)) return errno == ENOENT;
    entry.link = S_ISLNK(info.st_mode);
    const bool there = !entry.link || look_at(call->fd, name, 0, &info);
    if (!there && !errno_is_absence() && errno != ELOOP) return false;
    if (there) entry.kind = kind_of(&info), entry.stamp = stamp_of(&info);
    call->each(call->user, &entry);
    return true;
}

ent_status folder_scan(const char* path, bool                                    stamps,
                       void (*each)(void* user, const FolderEntry* entry), void* user) {
    DIR* folder = folder_open(path);
    if (!folder) return read_status();
    const ScanCall call = {dirfd(folder), stamps, each, user};
    int            kept = 0;
    for (const struct dirent* entry; kept == 0 && (entry = entry_next(folder));) {
        if (!scan_one(&call, entry->d_name, entry->d_type)) kept = errno;
    }
    kept = kept ? kept : errno;
    closedir(folder);
    errno = kept;
    return kept ? errno_status(kept) : ENT_OK;
}

void file_used(const char* path, const FileStamp* stamp) {
    const u64 day_ns = (u64)24 * 3600 * 1000000000u;
    if (stamp->modified_ns + day_ns < clock_wall_ns()) utimensat(AT_FDCWD, path, NULL, 0);
}

ent_status folder_trust(const char* path, bool* trusted) {
    struct stat info;
    if (!look_at(AT_FDCWD, path, 0, &info)) return read_status();
    *trusted = info.st_uid == geteuid() || !(info.st_mode & S_IWOTH);
    return ENT_OK;
}

ent_status path_resolve(const char* path, char* out, size_t bytes) {
    char        whole[PATH_MAX];
    const char* found;
    do {
        found = realpath(path, whole);
    } while (!found && errno == EINTR);
    if (!found) return read_status();
    if (strlen(whole) >= bytes) return errno = ENAMETOOLONG, ENT_IO;
    strcpy(out, whole);
    return ENT_OK;
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

u64 clock_wall_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

u64 clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

void clock_wait_ms(u32 ms) {
    struct timespec rest = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
}
