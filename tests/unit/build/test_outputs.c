/* test_outputs.c - which files of an output folder belong to entc, what --check and why state about them, and the
 * order of the lines that a build prints. */
#include "test.h"

#include "test_user.h"

static const char level[] = "{ \"entities\": [ { \"name\": \"a\" } ] }";

static const char* project(const char* name) {
    const char* folder = test_folder(name);
    test_write_text(folder, "src/a.level.json", level);
    test_write_text(folder, "src/b.level.json", level);
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q");
    return folder;
}

static void damaged_output_of_a_removed_source_is_removed(void** state) {
    const char* folder = project("outputs_damaged");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "echo damaged >out/b.level && echo x >out/b.level.map && rm src/b.level.json");
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q && ls out | tr '\n' ' ' >list");
    EXPECT(folder, 0, "a.level a.level.map", "cat list");
}

static void foreign_file_at_the_path_of_an_output_is_not_overwritten(void** state) {
    const char* folder = project("outputs_foreign");
    UNUSED(state);
    EXPECT(folder, 0, "", "echo mine >out/c.level && cp src/a.level.json src/c.level.json");
    EXPECT(folder, 2, "\"out/c.level\" was not written by entc",
           "entc build src -o out --source-map");
    EXPECT(folder, 2, "\"out/c.level\" was not written by entc",
           "entc build src -o out --source-map --check");
    EXPECT(folder, 0, "mine", "cat out/c.level");
    EXPECT(folder, 0, "", "rm out/c.level && echo mine >out/c.level.map");
    EXPECT(folder, 2, "\"out/c.level.map\" was not written", "entc build src -o out --source-map");
    EXPECT(folder, 0, "mine", "cat out/c.level.map && test ! -e out/c.level");
    EXPECT(folder, 0, "", "entc build src -o out -q"); /* which writes no maps */
    EXPECT(folder, 0, "mine", "cat out/c.level.map");
}

/* Without a record, the header decides: a blob of the resource is replaced, anything else is not. */
static void outputs_without_a_build_database_are_known_by_their_headers(void** state) {
    const char* folder = project("outputs_headers");
    UNUSED(state);
    EXPECT(folder, 0, "", "rm -r .out.entc && truncate -s -16 out/a.level");
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q && entc verify out -q");
    EXPECT(folder, 0, "", "rm -r .out.entc && truncate -s 16 out/a.level");
    EXPECT(folder, 2, "was not written by entc", "entc build src -o out --source-map");
    EXPECT(folder, 0, "",
           "entc build src -o new -q && cp new/a.level out/a.level && "
           "printf X | dd of=out/a.level conv=notrunc 2>/dev/null");
    EXPECT(folder, 2, "\"out/a.level\" was not written", "entc build src -o out --source-map");
}

/* The same for source maps, whose first lines name the resource. */
static void maps_without_a_build_database_are_known_by_the_resource_they_name(void** state) {
    const char* folder = project("outputs_maps");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "rm -r .out.entc src/b.level.json && cp out/b.level.map out/c.level.map && "
           "cp out/b.level out/c.level && echo x >>out/a.level.map");
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q && ls out | tr '\n' ' ' >list");
    EXPECT(folder, 0, "a.level a.level.map c.level c.level.map ", "cat list");
    EXPECT(folder, 0, "",
           "entc build src -o out -q && echo mine >out/a.level.map"); /* recorded without maps */
    EXPECT(folder, 2, "does not contain a.level.map; nothing",
           "entc build src -o out --source-map");
    EXPECT(folder, 0, "mine", "cat out/a.level.map");
    EXPECT(folder, 0, "", "rm -r .out.entc && echo mine >out/a.level");
    EXPECT(folder, 2, "does not contain a.level; nothing", "entc build src -o out");
}

/* A build database can be removed at any time, so that the index of an earlier build is never foreign. */
static void index_is_replaced_without_a_build_database(void** state) {
    static const char* const edits[] = {
        "cp src/a.level.json src/c.level.json", /* it is that of the earlier build */
        "echo damaged >out/.entc.index",
        ": >out/.entc.index",
    };
    const char* folder = project("outputs_index");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(edits); i++) {
        EXPECT(folder, 0, "", "rm -r .out.entc && %s", edits[i]);
        EXPECT(folder, 3, "would write out/", "entc build src -o out --source-map --check");
        EXPECT(folder, 0, "", "entc build src -o out --source-map -q && entc verify out -q");
        EXPECT(folder, 0, "",
               "rm -rf new && entc build src -o new --source-map -q && "
               "cmp out/.entc.index new/.entc.index");
    }
}

/* Only regular files can be outputs. */
static void files_that_are_not_regular_are_ignored_at_paths_that_no_output_has(void** state) {
    const char* folder = project("outputs_pipe");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "mkfifo out/y.level out/y.level.map && ln -s nowhere out/z.level && mkdir out/x.level");
    EXPECT(folder, 0, "", "$BOUNDED entc build src -o out --source-map -q");
    EXPECT(folder, 0, "",
           "test -p out/y.level && test -p out/y.level.map && test -L out/z.level && "
           "test -d out/x.level && entc build src -o out --source-map --check");
}

static void output_that_cannot_be_read_or_removed_is_reported(void** state) {
    char*       folder = strdup(project("outputs_denied"));
    const char* reason = NULL;
    const char* user = test_other_user(folder, &reason);
    UNUSED(state);
    if (!user) {
        free(folder);
        TEST_SKIP(reason);
    }
    EXPECT(folder, 0, "",
           "mkdir -m 777 home && cp -r src home && cp src/a.level.json home/src/c.level.json && "
           "chmod -R a+rwX home && %s entc build home/src -o home/out -q && "
           "echo mine >home/out/notes && chmod 000 home/out/notes",
           user);
    EXPECT(folder, 0, "",
           "cp out/b.level home/out/d.level && cp src/a.level.json home/src/d.level.json && "
           "chmod 000 home/out/d.level");
    EXPECT(folder, 2, "cannot read \"home/out/d.level\": Permission denied",
           "%s entc build home/src -o home/out", user);
    /* The first failure ends the build. */
    EXPECT(folder, 0, "", "rm -f home/out/d.level home/src/[bcd].level.json && chmod 555 home/out");
    EXPECT(folder, 2, "Permission denied",
           "%s entc build home/src -o home/out 2>printed; "
           "code=$?; cat printed; test $(grep -c 'cannot remove \"home/out/' printed) = 1 && exit "
           "$code",
           user);
    EXPECT(folder, 0, "2 removed", "chmod 777 home/out && %s entc build home/src -o home/out -v",
           user);
    free(folder);
}

static void removed_outputs_are_printed_as_the_options_require(void** state) {
    const char* folder = project("outputs_printed");
    UNUSED(state);
    EXPECT(folder, 0, "", "rm src/b.level.json");
    EXPECT(folder, 0, "would remove out/b.level\n", "entc build src -o out --source-map --dry-run");
    EXPECT(folder, 3, "would remove out/b.level\n", "entc build src -o out --source-map --check");
    EXPECT(folder, 3, "", "entc build src -o out --source-map --check -q >printed 2>&1");
    EXPECT(folder, 0, "",
           "test ! -s printed && test -e out/b.level && mkdir kept && cp -r out .out.entc kept");
    EXPECT(folder, 0, "",
           "entc build src -o out --source-map >printed 2>&1 && "
           "test ! -e out/b.level && ! grep 'removed out' printed");
    EXPECT(folder, 0, "removed out/b.level\n",
           "rm -r out .out.entc && cp -r kept/out kept/.out.entc . && "
           "entc build src -o out --source-map -v");
}

static void output_of_a_source_with_errors_remains_an_output(void** state) {
    const char* folder = project("outputs_failed");
    UNUSED(state);
    EXPECT(folder, 3, "", "echo '{' >src/b.level.json; entc build src -o out --source-map -k -q");
    EXPECT(folder, 0, "", "echo damaged >out/b.level; cp src/a.level.json src/b.level.json");
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q && entc verify out -q");
}

/* A resource that has had errors since it is recorded has no output of its own. */
static void foreign_file_at_the_path_of_a_source_with_errors_stays_foreign(void** state) {
    const char* folder = project("outputs_failed_foreign");
    UNUSED(state);
    EXPECT(folder, 0, "", "rm -r .out.entc && echo mine >out/b.level && rm out/b.level.map");
    EXPECT(folder, 3, "",
           "echo '{' >src/b.level.json; cp src/a.level.json src/c.level.json; "
           "entc build src -o out -k -q");
    EXPECT(folder, 0, "mine",
           "cat out/b.level && test -e out/c.level"); /* the others are written */
    EXPECT(folder, 2, "\"out/b.level\" was not written by entc",
           "cp src/a.level.json src/b.level.json; entc build src -o out -k");
    EXPECT(folder, 0, "mine", "cat out/b.level");
}

/* What a model contains is not known while it cannot be read. */
static void outputs_of_a_model_that_cannot_be_read_remain_outputs(void** state) {
    const char* folder = project("outputs_unread");
    UNUSED(state);
    test_write_box(folder, "src");
    EXPECT(folder, 0, "", "entc build src -o out --source-map -q && ls out/models/box >before");
    EXPECT(folder, 3, "",
           "mv src/models/box.gltf kept && echo '{' >src/models/box.gltf && "
           "echo damaged >out/models/box/box.mesh && entc build src -o out --source-map -k -q");
    EXPECT(folder, 3, "", "entc build src -o out --source-map -k -q"); /* recorded once more */
    EXPECT(folder, 0, "", "ls out/models/box | cmp - before");
    EXPECT(folder, 0, "",
           "cp kept src/models/box.gltf && entc build src -o out --source-map -q && "
           "entc verify out -q && ls out/models/box | cmp - before");
    EXPECT(folder, 3, "",
           "echo '{' >src/models/box.gltf && echo damaged >out/models/box/box.mesh && "
           "entc build src -o out -k -q");
    EXPECT(folder, 0, "",
           "rm src/models/box.gltf && entc build src -o out -q && test ! -e out/models");
}

static void output_folder_of_another_project_is_refused_until_taken_over(void** state) {
    const char* folder = project("outputs_project");
    UNUSED(state);
    test_write_text(folder, "other/c.level.json", level);
    test_write_text(folder, "other/entc.json", "{}");
    EXPECT(folder, 1, "--take-over", "entc build other -o out");
    EXPECT(folder, 1, "none of its sources is in \"other\"", "entc build other -o out --check");
    EXPECT(folder, 1, "outputs_project/src\"", "entc why other -o out");
    EXPECT(folder, 0, "", "test -e out/a.level && entc build other -o out --take-over -q");
    EXPECT(folder, 0, "",
           "test ! -e out/a.level && test -e out/c.level && entc build other -o out --check");
}

/* A folder of settings only has no outputs that could be lost. */
static void output_folder_of_a_project_without_assets_may_be_used_by_another(void** state) {
    const char* folder = project("outputs_settings");
    UNUSED(state);
    test_write_text(folder, "empty/entc.json", "{}");
    EXPECT(folder, 0, "", "entc build empty -o new -q && entc build src -o new -q");
    EXPECT(folder, 0, "", "test -e new/a.level");
}

static void moved_source_folder_is_the_same_project(void** state) {
    const char* folder = project("outputs_moved");
    UNUSED(state);
    EXPECT(folder, 0, "", "mv src elsewhere && entc build elsewhere -o out --source-map --check");
    EXPECT(folder, 0, "",
           "cp -r elsewhere part && rm part/b.level.json && entc build part -o out --dry-run");
    EXPECT(folder, 0, "",
           "mv elsewhere/a.level.json elsewhere/z.level.json && rm elsewhere/b.level.json && "
           "mv elsewhere src && entc build src -o out -q && test -e out/z.level");
    EXPECT(
        folder, 0, "",
        "mv src/z.level.json src/y.level.json && entc build src -o out -q && test -e out/y.level");
}

static void why_states_up_to_date_exactly_when_no_output_would_change(void** state) {
    const char* folder = project("outputs_why");
    UNUSED(state);
    EXPECT(folder, 0, "everything is up to date", "entc why src -o out --source-map");
    EXPECT(folder, 0, "", "echo >>src/a.level.json && entc build src -o out --source-map --check");
    EXPECT(folder, 0, "its output would not change", "entc why src -o out --source-map");
    EXPECT(folder, 0, "everything is up to date", "entc why src -o out --source-map");
    EXPECT(folder, 0, "a.level is up to date", "entc why src a.level -o out --source-map");
    EXPECT(folder, 0, "", "rm src/b.level.json");
    EXPECT(folder, 0, "out/b.level would be removed", "entc why src -o out --source-map");
    EXPECT(folder, 1, "", "entc why src -o out --source-map | grep 'up to date'");
    EXPECT(folder, 3, "E0302",
           "echo '{ \"roots\": [\"x.level\"] }' >src/p.package.json; entc why src -o out "
           "--source-map");
}

static void lines_of_both_streams_keep_their_order(void** state) {
    const char* folder = project("outputs_order");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o new -v >log 2>&1 && tail -n 1 log | grep -q '^entc: 2 resources' && "
           "head -n 2 log | grep -c '^wrote' | grep -q 2");
}

static void quiet_build_prints_errors_only(void** state) {
    const char* folder = test_folder("outputs_quiet");
    UNUSED(state);
    test_write_text(folder, "src/a.level.json", level);
    test_write_text(folder, "src/below/entc.json", "{}");
    EXPECT(folder, 0, "W0705", "entc build src -o out");
    EXPECT(folder, 0, "", "test -z \"$(entc build src -o out -q 2>&1)\"");
    EXPECT(folder, 0, "",
           "echo '{ \"entities\": [] }' >src/a.level.json; test -z \"$(entc build src -o out -q "
           "--check 2>&1)\"");
    EXPECT(folder, 3, "1 error\n", "echo '{' >src/a.level.json; entc build src -o out -q");
}

/* Two files of a command, or a file and an output, are never written over each other. */
static void files_of_one_command_are_distinct(void** state) {
    static const struct {
        const char *command, *text;
    } rows[] = {
        {"compile src y.entity -o f -MD -MF f", "-o and -MF are the same file"},
        {"compile src y.entity -o f --source-map -MD -MF ./f.map",
         "the source map and -MF are the same file"},
        {"build src -o out --budget b.json --manifest b.json",
         "--budget and --manifest are the same file"},
        {"build src -o out --report r --manifest x/../r", "--report and --manifest are the same"},
        {"build src -o out --manifest out/y.entity", "has the name of an output of the folder"},
        {"build src -o out --emit-ninja out/y.entity", "has the name of an output of the folder"},
        {"pack out -o out/y.entity", "has the name of an output of the folder"},
    };
    char* folder = strdup(test_folder("outputs_distinct"));
    UNUSED(state);
    test_write_text(folder, "src/y.entity.json", "{}");
    test_write_text(folder, "b.json", "{ \"total\": 1e6 }");
    TEST_DONE(folder, "mkdir x && entc build src -o out && cp -r out before");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        EXPECT(folder, 1, rows[i].text, "entc %s", rows[i].command);
        TEST_DONE(folder,
                  "diff -r out before && ! test -e f && ! test -e r && grep -q total b.json");
    }
    TEST_DONE(folder, "entc build src -o out --report /dev/null --manifest /dev/null");
    free(folder);
}

/* Which remarks are accepted decides what a build reports, also about models that have not changed. */
static void remark_that_is_no_longer_accepted_is_reported_by_the_next_build(void** state) {
    char* folder = strdup(test_folder("outputs_remarks"));
    UNUSED(state);
    test_write_text(folder, "src/m.gltf",
                    "{ \"asset\": { \"version\": \"2.0\" }, \"scenes\": [ { \"nodes\": [ 0 ] } ],\n"
                    "  \"nodes\": [ { \"name\": \"n\", \"extras\": { \"other\": 1 } } ] }");
    test_write_text(folder, "src/entc.json", "{ \"models\": { \"accept\": [\"extras\"] } }");
    EXPECT(folder, 0, "", "entc build src -o out --cache cache");
    test_write_text(folder, "src/entc.json", "{}");
    TEST_DONE(folder, "entc build src -o new 2>expected && grep -q W0410 expected");
    TEST_DONE(folder, "entc build src -o out 2>found && diff expected found");
    TEST_DONE(folder, "rm -r out .out.entc && entc build src -o out --cache cache 2>found && "
                      "diff expected found");
    test_write_text(folder, "src/entc.json", "{ \"models\": { \"accept\": [\"extras\"] } }");
    TEST_DONE(folder, "entc build src -o out 2>found && ! test -s found");
    free(folder);
}

#define MODEL_OF(materials)                                                                        \
    "{ \"asset\": { \"version\": \"2.0\" }, \"materials\": [ " materials " ] }\n"

/* Only the resources of a model with errors are unknown. */
static void outputs_that_no_model_has_any_more_are_removed(void** state) {
    const char* folder = test_folder("outputs_of_models");
    UNUSED(state);
    test_write_text(folder, "src/a.gltf", MODEL_OF("{ \"name\": \"one\" }, { \"name\": \"two\" }"));
    test_write_text(folder, "src/ab.entity.json", "{}");
    EXPECT(folder, 0, "", "entc build src -o out && test -e out/a/two.material");
    test_write_text(folder, "src/a.gltf", MODEL_OF("{ \"name\": \"one\" }"));
    EXPECT(folder, 0, "", "entc build src -o out && ! test -e out/a/two.material");
    test_write_text(folder, "src/a.gltf", "{");
    EXPECT(folder, 3, "error", "rm src/ab.entity.json; entc build src -o out -k");
    EXPECT(folder, 0, "", "! test -e out/ab.entity && test -e out/a/one.material");
}

TEST_SUITE(outputs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_output_of_a_removed_source_is_removed),
        cmocka_unit_test(foreign_file_at_the_path_of_an_output_is_not_overwritten),
        cmocka_unit_test(outputs_without_a_build_database_are_known_by_their_headers),
        cmocka_unit_test(maps_without_a_build_database_are_known_by_the_resource_they_name),
        cmocka_unit_test(index_is_replaced_without_a_build_database),
        cmocka_unit_test(files_that_are_not_regular_are_ignored_at_paths_that_no_output_has),
        cmocka_unit_test(output_that_cannot_be_read_or_removed_is_reported),
        cmocka_unit_test(removed_outputs_are_printed_as_the_options_require),
        cmocka_unit_test(output_of_a_source_with_errors_remains_an_output),
        cmocka_unit_test(foreign_file_at_the_path_of_a_source_with_errors_stays_foreign),
        cmocka_unit_test(outputs_of_a_model_that_cannot_be_read_remain_outputs),
        cmocka_unit_test(outputs_that_no_model_has_any_more_are_removed),
        cmocka_unit_test(output_folder_of_another_project_is_refused_until_taken_over),
        cmocka_unit_test(output_folder_of_a_project_without_assets_may_be_used_by_another),
        cmocka_unit_test(moved_source_folder_is_the_same_project),
        cmocka_unit_test(why_states_up_to_date_exactly_when_no_output_would_change),
        cmocka_unit_test(lines_of_both_streams_keep_their_order),
        cmocka_unit_test(quiet_build_prints_errors_only),
        cmocka_unit_test(files_of_one_command_are_distinct),
        cmocka_unit_test(remark_that_is_no_longer_accepted_is_reported_by_the_next_build),
    };
    return TEST_RUN("outputs", tests);
}
