/* test_json.c - the scanner alone: numbers compared with strtod, escapes, positions, and every
 * change of one byte in small levels. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "doc.h"
#include "json.h"
#include "json_oracle.h"
#include "test_input.h"

/* --- numbers --- */

static u64 random_state = 0x9e3779b97f4a7c15ull;

/* splitmix64, S. Vigna 2015 */
static u64 random_next(void) {
    u64 z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static u32 random_below(u32 n) { return (u32)(random_next() % n); }

static u64 bits_of(f64 value) {
    u64 bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The same bits as strtod, whether the number is alone, is skipped first or is in an array. */
static void check_number(const char* text) {
    char        complete[4000];
    f64         value = -1, many[3] = {-1, -1, -1};
    const int   bytes = snprintf(complete, sizeof complete, "[ %s,%s , %s]", text, text, text);
    const f64   expected = strtod(text, NULL);
    Input       input = input_open(text, strlen(text)), array = input_open(complete, (size_t)bytes);
    Json        json = json_open(&input.source, 0, input.diag), skip = json, all;
    const bool  valid = json_number(&json, &value);
    const char* reason = valid ? "another value than strtod" : "not read";
    if (json_skip(&skip) != valid) fail_msg("%s: json_skip and json_number differ", text);
    if (valid != (bool)isfinite(expected) || (valid && bits_of(value) != bits_of(expected)) ||
        (valid && !json_end(&json))) {
        fail_msg("%s: %s: %a, %a", text, reason, value, expected);
    }
    all = json_open(&array.source, 0, array.diag);
    if (valid && json_enter(&all, JSON_ARRAY)) {
        for (u32 i = 0; json_item(&all); i++) assert_true(i < 3 && json_number(&all, &many[i]));
        for (u32 i = 0; i < 3; i++) assert_true(bits_of(many[i]) == bits_of(expected));
        assert_true(json_end(&all));
    }
    const char* const end = array.source.text + array.source.bytes;
    const char* const after = json_numbers(array.source.text, end, many, 3);
    if (after) { /* accepts only the usual form, and then all of it */
        for (u32 i = 0; i < 3; i++) assert_true(bits_of(many[i]) == bits_of(expected));
        assert_true(valid && after == end);
    }
    if (json_numbers(input.source.text, input.source.text + input.source.bytes, &value, 1))
        assert_true(valid && bits_of(value) == bits_of(expected));
    input_close(&input);
    input_close(&array);
}

static void number_at_limits_of_double_is_read_as_by_strtod(void** state) {
    static const char* const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.0e0",
        "0e999999999999",
        "0.000e-5",
        "1",
        "-1",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "-9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551617",
        "9999999999999999999",
        "99999999999999999999",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "123456789012345678",
        "1234567890123456789",
        "12345678901234567890",
        "0.1",
        "0.2",
        "0.3",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e308",
        "1e309",
        "-1e309",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "-1e-400",
        "0.500000000000000166533453693773481063544750213623046875",
        "8.5e0",
        "1E5",
        "1e+5",
        "3.141592653589793238462643383279502884197",
        "1e-0",
        "1e00005",
        "6.0221407600000000000000000000000000000000e23",
        "0.0000000000000000000000000000000001",
        "100000000000000000000000000000000000000000000000000000000000000000000e-68",
        "4.35",
        "0.000001",
        "1000000000000000000000.5",
        "9.5367431640625e-07",
        "5e-324"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) check_number(texts[i]);
}

/* A decimal text of any form that RFC 8259 allows. */
static void random_number(char* out) {
    static const u32 lengths[] = {1, 2, 3, 6, 9, 15, 16, 17, 18, 19, 20, 21, 40, 330};
    char*            at = out;
    u32              digits = lengths[random_below(COUNT_OF(lengths))];
    if (random_below(3) == 0) *at++ = '-';
    if (random_below(3) == 0) {
        *at++ = '0';
    } else {
        *at++ = (char)('1' + random_below(9));
        while (--digits > 0 && random_below(40)) *at++ = (char)('0' + random_below(10));
    }
    if (random_below(3)) {
        digits = lengths[random_below(COUNT_OF(lengths))];
        *at++ = '.';
        do *at++ = (char)('0' + (random_below(4) ? random_below(10) : 0));
        while (--digits > 0);
    }
    if (random_below(3) == 0) {
        static const char* const signs[] = {"e", "E", "e+", "e-", "E-"};
        const u32                ranges[] = {3, 25, 330, 1000};
        at += sprintf(at, "%s%u", signs[random_below(5)],
                      random_below(ranges[random_below(COUNT_OF(ranges))]));
    }
    *at = 0;
}

static void random_number_is_read_as_by_strtod(void** state) {
    char text[400 + 400];
    UNUSED(state);
    for (u32 i = 0; i < 20000; i++) {
        random_number(text);
        check_number(text);
    }
    for (u32 i = 0; i < 20000; i++) { /* what programs print: shortest and full */
        const u64 bits = random_next();
        f64       value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        sprintf(text, random_below(2) ? "%.17g" : "%.6g", value);
        check_number(text);
        sprintf(text, "%.*f", (int)random_below(9), (f64)(i32)random_next() / 4096);
        check_number(text);
    }
}

/* Only the value, which strtod rounds correctly: for millions of numbers. */
static void check_value(const char* text) {
    f64       value = -1;
    Source    source = {.text = text, .bytes = (u32)strlen(text)};
    Json      json = json_open(&source, 0, NULL);
    const f64 expected = strtod(text, NULL);
    if (!json_number(&json, &value) || bits_of(value) != bits_of(expected)) {
        fail_msg("%s: %a, strtod %a", text, value, expected);
    }
    if (json_numbers(text, text + source.bytes, &value, 1) && bits_of(value) != bits_of(expected)) {
        fail_msg("json_numbers: %s: %a, strtod %a", text, value, expected);
    }
}

/* The middle between two neighbours, as far as 19 digits represent it, and the numbers beside it:
 * an integer of 54 bits whose last bit is 1, times or divided by a power of two. */
static void check_middle(u64 halves, u32 shift) {
    char      text[64];
    const u64 digits = halves << shift;
    for (u64 beside = 0; beside < 3; beside++) {
        sprintf(text, "%llu", (unsigned long long)(digits - 1 + beside));
        check_value(text);
        sprintf(text, "%llue%u", (unsigned long long)(digits - 1 + beside), random_below(28));
        check_value(text);
        sprintf(text, "%llu.%u", (unsigned long long)(halves - 1 + beside), 5 * random_below(2));
        check_value(text);
    }
}

static void number_with_any_digits_and_exponent_is_rounded_as_by_strtod(void** state) {
    const char* const many = getenv("TEST_NUMBERS"); /* 300000000: the long form */
    const u64         count = many ? strtoull(many, NULL, 10) : 1000000;
    char              text[64];
    UNUSED(state);
    for (u64 i = 0; i < count; i++) {
        const u64 digits = random_next() >> random_below(64);
        const i32 exponent = (i32)random_below(60) - 30;
        sprintf(text, "%s%llue%d", i % 2 ? "-" : "", (unsigned long long)digits, exponent);
        check_value(text);
    }
    for (u64 i = 0; i < count / 4; i++)
        check_middle(((random_next() >> 11) << 1) | 1ull << 53 | 1, random_below(11));
    for (u64 i = 0; i < count / 4; i++) { /* near the middle of two numbers below 1 */
        u64 bits = (1023ull - random_below(60)) << 52 | random_next() >> 12;
        f64 low, high;
        memcpy(&low, &bits, sizeof low);
        bits++;
        memcpy(&high, &bits, sizeof high);
        sprintf(text, "%.18Le", ((long double)low + (long double)high) / 2);
        check_value(text);
        sprintf(text, "%.*f", 10 + (i32)random_below(9), low);
        check_value(text);
    }
    for (u32 i = 0; i < 20000; i++) { /* an exact half with a fraction of up to four digits */
        const u32        n = 1 + random_below(4);
        const u64        complete = (random_next() >> (12 + n)) | 1ull << (52 - n);
        const u32        part = random_below(1u << n) * 2 + 1, places = n + 1;
        static const u32 tens[] = {1, 10, 100, 1000, 10000, 100000};
        sprintf(text, "%llu.%0*u", (unsigned long long)complete, (i32)places,
                part * (tens[places] >> places));
        check_value(text);
    }
}

static void text_that_is_no_number_is_refused(void** state) {
    static const char* const texts[] = {
        "",     "-",    "+1",    ".5",   "-.5", "5.", "01",    "-01",      "00",  "1e",  "1e+",
        "1.e1", "0x10", "1.0.0", "1e5.", "--1", "1-", "1e5e5", "Infinity", "NaN", "1_0", "1 2"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(texts); i++) {
        f64   value;
        Input input = input_open(texts[i], strlen(texts[i]));
        Json  json = json_open(&input.source, 0, input.diag), skip = json;
        if (json_number(&json, &value) && json_end(&json)) fail_msg("read: %s", texts[i]);
        if (json_skip(&skip) && json_end(&skip)) fail_msg("skipped: %s", texts[i]);
        assert_true(json.failed && skip.failed && diag_error_count(input.diag) > 0);
        input_close(&input);
    }
}

/* --- strings --- */

static void string_with_escapes_is_decoded_or_refused(void** state) {
    static const struct {
        const char *text, *decoded;
    } rows[] = {
        {"\"\"", ""},
        {"\"a\"", "a"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u00E9\\u20ac\"", "A\xc3\xa9\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!"},
        {"\"\\uD800\\uDC00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {"\"\\u007f\\u0080\\u07ff\\u0800\\ud7ff\\ue000\\uffff\"",
         "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"},
        {"\"\xf0\x9f\x98\x80 \xc3\xa9\"", "\xf0\x9f\x98\x80 \xc3\xa9"},
        {"\"\\\\u0041\"", "\\u0041"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Arena      arena = {0};
        JsonString string;
        Input      input = input_open(rows[i].text, strlen(rows[i].text));
        Json       json = json_open(&input.source, 0, input.diag);
        assert_true(json_string(&json, &string) && json_end(&json));
        assert_string_equal(json_decode(string, &arena), rows[i].decoded);
        assert_true(json_equals(string, rows[i].decoded));
        assert_false(json_equals(string, "something else"));
        char longer[100];
        snprintf(longer, sizeof longer, "%s.", rows[i].decoded);
        assert_false(json_equals(string, longer));
        if (*rows[i].decoded) {
            longer[strlen(rows[i].decoded) - 1] = 0;
            assert_false(json_equals(string, longer));
        }
        arena_drop(&arena);
        input_close(&input);
    }
}

/* What Unicode 15, table 3-7 allows, in other terms: decode, check the range, nothing overlong. */
static bool utf8_is_valid(const u8* b, u32 bytes) {
    static const u32 min[] = {0, 0x80, 0x800, 0x10000};
    for (u32 i = 0; i < bytes;) {
        const u32 more = b[i] < 0x80   ? 0
                         : b[i] < 0xc0 ? 9
                         : b[i] < 0xe0 ? 1
                         : b[i] < 0xf0 ? 2
                         : b[i] < 0xf8 ? 3
                                       : 9;
        if (more == 9 || i + more >= bytes) return false;
        u32 code = more == 0 ? b[i] : b[i] & (0x3fu >> more);
        for (u32 k = 1; k <= more; k++) {
            if (b[i + k] >> 6 != 2) return false;
            code = code << 6 | (b[i + k] & 0x3f);
        }
        if (code < min[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
        i += more + 1;
    }
    return true;
}

/* All sequences of four bytes from those at the limits of ranges. */
static void string_with_invalid_utf8_is_refused(void** state) {
    static const u8 edges[] = {0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                               0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
                               0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
    const u32       n = COUNT_OF(edges);
    u32             taken = 0;
    UNUSED(state);
    for (u32 i = 0; i < n * n * n * n; i++) {
        const u8     b[4] = {edges[i % n], edges[i / n % n], edges[i / n / n % n],
                             edges[i / n / n / n]};
        const char   text[] = {'"', (char)b[0], (char)b[1], (char)b[2], (char)b[3], '"', 0};
        const Source source = source_of("input", text, 6);
        Diagnostics* diag = diag_create();
        Json         json = json_open(&source, 0, diag);
        JsonString   string;
        const bool   valid = json_string(&json, &string) && json_end(&json);
        taken += valid;
        if (valid != utf8_is_valid(b, 4)) fail_msg("%02x %02x %02x %02x", b[0], b[1], b[2], b[3]);
        diag_destroy(diag);
    }
    assert_true(taken > 100);
}

/* --- positions --- */

static void values_and_keys_have_their_positions_in_text(void** state) {
    static const char text[] = "\n { \"a\" :\t[ 1, \"x\" ,null]\r\n, \"b\":{} } \n";
    Input             input = input_open(text, sizeof text - 1);
    Json              json = json_open(&input.source, 0, input.diag);
    JsonString        key;
    JsonKind          kind;
    u32               offsets[3], n = 0;
    UNUSED(state);
    assert_int_equal(json_offset(&json), 2);
    assert_true(json_enter(&json, JSON_OBJECT) && json_key(&json, &key) && json_equals(key, "a"));
    assert_int_equal(key.raw.at - input.source.text, 5);
    assert_int_equal(json_offset(&json), 10);
    const Text complete = json_value_text(&input.source, 10);
    assert_int_equal(complete.bytes, strlen("[ 1, \"x\" ,null]"));
    assert_true(json_enter(&json, JSON_ARRAY));
    while (json_item(&json)) {
        assert_true(n < 3);
        offsets[n++] = json_offset(&json);
        assert_true(json_kind(&json, &kind) && json_skip(&json));
    }
    assert_int_equal(n, 3);
    assert_int_equal(offsets[0], 12);
    assert_int_equal(offsets[1], 15);
    assert_int_equal(offsets[2], 20);
    assert_true(json_key(&json, &key) && json_equals(key, "b") && json_skip(&json));
    assert_false(json_key(&json, &key));
    assert_true(json_end(&json));
    assert_int_equal(diag_error_count(input.diag), 0);
    input_close(&input);
}

/* --- extras of other tools in glTF files --- */

static void expect_equal_to_oracle(const JsonTokens* tokens) {
    const JsonToken* differs = json_oracle_difference(tokens);
    if (differs)
        fail_msg("cJSON differs at byte %u of: %.*s", json_token_offset(tokens->source, differs),
                 (int)tokens->source->bytes, tokens->source->text);
}

/* The number of errors of a text as the JSON of a glTF file; `opened` is set when it is valid. */
static u32 gltf_errors(const char* text, size_t bytes, bool* opened) {
    Input      input = input_open(text, bytes);
    JsonTokens tokens;
    *opened = json_tokens_open_gltf(&tokens, &input.source, input.diag);
    const u32 errors = diag_error_count(input.diag);
    if (*opened) expect_equal_to_oracle(&tokens);
    json_tokens_close(&tokens);
    input_close(&input);
    return errors;
}

static u32 extras_errors(const char* value, bool* opened) {
    char      text[1000];
    const int bytes = snprintf(text, sizeof text, "{\"extras\":%s,\"b\":[1]}", value);
    return gltf_errors(text, (size_t)bytes, opened);
}

static void gltf_extras_with_any_valid_json_are_accepted(void** state) {
    static const char* const valid[] = {
        "{\"a\":1,\"a\":2}",
        "[{\"a\":{\"b\":1,\"b\":2}},{\"a\":1,\"\\u0061\":2}]",
        "\"\\u0000\"",
        "{\"\\u0000\":\"\\u0000\",\"\\u0000\":{}}",
        "{\"extras\":{\"a\":1,\"a\":2},\"extras\\u0000\":0,\"extras\":{\"a\":1,\"a\":\"\\u0000\"}}",
        "\"\\\\u0000 \\\\\\u0000\"",
    };
    static const char* const wrong[] = {"01",
                                        "+1",
                                        ".5",
                                        "1e999",
                                        "NaN",
                                        "'a'",
                                        "nul",
                                        "[1,]",
                                        "[1 2]",
                                        "[,1]",
                                        "]",
                                        "",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{\"a\" 1}",
                                        "{\"a\":}",
                                        "{\"a\"}",
                                        "{,}",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\u000\"",
                                        "\"\\ud800\"",
                                        "\"\\udc00\"",
                                        "\"\t\"",
                                        "\"\n\"",
                                        "\"\xff\"",
                                        "\"\xc0\x80\"",
                                        "\"a",
                                        "// c\n1",
                                        "/* c */ 1",
                                        "1 1",
                                        "True",
                                        "undefined",
                                        "\"\\u0000",
                                        "{\"a\":1,\"a\"}"};
    bool                     opened;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(valid); i++) {
        if (extras_errors(valid[i], &opened) || !opened) fail_msg("refused: %s", valid[i]);
    }
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        if (!extras_errors(wrong[i], &opened) || opened) fail_msg("accepted: %s", wrong[i]);
    }
}

/* After the extras everything is strict again. */
static void gltf_around_extras_with_duplicate_keys_is_refused(void** state) {
    static const char* const wrong[] = {
        "{\"a\":1,\"a\":2}",
        "{\"extras\":{},\"extras\":{}}",
        "{\"extras\":{\"a\":1},\"a\":1,\"a\":2}",
        "{\"a\":{\"extras\":[{}]},\"b\":{\"c\":1,\"c\":2}}",
        "{\"a\":{\"extras\":[{}],\"c\":1,\"c\":2}}",
        "{\"extras\":{},\"a\":\"\\u0000\"}",
        "{\"extras\":{},\"\\u0000\":1}",
        "{\"extras\\u0000\":{}}",
        "[{\"extras\":{\"a\":1}},{\"a\":1,\"a\":2}]",
        "{\"Extras\":{\"a\":1,\"a\":2}}",
    };
    bool opened;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        if (!gltf_errors(wrong[i], strlen(wrong[i]), &opened)) fail_msg("accepted: %s", wrong[i]);
    }
}

/* Every change of one byte, whatever becomes of the extras. */
static void gltf_with_any_changed_byte_has_the_values_of_the_oracle(void** state) {
    static const char complete[] =
        "{\"a\":{\"extras\":{\"a\":\"\\u0000\",\"a\":[1,{\"b\\u0000\":2}]},"
        "\"c\":-1.5e0},\"d\":\"\\u0041\"}";
    char text[sizeof complete];
    bool opened;
    u32  taken = 0;
    UNUSED(state);
    assert_int_equal(gltf_errors(complete, sizeof complete - 1, &opened), 0);
    for (size_t n = 0; n < sizeof complete - 1; n++) {
        memcpy(text, complete, sizeof complete);
        for (u32 c = 0; c < 256; c++) {
            text[n] = (char)c;
            taken += gltf_errors(text, sizeof complete - 1, &opened) == 0;
        }
    }
    assert_true(taken > 1000);
}

/* --- sweeps --- */

static const char* const levels[] = {
    "{\"entities\":[{\"name\":\"a\",\"components\":{\"transform\":{\"position\":[0,-2.5e0,1]},"
    "\"light\":[{\"kind\":\"spot\"},{}]},\"children\":[{\"name\":\"b\"}]},{\"parent\":\"a\"}]}",
    "\xef\xbb\xbf{ \"$comment\": [true, false, null, \"\\u00e9\\n\"],\n\t\"entities\": [ ] }\r\n",
    "{\"entities\":[{\"prefab\":\"p/q\",\"overrides\":{\"x/"
    "y\":{\"components\":{\"camera\":null}}}},"
    "{\"name\":\"\xc3\xa4\\ud83d\\ude00\",\"components\":{\"name\":{\"id\":\"z\"}}}]}",
};

static Registry registry;

/* Through all readers. Returns whether the scanner accepted it. */
static bool sweep_one(const char* text, size_t bytes) {
    Input      input = input_open(text, bytes);
    Arena      arena = {0};
    Doc        doc;
    Json       json = json_open(&input.source, 0, input.diag);
    const bool scanned = json_skip(&json) && json_end(&json);
    const bool strict = scanned && diag_error_count(input.diag) == 0; /* no duplicate keys */
    JsonTokens tokens;
    const bool has_tokens = json_tokens_open(&tokens, &input.source, input.diag);
    assert_true(has_tokens == scanned);
    if (scanned) expect_equal_to_oracle(&tokens);
    json_tokens_close(&tokens);
    if (!scanned) assert_true(diag_error_count(input.diag) > 0);
    const bool read =
        doc_level_read(&doc, &input.source, &registry, &arena, input.diag, NULL) && !doc.has_errors;
    if (read && !strict)
        fail_msg("doc_level_read accepts what json_skip refuses: %.*s", (int)bytes, text);
    doc_drop(&doc);
    Diagnostics* again = diag_create();
    const bool   same =
        doc_level_read(&doc, &input.source, &registry, &arena, again, NULL) && !doc.has_errors;
    assert_true(same == read && same == (diag_error_count(again) == 0));
    doc_drop(&doc);
    diag_destroy(again);
    arena_drop(&arena);
    input_close(&input);
    return scanned;
}

static void sweep_begin(void** state) {
    Diagnostics* diag = diag_create();
    UNUSED(state);
    assert_true(registry_init(&registry, diag));
    diag_destroy(diag);
}

static void level_text_truncated_at_any_byte_is_refused(void** state) {
    sweep_begin(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        const size_t bytes = strlen(levels[i]);
        const char*  last = strrchr(levels[i], '}');
        for (size_t n = 0; n <= bytes; n++) {
            assert_int_equal(sweep_one(levels[i], n), n > (size_t)(last - levels[i]));
        }
    }
}

static void level_text_with_any_replaced_byte_is_refused_or_valid_json(void** state) {
    char text[400];
    u32  taken = 0;
    sweep_begin(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        const size_t bytes = strlen(levels[i]);
        memcpy(text, levels[i], bytes);
        for (size_t n = 0; n < bytes; n++) {
            for (u32 c = 0; c < 256; c++) {
                text[n] = (char)c;
                taken += sweep_one(text, bytes);
            }
            text[n] = levels[i][n];
        }
    }
    assert_true(taken > 10000); /* letters in names, mostly */
}

static void level_text_with_inserted_or_removed_byte_is_judged_as_by_cjson(void** state) {
    static const char inserted[] = "{}[],:\"\\0-.e /n\x00\xff";
    char              text[400];
    sweep_begin(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        const size_t bytes = strlen(levels[i]);
        for (size_t n = 0; n < bytes; n++) {
            memcpy(text, levels[i], n);
            memcpy(text + n, levels[i] + n + 1, bytes - n - 1);
            sweep_one(text, bytes - 1);
            memcpy(text + n + 1, levels[i] + n, bytes - n);
            for (size_t k = 0; k < sizeof inserted - 1; k++) {
                text[n] = inserted[k];
                sweep_one(text, bytes + 1);
            }
        }
    }
}

TEST_SUITE(json) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_at_limits_of_double_is_read_as_by_strtod),
        cmocka_unit_test(random_number_is_read_as_by_strtod),
        cmocka_unit_test(number_with_any_digits_and_exponent_is_rounded_as_by_strtod),
        cmocka_unit_test(text_that_is_no_number_is_refused),
        cmocka_unit_test(string_with_escapes_is_decoded_or_refused),
        cmocka_unit_test(string_with_invalid_utf8_is_refused),
        cmocka_unit_test(values_and_keys_have_their_positions_in_text),
        cmocka_unit_test(gltf_extras_with_any_valid_json_are_accepted),
        cmocka_unit_test(gltf_around_extras_with_duplicate_keys_is_refused),
        cmocka_unit_test(gltf_with_any_changed_byte_has_the_values_of_the_oracle),
        cmocka_unit_test(level_text_truncated_at_any_byte_is_refused),
        cmocka_unit_test(level_text_with_any_replaced_byte_is_refused_or_valid_json),
        cmocka_unit_test(level_text_with_inserted_or_removed_byte_is_judged_as_by_cjson),
    };
    return TEST_RUN("json", tests);
}
