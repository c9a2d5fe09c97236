/* test_project.c - the folder of sources as a whole: where outputs may be written, the settings of
 * the project, its variants, and files that nothing reads.
 *
 * Invariants: nothing is ever written among the sources; without entc.json everything is as it was
 * before there was one; a build with nothing to do reports what a clean one reports. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

/* A fresh folder with src/ in it; free it. */
static char* project_new(const char* name) {
    static const TestFile files[] = {
        {"levels/yard.level.json",
         "{ \"entities\": [ { \"name\": \"a\", \"prefab\": \"lamp\" } ] }\n"},
        {"lamp.entity.json", "{ \"components\": { \"light\": { \"range_m\": 3 } } }\n"},
        {"mud.material.json", "{ \"roughness\": 0.5 }\n"},
    };
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", files, COUNT_OF(files));
    return folder;
}

/* --- where outputs may be written --- */

static const struct {
    const char *command, *text;
} misplaced[] = {
    {"entc build src -o src", "the output folder \"src\" is the source folder \"src\""},
    {"entc build src -o src/", "is the source folder"},
    {"entc build ./src/ -o src/levels/..", "is the source folder"},
    {"entc build src -o \"$PWD/src\"", "is the source folder"},
    {"entc build src -o new/../src", "is the source folder"},
    {"entc build src -o tosrc", "is the source folder"},
    {"entc build tosrc -o src", "is the source folder"},
    {"cd src && entc build . -o .", "is the source folder"},
    {"cd src && entc build . -o ''", "is the source folder"},
    {"cd src/levels && entc build .. -o ../../src", "is the source folder"},
    {"entc build src -o src/out", "the output folder \"src/out\" is in the source folder \"src\""},
    {"entc build src -o src/.out", "is in the source folder"},
    {"entc build src -o src/not/there/yet", "is in the source folder"},
    {"entc build src -o tosrc/levels", "is in the source folder"},
    {"entc build src -o tolevels", "is in the source folder"},
    {"entc build src -o new/../src/out", "is in the source folder"},
    {"entc build . -o out", "is in the source folder"},
    {"entc build src -o .", "the source folder \"src\" is in the output folder \".\""},
    {"cd src && entc build . -o ..", "is in the output folder"},
    {"entc build src/levels -o src", "is in the output folder"},
    {"entc build tolevels -o src", "is in the output folder"},
    {"entc build src -o src --check", "is the source folder"},
    {"entc build src -o src --dry-run", "is the source folder"},
    {"entc build src -o src --list-outputs", "is the source folder"},
    {"timeout 20 entc build src -o src --watch", "is the source folder"},
    {"entc build src -o src/out --emit-ninja build.ninja", "is in the source folder"},
    {"entc why src -o src", "is the source folder"},
    {"entc build src -o out --cache src/cache", "--cache \"src/cache\" is in the source folder"},
    {"entc build src -o out --cache src", "--cache \"src\" is in the source folder"},
    {"ENTC_CACHE_DIR=tosrc entc build src -o out", "--cache \"tosrc\" is in the source folder"},
    {"entc build src -o out --report src/mud.material.json", "is named like a source"},
    {"entc build src -o out --emit-ninja src/build.level.json", "is named like a source"},
    {"entc compile src mud.material -o src/mud.material.json", "is named like a source"},
    {"entc compile src mud.material -o tosrc/box.GLB", "is named like a source"},
    {"entc compile src mud.material -o m -MD -MF src/lamp.entity.json", "is named like a source"},
    {"entc codegen src -o src/lamp.entity.json", "is named like a source"},
    {"entc schema src -o src/schema", "-o \"src/schema\" is in the source folder"},
    {"entc schema src -o src", "-o \"src\" is in the source folder"},
};

static void outputs_among_sources_are_refused(void** state) {
    char* folder = project_new("project/misplaced");
    char  path[1200];
    UNUSED(state);
    snprintf(path, sizeof path, "%s/tosrc", folder);
    assert_int_equal(symlink("src", path), 0);
    snprintf(path, sizeof path, "%s/tolevels", folder);
    assert_int_equal(symlink("src/levels", path), 0);
    char* before = test_tree(folder);
    for (u32 i = 0; i < COUNT_OF(misplaced); i++) {
        EXPECT(folder, 1, misplaced[i].text, "%s", misplaced[i].command);
        char* after = test_tree(folder);
        assert_string_equal(after, before);
        free(after);
    }
    free(before);
    free(folder);
}

/* The same names nearly, and places where no source is looked for. */
static void outputs_beside_sources_are_written(void** state) {
    static const char* const commands[] = {
        "entc build src -o out",
        "entc build src -o src_out",
        "entc build src -o sr",
        "entc build src -o .src",
        "cd src && entc build . -o ../out2",
        "entc build src -o new/../out3",
        "entc build src -o src/../out4",
        "entc build src -o out --cache src/.cache",
        "entc build src -o out --cache cache",
        "entc compile src mud.material -o src/mud.material",
        "entc compile src mud.material -o src/.made.material.json",
        "entc codegen src -o src/components.h",
        "entc schema src -o src/.entc/schema",
        "entc schema src -o .",
    };
    char* folder = project_new("project/placed");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(commands); i++) EXPECT(folder, 0, "", "%s", commands[i]);
    EXPECT(folder, 0, "",
           "cmp out/mud.material out3/mud.material && cmp out/mud.material src/mud.material "
           "&& diff -r out out4");
    EXPECT(folder, 2, "nosuch", "entc build nosuch -o out");
    EXPECT(folder, 2, "nosuch", "entc build nosuch -o nosuch");
    free(folder);
}

/* --- the settings --- */

#define SETTINGS "{ \"languages\": [\"de\", \"fr\"], \"platforms\": [\"mobile\"] }\n"
#define IDLE     "3 resources, 0 compiled, 0 from the cache, 0 written, 3 unchanged, 0 removed"

/* A change of the settings compiles nothing, and is looked at all the same. */
static void settings_are_an_input(void** state) {
    char* folder = project_new("project/settings");
    UNUSED(state);
    EXPECT(folder, 0, "3 compiled", "entc build src -o out -v --cache cache");
    test_write_text(folder, "src/entc.json", SETTINGS);
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    EXPECT(folder, 0, "3 resources, 0 compiled, 3 from the cache",
           "entc build src -o other -v --cache cache");
    EXPECT(folder, 1, "lists no language \"frr\"", "entc build src -o out --lang frr");
    EXPECT(folder, 1, "lists no language \"mobile\"", "entc build src -o new --lang mobile");
    EXPECT(folder, 0, "", "test ! -e new && entc build src -o fr --lang fr --platform mobile");
    test_write_text(folder, "src/entc.json", "{ \"languages\": [\"de\"] }\n");
    EXPECT(folder, 1, "lists no language \"fr\"", "entc build src -o fr --lang fr");
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    test_write_text(folder, "src/entc.json", "{ \"languages\": \"de\" }\n");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc build src -o out -v");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc build src -o out -v");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc unused src --root lamp.entity");
    EXPECT(folder, 0, IDLE, "rm src/entc.json && entc build src -o out -v");
    EXPECT(folder, 0, "2 compiled",
           "echo '{ }' > src/lamp.french.entity.json && "
           "entc build src -o french --lang french && "
           "sed -i s/3/4/ src/lamp.entity.json && entc build src -o out -v");
    test_write_text(folder, "src/entc.json", SETTINGS);
    EXPECT(folder, 3, "\"french\" is neither", "entc build src -o out -v");
    free(folder);
}

static void settings_are_told_to_build_systems(void** state) {
    char* folder = project_new("project/edges");
    UNUSED(state);
    test_write_text(folder, "src/entc.json", SETTINGS);
    EXPECT(folder, 0, "made of  src/entc.json\nmade of  src/lamp.entity.json\n",
           "entc deps src lamp.entity");
    EXPECT(folder, 0, "src/entc.json:\n",
           "entc compile src lamp.entity -o lamp -MD && cat lamp.d && grep -q '^ src/entc.json' "
           "lamp.d");
    EXPECT(folder, 0, "  src/entc.json $\n",
           "entc build src -o out --emit-ninja build.ninja && cat build.ninja");
    free(folder);
}

int test_project(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_among_sources_are_refused),
        cmocka_unit_test(outputs_beside_sources_are_written),
        cmocka_unit_test(settings_are_an_input),
        cmocka_unit_test(settings_are_told_to_build_systems),
    };
    return TEST_RUN("project", tests);
}
