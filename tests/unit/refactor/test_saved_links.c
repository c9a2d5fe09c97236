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
    for (long at = 0; at < size; at += size / 23) {
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

TEST_SUITE(saved_links) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_references_are_used_until_sources_change),
        cmocka_unit_test(folder_with_errors_is_reported_and_not_saved),
        cmocka_unit_test(saved_references_with_any_damage_are_not_used),
        cmocka_unit_test(references_without_build_database_are_not_saved),
    };
    return TEST_RUN("saved_links", tests);
}
