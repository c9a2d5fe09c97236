/* streams.c - the order of the standard streams. */
#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* As the program found them. */
static FILE *output, *errors;
static int   failure; /* errno of the first one of standard output: its state does not contain it */

static ssize_t output_write(void* user, const char* bytes, size_t count) {
    (void)user;
    if (fwrite(bytes, 1, count, output) == count) return (ssize_t)count;
    if (!failure) failure = errno;
    return 0;
}

int streams_flush(void) {
    if (fflush(stdout) != 0 && !failure) failure = errno;
    return failure ? failure : ferror(stdout) ? -1 : 0;
}

static ssize_t errors_write(void* user, const char* bytes, size_t count) {
    (void)user;
    streams_flush(); /* reported at the end of the program */
    fwrite(bytes, 1, count, errors);
    fflush(errors);
    return (ssize_t)count;
}

static FILE* stream_new(cookie_write_function_t* write, FILE* to, int mode) {
    FILE* stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write});
    if (stream) setvbuf(to, NULL, _IONBF, 0);
    if (stream) setvbuf(stream, NULL, mode, BUFSIZ);
    return stream;
}

void streams_begin(void) {
    if (output) return;
    output = stdout;
    errors = stderr;
    FILE* first = stream_new(output_write, output, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    FILE* second = stream_new(errors_write, errors, _IOLBF);
    if (first) stdout = first;
    if (second)
        stderr = second;
    else
        setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
}
