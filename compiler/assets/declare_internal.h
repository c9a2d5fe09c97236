/* declare_internal.h - the reader of one declaration.
 *
 * declare.c        the complete declaration, and all declarations of a folder
 * declare_field.c  a field of a declaration: its type, bounds, texts and default */
#ifndef ENTC_DECLARE_INTERNAL_H
#define ENTC_DECLARE_INTERNAL_H

#include "declare.h"
#include "json_tree.h"

/* An older name, and where it is. */
typedef struct Former {
    FormerName   name;
    const cJSON* node;
} Former;

typedef struct Reader {
    JsonTree     tree;
    Declaration* out;
    Arena*       arena;
    Diagnostics* diag;
    Field*       fields;       /* [COMPONENT_COLUMNS_MAX] */
    u32          text_count;   /* of all enums so far */
    bool         was_exceeded; /* there are too many older names, which was reported */
    ARRAY(Former) was;         /* older names, in the order of the declaration */
} Reader;

/* --- values; errors in them are reported --- */

static inline u32 node_offset(const Reader* r, const cJSON* node) {
    return json_tree_offset(&r->tree, node);
}

static inline u32 node_bytes(const Reader* r, const cJSON* node) {
    if (cJSON_IsArray(node) || cJSON_IsObject(node)) return 1;
    return json_value_text(r->tree.source, node_offset(r, node)).bytes;
}

#define NODE_AT(r, node) (r)->tree.source, node_offset(r, node), node_bytes(r, node)

/* Does the value have this kind? `what` is its name in the message. */
bool node_expect(Reader* r, const cJSON* node, JsonKind kind, const char* what);

/* Reads a value as a level would read it into this field. Returns false after reporting an error. */
bool node_value(Reader* r, const cJSON* node, const Field* field, void* words);

/* Read a number, true or false, and one line of text. `node` may be NULL: then they return the
 * `fallback`, false and "". */
u32  node_whole(Reader* r, const cJSON* node, const char* name, u32 lo, u32 hi, u32 fallback);
bool node_truth(Reader* r, const cJSON* node, const char* name);
const char* node_line(Reader* r, const cJSON* node, const char* name);

static inline bool member_is_note(const cJSON* member) {
    return strcmp(member->string, "$comment") == 0 || strcmp(member->string, "$schema") == 0;
}

/* Reports an error of the key of a member. */
void member_error(Reader* r, DiagCode code, const cJSON* member, const char* format, ...)
    PRINTF_LIKE(4, 5);

/* Reads "was" of an object: older names of the component, of a field or of a text of its enum; the
 * others are NONE. */
void formers_read(Reader* r, const cJSON* object, u32 field, u32 text);

/* Reads the object of a field, whose name and offset are set. In declare_field.c. */
void declared_field_read(Reader* r, const cJSON* object, Field* field);

#endif
