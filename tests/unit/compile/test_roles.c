/* test_roles.c - what objects of models are by their names: levels of detail and hulls, compared with generators and with
 * another library. */
#include <stdio.h>

#include "test.h"

static void levels_by_name_have_the_triangles_of_their_objects(void** state) {
    const char* folder = test_folder("levels");
    UNUSED(state);
    TEST_NEEDS("python3");
    for (u32 seed = 1; seed <= (SANITIZED ? 1u : 4u); seed++) {
        TEST_DONE(folder,
                  "rm -rf src out && o=../../../../tests/oracles/levels_oracle.py && "
                  "python3 $o make src wanted %u && entc build src -o out -q && entc verify out && "
                  "entc build src -o j1 -q -j1 && diff -r out j1 && rm -r j1",
                  seed);
        EXPECT(folder, 0, "levels of 24 meshes, 0 wrong",
               "python3 ../../../../tests/oracles/levels_oracle.py check wanted out >&2");
    }
    /* The harness finds levels that were exchanged. */
    TEST_DONE(folder, "sed 's/_LOD1/_LOD9/g' src/m.gltf >m && mv m src/m.gltf && "
                      "entc build src -o out -q");
    EXPECT(folder, 1, " wrong",
           "python3 ../../../../tests/oracles/levels_oracle.py check wanted out >&2");
    TEST_DONE(folder, "entc build src -o big -q --target big && entc verify big");
}

/* Also of flat clouds, and of those with more corners than a hull may have. */
static void hulls_reach_as_far_as_those_of_bullet(void** state) {
    const char* folder = test_folder("hulls");
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_NEEDS("g++");
    TEST_DONE(folder, "g++ -O1 -std=c++17 $(pkg-config --cflags bullet) "
                      "../../../../tests/oracles/hull_oracle.cpp -lLinearMath -o oracle");
    for (u32 seed = 1; seed <= (SANITIZED ? 2u : 10u); seed++) {
        TEST_DONE(folder,
                  "rm -rf src out && "
                  "python3 ../../../../tests/support/make_hulls.py src points %u && "
                  "entc build src -o out -q && entc verify out && "
                  "entc build src -o again -q -j1 && diff -r out again && rm -r again && "
                  "python3 ../../../../tests/oracles/hull_print.py points out/hulls >hulls",
                  seed);
        EXPECT(folder, 0, "35 hulls, 0 wrong", "./oracle points hulls >&2");
    }
    /* The harness finds a hull that a corner is missing from. */
    TEST_DONE(folder,
              "awk '/^box /{b=1} b&&/^-1 -2 -3$/{$0=\"-0.9 -2 -3\";b=0} {print}' hulls >less");
    EXPECT(folder, 1, "WRONG box", "./oracle points less >&2");
}

TEST_SUITE(roles) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_by_name_have_the_triangles_of_their_objects),
        cmocka_unit_test(hulls_reach_as_far_as_those_of_bullet)};
    return TEST_RUN("roles", tests);
}
