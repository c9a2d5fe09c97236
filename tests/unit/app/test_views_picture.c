/* test_views_picture.c - materials that a level puts in place of those of meshes, in a picture: it equals that of meshes that
 * were made with these materials. */
#include <stdlib.h>

#include "test.h"

static void replaced_materials_look_like_those_of_meshes_made_with_them(void** state) {
    const char* folder = test_folder("views_picture");
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the driver is unloaded */
    TEST_DONE(".", "python3 tests/support/make_views.py '%s'", folder);
    TEST_DONE(folder,
              "for f in views made; do entc build $f -o out_$f -q && "
              "entrun out_$f --level yard --frames 2 --png $f.png --size 320x180 || exit 1; done; "
              "cmp views.png made.png");
    /* The harness finds a material that is not replaced. */
    TEST_DONE(folder,
              "sed 's/\"red\": \"box.glass\"/\"red\": \"box\\/red\"/' views/yard.level.json >l && "
              "mv l views/yard.level.json && entc build views -o out_views -q && "
              "entrun out_views --level yard --frames 2 --png views.png --size 320x180 && "
              "! cmp -s views.png made.png");
    if (SANITIZED) unsetenv("LSAN_OPTIONS");
}

TEST_SUITE(views_picture) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaced_materials_look_like_those_of_meshes_made_with_them)};
    return TEST_RUN("views_picture", tests);
}
