/* links_moved.h - the references of a folder after a change by this process, without compiling it
 * again: paths, names and positions that were known before the change are converted. */
#ifndef ENTC_LINKS_MOVED_H
#define ENTC_LINKS_MOVED_H

#include "edits.h"
#include "links_saved.h"

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

/* Converts references and tree to the state after the change, for links_save. Returns false when
 * only the compiler can determine the references, or when a file is not what the change made of it:
 * then nothing may be stored. */
bool links_change(Links* links, LinksSaved* saved, const LinksChange* change);

#endif
