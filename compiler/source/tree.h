/* tree.h - what stands in a folder and below it, with the stamp of each file: one look that the
 * rest of a build works from. */
#ifndef ENTC_TREE_H
#define ENTC_TREE_H

#include "file.h"
#include "jobs.h"
#include "memory.h"

#define TREE_DEPTH_MAX 64
#define TREE_TOO_DEEP  "the nesting of this folder exceeds 64 levels"

typedef struct TreeFile {
    const char* path;     /* the root as the user typed it, '/', and what follows */
    u32         relative; /* where that begins */
    u32         name;     /* where the last segment begins */
    FileKind    kind;     /* FILE_FOLDER: not entered, for it is a link or too deep */
    bool        link;
    FileStamp   stamp;
} TreeFile;

typedef struct Tree {
    const char* root; /* without a slash at its end */
    Arena       arena;
    ARRAY(TreeFile) files;      /* in no order; what begins with '.' is left out */
    ARRAY(const char*) folders; /* the root, then those below it, before what is in them */
    ARRAY(const char*) dead;    /* paths of temporaries whose process has ended */
} Tree;

/* Without `stamps` those of the files are 0, which saves a look at each. By all threads of `pool`,
 * unless it is NULL.
 *
 * Returns  ENT_OK, ENT_NOT_FOUND about the root, or ENT_IO with errno about `failed`, a folder. */
MUST_CHECK ent_status tree_read(Tree* tree, const char* root, bool stamps, JobPool* pool,
                                const char** failed);
void                  tree_drop(Tree* tree);

/* The path below the root. */
static inline const char* tree_relative(const TreeFile* file) {
    return file->path + file->relative;
}

/* Removes what killed processes left in a folder and all below it. */
void folders_sweep(const char* root);

/* Removes what killed processes left, and the folders that have nothing else in them. */
void tree_sweep(const Tree* tree);

#endif
