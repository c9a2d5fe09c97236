/* json.c - the strict scanner: RFC 8259 and nothing else, one pass, positions for everything.
 *
 * The text is followed by a NUL, so the inner loops need no bounds check: NUL ends all of them, and
 * only then the end of the text is checked. */
#include "json_internal.h"

#include "diag_codes.h"
#include "json_list.h"
#include "utf8.h"

#include <math.h>
#include <stdio.h>

#define KEY_ROOM 24 /* bytes of a key that is compared as words, and of what is around it */

static inline void skip_space(Json* json) { json->at = text_space_skip(json->at, json->end); }

Json json_open(const Source* source, u32 offset, Diagnostics* diag) {
    Json json = {.source = source,
                 .diag = diag,
                 .at = source->text + offset,
                 .end = source->text + source->bytes};
    assert(source->text[source->bytes] == 0);
    if (offset == 0 && source->bytes >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0) {
        json.at += 3;
    }
    return json;
}

Json json_open_gltf(const Source* source, Diagnostics* diag) {
    Json json = json_open(source, 0, diag);
    json.gltf = true;
    return json;
}

u32 json_offset(Json* json) {
    skip_space(json);
    return offset_of(json, json->at);
}

bool json_kind(Json* json, JsonKind* kind) {
    if (json->failed) return false;
    skip_space(json);
    switch (*json->at) {
    case '{': *kind = JSON_OBJECT; return true;
    case '[': *kind = JSON_ARRAY; return true;
    case '"': *kind = JSON_STRING; return true;
    case 't': *kind = JSON_TRUE; return word_is(json, "true", 4) || json_value_fault(json);
    case 'f': *kind = JSON_FALSE; return word_is(json, "false", 5) || json_value_fault(json);
    case 'n': *kind = JSON_NULL; return word_is(json, "null", 4) || json_value_fault(json);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': *kind = JSON_NUMBER; return true;
    default: return json_value_fault(json);
    }
}

/* --- words and numbers --- */

static bool word(Json* json, const char* text, u32 bytes) {
    if (json->failed) return false;
    skip_space(json);
    if (!word_is(json, text, bytes)) return json_value_fault(json);
    json->at += bytes;
    return true;
}

bool json_null(Json* json) { return word(json, "null", 4); }

bool json_bool(Json* json, bool* value) {
    skip_space(json);
    *value = *json->at == 't';
    return *value ? word(json, "true", 4) : word(json, "false", 5);
}

static inline bool is_digit(char c) { return text_is_digit(c); }

static bool digit_missing(Json* json, const char* at, const char* where) {
    char found[FOUND_BYTES];
    FAIL(json, E0101, at, "expected a digit in %s, found %s", where,
         json_found_text(json, at, found));
}

static bool number_exponent(Json* json, const char** place, Number* n) {
    const char* at = *place + 1;
    const bool  negative = *at == '-';
    i32         exponent = 0;
    if (*at == '-' || *at == '+') at++;
    if (!is_digit(*at)) return digit_missing(json, at, "an exponent");
    for (; is_digit(*at); at++) {
        if (exponent < 100000) exponent = exponent * 10 + (*at - '0');
    }
    n->exponent += negative ? -exponent : exponent;
    n->may_be_huge = true;
    *place = at;
    return true;
}

/* number = [ "-" ] int [ frac ] [ exp ], RFC 8259 section 6. */
static inline bool number_scan(Json* json, Number* n) {
    const char* at = json->at;
    u64         digits = 0;
    n->negative = *at == '-';
    at += n->negative;
    const char* first = at;
    for (; is_digit(*at); at++) digits = digits * 10 + (u64)(*at - '0');
    if (at == first) return digit_missing(json, at, "a number");
    if (*first == '0' && at - first > 1) {
        FAIL(json, E0101, first, "a number must not have leading zeros");
    }
    i32 count = (i32)MIN_OF(at - first, 1000);
    n->exponent = 0;
    if (*at == '.') {
        first = ++at;
        for (; is_digit(*at); at++) digits = digits * 10 + (u64)(*at - '0');
        if (at == first) return digit_missing(json, at, "a number");
        n->exponent = -(i32)MIN_OF(at - first, 1000);
        count -= n->exponent;
    }
    n->digits = digits;
    n->exact = count <= 19;
    n->may_be_huge = count > NUMBER_FINITE_MAX;
    if (*at == 'e' || *at == 'E') {
        if (!number_exponent(json, &at, n)) return false;
    }
    json->at = at;
    return true;
}

bool json_number(Json* json, f64* value) {
    Number n = {0};
    if (json->failed) return false;
    skip_space(json);
    const char* at = json->at;
    if (*at != '-' && !is_digit(*at)) return json_value_fault(json);
    if (!number_scan(json, &n)) return false;
    *value = number_value(&n, at);
    if (n.may_be_huge && !isfinite(*value)) {
        FAIL(json, E0105, at, "the number is too large; the largest is about 1.8e308");
    }
    return true;
}

bool json_number_skip(Json* json) {
    Number      n = {0};
    const char* at = json->at;
    if (!number_scan(json, &n)) return false;
    if (n.may_be_huge && !isfinite(number_value(&n, at))) {
        FAIL(json, E0105, at, "the number is too large; the largest is about 1.8e308");
    }
    return true;
}

static const char* numbers_general(const char* at, const char* end, f64* values, u32 count) {
    for (u32 i = 1; i <= count; i++) {
        at = number_plain(text_space_skip(at + 1, end), end, &values[i - 1]);
        if (!at) return NULL;
        at = text_space_skip(at, end);
        if (*at != (i == count ? ']' : ',')) return NULL;
    }
    return at + 1;
}

#if !TEXT_SCAN_LANES
#define LIST_BYTES NUMBER_USUAL_BYTES
#endif

/* Most arrays are not near the end of the text, and have short numbers. */
static const char* numbers_usual(const char* at, const char* end, f64* values, u32 count) {
    for (u32 i = 1; i <= count; i++) {
        at = text_space_skip(at + 1, end);
        if (end - at < NUMBER_USUAL_BYTES) return NULL;
        at = number_usual(at, &values[i - 1]);
        if (!at) return NULL;
        at = text_space_skip(at, end);
        if (*at != (i == count ? ']' : ',')) return NULL;
    }
    return at + 1;
}

const char* json_numbers(const char* at, const char* end, f64* values, u32 count) {
    const char* found = NULL;
    if (count == 1) return number_plain(at, end, values);
    if (*at != '[') return NULL;
    if (HOST_IS_LITTLE && end - at > LIST_BYTES) {
#if TEXT_SCAN_LANES
        found = list_read(at + 1, values, count);
#endif
        if (!found) found = numbers_usual(at, end, values, count);
    }
    return found ? found : numbers_general(at, end, values, count);
}

/* --- strings --- */

static i32 hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static bool hex_unit(const char* at, u32* unit) {
    *unit = 0;
    for (u32 i = 0; i < 4; i++) {
        const i32 digit = hex_digit(at[i]);
        if (digit < 0) return false;
        *unit = *unit << 4 | (u32)digit;
    }
    return true;
}

/* After a backslash. */
static bool escape_scan(Json* json, const char** place) {
    const char* at = *place;
    u32         unit, low;
    if (*at && strchr("\"\\/bfnrt", *at)) {
        *place = at + 1;
        return true;
    }
    if (*at != 'u') {
        FAIL(json, E0101, at,
             "a backslash must be followed by one of \" \\ / b f n r t u; write \\\\ for a "
             "backslash");
    }
    if (!hex_unit(at + 1, &unit))
        FAIL(json, E0101, at, "\\u must be followed by four hexadecimal digits");
    if (unit == 0 && !json->foreign) {
        FAIL(json, E0109, at,
             "\\u0000 is valid JSON, but strings of entc cannot contain this character; remove it");
    }
    if (unit >= 0xdc00 && unit < 0xe000) {
        FAIL(json, E0102, at,
             "\\u%04x is the second half of a surrogate pair without the first half", unit);
    }
    if (unit >= 0xd800 && unit < 0xdc00) {
        if (at[5] != '\\' || at[6] != 'u' || !hex_unit(at + 7, &low) || low < 0xdc00 ||
            low > 0xdfff) {
            FAIL(json, E0102, at,
                 "\\u%04x is the first half of a surrogate pair without the second half", unit);
        }
        at += 6;
    }
    *place = at + 5;
    return true;
}

bool json_string_scan(Json* json, JsonString* value) {
    const char* at = json->at + 1;
    const char* first = at;
    bool        escaped = false;
    for (;;) {
        at = text_plain_end(at, json->end);
        if (*at == '"') break;
        if (at >= json->end) FAIL(json, E0101, json->at, "the string is not terminated by '\"'");
        if (*at == '\\') {
            at++;
            escaped = true;
            if (!escape_scan(json, &at)) return false;
        } else if ((u8)*at < 0x20) {
            if (*at == '\n' || *at == '\r') {
                FAIL(json, E0101, json->at, "the string is not terminated by '\"' on its line");
            }
            FAIL(json, E0101, at, "byte 0x%02x in a string must be written as \\u%04x", (u8)*at,
                 (u8)*at);
        } else {
            const u32 bytes = utf8_length(at, json->end);
            if (!bytes) FAIL(json, E0102, at, "byte 0x%02x is not valid UTF-8", (u8)*at);
            at += bytes;
        }
    }
    value->raw = (Text){first, (u32)(at - first)};
    value->escaped = escaped;
    json->at = at + 1;
    return true;
}

static inline bool string_take(Json* json, JsonString* value) {
    const char* first = json->at + 1;
    const char* at = text_plain_end(first, json->end);
    if (*at != '"') return json_string_scan(json, value);
    *value = (JsonString){{first, (u32)(at - first)}, false};
    json->at = at + 1;
    return true;
}

bool json_string(Json* json, JsonString* value) {
    if (json->failed) return false;
    skip_space(json);
    return *json->at == '"' ? string_take(json, value) : json_value_fault(json);
}

u32 json_decode_next(const char** place, u8 out[4]) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char*       at = *place;
    u32               unit, low;
    if (*at != '\\') {
        out[0] = (u8)*at;
        *place = at + 1;
        return 1;
    }
    const char* simple = strchr(from, at[1]);
    if (at[1] != 'u' && simple) {
        out[0] = (u8)to[simple - from];
        *place = at + 2;
        return 1;
    }
    const bool ok = hex_unit(at + 2, &unit);
    assert(ok), UNUSED(ok);
    *place = at + 6;
    if (unit >= 0xd800 && unit < 0xdc00) {
        hex_unit(at + 8, &low);
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        *place = at + 12;
    }
    if (unit == 0) unit = 0xfffd; /* of application data */
    if (unit < 0x80) return out[0] = (u8)unit, 1;
    if (unit < 0x800) return out[0] = (u8)(0xc0 | unit >> 6), out[1] = (u8)(0x80 | (unit & 63)), 2;
    if (unit < 0x10000) {
        out[0] = (u8)(0xe0 | unit >> 12);
        out[1] = (u8)(0x80 | (unit >> 6 & 63));
        out[2] = (u8)(0x80 | (unit & 63));
        return 3;
    }
    out[0] = (u8)(0xf0 | unit >> 18);
    out[1] = (u8)(0x80 | (unit >> 12 & 63));
    out[2] = (u8)(0x80 | (unit >> 6 & 63));
    out[3] = (u8)(0x80 | (unit & 63));
    return 4;
}

const char* json_decode(JsonString string, Arena* arena) {
    char* out = arena_text(arena, string.raw); /* a decoded text is never longer */
    if (!string.escaped) return out;
    u8*         to = (u8*)out;
    const char* end = string.raw.at + string.raw.bytes;
    for (const char* at = string.raw.at; at < end;) to += json_decode_next(&at, to);
    *to = 0;
    return out;
}

bool json_equals_escaped(JsonString string, const char* text) {
    const char* at = string.raw.at;
    const char* end = at + string.raw.bytes;
    while (at < end) {
        u8        bytes[4];
        const u32 count = json_decode_next(&at, bytes);
        if (strncmp((const char*)bytes, text, count) != 0) return false;
        text += count;
    }
    return *text == 0;
}

/* --- arrays and objects --- */

static inline bool enter(Json* json, char open) {
    if (json->failed) return false;
    skip_space(json);
    if (*json->at != open) return json_value_fault(json);
    if (++json->depth > JSON_DEPTH_MAX) return json_depth_fault(json);
    json->at++;
    return true;
}

bool json_enter(Json* json, JsonKind kind) { return enter(json, kind == JSON_OBJECT ? '{' : '['); }

/* Before a key or item: skips a comma or, returning false, the closing bracket. The byte before the
 * cursor shows whether this is the first item: after json_enter it is the bracket. Afterwards the
 * cursor is at a byte that is not white space. */
static inline bool next_member(Json* json, char open, char close, const char* what) {
    if (json->failed) return false;
    const bool first = json->at[-1] == open;
    skip_space(json);
    if (*json->at == close) {
        json->at++;
        json->depth--;
        return false;
    }
    if (first) return true;
    if (*json->at != ',') return json_separator_fault(json, close, what);
    json->at++;
    skip_space(json);
    return *json->at != close || json_comma_fault(json, close);
}

static inline bool key_take(Json* json, JsonString* key) {
    if (!next_member(json, '{', '}', "a value")) return false;
    if (*json->at != '"') return json_key_fault(json);
    if (!string_take(json, key)) return false;
    skip_space(json);
    if (*json->at != ':') return json_colon_fault(json);
    json->at++;
    return true;
}

/* Not inline, so that the function below needs few registers. */
static __attribute__((noinline)) bool key_general(Json* json, JsonString* key) {
    return key_take(json, key);
}

bool json_key(Json* json, JsonString* key) {
    const char* const end = json->end;
    const char*       at = json->at;
    const bool        first = at[-1] == '{';
    at = text_space_skip(at, end);
    if (json->failed) return false;
    if (*at == '}') {
        json->at = at + 1;
        json->depth--;
        return false;
    }
    if (!first && *at == ',')
        at = text_space_skip(at + 1, end);
    else if (!first)
        return key_general(json, key);
    if (*at != '"') return key_general(json, key);
    const char* const from = at + 1;
    at = text_plain_end(from, end);
    if (*at != '"') return key_general(json, key);
    const char* const after = text_space_skip(at + 1, end);
    if (*after != ':') return key_general(json, key);
    *key = (JsonString){{from, (u32)(at - from)}, false};
    json->at = after + 1;
    return true;
}

JsonName json_name(const char* key) {
    JsonName     name = {"", 0};
    const size_t bytes = strlen(key);
    if (bytes >= sizeof name.text) return name;
    memcpy(name.text, key, bytes);
    name.text[bytes] = '"';
    name.bytes = (u32)bytes + 1;
    return name;
}

u32 json_key_among(Json* json, JsonString* key, const JsonName* names, u32 count, u32 first) {
    const char* const end = json->end;
    const char*       at = json->at;
    if (json->failed) return NONE;
    const bool is_first = at[-1] == '{';
    at = text_space_skip(at, end);
    if (!is_first && *at++ != ',') return NONE;
    at = text_space_skip(at, end);
    if (*at != '"' || end - at < KEY_ROOM) return NONE;
    for (u32 n = 0, i = first; n < count; n++, i = i + 1 < count ? i + 1 : 0) {
        if (!json_name_is(&names[i], at + 1)) continue;
        const char* const after = text_space_skip(at + 1 + names[i].bytes, end);
        if (*after != ':') return NONE;
        *key = (JsonString){{at + 1, names[i].bytes - 1}, false};
        json->at = after + 1;
        return i;
    }
    return NONE;
}

static inline bool item_next(Json* json) { return next_member(json, '[', ']', "an item"); }

bool json_item(Json* json) { return item_next(json); }

bool json_end(Json* json) {
    if (json->failed) return false;
    skip_space(json);
    return json->at == json->end || json_end_fault(json);
}

JsonString json_string_at(const Source* source, u32 offset) {
    const char *const end = source->text + source->bytes, *const first = source->text + offset + 1;
    const char* at = first;
    bool        escaped = false;
    assert(source->text[offset] == '"');
    for (; *(at = text_plain_end(at, end)) != '"'; at++) {
        if (*at != '\\') continue;
        escaped = true;
        at++;
    }
    return (JsonString){{first, (u32)(at - first)}, escaped};
}

const char* json_kind_name(JsonKind kind) {
    static const char* const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    return names[kind];
}

const char* json_quoted(Arena* arena, const char* text) {
    char* quoted = arena_alloc(arena, strlen(text) * 6 + 3);
    char* to = quoted;
    *to++ = '"';
    for (; *text; text++) {
        if ((u8)*text < 0x20) {
            to += sprintf(to, "\\u%04x", (unsigned)*text);
            continue;
        }
        if (*text == '"' || *text == '\\') *to++ = '\\';
        *to++ = *text;
    }
    *to = '"';
    return quoted;
}
