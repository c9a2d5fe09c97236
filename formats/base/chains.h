/* chains.h - the hash table for rows that share a key or are removed again: buckets with chains.
 *
 *     u32* link = chains_first(&chains, hash);
 *     while (*link != NONE) link = chains_next(&chains, link);
 *
 * visits the rows of a bucket, the most recently added row first. chains_remove removes the row of
 * a link; the link then holds the next row. */
#ifndef ENT_CHAINS_H
#define ENT_CHAINS_H

#include "base.h"

typedef struct Chains {
    u32* head;    /* [buckets] first row, or NONE */
    u32* next;    /* [rows] */
    u32  buckets; /* a power of two */
} Chains;

static inline u32 chains_needed(u32 rows) {
    u32 buckets = 16;
    while (buckets < rows && buckets < 1u << 31) buckets *= 2;
    return buckets;
}

static inline void chains_clear(const Chains* chains) {
    memset(chains->head, 0xff, sizeof(u32) * chains->buckets);
}

static inline u32* chains_first(const Chains* chains, u64 hash) {
    return &chains->head[hash & (chains->buckets - 1)];
}

static inline u32* chains_next(const Chains* chains, const u32* link) {
    return &chains->next[*link];
}

static inline void chains_enter(const Chains* chains, u64 hash, u32 row) {
    u32* first = chains_first(chains, hash);
    chains->next[row] = *first;
    *first = row;
}

static inline void chains_remove(const Chains* chains, u32* link) { *link = chains->next[*link]; }

#endif
