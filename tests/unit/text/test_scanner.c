/* test_scanner.c - the scanner of JSON call by call: the result of each call, its message, and that
 * a cursor that has failed reads nothing more. Complete texts are tested in test_json.c. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "json_tokens.h"
#include "test_input.h"
#include "test_worlds_support.h"
#include "utf8.h"

/* --- the results of readers --- */

typedef bool (*ReadOne)(Json* json);

static bool read_kind(Json* json) {
    JsonKind kind;
    return json_kind(json, &kind);
}
static bool read_bool(Json* json) {
    bool value;
    return json_bool(json, &value);
}
static bool read_number(Json* json) {
    f64 value;
    return json_number(json, &value);
}
static bool read_string(Json* json) {
    JsonString value;
    return json_string(json, &value);
}
static bool read_object(Json* json) {
    JsonString key;
    return json_enter(json, JSON_OBJECT) && json_key(json, &key);
}
static bool enter_object(Json* json) { return json_enter(json, JSON_OBJECT); }
static bool enter_array(Json* json) { return json_enter(json, JSON_ARRAY); }
static bool second_item(Json* json) {
    f64 value;
    return enter_array(json) && json_item(json) && json_number(json, &value) && json_item(json);
}
static bool read_array(Json* json) { return json_enter(json, JSON_ARRAY) && json_item(json); }

static const ReadOne readers[] = {read_kind,   read_bool,    json_null,   read_number,
                                  read_string, read_object,  read_array,  json_skip,
                                  json_end,    enter_object, enter_array, second_item};

/* A call that does not find what it reads returns false, and reports one error. */
static void read_of_value_of_other_kind_fails_with_one_error(void** state) {
    static const struct {
        ReadOne     read;
        const char* text;
    } rows[] = {
        {read_kind, "tru"},
        {read_kind, "fals"},
        {read_kind, "nul"},
        {read_kind, "?"},
        {read_kind, "/"},
        {read_kind, ""},
        {json_null, "nul"},
        {json_null, "true"},
        {json_null, "nulls"},
        {read_bool, "tru"},
        {read_bool, "fals"},
        {read_bool, "null"},
        {read_bool, "truth"},
        {read_number, "a"},
        {read_number, "-"},
        {read_number, "1."},
        {read_number, "1e"},
        {read_number, "01"},
        {read_number, "1e999"},
        {read_string, "a"},
        {read_string, "ab\""},
        {read_string, "\"a"},
        {read_string, "\"\\q\""},
        {read_string, "\"\\u1\""},
        {read_string, "\"\xff\""},
        {read_string, "\"\n\""},
        {read_object, "["},
        {read_object, "{a"},
        {read_object, "{\"a"},
        {read_object, "{\"a\"}"},
        {read_object, "{/"},
        {read_array, "{"},
        {json_skip, "[1 2]"},
        {json_skip, "[1,]"},
        {json_skip, "{\"a\":1 2}"},
        {json_skip, "{\"a\":tru}"},
        {json_skip, "[tru]"},
        {json_skip, "-"},
        {json_skip, "1e999"},
        {json_null, "?"},
        {read_kind, "t"},
        {read_object, "x"},
        {read_array, "x"},
        {enter_object, "["},
        {enter_object, ""},
        {enter_array, "{"},
        {second_item, "[1 /"},
        {second_item, "[1 2"},
        {json_end, "1"},
        {json_end, "/"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Input input = input_open(rows[i].text, strlen(rows[i].text));
        Json  json = json_open(&input.source, 0, input.diag);
        if (rows[i].read(&json)) fail_msg("%u: \"%s\"", i, rows[i].text);
        assert_true(json.failed);
        assert_int_equal(diag_error_count(input.diag), 1);
        input_close(&input);
    }
}

/* A cursor that has failed reads nothing more, although there is something to read. */
static void cursor_that_has_failed_reads_nothing_more(void** state) {
    UNUSED(state);
    for (u32 k = 0; k < COUNT_OF(readers); k++) {
        static const char* const texts[] = {"1",   "true", "null", "1", "\"a\"", "{\"a\":1}",
                                            "[1]", "1",    "",     "{", "[",     "[1,2]"};
        Input                    next = input_open(texts[k], strlen(texts[k]));
        Json                     fresh = json_open(&next.source, 0, next.diag);
        assert_true(readers[k](&fresh)); /* it would be read */
        fresh = json_open(&next.source, 0, next.diag);
        fresh.failed = true;
        if (readers[k](&fresh)) fail_msg("reader %u reads on", k);
        assert_int_equal(diag_error_count(next.diag), 0);
        input_close(&next);
    }
}

static void boolean_words_are_read_as_their_values(void** state) {
    static const char* const texts[] = {"true", "false", " true ", " false "};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        bool  value = i % 2;
        Input input = input_open(texts[i], strlen(texts[i]));
        Json  json = json_open(&input.source, 0, input.diag);
        assert_true(json_bool(&json, &value) && json_end(&json));
        assert_true(value == (i % 2 == 0));
        input_close(&input);
    }
}

/* The byte order mark is skipped only at the beginning of the text, and only if it is complete. */
static void byte_order_mark_at_beginning_of_text_is_skipped(void** state) {
    Input input = input_open("\xef\xbb\xbf[]", 5), half = input_open("\xef\xbb", 2);
    Json  json = json_open(&input.source, 0, input.diag);
    UNUSED(state);
    assert_true(json_skip(&json) && json_end(&json));
    json = json_open(&input.source, 3, input.diag);
    assert_int_equal(json_offset(&json), 3);
    assert_true(json_skip(&json) && json_end(&json));
    json = json_open(&half.source, 0, half.diag);
    assert_false(json_skip(&json));
    input_close(&input);
    input_close(&half);
    input = input_open("[ \xef\xbb\xbf]", 6);
    json = json_open(&input.source, 2, input.diag);
    assert_false(json_skip(&json));
    input_close(&input);
}

/* The numbers that the fast reader of arrays accepts, and those that it leaves to the precise one,
 * without moving the cursor. */
static void fast_reader_accepts_only_numbers_of_usual_form(void** state) {
    static const struct {
        const char* text;
        u32         count;
        bool        taken;
        f64         first;
    } rows[] = {
        {"1", 1, true, 1},
        {"-1", 1, true, -1},
        {"12.5", 1, true, 12.5},
        {"0", 1, true, 0},
        {"0.25", 1, true, 0.25},
        {"-0.5", 1, true, -0.5},
        {"10", 1, true, 10},
        {"01", 1, false, 0},
        {"-00", 1, false, 0},
        {"1.", 1, false, 0},
        {"-", 1, false, 0},
        {"", 1, false, 0},
        {".5", 1, false, 0},
        {"1e5", 1, false, 0},
        {"1E5", 1, false, 0},
        {"1.5e5", 1, false, 0},
        {"1234567890123456789", 1, true, 1234567890123456789.0},
        {"12345678901234567890", 1, false, 0},
        {"1.23456789012345678", 1, true, 1.23456789012345678},
        {"1.234567890123456789", 1, false, 0},
        {"[1,2]", 2, true, 1},
        {"[ 1 , 2 ]", 2, true, 1},
        {" [1,2]", 2, false, 0},
        {"1,2]", 2, false, 0},
        {"11,2]", 2, false, 0},
        {"[123456789.5,2]", 2, true, 123456789.5},
        {"[123456789.5;2]", 2, false, 0},
        {"[123456789.5,2,", 2, false, 0},
        {"[123456789.5,2}", 2, false, 0},
        {"[1,2", 2, false, 0},
        {"[1,2,", 2, false, 0},
        {"[1 2]", 2, false, 0},
        {"[1]", 2, false, 0},
        {"[1,2,3]", 2, false, 0},
        {"[1,01]", 2, false, 0},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        f64       values[2] = {-7, -7};
        const u32 bytes = (u32)strlen(rows[i].text);
        for (u32 rest = 0; rest <= 100; rest += 100) { /* text after it */
            char longer[200];
            snprintf(longer, sizeof longer, "%s%*s", rows[i].text, (int)rest, "");
            Input       input = input_open(longer, bytes + rest);
            const char* text = input.source.text;
            const char* after = json_numbers(text, text + bytes + rest, values, rows[i].count);
            if (after != (rows[i].taken ? text + bytes : NULL)) fail_msg("%s", rows[i].text);
            if (rows[i].taken)
                assert_true(values[0] == rows[i].first && (rows[i].count == 1 || values[1] == 2));
            input_close(&input);
        }
    }
}

/* --- messages --- */

static const struct {
    const char *text, *message;
} found[] = {
    {"1.", "expected a digit in a number, found the end of the file"},
    {"1. ", "expected a digit in a number, found a space"},
    {"1.\t", "expected a digit in a number, found a tab"},
    {"1.\n", "expected a digit in a number, found the end of the line"},
    {"1.\r", "expected a digit in a number, found the end of the line"},
    {"-x", "expected a digit in a number, found 'x'"},
    {"1e'", "expected a digit in an exponent, found '\n"},
    {"1e;", "expected a digit in an exponent, found ';'\n"},
    {"-\x7f", "expected a digit in a number, found byte 0x7f"},
    {"-\x01", "expected a digit in a number, found byte 0x01"},
    {"-\xff", "expected a digit in a number, found byte 0xff"},
    {"-\xc3", "expected a digit in a number, found byte 0xc3"},
    {"-\xc3\xa4", "expected a digit in a number, found '\xc3\xa4' (U+00E4)"},
    {"-\xf0\x9f\x98\x80", "found '\xf0\x9f\x98\x80' (U+1F600)"},
    {"-abcdefghijklmnopqrstuvwxyz_012345", "found 'abcdefghijklmnopqrstuvwxyz_01234'\n"},
    {"-abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ",
     "found 'abcdefghijklmnopqrstuvwxyz_ABCDE'\n"},
    {"-Zz_9{", "found 'Zz_9'\n"},
    {"", "expected a value, found the end of the file"},
    {"/", "JSON has no comments"},
    {"'a'", "a string must be in double quotes, not in single quotes"},
    {"+1", "a number must begin with a digit or '-'"},
    {".5", "a number must begin with a digit or '-'"},
    {"\xff\xfe{", "the file is encoded in UTF-16; save it as UTF-8"},
    {"\xfe\xff{", "the file is encoded in UTF-16; save it as UTF-8"},
    {"\xff", "expected a value, found byte 0xff"},
    {" \xff\xfe", "expected a value, found byte 0xff"},
    {"NaN", "JSON has no NaN; a number must be finite"},
    {"NaNa", "expected a value, found 'NaNa'"},
    {"True", "JSON has no True; write true"},
    {"tru", "expected a value, found 'tru'"},
    {"truer", "expected a value, found 'truer'"},
    {"falsy", "expected a value, found 'falsy'"},
    {"nul", "expected a value, found 'nul'"},
    {"01", "a number must not have leading zeros"},
    {"-00", "a number must not have leading zeros"},
    {"1e999", "the number is too large"},
    {"\"a", "the string is not terminated by '\"'\n"},
    {"\"a\nb\"", "the string is not terminated by '\"' on its line"},
    {"\"a\rb\"", "the string is not terminated by '\"' on its line"},
    {"\"a\tb\"", "byte 0x09 in a string must be written as \\u0009"},
    {"\"\\x\"", "a backslash must be followed by one of"},
    {"\"\\u12g4\"", "\\u must be followed by four hexadecimal digits"},
    {"\"\\u0000\"", "strings of entc cannot contain this character"},
    {"\"\\udc00\"", "\\udc00 is the second half of a surrogate pair without the first half"},
    {"\"\\udfff\"", "\\udfff is the second half of a surrogate pair without the first half"},
    {"\"\\ud800\"", "\\ud800 is the first half of a surrogate pair without the second half"},
    {"\"\\ud800.u1234\"", "\\ud800 is the first half of a surrogate pair"},
    {"\"\\ud800\\n1234\"", "\\ud800 is the first half of a surrogate pair"},
    {"\"\\ud800\\udbff\"", "\\ud800 is the first half of a surrogate pair"},
    {"\"\\ud800\\ue000\"", "\\ud800 is the first half of a surrogate pair"},
    {"\"\\ud800\\uzzzz\"", "\\ud800 is the first half of a surrogate pair"},
    {"\"\xff\"", "byte 0xff is not valid UTF-8"},
    {"[1 2]", "expected ',' or ']' after an item, found '2'"},
    {"[1 /", "JSON has no comments"},
    {"[1,]", "JSON does not allow a comma before ']'"},
    {"{\"a\":1,}", "JSON does not allow a comma before '}'"},
    {"{a:1}", "expected a key in double quotes, found 'a'"},
    {"{'a':1}", "a key must be in double quotes, not in single quotes"},
    {"{/", "JSON has no comments"},
    {"{\"a\" 1}", "expected ':' after a key, found '1'"},
    {"{\"a\":1 2}", "expected ',' or '}' after a value, found '2'"},
    {"1 2", "expected the end of the file, found '2'"},
    {"1 /", "JSON has no comments"},
};

/* The text that was found where something else was expected. */
static void message_about_unexpected_text_names_it(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(found); i++) {
        char*  printed = NULL;
        size_t bytes = 0;
        FILE*  out = open_memstream(&printed, &bytes);
        Input  input = input_open(found[i].text, strlen(found[i].text));
        Json   json = json_open(&input.source, 0, input.diag);
        assert_false(json_skip(&json) && json_end(&json));
        assert_int_equal(diag_error_count(input.diag), 1);
        diag_print(input.diag, out, DIAG_TEXT, false);
        fclose(out);
        char* end = strstr(printed, " [E"); /* the message ends before its code */
        assert_non_null(end);
        *end = '\n';
        if (!strstr(printed, found[i].message)) fail_msg("%s: %s", found[i].text, printed);
        free(printed);
        input_close(&input);
    }
}

/* A sequence that continues after the end is invalid. */
static void utf8_sequence_cut_by_end_of_text_has_no_length(void** state) {
    static const char* const sequences[] = {"a", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sequences); i++) {
        for (u32 bytes = 1; bytes <= i + 1; bytes++) {
            assert_int_equal(utf8_length(sequences[i], sequences[i] + bytes),
                             bytes == i + 1 ? bytes : 0);
        }
    }
}

/* --- keys --- */

/* An object of `count` keys "k0", "k1" .., of which the last one is `last`; `escape` writes k as a
 * Unicode number. Returns how many errors reading it has. */
static u32 keys_errors(u32 count, const char* last, bool escape) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputc('{', out);
    for (u32 i = 0; i < count; i++) {
        fprintf(out, "\"%sk%u\":%u,", escape && i % 2 ? "\\u0061" : "a", i, i);
    }
    fprintf(out, "\"%s\":[%u]}", last, count);
    fclose(out);
    Input input = input_open(text, bytes);
    Json  json = json_open(&input.source, 0, input.diag);
    assert_true(json_skip(&json) && json_end(&json));
    const u32 errors = diag_error_count(input.diag);
    input_close(&input);
    free(text);
    return errors;
}

/* Whatever their number: few keys are compared with each other, many are looked up. */
static void object_with_duplicate_key_at_any_position_is_refused(void** state) {
    static const u32 counts[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 500};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        for (u32 escape = 0; escape < 2; escape++) {
            const u32 step = counts[i] < 100 ? 1 : 7;
            assert_int_equal(keys_errors(counts[i], "ak", escape), 0);
            assert_int_equal(keys_errors(counts[i], "", escape), 0);
            assert_int_equal(keys_errors(counts[i], "\\u0061k", escape), 0);
            for (u32 k = 0; k < counts[i]; k += step) {
                char key[32];
                snprintf(key, sizeof key, "ak%u", k);
                assert_int_equal(keys_errors(counts[i], key, escape), 1);
                snprintf(key, sizeof key, "\\u0061\\u006b%u", k);
                assert_int_equal(keys_errors(counts[i], key, escape), 1);
                snprintf(key, sizeof key, "ak%u.", k);
                assert_int_equal(keys_errors(counts[i], key, escape), 0);
            }
        }
    }
}

/* The maximum number of nested arrays and objects, and one more. */
static void json_nested_deeper_than_limit_is_refused(void** state) {
    static const char* const open[] = {"[", "{\"a\":"};
    static const char* const close[] = {"]", "}"};
    UNUSED(state);
    for (u32 i = 0; i < 2; i++) {
        for (u32 more = 0; more < 2; more++) {
            char*  text = NULL;
            size_t bytes = 0;
            FILE*  out = open_memstream(&text, &bytes);
            for (u32 k = 0; k < JSON_DEPTH_MAX + more; k++) fputs(open[i], out);
            fputs("1", out);
            for (u32 k = 0; k < JSON_DEPTH_MAX + more; k++) fputs(close[i], out);
            fclose(out);
            Input input = input_open(text, bytes);
            Json  json = json_open(&input.source, 0, input.diag);
            assert_true(json_skip(&json) == !more);
            assert_true(json_end(&json) == !more);
            assert_int_equal(diag_error_count(input.diag), more);
            input_close(&input);
            free(text);
        }
    }
}

/* The report about a text that is valid at first and then is not, by each call before. */
static void calls_after_the_error_in_a_text_fail(void** state) {
    JsonString key;
    UNUSED(state);
    Input input = input_open("{\"a\":tru}", 9);
    Json  json = json_open(&input.source, 0, input.diag);
    assert_true(json_enter(&json, JSON_OBJECT) && json_key(&json, &key));
    assert_false(json_skip(&json));
    assert_false(json_key(&json, &key));
    input_close(&input);
    input = input_open("{\"\\q\":1}", 8);
    json = json_open(&input.source, 0, input.diag);
    assert_true(json_enter(&json, JSON_OBJECT));
    assert_false(json_key(&json, &key));
    assert_int_equal(diag_error_count(input.diag), 1);
    input_close(&input);
    static const char* const texts[] = {"[[[tru]]]",  "[{\"a\":tru}]", "[\"\\q\"]",
                                        "[nul]",      "[fals]",        "[1 /",
                                        "{\"a\":1 /", "[[1 /",         "{\"a\":{\"b\":\"\\q\"}}"};
    for (u32 i = 0; i < 2 * COUNT_OF(texts); i++) { /* of glTF too */
        const char* text = texts[i / 2];
        input = input_open(text, strlen(text));
        json = json_open(&input.source, 0, input.diag);
        json.gltf = i % 2;
        assert_false(json_skip(&json));
        assert_true(json.failed);
        assert_int_equal(diag_error_count(input.diag), 1);
        input_close(&input);
    }
}

/* Escaped strings of the same length are distinguished, and a NUL is no end of a text. */
static void strings_with_escapes_are_compared_by_decoded_text(void** state) {
    static const char nothing[2] = {0, 0};
    const JsonString  letters = {.raw = {"\\u0041b", 7}, .escaped = true};
    const JsonString  nul = {.raw = {"\\u0000", 6}, .escaped = true};
    UNUSED(state);
    assert_true(json_equals(letters, "Ab"));
    assert_false(json_equals(letters, "Bb"));
    assert_false(json_equals(letters, "Aa"));
    assert_false(json_equals(nul, nothing));
}

/* A text at the end of readable memory: at every length that its last words may have. */
static void text_at_end_of_memory_is_read_without_access_beyond(void** state) {
    Guard guard;
    UNUSED(state);
    guard_open(&guard, 64);
    for (u32 first = 0; first < 46; first++) { /* spaces before it; 48 bytes with the NUL */
        for (u32 closed = 0; closed < 2; closed++) {
            char* text = (char*)guard_at(&guard, 48);
            memset(text, ' ', first);
            memset(text + first, 'a', 47 - first);
            text[first] = '"';
            if (closed) text[46] = '"';
            text[47] = 0;
            Diagnostics* diag = diag_create();
            const Source source = source_of("input", text, 47);
            Json         json = json_open(&source, 0, diag);
            assert_true(json_skip(&json) == (closed == 1));
            diag_destroy(diag);
        }
    }
    guard_close(&guard);
}

#define AT_END 256u

/* A text that ends at the last readable byte, with spaces behind it. */
static Source source_at_end(const Guard* guard, const char* text, u32 spaces) {
    const u32 bytes = (u32)strlen(text) + spaces;
    char*     at = (char*)guard_at(guard, AT_END) + AT_END - bytes - 1;
    snprintf(at, bytes + 1, "%s%*s", text, (int)spaces, "");
    return source_of("input", at, bytes);
}

/* Objects and arrays, and numbers in brackets, at every distance from the end of readable memory. */
static void value_at_end_of_memory_is_read_without_access_beyond(void** state) {
    static const char* const texts[] = {
        "{\"a\":1}", "{\"abcdefg\":[1,2]}", "[1,2,3]", "[1.5,-2,123456789.5]",
        "[1234567.1234567,                                             1234567.1234567,1.5]"};
    Guard guard;
    f64   values[3];
    UNUSED(state);
    guard_open(&guard, AT_END);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        for (u32 spaces = 0; spaces < 96; spaces++) {
            const Source      source = source_at_end(&guard, texts[i], spaces);
            const char* const end = source.text + source.bytes;
            Diagnostics*      diag = diag_create();
            JsonTokens        tokens;
            assert_true(json_tokens_open(&tokens, &source, diag));
            json_tokens_close(&tokens);
            if (*source.text == '[')
                assert_ptr_equal(json_numbers(source.text, end, values, 3), end - spaces);
            diag_destroy(diag);
        }
    }
    guard_close(&guard);
}

/* A key that is expected, with spaces before and behind it. */
static void key_at_end_of_memory_is_compared_without_access_beyond(void** state) {
    const JsonName names[] = {json_name("components")};
    Guard          guard;
    UNUSED(state);
    guard_open(&guard, AT_END);
    for (u32 before = 0; before < 40; before++) {
        for (u32 spaces = 0; spaces < 40; spaces++) {
            char text[AT_END];
            snprintf(text, sizeof text, "{%*s\"x\":1}", (int)before, "");
            const Source source = source_at_end(&guard, text, spaces);
            Diagnostics* diag = diag_create();
            Json         json = json_open(&source, 0, diag);
            JsonString   key;
            assert_true(json_enter(&json, JSON_OBJECT));
            assert_int_equal(json_key_among(&json, &key, names, 1, 0), NONE);
            assert_true(json_key(&json, &key) && json_skip(&json) && !json_key(&json, &key));
            diag_destroy(diag);
        }
    }
    guard_close(&guard);
}

TEST_SUITE(scanner) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_of_value_of_other_kind_fails_with_one_error),
        cmocka_unit_test(cursor_that_has_failed_reads_nothing_more),
        cmocka_unit_test(boolean_words_are_read_as_their_values),
        cmocka_unit_test(byte_order_mark_at_beginning_of_text_is_skipped),
        cmocka_unit_test(fast_reader_accepts_only_numbers_of_usual_form),
        cmocka_unit_test(utf8_sequence_cut_by_end_of_text_has_no_length),
        cmocka_unit_test(message_about_unexpected_text_names_it),
        cmocka_unit_test(text_at_end_of_memory_is_read_without_access_beyond),
        cmocka_unit_test(value_at_end_of_memory_is_read_without_access_beyond),
        cmocka_unit_test(key_at_end_of_memory_is_compared_without_access_beyond),
        cmocka_unit_test(strings_with_escapes_are_compared_by_decoded_text),
        cmocka_unit_test(object_with_duplicate_key_at_any_position_is_refused),
        cmocka_unit_test(json_nested_deeper_than_limit_is_refused),
        cmocka_unit_test(calls_after_the_error_in_a_text_fail),
    };
    return TEST_RUN("scanner", tests);
}
