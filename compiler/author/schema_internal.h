/* schema_internal.h - shared by the files that write schemas: keywords of a schema, and the schema
 * of a field table. field_forms.h has more. Private to schema.c, schema_fields.c and schema_declare.c. */
#ifndef ENTC_SCHEMA_INTERNAL_H
#define ENTC_SCHEMA_INTERNAL_H

#include "field_forms.h"
#include "schema.h"

#define NOTE_PATTERN "^\\$(schema|comment)$"

/* Rejects less than path_pattern_fault. */
#define FILES_PATTERN "^[^./\\\\](?:[^/\\\\]|/[^./\\\\])*$"

typedef struct Schema {
    Pretty          w;
    const Registry* registry;
    Arena           arena; /* temporary texts */
} Schema;

/* --- keywords: each function adds keywords to the current schema --- */

void title_put(Schema* s, const char* title, const char* text);
void reference_put(Schema* s, const char* key, const char* prefix, const char* name);

/* $schema and $comment are valid keys. */
void notes_allow(Schema* s);
/* Only the properties, $schema and $comment are valid keys. */
void keys_close(Schema* s);
/* These two as properties, so that editors complete them at the top of a file. */
void notes_put(Schema* s);

/* The suffixes of all resource types; returns their number. */
u32 resource_suffixes(const char* suffixes[RESOURCE_COUNT]);

/* --- fields --- */

/* The value of a key is that of a field. */
void field_schema(Schema* s, const RecordType* type, const Field* field, const char* key);
/* A property for each field, and the keyword "required" if any field is required. */
void fields_schema(Schema* s, const RecordType* type);
void required_put(Schema* s, const RecordType* type);

/* --- files --- */

void component_file_schema(Schema* s);

#endif
