/* block_error.c - compares the pixels of an image with what its blocks are decoded to. */
#include "block_error.h"

#include "blocks_internal.h"

/* Channels that are encoded together. */
typedef struct Group {
    u8   mask[4]; /* 255: the channel belongs to it */
    bool colors;  /* hidden where alpha is 0 */
} Group;

#define GROUPS_MAX 2u

static u32 groups_of(PixelFormat format, Group groups[GROUPS_MAX]) {
    const Group red = {{255, 0, 0, 0}, false}, green = {{0, 255, 0, 0}, false};
    const Group colors = {{255, 255, 255, 0}, true}, alpha = {{0, 0, 0, 255}, false};
    switch (format) {
    case PIXELS_BC1: groups[0] = colors, groups[0].colors = false; return 1;
    case PIXELS_BC3: groups[0] = colors, groups[1] = alpha; return 2;
    case PIXELS_BC4: groups[0] = red; return 1;
    case PIXELS_BC5: groups[0] = red, groups[1] = green; return 2;
    default: return 0; /* nothing is changed */
    }
}

/* The part of an image in one block. */
typedef struct Part {
    const u8* at; /* its first pixel */
    size_t    row_bytes;
    u32       columns, rows; /* 1 to 4 */
} Part;

static u32 word_of(const u8 bytes[4]) {
    u32 word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The pixels that are counted, as bits; 0 when all have the same values in the group. */
static u32 pixels_counted(Part part, const Group* group, bool alpha_hides) {
    const bool hides = alpha_hides && group->colors;
    u32        counted = 0, first = 0, differs = 0;
    for (u32 y = 0; y < part.rows; y++) {
        const u8* pixel = part.at + y * part.row_bytes;
        for (u32 x = 0; x < part.columns; x++, pixel += 4) {
            if (hides && pixel[3] == 0) continue;
            const u32 word = word_of(pixel);
            if (!counted) first = word;
            differs |= word ^ first;
            counted |= 1u << (y * 4 + x);
        }
    }
    return differs & word_of(group->mask) ? counted : 0;
}

static void group_add(BlockError* error, Part part, const Group* group, u32 counted,
                      const u8 decoded[64]) {
    u32 squares[4] = {0}, pixels = 0;
    for (u32 y = 0; y < part.rows; y++) {
        const u8* pixel = part.at + y * part.row_bytes;
        for (u32 x = 0; x < part.columns; x++, pixel += 4) {
            const u32 i = y * 4 + x, bit = counted >> i & 1;
            for (u32 c = 0; c < 4; c++) {
                const i32 difference = (i32)pixel[c] - (i32)decoded[i * 4 + c];
                squares[c] += (u32)(difference * difference) * bit;
            }
            pixels += bit;
        }
    }
    for (u32 c = 0; c < 4; c++) {
        if (!group->mask[c]) continue;
        error->squares[c] += squares[c];
        error->pixels[c] += pixels;
    }
}

void block_error_add(BlockError* error, PixelFormat format, const u8* rgba, u32 width, u32 height,
                     const u8* bytes, bool alpha_hides) {
    const PixelLayout layout = pixels_layout(format);
    Group             groups[GROUPS_MAX];
    const u32         group_count = groups_of(format, groups);
    assert(group_count <= COUNT_OF(groups));
    for (u32 y = 0; group_count && y < height; y += 4) {
        for (u32 x = 0; x < width; x += 4, bytes += layout.bytes) {
            const Part part = {rgba + ((size_t)y * width + x) * 4, (size_t)width * 4,
                               MIN_OF(4u, width - x), MIN_OF(4u, height - y)};
            u8         decoded[64];
            bool       is_decoded = false;
            for (u32 i = 0; i < group_count; i++) {
                const u32 counted = pixels_counted(part, &groups[i], alpha_hides);
                if (!counted) continue;
                if (!is_decoded) block_decode(format, bytes, decoded);
                is_decoded = true;
                group_add(error, part, &groups[i], counted, decoded);
            }
        }
    }
}

bool block_error_is_large(const BlockError* error) {
    for (u32 c = 0; c < 4; c++) {
        if (error->squares[c] > (u64)BLOCK_ERROR_MAX * BLOCK_ERROR_MAX * error->pixels[c])
            return true;
    }
    return false;
}
