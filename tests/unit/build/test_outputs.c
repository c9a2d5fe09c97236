/* test_outputs.c - which files of an output folder belong to entc, what --check and why state about them, and the
 * order of the lines that a build prints. */
#include "test.h"

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
    EXPECT(folder, 3, "", "echo '{' >src/b.level.json; entc build src -o out -k -q");
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

static void moved_source_folder_is_the_same_project(void** state) {
    const char* folder = project("outputs_moved");
    UNUSED(state);
    EXPECT(folder, 0, "", "mv src elsewhere && entc build elsewhere -o out --source-map --check");
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

TEST_SUITE(outputs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_output_of_a_removed_source_is_removed),
        cmocka_unit_test(foreign_file_at_the_path_of_an_output_is_not_overwritten),
        cmocka_unit_test(outputs_without_a_build_database_are_known_by_their_headers),
        cmocka_unit_test(output_of_a_source_with_errors_remains_an_output),
        cmocka_unit_test(foreign_file_at_the_path_of_a_source_with_errors_stays_foreign),
        cmocka_unit_test(outputs_of_a_model_that_cannot_be_read_remain_outputs),
        cmocka_unit_test(output_folder_of_another_project_is_refused_until_taken_over),
        cmocka_unit_test(moved_source_folder_is_the_same_project),
        cmocka_unit_test(why_states_up_to_date_exactly_when_no_output_would_change),
        cmocka_unit_test(lines_of_both_streams_keep_their_order),
        cmocka_unit_test(quiet_build_prints_errors_only),
    };
    return TEST_RUN("outputs", tests);
}
