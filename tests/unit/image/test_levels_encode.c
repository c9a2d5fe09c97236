/* test_levels_encode.c - levels that several threads filter and encode in the memory of their source, compared with those
 * of one thread that encodes complete levels, which it keeps apart from the source. */
#include "test.h"

#include <stdlib.h>

#include "levels.h"
#include "test_picture.h"
#include "test_worlds_support.h"

typedef struct Encoded {
    u8*        bytes; /* all levels, one after the other */
    u64        count;
    BlockError error;
} Encoded;

static u64 all_bytes(PixelFormat format, u32 width, u32 height) {
    u64 bytes = 0;
    for (;; width = width > 1 ? width / 2 : 1, height = height > 1 ? height / 2 : 1) {
        bytes += pixels_bytes(format, width, height);
        if (width == 1 && height == 1) return bytes;
    }
}

/* The oracle. */
static Encoded encode_complete(const u8* rgba, u32 width, u32 height, MipOptions options,
                               PixelFormat format) {
    Encoded   e = {.bytes = malloc(all_bytes(format, width, height)), .error.alpha_hides = true};
    u8*       buffer = malloc((size_t)width * height * 4);
    MipLevels levels;
    mip_levels_open(&levels, &options, rgba, width, height);
    do {
        const u8* pixels = mip_levels_pixels(&levels, buffer);
        pixels_encode(format, pixels, levels.width, levels.height, e.bytes + e.count);
        block_error_add(&e.error, format, pixels, levels.width, levels.height, e.bytes + e.count);
        e.count += pixels_bytes(format, levels.width, levels.height);
    } while (mip_levels_next(&levels));
    mip_levels_close(&levels);
    free(buffer);
    return e;
}

static Encoded encode_in_threads(const u8* rgba, u32 width, u32 height, MipOptions options,
                                 PixelFormat format) {
    const size_t source_bytes = (size_t)width * height * 4;
    Encoded      e = {.bytes = malloc(all_bytes(format, width, height)), .error.alpha_hides = true};
    u8*          source = malloc(source_bytes);
    MipLevels    levels;
    memcpy(source, rgba, source_bytes);
    options.overwrites = true;
    mip_levels_open(&levels, &options, source, width, height);
    do {
        mip_levels_encode(&levels, format, e.bytes + e.count, &e.error);
        e.count += pixels_bytes(format, levels.width, levels.height);
    } while (mip_levels_next(&levels));
    mip_levels_close(&levels);
    free(source);
    return e;
}

static bool encoded_equal(const Encoded* a, const Encoded* b) {
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0 &&
           memcmp(a->error.squares, b->error.squares, sizeof a->error.squares) == 0 &&
           memcmp(a->error.pixels, b->error.pixels, sizeof a->error.pixels) == 0;
}

static const PixelFormat formats[] = {PIXELS_RGBA8, PIXELS_R8,  PIXELS_BC1,
                                      PIXELS_BC3,   PIXELS_BC4, PIXELS_BC5};

static MipOptions options_any(Random* random) {
    MipOptions options = {.usage = (MipUsage)(random_below(random, 3))};
    if (random_below(random, 3) == 0) options.alpha_cutoff = 0.5f;
    if (random_below(random, 3) == 0) options.side_max = 1u << random_below(random, 9);
    options.is_premultiplied = random_below(random, 4) == 0;
    return options;
}

static void check_any(Random* random, u32 rounds, u32 side) {
    for (u32 i = 0; i < rounds; i++) {
        const u32         width = 1 + random_below(random, side);
        const u32         height = 1 + random_below(random, side);
        const PixelFormat format = formats[random_below(random, COUNT_OF(formats))];
        MipOptions        options = options_any(random);
        u8*               rgba = picture_photo(width, height);
        const Encoded     expected = encode_complete(rgba, width, height, options, format);
        options.pool = ent_job_pool_create(random_below(random, 7), NULL);
        const Encoded found = encode_in_threads(rgba, width, height, options, format);
        ent_job_pool_destroy(options.pool);
        options.pool = NULL;
        const Encoded alone = encode_in_threads(rgba, width, height, options, format);
        if (!encoded_equal(&expected, &found) || !encoded_equal(&expected, &alone))
            fail_msg("%u x %u, format %u, usage %u differs", width, height, format, options.usage);
        free(expected.bytes), free(found.bytes), free(alone.bytes);
        free(rgba);
    }
}

static void texture_by_threads_equals_that_of_one_thread(void** state) {
    Random random = {test_seed("levels_encode", 7)};
    UNUSED(state);
    check_any(&random, 60, 90);
    check_any(&random, 6, 700);
}

/* One row or one column has no other rows to share. */
static void narrow_texture_by_threads_equals_that_of_one_thread(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {1, 4097}, {4097, 1}, {2, 1023}, {1023, 2}, {3, 5000}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes) * COUNT_OF(formats); i++) {
        const u32*        size = sizes[i / COUNT_OF(formats)];
        const PixelFormat format = formats[i % COUNT_OF(formats)];
        MipOptions        options = {.usage = MIP_COLOR};
        u8*               rgba = picture_photo(size[0], size[1]);
        const Encoded     expected = encode_complete(rgba, size[0], size[1], options, format);
        options.pool = ent_job_pool_create(3, NULL);
        const Encoded found = encode_in_threads(rgba, size[0], size[1], options, format);
        ent_job_pool_destroy(options.pool);
        assert_true(encoded_equal(&expected, &found));
        free(expected.bytes), free(found.bytes);
        free(rgba);
    }
}

TEST_SUITE(levels_encode) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_by_threads_equals_that_of_one_thread),
        cmocka_unit_test(narrow_texture_by_threads_equals_that_of_one_thread),
    };
    return TEST_RUN("levels_encode", tests);
}
