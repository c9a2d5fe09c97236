/* file.c - POSIX behind file.h. */
#define _GNU_SOURCE
#include "file.h"

#include "jobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAP_FROM_BYTES ((size_t)256 << 10)

static ent_status open_status(void) {
    return errno == ENOENT || errno == ENOTDIR ? ENT_NOT_FOUND : ENT_IO;
}

/* Reserves a page more than the file needs, so that a NUL stands behind its last byte. */
static ent_status map_descriptor(FileView* out, int fd, size_t size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t mapped = (size_t)align_up(size + 1, page);
    u8* memory = mmap(NULL, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return ENT_NO_MEMORY;
    if (mmap(memory, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
        munmap(memory, mapped);
        return ENT_IO;
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
            errno = kept;
            return ENT_IO;
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
        errno = job.failed;
        return ENT_IO;
    }
    job.memory[size] = 0;
    *out = (FileView){job.memory, size, job.memory, 0};
    return ENT_OK;
}

/* Open, where a signal is no answer. */
static int open_whole(const char* path, int flags, mode_t mode) {
    for (;;) {
        const int fd = open(path, flags | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EINTR) return fd;
    }
}

static FileStamp stamp_of(const struct stat* info) {
    return (FileStamp){
        .size = (u64)info->st_size,
        .modified_ns = (u64)info->st_mtim.tv_sec * 1000000000u + (u64)info->st_mtim.tv_nsec,
        .changed_ns = (u64)info->st_ctim.tv_sec * 1000000000u + (u64)info->st_ctim.tv_nsec,
        .inode = (u64)info->st_ino};
}

/* Smaller files are copied, larger ones mapped. */
static ent_status file_view(FileView* out, const char* path, FileStamp* stamp, size_t map_from,
                            JobPool* pool) {
    struct stat info;
    *out = (FileView){0};
    *stamp = (FileStamp){0};
    const int fd = open_whole(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return open_status();
    ent_status status = ENT_IO;
    if (fstat(fd, &info) == 0) {
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
} CompareJob;

static bool range_holds(const CompareJob* job, size_t at, size_t stop) {
    u8 window[WINDOW_BYTES];
    while (at < stop) {
        const ssize_t got =
            pread(job->fd, window, MIN_OF(stop - at, sizeof window), (off_t)(job->offset + at));
        if (got < 0 && errno == EINTR) continue;
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

static bool part_holds(int fd, size_t offset, const FilePart* part, JobPool* pool) {
    CompareJob job = {fd, offset, part->at, part->bytes, false};
    JobGroup   group = {0};
    if (!pool || part->bytes < 2 * COPY_PART_BYTES) return range_holds(&job, 0, part->bytes);
    const u32 count = (u32)((part->bytes + COPY_PART_BYTES - 1) / COPY_PART_BYTES);
    ent_job_dispatch(pool, &group, count, 1, compare_run, &job);
    ent_job_wait(pool, &group);
    return !job.differ;
}

/* A file that cannot be read holds something else, as far as anybody can tell. */
static bool file_holds_parts(const char* path, const FilePart* parts, size_t count, JobPool* pool) {
    struct stat info;
    size_t      at = 0;
    const int   fd = open_whole(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return false;
    for (size_t i = 0; i < count; i++) at += parts[i].bytes;
    bool same = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size == at;
    at = 0;
    for (size_t i = 0; i < count && same; at += parts[i].bytes, i++)
        same = part_holds(fd, at, &parts[i], pool);
    close(fd);
    return same;
}

bool file_holds(const char* path, const void* bytes, size_t size) {
    const FilePart whole = {bytes, size};
    return file_holds_parts(path, &whole, 1, NULL);
}

bool folders_make(const char* path) {
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

/* --- temporaries --- */

/* Names of files that are being written, for the handler that a signal calls. A slot is taken with
 * `used`; its name is whole from TEMPORARY_OPENING on. Once `ending` is set no thread opens another
 * one: the handler waits for those that are at it, so that it sees every file there is. */
#define TEMPORARIES_MAX 64

enum { TEMPORARY_NONE, TEMPORARY_OPENING, TEMPORARY_THERE };

static struct Temporary {
    int       used, state;
    pthread_t owner;
    char      path[PATH_MAX];
} temporaries[TEMPORARIES_MAX];
static int ending;

/* Processes have numbers on one boot of one machine, in one container: their names say which. */
static struct Process {
    char place[9]; /* hash of the boot and the namespace of process numbers */
    long pid;
    u64  start; /* of the process, as the kernel counts it */
} self;
static pthread_once_t self_once = PTHREAD_ONCE_INIT;

/* When a process began, or 0 when there is none of that number. */
static u64 process_start(long pid) {
    char      path[64], text[1024];
    const int fd =
        (snprintf(path, sizeof path, "/proc/%ld/stat", pid), open_whole(path, O_RDONLY, 0));
    if (fd < 0) return 0;
    const ssize_t bytes = read(fd, text, sizeof text - 1);
    close(fd);
    if (bytes <= 0) return 0;
    text[bytes] = 0;
    const char* at = strrchr(text, ')'); /* the name before it may hold anything */
    for (u32 field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void self_find(void) {
    char   text[256] = "";
    u64    hash = 0xcbf29ce484222325u;
    size_t used = 0;
    boot_name(text, sizeof text);
    used = strlen(text);
    const ssize_t more = readlink("/proc/self/ns/pid", text + used, sizeof text - used - 1);
    if (more > 0) text[used + (size_t)more] = 0;
    for (const char* at = text; *at; at++) hash = (hash ^ (u8)*at) * 0x100000001b3u;
    snprintf(self.place, sizeof self.place, "%08x", (unsigned)(hash ^ hash >> 32));
    self.pid = (long)getpid();
    self.start = process_start(self.pid);
}

void boot_name(char* out, size_t bytes) {
    const int     fd = open_whole("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
    const ssize_t got = fd < 0 ? 0 : read(fd, out, bytes - 1);
    if (fd >= 0) close(fd);
    out[MAX_OF(got, 0)] = 0;
}

/* Where /proc does not tell when processes began, one that has the number counts as the one. */
bool temporary_is_dead(const char* name) {
    char          place[9];
    long          pid;
    unsigned long start;
    pthread_once(&self_once, self_find);
    if (sscanf(name, ".entc.%8[0-9a-f].%ld.%lu.", place, &pid, &start) != 3) return false;
    if (strcmp(place, self.place) != 0 || pid <= 0) return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return true;
    const u64 now = process_start(pid);
    return start != 0 && now != 0 && now != (u64)start;
}

/* Opens the file of a slot's name, which nobody else may have; not while the process ends. */
static int temporary_create(struct Temporary* t) {
    t->owner = pthread_self();
    __atomic_store_n(&t->state, TEMPORARY_OPENING, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ending, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&t->state, TEMPORARY_NONE, __ATOMIC_SEQ_CST);
        for (;;) pause();
    }
    const int fd = open_whole(t->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    __atomic_store_n(&t->state, fd >= 0 ? TEMPORARY_THERE : TEMPORARY_NONE, __ATOMIC_SEQ_CST);
    return fd;
}

/* A name beside `beside` that nobody else has, created exclusively. */
static int temporary_open(const char* beside, struct Temporary** taken) {
    static unsigned counter;
    const char*     slash = strrchr(beside, '/');
    const int       folder = slash ? (int)(slash - beside) + 1 : 0;
    pthread_once(&self_once, self_find);
    struct Temporary* t = temporaries;
    while (__atomic_exchange_n(&t->used, 1, __ATOMIC_ACQUIRE)) {
        if (++t == temporaries + TEMPORARIES_MAX) t = temporaries, sched_yield();
    }
    *taken = t;
    for (int attempt = 0; attempt < 100; attempt++) {
        const unsigned number = __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        const int      wrote =
            snprintf(t->path, sizeof t->path, "%.*s.entc.%s.%ld.%llu.%u.tmp", folder, beside,
                     self.place, self.pid, (unsigned long long)self.start, number);
        if (wrote < 0 || (size_t)wrote >= sizeof t->path) return errno = ENAMETOOLONG, -1;
        const int fd = temporary_create(t);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* It was renamed, or goes. */
static void temporary_close(struct Temporary* t, bool renamed) {
    const int kept = errno;
    if (t->state == TEMPORARY_THERE && !renamed) unlink(t->path);
    __atomic_store_n(&t->state, TEMPORARY_NONE, __ATOMIC_SEQ_CST);
    __atomic_store_n(&t->used, 0, __ATOMIC_RELEASE);
    errno = kept;
}

static void signal_clean_one(struct Temporary* t) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (u32 wait = 0; wait < 1000; wait++) { /* a disk that does not answer is not waited for */
        if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) != TEMPORARY_OPENING) break;
        if (pthread_equal(t->owner, pthread_self())) break; /* it was interrupted for this */
        nanosleep(&moment, NULL);
    }
    if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) != TEMPORARY_NONE) unlink(t->path);
}

static void (*signal_also)(void);
static int signal_code = -1; /* -1: as the signal ends a process */

/* Only what is safe in a handler: the files go, then the signal does what it always did. */
static void signal_clean(int number) {
    __atomic_store_n(&ending, 1, __ATOMIC_SEQ_CST);
    if (signal_also) signal_also();
    for (u32 i = 0; i < TEMPORARIES_MAX; i++) signal_clean_one(&temporaries[i]);
    if (signal_code >= 0) _exit(signal_code);
    signal(number, SIG_DFL);
    raise(number);
}

void signals_call(void (*also)(void)) { signal_also = also; }
void signals_exit_with(int code) { signal_code = code; }

void file_clean_on_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (u32 i = 0; i < COUNT_OF(numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN) continue;
        const struct sigaction action = {.sa_handler = signal_clean};
        sigaction(numbers[i], &action, NULL);
    }
}

/* --- writing --- */

/* /dev/null, a pipe: what cannot be replaced is written into. */
static ent_status device_write(const char* path, const FilePart* parts, size_t count) {
    const int fd = open_whole(path, O_WRONLY, 0);
    if (fd < 0) return ENT_IO;
    bool done = write_whole(fd, parts, count);
    int  kept = errno;
    if (close(fd) != 0 && done) done = false, kept = errno;
    errno = kept;
    return done ? ENT_OK : ENT_IO;
}

typedef enum PutMode { PUT_REPLACE, PUT_REWRITE, PUT_CREATE } PutMode;

typedef struct Put {
    const char*     path;
    const FilePart* parts; /* [count] */
    size_t          count;
    PutMode         mode;
} Put;

/* The temporary becomes the file. To make one where none may be, it gets a second name; file
 * systems that know none have to trust a look. */
static bool put_name(const char* temporary, const char* path, PutMode mode) {
    if (mode == PUT_CREATE) {
        if (link(temporary, path) == 0) return true;
        if (errno == EEXIST || errno == ENOENT) return false;
        if (access(path, F_OK) == 0) return errno = EEXIST, false;
    }
    while (rename(temporary, path) != 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

static bool rights_take(int fd, const char* path) {
    struct stat old;
    return stat(path, &old) == 0 && fchmod(fd, old.st_mode & 07777) == 0;
}

/* One attempt; the folder is there, or errno is ENOENT. */
static bool put_once(const Put* put, const char* beside, FileStamp* stamp) {
    struct Temporary* t;
    struct stat       before, after;
    const int         fd = temporary_open(beside, &t);
    bool done = fd >= 0 && write_whole(fd, put->parts, put->count) && fstat(fd, &before) == 0;
    if (put->mode == PUT_REWRITE) done = done && rights_take(fd, put->path);
    const int kept = errno;
    if (fd >= 0 && close(fd) != 0 && done && errno != EINTR) { /* a late error of a network disk */
        temporary_close(t, false);
        return false;
    }
    if (!done) errno = kept;
    done = done && put_name(t->path, put->path, put->mode);
    temporary_close(t, done && put->mode != PUT_CREATE);
    if (!done) return false;
    /* Renaming changed the stamp; whoever was faster than this look is not taken for us. */
    *stamp = (FileStamp){0};
    if (stat(put->path, &after) == 0 && after.st_ino == before.st_ino) *stamp = stamp_of(&after);
    return true;
}

static ent_status put_whole(const Put* put, const char* beside, FileStamp* stamp) {
    FileStamp unused;
    if (!stamp) stamp = &unused;
    for (u32 attempt = 0;; attempt++) {
        if (put_once(put, beside, stamp)) return ENT_OK;
        /* The folder is not there yet, or another process took it away while it was empty. */
        if (errno != ENOENT || attempt == 3 || !folders_make(put->path)) return ENT_IO;
    }
}

ent_status file_put(const char* path, const void* bytes, size_t size, FileStamp* stamp) {
    return file_put_by(path, path, bytes, size, stamp);
}

ent_status file_put_parts(const char* path, const FilePart* parts, size_t count, FileStamp* stamp) {
    return put_whole(&(Put){path, parts, count, PUT_REPLACE}, path, stamp);
}

ent_status file_put_by(const char* path, const char* beside, const void* bytes, size_t size,
                       FileStamp* stamp) {
    const FilePart whole = {bytes, size};
    return put_whole(&(Put){path, &whole, 1, PUT_REPLACE}, beside, stamp);
}

ent_status file_rewrite(const char* path, const void* bytes, size_t size) {
    const FilePart whole = {bytes, size};
    return put_whole(&(Put){path, &whole, 1, PUT_REWRITE}, path, NULL);
}

ent_status file_create(const char* path, const void* bytes, size_t size) {
    const FilePart whole = {bytes, size};
    return put_whole(&(Put){path, &whole, 1, PUT_CREATE}, path, NULL);
}

ent_status file_move(const char* from, const char* to) {
    struct stat info;
    if (lstat(to, &info) == 0) return errno = EEXIST, ENT_IO;
    if (!folders_make(to)) return ENT_IO;
    while (rename(from, to) != 0) {
        if (errno != EINTR) return ENT_IO;
    }
    return ENT_OK;
}

ent_status file_replace(const char* path, const void* bytes, size_t size, FileChange* change) {
    const FilePart whole = {bytes, size};
    return file_replace_parts(path, &whole, 1, change, NULL);
}

ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                              FileChange* change, JobPool* pool) {
    *change = FILE_SAME;
    const FileKind kind = file_kind(path, true);
    if (kind == FILE_REGULAR && file_holds_parts(path, parts, count, pool)) return ENT_OK;
    *change = FILE_CHANGED;
    if (kind == FILE_OTHER) return device_write(path, parts, count);
    return put_whole(&(Put){path, parts, count, PUT_REPLACE}, path, NULL);
}

ent_status file_remove(const char* path) {
    if (unlink(path) == 0 || errno == ENOENT) return ENT_OK;
    return ENT_IO;
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

static FileKind kind_of(const struct stat* info) {
    if (S_ISREG(info->st_mode)) return FILE_REGULAR;
    return S_ISDIR(info->st_mode) ? FILE_FOLDER : FILE_OTHER;
}

FileKind file_kind(const char* path, bool follow) {
    struct stat info;
    if ((follow ? stat(path, &info) : lstat(path, &info)) != 0) return FILE_NONE;
    return kind_of(&info);
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
    if (fstatat(call->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
    entry.link = S_ISLNK(info.st_mode);
    if (!entry.link || fstatat(call->fd, name, &info, 0) == 0)
        entry.kind = kind_of(&info), entry.stamp = stamp_of(&info);
    call->each(call->user, &entry);
    return true;
}

ent_status folder_scan(const char* path, bool                                    stamps,
                       void (*each)(void* user, const FolderEntry* entry), void* user) {
    DIR* folder = opendir(path);
    if (!folder) return open_status();
    const ScanCall call = {dirfd(folder), stamps, each, user};
    int            kept = 0;
    errno = 0;
    for (struct dirent* entry; kept == 0 && (entry = readdir(folder));) {
        const bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dots && !scan_one(&call, entry->d_name, entry->d_type)) kept = errno;
        errno = 0;
    }
    kept = kept ? kept : errno;
    closedir(folder);
    errno = kept;
    return kept ? ENT_IO : ENT_OK;
}

void file_used(const char* path, const FileStamp* stamp) {
    const u64 day_ns = (u64)24 * 3600 * 1000000000u;
    if (stamp->modified_ns + day_ns < clock_wall_ns()) utimensat(AT_FDCWD, path, NULL, 0);
}

bool folder_is_trusted(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) return false;
    return info.st_uid == geteuid() || !(info.st_mode & S_IWOTH);
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
