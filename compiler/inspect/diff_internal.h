/* diff_internal.h - a difference, and the two blobs that it is between.
 *
 * diff.c        finds the differences
 * diff_print.c  prints them
 * diff_group.c  finds entities that are in another group */
#ifndef ENTC_DIFF_INTERNAL_H
#define ENTC_DIFF_INTERNAL_H

#include "inspect_text.h"

typedef struct Side {
    BlobFile   file;
    BlobTables tables;
    SourceMap  map; /* or an empty one */
} Side;

/* A row of a component section with one changed field, or NONE. */
typedef struct RowField {
    u32 component, row, field; /* component 0: there is none */
} RowField;

/* One difference. Members that are not set are not printed. */
typedef struct Change {
    char         sign; /* '-' only in a, '+' only in b, '~' in both */
    const Side*  side; /* of the entity */
    u32          entity;
    const char*  table;           /* component type, section or "header" */
    u32          row;             /* or NONE */
    const Field *field, *field_b; /* in b; NULL when it is the same */
    const u8 *   a, *b;           /* the field's words */
    const char * text_a, *text_b; /* values that are no field */
    const char*  name;            /* of a reference */
    const char*  note;            /* a description */
    RowField     row_a, row_b;
} Change;

typedef struct Count {
    char table[64];
    u64  removed, added, changed;
} Count;

typedef struct Diff {
    Writer*            out;
    DiffForm           form;
    const BlobOptions* options;
    const char*        file;         /* below the two folders; NULL for two blobs */
    u64                shown;        /* changes of this pair of blobs */
    u64                shown_before; /* of all pairs before it */
    Side               a, b;
    bool               by_index; /* one of the two has no names */
    u32*               match;    /* [entities of a] the same entity of b, or NONE */
    u8*                taken;    /* [entities of b] it is matched */
    ARRAY(Count) counts;         /* for DIFF_STAT */
} Diff;

/* Is the match of an entity of a in another group? */
bool group_moved(const Diff* diff, u32 entity);
/* Did its parent change its group in the same way, so that it is sufficient to report that? */
bool group_came_along(const Diff* diff, u32 entity);

/* Returns the name of the group of an entity, or its id as text; NULL: the base. */
typedef char GroupText[16];
const char*  group_text(const Side* side, u32 entity, GroupText id);

/* Prints a difference and its position in the sources, if there are maps; or counts it. */
void change_print(Diff* diff, Change change);
void change_print_texts(Diff* diff, const char* table, u32 row, const char* a, const char* b);
void change_print_note(Diff* diff, char sign, const char* table, const char* note);
void change_print_name(Diff* diff, char sign, const char* table, const char* name);

/* Reports a blob that is in only one folder. */
void lone_report(Diff* diff, const char* path, bool in_a);

/* Returns the row of a table, which is added when there is none. */
Count* count_of(Diff* diff, const char* table);
void   counts_print(Diff* diff);

/* Do two blobs of entities differ only in which of their types they declare? */
bool declarations_alone_differ(const Blob* a, const Blob* b);

#endif
