/* test_project.c - the source folder: where outputs may be written, the settings of the project,
 * its variants, and files that are not read.
 *
 * Invariants: no output is written among the sources; without entc.json everything works as before
 * it was introduced; a build with nothing to do reports what a clean one reports. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

/* A new folder that contains src/. The caller frees the path. */
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
    {"entc build src -o src", "the output folder \"src\" is the same as the source folder \"src\""},
    {"entc build src -o src/", "is the same as the source folder"},
    {"entc build ./src/ -o src/levels/..", "is the same as the source folder"},
    {"entc build src -o \"$PWD/src\"", "is the same as the source folder"},
    {"entc build src -o new/../src", "is the same as the source folder"},
    {"entc build src -o tosrc", "is the same as the source folder"},
    {"entc build tosrc -o src", "is the same as the source folder"},
    {"cd src && entc build . -o .", "is the same as the source folder"},
    {"cd src && entc build . -o ''", "is the same as the source folder"},
    {"cd src/levels && entc build .. -o ../../src", "is the same as the source folder"},
    {"entc build src -o src/out",
     "the output folder \"src/out\" is inside the source folder \"src\""},
    {"entc build src -o src/.out", "is inside the source folder"},
    {"entc build src -o src/not/there/yet", "is inside the source folder"},
    {"entc build src -o tosrc/levels", "is inside the source folder"},
    {"entc build src -o tolevels", "is inside the source folder"},
    {"entc build src -o new/../src/out", "is inside the source folder"},
    {"entc build . -o out", "is inside the source folder"},
    {"entc build src -o .", "the source folder \"src\" is inside the output folder \".\""},
    {"cd src && entc build . -o ..", "is inside the output folder"},
    {"entc build src/levels -o src", "is inside the output folder"},
    {"entc build tolevels -o src", "is inside the output folder"},
    {"entc build src -o src --check", "is the same as the source folder"},
    {"entc build src -o src --dry-run", "is the same as the source folder"},
    {"entc build src -o src --list-outputs", "is the same as the source folder"},
    {"$BOUNDED entc build src -o src --watch", "is the same as the source folder"},
    {"entc build src -o src/out --emit-ninja build.ninja", "is inside the source folder"},
    {"entc why src -o src", "is the same as the source folder"},
    {"entc build src -o out --cache src/cache",
     "--cache \"src/cache\" is inside the source folder"},
    {"entc build src -o out --cache src", "--cache \"src\" is inside the source folder"},
    {"ENTC_CACHE_DIR=tosrc entc build src -o out", "--cache \"tosrc\" is inside the source folder"},
    {"entc build src -o out --report src/mud.material.json", "has the name of a source file"},
    {"entc build src -o out --emit-ninja src/build.level.json", "has the name of a source file"},
    {"entc compile src mud.material -o src/mud.material.json", "has the name of a source file"},
    {"entc compile src mud.material -o tosrc/box.GLB", "has the name of a source file"},
    {"entc compile src mud.material -o m -MD -MF src/lamp.entity.json",
     "has the name of a source file"},
    {"entc codegen src -o src/lamp.entity.json", "has the name of a source file"},
    {"entc schema src -o src/schema", "-o \"src/schema\" is inside the source folder"},
    {"entc schema src -o src", "-o \"src\" is inside the source folder"},
};

static void output_path_among_sources_is_refused(void** state) {
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

/* Similar names, and places where no source is searched for. */
static void output_path_beside_sources_is_accepted(void** state) {
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

#define ACCEPTED  "\"models\": { \"accept\": [\"unused\"] }" /* images that no material uses */
#define LANGUAGES "\"languages\": [\"de\", \"fr\"], \"platforms\": [\"mobile\"]"
#define SETTINGS  "{ " LANGUAGES ", " ACCEPTED " }\n"
#define IDLE      "3 resources, 0 compiled, 0 from the cache, 0 written, 3 unchanged, 0 removed"

/* A change of the settings compiles nothing, but is detected; which remarks are accepted concerns results. */
static void settings_changed_are_checked_without_compiling(void** state) {
    char* folder = project_new("project/settings");
    UNUSED(state);
    EXPECT(folder, 0, "3 compiled", "entc build src -o out -v --cache cache");
    test_write_text(folder, "src/entc.json", "{ " LANGUAGES " }\n");
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    EXPECT(folder, 0, "3 resources, 0 compiled, 3 from the cache",
           "entc build src -o other -v --cache cache");
    EXPECT(folder, 1, "does not list the language \"frr\"", "entc build src -o out --lang frr");
    EXPECT(folder, 1, "does not list the language \"mobile\"",
           "entc build src -o new --lang mobile");
    EXPECT(folder, 0, "", "test ! -e new && entc build src -o fr --lang fr --platform mobile");
    test_write_text(folder, "src/entc.json", "{ \"languages\": [\"de\"] }\n");
    EXPECT(folder, 1, "does not list the language \"fr\"", "entc build src -o fr --lang fr");
    EXPECT(folder, 0, IDLE, "entc build src -o out -v");
    test_write_text(folder, "src/entc.json", "{ \"languages\": \"de\" }\n");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc build src -o out -v");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc build src -o out -v");
    EXPECT(folder, 3, "src/entc.json:1:16: error", "entc unused src --root lamp.entity");
    EXPECT(folder, 0, IDLE, "rm src/entc.json && entc build src -o out -v");
    test_write_text(folder, "src/entc.json", "{ " ACCEPTED " }\n");
    EXPECT(folder, 0, "3 resources, 3 compiled", "entc build src -o out -v");
    EXPECT(folder, 0, "3 resources, 3 compiled", "rm src/entc.json && entc build src -o out -v");
    EXPECT(folder, 0, "2 compiled",
           "echo '{ }' > src/lamp.french.entity.json && "
           "entc build src -o french --lang french && "
           "sed -i s/3/4/ src/lamp.entity.json && entc build src -o out -v");
    test_write_text(folder, "src/entc.json", SETTINGS);
    EXPECT(folder, 3, "\"french\" is neither", "entc build src -o out -v");
    free(folder);
}

static void settings_are_listed_in_depfile_and_ninja_file(void** state) {
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

/* --- files that are not read --- */

#define MODEL(buffer, image)                                                                       \
    "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"" image "\" } ],\n"         \
    "  \"buffers\": [ { \"uri\": \"" buffer "\", \"byteLength\": 1 } ] }\n"

/* Models with a separate buffer and image, one of them only for a platform. */
static char* models_new(const char* name) {
    static const TestFile files[] = {
        {"entc.json", "{ " ACCEPTED " }\n"},
        {"models/box.gltf", MODEL("box.bin", "../tex/a%20b.tga")},
        {"models/box.bin", "b"},
        {"tex/a b.tga", "p"},
        {"models/box.mobile.gltf", MODEL("box_mobile.bin", "../tex/mobile.png")},
        {"models/box_mobile.bin", "m"},
        {"tex/mobile.png", "p"},
        {"lamp.fr.entity.json", "{}\n"},
        {".hidden.fbx", ""},
        {".folder/rock.fbx", ""},
    };
    char* folder = project_new(name);
    test_write_files(folder, "src", files, COUNT_OF(files));
    return folder;
}

/* The same line from every kind of build. */
static void every_build_reports(const char* folder, const char* line) {
    static const char* const commands[] = {
        "entc build src -o out",                            /* the state after the change */
        "entc build src -o out",                            /* with nothing to do */
        "entc build src -o out --force",                    /* with everything to do */
        "entc build src -o new && rm -r new .new.entc",     /* without a record */
        "entc build src -o out --cache cache",              /* which fills it */
        "rm -r out && entc build src -o out --cache cache", /* from the cache */
        "touch src/lamp.entity.json src/models/* && entc build src -o out -j 1",
        "echo '{ }' > src/lamp.entity.json && entc build src -o out",
        "rm out/models/box.entity && entc build src -o out",
        "entc build src -o out --check",
        "entc build src -o out --dry-run",
        "entc build src/ -o out | cat",
    };
    TEST_DONE(folder, "rm -rf cache");
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        TestRun run = test_command(folder, "%s", commands[i]);
        if (run.code != 0 || strcmp(run.err, line) != 0) {
            fail_msg("%s: %d, \"%s\", expected \"%s\"", commands[i], run.code, run.err, line);
        }
        test_run_free(&run);
    }
}

static void files_that_are_not_read_are_counted_by_every_build(void** state) {
    char* folder = models_new("project/unread");
    UNUSED(state);
    every_build_reports(folder, "");
    test_write_text(folder, "src/models/rock.fbx", "");
    every_build_reports(folder, "entc: 1 file in \"src\" is not read (1 .fbx); -v shows it\n");
    TEST_DONE(folder, "cd src && touch LICENSE models/tree.fbx foo.json a.b c.d e.f g.h i.j k.l "
                      "tex/More.tga");
    every_build_reports(folder,
                        "entc: 11 files in \"src\" are not read (2 .fbx, 1 without a suffix, "
                        "1 .b, 1 .d, 1 .f, 5 others); -v lists them\n");
    TEST_DONE(folder, "cd src && rm ?.? foo.json LICENSE models/rock.fbx");
    EXPECT(folder, 0,
           "entc: 2 files in \"src\" are not read (1 .fbx, 1 .tga):\n"
           "    src/models/tree.fbx\n    src/tex/More.tga\n",
           "entc build src -o out -v");
    EXPECT(folder, 0, "::notice title=entc::2 files in \"src\" are not read (1 .fbx, 1 .tga); -v",
           "entc build src -o out --diag-format github");
    EXPECT(folder, 0, "",
           "test -z \"$(entc build src -o out -q 2>&1)\" && "
           "test -z \"$(entc build src -o out --diag-format json 2>&1)\" && "
           "entc build src -o out --diag-format sarif 2>&1 | python3 -m json.tool && "
           "test -z \"$(entc build src -o out --emit-ninja n 2>&1)\" && "
           "test -z \"$(entc compile src lamp.entity -o lamp 2>&1)\"");
    /* A file that a model no longer refers to; and one that it refers to before it exists. */
    TEST_DONE(folder,
              "rm src/models/tree.fbx && sed -i 's,a%%20b.tga,More.tga,' src/models/box.gltf");
    every_build_reports(folder, "entc: 1 file in \"src\" is not read (1 .tga); -v shows it\n");
    TEST_DONE(folder, "sed -i 's,More.tga,Later.tga,' src/models/box.gltf && rm src/tex/a*b.tga "
                      "src/tex/More.tga");
    every_build_reports(folder, "");
    test_write_text(folder, "src/tex/Later.tga", "p");
    every_build_reports(folder, "");
    free(folder);
}

static void settings_file_in_subfolder_gives_a_warning(void** state) {
    static const char warning[] =
        "src/levels/entc.json:1:1: warning: this file is not read: the settings of a project must "
        "be in the root of its source folder, in \"src/entc.json\" [W0705]\nentc: 1 warning\n";
    char* folder = models_new("project/elsewhere");
    UNUSED(state);
    test_write_text(folder, "src/levels/entc.json", "[]");
    every_build_reports(folder, warning);
    test_write_text(folder, "src/entc.json", SETTINGS);
    every_build_reports(folder, warning);
    free(folder);
}

/* --- all variants at once --- */

static void variants_new(const char* folder) {
    static const TestFile files[] = {
        {"entc.json", SETTINGS},
        {"lamp.entity.json", "{ \"children\": [ { \"name\": \"bulb\" } ] }\n"},
        {"lamp.fr.entity.json", "{ \"children\": [ { \"name\": \"bulb\" } ] }\n"},
        {"lamp.mobile.entity.json", "{ \"children\": [ { \"name\": \"bulb\" } ] }\n"},
        {"lamp.fr.mobile.entity.json", "{ \"children\": [ { \"name\": \"bulb\" } ] }\n"},
        {"mud.de.material.json", "{ \"roughness\": 0.7 }\n"},
        {"levels/yard.level.json", "{ \"entities\": [ { \"name\": \"a\", \"prefab\": \"lamp\", "
                                   "\"overrides\":\n{ \"bulb\": {\n"
                                   "  \"components\": { \"light\": {} } } } } ] }\n"},
    };
    test_write_files(folder, "src", files, COUNT_OF(files));
}

static void check_variants_compiles_each_combination_once(void** state) {
    char* folder = project_new("project/variants");
    UNUSED(state);
    variants_new(folder);
    /* plain, mobile, de, de and mobile, fr, fr and mobile: what differs is compiled once each */
    EXPECT(folder, 0, "entc: 6 variants, 10 compiled,", "entc check src --variants -v");
    EXPECT(folder, 0, "", "test $(ls -A | wc -l) = 1 && test ! -e src/.entc.move");
    test_write_text(folder, "src/mud.de.material.json", "{ \"roughnes\": 1 }\n");
    test_write_text(folder, "src/lamp.fr.mobile.entity.json", "{}\n");
    EXPECT(folder, 0, "", "entc build src -o out -q && entc build src -o out --lang fr -q");
    static const char errors[] =
        "src/levels/yard.level.json:2:3: error: the prefab has no entity \"bulb\" to override "
        "[E0307]\n"
        "    { \"bulb\": {\n"
        "      ^~~~~~\n"
        "entc: note: reported in a build with --lang fr --platform mobile\n"
        "src/mud.de.material.json:1:3: error: material has no field \"roughnes\"; did you mean "
        "\"roughness\"? [E0201]\n"
        "    { \"roughnes\": 1 }\n"
        "      ^~~~~~~~~~\n"
        "entc: note: reported in a build with --lang de\n"
        "entc: 2 errors\n";
    for (u32 jobs = 1; jobs < 6; jobs++) {
        TestRun run = test_command(folder, "entc check src --variants -j %u", jobs);
        assert_int_equal(run.code, 3);
        assert_string_equal(run.err, errors);
        test_run_free(&run);
    }
    EXPECT(folder, 3, "::error file=src/mud.de.material.json,line=1,col=3,title=E0201",
           "entc check src --variants --diag-format github");
    /* Without settings each infix of a file name is a variant, and each pair in one name. */
    EXPECT(folder, 3, "entc: 2 errors", "rm src/entc.json && entc check src --variants");
    free(folder);
}

/* A declaration may be a variant too: then everything is compiled with it. */
static void check_variants_with_variant_of_declaration_compiles_all(void** state) {
    char* folder = project_new("project/declared");
    UNUSED(state);
    test_write_text(folder, "src/health.component.json",
                    "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 1 } } }\n");
    test_write_text(folder, "src/dog.entity.json",
                    "{ \"components\": { \"health\": { \"points\": 500 } } }\n");
    EXPECT(folder, 0, "1 variant, 5 compiled", "entc check src --variants -v");
    test_write_text(
        folder, "src/health.mobile.component.json",
        "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 1, \"max\": 100 } } }\n");
    EXPECT(folder, 0, "", "entc build src -o out");
    EXPECT(folder, 3, "points must be from 0 to 100, not 500", "entc check src --variants");
    free(folder);
}

static void check_variants_with_other_options_is_refused(void** state) {
    static const char* const with[] = {"--lang fr", "--platform mobile", "--budget b"};
    static const char* const without[] = {"-o out", "--check", "--dry-run", "--watch",
                                          "--report r"};
    char*                    folder = project_new("project/alone");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(with); i++) {
        EXPECT(folder, 1, "--variants cannot be combined", "$BOUNDED entc check src --variants %s",
               with[i]);
    }
    for (u32 i = 0; i < COUNT_OF(without); i++)
        EXPECT(folder, 1, "unknown option", "$BOUNDED entc check src %s", without[i]);
    EXPECT(folder, 2, "nosuch", "entc check nosuch --variants");
    free(folder);
}

TEST_SUITE(project) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_path_among_sources_is_refused),
        cmocka_unit_test(output_path_beside_sources_is_accepted),
        cmocka_unit_test(settings_changed_are_checked_without_compiling),
        cmocka_unit_test(settings_are_listed_in_depfile_and_ninja_file),
        cmocka_unit_test(files_that_are_not_read_are_counted_by_every_build),
        cmocka_unit_test(settings_file_in_subfolder_gives_a_warning),
        cmocka_unit_test(check_variants_compiles_each_combination_once),
        cmocka_unit_test(check_variants_with_variant_of_declaration_compiles_all),
        cmocka_unit_test(check_variants_with_other_options_is_refused),
    };
    return TEST_RUN("project", tests);
}
