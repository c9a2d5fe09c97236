/* test_image_files.c - images for tests, and the textures that are compiled from them. */
#include "test_image_files.h"

#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "png_write.h"
#include "sections.h"
#include "test.h"

void test_image_write(const char* folder, const char* path, u32 width, u32 height, u32 shade,
                      bool opaque) {
    u8* rgba = memory_alloc((size_t)width * height * 4);
    u8* png;
    u64 bytes;
    for (u32 i = 0; i < width * height; i++) {
        const u32 x = i % width, y = i / width;
        const u8  pixel[4] = {(u8)(x * 255 / width), (u8)(y * 255 / height), (u8)shade,
                             opaque || x < width / 2 ? 255 : 128};
        memcpy(rgba + i * 4ul, pixel, 4);
    }
    assert_null(png_encode(rgba, width, height, opaque ? 3 : 4, &png, &bytes));
    test_write(folder, path, png, bytes);
    memory_free(png);
    memory_free(rgba);
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
