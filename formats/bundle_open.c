/* bundle_open.c - the validator of bundles: validates an index, field by field, and reports what is
 * wrong and where.
 *
 * Only the index is read. The index is smaller than 4 GiB, so that every field of it has an offset
 * that a fault can hold; an error in a piece is reported as a field of its row. */
#include "bundle_internal.h"

#include <stdarg.h>

#include "hash.h"
#include "lfs_pointer.h"
#include "named_rows.h"
#include "validation_internal.h"

typedef struct BundleValidation {
    const u8*               index;
    u64                     size; /* of the complete bundle */
    BundleHeader            header;
    const BundleResource*   resource;
    const BundleDictionary* dictionary;
    const char*             names;
    BlobFault*              fault;
} BundleValidation;

/* --- header --- */

#define BUNDLE_AT(member) offsetof(BundleHeader, member), "header." #member

static bool header_check(BundleValidation* g) {
    const BundleHeader* h = &g->header;
    const u32           magic_bytes = (u32)MIN_OF(g->size, 4u);
    if (magic_bytes < 4 || memcmp(g->index, BUNDLE_MAGIC_BYTES, magic_bytes) != 0) {
        return validation_refuse(g->fault, ENT_NOT_A_BUNDLE, 0, "header.magic", "%s",
                                 magic_bytes == 4 && lfs_is_pointer(g->index, g->size)
                                     ? "the first four bytes are not ENTP: " LFS_POINTER_TEXT
                                     : "the first four bytes are not ENTP");
    }
    if (!validation_header_check(g->fault, sizeof *h, g->size)) return false;
    memcpy(&g->header, g->index, sizeof *h);
    if (!validation_order_check(g->fault, h->byte_order, offsetof(BundleHeader, byte_order),
                                "pack blobs that were built with")) {
        return false;
    }
    if (h->version != BUNDLE_VERSION) {
        return validation_refuse(g->fault, ENT_BAD_VERSION, BUNDLE_AT(version),
                                 "bundle version %u; this build reads version %u", h->version,
                                 BUNDLE_VERSION);
    }
    const u64 bytes = bundle_u64(h->bytes_lo, h->bytes_hi);
    if (bytes != g->size) {
        return validation_refuse(g->fault, bytes > g->size ? ENT_TRUNCATED : ENT_BAD_FIELD,
                                 offsetof(BundleHeader, bytes_lo), "header.bytes",
                                 "is %llu, but %llu bytes are available", (unsigned long long)bytes,
                                 (unsigned long long)g->size);
    }
    return true;
}

/* Afterwards the tables and the names are validated to be inside the index. */
static bool header_check_counts(BundleValidation* g) {
    const BundleHeader* h = &g->header;
    if (h->resource_count > BUNDLE_RESOURCES_MAX) {
        return validation_refuse(g->fault, ENT_LIMIT, BUNDLE_AT(resource_count),
                                 "is %u; a bundle has at most %u resources", h->resource_count,
                                 BUNDLE_RESOURCES_MAX);
    }
    if (h->dictionary_count >= RESOURCE_COUNT) {
        return validation_refuse(
            g->fault, ENT_BAD_FIELD, BUNDLE_AT(dictionary_count),
            "is %u; there must be at most one dictionary for each of %u resource types",
            h->dictionary_count, RESOURCE_COUNT - 1);
    }
    const u64 bytes = bundle_index_bytes(h);
    if (bytes > g->size || bytes > BLOB_BYTES_MAX) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, BUNDLE_AT(name_bytes),
                                 "an index of %llu bytes does not fit into %llu bytes",
                                 (unsigned long long)bytes,
                                 (unsigned long long)MIN_OF(g->size, (u64)BLOB_BYTES_MAX));
    }
    if (!validation_zeros(h->zero, sizeof h->zero)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, BUNDLE_AT(zero),
                                 "reserved words must be 0");
    }
    g->resource = (const BundleResource*)(g->index + sizeof *h);
    g->dictionary = (const BundleDictionary*)(g->resource + h->resource_count);
    g->names = (const char*)(g->dictionary + h->dictionary_count);
    return true;
}

static bool hash_check(BundleValidation* g) {
    const u64 hash = bundle_hash(g->index, bundle_index_bytes(&g->header));
    return validation_hash_check(g->fault, resource_id(g->header.hash), hash,
                                 offsetof(BundleHeader, hash), "index");
}

/* --- rows --- */

/* "resource[3].codec" at its offset. */
static bool refuse_row(BundleValidation* g, const void* row, u32 member_offset, const char* member,
                       const char* format, ...) PRINTF_LIKE(5, 6);

static bool refuse_row(BundleValidation* g, const void* row, u32 member_offset, const char* member,
                       const char* format, ...) {
    va_list    arguments;
    const u64  offset = (u64)((const u8*)row - g->index);
    const bool second = row >= (const void*)g->dictionary;
    const u64  first = sizeof(BundleHeader) +
                      (second ? (u64)g->header.resource_count * sizeof(BundleResource) : 0);
    const u64 stride = second ? sizeof(BundleDictionary) : sizeof(BundleResource);
    va_start(arguments, format);
    named_row_refuse(g->fault, offset + member_offset, second ? "dictionary" : "resource",
                     (u32)((offset - first) / stride), member, format, arguments);
    va_end(arguments);
    return false;
}

#define RESOURCE_AT(row, member)   row, (u32)offsetof(BundleResource, member), #member
#define DICTIONARY_AT(row, member) row, (u32)offsetof(BundleDictionary, member), #member

static bool names_check(const BundleValidation* g) {
    const NamedRows rows = {g->resource, sizeof *g->resource, g->header.resource_count, g->names,
                            g->header.name_bytes};
    return named_rows_check(&rows, sizeof(BundleHeader), offsetof(BundleHeader, name_bytes),
                            g->fault);
}

static bool dictionaries_check(BundleValidation* g, u64* end) {
    for (u32 i = 0; i < g->header.dictionary_count; i++) {
        const BundleDictionary* d = &g->dictionary[i];
        if (!ent_resource_suffix(d->type) || (i && d->type <= d[-1].type)) {
            return refuse_row(g, DICTIONARY_AT(d, type),
                              "%u is not a resource type, or not greater than the type before it",
                              d->type);
        }
        if (d->bytes == 0 || d->bytes > BUNDLE_DICTIONARY_BYTES_MAX) {
            return refuse_row(g, DICTIONARY_AT(d, bytes), "%u is not between 1 and %u", d->bytes,
                              BUNDLE_DICTIONARY_BYTES_MAX);
        }
        if (bundle_u64(d->offset_lo, d->offset_hi) != *end) {
            return refuse_row(g, DICTIONARY_AT(d, offset_lo), "must be %llu",
                              (unsigned long long)*end);
        }
        if (d->bytes > g->size - *end) {
            return refuse_row(g, DICTIONARY_AT(d, bytes),
                              "%u bytes extend beyond the end of the bundle", d->bytes);
        }
        if (!validation_zeros(d->zero, sizeof d->zero)) {
            return refuse_row(g, DICTIONARY_AT(d, zero), "reserved words must be 0");
        }
        *end += d->bytes;
    }
    return true;
}

/* Size, codec and dictionary match. */
static bool shape_check(BundleValidation* g, const BundleResource* r) {
    if (r->size < sizeof(BlobHeader) || r->size % BLOB_ALIGN) {
        return refuse_row(
            g, RESOURCE_AT(r, size),
            "%u is not the size of a blob; it must be a multiple of %u, and at least %zu", r->size,
            BLOB_ALIGN, sizeof(BlobHeader));
    }
    if (r->codec >= BUNDLE_CODEC_COUNT) {
        return refuse_row(g, RESOURCE_AT(r, codec), "%u is not a codec; it must be 0 to %u",
                          r->codec, BUNDLE_CODEC_COUNT - 1);
    }
    if (r->codec == BUNDLE_PLAIN && r->stored != r->size) {
        return refuse_row(g, RESOURCE_AT(r, stored), "is %u, but must be %u", r->stored, r->size);
    }
    if (r->codec == BUNDLE_ZSTD && (r->stored == 0 || r->stored >= r->size)) {
        return refuse_row(g, RESOURCE_AT(r, stored), "%u is not between 1 and %u", r->stored,
                          r->size - 1);
    }
    if (r->size / BUNDLE_RATIO_MAX > r->stored) {
        return refuse_row(g, RESOURCE_AT(r, size), "a frame of %u bytes cannot expand to %u bytes",
                          r->stored, r->size);
    }
    if (r->dictionary == BUNDLE_NO_DICTIONARY) return true;
    if (r->codec == BUNDLE_PLAIN) {
        return refuse_row(g, RESOURCE_AT(r, dictionary),
                          "must be 0xffffffff; a resource without compression has no dictionary");
    }
    if (r->dictionary >= g->header.dictionary_count ||
        g->dictionary[r->dictionary].type != r->type) {
        return refuse_row(g, RESOURCE_AT(r, dictionary),
                          "%u is not a dictionary for resources of type %s", r->dictionary,
                          ent_resource_suffix(r->type));
    }
    return true;
}

/* Pieces follow each other in the order of their rows; a plain one is aligned to 16. */
static bool pieces_check(BundleValidation* g, u64 end) {
    u32 used = 0; /* dictionaries, one bit each */
    static_assert(RESOURCE_COUNT <= 32, "a bit for each dictionary");
    for (u32 i = 0; i < g->header.resource_count; i++) {
        const BundleResource* r = &g->resource[i];
        if (!shape_check(g, r)) return false;
        const u64 start = r->codec == BUNDLE_PLAIN ? align_up(end, BLOB_ALIGN) : end;
        if (bundle_u64(r->offset_lo, r->offset_hi) != start) {
            return refuse_row(g, RESOURCE_AT(r, offset_lo), "must be %llu",
                              (unsigned long long)start);
        }
        if (start > g->size || r->stored > g->size - start) {
            return refuse_row(g, RESOURCE_AT(r, stored),
                              "%u bytes extend beyond the end of the bundle", r->stored);
        }
        if (r->dictionary != BUNDLE_NO_DICTIONARY) used |= 1u << r->dictionary;
        end = start + r->stored;
    }
    for (u32 i = 0; i < g->header.dictionary_count; i++) {
        if (used >> i & 1) continue;
        return refuse_row(g, DICTIONARY_AT(&g->dictionary[i], type),
                          "no resource uses the dictionary");
    }
    if (end == g->size) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, offsetof(BundleHeader, bytes_lo),
                             "header.bytes",
                             "the last piece ends at offset %llu, but the bundle has %llu bytes",
                             (unsigned long long)end, (unsigned long long)g->size);
}

ent_status bundle_validate(Bundle* out, const void* index, const void* bytes, u64 size,
                           bool skip_hash, BlobFault* fault) {
    BlobFault        ignored;
    BundleValidation g = {.index = index, .size = size, .fault = fault ? fault : &ignored};
    assert(((uintptr_t)index & 15) == 0 && "ent_bundle_open needs bytes aligned to 16");
    *g.fault = (BlobFault){.status = ENT_OK};
    if (!header_check(&g) || !header_check_counts(&g)) return g.fault->status;
    if (!skip_hash && !hash_check(&g)) return g.fault->status;
    u64 end = bundle_index_bytes(&g.header);
    if (!names_check(&g) || !dictionaries_check(&g, &end) || !pieces_check(&g, end)) {
        return g.fault->status;
    }
    *out = (Bundle){bytes, size, index, g.resource, g.dictionary, g.names};
    return ENT_OK;
}

ent_status ent_bundle_open(Bundle* out, const void* bytes, uint64_t size, BlobFault* fault) {
    return bundle_validate(out, bytes, bytes, size, false, fault);
}
