/* json_number.h - the text of a number in JSON, and its value. Only json*.c include it. */
#ifndef ENTC_JSON_NUMBER_H
#define ENTC_JSON_NUMBER_H

#include "text_scan.h"

#define NUMBER_BYTES_MAX  19  /* of a plain number, without its sign */
#define NUMBER_FINITE_MAX 300 /* a number with so many digits and no exponent is finite */
#define NUMBER_EXACT_MAX  (1ull << 53)

/* A quotient of an integer up to NUMBER_EXACT_MAX and 10^places, with so many places at most, that is
 * not halfway between two f32, m / 2^k with m from 2^24 to 2^25, is at least 1 / (5^places 2^k) or
 * 10^-places away from there. An f64 there has an error of at most 1 / 2^(k + 29), which is less
 * than both, because 5^12 < 2^29: only the exact half is rounded to it. */
#define NUMBER_PLACES_MAX 12

typedef struct Number {
    u64  digits;   /* all digits as one integer, if exact */
    i32  exponent; /* value = digits * 10^exponent */
    bool exact;    /* the digits fit into a u64 */
    bool negative;
    bool may_be_huge; /* an exponent or very many digits */
} Number;

/* The f64 that is next to the number, of two the even one. `text` is that of the number. An f64 that is
 * exactly halfway between two f32 is the result only if the number is equal to it; otherwise the
 * result is the next f64 towards the number. Therefore the f32 that is next to the result is always
 * the one that is next to the number. */
f64 number_round(const Number* n, const char* text);

/* Is the number with this text an integer? */
bool number_is_integer(const char* text);

/* Powers of ten that an f64 represents exactly, and those that a u64 does. */
#define NUMBER_TEN_MAX 22
extern const f64 number_ten[NUMBER_TEN_MAX + 1];
extern const u64 number_ten_integral[20];

static inline bool text_is_digit(char c) { return (u8)(c - '0') < 10; }

/* An exact integer and an exact power of ten have a correctly rounded quotient (W. D. Clinger, How to
 * Read Floating Point Numbers Accurately, 1990). */
static inline f64 number_value(const Number* n, const char* text) {
    const bool is_exact = n->exact && n->digits <= NUMBER_EXACT_MAX &&
                          n->exponent >= -NUMBER_PLACES_MAX && n->exponent <= 0;
    if (!is_exact) return number_round(n, text);
    const f64 value = (f64)n->digits / number_ten[-n->exponent];
    return n->negative ? -value : value;
}

/* Reads the number at `at` if it is a typical one: no exponent, at most 19 bytes without its sign.
 * Returns its end, or NULL for all others, which the general function reads and reports. */
static inline const char* number_plain(const char* at, const char* text_end, f64* value) {
    const char* const text = at;
    const bool        negative = *at == '-';
    at += negative;
    const char* const first = at;
    u64               digits = (u64)(u8)(*at++ - '0'), part;
    u32               places = 0;
    if (digits > 9) return NULL;
    if (text_is_digit(*at)) {
        if (digits == 0) return NULL;
        do digits = digits * 10 + (u64)(*at++ - '0');
        while (text_is_digit(*at));
    }
    if (*at == '.') {
        const char* const point = ++at;
        if (HOST_IS_LITTLE && text_end - at >= 8) {
            places = text_digits8(at, &part);
            if (places == 0) return NULL;
            digits = digits * number_ten_integral[places] + text_digits8_value(part, places);
            at += places;
        }
        while (text_is_digit(*at)) digits = digits * 10 + (u64)(*at++ - '0');
        places = (u32)(at - point);
        if (places == 0) return NULL;
    }
    if ((*at | 0x20) == 'e' || at - first > NUMBER_BYTES_MAX) return NULL;
    if (digits > NUMBER_EXACT_MAX || places > NUMBER_PLACES_MAX) {
        const Number n = {digits, -(i32)places, true, negative, false};
        *value = number_round(&n, text);
        return at;
    }
    const f64 quotient = (f64)(int64_t)digits / number_ten[places];
    *value = negative ? -quotient : quotient;
    return at;
}

#define NUMBER_USUAL_BYTES 24 /* that may be read for a usual number */

/* The same for a number with at most seven digits before the point and seven after it, of which
 * NUMBER_USUAL_BYTES can be read; for others NULL. */
static inline const char* number_usual(const char* at, f64* value) {
    const bool negative = *at == '-';
    at += negative;
    u64 digits = (u64)(u8)(*at++ - '0'), part;
    if (digits > 9) return NULL;
    if (text_is_digit(*at)) {
        const u32 more = text_digits8(at, &part);
        if (digits == 0 || more > 6) return NULL;
        digits = digits * number_ten_integral[more] + text_digits8_value(part, more);
        at += more;
    }
    f64 scale = 1;
    if (*at == '.') {
        const u32 places = text_digits8(++at, &part);
        if (places - 1 > 6) return NULL;
        digits = digits * number_ten_integral[places] + text_digits8_value(part, places);
        scale = number_ten[places];
        at += places;
    }
    if ((*at | 0x20) == 'e') return NULL;
    const f64 quotient = (f64)(int64_t)digits / scale;
    *value = negative ? -quotient : quotient;
    return at;
}

/* The end of such a number of any length up to NUMBER_FINITE_MAX bytes, or NULL. */
static inline const char* number_plain_end(const char* at, const char* text_end) {
    u64 digits;
    at += *at == '-';
    const char* const first = at;
    if (!text_is_digit(*at)) return NULL;
    at++;
    if (text_is_digit(*at)) {
        if (*first == '0') return NULL;
        do at++;
        while (text_is_digit(*at));
    }
    if (*at == '.') {
        const char* const point = ++at;
        if (HOST_IS_LITTLE && text_end - at >= 8) at += text_digits8(at, &digits);
        while (text_is_digit(*at)) at++;
        if (at == point) return NULL;
    }
    return (*at | 0x20) == 'e' || at - first > NUMBER_FINITE_MAX ? NULL : at;
}

#endif
