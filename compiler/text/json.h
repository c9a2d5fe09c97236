/* json.h - a strict reader of JSON text with the position of every value. It builds no tree.
 *
 * A cursor reads the text once. Grammar (RFC 8259), UTF-8, surrogates, depth, duplicate keys and
 * the finiteness of numbers are checked by every function that reads a value, including json_skip,
 * so a value that was skipped once is valid when it is read again. After the first grammar error
 * the cursor has failed: every call returns false and nothing more is reported. */
#ifndef ENTC_JSON_H
#define ENTC_JSON_H

#include "memory.h"
#include "source_text.h"

#define JSON_DEPTH_MAX 128

typedef struct Json {
    const Source* source;
    Diagnostics*  diag;
    const char*   at;  /* next byte to read */
    const char*   end; /* */
    u32           depth;
    u32           foreign; /* nesting depth of values that are not validated: see json_open_gltf */
    struct JsonTokens* tokens; /* of values that are skipped; NULL: they are not kept */
    bool               gltf;
    bool               failed;
} Json;

typedef enum JsonKind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

/* The text of a key or string between its quotes; `escaped` ones need json_decode. */
typedef struct JsonString {
    Text raw;
    bool escaped;
} JsonString;

/* A cursor on the value at `offset`. Offset 0 skips a byte-order mark. */
Json json_open(const Source* source, u32 offset, Diagnostics* diag);

/* The same at the beginning of a glTF text. The value of a key "extras" is application data: there,
 * duplicate keys and U+0000 are allowed, as in RFC 8259. To read such a value strictly, use
 * json_open on it. */
Json json_open_gltf(const Source* source, Diagnostics* diag);

/* Skips white space and returns the kind of the value that begins here; fails on anything else. */
bool json_kind(Json* json, JsonKind* kind);

/* Read complete values. json_number also fails on overflow to infinity. Its value is the f64 next to the
 * number, except that the f32 next to that value is always the one next to the number: see
 * json_number.h. */
bool json_skip(Json* json);
bool json_number(Json* json, f64* value);
bool json_string(Json* json, JsonString* value);
bool json_bool(Json* json, bool* value);
bool json_null(Json* json);

/* Reads `count` numbers in brackets, or one without, at a position without white space in a text that ends
 * at `end`. Returns the end of the value; NULL when there is something else, or a number with an
 * exponent or more than 19 bytes. */
const char* json_numbers(const char* at, const char* end, f64* values, u32 count);

/* json_enter skips '{' or '['; then call json_key or json_item until they return false, which skips
 * the closing bracket. A key's value must be read or skipped before the next call.
 *
 *     if (json_enter(j, JSON_OBJECT)) while (json_key(j, &key)) json_skip(j);
 *
 * Keys are not checked for duplicates here: json_skip over the whole object does that. */
bool json_enter(Json* json, JsonKind kind);
bool json_key(Json* json, JsonString* key);
bool json_item(Json* json);

/* Checks that only white space follows; reports anything else. */
bool json_end(Json* json);

/* Skips white space and returns the offset of the next byte in the source. */
u32 json_offset(Json* json);

/* Decodes escapes into the arena; unescaped strings are copied. NUL-terminated; a \u0000 inside is
 * an error that the scanner reports, except in application data. */
const char* json_decode(JsonString string, Arena* arena);

/* Does a key or string, decoded, equal this text? It does not allocate. */
bool               json_equals_escaped(JsonString string, const char* text);
static inline bool json_equals(JsonString string, const char* text) {
    if (string.escaped) return json_equals_escaped(string, text);
    if (__builtin_constant_p(__builtin_strlen(text))) { /* then this is a few comparisons */
        const u32 bytes = (u32)__builtin_strlen(text);
        return string.raw.bytes == bytes && memcmp(string.raw.at, text, bytes) == 0;
    }
    if (string.raw.bytes == 0 || *text != *string.raw.at) return *text == 0 && !string.raw.bytes;
    return strncmp(text, string.raw.at, string.raw.bytes) == 0 && text[string.raw.bytes] == 0;
}

/* The text of a key as words, for tables of known keys: equal for equal texts, and different for
 * different texts of at most JSON_WORD_BYTES. */
typedef struct JsonWord {
    u64 first, last;
    u32 bytes;
} JsonWord;

#define JSON_WORD_BYTES 16

static inline JsonWord json_word(Text text) {
    JsonWord    word = {0, 0, text.bytes};
    const char* at = text.at;
    u32         first = 0, last = 0;
    if (text.bytes >= 8) {
        memcpy(&word.first, at, 8);
        memcpy(&word.last, at + text.bytes - 8, 8);
    } else if (text.bytes >= 4) {
        memcpy(&first, at, 4);
        memcpy(&last, at + text.bytes - 4, 4);
        word.first = (u64)first << 32 | last;
    } else if (text.bytes) {
        word.first =
            (u64)(u8)at[0] << 16 | (u64)(u8)at[text.bytes / 2] << 8 | (u8)at[text.bytes - 1];
    }
    return word;
}

static inline bool json_word_is(const JsonWord* a, const JsonWord* b) {
    return (a->first == b->first) & (a->last == b->last) & (a->bytes == b->bytes);
}

/* A key that is expected, and the quote after it. */
typedef struct JsonName {
    char text[16];
    u32  bytes; /* of both; 0: the key is too long, and never found */
} JsonName;

#define JSON_NAME(key)                                                                             \
    { key "\"", sizeof key }

JsonName json_name(const char* key);

/* Is this the key whose text is at `at`, of which 16 bytes can be read? */
static inline bool json_name_is(const JsonName* name, const char* at) {
    static const u8 ones[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    u64             mask[2], text[2], expected[2];
    memcpy(mask, ones + sizeof name->text - name->bytes, sizeof mask);
    memcpy(text, at, sizeof text);
    memcpy(expected, name->text, sizeof expected);
    return (((text[0] & mask[0]) ^ expected[0]) | ((text[1] & mask[1]) ^ expected[1])) == 0 &&
           name->bytes != 0;
}

/* json_key, if the key is one of these names, without escapes: returns its index, and the cursor is at
 * the value. They are compared from `first` on. Otherwise NONE, and nothing was read. */
u32 json_key_among(Json* json, JsonString* key, const JsonName* names, u32 count, u32 first);

/* Is the value of this key application data? */
static inline bool json_key_is_foreign(const Json* json, JsonString key) {
    return json->gltf && json_equals(key, "extras");
}

/* $comment and $schema: allowed in every object, ignored. */
static inline bool json_key_is_note(JsonString key) {
    return json_equals(key, "$comment") || json_equals(key, "$schema");
}

/* Returns the string at an offset of a text that was read before. */
JsonString json_string_at(const Source* source, u32 offset);

/* Returns the bytes of the complete value at an offset. Needs a text that was skipped before. */
Text json_value_text(const Source* source, u32 offset);

/* A text as a JSON string with quotes, in the arena. */
const char* json_quoted(Arena* arena, const char* text);

const char* json_kind_name(JsonKind kind); /* "a number", "an object" */

#endif
