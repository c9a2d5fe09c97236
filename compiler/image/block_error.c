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

#define ALL_PIXELS 0xffffu

/* One block of an image: its pixels, row by row. Those outside of the image are copies of the first one. */
typedef struct Block {
    u8  pixels[64];
    u32 inside; /* a bit for each pixel of the image */
} Block;

static u32 word_of(const u8 bytes[4]) {
    u32 word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* `columns` and `rows`: of the image, 1 to 4. */
static void block_read(Block* block, const u8* at, size_t row_bytes, u32 columns, u32 rows) {
    block->inside = ALL_PIXELS;
    if (columns == 4 && rows == 4) {
        for (u32 y = 0; y < 4; y++) memcpy(block->pixels + y * 16, at + y * row_bytes, 16);
        return;
    }
    block->inside = 0;
    for (u32 i = 0; i < 16; i++) {
        const bool is_inside = i % 4 < columns && i / 4 < rows;
        const u8*  pixel = is_inside ? at + i / 4 * row_bytes + i % 4 * 4 : at;
        memcpy(block->pixels + i * 4, pixel, 4);
        block->inside |= (u32)is_inside << i;
    }
}

/* Bits that are not equal in all pixels. */
static u32 differences(const u8 pixels[64]) {
    u32 word[16], differs = 0;
    memcpy(word, pixels, sizeof word);
    for (u32 i = 0; i < 16; i++) differs |= word[i] ^ word[0];
    return differs;
}

/* The same of those that are counted. */
static u32 differences_counted(const u8 pixels[64], u32 counted) {
    u32 first = 0, differs = 0;
    for (u32 i = 0, any = 0; i < 16; i++) {
        if (!(counted >> i & 1)) continue;
        const u32 word = word_of(pixels + i * 4);
        if (!any++) first = word;
        differs |= word ^ first;
    }
    return differs;
}

/* The pixels that are counted, as bits; 0 when all have the same values in the group. */
static u32 pixels_counted(const Block* block, const Group* group, bool hides) {
    u32 counted = block->inside;
    for (u32 i = 0; hides && i < 16; i++) counted &= ~((u32)(block->pixels[i * 4 + 3] == 0) << i);
    const u32 differs = counted == block->inside ? differences(block->pixels)
                                                 : differences_counted(block->pixels, counted);
    return differs & word_of(group->mask) ? counted : 0;
}

/* The sum of squares of each channel. The loops have no branches, so that they are computed in vectors. */
static void squares_sum(const u8 a[64], const u8 b[64], u32 squares[4]) {
    u32 sum[16] = {0};
    for (u32 y = 0; y < 64; y += 16) {
        for (u32 i = 0; i < 16; i++) {
            const int16_t difference = (int16_t)(a[y + i] - b[y + i]);
            sum[i] += (u16)(difference * difference);
        }
    }
    for (u32 c = 0; c < 4; c++) squares[c] = sum[c] + sum[c + 4] + sum[c + 8] + sum[c + 12];
}

static void group_add(BlockError* error, const Block* block, const Group* group, u32 counted,
                      const u8 decoded[64]) {
    u8  compared[64];
    u32 squares[4], pixels = 16;
    if (counted != ALL_PIXELS) {
        memcpy(compared, decoded, sizeof compared);
        for (u32 i = 0; i < 16; i++) /* what is not counted is equal */
            if (!(counted >> i & 1)) memcpy(compared + i * 4, block->pixels + i * 4, 4);
        pixels = (u32)__builtin_popcount(counted);
        decoded = compared;
    }
    squares_sum(block->pixels, decoded, squares);
    for (u32 c = 0; c < 4; c++) {
        if (!group->mask[c]) continue;
        error->squares[c] += squares[c];
        error->pixels[c] += pixels;
    }
}

void block_error_add(BlockError* error, PixelFormat format, const u8* rgba, u32 width, u32 height,
                     const u8* bytes) {
    const PixelLayout layout = pixels_layout(format);
    Group             groups[GROUPS_MAX];
    const u32         group_count = groups_of(format, groups);
    assert(group_count <= COUNT_OF(groups));
    for (u32 y = 0; group_count && y < height; y += 4) {
        for (u32 x = 0; x < width; x += 4, bytes += layout.bytes) {
            Block block;
            u8    decoded[64];
            bool  is_decoded = false;
            block_read(&block, rgba + ((size_t)y * width + x) * 4, (size_t)width * 4,
                       MIN_OF(4u, width - x), MIN_OF(4u, height - y));
            for (u32 i = 0; i < group_count; i++) {
                const bool hides = error->alpha_hides && groups[i].colors;
                const u32  counted = pixels_counted(&block, &groups[i], hides);
                if (!counted) continue;
                if (!is_decoded) block_decode(format, bytes, decoded);
                is_decoded = true;
                group_add(error, &block, &groups[i], counted, decoded);
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
