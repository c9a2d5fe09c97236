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

TEST_SUITE(gltf_rules) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_of_gltf_is_treated_as_the_page_says),
    };
    return TEST_RUN("gltf_rules", tests);
}
