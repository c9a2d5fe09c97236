/* test_graph.c - `entc build --emit-ninja` with the real ninja, and `--list-outputs`.
 *
 * Invariants: ninja writes what `entc build` writes, byte for byte, with every option; a second run
 * does nothing; a change rebuilds exactly the outputs that depend on it; files, folders and models
 * that are added or removed change the graph without a new command; what entc build refuses, ninja
 * refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"
#include "test_image_files.h"

#define ROOT "art #1: $x" /* the asset folder, with unusual characters */

static const TestFile sources[] = {
    {"levels/yard.level.json",
     "{ \"entities\": [ { \"name\": \"gate\", \"prefab\": \"props/gate\" },\n"
     "    { \"name\": \"flat\", \"components\": { \"mesh\": { \"resource\": \"models/box/box\" "
     "} } } ] }\n"},
    {"props/gate.entity.json",
     "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" },\n"
     "    { \"name\": \"box\", \"prefab\": \"models/box\" } ] }\n"},
    {"props/lamp.entity.json", "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n"},
    {"mud.material.json", "{ \"roughness\": 0.9 }\n"},
    {"all.package.json", "{ \"roots\": [\"levels/yard.level\", \"mud.material\"] }\n"},
    {"rules/health.component.json",
     "{ \"fields\": { \"points\": { \"type\": \"u32\", \"default\": 3 } } }\n"},
};

static char* project_new(const char* name, const char* root) {
    char* folder = strdup(test_folder(name));
    test_write_files(folder, root, sources, COUNT_OF(sources));
    test_write_box(folder, root);
    return folder;
}

/* What ninja compiled, sorted, on one line. */
#define COMPILED "sed -n 's/^.[0-9]*.[0-9]*. entc \\([^ ]*\\)$/\\1/p' log | sort | tr '\\n' ' '"

static void ninja_compiles(const char* folder, const char* what, const char* compiled) {
    TestRun run = test_command(folder, "ninja > log 2>&1 || { cat log; exit 1; }; " COMPILED);
    if (run.code != 0 || strcmp(run.out, compiled) != 0) {
        fail_msg("%s: %d, compiled \"%s\", expected \"%s\"", what, run.code, run.out, compiled);
    }
    test_run_free(&run);
}

/* --- the same bytes --- */

static void ninja_with_each_option_writes_bytes_of_entc_build(void** state) {
    static const char* const ways[] = {"", "--target big --strip", "--lang fr --platform 'a b'",
                                       "--cache 'ca $che'"};
    UNUSED(state);
    TEST_NEEDS("ninja");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        char* folder = project_new("graph/bytes", ROOT);
        test_write_text(folder, ROOT "/mud.fr.material.json", "{ \"roughness\": 0.7 }\n");
        TEST_DONE(folder,
                  "entc build '" ROOT
                  "/' -o 'o $u:t/' --emit-ninja 'g $o' %s && ! test -e 'o $u:t' "
                  "&& ninja -f 'g $o' && entc build '" ROOT "' -o clean %s && "
                  "diff -r 'o $u:t' clean",
                  ways[i], ways[i]);
        TEST_DONE(folder, "ninja -f 'g $o' | grep -qx 'ninja: no work to do.'");
        free(folder);
    }
}

/* The files of ninja are among the sources; outputs never are. */
static void ninja_run_in_source_folder_writes_bytes_of_entc_build(void** state) {
    char* folder = project_new("graph/one", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "cd src && entc build . -o ../gen/out --emit-ninja build.ninja && ninja && "
                      "sleep 0.02 && ninja && ninja > log && grep -qx 'ninja: no work to do.' log");
    TEST_DONE(folder, "entc build src -o clean && diff -r gen/out clean");
    free(folder);
}

/* --- changes --- */

#define ALL                                                                                        \
    "all.package levels/yard.level models/box.entity models/box/box.mesh mud.material "            \
    "props/gate.entity props/lamp.entity rules/health.component "

static const struct {
    const char* name;
    const char* script; /* which changes sources */
    const char* compiled;
} steps[] = {
    {"from nothing", ":", ALL},
    {"nothing changed", ":", ""},
    {"a prefab of a prefab", "sed -i 's/7/8/' props/lamp.entity.json",
     "levels/yard.level props/gate.entity props/lamp.entity "},
    {"what a package has to have", "sed -i 's/0.9/0.8/' mud.material.json",
     "all.package mud.material "},
    {"a model's buffer", "printf '\\000\\000\\000\\077' | dd of='models/box data.bin' conv=notrunc",
     "levels/yard.level models/box.entity models/box/box.mesh props/gate.entity "},
    {"a new source", "echo '{}' > props/new.entity.json", "props/new.entity "},
    {"a new source in a new folder", "mkdir -p a/b && echo '{}' > a/b/c.entity.json",
     "a/b/c.entity "},
    {"a folder for nothing", "mkdir -p d/e", ""},
    {"and something in it", "echo '{}' > d/e/f.entity.json", "d/e/f.entity "},
    {"a source goes", "rm props/new.entity.json", ""},
    {"a folder goes", "rm -r a", ""},
    {"a folder moves", "mv d g", "g/e/f.entity "},
    {"a model gets a mesh",
     "sed -i 's/\"meshes\": \\[/\"meshes\": [ { \"name\": \"lid\", \"primitives\": [ { "
     "\"attributes\": { \"POSITION\": 0 } } ] },/' models/box.gltf",
     "levels/yard.level models/box.entity models/box/box.mesh models/box/lid.mesh "
     "props/gate.entity "},
    {"a source that is not compiled", "echo hello > notes.txt", ""},
    {"nothing again", ":", ""},
};

static void ninja_after_each_change_rebuilds_only_dependents(void** state) {
    char* folder = project_new("graph/changes", ROOT);
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build '" ROOT "' -o out --emit-ninja build.ninja");
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        TEST_DONE(folder, "cd '" ROOT "' && %s", steps[i].script);
        ninja_compiles(folder, steps[i].name, steps[i].compiled);
        TestRun run = test_command(folder, "rm -rf clean && entc build '" ROOT "' -o clean && "
                                           "diff -r out clean");
        if (run.code != 0) fail_msg("%s: %s%s", steps[i].name, run.out, run.err);
        test_run_free(&run);
        ninja_compiles(folder, steps[i].name, "");
        TEST_DONE(folder, "sleep 0.02"); /* the clock of a file system is coarse */
    }
    free(folder);
}

/* --- batches --- */

/* Writes the edges of resources, one per line. */
#define EDGES_LIST                                                                                 \
    "awk '/^build / {edge = \"\"} {edge = edge $0} /^  (others|name) =/ {print edge; edge = "      \
    "\"\"}' "                                                                                      \
    "build.ninja | sort >edges"

static void batches_of_ninja_write_bytes_of_entc_build(void** state) {
    static const char* const ways[] = {"--batch 1", "--batch 2", "--batch 3 --source-map",
                                       "--batch 100 --cache 'ca $che'", "--batch 7 --target big"};
    UNUSED(state);
    TEST_NEEDS("ninja");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        char*       folder = project_new("graph/batches", ROOT);
        const char* clean = strstr(ways[i], "--source-map") ? "--source-map"
                            : strstr(ways[i], "--target")   ? "--target big"
                                                            : "";
        TEST_DONE(folder,
                  "entc build '" ROOT
                  "/' -o 'o $u:t/' --emit-ninja 'g $o' %s && ! test -e 'o $u:t' "
                  "&& ninja -f 'g $o' && entc build '" ROOT "' -o clean %s && "
                  "diff -r 'o $u:t' clean",
                  ways[i], clean);
        TEST_DONE(folder, "ninja -f 'g $o' | grep -qx 'ninja: no work to do.'");
        TEST_DONE(folder, "rm 'g $o.inputs' && ninja -f 'g $o' && test -s 'g $o.inputs' && "
                          "ninja -f 'g $o' | grep -qx 'ninja: no work to do.'");
        free(folder);
    }
}

/* The names are numbers, so that files are added everywhere. */
static void added_file_changes_at_most_two_edges_of_a_graph_with_batches(void** state) {
    char* folder = strdup(test_folder("graph/added"));
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder,
              "mkdir -p src && for i in $(seq 100 2 498); do echo '{}' >src/$i.entity.json; "
              "done && entc build src -o out --emit-ninja build.ninja --batch 8 && ninja");
    TEST_DONE(folder, "grep -c 'entc_batch' build.ninja >batches && test $(cat batches) -gt 25 && "
                      "test $(cat batches) -lt 100 && " EDGES_LIST " && cp edges before");
    for (u32 i = 0; i < 20; i++) {
        TEST_DONE(folder,
                  "i=$((101 + 2 * (%u * 83 %% 199))) && echo '{}' >src/$i.entity.json && "
                  "entc build src -o out --emit-ninja build.ninja --batch 8 && " EDGES_LIST
                  " && test $(comm -13 before edges | wc -l) -ge 1 && "
                  "test $(comm -13 before edges | wc -l) -le 2 && cp edges before",
                  i);
    }
    TEST_DONE(folder, "ninja && entc build src -o clean && diff -r out clean");
    free(folder);
}

static void error_in_a_resource_of_a_batch_leaves_the_others_written(void** state) {
    char* folder = project_new("graph/error", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o clean && "
                      "sed -i 's/range_m/renge_m/' src/props/lamp.entity.json && "
                      "entc build src -o out --emit-ninja build.ninja --batch 100 && "
                      "! ninja >log && grep -q 'did you mean \"range_m\"' log && "
                      "for i in mud.material models/box.entity models/box/box.mesh all.package; do "
                      "cmp out/$i clean/$i || exit 1; done; "
                      "test \"$(ls out/props out/levels | grep -c '[.]')\" = 0");
    TEST_DONE(folder,
              "sleep 0.02; sed -i 's/renge_m/range_m/' src/props/lamp.entity.json && ninja && "
              "diff -r out clean");
    free(folder);
}

/* With the commands of ninja's log; the rule of the graph and the index are the only ones that list folders. */
static void only_the_rule_of_the_graph_lists_folders(void** state) {
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    char* folder = project_new("graph/listed", "src");
    TEST_DONE(folder,
              "for n in 1 3; do rm -rf out .ninja*; "
              "entc build src -o out --emit-ninja build.ninja --batch $n && "
              "sed -i 's/^entc = /entc = strace -f -A -o trace -e trace=getdents64,openat /' "
              "build.ninja && rm -f trace && ninja -j1 && test -s trace && "
              "! grep getdents64 trace && grep -q 'openat.*src/props/lamp.entity.json' trace || "
              "exit 1; done");
    free(folder);
}

/* A declared component is an input of every blob with components. */
static void ninja_after_declaration_changed_rebuilds_its_users(void** state) {
    char* folder = project_new("graph/declared", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja && ninja && sleep 0.02");
    TEST_DONE(
        folder,
        "sed -i 's/{ \"light\"/{ \"health\": {}, \"light\"/' src/props/lamp.entity.json && "
        "sed -i 's/: 3/: 4/' src/rules/health.component.json && ninja && entc build src -o clean "
        "&& diff -r out clean");
    TEST_DONE(folder, "sleep 0.02; rm src/rules/health.component.json; ! ninja > log && "
                      "grep -q 'E0207' log");
    free(folder);
}

/* A link to another file, which is older than everything. */
static void ninja_after_variant_added_or_removed_rebuilds_its_users(void** state) {
    char* folder = project_new("graph/variants", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "sed 's/7/9/' src/props/lamp.entity.json > fr && touch -d 2001-01-01 fr && "
                      "entc build src -o out --emit-ninja build.ninja --lang fr && ninja");
    for (u32 i = 0; i < 2; i++) {
        TEST_DONE(folder,
                  "sleep 0.02; mv %s && ninja && entc build src -o clean --lang fr && "
                  "diff -r out clean",
                  i ? "src/props/lamp.fr.entity.json fr" : "fr src/props/lamp.fr.entity.json");
    }
    free(folder);
}

#define MODEL_WITH_IMAGE(uri)                                                                      \
    "{ \"asset\": { \"version\": \"2.0\" }, \"images\": [ { \"uri\": \"" uri "\" } ],\n"           \
    "  \"textures\": [ { \"source\": 0 } ],\n"                                                     \
    "  \"materials\": [ { \"name\": \"a\", \"emissiveTexture\": { \"index\": 0 } } ] }\n"

/* Which resources a model contains depends on the files beside it: an image that cannot be decoded is no texture. */
static void ninja_after_image_of_a_model_changed_lists_its_resources_again(void** state) {
    static const char* const ways[] = {"", "--cache cache", "&& entc build src -o out"};
    UNUSED(state);
    TEST_NEEDS("ninja");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        char* folder = strdup(test_folder("graph/image"));
        test_write_text(folder, "src/m/one.gltf", MODEL_WITH_IMAGE("skin.png"));
        test_write_text(folder, "src/m/two.gltf", MODEL_WITH_IMAGE("skin.png"));
        test_image_write(folder, "src/m/skin.png", 8, 8, 60, true);
        TEST_DONE(folder,
                  "entc build src -o out --emit-ninja build.ninja %s && ninja && "
                  "test -e out/m/one/skin.texture",
                  ways[i]);
        if (i == 2) TEST_DONE(folder, "touch src && ninja"); /* its models are recorded */
        TEST_DONE(folder, "echo text >src/m/skin.png && ninja && entc build src -o clean && "
                          "diff -r out clean && ! test -e out/m/one/skin.texture");
        free(folder);
    }
}

/* An image to which any model refers, also one of another language, is no texture of its own. */
static void ninja_after_model_of_another_variant_changed_lists_textures_again(void** state) {
    char* folder = strdup(test_folder("graph/other_model"));
    UNUSED(state);
    TEST_NEEDS("ninja");
    test_write_text(folder, "src/a.fr.gltf", MODEL_WITH_IMAGE("skin.png"));
    test_write_text(folder, "src/a.gltf", MODEL_WITH_IMAGE("other.png"));
    test_image_write(folder, "src/skin.png", 8, 8, 60, true);
    test_image_write(folder, "src/other.png", 8, 8, 60, true);
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja --lang de && ninja && "
                      "! test -e out/skin.texture");
    for (u32 i = 0; i < 2; i++) {
        TEST_DONE(folder,
                  "sleep 0.02; sed %s src/a.fr.gltf >new && cat new >src/a.fr.gltf && ninja && "
                  "rm -rf clean && "
                  "entc build src -o clean --lang de && diff -r out clean && "
                  "%s test -e out/skin.texture",
                  i ? "s/gone/skin/" : "s/skin/gone/", i ? "!" : "");
    }
    free(folder);
}

/* A file that becomes data is no texture any more, which its users notice. */
static void ninja_after_a_texture_became_data_fails(void** state) {
    char* folder = strdup(test_folder("graph/retyped"));
    UNUSED(state);
    TEST_NEEDS("ninja");
    test_image_write(folder, "src/wood.png", 8, 8, 60, true);
    test_write_text(folder, "src/m.material.json",
                    "{ \"textures\": { \"base_color\": { \"texture\": \"wood\" } } }");
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja && ninja");
    test_write_text(folder, "src/wood.png.data.json", "{}");
    TEST_DONE(folder, "ninja >log; test $? = 1 && grep -q 'exists, but has type data' log");
    TEST_DONE(folder, "! ninja && rm src/wood.png.data.json && ninja && entc build src -o clean && "
                      "diff -r out clean");
    free(folder);
}

static void model_of_a_ninja_file_has_no_file_with_a_line_break_in_its_name(void** state) {
    char* folder = strdup(test_folder("graph/line"));
    UNUSED(state);
    test_write_text(folder, "src/one.gltf", MODEL_WITH_IMAGE("a%0Ab.png"));
    test_image_write(folder, "src/skin.png", 8, 8, 60, true);
    TEST_DONE(folder, "mv src/skin.png 'src/a\nb.png' && entc build src -o out");
    EXPECT(folder, 1, "contains a line break, which cannot be written to a ninja file; rename it",
           "entc build src -o out --emit-ninja build.ninja");
    TEST_DONE(folder, "! test -e build.ninja");
    free(folder);
}

/* A resource needed at runtime must exist, although the blob that needs it contains nothing of
 * it. */
static void ninja_without_resource_needed_at_runtime_fails(void** state) {
    char* folder = project_new("graph/missed", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja && ninja && sleep 0.02 && "
                      "mv src/mud.material.json mud && ! ninja > log 2>&1 && "
                      "grep -q 'there is no material \"mud\"' log && ! test -e out/mud.material");
    TEST_DONE(folder, "sleep 0.02; mv mud src/mud.material.json && ninja && "
                      "entc build src -o clean && diff -r out clean");
    free(folder);
}

/* The same with a cache, from which blobs are copied without reading their sources. */
static void ninja_with_cache_rebuilds_outputs_of_changed_inputs(void** state) {
    char* folder = project_new("graph/cache", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o warm --cache cache && "
                      "entc build src -o out --cache cache --emit-ninja build.ninja && ninja");
    TEST_DONE(folder, "sleep 0.02; sed -i 's/7/8/' src/props/lamp.entity.json");
    ninja_compiles(folder, "through the cache",
                   "levels/yard.level props/gate.entity props/lamp.entity ");
    TEST_DONE(folder, "sleep 0.02; printf '\\000\\000\\000\\077' | "
                      "dd of='src/models/box data.bin' conv=notrunc");
    ninja_compiles(folder, "a model through the cache",
                   "levels/yard.level models/box.entity models/box/box.mesh props/gate.entity ");
    TEST_DONE(folder, "entc build src -o clean && diff -r out clean");
    free(folder);
}

/* Both alternate in one folder: outputs of deleted sources are removed, whichever wrote them. */
static void ninja_and_entc_build_alternating_remove_stale_outputs(void** state) {
    char* folder = project_new("graph/turns", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja && entc build src -o out && "
                      "sleep 0.02 && sed -i s/7/8/ src/props/lamp.entity.json && ninja && "
                      "rm src/levels/yard.level.json src/all.package.json src/props/* && ninja && "
                      "entc build src -o clean && diff -r out clean");
    TEST_DONE(folder, "echo '{}' > src/b.material.json && entc build src -o out && ninja && "
                      "entc build src -o out --check && entc build src -o clean && "
                      "diff -r out clean");
    free(folder);
}

/* Another entc rebuilds everything. */
static void ninja_after_entc_changed_rebuilds_everything(void** state) {
    char* folder = project_new("graph/program", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "cp \"$(command -v entc)\" 'my entc' && './my entc' build src -o out "
                      "--emit-ninja build.ninja && ninja && sleep 0.02 && touch 'my entc'");
    ninja_compiles(folder, "another entc", ALL);
    free(folder);
}

static void ninja_file_of_project_with_errors_is_not_written(void** state) {
    char* folder = project_new("graph/wrong", "src");
    UNUSED(state);
    test_write_text(folder, "src/Bad Name.material.json", "{}");
    TEST_DONE(folder, "entc build src -o out --emit-ninja build.ninja 2> err; test $? = 3 && "
                      "grep -q E0301 err && ! test -e build.ninja");
    TEST_DONE(folder, "entc build src -o out --list-outputs 2> err > list; test $? = 3 && "
                      "grep -q E0301 err && ! test -s list && rm src/Bad*");
    TEST_DONE(folder, "echo '{' > src/models/box.gltf; entc build src -o out --emit-ninja "
                      "build.ninja 2> err; test $? = 3 && grep -q E0101 err && ! test -e "
                      "build.ninja && rm src/models/*");
    TEST_DONE(folder, "entc build src -o out --emit-ninja /dev/null/x 2> err; test $? = 2 && "
                      "grep -q '\"/dev/null/x.inputs\"' err");
    TEST_DONE(folder, "entc build src -o 'a\nb' --emit-ninja x 2> err; test $? = 1 && "
                      "grep -q 'line break' err && ! test -e x");
    free(folder);
}

/* --- the list --- */

static void list_outputs_prints_exactly_the_files_of_a_build(void** state) {
    char* folder = project_new("graph/list", "src");
    UNUSED(state);
    test_write_text(folder, "src/mud-2.material.json", "{}");
    test_write_text(folder, "src/mud/x.material.json", "{}");
    TEST_DONE(folder, "entc build src -o out/ --list-outputs > list && ! test -e out && "
                      "! test -e .out.entc && entc build src -o out && "
                      "find out -type f | LC_ALL=C sort | diff - list");
    TEST_DONE(folder,
              "echo '{}' > src/new.material.json && rm src/mud-2.material.json && "
              "entc build src -o out --list-outputs > list && test -e out/mud-2.material && "
              "entc build src -o out && find out -type f | LC_ALL=C sort | diff - list");
    TEST_DONE(folder, "entc build src -o out --source-map --list-outputs > list && "
                      "entc build src -o out --source-map && "
                      "find out -type f | LC_ALL=C sort | diff - list");
    free(folder);
}

TEST_SUITE(graph) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ninja_with_each_option_writes_bytes_of_entc_build),
        cmocka_unit_test(ninja_run_in_source_folder_writes_bytes_of_entc_build),
        cmocka_unit_test(ninja_after_each_change_rebuilds_only_dependents),
        cmocka_unit_test(batches_of_ninja_write_bytes_of_entc_build),
        cmocka_unit_test(added_file_changes_at_most_two_edges_of_a_graph_with_batches),
        cmocka_unit_test(error_in_a_resource_of_a_batch_leaves_the_others_written),
        cmocka_unit_test(only_the_rule_of_the_graph_lists_folders),
        cmocka_unit_test(ninja_after_declaration_changed_rebuilds_its_users),
        cmocka_unit_test(ninja_after_variant_added_or_removed_rebuilds_its_users),
        cmocka_unit_test(ninja_after_image_of_a_model_changed_lists_its_resources_again),
        cmocka_unit_test(ninja_after_model_of_another_variant_changed_lists_textures_again),
        cmocka_unit_test(ninja_after_a_texture_became_data_fails),
        cmocka_unit_test(model_of_a_ninja_file_has_no_file_with_a_line_break_in_its_name),
        cmocka_unit_test(ninja_without_resource_needed_at_runtime_fails),
        cmocka_unit_test(ninja_with_cache_rebuilds_outputs_of_changed_inputs),
        cmocka_unit_test(ninja_and_entc_build_alternating_remove_stale_outputs),
        cmocka_unit_test(ninja_after_entc_changed_rebuilds_everything),
        cmocka_unit_test(ninja_file_of_project_with_errors_is_not_written),
        cmocka_unit_test(list_outputs_prints_exactly_the_files_of_a_build),
    };
    return TEST_RUN("graph", tests);
}
