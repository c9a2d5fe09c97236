/* print.h - prints text into memory, for a file or a part of another text.
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
    char*  text; /* [bytes + 1] with a NUL, after print_end */
    size_t bytes, room;
    bool   cut; /* memory was exhausted */
} Print;

/* Returns the stream to print to. `print` must not be moved until it is ended. */
FILE* print_begin(Print* print);

/* Returns the text, which is valid until print_drop. May be called again. */
Text print_end(Print* print);
void print_drop(Print* print);

/* Ends it, writes the text to a file if the content differs, and frees the text; removes temporary
 * files of killed processes in the folder of the file. `change` may be NULL. Returns an exit
 * code. */
int print_put(Print* print, const char* path, FileChange* change);

/* The same, but lists no folder. */
int print_put_only(Print* print, const char* path, FileChange* change);

#endif
