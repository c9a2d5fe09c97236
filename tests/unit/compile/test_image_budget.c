/* test_image_budget.c - images whose pixels need more memory than a build may use are refused by
 * their headers: nothing is decoded. */
#include <stdlib.h>

#include "image.h"
#include "test.h"
#include "test_image_files.h"

/* 32 KB, whose pixels need a gigabyte. */
static void large_image_write(const char* folder, const char* path) {
    size_t size;
    u8*    bytes = test_png_black(IMAGE_SIDE_MAX, IMAGE_SIDE_MAX, 1, 0, false, &size);
    assert_true(size < 40000);
    test_write(folder, path, bytes, size);
    free(bytes);
}

/* The command has too little memory for the pixels. */
#define LITTLE (SANITIZED ? "" : "ulimit -v 500000; ")

static void expect_refused(const char* folder, const char* text, const char* options) {
    EXPECT(folder, 4, text, "%sentc build src -o out -j2 %s", LITTLE, options);
    EXPECT(folder, 0, "", "test ! -e out");
}

static const char material_model[] =
    "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"large.png\" } ], "
    "\"textures\": [ { \"source\": 0 } ], \"materials\": [ { \"pbrMetallicRoughness\": { "
    "\"baseColorTexture\": { \"index\": 0 } } } ], \"nodes\": [ { \"name\": \"a\" } ] }\n";

static void image_that_needs_more_memory_than_max_output_is_refused(void** state) {
    const char* folder = test_folder("image_budget");
    UNUSED(state);
    large_image_write(folder, "src/large.png");
    expect_refused(folder,
                   "src/large.png:1:1: error: the image of \"large.texture\" has 16384 x 16384 "
                   "pixels, which need up to 3758096384 bytes of memory while they are converted; "
                   "--max-output allows 3000000000 [E0309]",
                   "--max-output 3G");
    EXPECT(folder, 4, "E0309", "%sentc compile src large.texture -o large.texture --max-output 3G",
           LITTLE);
}

static void outputs_of_images_count_with_all_levels_uncompressed(void** state) {
    const char* folder = test_folder("image_budget_output");
    UNUSED(state);
    large_image_write(folder, "src/large.png");
    expect_refused(folder,
                   "the outputs of this build need 1610612736 bytes; --max-output allows "
                   "100000000 [E0309]",
                   "--max-output 100M");
    expect_refused(folder,
                   "note: \"large.texture\" needs up to 1610612736 bytes for an image of 16384 x "
                   "16384 pixels",
                   "--max-output 100M");
    TEST_DONE(folder, "for i in 1 2 3 4 5 6; do cp src/large.png src/more$i.png; done");
    expect_refused(folder, "the outputs of this build need 11274289152 bytes", "");
}

static void images_of_a_model_count_like_those_of_the_folder(void** state) {
    const char* folder = test_folder("image_budget_model");
    UNUSED(state);
    test_write_text(folder, "src/m/shed.gltf", material_model);
    large_image_write(folder, "src/m/large.png");
    expect_refused(folder, "has 16384 x 16384 pixels, which need up to 3758096384 bytes",
                   "--max-output 3G");
    expect_refused(folder, "needs up to 1610612736 bytes for an image of 16384 x 16384 pixels",
                   "--max-output 100M");
    TEST_DONE(folder,
              "{ printf '%%s' '{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": "
              "\"data:image/png;base64,'; base64 -w0 src/m/large.png; sed 's/.*\"large.png\"/\"/' "
              "src/m/shed.gltf; } > src/m/inner.gltf; rm src/m/large.png src/m/shed.gltf");
    expect_refused(folder, "has 16384 x 16384 pixels, which need up to 3758096384 bytes",
                   "--max-output 3G");
}

TEST_SUITE(image_budget) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(image_that_needs_more_memory_than_max_output_is_refused),
        cmocka_unit_test(outputs_of_images_count_with_all_levels_uncompressed),
        cmocka_unit_test(images_of_a_model_count_like_those_of_the_folder),
    };
    return TEST_RUN("image_budget", tests);
}
