/* f32_text.c - see f32_text.h. */
#include "f32_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9 /* are enough to distinguish any two floats */
#define POINT_MAX  12

static const f64 tens[POINT_MAX + 1] = {1e0, 1e1, 1e2, 1e3,  1e4,  1e5, 1e6,
                                        1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/* value * 10^point, rounded to the nearest whole number, ties to even. Exact: a mantissa of 24 bits
 * times 5^12 fits a word, the rest are shifts. For 1e-4 <= value < 1e9. */
static u64 scaled(f32 value, u32 point) {
    static const u32 five[POINT_MAX + 1] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625};
    u32 bits;
    memcpy(&bits, &value, 4);
    u64       n = (u64)((bits & 0x7fffffu) | 0x800000u) * five[point];
    const int shift = (int)(bits >> 23 & 255) - 150 + (int)point;
    if (shift >= 0) return n << shift;
    const u64 half = (u64)1 << (-shift - 1), rest = n & (half * 2 - 1);
    n >>= -shift;
    return n + (rest > half || (rest == half && (n & 1)));
}

/* Is n / 10^point read back as the value? The quotient is the nearest double; when that lies
 * halfway between two floats, it is unknown on which side of it the decimal lies. */
static bool reads_back(u64 n, u32 point, f32 value) {
    const f64 quotient = (f64)n / tens[point];
    u64       bits;
    char      text[40];
    memcpy(&bits, &quotient, 8);
    if ((bits & 0x1fffffffu) != 0x10000000u) return (f32)quotient == value;
    snprintf(text, sizeof text, "%llue-%u", (unsigned long long)n, point);
    return strtof(text, NULL) == value;
}

/* `point` digits follow the decimal point. */
static u32 decimal_put(char* out, bool negative, u64 value, u32 point) {
    char  text[F32_TEXT_BYTES];
    char* at = text + sizeof text;
    for (u32 i = 0; i < point; i++, value /= 10) *--at = (char)('0' + value % 10);
    if (point) *--at = '.';
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    if (negative) *--at = '-';
    const u32 bytes = (u32)(text + sizeof text - at);
    memcpy(out, at, bytes);
    out[bytes] = 0;
    return bytes;
}

u32 f32_text(char out[F32_TEXT_BYTES], f32 value) {
    const f32 size = value < 0 ? -value : value;
    u32       bytes = 0;
    if (size >= 1e-4f && size < 1e9f) {
        for (u32 point = 0; point <= POINT_MAX; point++) {
            const u64 n = scaled(size, point);
            if (reads_back(n, point, size)) return decimal_put(out, value < 0, n, point);
        }
    }
    for (int digits = 1; digits <= DIGITS_MAX; digits++) {
        bytes = (u32)snprintf(out, F32_TEXT_BYTES, "%.*g", digits, (f64)value);
        if (strtof(out, NULL) == value) break;
    }
    return bytes;
}
