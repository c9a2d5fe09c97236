/* test_outside.c - what is reported about a path that leaves the asset folder does not depend on
 * whether there is a file: the author of a source need not be allowed to see it. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_image_files.h"

#define BUFFER(uri)                                                                                \
    "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"" uri                      \
    "\", \"byteLength\": 36 } ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ], "     \
    "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": "      \
    "\"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0] } ], \"meshes\": [ { \"primitives\": [ { "   \
    "\"attributes\": { \"POSITION\": 0 } } ] } ], \"nodes\": [ { \"mesh\": 0 } ] }\n"
#define IMAGE(uri)                                                                                 \
    "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"" uri                       \
    "\" } ], \"textures\": [ { \"source\": 0 } ], \"materials\": [ { \"pbrMetallicRoughness\": { " \
    "\"baseColorTexture\": { \"index\": 0 } } } ], \"nodes\": [ { \"name\": \"a\" } ] }\n"

/* A source, or a symbolic link, that refers to outside/FILE; `link` is its target. */
static const struct {
    const char *path, *text, *link;
} references[] = {
    {"m.gltf", BUFFER("../outside/a.bin"), NULL},
    {"m.gltf", BUFFER("%2e%2e/outside/a.bin"), NULL},
    {"m.gltf", BUFFER("sub/../../outside/a.bin"), NULL},
    {"m.gltf", BUFFER("../src/../outside/a.bin"), NULL},
    {"m.gltf", BUFFER("../outside/a.bin/deeper"), NULL},
    {"m.gltf", BUFFER("folder/a.bin"), NULL},
    {"m.gltf", BUFFER("folder/a.bin/deeper"), NULL},
    {"m.gltf", BUFFER("sub/folder/a.bin"), NULL},
    {"m.gltf", BUFFER("linked.bin"), NULL},
    {"m.gltf", IMAGE("../outside/a.png"), NULL},
    {"m.gltf", IMAGE("folder/a.png"), NULL},
    {"t.texture.json", "{ \"image\": \"../outside/a.png\" }\n", NULL},
    {"t.texture.json", "{ \"image\": \"folder/a.png\" }\n", NULL},
    {"t.png", NULL, "../outside/a.png"},
    {"e.entity.json", NULL, "../outside/a.json"},
    {"entc.json", NULL, "../outside/a.json"},
    {"m.model.json", NULL, "../outside/a.json"},
};

static char* report_of(const char* folder, bool exists, const char* command) {
    TEST_DONE(folder, "rm -rf outside && mkdir outside");
    if (exists)
        TEST_DONE(folder, "head -c 36 /dev/zero > outside/a.bin; cp image.png outside/a.png; echo "
                          "'{ \"x\": 1 }' > outside/a.json");
    TestRun     run = test_command(folder, "%s", command);
    const char* hidden = strstr(run.err, "does not exist");
    if (hidden) fail_msg("%s", run.err);
    char* report = malloc(strlen(run.err) + 32);
    sprintf(report, "%d %s", run.code, run.err);
    test_run_free(&run);
    return report;
}

static void path_that_leaves_the_folder_is_reported_alike_with_and_without_a_file(void** state) {
    char path[100];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(references); i++) {
        const char* folder = test_folder("outside");
        test_image_write(folder, "image.png", 4, 4, 1, true);
        test_write_text(folder, "src/other.entity.json", "{}\n");
        test_write_text(folder, "src/sub/other.entity.json", "{}\n");
        if (strcmp(references[i].path, "m.model.json") == 0)
            test_write_text(folder, "src/m.gltf", BUFFER("data:;base64,AAAA"));
        TEST_DONE(folder, "ln -s ../outside src/folder && ln -s ../../outside src/sub/folder && ln "
                          "-s ../outside/a.bin src/linked.bin");
        snprintf(path, sizeof path, "src/%s", references[i].path);
        if (references[i].text)
            test_write_text(folder, path, references[i].text);
        else
            TEST_DONE(folder, "ln -s %s %s", references[i].link, path);
        char* without = report_of(folder, false, "entc build src -o out");
        char* with = report_of(folder, true, "entc build src -o out");
        if (strcmp(without, with) != 0)
            fail_msg("%s, %u: \"%s\" and \"%s\"", path, i, without, with);
        assert_non_null(strstr(with, "error"));
        free(without);
        free(with);
    }
}

/* A missing file inside of the folder is reported as missing, also behind a link inside. */
static void missing_file_in_the_folder_is_reported_as_missing(void** state) {
    const char* folder = test_folder("outside_missing");
    UNUSED(state);
    test_write_text(folder, "src/sub/other.entity.json", "{}\n");
    TEST_DONE(folder, "ln -s sub src/near");
    test_write_text(folder, "src/m.gltf", BUFFER("sub/none.bin"));
    EXPECT(folder, 3, "the file does not exist [E0405]", "entc build src -o out");
    test_write_text(folder, "src/m.gltf", BUFFER("near/none.bin"));
    EXPECT(folder, 3, "the file does not exist [E0405]", "entc build src -o out");
    test_write_text(folder, "src/m.gltf", BUFFER("none/none.bin"));
    EXPECT(folder, 3, "the file does not exist [E0405]", "entc build src -o out");
}

TEST_SUITE(outside) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_that_leaves_the_folder_is_reported_alike_with_and_without_a_file),
        cmocka_unit_test(missing_file_in_the_folder_is_reported_as_missing),
    };
    return TEST_RUN("outside", tests);
}
