/* test_explain.c - `entc why`, reports, budgets, and variants: what a build reports about
 * itself. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* A level with a prefab of a prefab, a mesh of a model, a material. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    assert_non_null(folder);
    test_write_text(folder, "src/levels/yard.level.json",
                    "{ \"entities\": [\n"
                    "  { \"name\": \"a\", \"prefab\": \"props/pair\" },\n"
                    "  { \"name\": \"b\", \"components\": {\n"
                    "      \"mesh\": { \"resource\": \"tri/tri\" } } } ] }\n");
    test_write_text(folder, "src/props/pair.entity.json",
                    "{ \"children\": [ { \"name\": \"left\", \"prefab\": \"props/lamp\" },\n"
                    "                { \"name\": \"right\",\n"
                    "                  \"prefab\": \"props/lamp\" } ] }\n");
    test_write_text(folder, "src/props/lamp.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 3 } } }\n");
    test_write_text(folder, "src/paint.material.json", "{}\n");
    EXPECT(folder, 0, "", "cp ../../../../assets/models/ground.gltf src/tri.gltf");
    EXPECT(folder, 0, "",
           "sed -i 's,tri/tri,tri/ground,' src/levels/yard.level.json && entc build src -o out");
    return folder;
}

/* --- why --- */

static void why_after_edit_names_input_and_dependency_chain(void** state) {
    char* folder = project("explain_way");
    UNUSED(state);
    EXPECT(folder, 0, "levels/yard.level is up to date.", "entc why src levels/yard.level -o out");
    EXPECT(folder, 0, "everything is up to date", "entc why src -o out");
    EXPECT(folder, 0, "", "sed -i 's/3/44/' src/props/lamp.entity.json");
    TestRun run = test_command(folder, "entc why src levels/yard.level -o out");
    assert_int_equal(run.code, 0);
    char* hash = strstr(run.out, "hash ");
    assert_non_null(hash);
    assert_non_null(strstr(run.out, "levels/yard.level would be compiled:\n"
                                    "    src/props/lamp.entity.json has changed: 48 bytes, hash "));
    assert_non_null(strstr(run.out, " -> 49 bytes, hash "));
    assert_non_null(
        strstr(run.out, "\n        src/props/pair.entity.json:1:45 refers to props/lamp.entity\n   "
                        "     src/levels/yard.level.json:2:28 refers to props/pair.entity\n"));
    test_run_free(&run);
    /* `why` changes nothing; a build does, and then the reason is recorded. */
    EXPECT(folder, 0, "would be compiled", "entc why src levels/yard.level -o out");
    EXPECT(folder, 0, "3 compiled", "entc build src -o out -v");
    run = test_command(folder, "entc why src levels/yard.level -o out");
    assert_non_null(strstr(run.out, "levels/yard.level is up to date.\n"
                                    "levels/yard.level was last compiled because:\n"
                                    "    src/props/lamp.entity.json has changed: 48 bytes, "));
    test_run_free(&run);
    EXPECT(folder, 0, "0 compiled", "entc build src -o out -v");
    free(folder);
}

static void why_after_each_kind_of_change_names_the_reason(void** state) {
    static const struct {
        const char* change;
        const char* options;
        const char* what;
        const char* reported;
        int         code; /* 3: an error is found too */
    } cases[] = {
        {"true", "--target big", "paint.material", "--target has changed: little -> big", 0},
        {"true", "--strip", "paint.material", "--strip has changed: no -> yes", 0},
        {"true", "--lang fr", "paint.material", "--lang has changed: none -> fr", 0},
        {"rm out/paint.material", "", "paint.material", "out/paint.material no longer exists", 0},
        {"echo x >>out/paint.material", "", "paint.material", "was changed by another program", 0},
        {"echo '{}' >src/new.material.json", "", "new.material",
         "the resource was not part of the previous build", 0},
        {"rm src/tri.gltf", "", "levels/yard.level",
         "tri/ground.mesh, which is needed at runtime, no longer exists\n"
         "        src/levels/yard.level.json:4:29 refers to it",
         3},
        {"rm src/props/lamp.entity.json", "", "props/pair.entity",
         "src/props/lamp.entity.json no longer exists\n"
         "        src/props/pair.entity.json:1:45 refers to props/lamp.entity",
         3},
        {"cp src/tri.gltf src/props/lamp.gltf && rm src/props/lamp.entity.json", "",
         "props/pair.entity",
         "src/props/lamp.entity.json is no longer the source of props/lamp.entity: the source is "
         "now src/props/lamp.gltf",
         0},
        {"rm -r .out.entc", "", "paint.material", "there was no build database of an earlier build",
         0},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        char* folder = project("explain_reason");
        char  command[512];
        EXPECT(folder, 0, "", "%s", cases[i].change);
        snprintf(command, sizeof command, "entc why src %s -o out %s", cases[i].what,
                 cases[i].options);
        EXPECT(folder, cases[i].code, cases[i].reported, "%s", command);
        free(folder);
    }
}

static void change_of_resource_needed_at_runtime_keeps_level_up_to_date(void** state) {
    char* folder = project("explain_needed");
    UNUSED(state);
    EXPECT(folder, 0, "", "sed -i 's/Mud/Clay/; s/^/ /' src/tri.gltf");
    EXPECT(folder, 0, "is up to date", "entc why src levels/yard.level -o out");
    EXPECT(folder, 0, "3 compiled, 0 from the cache, 0 written", "entc build src -o out -v");
    free(folder);
}

static void why_of_unknown_resource_or_without_output_is_refused(void** state) {
    char* folder = project("explain_nothing");
    UNUSED(state);
    EXPECT(folder, 2,
           "there is no \"levels/yrd.level\" in \"src\"; did you mean \"levels/yard.level\"?",
           "entc why src levels/yrd.level -o out");
    EXPECT(folder, 1, "-o is required", "entc why src levels/yard.level");
    free(folder);
}

/* --- report and budget --- */

static void report_of_build_has_sums_equal_to_file_sizes(void** state) {
    char* folder = project("explain_report");
    UNUSED(state);
    test_write_text(
        folder, "check.py",
        "import json, os, sys\n"
        "r = json.load(open(sys.argv[1]))\n"
        "files = {}\n"
        "for root, _, names in os.walk('out'):\n"
        "    for n in names:\n"
        "        if n == '.entc.index': continue\n"
        "        p = os.path.join(root, n)\n"
        "        files[os.path.relpath(p, 'out')] = os.path.getsize(p)\n"
        "assert {k: v['bytes'] for k, v in r['resources'].items()} == files\n"
        "assert r['total']['bytes'] == sum(files.values())\n"
        "assert sum(t['bytes'] for t in r['types'].values()) == sum(files.values())\n"
        "level = r['resources']['levels/yard.level']\n"
        "assert level['component_bytes'].keys() == {'light', 'mesh'}, level\n"
        "assert r['components']['light']['instances'] == 2 + 2 + 1\n"
        "assert r['components']['light']['bytes'] == sum(\n"
        "    x.get('component_bytes', {}).get('light', 0) for x in r['resources'].values())\n"
        "assert level['prefab_bytes'].keys() == {'props/lamp.entity', 'props/pair.entity'}\n"
        "assert r['prefabs']['props/lamp.entity']['resources'] == 2\n"
        "own = level['component_bytes']['light'] - level['prefab_bytes']['props/lamp.entity']\n"
        "assert 0 <= own < 16, own\n"
        "print(level['from'])\n");
    EXPECT(folder, 0, "unchanged", "entc build src -o out --report a && python3 check.py a");
    EXPECT(folder, 0, "compiled", "entc build src -o out --force --report b && python3 check.py b");
    EXPECT(
        folder, 0, "compiled",
        "rm -r out .out.entc && entc build src -o out --cache c --report b && python3 check.py b");
    EXPECT(
        folder, 0, "cache",
        "rm -r out .out.entc && entc build src -o out --cache c --report b && python3 check.py b");
    EXPECT(folder, 0, "unchanged",
           "entc build src -o out --report b && python3 check.py b && "
           "grep -v memory_bytes a >d && grep -v memory_bytes b | cmp - d");
    EXPECT(folder, 0, "",
           "entc build src -o big --target big --report b && grep -v from b >c.txt; "
           "grep -c '\"light\"' a >n; grep -c '\"light\"' b | cmp - n");
    free(folder);
}

static void build_above_its_budget_fails_and_names_each_excess(void** state) {
    char* folder = project("explain_budget");
    UNUSED(state);
    test_write_text(folder, "valid.json",
                    "{ \"$comment\": \"bytes\", \"total\": 1e9, \"types\": { \"level\": 100000 },\n"
                    "  \"components\": { \"light\": 10000, \"decal\": 0 },\n"
                    "  \"prefabs\": { \"props/lamp.entity\": 5000 },\n"
                    "  \"resources\": { \"levels/yard.level\": 9000 } }\n");
    EXPECT(folder, 0, "", "entc build src -o out --budget valid.json");
    test_write_text(folder, "small.json",
                    "{ \"total\": 100,\n"
                    "  \"components\": { \"light\": 1 },\n"
                    "  \"resources\": { \"paint.material\": 208, \"levels/yard.level\": 160 } }\n");
    EXPECT(folder, 0, "", "sed -i 's/3/5/' src/props/lamp.entity.json && cp -r out copy");
    TestRun run = test_command(folder, "entc build src -o out --budget small.json --report r");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "small.json:1:12: error: the size of all outputs is "));
    assert_non_null(strstr(
        run.err,
        "entc: note: of the 3 exceeded budgets, this one is exceeded by the largest amount"));
    assert_non_null(strstr(run.err, "small.json:2:28: error: the size of the component light is "));
    assert_non_null(
        strstr(run.err, "note: the largest contribution is that of levels/yard.level: "));
    assert_non_null(strstr(run.err, "small.json:3:62: error: the size of levels/yard.level is "));
    assert_null(strstr(run.err, "the size of paint.material"));
    assert_non_null(strstr(run.err, "entc: 3 errors"));
    test_run_free(&run);
    EXPECT(folder, 0, "", "diff -r out copy && grep -q props/lamp.entity r");
    EXPECT(folder, 0, "3 written", "entc build src -o out -v --budget valid.json");
    test_write_text(
        folder, "wrong.json",
        "{ \"totel\": 1, \"types\": { \"mesch\": 1 }, \"components\": { \"lihgt\": 2 },\n"
        "  \"prefabs\": { \"props/lamb.entity\": 1 }, \"resources\": 7,\n"
        "  \"total\": \"much\" }\n");
    run = test_command(folder, "entc build src -o out --budget wrong.json");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "unknown key \"totel\" in a budget; did you mean \"total\"?"));
    assert_non_null(strstr(run.err, "unknown resource type \"mesch\"; did you mean \"mesh\"?"));
    assert_non_null(strstr(run.err, "unknown component type \"lihgt\"; did you mean \"light\"?"));
    assert_non_null(
        strstr(run.err, "no resource \"props/lamb.entity\"; did you mean \"props/lamp"));
    assert_non_null(
        strstr(run.err, "resources must be an object of names and sizes in bytes, not a number"));
    assert_non_null(strstr(run.err, "a budget must be a number of bytes, not a string"));
    test_run_free(&run);
    EXPECT(folder, 2, "cannot read the budget \"none.json\"",
           "entc build src -o out --budget none.json");
    EXPECT(folder, 3, "E0101", "echo '{' >half.json; entc build src -o out --budget half.json");
    free(folder);
}

/* --- variants --- */

static void build_with_language_or_platform_uses_matching_variant(void** state) {
    char* folder = project("explain_variant");
    UNUSED(state);
    test_write_text(folder, "src/props/lamp.fr.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 5 } } }\n");
    test_write_text(folder, "src/props/lamp.mobile.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n");
    EXPECT(folder, 0, "0 compiled, 0 from the cache, 0 written, 7 unchanged",
           "entc build src -o out -v");
    EXPECT(folder, 0, "range_m: 3", "entc dump out/levels/yard.level");
    /* Files of other variants do not prevent a build from detecting that nothing changed: then it
     * reads no source. */
    EXPECT(folder, 0, "0 compiled",
           "sleep 0.02; entc build src -o out; if command -v strace >trace; then "
           "strace -f -o trace -e trace=openat entc build src -o out && "
           "! grep -q 'json\\|gltf' trace; fi; entc build src -o out -v");
    EXPECT(folder, 0, "range_m: 5",
           "entc build src -o fr --lang fr && entc dump fr/levels/yard.level");
    EXPECT(folder, 0, "range_m: 7",
           "entc build src -o mo --platform mobile && entc dump mo/levels/yard.level");
    EXPECT(folder, 0, "range_m: 3",
           "entc build src -o de --lang de --platform pc && entc dump de/levels/yard.level");
    EXPECT(folder, 3,
           "\"props/lamp.entity\" has two variants that match this build equally well, "
           "\"props/lamp.mobile.entity.json\" and \"props/lamp.fr.entity.json\"; add a "
           "variant that has both tags",
           "entc build src -o both --lang fr --platform mobile");
    test_write_text(folder, "src/props/lamp.mobile.fr.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 9 } } }\n");
    EXPECT(folder, 0, "range_m: 9",
           "entc build src -o both --lang fr --platform mobile && "
           "entc dump both/levels/yard.level");
    /* A variant that is added or removed is an input that was looked up. */
    EXPECT(folder, 0, "0 compiled", "entc build src -o de --lang de --platform pc -v");
    EXPECT(folder, 0, "", "cp src/props/lamp.fr.entity.json src/props/lamp.de.entity.json");
    EXPECT(folder, 0,
           "src/props/lamp.entity.json is no longer the source of props/lamp.entity: the source is "
           "now src/props/lamp.de.entity.json",
           "entc why src levels/yard.level -o de --lang de --platform pc");
    EXPECT(folder, 0, "3 compiled", "entc build src -o de --lang de --platform pc -v");
    EXPECT(folder, 0, "range_m: 5", "entc dump de/levels/yard.level");
    EXPECT(folder, 0, "range_m: 3",
           "rm src/props/lamp.de.entity.json; entc build src -o de --lang de --platform pc && "
           "entc dump de/levels/yard.level");
    /* Packages contain the selected variants. */
    test_write_text(folder, "src/all.package.json", "{ \"roots\": [ \"levels/yard.level\" ] }\n");
    EXPECT(folder, 0, "range_m: 5",
           "entc build src -o fr --lang fr && entc pack fr -o fr.pak && "
           "entc unpack fr.pak -o un && entc dump un/levels/yard.level");
    free(folder);
}

TEST_SUITE(explain) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(why_after_edit_names_input_and_dependency_chain),
        cmocka_unit_test(why_after_each_kind_of_change_names_the_reason),
        cmocka_unit_test(change_of_resource_needed_at_runtime_keeps_level_up_to_date),
        cmocka_unit_test(why_of_unknown_resource_or_without_output_is_refused),
        cmocka_unit_test(report_of_build_has_sums_equal_to_file_sizes),
        cmocka_unit_test(build_above_its_budget_fails_and_names_each_excess),
        cmocka_unit_test(build_with_language_or_platform_uses_matching_variant),
    };
    return TEST_RUN("explain", tests);
}
