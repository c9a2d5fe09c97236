/* blocks_internal.h - the layout of the pixel formats, for encoder, decoder and comparison. */
#ifndef ENTC_BLOCKS_INTERNAL_H
#define ENTC_BLOCKS_INTERNAL_H

#include "blocks.h"

typedef struct PixelLayout {
    u32 side;  /* of a block, in pixels */
    u32 bytes; /* of a block */
} PixelLayout;

PixelLayout pixels_layout(PixelFormat format);

/* The pixels of one block, [4][4][4]; of a plain format only the first one. */
void block_decode(PixelFormat format, const u8* bytes, u8 block[64]);

#endif
