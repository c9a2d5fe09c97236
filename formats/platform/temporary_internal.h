/* temporary_internal.h - for file_write.c, which renames temporary files to their final paths. */
#ifndef ENT_TEMPORARY_INTERNAL_H
#define ENT_TEMPORARY_INTERNAL_H

#include <pthread.h>

#include "file_internal.h"

enum { TEMPORARY_NONE, TEMPORARY_OPENING, TEMPORARY_EXISTS };

/* Its memory is used again for another file, and is not freed, because a signal handler reads it. */
typedef struct Temporary {
    struct Temporary* next;   /* of all */
    struct Temporary* unused; /* the next one without a file */
    int               state;
    int               folder; /* the base of the path, or AT_FDCWD */
    pthread_t         owner;
    size_t            capacity;
    char              path[]; /* [capacity] */
} Temporary;

/* Creates a file with a unique name beside `beside`, exclusively: returns its descriptor, or -1
 * with errno. In both cases *taken must be closed; it is NULL without memory. */
int temporary_open(int folder, const char* beside, Temporary** taken);

/* The same in the working folder; missing folders of `beside` are created. On failure, *taken is closed and NULL. */
int temporary_make(const char* beside, Temporary** taken);

/* Removes the file, unless it was renamed. Keeps errno. NULL is permitted. */
void temporary_close(Temporary* temporary, bool renamed);

#endif
