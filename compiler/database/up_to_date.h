/* up_to_date.h - determines which sources and outputs are unchanged since the build database was
 * written.
 *
 * Size, times and inode are a shortcut that avoids reading: a file with an unchanged stamp is treated as
 * unchanged, unless it was changed so shortly before the stamp was read that a later change may
 * have the same stamp, or the machine was restarted since then (data that was not written to the
 * disk is lost then, while the stamp may remain). Any other file is read, and its hash decides. */
#ifndef ENTC_UP_TO_DATE_H
#define ENTC_UP_TO_DATE_H

#include "jobs.h"
#include "database.h"
#include "memory.h"
#include "settings.h"
#include "tree.h"

typedef enum UpToDateState {
    UP_TO_DATE_REMOVED,
    UP_TO_DATE_CHANGED,
    UP_TO_DATE_SAME
} UpToDateState;

typedef struct UpToDateRow {
    u32           file; /* in the tree, or NONE */
    UpToDateState state;
    Hash128       hash; /* now, when there is a file that could be read */
    FileStamp     stamp;
} UpToDateRow;

typedef struct UpToDate {
    const Database* database;
    UpToDateRow*    source; /* [files of the database] */
    UpToDateRow*    output; /* [products of the database] */
    UpToDateRow*    map;    /* [maps of the database] */
    ARRAY(u32)
    others;             /* in the tree: regular files that are neither in the build database nor
                         * sources */
    bool        known;  /* all sources and outputs are in the build database */
    bool        idle;   /* no file that affects a build was changed, removed or added */
    bool        stale;  /* the stamps in the build database are not current */
    const char* unread; /* path of a file that could not be read, and the reason; NULL: all were
                         * read */
    int         unread_reason;
} UpToDate;

/* Returns the resource type of a file of the output folder by its path, or RESOURCE_NONE. `map`: it
 * is the source map. */
ResourceType output_named(const char* path, Text* name, bool* map);

/* Compares two folders with the build database of the second; with the settings of the first. */
void up_to_date_compare(UpToDate* up_to_date, const Database* database, const Tree* sources,
                        const Tree* outputs, const Settings* settings, JobPool* pool);
void up_to_date_drop(UpToDate* up_to_date);

#endif
