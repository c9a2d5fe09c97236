/* json_oracle.h - cJSON as an independent reader of JSON: the tokens of a text must have the same kinds,
 * keys, strings and numbers as its tree. */
#ifndef JSON_ORACLE_H
#define JSON_ORACLE_H

#include <cjson/cJSON.h>
#include <math.h>

#include "json_tokens.h"

#define ORACLE_NUMBER_MAX 62 /* bytes of a number that cJSON reads completely */

/* cJSON ends a string at U+0000, which tokens replace. */
static inline bool oracle_text_is(JsonString string, const char* text) {
    Arena       scratch = {0};
    const char* decoded = json_decode(string, &scratch);
    const char* zero = strstr(decoded, "\xef\xbf\xbd");
    bool        same = strcmp(decoded, text) == 0;
    if (zero && string.escaped) same = same || strncmp(decoded, text, strlen(text)) == 0;
    arena_drop(&scratch);
    return same;
}

/* At the middle of two f32, ours is the f64 beside it (json_number.h). */
static inline bool oracle_number_is(const JsonToken* number, f64 value) {
    const f64 decoded = json_token_number(number);
    if (number->bytes > ORACLE_NUMBER_MAX || decoded == value) return true;
    return nextafter(value, decoded) == decoded && !signbit(decoded) == !signbit(value);
}

static inline bool oracle_kind_is(const JsonToken* value, const cJSON* node) {
    switch (json_token_kind(value)) {
    case JSON_NULL: return cJSON_IsNull(node);
    case JSON_FALSE: return cJSON_IsFalse(node);
    case JSON_TRUE: return cJSON_IsTrue(node);
    case JSON_NUMBER: return cJSON_IsNumber(node) && oracle_number_is(value, node->valuedouble);
    case JSON_STRING:
        return cJSON_IsString(node) && oracle_text_is(json_token_string(value), node->valuestring);
    case JSON_ARRAY: return cJSON_IsArray(node);
    default: return cJSON_IsObject(node);
    }
}

/* The first value that differs, or NULL. Recursion is bounded by JSON_DEPTH_MAX. */
static inline const JsonToken* oracle_difference(const JsonToken* value, const cJSON* node) {
    if (!oracle_kind_is(value, node)) return value;
    const cJSON* child = node->child;
    for (const JsonToken* v = json_first(value); v; v = json_next(v), child = child->next) {
        if (!child || v->member != (child->string != NULL)) return v;
        if (v->member && !oracle_text_is(json_token_key(v), child->string)) return v;
        const JsonToken* inside = oracle_difference(v, child);
        if (inside) return inside;
        if (v + v->count > value + value->count) return v;
    }
    return child ? value : NULL;
}

/* Is a text that has tokens one for cJSON too, with the same values? Returns NULL, or the first one that
 * differs. */
static inline const JsonToken* json_oracle_difference(const JsonTokens* tokens) {
    const Source*    source = tokens->source;
    const JsonToken* root = json_tokens_root(tokens);
    const size_t     mark = (size_t)(root->at - source->text);
    const char*      end = NULL;
    cJSON*           tree = cJSON_ParseWithLengthOpts(root->at, source->bytes - mark, &end, 0);
    const JsonToken* found = tree && root->count == tokens->count && end == root->at + root->bytes
                                 ? oracle_difference(root, tree)
                                 : root;
    cJSON_Delete(tree);
    return found;
}

#endif
