/* move.h - `entc mv` and `entc rm`: sources get other names, or go, and every reference follows. */
#ifndef ENTC_MOVE_H
#define ENTC_MOVE_H

#include <stdio.h>

#include "build.h"
#include "move_journal.h"

/* What happens to one file. Paths are below the source folder. */
typedef struct FileMove {
    const char *  from, *to; /* equal: it stays where it is */
    Text          text;      /* as it was */
    const Splice* splices;   /* [splice_count] */
    u32           splice_count;
    u32           places; /* that are rewritten in it */
    bool          binary;
} FileMove;

/* Prints a change as git does, so that `git apply` takes it; of a binary file in words. `prefix`
 * stands before both paths: "assets/" or "". */
void file_move_print(FILE* out, const char* prefix, const FileMove* move);

/* Both return an exit code, after telling what is wrong: EXIT_INVALID when the folder has errors,
 * or when something still refers to what is to go. With dry_run nothing is written. */
int move_run(const BuildOptions* options, const char* from, const char* to);
int remove_run(const BuildOptions* options, const char* resource);

/* Of both: what only shows what it would do changes nothing. */
static inline JournalUse move_journal_use(const BuildOptions* options) {
    return options->dry_run ? JOURNAL_REFUSE : JOURNAL_OWN;
}

#endif
