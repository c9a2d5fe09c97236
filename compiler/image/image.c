/* image.c - the format of an image file is recognised by its first bytes. */
#include "image_internal.h"

#include "memory.h"

const char* image_look(const u8* bytes, u64 size, ImageInfo* info) {
    *info = (ImageInfo){0};
    if (png_is(bytes, size)) return png_look(bytes, size, info);
    if (jpeg_is(bytes, size)) return jpeg_look(bytes, size, info);
    return image_fault(info, size ? "is neither a PNG nor a JPEG file" : "is empty");
}

const char* image_decode(const u8* bytes, u64 size, Image* image) {
    image->pixels = NULL;
    const char* fault = image_look(bytes, size, &image->info);
    if (!fault) {
        fault = image->info.kind == IMAGE_PNG ? png_decode(bytes, size, image)
                                              : jpeg_decode(bytes, size, image);
    }
    if (fault) image_drop(image);
    return fault;
}

u64 image_decode_bytes(const ImageInfo* info) {
    const u64 pixels = (u64)info->width * info->height;
    const u32 jpeg = info->kind == IMAGE_JPEG ? 2 * info->channels : 0;
    return pixels * (4 + jpeg);
}

void image_drop(Image* image) {
    memory_free(image->pixels);
    image->pixels = NULL;
}
