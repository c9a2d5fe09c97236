/* print.c - printing into memory. */
#include "print.h"

#include <stdlib.h>

#include "exit_codes.h"
#include "failure.h"
#include "libc.h"
#include "memory.h"
#include "temporary.h"

#define FIRST_BYTES 1024

/* A stream of the C library in memory does not report every failed allocation: its text would be
 * truncated. */
static size_t print_more(void* user, const char* bytes, size_t count) {
    Print* print = user;
    if (print->room - print->bytes <= count) {
        const size_t room = MAX_OF(print->bytes + count + 1, print->room * 2);
        char*        grown = realloc(print->text, room);
        print->cut |= !grown;
        if (!grown) return 0;
        print->text = grown;
        print->room = room;
    }
    memcpy(print->text + print->bytes, bytes, count);
    print->bytes += count;
    return count;
}

FILE* print_begin(Print* print) {
    *print = (Print){.text = memory_alloc(FIRST_BYTES), .room = FIRST_BYTES};
    print->out = stream_to(print, print_more);
    if (!print->out) memory_exhausted(FIRST_BYTES);
    return print->out;
}

Text print_end(Print* print) {
    FILE* out = print->out;
    print->out = NULL;
    if (out && (fclose(out) != 0 || print->cut)) memory_exhausted(print->room);
    if (out) print->text[print->bytes] = 0;
    return (Text){print->text, (u32)print->bytes};
}

void print_drop(Print* print) {
    print_end(print);
    memory_free(print->text);
    *print = (Print){0};
}

int print_put(Print* print, const char* path, FileChange* change) {
    folder_sweep(path);
    return print_put_only(print, path, change);
}

int print_put_only(Print* print, const char* path, FileChange* change) {
    FileChange unused;
    print_end(print);
    const ent_status status =
        file_replace(path, print->text, print->bytes, change ? change : &unused);
    const int code = status == ENT_OK ? EXIT_OK : io_failure("cannot write", path);
    print_drop(print);
    return code;
}
