/* pretty.h - writes readable JSON: two spaces per level, short arrays on one line.
 *
 *     pretty_object(w, NULL);
 *     pretty_text(w, "title", "light");
 *     pretty_end(w);
 *
 * A key is NULL inside arrays and for the outermost value. Texts are UTF-8. */
#ifndef ENTC_PRETTY_H
#define ENTC_PRETTY_H

#include <stdio.h>

#include "base.h"

#define PRETTY_DEPTH_MAX 64

typedef struct Pretty {
    FILE* out;
    u32   depth;
    char  close[PRETTY_DEPTH_MAX]; /* [depth] the end of the object or array */
    bool  filled;                  /* it is not empty */
} Pretty;

void pretty_object(Pretty* w, const char* key);
void pretty_array(Pretty* w, const char* key);
void pretty_end(Pretty* w); /* of the innermost; the outermost is followed by a newline */

void pretty_text(Pretty* w, const char* key, const char* text);
void pretty_number(Pretty* w, const char* key, f64 value);
/* With as many digits as are needed to read the same number again. */
void pretty_number_exact(Pretty* w, const char* key, f64 value);
void pretty_null(Pretty* w, const char* key);
void pretty_bool(Pretty* w, const char* key, bool value);

/* Arrays on one line. */
void pretty_texts(Pretty* w, const char* key, const char* const* texts, u32 count);
void pretty_numbers(Pretty* w, const char* key, const f64* values, u32 count);

/* The shortest text of at most 15 digits. */
const char* number_text(f64 value, char text[32]);

#endif
