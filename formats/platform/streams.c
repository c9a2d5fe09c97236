/* streams.c - the order of the standard streams. */
#define _GNU_SOURCE
#include "streams.h"

#include <errno.h>
#include <stdio.h>

static int   failure; /* errno of the first one: the state of the stream does not contain it */
static FILE* errors;  /* standard error as the program found it */

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

void streams_begin(void) {
    if (errors) return;
    FILE* ordered = fopencookie(NULL, "w", (cookie_io_functions_t){.write = errors_write});
    if (!ordered) {
        setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
        return;
    }
    setvbuf(ordered, NULL, _IOLBF, BUFSIZ);
    errors = stderr;
    stderr = ordered;
}
