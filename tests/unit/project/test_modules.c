/* test_modules.c - modules.py reports what it checks: a dependency that no line of the Makefile
 * permits, a cycle, a line that is not needed, a folder that is no module, a module that is no folder,
 * and a circle between files that the list does not have. */
#include <stdlib.h>

#include "test.h"

/* Runs modules.py on this tree with a Makefile and a list of circles that are changed with sed. */
static TestRun modules_with(const char* makefile, const char* circles) {
    const char* folder = test_folder("modules");
    return test_command(
        folder,
        "for f in formats compiler runtime shaders build; do ln -s ../../../../$f .; done; mkdir "
        "tests; "
        "(cd tests && ln -s ../../../../../tests/* . && rm file_circles.txt); "
        "sed '%s' ../../../../tests/file_circles.txt >tests/file_circles.txt && "
        "sed '%s' ../../../../Makefile >Makefile && python3 tests/modules.py " TEST_BUILD,
        circles, makefile);
}

static void expect_run(TestRun run, int code, const char* text) {
    if (run.code != code || !strstr(run.out, text))
        fail_msg("exit code %d, %s%s", run.code, run.out, run.err);
    test_run_free(&run);
}

static void expect_modules(const char* sed, int code, const char* text) {
    expect_run(modules_with(sed, ""), code, text);
}

static void modules_of_unchanged_makefile_pass_the_check(void** state) {
    UNUSED(state);
    expect_modules("", 0, " modules, ");
}

static void symbol_of_module_that_is_not_permitted_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/assets .*|SEES_compiler/assets := compiler/types|", 1,
                   "compiler/assets/model.c uses gltf_read of compiler/gltf, which compiler/assets "
                   "does not see");
}

static void modules_that_form_a_cycle_are_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/text .*|SEES_compiler/text := formats compiler/graph|", 1,
                   "the lines form a cycle");
}

static void permission_that_no_source_uses_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/types .*|& compiler/source|", 1,
                   "compiler/types may use compiler/source and uses nothing of it");
}

static void module_folder_without_line_in_makefile_is_reported(void** state) {
    UNUSED(state);
    expect_modules("/^SEES_runtime.app /d", 1, "runtime/app has sources and no line");
}

static void module_without_folder_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^GPU_SYSTEMS := .*|& wind|", 1,
                   "runtime/gpu/wind is a module of the Makefile");
}

static void circle_between_files_that_is_not_in_the_list_is_reported(void** state) {
    UNUSED(state);
    expect_run(modules_with("", "/transform_pass_x86/d"), 1,
               "these files form a circle: runtime/transform/transform_pass.c "
               "runtime/transform/transform_pass_x86.c");
}

static void line_of_circle_that_is_none_is_reported(void** state) {
    UNUSED(state);
    expect_run(modules_with("", "$ a formats/blob.c formats/bundle.c"), 1,
               "these files form no circle any more; remove the line: formats/blob.c "
               "formats/bundle.c");
}

TEST_SUITE(modules) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_of_unchanged_makefile_pass_the_check),
        cmocka_unit_test(symbol_of_module_that_is_not_permitted_is_reported),
        cmocka_unit_test(modules_that_form_a_cycle_are_reported),
        cmocka_unit_test(permission_that_no_source_uses_is_reported),
        cmocka_unit_test(module_folder_without_line_in_makefile_is_reported),
        cmocka_unit_test(module_without_folder_is_reported),
        cmocka_unit_test(circle_between_files_that_is_not_in_the_list_is_reported),
        cmocka_unit_test(line_of_circle_that_is_none_is_reported),
    };
    return TEST_RUN("modules", tests);
}
