/* test_modules.c - modules.py finds what it is there to find: a dependency that no line of the Makefile
 * allows, a cycle, a line that is not needed, and a folder that is no module. */
#include <stdlib.h>

#include "test.h"

/* Runs modules.py on this tree with a Makefile that sed has changed. */
static TestRun modules_with(const char* sed) {
    const char* folder = test_folder("modules");
    TestRun     run =
        test_command(folder,
                     "for f in ../../../../formats ../../../../compiler ../../../../runtime "
                     "../../../../shaders ../../../../build; do ln -s $f .; done; "
                     "sed '%s' ../../../../Makefile >Makefile && python3 "
                     "../../../../tests/modules.py " TEST_BUILD,
                     sed);
    return run;
}

static void expect_modules(const char* sed, int code, const char* text) {
    TestRun run = modules_with(sed);
    if (run.code != code || !strstr(run.out, text))
        fail_msg("%s: exit code %d, %s%s", sed, run.code, run.out, run.err);
    test_run_free(&run);
}

static void modules_as_in_the_makefile_pass(void** state) {
    UNUSED(state);
    expect_modules("", 0, " modules, ");
}

static void a_symbol_of_a_module_that_is_not_seen_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/assets .*|SEES_compiler/assets := compiler/types|", 1,
                   "compiler/assets/model.c uses gltf_read of compiler/gltf, which compiler/assets "
                   "does not see");
}

static void a_cycle_of_modules_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/text .*|SEES_compiler/text := formats compiler/build|", 1,
                   "the lines form a cycle");
}

static void a_permission_that_nothing_uses_is_reported(void** state) {
    UNUSED(state);
    expect_modules("s|^SEES_compiler/types .*|& compiler/source|", 1,
                   "compiler/types may use compiler/source and uses nothing of it");
}

static void a_folder_without_a_line_is_reported(void** state) {
    UNUSED(state);
    expect_modules("/^SEES_runtime.app /d", 1, "runtime/app has sources and no line");
}

TEST_SUITE(modules) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_as_in_the_makefile_pass),
        cmocka_unit_test(a_symbol_of_a_module_that_is_not_seen_is_reported),
        cmocka_unit_test(a_cycle_of_modules_is_reported),
        cmocka_unit_test(a_permission_that_nothing_uses_is_reported),
        cmocka_unit_test(a_folder_without_a_line_is_reported),
    };
    return TEST_RUN("modules", tests);
}
