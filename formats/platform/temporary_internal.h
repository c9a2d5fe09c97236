/* temporary_internal.h - for file_write.c, which renames temporary files to their final paths. */
#ifndef ENT_TEMPORARY_INTERNAL_H
#define ENT_TEMPORARY_INTERNAL_H

#include <limits.h>
#include <pthread.h>

#include "file_internal.h"

enum { TEMPORARY_NONE, TEMPORARY_OPENING, TEMPORARY_EXISTS };

typedef struct Temporary {
    int       used, state;
    int       folder; /* the base of the path, or AT_FDCWD */
    pthread_t owner;
    char      path[PATH_MAX];
} Temporary;

/* Creates a file with a unique name beside `beside`, exclusively: returns its descriptor, or -1
 * with errno. In both cases *taken must be closed. */
int temporary_open(int folder, const char* beside, Temporary** taken);

/* Removes the file, unless it was renamed. Keeps errno. */
void temporary_close(Temporary* temporary, bool renamed);

#endif
