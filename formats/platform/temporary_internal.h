/* temporary_internal.h - for file_write.c, which makes a temporary the file. */
#ifndef ENT_TEMPORARY_INTERNAL_H
#define ENT_TEMPORARY_INTERNAL_H

#include <limits.h>
#include <pthread.h>

#include "file_internal.h"

enum { TEMPORARY_NONE, TEMPORARY_OPENING, TEMPORARY_THERE };

typedef struct Temporary {
    int       used, state;
    int       folder; /* that the path is relative to, or AT_FDCWD */
    pthread_t owner;
    char      path[PATH_MAX];
} Temporary;

/* A name beside `beside` that nothing else has, created exclusively: its descriptor, or -1 with
 * errno. Either way *taken is to be closed. */
int temporary_open(int folder, const char* beside, Temporary** taken);

/* Unless it was renamed, it is removed. Keeps errno. */
void temporary_close(Temporary* temporary, bool renamed);

/* unlinkat; false with errno. */
bool name_remove(int folder, const char* path);

#endif
