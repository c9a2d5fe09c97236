/* named_rows.h - tables of resources in the order of their ids, each with a name in a text: in the
 * index of a bundle and in that of an output folder. Private. */
#ifndef ENT_NAMED_ROWS_H
#define ENT_NAMED_ROWS_H

#include <stdarg.h>

#include "bundle.h"
#include "validation_internal.h"

/* What each row begins with. */
typedef struct NamedRow {
    ResourceRef id; /* ascending; hash of `name.type` */
    u32         type;
    u32         name; /* offset in the names */
} NamedRow;

typedef struct NamedRows {
    const void* first; /* [count] rows */
    u32         stride, count;
    const char* names; /* [name_bytes] */
    u32         name_bytes;
} NamedRows;

/* Row `index`. */
static inline const NamedRow* named_row(const NamedRows* rows, u32 index) {
    return (const void*)((const u8*)rows->first + (size_t)rows->stride * index);
}

/* The row of a resource, or NULL. */
const NamedRow* named_row_find(const NamedRows* rows, ResourceRef id);

/* Reports "resource[3].name" at its offset. */
void named_row_refuse(BlobFault* fault, u64 offset, const char* table, u32 row, const char* member,
                      const char* format, va_list arguments);

/* Validates all rows: types, ascending ids, and canonical names, which follow each other without
 * gaps and from which the ids are computed.
 *
 *   offset       of the first row in the file
 *   name_member  offset of the number of bytes of the names in the file */
bool named_rows_check(const NamedRows* rows, u64 offset, u64 name_member, BlobFault* fault);

#endif
