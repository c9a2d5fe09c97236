/* test_diff.c - how `entc diff --stat` counts what was added, removed and changed. */
#include "test.h"

#include <stdio.h>

/* A level of three entities, each of which has some components. */
static void level(const char* folder, const char* name, const char* a, const char* b,
                  const char* c) {
    char text[512];
    snprintf(text, sizeof text,
             "{ \"entities\": [ { \"name\": \"a\", \"components\": {%s} }, { \"name\": \"b\", "
             "\"components\": {%s} }, { \"name\": \"c\", \"components\": {%s} } ] }\n",
             a, b, c);
    test_write_text(folder, "src/x.level.json", text);
    TEST_DONE(folder, "entc build src -o %s", name);
}

/* A table is left out only when nothing of it differs. */
static void diff_stat_of_equal_totals_still_reports_each_change(void** state) {
    const char* folder = test_folder("diff_counts");
    UNUSED(state);
    level(folder, "old", "\"light\": {}, \"camera\": {}", "", "\"point_mass\": {}");
    level(folder, "new", "\"light\": { \"range_m\": 7 }, \"camera\": { \"far_m\": 9 }",
          "\"light\": {}", "");
    TestRun run = test_command(folder, "entc diff --stat old/x.level new/x.level");
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.out, "added    removed    changed\n"));
    assert_non_null(
        strstr(run.out, "\nlight                             1          0          1\n"));
    assert_non_null(
        strstr(run.out, "\ncamera                            0          0          1\n"));
    assert_non_null(
        strstr(run.out, "\npoint_mass                        0          1          0\n"));
    test_run_free(&run);
    /* One added, one removed. */
    level(folder, "old", "\"light\": {}", "", "");
    level(folder, "new", "", "\"light\": {}", "");
    EXPECT(folder, 1, "\nlight                             1          1          0\n",
           "entc diff --stat old/x.level new/x.level");
    /* One removed, one changed. */
    level(folder, "old", "\"light\": {}", "\"light\": {}", "");
    level(folder, "new", "", "\"light\": { \"range_m\": 7 }", "");
    EXPECT(folder, 1, "\nlight                             0          1          1\n",
           "entc diff --stat old/x.level new/x.level");
    EXPECT(folder, 0, "", "entc diff --stat new/x.level new/x.level");
}

TEST_SUITE(diff) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diff_stat_of_equal_totals_still_reports_each_change)};
    return TEST_RUN("diff", tests);
}
