/* test_block_error.c - the error of block compression, compared with the same measure in double
 * precision over decoded images. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "block_error.h"
#include "test_picture.h"
#include "test_worlds_support.h"

static const PixelFormat formats[] = {PIXELS_BC1, PIXELS_BC3, PIXELS_BC4, PIXELS_BC5};

/* Do channels c of two pixels belong together in the format? */
static u32 group_of(PixelFormat format, u32 c) {
    if (format == PIXELS_BC1) return c < 3 ? 7 : 0;
    if (format == PIXELS_BC3) return c < 3 ? 7 : 8;
    return c < (format == PIXELS_BC4 ? 1u : 2u) ? 1u << c : 0;
}

static bool is_hidden(PixelFormat format, const u8* pixel, u32 c) {
    return format == PIXELS_BC3 && c < 3 && pixel[3] == 0;
}

/* Do the pixels of the block of x, y that are not hidden differ in a channel of the group? */
static bool block_varies(PixelFormat format, const u8* rgba, u32 width, u32 height, u32 x, u32 y,
                         u32 c) {
    const u32 group = group_of(format, c);
    f64       low[4] = {999, 999, 999, 999}, high[4] = {-1, -1, -1, -1};
    for (u32 j = y / 4 * 4; j < y / 4 * 4 + 4 && j < height; j++) {
        for (u32 i = x / 4 * 4; i < x / 4 * 4 + 4 && i < width; i++) {
            const u8* pixel = rgba + ((size_t)j * width + i) * 4;
            if (is_hidden(format, pixel, c)) continue;
            for (u32 k = 0; k < 4; k++) {
                low[k] = fmin(low[k], pixel[k]);
                high[k] = fmax(high[k], pixel[k]);
            }
        }
    }
    for (u32 k = 0; k < 4; k++)
        if ((group >> k & 1) && high[k] > low[k]) return true;
    return false;
}

/* The root of the mean square of a channel; -1: nothing is counted. */
static f64 slow_error(PixelFormat format, const u8* rgba, const u8* decoded, u32 width, u32 height,
                      u32 c) {
    f64 sum = 0, count = 0;
    for (u32 y = 0; y < height; y++) {
        for (u32 x = 0; x < width; x++) {
            const size_t at = ((size_t)y * width + x) * 4;
            if (!group_of(format, c) || is_hidden(format, rgba + at, c) ||
                !block_varies(format, rgba, width, height, x, y, c))
                continue;
            sum += pow((f64)rgba[at + c] - (f64)decoded[at + c], 2);
            count++;
        }
    }
    return count > 0 ? sqrt(sum / count) : -1;
}

static void compare_with_slow(PixelFormat format, const u8* rgba, u32 width, u32 height) {
    u8*        bytes = malloc(pixels_bytes(format, width, height));
    u8*        decoded = malloc((size_t)width * height * 4);
    BlockError error = {.alpha_hides = true};
    f64        largest = -1;
    pixels_encode(format, rgba, width, height, bytes);
    pixels_decode(format, bytes, width, height, decoded);
    block_error_add(&error, format, rgba, width, height, bytes);
    for (u32 c = 0; c < 4; c++) {
        const f64 slow = slow_error(format, rgba, decoded, width, height, c);
        const f64 fast = error.pixels[c] ? sqrt((f64)error.squares[c] / (f64)error.pixels[c]) : -1;
        if (fabs(slow - fast) > 1e-9)
            fail_msg("format %d, channel %u: %f, not %f", format, c, fast, slow);
        largest = fmax(largest, slow);
    }
    assert_int_equal(block_error_is_large(&error), largest > BLOCK_ERROR_MAX);
    free(bytes);
    free(decoded);
}

static void error_equals_that_of_decoded_images(void** state) {
    static const u32 sizes[][2] = {{64, 64}, {61, 35}, {1, 1}, {3, 9}, {5, 2}, {128, 4}};
    Random           random = {7};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        const u32 width = sizes[i][0], height = sizes[i][1];
        u8*       photo = picture_photo(width, height);
        u8*       noise = malloc((size_t)width * height * 4);
        for (u32 k = 0; k < width * height * 4; k++)
            noise[k] =
                (u8)(k % 4 == 3 && random_below(&random, 3) == 0 ? 0 : random_below(&random, 256));
        for (u32 f = 0; f < COUNT_OF(formats); f++) {
            compare_with_slow(formats[f], photo, width, height);
            compare_with_slow(formats[f], noise, width, height);
        }
        free(photo);
        free(noise);
    }
}

static bool is_harmed(PixelFormat format, const u8* rgba, u32 width, u32 height) {
    u8*        bytes = malloc(pixels_bytes(format, width, height));
    BlockError error = {.alpha_hides = true};
    pixels_encode(format, rgba, width, height, bytes);
    block_error_add(&error, format, rgba, width, height, bytes);
    free(bytes);
    return block_error_is_large(&error);
}

/* Bright colours in cells of `side` pixels; the rest of the picture is grey. */
static u8* palette_new(u32 width, u32 height, u32 side, u32 colored) {
    u8*    rgba = malloc((size_t)width * height * 4);
    Random random = {side};
    u8     cells[64][3];
    for (u32 i = 0; i < 64 * 3; i++) cells[i / 3][i % 3] = (u8)random_below(&random, 256);
    for (u32 i = 0; i < width * height; i++) {
        const u32 x = i % width, y = i / width, cell = (x / side + y / side * 11) % 64;
        const u8  pixel[4] = {cells[cell][0], cells[cell][1], cells[cell][2], 255};
        memcpy(rgba + i * 4ul, x < colored && y < colored ? pixel : (const u8[4]){90, 90, 90, 255},
               4);
    }
    return rgba;
}

static void photograph_is_compressed_and_a_palette_is_not(void** state) {
    u8* photo = picture_photo(256, 192);
    UNUSED(state);
    for (u32 f = 0; f < COUNT_OF(formats); f++)
        assert_false(is_harmed(formats[f], photo, 256, 192));
    free(photo);
    for (u32 side = 1; side < 4; side++) {
        u8 *palette = palette_new(64, 64, side, 64), *corner = palette_new(512, 512, side, 32);
        assert_true(is_harmed(PIXELS_BC1, palette, 64, 64));
        assert_true(is_harmed(PIXELS_BC3, palette, 64, 64));
        assert_true(is_harmed(PIXELS_BC1, corner, 512, 512)); /* not hidden by the grey part */
        free(palette);
        free(corner);
    }
    u8* blocks = palette_new(64, 64, 4, 64); /* each block has one colour */
    assert_false(is_harmed(PIXELS_BC1, blocks, 64, 64));
    free(blocks);
}

/* One channel has eight values between its extremes. */
static void noise_in_one_channel_is_compressed(void** state) {
    u8*    noise = malloc(64 * 64 * 4);
    Random random = {3};
    UNUSED(state);
    for (u32 i = 0; i < 64 * 64 * 4; i++) noise[i] = (u8)random_below(&random, 256);
    assert_false(is_harmed(PIXELS_BC4, noise, 64, 64));
    assert_false(is_harmed(PIXELS_BC5, noise, 64, 64));
    assert_true(is_harmed(PIXELS_BC1, noise, 64, 64));
    free(noise);
}

static void colors_of_invisible_pixels_have_no_effect(void** state) {
    u8* palette = palette_new(64, 64, 1, 64);
    UNUSED(state);
    for (u32 i = 0; i < 64 * 64; i++) palette[i * 4 + 3] = 0;
    assert_false(is_harmed(PIXELS_BC3, palette, 64, 64));
    assert_true(is_harmed(PIXELS_BC1, palette, 64, 64));
    free(palette);
}

static void plain_formats_have_no_error(void** state) {
    u8*        photo = picture_photo(16, 16);
    BlockError error = {.alpha_hides = true};
    UNUSED(state);
    block_error_add(&error, PIXELS_RGBA8, photo, 16, 16, photo);
    assert_false(block_error_is_large(&error));
    assert_true(error.pixels[0] == 0);
    free(photo);
}

TEST_SUITE(block_error) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_equals_that_of_decoded_images),
        cmocka_unit_test(photograph_is_compressed_and_a_palette_is_not),
        cmocka_unit_test(noise_in_one_channel_is_compressed),
        cmocka_unit_test(colors_of_invisible_pixels_have_no_effect),
        cmocka_unit_test(plain_formats_have_no_error),
    };
    return TEST_RUN("block_error", tests);
}
