/* blob_folder.h - the blobs in a folder. */
#ifndef ENTC_BLOB_FOLDER_H
#define ENTC_BLOB_FOLDER_H

#include "exit_codes.h"
#include "memory.h"

/* Collects the sorted relative paths of the files in a folder with the suffix of a resource type.
 * An entry with such a name that is not a regular file, and a symbolic link to a folder, which may
 * contain such files, are errors: no resource is omitted without a message. */
typedef struct PathList {
    Arena arena;
    ARRAY(const char*) paths;
} PathList;
int  paths_collect(PathList* list, const char* folder);
void paths_drop(PathList* list);

/* Exit code of `diff` and `conform` where a file cannot be compared: 1 means that two differ. */
static inline int uncompared(int code) { return code == EXIT_LIMIT ? EXIT_LIMIT : EXIT_IO; }

/* Calls the function for every one of them with its complete path; returns the worst exit code. */
int paths_each(const char* folder, int (*visit)(void* user, const char* path), void* user);

#endif
