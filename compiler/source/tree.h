/* tree.h - lists a folder recursively, with the stamp of each file; a build uses only this list. */
#ifndef ENTC_TREE_H
#define ENTC_TREE_H

#include "file.h"
#include "jobs.h"
#include "memory.h"

#define TREE_DEPTH_MAX 64
#define TREE_TOO_DEEP  "the nesting of this folder exceeds 64 levels"

typedef struct TreeFile {
    const char* path;     /* the root as the user specified it, '/', and the relative path */
    u32         relative; /* the beginning of the relative path */
    u32         name;     /* the beginning of the last segment */
    FileKind    kind;     /* FILE_FOLDER: not entered, because it is a symbolic link or exceeds the
                           * depth limit */
    bool        link;
    bool        is_stamped; /* while the folder is being read */
    FileStamp   stamp;
} TreeFile;

typedef struct Tree {
    const char* root; /* without a trailing slash */
    Arena       arena;
    ARRAY(TreeFile) files;        /* in no order; names that begin with '.' are omitted */
    ARRAY(const char*) folders;   /* the root, then those below it, each before its content */
    ARRAY(const char*) dead;      /* paths of temporary files of processes that have ended */
    bool               is_listed; /* it was not read: the files are those of a list of inputs */
    struct PathsAlike* alike;     /* the files by the canonical spelling of their paths */
} Tree;

/* Creates a tree without files, to which single ones are added by their paths below the root. */
void tree_begin(Tree* tree, const char* root);
void tree_add(Tree* tree, Text path);

/* Reads a folder. Without `stamps` those of the files are 0, which saves one system call per file.
 * Uses all threads of `pool`, unless it is NULL.
 *
 * Returns  ENT_OK, ENT_NOT_FOUND for the root, or ENT_IO with errno for `failed`, a folder. */
MUST_CHECK ent_status tree_read(Tree* tree, const char* root, bool stamps, JobPool* pool,
                                const char** failed);
void                  tree_drop(Tree* tree);

/* Reverses the order of the files, on which nothing may depend. */
void tree_reverse(Tree* tree);

/* Returns the path below the root. */
static inline const char* tree_relative(const TreeFile* file) {
    return file->path + file->relative;
}

/* Removes the temporary files of killed processes in a folder, recursively. */
void folders_sweep(const char* root);

/* Removes the temporary files of killed processes, and folders that are empty then. */
void tree_sweep(const Tree* tree);

#endif
