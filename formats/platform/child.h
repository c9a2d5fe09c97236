/* child.h - runs another program, reads its standard output and writes to its standard input. Its
 * standard error is discarded. No call waits beyond the deadline. */
#ifndef ENT_CHILD_H
#define ENT_CHILD_H

#include "base.h"

#define CHILD_BUFFER_BYTES 4096

typedef struct Child {
    int  pid;    /* 0: no program was started, or it has ended */
    int  in;     /* its standard input; -1 */
    int  out;    /* its standard output; -1 */
    int  reason; /* errno of the first call that failed in this process; 0: none failed */
    u64  deadline_ns;
    u32  at, end; /* of the bytes that were read but not yet returned */
    char buffer[CHILD_BUFFER_BYTES];
} Child;

/* Starts a program, which is searched for in PATH.
 *
 *   words      [..., NULL] its name and its arguments
 *   variables  [..., NULL] "NAME=VALUE", added to the variables of this process
 *   deadline   a time of clock_ns; every wait ends there
 *
 * Returns false when it cannot be started; child_end may be called in any case. */
bool child_start(Child* child, const char* const* words, const char* const* variables,
                 u64 deadline_ns);

/* Reads the text up to a byte, which is consumed but is not part of the text. Returns false at the
 * end of the output, at the deadline, or when the text does not fit; the text ends with a NUL. */
bool child_take_until(Child* child, char stop, char* text, size_t room);
bool child_take_bytes(Child* child, void* bytes, size_t size);
bool child_put(Child* child, const void* bytes, size_t size);

/* Terminates the program, unless all of its output was read: then it may exit by itself until the
 * deadline. Returns its exit code, or -1 when it was terminated. */
int child_end(Child* child);

#endif
