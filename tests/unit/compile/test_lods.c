/* test_lods.c - levels of detail of meshes, and the settings of models that request them. */
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "mesh_distance.h"
#include "test.h"

#define MODELS "python3 tests/support/make_lods.py '%s/src'"

/* The errors that blobs state are measured with an oracle that shares no code with entc. */
static void levels_of_detail_have_errors_that_hold(void** state) {
    char* folder = strdup(test_folder("lods"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", MODELS, folder);
    EXPECT(folder, 0, "", "entc build src -o out && entc verify out && entc build src -o j1 -j1");
    TEST_DONE(folder, "diff -r out j1");
    EXPECT(folder, 0, "9 meshes, 0 wrong",
           "python3 ../../../../tests/oracles/lod_oracle.py $(find out -name '*.mesh' | sort) "
           ">found; code=$?; cat found >&2; exit $code");
    EXPECT(folder, 0, "ball/grid.mesh: 3 levels: 2208 error ", "cat found >&2");
    EXPECT(folder, 0, "flat/grid.mesh: 8 levels: 1200 error ", "cat found >&2");
    EXPECT(folder, 0, "none/grid.mesh: 0 levels", "cat found >&2");
    EXPECT(folder, 0, "box/grid.mesh: 0 levels", "cat found >&2");
    TEST_DONE(folder, "entc build src -o big --target big && entc verify big && "
                      "! cmp -s out/ball/grid.mesh big/ball/grid.mesh && "
                      "entc dump big/ball/grid.mesh | sed 1,3d >one && "
                      "entc dump out/ball/grid.mesh | sed 1,3d >two && cmp one two");
    free(folder);
}

static void settings_of_a_model_with_errors_are_reported(void** state) {
    static const struct {
        const char *settings, *reported;
    } rows[] = {
        {"[]", "ball.model.json:1:1: error: the settings of a model must be an object, not an "
               "array [E0202]"},
        {"{ \"lod\": 3 }", "ball.model.json:1:3: error: model has no field \"lod\"; did you mean "
                           "\"lods\"? [E0201]"},
        {"{ \"lods\": 9 }", "ball.model.json:1:11: error: lods must be from 0 to 8, not 9"},
        {"{ \"lods\": 2,\n  \"lod_error\": \"small\" }", "ball.model.json:2:16: error: "},
        {"{ \"lods\": 2", "ball.model.json:1:12: error: "},
        {"", "ball.model.json:1:1: error: "},
    };
    char* folder = strdup(test_folder("lods_settings"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", MODELS, folder);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        test_write_text(folder, "src/ball.model.json", rows[i].settings);
        EXPECT(folder, 3, rows[i].reported, "entc build src -o out");
        TEST_DONE(folder, "! test -e out");
    }
    TEST_DONE(folder, "rm src/ball.gltf");
    EXPECT(
        folder, 3,
        "src/ball.model.json:1:1: error: these are the settings of a model, but there is no file "
        "\"ball.gltf\" or \"ball.glb\"; rename or remove the settings [E0303]",
        "entc build src -o out");
    test_write_text(folder, "src/ball.entity.json", "{}\n");
    EXPECT(folder, 3, "these are the settings of a model", "entc build src -o out");
    free(folder);
}

/* Settings that appear, change and disappear; the same with the cache, and of a variant. */
static void mesh_is_compiled_again_when_settings_of_its_model_change(void** state) {
    char* folder = strdup(test_folder("lods_again"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", MODELS, folder);
    TEST_DONE(folder, "mkdir one && mv src/ball.gltf one && sleep 0.05 && "
                      "entc build one -o out --cache cache && sleep 0.05 && "
                      "cp out/ball/grid.mesh plain && echo '{\"lods\":2}' >one/ball.model.json");
    EXPECT(folder, 0, "2 compiled, 0 from the cache, 1 written, 1 unchanged",
           "entc build one -o out --cache cache -v");
    TEST_DONE(folder,
              "! cmp -s plain out/ball/grid.mesh && sleep 0.05 && cp out/ball/grid.mesh two");
    EXPECT(folder, 0, " 0 compiled", "entc build one -o out --cache cache -v");
    TEST_DONE(folder, "entc compile one ball/grid.mesh -o three -MD -MF deps && cmp two three && "
                      "grep -q ball.model.json deps");
    TEST_DONE(folder, "sleep 0.05; echo '{\"lods\":1}' >one/ball.model.json && "
                      "entc build one -o out --cache cache && ! cmp -s two out/ball/grid.mesh");
    TEST_DONE(folder,
              "sleep 0.05; rm one/ball.model.json && entc build one -o out --cache cache && "
              "cmp plain out/ball/grid.mesh");
    EXPECT(folder, 0, " 0 compiled, 2 from the cache",
           "echo '{\"lods\":2}' >one/ball.model.json && entc build one -o new --cache cache -v && "
           "cmp two new/ball/grid.mesh");
    TEST_DONE(folder, "echo '{}' >one/ball.mobile.model.json && "
                      "entc build one -o mobile --platform mobile && "
                      "cmp plain mobile/ball/grid.mesh && "
                      "entc build one -o other && cmp two other/ball/grid.mesh");
    free(folder);
}

static void settings_move_with_their_model(void** state) {
    char* folder = strdup(test_folder("lods_moved"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", MODELS, folder);
    TEST_DONE(folder, "mkdir one && cp src/ball.* one && entc build one -o before && "
                      "entc mv one ball.entity a/egg.entity && test -e one/a/egg.model.json && "
                      "! ls one/ball.* && entc build one -o after && "
                      "entc diff --stat before/ball/grid.mesh after/a/egg/grid.mesh; "
                      "entc rm one a/egg.entity && ! ls one/a/*");
    free(folder);
}

/* Two triangles that form a square, moved, divided and turned. */
static void distance_of_surfaces_is_a_tight_bound(void** state) {
    static const Vec3 p[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 3},
                             {4, 0, 3}, {4, 4, 3}, {0, 4, 3}, {2, 2, 0}, {2, 2, 1}};
    static const struct {
        u32 from[12], from_count, to[12], to_count;
        f64 min, max;
    } rows[] = {
        {{0, 1, 2, 0, 2, 3}, 6, {0, 1, 2, 0, 2, 3}, 6, 0, 0.002},
        {{0, 1, 2, 0, 2, 3}, 6, {0, 1, 3, 1, 2, 3}, 6, 0, 0.002}, /* the other diagonal */
        {{0, 1, 8, 1, 2, 8, 2, 3, 8, 3, 0, 8}, 12, {0, 1, 2, 0, 2, 3}, 6, 0, 0.002},
        {{0, 1, 9, 1, 2, 9, 2, 3, 9, 3, 0, 9}, 12, {0, 1, 2, 0, 2, 3}, 6, 1, 1.25},
        {{0, 1, 2, 0, 2, 3}, 6, {0, 1, 9, 1, 2, 9, 2, 3, 9, 3, 0, 9}, 12, 0.7, 1.25},
        {{0, 1, 2, 0, 2, 3}, 6, {4, 5, 6, 4, 6, 7}, 6, 3, 3.75},
        {{0, 1, 2, 0, 2, 3}, 6, {0, 1, 2}, 3, 2.82, 3.54}, /* one half */
        {{0, 1, 2}, 3, {0, 1, 2, 0, 2, 3}, 6, 0, 0.002},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const Surface from = {p, rows[i].from, COUNT_OF(p), rows[i].from_count};
        const Surface to = {p, rows[i].to, COUNT_OF(p), rows[i].to_count};
        const f64     bound = surface_distance(from, to);
        if (bound < rows[i].min || bound > rows[i].max) fail_msg("row %u: %g", i, bound);
    }
}

TEST_SUITE(lods) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_of_surfaces_is_a_tight_bound),
        cmocka_unit_test(levels_of_detail_have_errors_that_hold),
        cmocka_unit_test(settings_of_a_model_with_errors_are_reported),
        cmocka_unit_test(mesh_is_compiled_again_when_settings_of_its_model_change),
        cmocka_unit_test(settings_move_with_their_model),
    };
    return TEST_RUN("lods", tests);
}
