/* test_build_index.c - the index of an output folder: the same bytes after any history, written last, and by each
 * command that fills a folder; and what `entc verify` says of one that does not match. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static const TestFile sources[] = {
    {"yard.level.json", "{ \"entities\": [ { \"name\": \"yard\", \"components\": { \"mesh\": { "
                        "\"resource\": \"models/box/box\" } } } ] }"},
    {"paints/wood.material.json", "{ \"roughness\": 0.5 }"},
    {"paints/iron.material.json", "{ \"roughness\": 0.25 }"},
};

static char* project_new(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    return folder;
}

#define SAME "cmp out/.entc.index clean/.entc.index && entc verify out -q"

static void index_depends_on_the_outputs_alone(void** state) {
    static const char* const edits[] = {
        "echo '{ \"roughness\": 0.75 }' >src/paints/wood.material.json",
        "echo '{}' >src/new.material.json",
        "mv src/new.material.json src/old.material.json",
        "rm src/old.material.json",
        "touch src/yard.level.json",
        "rm out/paints/wood.material",
        "rm -r .out.entc",
        "rm out/.entc.index",
        "echo damaged >out/.entc.index",
        "cp src/paints/iron.material.json src/paints/wood.material.json",
    };
    char* folder = project_new("history");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q");
    for (u32 i = 0; i < COUNT_OF(edits); i++) {
        TEST_DONE(folder, "%s", edits[i]);
        TEST_DONE(folder, "rm -rf clean && entc build src -o clean -q && entc build src -o out "
                          "--cache c -q && " SAME);
        /* Nothing to do: it is not touched. */
        TEST_DONE(folder, "ln out/.entc.index same && entc build src -o out -q && "
                          "test same -ef out/.entc.index && rm same");
    }
    /* Also a build that compiles something, and writes the same. */
    TEST_DONE(folder, "ln out/.entc.index same && entc build src -o out -q --force && "
                      "test same -ef out/.entc.index");
    free(folder);
}

static void builds_that_do_not_write_report_the_index(void** state) {
    char* folder = project_new("dry");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q && entc build src -o out --check");
    EXPECT(folder, 0, "wrote out/.entc.index", "rm out/.entc.index; entc build src -o out -v");
    EXPECT(folder, 3, "would write out/.entc.index",
           "echo x >out/.entc.index; entc build src -o out --check");
    EXPECT(folder, 0, "would write out/.entc.index", "entc build src -o out --dry-run");
    EXPECT(folder, 0, "x", "cat out/.entc.index");
    EXPECT(folder, 3, "", "echo '{' >src/bad.material.json; entc build src -o out");
    EXPECT(folder, 0, "x", "cat out/.entc.index");
    free(folder);
}

/* With -k, the outputs that stay are in it. */
static void index_of_a_build_that_keeps_going_names_what_is_there(void** state) {
    char* folder = project_new("keep");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 3, "",
           "echo '{' >src/paints/wood.material.json; echo '{' >src/models/box.gltf; "
           "echo '{}' >src/new.material.json; entc build src -o out -k");
    TEST_DONE(folder, "entc verify out | grep -q 'index, .* bytes, 6 resources' && "
                      "cp out/.entc.index kept && entc index out && cmp kept out/.entc.index");
    TEST_DONE(folder, "rm src/paints/wood.material.json src/new.material.json; cp -r src/models m; "
                      "rm -r src/models src/yard.level.json; entc build src -o out -q; "
                      "entc build src -o clean -q; " SAME);
    free(folder);
}

static void unpacked_and_single_outputs_have_the_same_index(void** state) {
    char* folder = project_new("others");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o clean -q && entc pack clean -o all.pak && "
                      "entc unpack all.pak -o out && " SAME);
    TEST_DONE(folder,
              "rm -r out && for r in $(cd clean && find . -name '*.*' -type f ! -name '.*'); do "
              "entc compile src ${r#./} -o out/${r#./} || exit 1; done && "
              "entc index out && " SAME);
    TEST_DONE(folder,
              "rm out/.entc.index && find out -type f >list && entc index out @list && " SAME);
    TEST_DONE(folder, "entc build src -o big --target big -q && entc pack big -o big.pak && "
                      "entc unpack big.pak -o bigger && cmp big/.entc.index bigger/.entc.index && "
                      "entc index bigger && cmp big/.entc.index bigger/.entc.index");
    EXPECT(folder, 0, "other byte order", "entc verify big | grep 'ok (index'");
    free(folder);
}

static void index_that_does_not_match_is_reported(void** state) {
    char* folder = project_new("verify");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 0, "out/.entc.index: ok (index, ", "entc verify out");
    EXPECT(folder, 3,
           "iron.material: error: the index of the folder names it, and it does not exist",
           "mv out/paints/iron.material .; entc verify out -q");
    EXPECT(folder, 3, "iron.material: error: it is not the blob that the index of the folder names",
           "echo '{}' >src/paints/iron.material.json; entc compile src paints/iron.material -o "
           "out/paints/iron.material; entc verify out -q");
    EXPECT(folder, 3, "out/.entc.index: error: header.magic at offset 0: the first four bytes",
           "echo x >out/.entc.index; entc verify out -q");
    TEST_DONE(folder, "rm out/.entc.index && entc verify out -q");
    free(folder);
}

static void files_that_cannot_be_in_an_index_are_refused(void** state) {
    char* folder = project_new("refused");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q && cp out/.entc.index before");
    EXPECT(folder, 3, "out/a.mesh: error: it is not the blob of the resource of its name",
           "cp out/yard.level out/a.mesh; entc index out");
    EXPECT(folder, 3, "src/yard.level.json: error: it is not in the folder whose index is written",
           "entc index out src/yard.level.json");
    EXPECT(folder, 3, "out/x: error: its name does not end with a type", "entc index out out/x");
    EXPECT(folder, 2, "cannot read \"out/b.mesh\"", "mkdir out/b.mesh; entc index out out/b.mesh");
    EXPECT(folder, 2, "nosuch", "entc index nosuch");
    EXPECT(folder, 0, "", "cmp before out/.entc.index");
    EXPECT(folder, 1, "\"yard.level\" is specified twice",
           "entc index out/ out/yard.level out/yard.level");
    EXPECT(folder, 0, "", "cmp before out/.entc.index");
    /* An edge of ninja may have no output. */
    TEST_DONE(folder,
              "entc index out $(find out -name '*.m*' -type f ! -name a.mesh) out/yard.level "
              "out/models/box.entity out/none.texture && cmp before out/.entc.index");
    free(folder);
}

TEST_SUITE(build_index) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_depends_on_the_outputs_alone),
        cmocka_unit_test(builds_that_do_not_write_report_the_index),
        cmocka_unit_test(index_of_a_build_that_keeps_going_names_what_is_there),
        cmocka_unit_test(unpacked_and_single_outputs_have_the_same_index),
        cmocka_unit_test(index_that_does_not_match_is_reported),
        cmocka_unit_test(files_that_cannot_be_in_an_index_are_refused),
    };
    return TEST_RUN("build_index", tests);
}
