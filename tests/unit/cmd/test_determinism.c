/* test_determinism.c - `entc verify-determinism`: of sources, and with a plugin whose results depend
 * on something else. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

static char* dice_new(const char* name) {
    char* folder = strdup(test_folder(name));
    EXPECT(folder, 0, "",
           "bin=$(dirname \"$(command -v entc)\") && cp $bin/tests/plugins/plugin_dice.so dice.so");
    test_write_text(
        folder, "src/a.level.json",
        "{ \"entities\": [\n  { \"name\": \"x\", \"components\": { \"dice\": {} } } ] }\n");
    test_write_text(
        folder, "src/b.level.json",
        "{ \"entities\": [\n  { \"name\": \"y\", \"components\": { \"dice\": {} } } ] }\n");
    return folder;
}

static void sources_of_every_type_give_the_same_bytes(void** state) {
    char* folder = strdup(test_folder("determinism"));
    UNUSED(state);
    EXPECT(folder, 0, "",
           "mkdir tmp && cp -r \"$OLDPWD/assets\" src && echo us >src/us.txt && "
           "echo {} >src/us.txt.data.json");
    EXPECT(folder, 0, "the outputs of three builds of \"src\" have the same bytes",
           "TMPDIR=$PWD/tmp entc verify-determinism src");
    EXPECT(folder, 0, "", "test -z \"$(ls -A tmp)\"");
    EXPECT(folder, 0, "", "entc verify-determinism src -j 1 --target big --strip -q -o kept");
    EXPECT(folder, 0, "",
           "test -f kept/1/levels/town.level && cmp kept/1/us.data kept/2/us.data && "
           "cmp kept/1/us.data kept/3/us.data && test -d kept/cache");
    EXPECT(folder, 1, "\"kept\" already exists; specify a new folder",
           "entc verify-determinism src -o kept");
    EXPECT(folder, 1, "is inside the source folder", "entc verify-determinism src -o src/kept");
    EXPECT(folder, 2, "cannot create a folder", "TMPDIR=$PWD/none entc verify-determinism src");
    EXPECT(folder, 2, "cannot read the asset folder", "entc verify-determinism none");
    free(folder);
}

static void sources_with_errors_are_reported_once(void** state) {
    const char* folder = test_folder("determinism_errors");
    UNUSED(state);
    test_write_text(folder, "src/a.level.json", "{ \"entities\": 3 }");
    EXPECT(folder, 3, "src/a.level.json:1:15: error", "entc verify-determinism src");
    EXPECT(folder, 0, "1", "entc verify-determinism src 2>&1 | grep -c error:");
    test_write_text(
        folder, "src/a.level.json",
        "{ \"entities\": [ { \"components\": { \"transform\": { \"scale\": [0, 1, 1] } } } ] }");
    EXPECT(folder, 0, "1", "entc verify-determinism src 2>&1 | grep -c warning:");
}

/* The value of dice is the number of the process: the first different byte is in its field. */
static void plugin_that_depends_on_the_process_is_reported_with_the_byte(void** state) {
    char* folder = dice_new("determinism_process");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc verify-determinism src --plugin dice.so");
    TestRun run = test_command(folder, "DICE=process entc verify-determinism src --plugin dice.so");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "two builds of \"src\" give different bytes for \"a.level\": "
                                    "the first difference is at offset "));
    assert_non_null(strstr(run.err, "    first build: 00"));
    assert_non_null(strstr(run.err, "    second build: 00"));
    assert_non_null(strstr(run.err, "dice[0].eyes  <- a.level.json:2:"));
    assert_null(strstr(run.err, "b.level"));
    test_run_free(&run);
    free(folder);
}

/* A number that counts calls is the same in each build of one order. */
static void plugin_that_depends_on_the_order_is_reported(void** state) {
    char* folder = dice_new("determinism_order");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "export DICE=order; for i in 1 2; do entc build src -o $i -j 1 --plugin dice.so; done; "
           "cmp 1/a.level 2/a.level && cmp 1/b.level 2/b.level");
    EXPECT(folder, 3, "dice[0].eyes",
           "DICE=order entc verify-determinism src --plugin dice.so -j 1");
    EXPECT(folder, 0, "",
           "export DICE=order; entc build src -o 3 -j 1 --plugin dice.so --backwards; "
           "! cmp -s 1/a.level 3/a.level");
    free(folder);
}

static void plugin_that_fails_in_the_second_build_is_reported(void** state) {
    char* folder = dice_new("determinism_fail");
    UNUSED(state);
    EXPECT(folder, 3,
           "the second build of \"src\" failed with exit code 3, after the first one had",
           "DICE=fail entc verify-determinism src --plugin dice.so");
    free(folder);
}

TEST_SUITE(determinism) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_of_every_type_give_the_same_bytes),
        cmocka_unit_test(sources_with_errors_are_reported_once),
        cmocka_unit_test(plugin_that_depends_on_the_process_is_reported_with_the_byte),
        cmocka_unit_test(plugin_that_depends_on_the_order_is_reported),
        cmocka_unit_test(plugin_that_fails_in_the_second_build_is_reported)};
    return TEST_RUN("determinism", tests);
}
