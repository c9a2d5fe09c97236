/* jobserver.c - takes and returns the tokens of the jobserver. */
#define _GNU_SOURCE
#include "jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TOKENS_MAX 1024 /* held at a time; further threads wait */
#define HELD       256u /* is added to the value of a held byte */

static struct Jobserver {
    int tokens; /* a separate description of the pipe, read without blocking; -1: none */
    int back;   /* where tokens are returned */
    int wake;   /* readable after jobserver's close was called */
    u32 leaving;
    u32 taking;           /* threads between the reading of a token and its place in `held` */
    u32 held[TOKENS_MAX]; /* 0, or the byte + HELD */
} server = {.tokens = -1, .back = -1, .wake = -1};

/* --- MAKEFLAGS --- */

/* Calls `each` for every word before "--", after which variables follow, with
 * backslashes removed. */
static void flags_each(void (*each)(void* user, const char* word), void* user) {
    const char* at = getenv("MAKEFLAGS");
    char        word[PATH_MAX];
    while (at && *at) {
        size_t bytes = 0;
        for (; *at && *at != ' '; at++) {
            if (*at == '\\' && at[1]) at++;
            if (bytes < sizeof word - 1) word[bytes++] = *at;
        }
        word[bytes] = 0;
        if (strcmp(word, "--") == 0) return;
        if (bytes) each(user, word);
        while (*at == ' ') at++;
    }
}

/* The last one is valid. */
static void auth_find(void* user, const char* word) {
    static const char* const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        const size_t bytes = strlen(names[i]);
        if (strncmp(word, names[i], bytes) == 0) snprintf(user, PATH_MAX, "%s", word + bytes);
    }
}

/* Option letters are combined in the first word, without a dash. */
bool make_is_dry_run(void) {
    const char* flags = getenv("MAKEFLAGS");
    if (!flags || flags[0] == '-') return false;
    const size_t bytes = strcspn(flags, " ");
    return !memchr(flags, '=', bytes) && memchr(flags, 'n', bytes);
}

/* --- the pipe --- */

static int open_again(int fd, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

/* The numbers may have been reused for other descriptors. */
static bool is_one_pipe(int in, int out) {
    struct stat a, b;
    return in >= 0 && out >= 0 && fstat(in, &a) == 0 && fstat(out, &b) == 0 &&
           S_ISFIFO(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool pipe_open(const char* auth) {
    int  in, out;
    char end;
    if (strncmp(auth, "fifo:", 5) == 0) {
        struct stat info;
        if (stat(auth + 5, &info) != 0 || !S_ISFIFO(info.st_mode)) return false;
        server.tokens = open(auth + 5, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        server.back = server.tokens < 0 ? -1 : open(auth + 5, O_RDWR | O_CLOEXEC);
    } else if (sscanf(auth, "%d,%d%c", &in, &out, &end) == 2 && is_one_pipe(in, out)) {
        server.tokens = open_again(in, O_RDONLY | O_NONBLOCK);
        server.back = open_again(out, O_WRONLY);
    }
    return server.tokens >= 0 && server.back >= 0;
}

static void descriptor_close(int* fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* --- tokens --- */

static void byte_back(u8 byte) {
    while (write(server.back, &byte, 1) < 0 && errno == EINTR) continue;
}

static void token_hold(u8 byte) {
    for (u32 i = 0; i < TOKENS_MAX; i++) {
        u32 none = 0;
        if (__atomic_compare_exchange_n(&server.held[i], &none, byte + HELD, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return;
        }
    }
    byte_back(byte); /* more threads than TOKENS_MAX: does not occur in practice */
}

/* Returns one of the held tokens; they are equivalent. */
static void token_back(void) {
    for (u32 i = 0; i < TOKENS_MAX; i++) {
        const u32 held = __atomic_exchange_n(&server.held[i], 0, __ATOMIC_SEQ_CST);
        if (!held) continue;
        byte_back((u8)(held - HELD));
        return;
    }
}

/* A thread that has read a token and not stored it yet cannot be interrupted by the signal whose
 * handler this is: permit_take blocks it. The wait is limited, as for everything in a handler. */
void jobserver_leave(void) {
    const struct timespec moment = {.tv_nsec = 1000000};
    const int             kept = errno;
    __atomic_store_n(&server.leaving, 1, __ATOMIC_SEQ_CST);
    for (u32 wait = 0; wait < 1000 && __atomic_load_n(&server.taking, __ATOMIC_SEQ_CST); wait++)
        nanosleep(&moment, NULL);
    for (u32 i = 0; i < TOKENS_MAX && server.back >= 0; i++) {
        const u32 held = __atomic_exchange_n(&server.held[i], 0, __ATOMIC_SEQ_CST);
        if (held) byte_back((u8)(held - HELD));
    }
    errno = kept;
}

/* Reads a token and stores it, as one step for a signal that ends the process. Returns what read()
 * returned; 0 when the process is about to end. */
static ssize_t token_read(void) {
    u8       byte;
    ssize_t  got = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    __atomic_add_fetch(&server.taking, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&server.leaving, __ATOMIC_SEQ_CST)) got = read(server.tokens, &byte, 1);
    const int reason = errno;
    if (got == 1) token_hold(byte);
    __atomic_sub_fetch(&server.taking, 1, __ATOMIC_SEQ_CST);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return got;
}

/* A pipe that was closed or fails yields no more tokens: then only the wake event is waited for. */
static bool permit_take(void* user) {
    struct pollfd wait[2] = {{server.wake, POLLIN, 0}, {server.tokens, POLLIN, 0}};
    UNUSED(user);
    for (;;) {
        if (poll(wait, 2, -1) < 0 && errno != EINTR) return false;
        if (wait[0].revents || __atomic_load_n(&server.leaving, __ATOMIC_SEQ_CST)) return false;
        if (!wait[1].revents) continue;
        const ssize_t got = token_read(); /* another process may be first */
        if (got == 1) return true;
        if (got == 0 || (errno != EAGAIN && errno != EINTR)) wait[1].fd = -1;
        wait[1].revents = 0;
    }
}

static void permit_give(void* user) {
    UNUSED(user);
    token_back();
}

static void permit_close(void* user) {
    const u64 one = 1;
    UNUSED(user);
    while (write(server.wake, &one, sizeof one) < 0 && errno == EINTR) continue;
}

JobserverState jobserver_open(JobPermit* permit) {
    static bool registered;
    char        auth[PATH_MAX] = "";
    flags_each(auth_find, auth);
    if (!*auth) return JOBSERVER_NONE;
    assert(server.tokens < 0);
    server.leaving = 0;
    if (!pipe_open(auth) || (server.wake = eventfd(0, EFD_CLOEXEC)) < 0) {
        jobserver_close();
        return JOBSERVER_SHUT;
    }
    if (!registered) atexit(jobserver_leave), registered = true;
    *permit = (JobPermit){permit_take, permit_give, permit_close, NULL};
    return JOBSERVER_OPEN;
}

void jobserver_forget(void) {
    memset(server.held, 0, sizeof server.held);
    jobserver_close();
}

void jobserver_close(void) {
    jobserver_leave();
    descriptor_close(&server.tokens);
    descriptor_close(&server.back);
    descriptor_close(&server.wake);
}
