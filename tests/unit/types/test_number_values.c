/* test_number_values.c - a number in JSON becomes the next f32, or exactly its integer. */
#include "test.h"

static void numbers_of_all_sources_are_stored_as_the_next_f32(void** state) {
    const char* folder = test_folder("number_values");
    UNUSED(state);
    TEST_NEEDS("python3");
    EXPECT(folder, 0, "numbers compared, 0 differ\n",
           "python3 ../../../../tests/oracles/number_oracle.py $(command -v entc) .");
}

TEST_SUITE(number_values) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_sources_are_stored_as_the_next_f32),
    };
    return TEST_RUN("number_values", tests);
}
