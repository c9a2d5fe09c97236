/* channel_block.h - one channel of 4 x 4 pixels in eight bytes: a block of BC4, half of one of BC5,
 * the alpha of BC3.
 *
 * Source   Khronos Data Format Specification 1.3, chapter 19 (RGTC). */
#ifndef ENTC_CHANNEL_BLOCK_H
#define ENTC_CHANNEL_BLOCK_H

#include "base.h"

/* Writes the block with the least squared error among those that are tried: eight values between
 * the extremes, six values and 0 and 255, each with end points that are fitted to the pixels.
 *
 *   values  [16] row by row
 *   out     [8] */
void channel_block_encode(const u8* values, u8* out);

#endif
