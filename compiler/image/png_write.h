/* png_write.h - writes pixels as a PNG file. */
#ifndef ENTC_PNG_WRITE_H
#define ENTC_PNG_WRITE_H

#include "base.h"

/* A PNG file with 8 bits per channel, not interlaced.
 *
 *   rgba      [height][width][4]
 *   channels  of the file: 1 red as grey, 2 red as grey and alpha, 3 colour, 4 colour and alpha
 *   bytes     [*size] the file, to be released with memory_free
 *
 * Needs    1 to 4 channels.
 * Returns  NULL, or what is wrong as a clause: "has no pixels". The text is static. */
const char* png_encode(const u8* rgba, u32 width, u32 height, u32 channels, u8** bytes, u64* size);

#endif
