/* test_overrides.c - overrides that change the structure of instances. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* Random prefabs that instance each other, against a plain model of merging. TEST_FULL: 10,000 of them. */
static void random_trees_equal_a_plain_model_of_merging(void** state) {
    const char* seed = getenv("TEST_SEED");
    const u32   runs = getenv("TEST_FULL") ? 100 : 1, first = seed ? (u32)atoi(seed) : 1;
    char* const folder = strdup(test_folder("overrides"));
    UNUSED(state);
    TEST_NEEDS("python3");
    for (u32 run = 0; run < runs; run++)
        TEST_DONE(".",
                  "rm -rf '%s' && python3 tests/oracles/merge_oracle.py " TEST_BUILD
                  "/entc '%s' %u %u 3",
                  folder, folder, 100 / test_step(1, 10), first + run);
    free(folder);
}

/* What added children refer to is renamed with its resource. */
static void added_children_follow_renamed_resources(void** state) {
    char* const folder = strdup(test_folder("overrides_moved"));
    UNUSED(state);
    test_write_text(folder, "src/lamp.entity.json", "{ \"children\": [ { \"name\": \"head\" } ] }");
    test_write_text(folder, "src/bulb.entity.json", "{ \"components\": { \"light\": {} } }");
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [ { \"prefab\": \"lamp\", \"overrides\": { \"head\": {\n"
                    "    \"children\": [ { \"name\": \"b\", \"prefab\": \"bulb\" } ] } } } ] }\n");
    EXPECT(folder, 0,
           "src/a.level.json:2:", "entc build src -o out && entc refs src bulb.entity >&2");
    TEST_DONE(folder, "cp out/a.level before && entc mv src bulb.entity lights/big.entity && "
                      "grep -q '\"prefab\": \"lights/big\"' src/a.level.json && "
                      "entc build src -o out && cmp before out/a.level");
    free(folder);
}

TEST_SUITE(overrides) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_equal_a_plain_model_of_merging),
        cmocka_unit_test(added_children_follow_renamed_resources)};
    return TEST_RUN("overrides", tests);
}
