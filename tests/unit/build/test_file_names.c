/* test_file_names.c - files that other programs have named: which file a URI means, after each change of a folder, is what
 * a build from nothing finds. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* Buffers of three sizes of one triangle, and a model with a texture in another file. */
static const char sources_py[] = "cat >make.py <<'END'\n"
                                 "import struct, zlib, os\n"
                                 "def chunk(kind, data):\n"
                                 "    return struct.pack('>I', len(data)) + kind + data + "
                                 "struct.pack('>I', zlib.crc32(kind + "
                                 "data))\n"
                                 "def png(shade):\n"
                                 "    return (b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', "
                                 "struct.pack('>IIBBBBB', 1, 1, 8, 2, 0, "
                                 "0, 0)) +\n"
                                 "            chunk(b'IDAT', zlib.compress(b'\\0' + bytes((shade, "
                                 "0, 0)))) + chunk(b'IEND', "
                                 "b''))\n"
                                 "os.makedirs('src', exist_ok=True)\n"
                                 "for size in 1, 2, 3:\n"
                                 "    with open(f'{size}.bin', 'wb') as file:\n"
                                 "        file.write(struct.pack('<15f', 0, 0, 0, size, 0, 0, 0, "
                                 "size, 0, 0, 0, 1, 0, 0, 1))\n"
                                 "    with open(f'{size}.png', 'wb') as file:\n"
                                 "        file.write(png(size * 40))\n"
                                 "with open('src/entc.json', 'w') as file:\n"
                                 "    file.write('{ \"models\": { \"accept\": [ \"bounds\" ] } "
                                 "}')\n" /* then a build may be idle */
                                 "with open('src/Box.gltf', 'w') as file:\n"
                                 "    file.write('''{ \"asset\": { \"version\": \"2.0\" }, "
                                 "\"scene\": 0, \"scenes\": [ { "
                                 "\"nodes\": [ 0 ] } ],\n"
                                 "\"nodes\": [ { \"name\": \"box\", \"mesh\": 0 } ], "
                                 "\"materials\": [ { \"name\": \"oak\",\n"
                                 "  \"pbrMetallicRoughness\": { \"baseColorTexture\": { \"index\": "
                                 "0 } } } ],\n"
                                 "\"textures\": [ { \"source\": 0 } ], \"images\": [ { \"uri\": "
                                 "\"wood_a.png\" } ],\n"
                                 "\"meshes\": [ { \"name\": \"box\", \"primitives\": [ { "
                                 "\"material\": 0,\n"
                                 "  \"attributes\": { \"POSITION\": 0, \"TEXCOORD_0\": 1 } } ] } "
                                 "],\n"
                                 "\"buffers\": [ { \"uri\": \"scene_data.bin\", \"byteLength\": 60 "
                                 "} ],\n"
                                 "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 },\n"
                                 "  { \"buffer\": 0, \"byteOffset\": 36, \"byteLength\": 24 } ],\n"
                                 "\"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, "
                                 "\"count\": 3, \"type\": "
                                 "\"VEC3\" },\n"
                                 "  { \"bufferView\": 1, \"componentType\": 5126, \"count\": 3, "
                                 "\"type\": \"VEC2\" } ] }''')\n"
                                 "END\n"
                                 "python3 make.py\n";

/* Builds in turn in one folder, and with a cache; then from nothing, which must be the same. */
static void step_check(const char* folder, const char* change) {
    TEST_DONE(folder,
              "cd src && %s; cd .. && rm -rf fresh .fresh.entc && "
              "entc build src -o fresh -j1 2>fresh.err; code=$?; "
              "entc build src -o out 2>out.err; test $? = $code && cmp out.err fresh.err && "
              "entc build src -o again 2>out.err --cache cache; test $? = $code && "
              "cmp out.err fresh.err && rm -rf again .again.entc && "
              "entc build src -o again 2>out.err --cache cache; test $? = $code && "
              "cmp out.err fresh.err && entc build src -o out 2>out.err; test $? = $code && "
              "cmp out.err fresh.err && entc build src -o out --check 2>out.err; "
              "test $? = $code && cmp out.err fresh.err && "
              "{ test $code != 0 || { diff -r out fresh && diff -r again fresh; }; }",
              change);
}

static void each_change_of_a_folder_gives_the_files_of_a_build_from_nothing(void** state) {
    static const char* const changes[] = {
        "cp ../1.bin 'Scene Data.BIN' && cp ../1.png 'Wood A.PNG'", /* alike */
        "cp ../2.bin 'Scene_Data.bin'", /* another one is alike: an error */
        "cp ../3.bin scene_data.bin",   /* the exact one */
        "rm scene_data.bin",
        "rm 'Scene Data.BIN'",
        "mv Scene_Data.bin SCENE_DATA.bin",
        "cp ../2.png wood_a.png", /* the other image becomes a texture */
        "cp ../3.png wood_a.jpg", /* of the same name as that one */
        "rm 'Wood A.PNG'",
        "mv wood_a.png WOOD_A.png",
        "mv wood_a.jpg wood_a.txt",
        "cp ../1.bin Boom.OGG && echo '{}' >boom.ogg.data.json",
        "cp ../2.bin boom.ogg",
        "cp ../3.bin BOOM.ogg",
        "rm boom.ogg", /* two others are alike: an error */
        "rm BOOM.ogg",
        "rm Boom.OGG boom.ogg.data.json",
        "mkdir Kit; mv Box.gltf *.bin *.png *.txt Kit",
        "cp ../2.bin Kit/scene_data.bin",
        "rm Kit/SCENE_DATA.bin",
        "mv Kit kit",
        "cp kit/Box.gltf Kit.gltf", /* with other URIs: an error */
        "sed -i 's|\"uri\": \"|&KIT/|' Kit.gltf",
        "mv Kit.gltf kit.gltf",
        "cp kit/Box.gltf kit/b\xc3\xb6x.gltf",
        "rm kit/Box.gltf",
        "entc mv . --canonical -q",
    };
    char* folder = strdup(test_folder("changes"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(folder, "%strue", sources_py);
    for (u32 i = 0; i < COUNT_OF(changes); i++) step_check(folder, changes[i]);
    TEST_DONE(folder, "! grep -q 'W0318\\|error' out.err && test -e src/kit/box.gltf && "
                      "test \"$(find src -name '*[A-Z]*' | wc -l)\" = 0");
    free(folder);
}

/* case_shim.so takes the place of a file system that ignores case; a build from nothing goes without it. */
static const char ignoring_sh[] =
    "ignoring() { env LD_PRELOAD=\"$(dirname \"$(command -v entc)\")/case_shim.so\" "
    "ASAN_OPTIONS=\"$ASAN_OPTIONS:verify_asan_link_order=0\" entc \"$@\"; }; ";

static void changes_where_case_is_ignored_give_the_files_of_a_build_from_nothing(void** state) {
    static const char* const changes[] = {
        "cp ../1.bin 'Scene Data.BIN' && cp ../1.png 'Wood A.PNG'",
        "mv 'Scene Data.BIN' SCENE_data.bin",
        "mv SCENE_data.bin Scene_Data.bin",
        "mv 'Wood A.PNG' WOOD_A.png",
        "mv Box.gltf BOX.gltf",
        "ignoring mv . --canonical -q && test \"$(ls | tr '\\n' ' ')\" = "
        "'box.gltf entc.json scene_data.bin wood_a.png '",
        "mkdir Kit; mv *.gltf *.bin *.png Kit",
        "mv Kit KIT",
        "mkdir KIT/Bin && mv KIT/scene_data.bin KIT/Bin/Data.bin && "
        "sed -i 's|scene_data.bin|Bin/Data.bin|' KIT/box.gltf",
        "cp -r KIT M\xc3\xb6"
        "bel && cp ../2.bin M\xc3\xb6"
        "bel/Bin/Data.bin",
        "ignoring mv . --canonical -q && test \"$(find . -type f | sort | tr '\\n' ' ')\" = "
        "'./entc.json ./kit/bin/data.bin ./kit/box.gltf ./kit/wood_a.png ./mobel/bin/data.bin "
        "./mobel/box.gltf ./mobel/wood_a.png '",
        "mv kit Kit && ignoring mv . Kit kit -q && test -e kit/box.gltf",
        "! ignoring mv . kit KIT -q 2>/dev/null && test -e kit/box.gltf",
        "mkdir ART && mv kit ART/Kit && ignoring mv . ART/Kit art/kit -q && "
        "test -e art/kit/box.gltf && mv art/kit kit && rmdir art",
        "mv kit/wood_a.png kit/Wood_A.png && ln kit/Wood_A.png kit/wood_a.png && "
        "! ignoring mv . --canonical -q 2>/dev/null; rm kit/Wood_A.png && test -e kit/wood_a.png",
    };
    char* folder = strdup(test_folder("ignored"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(folder, "%strue", sources_py);
    for (u32 i = 0; i < COUNT_OF(changes); i++)
        TEST_DONE(folder,
                  "%scd src && { %s; } && cd .. && rm -rf fresh .fresh.entc && "
                  "entc build src -o fresh 2>fresh.err && ignoring build src -o out 2>out.err && "
                  "cmp out.err fresh.err && diff -r out fresh && "
                  "ignoring build src -o out --check 2>out.err && cmp out.err fresh.err",
                  ignoring_sh, changes[i]);
    free(folder);
}

static void graph_and_single_actions_find_files_by_their_canonical_spelling(void** state) {
    char* folder = strdup(test_folder("graph"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "%scp 1.bin 'src/Scene Data.BIN' && cp 1.png 'src/Wood A.PNG'", sources_py);
    TEST_DONE(folder, "entc build src -o fresh -q && "
                      "entc build src -o out -q --emit-ninja build.ninja --batch 3 && ninja && "
                      "diff -r out fresh");
    TEST_DONE(folder, "sleep 0.02; cp 2.bin 'src/Scene Data.BIN' && ninja && "
                      "entc build src -o fresh -q && diff -r out fresh");
    TEST_DONE(folder, "sleep 0.02; cp 3.bin src/scene_data.bin && ninja && "
                      "entc build src -o fresh -q && diff -r out fresh");
    TEST_DONE(folder,
              "for i in box.entity box/box.mesh box/wood_a.texture; do "
              "rm -rf box && mkdir box && entc deps src $i --inputs box/list && "
              "sed -n 's/^file //p' box/list | while read -r f; do "
              "mkdir -p \"box/src/$(dirname \"$f\")\" && cp \"src/$f\" \"box/src/$f\"; done && "
              "(cd box && entc compile src $i --inputs list -o blob -q) && "
              "cmp box/blob fresh/$i || exit 1; done");
    free(folder);
}

static void references_are_stored_and_moved_with_files_of_any_name(void** state) {
    char* folder = strdup(test_folder("moved"));
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(folder,
              "%smkdir src/Kit && mv src/Box.gltf src/Kit && cp 1.bin 'src/Kit/Scene Data.BIN' && "
              "cp 1.png 'src/Kit/Wood A.PNG' && echo '{ \"entities\": [ { \"name\": \"b\", "
              "\"prefab\": \"kit/box\" } ] }' >src/a.level.json && entc build src -o out -q",
              sources_py);
    EXPECT(folder, 0, "src/a.level.json:1:42", "entc refs src kit/box.entity -o out");
    TEST_DONE(folder, "entc mv src kit/box.entity props/crate.entity -o out -q && "
                      "grep -q '\"../Kit/Scene%%20Data.BIN\"' src/props/crate.gltf && "
                      "grep -q props/crate src/a.level.json && entc build src -o out -q && "
                      "entc build src -o fresh -q && diff -r out fresh");
    TEST_DONE(folder, "entc mv src --canonical -o out -q && "
                      "grep -q '\"../kit/scene_data.bin\"' src/props/crate.gltf && "
                      "test -e src/kit/wood_a.png && ! test -e src/Kit && "
                      "entc build src -o out && diff -r out fresh && "
                      "entc refs src props/crate.entity -o out | grep -q a.level.json");
    free(folder);
}

TEST_SUITE(file_names) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_a_folder_gives_the_files_of_a_build_from_nothing),
        cmocka_unit_test(changes_where_case_is_ignored_give_the_files_of_a_build_from_nothing),
        cmocka_unit_test(graph_and_single_actions_find_files_by_their_canonical_spelling),
        cmocka_unit_test(references_are_stored_and_moved_with_files_of_any_name),
    };
    return TEST_RUN("file_names", tests);
}
