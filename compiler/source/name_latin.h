/* name_latin.h - letters of other alphabets in names, as Latin ones. */
#ifndef ENTC_NAME_LATIN_H
#define ENTC_NAME_LATIN_H

#include "base.h"

#define LATIN_BYTES 5 /* of the longest one, with its NUL */

/* Writes what stands for a character that is not ASCII: letters and digits, in lower case; '_' for
 * punctuation; or nothing for an accent of its own and for characters without width. Returns false when
 * there is nothing that stands for it.
 *
 * Latin letters lose their accents (the decompositions of Unicode) or are those of the
 * Latin-ASCII transform of CLDR; Greek ones follow ISO 843, Cyrillic ones ICAO Doc 9303. */
bool latin_of(u32 character, char latin[LATIN_BYTES]);

/* The character at `at` of a text that ends at `end`, and its bytes; 0 bytes: there is no valid one. */
u32 utf8_character(const char* at, const char* end, u32* bytes);

#endif
