/* failure.c - reports a failed system call. */
#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exit_codes.h"
#include "file.h"
#include "libc.h"

int io_failure(const char* what, const char* path) {
    const int error = errno;
    fprintf(stderr, "entc: error: %s \"%s\": %s\n", what, path, strerror(error));
    return exit_code_of(errno_status(error));
}
