/* test_move.c - renaming in folders with every kind of reference: for every resource and every
 * folder, the build afterwards equals the build before, under other names, and the reverse move
 * restores the same bytes. The diff can be applied by git. A command that is killed or fails at any
 * point ends in the old state or the new one. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_links_part.h"
#include "test_image_files.h"

/* --- a folder that contains every kind of reference --- */

#define TRIANGLE                                                                                   \
    "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ], \"accessors\": [ { "              \
    "\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\", \"min\": [0, "  \
    "0, 0], \"max\": [1, 1, 0] } ],\n"

static const struct {
    const char *name, *text;
} sources[] = {
    {".entc/level.schema.json", "{}\n"},
    {"src/all.package.json",
     "{ \"roots\": [\"levels/yard.level\",\"props/lamp.entity\", \"models/box/box.mesh\",\r\n"
     "             \"models/box/paint.material\"] }"},
    {"src/levels/yard.level.json",
     "{\r\n\t\"$schema\": \"../../.entc/level.schema.json\",\r\n\t\"entities\": [\r\n"
     "\t\t{ \"$comment\": \"props/lamp\" , \"prefab\" : \"props/lamp\" },\r\n"
     "\t\t{ \"name\": \"b\", \"prefab\":\"props/lamp_pair\", \"overrides\": { \"x\": { "
     "\"components\": { \"health\": { \"remains\": \"models/box/box\" } } } } },\r\n"
     "\t\t{ \"name\": \"c\", \"prefab\": \"models/crate\" }, { \"name\": \"d\", \"prefab\": "
     "\"models/box\" } ] }"},
    {"src/props/lamp.entity.json", "{ \"components\": { \"light\": {}, \"health\": {} } }\n"},
    {"src/props/lamp.fr.entity.json", "{ \"prefab\": \"models/crate\" }\n"},
    {"src/props/lamp_pair.entity.json",
     "{\"children\":[{\"name\":\"x\",\"prefab\":\"props/lamp\"},{\"name\":\"y\","
     "\"prefab\":\"props/lamp\"}]}"},
    {"src/props/lamp/bulb.entity.json", "{ \"prefab\": \"props/lamp\" }\n"},
    {"src/game/health.component.json",
     "{ \"fields\": { \"remains\": { \"type\": \"resource\", \"resource\": \"mesh\" } } }\n"},
    {"src/models/box.gltf",
     "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"box%20%C3%A4.bin\", "
     "\"byteLength\": 36 } ],\n  \"images\": [ { \"uri\": \"../textures/wood%231.png\" } "
     "],\n" TRIANGLE "  \"materials\": [ { \"name\": \"paint\" } ],\n"
     "  \"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": { \"POSITION\": 0 "
     "}, \"material\": 0 } ] } ],\n"
     "  \"nodes\": [ { \"name\": \"box\", \"mesh\": 0, \"extras\": { \"components\": { \"health\": "
     "{ \"remains\": \"models/crate/top\" } } } } ] }\n"},
};

/* The JSON of a .glb, which begins in the middle of a file and is padded with spaces; with a custom
 * property. */
static const char crate[] =
    "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"byteLength\": 36 } ], " TRIANGLE
    "\"images\": [ { \"uri\": \"../textures/wood%231.png\" } ], \"scene\": 0, \"scenes\": [ { "
    "\"nodes\": [0] } ],"
    "\"meshes\": [ { \"name\": \"top\", \"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } "
    "] } ],"
    "\"nodes\": [ { \"mesh\": 0, \"extras\": { \"light.range_m\": 3.5, \"components\": { "
    "\"health\": { "
    "\"remains\": \"models/box/box\" } } } },"
    "{ \"extras\": { \"components\": { \"health\": { \"remains\": \"models/box/box\" } } } } ] }";

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void word_put(u8* at, u32 value) {
    for (u32 i = 0; i < 4; i++) at[i] = (u8)(value >> 8 * i);
}

/* `spaces`: additional ones after the JSON. */
static void crate_write(const char* folder, const char* name, u32 spaces) {
    u8        bytes[4096];
    const u32 text = sizeof crate - 1, chunk = (text + spaces + 3) / 4 * 4;
    const u32 size = 12 + 8 + chunk + 8 + sizeof triangle;
    assert_true(size <= sizeof bytes);
    memcpy(bytes, "glTF", 4);
    word_put(bytes + 4, 2);
    word_put(bytes + 8, size);
    word_put(bytes + 12, chunk);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', chunk);
    memcpy(bytes + 20, crate, text);
    word_put(bytes + 20 + chunk, sizeof triangle);
    memcpy(bytes + 24 + chunk, "BIN", 4);
    memcpy(bytes + 28 + chunk, triangle, sizeof triangle);
    test_write(folder, name, bytes, size);
}

/* FOLDER/src. The caller frees the path. */
static char* yard_new(const char* name) {
    char* folder = strdup(test_folder(name));
    for (u32 i = 0; i < COUNT_OF(sources); i++) {
        test_write_text(folder, sources[i].name, sources[i].text);
    }
    test_write(folder, "src/models/box \xc3\xa4.bin", triangle, sizeof triangle);
    test_write_text(folder, "src/textures/wood#1.png", "\x89PNG");
    crate_write(folder, "src/models/crate.glb", 0);
    crate_write(folder, "src/models/chest.glb", 9);
    return folder;
}

/* A script that prints all blobs of an output folder as text, without ids, in an order that does
 * not depend on names. $2 becomes $3 where it is a complete name: followed by one of $4 or by
 * nothing. */
static const char reported[] =
    "dumped() { ( cd $1 && find . -type f | while read -r f; do echo \"$f\"; entc dump \"$f\"; "
    "done "
    ") | "
    "sed \"s,0x[0-9a-f]*,,g; s,^reference [0-9]*,reference,; /^section .*name/d; "
    "s,\\(^\\|[ /]\\)$2\\([$4]\\|\\$\\),\\1$3\\2,g\" | LC_ALL=C sort; }; "
    "refs() { entc refs $1 $2 | wc -l; }; ";

/* Moves forward and back in a copy of FOLDER/src; FOLDER/out is the build of that folder. */
static void check_move(const char* folder, const char* from, const char* to) {
    const char* dot = strrchr(from, '.');
    const int   bytes = dot ? (int)(dot - from) : (int)strlen(from);
    const int   to_bytes = dot ? (int)strlen(to) - (int)strlen(dot) : (int)strlen(to);
    const bool  model = strncmp(from, "models/", 7) == 0; /* names continue after its own */
    const char* next = !dot ? "/" : model ? ". /" : ". ";
    TestRun     run = test_command(
            folder,
            "rm -rf copy out2 && cp -a src copy && %s"
                "entc mv copy %s %s -q && entc build copy -o out2 && entc build copy -o out3 --lang fr && "
                "dumped out '%.*s' '%.*s' '%s' > one && dumped out2 NONE NONE . > two && diff one two >&2 "
                "&& "
                "{ %s || test $(refs src %s) = $(refs copy %s); } && "
                "entc mv copy %s %s -q && diff -r src copy >&2 && ! test -e copy/.entc.move",
            reported, from, to, bytes, from, to_bytes, to, next, dot ? "false" : "true", from, to, to,
            from);
    if (run.code != 0) fail_msg("%s to %s: %d: %s%s", from, to, run.code, run.out, run.err);
    test_run_free(&run);
}

/* Every source and every folder of FOLDER/src. */
static void check_all(const char* folder) {
    char    from[300], to[400];
    TestRun run =
        test_command(folder, "entc build src -o out && entc build src -o out_fr --lang fr && "
                             "cd src && find * -type d -o -name '*.json' ! -name '*.fr.*' ! -name "
                             "'*.model.json' -o -name '*.gl*'");
    unsigned count = 0;
    assert_int_equal(run.code, 0);
    for (char* line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
        char* end = strstr(line, ".json");
        snprintf(from, sizeof from, "%.*s", end ? (int)(end - line) : (int)strlen(line), line);
        if ((end = strstr(from, ".gl")) != NULL) strcpy(end, ".entity");
        const char* base = strrchr(from, '/') ? strrchr(from, '/') + 1 : from;
        snprintf(to, sizeof to, "new/de_ep/%s", base);
        if (count++ % test_step(3, 60) == 0) check_move(folder, from, to);
    }
    assert_true(count > 10);
    test_run_free(&run);
}

static void any_resource_or_folder_moved_builds_equal_blobs(void** state) {
    char* folder = yard_new("move/yard");
    UNUSED(state);
    check_all(folder);
    free(folder);
}

static void any_resource_of_the_demo_moved_builds_equal_blobs(void** state) {
    char* folder = strdup(test_folder("move/demo"));
    UNUSED(state);
    TEST_DONE(folder, "cp -r \"$OLDPWD/assets\" src");
    check_all(folder);
    free(folder);
}

/* Names with a common beginning, in another folder and with another last part. */
static void resource_moved_to_name_with_other_last_part_builds_equal_blobs(void** state) {
    char* folder = yard_new("move/last");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out");
    check_move(folder, "props/lamp.entity", "props/lamp_pai.entity");
    check_move(folder, "props/lamp_pair.entity", "props/lam.entity");
    check_move(folder, "models/box.entity", "models/box/box.entity");
    check_move(folder, "models/crate.entity", "crate.entity");
    check_move(folder, "models", "props/models");
    free(folder);
}

/* --- the diff --- */

/* git apply of the diff equals mv, in the folder in which entc was called and below it. */
static void check_diff(const char* folder, const char* root, const char* from, const char* to) {
    TestRun run = test_command(
        folder,
        "export HOME=$PWD GIT_CONFIG_NOSYSTEM=1; unset GIT_DIR GIT_WORK_TREE; rm -rf git moved && "
        "mkdir git && mkdir -p \"git/%s\" && cp -a src/. \"git/%s\" && cp -a .entc git && cp -a "
        "git "
        "moved && rm -rf git/.git && git -C git init -q && cd git && "
        "entc mv \"%s\" %s %s --dry-run > ../patch && git apply -v ../patch && cd ../moved && "
        "entc mv \"%s\" %s %s -q && cd .. && diff -r -x .git git moved",
        root, root, root, from, to, root, from, to);
    if (run.code != 0) fail_msg("%s to %s: %d: %s%s", from, to, run.code, run.out, run.err);
    test_run_free(&run);
}

static void diff_of_move_applied_by_git_equals_move(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = yard_new("move/diff");
    TEST_DONE(folder, "rm src/models/*.glb src/props/lamp.fr.entity.json && "
                      "sed -i 's/crate.top/box\\/box/' src/models/box.gltf && "
                      "sed -i 's,models/crate,models/box,' src/levels/yard.level.json");
    check_diff(folder, "src", "props", "things");
    check_diff(folder, "./src", "props/lamp.entity", "a/b/c.entity");
    check_diff(folder, "the sources/of #1", "models/box.entity", "box.entity");
    check_diff(folder, "the sources/of #1", "textures", "models/textures");
    check_diff(folder, ".", "game/health.component", "game/vigor.component");
    free(folder);
}

static void dry_run_of_move_reports_changes_of_glb_as_text(void** state) {
    char* folder = yard_new("move/words");
    UNUSED(state);
    TestRun run = test_command(folder, "entc mv src models/box.entity models/cube.entity --dry-run "
                                       "| grep glb");
    assert_string_equal(run.out, "src/models/chest.glb: 2 places change in its JSON\n"
                                 "src/models/crate.glb: 2 places change in its JSON\n");
    test_run_free(&run);
    free(folder);
}

/* The permissions of a rewritten file, and its bytes after the JSON. */
static void file_changed_by_move_keeps_permissions_and_other_bytes(void** state) {
    char*  folder = yard_new("move/rest");
    char   path[1200];
    size_t bytes;
    UNUSED(state);
    TEST_DONE(folder, "chmod 755 src/models/crate.glb src/levels/yard.level.json && umask 077 && "
                      "entc mv src models/box.entity models/a_much_longer_name.entity -q && "
                      "test -x src/models/crate.glb && test -x src/levels/yard.level.json && "
                      "test $(stat -c %%a src/models/crate.glb) = 755");
    snprintf(path, sizeof path, "%s/src/models/crate.glb", folder);
    u8* glb = test_read(path, &bytes);
    assert_int_equal(bytes % 4, 0);
    assert_memory_equal(glb + bytes - sizeof triangle, triangle, sizeof triangle);
    assert_non_null(strstr((char*)glb + 20, "models/a_much_longer_name/box"));
    assert_int_equal(glb[8] | glb[9] << 8, bytes);
    free(glb);
    free(folder);
}

/* --- with stored references --- */

/* How often a change has stored converted references. */
static u32 parts_converted;

/* What is stored is what the compiler finds. */
static void part_check(const char* folder, const char* what) {
    size_t size, anew;
    u8*    part = links_part_read(folder, &size);
    if (part) links_part_write(folder, NULL, 0);
    TestRun run = test_command(folder, "entc unused src -o out");
    test_run_free(&run);
    u8* fresh = links_part_read(folder, &anew);
    if (part && fresh && (size != anew || memcmp(part, fresh, size) != 0))
        fail_msg("%s: the stored references are not those of the folder", what);
    if (part) links_part_write(folder, part, size);
    free(part);
    free(fresh);
}

/* A change that stores references stores those of the folder afterwards. */
static void part_check_converted(const char* folder, const char* what, const u8* before,
                                 size_t size) {
    size_t bytes;
    u8*    part = links_part_read(folder, &bytes);
    if (part && (!before || bytes != size || memcmp(part, before, size) != 0)) {
        parts_converted++;
        part_check(folder, what);
    }
    free(part);
}

/* A move with -o in FOLDER/src gives the same folder, messages and exit code as one without it, which
 * compiles everything. */
static void check_stored(const char* folder, const char* from, const char* to,
                         const char* options) {
    size_t  size;
    u8*     before = links_part_read(folder, &size);
    TestRun run = test_command(
        folder,
        "rm -rf p && mkdir p && cp -a src p/src && { ! test -e .entc || cp -a .entc p; } || exit "
        "9; "
        "( cd p && entc mv src '%s' '%s' %s > ../a 2> ../b; echo $? >> ../a ); "
        "entc mv src '%s' '%s' %s -o out > c 2> d; echo $? >> c; "
        "cmp a c && cmp b d && diff -r p/src src && ! test -e src/.entc.move || exit 8",
        from, to, options, from, to, options);
    if (run.code != 0) fail_msg("%s to %s: %d: %s%s", from, to, run.code, run.out, run.err);
    test_run_free(&run);
    part_check_converted(folder, to, before, size);
    free(before);
    run = test_command(
        folder, "entc unused src -o out > e 2> f; entc unused src > g 2> h; cmp e g && cmp f h");
    if (run.code != 0) fail_msg("%s to %s: %d: %s%s", from, to, run.code, run.out, run.err);
    test_run_free(&run);
    part_check(folder, to);
}

static void check_stored_both(const char* folder, const char* from, const char* to) {
    check_stored(folder, from, to, "--dry-run");
    check_stored(folder, from, to, "");
    check_stored(folder, to, from, "-q");
}

/* Also a texture with settings, a model with settings, a file of the type data and other files. */
static char* studio_new(const char* name) {
    static const struct {
        const char *name, *text;
    } more[] = {
        {"src/textures/red.texture.json", "{ \"$schema\": \"../../.entc/level.schema.json\",\n  "
                                          "\"image\": \"../art/red.png\" }\n"},
        {"src/textures/own.texture.json", "{}\n"},
        {"src/models/box.model.json", "{}\n"},
        {"src/sound/bell.ogg.data.json", "{}\n"},
        {"src/sound/bell.ogg", "ding"},
        {"src/sound/notes.txt", "of the bell\n"},
        {"src/props/panel.entity.json",
         "{ \"components\": { \"decal\": { \"color_texture\": \"textures/red\",\n"
         "  \"$comment\": \"\", \"normal_texture\":\"textures/own\" } , \"health\": {} } }\n"},
    };
    char* folder = yard_new(name);
    for (u32 i = 0; i < COUNT_OF(more); i++) test_write_text(folder, more[i].name, more[i].text);
    TEST_DONE(folder,
              "mkdir src/art && cp \"$OLDPWD/assets/textures/planks.png\" src/art/red.png && "
              "cp src/art/red.png src/textures/own.png && entc build src -o out && "
              "{ entc unused src -o out; sleep 0.05; entc unused src -o out; true; }");
    return folder;
}

static void move_with_stored_references_equals_move_without_them(void** state) {
    static const char* const moves[][2] = {
        {"props/lamp.entity", "props/a_longer_name.entity"},
        {"props/lamp_pair.entity", "p.entity"},
        {"props/lamp/bulb.entity", "bulb.entity"},
        {"levels/yard.level", "yard.level"},
        {"levels", "a/levels"},
        {"props", "furniture/old"},
        {"props/panel.entity", "panel.entity"},
        {"models/box.entity", "things/cube.entity"},
        {"models/crate.entity", "crate.entity"},
        {"models", "things/models"},
        {"textures/red.texture", "art/blue.texture"},
        {"textures/own.texture", "own.texture"},
        {"textures", "models/pictures"},
        {"art", "textures/art"},
        {"sound", "audio/sound"},
        {"sound/bell.data", "bell.data"},
        {"game", "gameplay"},
        {"game/health.component", "health.component"},
        {"all.package", "packages/all.package"},
    };
    char* folder = studio_new("move/saved");
    parts_converted = 0;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(moves); i += test_step(1, 3))
        check_stored_both(folder, moves[i][0], moves[i][1]);
    assert_true(parts_converted >= 30 / test_step(1, 6));
    TEST_DONE(folder, "entc build src -o new && diff -r out new");
    free(folder);
}

static void rename_of_component_with_stored_references_is_compiled_afterwards(void** state) {
    char* folder = studio_new("move/saved_key");
    UNUSED(state);
    check_stored_both(folder, "game/health.component", "game/vigor.component");
    check_stored(folder, "props", "things", "");
    free(folder);
}

/* An entity whose name is in overrides of other files, in variants, or nowhere. */
static void rename_of_entity_with_stored_references_equals_one_without_them(void** state) {
    static const char* const renames[][2] = {
        {"props/lamp_pair.entity:x", "first lamp"},
        {"props/lamp_pair.entity:first lamp", "x"},
        {"props/lamp_pair.entity:x", "y"},
        {"props/lamp_pair.entity:none", "y"},
        {"levels/yard.level:b", "pair"},
        {"levels/yard.level:pair/x", "y"},
        {"levels/yard.level:c", "crate"},
        {"models/box.entity:box", "cube"},
        {"props/row.entity:left/x", "z"},
        {"props/row.entity:left", "right"},
        {"props/none.entity:x", "z"},
        {"props/lamp_pair.entity:y", "a/b"},
    };
    char* folder = studio_new("move/saved_entity");
    parts_converted = 0;
    UNUSED(state);
    test_write_text(folder, "src/props/row.entity.json",
                    "{ \"children\": [ { \"name\": \"left\", \"prefab\": \"props/lamp_pair\",\n"
                    "  \"overrides\": { \"x\": { \"components\": { \"light\": {} } } } } ] }\n");
    test_write_text(
        folder, "src/levels/street.level.json",
        "{ \"entities\": [ { \"name\": \"r\", \"prefab\": \"props/row\", \"overrides\": "
        "{ \"left/x\": null } }, { \"prefab\": \"props/lamp\" } ] }\n");
    test_write_text(folder, "src/some.package.json", "{ \"roots\": [\"props/l*.entity\"] }\n");
    TEST_DONE(folder, "entc refs src props/row.entity -o out");
    for (u32 i = 0; i < COUNT_OF(renames); i++) {
        check_stored(folder, renames[i][0], renames[i][1], "--dry-run");
        check_stored(folder, renames[i][0], renames[i][1], "");
    }
    TEST_DONE(folder, "grep -q 'right/x' src/levels/street.level.json");
    assert_true(parts_converted >= 4);
    free(folder);
}

/* A package with patterns, whose matches depend on names. */
static void move_with_stored_references_and_patterns_equals_move_without_them(void** state) {
    char* folder = studio_new("move/saved_patterns");
    UNUSED(state);
    test_write_text(folder, "src/some.package.json",
                    "{ \"roots\": [\"props/lamp*.entity\", \"levels/*\"] }\n");
    check_stored_both(folder, "props/lamp.entity", "props/other.entity");
    check_stored_both(folder, "props/lamp.entity", "props/lamp_new.entity");
    check_stored_both(folder, "models/box.entity", "levels/box.entity");
    free(folder);
}

/* Between moves, sources are edited, removed, touched, or have errors. */
static void move_with_stored_references_after_edits_equals_move_without_them(void** state) {
    static const char* const edits[] = {
        "sed -i 's,/lamp\" }$,/lamp\"  },' src/props/lamp/bulb.entity.json",
        "printf '{ \"prefab\" : \"props/post\"}' > src/props/extra.entity.json",
        "rm src/props/extra.entity.json",
        "touch src/levels/yard.level.json",
        "cp -p src/props/lamp/bulb.entity.json x && mv x src/props/lamp/bulb.entity.json",
        "printf '{ \"prefab\": \"props/none\" }' > src/props/extra.entity.json",
        "printf '{ \"prefab\": \"props/post\" }' > src/props/extra.entity.json",
        "printf '{ \"languages\": [\"fr\"] }' > src/entc.json",
        "printf '{ \"languages\": [\"de\"] }' > src/entc.json",
        "rm src/entc.json",
        "printf '\\000' >> src/models/chest.glb",
        "git --version > src/sound/notes.txt; rm -rf out .out.entc",
    };
    char* folder = studio_new("move/saved_edits");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(edits); i++) {
        TEST_DONE(folder, "%s", edits[i]);
        check_stored(folder, i % 2 ? "props/post.entity" : "props/lamp.entity",
                     i % 2 ? "props/lamp.entity" : "props/post.entity", "");
    }
    free(folder);
}

static void refused_move_with_stored_references_is_reported_as_without_them(void** state) {
    static const char* const moves[][2] = {
        {"props/lamb.entity", "props/x.entity"},
        {"props/lamp.entity", "props/lamp.entity"},
        {"props/lamp.entity", "props/lamp_pair.entity"},
        {"props/lamp.entity", "props/Lamp.entity"},
        {"props/lamp.entity", "props/lamp.level"},
        {"props/lamp.entity", "props/lamp"},
        {"props/lamp.entity", "props/lamp.json"},
        {"models/box/box.mesh", "models/box/cube.mesh"},
        {"props/lamp.unknown", "props/lamp.entity"},
        {"lamp", "x"},
        {"props/lamp_pair", "x"},
        {"props", "props/inner"},
        {"props", "models"},
        {"props", "props"},
        {"Props", "x"},
        {"game/health.component", "game/light.component"},
        {"sound/bell.data", "sound/notes.data"},
    };
    char* folder = studio_new("move/saved_refused");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(moves); i += test_step(1, 3))
        check_stored(folder, moves[i][0], moves[i][1], "");
    TEST_DONE(folder, "ln -s models/crate.glb src/link.glb");
    check_stored(folder, "models/crate.entity", "crate.entity", "");
    check_stored(folder, "link.entity", "crate.entity", "");
    check_stored(folder, "models/box.entity", "box.entity", "");
    free(folder);
}

/* --- killed --- */

#define STRACE "strace -f -o trace -e signal=none "
#define MOVE   "entc mv work models/box.entity things/cube.entity"

/* The calls of a traced command, from 20 before the first that creates a file to the last: each
 * with its name and its number among those of that name. The caller frees it. */
static char* calls_list(const char* folder) {
    TestRun run = test_command(
        folder,
        "sed 's/^[0-9 ]*//' trace | awk -F'(' '/^[a-z_0-9]*\\(/ && !/^exit_group/ "
        "{ n[$1]++; line[NR] = $1 \" \" n[$1]; if (/O_EXCL/ && !first) first = NR; last = NR } "
        "END { if (first) for (i = first - 20; i <= last; i++) if (line[i]) print line[i] }'");
    assert_int_equal(run.code, 0);
    assert_true(run.out_bytes > 1000);
    free(run.err);
    return run.out;
}

/* work/ equals the state before or after, without any other file; the output of a build is stored
 * in `said`. */
static bool work_is(const char* folder, const char* state) {
    TestRun    run = test_command(folder, "diff -r work %s", state);
    const bool same = run.code == 0;
    test_run_free(&run);
    return same;
}

static bool strace_works(void) {
    TestRun    run = test_command(test_folder("move/strace"), STRACE "true");
    const bool works = run.code == 0;
    test_run_free(&run);
    return works;
}

#define TEST_TRACES                                                                                \
    do {                                                                                           \
        if (SANITIZED) TEST_SKIP("sanitizers do not run under strace");                            \
        if (!strace_works()) TEST_SKIP("strace is missing or not allowed here");                   \
    } while (0)

/* Of the sources, only those are opened that change or move; after a move, they are read once more
 * by the next command. */
static void move_with_stored_references_opens_only_what_changes(void** state) {
    static const char* const commands[] = {
        "mv src props/lamp.entity bulbs/lamp.entity -o out",
        "refs src bulbs/lamp.entity -o out",
        "mv src bulbs light -o out",
        "unused src -o out",
        "mv src props/lamp_pair.entity:x z -o out",
        "refs src light/lamp.entity -o out",
        "mv src light/lamp.entity props/lamp.entity -o out",
    };
    TEST_TRACES;
    char* folder = studio_new("move/saved_opens");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(commands); i++)
        TEST_DONE(folder,
                  STRACE "-e trace=openat entc %s > /dev/null 2> err; test $? -le 1 && "
                         "! grep -E 'bell|chest|own.texture|panel' trace",
                  commands[i]);
    TEST_DONE(folder, STRACE "-e trace=openat entc refs src props/lamp.entity > /dev/null && "
                             "grep -q bell trace");
    free(folder);
}

/* Kills a move of the folder work/ at each twelfth call, after `prepare`; then work/ is as before or
 * after, and `compare` succeeds. */
static void check_killed(const char* folder, const char* prepare, const char* command,
                         const char* compare) {
    const u32 step = test_step(12, 12);
    u32       before = 0, after = 0, finished = 0, number = 0;
    TEST_DONE(folder,
              "cp -a src work && %s && " STRACE "%s && mv work after && entc build src -o a && "
              "entc build after -o b",
              prepare, command);
    char* calls = calls_list(folder);
    for (char* call = strtok(calls, "\n"); call; call = strtok(NULL, "\n")) {
        if (number++ % step) continue;
        char* space = strchr(call, ' ');
        *space = 0;
        TestRun run = test_command(folder,
                                   "rm -rf work && cp -a src work && %s && " STRACE
                                   "-e inject=%s:signal=SIGKILL:when=%s %s; test $? = 137 && "
                                   "entc build work -o out 2>&1 >/dev/null && %s",
                                   prepare, call, space + 1, command, compare);
        if (run.code != 0) fail_msg("killed at %s %s: %s", call, space + 1, run.err);
        finished += strstr(run.out, "completed an interrupted change") != NULL;
        test_run_free(&run);
        const bool old = work_is(folder, "src");
        if (!old && !work_is(folder, "after")) fail_msg("killed at %s: neither old nor new", call);
        run = test_command(folder, "diff -r out %s", old ? "a" : "b");
        if (run.code != 0) fail_msg("killed at %s: %s", call, run.out);
        test_run_free(&run);
        before += old;
        after += !old;
    }
    free(calls);
    if (before < 1 || after < finished || finished < 80 / step)
        fail_msg("%u as before, %u as after, %u of them finished", before, after, finished);
}

static void move_killed_at_any_call_is_undone_or_finished(void** state) {
    TEST_TRACES;
    char* folder = yard_new("move/killed");
    UNUSED(state);
    check_killed(folder, "true", MOVE, "true");
    free(folder);
}

static void move_with_stored_references_killed_at_any_call_is_undone_or_finished(void** state) {
    TEST_TRACES;
    char* folder = yard_new("move/killed_saved");
    UNUSED(state);
    check_killed(folder,
                 "entc build work -o o2 -q && sleep 0.02 && entc refs work all.package -o o2",
                 MOVE " -o o2",
                 "{ entc unused work -o o2 > x; entc unused work > y; cmp x y && "
                 "entc unused work -o o2 | cmp - y; }");
    TEST_DONE(folder, "! grep -q 'openat.*lamp.*json' trace"); /* the saved references were used */
    free(folder);
}

/* If any call fails, the folder is unchanged: earlier edits and moves are undone. */
static void move_with_any_failing_call_leaves_folder_unchanged(void** state) {
    static const struct {
        const char* call;
        u32         min; /* how many of them have an effect */
    } rows[] = {{"renameat", 4}, {"linkat", 1}, {"mkdirat", 1}, {"fchmod", 3}};
    TEST_TRACES;
    char* folder = yard_new("move/failed");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        u32 failed = 0;
        for (;; failed++) {
            TestRun run = test_command(folder,
                                       "rm -rf work && cp -a src work && " STRACE
                                       "-e trace=%s -e inject=%s:error=ENOSPC:when=%u " MOVE,
                                       rows[i].call, rows[i].call, failed + 1);
            if (run.code == 0) {
                test_run_free(&run);
                break;
            }
            if (!work_is(folder, "src")) fail_msg("%s %u: %s", rows[i].call, failed + 1, run.err);
            assert_int_equal(run.code, 2);
            assert_non_null(strstr(run.err, "No space left on device"));
            test_run_free(&run);
        }
        if (failed < rows[i].min) fail_msg("%s: only %u of them fail", rows[i].call, failed);
    }
    free(folder);
}

/* A file was changed by the user between the kill and the next command. */
static void file_changed_after_killed_move_is_not_overwritten(void** state) {
    TEST_TRACES;
    char* folder = yard_new("move/changed");
    UNUSED(state);
    TEST_DONE(folder, "cp -a src work; " STRACE "-e inject=fchmod:signal=SIGKILL:when=2 " MOVE
                      "; test -e work/.entc.move && cp -a work killed && "
                      "echo >> work/models/crate.glb && cp -a work edited");
    static const char* const commands[] = {"build work -o out", "rm work models/box.entity",
                                           "mv work props things", "mv work --finish"};
    for (u32 i = 0; i < COUNT_OF(commands); i++) {
        TestRun run = test_command(folder, "entc %s", commands[i]);
        assert_int_equal(run.code, 2);
        assert_non_null(strstr(run.err, "renamed \"models/box.entity\" to \"things/cube.entity\""));
        assert_non_null(strstr(run.err, "\"work/models/crate.glb\" has been changed since"));
        test_run_free(&run);
        assert_true(work_is(folder, "edited"));
    }
    TEST_DONE(folder, "cp killed/models/crate.glb work/models && entc build work -o out && "
                      "! test -e work/.entc.move && entc refs work things/cube.entity | "
                      "grep -q yard");
    free(folder);
}

/* An image with settings, and a buffer that is data too, are read by the model as well. */
static void file_that_a_model_reads_too_is_renamed_with_its_uri(void** state) {
    char* folder = strdup(test_folder("move_shared"));
    UNUSED(state);
    test_image_write(folder, "src/m/skin.png", 8, 8, 60, true);
    test_write_text(folder, "src/m/skin.texture.json", "{}");
    test_write_text(
        folder, "src/m/b.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"skin.png\" } ],\n"
        "  \"textures\": [ { \"source\": 0 } ],\n"
        "  \"materials\": [ { \"name\": \"a\", "
        "\"emissiveTexture\": { \"index\": 0 } } ] }\n");
    TEST_DONE(folder, "cp -r src before && entc build src -o out");
    TEST_DONE(folder, "entc mv src m/skin.texture art/hull.texture && "
                      "grep -q '\"../art/hull.png\"' src/m/b.gltf && entc build src -o out && "
                      "test -e out/art/hull.texture");
    TEST_DONE(folder, "entc mv src art/hull.texture m/skin.texture && diff -r src before");
    free(folder);
}

TEST_SUITE(move) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_resource_or_folder_moved_builds_equal_blobs),
        cmocka_unit_test(any_resource_of_the_demo_moved_builds_equal_blobs),
        cmocka_unit_test(resource_moved_to_name_with_other_last_part_builds_equal_blobs),
        cmocka_unit_test(diff_of_move_applied_by_git_equals_move),
        cmocka_unit_test(dry_run_of_move_reports_changes_of_glb_as_text),
        cmocka_unit_test(file_changed_by_move_keeps_permissions_and_other_bytes),
        cmocka_unit_test(move_with_stored_references_equals_move_without_them),
        cmocka_unit_test(rename_of_component_with_stored_references_is_compiled_afterwards),
        cmocka_unit_test(rename_of_entity_with_stored_references_equals_one_without_them),
        cmocka_unit_test(move_with_stored_references_and_patterns_equals_move_without_them),
        cmocka_unit_test(move_with_stored_references_after_edits_equals_move_without_them),
        cmocka_unit_test(refused_move_with_stored_references_is_reported_as_without_them),
        cmocka_unit_test(move_with_stored_references_opens_only_what_changes),
        cmocka_unit_test(move_killed_at_any_call_is_undone_or_finished),
        cmocka_unit_test(move_with_stored_references_killed_at_any_call_is_undone_or_finished),
        cmocka_unit_test(move_with_any_failing_call_leaves_folder_unchanged),
        cmocka_unit_test(file_changed_after_killed_move_is_not_overwritten),
        cmocka_unit_test(file_that_a_model_reads_too_is_renamed_with_its_uri),
    };
    return TEST_RUN("move", tests);
}
