/* csv_file.c - a text that replaces a file when it is complete. */
#include "csv_file.h"

#include <stdlib.h>

#include "file.h"
#include "libc.h"
#include "temporary.h"

ent_status csv_begin(CsvFile* f) {
    *f = (CsvFile){0};
    f->out = memory_stream(&f->text, &f->bytes);
    return f->out ? ENT_OK : ENT_NO_MEMORY;
}

void csv_text(CsvFile* f, const char* text) {
    fputc('"', f->out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f->out);
        fputc(*text, f->out);
    }
    fputc('"', f->out);
}

ent_status csv_end(CsvFile* f, const char* path) {
    FileChange change;
    /* A stream in memory that cannot grow reports it at the latest here. */
    const bool written = fflush(f->out) == 0 && !ferror(f->out);
    ent_status status = fclose(f->out) == 0 && written ? ENT_OK : ENT_NO_MEMORY;
    if (status == ENT_OK) folder_sweep(path);
    if (status == ENT_OK) status = file_replace(path, f->text, f->bytes, &change);
    free(f->text);
    return status;
}
