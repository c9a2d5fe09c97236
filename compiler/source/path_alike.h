/* path_alike.h - files of the source folder by the canonical spelling of their paths. */
#ifndef ENTC_PATH_ALIKE_H
#define ENTC_PATH_ALIKE_H

#include "job_once.h"
#include "slots.h"
#include "tree.h"

/* The index of a list, which is made when it is first needed. */
typedef struct PathsAlike {
    JobOnce once;
    Slots   slots; /* of the files, by the hash of the canonical path */
} PathsAlike;

/* The path of the file that has this path below the root, or else of the first one whose path has the same canonical
 * spelling; NULL: there is none. `second`: another one of these, or NULL. Any thread may call it. */
const char* path_alike(const Tree* tree, const char* path, const char** second);

/* The number of files whose paths have the canonical spelling of this one. */
u32 path_alike_count(const Tree* tree, const char* path);

/* The path of the file to which a URI of a model refers, as path_beside resolves it: that of the file with exactly this
 * path, or else of the one that is alike, or else the path itself. With a reason if two files are alike. */
const char* path_of_uri(const Tree* tree, Arena* arena, const char* path, const char** reason);

/* After files were added or removed, and at the end. */
void paths_alike_drop(Tree* tree);

#endif
