/* child.h - runs another program, reads what it writes to standard output and answers on its
 * standard input. What it writes to standard error is dropped. Nothing waits longer than the
 * deadline. */
#ifndef ENT_CHILD_H
#define ENT_CHILD_H

#include "base.h"

#define CHILD_BUFFER_BYTES 4096

typedef struct Child {
    int  pid; /* 0: none was started, or it has ended */
    int  in;  /* its standard input; -1 */
    int  out; /* its standard output; -1 */
    int  why; /* errno of the first call that failed in this process; 0: none did */
    u64  deadline_ns;
    u32  at, end; /* of what was read and not taken */
    char buffer[CHILD_BUFFER_BYTES];
} Child;

/* Starts a program that is looked for in PATH.
 *
 *   words      [..., NULL] its name and its arguments
 *   variables  [..., NULL] "NAME=VALUE", above those of this process
 *   deadline   by clock_ns; every wait ends there
 *
 * False when it cannot be started; child_end may be called in any case. */
bool child_start(Child* child, const char* const* words, const char* const* variables,
                 u64 deadline_ns);

/* The text up to a byte, which is taken and left out. False at the end of the output, at the
 * deadline, or when the text has no room; the text has a NUL. */
bool child_take_until(Child* child, char stop, char* text, size_t room);
bool child_take_bytes(Child* child, void* bytes, size_t size);
bool child_put(Child* child, const void* bytes, size_t size);

/* Ends the program, unless all that it wrote was read: then it may end by itself until the
 * deadline. Returns its exit code, or -1 when it was ended. */
int child_end(Child* child);

#endif
