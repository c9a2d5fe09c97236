/* blocks.h - the pixel formats of the GPU.
 *
 * A format stores rows of blocks from top to bottom without padding: blocks of 1 x 1 pixels of the
 * plain formats, of 4 x 4 pixels of the compressed ones. A block that extends beyond the image
 * repeats its last column and row.
 *
 *     u8* out = memory_alloc_raw(pixels_bytes(PIXELS_BC1, width, height));
 *     pixels_encode(PIXELS_BC1, rgba, width, height, out);
 *
 * Source   Khronos Data Format Specification 1.3, chapters 18 (S3TC) and 19 (RGTC). */
#ifndef ENTC_BLOCKS_H
#define ENTC_BLOCKS_H

#include "base.h"

typedef enum PixelFormat {
    PIXELS_RGBA8,
    PIXELS_R8,  /* red */
    PIXELS_BC1, /* red, green, blue; alpha is 1 */
    PIXELS_BC3, /* all */
    PIXELS_BC4, /* red */
    PIXELS_BC5, /* red, green */
} PixelFormat;

/* Rows of blocks, and the bytes of an image. */
u32 pixels_rows(PixelFormat format, u32 height);
u64 pixels_bytes(PixelFormat format, u32 width, u32 height);

/* Converts an image. Colours are compressed by stb_dxt in its better mode.
 *
 *   rgba  [height][width][4]
 *   out   [pixels_bytes(format, width, height)]
 *
 * Needs    width and height of at least 1. */
void pixels_encode(PixelFormat format, const u8* rgba, u32 width, u32 height, u8* out);

/* Converts back, as a GPU reads the format: channels that it does not have are 0, alpha is 255.
 * Interpolated values are those of the specification, rounded to the nearest byte.
 *
 *   bytes  [pixels_bytes(format, width, height)]; every content is valid
 *   rgba   [height][width][4] */
void pixels_decode(PixelFormat format, const u8* bytes, u32 width, u32 height, u8* rgba);

#endif
