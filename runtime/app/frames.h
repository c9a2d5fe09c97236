/* frames.h - a spawned level runs for some frames on the GPU, and pictures are made of it. */
#ifndef ENTRUN_FRAMES_H
#define ENTRUN_FRAMES_H

#include "base.h"
#include "ent.h"

typedef struct Frames {
    World*         world;         /* spawned */
    const Library* library;       /* where it was loaded from */
    u32            count;         /* frames */
    u32            every;         /* a picture of each so many-th; 0: of the last */
    u32            width, height; /* pixels; 0: 1280 x 720 */
    const char*    png;    /* where pictures go, numbered when there are several; NULL: none */
    const char*    csv;    /* where times go; NULL: nowhere */
    const char*    device; /* as of GpuDesc */
} Frames;

/* "1280x720", each side from 1 to 16384; false: it is something else. */
bool frames_size_read(const char* text, u32* width, u32* height);

/* Prints what was written and how long passes took. Returns an exit code, after a sentence when it
 * is not EXIT_OK. */
int frames_run(const Frames* frames);

#endif
