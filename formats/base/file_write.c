/* file_write.c - files written whole: a temporary beside the file, then a rename; what a killed
 * process leaves, and what a signal cleans. */
#define _GNU_SOURCE
#include "file_internal.h"
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

bool folders_make(const char* path) {
    char folder[PATH_MAX];
    if (strlen(path) >= sizeof folder) return errno = ENAMETOOLONG, false;
    strcpy(folder, path);
    for (char* at = folder + 1; *at; at++) {
        int made;
        if (*at != '/') continue;
        *at = 0;
        UNINTERRUPTED(made, mkdir(folder, 0777));
        if (made != 0 && errno != EEXIST) return false;
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
    int       folder; /* that the path is relative to, or AT_FDCWD */
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

/* When a process began, or 0 where nothing says so. One that has ended and whose parent has not
 * asked for its exit code still has a number: `ended`. */
static u64 process_start(long pid, bool* ended) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const int fd = open_whole(AT_FDCWD, path, O_RDONLY, 0);
    *ended = false;
    if (fd < 0) return 0;
    ssize_t bytes;
    UNINTERRUPTED(bytes, read(fd, text, sizeof text - 1));
    close(fd);
    if (bytes <= 0) return 0;
    text[bytes] = 0;
    const char* at = strrchr(text, ')'); /* the name before it may hold anything */
    *ended = at && at[1] == ' ' && strchr("ZXx", at[2]) && at[2];
    for (u32 field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void self_find(void) {
    char   text[256] = "";
    bool   ended;
    u64    hash = 0xcbf29ce484222325u;
    size_t used = 0;
    boot_name(text, sizeof text);
    used = strlen(text);
    const ssize_t more = readlink("/proc/self/ns/pid", text + used, sizeof text - used - 1);
    if (more > 0) text[used + (size_t)more] = 0;
    for (const char* at = text; *at; at++) hash = (hash ^ (u8)*at) * 0x100000001b3u;
    snprintf(self.place, sizeof self.place, "%08x", (unsigned)(hash ^ hash >> 32));
    self.pid = (long)getpid();
    self.start = process_start(self.pid, &ended);
}

static void name_read(const char* path, char* out, size_t bytes) {
    const int fd = open_whole(AT_FDCWD, path, O_RDONLY, 0);
    ssize_t   got = 0;
    if (fd >= 0) {
        UNINTERRUPTED(got, read(fd, out, bytes - 1));
        close(fd);
    }
    out[MAX_OF(got, 0)] = 0;
}

void boot_name(char* out, size_t bytes) {
    name_read("/proc/sys/kernel/random/boot_id", out, bytes);
}

void machine_name(char* out, size_t bytes) {
    name_read("/etc/machine-id", out, bytes);
    if (*out == 0) boot_name(out, bytes);
}

u64 user_number(void) { return (u64)geteuid(); }

/* Where /proc does not tell when processes began, one that has the number counts as the one. */
bool temporary_is_dead(const char* name) {
    char          place[9];
    long          pid;
    unsigned long start;
    bool          ended;
    pthread_once(&self_once, self_find);
    if (sscanf(name, ".entc.%8[0-9a-f].%ld.%lu.", place, &pid, &start) != 3) return false;
    if (strcmp(place, self.place) != 0 || pid <= 0) return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) return true;
    const u64 now = process_start(pid, &ended);
    return ended || (start != 0 && now != 0 && now != (u64)start);
}

/* Opens the file of a slot's name, which nobody else may have; not while the process ends. */
static int temporary_create(struct Temporary* t) {
    t->owner = pthread_self();
    __atomic_store_n(&t->state, TEMPORARY_OPENING, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ending, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&t->state, TEMPORARY_NONE, __ATOMIC_SEQ_CST);
        for (;;) pause();
    }
    const int fd = open_whole(t->folder, t->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    __atomic_store_n(&t->state, fd >= 0 ? TEMPORARY_THERE : TEMPORARY_NONE, __ATOMIC_SEQ_CST);
    return fd;
}

/* A name beside `beside` that nobody else has, created exclusively. */
static int temporary_open(int folder, const char* beside, struct Temporary** taken) {
    static unsigned counter;
    const char*     slash = strrchr(beside, '/');
    const int       bytes = slash ? (int)(slash - beside) + 1 : 0;
    pthread_once(&self_once, self_find);
    struct Temporary* t = temporaries;
    while (__atomic_exchange_n(&t->used, 1, __ATOMIC_ACQUIRE)) {
        if (++t == temporaries + TEMPORARIES_MAX) t = temporaries, sched_yield();
    }
    *taken = t;
    t->folder = folder;
    for (int attempt = 0; attempt < 100; attempt++) {
        const unsigned number = __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        const int      wrote =
            snprintf(t->path, sizeof t->path, "%.*s.entc.%s.%ld.%llu.%u.tmp", bytes, beside,
                     self.place, self.pid, (unsigned long long)self.start, number);
        if (wrote < 0 || (size_t)wrote >= sizeof t->path) return errno = ENAMETOOLONG, -1;
        const int fd = temporary_create(t);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static bool name_remove(int folder, const char* path) {
    int result;
    UNINTERRUPTED(result, unlinkat(folder, path, 0));
    return result == 0;
}

/* It was renamed, or goes. */
static void temporary_close(struct Temporary* t, bool renamed) {
    const int kept = errno;
    if (t->state == TEMPORARY_THERE && !renamed) name_remove(t->folder, t->path);
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
    if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) != TEMPORARY_NONE)
        unlinkat(t->folder, t->path, 0);
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
    const int fd = open_whole(AT_FDCWD, path, O_WRONLY, 0);
    if (fd < 0) return errno_status(errno);
    bool done = write_whole(fd, parts, count);
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

/* The temporary becomes the file. To make one where none may be, it gets a second name; file
 * systems that know none have to trust a look. */
static bool put_name(const struct Temporary* t, const Put* put) {
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
    return write_whole(fd, put->parts, put->count) && look_at(fd, "", AT_EMPTY_PATH, info) &&
           (put->mode != PUT_REWRITE || rights_take(fd, put));
}

bool put_once(const Put* put, const char* beside, FileStamp* stamp) {
    struct Temporary* t;
    struct stat       before, after;
    const int         fd = temporary_open(put->folder, beside, &t);
    bool              done = fd >= 0 && written(fd, put, &before);
    const int         kept = errno;
    if (fd >= 0 && close(fd) != 0 && done && errno != EINTR) { /* a late error of a network disk */
        temporary_close(t, false);
        return false;
    }
    if (!done) errno = kept;
    done = done && put_name(t, put);
    temporary_close(t, done && put->mode != PUT_CREATE);
    if (!done) return false;
    /* Renaming changed the stamp; whoever was faster than this look is not taken for us. */
    *stamp = (FileStamp){0};
    if (look_at(put->folder, put->path, 0, &after) && after.st_ino == before.st_ino)
        *stamp = stamp_of(&after);
    return true;
}

static ent_status put_whole(const Put* put, const char* beside, FileStamp* stamp) {
    FileStamp unused;
    if (!stamp) stamp = &unused;
    for (u32 attempt = 0;; attempt++) {
        if (put_once(put, beside, stamp)) return ENT_OK;
        /* The folder is not there yet, or another process took it away while it was empty. */
        if (errno != ENOENT || attempt == 3 || !folders_make(put->path)) return errno_status(errno);
    }
}

ent_status file_put(const char* path, const void* bytes, size_t size, FileStamp* stamp) {
    return file_put_by(path, path, bytes, size, stamp);
}

ent_status file_put_parts(const char* path, const FilePart* parts, size_t count, FileStamp* stamp) {
    return put_whole(&(Put){AT_FDCWD, path, parts, count, PUT_REPLACE}, path, stamp);
}

ent_status file_put_by(const char* path, const char* beside, const void* bytes, size_t size,
                       FileStamp* stamp) {
    const FilePart whole = {bytes, size};
    return put_whole(&(Put){AT_FDCWD, path, &whole, 1, PUT_REPLACE}, beside, stamp);
}

ent_status file_create(const char* path, const void* bytes, size_t size) {
    const FilePart whole = {bytes, size};
    return put_whole(&(Put){AT_FDCWD, path, &whole, 1, PUT_CREATE}, path, NULL);
}

ent_status file_replace(const char* path, const void* bytes, size_t size, FileChange* change) {
    const FilePart whole = {bytes, size};
    return file_replace_parts(path, &whole, 1, change, NULL);
}

ent_status file_replace_parts(const char* path, const FilePart* parts, size_t count,
                              FileChange* change, JobPool* pool) {
    FileKind kind;
    bool     same = false;
    TRY(file_look(path, true, &kind));
    /* One that cannot be read is replaced: afterwards it holds what it has to. */
    if (kind == FILE_REGULAR && file_compare_parts(path, parts, count, pool, &same) != ENT_OK)
        same = false;
    *change = same ? FILE_SAME : FILE_CHANGED;
    if (same) return ENT_OK;
    if (kind == FILE_OTHER) return device_write(path, parts, count);
    return put_whole(&(Put){AT_FDCWD, path, parts, count, PUT_REPLACE}, path, NULL);
}

ent_status file_remove(const char* path) {
    if (name_remove(AT_FDCWD, path) || errno == ENOENT) return ENT_OK;
    return errno_status(errno);
}

typedef struct Sweep {
    const char* path;
    int         folder; /* bytes of it, with its slash */
} Sweep;

static void sweep_name(void* user, const char* name) {
    const Sweep* sweep = user;
    char         whole[4096];
    if (name[0] != '.' || !temporary_is_dead(name)) return;
    const int wrote = snprintf(whole, sizeof whole, "%.*s%s", sweep->folder, sweep->path, name);
    if (wrote < (int)sizeof whole && file_remove(whole) != ENT_OK) return; /* the next one tries */
}

void folder_sweep(const char* path) {
    char        folder[4096];
    const char* slash = strrchr(path, '/');
    const Sweep sweep = {path, slash ? (int)(slash + 1 - path) : 0};
    if (sweep.folder >= (int)sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", sweep.folder ? sweep.folder : 1,
             sweep.folder ? path : ".");
    if (folder_list(folder, sweep_name, (void*)&sweep) != ENT_OK) return; /* writing reports that */
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
