/* test_modules.c - modules.py reports what it checks: a dependency that no line of the Makefile
 * permits, a cycle, a line that is not needed, a folder that is no module, a module that is no folder,
 * a circle between files that the list does not have, and a header that too many objects include. And
 * what a changed Makefile rebuilds. */
#include <stdlib.h>

#include "test.h"

/* Runs modules.py on this tree, in which one file is changed with sed. */
static TestRun modules_with(const char* file, const char* sed) {
    const char* folder = test_folder("modules");
    return test_command(folder,
                        "for f in formats compiler runtime shaders build Makefile; do ln -s "
                        "../../../../$f .; done; "
                        "mkdir tests; (cd tests && ln -s ../../../../../tests/* .) && rm %s && "
                        "sed '%s' ../../../../%s >%s && python3 tests/modules.py " TEST_BUILD,
                        file, sed, file, file);
}

static void expect_run(TestRun run, int code, const char* text) {
    if (run.code != code || !strstr(run.out, text))
        fail_msg("exit code %d, %s%s", run.code, run.out, run.err);
    test_run_free(&run);
}

static void expect_modules(const char* sed, int code, const char* text) {
    expect_run(modules_with("Makefile", sed), code, text);
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
    expect_run(modules_with("tests/file_circles.txt", "/transform_pass_x86/d"), 1,
               "these files form a circle: runtime/transform/transform_pass.c "
               "runtime/transform/transform_pass_x86.c");
}

static void line_of_circle_that_is_none_is_reported(void** state) {
    UNUSED(state);
    expect_run(modules_with("tests/file_circles.txt", "$ a formats/blob.c formats/bundle.c"), 1,
               "these files form no circle any more; remove the line: formats/blob.c "
               "formats/bundle.c");
}

static void header_that_too_many_objects_include_is_reported(void** state) {
    UNUSED(state);
    expect_run(modules_with("tests/modules.py", "s|diag.h\": 93|diag.h\": 10|"), 1,
               " objects include compiler/text/diag.h; at most 10 may");
}

/* An object depends on the flags of its folder, and not on the Makefile. */
static void line_of_makefile_rebuilds_what_its_flags_change_and_nothing_else(void** state) {
    UNUSED(state);
    TEST_DONE(test_folder("flags"),
              "unset MAKEFLAGS MFLAGS MAKELEVEL; HASH=made/formats/base/hash.o "
              "WRITER=made/compiler/author/codegen.o; "
              "for f in formats compiler runtime shaders tests; do ln -s ../../../../$f .; done && "
              "cp ../../../../Makefile . && made() { make -s BUILD=made \"$@\"; } && "
              "made $HASH $WRITER && made -q $HASH $WRITER && touch -d '+1 hour' Makefile && "
              "made -q $HASH $WRITER && sed -i 's|^EXTRA_compiler/author := |&-DOTHER_FLAGS |' "
              "Makefile && "
              "made -q $HASH && ! made -q $WRITER && made $WRITER && made -q $WRITER");
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
        cmocka_unit_test(header_that_too_many_objects_include_is_reported),
        cmocka_unit_test(line_of_makefile_rebuilds_what_its_flags_change_and_nothing_else),
    };
    return TEST_RUN("modules", tests);
}
