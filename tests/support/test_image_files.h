/* test_image_files.h - images for tests, and the textures that are compiled from them. */
#ifndef TEST_IMAGE_FILES_H
#define TEST_IMAGE_FILES_H

#include "base.h"
#include "blob.h"
#include "texture.h"

/* Writes a PNG file below the folder: a gradient; the alpha of the right half is 128 when the image
 * is not opaque. */
void test_image_write(const char* folder, const char* path, u32 width, u32 height, u32 shade,
                      bool opaque);

/* The same from pixels, [height][width][4]. */
void test_pixels_write(const char* folder, const char* path, const u8* rgba, u32 width, u32 height,
                       u32 channels);

/* Writes a PNG file in which each pixel has another colour, all far from each other. */
void test_palette_write(const char* folder, const char* path, u32 width, u32 height);

/* Writes a JPEG file of quality 100 with bytes after its first marker: segments. */
void test_jpeg_write(const char* folder, const char* path, const u8* rgba, u32 width, u32 height,
                     const void* segments, size_t segment_bytes);

/* A JPEG file with four inks in each pixel, of quality 100. The caller frees it. */
u8* test_jpeg_inks(const u8* inks, u32 width, u32 height, size_t* size);

/* A PNG file of black pixels, which is as small as one of its size can be; `color` and `depth` are
 * those of its header. The caller frees it. */
u8* test_png_black(u32 width, u32 height, u32 depth, u32 color, bool interlaced, size_t* size);

/* The checksum of a chunk of a PNG file, of its type and data. */
u32 test_png_crc(const u8* bytes, u64 size);

/* A texture of the folder "out", and what it contains. */
typedef struct Opened {
    u8*                       bytes;
    Blob                      blob;
    const TextureRecord*      info;
    const TextureLevelRecord* level;
    const u8*                 data;
} Opened;

/* Opens "out/NAME.texture"; fails the test when it does not exist. The caller frees `bytes`. */
Opened test_texture_open(const char* folder, const char* name);

#endif
