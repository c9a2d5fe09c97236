/* png_write.c - PNG files, encoded by libspng with fixed settings. */
#include "png_write.h"

#include "memory.h"
#include "png_context.h"

#define COMPRESSION_LEVEL 3
#define FILTERED_STRATEGY 1 /* Z_FILTERED of zlib, for rows that were filtered */

/* The channels of a row that the file contains. */
static void row_pack(u8* out, const u8* rgba, u32 width, u32 channels) {
    for (u32 x = 0; x < width; x++, rgba += 4) {
        *out++ = rgba[0];
        if (channels >= 3) *out++ = rgba[1], *out++ = rgba[2];
        if (channels % 2 == 0) *out++ = rgba[3];
    }
}

static int settings_set(spng_ctx* context, u32 width, u32 height, u32 channels) {
    static const u8  types[4] = {SPNG_COLOR_TYPE_GRAYSCALE, SPNG_COLOR_TYPE_GRAYSCALE_ALPHA,
                                 SPNG_COLOR_TYPE_TRUECOLOR, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA};
    struct spng_ihdr header = {
        .width = width, .height = height, .bit_depth = 8, .color_type = types[channels - 1]};
    static const struct {
        enum spng_option option;
        int              value;
    } options[] = {{SPNG_ENCODE_TO_BUFFER, 1},
                   {SPNG_IMG_COMPRESSION_LEVEL, COMPRESSION_LEVEL},
                   {SPNG_IMG_COMPRESSION_STRATEGY, FILTERED_STRATEGY},
                   {SPNG_FILTER_CHOICE, SPNG_FILTER_CHOICE_ALL}};
    int code = spng_set_ihdr(context, &header);
    for (u32 i = 0; i < COUNT_OF(options) && !code; i++)
        code = spng_set_option(context, options[i].option, options[i].value);
    return code;
}

static int rows_encode(spng_ctx* context, const u8* rgba, u32 width, u32 height, u32 channels) {
    const size_t bytes = (size_t)width * channels;
    u8*          row = memory_alloc_raw(bytes);
    int          code = settings_set(context, width, height, channels);
    if (!code)
        code = spng_encode_image(context, NULL, 0, SPNG_FMT_PNG,
                                 SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE);
    for (u32 y = 0; y < height && !code; y++) {
        row_pack(row, rgba + (size_t)y * width * 4, width, channels);
        code = spng_encode_row(context, row, bytes);
    }
    memory_free(row);
    return code == SPNG_EOI ? 0 : code;
}

const char* png_encode(const u8* rgba, u32 width, u32 height, u32 channels, u8** bytes, u64* size) {
    size_t count = 0;
    assert(channels >= 1 && channels <= 4);
    *bytes = NULL;
    *size = 0;
    if (width == 0 || height == 0) return "has no pixels";
    spng_ctx* context = png_context(SPNG_CTX_ENCODER);
    int       code = rows_encode(context, rgba, width, height, channels);
    if (!code) *bytes = spng_get_png_buffer(context, &count, &code);
    spng_ctx_free(context);
    *size = count;
    return code ? spng_strerror(code) : NULL;
}
