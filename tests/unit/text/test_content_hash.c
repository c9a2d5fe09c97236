/* test_content_hash.c - the hash of a content: of a short one that of XXH3, of a long one the same from one block, from any
 * parts, and from any number of threads. */
#include "test.h"

#include <stdlib.h>

#include "hash.h"
#include "test_worlds_support.h"
#include "threads.h"

#define PIECE HASH_PIECE_BYTES

static const size_t sizes[] = {0,         1,         1000,          PIECE - 1,         PIECE,
                               PIECE + 1, 2 * PIECE, 2 * PIECE + 1, 3 * PIECE + 12345, 4 * PIECE};

static u8* content_new(size_t size) {
    u8*    bytes = malloc(size + 1);
    Random random = {9};
    for (size_t i = 0; i < size; i += 4) {
        const u32 word = random_next(&random);
        memcpy(bytes + i, &word, MIN_OF((size_t)4, size - i));
    }
    return bytes;
}

static Hash128 hash_split(const u8* bytes, size_t size, Random* random) {
    FilePart  parts[9];
    const u32 count = 1 + random_below(random, COUNT_OF(parts));
    size_t    at = 0;
    for (u32 i = 0; i < count; i++) {
        const size_t left = size - at;
        const size_t taken = i + 1 == count ? left : random_below(random, (u32)left + 1);
        parts[i] = (FilePart){bytes + at, taken};
        at += taken;
    }
    return hash_content_parts(parts, count);
}

static void hash_of_any_parts_is_that_of_the_content(void** state) {
    Random random = {test_seed("content_hash", 4)};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        u8*           bytes = content_new(sizes[i]);
        const Hash128 hash = hash_content(bytes, sizes[i]);
        for (u32 k = 0; k < 20; k++)
            assert_true(hash_equal(hash_split(bytes, sizes[i], &random), hash));
        free(bytes);
    }
}

static void hash_by_threads_is_that_of_one_thread(void** state) {
    UNUSED(state);
    for (u32 threads = 0; threads < 4; threads++) {
        JobPool* pool = ent_job_pool_create(threads, NULL);
        for (u32 i = 0; i < COUNT_OF(sizes); i++) {
            u8*           bytes = content_new(sizes[i]);
            const Hash128 hash = hash_content(bytes, sizes[i]);
            assert_true(hash_equal(threads_hash(pool, bytes, sizes[i]), hash));
            assert_true(hash_equal(threads_hash(NULL, bytes, sizes[i]), hash));
            free(bytes);
        }
        ent_job_pool_destroy(pool);
    }
}

/* Published values of XXH3 with 128 bits. */
static void hash_of_a_short_content_is_that_of_xxh3(void** state) {
    const Hash128 none = hash_content("", 0);
    UNUSED(state);
    assert_true(none.low == 0x6001c324468d497full && none.high == 0x99aa06d3014798d8ull);
}

/* A bit in each piece, and the exchange of two pieces. */
static void hash_of_a_long_content_depends_on_each_piece(void** state) {
    const size_t  size = 3 * PIECE + 100;
    u8*           bytes = content_new(size);
    const Hash128 hash = hash_content(bytes, size);
    UNUSED(state);
    for (size_t at = PIECE / 2; at < size + PIECE; at += PIECE) {
        u8* changed = bytes + MIN_OF(at, size - 1);
        *changed ^= 1;
        assert_false(hash_equal(hash_content(bytes, size), hash));
        *changed ^= 1;
    }
    u8* first = malloc(PIECE);
    memcpy(first, bytes, PIECE);
    memcpy(bytes, bytes + PIECE, PIECE);
    memcpy(bytes + PIECE, first, PIECE);
    assert_false(hash_equal(hash_content(bytes, size), hash));
    free(first), free(bytes);
}

TEST_SUITE(content_hash) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_of_any_parts_is_that_of_the_content),
        cmocka_unit_test(hash_by_threads_is_that_of_one_thread),
        cmocka_unit_test(hash_of_a_short_content_is_that_of_xxh3),
        cmocka_unit_test(hash_of_a_long_content_depends_on_each_piece),
    };
    return TEST_RUN("content_hash", tests);
}
