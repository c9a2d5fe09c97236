/* image_png.c - PNG files, decoded by libspng.
 *
 * Only the chunks that define pixels are passed to the decoder: those that every decoder must
 * support, and tRNS. So neither the number nor the size of the others (texts, colour profiles,
 * thumbnails) costs memory or time, and errors in them have no effect.
 *
 * Source   Portable Network Graphics (PNG) Specification, second edition, W3C 2003. */
#include "image_internal.h"

#include "memory.h"
#include "png_context.h"

#define HEADER_BYTES 13u /* data of the chunk IHDR */
#define CHUNK_MAX    0x7fffffffu
#define DEFLATE_MAX  1032u /* bytes that one compressed byte expands to: 258 per 2 bits */

static_assert(IMAGE_EXPANSION_MAX == DEFLATE_MAX * 8 * 4, "of a bit for each pixel of 4 bytes");

enum { GREY = 0, COLOR = 2, PALETTE = 3, GREY_ALPHA = 4, COLOR_ALPHA = 6 };

bool png_is(const u8* bytes, u64 size) {
    return size >= PNG_SIGNATURE_BYTES &&
           memcmp(bytes, "\x89PNG\r\n\x1a\n", PNG_SIGNATURE_BYTES) == 0;
}

/* --- chunks --- */

bool png_chunk_at(const u8* bytes, u64 size, u64 offset, PngChunk* chunk) {
    if (size - offset < PNG_CHUNK_BYTES) return false;
    const u32 length = image_u32(bytes + offset);
    if (length > CHUNK_MAX || length > size - offset - PNG_CHUNK_BYTES) return false;
    *chunk = (PngChunk){bytes + offset, (u64)length + PNG_CHUNK_BYTES};
    return true;
}

/* Upper case in the first letter of the type: a decoder must support it. */
static bool chunk_defines_pixels(PngChunk chunk) {
    return (chunk.at[4] & 0x20) == 0 || png_chunk_has_type(chunk, "tRNS");
}

/* --- the header --- */

static u32 channels_of(u32 color, bool transparent) {
    switch (color) {
    case GREY: return transparent ? 2 : 1;
    case GREY_ALPHA: return 2;
    case COLOR: return transparent ? 4 : 3;
    case PALETTE: return transparent ? 4 : 3;
    default: return 4;
    }
}

/* Does the standard allow this combination? */
static bool depth_is_valid(u32 color, u32 depth) {
    switch (color) {
    case GREY: return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case PALETTE: return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case COLOR:
    case GREY_ALPHA:
    case COLOR_ALPHA: return depth == 8 || depth == 16;
    default: return false;
    }
}

static const char* header_read(const u8* at, ImageInfo* info) {
    const u32 depth = at[8], color = at[9];
    info->width = image_u32(at);
    info->height = image_u32(at + 4);
    info->bits = MAX_OF(depth, 8u);
    if (!depth_is_valid(color, depth))
        return image_fault(info,
                           "has a bit depth of %u and the colour type %u, which PNG does not allow",
                           depth, color);
    if (at[10] != 0 || at[11] != 0 || at[12] > 1)
        return image_fault(
            info, "has a compression, filter or interlace method that PNG does not define");
    return image_check_size(info);
}

const char* png_look(const u8* bytes, u64 size, ImageInfo* info) {
    PngChunk chunk;
    u64      at = PNG_SIGNATURE_BYTES;
    bool     transparent = false;
    info->kind = IMAGE_PNG;
    if (!png_chunk_at(bytes, size, at, &chunk))
        return image_fault(info, "is truncated: it ends inside its header");
    if (!png_chunk_has_type(chunk, "IHDR") || chunk.bytes != HEADER_BYTES + PNG_CHUNK_BYTES)
        return image_fault(info, "does not begin with a PNG header (IHDR)");
    const u8*   header = chunk.at + 8;
    const char* fault = header_read(header, info);
    if (fault) return fault;
    while (!png_chunk_has_type(chunk, "IDAT")) {
        transparent |= png_chunk_has_type(chunk, "tRNS");
        at += chunk.bytes;
        if (!png_chunk_at(bytes, size, at, &chunk))
            return image_fault(info, "is truncated: it ends before its pixels");
    }
    info->channels = channels_of(header[9], transparent);
    return NULL;
}

/* --- the pixels --- */

/* The seven passes of an interlaced image (Adam7): first column and row, and distances. */
static const struct {
    u8 x, y, dx, dy;
} adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

/* What IDAT contains when it is not compressed. */
static u64 raw_bytes_of(const u8* header) {
    static const u8 samples[7] = {1, 0, 3, 1, 2, 0, 4};
    const u64       bits = (u64)samples[header[9]] * header[8];
    const u64       width = image_u32(header), height = image_u32(header + 4);
    u64             sum = 0;
    if (header[12] == 0) return (1 + (width * bits + 7) / 8) * height;
    for (u32 i = 0; i < COUNT_OF(adam7); i++) {
        const u64 columns = (width + adam7[i].dx - 1 - adam7[i].x) / adam7[i].dx;
        const u64 rows = (height + adam7[i].dy - 1 - adam7[i].y) / adam7[i].dy;
        if (columns) sum += (1 + (columns * bits + 7) / 8) * rows;
    }
    return sum;
}

/* Reads all chunks up to the last one. */
static const char* check_chunks(const u8* bytes, u64 size, ImageInfo* info) {
    PngChunk chunk = {0};
    u64      data = 0;
    for (u64 at = PNG_SIGNATURE_BYTES;
         at == PNG_SIGNATURE_BYTES || !png_chunk_has_type(chunk, "IEND");) {
        if (!png_chunk_at(bytes, size, at, &chunk))
            return image_fault(
                info, "is truncated: it ends inside a chunk, or before the last one (IEND)");
        if (png_chunk_has_type(chunk, "IDAT")) data += chunk.bytes - PNG_CHUNK_BYTES;
        at += chunk.bytes;
    }
    if (raw_bytes_of(bytes + PNG_SIGNATURE_BYTES + 8) > data * DEFLATE_MAX)
        return image_fault(info, "has %llu bytes of data, which cannot contain %u x %u pixels",
                           (unsigned long long)data, info->width, info->height);
    return NULL;
}

/* The chunks that define pixels, as one stream. */
typedef struct Stream {
    const u8* bytes;
    u64       size;
    u64       at;      /* the next byte of the stream, */
    u64       left;    /* and how many follow before another chunk */
    bool      profile; /* also the chunk iCCP */
} Stream;

static bool chunk_is_streamed(const Stream* s, PngChunk chunk) {
    return chunk_defines_pixels(chunk) || (s->profile && png_chunk_has_type(chunk, "iCCP"));
}

/* The end of the file: the chunks are not complete. */
static int stream_read(spng_ctx* context, void* user, void* to, size_t bytes) {
    Stream* s = user;
    u8*     out = to;
    UNUSED(context);
    while (bytes) {
        while (s->left == 0) {
            PngChunk chunk;
            if (!png_chunk_at(s->bytes, s->size, s->at, &chunk)) return SPNG_IO_EOF;
            if (chunk_is_streamed(s, chunk))
                s->left = chunk.bytes;
            else
                s->at += chunk.bytes;
        }
        const size_t count = MIN_OF(bytes, (size_t)s->left);
        memcpy(out, s->bytes + s->at, count);
        out += count;
        bytes -= count;
        s->at += count;
        s->left -= count;
    }
    return 0;
}

/* Row by row, because 16 bits per channel would need twice the memory of the result. */
static int decode_deep(spng_ctx* context, Image* image, bool interlaced) {
    const u32 width = image->info.width;
    u16*      row = memory_alloc_raw((size_t)width * 4 * sizeof *row);
    int       code = spng_decode_image(context, NULL, 0, SPNG_FMT_RGBA16,
                                       SPNG_DECODE_TRNS | SPNG_DECODE_PROGRESSIVE);
    while (code == 0) {
        struct spng_row_info info;
        code = spng_get_row_info(context, &info);
        if (code) break;
        const u32 first = interlaced ? adam7[info.pass].x : 0;
        const u32 step = interlaced ? adam7[info.pass].dx : 1;
        code = spng_decode_scanline(context, row, (size_t)width * 4 * sizeof *row);
        if (code && code != SPNG_EOI) break;
        u8*        out = image->pixels + (size_t)info.row_num * width * 4;
        const u16* from = row;
        for (u32 x = first; x < width; x += step, from += 4) {
            for (u32 c = 0; c < 4; c++) out[x * 4 + c] = (u8)((from[c] * 255u + 32767u) / 65535u);
        }
    }
    memory_free(row);
    return code == SPNG_EOI ? 0 : code;
}

static int decode_stream(spng_ctx* context, Stream* stream, Image* image, bool interlaced) {
    int code = spng_set_png_stream(context, stream_read, stream);
    if (!code && image->info.bits == 16) {
        code = decode_deep(context, image, interlaced);
    } else if (!code) {
        code = spng_decode_image(context, image->pixels, image_bytes(&image->info), SPNG_FMT_RGBA8,
                                 SPNG_DECODE_TRNS);
    }
    return code ? code : spng_decode_chunks(context); /* the checksums of the rest */
}

const char* png_decode(const u8* bytes, u64 size, Image* image) {
    ImageInfo*  info = &image->info;
    const char* fault = check_chunks(bytes, size, info);
    if (fault) return fault;
    Stream    stream = {.bytes = bytes, .size = size, .left = PNG_SIGNATURE_BYTES};
    spng_ctx* context = png_context(0);
    image_alloc(image);
    const int code =
        decode_stream(context, &stream, image, bytes[PNG_SIGNATURE_BYTES + 8 + 12] == 1);
    spng_ctx_free(context);
    return code ? image_fault(info, "is not a valid PNG file: %s", spng_strerror(code)) : NULL;
}

#define PROFILE_MAX (64u * 1024)

u8* png_profile(const u8* bytes, u64 size, u64* count) {
    Stream    stream = {.bytes = bytes, .size = size, .left = PNG_SIGNATURE_BYTES, .profile = true};
    spng_ctx* context = png_context(0);
    struct spng_iccp iccp;
    u8*              profile = NULL;
    int              code = spng_set_chunk_limits(context, PROFILE_MAX, PROFILE_MAX);
    if (!code) code = spng_set_png_stream(context, stream_read, &stream);
    if (!code) code = spng_get_iccp(context, &iccp);
    if (!code) {
        profile = memory_alloc_raw(iccp.profile_len);
        memcpy(profile, iccp.profile, iccp.profile_len);
        *count = iccp.profile_len;
    }
    spng_ctx_free(context);
    return profile;
}
