/* test_blocks.c - the pixel formats: blocks computed by hand, the formulas of the specification in
 * real numbers, and the quality of what the encoder writes. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "blocks.h"
#include "channel_block.h"
#include "hash.h"
#include "test_picture.h"
#include "test_worlds_support.h"

static const PixelFormat formats[] = {PIXELS_RGBA8, PIXELS_R8,  PIXELS_BC1,
                                      PIXELS_BC3,   PIXELS_BC4, PIXELS_BC5};

/* --- sizes --- */

static void bytes_of_an_image_include_incomplete_blocks(void** state) {
    UNUSED(state);
    assert_true(pixels_bytes(PIXELS_RGBA8, 3, 5) == 60);
    assert_true(pixels_bytes(PIXELS_R8, 3, 5) == 15);
    assert_true(pixels_bytes(PIXELS_BC1, 1, 1) == 8);
    assert_true(pixels_bytes(PIXELS_BC1, 4, 4) == 8);
    assert_true(pixels_bytes(PIXELS_BC1, 3, 5) == 16);
    assert_true(pixels_bytes(PIXELS_BC3, 5, 5) == 64);
    assert_true(pixels_bytes(PIXELS_BC4, 16384, 16384) == 134217728);
    assert_true(pixels_bytes(PIXELS_RGBA8, 16384, 16384) == 1073741824);
    assert_true(pixels_bytes(PIXELS_BC5, 8, 4) == 32);
    assert_int_equal(pixels_rows(PIXELS_BC1, 5), 2);
    assert_int_equal(pixels_rows(PIXELS_R8, 5), 5);
}

/* --- decoding --- */

static void expect_pixels(PixelFormat format, const u8* block, const u8 (*expected)[4]) {
    u8 rgba[16][4];
    pixels_decode(format, block, 4, 4, rgba[0]);
    for (u32 i = 0; i < 16; i++) {
        if (memcmp(rgba[i], expected[i % 4], 4) != 0)
            fail_msg("format %d, pixel %u: %u %u %u %u", format, i, rgba[i][0], rgba[i][1],
                     rgba[i][2], rgba[i][3]);
    }
}

/* White and black, then 2/3 and 1/3: 170 and 85. All rows have the indices 0 1 2 3. */
static void bc1_block_of_four_colors_is_decoded(void** state) {
    const u8 block[8] = {0xff, 0xff, 0x00, 0x00, 0xe4, 0xe4, 0xe4, 0xe4};
    const u8 expected[4][4] = {
        {255, 255, 255, 255}, {0, 0, 0, 255}, {170, 170, 170, 255}, {85, 85, 85, 255}};
    UNUSED(state);
    expect_pixels(PIXELS_BC1, block, expected);
}

/* End points in the other order: their mean, 127.5, and transparent black. */
static void bc1_block_of_three_colors_is_decoded(void** state) {
    const u8 block[8] = {0x00, 0x00, 0xff, 0xff, 0xe4, 0xe4, 0xe4, 0xe4};
    const u8 expected[4][4] = {
        {0, 0, 0, 255}, {255, 255, 255, 255}, {128, 128, 128, 255}, {0, 0, 0, 0}};
    UNUSED(state);
    expect_pixels(PIXELS_BC1, block, expected);
}

/* (31, 0, 0) and (0, 63, 15): blue 15 / 31 is 123.4; a third and two thirds of it are 41.1 and 82.3. */
static void bc3_block_always_has_four_colors(void** state) {
    const u8 block[16] = {255,  0,    0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa,
                          0xef, 0x07, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4};
    u8       rgba[16][4];
    const u8 expected[4][3] = {{0, 255, 123}, {255, 0, 0}, {85, 170, 82}, {170, 85, 41}};
    const u8 alpha[16] = {255, 0, 219, 182, 146, 109, 73, 36, 255, 0, 219, 182, 146, 109, 73, 36};
    UNUSED(state);
    pixels_decode(PIXELS_BC3, block, 4, 4, rgba[0]);
    for (u32 i = 0; i < 16; i++) {
        assert_memory_equal(rgba[i], expected[i % 4], 3);
        assert_int_equal(rgba[i][3], alpha[i]);
    }
}

/* 7 steps of 10 from 10 to 80; the first end point is the larger one. */
static void bc4_block_of_eight_values_is_decoded(void** state) {
    const u8 block[8] = {80, 10, 0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa};
    const u8 expected[8] = {80, 10, 70, 60, 50, 40, 30, 20};
    u8       rgba[16][4];
    UNUSED(state);
    pixels_decode(PIXELS_BC4, block, 4, 4, rgba[0]);
    for (u32 i = 0; i < 16; i++) {
        const u8 pixel[4] = {expected[i % 8], 0, 0, 255};
        assert_memory_equal(rgba[i], pixel, 4);
    }
}

/* 5 steps of 10 from 10 to 60, and 0 and 255. */
static void bc5_block_of_six_values_is_decoded(void** state) {
    const u8 block[16] = {10, 60,  0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa,
                          60, 255, 0x00, 0x00, 0x00, 0x49, 0x92, 0x24};
    const u8 expected[8] = {10, 60, 20, 30, 40, 50, 0, 255};
    u8       rgba[16][4];
    UNUSED(state);
    pixels_decode(PIXELS_BC5, block, 4, 4, rgba[0]);
    for (u32 i = 0; i < 16; i++) {
        const u8 pixel[4] = {expected[i % 8], i < 8 ? 60 : 255, 0, 255};
        assert_memory_equal(rgba[i], pixel, 4);
    }
}

/* The formulas in real numbers. */
static f64 real_channel(const u8* block, u32 i) {
    const f64 a = block[0], b = block[1];
    u64       bits = 0;
    for (u32 k = 0; k < 6; k++) bits |= (u64)block[2 + k] << 8 * k;
    const u32 code = (u32)(bits >> 3 * i) & 7;
    if (code < 2) return code ? b : a;
    if (block[0] > block[1]) return ((8 - code) * a + (code - 1) * b) / 7;
    return code == 6 ? 0 : code == 7 ? 255 : ((6 - code) * a + (code - 1) * b) / 5;
}

static void real_color(const u8* block, bool four, u32 i, f64 rgba[4]) {
    static const f64 weights[2][4] = {{0, 1, 0.5, 0}, {0, 1, 1.0 / 3, 2.0 / 3}};
    const u32        a = (u32)(block[0] | block[1] << 8), b = (u32)(block[2] | block[3] << 8);
    const u32        code = block[4 + i / 4] >> 2 * (i % 4) & 3;
    const f64        w = weights[four || a > b][code];
    const bool       none = !four && a <= b && code == 3;
    const f64        first[3] = {(a >> 11) / 31.0, (a >> 5 & 63) / 63.0, (a & 31) / 31.0};
    const f64        second[3] = {(b >> 11) / 31.0, (b >> 5 & 63) / 63.0, (b & 31) / 31.0};
    for (u32 c = 0; c < 3; c++) rgba[c] = none ? 0 : 255 * (first[c] * (1 - w) + second[c] * w);
    rgba[3] = none ? 0 : 255;
}

static void real_pixel(PixelFormat format, const u8* block, u32 i, f64 rgba[4]) {
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[3] = 255;
    if (format == PIXELS_BC1) real_color(block, false, i, rgba);
    if (format == PIXELS_BC3) real_color(block + 8, true, i, rgba);
    if (format == PIXELS_BC3) rgba[3] = real_channel(block, i);
    if (format == PIXELS_BC4 || format == PIXELS_BC5) rgba[0] = real_channel(block, i);
    if (format == PIXELS_BC5) rgba[1] = real_channel(block + 8, i);
}

static void random_blocks_are_decoded_as_in_real_numbers(void** state) {
    Random random = {5};
    UNUSED(state);
    for (u32 n = 0; n < 40000; n++) {
        const PixelFormat format = formats[2 + n % 4];
        u8                block[16], rgba[16][4];
        for (u32 i = 0; i < sizeof block; i++) block[i] = (u8)random_below(&random, 256);
        pixels_decode(format, block, 4, 4, rgba[0]);
        for (u32 i = 0; i < 16; i++) {
            f64 expected[4];
            real_pixel(format, block, i, expected);
            for (u32 c = 0; c < 4; c++) assert_true(fabs(rgba[i][c] - expected[c]) <= 0.5 + 1e-9);
        }
    }
}

/* --- encoding --- */

static void plain_formats_keep_their_channels_exactly(void** state) {
    u8* rgba = picture_photo(37, 21);
    u8  bytes[37 * 21 * 4], back[37 * 21 * 4];
    UNUSED(state);
    pixels_encode(PIXELS_RGBA8, rgba, 37, 21, bytes);
    assert_memory_equal(bytes, rgba, sizeof bytes);
    pixels_decode(PIXELS_RGBA8, bytes, 37, 21, back);
    assert_memory_equal(back, rgba, sizeof back);
    pixels_encode(PIXELS_R8, rgba, 37, 21, bytes);
    pixels_decode(PIXELS_R8, bytes, 37, 21, back);
    for (u32 i = 0; i < 37 * 21; i++) {
        const u8 pixel[4] = {rgba[i * 4], 0, 0, 255};
        assert_memory_equal(back + i * 4, pixel, 4);
    }
    free(rgba);
}

/* PSNR of the channels of a format after encoding and decoding. */
static f64 quality(PixelFormat format, const u8* rgba, u32 width, u32 height, u32 channels) {
    u8* bytes = malloc(pixels_bytes(format, width, height));
    u8* back = malloc((size_t)width * height * 4);
    pixels_encode(format, rgba, width, height, bytes);
    pixels_decode(format, bytes, width, height, back);
    const f64 psnr = picture_psnr(rgba, back, (u64)width * height, channels);
    free(bytes);
    free(back);
    return psnr;
}

static void compressed_photo_is_within_bounds_of_quality(void** state) {
    static const struct {
        PixelFormat format;
        u32         channels;
        f64         min;
    } cases[] = {{PIXELS_BC1, 7, 39.4},
                 {PIXELS_BC3, 7, 39.4},
                 {PIXELS_BC3, 8, 38.0},
                 {PIXELS_BC4, 1, 45.3},
                 {PIXELS_BC5, 3, 46.8}};
    u8* rgba = picture_photo(256, 192);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        const f64 psnr = quality(cases[i].format, rgba, 256, 192, cases[i].channels);
        if (psnr < cases[i].min)
            fail_msg("format %d, channels %u: %.2f dB", cases[i].format, cases[i].channels, psnr);
    }
    free(rgba);
}

static f64 channel_error(const u8* values, const u8* block) {
    f64 sum = 0;
    for (u32 i = 0; i < 16; i++) {
        const f64 difference = real_channel(block, i) - values[i];
        sum += difference * difference;
    }
    return sum;
}

/* The least error of all end points. */
static f64 channel_min(const u8* values) {
    f64 min = HUGE_VAL;
    for (u32 ends = 0; ends < 65536; ends++) {
        u8  block[8] = {(u8)ends, (u8)(ends >> 8)};
        f64 value[8], sum = 0;
        for (u32 k = 0; k < 8; k++) {
            block[2] = (u8)k;
            value[k] = real_channel(block, 0);
        }
        for (u32 i = 0; i < 16 && sum < min; i++) {
            f64 best = HUGE_VAL;
            for (u32 k = 0; k < 8; k++)
                best = MIN_OF(best, (value[k] - values[i]) * (value[k] - values[i]));
            sum += best;
        }
        min = MIN_OF(min, sum);
    }
    return min;
}

/* Narrow and wide blocks, slopes, edges to 0 and 255; 12 % above the least error of all
 * blocks together. */
static void channel_is_compressed_almost_as_well_as_possible(void** state) {
    Random random = {4};
    f64    sum = 0, min_sum = 0;
    UNUSED(state);
    for (u32 n = 0; n < 120; n++) {
        u8        values[16], block[8];
        const u32 base = random_below(&random, 256), range = 1 + random_below(&random, 256);
        for (u32 i = 0; i < 16; i++) {
            const u32 noise = random_below(&random, range);
            u32       value = base + (n % 3 ? noise : noise / 8 + i * range / 20);
            if (n % 4 == 3 && random_below(&random, 3) == 0) value = random_below(&random, 2) * 255;
            values[i] = (u8)MIN_OF(value, 255u);
        }
        channel_block_encode(values, block);
        const f64 error = channel_error(values, block), min = channel_min(values);
        if (error > 2.5 * min + 4) fail_msg("block %u: %g, at least %g", n, error, min);
        sum += error;
        min_sum += min;
    }
    if (sum > 1.12 * min_sum) fail_msg("%g, at least %g", sum, min_sum);
}

static void constant_color_is_compressed_to_its_nearest_value(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 256; i++) {
        u8 rgba[16 * 4];
        for (u32 k = 0; k < 16; k++) memset(rgba + k * 4, (int)i, 4);
        assert_true(quality(PIXELS_BC4, rgba, 4, 4, 1) == INFINITY);
        assert_true(quality(PIXELS_BC5, rgba, 4, 4, 3) == INFINITY);
        assert_true(quality(PIXELS_BC3, rgba, 4, 4, 8) == INFINITY);
        assert_true(quality(PIXELS_BC1, rgba, 4, 4, 7) > 43);
    }
}

/* Opaque whatever the alpha of the source, and never in the form with transparent black. */
static void bc1_is_opaque_for_every_source(void** state) {
    u8* rgba = picture_photo(61, 35);
    u8  bytes[2048], back[61 * 35 * 4];
    UNUSED(state);
    pixels_encode(PIXELS_BC1, rgba, 61, 35, bytes);
    pixels_decode(PIXELS_BC1, bytes, 61, 35, back);
    for (u32 i = 3; i < sizeof back; i += 4) assert_int_equal(back[i], 255);
    free(rgba);
}

/* A block beyond the edge is that of an image in which the last column and row are repeated. */
static void incomplete_block_repeats_the_last_pixels(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {3, 5}, {2, 7}, {5, 1}, {9, 10}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        const u32 width = sizes[i][0], height = sizes[i][1];
        u8*       rgba = picture_photo(width, height);
        u8        wide[12 * 12 * 4], small[144 * 4], large[144 * 4];
        const u32 full_width = (width + 3) / 4 * 4, full_height = (height + 3) / 4 * 4;
        for (u32 y = 0; y < full_height; y++) {
            for (u32 x = 0; x < full_width; x++)
                memcpy(wide + (y * full_width + x) * 4,
                       rgba + (MIN_OF(y, height - 1) * width + MIN_OF(x, width - 1)) * 4, 4);
        }
        for (u32 f = 2; f < COUNT_OF(formats); f++) {
            pixels_encode(formats[f], rgba, width, height, small);
            pixels_encode(formats[f], wide, full_width, full_height, large);
            assert_true(pixels_bytes(formats[f], width, height) ==
                        pixels_bytes(formats[f], full_width, full_height));
            assert_memory_equal(small, large, pixels_bytes(formats[f], width, height));
        }
        free(rgba);
    }
}

/* A machine or a compiler that writes other blocks is noticed here. */
static void blocks_of_a_fixed_image_have_a_fixed_hash(void** state) {
    static const u64 expected[COUNT_OF(formats)] = {0x84907350233f63c2ull, 0x11da151198849b5cull,
                                                    0x09e28630fb820603ull, 0x2ed60dbe2b18a37bull,
                                                    0x9572590a93f98737ull, 0x00d1ca46233be019ull};
    u8*              rgba = picture_photo(509, 254);
    u8*              bytes = malloc((size_t)509 * 254 * 4);
    bool             equal = true;
    UNUSED(state);
    for (u32 f = 0; f < COUNT_OF(formats); f++) {
        pixels_encode(formats[f], rgba, 509, 254, bytes);
        const u64 hash = hash_bytes(bytes, pixels_bytes(formats[f], 509, 254), 0);
        if (hash != expected[f]) print_error("format %u: 0x%016llx\n", f, (unsigned long long)hash);
        equal &= hash == expected[f];
    }
    free(rgba);
    free(bytes);
    assert_true(equal);
}

TEST_SUITE(blocks) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_an_image_include_incomplete_blocks),
        cmocka_unit_test(bc1_block_of_four_colors_is_decoded),
        cmocka_unit_test(bc1_block_of_three_colors_is_decoded),
        cmocka_unit_test(bc3_block_always_has_four_colors),
        cmocka_unit_test(bc4_block_of_eight_values_is_decoded),
        cmocka_unit_test(bc5_block_of_six_values_is_decoded),
        cmocka_unit_test(random_blocks_are_decoded_as_in_real_numbers),
        cmocka_unit_test(plain_formats_keep_their_channels_exactly),
        cmocka_unit_test(compressed_photo_is_within_bounds_of_quality),
        cmocka_unit_test(channel_is_compressed_almost_as_well_as_possible),
        cmocka_unit_test(constant_color_is_compressed_to_its_nearest_value),
        cmocka_unit_test(bc1_is_opaque_for_every_source),
        cmocka_unit_test(incomplete_block_repeats_the_last_pixels),
        cmocka_unit_test(blocks_of_a_fixed_image_have_a_fixed_hash),
    };
    return TEST_RUN("blocks", tests);
}
