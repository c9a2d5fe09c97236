/* move.h - `entc mv` and `entc rm`: renames sources with all references, or removes them. */
#ifndef ENTC_MOVE_H
#define ENTC_MOVE_H

#include <stdio.h>

#include "build.h"
#include "move_journal.h"

/* The changes of one file. Paths are below the source folder. */
typedef struct FileMove {
    const char *  from, *to; /* equal: it is not moved */
    Text          text;      /* the original content */
    const Splice* splices;   /* [splice_count] */
    u32           splice_count;
    u32           places; /* rewritten references in it */
    bool          binary;
} FileMove;

/* Prints a change in the form of git, which `git apply` accepts; a binary file is described as
 * text. `prefix` is inserted before both paths: "assets/" or "". */
void file_move_print(FILE* out, const char* prefix, const FileMove* move);

/* Both return an exit code, after reporting errors: EXIT_INVALID when the folder has errors, or
 * when there are references to a resource that would be removed. With dry_run nothing is
 * written. */
int move_run(const BuildOptions* options, const char* from, const char* to);
int remove_run(const BuildOptions* options, const char* resource);

/* For both: a dry run changes nothing. */
static inline JournalUse move_journal_use(const BuildOptions* options) {
    return options->dry_run ? JOURNAL_REFUSE : JOURNAL_OWN;
}

#endif
