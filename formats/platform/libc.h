/* libc.h - what ISO C does not have and programs of every module need: functions of the C library, and
 * the values of errno that are distinguished. */
#ifndef ENT_LIBC_H
#define ENT_LIBC_H

#include <stdio.h>

#include "base.h"

/* A stream that passes what is printed to a function, which returns how many bytes it took. It must not
 * exit, because exit flushes streams. Returns NULL when memory is exhausted. */
typedef size_t StreamWrite(void* user, const char* bytes, size_t count);
FILE*          stream_to(void* user, StreamWrite* write);

/* A stream into memory, which the caller frees: after it is closed, `text` is [bytes] and a NUL. Returns
 * NULL when memory is exhausted; that it cannot grow is reported only when it is flushed. */
FILE* memory_stream(char** text, size_t* bytes);

/* The first occurrence of a text in a range of bytes, or NULL. */
const char* bytes_find(const char* at, size_t bytes, Text text);

/* The length of a text, at most `limit`. */
u32 text_bytes_below(const char* text, size_t limit);

typedef enum SystemError {
    SYSTEM_ABSENT,     /* there is no such file */
    SYSTEM_NOT_FOLDER, /* a part of the path is no folder */
    SYSTEM_EXISTS,
    SYSTEM_FOLDER, /* it is a folder */
    SYSTEM_INVALID,
    SYSTEM_DENIED,    /* by permissions */
    SYSTEM_FORBIDDEN, /* to every user */
    SYSTEM_READ_ONLY, /* the file system */
    SYSTEM_LOOP,      /* of symbolic links */
    SYSTEM_LONG_NAME,
    SYSTEM_ERROR_COUNT
} SystemError;

/* The value of errno for an error. */
int errno_of(SystemError error);

#endif
