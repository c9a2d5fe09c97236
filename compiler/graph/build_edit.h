/* build_edit.h - what is known about a folder between two builds, and what a changed file means for the next one.
 * Private to the build. */
#ifndef ENTC_BUILD_EDIT_H
#define ENTC_BUILD_EDIT_H

#include "build_internal.h"
#include "folder_watch.h"

/* A product that reads a file: rows of the build database. */
typedef struct Reader {
    u32 file, product;
} Reader;

/* The rows of the build database keep their numbers as long as this is kept. */
typedef struct BuildLook {
    Build build; /* the folders, the build database and all products, none of which is compiled */
    FolderWatch* outputs; /* reports what other programs change in the output folder */
    u32*         first;   /* [files + 1] */
    u32*         reader;  /* [reads] the products that read a file are those from `first` on */
    ARRAY(Reader) later;  /* since then */
    u32* product;         /* [products of the database] in the list of the build */
    ARRAY(u32) warned;    /* products with warnings, which each build reports */
    ARRAY(u32) pending;   /* files with other content than what was built */
    NameTable names;
    u64       bytes; /* of all outputs */
    u32       maps;  /* in the build database */
} BuildLook;

/* Finds the products that read each file, after the build database was read. */
void readers_find(BuildLook* look);

/* Are all files those of the last build? The contents of some sources may have changed since then: they are `pending`. */
bool sources_are_kept(BuildLook* look);

/* Looks at changed entries of the source folder. False: the list of sources or of products may have changed, so that
 * everything has to be looked at. */
bool edits_look(BuildLook* look, const FolderChanges* changes);

/* Takes the lists of both folders from a look that ends, after the changes. False: the folders have to be read. */
bool lists_keep(BuildLook* look, const FolderChanges* changes, BuildLists* lists);

/* Is the output folder as the last build has left it? */
bool outputs_are_kept(BuildLook* look);

/* Finds the products that have to be compiled, with the reasons, and makes a list of them in `part`. False as above. */
bool products_affected(BuildLook* look, Build* part);

/* After they were compiled without errors: do they read the same kinds of files beside them? */
bool besides_are_kept(const BuildLook* look, const Build* part);

/* After they were recorded: updates what is known. */
void part_keep(BuildLook* look, const Build* part);

#endif
