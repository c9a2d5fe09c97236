/* json_tokens.h - a JSON text as a flat array of tokens: the values and keys in the order of the
 * text, each with its place and length, and without copies.
 *
 *     { "a": [1, 2], "b": "x" }      object, key a, array, 1, 2, key b, string
 *
 * The strict reader (json.h) writes them while it reads the text once: a value that has a token is
 * valid. Functions that take a value accept NULL as a value that is absent. */
#ifndef ENTC_JSON_TOKENS_H
#define ENTC_JSON_TOKENS_H

#include "json.h"

/*   at       its first byte, of a string the quote; the first byte determines the kind
 *   bytes    of its text, with quotes and brackets
 *   count    of tokens: its own, and those of everything in it
 *   last     it is the last value of its array or object
 *   member   it is a value in an object: the token before it is its key
 *   escaped  a key or string has escapes */
typedef struct JsonToken {
    const char* at;
    u32         bytes : 31, last : 1;
    u32         count : 30, member : 1, escaped : 1;
} JsonToken;

static_assert(sizeof(JsonToken) == 16, "a text of single digits has half as many tokens as bytes");

typedef struct JsonTokens {
    const Source* source;
    JsonToken*    at;
    u32           count, capacity;
} JsonTokens;

/* Reads a complete text. Returns false, with diagnostics, when it is not valid JSON. Always close it.
 * The memory is requested once, at most 8 bytes for each byte of the text. */
bool json_tokens_open(JsonTokens* tokens, const Source* source, Diagnostics* diag);
/* The same for the text of a glTF file, see json_open_gltf. */
bool json_tokens_open_gltf(JsonTokens* tokens, const Source* source, Diagnostics* diag);
void json_tokens_close(JsonTokens* tokens);

/* Reads the value at the cursor, and appends its tokens. Returns the index of the first one, or NONE. */
u32 json_tokens_read(JsonTokens* tokens, Json* json);

static inline const JsonToken* json_tokens_root(const JsonTokens* tokens) { return tokens->at; }

JsonKind json_token_kind(const JsonToken* value);

static inline bool json_token_is(const JsonToken* value, JsonKind kind) {
    return value && json_token_kind(value) == kind;
}

/* Is it an array or an object? */
static inline bool json_token_is_open(const JsonToken* value) {
    return *value->at == '{' || *value->at == '[';
}

/* The first value of an array or object, and the one after another. Returns NULL when there is none. */
static inline const JsonToken* json_first(const JsonToken* value) {
    if (!value || value->count == 1) return NULL;
    return value + (*value->at == '{' ? 2 : 1);
}

static inline const JsonToken* json_next(const JsonToken* value) {
    return value->last ? NULL : value + value->count + value->member;
}

u32 json_token_count(const JsonToken* value); /* of the values of an array or object */

/* A string and the key of a member, between the quotes. */
static inline JsonString json_token_string(const JsonToken* string) {
    return (JsonString){{string->at + 1, string->bytes - 2}, string->escaped};
}

static inline JsonString json_token_key(const JsonToken* member) {
    return json_token_string(member - 1);
}

/* Does a string, or the key of a member, equal this text? */
static inline bool json_token_equals(const JsonToken* string, const char* text) {
    return json_equals(json_token_string(string), text);
}

static inline bool json_key_is(const JsonToken* member, const char* key) {
    return json_equals(json_token_key(member), key);
}

/* Is the value an object? Reports that `what` must be one. */
bool json_object_check(const Source* source, Diagnostics* diag, const JsonToken* value,
                       const char* what);

/* Returns a member of an object by its key. */
const JsonToken* json_get(const JsonToken* object, const char* key);

/* 0: it is no number. */
f64 json_token_number(const JsonToken* number);

/* Is a number an integer? It is decided exactly. */
bool json_token_is_integer(const JsonToken* number);

static inline bool json_token_is_true(const JsonToken* value) { return value && *value->at == 't'; }

static inline u32 json_token_offset(const Source* source, const JsonToken* value) {
    return (u32)(value->at - source->text);
}

/* The bytes to underline in a diagnostic: only the bracket of an array or object. */
static inline u32 json_token_mark(const JsonToken* value) {
    return json_token_is_open(value) ? 1 : value->bytes;
}

#endif
