/* folder_root.h - changes beneath one folder and nowhere else: no link on the way is followed.
 *
 * Paths are relative to the folder: segments with one '/' between them, none of them "." or "..".
 * A folder on the way that is a link gives ENT_IO with ELOOP, so that a folder that somebody else
 * filled cannot lead a write or a removal out of it. */
#ifndef ENT_FOLDER_ROOT_H
#define ENT_FOLDER_ROOT_H

#include "file.h"

typedef struct FolderRoot {
    int fd;
} FolderRoot;

/* The folder itself may be reached through links: whoever names it means it. */
MUST_CHECK ent_status root_open(FolderRoot* root, const char* path);
void                  root_close(FolderRoot* root);

/* The same, after making it where it does not exist. */
MUST_CHECK ent_status root_make(FolderRoot* root, const char* path);

/* A number that stays the folder's as long as it exists, and that no other folder of its disk has.
 */
MUST_CHECK ent_status root_number(const FolderRoot* root, u64* number);

/* What is at a path, FILE_NONE when nothing is; of a link FILE_OTHER. */
MUST_CHECK ent_status root_look(const FolderRoot* root, const char* path, FileKind* kind);

/* As file_map, of a regular file. */
MUST_CHECK ent_status root_map(const FolderRoot* root, const char* path, FileView* out);

/* As file_replace; folders on the way are made. */
MUST_CHECK ent_status root_replace(const FolderRoot* root, const char* path, const void* bytes,
                                   size_t size, FileChange* change);

/* The same for a file that exists: its rights stay as they are. */
MUST_CHECK ent_status root_rewrite(const FolderRoot* root, const char* path, const void* bytes,
                                   size_t size);

/* The same where nothing may exist: ENT_IO with EEXIST when something does, however many processes
 * try. */
MUST_CHECK ent_status root_create(const FolderRoot* root, const char* path, const void* bytes,
                                  size_t size);

/* Renames a file or folder to a path where nothing exists; folders on the way are made. */
MUST_CHECK ent_status root_move(const FolderRoot* root, const char* from, const char* to);

/* ENT_OK also when there is nothing. */
MUST_CHECK ent_status root_remove(const FolderRoot* root, const char* path);

/* Removes the folders on the way to a path while they are empty. */
void root_remove_empty(const FolderRoot* root, const char* path);

#endif
