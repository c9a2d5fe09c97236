/* json_value.c - reads complete values: all of the grammar, in one pass, with or without tokens. The
 * position is a value that the functions return, not a member of the cursor, so that it is in a
 * register; the cursor receives it before an error is reported. */
#include "json_internal.h"

#include "diag.h"
#include "diag_print.h"
#include "json_list.h"
#include "json_tokens.h"

#define KEYS_ON_STACK 16 /* objects with more keys use a hash set */

/* --- tokens --- */

static inline u32 token_begin(Json* json, const char* at, bool member) {
    JsonTokens* t = json->tokens;
    if (!t) return 0;
    if (t->count == t->capacity)
        t->at = array_grow_(t->at, &t->capacity, t->count + 1, sizeof *t->at);
    t->at[t->count] = (JsonToken){.at = at, .count = 1, .member = member};
    return t->count++;
}

static inline void token_end(const Json* json, u32 index, const char* end, bool escaped) {
    const JsonTokens* t = json->tokens;
    if (!t) return;
    JsonToken* token = &t->at[index];
    token->bytes = (u32)(end - token->at) & INT32_MAX;
    token->count = (t->count - index) & (UINT32_MAX >> 2);
    token->escaped = escaped;
}

static inline void token_last(const Json* json, u32 index) {
    if (json->tokens) json->tokens->at[index].last = 1;
}

static inline u32 token_next(const Json* json) { return json->tokens ? json->tokens->count : 0; }

/* --- duplicate keys --- */

static u64 key_hash(JsonString key) {
    u64         hash = 0xcbf29ce484222325ull; /* FNV-1a over the decoded bytes */
    const char* end = key.raw.at + key.raw.bytes;
    for (const char* at = key.raw.at; at < end;) {
        u8        bytes[4];
        const u32 count = json_decode_next(&at, bytes);
        for (u32 i = 0; i < count; i++) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    }
    return hash ^ hash >> 29;
}

static bool keys_equal(JsonString a, JsonString b) {
    if (!a.escaped && !b.escaped) return text_equal(a.raw, b.raw);
    Arena      scratch = {0};
    const bool equal = strcmp(json_decode(a, &scratch), json_decode(b, &scratch)) == 0;
    arena_drop(&scratch);
    return equal;
}

/* The last bytes of a key and its length, or a key of less than eight bytes: equal for equal keys without
 * escapes. */
static inline u64 key_word(Text key, const char* end) {
    u64 v = 0;
    if (key.bytes >= 8) return text_load8(key.at + key.bytes - 8) ^ (u64)key.bytes << 56;
    if (!HOST_IS_LITTLE || end - key.at < 8 || key.bytes == 0) {
        memcpy(&v, key.at, key.bytes);
        return v;
    }
    return text_load8(key.at) & ((1ull << 8 * key.bytes) - 1);
}

/* Keys of one open object: a short list, or a hash set for many keys. */
typedef struct Keys {
    u64        word[KEYS_ON_STACK];
    JsonString few[KEYS_ON_STACK];
    u32        count;       /* of the few */
    bool       has_escaped; /* a key with escapes may equal one with other bytes */
    ARRAY(JsonString) many; /* all of them */
    Slots slots;            /* of the many */
} Keys;

static u32* key_slot(const Keys* keys, JsonString key) {
    u32* slot = slots_first(&keys->slots, key_hash(key));
    while (*slot && !keys_equal(keys->many.at[*slot - 1], key)) {
        slot = slots_next(&keys->slots, slot);
    }
    return slot;
}

static void keys_grow(Keys* keys) {
    if (!keys->slots.count) array_append(&keys->many, keys->few, keys->count);
    slots_grow(&keys->slots, KEYS_ON_STACK * 4);
    for (u32 i = 0; i < keys->many.count; i++) *key_slot(keys, keys->many.at[i]) = i + 1;
}

/* Returns the equal key that was added before, or NULL. */
static __attribute__((noinline)) const JsonString* keys_add_to_many(Keys* keys, JsonString key) {
    if (slots_are_full(&keys->slots, keys->many.count)) keys_grow(keys);
    u32* slot = key_slot(keys, key);
    if (*slot) return &keys->many.at[*slot - 1];
    *array_push(&keys->many) = key;
    *slot = keys->many.count;
    return NULL;
}

static inline const JsonString* keys_add(Keys* keys, JsonString key, const char* end) {
    if (keys->count >= KEYS_ON_STACK) return keys_add_to_many(keys, key);
    const u64 word = key_word(key.raw, end);
    keys->has_escaped |= key.escaped;
    for (u32 i = 0; i < keys->count; i++) {
        if ((keys->word[i] == word || keys->has_escaped) && keys_equal(keys->few[i], key))
            return &keys->few[i];
    }
    keys->word[keys->count] = word;
    keys->few[keys->count++] = key;
    return NULL;
}

static __attribute__((noinline)) void key_repeated(Json* json, JsonString key, JsonString twin) {
    diag_error(json->diag, E0103, json->source, offset_of(json, key.raw.at) - 1, key.raw.bytes + 2,
               "duplicate key \"%.*s\" in this object", (int)key.raw.bytes, key.raw.at);
    diag_note(json->diag, json->source, offset_of(json, twin.raw.at) - 1, twin.raw.bytes + 2,
              "the first one is here");
}

/* --- values: each function returns the end of the value, or NULL after reporting an error --- */

static const char* value_read(Json* json, const char* at, bool member);

/* Reports an error at a position. */
#define FAULT(json, place, report) ((json)->at = (place), (void)(report), NULL)

static inline const char* string_read(Json* json, const char* at, JsonString* string) {
    const char* const end = text_plain_end(at + 1, json->end);
    if (*end == '"') {
        *string = (JsonString){{at + 1, (u32)(end - at) - 1}, false};
        return end + 1;
    }
    json->at = at;
    return json_string_scan(json, string) ? json->at : NULL;
}

static inline const char* number_read(Json* json, const char* at) {
    const char* const end = number_plain_end(at, json->end);
    if (end) return end;
    json->at = at;
    return json_number_skip(json) ? json->at : NULL;
}

static const char* word_read(Json* json, const char* at) {
    JsonKind kind = JSON_NULL;
    json->at = at;
    if (!json_kind(json, &kind)) return NULL;
    return at + (kind == JSON_FALSE ? 5 : 4);
}

/* Called at the bracket, before it is skipped. */
static inline bool is_too_deep(Json* json, const char* at) {
    if (++json->depth <= JSON_DEPTH_MAX) return false;
    json->at = at;
    return !json_depth_fault(json);
}

/* The position of the next value of an array or object, or of the bracket that closes it; NULL after an
 * error. `at` is behind the value before. */
static inline const char* separator_skip(Json* json, const char* at, char close, const char* what) {
    at = text_space_skip(at, json->end);
    if (*at == close) return at;
    if (*at != ',') return FAULT(json, at, json_separator_fault(json, close, what));
    at = text_space_skip(at + 1, json->end);
    if (*at == close) return FAULT(json, at, json_comma_fault(json, close));
    return at;
}

/* The key at `at`; returns the position of its value. */
static inline const char* key_read(Json* json, const char* at, JsonString* key) {
    if (*at != '"') return FAULT(json, at, json_key_fault(json));
    const u32 token = token_begin(json, at, false);
    at = string_read(json, at, key);
    if (!at) return NULL;
    token_end(json, token, at, key->escaped);
    at = text_space_skip(at, json->end);
    if (*at != ':') return FAULT(json, at, json_colon_fault(json));
    return text_space_skip(at + 1, json->end);
}

/* The members of an object, up to the bracket that closes it. */
static inline const char* members_read(Json* json, const char* at, Keys* keys) {
    while (*at != '}') {
        JsonString key;
        at = key_read(json, at, &key);
        if (!at) return NULL;
        const bool        foreign = json_key_is_foreign(json, key);
        const JsonString* twin = json->foreign ? NULL : keys_add(keys, key, json->end);
        if (twin) key_repeated(json, key, *twin);
        const u32 value = token_next(json);
        json->foreign += foreign;
        at = value_read(json, at, true);
        json->foreign -= foreign;
        if (!at) return NULL;
        at = separator_skip(json, at, '}', "a value");
        if (!at) return NULL;
        if (*at == '}') token_last(json, value);
    }
    return at;
}

static const char* object_read(Json* json, const char* at) {
    Keys keys;
    keys.count = 0;
    keys.has_escaped = false;
    memset(&keys.many, 0, sizeof keys.many);
    keys.slots = (Slots){0};
    if (is_too_deep(json, at)) return NULL;
    at = members_read(json, text_space_skip(at + 1, json->end), &keys);
    array_drop(&keys.many);
    slots_drop(&keys.slots);
    json->depth--;
    return at ? at + 1 : NULL;
}

/* The end of an array of plain numbers without white space, with a token for each; NULL when it is
 * another array, or near the end of the text. */
static inline const char* list_tokens(Json* json, const char* at) {
#if TEXT_SCAN_LANES
    TextNumberBits b;
    if (json->end - at <= TEXT_BITS_BYTES || !list_bits(at + 1, &b)) return NULL;
    const char* const first = at + 1;
    const char* const end = first + trailing_zeros(b.close) + 1;
    u32               from = 0;
    if (!json->tokens) return end;
    for (u64 stops = b.comma | b.close; stops; stops &= stops - 1) {
        const u32 stop = trailing_zeros(stops);
        const u32 token = token_begin(json, first + from, false);
        token_end(json, token, first + stop, false);
        from = stop + 1;
    }
    token_last(json, token_next(json) - 1);
    return end;
#else
    UNUSED(json), UNUSED(at);
    return NULL;
#endif
}

static const char* array_read(Json* json, const char* at) {
    if (is_too_deep(json, at)) return NULL;
    const char* const list = list_tokens(json, at);
    if (list) return json->depth--, list;
    at = text_space_skip(at + 1, json->end);
    while (*at != ']') {
        const u32 value = token_next(json);
        at = value_read(json, at, false);
        if (!at) return NULL;
        at = separator_skip(json, at, ']', "an item");
        if (!at) return NULL;
        if (*at == ']') token_last(json, value);
    }
    json->depth--;
    return at + 1;
}

/* The recursion depth is bounded by JSON_DEPTH_MAX. */
static const char* value_read(Json* json, const char* at, bool member) {
    const u32  token = token_begin(json, at, member);
    JsonString string = {{NULL, 0}, false};
    switch (*at) {
    case '{': at = object_read(json, at); break;
    case '[': at = array_read(json, at); break;
    case '"': at = string_read(json, at, &string); break;
    case 't':
    case 'f':
    case 'n': at = word_read(json, at); break;
    default:
        at = *at == '-' || text_is_digit(*at) ? number_read(json, at)
                                              : FAULT(json, at, json_value_fault(json));
    }
    if (at) token_end(json, token, at, string.escaped);
    return at;
}

bool json_skip(Json* json) {
    if (json->failed) return false;
    json->at = text_space_skip(json->at, json->end);
    const char* const end = value_read(json, json->at, false);
    if (!end) return false;
    json->at = end;
    return true;
}

/* --- tokens --- */

u32 json_tokens_read(JsonTokens* tokens, Json* json) {
    const u32 first = tokens->count;
    json->tokens = tokens;
    const bool is_valid = json_skip(json);
    json->tokens = NULL;
    if (is_valid) return first;
    tokens->count = first;
    return NONE;
}

/* At least as many as there are in the text: each but the first follows a comma, a colon or an opening
 * bracket, and has at least one byte besides. */
static u32 tokens_limit(const Source* source) {
    const u64 separators = text_count_separators(source->text, source->text + source->bytes);
    return (u32)MIN_OF(separators, source->bytes / 2u) + 1;
}

static bool tokens_open(JsonTokens* tokens, Json json) {
    *tokens = (JsonTokens){.source = json.source, .capacity = tokens_limit(json.source)};
    tokens->at = memory_alloc_raw(sizeof *tokens->at * tokens->capacity);
    return json_tokens_read(tokens, &json) != NONE && json_end(&json);
}

bool json_tokens_open(JsonTokens* tokens, const Source* source, Diagnostics* diag) {
    return tokens_open(tokens, json_open(source, 0, diag));
}

bool json_tokens_open_gltf(JsonTokens* tokens, const Source* source, Diagnostics* diag) {
    return tokens_open(tokens, json_open_gltf(source, diag));
}

void json_tokens_close(JsonTokens* tokens) {
    memory_free(tokens->at);
    tokens->at = NULL;
    tokens->count = tokens->capacity = 0;
}

JsonKind json_token_kind(const JsonToken* value) {
    switch (*value->at) {
    case '{': return JSON_OBJECT;
    case '[': return JSON_ARRAY;
    case '"': return JSON_STRING;
    case 't': return JSON_TRUE;
    case 'f': return JSON_FALSE;
    case 'n': return JSON_NULL;
    default: return JSON_NUMBER;
    }
}

f64 json_token_number(const JsonToken* number) {
    Json json = {.at = number->at, .end = number->at + number->bytes};
    f64  value = 0;
    if (number_plain(json.at, json.end, &value)) return value;
    return json_token_is(number, JSON_NUMBER) && json_number(&json, &value) ? value : 0;
}

bool json_token_is_integer(const JsonToken* number) { return number_is_integer(number->at); }

u32 json_token_count(const JsonToken* value) {
    u32 count = 0;
    for (const JsonToken* v = json_first(value); v; v = json_next(v)) count++;
    return count;
}

bool json_object_check(const Source* source, Diagnostics* diag, const JsonToken* value,
                       const char* what) {
    if (json_token_is(value, JSON_OBJECT)) return true;
    diag_error(diag, E0202, source, json_token_offset(source, value), 1,
               "%s must be an object, not %s", what, json_kind_name(json_token_kind(value)));
    return false;
}

const JsonToken* json_get(const JsonToken* object, const char* key) {
    if (!json_token_is(object, JSON_OBJECT)) return NULL;
    const JsonToken* member = json_first(object);
    while (member && !json_key_is(member, key)) member = json_next(member);
    return member;
}

Text json_value_text(const Source* source, u32 offset) {
    Diagnostics* diag = diag_create();
    Json         json = json_open(source, offset, diag);
    const char*  first = source->text + json_offset(&json);
    json_skip(&json);
    const Text text = {first, (u32)(json.at - first)};
    diag_destroy(diag);
    return text;
}
