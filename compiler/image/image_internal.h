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

#define PNG_SIGNATURE_BYTES 8u
#define PNG_CHUNK_BYTES     12u /* length, type and checksum of a chunk */

typedef struct PngChunk {
    const u8* at;    /* its length, the first of its bytes */
    u64       bytes; /* complete */
} PngChunk;

static inline bool png_chunk_has_type(PngChunk chunk, const char* type) {
    return memcmp(chunk.at + 4, type, 4) == 0;
}

/* The chunk at an offset, which is at most the size. False: the file ends inside of it, or its length
 * is invalid. */
bool png_chunk_at(const u8* bytes, u64 size, u64 offset, PngChunk* chunk);

/* The content of iCCP, at most 64 KiB, to be released with memory_free; NULL: it is not valid. */
u8* png_profile(const u8* bytes, u64 size, u64* count);

typedef struct JpegSegment {
    u32       marker;
    const u8* at; /* [bytes] its length, and its data; of the end: nothing */
    u32       bytes;
} JpegSegment;

/* The segment at *at, which is moved behind it. NULL, or what is wrong. */
const char* jpeg_segment_next(const u8* bytes, u64 size, u64* at, JpegSegment* segment);

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
