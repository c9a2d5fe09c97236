/* blocks.c - sizes of the pixel formats, and the conversion to them.
 *
 * stb_dxt is compiled here and not linked: with the flags of this project, its floats are the same
 * on every machine. */
#include "blocks_internal.h"
#include "channel_block.h"

#include <float.h>

#define STB_DXT_STATIC
#define STB_DXT_IMPLEMENTATION
#include <stb/stb_dxt.h>

_Static_assert(FLT_EVAL_METHOD == 0, "f32 must be evaluated as f32, or the bytes would differ");

static const PixelLayout layouts[] = {
    [PIXELS_RGBA8] = {1, 4}, [PIXELS_R8] = {1, 1},  [PIXELS_BC1] = {4, 8},
    [PIXELS_BC3] = {4, 16},  [PIXELS_BC4] = {4, 8}, [PIXELS_BC5] = {4, 16}};

PixelLayout pixels_layout(PixelFormat format) { return layouts[format]; }

u32 pixels_rows(PixelFormat format, u32 height) {
    const u32 side = layouts[format].side;
    return (height + side - 1) / side;
}

u64 pixels_bytes(PixelFormat format, u32 width, u32 height) {
    return (u64)pixels_rows(format, width) * pixels_rows(format, height) * layouts[format].bytes;
}

/* The 4 x 4 pixels of a block. */
static void block_load(const u8* rgba, u32 width, u32 height, u32 x, u32 y, u8 block[64]) {
    for (u32 row = 0; row < 4; row++) {
        const u8* from = rgba + (size_t)MIN_OF(y + row, height - 1) * width * 4;
        if (x + 4 <= width) {
            memcpy(block + row * 16, from + (size_t)x * 4, 16);
            continue;
        }
        for (u32 column = 0; column < 4; column++)
            memcpy(block + row * 16 + column * 4, from + (size_t)MIN_OF(x + column, width - 1) * 4,
                   4);
    }
}

/* The encoder needs equal alphas. */
static void color_encode(u8 block[64], u8* out) {
    for (u32 i = 0; i < 16; i++) block[i * 4 + 3] = 255;
    stb_compress_dxt_block(out, block, 0, STB_DXT_HIGHQUAL);
}

static void channel_encode(const u8 block[64], u32 channel, u8* out) {
    u8 values[16];
    for (u32 i = 0; i < 16; i++) values[i] = block[i * 4 + channel];
    channel_block_encode(values, out);
}

static void block_encode(PixelFormat format, u8 block[64], u8* out) {
    switch (format) {
    case PIXELS_BC1: color_encode(block, out); break;
    case PIXELS_BC3:
        channel_encode(block, 3, out);
        color_encode(block, out + 8);
        break;
    case PIXELS_BC4: channel_encode(block, 0, out); break;
    case PIXELS_BC5:
        channel_encode(block, 0, out);
        channel_encode(block, 1, out + 8);
        break;
    default: assert(false);
    }
}

void pixels_encode(PixelFormat format, const u8* rgba, u32 width, u32 height, u8* out) {
    const u64 bytes = pixels_bytes(format, width, height);
    assert(width > 0 && height > 0);
    if (format == PIXELS_RGBA8) {
        memcpy(out, rgba, bytes);
        return;
    }
    if (format == PIXELS_R8) {
        for (u64 i = 0; i < bytes; i++) out[i] = rgba[i * 4];
        return;
    }
    for (u32 y = 0; y < height; y += 4) {
        for (u32 x = 0; x < width; x += 4, out += layouts[format].bytes) {
            _Alignas(16) u8 block[64];
            block_load(rgba, width, height, x, y, block);
            block_encode(format, block, out);
        }
    }
}
