/* print.h - text that is printed into memory, to become a file or part of another text.
 *
 *     Print print;
 *     fputs("one line\n", print_begin(&print));
 *     const Text text = print_end(&print);
 *     print_drop(&print); */
#ifndef ENTC_PRINT_H
#define ENTC_PRINT_H

#include <stdio.h>

#include "file.h"

typedef struct Print {
    FILE*  out;
    char*  text; /* [bytes + 1] with a NUL, once it is ended */
    size_t bytes, room;
    bool   cut; /* there was no memory for more */
} Print;

/* Returns  what to print into. `print` stays where it is until it is ended. */
FILE* print_begin(Print* print);

/* Returns  what was printed; it lives until print_drop. Of one that was ended: the same again. */
Text print_end(Print* print);
void print_drop(Print* print);

/* Ends it, makes it the content of a file when that has another, and drops the text; removes what
 * killed processes left in the file's folder. `change` may be NULL. Returns an exit code. */
int print_put(Print* print, const char* path, FileChange* change);

#endif
