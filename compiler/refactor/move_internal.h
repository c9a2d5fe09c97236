/* move_internal.h - shared by the parts of `entc mv` for resources and folders. */
#ifndef ENTC_MOVE_INTERNAL_H
#define ENTC_MOVE_INTERNAL_H

#include "edits.h"
#include "exit_codes.h"
#include "failure.h"
#include "folder_root.h"
#include "link_store.h"
#include "relative.h"
#include "sections.h"

typedef enum MoveKind { MOVE_RESOURCE, MOVE_FOLDER, MOVE_CANONICAL } MoveKind;

typedef struct Move {
    MoveKind            kind;
    const BuildOptions* options;
    Links               links;
    LinkStore           store;
    Arena*              arena;    /* of links */
    Text                from, to; /* names, without a type */
    Text                folder;   /* MOVE_FOLDER: its path, whose canonical spelling is `from` */
    ResourceType        type;     /* MOVE_RESOURCE */
    ARRAY(StepMove) paths;        /* of every file that moves, by path */
    ARRAY(const char*) besides;   /* MOVE_CANONICAL: files to which models refer, by path */
    Edits edits;
    Steps steps;
    u32   places;
    bool
        is_itself; /* MOVE_FOLDER: the file system ignores case, and finds the folder by its new name */
    int  code;     /* exit code of an error while edits were collected */
    bool is_stale; /* a source is not the one from which stored references were read */
} Move;

static inline bool text_begins(const char* text, Text with) {
    return strncmp(text, with.at, with.bytes) == 0;
}

/* Reports why there is no change; returns the exit code. */
int move_refuse(int code, const char* text);
#define REFUSE(code, ...) move_refuse(code, arena_print(m->arena, __VA_ARGS__))

/* The new path of a file in the folder, or `path`. */
const char* move_path_after(Move* move, const char* path);
bool        move_takes_file(Move* move, const LinkFile* file);

/* The new name of a resource: the name of its file, and the part that a model adds. */
const char* move_name_after(Move* move, const LinkProduct* product);

/* Does a move change the relative paths of a file? */
bool move_changes_paths(Move* move, const LinkFile* file);

/* The path of a folder of the sources: as it is written, or the one of which it is the canonical spelling; `second`:
 * another one of these, or NULL. */
Text move_folder_find(Move* move, Text from, const char** second);

/* Finds all files that move. */
void move_paths_collect(Move* move);

/* Adds the steps that rename the folders of a path that the file system finds by both spellings, because it ignores case,
 * and which are not folders of `before`. */
MUST_CHECK ent_status move_folders_add(Move* move, const FolderRoot* root, const StepMove* path,
                                       const char* before);

/* Adds the steps that move the files, unless their folder moves; reports a file where another one would be. Returns an
 * exit code. */
int move_paths_steps(Move* move);

#endif
