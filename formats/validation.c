/* validation.c - how validators report errors, and checks that the headers of blobs and bundles
 * share. */
#include "validation_internal.h"

#include <stdarg.h>
#include <stdio.h>

bool validation_refuse(BlobFault* fault, ent_status status, u64 offset, const char* field,
                       const char* format, ...) {
    va_list arguments;
    fault->status = status;
    fault->offset = (u32)offset;
    snprintf(fault->field, sizeof fault->field, "%s", field);
    va_start(arguments, format);
    vsnprintf(fault->reason, sizeof fault->reason, format, arguments);
    va_end(arguments);
    return false;
}

bool validation_header_check(BlobFault* fault, size_t header_bytes, u64 size) {
    if (size >= header_bytes) return true;
    return validation_refuse(fault, ENT_TRUNCATED, size, "header",
                             "the header has %zu bytes, but only %llu bytes are available",
                             header_bytes, (unsigned long long)size);
}

bool validation_order_check(BlobFault* fault, u32 order, u64 offset, const char* again) {
    if (order == BLOB_BYTE_ORDER) return true;
    if (order == 0x04030201u) {
        return validation_refuse(fault, ENT_OTHER_BYTE_ORDER, offset, "header.byte_order",
                                 "the file has the other byte order; %s --target %s", again,
                                 HOST_IS_LITTLE ? "little" : "big");
    }
    return validation_refuse(fault, ENT_BAD_FIELD, offset, "header.byte_order",
                             "0x%08x is not a byte order; it must be 0x%08x", order,
                             BLOB_BYTE_ORDER);
}

bool validation_hash_check(BlobFault* fault, u64 stored, u64 computed, u64 offset,
                           const char* what) {
    if (stored == computed) return true;
    return validation_refuse(
        fault, ENT_BAD_HASH, offset, "header.hash",
        "checksum mismatch: is %016llx, but the hash of the %s is %016llx; the file "
        "was changed or damaged",
        (unsigned long long)stored, what, (unsigned long long)computed);
}

/* "light[7].range_m" at its offset. */
bool validation_refuse_value(BlobValidation* g, u64 offset, const char* table, u32 row,
                             const char* field, const char* reason) {
    char name[96];
    snprintf(name, sizeof name, "%s[%u]%s%s", table, row, *field ? "." : "", field);
    return validation_refuse(g->fault, ENT_BAD_FIELD, offset, name, "%s", reason);
}

bool validation_refuse_entry(BlobValidation* g, u32 index, u32 member_offset, const char* member,
                             const char* format, ...) {
    char    name[64], reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(name, sizeof name, "section[%u].%s", index, member);
    return validation_refuse(g->fault, ENT_BAD_FIELD,
                             sizeof(BlobHeader) + (u64)index * sizeof(BlobSection) + member_offset,
                             name, "%s", reason);
}

const BlobSection* validation_section(const BlobValidation* g, u32 kind) {
    return section_of_kind(g->section, g->header.section_count, kind);
}

const void* validation_rows(const BlobValidation* g, u32 kind, u32* count) {
    const BlobSection* s = validation_section(g, kind);
    *count = s ? s->count : 0;
    return s ? g->bytes + s->offset : NULL;
}
