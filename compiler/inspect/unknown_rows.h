/* unknown_rows.h - instances of an unknown component type: every section contains the entities, and
 * the position of the words of each instance mostly follows from the sizes.
 *
 * This makes it possible to compare saves with the state of managers that only a game defines. */
#ifndef ENTC_UNKNOWN_ROWS_H
#define ENTC_UNKNOWN_ROWS_H

#include "blob.h"
#include "base.h"

typedef struct UnknownRows {
    const u32* owner;   /* [count] entities, ascending */
    const u32* first;   /* words of the columns */
    u32        count;   /* of instances */
    u32        words;   /* of each */
    u32        columns; /* 1: the words of an instance are adjacent; otherwise each is in its own
                       * column */
    u32        stride;  /* words from one column to the next */
} UnknownRows;

/* Returns false when the sizes do not determine the position of the words, or when there is other
 * data between the columns. */
bool unknown_rows_open(UnknownRows* rows, const Blob* blob, const BlobSection* section);

u32 unknown_rows_word(const UnknownRows* rows, u32 row, u32 word);

/* The first row of an entity, or where it would be. */
u32 unknown_rows_first(const UnknownRows* rows, u32 entity);

/* Are rows [first, first + count) of `a` those of an entity of `b`, word by word? */
bool unknown_rows_equal(const UnknownRows* a, u32 first, u32 count, const UnknownRows* b,
                        u32 entity);

#endif
