/* test_path_pattern.c - patterns of paths, compared with a plain recursive implementation. */
#include "path_pattern.h"
#include "test.h"
#include "test_worlds_support.h"

static bool plain_matches(const char* pattern, const char* path) {
    if (pattern[0] == '*' && pattern[1] == '*') {
        if (!pattern[2]) return *path != 0;
        for (const char* at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL) {
            if (plain_matches(pattern + 3, at)) return true;
        }
        return false;
    }
    if (*pattern == '*') {
        for (const char* at = path;; at++) {
            if (plain_matches(pattern + 1, at)) return true;
            if (!*at || *at == '/') return false;
        }
    }
    if (!*pattern || !*path) return *pattern == *path;
    if (*pattern != *path && (*pattern != '?' || *path == '/')) return false;
    return plain_matches(pattern + 1, path + 1);
}

static void patterns_select_files_by_name_and_by_path(void** state) {
    static const struct {
        const char *pattern, *path;
        bool        matches;
    } rows[] = {{"*.ogg", "a.ogg", true},
                {"*.ogg", "deep/er/a.ogg", true},
                {"*.ogg", "a.ogg.data", false},
                {"audio/*.ogg", "audio/a.ogg", true},
                {"audio/*.ogg", "audio/deep/a.ogg", false},
                {"audio/*.ogg", "more/audio/a.ogg", false},
                {"audio/**", "audio/deep/a", true},
                {"audio/**", "audio", false},
                {"**/a.ogg", "a.ogg", true},
                {"a/**/b/**/c", "a/b/x/b/c", true},
                {"a/**/b/**/c", "a/x/c", false},
                {"?.txt", "a.txt", true},
                {"?.txt", "ab.txt", false},
                {"a?b", "a/b", false}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        assert_null(path_pattern_fault(rows[i].pattern));
        assert_int_equal(path_pattern_matches(rows[i].pattern, rows[i].path), rows[i].matches);
    }
}

static void random_text(Random* random, char* text, const char* letters, u32 max) {
    const u32 bytes = 1 + random_below(random, max);
    for (u32 i = 0; i < bytes; i++) text[i] = letters[random_below(random, (u32)strlen(letters))];
    text[bytes] = 0;
}

static void random_patterns_select_what_a_plain_comparison_selects(void** state) {
    Random random = {5};
    u32    compared = 0, matched = 0;
    UNUSED(state);
    for (u32 i = 0; i < 400000; i++) {
        char pattern[16], path[16];
        random_text(&random, pattern, "a*?/**b", 9);
        random_text(&random, path, "ab/a", 9);
        if (path_pattern_fault(pattern) || !strchr(pattern, '/')) continue;
        const bool matches = path_pattern_matches(pattern, path);
        if (matches != plain_matches(pattern, path)) fail_msg("\"%s\", \"%s\"", pattern, path);
        compared++, matched += matches;
    }
    assert_true(compared > 10000 && matched > 500);
}

/* A comparison that tries every combination of stars would not end. */
static void long_pattern_of_many_stars_is_compared_quickly(void** state) {
    char pattern[4000] = "x", path[4000];
    UNUSED(state);
    for (u32 i = 0; i < 900; i++) strcat(pattern, i % 3 ? "*a" : "/**/*a");
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    path[1] = '/';
    path[0] = 'x';
    assert_null(path_pattern_fault(pattern));
    assert_false(path_pattern_matches(pattern, path));
}

TEST_SUITE(path_pattern) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_select_files_by_name_and_by_path),
        cmocka_unit_test(random_patterns_select_what_a_plain_comparison_selects),
        cmocka_unit_test(long_pattern_of_many_stars_is_compared_quickly)};
    return TEST_RUN("path_pattern", tests);
}
