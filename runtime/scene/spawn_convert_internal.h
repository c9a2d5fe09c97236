/* spawn_convert_internal.h - converts the instances of a component section whose declaration is older
 * than that of the world: once for each component type of a blob, before anything is spawned. */
#ifndef ENT_SPAWN_CONVERT_INTERNAL_H
#define ENT_SPAWN_CONVERT_INTERNAL_H

#include "world_internal.h"

/* Instances in the layout of the world's type. */
typedef struct ConvertedRows {
    size_t    bytes; /* of the world's allocator: this record and what it points to */
    u32       count;
    u32*      owner; /* [count] */
    const u8* column[COMPONENT_COLUMNS_MAX];
} ConvertedRows;

typedef enum ConvertFlags {
    CONVERT_COPIED = 1, /* also when they could be used as they are */
    CONVERT_QUIET = 2   /* the log does not state what was dropped */
} ConvertFlags;

/* The section of a type, also under an older name of it; NULL: there is none. */
const BlobSection* convert_section_find(const Blob* blob, const ComponentType* type);

/* Validates the instances, and converts those that were written under another declaration, or are
 * not valid under that of the world: the log states what was dropped.
 *
 *   flags   ConvertFlags
 *   out     free it with convert_drop; NULL: they are used as they are
 *
 * Returns  ENT_OK; ENT_BAD_FIELD, which the log explains: the blob does not contain the declaration
 *          under which they were written, values are invalid, or a required field has no value;
 *          ENT_NO_MEMORY. */
MUST_CHECK ent_status convert_find(World* world, const Blob* blob, const BlobSection* section,
                                   const ComponentType* to, u32 flags, ConvertedRows** out);
void                  convert_drop(World* world, ConvertedRows* rows);

/* For the log of a world: a line of conversion_report; a required field without a value: ENT_BAD_FIELD. */
void       convert_line_log(void* world, const char* text);
ent_status convert_missing_report(const World* world, const ComponentType* to, const Field* field);

#endif
