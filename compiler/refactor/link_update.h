/* link_update.h - compiles a part of a folder whose other references are known. */
#ifndef ENTC_LINK_UPDATE_H
#define ENTC_LINK_UPDATE_H

#include "link_store.h"

/* Do stored references and those that were compiled from a selection of their files have the same
 * files, and were those that were read, with `every` also the selected ones, the files from which
 * the stored references were read? */
bool links_agree(const Links* stored, const Links* compiled, bool every);

/* Stored references of a folder in which the contents of some JSON files have changed, and nothing
 * else: these files were reached. Compiles them, and those that refer to them, directly or through
 * others, because only these can have errors or other references. Returns an exit code, after
 * reporting errors; `agree` is false when another file has changed in the meantime. */
int links_update(Links* stored, const BuildOptions* options, JournalUse use, bool* agree);

#endif
