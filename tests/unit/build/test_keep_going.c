/* test_keep_going.c - builds with -k of random folders with random errors, beside clean builds. */
#include <stdio.h>
#include <stdlib.h>

#include "test_worlds_support.h"
#include "test.h"

#define ROUNDS 40
#define KINDS  COUNT_OF(sources)

/* The texts that a file may have; the first is valid where all files have their first text. NULL:
 * there is no such file, which may be an error of another one. */
typedef struct Variants {
    const char* path;
    const char* text[6];
    u32         count;
} Variants;

#define MODEL(version)                                                                             \
    "{ \"asset\": { \"version\": \"" version "\" }, \"meshes\": [ { \"name\": \"cube\", "          \
    "\"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } ] } ], \"nodes\": [ { \"mesh\": 0 " \
    "} ], \"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": " \
    "\"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0] } ], \"bufferViews\": [ { \"buffer\": 0, "   \
    "\"byteLength\": 36 } ], \"buffers\": [ { \"byteLength\": 36, \"uri\": "                       \
    "\"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\" } ] }"

#define WITH(component) "{ \"components\": { " component " } }"

static const Variants sources[] = {
    {"a.entity.json",
     {WITH("\"light\": {}"), "{}", WITH("\"light\": { \"range\": 1 }"), "{", NULL},
     5},
    {"b.entity.json",
     {"{ \"prefab\": \"a\" }", "{ \"children\": [ { \"prefab\": \"a\" } ] }",
      "{ \"prefab\": \"d\" }", "{ \"prefab\": \"a\", \"overrides\": { \"x\": {} } }", NULL},
     5},
    {"c.entity.json",
     {WITH("\"mesh\": { \"resource\": \"box/cube\" }"), WITH("\"health\": {}"),
      WITH("\"mesh\": { \"resource\": \"box/sphere\" }"), WITH("\"health\": { \"x\": 1 }")},
     4},
    {"d.entity.json",
     {"{ \"prefab\": \"c\" }", "{ \"prefab\": \"b\" }", "{ \"prefab\": \"nothing\" }"},
     3},
    {"levels/one.level.json",
     {"{ \"entities\": [ { \"prefab\": \"b\" }, { \"prefab\": \"d\" } ] }",
      "{ \"entities\": [ { \"prefab\": \"a\", \"components\": { \"light\": null } } ] }",
      "{ \"entities\": [ { \"name\": \"x\" }, { \"name\": \"x\" } ] }"},
     3},
    {"m.material.json", {"{}", "{ \"roughness\": 0.5 }", "{ \"roughness\": 5 }", NULL}, 4},
    {"box.gltf", {MODEL("2.0"), MODEL("1.0"), NULL}, 3},
    {"game/health.component.json",
     {"{ \"fields\": { \"points\": { \"type\": \"f32\" } } }",
      "{ \"fields\": { \"points\": { \"type\": \"u32\" } } }",
      "{ \"fields\": { \"points\": { \"type\": \"f33\" } } }"},
     3},
    {"all.package.json",
     {"{ \"roots\": [ \"levels/one.level\" ] }", "{ \"roots\": [ \"box/cube.mesh\" ] }",
      "{ \"roots\": [ \"m.material\", \"a.entity\" ] }"},
     3},
};

static void source_write(const char* folder, const Variants* v, u32 text) {
    char path[200];
    snprintf(path, sizeof path, "src/%s", v->path);
    if (v->text[text])
        test_write_text(folder, path, v->text[text]);
    else
        TEST_DONE(folder, "rm -f %s", path);
}

/* The same diagnostics, and every file of the clean build; other files are those of the last build
 * or do not exist. */
static void build_both(const char* folder, const char* options) {
    TEST_DONE(folder, "rm -rf last clean .clean.entc && cp -r out last");
    TestRun run = test_command(folder, "entc build src -o out -k %s", options);
    TestRun clean = test_command(folder, "entc build src -o clean -k");
    assert_int_equal(run.code, clean.code);
    assert_string_equal(run.err, clean.err);
    TEST_DONE(folder, "mkdir -p clean && cd clean && find . -type f ! -name .entc.index | while "
                      "read f; do cmp $f "
                      "../out/$f || exit 1; done");
    TEST_DONE(folder, "cd out && find . -type f ! -name .entc.index | while read f; do test -e "
                      "../clean/$f || cmp $f "
                      "../last/$f || exit 1; done");
    if (run.code == 0) TEST_DONE(folder, "diff -r out clean");
    test_run_free(&run);
    test_run_free(&clean);
}

static void rounds_run(const char* name, const char* options, u64 seed) {
    char*  folder = strdup(test_folder(name));
    Random random = {seed};
    u32    failed = 0;
    for (u32 i = 0; i < KINDS; i++) source_write(folder, &sources[i], 0);
    TEST_DONE(folder, "entc build src -o out %s", options);
    for (u32 round = 0; round < ROUNDS; round++) {
        const u32 edits = random_below(&random, 4);
        for (u32 i = 0; i < KINDS && round % 4 == 3; i++) source_write(folder, &sources[i], 0);
        for (u32 i = 0; i < edits; i++) {
            const Variants* v = &sources[random_below(&random, KINDS)];
            const bool      valid = random_below(&random, 2) == 0;
            source_write(folder, v, valid ? 0 : random_below(&random, v->count));
        }
        build_both(folder, options);
        TestRun run = test_command(folder, "entc build src -o out --check");
        failed += run.code != 0;
        test_run_free(&run);
    }
    assert_in_range(failed, ROUNDS / 4, ROUNDS - 2); /* with and without errors */
    for (u32 i = 0; i < KINDS; i++) source_write(folder, &sources[i], 0);
    TEST_DONE(folder,
              "rm -rf clean .clean.entc && entc build src -o out && entc build src -o clean "
              "&& diff -r out clean");
    free(folder);
}

static void builds_with_errors_equal_clean_builds_with_errors(void** state) {
    UNUSED(state);
    rounds_run("keep_going", "", 1);
}

static void builds_with_errors_and_cache_equal_clean_builds_with_errors(void** state) {
    UNUSED(state);
    rounds_run("keep_going_cache", "--cache cache", 2);
}

TEST_SUITE(keep_going_random) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_with_errors_equal_clean_builds_with_errors),
        cmocka_unit_test(builds_with_errors_and_cache_equal_clean_builds_with_errors)};
    return TEST_RUN("keep_going_random", tests);
}
