/* temporary.c - temporary files: their names, removing the remains of killed processes, and
 * removing them on signals. */
#define _GNU_SOURCE
#include "temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "file_internal.h"
#include "process.h"
#include "temporary_internal.h"

/* Names of files that are being written, for the signal handler, which reads the list of all without a lock. A name
 * is complete from TEMPORARY_OPENING on. Once `ending` is set no thread opens another file: the
 * handler waits for those that are being opened, so that it sees every file that exists. */
static Temporary*      temporaries; /* atomic: the newest one */
static Temporary*      unused;      /* the first one without a file */
static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static int             ending;

/* A process number is unique on one boot of one machine, in one container: names contain all of
 * these. */
static struct Process {
    char place[9]; /* hash of the boot and the namespace of process numbers */
    long pid;
    u64  start; /* of the process, in the kernel's unit */
} self;
static pthread_once_t self_once = PTHREAD_ONCE_INIT;

/* The time at which a process began, or 0 when it is unknown. A zombie, which has ended but was not
 * waited for by its parent, still has a number: `ended`. */
static u64 process_start(long pid, bool* ended) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    const int fd = open_complete(AT_FDCWD, path, O_RDONLY, 0);
    *ended = false;
    if (fd < 0) return 0;
    ssize_t bytes;
    UNINTERRUPTED(bytes, read(fd, text, sizeof text - 1));
    close(fd);
    if (bytes <= 0) return 0;
    assert((size_t)bytes < sizeof text); /* read returns no more than was requested */
    text[bytes] = 0;
    const char* at = strrchr(text, ')'); /* the name before it may contain any character */
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
    assert(more < (ssize_t)(sizeof text - used)); /* no more than was requested */
    if (more > 0) text[used + (size_t)more] = 0;
    for (const char* at = text; *at; at++) hash = (hash ^ (u8)*at) * 0x100000001b3u;
    snprintf(self.place, sizeof self.place, "%08x", (unsigned)(hash ^ hash >> 32));
    self.pid = (long)getpid();
    self.start = process_start(self.pid, &ended);
}

/* If /proc does not show when processes began, a process with the same number is treated as the
 * same process. */
bool temporary_is_abandoned(const char* name) {
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

/* Opens the file with the name of a slot, exclusively; not while the process ends. */
static int temporary_create(Temporary* t) {
    t->owner = pthread_self();
    __atomic_store_n(&t->state, TEMPORARY_OPENING, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ending, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&t->state, TEMPORARY_NONE, __ATOMIC_SEQ_CST);
        for (;;) pause();
    }
    const int fd = open_complete(t->folder, t->path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    __atomic_store_n(&t->state, fd >= 0 ? TEMPORARY_EXISTS : TEMPORARY_NONE, __ATOMIC_SEQ_CST);
    return fd;
}

/* All names in one folder are about equally long, so that the first one without a file usually has room. */
static Temporary* temporary_take(size_t capacity) {
    pthread_mutex_lock(&unused_lock);
    Temporary** at = &unused;
    while (*at && (*at)->capacity < capacity) at = &(*at)->unused;
    Temporary* t = *at;
    if (t) *at = t->unused;
    if (!t && (t = calloc(1, sizeof *t + capacity)) != NULL) {
        t->capacity = capacity;
        t->next = temporaries;
        __atomic_store_n(&temporaries, t, __ATOMIC_SEQ_CST);
    }
    pthread_mutex_unlock(&unused_lock);
    return t;
}

#define NAME_BYTES 128u /* of a temporary file, with its NUL */

/* Creates a file with a new name beside `beside`, exclusively. */
int temporary_open(int folder, const char* beside, Temporary** taken) {
    static unsigned counter;
    const char*     slash = strrchr(beside, '/');
    const int       bytes = slash ? (int)(slash - beside) + 1 : 0;
    pthread_once(&self_once, self_find);
    if (bytes > PATH_MAX) return *taken = NULL, errno = ENAMETOOLONG, -1;
    Temporary* t = *taken = temporary_take((size_t)bytes + NAME_BYTES);
    if (!t) return -1;
    t->folder = folder;
    for (int attempt = 0; attempt < 100; attempt++) {
        const unsigned number = __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
        const int      wrote =
            snprintf(t->path, t->capacity, "%.*s.entc.%s.%ld.%llu.%u.tmp", bytes, beside,
                     self.place, self.pid, (unsigned long long)self.start, number);
        if (wrote < 0 || (size_t)wrote >= t->capacity) return errno = ENAMETOOLONG, -1;
        const int fd = temporary_create(t);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* Removes the file, unless it was renamed. */
void temporary_close(Temporary* t, bool renamed) {
    const int kept = errno;
    if (!t) return;
    if (t->state == TEMPORARY_EXISTS && !renamed) name_remove(t->folder, t->path);
    __atomic_store_n(&t->state, TEMPORARY_NONE, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&unused_lock);
    t->unused = unused;
    unused = t;
    pthread_mutex_unlock(&unused_lock);
    errno = kept;
}

static void signal_clean_one(Temporary* t) {
    const struct timespec moment = {.tv_nsec = 1000000};
    for (u32 wait = 0; wait < 1000; wait++) { /* limited: a disk may not respond */
        if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) != TEMPORARY_OPENING) break;
        if (pthread_equal(t->owner, pthread_self())) break; /* the signal interrupted this thread */
        nanosleep(&moment, NULL);
    }
    if (__atomic_load_n(&t->state, __ATOMIC_SEQ_CST) != TEMPORARY_NONE)
        unlinkat(t->folder, t->path, 0);
}

static void temporaries_clean(void) {
    __atomic_store_n(&ending, 1, __ATOMIC_SEQ_CST);
    Temporary* t = __atomic_load_n(&temporaries, __ATOMIC_SEQ_CST);
    for (; t; t = t->next) signal_clean_one(t);
}

static void (*signal_also)(void);
static int signal_code = -1; /* -1: the default action of the signal */

/* Calls only async-signal-safe functions: removes the files, then runs the signal's
 * default action. */
static void signal_clean(int number) {
    __atomic_store_n(&ending, 1, __ATOMIC_SEQ_CST);
    if (signal_also) signal_also();
    temporaries_clean();
    if (signal_code >= 0) _exit(signal_code);
    signal(number, SIG_DFL);
    raise(number);
}

void signals_call(void (*also)(void)) { signal_also = also; }
void signals_exit_with(int code) { signal_code = code; }

void file_clean_on_end(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (u32 i = 0; i < COUNT_OF(numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN) continue;
        const struct sigaction action = {.sa_handler = signal_clean};
        sigaction(numbers[i], &action, NULL);
    }
    /* A process may exit where it is, for want of memory. */
    if (atexit(temporaries_clean) != 0) return; /* without memory: then only signals remove them */
}

/* --- removing the remains of killed processes --- */

typedef struct Sweep {
    const char* path;
    int         folder; /* bytes of the folder, with its slash */
} Sweep;

static void sweep_name(void* user, const char* name) {
    const Sweep* sweep = user;
    char         full[4096];
    if (name[0] != '.' || !temporary_is_abandoned(name)) return;
    const int wrote = snprintf(full, sizeof full, "%.*s%s", sweep->folder, sweep->path, name);
    if (wrote < (int)sizeof full && file_remove(full) != ENT_OK) return; /* tried again next time */
}

void folder_sweep(const char* path) {
    char        folder[4096];
    const char* slash = strrchr(path, '/');
    const Sweep sweep = {path, slash ? (int)(slash + 1 - path) : 0};
    if (sweep.folder >= (int)sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", sweep.folder ? sweep.folder : 1,
             sweep.folder ? path : ".");
    if (folder_list(folder, sweep_name, (void*)&sweep) != ENT_OK) return; /* a write reports it */
}
