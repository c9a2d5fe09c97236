/* json_number.c - the value of a number that has too many digits, or too large an exponent, for one
 * exact division, so that an f64 and an f32 that is made of it are both correct.
 *
 * The product of the digits with 128 bits of a power of five has enough bits to be rounded; for the
 * exponents here it decides every case.
 *
 * Source   D. Lemire, Number Parsing at a Gigabyte per Second, 2021. */
#include "json_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SIZEOF_INT128__)
#define HAS_PRODUCT 1
__extension__ typedef unsigned __int128 u128;
#else
#define HAS_PRODUCT 0
#endif

#define FIVE_MAX 27 /* 5^27 < 2^63 */

const f64 number_ten[NUMBER_TEN_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const u64 number_ten_integral[20] = {1ull,
                                     10ull,
                                     100ull,
                                     1000ull,
                                     10000ull,
                                     100000ull,
                                     1000000ull,
                                     10000000ull,
                                     100000000ull,
                                     1000000000ull,
                                     10000000000ull,
                                     100000000000ull,
                                     1000000000000ull,
                                     10000000000000ull,
                                     100000000000000ull,
                                     1000000000000000ull,
                                     10000000000000000ull,
                                     100000000000000000ull,
                                     1000000000000000000ull,
                                     10000000000000000000ull};

#if HAS_PRODUCT

/* [n - 1] 2^b / 5^n rounded up, with the b for which it has 128 bits: 127 and the number of bits of
 * 5^n. The upper word is the first one. */
static const u64 reciprocal[FIVE_MAX][2] = {
    {0xccccccccccccccccu, 0xcccccccccccccccdu}, {0xa3d70a3d70a3d70au, 0x3d70a3d70a3d70a4u},
    {0x83126e978d4fdf3bu, 0x645a1cac083126eau}, {0xd1b71758e219652bu, 0xd3c36113404ea4a9u},
    {0xa7c5ac471b478423u, 0x0fcf80dc33721d54u}, {0x8637bd05af6c69b5u, 0xa63f9a49c2c1b110u},
    {0xd6bf94d5e57a42bcu, 0x3d32907604691b4du}, {0xabcc77118461cefcu, 0xfdc20d2b36ba7c3eu},
    {0x89705f4136b4a597u, 0x31680a88f8953031u}, {0xdbe6fecebdedd5beu, 0xb573440e5a884d1cu},
    {0xafebff0bcb24aafeu, 0xf78f69a51539d749u}, {0x8cbccc096f5088cbu, 0xf93f87b7442e45d4u},
    {0xe12e13424bb40e13u, 0x2865a5f206b06fbau}, {0xb424dc35095cd80fu, 0x538484c19ef38c95u},
    {0x901d7cf73ab0acd9u, 0x0f9d37014bf60a11u}, {0xe69594bec44de15bu, 0x4c2ebe687989a9b4u},
    {0xb877aa3236a4b449u, 0x09befeb9fad487c3u}, {0x9392ee8e921d5d07u, 0x3aff322e62439fd0u},
    {0xec1e4a7db69561a5u, 0x2b31e9e3d06c32e6u}, {0xbce5086492111aeau, 0x88f4bb1ca6bcf585u},
    {0x971da05074da7beeu, 0xd3f6fc16ebca5e04u}, {0xf1c90080baf72cb1u, 0x5324c68b12dd6339u},
    {0xc16d9a0095928a27u, 0x75b7053c0f178294u}, {0x9abe14cd44753b52u, 0xc4926a9672793543u},
    {0xf79687aed3eec551u, 0x3a83ddbd83f52205u}, {0xc612062576589ddau, 0x95364afe032a819eu},
    {0x9e74d1b791e07e48u, 0x775ea264cf55347eu},
};

static u32 leading_zeros(u64 v) { return (u32)__builtin_clzll(v); }

/* A number of 127 or 128 bits, times 2^exponent. */
typedef struct Product {
    u128 bits;
    i32  exponent;
} Product;

/* digits * 5^n; exact. */
static Product product_of(u64 digits, u64 five) {
    const u32 by = leading_zeros(digits), five_by = leading_zeros(five);
    return (Product){(u128)(digits << by) * (five << five_by), -(i32)(by + five_by)};
}

/* digits / 5^n. The upper 128 bits of the product are at most one too large, and only in their
 * fraction. An exact quotient that is not a multiple of half a unit of the result is at least
 * one away from each of them: the distance is a multiple of 1 / 5^n in units of 2^-73, where 5^n is
 * less than 2^63. Therefore all lower bits are 0 only if the quotient is exact. */
static Product quotient_of(u64 digits, u64 five, const u64 inverse[2]) {
    const u32  by = leading_zeros(digits), five_bits = 64 - leading_zeros(five);
    const u64  top = digits << by;
    const u128 low = (u128)top * inverse[1];
    return (Product){(u128)top * inverse[0] + (u64)(low >> 64),
                     64 - 127 - (i32)five_bits - (i32)by};
}

/* To 53 bits; a half is rounded to even. All results are normal numbers. */
static f64 product_round(Product p) {
    const u32  bits = 127 + (u32)(p.bits >> 127);
    const u64  halves = (u64)(p.bits >> (bits - 54));
    const u128 rest = p.bits << (128 - (bits - 54));
    u64        unit = halves >> 1;
    f64        value;
    if ((halves & 1) && (rest || (unit & 1))) unit++;
    const u64 word = ((u64)(p.exponent + (i32)bits - 53 + 1074) << 52) + unit;
    memcpy(&value, &word, sizeof value);
    return value;
}

static u64 five_power(u32 n) {
    u64 power = 1;
    for (u32 i = 0; i < n; i++) power *= 5;
    return power;
}

#endif

static f64 number_nearest(const Number* n, const char* text) {
    const bool is_exact = n->exact && n->digits <= NUMBER_EXACT_MAX &&
                          n->exponent >= -NUMBER_TEN_MAX && n->exponent <= NUMBER_TEN_MAX;
    if (is_exact) {
        const f64 digits = (f64)n->digits;
        const f64 value =
            n->exponent < 0 ? digits / number_ten[-n->exponent] : digits * number_ten[n->exponent];
        return n->negative ? -value : value;
    }
#if HAS_PRODUCT
    if (n->exact && n->digits && n->exponent >= -FIVE_MAX && n->exponent <= FIVE_MAX) {
        const u32 power = (u32)abs(n->exponent);
        const u64 five = five_power(power);
        Product   p = n->exponent < 0 ? quotient_of(n->digits, five, reciprocal[power - 1])
                                      : product_of(n->digits, five);
        p.exponent += n->exponent;
        const f64 value = product_round(p);
        return n->negative ? -value : value;
    }
#endif
    return strtod(text, NULL); /* entc never sets the locale */
}

/* --- the exact value of a text --- */

#define EXPONENT_MAX 1000000000000 /* more than all digits of a text can make up for */

/* The digits of a number in JSON. */
typedef struct Decimal {
    const char* first;     /* that is not 0; NULL: all are 0 */
    int64_t     high, low; /* the powers of ten of the first and the last digit that is not 0 */
} Decimal;

static int64_t exponent_of(const char* at) {
    int64_t    exponent = 0;
    const bool negative = *at == '-';
    for (at += *at == '-' || *at == '+'; text_is_digit(*at); at++) {
        if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (*at - '0');
    }
    return negative ? -exponent : exponent;
}

static Decimal decimal_of(const char* text) {
    Decimal     d = {NULL, 0, 0};
    const char* at = text + (*text == '-');
    int64_t     power = -1; /* of the digit at `at` */
    for (const char* digit = at; text_is_digit(*digit); digit++) power++;
    for (; text_is_digit(*at) || *at == '.'; at++) {
        if (*at == '.') continue;
        if (*at != '0') d.low = power;
        if (*at != '0' && !d.first) d.first = at, d.high = power;
        power--;
    }
    const int64_t exponent = (*at | 0x20) == 'e' ? exponent_of(at + 1) : 0;
    d.high += exponent;
    d.low += exponent;
    return d;
}

bool number_is_integer(const char* text) {
    const Decimal d = decimal_of(text);
    return !d.first || d.low >= 0;
}

/* Digits of a number halfway between two f32, which is an integer below 2^25 times a power of two
 * that is at least 2^-150; and a text with an exponent in that form. */
#define HALF_DIGITS 120
#define HALF_BYTES  (HALF_DIGITS + 10)

/* The digit at *at, behind which is the next one; 0 after the last one. */
static char digit_take(const char** at) {
    if (!text_is_digit(**at)) return '0';
    const char digit = *(*at)++;
    *at += **at == '.';
    return digit;
}

/* Is the number without its sign greater (1), equal (0) or less (-1) than such a half? */
static i32 half_compare(const char* text, f64 half) {
    char printed[HALF_BYTES];
    snprintf(printed, sizeof printed, "%.*e", HALF_DIGITS, half);
    const Decimal a = decimal_of(text), b = decimal_of(printed);
    if (!a.first) return -1;
    if (a.high != b.high) return a.high > b.high ? 1 : -1;
    const char *x = a.first, *y = b.first;
    while (text_is_digit(*x) || text_is_digit(*y)) {
        const char left = digit_take(&x), right = digit_take(&y);
        if (left != right) return left > right ? 1 : -1;
    }
    return 0;
}

/* Is a positive number exactly halfway between two f32? The normal f32 have 29 bits less than an f64;
 * below them, the distance of the f32 is 2^-149. */
static bool is_half(u64 bits, f64 value) {
    if ((bits & 0x1fffffff) == 0x10000000) return value >= 0x1p-126;
    if (value >= 0x1p-126 || value < 0x1p-150) return false;
    const f64 halves = value * 0x1p150;
    const u32 integral = (u32)halves;
    return (f64)integral == halves && integral % 2;
}

f64 number_round(const Number* n, const char* text) {
    f64       value = number_nearest(n, text);
    const u64 sign = (u64)1 << 63;
    u64       bits;
    memcpy(&bits, &value, sizeof bits);
    const u64 negative = bits & sign;
    bits &= ~sign;
    if (!is_half(bits, fabs(value))) return value;
    bits += (u64)(int64_t)half_compare(text, fabs(value));
    bits |= negative;
    memcpy(&value, &bits, sizeof value);
    return value;
}
