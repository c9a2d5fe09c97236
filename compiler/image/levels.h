/* levels.h - the mip levels of a texture.
 *
 * Each level has half of the width and height of the one before, rounded down, at least 1. It is
 * filtered by a box: a texel is the average of exactly the part of the level before that it covers,
 * also where a side is odd. The levels are computed one after the other in f32, never from rounded
 * bytes, and are the same on every machine and for every number of threads.
 *
 *     MipLevels  levels;
 *     BlockError error = {0};
 *     mip_levels_open(&levels, &options, image.pixels, width, height);
 *     do {
 *         mip_levels_encode(&levels, PIXELS_BC1, out, &error);
 *         out += pixels_bytes(PIXELS_BC1, levels.width, levels.height);
 *     } while (mip_levels_next(&levels));
 *     mip_levels_close(&levels); */
#ifndef ENTC_LEVELS_H
#define ENTC_LEVELS_H

#include "block_error.h"
#include "jobs.h"

/* Rounding to bytes moves a vector by up to 0.007. So a shorter average, of opposite normals or of a
 * grey image, would be a random direction; that of one of this length is right to 6 degrees. */
#define MIP_NORMAL_MIN (1.0f / 16.0f)

typedef enum MipUsage {
    MIP_COLOR, /* sRGB: filtered in linear light, and each texel has the weight of its alpha, so that
                   the colours of invisible texels do not become visible; alpha is linear */
    MIP_LINEAR, /* four separate channels */
    MIP_NORMAL, /* xyz as (c / 255) * 2 - 1: averaged, and unit vectors again; an average shorter than
                   MIP_NORMAL_MIN has no direction and becomes 0 0 1; alpha is linear */
} MipUsage;

typedef struct MipOptions {
    MipUsage usage;
    f32  alpha_cutoff; /* more than 0: in each level, the share of texels whose alpha is at least
                                  this, 0 to 1, is that of the source as nearly as possible */
    bool is_premultiplied; /* MIP_COLOR: colours are multiplied by alpha, in linear light */
    u32  side_max;         /* the source is halved until no side is larger; 0: no limit */
    bool overwrites;       /* the source, aligned to 4, is memory for the levels too: it is not the
                              first level any more after the second one was computed */
    JobPool* pool;         /* all of its threads are used; or NULL */
} MipOptions;

typedef struct MipLevels {
    u32 width, height; /* of the current level */
    u32 count;         /* levels, the first one included */
    u32 index;         /* of the current one */

    MipOptions options; /* the rest is private */
    const u8*  source;  /* [source_height][source_width][4] */
    u32        source_width, source_height;
    u64        covered; /* texels of the source whose alpha is at least the cutoff */
    f32*       texels;  /* [height][width][4]; NULL: the current level is the source */
    f32        scale;   /* of alpha in the current level */
    f32*       rows;    /* [threads][4][source_width][4] */
} MipLevels;

/* Levels down to 1 x 1. */
u32 mip_count_of(u32 width, u32 height);

/* The first level: the source, halved as often as side_max requires.
 *
 *   rgba  [height][width][4] straight alpha; it must stay valid until mip_levels_close
 *
 * Needs    width and height of at least 1.
 * Cost     memory: 4 bytes per texel of the source, or with `overwrites` only for some rows of each thread. */
void mip_levels_open(MipLevels* levels, const MipOptions* options, const u8* rgba, u32 width,
                     u32 height);

/* Is the current level converted to bytes, rather than the unchanged source? */
bool mip_levels_convert(const MipLevels* levels);

/* The current level.
 *
 *   buffer  [height][width][4] is written if mip_levels_convert, and may be NULL otherwise
 *
 * Returns  the source or the buffer. The source itself is never filtered or normalised. */
const u8* mip_levels_pixels(const MipLevels* levels, u8* buffer);

/* `count` of its rows, from `first`; any thread of the pool may call it.
 *
 *   worker  the number of the thread; 0 without a pool
 *   buffer  [count][width][4] as above */
const u8* mip_levels_rows(const MipLevels* levels, u32 first, u32 count, u32 worker, u8* buffer);

/* Converts the current level to a format, on all threads.
 *
 *   out    [pixels_bytes(format, width, height)]
 *   error  what this changes is added to it; NULL: it is not measured
 *
 * Cost     memory: four rows of bytes for each thread. */
void mip_levels_encode(const MipLevels* levels, PixelFormat format, u8* out, BlockError* error);

/* The next level. False: the current one is the last. */
bool mip_levels_next(MipLevels* levels);

void mip_levels_close(MipLevels* levels);

#endif
