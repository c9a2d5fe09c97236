/* move_journal.h - changes to a source folder that are made all or not at all, also when entc is
 * killed.
 *
 * All that is to be done is first written into one file, SRC/.entc.move, which appears at once or
 * not at all. Every step can tell whether it was done already, so whoever finds that file takes the
 * steps again from the first on, and removes it behind the last.
 *
 * The file is as untrusted as everything else in a folder that somebody may have checked out. Only
 * `build`, `mv` and `rm` act on it without being asked, and only when it was written by this user,
 * on this machine, for this folder. Every path in it has to name an asset file or a folder without
 * a dot in front, and is reached from the folder without following links. */
#ifndef ENTC_MOVE_JOURNAL_H
#define ENTC_MOVE_JOURNAL_H

#include "hash.h"
#include "memory.h"

/* Bytes of a file that others take the place of. */
typedef struct Splice {
    u32  offset; /* in the file as it was */
    Text before, after;
} Splice;

/* Paths are below the folder and as they are before the first step. */
typedef struct StepEdit {
    const char*   path;
    Hash128       before, after; /* of the whole file */
    const Splice* splices;       /* [splice_count] by offset */
    u32           splice_count;
} StepEdit;

typedef struct StepMove {
    const char *from, *to; /* a file or a folder */
} StepMove;

/* Edits come first, then moves, then removals. */
typedef struct Steps {
    const char* text; /* "props/lamp.entity is now furniture/lamp.entity" */
    ARRAY(StepEdit) edits;
    ARRAY(StepMove) moves;
    ARRAY(const char*) removals;
} Steps;

/* A file with its splices carried out, in the arena; `size` in and out. With `back`: undone. */
u8* splices_apply(Arena* arena, const u8* bytes, size_t* size, const Splice* splices, u32 count,
                  bool back);

/* Takes all steps. When one fails, those before it are taken back, and what failed is reported.
 * Returns an exit code. */
int  steps_take(const Steps* steps, const char* root);
void steps_drop(Steps* steps);

/* What a command does with a change that was interrupted. */
typedef enum JournalUse {
    JOURNAL_REFUSE, /* it reads the folder, which is not whole: an error */
    JOURNAL_OWN,    /* it completes what this user began on this machine, and refuses others */
    JOURNAL_FINISH, /* it completes it, wherever it comes from: the user asked for that */
    JOURNAL_DROP    /* it removes the file and changes nothing else */
} JournalUse;

/* Looks for an interrupted change in a source folder. Returns an exit code: EXIT_OK when there is
 * none any more, or else after reporting what is in the way. */
int move_finish(const char* root, JournalUse use);

/* What the bytes of a journal say, in the arena. False: they are not what entc writes. */
bool journal_parse(const u8* bytes, size_t size, Arena* arena, Steps* steps, Hash128* place);

#endif
