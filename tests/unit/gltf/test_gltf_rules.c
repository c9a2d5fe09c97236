/* test_gltf_rules.c - models that each violate one rule of glTF are repaired, compiled in part or refused, as the table of
 * GLTF.md says. `make test-corpus` compares the models with what Khronos' validator reports. */
#include "test.h"

#include <stdio.h>

static void each_rule_of_gltf_is_treated_as_the_page_says(void** state) {
    TEST_NEEDS("python3");
    UNUSED(state);
    const char* folder = test_folder("gltf_rules");
    TestRun     run = test_command(".",
                                   "python3 tests/oracles/gltf_rules.py write %s/models && python3 "
                                       "tests/oracles/gltf_rules.py check %s/entc %s/models "
                                       "compiler/gltf/GLTF.md",
                                   folder, TEST_BUILD, folder);
    if (run.code != 0) {
        fprintf(stderr, "%s%s", run.out, run.err);
        fail_msg("gltf_rules.py: %d", run.code);
    }
    test_run_free(&run);
}

static void wrong_row_of_the_page_is_reported(void** state) {
    TEST_NEEDS("python3");
    UNUSED(state);
    const char* folder = test_folder("gltf_rules_wrong");
    TestRun     run = test_command(
            ".",
            "python3 tests/oracles/gltf_rules.py write %s/models && cd %s/models && rm -r [A-MO-UW-Z]* "
                "&& cd "
                "- && sed 's/| NODE_LOOP | refused/| NODE_LOOP | repaired/;"
                "s/| VALUE_NOT_IN_RANGE | repaired/| VALUE_NOT_IN_RANGE | left out/' compiler/gltf/GLTF.md "
                ">%s/page && python3 tests/oracles/gltf_rules.py check %s/entc %s/models %s/page",
            folder, folder, folder, TEST_BUILD, folder, folder);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.out, "NODE_LOOP (repaired): it was refused"));
    assert_non_null(strstr(run.out, "VALUE_NOT_IN_RANGE (left out): no W0410"));
    test_run_free(&run);
}

TEST_SUITE(gltf_rules) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_of_gltf_is_treated_as_the_page_says),
        cmocka_unit_test(wrong_row_of_the_page_is_reported),
    };
    return TEST_RUN("gltf_rules", tests);
}
