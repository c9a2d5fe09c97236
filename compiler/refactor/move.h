/* move.h - `entc mv` and `entc rm`: renames sources with all references, or removes them. */
#ifndef ENTC_MOVE_H
#define ENTC_MOVE_H

#include "build.h"
#include "move_journal.h"

/* `from` of move_entity_run is a resource, ':', and the path of an entity in it. With NULL for both, move_run gives all
 * files their canonical names. All return an exit code, after reporting errors: EXIT_INVALID when the folder has errors,
 * or when there are references to a resource that would be removed. With dry_run nothing is written. */
int move_run(const BuildOptions* options, const char* from, const char* to);
int move_entity_run(const BuildOptions* options, const char* from, const char* name);
/* The references to a resource, or to all below a name without a type, refer to another one. */
int move_references_run(const BuildOptions* options, const char* from, const char* to);
int remove_run(const BuildOptions* options, const char* resource);

/* For all: a dry run changes nothing. */
static inline JournalUse move_journal_use(const BuildOptions* options) {
    return options->mode == BUILD_DRY_RUN ? JOURNAL_REFUSE : JOURNAL_COMPLETE;
}

#endif
