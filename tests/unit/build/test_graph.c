/* test_graph.c - `entc build --emit-ninja` under the real ninja, and `--list-outputs`.
 *
 * Invariants: ninja makes what `entc build` makes, byte for byte, with every option; a second run
 * does nothing; a change builds what is made of it and nothing else; files, folders and models that
 * come or go change the graph without anybody asking; what entc build refuses, ninja refuses. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define ROOT "art #1: $x" /* the asset folder, as nobody would call it */

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

/* What ninja compiled, sorted, in a line. */
#define MADE "sed -n 's/^.[0-9]*.[0-9]*. entc \\([^ ]*\\)$/\\1/p' log | sort | tr '\\n' ' '"

static void ninja_makes(const char* folder, const char* what, const char* made) {
    TestRun run = test_command(folder, "ninja > log 2>&1 || { cat log; exit 1; }; " MADE);
    if (run.code != 0 || strcmp(run.out, made) != 0) {
        fail_msg("%s: %d, made \"%s\", wanted \"%s\"", what, run.code, run.out, made);
    }
    test_run_free(&run);
}

/* --- the same bytes --- */

static void ninja_makes_the_same_bytes(void** state) {
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

/* Ninja's own files among the sources; outputs never are. */
static void ninja_runs_in_the_source_folder(void** state) {
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
    const char* script; /* that changes sources */
    const char* made;
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
    {"a source that nobody builds", "echo hello > notes.txt", ""},
    {"nothing again", ":", ""},
};

static void ninja_follows_changes(void** state) {
    char* folder = project_new("graph/changes", ROOT);
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build '" ROOT "' -o out --emit-ninja build.ninja");
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        TEST_DONE(folder, "cd '" ROOT "' && %s", steps[i].script);
        ninja_makes(folder, steps[i].name, steps[i].made);
        TestRun run = test_command(folder, "rm -rf clean && entc build '" ROOT "' -o clean && "
                                           "diff -r out clean");
        if (run.code != 0) fail_msg("%s: %s%s", steps[i].name, run.out, run.err);
        test_run_free(&run);
        ninja_makes(folder, steps[i].name, "");
        TEST_DONE(folder, "sleep 0.02"); /* the clock of a file system is coarse */
    }
    free(folder);
}

/* A component that is declared is a part of what every blob with components is made of. */
static void a_declaration_comes_and_changes(void** state) {
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

/* A name that leads to another file, which is older than everything. */
static void variants_come_and_go(void** state) {
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

/* What is needed at runtime has to exist, though nothing of it is in what needs it. */
static void what_is_needed_is_missed(void** state) {
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

/* The same through a cache, out of which blobs come without their sources being read. */
static void a_cache_hides_no_input(void** state) {
    char* folder = project_new("graph/cache", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "entc build src -o warm --cache cache && "
                      "entc build src -o out --cache cache --emit-ninja build.ninja && ninja");
    TEST_DONE(folder, "sleep 0.02; sed -i 's/7/8/' src/props/lamp.entity.json");
    ninja_makes(folder, "through the cache",
                "levels/yard.level props/gate.entity props/lamp.entity ");
    TEST_DONE(folder, "sleep 0.02; printf '\\000\\000\\000\\077' | "
                      "dd of='src/models/box data.bin' conv=notrunc");
    ninja_makes(folder, "a model through the cache",
                "levels/yard.level models/box.entity models/box/box.mesh props/gate.entity ");
    TEST_DONE(folder, "entc build src -o clean && diff -r out clean");
    free(folder);
}

/* Both in turn over one folder: outputs of deleted sources go, whoever wrote them. */
static void builds_and_ninja_take_turns(void** state) {
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

/* Another entc makes everything anew. */
static void another_entc_builds_all(void** state) {
    char* folder = project_new("graph/program", "src");
    UNUSED(state);
    TEST_NEEDS("ninja");
    TEST_DONE(folder, "cp \"$(command -v entc)\" 'my entc' && './my entc' build src -o out "
                      "--emit-ninja build.ninja && ninja && sleep 0.02 && touch 'my entc'");
    ninja_makes(folder, "another entc", ALL);
    free(folder);
}

static void nothing_is_written_for_what_is_wrong(void** state) {
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
                      "grep -q '\"/dev/null/x\"' err");
    TEST_DONE(folder, "entc build src -o 'a\nb' --emit-ninja x 2> err; test $? = 1 && "
                      "grep -q 'line break' err && ! test -e x");
    free(folder);
}

/* --- the list --- */

static void the_list_is_what_a_build_writes(void** state) {
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
    free(folder);
}

TEST_SUITE(graph) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ninja_makes_the_same_bytes),
        cmocka_unit_test(ninja_runs_in_the_source_folder),
        cmocka_unit_test(ninja_follows_changes),
        cmocka_unit_test(a_declaration_comes_and_changes),
        cmocka_unit_test(variants_come_and_go),
        cmocka_unit_test(what_is_needed_is_missed),
        cmocka_unit_test(a_cache_hides_no_input),
        cmocka_unit_test(builds_and_ninja_take_turns),
        cmocka_unit_test(another_entc_builds_all),
        cmocka_unit_test(nothing_is_written_for_what_is_wrong),
        cmocka_unit_test(the_list_is_what_a_build_writes),
    };
    return TEST_RUN("graph", tests);
}
