/* file_stage.h - complete files that receive their paths later, or not at all.
 *
 * Until then a file has a temporary name, and no descriptor is open. */
#ifndef ENT_FILE_STAGE_H
#define ENT_FILE_STAGE_H

#include "file.h"

typedef struct Temporary FileStage;

/* Writes a temporary file beside a path. Missing folders of the path are created. On failure, *stage is NULL. */
MUST_CHECK ent_status file_stage_begin(FileStage** stage, const char* beside, const void* bytes,
                                       size_t size);

/* The path of the temporary file. */
const char* file_stage_path(const FileStage* stage);

/* Gives the file its path, which replaces any existing file, and frees *stage. Missing folders of the path are
 * created. On another file system the content is copied. `stamp` as in file_put. */
MUST_CHECK ent_status file_stage_put(FileStage** stage, const char* path, FileStamp* stamp);

/* Removes the file and frees it. Keeps errno. NULL is permitted. */
void file_stage_drop(FileStage* stage);

#endif
