/* declare_internal.h - the reader of one declaration.
 *
 * declare.c        the complete declaration, and all declarations of a folder
 * declare_field.c  a field of a declaration: its type, bounds, texts and default */
#ifndef ENTC_DECLARE_INTERNAL_H
#define ENTC_DECLARE_INTERNAL_H

#include "declare.h"
#include "diag_codes.h"
#include "json_tokens.h"

/* An older name, and where it is. */
typedef struct Former {
    FormerName       name;
    const JsonToken* node;
} Former;

typedef struct Reader {
    const Source* source;
    Declaration*  out;
    Arena*        arena;
    Diagnostics*  diag;
    Field*        fields;       /* [COMPONENT_COLUMNS_MAX] */
    u32           text_count;   /* of all enums so far */
    bool          was_exceeded; /* there are too many older names, which was reported */
    ARRAY(Former) was;          /* older names, in the order of the declaration */
} Reader;

/* --- values; errors in them are reported --- */

static inline u32 node_offset(const Reader* r, const JsonToken* node) {
    return json_token_offset(r->source, node);
}

#define NODE_AT(r, node) (r)->source, node_offset(r, node), json_token_mark(node)

/* The decoded text of a string, and the key of a member, in the arena. */
static inline const char* node_text(const Reader* r, const JsonToken* string) {
    return json_decode(json_token_string(string), r->arena);
}

static inline const char* member_key(const Reader* r, const JsonToken* member) {
    return json_decode(json_token_key(member), r->arena);
}

/* Does the value have this kind? `what` is its name in the message. */
bool node_expect(Reader* r, const JsonToken* node, JsonKind kind, const char* what);

/* Reads a value as a level would read it into this field. Returns false after reporting an error. */
bool node_value(Reader* r, const JsonToken* node, const Field* field, void* words);

/* Read a number, true or false, and one line of text. `node` may be NULL: then they return the
 * `fallback`, false and "". */
u32 node_complete(Reader* r, const JsonToken* node, const char* name, u32 lo, u32 hi, u32 fallback);
bool        node_truth(Reader* r, const JsonToken* node, const char* name);
const char* node_line(Reader* r, const JsonToken* node, const char* name);

static inline bool member_is_note(const JsonToken* member) {
    return json_key_is(member, "$comment") || json_key_is(member, "$schema");
}

/* Reports an error of the key of a member. */
void member_error(Reader* r, DiagCode code, const JsonToken* member, const char* format, ...)
    PRINTF_LIKE(4, 5);

/* Reads "was" of an object: older names of the component, of a field or of a text of its enum; the
 * others are NONE. */
void formers_read(Reader* r, const JsonToken* object, u32 field, u32 text);

/* Reads the object of a field, whose name and offset are set. In declare_field.c. */
void declared_field_read(Reader* r, const JsonToken* object, Field* field);

#endif
