/* named_rows.c - validates and searches tables of resources with names. */
#include "named_rows.h"

#include <stdarg.h>
#include <stdio.h>

#include "hash.h"
#include "search.h"

static_assert(offsetof(NamedRow, id) == offsetof(BundleResource, id) &&
                  offsetof(NamedRow, type) == offsetof(BundleResource, type) &&
                  offsetof(NamedRow, name) == offsetof(BundleResource, name),
              "a row of a bundle begins like one of these");

const NamedRow* named_row_find(const NamedRows* rows, ResourceRef id) {
    Search s = search_between(0, rows->count);
    while (search_continues(&s)) {
        search_narrow(&s, resource_id(named_row(rows, s.middle)->id) < resource_id(id));
    }
    if (s.first == rows->count) return NULL;
    const NamedRow* r = named_row(rows, s.first);
    return resource_id(r->id) == resource_id(id) ? r : NULL;
}

void named_row_refuse(BlobFault* fault, u64 offset, const char* table, u32 row, const char* member,
                      const char* format, va_list arguments) {
    char name[64], reason[160];
    vsnprintf(reason, sizeof reason, format, arguments);
    snprintf(name, sizeof name, "%s[%u].%s", table, row, member);
    validation_refuse(fault, ENT_BAD_FIELD, offset, name, "%s", reason);
}

typedef struct RowsCheck {
    const NamedRows* rows;
    u64              offset;
    BlobFault*       fault;
} RowsCheck;

static bool refuse(const RowsCheck* c, u32 row, u32 member_offset, const char* member,
                   const char* format, ...) PRINTF_LIKE(5, 6);

static bool refuse(const RowsCheck* c, u32 row, u32 member_offset, const char* member,
                   const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    named_row_refuse(c->fault, c->offset + (u64)row * c->rows->stride + member_offset, "resource",
                     row, member, format, arguments);
    va_end(arguments);
    return false;
}

#define ROW_AT(row, member) row, (u32)offsetof(NamedRow, member), #member

/* Names follow each other without gaps, and each matches its id. */
static bool name_check(const RowsCheck* c, u32 row, u32* next) {
    const NamedRows* rows = c->rows;
    const NamedRow*  r = named_row(rows, row);
    const u32        left = rows->name_bytes - *next;
    if (r->name != *next || left == 0)
        return refuse(c, ROW_AT(row, name), "does not begin at the end of the previous name");
    const char* end = memchr(rows->names + *next, 0, left);
    if (!end) return refuse(c, ROW_AT(row, name), "its name does not end with a NUL");
    const Text name = {rows->names + *next, (u32)(end - rows->names) - *next};
    if (!resource_name_is_canonical(name))
        return refuse(c, ROW_AT(row, name), "its name is not a valid name of a resource");
    if (hash_resource(name, ent_resource_suffix(r->type)) != resource_id(r->id))
        return refuse(c, ROW_AT(row, id), "is not the hash of its name and type");
    *next += name.bytes + 1;
    return true;
}

bool named_rows_check(const NamedRows* rows, u64 offset, u64 name_member, BlobFault* fault) {
    const RowsCheck c = {rows, offset, fault};
    u32             next = 0;
    for (u32 i = 0; i < rows->count; i++) {
        const NamedRow* r = named_row(rows, i);
        if (!ent_resource_suffix(r->type)) {
            return refuse(&c, ROW_AT(i, type), "%u is not a resource type; it must be 1 to %u",
                          r->type, RESOURCE_COUNT - 1);
        }
        if (i && resource_id(r->id) <= resource_id(named_row(rows, i - 1)->id))
            return refuse(&c, ROW_AT(i, id), "ids must be in strictly ascending order");
        if (!name_check(&c, i, &next)) return false;
    }
    if (next == rows->name_bytes) return true;
    return validation_refuse(fault, ENT_BAD_FIELD, name_member, "header.name_bytes",
                             "there is text after the last name");
}
