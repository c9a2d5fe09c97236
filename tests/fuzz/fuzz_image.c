/* make fuzz target=image seconds=60
 *
 * A PNG or JPEG file: it is decoded, or refused with a clause. What the header states is true of the
 * decoded picture, and a file with a refused header is not decoded. */
#include <stdlib.h>
#include <turbojpeg.h>

#include "fuzz.h"
#include "image.h"
#include "image_colors.h"
#include "memory.h"
#include "png_write.h"

#define SEED_SIDE 9u

static void seed_pixels(u8* rgba) {
    for (u32 i = 0; i < SEED_SIDE * SEED_SIDE * 4; i++) rgba[i] = (u8)(i * 37 % 251);
}

/* The start of a JPEG file with Exif data, and with a part of a colour profile. */
static void seed_segments(void) {
    static const u8 exif[] =
        "\xff\xd8\xff\xe1\0\x22"
        "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    static const u8 icc[] = "\xff\xd8\xff\xe2\0\xc8ICC_PROFILE\0\x01\x01";
    u8              profile[204] = {0};
    fuzz_seed("jpeg_exif", exif, sizeof exif - 1);
    memcpy(profile, icc, sizeof icc - 1);
    memcpy(profile + 20 + 16, "RGB ", 4);
    memcpy(profile + 20 + 128, "\0\0\0\x02rXYZ\0\0\0\x9c\0\0\0\x14rTRC\0\0\0\x9c\0\0\0\x0c", 28);
    memcpy(profile + 20 + 156, "XYZ \0\0\0\0\0\0\x6f\xa2\0\0\x38\xf5\0\0\x03\x90", 20);
    fuzz_seed("jpeg_icc", profile, sizeof profile);
}

static void seed_jpeg(const char* name, int channels, int sampling, int flags) {
    u8            pixels[SEED_SIDE * SEED_SIDE * 4];
    u8*           bytes = NULL;
    unsigned long size = 0;
    tjhandle      handle = tjInitCompress();
    seed_pixels(pixels);
    if (tjCompress2(handle, pixels, SEED_SIDE, 0, SEED_SIDE, channels, &bytes, &size, sampling, 80,
                    flags) == 0)
        fuzz_seed(name, bytes, size);
    tjFree(bytes);
    tjDestroy(handle);
}

void fuzz_image_seeds(void) {
    for (u32 channels = 1; channels <= 4; channels++) {
        u8   rgba[SEED_SIDE * SEED_SIDE * 4];
        u8*  bytes;
        u64  size;
        char name[16] = "png_0";
        name[4] = (char)('0' + channels);
        seed_pixels(rgba);
        if (png_encode(rgba, SEED_SIDE, SEED_SIDE, channels, &bytes, &size)) abort();
        fuzz_seed(name, bytes, size);
        memory_free(bytes);
    }
    seed_jpeg("jpeg", TJPF_RGBA, TJSAMP_420, 0);
    seed_jpeg("jpeg_progressive", TJPF_RGBA, TJSAMP_420, TJFLAG_PROGRESSIVE);
    seed_jpeg("jpeg_inks", TJPF_CMYK, TJSAMP_444, 0);
    seed_segments();
}

/* Of the PNG specification, annex D. */
static u32 crc_of(const u8* bytes, u64 count) {
    u32 crc = UINT32_MAX;
    for (u64 i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (u32 k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static u32 big_u32(const u8* at) {
    return (u32)at[0] << 24 | (u32)at[1] << 16 | (u32)at[2] << 8 | (u32)at[3];
}

/* The checksums of the chunks of a PNG file. */
void fuzz_image_repair(u8* data, size_t size) {
    if (size < 8 || memcmp(data, "\x89PNG", 4) != 0) return;
    for (u64 at = 8; size - at >= 12;) {
        const u64 length = big_u32(data + at);
        if (length > size - at - 12) return;
        const u32 crc = crc_of(data + at + 4, length + 4);
        for (u32 i = 0; i < 4; i++) data[at + 8 + length + i] = (u8)(crc >> (24 - 8 * i));
        at += length + 12;
    }
}

void fuzz_image(const u8* data, size_t size) {
    ImageInfo   info;
    Image       image;
    const char* look = image_look(data, size, &info);
    const char* fault = image_decode(data, size, &image);
    if (look && !fault) abort();
    if (!fault != (image.pixels != NULL)) abort();
    if (!fault && (image.info.width != info.width || image.info.height != info.height)) abort();
    if (fault && !*fault) abort();
    char        clause[IMAGE_CLAUSE_BYTES];
    const char* other = image_colors_other(data, size, clause);
    const u32   orientation = image_orientation(data, size);
    if (other && !*other) abort();
    if (orientation < 1 || orientation > 8) abort();
    if (!fault) image_orient(&image, orientation);
    image_drop(&image);
}

FUZZ_TARGET(image)
