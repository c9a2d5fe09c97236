/* link_change.h - the references of a folder after a change by this process, without compiling it
 * again: paths, names and positions that were known before the change are converted. */
#ifndef ENTC_LINK_CHANGE_H
#define ENTC_LINK_CHANGE_H

#include "edits.h"
#include "link_store.h"

/* What was changed. The functions return what they are given when it is the same afterwards; all of
 * them get `user`. */
typedef struct LinksChange {
    const Edits* edits; /* after edits_collect_files */
    const Steps* steps; /* with the content of every edited file */
    const char* (*path_after)(void* user, const char* path);
    const char* (*name_after)(void* user, const LinkProduct* product);
    const char* (*target_after)(void* user, const LinkTarget* target);
    void* user;
} LinksChange;

/* Converts references and tree to the state after the change, for links_store. Returns false when
 * only the compiler can determine the references: then nothing may be stored. */
bool links_change(Links* links, const LinkStore* store, const LinksChange* change);

#endif
