/* edits.h - changes to the texts of sources, as one change of the folder that is applied completely or
 * not at all. */
#ifndef ENTC_EDITS_H
#define ENTC_EDITS_H

#include <stdio.h>

#include "links.h"
#include "move_journal.h"

/* Bytes of a source, with offsets as in the compiler, that are replaced. */
typedef struct TextEdit {
    const LinkFile* file;
    u32             offset, bytes;
    const char*     text;
} TextEdit;

/* The changes of one file. Paths are below the source folder. */
typedef struct FileMove {
    const char *  from, *to; /* equal: it is not moved */
    Text          text;      /* the original content */
    const Splice* splices;   /* [splice_count] */
    u32           splice_count;
    u32           places; /* edits in it */
    bool          binary;
} FileMove;

/* Prints a change in the form of git, which `git apply` accepts; a binary file is described as
 * text. `prefix` is inserted before both paths: "assets/" or "". */
void file_move_print(FILE* out, const char* prefix, const FileMove* move);

typedef struct Edits {
    Links*      links;
    const char* command; /* for messages */
    ARRAY(TextEdit) list;
    ARRAY(FileMove) files; /* after edits_collect_files, by path */
    int code;              /* exit code of an error that was reported */
} Edits;

/* Replaces bytes of a source; nothing if they are equal to the text. */
void edit_add(Edits* edits, const LinkFile* file, u32 offset, u32 bytes, const char* text);

/* Adds the edits of every file to the steps. */
void edits_collect_files(Edits* edits, Steps* steps);

/* Applies the steps and prints their text and a report; with dry_run, prints the diff of the files. Returns an exit
 * code. */
int  edits_do(Edits* edits, const Steps* steps, const BuildOptions* options, const char* report);
void edits_drop(Edits* edits);

#endif
