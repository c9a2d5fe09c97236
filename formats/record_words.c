/* record_words.c - bounds of the words of records, see record_words.h. */
#include "record_words.h"

#include "wide.h"

/* Adds to `outside`, for each word, 0 or ~0: is it outside of its bounds? */
static inline WIDE_BODY void lanes_compare(const WordBounds* b, u32 v, const WordLanes* words,
                                           WordLanes* outside) {
    const WordLanes negative = (WordLanes)((SignedLanes)*words >> 31);
    const WordLanes flipped = *words ^ (negative & b->flip[v]);
    *outside |= (WordLanes)((SignedLanes)(flipped - b->min[v]) > b->range[v]);
}

static inline WIDE_BODY bool records_hold_body(const WordBounds* b, const u8* at, u32 count) {
    const u32 words = b->words;
    WordLanes outside = {0};
    u32       any = 0;
    for (; count >= WORD_LANES; count -= WORD_LANES) {
        for (u32 v = 0; v < words; v++, at += sizeof outside) {
            WordLanes here;
            memcpy(&here, at, sizeof here);
            lanes_compare(b, v, &here, &outside);
        }
    }
    const u32 rest = count * words;
    for (u32 v = 0; v * WORD_LANES < rest; v++) {
        const u32 here = MIN_OF(WORD_LANES, rest - v * WORD_LANES);
        WordLanes part = {0}, wrong = {0};
        memcpy(&part, at + v * sizeof part, here * 4);
        lanes_compare(b, v, &part, &wrong);
        for (u32 k = 0; k < here; k++) any |= wrong[k];
    }
    for (u32 k = 0; k < WORD_LANES; k++) any |= outside[k];
    return any == 0;
}
WIDE_VERSIONS(bool, records_hold, (const WordBounds* b, const u8* at, u32 count), (b, at, count))

bool word_bounds_hold(const WordBounds* bounds, const void* records, u32 count) {
    return records_hold(bounds, records, count);
}

static void word_set(WordBounds* b, u32 word, const FieldBounds* field) {
    for (u32 k = 0; k < WORD_LANES; k++) {
        const u32 at = k * b->words + word;
        b->flip[at / WORD_LANES][at % WORD_LANES] = field->flip;
        b->min[at / WORD_LANES][at % WORD_LANES] = field->min + 0x80000000u;
        b->range[at / WORD_LANES][at % WORD_LANES] = (i32)(field->range ^ 0x80000000u);
    }
}

bool word_bounds_make(WordBounds* out, const Field* fields, u32 count, u32 bytes) {
    out->words = bytes / 4;
    if (out->words > WORD_RECORDS_MAX) return false;
    for (u32 i = 0; i < count; i++) {
        const u32   first = (fields[i].offset - fields[0].offset) / 4;
        FieldBounds bounds;
        if (!field_bounds(&fields[i], &bounds)) return false;
        for (u32 w = 0; w < field_words(&fields[i]); w++) word_set(out, first + w, &bounds);
    }
    return true;
}
