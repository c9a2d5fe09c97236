/* response.h - the words of a command line, with those of response files in place of @FILE. */
#ifndef ENT_RESPONSE_H
#define ENT_RESPONSE_H

#include "base.h"

#define RESPONSE_DEPTH_MAX 8
#define RESPONSE_WORDS_MAX 1000000u

typedef struct WordBlock WordBlock;

typedef struct Line {
    const char*  program; /* for messages */
    const char** word;    /* [count] */
    u32          count, capacity;
    WordBlock*   blocks; /* everything that words stand in */
} Line;

/* [bytes], zeroed, until line_drop. When there is no memory left it says so and exits. */
void* line_alloc(Line* line, size_t bytes);

/* Adds words; `@FILE` adds those that stand in the file, apart by white space. In a file '..' and
 * ".." keep white space, and a backslash takes the next character as it is, as GCC reads them.
 * Returns an exit code, after a sentence on stderr when it is not EXIT_OK. */
int line_add(Line* line, const char* const* words, u32 count);

void line_drop(Line* line);

#endif
