/* json_list.h - a short array of plain numbers without white space: where its numbers are is found by
 * bits of 64 bytes, so that no branch depends on a digit. Only json*.c include it. */
#ifndef ENTC_JSON_LIST_H
#define ENTC_JSON_LIST_H

#include "json_number.h"

#if TEXT_SCAN_LANES

/* Bytes after the bracket that may be read. */
#define LIST_BYTES (TEXT_BITS_BYTES + 8u)

/* Of the bytes after a bracket, those up to the one that closes it: false if that is not among them, or
 * something else than an array of plain numbers is. Afterwards `close` has one bit, and no other
 * member has a bit behind it. */
static inline bool list_bits(const char* at, TextNumberBits* b) {
    *b = text_number_bits(at, 0, TEXT_BITS_BYTES / 2);
    if (!b->close) {
        const TextNumberBits more = text_number_bits(at, TEXT_BITS_BYTES / 2, TEXT_BITS_BYTES);
        if (!more.close) return false;
        *b = (TextNumberBits){b->digit | more.digit, b->zero | more.zero,   b->point | more.point,
                              b->minus | more.minus, b->comma | more.comma, more.close};
    }
    b->close &= ~b->close + 1;
    const u64 inside = b->close - 1;
    const u64 digit = b->digit &= inside, point = b->point &= inside;
    const u64 minus = b->minus &= inside, comma = b->comma &= inside;
    const u64 begin = comma << 1 | 1;                     /* of a number, with its sign */
    const u64 first = (begin & ~minus) | minus << 1;      /* its first digit */
    const u64 fraction = point << 1;                      /* the first digit of a fraction */
    const u64 fraction_end = (fraction + digit) & ~digit; /* a carry runs through the digits */
    const u64 wrong = ((digit | point | minus | comma) ^ inside) | (minus & ~begin) |
                      (first & ~digit) | (first & b->zero & digit >> 1) | (point & ~(digit << 1)) |
                      (fraction & ~digit) | (fraction_end & ~(comma | b->close));
    return !wrong;
}

/* The end of such an array, or NULL. `at` is after its bracket. */
static inline const char* list_end(const char* at) {
    TextNumberBits b;
    return list_bits(at, &b) ? at + trailing_zeros(b.close) + 1 : NULL;
}

/* The value of a number without its sign, whose point, if it has one, is `places` digits before its
 * end. At most eight bytes: the digits are moved to the end of a word, and those before the point
 * by one more, over it. */
static inline f64 list_number_short(const char* first, u32 bytes, u32 places, bool has_point) {
    u64 v = (text_load8(first) ^ 0x3030303030303030u) << (64 - 8 * bytes);
    if (has_point) {
        const u32 point = 8 * (7 - places); /* the bit where it begins */
        const u64 before = v & ((1ull << point) - 1);
        v = (v >> point >> 8 << 8 << point) | before << 8;
    }
    return (f64)(int64_t)text_digits8_value(v, 8) / number_ten[places];
}

/* The same for at most eight digits before the point and seven after it. */
static inline f64 list_number_long(const char* first, u32 integral, u32 places, u32 point) {
    const u64 flip = 0x3030303030303030u;
    u64       digits = text_digits8_value(text_load8(first) ^ flip, integral);
    if (places) {
        digits = digits * number_ten_integral[places] +
                 text_digits8_value(text_load8(first + integral + point) ^ flip, places);
    }
    return (f64)(int64_t)digits / number_ten[places];
}

/* Without a branch, because signs cannot be predicted. */
static inline f64 list_number_sign(f64 value, bool negative) {
    u64 bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= (u64)negative << 63;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* Reads an array of `count` numbers, or returns NULL. `at` is after its bracket, and LIST_BYTES can be
 * read. */
static inline const char* list_read(const char* at, f64* values, u32 count) {
    TextNumberBits b;
    if (!list_bits(at, &b)) return NULL;
    u64 stops = b.comma | b.close, points = b.point | 1ull << 63;
    u32 from = 0;
    for (u32 i = 0; i < count; i++) {
        if (!stops) return NULL;
        const u32  stop = trailing_zeros(stops);
        const bool negative = b.minus >> from & 1, has_point = trailing_zeros(points) < stop;
        const u32  first = from + negative, bytes = stop - first;
        const u32  places = has_point ? stop - trailing_zeros(points) - 1 : 0;
        const u32  integral = bytes - places - has_point;
        f64        value;
        if (bytes <= 8)
            value = list_number_short(at + first, bytes, places, has_point);
        else if (integral <= 8 && places <= 7)
            value = list_number_long(at + first, integral, places, has_point);
        else
            return NULL;
        values[i] = list_number_sign(value, negative);
        points &= points - has_point;
        stops &= stops - 1;
        from = stop + 1;
    }
    return stops ? NULL : at + from;
}

#endif
#endif
