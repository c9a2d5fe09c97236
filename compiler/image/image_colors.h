/* image_colors.h - what an image file states about its colours and its orientation.
 *
 * The decoder ignores both. Colours are compiled as sRGB; a file that states others would look
 * different in a program that uses the statement. Both functions accept any bytes. */
#ifndef ENTC_IMAGE_COLORS_H
#define ENTC_IMAGE_COLORS_H

#include "image.h"

#define IMAGE_CLAUSE_BYTES 96

/* Does a file state colours other than those of sRGB? In PNG: gAMA other than 1/2.2, cHRM, or an iCCP
 * profile; sRGB and iCCP replace the others. In JPEG: an ICC profile. A profile is sRGB if its
 * primaries and its curve at one half are; one that cannot be read is not.
 *
 *   bytes  [size] the complete file
 *   clause [IMAGE_CLAUSE_BYTES]
 *
 * Returns  NULL, or a clause that follows the name of the file: "states a gamma of 1.00000".
 * Cost     proportional to the number of chunks or segments before the pixels; at most 128 KiB. */
const char* image_colors_other(const u8* bytes, u64 size, char* clause);

/* The orientation in the Exif data of a JPEG file, 1 to 8; 1, which is the usual one, when there is
 * none or it is not valid.
 *
 * Source   Exif 2.32, CIPA 2019, tag 0x0112. */
u32 image_orientation(const u8* bytes, u64 size);

/* Moves the pixels of an image with this orientation to where they are shown. From 5 to 8 width and
 * height are exchanged, which needs the memory of a second image for a moment. */
void image_orient(Image* image, u32 orientation);

#endif
