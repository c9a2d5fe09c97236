/* block_error.h - what block compression changes in an image.
 *
 * A block of 4 x 4 pixels has colours on one straight line. Most images have few blocks that differ
 * much from that; palettes, pixel art and charts have many. The measure is the mean square of the
 * difference of a channel, over the pixels of all blocks that have more than one colour: blocks of
 * one colour are always nearly right, and a palette in a corner of an empty image must not be hidden
 * by them. Only integers are used: the result is the same on every machine.
 *
 *     BlockError error = {.alpha_hides = true};
 *     pixels_encode(PIXELS_BC1, rgba, width, height, out);
 *     block_error_add(&error, PIXELS_BC1, rgba, width, height, out);
 *     if (block_error_is_large(&error)) ...; */
#ifndef ENTC_BLOCK_ERROR_H
#define ENTC_BLOCK_ERROR_H

#include "blocks.h"

/* Of 255: the root of the mean square in one channel. Photographs, painted textures and screenshots
 * have up to 13, pixel art and palettes 26 and more; one channel alone, as in BC4 and BC5, has up to
 * 8 even in noise. */
#define BLOCK_ERROR_MAX 16u

typedef struct BlockError {
    u64  squares[4]; /* by channel: sums over the pixels that are counted */
    u64  pixels[4];
    bool alpha_hides; /* the colours of a pixel whose alpha is 0 are not counted (BC3) */
} BlockError;

/* Adds an image and what it was converted to.
 *
 *   rgba, bytes   as in pixels_encode; a compressed format
 *
 * Cost     about a tenth of pixels_encode; allocates nothing. */
void block_error_add(BlockError* error, PixelFormat format, const u8* rgba, u32 width, u32 height,
                     const u8* bytes);

/* Is it above BLOCK_ERROR_MAX in any channel? */
bool block_error_is_large(const BlockError* error);

#endif
