/* test_check.c - entc check: the messages and the exit code of a build with the same options, and nothing is written. */
#include "test.h"

#include <stdlib.h>

/* Errors of several kinds, warnings, files that are not read, a language; `valid`: without the errors. */
static char* project_new(const char* name, bool valid) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/entc.json", "{ \"languages\": [\"fr\"] }");
    test_write_text(folder, "src/notes.xyz", "not read");
    test_write_text(
        folder, "src/lamp.entity.json",
        "{ \"components\": { \"transform\": { \"scale\": [0, 1, 1] }, \"light\": {} } }");
    test_write_text(folder, "src/lamp.fr.entity.json",
                    "{ \"components\": { \"transform\": {}, \"light\": {} } }");
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [{ \"name\": \"one\", \"prefab\": \"lamp\" }] }");
    test_write_text(folder, "src/health.component.json",
                    "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 7 } } }");
    test_write_text(folder, "src/small.json", "{ \"blobs\": { \"a.level\": { \"bytes\": 8 } } }");
    test_write_text(folder, "budget.json", "{ \"total\": { \"bytes\": 64 } }");
    if (valid) return folder;
    test_write_text(
        folder, "src/b.level.json",
        "{ \"entities\": [{ \"name\": \"x\", \"prefab\": \"lampe\" }, { \"nam\": 1 }] }");
    test_write_text(folder, "src/c.entity.json", "{ \"components\": { \"light\": {");
    test_write_text(folder, "src/d.mesh.gltf", "{}");
    return folder;
}

/* In a new output folder, so that the build compiles everything, as the check does. */
static void expect_same(const char* folder, const char* options) {
    TestRun built = test_command(folder, "rm -rf out .out.entc; entc build src -o out %s", options);
    TestRun checked =
        test_command(folder,
                     "find . -not -name '.std*' -printf '%%p %%s %%T@ %%C@\\n' | sort >../before; "
                     "entc check src %s; code=$?; "
                     "find . -not -name '.std*' -printf '%%p %%s %%T@ %%C@\\n' | sort >../after; "
                     "cmp ../before ../after >&2; exit $code",
                     options);
    if (built.code != checked.code || strcmp(built.err, checked.err) != 0)
        fail_msg("%s: build %d:\n%s\ncheck %d:\n%s", options, built.code, built.err, checked.code,
                 checked.err);
    assert_string_equal(checked.out, "");
    test_run_free(&built);
    test_run_free(&checked);
}

static const char* const options[] = {"",
                                      "-q",
                                      "-j3",
                                      "--lang fr",
                                      "--lang de",
                                      "--strip",
                                      "--target big",
                                      "--strict-models",
                                      "--max-output 100",
                                      "--budget budget.json",
                                      "--diag-format json",
                                      "--diag-format github"};

static void check_reports_what_a_build_reports(void** state) {
    UNUSED(state);
    for (u32 valid = 0; valid < 2; valid++) {
        char* folder = project_new(valid ? "valid" : "invalid", valid);
        for (u32 i = 0; i < COUNT_OF(options); i++) expect_same(folder, options[i]);
        free(folder);
    }
    EXPECT(".", 2, "nosuch", "entc check nosuch");
}

/* A resource with a warning is compiled by every build, which reports it. */
static void check_uses_and_fills_the_cache(void** state) {
    char* folder = project_new("cached", true);
    UNUSED(state);
    EXPECT(folder, 0, ", 0 from the cache,", "entc check src --cache cache -v");
    EXPECT(folder, 0, "entc: 3 resources, 1 compiled, 2 from the cache,",
           "entc check src --cache cache -v");
    EXPECT(folder, 0, ", 1 compiled, 2 from the cache,", "entc build src -o out --cache cache -v");
    TEST_DONE(folder, "entc build src -o other -q && diff -r out other");
    free(folder);
}

TEST_SUITE(check) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_reports_what_a_build_reports),
        cmocka_unit_test(check_uses_and_fills_the_cache),
    };
    return TEST_RUN("check", tests);
}
