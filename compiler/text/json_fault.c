/* json_fault.c - reports why a text is not valid JSON, with suggestions. */
#include <stdio.h>

#include "json_internal.h"

#include "diag_codes.h"
#include "utf8.h"

/* Decodes a valid UTF-8 sequence of 2 to 4 bytes. */
static u32 utf8_code(const char* at, u32 bytes) {
    u32 code = (u8)at[0] & (0x7fu >> bytes);
    for (u32 i = 1; i < bytes; i++) code = code << 6 | ((u8)at[i] & 0x3f);
    return code;
}

const char* json_found_text(const Json* json, const char* at, char out[FOUND_BYTES]) {
    const u8 c = (u8)*at;
    u32      bytes = 0;
    if (at >= json->end) return "the end of the file";
    if (c == '\n' || c == '\r') return "the end of the line";
    if (c == ' ' || c == '\t') return c == ' ' ? "a space" : "a tab";
    while (bytes < FOUND_BYTES - 8 && is_word_byte(at[bytes])) bytes++;
    if (bytes == 0 && c > 0x20 && c != 0x7f) bytes = utf8_length(at, json->end);
    if (bytes && c >= 0x80)
        snprintf(out, FOUND_BYTES, "'%.*s' (U+%04X)", (int)bytes, at, utf8_code(at, bytes));
    else if (bytes)
        snprintf(out, FOUND_BYTES, c == '\'' ? "%.*s" : "'%.*s'", (int)bytes, at);
    else
        snprintf(out, FOUND_BYTES, "byte 0x%02x", c);
    return out;
}

/* Words of other languages, and the equivalent in JSON. */
static const struct {
    const char *word, *instead;
} foreign_words[] = {
    {"NaN", "a number must be finite"},
    {"nan", "a number must be finite"},
    {"inf", "a number must be finite"},
    {"Infinity", "a number must be finite"},
    {"True", "write true"},
    {"TRUE", "write true"},
    {"False", "write false"},
    {"FALSE", "write false"},
    {"None", "write null"},
    {"NULL", "write null"},
    {"undefined", "write null, or omit the key"},
};

/* Is the cursor at a line that a version control system wrote because it could not merge two
 * versions of the file? */
static bool is_conflict(const Json* json) {
    static const char* const markers[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};
    const char*              at = json->at;
    if (at > json->source->text && at[-1] != '\n') return false;
    for (u32 i = 0; i < COUNT_OF(markers); i++) {
        if (json->end - at >= 7 && memcmp(at, markers[i], 7) == 0) return true;
    }
    return false;
}

/* Errors that are possible at every position. True when one was reported. */
static bool common_fault(Json* json) {
    if (is_conflict(json)) {
        FAIL(json, E0101, json->at,
             "unresolved merge conflict marker; resolve the conflict and remove the markers");
    }
    if (*json->at == '/') json_comment_fault(json);
    return json->failed;
}

bool json_comment_fault(Json* json) {
    FAIL(json, E0101, json->at, "JSON has no comments; use a \"$comment\" key instead");
}

bool json_value_fault(Json* json) {
    char        found[FOUND_BYTES];
    const char* at = json->at;
    if (common_fault(json)) return false;
    if (*at == '\'')
        FAIL(json, E0101, at, "a string must be in double quotes, not in single quotes");
    if (*at == '+' || *at == '.') FAIL(json, E0101, at, "a number must begin with a digit or '-'");
    if (at == json->source->text && json->end - at >= 2 &&
        (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0)) {
        FAIL(json, E0102, at, "the file is encoded in UTF-16; save it as UTF-8");
    }
    for (u32 i = 0; i < COUNT_OF(foreign_words); i++) {
        const char* word = foreign_words[i].word;
        if (!word_is(json, word, (u32)strlen(word))) continue;
        FAIL(json, E0101, at, "JSON has no %s; %s", word, foreign_words[i].instead);
    }
    FAIL(json, E0101, at, "expected a value, found %s", json_found_text(json, at, found));
}

bool json_key_fault(Json* json) {
    char found[FOUND_BYTES];
    if (common_fault(json)) return false;
    if (*json->at == '\'') {
        FAIL(json, E0101, json->at, "a key must be in double quotes, not in single quotes");
    }
    FAIL(json, E0101, json->at, "expected a key in double quotes, found %s",
         json_found_text(json, json->at, found));
}

bool json_colon_fault(Json* json) {
    char found[FOUND_BYTES];
    if (common_fault(json)) return false;
    FAIL(json, E0101, json->at, "expected ':' after a key, found %s",
         json_found_text(json, json->at, found));
}

bool json_separator_fault(Json* json, char close, const char* what) {
    char found[FOUND_BYTES];
    if (common_fault(json)) return false;
    FAIL(json, E0101, json->at, "expected ',' or '%c' after %s, found %s", close, what,
         json_found_text(json, json->at, found));
}

bool json_comma_fault(Json* json, char close) {
    FAIL(json, E0101, json->at, "JSON does not allow a comma before '%c'", close);
}

bool json_depth_fault(Json* json) {
    FAIL(
        json, E0104, json->at,
        "the nesting depth is %u here; the nesting of arrays and objects must not exceed %u levels",
        json->depth, JSON_DEPTH_MAX);
}

bool json_end_fault(Json* json) {
    char found[FOUND_BYTES];
    if (common_fault(json)) return false;
    FAIL(json, E0101, json->at, "expected the end of the file, found %s",
         json_found_text(json, json->at, found));
}
