/* schema_internal.h - shared by the files that write schemas: keywords of a schema, and the schema
 * of a field table. Private to schema.c, schema_fields.c and schema_declare.c. */
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
    Arena           arena; /* temporary texts */
} Schema;

/* --- keywords: each function adds keywords to the current schema --- */

void title_put(Schema* s, const char* title, const char* text);
void type_put(Schema* s, const char* type,
              const char* or_else); /* or_else: a second one, or NULL */
void pattern_put(Schema* s, const char* pattern, const char* otherwise);
void reference_put(Schema* s, const char* key, const char* prefix, const char* name);

/* Only the properties, $schema and $comment are valid keys. */
void keys_close(Schema* s);
/* These two as properties, so that editors complete them at the top of a file. */
void notes_put(Schema* s);

/* The suffixes of all resource types; returns their number. */
u32 resource_suffixes(const char* suffixes[RESOURCE_COUNT]);

/* --- fields --- */

void resource_name_schema(Schema* s, const char* or_else);
void entity_name_schema(Schema* s, const char* or_else);

/* One number, or an array of numbers, within the bounds of the field. */
void numbers_schema(Schema* s, const Field* f);

/* A property for each field, and the keyword "required" if any field is required. */
void fields_schema(Schema* s, const RecordType* type);
void required_put(Schema* s, const RecordType* type);

/* --- files --- */

void component_file_schema(Schema* s);

#endif
