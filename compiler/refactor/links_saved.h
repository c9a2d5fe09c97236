/* links_saved.h - the references of a source folder as a file beside the build database of an output
 * folder, so that `refs`, `unused` and `mv` read them again while no source has changed.
 *
 * The file only saves work: it is used if the program, the variant, and every file of the folder are
 * the same as when it was written. If only the contents of a few JSON files differ, these are
 * compiled with all that refer to them; otherwise the folder is compiled. Then the file is written
 * anew, unless the folder has errors. It contains what these commands need, except for the contents
 * of sources. */
#ifndef ENTC_LINKS_SAVED_H
#define ENTC_LINKS_SAVED_H

#include "links.h"

/* Does this file have the resource? Called before saved references are used, so that errors are
 * reported by the code that has all sources. */
typedef bool (*LinksSuffice)(const Links* links, const void* user);

/* A file that is no source, and the hash of its content. */
typedef struct SavedOther {
    const char* path; /* below the folder */
    Hash128     hash;
} SavedOther;

/* Where the references of a folder are stored, and the folder when it was listed. A file with another
 * stamp, or with one that is not older than the list, is read, and the hash of its content decides. */
typedef struct LinksSaved {
    bool        is_distrusted; /* set by the caller: the file is not read, but written anew */
    char        path[4096];    /* of the file; empty: the references are not stored */
    const Tree* tree;          /* with stamps */
    Tree        listed;        /* its memory, unless a project owns it */
    u64         scanned_ns;    /* when the folder was listed: a file that is not older may have been
                            * changed after it was read */
    Hash128     identity;      /* of the program and the variant */
    ARRAY(SavedOther) others;  /* those that are known */
} LinksSaved;

/* The same as links_open with every variant. Without `options->out`, or before the first build of
 * that folder, or with plugins, it always compiles the folder. Always close both. */
int  links_open_saved(Links* links, LinksSaved* saved, const BuildOptions* options, JournalUse use,
                      LinksSuffice suffice, const void* user);
void links_saved_close(LinksSaved* saved);

/* Determines where the references of a folder with the outputs of these options are stored, and on
 * what they depend. Returns false when they are not stored: see links_open_saved. */
bool links_locate_saved(LinksSaved* saved, const BuildOptions* options);

/* Reads the content of a file of saved references. Returns false when it is not the content from
 * which they were read: then the folder has to be compiled. Others are in memory already. */
bool links_load(Links* links, LinkFile* file);

/* Are the positions that were saved of a file those of its text, which is in memory? If not, the
 * folder has to be compiled. Errors of its JSON are reported to `diag`. */
bool links_fit(Links* links, const LinkFile* file, Diagnostics* diag);

/* Is the content of a file in memory? */
static inline bool links_are_loaded(const Links* links, const LinkFile* file) {
    return !links->saved || file->asset->view.bytes != NULL;
}

/* Determines what is stored besides the references that were compiled. Files and references must be
 * in their order. */
void links_complete(Links* links);

/* Puts everything in the order in which it is stored, after names, paths or positions changed. */
void links_settle(Links* links);

/* Writes the file, when path, tree and references have changed together. Returns an exit code. */
int links_save(const Links* links, const LinksSaved* saved);

/* The same without reporting a failure: returns ENT_IO with errno. */
MUST_CHECK ent_status links_write(const Links* links, const LinksSaved* saved);

#endif
