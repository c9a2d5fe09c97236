/* folder_root.h - changes in one folder and nowhere else: links inside it are not followed.
 *
 * Paths are relative to the folder: segments with one '/' between them, none of them "." or "..". A
 * link in place of a folder of the path gives ENT_IO with ELOOP. So a folder that another user
 * filled cannot redirect a write or a removal to a place outside it. */
#ifndef ENT_FOLDER_ROOT_H
#define ENT_FOLDER_ROOT_H

#include "file.h"

typedef struct FolderRoot {
    int fd;
} FolderRoot;

/* The path of the folder itself may contain links: it is set by the user. */
MUST_CHECK ent_status root_open(FolderRoot* root, const char* path);
void                  root_close(FolderRoot* root);

/* The same, after creating the folder when it does not exist. */
MUST_CHECK ent_status root_make(FolderRoot* root, const char* path);

/* A number that identifies the folder on its disk and is constant as long as the folder exists. */
MUST_CHECK ent_status root_number(const FolderRoot* root, u64* number);

/* The kind of file at a path, FILE_NONE when there is none; FILE_OTHER for a link. */
MUST_CHECK ent_status root_look(const FolderRoot* root, const char* path, FileKind* kind);

/* As file_map, for a regular file. */
MUST_CHECK ent_status root_map(const FolderRoot* root, const char* path, FileView* out);

/* As file_replace; missing folders of the path are created. */
MUST_CHECK ent_status root_replace(const FolderRoot* root, const char* path, const void* bytes,
                                   size_t size, FileChange* change);

/* The same for a file that exists: it keeps its permissions. */
MUST_CHECK ent_status root_rewrite(const FolderRoot* root, const char* path, const void* bytes,
                                   size_t size);

/* The same where no file may exist: ENT_IO with EEXIST when one does, also with
 * concurrent callers. */
MUST_CHECK ent_status root_create(const FolderRoot* root, const char* path, const void* bytes,
                                  size_t size);

/* Renames a file or folder to a path where nothing exists, or where it is found itself in another spelling; missing
 * folders of the path are created. */
MUST_CHECK ent_status root_move(const FolderRoot* root, const char* from, const char* to);

/* A file system may ignore case: then two spellings lead to one entry, and its folder lists one of them. */
typedef enum RootSpelling {
    SPELLING_OTHER, /* the two do not lead to one entry */
    SPELLING_SAME,  /* they do, and their last segments are equal */
    SPELLING_FIRST, /* the last segment of the first one is listed */
    SPELLING_SECOND /* the one of the second is */
} RootSpelling;

/* Compares two paths. */
MUST_CHECK ent_status root_spelling(const FolderRoot* root, const char* first, const char* second,
                                    RootSpelling* spelling);

/* Returns ENT_OK also when nothing exists at the path. */
MUST_CHECK ent_status root_remove(const FolderRoot* root, const char* path);

/* Removes the parent folders of a path as long as they are empty. */
void root_remove_empty(const FolderRoot* root, const char* path);

#endif
