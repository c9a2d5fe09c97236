/* host.h - what the host provides to the library: memory and a log callback. Nothing in libent
 * is global, writes to a stream, or exits. */
#ifndef ENT_HOST_H
#define ENT_HOST_H

#include <stddef.h>

#include "types.h"
#include "status.h"

/* alloc returns `bytes` aligned to 64, uninitialised, or NULL; free is called with what alloc
 * returned and its size. Both are called from the thread that called the library. A world
 * allocates few, large blocks: one for everything that a first spawn needs, none when a level is
 * spawned again after ent_world_clear. */
typedef struct EntHostAllocator {
    void* (*alloc)(void* user, size_t bytes);
    void (*free)(void* user, void* at, size_t bytes);
    void* user;
} EntHostAllocator;

typedef enum EntLogLevel { ENT_LOG_INFO, ENT_LOG_WARNING, ENT_LOG_ERROR } EntLogLevel;

/* Details that a status does not contain. `text` is one sentence without a line end, valid
 * during the call. */
typedef struct EntHostLog {
    void (*write)(void* user, EntLogLevel level, const char* text);
    void* user;
} EntHostLog;

#endif
