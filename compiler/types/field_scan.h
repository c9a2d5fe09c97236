/* field_scan.h - values of the usual form at a position in a text, which need not have been read before:
 * the first way of every reader of values. Each function returns the end of the value; NULL when it
 * is not valid, or of another form, and then nothing was written. */
#ifndef ENTC_FIELD_SCAN_H
#define ENTC_FIELD_SCAN_H

#include <math.h>

#include "fields.h"
#include "json.h"
#include "text_scan.h"

/* Every integer up to this one can be represented as a float. */
#define INTEGER_MAX 16777216.0

/* A quaternion in a source has few digits: it is normalised, unless its length differs so much that
 * it must be an error. Then false is returned. */
static inline bool quaternion_normalise(f64 q[4], f64* length) {
    *length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (fabs(*length - 1) > 0.01) return false;
    if (*length == 1) return true;
    for (u32 i = 0; i < 4; i++) q[i] /= *length;
    return true;
}

/* Both are included. */
typedef struct F32Range {
    f32 lo, hi;
} F32Range;

static inline const char* floats_scan(const char* at, const char* end, F32Range range, u32 words,
                                      bool is_unit, u8* to) {
    f64  value[4], length;
    f32  number[4], largest = 0;
    bool is_valid = true;
    assert(words <= COUNT_OF(number)); /* of one element */
    at = json_numbers(at, end, value, words);
    if (!at) return NULL;
    for (u32 i = 0; i < words; i++) {
        number[i] = (f32)value[i];
        is_valid &= number[i] >= range.lo && number[i] <= range.hi;
        largest = MAX_OF(largest, fabsf(number[i]));
    }
    if (!is_valid || largest >= (f32)INTEGER_MAX) return NULL;
    if (is_unit) {
        if (!quaternion_normalise(value, &length)) return NULL;
        for (u32 i = 0; i < words; i++) number[i] = (f32)value[i];
    }
    memcpy(to, number, sizeof(f32) * words);
    return at;
}

#define INTEGER_BYTES 15 /* of a number that is an integer if its f64 is one */

static inline const char* integer_scan(const Field* f, const char* at, const char* end, u8* to) {
    const char* const first = at;
    f64               value;
    at = json_numbers(at, end, &value, 1);
    if (!at || at - first > INTEGER_BYTES || !(value >= f->lo && value <= f->hi) ||
        value != (f64)(int64_t)value)
        return NULL;
    field_number_store(f, value, to);
    return at;
}

/* A string of plain characters. */
static inline const char* string_scan(const char* at, const char* end, Text* text) {
    if (*at != '"') return NULL;
    const char* const last = text_plain_end(at + 1, end);
    if (*last != '"') return NULL;
    *text = (Text){at + 1, (u32)(last - at) - 1};
    return last + 1;
}

/* The index of a text of an enum, or NONE. */
static inline u32 enum_index(const Field* f, JsonString text) {
    u32 i = 0;
    while (i < f->text_count && !json_equals(text, f->texts[i])) i++;
    return i < f->text_count ? i : NONE;
}

#endif
