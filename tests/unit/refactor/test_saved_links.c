/* test_saved_links.c - references that are stored beside the build database: refs and unused print
 * what they print without them, in every state of the sources and of the file. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

static const struct {
    const char *name, *text;
} sources[] = {
    {"src/all.package.json", "{ \"roots\": [\"levels/yard.level\"] }\n"},
    {"src/levels/yard.level.json",
     "{ \"entities\": [\n  { \"prefab\": \"props/lamp\" },\n  { \"name\": \"b\",\n    \"prefab\": "
     "\"props/pair\" } ] }\n"},
    {"src/props/lamp.entity.json", "{ \"components\": { \"light\": {} } }\n"},
    {"src/props/lamp.fr.entity.json", "{ \"prefab\": \"props/post\" }\n"},
    {"src/props/pair.entity.json",
     "{ \"children\": [ { \"name\": \"x\", \"prefab\": \"props/lamp\" } ] }\n"},
    {"src/props/post.entity.json", "{}\n"},
    {"src/props/spare.entity.json", "{ \"prefab\": \"props/post\" }\n"},
};

static const char* project_write(const char* name) {
    const char* folder = test_folder(name);
    for (u32 i = 0; i < COUNT_OF(sources); i++) {
        test_write_text(folder, sources[i].name, sources[i].text);
    }
    EXPECT(folder, 0, "", "entc build src -o out");
    return folder;
}

/* The output, messages and exit codes of commands with -o and without it. */
static void expect_equal(const char* folder) {
    static const char* const commands[] = {"refs src props/lamp.entity",
                                           "refs src props/post.entity --json",
                                           "refs src levels/yard.level",
                                           "refs src props/none.entity",
                                           "refs src lamp",
                                           "unused src",
                                           "unused src --why",
                                           "unused src --why --json",
                                           "unused src --root props/pair.entity",
                                           "unused src --root props/none.entity"};
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        EXPECT(folder, 0, "",
               "entc %s > a 2> b; echo $? >> a; entc %s -o out > c 2> d; echo $? >> c; cmp a c && "
               "cmp b d",
               commands[i], commands[i]);
    }
}

/* The file is not written again, so that it remains the same file. A source whose time stamp may be
 * that of a later change as well is not trusted, and how long this lasts depends on the file
 * system: up to 40 calls. */
static void expect_used(const char* folder) {
    EXPECT(folder, 0, "used",
           "i=0; used=anew; while [ $used = anew ] && [ $i -lt 40 ]; do sleep 0.05; i=$((i + 1)); "
           "ls -i .out.entc/links > a; cp -p .out.entc/links kept; entc refs src props/lamp.entity "
           "-o out > c; ls -i .out.entc/links > b; cmp -s a b && used=used; done; echo $used");
}

static void saved_references_are_used_until_sources_change(void** state) {
    const char* folder = project_write("saved_links");
    UNUSED(state);
    EXPECT(folder, 0, "src/levels/yard.level.json:2:15: prefab in levels/yard.level",
           "entc refs src props/lamp.entity -o out");
    expect_used(folder);
    expect_equal(folder);
    test_write_text(folder, "src/props/pair.entity.json", "{ \"prefab\": \"props/lamp\" }\n");
    expect_equal(folder);
    EXPECT(folder, 0, "src/props/pair.entity.json:1:13: prefab in props/pair.entity",
           "entc refs src props/lamp.entity -o out");
    expect_used(folder);
    EXPECT(folder, 0, "", "mv src/props/spare.entity.json src/props/other.entity.json");
    expect_equal(folder);
    EXPECT(folder, 0, "", "rm src/props/other.entity.json");
    expect_equal(folder);
    EXPECT(folder, 0, "", "printf 7 > src/levels/notes.txt");
    expect_equal(folder);
}

static void folder_with_errors_is_reported_and_not_saved(void** state) {
    const char* folder = project_write("saved_links_errors");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc refs src props/lamp.entity -o out");
    test_write_text(folder, "src/props/pair.entity.json", "{ \"prefab\": \"props/lamb\" }\n");
    expect_equal(folder);
    EXPECT(folder, 3, "did you mean \"props/lamp\"?", "entc refs src props/lamp.entity -o out");
}

/* --- edits of contents, of which only a part is compiled --- */

#define EDITED_FILES 7u
#define EDITS        120u

static u32 dice_roll(u32* dice, u32 sides) {
    *dice = *dice * 1664525u + 1013904223u;
    return (*dice >> 16) % sides;
}

/* An entity that refers to others before it, or with `has_errors` one that has errors, or that may
 * have them. */
static void edit_write(const char* folder, u32* dice, u32 file, bool has_errors) {
    static const char* const forms[] = {
        "{ \"components\": { \"decal\": { \"color_texture\": \"props/red\" } } }\n",
        "{ \"prefab\": \"props/e%u\" }\n",
        "{\n \"children\": [ { \"name\": \"x\", \"prefab\": \"props/e%u\" },\n { \"name\": \"y\" } "
        "] }\n",
        "{ \"prefab\": \"props/e%u\", \"components\": { \"decal\": { \"color_texture\": "
        "\"props/red\" } } }\n",
    };
    static const char* const invalid[] = {
        "{ \"prefab\": \"props/none_%u\" }\n",
        ("{ \"children\": [ { \"name\": \"x\", \"prefab\": \"props/e%u\", \"overrides\": { \"y\": "
         "{ "
         "\"components\": { \"light\": {} } } } } ] }\n"),
        "{ \"prefab\": \n",
    };
    char        name[64], text[512];
    const u32   other = file ? dice_roll(dice, file) : 0;
    const char* form = has_errors ? invalid[dice_roll(dice, COUNT_OF(invalid))]
                                  : forms[file ? dice_roll(dice, COUNT_OF(forms)) : 0];
    snprintf(name, sizeof name, "src/props/e%u%s.entity.json", file,
             file == 2 && other ? ".fr" : "");
    snprintf(text, sizeof text, form, other);
    test_write_text(folder, name, text);
}

/* What is printed, and stored, equals what is printed without -o, and stored without an older file. */
static void expect_equal_after_edit(const char* folder, u32 number) {
    TestRun run = test_command(
        folder,
        "entc unused src --why -o out > a 2> b; echo $? >> a; entc unused src --why > c 2> d; echo "
        "$? >> c; "
        "cmp a c && cmp b d || exit 9; cp .out.entc/links kept; rm .out.entc/links; "
        "entc unused src -o out > c 2> d; test -e .out.entc/links || { cp kept .out.entc/links; "
        "exit 0; }; "
        "tail -c +81 kept > m; tail -c +81 .out.entc/links | cmp - m && cp kept .out.entc/links");
    if (run.code != 0) fail_msg("edit %u: %d: %s%s", number, run.code, run.out, run.err);
    test_run_free(&run);
}

static void references_after_any_edit_of_contents_are_those_of_the_compiler(void** state) {
    const char* folder = project_write("saved_links_update");
    char        name[64];
    u32         dice = 7;
    UNUSED(state);
    for (u32 i = 0; i < EDITED_FILES; i++) {
        snprintf(name, sizeof name, "src/props/e%u.entity.json", i);
        test_write_text(folder, name, "{}\n");
    }
    test_write_text(folder, "src/props/e2.fr.entity.json", "{}\n");
    test_write_text(folder, "src/props/red.texture.json", "{ \"image\": \"../art/red.png\" }\n");
    test_write_text(folder, "src/few.package.json", "{ \"roots\": [\"props/e*.entity\"] }\n");
    TEST_DONE(folder,
              "mkdir src/art && cp \"$OLDPWD/assets/textures/planks.png\" src/art/red.png && "
              "cp src/art/red.png src/art/blue.png && { entc unused src -o out; "
              "sleep 0.05; entc unused src -o out; test -s .out.entc/links; }");
    for (u32 i = 0; i < EDITS / test_step(1, 4); i++) {
        const bool has_errors = i % 6 == 3;
        const u32  file = has_errors ? 3 : dice_roll(&dice, EDITED_FILES);
        edit_write(folder, &dice, file, has_errors);
        if (i % 7 == 0) edit_write(folder, &dice, 5, false);
        if (i % 10 == 5)
            test_write_text(folder, "src/props/red.texture.json",
                            i % 20 == 5 ? "{\n  \"image\":\n\"../art/blue.png\" }\n"
                                        : "{ \"image\": \"../art/red.png\" }\n");
        expect_equal_after_edit(folder, i);
        if (has_errors) edit_write(folder, &dice, 3, false);
    }
}

/* A file that is not changed itself has an error, or not any more. */
static void errors_of_files_that_refer_to_an_edited_one_are_reported(void** state) {
    const char* folder = project_write("saved_links_dependents");
    UNUSED(state);
    test_write_text(
        folder, "src/props/row.entity.json",
        "{ \"children\": [ { \"name\": \"a\", \"prefab\": \"props/pair\", \"overrides\": { "
        "\"x\": { \"components\": { \"light\": {} } } } } ] }\n");
    TEST_DONE(folder, "entc refs src props/lamp.entity -o out");
    test_write_text(folder, "src/props/pair.entity.json", "{ \"prefab\": \"props/lamp\" }\n");
    EXPECT(folder, 3, "src/props/row.entity.json:1", "entc refs src props/lamp.entity -o out");
    expect_equal(folder);
    test_write_text(folder, "src/props/pair.entity.json",
                    "{ \"children\": [ { \"name\": \"x\", \"prefab\": \"props/post\" } ] }\n");
    expect_equal(folder);
    EXPECT(folder, 0, "src/props/pair.entity.json:1:42: prefab",
           "entc refs src props/post.entity -o out");
}

static void saved_references_with_any_damage_are_not_used(void** state) {
    const char* folder = project_write("saved_links_damage");
    char        path[4096];
    UNUSED(state);
    EXPECT(folder, 0, "", "entc refs src props/lamp.entity -o out && cp .out.entc/links whole");
    snprintf(path, sizeof path, "%s/whole", folder);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    for (long at = 0; at < size; at += size / 23 * test_step(1, 4)) {
        EXPECT(folder, 0, "src/levels/yard.level.json:2:15",
               "cp whole .out.entc/links; printf '\\377' | dd of=.out.entc/links bs=1 seek=%ld "
               "conv=notrunc 2> /dev/null; entc refs src props/lamp.entity -o out",
               at);
        EXPECT(folder, 0, "src/levels/yard.level.json:2:15",
               "head -c %ld whole > .out.entc/links; entc refs src props/lamp.entity -o out", at);
    }
}

/* Without a build, nothing is written. */
static void references_without_build_database_are_not_saved(void** state) {
    const char* folder = project_write("saved_links_none");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "rm -r out .out.entc; entc refs src props/lamp.entity -o out && test ! -e out && "
           "test ! -e .out.entc");
    expect_equal(folder);
}

/* --- references that a build stores --- */

/* The sources of a folder without variants, with every kind of reference. */
static const char* plain_project_write(const char* name) {
    const char* folder = test_folder(name);
    for (u32 i = 0; i < COUNT_OF(sources); i++) {
        if (strcmp(sources[i].name, "src/props/lamp.fr.entity.json") != 0)
            test_write_text(folder, sources[i].name, sources[i].text);
    }
    test_write_text(folder, "src/few.package.json",
                    "{ \"roots\": [\"props/*.entity\", \"mod*/*.entity\"] }\n");
    test_write_text(folder, "src/props/red.texture.json", "{ \"image\": \"../art/red.png\" }\n");
    test_write_text(folder, "src/notes.txt", "not a source\n");
    test_write_text(folder, "src/props-of.entity.json", "{}\n");
    test_write_text(
        folder, "src/props/d.entity.json",
        "{ \"components\": { \"decal\": { \"color_texture\": \"props/red\" }, \"health\": "
        "{ \"points\": 3 } },\n  \"children\": [ { \"name\": \"x\", \"prefab\": "
        "\"props/\\u006camp\" }, { \"name\": \"y\", \"prefab\": \"models/lamp\" } ] }\n");
    TEST_DONE(folder,
              "mkdir src/art src/models src/gameplay && cp \"$OLDPWD\"/assets/models/*.gltf "
              "src/models && cp \"$OLDPWD/assets/gameplay/health.component.json\" "
              "src/gameplay && cp \"$OLDPWD/assets/textures/planks.png\" src/art/red.png");
    return folder;
}

/* A level in which several threads compile the entities, and many files. */
static void many_files_write(const char* folder) {
    char  path[64], text[128];
    char* level = malloc(200000 * 8);
    u32   at = (u32)sprintf(level, "{ \"entities\": [\n");
    for (u32 i = 0; i < 19000; i++) {
        at += (u32)sprintf(level + at, "%s{\"name\":\"e%u\",\"prefab\":\"many/p%u\"}\n",
                           i ? "," : "", i, i % 300);
    }
    sprintf(level + at, "] }\n");
    test_write_text(folder, "src/levels/many.level.json", level);
    free(level);
    for (u32 i = 0; i < 300; i++) {
        snprintf(path, sizeof path, "src/many/p%u.entity.json", i);
        snprintf(text, sizeof text,
                 "{ \"components\": { \"decal\": { \"color_texture\": \"props/red\" } } }\n");
        test_write_text(folder, path, text);
    }
}

/* The file is the one that refs stores, but for the time of the list and the checksum. */
static void expect_stored(const char* folder, const char* build, const char* refs) {
    TEST_DONE(folder,
              "rm -rf out .out.entc; %s && cp .out.entc/links built && rm .out.entc/links && %s && "
              "cmp -i 56 built .out.entc/links && cmp -i 32 -n 16 built .out.entc/links && "
              "cp built .out.entc/links",
              build, refs);
}

static void expect_not_stored(const char* folder, const char* build, i32 code) {
    EXPECT(folder, code, "",
           "rm -rf out .out.entc; %s; code=$?; test ! -e .out.entc/links && exit $code", build);
}

static void first_build_stores_the_references_that_refs_stores(void** state) {
    static const char* const options[] = {"-j1",
                                          "-j4",
                                          "-j3 --strip --target big",
                                          "-j2 --source-map --clip-error 0",
                                          "-j4 --cache cache",
                                          "-j4 --force --cache cache"};
    const char*              folder = plain_project_write("saved_links_build");
    char                     build[128];
    UNUSED(state);
    many_files_write(folder);
    for (u32 i = 0; i < COUNT_OF(options); i++) {
        snprintf(build, sizeof build, "entc build src -o out %s", options[i]);
        expect_stored(folder, build, "entc refs src props/lamp.entity -o out");
        expect_used(folder);
        if (i < 2) expect_equal(folder);
    }
}

static void build_that_does_not_find_all_references_stores_none(void** state) {
    const char* folder = plain_project_write("saved_links_build_none");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --cache cache && test -e .out.entc/links");
    expect_not_stored(folder, "entc build src -o out --cache cache", 0);
    expect_not_stored(folder, "entc build src -o out --lang fr", 0);
    expect_not_stored(folder, "entc build src -o out --check", 3);
    expect_not_stored(folder, "entc build src -o out --dry-run", 0);
    TEST_DONE(folder, "cp $(dirname $(command -v entc))/tests/plugins/plugin_dice.so dice.so");
    expect_not_stored(folder, "entc build src -o out --plugin ./dice.so", 0);
    test_write_text(folder, "src/props/bad.entity.json", "{ \"prefab\": \"props/lamb\" }\n");
    expect_not_stored(folder, "entc build src -o out", 3);
    expect_not_stored(folder, "entc build src -o out -k", 3);
    TEST_DONE(folder, "rm src/props/bad.entity.json");
    test_write_text(folder, "src/props/lamp.fr.entity.json", "{}\n");
    expect_not_stored(folder, "entc build src -o out", 0);
    expect_equal(folder);
    TEST_DONE(folder, "rm src/props/lamp.fr.entity.json && cp src/art/red.png src/models/skin.png");
    test_write_text(
        folder, "src/models/skin.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"skin.png\" } "
        "] }\n");
    expect_not_stored(folder, "entc build src -o out -q", 0);
    expect_equal(folder);
}

/* An incremental build leaves the file as it is. */
static void build_after_an_edit_does_not_store_references(void** state) {
    const char* folder = plain_project_write("saved_links_build_again");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out && cp -p .out.entc/links kept");
    test_write_text(folder, "src/props/pair.entity.json", "{ \"prefab\": \"props/lamp\" }\n");
    TEST_DONE(folder,
              "entc build src -o out && cmp kept .out.entc/links && entc build src -o out && "
              "cmp kept .out.entc/links");
    expect_equal(folder);
    TEST_DONE(folder, "! cmp -s kept .out.entc/links");
}

/* So many references would make the build take noticeably longer. */
static void build_stores_no_excessive_number_of_references(void** state) {
    const char* folder = plain_project_write("saved_links_build_many");
    UNUSED(state);
    many_files_write(folder);
    TEST_DONE(folder, "sed -i 's/^,//; 1d; $d; s/$/,/' src/levels/many.level.json && { echo '{ "
                      "\"entities\": ['; cat src/levels/many.level.json; sed 's/\"e/\"f/' "
                      "src/levels/many.level.json; echo '{} ] }'; } > all && mv all "
                      "src/levels/many.level.json");
    expect_not_stored(folder, "entc build src -o out -j1", 0);
    expect_not_stored(folder, "entc build src -o out -j4", 0);
}

static void failure_to_store_references_is_a_warning_of_the_build(void** state) {
    const char* folder = plain_project_write("saved_links_build_fails");
    UNUSED(state);
    EXPECT(folder, 0, "warning: cannot store the references in \".out.entc/links\": ",
           "mkdir -p .out.entc/links/folder; entc build src -o out 2>&1 && test -d "
           ".out.entc/links/folder && ! ls -a .out.entc | grep -q tmp");
}

TEST_SUITE(saved_links) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_references_are_used_until_sources_change),
        cmocka_unit_test(folder_with_errors_is_reported_and_not_saved),
        cmocka_unit_test(references_after_any_edit_of_contents_are_those_of_the_compiler),
        cmocka_unit_test(errors_of_files_that_refer_to_an_edited_one_are_reported),
        cmocka_unit_test(saved_references_with_any_damage_are_not_used),
        cmocka_unit_test(references_without_build_database_are_not_saved),
        cmocka_unit_test(first_build_stores_the_references_that_refs_stores),
        cmocka_unit_test(build_that_does_not_find_all_references_stores_none),
        cmocka_unit_test(build_after_an_edit_does_not_store_references),
        cmocka_unit_test(build_stores_no_excessive_number_of_references),
        cmocka_unit_test(failure_to_store_references_is_a_warning_of_the_build),
    };
    return TEST_RUN("saved_links", tests);
}
