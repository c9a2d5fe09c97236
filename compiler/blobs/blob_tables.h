/* blob_tables.h - the parts of an open blob, and the names and entities of the ids that it contains. */
#ifndef ENTC_BLOB_TABLES_H
#define ENTC_BLOB_TABLES_H

#include "blob_file.h"
#include "sections.h"

/* The instances of a component type that is known. */
typedef struct Instances {
    const ComponentType* type;
    const BlobSection*   section;
    const u32*           owner;                         /* [section->count] ascending */
    const u8*            column[COMPONENT_COLUMNS_MAX]; /* one per field, or [0] only */
} Instances;

typedef struct NameTable NameTable;

/* The parts of an open blob; arrays are NULL when it has none. */
typedef struct BlobTables {
    const Blob*            blob;
    u32                    count;           /* of elements */
    const u32*             parent;          /* [count] */
    const u32*             name_offset;     /* [count] into names */
    const char*            names;           /* */
    const ReferenceRecord* reference;       /* [reference_count] ids ascending */
    u32                    reference_count; /* */
    const char*            reference_names; /* */
    const char*            texts;           /* of declarations */
    const char*            strings;         /* of text fields */
    Groups                 groups;          /* */
    Instances*             component;       /* [component_count] in the order of the blob */
    u32                    component_count; /* */
    NameTable*             ids;             /* names and entities by their ids */
} BlobTables;

BlobTables tables_open(const Blob* blob, const BlobOptions* options);
void       tables_close(BlobTables* tables);

/* The text section that the field is an offset into; NULL when it is no such field, or there is
 * none. */
const char* tables_texts(const BlobTables* tables, const Field* field);

NameTable* names_create(void);
void       names_destroy(NameTable* names);
/* Returns the name in the blob that has this id, or NULL. */
const char* name_find(const BlobTables* tables, u32 id);
/* Returns the entity of the blob that has this persistent id, or NONE. */
u32 persistent_find(const BlobTables* tables, u32 id);

static inline const u8* instance_field(const Instances* c, u32 row, u32 field) {
    const Field* f = &c->type->record.fields[field];
    if (c->type->columns == BY_FIELD) return c->column[field] + (size_t)row * f->bytes;
    return c->column[0] + (size_t)row * c->type->record.bytes + f->offset;
}

/* "" when it has none. */
const char* element_name(const BlobTables* tables, u32 index);

#endif
