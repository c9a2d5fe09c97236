/* blocks_decode.c - converts the pixel formats of the GPU to RGBA.
 *
 * The specification defines the colours of a block as real numbers: end points n / 31 and n / 63
 * (BC1 and the colours of BC3) or n / 255 (BC4, BC5 and the alpha of BC3), and weighted means of
 * these. Here each is computed as one fraction of integers and rounded to the nearest byte.
 *
 * Source   Khronos Data Format Specification 1.3, A. Garrard 2020: sections 18.1 and 18.3 (BC1, BC3),
 *          19.1 and 19.3 (BC4, BC5). The same formulas: Direct3D 11.3 Functional Specification,
 *          Microsoft 2015, section 19.5. */
#include "blocks_internal.h"

/* To the nearest; no fraction here is halfway between two bytes unless `under` is even. */
static u8 fraction(u32 over, u32 under) { return (u8)((2 * over + under) / (2 * under)); }

static u32 little_u16(const u8* at) { return at[0] | (u32)at[1] << 8; }
static u32 little_u32(const u8* at) { return little_u16(at) | little_u16(at + 2) << 16; }

/* (a * p + b * q) / (p + q) of two end points with 5, 6 and 5 bits. */
static void color_mix(u32 p, u32 a, u32 q, u32 b, u8 rgba[4]) {
    const u32 sum = p + q;
    rgba[0] = fraction(255 * (p * (a >> 11) + q * (b >> 11)), 31 * sum);
    rgba[1] = fraction(255 * (p * (a >> 5 & 63) + q * (b >> 5 & 63)), 63 * sum);
    rgba[2] = fraction(255 * (p * (a & 31) + q * (b & 31)), 31 * sum);
    rgba[3] = 255;
}

/* Colours and, in BC1, alpha. In BC3 a block always has four colours. */
static void decode_colors(const u8* bytes, bool always_four, u8 block[64]) {
    const u32 a = little_u16(bytes), b = little_u16(bytes + 2);
    u32       bits = little_u32(bytes + 4);
    u8        colors[4][4] = {{0}};
    color_mix(1, a, 0, b, colors[0]);
    color_mix(0, a, 1, b, colors[1]);
    if (always_four || a > b) {
        color_mix(2, a, 1, b, colors[2]);
        color_mix(1, a, 2, b, colors[3]);
    } else { /* the fourth is transparent black */
        color_mix(1, a, 1, b, colors[2]);
    }
    for (u32 i = 0; i < 16; i++, bits >>= 2) memcpy(block + i * 4, colors[bits & 3], 4);
}

/* One channel, in which each pixel has three bits. */
static void decode_channel(const u8* bytes, u8* first) {
    const u32 a = bytes[0], b = bytes[1];
    u64       bits = little_u32(bytes + 2) | (u64)little_u16(bytes + 6) << 32;
    u8        values[8] = {(u8)a, (u8)b, 0, 0, 0, 0, 0, 255};
    const u32 steps = a > b ? 7 : 5;
    assert(steps < COUNT_OF(values)); /* 5 or 7 */
    for (u32 i = 1; i < steps; i++) values[i + 1] = fraction((steps - i) * a + i * b, steps);
    for (u32 i = 0; i < 16; i++, bits >>= 3) first[i * 4] = values[bits & 7];
}

void block_decode(PixelFormat format, const u8* bytes, u8 block[64]) {
    const u32 side = pixels_layout(format).side;
    for (u32 i = 0; i < side * side; i++) memcpy(block + i * 4, (const u8[4]){0, 0, 0, 255}, 4);
    switch (format) {
    case PIXELS_RGBA8: memcpy(block, bytes, 4); break;
    case PIXELS_R8: block[0] = bytes[0]; break;
    case PIXELS_BC1: decode_colors(bytes, false, block); break;
    case PIXELS_BC3:
        decode_colors(bytes + 8, true, block);
        decode_channel(bytes, block + 3);
        break;
    case PIXELS_BC4: decode_channel(bytes, block); break;
    case PIXELS_BC5:
        decode_channel(bytes, block);
        decode_channel(bytes + 8, block + 1);
        break;
    }
}

void pixels_decode(PixelFormat format, const u8* bytes, u32 width, u32 height, u8* rgba) {
    const PixelLayout layout = pixels_layout(format);
    for (u32 y = 0; y < height; y += layout.side) {
        for (u32 x = 0; x < width; x += layout.side, bytes += layout.bytes) {
            const u32 columns = MIN_OF(layout.side, width - x),
                      rows = MIN_OF(layout.side, height - y);
            u8 block[64];
            block_decode(format, bytes, block);
            for (u32 row = 0; row < rows; row++)
                memcpy(rgba + ((size_t)(y + row) * width + x) * 4, block + row * 16, columns * 4);
        }
    }
}
