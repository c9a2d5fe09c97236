/* text_scan.h - finds the end of plain text and of white space: 16 bytes at a time with SSE2 or
 * NEON, 8 elsewhere. All forms have the same results, which the suite of the scanner tests.
 *
 * Nothing at or after `end` is read, except the byte at `end`, which is a NUL. */
#ifndef ENTC_TEXT_SCAN_H
#define ENTC_TEXT_SCAN_H

#include "base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#define TEXT_SCAN_LANES 16
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define TEXT_SCAN_LANES 16
#else
#define TEXT_SCAN_LANES 0
#endif

static inline u64 text_load8(const char* at) {
    u64 v;
    memcpy(&v, at, 8);
    return v;
}

/* Is it an ASCII byte that a string of JSON contains as itself? */
static inline bool text_is_plain(char c) {
    return (u8)c >= 0x20 && (u8)c < 0x80 && c != '"' && c != '\\';
}

static inline bool text_is_space(char c) {
    return (u8)c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
}

/* --- without vectors --- */

/* Eight at a time: a byte below 0x20 or equal to one of the two special ones borrows from its top
 * bit when it is subtracted from, and the lowest byte whose top bit is set is certainly one of them
 * (S. Anderson, Bit Twiddling Hacks: determine if a word has a byte less than n). */
static inline const char* text_plain_end_words(const char* at, const char* end) {
    const u64 ones = 0x0101010101010101u, tops = 0x8080808080808080u;
    while (HOST_IS_LITTLE && end - at >= 8) {
        const u64 v = text_load8(at);
        const u64 quote = v ^ ones * '"', slash = v ^ ones * '\\';
        const u64 found = ((v - ones * 0x20) | (quote - ones) | (slash - ones) | v) & tops;
        if (found) return at + (trailing_zeros(found) >> 3);
        at += 8;
    }
    while (text_is_plain(*at)) at++;
    return at;
}

static inline const char* text_space_end_bytes(const char* at) {
    while (text_is_space(*at)) at++;
    return at;
}

/* --- with vectors --- */

#if defined(__SSE2__)

/* Bit i: byte i is not plain. Signed, bytes from 0x80 on are less than 0x20 too. */
static inline u64 text_special_bits(const char* at) {
    const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)at);
    const __m128i less = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    return (u64)(u32)_mm_movemask_epi8(_mm_or_si128(less, _mm_or_si128(quote, slash)));
}

static inline u64 text_solid_bits(const char* at) {
    const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)at);
    const __m128i blank = _mm_cmpeq_epi8(v, _mm_set1_epi8(' '));
    const __m128i tab = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));
    const __m128i line = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
    const __m128i back = _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'));
    const __m128i any = _mm_or_si128(_mm_or_si128(blank, tab), _mm_or_si128(line, back));
    return (u64)(u32)_mm_movemask_epi8(any) ^ 0xffffu;
}
#define TEXT_BITS_A_BYTE 1u

#elif TEXT_SCAN_LANES

/* A bit for each of 64 bytes, each of which is 0 or 0xff. */
static inline u64 text_bits64(const uint8x16_t found[4]) {
    static const u8  weights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t w = vld1q_u8(weights);
    const uint8x16_t low = vpaddq_u8(vandq_u8(found[0], w), vandq_u8(found[1], w));
    const uint8x16_t high = vpaddq_u8(vandq_u8(found[2], w), vandq_u8(found[3], w));
    const uint8x16_t all = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

/* Four bits for each byte. */
static inline u64 text_bits(uint8x16_t found) {
    const uint8x8_t half = vshrn_n_u16(vreinterpretq_u16_u8(found), 4);
    return vget_lane_u64(vreinterpret_u64_u8(half), 0);
}

static inline u64 text_special_bits(const char* at) {
    const uint8x16_t v = vld1q_u8((const u8*)at);
    const uint8x16_t less = vcltq_u8(v, vdupq_n_u8(0x20)), more = vcgeq_u8(v, vdupq_n_u8(0x80));
    const uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"')), slash = vceqq_u8(v, vdupq_n_u8('\\'));
    return text_bits(vorrq_u8(vorrq_u8(less, more), vorrq_u8(quote, slash)));
}

static inline u64 text_solid_bits(const char* at) {
    const uint8x16_t v = vld1q_u8((const u8*)at);
    const uint8x16_t blank = vceqq_u8(v, vdupq_n_u8(' ')), tab = vceqq_u8(v, vdupq_n_u8('\t'));
    const uint8x16_t line = vceqq_u8(v, vdupq_n_u8('\n')), back = vceqq_u8(v, vdupq_n_u8('\r'));
    return ~text_bits(vorrq_u8(vorrq_u8(blank, tab), vorrq_u8(line, back)));
}
#define TEXT_BITS_A_BYTE 4u
#endif

/* Where the characters of numbers are among 64 bytes: bit i is byte i. */
typedef struct TextNumberBits {
    u64 digit, zero, point, minus, comma, close;
} TextNumberBits;

#define TEXT_BITS_BYTES 64

#if defined(__SSE2__)
/* The bits of the bytes from `first` to `end`, each 0, 32 or 64; the others are 0. */
static inline TextNumberBits text_number_bits(const char* at, u32 first, u32 end) {
    TextNumberBits b = {0, 0, 0, 0, 0, 0};
#define TEXT_BITS_OF(member, found) b.member |= (u64)(u32)_mm_movemask_epi8(found) << i
    for (u32 i = first; i < end; i += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)(at + i));
        const __m128i value = _mm_sub_epi8(v, _mm_set1_epi8('0'));
        TEXT_BITS_OF(digit, _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value));
        TEXT_BITS_OF(zero, _mm_cmpeq_epi8(v, _mm_set1_epi8('0')));
        TEXT_BITS_OF(point, _mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
        TEXT_BITS_OF(minus, _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
        TEXT_BITS_OF(comma, _mm_cmpeq_epi8(v, _mm_set1_epi8(',')));
        TEXT_BITS_OF(close, _mm_cmpeq_epi8(v, _mm_set1_epi8(']')));
    }
#undef TEXT_BITS_OF
    return b;
}
#elif TEXT_SCAN_LANES
static inline u64 text_equal_bits(const uint8x16_t v[4], char c) {
    uint8x16_t found[4];
    for (u32 i = 0; i < 4; i++) found[i] = vceqq_u8(v[i], vdupq_n_u8((u8)c));
    return text_bits64(found);
}

static inline TextNumberBits text_number_bits(const char* at, u32 first, u32 end) {
    uint8x16_t v[4], found[4];
    for (u32 i = 0; i < 4; i++) {
        v[i] = i * 16 >= first && i * 16 < end ? vld1q_u8((const u8*)at + i * 16) : vdupq_n_u8(0);
        found[i] = vcleq_u8(vsubq_u8(v[i], vdupq_n_u8('0')), vdupq_n_u8(9));
    }
    return (TextNumberBits){text_bits64(found),      text_equal_bits(v, '0'),
                            text_equal_bits(v, '.'), text_equal_bits(v, '-'),
                            text_equal_bits(v, ','), text_equal_bits(v, ']')};
}
#endif

/* The first byte from `at` on that is not plain; NUL is not. */
static inline const char* text_plain_end(const char* at, const char* end) {
#if TEXT_SCAN_LANES
    for (; end - at >= TEXT_SCAN_LANES; at += TEXT_SCAN_LANES) {
        const u64 found = text_special_bits(at);
        if (found) return at + trailing_zeros(found) / TEXT_BITS_A_BYTE;
    }
#endif
    return text_plain_end_words(at, end);
}

/* The first byte from `at` on that is not white space. */
static inline const char* text_space_end(const char* at, const char* end) {
#if TEXT_SCAN_LANES
    for (; end - at >= TEXT_SCAN_LANES; at += TEXT_SCAN_LANES) {
        const u64 found = text_solid_bits(at);
        if (found) return at + trailing_zeros(found) / TEXT_BITS_A_BYTE;
    }
#endif
    UNUSED(end);
    return text_space_end_bytes(at);
}

/* The same. Most values are not preceded by white space, or by one space. */
static inline const char* text_space_skip(const char* at, const char* end) {
    if ((u8)*at > ' ') return at;
    if (text_is_space(*at)) at++;
    return (u8)*at > ' ' ? at : text_space_end(at, end);
}

/* The number of commas, colons and opening brackets, also those in strings. */
static inline u64 text_count_separators(const char* at, const char* end) {
    u64 count = 0;
#if defined(__SSE2__)
    for (; end - at >= 16; at += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)at);
        const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20)); /* '[' and '{' are one then */
        const __m128i comma = _mm_cmpeq_epi8(v, _mm_set1_epi8(','));
        const __m128i colon = _mm_cmpeq_epi8(v, _mm_set1_epi8(':'));
        const __m128i open = _mm_cmpeq_epi8(lower, _mm_set1_epi8('{'));
        const __m128i ones =
            _mm_and_si128(_mm_or_si128(_mm_or_si128(comma, colon), open), _mm_set1_epi8(1));
        const __m128i sums = _mm_sad_epu8(ones, _mm_setzero_si128());
        count += (u64)_mm_cvtsi128_si32(sums) + (u64)_mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
    }
#endif
    for (; at < end; at++) count += *at == ',' || *at == ':' || *at == '[' || *at == '{';
    return count;
}

/* --- digits --- */

/* The number of digits among the eight bytes from `at` on; `digits` receives the bytes as values 0
 * to 9 of the digits, and something else. Only where HOST_IS_LITTLE. */
static inline u32 text_digits8(const char* at, u64* digits) {
    const u64 v = text_load8(at) ^ 0x3030303030303030u;
    const u64 other = ((v + 0x7676767676767676u) | v) & 0x8080808080808080u;
    *digits = v;
    return other ? trailing_zeros(other) >> 3 : 8;
}

/* The integer of the first `count` digits, 1 to 8: leading zeros are put before them, then
 * neighbours are joined to numbers of 2, 4 and 8 digits. */
static inline u64 text_digits8_value(u64 digits, u32 count) {
    u64 v = digits << (64 - 8 * count);
    v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffu;
    v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffu;
    return (v * 10000 + (v >> 32)) & 0xffffffffu;
}

#endif
