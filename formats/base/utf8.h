/* utf8.h - validates UTF-8. */
#ifndef ENT_UTF8_H
#define ENT_UTF8_H

#include "base.h"

/* Bytes of the sequence at `at`, or 0 when there is none before `end` (Unicode 15, table 3-7). */
static inline u32 utf8_length(const char* at, const char* end) {
    const u8*    p = (const u8*)at;
    const size_t left = (size_t)(end - at);
    if (p[0] < 0x80) return 1;
    if (p[0] >= 0xc2 && p[0] <= 0xdf) return left >= 2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
    if (p[0] >= 0xe0 && p[0] <= 0xef) {
        const u8 lowest = p[0] == 0xe0 ? 0xa0 : 0x80, highest = p[0] == 0xed ? 0x9f : 0xbf;
        return left >= 3 && p[1] >= lowest && p[1] <= highest && (p[2] & 0xc0) == 0x80 ? 3 : 0;
    }
    if (p[0] < 0xf0 || p[0] > 0xf4 || left < 4) return 0;
    const u8   lowest = p[0] == 0xf0 ? 0x90 : 0x80, highest = p[0] == 0xf4 ? 0x8f : 0xbf;
    const bool is_valid = p[1] >= lowest && p[1] <= highest && (p[2] & 0xc0) == 0x80;
    return is_valid && (p[3] & 0xc0) == 0x80 ? 4 : 0;
}

/* Is it valid UTF-8 that a terminal prints on one line, without control characters (C0, DEL, C1)? */
static inline bool text_is_printable(Text text) {
    for (u32 i = 0; i < text.bytes;) {
        const u8  c = (u8)text.at[i];
        const u32 bytes = utf8_length(text.at + i, text.at + text.bytes);
        if (bytes == 0 || c < 0x20 || c == 0x7f) return false;
        if (c == 0xc2 && (u8)text.at[i + 1] < 0xa0) return false;
        i += bytes;
    }
    return true;
}

#endif
