/* picture.c - encodes PNG in memory with libpng, then writes the file in one step. */
#include "picture.h"

#include <png.h>
#include <stdlib.h>

#include "file.h"
#include "temporary.h"

static ent_status encode(u32 width, u32 height, const u8* rgb, u8** out, size_t* bytes) {
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_RGB};
    const png_alloc_size_t max = PNG_IMAGE_PNG_SIZE_MAX(image);
    png_alloc_size_t       used = max;
    *out = malloc(max);
    if (!*out) return ENT_NO_MEMORY;
    if (!png_image_write_to_memory(&image, *out, &used, 0, rgb, 0, NULL)) return ENT_NO_MEMORY;
    *bytes = used;
    return ENT_OK;
}

ent_status picture_write(const char* path, u32 width, u32 height, const u8* rgba) {
    const size_t pixels = (size_t)width * height;
    u8*          rgb = malloc(pixels * 3);
    u8*          png = NULL;
    size_t       bytes = 0;
    FileChange   change;
    ent_status   status = ENT_NO_MEMORY;
    for (size_t i = 0; rgb && i < pixels; i++) memcpy(rgb + i * 3, rgba + i * 4, 3);
    if (rgb) status = encode(width, height, rgb, &png, &bytes);
    if (status == ENT_OK) folder_sweep(path);
    if (status == ENT_OK) status = file_replace(path, png, bytes, &change);
    free(png);
    free(rgb);
    return status;
}
