/* image_internal.h - what the readers of the two formats share. */
#ifndef ENTC_IMAGE_INTERNAL_H
#define ENTC_IMAGE_INTERNAL_H

#include "image.h"

/* Writes the clause into info->fault and returns it. */
const char* image_fault(ImageInfo* info, const char* format, ...) PRINTF_LIKE(2, 3);

/* After the width and height are known: refuses sizes that are out of range. */
const char* image_check_size(ImageInfo* info);

static inline u32 image_u16(const u8* at) { return (u32)at[0] << 8 | at[1]; }
static inline u32 image_u32(const u8* at) { return image_u16(at) << 16 | image_u16(at + 2); }

bool        png_is(const u8* bytes, u64 size);
const char* png_look(const u8* bytes, u64 size, ImageInfo* info);
const char* png_decode(const u8* bytes, u64 size, Image* image);

bool        jpeg_is(const u8* bytes, u64 size);
const char* jpeg_look(const u8* bytes, u64 size, ImageInfo* info);
const char* jpeg_decode(const u8* bytes, u64 size, Image* image);

static inline size_t image_bytes(const ImageInfo* info) {
    return (size_t)info->width * info->height * 4;
}

/* Memory for the pixels; not zeroed. */
void image_alloc(Image* image);

#endif
