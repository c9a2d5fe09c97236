/* test_picture.h - pictures that tests compute: the same on every machine. */
#ifndef TEST_PICTURE_H
#define TEST_PICTURE_H

#include "base.h"

/* [height][width][4] like a photograph: gradients, edges, noise; alpha with holes and soft edges. Integer
 * arithmetic only. To be released with free. */
u8* picture_photo(u32 width, u32 height);

/* The same, without alpha. */
u8* picture_opaque(u32 width, u32 height);

/* Peak signal-to-noise ratio in dB over some channels (bit 0: red) of two images. */
f64 picture_psnr(const u8* a, const u8* b, u64 pixels, u32 channels);

#endif
