/* json_plain.c - skips valid values of the usual form quickly. Nothing is reported here, so that the
 * position is in a register, and each byte is read once. */
#include "json_internal.h"

#include "json_list.h"

#define PLAIN_KEYS_MAX 16

static inline const char* string_end(const char* at, const char* end) {
    at = text_plain_end(at + 1, end);
    return *at == '"' ? at + 1 : NULL;
}

static inline const char* word_end(const char* at, const char* end, const char* word, u32 bytes) {
    return end - at >= bytes && memcmp(at, word, bytes) == 0 ? at + bytes : NULL;
}

/* The end of an array of numbers alone, or NULL. */
static inline const char* numbers_end(const char* at, const char* end) {
#if TEXT_SCAN_LANES
    if (end - at > TEXT_BITS_BYTES) {
        const char* const found = list_end(at + 1);
        if (found) return found;
    }
#endif
    do {
        at = number_plain_end(text_space_skip(at + 1, end), end);
        if (!at) return NULL;
        at = text_space_skip(at, end);
    } while (*at == ',');
    return *at == ']' ? at + 1 : NULL;
}

/* What follows a value decides whether a word or a number ends there. */
static inline const char* value_end(const char* at, const char* end, u32 levels) {
    const char* numbers;
    switch (*at) {
    case '"': return string_end(at, end);
    case '[':
        numbers = levels ? numbers_end(at, end) : NULL;
        return numbers || !levels ? numbers : json_plain_end(at, end, levels);
    case '{': return levels ? json_plain_end(at, end, levels) : NULL;
    case 't': return word_end(at, end, "true", 4);
    case 'f': return word_end(at, end, "false", 5);
    case 'n': return word_end(at, end, "null", 4);
    default: return number_plain_end(at, end);
    }
}

static const char* array_end(const char* at, const char* end, u32 levels) {
    at = text_space_skip(at + 1, end);
    if (*at == ']') return at + 1;
    for (;;) {
        at = value_end(at, end, levels);
        if (!at) return NULL;
        at = text_space_skip(at, end);
        if (*at != ',') return *at == ']' ? at + 1 : NULL;
        at = text_space_skip(at + 1, end);
    }
}

/* At most eight bytes of a key, its last ones, and its length: equal for equal keys, and different for
 * different keys of less than eight bytes. */
static inline u64 key_word(const char* first, const char* last, const char* end) {
    const u64 bytes = (u64)(last - first);
    u64       v = 0;
    if (bytes >= 8) return text_load8(last - 8) ^ bytes << 56;
    if (!HOST_IS_LITTLE || end - first < 8 || bytes == 0) {
        memcpy(&v, first, (size_t)bytes);
        return v;
    }
    return text_load8(first) & ((1ull << 8 * bytes) - 1);
}

static const char* object_end(const char* at, const char* end, u32 levels) {
    u64 keys[PLAIN_KEYS_MAX];
    u32 count = 0;
    at = text_space_skip(at + 1, end);
    if (*at == '}') return at + 1;
    for (;;) {
        if (*at != '"' || count == PLAIN_KEYS_MAX) return NULL;
        const char* const first = at + 1;
        at = text_plain_end(first, end);
        if (*at != '"') return NULL;
        const u64 word = key_word(first, at, end);
        for (u32 i = 0; i < count; i++) {
            if (keys[i] == word) return NULL; /* probably a duplicate */
        }
        keys[count++] = word;
        at = text_space_skip(at + 1, end);
        if (*at != ':') return NULL;
        at = value_end(text_space_skip(at + 1, end), end, levels);
        if (!at) return NULL;
        at = text_space_skip(at, end);
        if (*at != ',') return *at == '}' ? at + 1 : NULL;
        at = text_space_skip(at + 1, end);
    }
}

const char* json_plain_end(const char* at, const char* end, u32 levels) {
    return *at == '{' ? object_end(at, end, levels - 1) : array_end(at, end, levels - 1);
}
