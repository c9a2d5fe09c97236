/* test_relative.c - relative paths and their URIs, as models and their files name each other. */
#include "relative.h"
#include "test.h"

static Arena arena;

/* The result of a function of two texts. */
typedef struct Pair {
    const char *first, *second, *result;
} Pair;

static void pairs_check(const Pair* pairs, u32 count,
                        const char* (*function)(Arena*, const char*, const char*)) {
    for (u32 i = 0; i < count; i++) {
        const char* result = function(&arena, pairs[i].first, pairs[i].second);
        assert_string_equal(result, pairs[i].result);
    }
    arena_drop(&arena);
}

static void paths_beside_a_file(void** state) {
    static const Pair pairs[] = {
        {"/r/a/m.gltf", "t.png", "/r/a/t.png"},
        {"/r/a/m.gltf", "b/c/t.png", "/r/a/b/c/t.png"},
        {"/r/a/m.gltf", "./t.png", "/r/a/t.png"},
        {"/r/a/m.gltf", "../t.png", "/r/t.png"},
        {"/r/a/m.gltf", "../../t.png", "/t.png"},
        {"/r/a/m.gltf", "../../../t.png", "/../t.png"},
        {"/r/a/m.gltf", "b/../t.png", "/r/a/t.png"},
        {"/r/a/m.gltf", "b//t.png", "/r/a/b/t.png"},
        {"/r/a/m.gltf", "b/.", "/r/a/b"},
        {"/r/a/m.gltf", ".", "/r/a"},
        {"/r/a/m.gltf", "..", "/r"},
        {"/r/a/m.gltf", "", "/r/a"},
        {"/r/a/m.gltf", "..b/.c/d./e../...", "/r/a/..b/.c/d./e../..."},
        {"/m.gltf", "../t.png", "/../t.png"},
        {"a/m.gltf", "../t.png", "t.png"},
        {"a/m.gltf", "../../t.png", "../t.png"},
        {"a/m.gltf", "..", ""},
    };
    UNUSED(state);
    pairs_check(pairs, COUNT_OF(pairs), path_beside);
}

static void paths_between_files(void** state) {
    static const Pair pairs[] = {
        {"/r/a/m.gltf", "/r/a/t.png", "t.png"},
        {"/r/a/m.gltf", "/r/a/m.gltf", "m.gltf"},
        {"/r/a/m.gltf", "/r/a/b/t.png", "b/t.png"},
        {"/r/a/m.gltf", "/r/t.png", "../t.png"},
        {"/r/a/b/m.gltf", "/r/c/t.png", "../../c/t.png"},
        {"/r/ab/m.gltf", "/r/a/t.png", "../a/t.png"},
        {"/r/a/m.gltf", "/r/ab/t.png", "../ab/t.png"},
        {"/r/a", "/r/a/t.png", "a/t.png"},
        {"/r/a/m.gltf", "/s", "../../s"},
    };
    UNUSED(state);
    pairs_check(pairs, COUNT_OF(pairs), path_between);
}

static void paths_below_a_folder(void** state) {
    static const char* const below[] = {"a",    "a/b",  "a/",  ".",   "./a", ".a",    "a.",
                                        "a/.b", "a/b.", "...", "..a", "a..", "a/...", "a/..b"};
    static const char* const others[] = {"", "/", "/a", "..", "../a", "a/..", "a/../b", "a/b/.."};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(below); i++) assert_true(path_is_below(text_of(below[i])));
    for (u32 i = 0; i < COUNT_OF(others); i++) assert_false(path_is_below(text_of(others[i])));
    assert_true(path_is_below((Text){"a/../b", 3}));
    assert_false(path_is_below((Text){"a/..b", 4}));
}

static void uris_with_a_scheme(void** state) {
    static const char* const with[] = {"data:a", "https://a", "ab:", "Z9+-.:a"};
    static const char* const without[] = {"", "a", "ab", ":a", "c:/a", "a/b:c", "a b:c", "ab/:"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(with); i++) assert_true(uri_has_scheme(with[i]));
    for (u32 i = 0; i < COUNT_OF(without); i++) assert_false(uri_has_scheme(without[i]));
}

static void escapes_of_uris(void** state) {
    static const char* const plain[][2] = {{"", ""},
                                           {"a", "a"},
                                           {"a%20b", "a b"},
                                           {"%01%10", "\x01\x10"},
                                           {"%09%90%aa%FF%Af", "\x09\x90\xaa\xff\xaf"},
                                           {"%2541", "%41"}};
    static const char* const wrong[] = {"%",   "a%",  "%4",  "%4%", "%00", "%/0",
                                        "%:0", "%@0", "%G0", "%`0", "%g0", "%0/",
                                        "%0:", "%0@", "%0G", "%0`", "%0g", "a%0"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(plain); i++)
        assert_string_equal(uri_decode(&arena, plain[i][0]), plain[i][1]);
    for (u32 i = 0; i < COUNT_OF(wrong); i++) assert_null(uri_decode(&arena, wrong[i]));
    arena_drop(&arena);
}

static void uris_of_paths(void** state) {
    static const Pair pairs[] = {
        {"a b/t.png", "", "a%20b/t.png"},
        {"azAZ09-._~!$&'()*+,;=@", "", "azAZ09-._~!$&'()*+,;=@"},
        {"`{@[/:", "", "%60%7B@%5B/%3A"},
        {"\x7f\x80\xc3\xa4", "", "%7F\x80\xc3\xa4"},
        {"#?%\"", "", "%23%3F%25%22"},
        {"../a//b/", "", "../a//b/"},
        {"a b/c d", "x/a b", "a b/c%20d"},
        {"a b/c d", "%61%20b/c d", "%61%20b/c d"},
        {"a b", "%zz/a b", "a b"},
        {"a b", "a bc/a%20b", "a%20b"},
        {"t", "a/%74", "%74"},
    };
    UNUSED(state);
    pairs_check(pairs, COUNT_OF(pairs), uri_encode);
}

TEST_SUITE(relative) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_beside_a_file),  cmocka_unit_test(paths_between_files),
        cmocka_unit_test(paths_below_a_folder), cmocka_unit_test(uris_with_a_scheme),
        cmocka_unit_test(escapes_of_uris),      cmocka_unit_test(uris_of_paths),
    };
    return TEST_RUN("relative", tests);
}
