/* frames.h - runs a spawned level for a number of frames on the GPU and renders pictures of it. */
#ifndef ENTRUN_FRAMES_H
#define ENTRUN_FRAMES_H

#include "base.h"
#include "canvas.h"
#include "ent.h"
#include "light_counts.h"
#include "lighting.h"

typedef struct Frames {
    World*             world;         /* spawned */
    const Library*     library;       /* where it was loaded from */
    EntityNames        names;         /* of the level */
    u32                count;         /* frames; 0: only a picture of the level as it was spawned */
    u32                every;         /* a picture of every n-th frame; 0: only of the last */
    u32                width, height; /* pixels; 0: 1280 x 720 */
    const char*        png; /* path of pictures, numbered when there are several; NULL: none */
    EntCanvasShows     shows;
    EntCanvasShadows   shadows;
    EntLightingShadows maps;
    f32                time_s;      /* of the first picture; a frame adds 1/60 */
    const f32*         exposure_ev; /* NULL: by the light that reaches the surfaces of a picture */
    const char*
        csv; /* path of the file of times; NULL: none. That of lights has _lights before its ending */
    const char* device;       /* as in GpuDesc */
    u64         device_bytes; /* budget of its memory; 0: all */
} Frames;

/* "1280x720", each side from 1 to 16384; false: the text is not a valid size. */
bool frames_size_read(const char* text, u32* width, u32* height);

/* "lit", "albedo", ..; false: there is no such view. */
bool frames_view_read(const char* text, EntCanvasShows* shows);
bool frames_shadows_read(const char* text, EntCanvasShadows* shadows);
/* From 0 to 1e6. */
bool frames_time_read(const char* text, f32* time_s);
/* A distance above 0. */
bool frames_reach_read(const char* text, f32* reach_m);

/* Prints the written files and the times of passes. Returns an exit code, after a message when it
 * is not EXIT_OK. */
int frames_run(const Frames* frames);

/* A device and the systems of a level, for pictures of it whenever it has changed. */
typedef struct FramesOpen FramesOpen;

/* As frames_run; what was created stays until frames_close. NULL after a failure: `*code`.
 *
 *   frames  must exist as long */
FramesOpen* frames_open(const Frames* frames, int* code);
void        frames_close(FramesOpen* open);

/* Draws the picture of `png` again, of the world and the library as they are now; equal to that of a run that begins now,
 * without simulation. The file is replaced when it is complete.
 *
 * Returns  ENT_OK; after a failure the former file is unchanged, and *problem is a sentence. */
MUST_CHECK ent_status frames_draw_again(FramesOpen* open, const char** problem);

#endif
