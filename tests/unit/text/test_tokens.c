/* test_tokens.c - the tokens of a text, and the functions for single strings, keys and numbers.
 *
 * Invariants: kinds, places, counts and keys are those of the text, whether an array is read by bits or
 * value by value; functions that take a value accept an absent one. */
#include <stdlib.h>

#include "diag.h"
#include "json_oracle.h"
#include "test.h"
#include "test_input.h"

static void tokens_have_the_structure_of_their_text(void** state) {
    static const struct {
        const char* text;
        JsonKind    kind;
        u32         bytes, count;
        bool        last, member, escaped;
    } expected[] = {
        {"{\"a\": [1, -2.5e1,\"x\\n\"], \"\\u0062\": {}, \"c\": [ ], \"d\":null}", JSON_OBJECT, 52,
         13, false, false, false},
        {"\"a\"", JSON_STRING, 3, 1, false, false, false},
        {"[1, -2.5e1,\"x\\n\"]", JSON_ARRAY, 17, 4, false, true, false},
        {"1", JSON_NUMBER, 1, 1, false, false, false},
        {"-2.5e1", JSON_NUMBER, 6, 1, false, false, false},
        {"\"x\\n\"", JSON_STRING, 5, 1, true, false, true},
        {"\"\\u0062\"", JSON_STRING, 8, 1, false, false, true},
        {"{}", JSON_OBJECT, 2, 1, false, true, false},
        {"\"c\"", JSON_STRING, 3, 1, false, false, false},
        {"[ ]", JSON_ARRAY, 3, 1, false, true, false},
        {"\"d\"", JSON_STRING, 3, 1, false, false, false},
        {"null", JSON_NULL, 4, 1, true, true, false},
    };
    Input      input = input_open(expected[0].text, strlen(expected[0].text));
    JsonTokens tokens;
    UNUSED(state);
    assert_true(json_tokens_open(&tokens, &input.source, input.diag));
    assert_int_equal(tokens.count, COUNT_OF(expected));
    for (u32 i = 0; i < tokens.count; i++) {
        const JsonToken* t = &tokens.at[i];
        if (strncmp(t->at, expected[i].text, strlen(expected[i].text)) != 0) fail_msg("%u", i);
        assert_int_equal(json_token_kind(t), expected[i].kind);
        assert_int_equal(t->bytes, strlen(expected[i].text));
        if (i > 0) assert_int_equal(t->count, expected[i].count);
        assert_true(t->last == expected[i].last && t->member == expected[i].member &&
                    t->escaped == expected[i].escaped);
    }
    assert_int_equal(tokens.at[0].count, tokens.count);
    json_tokens_close(&tokens);
    input_close(&input);
}

/* An array near the end of the text is read value by value, one before other text by bits. */
static void tokens_of_numbers_do_not_depend_on_what_follows(void** state) {
    static const char* const texts[] = {"[1,2,3]",
                                        "[1]",
                                        "[]",
                                        "[-1.5,2e3,0]",
                                        "[ 1,2 ]",
                                        "[1,2,]",
                                        "[1 2]",
                                        "[01,2]",
                                        "[1,-]",
                                        "[1.,2]",
                                        "[.5]",
                                        "[1,,2]",
                                        "[123456789012345678901234567890,-0]",
                                        "[[1,2],[3]]"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        char       longer[300];
        JsonTokens a, b;
        snprintf(longer, sizeof longer, "%s%*s", texts[i], 100, "");
        Input input = input_open(texts[i], strlen(texts[i])),
              other = input_open(longer, strlen(longer));
        const bool valid = json_tokens_open(&a, &input.source, input.diag);
        assert_true(json_tokens_open(&b, &other.source, other.diag) == valid);
        if (valid) assert_null(json_oracle_difference(&a));
        if (valid) assert_int_equal(a.count, b.count);
        for (u32 k = 0; valid && k < a.count; k++)
            assert_true(json_token_offset(&input.source, &a.at[k]) ==
                            json_token_offset(&other.source, &b.at[k]) &&
                        a.at[k].bytes == b.at[k].bytes && a.at[k].last == b.at[k].last &&
                        a.at[k].count == b.at[k].count);
        json_tokens_close(&a);
        json_tokens_close(&b);
        input_close(&input);
        input_close(&other);
    }
}

static void members_are_found_by_their_decoded_keys(void** state) {
    static const char text[] = "{\"a\":1,\"\\u0062\":[2],\"c\":{\"a\":3}}";
    Input             input = input_open(text, strlen(text));
    JsonTokens        tokens;
    UNUSED(state);
    assert_true(json_tokens_open(&tokens, &input.source, input.diag));
    const JsonToken* root = json_tokens_root(&tokens);
    assert_true(json_token_number(json_get(root, "a")) == 1);
    assert_true(json_token_number(json_get(json_get(root, "c"), "a")) == 3);
    assert_int_equal(json_token_count(json_get(root, "b")), 1);
    assert_int_equal(json_token_count(root), 3);
    assert_int_equal(json_token_count(NULL), 0);
    assert_null(json_get(root, "d"));
    assert_null(json_get(json_get(root, "b"), "a"));
    assert_null(json_get(json_get(root, "b"), "2")); /* what is between its brackets */
    assert_null(json_get(json_get(root, "a"), "a"));
    assert_null(json_get(NULL, "a"));
    assert_null(json_first(json_get(root, "a")));
    json_tokens_close(&tokens);
    input_close(&input);
}

static void numbers_of_tokens_are_those_of_strtod(void** state) {
    static const struct {
        const char* text;
        f64         value;
        bool        is_complete;
    } rows[] = {{"1", 1, true},
                {"-2.5", -2.5, false},
                {"1e3", 1000, true},
                {"15e-1", 1.5, false},
                {"20e-1", 2, true},
                {"1.0", 1, true},
                {"1234567890123456789012", 1234567890123456789012.0, true},
                {"\"1\"", 0, false},
                {"null", 0, false},
                {"[1]", 0, false}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Input      input = input_open(rows[i].text, strlen(rows[i].text));
        JsonTokens tokens;
        assert_true(json_tokens_open(&tokens, &input.source, input.diag));
        const JsonToken* root = json_tokens_root(&tokens);
        assert_true(json_token_number(root) == rows[i].value);
        if (json_token_is(root, JSON_NUMBER))
            assert_true(json_token_is_integer(root) == rows[i].is_complete);
        json_tokens_close(&tokens);
        input_close(&input);
    }
}

/* The string at a position, and a text that was quoted. */
static void strings_are_those_of_their_tokens(void** state) {
    static const char* const texts[] = {
        "",         "a",
        "a\"b",     "\\",
        "\\\"",     "x\n\t\x01y",
        "\xc3\xa4", "long enough for the words of a vector \\\" and after it"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        Arena       arena = {0};
        const char* quoted = json_quoted(&arena, texts[i]);
        Input       input = input_open(quoted, strlen(quoted));
        JsonTokens  tokens;
        assert_true(json_tokens_open(&tokens, &input.source, input.diag));
        const JsonString root_text = json_token_string(json_tokens_root(&tokens));
        const JsonString at = json_string_at(&input.source, 0);
        assert_string_equal(json_decode(root_text, &arena), texts[i]);
        assert_true(text_equal(root_text.raw, at.raw) && root_text.escaped == at.escaped);
        json_tokens_close(&tokens);
        input_close(&input);
        arena_drop(&arena);
    }
}

static void text_that_is_not_valid_has_no_tokens(void** state) {
    static const char* const texts[] = {"", "[", "{\"a\":}", "1 2", "[1,]", "tru"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        Input      input = input_open(texts[i], strlen(texts[i]));
        JsonTokens tokens;
        assert_false(json_tokens_open(&tokens, &input.source, input.diag));
        assert_int_equal(diag_error_count(input.diag), 1);
        json_tokens_close(&tokens);
        input_close(&input);
    }
}

/* --- keys that are expected --- */

static void expected_keys_are_found_in_any_order(void** state) {
    static const char* const keys[] = {"name", "components", "a", "fourteen_chars"};
    static const char        text[] =
        "{ \"a\" : 1, \"components\": 2,\"fourteen_chars\":3 , \"name\":4,\"x\":5, \"a\":6 }"
        "                                ";
    static const u32 expected[] = {2, 1, 3, 0, NONE, 2};
    JsonName         names[COUNT_OF(keys)];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(keys); i++) names[i] = json_name(keys[i]);
    assert_int_equal(json_name("fifteen_letters").bytes, 16);
    assert_int_equal(json_name("sixteen__letters").bytes, 0);
    for (u32 first = 0; first < COUNT_OF(keys); first++) {
        Input      input = input_open(text, strlen(text));
        Json       json = json_open(&input.source, 0, input.diag);
        JsonString key;
        assert_true(json_enter(&json, JSON_OBJECT));
        for (u32 i = 0; i < COUNT_OF(expected); i++) {
            const u32 found = json_key_among(&json, &key, names, COUNT_OF(names), first);
            assert_int_equal(found, expected[i]);
            if (found == NONE)
                assert_true(json_key(&json, &key) && json_equals(key, "x"));
            else
                assert_true(json_equals(key, keys[found]));
            assert_true(json_skip(&json));
        }
        assert_int_equal(json_key_among(&json, &key, names, COUNT_OF(names), first), NONE);
        json.failed = true;
        json.at = input.source.text + 1;
        assert_int_equal(json_key_among(&json, &key, names, COUNT_OF(names), first), NONE);
        input_close(&input);
    }
}

static void key_without_comma_before_it_is_not_found(void** state) {
    static const char text[] = "{\"a\":1 \"b\":2, \"c\":3                         }";
    const JsonName    names[] = {json_name("a"), json_name("b")};
    Input             input = input_open(text, strlen(text));
    Json              json = json_open(&input.source, 0, input.diag);
    JsonString        key;
    UNUSED(state);
    assert_true(json_enter(&json, JSON_OBJECT));
    assert_int_equal(json_key_among(&json, &key, names, 2, 0), 0);
    assert_true(json_skip(&json));
    assert_int_equal(json_key_among(&json, &key, names, 2, 0), NONE);
    assert_false(json_key(&json, &key));
    input_close(&input);
}

/* --- after an error --- */

static void call_that_reports_an_error_fails(void** state) {
    JsonString key;
    f64        number;
    UNUSED(state);
    Input input = input_open("[1,]", 4);
    Json  json = json_open(&input.source, 0, input.diag);
    assert_true(json_enter(&json, JSON_ARRAY) && json_item(&json) && json_skip(&json));
    assert_false(json_item(&json));
    assert_true(json.failed);
    input_close(&input);

    input = input_open("{1:2}", 5);
    json = json_open(&input.source, 0, input.diag);
    assert_true(json_enter(&json, JSON_OBJECT));
    assert_false(json_key(&json, &key));
    input_close(&input);

    input = input_open("{\"a\":1e999,\"b\":2}", 17);
    json = json_open(&input.source, 0, input.diag);
    assert_true(json_enter(&json, JSON_OBJECT) && json_key(&json, &key));
    assert_false(json_number(&json, &number));
    assert_false(json_key(&json, &key));
    assert_int_equal(diag_error_count(input.diag), 1);
    input_close(&input);

    char deep[JSON_DEPTH_MAX + 2];
    memset(deep, '[', sizeof deep);
    input = input_open(deep, sizeof deep);
    json = json_open(&input.source, 0, input.diag);
    for (u32 i = 0; i < JSON_DEPTH_MAX; i++) assert_true(json_enter(&json, JSON_ARRAY));
    assert_false(json_enter(&json, JSON_ARRAY));
    assert_int_equal(diag_error_count(input.diag), 1);
    input_close(&input);
}

TEST_SUITE(tokens) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_the_structure_of_their_text),
        cmocka_unit_test(tokens_of_numbers_do_not_depend_on_what_follows),
        cmocka_unit_test(members_are_found_by_their_decoded_keys),
        cmocka_unit_test(numbers_of_tokens_are_those_of_strtod),
        cmocka_unit_test(strings_are_those_of_their_tokens),
        cmocka_unit_test(text_that_is_not_valid_has_no_tokens),
        cmocka_unit_test(expected_keys_are_found_in_any_order),
        cmocka_unit_test(key_without_comma_before_it_is_not_found),
        cmocka_unit_test(call_that_reports_an_error_fails),
    };
    return TEST_RUN("tokens", tests);
}
