/* image.h - decodes PNG and JPEG files: bytes in, RGBA pixels out.
 *
 * Pixels are rows from top to bottom, [height][width][4] bytes: red, green, blue, alpha. Alpha is
 * straight: colours are not multiplied by it. Colours are as stored in the file: the gamma, colour
 * profile and orientation that a file states are ignored, as glTF 2.0 requires; image_colors.h has
 * functions for them.
 *
 * A function that can fail returns NULL, or what is wrong as a clause that follows the name of the
 * file: "is truncated: it ends inside a chunk". The text is in the structure that the function
 * fills.
 *
 *     Image image;
 *     const char* fault = image_decode(bytes, size, &image);
 *     if (fault) diag_error(diag, ..., "\"%s\" %s", name, fault);
 *     else use(image.pixels), image_drop(&image); */
#ifndef ENTC_IMAGE_H
#define ENTC_IMAGE_H

#include "base.h"

#define IMAGE_SIDE_MAX  16384u /* pixels */
#define IMAGE_SCANS_MAX 100u   /* of a JPEG file; progressive files usually have about 10 */

typedef enum ImageKind { IMAGE_UNKNOWN, IMAGE_PNG, IMAGE_JPEG } ImageKind;

typedef struct ImageInfo {
    ImageKind kind;
    u32       width, height;
    u32       channels; /* in the file: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha, of
                           JPEG: four inks */
    u32       bits;     /* per channel in the file; of a palette: 8 */
    char      fault[160];
} ImageInfo;

typedef struct Image {
    ImageInfo info;
    u8*       pixels; /* [height][width][4], from memory_alloc_raw */
} Image;

/* Reads the header. A transparent colour (tRNS) of a PNG file is an alpha channel.
 *
 *   bytes  [size] the complete file
 *
 * Returns  NULL, or why the file is refused: it is neither PNG nor JPEG, has no pixels or more than
 *          IMAGE_SIDE_MAX on one side, or is of a kind that is not supported, such as a JPEG file
 *          with two channels.
 * Cost     proportional to the number of chunks or segments before the pixels; allocates nothing. */
const char* image_look(const u8* bytes, u64 size, ImageInfo* info);

/* Decodes the complete image. Channels of 16 bits are rounded to 8: (v * 255 + 32767) / 65535.
 *
 *   bytes  [size] the complete file
 *   image  to be released with image_drop, also after an error
 *
 * Returns  NULL, or why the file is refused: what image_look refuses, a file that is damaged or
 *          truncated anywhere, and one with fewer bytes than any file of this size has.
 * Cost     memory: no more than image_decode_bytes and 16 MiB. A small file can need much of it:
 *          the pixels are up to IMAGE_EXPANSION_MAX times as large as a PNG file with 1 bit per
 *          pixel, and up to 2,048 times as large as a JPEG file. So the caller compares
 *          image_decode_bytes with what it allows before it calls this. */
const char* image_decode(const u8* bytes, u64 size, Image* image);

/* DEFLATE expands by at most 1032, and each bit of a pixel becomes 4 bytes. */
#define IMAGE_EXPANSION_MAX (1032u * 32u)

/* The maximum memory of image_decode, including the pixels, except for rows and tables, which are
 * less than 16 MiB: 4 bytes for each pixel, and 2 bytes for each channel of a JPEG file, all blocks
 * of which are in memory when it is progressive. */
u64 image_decode_bytes(const ImageInfo* info);

void image_drop(Image* image);

#endif
