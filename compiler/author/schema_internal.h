/* schema_internal.h - what the files that write schemas share: words of a schema, and the schema of
 * a field table. Private to schema.c, schema_fields.c and
 * schema_declare.c. */
#ifndef ENTC_SCHEMA_INTERNAL_H
#define ENTC_SCHEMA_INTERNAL_H

#include "fields.h"
#include "schema.h"

#define NAME_SEGMENT "[a-z0-9_-]+"
#define NAME_PATTERN NAME_SEGMENT "(/" NAME_SEGMENT ")*"
#define PATH_PATTERN "^[^/]+(/[^/]+)*$"
#define NOTE_PATTERN "^\\$(schema|comment)$"

typedef struct Schema {
    Pretty          w;
    const Registry* registry;
    Arena           arena; /* texts that are put together */
} Schema;

/* --- words: each adds keywords to the schema that is open --- */

void title_put(Schema* s, const char* title, const char* text);
void type_put(Schema* s, const char* type,
              const char* or_else); /* or_else: a second one, or NULL */
void pattern_put(Schema* s, const char* pattern, const char* otherwise);
void reference_put(Schema* s, const char* key, const char* prefix, const char* name);

/* No keys but the properties, and $schema and $comment. */
void keys_close(Schema* s);
/* Those two as properties: at the top of a file they are worth completing. */
void notes_put(Schema* s);

/* The suffixes of all types of resources; returns how many. */
u32 resource_suffixes(const char* suffixes[RESOURCE_COUNT]);

/* --- fields --- */

void resource_name_schema(Schema* s, const char* or_else);
void entity_name_schema(Schema* s, const char* or_else);

/* One number, or an array of them, inside the field's bounds. */
void numbers_schema(Schema* s, const Field* f);

/* A property for each field; the keyword "required", when some are. */
void fields_schema(Schema* s, const RecordType* type);
void required_put(Schema* s, const RecordType* type);

/* --- files --- */

void component_file_schema(Schema* s);

#endif
