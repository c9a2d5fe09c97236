/* doc_internal.h - the reader of docs; for a long level there is one per slice of its list. */
#ifndef ENTC_DOC_INTERNAL_H
#define ENTC_DOC_INTERNAL_H

#include "diag_codes.h"
#include "doc.h"

/* "parent": "house_3" of a node in a level's own list. */
typedef struct ParentName {
    u32 node, offset, hash;
    u32 parent; /* node + 1: a guess, until it was found; 0: none */
} ParentName;

/* Room for records that are read early. */
typedef struct EarlyRoom {
    u8* block;                 /* the last one of the doc */
    u32 words, used, prepared; /* of 32 bits, of the block */
} EarlyRoom;

#define NODE_KEYS_MAX 8

/* The keys that followed others before: most entities have the same ones in the same order. */
typedef struct KeyGuesses {
    u8 node[NODE_KEYS_MAX]; /* after each key of an entity; the last one: at the beginning */
    u8 type[REGISTRY_TYPES_MAX + 1]; /* after each component type */
} KeyGuesses;

#define RECENT_NAMES 1024u /* a power of two */

typedef struct Reader {
    Doc*            doc;
    Json            json;
    const Registry* registry;
    Arena*          arena;
    EarlyRoom       room;
    EarlyTexts*     texts; /* NULL: records are not read early */
    EarlyTexts      early; /* of the complete text, which slices share */
    Diagnostics*    diag;
    KeyGuesses      guesses;
    u32             recent[RECENT_NAMES]; /* by hash: an entry of the level + 1; 0: none */
    JobPool*        pool;                 /* NULL: one thread reads the complete list */
    bool            level;
    bool            has_lists;    /* DOC_MEMBERS, in any component until now */
    ARRAY(ParentName) parents;    /* in the order of nodes */
    ARRAY(DocOverride) overrides; /* of the instances that are being read, the innermost last */
} Reader;

/* --- doc_node.c --- */

/* A message about a key: BEFORE "KEY"AFTER. */
typedef struct KeyText {
    const char *before, *after;
} KeyText;

#define DUPLICATE_KEY                                                                              \
    { "duplicate key", " in this object" }

void doc_key_error(Reader* reader, DiagCode code, JsonString key, KeyText text, const char* near);

/* Is a value of this kind, a string, an array or an object, next? Reports and skips it when not. */
bool doc_expect(Reader* reader, JsonKind kind, const char* what);

/* Reads the object at the cursor into a node. The recursion over entities is bounded by the nesting
 * limit of JSON. */
void doc_node_read(Reader* reader, u32 index);

/* Reads the array of entities at the cursor; NONE: the list of a level. */
void doc_nodes_read(Reader* reader, u32 parent);

/* --- doc_tree.c --- */

/* Initialises a doc that will be read from a text of so many bytes. */
void doc_begin(Doc* doc, const Source* source, u32 bytes);

/* Appends a node to the children of another one, or to the roots. */
void doc_child_append(Doc* doc, u32 parent, u32 index);

/* Appends a node that is no entity: it is linked neither as a root nor as a child. */
u32 doc_host_add(Doc* doc, u32 parent);

/* The row of the override of a path among those from `first` on, or the free slot for it. */
u32* doc_override_slot(const Doc* doc, const Slots* slots, u32 first, Text path);

/* Makes every entry of a level that names a parent a child of it. */
void doc_parents_link(Reader* reader);

/* Reads the item of the list of a level at the cursor. */
void doc_item_read(Reader* reader);

/* Reads the list of the level at the cursor on several threads. Returns false without any effect
 * when the list is short, or when one thread must read it because it contains an error or an
 * unusual form. */
bool doc_list_slice(Reader* reader);

#endif
