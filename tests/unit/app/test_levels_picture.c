/* test_levels_picture.c - objects that are levels of detail, colliders or left out by their names, in pictures: each distance shows
 * one level, as a model shows it that has no other object. */
#include <stdlib.h>

#include "test.h"

static void pictures_show_one_level_of_detail_and_no_collider(void** state) {
    static const char* const levels[] = {"near", "middle", "far"};
    const char*              folder = test_folder("levels_picture");
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the driver is unloaded */
    TEST_DONE(".", "python3 tests/support/make_levels.py '%s'", folder);
    TEST_DONE(folder,
              "for f in all 0 1 2; do entc build $f -o out_$f -q 2>>errors || exit 1; done");
    for (u32 i = 0; i < COUNT_OF(levels); i++)
        TEST_DONE(folder,
                  "entrun out_all --level %s --frames 1 --png all.png --size 320x240 2>errors && "
                  "! grep -q 'no volume' errors && "
                  "entrun out_%u --level %s --frames 1 --png one.png --size 320x240 && "
                  "cmp all.png one.png",
                  levels[i], i, levels[i]);
    /* The harness finds another level. */
    TEST_DONE(folder, "entrun out_1 --level far --frames 1 --png one.png --size 320x240 && "
                      "! cmp -s all.png one.png");
    if (SANITIZED) unsetenv("LSAN_OPTIONS");
}

TEST_SUITE(levels_picture) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_show_one_level_of_detail_and_no_collider)};
    return TEST_RUN("levels_picture", tests);
}
