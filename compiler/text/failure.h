/* failure.h - reports a failed system call. */
#ifndef ENTC_FAILURE_H
#define ENTC_FAILURE_H

/* Reports a system error immediately: "entc: error: WHAT "PATH": errno". Returns EXIT_IO, or
 * EXIT_LIMIT when memory or file descriptors are exhausted. */
int io_failure(const char* what, const char* path);

#endif
