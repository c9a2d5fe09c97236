/* json_plain.c - skips valid values of the usual form quickly. Nothing is reported here, so that the
 * position is in a register, and each byte is read once. */
#include "json_internal.h"

#include "json_number.h"

#define PLAIN_KEYS_MAX 16

static inline const char* string_end(const char* at, const char* end) {
    at = text_plain_end(at + 1, end);
    return *at == '"' ? at + 1 : NULL;
}

static inline const char* word_end(const char* at, const char* end, const char* word, u32 bytes) {
    return end - at >= bytes && memcmp(at, word, bytes) == 0 ? at + bytes : NULL;
}

#if TEXT_SCAN_LANES
/* The end of an array of plain numbers without white space that ends within 64 bytes, or NULL. `at`
 * is after its bracket. No branch depends on a digit. */
static inline const char* numbers_end_of_bits(const char* at) {
    TextNumberBits b = text_number_bits(at, TEXT_BITS_BYTES / 2);
    if (!b.close) b = text_number_bits(at, TEXT_BITS_BYTES);
    if (!b.close) return NULL;
    const u64 close = b.close & (~b.close + 1), inside = close - 1;
    const u64 digit = b.digit & inside, point = b.point & inside;
    const u64 minus = b.minus & inside, comma = b.comma & inside;
    const u64 begin = comma << 1 | 1;                     /* of a number, with its sign */
    const u64 first = (begin & ~minus) | minus << 1;      /* its first digit */
    const u64 fraction = point << 1;                      /* the first digit of a fraction */
    const u64 fraction_end = (fraction + digit) & ~digit; /* a carry runs through the digits */
    const u64 wrong = ((digit | point | minus | comma) ^ inside) | (minus & ~begin) |
                      (first & ~digit) | (first & b.zero & digit >> 1) | (point & ~(digit << 1)) |
                      (fraction & ~digit) | (fraction_end & ~(comma | close));
    return wrong ? NULL : at + trailing_zeros(close) + 1;
}
#endif

/* The end of an array of numbers alone, or NULL. */
static inline const char* numbers_end(const char* at, const char* end) {
#if TEXT_SCAN_LANES
    if (end - at > TEXT_BITS_BYTES) {
        const char* const found = numbers_end_of_bits(at + 1);
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
