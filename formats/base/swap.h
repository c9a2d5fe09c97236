/* swap.h - changes the byte order of words. */
#ifndef ENT_SWAP_H
#define ENT_SWAP_H

#include "base.h"

static inline u32 word_swap(u32 v) {
    return v >> 24 | (v >> 8 & 0xff00u) | (v << 8 & 0xff0000u) | v << 24;
}

/* A word of a file; `other_order`: the file has the other byte order. */
static inline u32 word_read(u32 v, bool other_order) { return other_order ? word_swap(v) : v; }

static inline EntResourceRef resource_swap(EntResourceRef r) {
    return (EntResourceRef){word_swap(r.lo), word_swap(r.hi)};
}

/* Swaps all words of so many bytes; remaining bytes at the end do not change. */
static inline void words_swap(void* words, size_t bytes) {
    u8* at = words;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        u32 v;
        memcpy(&v, at + i, 4);
        v = word_swap(v);
        memcpy(at + i, &v, 4);
    }
}

#endif
