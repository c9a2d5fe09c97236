/* child.c - see child.h. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"

extern char** environ;

/* --- starting --- */

static bool same_variable(const char* a, const char* b) {
    const size_t bytes = strcspn(a, "=");
    return strncmp(a, b, bytes + 1) == 0;
}

/* The variables of this process that `variables` does not replace, followed by `variables`. The
 * caller frees the array. */
static char** environment_make(const char* const* variables) {
    size_t count = 0, more = 0, used = 0;
    while (environ[count]) count++;
    while (variables[more]) more++;
    char** all = malloc(sizeof *all * (count + more + 1));
    for (size_t i = 0; all && i < count; i++) {
        size_t k = 0;
        while (k < more && !same_variable(variables[k], environ[i])) k++;
        if (k == more) all[used++] = environ[i];
    }
    for (size_t i = 0; all && i <= more; i++) all[used++] = (char*)(uintptr_t)variables[i];
    return all;
}

/* A program that does not exist or must not be executed is not a failure of this process. */
static bool failed(Child* c, int error) {
    if (!c->reason && error != ENOENT && error != EACCES && error != ENOTDIR) c->reason = error;
    return false;
}

static bool spawn(Child* c, const char* const* words, char** environment, int in, int out) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          attributes;
    sigset_t                   defaults;
    if (posix_spawn_file_actions_init(&actions) != 0) return failed(c, ENOMEM);
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failed(c, ENOMEM);
    }
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    const bool ready =
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
        posix_spawnattr_setsigdefault(&attributes, &defaults) == 0 &&
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) == 0;
    const int  error = !ready ? ENOMEM
                              : posix_spawnp(&c->pid, words[0], &actions, &attributes,
                                             (char* const*)(uintptr_t)words, environment);
    const bool succeeded = error == 0;
    if (!succeeded) failed(c, error);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (!succeeded) c->pid = 0;
    return succeeded;
}

bool child_start(Child* c, const char* const* words, const char* const* variables,
                 u64 deadline_ns) {
    int in[2], out[2];
    c->pid = c->reason = 0, c->in = c->out = -1, c->at = c->end = 0;
    c->deadline_ns = deadline_ns;
    /* A socket, because a write to a pipe without a reader would end this process. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0) return failed(c, errno);
    if (pipe2(out, O_CLOEXEC) != 0) {
        failed(c, errno);
        close(in[0]), close(in[1]);
        return false;
    }
    char** environment = environment_make(variables);
    if (!environment) failed(c, ENOMEM);
    const bool succeeded = environment && spawn(c, words, environment, in[1], out[1]);
    free(environment);
    close(in[1]), close(out[1]);
    c->in = in[0], c->out = out[0];
    if (!succeeded) child_end(c);
    return succeeded;
}

/* Waits until the deadline at most. False: the program is still running. */
static bool ended(const Child* c, bool may_wait, int* status) {
    for (;;) {
        const pid_t pid = waitpid(c->pid, status, WNOHANG);
        if (pid != 0 && !(pid < 0 && errno == EINTR)) return true;
        if (!may_wait || clock_ns() >= c->deadline_ns) return false;
        clock_wait_ms(1);
    }
}

int child_end(Child* c) {
    const bool over = c->out < 0;
    int        status = -1;
    if (c->in >= 0) close(c->in);
    if (c->out >= 0) close(c->out);
    c->in = c->out = -1;
    if (c->pid > 0 && !ended(c, over, &status)) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    }
    c->pid = 0;
    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* --- input and output --- */

/* Waits until the descriptor can be read or written. */
static bool wait_for(Child* c, int fd, short events) {
    for (;;) {
        const u64 now = clock_ns();
        if (now >= c->deadline_ns) return false;
        struct pollfd what = {.fd = fd, .events = events};
        const int     ready = poll(&what, 1, (int)((c->deadline_ns - now) / 1000000) + 1);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return failed(c, errno);
    }
}

/* Reads more of the output into the buffer, which is empty. */
static bool fill(Child* c) {
    if (c->out < 0 || !wait_for(c, c->out, POLLIN)) return false;
    ssize_t got;
    do got = read(c->out, c->buffer, sizeof c->buffer);
    while (got < 0 && errno == EINTR);
    if (got < 0) failed(c, errno);
    if (got == 0) {
        close(c->out);
        c->out = -1;
    }
    c->at = 0, c->end = got > 0 ? (u32)got : 0;
    return got > 0;
}

bool child_take_until(Child* c, char stop, char* text, size_t room) {
    for (size_t used = 0; used < room; used++) {
        if (c->at == c->end && !fill(c)) return false;
        const char byte = c->buffer[c->at++];
        text[used] = byte == stop ? 0 : byte;
        if (byte == stop) return true;
    }
    return false;
}

bool child_take_bytes(Child* c, void* bytes, size_t size) {
    u8* to = bytes;
    while (size > 0) {
        if (c->at == c->end && !fill(c)) return false;
        const size_t part = MIN_OF(size, (size_t)(c->end - c->at));
        memcpy(to, c->buffer + c->at, part);
        c->at += (u32)part, to += part, size -= part;
    }
    return true;
}

bool child_put(Child* c, const void* bytes, size_t size) {
    const u8* from = bytes;
    while (size > 0) {
        if (c->in < 0 || !wait_for(c, c->in, POLLOUT)) return false;
        const ssize_t sent = send(c->in, from, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return false; /* it has ended */
        if (sent < 0) return failed(c, errno);
        from += sent, size -= (size_t)sent;
    }
    return true;
}
