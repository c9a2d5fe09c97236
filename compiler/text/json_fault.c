/* json_fault.c - what is wrong with a text that is no JSON, and what its author probably meant. */
#include "json_internal.h"

#include "utf8.h"

/* The character that a valid sequence of 2 to 4 bytes stands for. */
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

/* Words that other languages have, and what JSON has instead. */
static const struct {
    const char *word, *instead;
} foreign_words[] = {
    {"NaN", "a number is finite"},
    {"nan", "a number is finite"},
    {"inf", "a number is finite"},
    {"Infinity", "a number is finite"},
    {"True", "write true"},
    {"TRUE", "write true"},
    {"False", "write false"},
    {"FALSE", "write false"},
    {"None", "write null"},
    {"NULL", "write null"},
    {"undefined", "write null, or leave the key out"},
};

bool json_comment_fault(Json* json) {
    FAIL(json, E0101, json->at, "JSON has no comments; write a \"$comment\" key instead");
}

bool json_value_fault(Json* json) {
    char        found[FOUND_BYTES];
    const char* at = json->at;
    if (*at == '/') return json_comment_fault(json);
    if (*at == '\'') FAIL(json, E0101, at, "a text stands in double quotes, not in single ones");
    if (*at == '+' || *at == '.') FAIL(json, E0101, at, "a number begins with a digit or '-'");
    if (at == json->source->text && json->end - at >= 2 &&
        (memcmp(at, "\xff\xfe", 2) == 0 || memcmp(at, "\xfe\xff", 2) == 0)) {
        FAIL(json, E0102, at, "the file is UTF-16; save it as UTF-8");
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
    if (*json->at == '/') return json_comment_fault(json);
    if (*json->at == '\'') {
        FAIL(json, E0101, json->at, "a key stands in double quotes, not in single ones");
    }
    FAIL(json, E0101, json->at, "expected a key in double quotes, found %s",
         json_found_text(json, json->at, found));
}

bool json_colon_fault(Json* json) {
    char found[FOUND_BYTES];
    FAIL(json, E0101, json->at, "expected ':' after a key, found %s",
         json_found_text(json, json->at, found));
}
