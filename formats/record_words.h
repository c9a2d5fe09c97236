/* record_words.h - compares all words of records with their bounds at once, without a branch per row.
 *
 * Records are an array of words in which the bounds repeat: a vector of consecutive words is
 * compared with the vector of their bounds, whatever the fields are. References to resources, entities
 * and texts have no bounds here, and that a quaternion is of unit length is not compared.
 *
 *     WordBounds bounds;
 *     if (word_bounds_make(&bounds, fields, count, bytes)) ... word_bounds_hold(&bounds, rows, 1024) */
#ifndef ENT_RECORD_WORDS_H
#define ENT_RECORD_WORDS_H

#include "fields.h"

#define WORD_LANES       8u  /* words that are compared at once */
#define WORD_RECORDS_MAX 32u /* words of a record */

typedef u32 WordLanes __attribute__((vector_size(4 * WORD_LANES)));
typedef i32 SignedLanes __attribute__((vector_size(4 * WORD_LANES)));

/* FieldBounds of the words of WORD_LANES records. Both `least` and `range` are moved by 2^31, because
 * every processor compares vectors of numbers with signs. */
typedef struct WordBounds {
    WordLanes   flip[WORD_RECORDS_MAX], min[WORD_RECORDS_MAX];
    SignedLanes range[WORD_RECORDS_MAX];
    u32         words; /* of a record */
} WordBounds;

/* False: the record has too many words, or a field has bounds that no word is between.
 *
 *   fields   [count] of a record of `bytes` bytes; their offsets are from that of the first one */
bool word_bounds_make(WordBounds* out, const Field* fields, u32 count, u32 bytes);

/* Are all words of adjacent records between their bounds? */
bool word_bounds_hold(const WordBounds* bounds, const void* records, u32 count);

#endif
