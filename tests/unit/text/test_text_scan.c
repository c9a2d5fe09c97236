/* test_text_scan.c - the vector forms of the scanner find what a loop over bytes finds, and values
 * that are skipped quickly are those that the general functions accept. */
#include "test.h"

#include "json.h"
#include "test_input.h"
#include "text_scan.h"

static u64 random_state = 0x9e3779b97f4a7c15ull;

/* splitmix64, S. Vigna 2015 */
static u64 random_next(void) {
    u64 z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* --- finding bytes, 16 and 64 at a time --- */

static const char* plain_end_bytes(const char* at) {
    while (text_is_plain(*at)) at++;
    return at;
}

/* A text in which the bytes that matter are frequent, with a NUL after it. */
static void scan_text_fill(char* text, u32 bytes) {
    static const char likely[] = "\"\\ \t\n\r\x1f\x7f\x80\xff/[]{}:,.-+eE0189az";
    const u32         rare = (u32)(random_next() % 40);
    for (u32 i = 0; i < bytes; i++) {
        const u64 word = random_next();
        text[i] = word % 40 < rare ? likely[(word >> 8) % (sizeof likely - 1)]
                  : word % 3       ? 'a'
                                   : ' ';
    }
    text[bytes] = 0;
}

static void scans_of_any_width_find_the_same_byte(void** state) {
    char text[200];
    UNUSED(state);
    for (u32 i = 0; i < 20000; i++) {
        const u32         bytes = (u32)(random_next() % (sizeof text - 1));
        const char* const end = text + bytes;
        scan_text_fill(text, bytes);
        for (const char* at = text; at <= end; at++) {
            assert_ptr_equal(text_plain_end(at, end), plain_end_bytes(at));
            assert_ptr_equal(text_plain_end_words(at, end), plain_end_bytes(at));
            assert_ptr_equal(text_space_end(at, end), text_space_end_bytes(at));
            assert_ptr_equal(text_space_skip(at, end), text_space_end_bytes(at));
        }
    }
}

#if TEXT_SCAN_LANES
static void bits_of_characters_in_numbers_are_those_of_each_byte(void** state) {
    char text[TEXT_BITS_BYTES + 1];
    UNUSED(state);
    for (u32 i = 0; i < 20000; i++) {
        const u32 first = i % 4 / 2 * (TEXT_BITS_BYTES / 2);
        const u32 end = i % 2 ? TEXT_BITS_BYTES : TEXT_BITS_BYTES / 2;
        scan_text_fill(text, TEXT_BITS_BYTES);
        if (i % 3 == 0) text[i % TEXT_BITS_BYTES] = (char)(i / 3);
        const TextNumberBits b = text_number_bits(text, first, end);
        for (u32 k = 0; k < TEXT_BITS_BYTES; k++) {
            const char c = k >= first && k < end ? text[k] : 'a';
            assert_int_equal(b.digit >> k & 1, c >= '0' && c <= '9');
            assert_int_equal(b.zero >> k & 1, c == '0');
            assert_int_equal(b.point >> k & 1, c == '.');
            assert_int_equal(b.minus >> k & 1, c == '-');
            assert_int_equal(b.comma >> k & 1, c == ',');
            assert_int_equal(b.close >> k & 1, c == ']');
        }
    }
}
#endif

static void digits_of_any_count_have_their_value(void** state) {
    char text[24];
    UNUSED(state);
    for (u32 i = 0; i < 20000 && HOST_IS_LITTLE; i++) {
        const u32 count = (u32)(random_next() % 9);
        u64       digits, value = 0;
        for (u32 k = 0; k < sizeof text; k++) text[k] = (char)random_next();
        for (u32 k = 0; k < count; k++) {
            text[k] = (char)('0' + random_next() % 10);
            value = value * 10 + (u64)(text[k] - '0');
        }
        if (text[count] >= '0' && text[count] <= '9') text[count] = i % 2 ? '/' : ':';
        assert_int_equal(text_digits8(text, &digits), count);
        if (count) assert_true(text_digits8_value(digits, count) == value);
    }
}

/* Reads a value with the general functions, which report what is invalid. */
static bool value_read(Json* json) {
    JsonKind   kind;
    JsonString string;
    f64        number;
    bool       truth;
    if (!json_kind(json, &kind)) return false;
    switch (kind) {
    case JSON_OBJECT:
        if (!json_enter(json, JSON_OBJECT)) return false;
        while (json_key(json, &string)) value_read(json);
        return !json->failed;
    case JSON_ARRAY:
        if (!json_enter(json, JSON_ARRAY)) return false;
        while (json_item(json)) value_read(json);
        return !json->failed;
    case JSON_STRING: return json_string(json, &string);
    case JSON_NUMBER: return json_number(json, &number);
    case JSON_NULL: return json_null(json);
    default: return json_bool(json, &truth);
    }
}

/* What is skipped quickly is what the general functions read: texts around the border of what is
 * valid, before other text and at the end. */
static void values_that_are_skipped_quickly_are_read_equally(void** state) {
    static const char* const parts[] = {"1",   "0",  "-",   ".",    "5",      ",",    "[",  "]",
                                        "-0.", "25", "e1",  "00",   "{",      "}",    ":",  "\"a\"",
                                        " ",   "\n", "tru", "true", "\"bc\"", "null", "-1", "0.5,"};
    u32                      valid = 0;
    UNUSED(state);
    for (u32 i = 0; i < 300000; i++) {
        char      text[300] = "[";
        const u32 count = (u32)(random_next() % 12), rest = i % 2 ? 80 : 0;
        const u32 numbers = i % 4 < 2 ? 6 : 24; /* of the first parts: of arrays of numbers */
        for (u32 k = 0; k < count; k++) {
            strcat(text, parts[random_next() % (numbers == 6 ? 12 : COUNT_OF(parts))]);
        }
        strcat(text, "]");
        const size_t bytes = strlen(text);
        memset(text + bytes, ' ', rest);
        Input      input = input_open(text, bytes + rest), again = input_open(text, bytes + rest);
        Json       skip = json_open(&input.source, 0, input.diag);
        Json       read = json_open(&again.source, 0, again.diag);
        const bool skipped = json_skip(&skip), is_read = value_read(&read);
        if (skipped != is_read) fail_msg("%s: skipped %u, read %u", text, skipped, is_read);
        if (skipped) assert_int_equal(json_offset(&skip), json_offset(&read));
        valid += skipped;
        input_close(&input);
        input_close(&again);
    }
    assert_true(valid > 1000);
}

static u64 number_limit(u32 digits) {
    u64 limit = 1;
    for (u32 i = 0; i < digits; i++) limit *= 10;
    return limit;
}

/* A number of up to 12 digits before the point and behind it; a few have no valid form. */
static void random_number(char* text) {
    const u64 word = random_next();
    char*     at = text + strlen(text);
    if (word & 1) *at++ = '-';
    if (word % 64 == 0) *at++ = '0';
    at += sprintf(at, "%llu",
                  (unsigned long long)random_next() % number_limit((u32)(word >> 8) % 12));
    if (word >> 16 & 3) {
        *at++ = '.';
        for (u64 digits = (word >> 24) % 12 + (word >> 32) % 8 / 7; digits; digits--) {
            *at++ = (char)('0' + random_next() % 10);
        }
    }
    if ((word >> 40) % 32 == 0) *at++ = "e+-. "[(word >> 48) % 5];
    *at = 0;
}

static void arrays_of_numbers_have_the_values_of_each_number(void** state) {
    u32 valid = 0;
    UNUSED(state);
    for (u32 i = 0; i < 200000; i++) {
        char      text[300] = "[";
        const u32 count = i % 3 + 2, rest = i % 2 ? 80 : 0;
        f64       many[4], one;
        for (u32 k = 0; k < count; k++) {
            random_number(text);
            strcat(text, k + 1 < count ? "," : "]");
        }
        const size_t bytes = strlen(text);
        memset(text + bytes, ' ', rest);
        Input input = input_open(text, bytes + rest), again = input_open(text, bytes + rest);
        const char* const after =
            json_numbers(input.source.text, input.source.text + bytes + rest, many, count);
        Json each = json_open(&again.source, 0, again.diag);
        if (after) {
            valid++;
            assert_true(json_enter(&each, JSON_ARRAY));
            for (u32 k = 0; k < count; k++) {
                assert_true(json_item(&each) && json_number(&each, &one));
                if (memcmp(&one, &many[k], sizeof one) != 0) fail_msg("%s: number %u", text, k);
            }
            assert_false(json_item(&each));
            assert_ptr_equal(after - input.text, each.at - again.text);
        }
        input_close(&input);
        input_close(&again);
    }
    assert_true(valid > 50000);
}

/* A key among names is what the general function reads, or nothing is read. */
static void keys_among_names_are_read_equally(void** state) {
    static const JsonName    names[] = {JSON_NAME("name"), JSON_NAME("components"), JSON_NAME("a"),
                                        JSON_NAME("fifteen_letters")};
    static const char* const parts[] = {"\"name\"", "\"components\"",
                                        "\"a\"",    "\"fifteen_letters\"",
                                        "\"nam\"",  "\"names\"",
                                        "\"\"",     "\"n\\u0061me\"",
                                        ":",        ",",
                                        " ",        "}",
                                        "\n",       "1",
                                        "{",        "\""};
    u32                      found = 0;
    UNUSED(state);
    for (u32 i = 0; i < 100000; i++) {
        char       text[200] = "{";
        JsonString key, general;
        for (u32 k = 0; k < 6; k++) strcat(text, parts[random_next() % COUNT_OF(parts)]);
        const size_t bytes = strlen(text), rest = i % 2 ? 40 : 0;
        memset(text + bytes, ' ', rest);
        Input input = input_open(text, bytes + rest), again = input_open(text, bytes + rest);
        Json  json = json_open(&input.source, 0, input.diag);
        Json  other = json_open(&again.source, 0, again.diag);
        assert_true(json_enter(&json, JSON_OBJECT) && json_enter(&other, JSON_OBJECT));
        const u32 name = json_key_among(&json, &key, names, COUNT_OF(names), i % COUNT_OF(names));
        if (name == NONE) {
            assert_ptr_equal(json.at, input.text + 1);
        } else {
            found++;
            assert_true(json_key(&other, &general));
            assert_true(text_equal(key.raw, general.raw) && !key.escaped);
            assert_int_equal(strncmp(names[name].text, key.raw.at, names[name].bytes), 0);
            assert_ptr_equal(json.at - input.text, other.at - again.text);
        }
        input_close(&input);
        input_close(&again);
    }
    assert_true(found > 1000);
}

TEST_SUITE(text_scan) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_of_any_width_find_the_same_byte),
#if TEXT_SCAN_LANES
        cmocka_unit_test(bits_of_characters_in_numbers_are_those_of_each_byte),
#endif
        cmocka_unit_test(digits_of_any_count_have_their_value),
        cmocka_unit_test(values_that_are_skipped_quickly_are_read_equally),
        cmocka_unit_test(arrays_of_numbers_have_the_values_of_each_number),
        cmocka_unit_test(keys_among_names_are_read_equally),
    };
    return TEST_RUN("text_scan", tests);
}
