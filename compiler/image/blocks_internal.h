/* blocks_internal.h - the layout of the pixel formats, for encoder and decoder. */
#ifndef ENTC_BLOCKS_INTERNAL_H
#define ENTC_BLOCKS_INTERNAL_H

#include "blocks.h"

typedef struct PixelLayout {
    u32 side;  /* of a block, in pixels */
    u32 bytes; /* of a block */
} PixelLayout;

PixelLayout pixels_layout(PixelFormat format);

#endif
