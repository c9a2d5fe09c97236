/* test_image_files.c - images for tests, and the textures that are compiled from them. */
#include "test_image_files.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "memory.h"
#include "png_write.h"
#include "sections.h"
#include "test.h"

void test_pixels_write(const char* folder, const char* path, const u8* rgba, u32 width, u32 height,
                       u32 channels) {
    u8* png;
    u64 bytes;
    assert_null(png_encode(rgba, width, height, channels, &png, &bytes));
    test_write(folder, path, png, bytes);
    memory_free(png);
}

void test_palette_write(const char* folder, const char* path, u32 width, u32 height) {
    u8* rgba = memory_alloc((size_t)width * height * 4);
    for (u32 i = 0; i < width * height; i++) {
        const u32 hash = (i + 1) * 2654435761u;
        const u8  pixel[4] = {(u8)(hash >> 8), (u8)(hash >> 16), (u8)(hash >> 24), 255};
        memcpy(rgba + i * 4ul, pixel, 4);
    }
    test_pixels_write(folder, path, rgba, width, height, 3);
    memory_free(rgba);
}

void test_image_write(const char* folder, const char* path, u32 width, u32 height, u32 shade,
                      bool opaque) {
    u8* rgba = memory_alloc((size_t)width * height * 4);
    for (u32 i = 0; i < width * height; i++) {
        const u32 x = i % width, y = i / width;
        const u8  pixel[4] = {(u8)(x * 255 / width), (u8)(y * 255 / height), (u8)shade,
                             opaque || x < width / 2 ? 255 : 128};
        memcpy(rgba + i * 4ul, pixel, 4);
    }
    test_pixels_write(folder, path, rgba, width, height, opaque ? 3 : 4);
    memory_free(rgba);
}

/* A JPEG file of quality 100 from pixels of four channels. The caller frees it with tjFree. */
static u8* jpeg_encode(const u8* pixels, u32 width, u32 height, int channels, unsigned long* size) {
    tjhandle       encoder = tjInitCompress();
    unsigned char* out = NULL;
    *size = 0;
    assert_int_equal(tjCompress2(encoder, pixels, (int)width, 0, (int)height, channels, &out, size,
                                 TJSAMP_444, 100, 0),
                     0);
    tjDestroy(encoder);
    return out;
}

void test_jpeg_write(const char* folder, const char* path, const u8* rgba, u32 width, u32 height,
                     const void* segments, size_t segment_bytes) {
    unsigned long size;
    u8*           out = jpeg_encode(rgba, width, height, TJPF_RGBA, &size);
    u8*           file = memory_alloc(size + segment_bytes);
    memcpy(file, out, 2);
    memcpy(file + 2, segments, segment_bytes);
    memcpy(file + 2 + segment_bytes, out + 2, size - 2);
    test_write(folder, path, file, size + segment_bytes);
    memory_free(file);
    tjFree(out);
}

u8* test_jpeg_inks(const u8* inks, u32 width, u32 height, size_t* size) {
    unsigned long bytes;
    u8*           out = jpeg_encode(inks, width, height, TJPF_CMYK, &bytes);
    u8*           file = malloc(bytes);
    memcpy(file, out, bytes);
    *size = bytes;
    tjFree(out);
    return file;
}

typedef struct PngFile {
    u8*    bytes;
    size_t size;
} PngFile;

static void png_add(png_structp png, png_bytep bytes, png_size_t size) {
    PngFile* file = png_get_io_ptr(png);
    file->bytes = realloc(file->bytes, file->size + size);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void png_flush_none(png_structp png) { UNUSED(png); }

u8* test_png_black(u32 width, u32 height, u32 depth, u32 color, bool interlaced, size_t* size) {
    png_structp     png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop       info = png_create_info_struct(png);
    PngFile         file = {0};
    const png_color black = {0, 0, 0};
    u8* const       row = calloc(width, 8);
    png_set_write_fn(png, &file, png_add, png_flush_none);
    png_set_compression_level(png, 9);
    png_set_IHDR(png, info, width, height, (int)depth, (int)color,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    if (color == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, &black, 1);
    png_write_info(png, info);
    const int passes = png_set_interlace_handling(png);
    for (u32 i = 0; i < (u32)passes * height; i++) png_write_row(png, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(row);
    *size = file.size;
    return file.bytes;
}

Opened test_texture_open(const char* folder, const char* name) {
    char   path[1200];
    size_t size;
    Opened o;
    snprintf(path, sizeof path, "%s/out/%s.texture", folder, name);
    o.bytes = test_read(path, &size);
    if (!o.bytes) fail_msg("%s does not exist", path);
    assert_int_equal(ent_blob_open(&o.blob, o.bytes, size, NULL, NULL), ENT_OK);
    o.info = ent_blob_data(&o.blob, ent_blob_section(&o.blob, SECTION_TEXTURE));
    o.level = ent_blob_data(&o.blob, ent_blob_section(&o.blob, SECTION_TEXTURE_LEVEL));
    o.data = ent_blob_data(&o.blob, ent_blob_section(&o.blob, SECTION_TEXTURE_DATA));
    return o;
}

u32 test_png_crc(const u8* bytes, u64 size) {
    u32 crc = 0xffffffff;
    for (u64 i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (u32 bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}
