/* json.h - a strict reader of JSON text that knows where everything stands. No tree.
 *
 * A cursor walks the text once. Grammar (RFC 8259), UTF-8, surrogates, depth, duplicate keys and
 * the finiteness of numbers are checked by whatever passes over a value, json_skip included, so a
 * value that was skipped once can be read again without surprises. After the first grammar error
 * the cursor has failed: every call returns false and nothing more is reported. */
#ifndef ENTC_JSON_H
#define ENTC_JSON_H

#include "diag.h"

#define JSON_DEPTH_MAX 128

typedef struct Json {
    const Source* source;
    Diagnostics*  diag;
    const char*   at;  /* next byte to read */
    const char*   end; /* */
    u32           depth;
    u32           foreign; /* inside of so many values that are not ours: see json_open_gltf */
    bool          gltf;
    bool          failed;
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

/* A key or string as it stands between its quotes; `escaped` ones need json_decode. */
typedef struct JsonString {
    Text raw;
    bool escaped;
} JsonString;

/* A cursor on the value at `offset`. Offset 0 skips a byte-order mark. */
Json json_open(const Source* source, u32 offset, Diagnostics* diag);

/* The same at the beginning of a glTF text. What is below a key "extras" belongs to whoever wrote
 * it: there, keys may repeat and texts may hold U+0000, as RFC 8259 has it. Whoever reads such a
 * value is strict again: json_open on it. */
Json json_open_gltf(const Source* source, Diagnostics* diag);

/* Skips white space. Kind of the value that begins here; fails on anything else. */
bool json_kind(Json* json, JsonKind* kind);

/* Whole values. json_number also fails on overflow to infinity. */
bool json_skip(Json* json);
bool json_number(Json* json, f64* value);
bool json_string(Json* json, JsonString* value);
bool json_bool(Json* json, bool* value);
bool json_null(Json* json);

/* The fast way for what is nearly always there: `count` plain numbers in brackets, or one without.
 * False, and nothing was read, when anything else stands there. */
bool json_numbers(Json* json, f64* values, u32 count);

/* json_enter eats '{' or '['; then json_key or json_item until they return false, which eats the
 * closing bracket. A key's value must be read or skipped before the next call.
 *
 *     if (json_enter(j, JSON_OBJECT)) while (json_key(j, &key)) json_skip(j);
 *
 * Keys are not checked for duplicates here: json_skip over the whole object does that. */
bool json_enter(Json* json, JsonKind kind);
bool json_key(Json* json, JsonString* key);
bool json_item(Json* json);

/* Only white space is left; else reports what stands there. */
bool json_end(Json* json);

/* Offset of the next byte in the source, white space skipped. */
u32 json_offset(Json* json);

/* Decodes escapes into the arena; unescaped strings are copied. NUL-terminated; a \u0000 inside is
 * an error that the scanner reports, but for values that are not ours. */
const char* json_decode(JsonString string, Arena* arena);

/* Does a key or string, decoded, equal this text? No allocation. */
bool               json_equals_escaped(JsonString string, const char* text);
static inline bool json_equals(JsonString string, const char* text) {
    if (string.escaped) return json_equals_escaped(string, text);
    for (u32 i = 0; i < string.raw.bytes; i++) {
        if (text[i] != string.raw.at[i]) return false; /* ends at text's NUL: a key has none */
    }
    return text[string.raw.bytes] == 0;
}

/* Does the value of this key belong to somebody else? */
static inline bool json_key_is_foreign(const Json* json, JsonString key) {
    return json->gltf && json_equals(key, "extras");
}

/* $comment and $schema: allowed in every object, ignored. */
static inline bool json_key_is_note(JsonString key) {
    return json_equals(key, "$comment") || json_equals(key, "$schema");
}

/* The span of a whole value from its offset: its bytes. Needs a text that was skipped over before.
 */
Text json_value_text(const Source* source, u32 offset);

const char* json_kind_name(JsonKind kind); /* "a number", "an object" */

#endif
