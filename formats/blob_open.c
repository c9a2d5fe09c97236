/* blob_open.c - the only validator of blobs: validates a blob, field by field, and reports what is
 * wrong and where. Rules between the fields of a resource are validated in blob_meaning.c. */
#include "validation_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "clip.h"
#include "hash.h"
#include "jobs.h"
#include "lfs_pointer.h"
#include "mesh_data.h"
#include "slots.h"

#define CONTENT_BYTES_MIN (256u << 10) /* a shorter blob is validated by one thread */

/* --- header --- */

static bool header_check(BlobValidation* g) {
    const BlobHeader* h = &g->header;
    if (g->size < 4 || memcmp(g->bytes, BLOB_MAGIC_BYTES, MIN_OF(g->size, 4u)) != 0) {
        return validation_refuse(g->fault, ENT_NOT_A_BLOB, 0, "header.magic", "%s",
                                 lfs_is_pointer(g->bytes, g->size)
                                     ? "the first four bytes are not ENTB: " LFS_POINTER_TEXT
                                     : "the first four bytes are not ENTB");
    }
    if (!validation_header_check(g->fault, sizeof *h, g->size)) return false;
    memcpy(&g->header, g->bytes, sizeof *h);
    if (!validation_order_check(g->fault, h->byte_order, offsetof(BlobHeader, byte_order),
                                "compile with")) {
        return false;
    }
    if (h->version != BLOB_VERSION) {
        return validation_refuse(g->fault, ENT_BAD_VERSION, HEADER_AT(version),
                                 "format version %u; this build reads version %u", h->version,
                                 BLOB_VERSION);
    }
    if (h->blob_bytes > g->size) {
        return validation_refuse(g->fault, ENT_TRUNCATED, HEADER_AT(blob_bytes),
                                 "is %u, but only %llu bytes are available", h->blob_bytes,
                                 (unsigned long long)g->size);
    }
    if (h->blob_bytes < g->size) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(blob_bytes),
                                 "is %u, but the blob has %llu bytes", h->blob_bytes,
                                 (unsigned long long)g->size);
    }
    return true;
}

static bool header_check_rest(BlobValidation* g) {
    const BlobHeader* h = &g->header;
    if (!ent_resource_suffix(h->resource_type)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(resource_type),
                                 "%u is not a resource type; it must be 1 to %u", h->resource_type,
                                 RESOURCE_COUNT - 1);
    }
    if (h->blob_bytes % BLOB_ALIGN) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(blob_bytes),
                                 "%u is not a multiple of %u", h->blob_bytes, BLOB_ALIGN);
    }
    if (resource_id(h->resource) == 0) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(resource),
                                 "the id of a resource must not be 0");
    }
    if (h->section_count > (g->size - sizeof *h) / sizeof(BlobSection)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(section_count),
                                 "a table of %u sections does not fit into %llu bytes",
                                 h->section_count, (unsigned long long)g->size);
    }
    if (h->section_count > BLOB_SECTIONS_MAX) {
        return validation_refuse(g->fault, ENT_LIMIT, HEADER_AT(section_count),
                                 "is %u; a blob has at most %u sections", h->section_count,
                                 BLOB_SECTIONS_MAX);
    }
    if (!validation_zeros((const u8*)h->zero, sizeof h->zero)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(zero),
                                 "reserved words must be 0");
    }
    g->section = (const BlobSection*)(g->bytes + sizeof *h);
    return true;
}

/* --- table of sections --- */

static void older_type_mark(BlobValidation* g, const DeclarationRecord* d) {
    for (u32 i = 0; i < g->type_count && i < VALIDATION_OLDER_TYPES; i++) {
        if (g->types[i]->id == d->id && g->types[i]->layout != d->layout)
            g->older[i / 64] |= 1ull << i % 64;
    }
}

/* Finds the types of which the blob declares another layout. Its section of declarations is validated
 * later, and then compared with the component sections: here it is only read inside of the blob. */
static void older_types_find(BlobValidation* g) {
    const BlobSection* declared = validation_section(g, SECTION_DECLARATION);
    DeclarationRecord  d;
    if (!declared || declared->offset > g->size) return;
    const u64 count = MIN_OF(declared->count, (g->size - declared->offset) / sizeof d);
    for (u64 i = 0; i < count; i++) {
        memcpy(&d, g->bytes + declared->offset + i * sizeof d, sizeof d);
        older_type_mark(g, &d);
    }
}

/* The type of a component section, or NULL: it is not known, or the blob declares another layout of it,
 * by which the instances can be converted. */
static const ComponentType* type_of(const BlobValidation* g, const BlobSection* s) {
    u32 i = 0;
    while (i < g->type_count && g->types[i]->id != s->identifier) i++;
    if (i == g->type_count) return NULL;
    const bool older = i < VALIDATION_OLDER_TYPES && g->older[i / 64] >> i % 64 & 1;
    return older ? NULL : g->types[i];
}

/* The component sections that were compared so far. */
typedef struct TableOrder {
    const ComponentType* last; /* the known type with the highest spawn order */
    Slots                slots;
    u32                  slot[2 * BLOB_SECTIONS_MAX]; /* section + 1, by identifier */
} TableOrder;

static TableOrder* order_begin(TableOrder* order, u32 sections) {
    assert(sections <= BLOB_SECTIONS_MAX); /* header_check_rest has compared it */
    order->last = NULL;
    order->slots = (Slots){order->slot, slots_needed(sections, 16)};
    memset(order->slot, 0, sizeof order->slot[0] * order->slots.count);
    return order;
}

static bool kind_check(BlobValidation* g, u32 i) {
    const BlobSection* s = &g->section[i];
    if (s->kind == SECTION_NONE || s->kind >= SECTION_KIND_COUNT) {
        return validation_refuse_entry(g, ENTRY_AT(i, kind),
                                       "%u is not a kind of section; it must be 1 to %u", s->kind,
                                       SECTION_KIND_COUNT - 1);
    }
    if (!section_allowed(g->header.resource_type, s->kind)) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, kind), "a resource of type %s must not have the section %s",
            ent_resource_suffix(g->header.resource_type), section_name(s->kind));
    }
    if (s->kind == SECTION_COMPONENT && s->identifier == 0) {
        return validation_refuse_entry(g, ENTRY_AT(i, identifier),
                                       "the id of a component type must not be 0");
    }
    if (s->kind != SECTION_COMPONENT && s->identifier != 0) {
        return validation_refuse_entry(g, ENTRY_AT(i, identifier),
                                       "must be 0; only component sections have an identifier");
    }
    return true;
}

/* Components are in spawn order, without duplicates. */
static bool component_order_check(BlobValidation* g, TableOrder* order, u32 i) {
    const BlobSection*   s = &g->section[i];
    const ComponentType* type = type_of(g, s);
    u32*                 slot = slots_first(&order->slots, s->identifier * 0x9e3779b1u >> 16);
    while (*slot && g->section[*slot - 1].identifier != s->identifier)
        slot = slots_next(&order->slots, slot);
    if (*slot) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, identifier),
            "duplicate section of component type 0x%08x; each type must have at most one",
            s->identifier);
    }
    *slot = i + 1;
    if (!type) return true;
    if (order->last && order->last->order > type->order) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, identifier),
            "%s must precede %s; component sections must be in spawn order", type->record.name,
            order->last->record.name);
    }
    order->last = type;
    return true;
}

/* Sections are in the order of their kinds. */
static bool order_check(BlobValidation* g, TableOrder* order, u32 i) {
    const BlobSection* s = &g->section[i];
    if (!kind_check(g, i)) return false;
    if (i && (s[-1].kind > s->kind || (s[-1].kind == s->kind && s->kind != SECTION_COMPONENT))) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, kind),
            "section %s is a duplicate or out of order; sections must be in "
            "ascending order of their kinds",
            section_name(s->kind));
    }
    return s->kind != SECTION_COMPONENT || component_order_check(g, order, i);
}

/* Layout, stride and bytes match the field table; `u64` so that no product can overflow. */
static bool shape_check(BlobValidation* g, u32 i) {
    const BlobSection*   s = &g->section[i];
    const RecordType*    record = section_record(s->kind);
    const ComponentType* type = s->kind == SECTION_COMPONENT ? type_of(g, s) : NULL;
    u32                  layout = s->layout, stride = s->stride, columns = 1;
    u64                  bytes = s->bytes;
    if (s->count == 0)
        return validation_refuse_entry(g, ENTRY_AT(i, count),
                                       "is 0; an empty section must be omitted");
    if (type) {
        layout = type->layout, stride = type->record.bytes;
        columns = ent_component_column_count(type);
        bytes = component_section_bytes(type, s->count);
    } else if (record) {
        layout = record_layout_hash(record), stride = record->bytes;
        bytes = (u64)s->count * stride;
    } else if (section_is_bytes(s->kind)) {
        layout = 0, stride = 1;
        bytes = s->count;
    } else { /* an unknown component type */
        columns = s->column_count;
        if (s->bytes % 4 || bytes < (u64)s->count * 4) {
            return validation_refuse_entry(
                g, ENTRY_AT(i, bytes),
                "is %u; it must be a multiple of 4, and at least %llu for %u instances", s->bytes,
                (unsigned long long)s->count * 4, s->count);
        }
    }
    if (s->layout != layout) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, layout),
            "is 0x%08x, but the layout of %s in this build is 0x%08x; recompile the source",
            s->layout, type ? type->record.name : section_name(s->kind), layout);
    }
    if (s->stride != stride) {
        return validation_refuse_entry(g, ENTRY_AT(i, stride), "is %u, but must be %u", s->stride,
                                       stride);
    }
    if (s->column_count != columns) {
        return validation_refuse_entry(g, ENTRY_AT(i, column_count), "is %u, but must be %u",
                                       s->column_count, columns);
    }
    if (s->bytes != bytes) {
        return validation_refuse_entry(g, ENTRY_AT(i, bytes), "is %u, but %u rows need %llu bytes",
                                       s->bytes, s->count, (unsigned long long)bytes);
    }
    return true;
}

/* Each section begins at the end of its predecessor, rounded up; the bytes between are zero. */
static bool place_check(BlobValidation* g, u32 i, u64* end) {
    const BlobSection* s = &g->section[i];
    const u64          start = align_up(*end, BLOB_ALIGN);
    if (s->offset != start) {
        return validation_refuse_entry(g, ENTRY_AT(i, offset), "is %u, but must be %llu", s->offset,
                                       (unsigned long long)start);
    }
    if (start > g->size || s->bytes > g->size - start) {
        return validation_refuse_entry(
            g, ENTRY_AT(i, bytes),
            "%u bytes at offset %u extend beyond the end of the blob, which has %llu bytes",
            s->bytes, s->offset, (unsigned long long)g->size);
    }
    if (!validation_zeros(g->bytes + *end, start - *end)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, *end, "padding",
                                 "the bytes between sections must be 0");
    }
    *end = start + s->bytes;
    return true;
}

static bool table_check(BlobValidation* g) {
    u64         end = sizeof(BlobHeader) + (u64)g->header.section_count * sizeof(BlobSection);
    TableOrder  memory;
    TableOrder* order = order_begin(&memory, g->header.section_count);
    older_types_find(g);
    for (u32 i = 0; i < g->header.section_count; i++) {
        if (!order_check(g, order, i) || !shape_check(g, i) || !place_check(g, i, &end))
            return false;
    }
    if (align_up(end, BLOB_ALIGN) != g->size) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, HEADER_AT(blob_bytes),
                                 "the sections end at offset %llu, but the blob has %llu bytes",
                                 (unsigned long long)end, (unsigned long long)g->size);
    }
    if (!validation_zeros(g->bytes + end, g->size - end)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, end, "padding",
                                 "the bytes after the last section must be 0");
    }
    return true;
}

/* --- values --- */

static const char* reference_fault(const BlobValidation* g, const Field* f, ResourceRef ref) {
    if (resource_id(ref) == 0) return f->required ? "refers to no resource, but is required" : NULL;
    const u32 at = validation_reference_find(g, ref);
    if (at == g->reference_count) return "is not in the table of references";
    return g->reference[at].type == f->refers_to ? NULL : "refers to a resource of the wrong type";
}

/* References to resources and entities are validated against the blob that contains them. */
static const char* link_fault(const BlobValidation* g, const Field* f, const u8* at) {
    ResourceRef ref;
    u32         entity;
    if (field_form(f) == FORM_RESOURCE) {
        memcpy(&ref, at, sizeof ref);
        return reference_fault(g, f, ref);
    }
    memcpy(&entity, at, sizeof entity);
    if (field_form(f) == FORM_TEXT) {
        if (entity == 0) return f->required ? "is empty, but is required" : NULL;
        return entity < g->string_count ? NULL : "is not the index of a string of this blob";
    }
    return entity == NONE || entity < g->header.element_count
               ? NULL
               : "is not the index of an entity of this blob";
}

static bool links_check(BlobValidation* g, const char* table, const Field* f, const u8* first,
                        u32 count, u32 stride) {
    if (validation_links_are_valid(g, f, first, count, stride)) return true;
    for (u32 i = 0; i < count; i++) {
        const u8*   at = first + (u64)i * stride;
        const char* reason = link_fault(g, f, at);
        if (reason)
            return validation_refuse_value(g, validation_offset(g, at), table, i, f->name, reason);
    }
    return true;
}

static bool field_check(BlobValidation* g, const char* table, const Field* f, const u8* first,
                        u32 count, u32 stride) {
    if (field_form(f) == FORM_RESOURCE || field_form(f) == FORM_ENTITY ||
        field_form(f) == FORM_TEXT) {
        for (u32 e = 0; e < f->bytes; e += field_element_bytes(f)) {
            if (!links_check(g, table, f, first + e, count, stride)) return false;
        }
        return true;
    }
    const u32 row = field_first_fault(f, first, count, stride);
    if (row == count) return true;
    const u8*   at = first + (u64)row * stride;
    const char* reason = field_fault(f, at);
    return validation_refuse_value(g, validation_offset(g, at), table, row, f->name,
                                   reason ? reason : "is out of range");
}

static bool records_check(BlobValidation* g, const char* table, const RecordType* type,
                          const u8* first, u32 count) {
    if (validation_rows_are_valid(g, type->fields, type->field_count, first, count, type->bytes))
        return true;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        if (!field_check(g, table, f, first + f->offset, count, type->bytes)) return false;
    }
    return true;
}

/* Why row `i` cannot own an instance, or NULL. */
static const char* owner_fault(const BlobValidation* g, const u32* owner, u32 i, u32 min) {
    if (owner[i] >= g->header.element_count) return "is not the index of an entity of this blob";
    if (i == 0 || (owner[i] >= owner[i - 1] && owner[i] - owner[i - 1] >= min)) return NULL;
    return min ? "must be greater than the index before it"
               : "must not be less than the index before it";
}

static bool owners_check(BlobValidation* g, const BlobSection* s, const ComponentType* type,
                         RowRange rows) {
    const u32*  owner = (const u32*)(g->bytes + s->offset);
    const char* name = type ? type->record.name : "component";
    const u32   min = type && type->several == SINGLE ? 1 : 0; /* unknown types: may be multiple */
    const u32   before = rows.first ? rows.first - 1 : 0; /* which the first one is compared with */
    u32         row = 0;
    if (validation_owners_are_valid(owner + before, rows.end - before, g->header.element_count,
                                    min))
        return true;
    while (row + 1 < s->count && !owner_fault(g, owner, row, min)) row++;
    const char* reason = owner_fault(g, owner, row, min);
    return validation_refuse_value(g, validation_offset(g, owner + row), name, row, "entity_index",
                                   reason ? reason : "is out of order");
}

/* References of one field to entities, all of which were validated to be entities of this blob. */
static bool crossings_check(BlobValidation* g, const BlobSection* s, const ComponentType* type,
                            const Field* f, const u8* first, RowRange rows) {
    const u32* owner = (const u32*)(g->bytes + s->offset) + rows.first;
    const u32  stride = type->columns == BY_FIELD ? f->bytes : type->record.bytes;
    const u32  count = rows_count(rows);
    if (g->groups.count == 0 || field_form(f) != FORM_ENTITY) return true;
    for (u32 e = 0; e < f->bytes; e += 4) {
        const u32 row = groups_first_crossing(&g->groups, owner, first + e, count, stride);
        if (row == count) continue;
        return validation_refuse_value(g, validation_offset(g, first + e + (u64)row * stride),
                                       type->record.name, row, f->name,
                                       "must refer to an entity of the base or of the same group");
    }
    return true;
}

/* `first` is the first of the rows. */
static bool column_check(BlobValidation* g, const BlobSection* s, const ComponentType* type,
                         u32 column, const u8* first, RowRange rows) {
    const char* name = type->record.name;
    const u32   stride = ent_component_column_bytes(type, column), count = rows_count(rows);
    const u32   from = type->columns == BY_FIELD ? column : 0;
    const u32   end = type->columns == BY_FIELD ? column + 1 : type->record.field_count;
    const bool  valid =
        validation_rows_are_valid(g, &type->record.fields[from], end - from, first, count, stride);
    for (u32 i = from; i < end; i++) {
        const Field* f = &type->record.fields[i];
        const u8*    at = first + (type->columns == BY_FIELD ? 0 : f->offset);
        if (!valid && !field_check(g, name, f, at, count, stride)) return false;
        if (!crossings_check(g, s, type, f, at, rows)) return false;
    }
    return true;
}

/* A component section consists of its entities and of columns with padding before them. */
static bool component_part_check(BlobValidation* g, const BlobSection* s, u32 part, RowRange rows) {
    const ComponentType* type = type_of(g, s);
    const u32            c = part - 1, count = s->count;
    if (part == 0) return owners_check(g, s, type, rows);
    if (!type || c >= ent_component_column_count(type)) return true;
    const u8* start = g->bytes + s->offset;
    const u64 column = component_column_start(type, count, c);
    const u64 end = c == 0 ? (u64)count * 4
                           : component_column_start(type, count, c - 1) +
                                 (u64)count * ent_component_column_bytes(type, c - 1);
    if (rows.first == 0 && !validation_zeros(start + end, column - end)) {
        return validation_refuse(g->fault, ENT_BAD_FIELD, s->offset + end, "padding",
                                 "the bytes between columns must be 0");
    }
    start += column + (u64)rows.first * ent_component_column_bytes(type, c);
    return column_check(g, s, type, c, start, rows);
}

#define SECTION_PARTS (1 + COMPONENT_COLUMNS_MAX) /* at most */

static u32 section_parts(const BlobValidation* g, const BlobSection* s) {
    const ComponentType* type = s->kind == SECTION_COMPONENT ? type_of(g, s) : NULL;
    return type ? 1 + ent_component_column_count(type) : 1;
}

static bool component_check(BlobValidation* g, const BlobSection* s) {
    for (u32 part = 0; part < section_parts(g, s); part++) {
        if (!component_part_check(g, s, part, rows_all(s))) return false;
    }
    return true;
}

static bool section_part_check(BlobValidation* g, const BlobSection* s, u32 part, RowRange rows) {
    const RecordType* record = section_record(s->kind);
    if (s->kind == SECTION_COMPONENT) return component_part_check(g, s, part, rows);
    if (s->kind == SECTION_REFERENCE || !record || part) return true; /* validated with the table */
    return records_check(g, record->name, record,
                         g->bytes + s->offset + (u64)rows.first * record->bytes, rows_count(rows));
}

static bool values_check(BlobValidation* g) {
    for (u32 i = 0; i < g->header.section_count; i++) {
        const BlobSection* s = &g->section[i];
        const u32          parts = section_parts(g, s);
        for (u32 part = 0; part < parts; part++) {
            if (!section_part_check(g, s, part, rows_all(s))) return false;
        }
    }
    return true;
}

/* --- tables with names --- */

/* String 0 is the empty one, so that a content has one encoding. */
static bool strings_check(BlobValidation* g) {
    const StringOffsetRecord* row = validation_rows(g, SECTION_STRING_OFFSET, &g->string_count);
    if (!validation_names_check(g, SECTION_STRING_OFFSET, SECTION_STRING, 0,
                                sizeof(StringOffsetRecord)))
        return false;
    if (g->string_count == 1) {
        return validation_refuse_value(g, validation_offset(g, row), "string_offset", 0, "offset",
                                       "is the only string: then there must be no section");
    }
    const BlobSection* text = validation_section(g, SECTION_STRING);
    for (u32 i = 0; i < g->string_count; i++) {
        if ((i == 0) == (g->bytes[text->offset + row[i].offset] == 0)) continue;
        return validation_refuse_value(g, validation_offset(g, row + i), "string_offset", i,
                                       "offset", "string 0 must be empty, and no other one");
    }
    return true;
}

static bool references_check(BlobValidation* g) {
    g->reference = validation_rows(g, SECTION_REFERENCE, &g->reference_count);
    for (u32 i = 0; i < g->reference_count; i++) {
        const ReferenceRecord* r = &g->reference[i];
        if (resource_id(r->id) == 0 || (i && resource_id(r->id) <= resource_id(r[-1].id))) {
            return validation_refuse_value(g, validation_offset(g, &r->id), "reference", i, "id",
                                           "ids must be in strictly ascending order, and not 0");
        }
        if (!ent_resource_suffix(r->type)) {
            return validation_refuse_value(g, validation_offset(g, &r->type), "reference", i,
                                           "type", "is not a resource type");
        }
    }
    if (!validation_names_check(g, SECTION_REFERENCE, SECTION_REFERENCE_NAME,
                                (u32)offsetof(ReferenceRecord, name), sizeof(ReferenceRecord))) {
        return false;
    }
    const BlobSection* text = validation_section(g, SECTION_REFERENCE_NAME);
    for (u32 i = 0; i < g->reference_count; i++) {
        const ReferenceRecord* r = &g->reference[i];
        const Text             name = text_of((const char*)g->bytes + text->offset + r->name);
        if (hash_resource(name, ent_resource_suffix(r->type)) != resource_id(r->id)) {
            return validation_refuse_value(g, validation_offset(g, &r->id), "reference", i, "id",
                                           "is not the hash of its name and type");
        }
    }
    return true;
}

/* Before the values, because references between entities are validated with the groups. */
static bool groups_check(BlobValidation* g) {
    Groups*            groups = &g->groups;
    const BlobSection* text = validation_section(g, SECTION_GROUP_NAME);
    RowFault           fault;
    groups->row = validation_rows(g, SECTION_GROUP, &groups->count);
    groups->entity_count = g->header.element_count;
    if (text && !validation_names_check(g, SECTION_GROUP, SECTION_GROUP_NAME,
                                        (u32)offsetof(GroupRecord, name), sizeof(GroupRecord))) {
        return false;
    }
    const char* names = text ? (const char*)g->bytes + text->offset : NULL;
    if (groups_are_valid(groups, names, &fault)) return true;
    return validation_refuse_value(g, validation_offset(g, fault.at), fault.table, fault.row,
                                   fault.field, fault.reason);
}

/* --- the complete blob --- */

static bool hash_check(BlobValidation* g) {
    return validation_hash_check(g->fault, resource_id(g->header.hash),
                                 blob_hash(g->bytes, g->size), offsetof(BlobHeader, hash),
                                 "content");
}

static bool entity_names_check(BlobValidation* g) {
    return validation_names_check(g, SECTION_NAME_OFFSET, SECTION_NAME, 0,
                                  sizeof(NameOffsetRecord));
}

static bool content_check(BlobValidation* g) {
    return values_check(g) && entity_names_check(g) &&
           validation_names_check(g, SECTION_MORPH_TARGET, SECTION_MORPH_NAME,
                                  (u32)offsetof(MorphTargetRecord, name),
                                  sizeof(MorphTargetRecord)) &&
           validation_names_check(g, SECTION_CLIP_EVENT, SECTION_EVENT_NAME,
                                  (u32)offsetof(ClipEventRecord, name), sizeof(ClipEventRecord));
}

/* The columns of all sections, and the names of entities, for several threads. */
typedef struct ContentJob {
    const BlobValidation* g;
    NameTable names;  /* of entities; their number is 0 where one thread validates them */
    bool      failed; /* atomic */
} ContentJob;

/* Long columns are split, so that all threads finish at the same time. */
#define CONTENT_PIECES     8u
#define CONTENT_PIECE_ROWS 1024u

static RowRange piece_rows(u32 count, u32 piece) {
    const u32 pieces = MIN_OF(CONTENT_PIECES, count / CONTENT_PIECE_ROWS + 1);
    if (piece >= pieces) return (RowRange){count, count};
    return (RowRange){(u32)((u64)count * piece / pieces), (u32)((u64)count * (piece + 1) / pieces)};
}

static bool content_piece_check(BlobValidation* g, const ContentJob* job, u32 item, u32 piece) {
    if (item == 0) {
        const RowRange rows = piece_rows(job->names.count, piece);
        return rows_count(rows) == 0 || validation_name_range_check(g, &job->names, rows);
    }
    const u32          part = (item - 1) % SECTION_PARTS;
    const BlobSection* s = &g->section[(item - 1) / SECTION_PARTS];
    const RowRange     rows = piece_rows(s->count, piece);
    return part >= section_parts(g, s) || rows_count(rows) == 0 ||
           section_part_check(g, s, part, rows);
}

static void content_run(void* user, u32 first, u32 end, u32 worker) {
    ContentJob* job = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        BlobFault      ignored;
        BlobValidation local = *job->g;
        local.fault = &ignored;
        if (__atomic_load_n(&job->failed, __ATOMIC_RELAXED)) return;
        if (!content_piece_check(&local, job, i / CONTENT_PIECES, i % CONTENT_PIECES))
            __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
    }
}

/* A fault is searched for by one thread, so that it does not depend on their number. */
static bool content_is_valid(const BlobValidation* g, JobPool* pool) {
    ContentJob job = {.g = g};
    JobGroup   group = {0};
    if (!pool || ent_job_worker_count(pool) == 1 || g->size < CONTENT_BYTES_MIN) return false;
    if (!validation_name_table_find(g, SECTION_NAME_OFFSET, SECTION_NAME, 0,
                                    sizeof(NameOffsetRecord), &job.names) &&
        (job.names.first || job.names.text))
        return false;
    const u32 items = 1 + g->header.section_count * SECTION_PARTS;
    ent_job_dispatch(pool, &group, items * CONTENT_PIECES, 1, content_run, &job);
    ent_job_wait(pool, &group);
    return !job.failed;
}

ent_status ent_blob_open(Blob* out, const void* bytes, size_t size, const BlobOptions* options,
                         BlobFault* fault) {
    BlobFault            ignored;
    ReferenceSlots       slots;
    const ComponentType* built_in[COMPONENT_COUNT];
    BlobValidation       g = {.bytes = bytes, .size = size, .fault = fault ? fault : &ignored};
    assert(((uintptr_t)bytes & 15) == 0 && "ent_blob_open needs bytes aligned to 16");
    *g.fault = (BlobFault){.status = ENT_OK};
    if (options && options->types) {
        g.types = options->types, g.type_count = options->type_count;
    } else {
        for (u32 i = 0; i < COMPONENT_COUNT; i++) built_in[i] = &ent_component_types()[i];
        g.types = built_in, g.type_count = COMPONENT_COUNT;
    }
    if (!header_check(&g)) return g.fault->status;
    if (!(options && options->skip_hash) && !hash_check(&g)) return g.fault->status;
    if (!header_check_rest(&g) || !table_check(&g) || !references_check(&g) || !groups_check(&g) ||
        !strings_check(&g)) {
        return g.fault->status;
    }
    validation_references_enter(&g, &slots);
    const bool is_valid = content_is_valid(&g, options ? options->pool : NULL);
    if ((!is_valid && !content_check(&g)) || !blob_meaning_check(&g)) {
        return g.fault->status;
    }
    *out = (Blob){bytes, size, (const BlobHeader*)bytes, g.section, 0};
    for (u32 i = 0; i < g.header.section_count && i < 64; i++) {
        const bool component = g.section[i].kind == SECTION_COMPONENT;
        if (!component || type_of(&g, &g.section[i])) out->validated |= 1ull << i;
    }
    return ENT_OK;
}

ent_status ent_blob_validate(const Blob* blob, const ComponentType* type, BlobFault* fault) {
    BlobFault          ignored;
    ReferenceSlots     slots;
    const BlobSection* s = ent_blob_component(blob, type->id);
    BlobValidation     g = {.bytes = blob->bytes,
                            .size = blob->size,
                            .header = *blob->header,
                            .section = blob->section,
                            .fault = fault ? fault : &ignored,
                            .types = &type,
                            .type_count = 1};
    *g.fault = (BlobFault){.status = ENT_OK};
    if (!s) return ENT_OK;
    const u32 index = (u32)(s - blob->section);
    if (index < 64 && blob->validated >> index & 1 && s->layout == type->layout) return ENT_OK;
    g.reference = validation_rows(&g, SECTION_REFERENCE, &g.reference_count);
    validation_references_enter(&g, &slots);
    g.groups = groups_of(blob);
    validation_rows(&g, SECTION_STRING_OFFSET, &g.string_count);
    if (!shape_check(&g, index) || !component_check(&g, s)) return g.fault->status;
    return ENT_OK;
}
