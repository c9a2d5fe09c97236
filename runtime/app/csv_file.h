/* csv_file.h - a text that replaces a file when it is complete. */
#ifndef ENTRUN_CSV_FILE_H
#define ENTRUN_CSV_FILE_H

#include <stdio.h>

#include "base.h"

typedef struct CsvFile {
    char*  text;
    size_t bytes;
    FILE*  out; /* in memory */
} CsvFile;

/* Returns  ENT_OK; ENT_NO_MEMORY: there is nothing to end. */
MUST_CHECK ent_status csv_begin(CsvFile* file);
/* Writes a field between quotes. */
void csv_text(CsvFile* file, const char* text);
/* Writes the file atomically; missing folders of the path are created. ENT_OK, ENT_IO with errno, ENT_NO_MEMORY. */
MUST_CHECK ent_status csv_end(CsvFile* file, const char* path);

#endif
