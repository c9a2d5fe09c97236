/* work_folder.h - a folder for the files of one command. */
#ifndef ENT_WORK_FOLDER_H
#define ENT_WORK_FOLDER_H

#include "base.h"

/* Creates a new folder, which only this user can read, in $TMPDIR or /tmp, and writes its path.
 *
 * Returns  ENT_OK, or another status with errno. */
MUST_CHECK ent_status work_folder_make(char* path, size_t room);

/* Removes a folder with everything in it; symbolic links in it are removed, not followed.
 *
 * Returns  ENT_OK, or another status with errno: some of its files remain. */
MUST_CHECK ent_status work_folder_remove(const char* path);

#endif
