/* test_levels.c - the mip levels, compared with a slow filter in double precision that is written
 * independently: the average over the covered area, with pow of libm. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "levels.h"
#include "srgb.h"
#include "test_picture.h"
#include "test_worlds_support.h"

/* --- sRGB --- */

static f64 exact_decode(f64 v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }
static f64 exact_encode(f64 v) {
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static void srgb_table_is_that_of_the_exact_formula(void** state) {
    const SrgbTables* srgb = srgb_tables();
    UNUSED(state);
    for (u32 i = 0; i < 256; i++) {
        const f64 exact = exact_decode(i / 255.0);
        assert_true(fabs(srgb_decode(i / 255.0) - exact) <= 4e-16);
        assert_true(srgb->linear[i] == (f32)exact);
    }
    for (u32 i = 0; i <= 100000; i++)
        assert_true(fabs(srgb_decode(i / 1e5) - exact_decode(i / 1e5)) <= 1e-15);
}

static void srgb_byte_converted_to_linear_and_back_is_the_same(void** state) {
    const SrgbTables* srgb = srgb_tables();
    UNUSED(state);
    for (u32 i = 0; i < 256; i++) assert_int_equal(srgb_encode(srgb, srgb->linear[i]), i);
    assert_int_equal(srgb_encode(srgb, -1), 0);
    assert_int_equal(srgb_encode(srgb, 0), 0);
    assert_int_equal(srgb_encode(srgb, 1.5f), 255);
    assert_int_equal(srgb_encode(srgb, 1e30f), 255);
}

static f32 f32_of(u32 bits) {
    f32 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static u32 bits_of(f32 value) {
    u32 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Every 61st f32 from 2^-14 to 1, and those beside each threshold. */
static void linear_value_is_encoded_to_the_nearest_srgb_byte(void** state) {
    const SrgbTables* srgb = srgb_tables();
    UNUSED(state);
    for (u32 bits = bits_of(1.0f / 16384); bits <= bits_of(1.0f); bits += 61) {
        const f64 exact = exact_encode((f64)f32_of(bits)) * 255;
        const u32 byte = srgb_encode(srgb, f32_of(bits));
        if (fabs(exact - byte) > 0.500001) fail_msg("%a: %u, not %f", f32_of(bits), byte, exact);
    }
    for (u32 i = 1; i < 256; i++) {
        const u32 bits = bits_of(srgb->threshold[i]);
        assert_int_equal(srgb_encode(srgb, f32_of(bits)), i);
        assert_int_equal(srgb_encode(srgb, f32_of(bits - 1)), i - 1);
        assert_true((f64)f32_of(bits) >= srgb_decode((i - 0.5) / 255.0));
        assert_true((f64)f32_of(bits - 1) < srgb_decode((i - 0.5) / 255.0));
    }
}

/* --- the slow filter --- */

typedef struct Slow {
    u32  width, height;
    f64* at; /* [height][width][5] channels, and the weight of the colours */
} Slow;

static Slow slow_alloc(u32 width, u32 height) {
    const Slow slow = {width, height, calloc((size_t)width * height * 5, sizeof(f64))};
    if (!slow.at) abort();
    return slow;
}

/* Colours times weight; the weight is alpha for MIP_COLOR. */
static Slow slow_source(const u8* rgba, u32 width, u32 height, MipUsage usage) {
    const Slow slow = slow_alloc(width, height);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        f64* to = slow.at + i * 5;
        to[3] = rgba[i * 4 + 3] / 255.0;
        to[4] = usage == MIP_COLOR ? to[3] : 1;
        for (u32 c = 0; c < 3; c++) {
            const f64 v = rgba[i * 4 + c] / 255.0;
            to[c] = to[4] * (usage == MIP_COLOR    ? exact_decode(v)
                             : usage == MIP_NORMAL ? v * 2 - 1
                                                   : v);
        }
    }
    return slow;
}

/* The part of the texel i that is between two positions. */
static f64 overlap(u32 i, f64 from, f64 to) {
    const f64 part = fmin(to, i + 1.0) - fmax(from, i);
    return part > 0 ? part : 0;
}

static Slow slow_half(Slow from) {
    const u32 width = from.width > 1 ? from.width / 2 : 1,
              height = from.height > 1 ? from.height / 2 : 1;
    const Slow to = slow_alloc(width, height);
    const f64  dx = (f64)from.width / width, dy = (f64)from.height / height;
    for (u32 i = 0; i < width * height; i++) {
        const f64 left = i % width * dx, top = i / width * dy;
        for (u32 y = (u32)top; y < from.height && y < top + dy; y++) {
            for (u32 x = (u32)left; x < from.width && x < left + dx; x++) {
                const f64 area =
                    overlap(x, left, left + dx) * overlap(y, top, top + dy) / (dx * dy);
                for (u32 c = 0; c < 5; c++)
                    to.at[(size_t)i * 5 + c] +=
                        area * from.at[((size_t)y * from.width + x) * 5 + c];
            }
        }
    }
    free(from.at);
    return to;
}

/* Levels of normal maps: a shorter average has no direction. As the page states it. */
#define NORMAL_SHORT (1.0 / 16)

/* So near to it that f32 may round to the other side. */
static bool normal_is_at_bound(const f64* from) {
    const f64 length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    return fabs(length - NORMAL_SHORT) < 1e-5;
}

/* Four channels of 0 to 255, not rounded. */
static void slow_pixel(const f64* from, const MipOptions* options, f64 out[4]) {
    const f64 weight = from[4] > 0 ? from[4] : 1;
    f64       length = 0;
    out[3] = from[3] * 255;
    for (u32 c = 0; c < 3; c++) length += from[c] * from[c];
    for (u32 c = 0; c < 3; c++) {
        const f64 straight = from[c] / weight;
        if (options->usage == MIP_COLOR)
            out[c] = exact_encode(options->is_premultiplied ? from[c] : straight) * 255;
        else if (options->usage == MIP_NORMAL && sqrt(length) < NORMAL_SHORT)
            out[c] = c == 2 ? 255 : 128; /* a byte: 127.5 is rounded up */
        else if (options->usage == MIP_NORMAL)
            out[c] = (from[c] / sqrt(length) + 1) * 127.5;
        else
            out[c] = straight * 255;
    }
}

/* All levels but the source are within 1/255 of the slow filter. */
static void check_levels(const u8* rgba, u32 width, u32 height, MipOptions options) {
    MipLevels levels;
    u8*       buffer = malloc((size_t)width * height * 4);
    Slow      slow = slow_source(rgba, width, height, options.usage);
    f64       worst = 0;
    mip_levels_open(&levels, &options, rgba, width, height);
    for (u32 level = 1; mip_levels_next(&levels); level++) {
        const u8* found = mip_levels_pixels(&levels, buffer);
        slow = slow_half(slow);
        assert_true(levels.width == slow.width && levels.height == slow.height &&
                    levels.index == level);
        for (size_t i = 0; i < (size_t)slow.width * slow.height; i++) {
            f64 expected[4];
            slow_pixel(slow.at + i * 5, &options, expected);
            if (options.usage == MIP_NORMAL && normal_is_at_bound(slow.at + i * 5)) continue;
            const bool visible = options.usage != MIP_COLOR || slow.at[i * 5 + 3] > 0;
            for (u32 c = visible ? 0 : 3; c < 4; c++)
                worst = fmax(worst, fabs(found[i * 4 + c] - expected[c]));
        }
    }
    assert_true(levels.width == 1 && levels.height == 1);
    if (worst > 0.51)
        fail_msg("%u x %u, usage %d: differs by %f", width, height, options.usage, worst);
    mip_levels_close(&levels);
    free(slow.at);
    free(buffer);
}

static const u32 sizes[][2] = {{64, 64}, {1, 1},  {2, 2},  {3, 3},    {1, 77},
                               {77, 1},  {2, 31}, {5, 64}, {101, 67}, {255, 33}};

static void check_all_sizes(MipOptions options) {
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        u8* rgba = picture_photo(sizes[i][0], sizes[i][1]);
        check_levels(rgba, sizes[i][0], sizes[i][1], options);
        free(rgba);
    }
}

static void color_levels_equal_those_of_a_slow_filter(void** state) {
    UNUSED(state);
    check_all_sizes((MipOptions){.usage = MIP_COLOR});
}

static void premultiplied_levels_equal_those_of_a_slow_filter(void** state) {
    UNUSED(state);
    check_all_sizes((MipOptions){.usage = MIP_COLOR, .is_premultiplied = true});
}

static void linear_levels_equal_those_of_a_slow_filter(void** state) {
    UNUSED(state);
    check_all_sizes((MipOptions){.usage = MIP_LINEAR});
}

/* Unit vectors that point away from the surface. */
static u8* normals_of(u32 width, u32 height) {
    u8* rgba = picture_photo(width, height);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        const f64 x = rgba[i * 4] / 255.0 - 0.5, y = rgba[i * 4 + 1] / 255.0 - 0.5;
        const f64 n[3] = {x, y, sqrt(1 - x * x - y * y)};
        for (u32 c = 0; c < 3; c++) rgba[i * 4 + c] = (u8)lround((n[c] + 1) * 127.5);
    }
    return rgba;
}

static void normal_levels_equal_those_of_a_slow_filter(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        u8* rgba = normals_of(sizes[i][0], sizes[i][1]);
        check_levels(rgba, sizes[i][0], sizes[i][1], (MipOptions){.usage = MIP_NORMAL});
        free(rgba);
    }
}

static void normals_of_each_level_are_unit_vectors(void** state) {
    const MipOptions options = {.usage = MIP_NORMAL};
    u8*              rgba = normals_of(101, 67);
    u8               buffer[101 * 67 * 4];
    MipLevels        levels;
    UNUSED(state);
    mip_levels_open(&levels, &options, rgba, 101, 67);
    while (mip_levels_next(&levels)) {
        const u8* found = mip_levels_pixels(&levels, buffer);
        for (u32 i = 0; i < levels.width * levels.height; i++) {
            f64 square = 0;
            for (u32 c = 0; c < 3; c++) square += pow(found[i * 4 + c] / 127.5 - 1, 2);
            assert_true(fabs(sqrt(square) - 1) < 0.008);
        }
    }
    mip_levels_close(&levels);
    free(rgba);
}

/* Opposite vectors have no average direction: the normal of the surface is used. */
static void opposite_normals_become_the_surface_normal(void** state) {
    const u8         rgba[2][4] = {{255, 0, 0, 255}, {0, 255, 255, 255}};
    const MipOptions options = {.usage = MIP_NORMAL};
    const u8         expected[4] = {128, 128, 255, 255};
    u8               buffer[4];
    MipLevels        levels;
    UNUSED(state);
    mip_levels_open(&levels, &options, rgba[0], 2, 1);
    assert_true(mip_levels_next(&levels));
    assert_memory_equal(mip_levels_pixels(&levels, buffer), expected, 4);
    mip_levels_close(&levels);
}

/* Grey from `low` to `high` in each channel: vectors that are shorter than any normal, in a random
 * direction; from 0 to 255 their averages become shorter from level to level. */
static u8* grey_noise(u32 width, u32 height, u32 low, u32 high) {
    u8*    rgba = malloc((size_t)width * height * 4);
    Random random = {low + 3};
    for (u32 i = 0; i < width * height * 4; i++)
        rgba[i] = (u8)(low + random_below(&random, high - low + 1));
    return rgba;
}

static void levels_of_noise_in_a_normal_map_equal_those_of_a_slow_filter(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        for (u32 low = 0; low <= 128; low += 32) {
            u8* rgba = grey_noise(sizes[i][0], sizes[i][1], low, 255 - low + (low == 128));
            check_levels(rgba, sizes[i][0], sizes[i][1], (MipOptions){.usage = MIP_NORMAL});
            free(rgba);
        }
    }
}

/* Exactly, also when the grey is not exactly in the middle. */
static void smaller_levels_of_a_neutral_normal_map_are_neutral(void** state) {
    static const u8  neutral[4] = {128, 128, 255, 255};
    static const u32 greys[][2] = {{128, 128}, {127, 127}, {127, 128}, {125, 130}};
    const MipOptions options = {.usage = MIP_NORMAL};
    u8               buffer[67 * 40 * 4];
    UNUSED(state);
    for (u32 i = 0; i <= COUNT_OF(greys); i++) {
        u8*       rgba = i < COUNT_OF(greys) ? grey_noise(67, 40, greys[i][0], greys[i][1])
                                             : malloc(sizeof buffer);
        MipLevels levels;
        for (u32 k = 0; k < 67 * 40; k++) {
            if (i < COUNT_OF(greys))
                rgba[k * 4 + 3] = 255;
            else
                memcpy(rgba + k * 4ul, neutral, 4);
        }
        mip_levels_open(&levels, &options, rgba, 67, 40);
        while (mip_levels_next(&levels)) {
            const u8* found = mip_levels_pixels(&levels, buffer);
            for (u32 k = 0; k < levels.width * levels.height; k++)
                assert_memory_equal(found + k * 4ul, neutral, 4);
        }
        mip_levels_close(&levels);
        free(rgba);
    }
}

/* --- the sequence --- */

static void number_of_levels_follows_from_the_larger_side(void** state) {
    UNUSED(state);
    assert_int_equal(mip_count_of(1, 1), 1);
    assert_int_equal(mip_count_of(2, 1), 2);
    assert_int_equal(mip_count_of(3, 3), 2);
    assert_int_equal(mip_count_of(255, 256), 9);
    assert_int_equal(mip_count_of(16384, 1), 15);
}

static void first_level_is_the_source_itself(void** state) {
    const MipOptions options = {.usage = MIP_COLOR, .alpha_cutoff = 0.5f, .side_max = 64};
    u8*              rgba = picture_photo(64, 64);
    MipLevels        levels;
    UNUSED(state);
    mip_levels_open(&levels, &options, rgba, 64, 64);
    assert_ptr_equal(mip_levels_pixels(&levels, NULL), rgba);
    assert_int_equal(levels.count, 7);
    mip_levels_close(&levels);
    free(rgba);
}

/* A smaller texture is the same as the source without its first levels. */
static void limited_texture_begins_with_a_later_level(void** state) {
    MipOptions options = {.usage = MIP_COLOR};
    u8*        rgba = picture_photo(101, 67);
    u8         full[101 * 67 * 4], limited[101 * 67 * 4];
    MipLevels  a, b;
    UNUSED(state);
    mip_levels_open(&a, &options, rgba, 101, 67);
    options.side_max = 30;
    mip_levels_open(&b, &options, rgba, 101, 67);
    assert_true(b.width == 25 && b.height == 16 && b.count == 5 && b.index == 0);
    while (a.width != b.width) assert_true(mip_levels_next(&a));
    for (bool more = true; more;) {
        const u8* pixels = mip_levels_pixels(&a, full);
        assert_memory_equal(pixels, mip_levels_pixels(&b, limited), (size_t)a.width * a.height * 4);
        more = mip_levels_next(&a);
        assert_true(mip_levels_next(&b) == more);
    }
    mip_levels_close(&a);
    mip_levels_close(&b);
    free(rgba);
}

static void constant_color_is_the_same_in_each_level(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < 256; i++) {
        const MipOptions options = {.usage = i % 2 ? MIP_COLOR : MIP_LINEAR};
        const u8         color[4] = {(u8)i, (u8)(255 - i), (u8)(i * 7), (u8)(i * 13)};
        u8               rgba[13 * 7 * 4], buffer[13 * 7 * 4];
        MipLevels        levels;
        for (u32 k = 0; k < sizeof rgba; k++) rgba[k] = color[k % 4];
        mip_levels_open(&levels, &options, rgba, 13, 7);
        while (mip_levels_next(&levels))
            assert_memory_equal(mip_levels_pixels(&levels, buffer), rgba,
                                levels.width * levels.height * 4);
        mip_levels_close(&levels);
    }
}

/* --- alpha --- */

/* Visible texels are red, invisible ones green. */
static void invisible_texels_do_not_change_visible_colors(void** state) {
    const MipOptions options = {.usage = MIP_COLOR};
    u8               rgba[37 * 41 * 4], buffer[sizeof rgba];
    MipLevels        levels;
    Random           random = {3};
    UNUSED(state);
    for (u32 i = 0; i < sizeof rgba; i += 4) {
        const bool visible = random_below(&random, 3) == 0;
        const u8   pixel[4] = {visible ? 200 : 0, visible ? 0 : 255, 0, visible ? 255 : 0};
        memcpy(rgba + i, pixel, 4);
    }
    mip_levels_open(&levels, &options, rgba, 37, 41);
    while (mip_levels_next(&levels)) {
        const u8* found = mip_levels_pixels(&levels, buffer);
        for (u32 i = 0; i < levels.width * levels.height; i++) {
            const u8* p = found + i * 4;
            if (p[3] > 0 && (p[0] < 199 || p[1] > 2))
                fail_msg("%u %u %u %u", p[0], p[1], p[2], p[3]);
        }
    }
    mip_levels_close(&levels);
}

/* They keep their colours, so that filtering by a GPU at an edge finds no black. */
static void invisible_image_keeps_its_colors(void** state) {
    const MipOptions options = {.usage = MIP_COLOR};
    u8               rgba[16 * 16 * 4], buffer[sizeof rgba];
    const u8         color[4] = {250, 7, 99, 0};
    MipLevels        levels;
    UNUSED(state);
    for (u32 i = 0; i < sizeof rgba; i++) rgba[i] = color[i % 4];
    mip_levels_open(&levels, &options, rgba, 16, 16);
    while (mip_levels_next(&levels))
        assert_memory_equal(mip_levels_pixels(&levels, buffer), rgba,
                            levels.width * levels.height * 4);
    mip_levels_close(&levels);
}

static u32 covered_count(const u8* rgba, u32 count, f64 cutoff) {
    u32 covered = 0;
    for (u32 i = 0; i < count; i++) covered += rgba[i * 4 + 3] / 255.0 >= cutoff;
    return covered;
}

/* Alpha of single texels: their averages are near 0.25, below the cutoff. */
static u8* sparse_alpha(u32 width, u32 height) {
    u8*    rgba = picture_photo(width, height);
    Random random = {11};
    for (size_t i = 0; i < (size_t)width * height; i++) {
        const u32 value = random_next(&random);
        rgba[i * 4 + 3] = (u8)(value % 4 == 0 ? 128 + value / 4 % 128 : value / 4 % 60);
    }
    return rgba;
}

/* The largest difference of covered texels to the share of the source. */
static f64 coverage_error(const u8* rgba, u32 width, u32 height, MipOptions options, f64 cutoff) {
    u8*       buffer = malloc((size_t)width * height * 4);
    const f64 share = (f64)covered_count(rgba, width * height, cutoff) / (width * height);
    f64       worst = 0;
    MipLevels levels;
    mip_levels_open(&levels, &options, rgba, width, height);
    while (mip_levels_next(&levels)) {
        const u32 texels = levels.width * levels.height;
        const u32 covered = covered_count(mip_levels_pixels(&levels, buffer), texels, cutoff);
        worst = fmax(worst, fabs(covered - share * texels));
    }
    mip_levels_close(&levels);
    free(buffer);
    return worst;
}

static void alpha_coverage_of_each_level_is_that_of_the_source(void** state) {
    static const f32 cutoffs[] = {0.1f, 0.25f, 0.5f, 0.75f, 0.9f, 1};
    u8*              rgba = sparse_alpha(251, 127);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(cutoffs); i++) {
        for (u32 usage = 0; usage < 3; usage++) {
            const MipOptions keep = {.usage = (MipUsage)usage, .alpha_cutoff = cutoffs[i]};
            const f64        worst = coverage_error(rgba, 251, 127, keep, (f64)cutoffs[i]);
            if (worst > 1)
                fail_msg("cutoff %f, usage %u: %f texels", (f64)cutoffs[i], usage, worst);
        }
    }
    assert_true(coverage_error(rgba, 251, 127, (MipOptions){.usage = MIP_COLOR}, 0.5) > 500);
    free(rgba);
}

static void coverage_of_all_or_no_texels_is_kept(void** state) {
    const MipOptions options = {.usage = MIP_COLOR, .alpha_cutoff = 0.5f};
    u8*              rgba = picture_photo(50, 30);
    UNUSED(state);
    for (u32 i = 0; i < 50 * 30; i++) rgba[i * 4 + 3] = (u8)(128 + i % 128);
    assert_true(coverage_error(rgba, 50, 30, options, 0.5) == 0);
    for (u32 i = 0; i < 50 * 30; i++) rgba[i * 4 + 3] = (u8)(i % 128);
    assert_true(coverage_error(rgba, 50, 30, options, 0.5) == 0);
    for (u32 i = 0; i < 50 * 30; i++) rgba[i * 4 + 3] = 0;
    assert_true(coverage_error(rgba, 50, 30, options, 0.5) == 0);
    free(rgba);
}

/* --- the same bytes everywhere --- */

static u64 levels_hash(const u8* rgba, u32 width, u32 height, MipOptions options) {
    u8*       buffer = malloc((size_t)width * height * 4);
    u64       hash = 0;
    MipLevels levels;
    mip_levels_open(&levels, &options, rgba, width, height);
    do {
        const u8* pixels = mip_levels_pixels(&levels, buffer);
        hash = hash_bytes(pixels, (size_t)levels.width * levels.height * 4, hash);
    } while (mip_levels_next(&levels));
    mip_levels_close(&levels);
    free(buffer);
    return hash;
}

/* A machine or a compiler that computes other levels is noticed here. */
static void levels_of_a_fixed_image_have_a_fixed_hash(void** state) {
    static const struct {
        MipOptions options;
        u64        hash;
    } cases[] = {{{.usage = MIP_COLOR}, 0x5d00fe7aac81b274ull},
                 {{.usage = MIP_COLOR, .is_premultiplied = true}, 0xce97485aacaa27c9ull},
                 {{.usage = MIP_COLOR, .alpha_cutoff = 0.5f}, 0x03afec83046ab0a8ull},
                 {{.usage = MIP_LINEAR, .side_max = 100}, 0xdb64f88c528047dcull},
                 {{.usage = MIP_NORMAL}, 0xfe08f9f68e163c11ull}};
    u8*  rgba = picture_photo(509, 254);
    bool equal = true;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        const u64 hash = levels_hash(rgba, 509, 254, cases[i].options);
        if (hash != cases[i].hash) print_error("case %u: 0x%016llx\n", i, (unsigned long long)hash);
        equal &= hash == cases[i].hash;
    }
    free(rgba);
    assert_true(equal);
}

TEST_SUITE(levels) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(srgb_table_is_that_of_the_exact_formula),
        cmocka_unit_test(srgb_byte_converted_to_linear_and_back_is_the_same),
        cmocka_unit_test(linear_value_is_encoded_to_the_nearest_srgb_byte),
        cmocka_unit_test(color_levels_equal_those_of_a_slow_filter),
        cmocka_unit_test(premultiplied_levels_equal_those_of_a_slow_filter),
        cmocka_unit_test(linear_levels_equal_those_of_a_slow_filter),
        cmocka_unit_test(normal_levels_equal_those_of_a_slow_filter),
        cmocka_unit_test(normals_of_each_level_are_unit_vectors),
        cmocka_unit_test(levels_of_noise_in_a_normal_map_equal_those_of_a_slow_filter),
        cmocka_unit_test(smaller_levels_of_a_neutral_normal_map_are_neutral),
        cmocka_unit_test(opposite_normals_become_the_surface_normal),
        cmocka_unit_test(number_of_levels_follows_from_the_larger_side),
        cmocka_unit_test(first_level_is_the_source_itself),
        cmocka_unit_test(limited_texture_begins_with_a_later_level),
        cmocka_unit_test(constant_color_is_the_same_in_each_level),
        cmocka_unit_test(invisible_texels_do_not_change_visible_colors),
        cmocka_unit_test(invisible_image_keeps_its_colors),
        cmocka_unit_test(alpha_coverage_of_each_level_is_that_of_the_source),
        cmocka_unit_test(coverage_of_all_or_no_texels_is_kept),
        cmocka_unit_test(levels_of_a_fixed_image_have_a_fixed_hash),
    };
    return TEST_RUN("levels", tests);
}
