/* libc.c - see libc.h. */
#define _GNU_SOURCE
#include "libc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stream {
    void*        user;
    StreamWrite* write;
} Stream;

static ssize_t stream_write(void* cookie, const char* bytes, size_t count) {
    const Stream* stream = cookie;
    return (ssize_t)stream->write(stream->user, bytes, count);
}

static int stream_close(void* cookie) {
    free(cookie);
    return 0;
}

FILE* stream_to(void* user, StreamWrite* write) {
    const cookie_io_functions_t functions = {.write = stream_write, .close = stream_close};
    Stream*                     stream = malloc(sizeof *stream);
    if (!stream) return NULL;
    *stream = (Stream){user, write};
    FILE* file = fopencookie(stream, "w", functions);
    if (!file) free(stream);
    return file;
}

FILE* memory_stream(char** text, size_t* bytes) { return open_memstream(text, bytes); }

const char* bytes_find(const char* at, size_t bytes, Text text) {
    return memmem(at, bytes, text.at, text.bytes);
}

u32 text_bytes_below(const char* text, size_t limit) { return (u32)strnlen(text, limit); }

int errno_of(SystemError error) {
    static const int values[SYSTEM_ERROR_COUNT] = {
        [SYSTEM_ABSENT] = ENOENT,         [SYSTEM_NOT_FOLDER] = ENOTDIR, [SYSTEM_EXISTS] = EEXIST,
        [SYSTEM_FOLDER] = EISDIR,         [SYSTEM_INVALID] = EINVAL,     [SYSTEM_DENIED] = EACCES,
        [SYSTEM_FORBIDDEN] = EPERM,       [SYSTEM_READ_ONLY] = EROFS,    [SYSTEM_LOOP] = ELOOP,
        [SYSTEM_LONG_NAME] = ENAMETOOLONG};
    return values[error];
}
