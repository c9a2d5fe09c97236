/* move_journal.h - atomic changes to a source folder, also when entc is killed.
 *
 * All steps are first written to one file, SRC/.entc.move, atomically. Every step can determine
 * whether it is already done, so a process that finds this file executes all steps again from the
 * first one, and removes the file after the last one.
 *
 * The file is untrusted, as all files in a folder that may have been checked out. Only `build`,
 * `mv` and `rm` complete it automatically, and only when it was written by this user, on this
 * machine, for this folder. Every path in it must be that of an asset file, a file that may be one of
 * the type data (NAME.EXT), or a folder with a name
 * that does not begin with a dot, and is opened relative to the folder without following symbolic
 * links. */
#ifndef ENTC_MOVE_JOURNAL_H
#define ENTC_MOVE_JOURNAL_H

#include "hash.h"
#include "memory.h"

/* Bytes of a file that are replaced. */
typedef struct Splice {
    u32  offset; /* in the original file */
    Text before, after;
} Splice;

/* Paths are below the folder, as they are before the first step. */
typedef struct StepEdit {
    const char*   path;
    Hash128       before, after; /* of the complete file */
    const Splice* splices;       /* [splice_count] by offset */
    u32           splice_count;
} StepEdit;

typedef struct StepMove {
    const char *from, *to; /* a file or a folder */
} StepMove;

/* First the edits, then the moves, then the removals. */
typedef struct Steps {
    const char* text; /* "renamed "props/lamp.entity" to "furniture/lamp.entity"" */
    ARRAY(StepEdit) edits;
    ARRAY(StepMove) moves;
    ARRAY(const char*) removals;
} Steps;

/* Returns a file with its splices applied, in the arena; `size` is input and output. With `back`:
 * reverted. */
u8* splices_apply(Arena* arena, const u8* bytes, size_t* size, const Splice* splices, u32 count,
                  bool back);

/* Executes all steps. When one fails, the previous ones are reverted and the failure is reported.
 * Returns an exit code. */
int  steps_take(const Steps* steps, const char* root);
void steps_drop(Steps* steps);

/* The action of a command for an interrupted change. */
typedef enum JournalUse {
    JOURNAL_REFUSE,   /* it reads the folder, which is inconsistent: an error */
    JOURNAL_COMPLETE, /* it completes a change of this user on this machine, and rejects others */
    JOURNAL_FINISH,   /* it completes every change, because the user requested it */
    JOURNAL_DROP      /* it removes the file and changes nothing else */
} JournalUse;

/* Searches an interrupted change in a source folder. Returns EXIT_OK when there is none any more,
 * or another exit code after reporting the reason. */
int move_finish(const char* root, JournalUse use);

/* Parses the bytes of a journal, in the arena. Returns false when they are invalid. */
bool journal_parse(const u8* bytes, size_t size, Arena* arena, Steps* steps, Hash128* place);

#endif
