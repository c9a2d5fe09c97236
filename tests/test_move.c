/* test_move.c - renaming in folders with everything that can refer to something: for every resource
 * and every folder, what is built afterwards is what was built before, under other names, and the
 * way back leads to the same bytes. The diff is one for git. Whatever is killed or fails at any
 * point ends in the old state or the new one. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* --- a folder in which everything refers to something --- */

#define TRIANGLE                                                                                   \
    "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ], \"accessors\": [ { "              \
    "\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\", \"min\": [0, "  \
    "0, 0], \"max\": [1, 1, 0] } ],\n"

static const struct {
    const char *name, *text;
} sources[] = {
    {".entc/level.schema.json", "{}\n"},
    {"src/all.package.json",
     "{ \"roots\": [\"levels/yard.level\",\"props\\/lamp.entity\", \"models/box/box.mesh\",\r\n"
     "             \"models/box/paint.material\"] }"},
    {"src/levels/yard.level.json",
     "{\r\n\t\"$schema\": \"../../.entc/level.schema.json\",\r\n\t\"entities\": [\r\n"
     "\t\t{ \"name\": \"props/lamp\" , \"prefab\" : \"props/lamp\" },\r\n"
     "\t\t{ \"name\": \"b\", \"prefab\":\"props\\/lamp\\u005fpair\", \"overrides\": { \"x\": { "
     "\"components\": { \"h\\u0065alth\": { \"remains\": \"models/box/box\" } } } } },\r\n"
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
     "\"byteLength\": 36 } ],\n  \"images\": [ { \"uri\": \"../textures/./wood%231.png\" } ],\n" TRIANGLE
     "  \"materials\": [ { \"name\": \"paint\" } ],\n"
     "  \"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": { \"POSITION\": 0 "
     "}, \"material\": 0 } ] } ],\n"
     "  \"nodes\": [ { \"name\": \"box\", \"mesh\": 0, \"extras\": { \"components\": { \"health\": "
     "{ \"remains\": \"models/crate/top\" } } } } ] }\n"},
};

/* The JSON of a .glb, which begins in the middle of a file and is filled up with spaces. */
static const char crate[] =
    "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"byteLength\": 36 } ], " TRIANGLE
    "\"images\": [ { \"uri\": \"../textures/wood%231.png\" } ], \"scene\": 0, \"scenes\": [ { "
    "\"nodes\": [0] } ],"
    "\"meshes\": [ { \"name\": \"top\", \"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } "
    "] } ],"
    "\"nodes\": [ { \"mesh\": 0, \"extras\": { \"components\": { \"health\": { \"remains\": "
    "\"models/box/box\" } } } },"
    "{ \"extras\": { \"components\": { \"health\": { \"remains\": \"models/box/box\" } } } } ] }";

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void word_put(u8* at, u32 value) {
    for (u32 i = 0; i < 4; i++) at[i] = (u8)(value >> 8 * i);
}

/* `spaces`: more of them behind the JSON than are needed. */
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

/* FOLDER/src; free it. */
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

/* A script that tells all blobs of an output folder as text, without ids, in an order that does not
 * depend on names; `from` in it becomes `to` where it is a whole name or its beginning. */
static const char told[] =
    "told() { ( cd $1 && find . -type f | while read -r f; do echo \"./${f#./}\"; entc dump \"$f\"; "
    "done ) | sed \"s,0x[0-9a-f]*,,g; /^section .*name/d; s,\\\\(^\\\\|[ /]\\\\)$2\\\\([./ "
    "]\\\\|\\$\\\\),\\\\1$3\\\\2,g\" | LC_ALL=C sort; }; "
    "refs() { entc refs $1 $2 | wc -l; }; ";

/* Moves there and back in a copy of FOLDER/src; FOLDER/out is what is built of that. */
static void check_move(const char* folder, const char* from, const char* to) {
    const char* dot = strrchr(from, '.');
    const int   bytes = dot ? (int)(dot - from) : (int)strlen(from);
    const int   to_bytes = dot ? (int)strlen(to) - (int)strlen(dot) : (int)strlen(to);
    TestRun     run = test_command(
        folder,
        "rm -rf copy out2 && cp -a src copy && %s"
        "entc mv copy %s %s -q && entc build copy -o out2 && entc build copy -o out3 --lang fr && "
        "told out '%.*s' '%.*s' > one && told out2 NONE NONE > two && diff one two >&2 && "
        "{ %s || test $(refs src %s) = $(refs copy %s); } && ! cmp -s one out && "
        "entc mv copy %s %s -q && diff -r src copy >&2 && ! test -e copy/.entc.move",
        told, from, to, bytes, from, to_bytes, to, dot ? "false" : "true", from, to, to, from);
    if (run.code != 0) fail_msg("%s to %s: %d: %s%s", from, to, run.code, run.out, run.err);
    test_run_free(&run);
}

/* Every source and every folder of FOLDER/src. */
static void check_all(const char* folder) {
    char     from[300], to[400];
    TestRun  run = test_command(folder,
                               "entc build src -o out && entc build src -o out_fr --lang fr && "
                                "cd src && find * -type d -o -name '*.json' ! -name '*.fr.*' -o -name '*.gl*'");
    unsigned count = 0;
    assert_int_equal(run.code, 0);
    for (char* line = strtok(run.out, "\n"); line; line = strtok(NULL, "\n")) {
        char* end = strstr(line, ".json");
        snprintf(from, sizeof from, "%.*s", end ? (int)(end - line) : (int)strlen(line), line);
        if ((end = strstr(from, ".gl")) != NULL) strcpy(end, ".entity");
        const char* base = strrchr(from, '/') ? strrchr(from, '/') + 1 : from;
        snprintf(to, sizeof to, "new/de_ep/%s", base);
        check_move(folder, from, to);
        count++;
    }
    assert_true(count > 10);
    test_run_free(&run);
}

static void what_is_built_stays_the_same(void** state) {
    char* folder = yard_new("move/yard");
    UNUSED(state);
    check_all(folder);
    free(folder);
}

static void the_demo_survives_it_too(void** state) {
    char* folder = strdup(test_folder("move/demo"));
    UNUSED(state);
    TEST_DONE(folder, "cp -r \"$OLDPWD/assets\" src");
    check_all(folder);
    free(folder);
}

/* Names that begin alike, in another folder and with another last part. */
static void a_new_last_part(void** state) {
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

int test_move(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_stays_the_same),
        cmocka_unit_test(the_demo_survives_it_too),
        cmocka_unit_test(a_new_last_part),
    };
    return TEST_RUN("move", tests);
}
