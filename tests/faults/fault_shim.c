/* fault_shim.c - preloaded into a program, makes one of its calls to the C library fail.
 *
 * The calls in the code of the program are counted; internal calls of the library, and those of a
 * graphics driver, are not. faults_all.py selects by environment variables which call fails, and
 * how:
 *
 *     FAULT_LOG=FILE     a line for the call that was reached; without FAULT_AT one for each call
 *     FAULT_DOMAIN=      "calls": system calls; "memory": allocations
 *     FAULT_AT=N         the N-th call, from 1; 0: none
 *     FAULT_AS=NUMBER    the errno that it fails with
 *     FAULT_AS=short     it moves fewer bytes than were requested
 *     FAULT_AS=kill      SIGKILL before it
 *     FAULT_ONWARD=1     all later ones fail too
 *     FAULT_SHARED=0     allocations of the C library and zstd are not counted, because a driver
 *                        may make them
 *
 * Standard output is redirected to a stream of the shim, because internal calls of write() in the
 * library cannot be intercepted. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOG_DESCRIPTOR 900 /* above any descriptor of the program */
#define OWNERS_MAX     16

typedef enum Domain { DOMAIN_CALLS, DOMAIN_MEMORY } Domain;
typedef enum Action { ACTION_NONE, ACTION_FAIL, ACTION_SHORT } Action;

/* A range of code whose calls are counted. */
typedef struct Owner {
    uintptr_t   first, end, base;
    const char* path; /* "": the program */
    bool        only_memory;
} Owner;

static struct {
    Owner         owner[OWNERS_MAX];
    unsigned      owners;
    Domain        domain;
    unsigned long at;
    int           number; /* errno */
    bool          ready, counts, is_short, is_kill, onward;
    unsigned long count; /* atomic */
} shim;

/* --- the caller --- */

static bool name_is_owner(const char* path, bool* only_memory) {
    static const char* const libraries[] = {"libmeshoptimizer.", "libcjson.",     "libpng",
                                            "libspng.",          "libturbojpeg.", "libstdc++."};
    static const char* const shared[] = {"libc.so.", "libzstd."}; /* with a graphics driver */
    const char*              name = strrchr(path, '/');
    name = name ? name + 1 : path;
    *only_memory = *name != 0;
    if (!*name) return true; /* the program */
    if (strncmp(name, "libent.so", 9) == 0) return *only_memory = false, true;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) return true;
    }
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (strncmp(name, shared[i], strlen(shared[i])) == 0) return !getenv("FAULT_SHARED");
    }
    return false;
}

static int owner_add(struct dl_phdr_info* info, size_t bytes, void* user) {
    bool only_memory;
    (void)bytes;
    (void)user;
    if (!name_is_owner(info->dlpi_name, &only_memory)) return 0;
    for (int i = 0; i < info->dlpi_phnum && shim.owners < OWNERS_MAX; i++) {
        const ElfW(Phdr)* part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        const uintptr_t first = info->dlpi_addr + part->p_vaddr;
        shim.owner[shim.owners++] =
            (Owner){first, first + part->p_memsz, info->dlpi_addr, info->dlpi_name, only_memory};
    }
    return 0;
}

/* NULL: calls of this code are not counted. */
static const Owner* owner_of(const void* caller, Domain domain) {
    for (unsigned i = 0; i < shim.owners; i++) {
        const Owner* owner = &shim.owner[i];
        if ((uintptr_t)caller < owner->first || (uintptr_t)caller >= owner->end) continue;
        return domain == DOMAIN_MEMORY || !owner->only_memory ? owner : NULL;
    }
    return NULL;
}

/* --- the call that fails --- */

/* The argument of a call, and where it was made: its module, and the offset for addr2line. */
typedef struct Place {
    const char*  name;  /* of the call */
    const char*  about; /* a path, or NULL */
    const Owner* owner; /* NULL: the standard streams */
    const void*  caller;
} Place;

static void log_line(unsigned long number, const Place* place) {
    char            line[1400];
    const Owner*    owner = place->owner;
    const uintptr_t offset = owner ? (uintptr_t)place->caller - owner->base : 0;
    const int       bytes =
        snprintf(line, sizeof line, "%lu\t%s\t%.1000s\t%s\t%#lx\n", number, place->name,
                 place->about ? place->about : "", owner ? owner->path : "", offset);
    if (bytes > 0) syscall(SYS_write, LOG_DESCRIPTOR, line, (size_t)bytes);
}

static Action call_reached(const Place* place) {
    const unsigned long number = __atomic_add_fetch(&shim.count, 1, __ATOMIC_RELAXED);
    const int           kept = errno;
    if (!shim.at || number == shim.at) log_line(number, place);
    errno = kept;
    if (!shim.at || number < shim.at || (number > shim.at && !shim.onward)) return ACTION_NONE;
    if (shim.is_kill) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    if (shim.is_short) return ACTION_SHORT;
    errno = shim.number;
    return ACTION_FAIL;
}

static Action call_at(const void* caller, Domain domain, const char* name, const char* about) {
    if (!shim.counts || shim.domain != domain) return ACTION_NONE;
    const Owner* owner = owner_of(caller, domain);
    return owner ? call_reached(&(Place){name, about, owner, caller}) : ACTION_NONE;
}

#define CALL(name, about)  call_at(__builtin_return_address(0), DOMAIN_CALLS, name, about)
#define FAILS(name, about) (CALL(name, about) == ACTION_FAIL)

static void real_find(void* pointer, const char* name) {
    void* found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    memcpy(pointer, &found, sizeof found);
}

/* Declares `real`, the next definition of the wrapping function. */
#define REAL(name)                                                                                 \
    static __typeof__(name)* real;                                                                 \
    if (!real) real_find((void*)&real, #name)

/* A function that may fail with -1. */
#define WRAP(name, parameters, arguments, about)                                                   \
    int name parameters {                                                                          \
        REAL(name);                                                                                \
        return FAILS(#name, about) ? -1 : real arguments;                                          \
    }

WRAP(access, (const char* path, int mode), (path, mode), path)
WRAP(eventfd, (unsigned first, int flags), (first, flags), NULL)
WRAP(faccessat, (int fd, const char* path, int mode, int flags), (fd, path, mode, flags), path)
WRAP(fchmod, (int fd, mode_t mode), (fd, mode), NULL)
WRAP(fdatasync, (int fd), (fd), NULL)
WRAP(flock, (int fd, int how), (fd, how), NULL)
WRAP(fstat, (int fd, struct stat* out), (fd, out), NULL)
WRAP(fstatat, (int fd, const char* path, struct stat* out, int flags), (fd, path, out, flags), path)
WRAP(fsync, (int fd), (fd), NULL)
WRAP(ftruncate, (int fd, off_t bytes), (fd, bytes), NULL)
WRAP(inotify_add_watch, (int fd, const char* path, uint32_t what), (fd, path, what), path)
WRAP(inotify_init1, (int flags), (flags), NULL)
WRAP(link, (const char* from, const char* to), (from, to), to)
WRAP(linkat, (int a, const char* from, int b, const char* to, int flags), (a, from, b, to, flags),
     to)
WRAP(lstat, (const char* path, struct stat* out), (path, out), path)
WRAP(madvise, (void* at, size_t bytes, int advice), (at, bytes, advice), NULL)
WRAP(mkdir, (const char* path, mode_t mode), (path, mode), path)
WRAP(mkdirat, (int fd, const char* path, mode_t mode), (fd, path, mode), path)
WRAP(nanosleep, (const struct timespec* time, struct timespec* rest), (time, rest), NULL)
WRAP(nftw,
     (const char* path, int (*visit)(const char*, const struct stat*, int, struct FTW*),
      int folders, int flags),
     (path, visit, folders, flags), path)
WRAP(pipe2, (int out[2], int flags), (out, flags), NULL)
WRAP(poll, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms), NULL)
WRAP(rename, (const char* from, const char* to), (from, to), to)
WRAP(renameat, (int a, const char* from, int b, const char* to), (a, from, b, to), to)
WRAP(renameat2, (int a, const char* from, int b, const char* to, unsigned flags),
     (a, from, b, to, flags), to)
WRAP(rmdir, (const char* path), (path), path)
WRAP(sched_getaffinity, (pid_t pid, size_t bytes, cpu_set_t* out), (pid, bytes, out), NULL)
WRAP(socketpair, (int domain, int type, int protocol, int out[2]), (domain, type, protocol, out),
     NULL)
WRAP(stat, (const char* path, struct stat* out), (path, out), path)
WRAP(symlink, (const char* to, const char* path), (to, path), path)
WRAP(unlink, (const char* path), (path), path)
WRAP(unlinkat, (int fd, const char* path, int flags), (fd, path, flags), path)
WRAP(utimensat, (int fd, const char* path, const struct timespec times[2], int flags),
     (fd, path, times, flags), path)

/* The mode exists only if the file may be created. */
static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

int open(const char* path, int flags, ...) {
    REAL(open);
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return FAILS(flags & O_CREAT ? "create" : "open", path) ? -1 : real(path, flags, mode);
}

int openat(int fd, const char* path, int flags, ...) {
    REAL(openat);
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return FAILS(flags & O_CREAT ? "create" : "open", path) ? -1 : real(fd, path, flags, mode);
}

int fcntl(int fd, int command, ...) {
    REAL(fcntl);
    va_list rest;
    va_start(rest, command);
    void* more = va_arg(rest, void*);
    va_end(rest);
    const bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
    return FAILS(copies ? "dup" : "fcntl", NULL) ? -1 : real(fd, command, more);
}

/* The descriptor is closed whatever the call returns, as on Linux. */
int close(int fd) {
    REAL(close);
    const Action action = CALL("close", NULL);
    const int    number = errno, closed = real(fd);
    if (action == ACTION_FAIL) errno = number;
    return action == ACTION_FAIL ? -1 : closed;
}

/* At least one byte, because no bytes would mean the end of the file. */
static size_t fewer(Action action, size_t bytes) {
    return action == ACTION_SHORT && bytes > 1 ? bytes / 2 : bytes;
}

#define WRAP_MOVE(name, parameters, arguments)                                                     \
    ssize_t name parameters {                                                                      \
        REAL(name);                                                                                \
        const Action action = CALL(#name, NULL);                                                   \
        if (action == ACTION_FAIL) return -1;                                                      \
        bytes = fewer(action, bytes);                                                              \
        return real arguments;                                                                     \
    }
WRAP_MOVE(send, (int fd, const void* at, size_t bytes, int flags), (fd, at, bytes, flags))
WRAP_MOVE(read, (int fd, void* at, size_t bytes), (fd, at, bytes))
WRAP_MOVE(pread, (int fd, void* at, size_t bytes, off_t offset), (fd, at, bytes, offset))
WRAP_MOVE(write, (int fd, const void* at, size_t bytes), (fd, at, bytes))
WRAP_MOVE(pwrite, (int fd, const void* at, size_t bytes, off_t offset), (fd, at, bytes, offset))

ssize_t readlink(const char* path, char* out, size_t bytes) {
    REAL(readlink);
    return FAILS("readlink", path) ? -1 : real(path, out, bytes);
}

ssize_t readlinkat(int fd, const char* path, char* out, size_t bytes) {
    REAL(readlinkat);
    return FAILS("readlinkat", path) ? -1 : real(fd, path, out, bytes);
}

char* mkdtemp(char* path) {
    REAL(mkdtemp);
    return FAILS("mkdtemp", path) ? NULL : real(path);
}

char* realpath(const char* path, char* out) {
    REAL(realpath);
    return FAILS("realpath", path) ? NULL : real(path, out);
}

DIR* opendir(const char* path) {
    REAL(opendir);
    return FAILS("opendir", path) ? NULL : real(path);
}

DIR* fdopendir(int fd) {
    REAL(fdopendir);
    return FAILS("fdopendir", NULL) ? NULL : real(fd);
}

struct dirent* readdir(DIR* folder) {
    REAL(readdir);
    return FAILS("readdir", NULL) ? NULL : real(folder);
}

/* The dynamic loader has the reason why a library cannot be loaded. */
void* dlopen(const char* path, int flags) {
    REAL(dlopen);
    return FAILS("dlopen", path) ? real("/proc/self/stat/none", RTLD_NOW) : real(path, flags);
}

/* As in <spawn.h>, which is another header where runtime/ is in the include path. */
int posix_spawnp(pid_t* out, const char* program, const void* actions, const void* how,
                 char* const words[], char* const environment[]);

int posix_spawnp(pid_t* out, const char* program, const void* actions, const void* how,
                 char* const words[], char* const environment[]) {
    REAL(posix_spawnp);
    if (FAILS("posix_spawnp", program)) return errno;
    return real(out, program, actions, how, words, environment);
}

pid_t waitpid(pid_t pid, int* status, int flags) {
    REAL(waitpid);
    return FAILS("waitpid", NULL) ? -1 : real(pid, status, flags);
}

int pthread_create(pthread_t* out, const pthread_attr_t* how, void* (*run)(void*), void* user) {
    REAL(pthread_create);
    return FAILS("pthread_create", NULL) ? errno : real(out, how, run, user);
}

/* --- memory --- */

#define MEMORY_FAILS(name)                                                                         \
    (call_at(__builtin_return_address(0), DOMAIN_MEMORY, name, NULL) == ACTION_FAIL)

void* malloc(size_t bytes) {
    REAL(malloc);
    return MEMORY_FAILS("malloc") ? NULL : real(bytes);
}

void* calloc(size_t count, size_t bytes) {
    REAL(calloc);
    return MEMORY_FAILS("calloc") ? NULL : real(count, bytes);
}

void* realloc(void* at, size_t bytes) {
    REAL(realloc);
    return MEMORY_FAILS("realloc") ? NULL : real(at, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
    REAL(aligned_alloc);
    return MEMORY_FAILS("aligned_alloc") ? NULL : real(alignment, bytes);
}

int posix_memalign(void** out, size_t alignment, size_t bytes) {
    REAL(posix_memalign);
    return MEMORY_FAILS("posix_memalign") ? ENOMEM : real(out, alignment, bytes);
}

char* strdup(const char* text) {
    REAL(strdup);
    return MEMORY_FAILS("strdup") ? NULL : real(text);
}

FILE* open_memstream(char** text, size_t* bytes) {
    REAL(open_memstream);
    return MEMORY_FAILS("open_memstream") ? NULL : real(text, bytes);
}

/* Pages are memory, a mapped file is a call. */
void* mmap(void* at, size_t bytes, int rights, int flags, int fd, off_t offset) {
    REAL(mmap);
    const bool   pages = flags & MAP_ANONYMOUS;
    const Domain domain = pages ? DOMAIN_MEMORY : DOMAIN_CALLS;
    const char*  name = pages ? "mmap of pages" : "mmap";
    if (call_at(__builtin_return_address(0), domain, name, NULL) == ACTION_FAIL) return MAP_FAILED;
    return real(at, bytes, rights, flags, fd, offset);
}

/* --- the standard streams --- */

static Action stream_call(const char* name) {
    if (!shim.counts || shim.domain != DOMAIN_CALLS) return ACTION_NONE;
    return call_reached(&(Place){.name = name});
}

static ssize_t output_write(void* user, const char* bytes, size_t size) {
    (void)user;
    if (stream_call("print") == ACTION_FAIL) return 0; /* required by the stream interface */
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = syscall(SYS_write, STDOUT_FILENO, bytes + done, size - done);
        if (wrote < 0) return 0;
        done += (size_t)wrote;
    }
    return (ssize_t)size;
}

static ssize_t input_read(void* user, char* bytes, size_t size) {
    (void)user;
    const Action action = stream_call("input");
    if (action == ACTION_FAIL) return -1;
    return syscall(SYS_read, STDIN_FILENO, bytes, fewer(action, size));
}

/* --- the beginning --- */

static unsigned long number_of(const char* name) {
    const char* value = getenv(name);
    return value ? strtoul(value, NULL, 10) : 0;
}

__attribute__((constructor)) static void shim_begin(void) {
    const char* log = getenv("FAULT_LOG");
    const char* as = getenv("FAULT_AS");
    const char* domain = getenv("FAULT_DOMAIN");
    if (!log || !domain) return;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || dup3(fd, LOG_DESCRIPTOR, O_CLOEXEC) < 0) abort();
    syscall(SYS_close, fd);
    unsetenv("FAULT_LOG"); /* programs that this one starts are not disturbed */
    dl_iterate_phdr(owner_add, NULL);
    shim.domain = strcmp(domain, "memory") == 0 ? DOMAIN_MEMORY : DOMAIN_CALLS;
    shim.at = number_of("FAULT_AT");
    shim.number = (int)number_of("FAULT_AS");
    shim.is_short = as && strcmp(as, "short") == 0;
    shim.is_kill = as && strcmp(as, "kill") == 0;
    shim.onward = number_of("FAULT_ONWARD") != 0;
    stdout = fopencookie(NULL, "w", (cookie_io_functions_t){.write = output_write});
    stdin = fopencookie(NULL, "r", (cookie_io_functions_t){.read = input_read});
    if (!stdout || !stdin) abort();
    shim.counts = true;
}
