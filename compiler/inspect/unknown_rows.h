/* unknown_rows.h - instances of a component type that nobody told us of: whose they are is written
 * in every section, and where each one's words are follows from the sizes of most.
 *
 * So saves can be read whose managers' state only a game knows. */
#ifndef ENTC_UNKNOWN_ROWS_H
#define ENTC_UNKNOWN_ROWS_H

#include "blob.h"
#include "base.h"

typedef struct UnknownRows {
    const u32* owner; /* [count] entities, rising */
    const u32* first; /* words of the columns */
    u32        count; /* of instances */
    u32        words; /* of each */
    u32 columns;      /* 1: an instance's words stand together; else each in a column of its own */
    u32 stride;       /* words from one column to the next */
} UnknownRows;

/* False when the sizes leave open where an instance's words are, or when something stands between
 * the columns. */
bool unknown_rows_open(UnknownRows* rows, const Blob* blob, const BlobSection* section);

u32 unknown_rows_word(const UnknownRows* rows, u32 row, u32 word);

/* The first row of an entity, or where it would be. */
u32 unknown_rows_first(const UnknownRows* rows, u32 entity);

/* Are rows [first, first + count) of `a` those of an entity of `b`, word by word? */
bool unknown_rows_equal(const UnknownRows* a, u32 first, u32 count, const UnknownRows* b,
                        u32 entity);

#endif
