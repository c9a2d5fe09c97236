/* test_stored_links.c - references that are stored in the build database: refs and unused print what they
 * print without them, in every state of the sources and of the database. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_links_part.h"

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
                                           "refs src props/post.entity --lang fr",
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
           "ls -i .out.entc/database > a; cp -p .out.entc/database kept; entc refs src "
           "props/lamp.entity "
           "-o out > c; ls -i .out.entc/database > b; cmp -s a b && used=used; done; echo $used");
}

static void stored_references_are_used_until_sources_change(void** state) {
    const char* folder = project_write("stored_links");
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

static void folder_with_errors_is_reported_and_not_stored(void** state) {
    const char* folder = project_write("stored_links_errors");
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

static void part_is(const char* folder, const char* what, const u8* part, size_t size) {
    size_t bytes;
    u8*    now = links_part_read(folder, &bytes);
    if (bytes != size || (size && memcmp(now, part, size) != 0))
        fail_msg("%s: other references are stored", what);
    free(now);
}

/* What is printed, and stored, equals what is printed without -o, and stored without older references. */
static void expect_equal_after_edit(const char* folder, u32 number) {
    char   what[32];
    size_t size, anew;
    snprintf(what, sizeof what, "edit %u", number);
    TestRun run =
        test_command(folder, "entc unused src --why -o out > a 2> b; echo $? >> a; entc unused src "
                             "--why > c 2> d; echo $? >> c; cmp a c && cmp b d");
    if (run.code != 0) fail_msg("edit %u: %d: %s%s", number, run.code, run.out, run.err);
    test_run_free(&run);
    u8* part = links_part_read(folder, &size);
    links_part_write(folder, NULL, 0);
    run = test_command(folder, "entc unused src -o out");
    test_run_free(&run);
    u8* fresh = links_part_read(folder, &anew);
    if (fresh) part_is(folder, what, part, size); /* the folder has no errors */
    links_part_write(folder, part, size);
    free(part);
    free(fresh);
}

static void references_after_any_edit_of_contents_are_those_of_the_compiler(void** state) {
    const char* folder = project_write("stored_links_update");
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
              "sleep 0.05; entc unused src -o out; true; }");
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
    const char* folder = project_write("stored_links_dependents");
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

static void stored_references_with_any_damage_are_not_used(void** state) {
    const char* folder = project_write("stored_links_damage");
    char        path[4096];
    UNUSED(state);
    EXPECT(folder, 0, "", "entc refs src props/lamp.entity -o out && cp .out.entc/database whole");
    snprintf(path, sizeof path, "%s/whole", folder);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    for (long at = 0; at < size; at += size / 23 * test_step(1, 4)) {
        EXPECT(
            folder, 0, "src/levels/yard.level.json:2:15",
            "cp whole .out.entc/database; printf '\\377' | dd of=.out.entc/database bs=1 seek=%ld "
            "conv=notrunc 2> /dev/null; entc refs src props/lamp.entity -o out",
            at);
        EXPECT(folder, 0, "src/levels/yard.level.json:2:15",
               "head -c %ld whole > .out.entc/database; entc refs src props/lamp.entity -o out",
               at);
    }
}

/* Without a build, nothing is written. */
static void references_without_build_database_are_not_stored(void** state) {
    const char* folder = project_write("stored_links_none");
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
    test_write_text(folder, "src/props/blue.texture.json", "{ \"image\": \"../art/red.png\" }\n");
    test_write_text(folder, "src/props/model.model.json", "{}\n");
    test_write_text(
        folder, "src/props/model.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"two.bin\", "
        "\"byteLength\": 36 }, { \"uri\": \"one.bin\", \"byteLength\": 8 } ],\n"
        "  \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 }, { \"buffer\": 1, "
        "\"byteLength\": 6 } ],\n  \"accessors\": [ { \"bufferView\": 0, \"componentType\": "
        "5126, \"count\": 3, \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [0, 0, 0] },\n"
        "    { \"bufferView\": 1, \"componentType\": 5123, \"count\": 3, \"type\": \"SCALAR\" "
        "} ],\n  \"materials\": [ { \"name\": \"skin\" } ],\n"
        "  \"meshes\": [ { \"primitives\": [ { \"attributes\": { \"POSITION\": 0 }, "
        "\"indices\": 1, \"material\": 0 } ] } ],\n"
        "  \"nodes\": [ { \"mesh\": 0 } ], \"scenes\": [ { \"nodes\": [0] } ] }\n");
    test_write(folder, "src/props/two.bin", (const u8[36]){0}, 36);
    test_write(folder, "src/props/one.bin", (const u8[8]){0, 0, 1, 0, 2, 0}, 8);
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

/* They are those that refs stores. */
static void expect_stored(const char* folder, const char* build, const char* refs) {
    size_t size;
    TEST_DONE(folder, "rm -rf out .out.entc; %s", build);
    u8* part = links_part_read(folder, &size);
    assert_non_null(part);
    links_part_write(folder, NULL, 0);
    TEST_DONE(folder, "%s", refs);
    part_is(folder, build, part, size);
    free(part);
}

static void expect_not_stored(const char* folder, const char* build, i32 code) {
    EXPECT(folder, code, "", "rm -rf out .out.entc; %s", build);
    part_is(folder, build, NULL, 0);
}

static void first_build_stores_the_references_that_refs_stores(void** state) {
    static const char* const options[] = {"-j1",
                                          "-j4",
                                          "-j3 --strip --target big",
                                          "-j2 --source-map --clip-error 0",
                                          "-j4 --cache cache",
                                          "-j4 --force --cache cache"};
    const char*              folder = plain_project_write("stored_links_build");
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
    const char* folder = plain_project_write("stored_links_build_none");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --cache cache");
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

/* An incremental build copies them. */
static void build_after_an_edit_keeps_stored_references(void** state) {
    const char* folder = plain_project_write("stored_links_build_again");
    size_t      size, bytes;
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out");
    u8* part = links_part_read(folder, &size);
    test_write_text(folder, "src/props/pair.entity.json", "{ \"prefab\": \"props/lamp\" }\n");
    for (u32 i = 0; i < 2; i++) {
        TEST_DONE(folder, "entc build src -o out");
        part_is(folder, "build", part, size);
    }
    expect_equal(folder);
    u8*        now = links_part_read(folder, &bytes);
    const bool same = bytes == size && memcmp(now, part, size) == 0;
    assert_false(same);
    free(now);
    free(part);
}

/* What refs finds out about files is no reason for a build to leave them out. */
static void build_after_refs_equals_a_build_from_nothing(void** state) {
    static const char* const edits[] = {
        "echo '{ \"prefab\": \"props/lamp\" }' >src/props/new.entity.json",
        "echo '{ \"prefab\": \"props/post\" }' >src/props/new.entity.json",
        "echo '{ \"image\": \"../art/blue.png\" }' >src/props/red.texture.json && "
        "cp src/art/red.png src/art/blue.png",
        "cp src/props/pair.entity.json src/props/pair.fr.entity.json",
        "rm src/props/new.entity.json src/notes.txt",
        "echo '{}' >src/entc.json",
        "rm src/entc.json && mv src/art/blue.png src/art/green.png && cp src/art/green.png "
        "src/art/blue.png",
        "sed -i 's/skin/hide/' src/props/model.gltf",
        "rm src/props/model.model.json",
        "sed -i 's/points/p/' src/gameplay/health.component.json src/props/d.entity.json",
        "printf '\\001' | dd of=src/props/two.bin conv=notrunc status=none",
        "mv src/props/post.entity.json src/props/real.txt && ln -s real.txt "
        "src/props/post.entity.json",
    };
    const char* folder = plain_project_write("stored_links_then_build");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q");
    for (u32 i = 0; i < COUNT_OF(edits); i++) {
        TEST_DONE(folder, "%s", edits[i]);
        for (u32 k = 0; k < 2; k++) { /* with another stamp, and after it was stored */
            TEST_DONE(folder, "entc unused src -o out >a; entc unused src >b; cmp a b");
            TestRun run = test_command(
                folder, "rm -rf new .new.entc; entc build src -o out -q && entc build src -o new "
                        "-q && diff -r out new && entc build src -o out --check");
            if (run.code != 0) fail_msg("%s: %s%s", edits[i], run.out, run.err);
            test_run_free(&run);
        }
    }
}

/* The resources of a model, and which files are symbolic links, are those of the folder. */
static void references_after_a_changed_model_or_file_are_those_of_the_folder(void** state) {
    const char* folder = plain_project_write("stored_links_models");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out -q && sed -i 's/skin/hide/' src/props/model.gltf && "
                      "entc refs src props/model/hide.material -o out >a && "
                      "entc refs src props/model/hide.material >b && cmp a b");
    TEST_DONE(folder, "sed -i 's/hide/skin/' src/props/model.gltf && { entc refs src "
                      "props/model/hide.material -o out 2>a; echo $? >>a; entc refs src "
                      "props/model/hide.material 2>b; echo $? >>b; cmp a b && grep -q hide a; }");
    TEST_DONE(folder,
              "cp src/props/post.entity.json src/real.txt && entc refs src props/post.entity "
              "-o out && ln -sf ../real.txt src/props/post.entity.json");
    TEST_DONE(folder, "entc mv src props/post.entity props/pole.entity --dry-run -o out >a 2>b; "
                      "echo $? >>a; entc mv src props/post.entity props/pole.entity --dry-run >c "
                      "2>d; echo $? >>c; cmp a c && cmp b d");
}

/* A file that has become a symbolic link, with the same content, is not changed by a move. */
static void file_replaced_by_a_symbolic_link_is_not_changed(void** state) {
    const char* folder = plain_project_write("stored_links_symbolic");
    UNUSED(state);
    TEST_DONE(folder,
              "entc build src -o out -q && entc refs src props/lamp.entity -o out && "
              "cp src/levels/yard.level.json src/yard.txt && rm src/props/spare.entity.json && "
              "entc build src -o out -q && entc refs src props/lamp.entity -o out && "
              "ln -sf ../yard.txt src/levels/yard.level.json");
    EXPECT(folder, 3, "yard.level.json\" contains a reference that must be changed, but is a",
           "entc mv src props/lamp.entity props/torch.entity --dry-run -o out");
}

/* A declaration gains a field with references, and loses it. */
static void references_in_fields_of_a_changed_declaration_are_found(void** state) {
    static const char* const types[] = {"\"text\"", "\"resource\", \"resource\": \"texture\"",
                                        "\"text\""};
    const char*              folder = plain_project_write("stored_links_declaration");
    UNUSED(state);
    test_write_text(folder, "src/props/spare.entity.json",
                    "{ \"components\": { \"shell\": { \"inside\": \"props/red\" } } }\n");
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        char text[200];
        snprintf(text, sizeof text, "{ \"fields\": { \"inside\": { \"type\": %s } } }\n", types[i]);
        test_write_text(folder, "src/shell.component.json", text);
        TEST_DONE(folder, "entc refs src props/red.texture -o out >a 2>&1; "
                          "entc refs src props/red.texture >b 2>&1; cmp a b");
        if (i == 0) TEST_DONE(folder, "entc build src -o out");
    }
}

/* A dry run changes nothing, also not what is stored. */
static void dry_run_does_not_store_references(void** state) {
    const char* folder = plain_project_write("stored_links_dry");
    UNUSED(state);
    TEST_DONE(folder,
              "entc build src -o out -q && echo >>src/props/lamp.entity.json && cp "
              ".out.entc/database before && entc mv src props/lamp.entity props/torch.entity "
              "--dry-run -o out && cmp before .out.entc/database");
}

static void database_that_cannot_be_read_is_an_error_of_refs(void** state) {
    const char* folder = plain_project_write("stored_links_unread");
    UNUSED(state);
    EXPECT(folder, 2, "cannot read the build database in \"out\"",
           "mkdir -p .out.entc/database && entc refs src props/lamp.entity -o out");
}

/* With plugins nothing is stored: without them the folder has errors. */
static void references_of_a_folder_with_plugins_are_not_stored(void** state) {
    const char* folder = plain_project_write("stored_links_plugins");
    UNUSED(state);
    test_write_text(folder, "src/roll.entity.json", "{ \"components\": { \"dice\": {} } }\n");
    TEST_DONE(folder, "cp $(dirname $(command -v entc))/tests/plugins/plugin_dice.so dice.so && "
                      "entc build src -o out --plugin ./dice.so -q && "
                      "entc refs src props/lamp.entity -o out --plugin ./dice.so");
    part_is(folder, "refs", NULL, 0);
    EXPECT(folder, 3, "E0207", "entc refs src props/lamp.entity -o out");
}

/* A damaged part is read anew, and what builds have stored is kept. */
static void database_with_damaged_references_is_used_by_builds(void** state) {
    const char* folder = plain_project_write("stored_links_part_damaged");
    size_t      size;
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out && entc refs src props/lamp.entity -o out >expected");
    u8* part = links_part_read(folder, &size);
    for (size_t at = 0; at < size; at += size / 23) {
        part[at] ^= 0x5a;
        links_part_write(folder, part, size);
        part[at] ^= 0x5a;
        EXPECT(folder, 0, "everything is up to date",
               "entc build src -o out && entc why src -o out");
        TEST_DONE(folder, "entc refs src props/lamp.entity -o out >refs && cmp refs expected");
        part_is(folder, "after damage", part, size);
    }
    free(part);
}

/* So many references would make the build take noticeably longer. */
static void build_stores_no_excessive_number_of_references(void** state) {
    const char* folder = plain_project_write("stored_links_build_many");
    UNUSED(state);
    many_files_write(folder);
    TEST_DONE(folder, "sed -i 's/^,//; 1d; $d; s/$/,/' src/levels/many.level.json && { echo '{ "
                      "\"entities\": ['; cat src/levels/many.level.json; sed 's/\"e/\"f/' "
                      "src/levels/many.level.json; echo '{} ] }'; } > all && mv all "
                      "src/levels/many.level.json");
    expect_not_stored(folder, "entc build src -o out -j1", 0);
    expect_not_stored(folder, "entc build src -o out -j4", 0);
}

TEST_SUITE(stored_links) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_references_are_used_until_sources_change),
        cmocka_unit_test(folder_with_errors_is_reported_and_not_stored),
        cmocka_unit_test(references_after_any_edit_of_contents_are_those_of_the_compiler),
        cmocka_unit_test(errors_of_files_that_refer_to_an_edited_one_are_reported),
        cmocka_unit_test(stored_references_with_any_damage_are_not_used),
        cmocka_unit_test(references_without_build_database_are_not_stored),
        cmocka_unit_test(first_build_stores_the_references_that_refs_stores),
        cmocka_unit_test(build_that_does_not_find_all_references_stores_none),
        cmocka_unit_test(build_after_an_edit_keeps_stored_references),
        cmocka_unit_test(build_after_refs_equals_a_build_from_nothing),
        cmocka_unit_test(references_after_a_changed_model_or_file_are_those_of_the_folder),
        cmocka_unit_test(file_replaced_by_a_symbolic_link_is_not_changed),
        cmocka_unit_test(references_in_fields_of_a_changed_declaration_are_found),
        cmocka_unit_test(dry_run_does_not_store_references),
        cmocka_unit_test(database_that_cannot_be_read_is_an_error_of_refs),
        cmocka_unit_test(references_of_a_folder_with_plugins_are_not_stored),
        cmocka_unit_test(database_with_damaged_references_is_used_by_builds),
        cmocka_unit_test(build_stores_no_excessive_number_of_references),
    };
    return TEST_RUN("stored_links", tests);
}
