/* link_store.h - the references of a source folder in the build database of an output folder
 * (database_links.h), so that `refs`, `unused` and `mv` read them again while no source has changed.
 *
 * They only save work: they are used if the program, the variant, and the content of every file on
 * which they depend are the same as when they were stored. If only the contents of a few JSON files
 * differ, these are compiled with all that refer to them; otherwise the folder is compiled. Then they
 * are stored anew, unless the folder has errors. */
#ifndef ENTC_LINK_STORE_H
#define ENTC_LINK_STORE_H

#include "database.h"
#include "links.h"

/* Are the resource or the entity that a command needs among these references? Called before stored
 * references are used, so that errors are reported by the code that has all sources. */
typedef bool (*LinksSuffice)(const Links* links, const void* user);

/* Where the references of a folder are stored, and the folder when it was listed. */
typedef struct LinkStore {
    bool        is_distrusted; /* set by the caller: stored references are not read */
    const char* out;           /* the output folder; NULL: references are not stored */
    Database    database;      /* from which they were read */
    const Tree* tree;          /* with stamps */
    Tree        listed;        /* its memory, unless a project owns it */
    u64         scanned_ns;    /* when the folder was listed: a file that is not older may have been
                            * changed after it was read */
    Hash128     identity;      /* identity_program */
    Hash128     settings;     /* of the content of the settings of the project; 0: there are none */
    ARRAY(DatabaseSeen) seen; /* what is known about files of the folder now, each once */
} LinkStore;

/* The same as links_open with every variant. Without `options->out`, or before the first build of
 * that folder, or with plugins, it always compiles the folder. Always close both. */
int  links_open_stored(Links* links, LinkStore* store, const BuildOptions* options, JournalUse use,
                       LinksSuffice suffice, const void* user);
void link_store_close(LinkStore* store);

/* Determines what is stored besides the references that were compiled. Files and references must be
 * in their order. */
void links_complete(Links* links, LinkStore* store);

/* Puts everything in the order in which it is stored, after names, paths or positions changed. */
void links_settle(Links* links);

/* The part of a database with these references; its memory is that of `bytes`. Path, tree and
 * references must have changed together. */
Text links_part(const Links* links, const LinkStore* store, u8** bytes);

/* Stores the references, and what is known about files. Returns an exit code. */
int links_store(const Links* links, const LinkStore* store);

/* Reads the content of a file of stored references. Returns false when it is not the content from
 * which they were read: then the folder has to be compiled. Others are in memory already. */
bool links_load(Links* links, LinkFile* file);

/* Are the positions that were stored of a file those of its text, which is in memory? If not, the
 * folder has to be compiled. Errors of its JSON are reported to `diag`. */
bool links_fit(Links* links, const LinkFile* file, Diagnostics* diag);

/* Is the content of a file in memory? */
static inline bool links_are_loaded(const Links* links, const LinkFile* file) {
    return !links->stored || file->asset->content->view.bytes != NULL;
}

#endif
