/* fresh.h - which sources and outputs are still what the ledger says of them.
 *
 * Size, times and inode only save reading: a file that looks like it did is taken for the same,
 * unless it was changed so near to the last look that it may have changed after it, or the machine
 * was started anew since (what was not written to the disk then is lost, stamps may stay). Any
 * other file is read, and its hash decides. */
#ifndef ENTC_FRESH_H
#define ENTC_FRESH_H

#include "jobs.h"
#include "ledger.h"
#include "memory.h"
#include "tree.h"

typedef enum FreshState { FRESH_GONE, FRESH_CHANGED, FRESH_SAME } FreshState;

typedef struct FreshRow {
    u32        file; /* in the tree, or NONE */
    FreshState state;
    Hash128    hash; /* now, when there is a file that could be read */
    FileStamp  stamp;
} FreshRow;

typedef struct Fresh {
    const Ledger* ledger;
    FreshRow*     source; /* [ledger's files] */
    FreshRow*     output; /* [ledger's products] */
    FreshRow*     map;    /* [ledger's maps] */
    ARRAY(u32) others;  /* in the tree: regular files that are not in the ledger, and no sources */
    bool        idle;   /* nothing there has changed, gone or come that a build could answer to */
    bool        stale;  /* the ledger's stamps are not today's */
    const char* unread; /* path of a file that could not be read, and why; NULL: all were read */
    int         unread_why;
} Fresh;

/* Which resource a file of the output folder is of, by its path: its type, or RESOURCE_NONE. `map`:
 * it is the source map. */
ResourceType output_named(const char* path, Text* name, bool* map);

/* Compares two folders with the ledger of the second. */
void fresh_compare(Fresh* fresh, const Ledger* ledger, const Tree* sources, const Tree* outputs,
                   JobPool* pool);
void fresh_drop(Fresh* fresh);

#endif
