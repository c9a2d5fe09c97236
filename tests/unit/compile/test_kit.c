/* test_kit.c - models that are split into prefabs, and levels that are models, compared with matrices in double precision. */
#include <stdio.h>

#include "test.h"

static void check_kits(const char* split, u32 seeds) {
    const char* folder = test_folder(split);
    TEST_NEEDS("python3");
    for (u32 seed = 1; seed <= seeds; seed++) {
        TEST_DONE(
            folder,
            "o=../../../../tests/oracles/kit_oracle.py; rm -rf src out && "
            "python3 $o make . %u %s && entc build src -o out -q && entc verify out >files && "
            "entc build src -o one -q -j1 && diff -r out one && rm -r one",
            seed, split);
        EXPECT(folder, 0, "meshes, 0 wrong",
               "python3 ../../../../tests/oracles/kit_oracle.py check . >&2");
    }
    TEST_DONE(folder, "entc build src -o big -q --target big && entc verify big >files");
    /* The harness finds an object that has moved, and a mass that is not overridden. */
    TEST_DONE(folder, "sed 's/\"translation\": \\[-*[1-9]/&9/' src/models/kit.gltf >m && "
                      "mv m src/models/kit.gltf && entc build src -o out -q");
    EXPECT(folder, 1, "additional mesh",
           "python3 ../../../../tests/oracles/kit_oracle.py check . >&2");
}

static void kits_of_root_objects_are_where_their_matrices_say(void** state) {
    UNUSED(state);
    check_kits("roots", SANITIZED ? 2 : 8);
}

static void kits_of_collections_are_where_their_matrices_say(void** state) {
    UNUSED(state);
    check_kits("collections", SANITIZED ? 2 : 8);
}

/* After each of these edits, a build on top of the last one gives what a build of an empty folder gives. */
static void builds_after_edits_of_kits_equal_builds_from_nothing(void** state) {
    static const char* const edits[] = {
        "sed -i 's/Root 3 0\"/Root 33 0\"/; s/kit.root_3_0/kit\\/root_33_0/g' src/*/*.gltf",
        "echo '{}' >src/models/kit.model.json",
        "echo '{ \"split\": \"roots\" }' >src/models/kit.model.json",
        "echo '{}' >src/levels/yard.model.json",
        "echo '{ \"as\": \"level\" }' >src/levels/yard.model.json",
        "rm src/levels/yard.model.json",
        "echo '{ \"as\": \"level\", \"lods\": 1 }' >src/levels/yard.model.json",
        "echo '{ \"components\": { \"light\": {} } }' >src/models/kit/root_2_0.entity.json",
        "rm src/models/kit/root_2_0.entity.json",
        "echo '{ \"entities\": [] }' >src/levels/yard.level.json",
        "rm src/levels/yard.level.json",
        "sed -i 's/\"translation\": \\[-*[1-9]/&9/' src/models/kit.gltf",
        "mv src/models/kit.gltf src/models/box.gltf",
        "mv src/models/box.gltf src/models/kit.gltf"};
    const char* folder = test_folder("edits");
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(folder, "python3 ../../../../tests/oracles/kit_oracle.py make . 3 roots && "
                      "mkdir -p src/models/kit && entc build src -o out -q --cache cache");
    for (u32 i = 0; i < COUNT_OF(edits); i++)
        TEST_DONE(
            folder,
            "%s && rm -rf fresh && { entc build src -o fresh >a 2>&1; r=$?; "
            "entc build src -o out --cache cache >b 2>&1; [ $? = $r ]; } && "
            "grep -v '^entc: [0-9]* \\|^entc: built' a >c; grep -v '^entc: [0-9]* \\|^entc: built' "
            "b >d; "
            "cmp c d && { [ $r != 0 ] || { find out fresh -name '.entc*' ! -name .entc.index "
            "-prune "
            "-exec rm -rf {} + ; diff -r out fresh && entc build src -o out -q --cache cache; }; }",
            edits[i]);
}

/* The blobs of the other prefabs, their meshes and materials keep their files. */
static void change_of_one_prefab_leaves_the_files_of_others_untouched(void** state) {
    const char* folder = test_folder("untouched");
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(
        folder,
        "mkdir -p src && cat >src/kit.gltf <<'E'\n"
        "{ \"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [0, 1, 3]}], \"nodes\": ["
        "{\"name\": \"crate\"}, {\"name\": \"barrel\", \"children\": [2]}, {\"name\": \"lid\", "
        "\"translation\": [0, 1, 0]}, {\"name\": \"stack\", \"extras\": {\"prefab\": "
        "\"kit/crate\"}}] }\nE\n"
        "echo '{ \"split\": \"roots\" }' >src/kit.model.json && entc build src -o out -q && "
        "find out -name '*.entity' -printf '%%i %%P\\n' | sort >before && "
        "sed -i 's/\\[0, 1, 0\\]/[0, 2, 0]/' src/kit.gltf && entc build src -o out -q && "
        "find out -name '*.entity' -printf '%%i %%P\\n' | sort >after && "
        "comm -13 before after | cut -d' ' -f2 | sort >changed && "
        "printf 'kit.entity\\nkit/barrel.entity\\n' | cmp - changed");
}

TEST_SUITE(kit) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kits_of_root_objects_are_where_their_matrices_say),
        cmocka_unit_test(kits_of_collections_are_where_their_matrices_say),
        cmocka_unit_test(builds_after_edits_of_kits_equal_builds_from_nothing),
        cmocka_unit_test(change_of_one_prefab_leaves_the_files_of_others_untouched)};
    return TEST_RUN("kit", tests);
}
