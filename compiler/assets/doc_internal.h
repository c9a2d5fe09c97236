/* doc_internal.h - the reader of docs, which a long level's list has several of at once. */
#ifndef ENTC_DOC_INTERNAL_H
#define ENTC_DOC_INTERNAL_H

#include "doc.h"

/* "parent": "house_3" of a node in a level's own list. */
typedef struct ParentName {
    u32 node, offset, hash;
    u32 parent; /* node + 1, once it was found */
} ParentName;

typedef struct Reader {
    Doc*            doc;
    Json            json;
    const Registry* registry;
    Arena*          arena;
    Diagnostics*    diag;
    JobPool*        pool; /* NULL: one thread reads all */
    bool            level;
    ARRAY(ParentName) parents; /* in the order of nodes */
} Reader;

/* Makes a doc that is about to be read from so many bytes. */
void doc_begin(Doc* doc, const Source* source, u32 bytes);

/* The item of a level's list at the cursor. */
void doc_item_read(Reader* reader);

/* Reads the level's list at the cursor on several threads. False, and nothing has happened: it is
 * short, or one thread has to do it because anything in it is wrong or unusual. */
bool doc_list_slice(Reader* reader);

#endif
