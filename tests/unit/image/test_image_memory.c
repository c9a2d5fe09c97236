/* test_image_memory.c - the memory of decoding is within the bound that image.h states, for every
 * format of a PNG or JPEG file, and so is the ratio of pixels to the size of a file. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <turbojpeg.h>
#include <unistd.h>

#include "image.h"
#include "test_image_files.h"

/* The longest rows, and so many of them that a second copy of the pixels exceeds the bound. */
#define WIDTH    IMAGE_SIDE_MAX
#define HEIGHT   320u
#define OVERHEAD (16ull << 20) /* as in image.h */

/* The address space of this process. */
static u64 address_bytes(void) {
    unsigned long pages = 0;
    FILE*         file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    return (u64)pages * (u64)sysconf(_SC_PAGESIZE);
}

/* In a process that cannot get more memory than the bound: 0, or what failed. */
static int decode_limited(const u8* bytes, size_t size, u64 bound) {
    Image               image;
    const u64           max = address_bytes() + bound;
    const struct rlimit limit = {max, max};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
    const char* fault = image_decode(bytes, size, &image);
    if (fault) fprintf(stderr, "%s\n", fault);
    return fault ? 3 : 0;
}

static void expect_bounded(const char* name, const u8* bytes, size_t size) {
    ImageInfo info;
    int       status = 0;
    assert_null(image_look(bytes, size, &info));
    assert_true(info.width == WIDTH && info.height == HEIGHT);
    fflush(stdout);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(decode_limited(bytes, size, image_decode_bytes(&info) + OVERHEAD));
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) fail_msg("%s: status %d", name, status);
}

static void png_of_each_format_is_decoded_in_the_stated_memory(void** state) {
    static const u8 kinds[][2] = {{0, 1}, {0, 4}, {0, 8},  {0, 16}, {2, 8},
                                  {3, 2}, {3, 8}, {4, 16}, {6, 8},  {6, 16}};
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer needs more address space");
    for (u32 i = 0; i < COUNT_OF(kinds) * 2; i++) {
        const u8* kind = kinds[i / 2];
        char      name[60];
        size_t    size;
        if (i % 2 && kind[1] != 1 && kind[1] != 16) continue; /* interlaced: the extremes */
        u8* bytes = test_png_black(WIDTH, HEIGHT, kind[1], kind[0], i % 2, &size);
        snprintf(name, sizeof name, "colour type %u, %u bits%s", kind[0], kind[1],
                 i % 2 ? ", interlaced" : "");
        expect_bounded(name, bytes, size);
        free(bytes);
    }
}

static void jpeg_of_each_format_is_decoded_in_the_stated_memory(void** state) {
    static const enum TJSAMP samplings[] = {TJSAMP_GRAY, TJSAMP_444, TJSAMP_420};
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer needs more address space");
    u8* grey = calloc(WIDTH, HEIGHT * 3);
    for (u32 i = 0; i < COUNT_OF(samplings) * 2; i++) {
        tjhandle       encoder = tjInitCompress();
        unsigned char* bytes = NULL;
        unsigned long  size = 0;
        char           name[60];
        assert_int_equal(tjCompress2(encoder, grey, (int)WIDTH, 0, (int)HEIGHT, TJPF_RGB, &bytes,
                                     &size, (int)samplings[i / 2], 50,
                                     i % 2 ? TJFLAG_PROGRESSIVE : 0),
                         0);
        snprintf(name, sizeof name, "sampling %d%s", (int)samplings[i / 2],
                 i % 2 ? ", progressive" : "");
        expect_bounded(name, bytes, size);
        tjFree(bytes);
        tjDestroy(encoder);
    }
    free(grey);
}

/* The bound is nearly reached, so that no smaller one would be true. */
static void pixels_are_at_most_the_stated_multiple_of_the_file(void** state) {
    ImageInfo info;
    size_t    size;
    UNUSED(state);
    u8* bytes = test_png_black(IMAGE_SIDE_MAX, IMAGE_SIDE_MAX, 1, 0, false, &size);
    assert_null(image_look(bytes, size, &info));
    const u64 ratio = image_decode_bytes(&info) / size;
    assert_in_range(ratio, IMAGE_EXPANSION_MAX / 100 * 98, IMAGE_EXPANSION_MAX);
    free(bytes);
}

TEST_SUITE(image_memory) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_of_each_format_is_decoded_in_the_stated_memory),
        cmocka_unit_test(jpeg_of_each_format_is_decoded_in_the_stated_memory),
        cmocka_unit_test(pixels_are_at_most_the_stated_multiple_of_the_file),
    };
    return TEST_RUN("image_memory", tests);
}
