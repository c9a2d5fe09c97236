/* search.h - the binary search that every lookup in sorted rows uses.
 *
 *     Search s = search_between(0, count);
 *     while (search_continues(&s)) search_narrow(&s, rows[s.middle].key < key);
 *
 * ends with s.first at the first row for which the condition is false, or at `count`. The condition
 * is written at the call, so that no callback is needed. */
#ifndef ENT_SEARCH_H
#define ENT_SEARCH_H

#include "base.h"

typedef struct Search {
    u32 first, end; /* the result is not less than `first` and not greater than `end` */
    u32 middle;     /* the row to compare */
} Search;

static inline Search search_between(u32 first, u32 end) { return (Search){first, end, first}; }

static inline bool search_continues(Search* s) {
    s->middle = s->first + (s->end - s->first) / 2;
    return s->first < s->end;
}

static inline void search_narrow(Search* s, bool is_behind_middle) {
    if (is_behind_middle)
        s->first = s->middle + 1;
    else
        s->end = s->middle;
}

/* The index of the first word that is not less than `word`, or `count`; the words are ascending. */
static inline u32 search_words(const u32* words, u32 count, u32 word) {
    Search s = search_between(0, count);
    while (search_continues(&s)) search_narrow(&s, words[s.middle] < word);
    return s.first;
}

#endif
