/* response.h - the words of a command line, with the words of response files instead of @FILE. */
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
    WordBlock*   blocks; /* the memory of all words */
} Line;

/* Allocates [bytes], zeroed, valid until line_drop. When memory is exhausted, it reports this and
 * exits. */
void* line_alloc(Line* line, size_t bytes);

/* Adds words; `@FILE` adds those of the file, separated by white space. In a file '..' and ".."
 * enclose white space, and a backslash escapes the next character, as in GCC. Returns an exit code,
 * after a message on stderr when it is not EXIT_OK. */
int line_add(Line* line, const char* const* words, u32 count);

void line_drop(Line* line);

#endif
