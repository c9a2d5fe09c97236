/* test_schema.c - the schemas for editors, and the starting project of entc init.
 *
 * Invariants: a schema refuses nothing that entc accepts, and refuses everything that entc refuses
 * because of a single value; it is the same on every run and not rewritten when nothing changed; a
 * starting project builds and spawns unchanged, and overwrites nothing. */
#include "exit_codes.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "file.h"

/* The python3 of Debian, whatever python3 is first in PATH. */
#define ORACLE "/usr/bin/python3 -W ignore tests/oracles/schema_oracle.py"

static void expect_run(const char* folder, int code, const char* text, const char* command) {
    TestRun run = test_command(folder, "%s", command);
    if (run.code != code || (!strstr(run.err, text) && !strstr(run.out, text))) {
        print_error("%s: exit code %d, expected %d and \"%s\": %s%s\n", command, run.code, code,
                    text, run.out, run.err);
        fail();
    }
    test_run_free(&run);
}

/* --- schemas --- */

static void agrees(const char* part) {
    char name[100];
    snprintf(name, sizeof name, "schema_%s", part);
    char*     folder = strdup(test_folder(name));
    char      command[3000];
    TestRun   python = test_command(".", "/usr/bin/python3 -W ignore -c 'import jsonschema'");
    const int python_code = python.code;
    test_run_free(&python);
    if (python_code != 0) {
        free(folder);
        TEST_SKIP("python3-jsonschema is not there");
    }
    snprintf(command, sizeof command,
             "entc schema assets -o '%s/schema' && %s %s '%s/schema' %s '%s/try'", folder, ORACLE,
             part, folder, TEST_BUILD "/entc", folder);
    expect_run(".", 0, "", command);
    free(folder);
}

static void schemas_given_valid_sources_accept_them(void** state) {
    UNUSED(state);
    agrees("valid");
}
static void schemas_given_sources_of_error_cases_refuse_them(void** state) {
    UNUSED(state);
    agrees("cases");
}
static void schemas_and_entc_agree_on_values_of_every_field(void** state) {
    UNUSED(state);
    agrees("fields");
}
static void schemas_and_entc_agree_on_each_bound_and_the_double_beyond_it(void** state) {
    UNUSED(state);
    agrees("bounds");
}
static void schemas_and_entc_agree_on_mutated_sources(void** state) {
    UNUSED(state);
    agrees("mutants");
}
static void schemas_and_entc_agree_on_component_declarations(void** state) {
    UNUSED(state);
    agrees("declared");
}

/* The settings of textures are an object below any name, in the settings of a model. */
static void schema_of_model_settings_accepts_what_entc_accepts(void** state) {
    static const char script[] =
        "import json, jsonschema\n"
        "schema = json.load(open(\"schema/model.schema.json\"))\n"
        "for line in open(\"documents\"):\n"
        "    valid, text = line.split(\" \", 1)\n"
        "    found = jsonschema.Draft7Validator(schema).is_valid(json.loads(text))\n"
        "    assert found == (valid == \"valid\"), line\n";
    static const char documents[] =
        "valid {}\n"
        "valid {\"lods\": 2, \"textures\": {}}\n"
        "valid {\"textures\": {\"*\": {\"format\": \"bc1\", \"largest\": 64, \"$comment\": 1}, "
        "\"$comment\": \"x\", \"wide leaf\": {\"usage\": \"normal\", \"magnify\": "
        "\"nearest\"}}}\n"
        "invalid {\"textures\": []}\n"
        "invalid {\"textures\": {\"oak\": 5}}\n"
        "invalid {\"textures\": {\"oak\": {\"format\": \"bc7\"}}}\n"
        "invalid {\"textures\": {\"oak\": {\"image\": \"a.png\"}}}\n"
        "invalid {\"textures\": {\"oak\": {\"largest\": -1}}}\n"
        "invalid {\"texture\": {}}\n";
    char* folder = strdup(test_folder("schema_model"));
    UNUSED(state);
    test_write_text(folder, "check.py", script);
    test_write_text(folder, "documents", documents);
    TestRun   python = test_command(".", "/usr/bin/python3 -W ignore -c 'import jsonschema'");
    const int python_code = python.code;
    test_run_free(&python);
    if (python_code == 0)
        expect_run(folder, 0, "", "entc schema -o schema && /usr/bin/python3 -W ignore check.py");
    free(folder);
    if (python_code != 0) TEST_SKIP("python3-jsonschema is not there");
}

static void schema_file_is_rewritten_only_when_it_changed(void** state) {
    char* folder = strdup(test_folder("schema_write"));
    UNUSED(state);
    expect_run(folder, 0, "wrote out/entity.schema.json", "entc schema -o out -v");
    expect_run(folder, 0, "", "touch -d 2001-01-01 out/*.json && cp -a out first");
    expect_run(folder, 0, "",
               "entc schema -o out --check && entc schema -o out && diff -r out first");
    expect_run(folder, 0, "", "test ! out/level.schema.json -nt first/level.schema.json");
    expect_run(folder, 0, "",
               "test -z \"$(tail -c 1 out/level.schema.json)\" && ! grep -l '\r' out/*");
    test_write_text(folder, "out/level.schema.json", "{}");
    expect_run(folder, 3, "would write out/level.schema.json", "entc schema -o out --check");
    expect_run(folder, 0, "", "entc schema -o out && diff -r out first");
    expect_run(folder, 1, "-o is required", "entc schema");
    expect_run(folder, 2, "nosuch", "entc schema nosuch -o out");
    expect_run(folder, 2, "/dev/null/out", "entc schema -o /dev/null/out");
    free(folder);
}

/* --- a starting project --- */

static void starting_project_unchanged_builds_and_spawns(void** state) {
    char* folder = strdup(test_folder("init"));
    UNUSED(state);
    expect_run(folder, 0, "created a project in \"new/game\"", "entc init new/game");
    TestRun build = test_command(folder, "cd new/game && entc build assets -o out");
    assert_int_equal(build.code, 0);
    assert_string_equal(build.out, "");
    assert_string_equal(build.err, "");
    test_run_free(&build);
    expect_run(folder, 0, "49 entities spawned",
               "cd new/game && entrun out --level levels/start --stats");
    expect_run(folder, 0, "", "cd new/game && entc schema assets -o .entc/schema --check");
    free(folder);
}

/* A picture of many surfaces has many times the bytes of one that shows only the sky. */
static void starting_project_drawn_without_options_shows_a_scene(void** state) {
    char* folder = strdup(test_folder("init_drawn"));
    UNUSED(state);
    /* entrun unloads the driver before leaks are searched for (test_frames.c). */
    if (SANITIZED) setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    test_write_text(
        folder, "sky/sky.level.json",
        "{ \"entities\": [ { \"components\": { \"transform\": {}, \"camera\": {}, \"mesh\": { "
        "\"resource\": \"shapes/cone\", \"visible\": false } } } ] }");
    TEST_DONE(folder, "entc init game -q && entc build game/assets -o out && "
                      "cp game/assets/models/shapes.gltf sky && entc build sky -o out_sky");
    TestRun run =
        test_command(folder, "entrun out --level levels/start --size 160x90 --png a.png && "
                             "entrun out_sky --level sky --size 160x90 --png b.png");
    const char* required = getenv("REQUIRE_GPU");
    const bool  lacks = run.code == EXIT_DEVICE && (!required || strcmp(required, "1") != 0);
    if (!lacks && run.code != 0) fail_msg("%d: %s%s", run.code, run.out, run.err);
    test_run_free(&run);
    if (SANITIZED) unsetenv("LSAN_OPTIONS");
    if (!lacks) TEST_DONE(folder, "test $(wc -c <a.png) -gt $((3 * $(wc -c <b.png)))");
    free(folder);
    if (lacks) TEST_SKIP("there is no Vulkan device");
}

/* Every source names its schema, and the settings have a row for every schema. */
static void starting_project_refers_editors_to_existing_schemas(void** state) {
    char* folder = strdup(test_folder("init_editor"));
    UNUSED(state);
    expect_run(folder, 0, "", "test -z \"$(entc init . -q)\"");
    expect_run(
        folder, 0, "",
        "for file in $(find assets -name '*.json'); do "
        "schema=$(sed -n 's/^  \"$schema\": \"\\(.*\\)\",$/\\1/p' $file); "
        "test -f \"$(dirname $file)/$schema\" || { echo $file; exit 1; }; "
        "case $file in *[./]$(basename $schema .schema.json).json) ;; *) echo $file; exit 1 ;; "
        "esac; done");
    expect_run(folder, 0, "",
               "for schema in .entc/schema/*; do type=$(basename $schema .schema.json); "
               "grep -q \"\\[\\\"\\(\\*.\\)\\?$type.json\\\"\\]\" .vscode/settings.json && "
               "grep -q \"\\\"./$schema\\\"\" .vscode/settings.json || { echo $schema; exit 1; }; "
               "done");
    free(folder);
}

/* The commands of the workflow succeed. */
static void starting_project_passes_its_own_workflow(void** state) {
    char* folder = strdup(test_folder("init_workflow"));
    UNUSED(state);
    expect_run(folder, 0, "", "entc init . -q");
    expect_run(folder, 0, "3",
               "sed -n 's/^ *run: \\(entc .*\\)/\\1/p' .github/workflows/assets.yml > run.sh && "
               "sh -e run.sh && wc -l < run.sh");
    expect_run(folder, 0, "24 resources, 0 compiled, 24 from the cache",
               "rm -r out .out.entc && sed -i '/^entc build/s/$/ -v/' run.sh && sh -e run.sh");
    test_write_text(folder, "assets/levels/start.level.json", "{ \"entities\": 1 }");
    expect_run(folder, 3, "::error file=assets/levels/start.level.json,line=1", "sh -e run.sh");
    free(folder);
}

static void starting_project_in_non_empty_folder_is_refused(void** state) {
    char* folder = strdup(test_folder("init_again"));
    UNUSED(state);
    expect_run(folder, 0, "", "mkdir -p game/.git && entc init game && cp -a game first");
    expect_run(folder, 2,
               "is not empty: it contains \".entc\", \".gitattributes\", \".github\" and 4 more",
               "entc init game");
    expect_run(folder, 0, "", "diff -r game first");
    test_write_text(folder, "other/note.txt", "mine");
    expect_run(folder, 2, "it contains \"note.txt\"; specify a new or empty folder",
               "entc init other");
    expect_run(folder, 2, "is not a folder", "entc init other/note.txt");
    expect_run(folder, 2, "cannot write \"/dev/null/x", "entc init /dev/null/x");
    expect_run(folder, 0, "other/note.txt", "find other");
    expect_run(folder, 1, "usage: entc init DIR", "entc init");
    free(folder);
}

TEST_SUITE(schema) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_given_valid_sources_accept_them),
        cmocka_unit_test(schemas_given_sources_of_error_cases_refuse_them),
        cmocka_unit_test(schemas_and_entc_agree_on_values_of_every_field),
        cmocka_unit_test(schemas_and_entc_agree_on_each_bound_and_the_double_beyond_it),
        cmocka_unit_test(schemas_and_entc_agree_on_mutated_sources),
        cmocka_unit_test(schemas_and_entc_agree_on_component_declarations),
        cmocka_unit_test(schema_of_model_settings_accepts_what_entc_accepts),
        cmocka_unit_test(schema_file_is_rewritten_only_when_it_changed),
        cmocka_unit_test(starting_project_unchanged_builds_and_spawns),
        cmocka_unit_test(starting_project_drawn_without_options_shows_a_scene),
        cmocka_unit_test(starting_project_refers_editors_to_existing_schemas),
        cmocka_unit_test(starting_project_passes_its_own_workflow),
        cmocka_unit_test(starting_project_in_non_empty_folder_is_refused)};
    return TEST_RUN("schema", tests);
}
