/* print.c - printing into memory. */
#include "print.h"

#include <stdlib.h>

#include "diag.h"
#include "exit_codes.h"
#include "memory.h"

#define FIRST_BYTES 4096 /* about what cannot be had when there is no stream */

FILE* print_begin(Print* print) {
    *print = (Print){0};
    print->out = open_memstream(&print->text, &print->bytes);
    if (!print->out) memory_exhausted(FIRST_BYTES);
    return print->out;
}

Text print_end(Print* print) {
    if (print->out && fclose(print->out) != 0) memory_exhausted(print->bytes);
    print->out = NULL;
    return (Text){print->text, (u32)print->bytes};
}

void print_drop(Print* print) {
    print_end(print);
    free(print->text);
    print->text = NULL;
}

int print_put(Print* print, const char* path, FileChange* change) {
    FileChange unused;
    print_end(print);
    const ent_status status =
        file_replace(path, print->text, print->bytes, change ? change : &unused);
    const int code = status == ENT_OK ? EXIT_OK : io_failure("cannot write", path);
    print_drop(print);
    return code;
}
