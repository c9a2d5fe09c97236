/* slots.h - the hash table that finds a row by its key: open addressing, linear probing.
 *
 * A slot holds the index of a row + 1, or 0 when it is free. The caller has the rows, the hash and
 * the comparison, so that a search needs no callback:
 *
 *     u32* slot = slots_first(&table, hash);
 *     while (*slot && !row_has_key(*slot - 1, key)) slot = slots_next(&table, slot);
 *
 * The loop ends at the slot of the row, or at the free slot for the row. At least half of the slots
 * are free, so that searches are short. */
#ifndef ENT_SLOTS_H
#define ENT_SLOTS_H

#include "base.h"

typedef struct Slots {
    u32* at;    /* [count] */
    u32  count; /* a power of two; 0: there is no table yet */
} Slots;

static inline u32* slots_first(const Slots* slots, u64 hash) {
    return &slots->at[hash & (slots->count - 1)];
}

static inline u32* slots_next(const Slots* slots, const u32* slot) {
    return &slots->at[(u32)(slot + 1 - slots->at) & (slots->count - 1)];
}

/* The slot for a row whose key is not in the table, or which may share its key with other rows. */
static inline u32* slots_free(const Slots* slots, u64 hash) {
    u32* slot = slots_first(slots, hash);
    while (*slot) slot = slots_next(slots, slot);
    return slot;
}

/* The number of slots of a table with so many rows; `least` is a power of two. */
static inline u32 slots_needed(u32 rows, u32 min) {
    u32 count = min;
    while (count < (u64)rows * 2 && count < 1u << 31) count *= 2;
    return count;
}

/* Must the table grow before another row is added? */
static inline bool slots_are_full(const Slots* slots, u32 rows) {
    return (u64)rows * 2 >= slots->count;
}

#endif
