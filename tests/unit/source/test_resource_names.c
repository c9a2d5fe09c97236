/* test_resource_names.c - names in models that are not ASCII become names of resources that do not depend on
 * their order. */
#include "asset_name.h"
#include "sections.h"
#include "test.h"

static void letters_of_other_alphabets_become_latin_ones_or_a_hash(void** state) {
    const char* folder = test_folder("resource_names");
    UNUSED(state);
    TEST_NEEDS("python3");
    EXPECT(folder, 0, "names compared, 0 differ\n",
           "python3 ../../../../tests/oracles/name_oracle.py $(command -v entc) .");
}

static void expect_fixed(const char* name, const char* expected) {
    char fixed[256];
    name_fix(text_of(name), fixed);
    assert_string_equal(fixed, expected);
}

static void names_in_ascii_are_spelled_as_before(void** state) {
    UNUSED(state);
    expect_fixed("Props/Rock 1", "props/rock_1");
    expect_fixed("../a//b\\C.d/", "a/b/c_d");
    expect_fixed(".hidden/..", "hidden");
    expect_fixed("/", "");
    expect_fixed("???", "___");
    expect_fixed("fels/Größe", "fels/grosse");
    expect_fixed("a\xff\x80z", "a_z"); /* not UTF-8 */
}

/* Truncated sequences are read only up to the end of the name, and long names are cut. */
static void names_of_any_bytes_stay_within_their_bounds(void** state) {
    char text[600], fixed[256], segment[NAME_SEGMENT_BYTES + 1];
    u32  random = 1;
    UNUSED(state);
    for (u32 turn = 0; turn < 20000; turn++) {
        const u32 bytes = turn % sizeof text;
        for (u32 i = 0; i < bytes; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = (char)(random >> (turn % 3 ? 24 : 25));
        }
        char* exact = malloc(bytes + 1u); /* so that reading behind it is found */
        assert_non_null(exact);
        memcpy(exact, text, bytes);
        name_fix((Text){exact, bytes}, fixed);
        assert_true(*fixed == 0 || resource_name_is_canonical(text_of(fixed)));
        const u32 kept = name_fix_segment((Text){exact, bytes}, turn % 2, segment);
        assert_int_equal(kept, strlen(segment));
        assert_true(kept == 0 || resource_name_is_canonical(text_of(segment)));
        assert_null(strchr(segment, '/'));
        free(exact);
    }
}

TEST_SUITE(resource_names) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_of_other_alphabets_become_latin_ones_or_a_hash),
        cmocka_unit_test(names_in_ascii_are_spelled_as_before),
        cmocka_unit_test(names_of_any_bytes_stay_within_their_bounds),
    };
    return TEST_RUN("resource_names", tests);
}
