/* blob_open.c - the one gate: proves a blob, field by field, and says what is wrong and where.
 *
 * Rules of this file: offsets are u64 and are checked before a pointer is made from them; every
 * loop is bounded by a count that was checked; nothing recurses; nothing is allocated. */
#include "sections.h"

#include <stdarg.h>
#include <stdio.h>

#include "clip.h"
#include "hash.h"
#include "mesh_data.h"
#include "skeleton.h"
#include "utf8.h"

#define REFERENCE_CACHE 1024 /* slots that remember where a reference id stands in the table */

typedef struct Gate {
    const u8*                   bytes;
    u64                         size;
    BlobHeader                  header;
    const BlobSection*          section; /* set once the table is inside the blob */
    BlobFault*                  fault;
    const ComponentType* const* types;
    u32                         type_count;
    const ReferenceRecord*      reference;
    u32                         reference_count;
    u16                         reference_slot[REFERENCE_CACHE];
} Gate;

static bool refuse(Gate* g, ent_status status, u64 offset, const char* field, const char* format,
                   ...) PRINTF_LIKE(5, 6);

static bool refuse(Gate* g, ent_status status, u64 offset, const char* field, const char* format,
                   ...) {
    va_list arguments;
    g->fault->status = status;
    g->fault->offset = (u32)offset;
    snprintf(g->fault->field, sizeof g->fault->field, "%s", field);
    va_start(arguments, format);
    vsnprintf(g->fault->reason, sizeof g->fault->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* "light[7].range_m" at its offset. */
static bool refuse_value(Gate* g, u64 offset, const char* table, u32 row, const char* field,
                         const char* why) {
    char name[96];
    snprintf(name, sizeof name, "%s[%u]%s%s", table, row, *field ? "." : "", field);
    return refuse(g, ENT_BAD_FIELD, offset, name, "%s", why);
}

static u64 offset_in(const Gate* g, const void* at) { return (u64)((const u8*)at - g->bytes); }

static bool zeros(const u8* at, u64 count) {
    u8 any = 0;
    for (u64 i = 0; i < count; i++) any |= at[i];
    return any == 0;
}

/* --- header --- */

#define HEADER_AT(member) offsetof(BlobHeader, member), "header." #member

static bool header_check(Gate* g) {
    const BlobHeader* h = &g->header;
    if (g->size < 4 || memcmp(g->bytes, BLOB_MAGIC_BYTES, MIN_OF(g->size, 4u)) != 0) {
        return refuse(g, ENT_NOT_A_BLOB, 0, "header.magic", "the first four bytes are not ENTB");
    }
    if (g->size < sizeof *h) {
        return refuse(g, ENT_TRUNCATED, g->size, "header",
                      "the header has %zu bytes, here are %llu", sizeof *h,
                      (unsigned long long)g->size);
    }
    memcpy(&g->header, g->bytes, sizeof *h);
    if (h->byte_order == 0x04030201u) {
        return refuse(g, ENT_OTHER_BYTE_ORDER, HEADER_AT(byte_order),
                      "it is for the other byte order; compile with --target %s",
                      HOST_IS_LITTLE ? "little" : "big");
    }
    if (h->byte_order != BLOB_BYTE_ORDER) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(byte_order), "0x%08x is no byte order",
                      h->byte_order);
    }
    if (h->version != BLOB_VERSION) {
        return refuse(g, ENT_BAD_VERSION, HEADER_AT(version),
                      "format version %u; this build reads version %u", h->version, BLOB_VERSION);
    }
    if (h->blob_bytes > g->size) {
        return refuse(g, ENT_TRUNCATED, HEADER_AT(blob_bytes), "says %u, but only %llu are here",
                      h->blob_bytes, (unsigned long long)g->size);
    }
    if (h->blob_bytes < g->size) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(blob_bytes), "says %u, but %llu are here",
                      h->blob_bytes, (unsigned long long)g->size);
    }
    return true;
}

static bool header_check_rest(Gate* g) {
    const BlobHeader* h = &g->header;
    if (!ent_resource_suffix(h->resource_type)) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(resource_type), "%u is no resource type",
                      h->resource_type);
    }
    if (h->blob_bytes % BLOB_ALIGN) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(blob_bytes), "%u is not a multiple of %u",
                      h->blob_bytes, BLOB_ALIGN);
    }
    if (resource_id(h->resource) == 0) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(resource), "a resource's id is never 0");
    }
    if (h->section_count > (g->size - sizeof *h) / sizeof(BlobSection)) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(section_count), "%u sections do not fit",
                      h->section_count);
    }
    if (!zeros((const u8*)h->zero, sizeof h->zero)) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(zero), "reserved words must be 0");
    }
    g->section = (const BlobSection*)(g->bytes + sizeof *h);
    return true;
}

/* --- table of sections --- */

static const ComponentType* type_find(const Gate* g, u32 identifier) {
    for (u32 i = 0; i < g->type_count; i++) {
        if (g->types[i]->id == identifier) return g->types[i];
    }
    return NULL;
}

static bool refuse_entry(Gate* g, u32 index, u32 member_offset, const char* member,
                         const char* format, ...) PRINTF_LIKE(5, 6);

static bool refuse_entry(Gate* g, u32 index, u32 member_offset, const char* member,
                         const char* format, ...) {
    char    name[64], reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    snprintf(name, sizeof name, "section[%u].%s", index, member);
    return refuse(g, ENT_BAD_FIELD,
                  sizeof(BlobHeader) + (u64)index * sizeof(BlobSection) + member_offset, name, "%s",
                  reason);
}

#define ENTRY_AT(index, member) index, (u32)offsetof(BlobSection, member), #member

/* Sections stand in the order of their kinds, components in spawn order, none twice. */
static bool order_check(Gate* g, u32 i) {
    const BlobSection* s = &g->section[i];
    if (s->kind == SECTION_NONE || s->kind >= SECTION_KIND_COUNT) {
        return refuse_entry(g, ENTRY_AT(i, kind), "%u is no kind of section", s->kind);
    }
    if (!section_allowed(g->header.resource_type, s->kind)) {
        return refuse_entry(g, ENTRY_AT(i, kind), "a %s has no section %s",
                            ent_resource_suffix(g->header.resource_type), section_name(s->kind));
    }
    if (s->kind == SECTION_COMPONENT && s->identifier == 0) {
        return refuse_entry(g, ENTRY_AT(i, identifier), "a component type's id is never 0");
    }
    if (s->kind != SECTION_COMPONENT && s->identifier != 0) {
        return refuse_entry(g, ENTRY_AT(i, identifier), "only component sections have one");
    }
    if (i == 0 || s[-1].kind < s->kind) return true;
    if (s[-1].kind > s->kind || s->kind != SECTION_COMPONENT) {
        return refuse_entry(g, ENTRY_AT(i, kind), "section %s stands too late or twice",
                            section_name(s->kind));
    }
    const ComponentType* mine = type_find(g, s->identifier);
    for (u32 k = 0; k < i; k++) {
        const BlobSection*   before = &g->section[k];
        const ComponentType* theirs = type_find(g, before->identifier);
        if (before->kind != SECTION_COMPONENT) continue;
        if (before->identifier == s->identifier) {
            return refuse_entry(g, ENTRY_AT(i, identifier), "component 0x%08x stands twice",
                                s->identifier);
        }
        if (mine && theirs && theirs->order > mine->order) {
            return refuse_entry(g, ENTRY_AT(i, identifier), "%s is spawned before %s",
                                mine->record.name, theirs->record.name);
        }
    }
    return true;
}

/* Layout, stride and bytes agree with the field table; `u64` so that no product can wrap. */
static bool shape_check(Gate* g, u32 i) {
    const BlobSection*   s = &g->section[i];
    const RecordType*    record = section_record(s->kind);
    const ComponentType* type = s->kind == SECTION_COMPONENT ? type_find(g, s->identifier) : NULL;
    u32                  layout = s->layout, stride = s->stride, columns = 1;
    u64                  bytes = s->bytes;
    if (s->count == 0) return refuse_entry(g, ENTRY_AT(i, count), "empty sections are left out");
    if (type) {
        layout = type->layout, stride = type->record.bytes;
        columns = ent_component_column_count(type);
        bytes = component_section_bytes(type, s->count);
    } else if (record) {
        layout = record_layout_hash(record), stride = record->bytes;
        bytes = (u64)s->count * stride;
    } else if (section_is_text(s->kind)) {
        layout = 0, stride = 1;
        bytes = s->count;
    } else { /* a component type that nobody told us of */
        columns = s->column_count;
        if (s->bytes % 4 || bytes < (u64)s->count * 4) {
            return refuse_entry(g, ENTRY_AT(i, bytes), "%u cannot hold %u instances", s->bytes,
                                s->count);
        }
    }
    if (s->layout != layout) {
        return refuse_entry(g, ENTRY_AT(i, layout), "0x%08x; this build's %s is 0x%08x: recompile",
                            s->layout, type ? type->record.name : section_name(s->kind), layout);
    }
    if (s->stride != stride) {
        return refuse_entry(g, ENTRY_AT(i, stride), "is %u, must be %u", s->stride, stride);
    }
    if (s->column_count != columns) {
        return refuse_entry(g, ENTRY_AT(i, column_count), "is %u, must be %u", s->column_count,
                            columns);
    }
    if (s->bytes != bytes) {
        return refuse_entry(g, ENTRY_AT(i, bytes), "is %u, but %u rows need %llu", s->bytes,
                            s->count, (unsigned long long)bytes);
    }
    return true;
}

/* Each section begins where the one before it ends, rounded up; what lies between is zero. */
static bool place_check(Gate* g, u32 i, u64* end) {
    const BlobSection* s = &g->section[i];
    const u64          start = align_up(*end, BLOB_ALIGN);
    if (s->offset != start) {
        return refuse_entry(g, ENTRY_AT(i, offset), "is %u, must be %llu", s->offset,
                            (unsigned long long)start);
    }
    if (start > g->size || s->bytes > g->size - start) {
        return refuse_entry(g, ENTRY_AT(i, bytes), "%u bytes from %u leave the blob of %llu",
                            s->bytes, s->offset, (unsigned long long)g->size);
    }
    if (!zeros(g->bytes + *end, start - *end)) {
        return refuse(g, ENT_BAD_FIELD, *end, "padding", "bytes between sections must be 0");
    }
    *end = start + s->bytes;
    return true;
}

static bool table_check(Gate* g) {
    u64 end = sizeof(BlobHeader) + (u64)g->header.section_count * sizeof(BlobSection);
    for (u32 i = 0; i < g->header.section_count; i++) {
        if (!order_check(g, i) || !shape_check(g, i) || !place_check(g, i, &end)) return false;
    }
    if (align_up(end, BLOB_ALIGN) != g->size) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(blob_bytes), "sections end at %llu of %llu bytes",
                      (unsigned long long)end, (unsigned long long)g->size);
    }
    if (!zeros(g->bytes + end, g->size - end)) {
        return refuse(g, ENT_BAD_FIELD, end, "padding", "bytes at the end must be 0");
    }
    return true;
}

/* --- values --- */

static const BlobSection* find(const Gate* g, u32 kind) {
    for (u32 i = 0; i < g->header.section_count; i++) {
        if (g->section[i].kind == kind) return &g->section[i];
    }
    return NULL;
}

static const void* data(const Gate* g, u32 kind, u32* count) {
    const BlobSection* s = find(g, kind);
    *count = s ? s->count : 0;
    return s ? g->bytes + s->offset : NULL;
}

/* Where an id stands in the sorted reference table, or the table's length. */
static u32 reference_search(const Gate* g, u64 id) {
    u32 first = 0, last = g->reference_count;
    while (first < last) {
        const u32 middle = first + (last - first) / 2;
        if (resource_id(g->reference[middle].id) < id)
            first = middle + 1;
        else
            last = middle;
    }
    return first < g->reference_count && resource_id(g->reference[first].id) == id
               ? first
               : g->reference_count;
}

static const char* reference_fault(Gate* g, const Field* f, ResourceRef ref) {
    const u64 id = resource_id(ref);
    if (id == 0) return f->required ? "names no resource" : NULL;
    u16* slot = &g->reference_slot[(id ^ id >> 20) % REFERENCE_CACHE];
    u32  at = *slot;
    if (at >= g->reference_count || resource_id(g->reference[at].id) != id) {
        at = reference_search(g, id);
        if (at == g->reference_count) return "is not in the table of references";
        if (at <= UINT16_MAX) *slot = (u16)at;
    }
    return g->reference[at].type == f->refers_to ? NULL : "refers to a resource of another type";
}

/* References to resources and entities need the blob around them. */
static const char* link_fault(Gate* g, const Field* f, const u8* at) {
    ResourceRef ref;
    u32         entity;
    if (f->kind == FIELD_ResourceRef) {
        memcpy(&ref, at, sizeof ref);
        return reference_fault(g, f, ref);
    }
    memcpy(&entity, at, sizeof entity);
    return entity == NONE || entity < g->header.element_count ? NULL : "is no entity of this blob";
}

static bool field_check(Gate* g, const char* table, const Field* f, const u8* first, u32 count,
                        u32 stride) {
    const bool  link = f->kind == FIELD_ResourceRef || f->kind == FIELD_EntityRef;
    u32         bad = count;
    const char* why = NULL;
    if (link) {
        for (u32 i = 0; i < count && !why; i++) {
            why = link_fault(g, f, first + (u64)i * stride);
            if (why) bad = i;
        }
    } else {
        bad = field_first_fault(f, first, count, stride);
        if (bad < count) why = field_fault(f, first + (u64)bad * stride);
    }
    if (bad == count) return true;
    const u8* at = first + (u64)bad * stride;
    return refuse_value(g, offset_in(g, at), table, bad, f->name, why);
}

static bool records_check(Gate* g, const char* table, const RecordType* type, const u8* first,
                          u32 count) {
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        if (!field_check(g, table, f, first + f->offset, count, type->bytes)) return false;
    }
    return true;
}

static bool owners_check(Gate* g, const BlobSection* s, const ComponentType* type) {
    const u32*  owner = (const u32*)(g->bytes + s->offset);
    const char* name = type ? type->record.name : "component";
    const u32   least = type && type->several == SINGLE ? 1 : 0; /* unknown ones may be several */
    u32         bad = owner[0] >= g->header.element_count;
    for (u32 i = 1; i < s->count; i++) {
        bad |= (u32)(owner[i] < owner[i - 1]) | (u32)(owner[i] - owner[i - 1] < least) |
               (u32)(owner[i] >= g->header.element_count);
    }
    if (!bad) return true;
    for (u32 i = 0; i < s->count; i++) {
        if (owner[i] >= g->header.element_count) {
            return refuse_value(g, offset_in(g, owner + i), name, i, "entity_index",
                                "is no entity of this blob");
        }
        if (i && (owner[i] < owner[i - 1] || owner[i] - owner[i - 1] < least)) {
            return refuse_value(g, offset_in(g, owner + i), name, i, "entity_index",
                                least ? "must be greater than the one before"
                                      : "must not be less than the one before");
        }
    }
    return true;
}

static bool component_check(Gate* g, const BlobSection* s) {
    const ComponentType* type = type_find(g, s->identifier);
    const u8*            start = g->bytes + s->offset;
    if (!owners_check(g, s, type)) return false;
    if (!type) return true;
    u64 end = (u64)s->count * 4;
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const u64 column = component_column_start(type, s->count, c);
        if (!zeros(start + end, column - end)) {
            return refuse(g, ENT_BAD_FIELD, s->offset + end, "padding",
                          "bytes between columns must be 0");
        }
        end = column + (u64)s->count * ent_component_column_bytes(type, c);
        if (type->columns == BY_FIELD &&
            !field_check(g, type->record.name, &type->record.fields[c], start + column, s->count,
                         ent_component_column_bytes(type, c))) {
            return false;
        }
        if (type->columns == BY_RECORD &&
            !records_check(g, type->record.name, &type->record, start + column, s->count)) {
            return false;
        }
    }
    return true;
}

static bool values_check(Gate* g) {
    for (u32 i = 0; i < g->header.section_count; i++) {
        const BlobSection* s = &g->section[i];
        const RecordType*  record = section_record(s->kind);
        if (s->kind == SECTION_COMPONENT && !component_check(g, s)) return false;
        if (s->kind == SECTION_REFERENCE || !record) continue; /* the table proves itself */
        if (!records_check(g, record->name, record, g->bytes + s->offset, s->count)) return false;
    }
    return true;
}

/* --- text --- */

/* Where the name at `first` ends; with `why`, where it goes wrong. A segment of a path has no '/'.
 */
static u64 name_check(const u8* text, u64 first, u64 bytes, bool segment, const char** why) {
    u64 at = first;
    for (; at < bytes && text[at]; at++) {
        if (text[at] < 0x20 || text[at] == 0x7f || (segment && text[at] == '/')) {
            *why = "has a character that no name has";
            return at;
        }
        if (text[at] < 0x80) continue;
        const u32 length = utf8_length((const char*)text + at, (const char*)text + bytes);
        if (length == 0) {
            *why = "is not UTF-8";
            return at;
        }
        at += length - 1;
    }
    if (at == bytes) *why = "its name has no end";
    return at;
}

/* Is all of a text names of plain characters, so many of them, each with its end? */
static bool names_are_plain(const u8* text, u32 bytes, u32 count, bool segment) {
    const u8 apart = segment ? '/' : 0x7f;
    u32      ends = 0;
    u8       bad = 0;
    for (u32 i = 0; i < bytes; i++) {
        ends += text[i] == 0;
        bad |= (u8)((u8)(text[i] - 1) < 0x1f) | (u8)(text[i] >= 0x7f) | (u8)(text[i] == apart);
    }
    return !bad && ends == count && text[bytes - 1] == 0;
}

/* As many rows as the text has ends, each behind another end, and the first where the text begins:
 * then there are no gaps. */
static bool names_follow(const u8* row, const BlobSection* rows, u32 stride, const u8* text,
                         u32 bytes) {
    u32 next = 0; /* the least that a row may say */
    for (u32 i = 0; i < rows->count; i++, row += stride) {
        u32 offset;
        memcpy(&offset, row, 4);
        if (offset < next || offset >= bytes || (i ? text[offset - 1] : offset)) return false;
        next = offset + 1;
    }
    return true;
}

/* Names follow each other without gaps: row i begins where the name of row i - 1 ended. */
static bool names_check(Gate* g, u32 offset_kind, u32 text_kind, u32 first_word, u32 stride) {
    const BlobSection* rows = find(g, offset_kind);
    const BlobSection* text = find(g, text_kind);
    if (!rows && !text) return true;
    const char* table = section_name(offset_kind);
    if (!rows || !text) {
        return refuse(g, ENT_BAD_FIELD, 0, table, "names and their offsets only stand together");
    }
    const u8* at = g->bytes + text->offset;
    const u8* first = g->bytes + rows->offset + first_word;
    u64       next = 0;
    if (names_are_plain(at, text->bytes, rows->count, text_kind == SECTION_NAME) &&
        names_follow(first, rows, stride, at, text->bytes)) {
        return true;
    }
    for (u32 i = 0; i < rows->count; i++) {
        const u8* row = first + (u64)i * stride;
        u32       offset;
        memcpy(&offset, row, 4);
        if (offset != next || next >= text->bytes) {
            return refuse_value(g, offset_in(g, row), table, i, "",
                                "does not begin where the name before it ends");
        }
        const char* why = NULL;
        const u64   name_end = name_check(at, next, text->bytes, text_kind == SECTION_NAME, &why);
        if (why) return refuse_value(g, text->offset + name_end, table, i, "", why);
        next = name_end + 1;
    }
    if (next == text->bytes) return true;
    return refuse(g, ENT_BAD_FIELD, text->offset + next, table, "text behind the last name");
}

static bool references_check(Gate* g) {
    g->reference = data(g, SECTION_REFERENCE, &g->reference_count);
    for (u32 i = 0; i < g->reference_count; i++) {
        const ReferenceRecord* r = &g->reference[i];
        if (resource_id(r->id) == 0 || (i && resource_id(r->id) <= resource_id(r[-1].id))) {
            return refuse_value(g, offset_in(g, &r->id), "reference", i, "id",
                                "ids must rise, from 1 on");
        }
        if (!ent_resource_suffix(r->type)) {
            return refuse_value(g, offset_in(g, &r->type), "reference", i, "type",
                                "is no resource type");
        }
    }
    if (!names_check(g, SECTION_REFERENCE, SECTION_REFERENCE_NAME,
                     (u32)offsetof(ReferenceRecord, name), sizeof(ReferenceRecord))) {
        return false;
    }
    const BlobSection* text = find(g, SECTION_REFERENCE_NAME);
    for (u32 i = 0; i < g->reference_count; i++) {
        const ReferenceRecord* r = &g->reference[i];
        const Text             name = text_of((const char*)g->bytes + text->offset + r->name);
        if (hash_resource(name, ent_resource_suffix(r->type)) != resource_id(r->id)) {
            return refuse_value(g, offset_in(g, &r->id), "reference", i, "id",
                                "is not the hash of its name and type");
        }
    }
    return true;
}

/* --- what the rows of each resource type mean to each other --- */

static bool count_check(Gate* g, u32 kind, u32 count, bool required) {
    const BlobSection* s = find(g, kind);
    if (!s && (!required || count == 0)) return true;
    if (!s) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(section_count), "section %s is missing",
                      section_name(kind));
    }
    if (s->count == count) return true;
    return refuse_entry(g, ENTRY_AT((u32)(s - g->section), count), "is %u, must be %u", s->count,
                        count);
}

/* Rows of a tree stand behind their parents. */
static bool parents_check(Gate* g, u32 kind, u32 stride) {
    const BlobSection* s = find(g, kind);
    if (!s) return true;
    const u8* at = g->bytes + s->offset;
    u32       bad = 0;
    for (u32 i = 0; i < s->count; i++) {
        u32 parent;
        memcpy(&parent, at + (u64)i * stride, 4);
        bad |= (u32)(parent >= i) & (u32)(parent != NONE);
    }
    if (!bad) return true;
    for (u32 i = 0; i < s->count; i++) {
        u32 parent;
        memcpy(&parent, at + (u64)i * stride, 4);
        if (parent >= i && parent != NONE) {
            return refuse_value(g, offset_in(g, at + (u64)i * stride), section_name(kind), i,
                                "parent", "parents stand before their children");
        }
    }
    return true;
}

static bool tree_check(Gate* g) {
    return count_check(g, SECTION_PARENT, g->header.element_count, true) &&
           parents_check(g, SECTION_PARENT, sizeof(ParentRecord)) &&
           count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false);
}

static bool parts_check(Gate* g, u32 vertex_count) {
    u32                   part_count, index_count;
    const MeshPartRecord* part = data(g, SECTION_MESH_PART, &part_count);
    const u32*            index = data(g, SECTION_INDEX, &index_count);
    u64                   next = 0;
    for (u32 i = 0; i < part_count; i++) {
        const MeshPartRecord* p = &part[i];
        if (p->first_index != next || p->index_count > index_count - next || p->index_count == 0) {
            return refuse_value(g, offset_in(g, &p->first_index), "mesh_part", i, "first_index",
                                "parts must follow each other inside the indices");
        }
        static const u32 group[] = {3, 2, 1};
        if (p->index_count % group[p->topology]) {
            return refuse_value(g, offset_in(g, &p->index_count), "mesh_part", i, "index_count",
                                "is no multiple of what the topology needs");
        }
        if (p->first_vertex > vertex_count || p->vertex_count > vertex_count - p->first_vertex) {
            return refuse_value(g, offset_in(g, &p->first_vertex), "mesh_part", i, "first_vertex",
                                "leaves the vertices");
        }
        u32 bad = 0;
        for (u64 k = next; k < next + p->index_count; k++) {
            bad |= (u32)(index[k] - p->first_vertex >= p->vertex_count);
        }
        if (bad) {
            return refuse_value(g, offset_in(g, &p->first_index), "mesh_part", i, "vertex_count",
                                "an index leaves the part's vertices");
        }
        next += p->index_count;
    }
    if (next == index_count) return true;
    return refuse(g, ENT_BAD_FIELD, offset_in(g, index), "index", "indices belong to no part");
}

static bool weights_check(Gate* g) {
    u32        count;
    const u32* word = data(g, SECTION_VERTEX_WEIGHTS, &count);
    for (u32 i = 0; i < count; i++) {
        const u32 a = word[2 * i], b = word[2 * i + 1];
        if ((a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16) == 65535) continue;
        return refuse_value(g, offset_in(g, word + 2 * i), "vertex_weights", i, "",
                            "the four weights do not add up to 65535");
    }
    return true;
}

static bool mesh_check(Gate* g) {
    static const u32 streams[] = {SECTION_NORMAL, SECTION_TANGENT, SECTION_UV,
                                  SECTION_VERTEX_JOINTS, SECTION_VERTEX_WEIGHTS};
    const u32        vertices = g->header.element_count;
    if (!count_check(g, SECTION_POSITION, vertices, true)) return false;
    for (u32 i = 0; i < COUNT_OF(streams); i++) {
        if (!count_check(g, streams[i], vertices, false)) return false;
    }
    if (!find(g, SECTION_VERTEX_JOINTS) != !find(g, SECTION_VERTEX_WEIGHTS)) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(section_count),
                      "joints and weights of vertices only stand together");
    }
    return count_check(g, SECTION_MESH_BOUNDS, 1, true) && parts_check(g, vertices) &&
           weights_check(g);
}

static bool skeleton_check(Gate* g) {
    u32               bind_count;
    const BindRecord* bind = data(g, SECTION_BIND, &bind_count);
    if (!count_check(g, SECTION_JOINT, g->header.element_count, true)) return false;
    if (!parents_check(g, SECTION_JOINT, sizeof(JointRecord))) return false;
    if (!count_check(g, SECTION_NAME_OFFSET, g->header.element_count, false)) return false;
    for (u32 i = 0; i < bind_count; i++) {
        if (bind[i].joint >= g->header.element_count) {
            return refuse_value(g, offset_in(g, &bind[i].joint), "bind", i, "joint",
                                "is no joint of this skeleton");
        }
    }
    return true;
}

/* Where the next track's times and values begin: tracks share none, so that the work is linear. */
typedef struct TrackEnds {
    u64 time, value;
} TrackEnds;

static bool track_check(Gate* g, u32 i, const TrackRecord* t, const f32* time, u32 time_count,
                        u32 value_count, TrackEnds* ends) {
    const u64 words =
        (t->channel == CLIP_ROTATION ? 4u : 3u) * (t->interpolation == CLIP_CUBIC ? 3u : 1u);
    if (t->first_time != ends->time || t->key_count > time_count - ends->time) {
        return refuse_value(g, offset_in(g, &t->first_time), "track", i, "first_time",
                            "tracks must follow each other inside the times");
    }
    if (t->first_value != ends->value || t->key_count * words > value_count - ends->value) {
        return refuse_value(g, offset_in(g, &t->first_value), "track", i, "first_value",
                            "tracks must follow each other inside the values");
    }
    for (u32 k = 1; k < t->key_count; k++) {
        const f32* at = time + t->first_time + k;
        if (at[0] <= at[-1]) {
            return refuse_value(g, offset_in(g, at), "key_time", t->first_time + k, "",
                                "times in a track must rise");
        }
    }
    ends->time += t->key_count;
    ends->value += t->key_count * words;
    return true;
}

static bool clip_check(Gate* g) {
    u32                track_count, time_count, value_count;
    TrackEnds          ends = {0, 0};
    const TrackRecord* track = data(g, SECTION_TRACK, &track_count);
    const f32*         time = data(g, SECTION_KEY_TIME, &time_count);
    const f32*         value = data(g, SECTION_KEY_VALUE, &value_count);
    if (!count_check(g, SECTION_TRACK, g->header.element_count, true)) return false;
    if (!count_check(g, SECTION_CLIP_INFO, 1, true)) return false;
    for (u32 i = 0; i < track_count; i++) {
        if (!track_check(g, i, &track[i], time, time_count, value_count, &ends)) return false;
    }
    if (ends.time == time_count && ends.value == value_count) return true;
    return refuse(g, ENT_BAD_FIELD, offset_in(g, ends.time < time_count ? time : value),
                  ends.time < time_count ? "key_time" : "key_value", "keys belong to no track");
}

static bool declaration_check(Gate* g) {
    const u32        fields = g->header.element_count;
    u32              one;
    DeclarationFault fault;
    DeclarationParts p = {.declaration = data(g, SECTION_DECLARATION, &one)};
    p.field = data(g, SECTION_DECLARED_FIELD, &p.field_count);
    p.enum_text = data(g, SECTION_ENUM_TEXT, &p.enum_text_count);
    p.text = data(g, SECTION_DECLARATION_TEXT, &p.text_bytes);
    if (fields == 0 || fields > COMPONENT_COLUMNS_MAX) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(element_count), "%u fields; it may be 1 to %u",
                      fields, COMPONENT_COLUMNS_MAX);
    }
    if (!count_check(g, SECTION_DECLARATION, 1, true)) return false;
    if (!count_check(g, SECTION_DECLARED_FIELD, fields, true)) return false;
    if (p.enum_text_count > DECLARATION_TEXTS_MAX) {
        return count_check(g, SECTION_ENUM_TEXT, DECLARATION_TEXTS_MAX, true);
    }
    if (!p.text) return count_check(g, SECTION_DECLARATION_TEXT, 1, true);
    if (declaration_is_good(&p, &fault)) return true;
    return refuse_value(g, offset_in(g, fault.at), fault.table, fault.row, fault.field, fault.why);
}

static bool meaning_check(Gate* g) {
    switch (g->header.resource_type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL: return tree_check(g);
    case RESOURCE_MESH: return mesh_check(g);
    case RESOURCE_SKELETON: return skeleton_check(g);
    case RESOURCE_CLIP: return clip_check(g);
    case RESOURCE_COMPONENT: return declaration_check(g);
    case RESOURCE_PACKAGE: return count_check(g, SECTION_REFERENCE, g->header.element_count, true);
    default: break;
    }
    if (g->header.element_count != 1) {
        return refuse(g, ENT_BAD_FIELD, HEADER_AT(element_count), "is %u; a material has 1",
                      g->header.element_count);
    }
    return count_check(g, SECTION_MATERIAL, 1, true);
}

static bool hash_check(Gate* g) {
    const u64 hash = blob_hash(g->bytes, g->size);
    if (hash == resource_id(g->header.hash)) return true;
    return refuse(g, ENT_BAD_HASH, HEADER_AT(hash),
                  "says %016llx, the content has %016llx: the file was changed or damaged",
                  (unsigned long long)resource_id(g->header.hash), (unsigned long long)hash);
}

ent_status ent_blob_open(Blob* out, const void* bytes, size_t size, const BlobOptions* options,
                         BlobFault* fault) {
    BlobFault            ignored;
    const ComponentType* built_in[COMPONENT_COUNT];
    Gate                 g = {.bytes = bytes, .size = size, .fault = fault ? fault : &ignored};
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
    if (!header_check_rest(&g) || !table_check(&g) || !references_check(&g) || !values_check(&g) ||
        !names_check(&g, SECTION_NAME_OFFSET, SECTION_NAME, 0, sizeof(NameOffsetRecord)) ||
        !meaning_check(&g)) {
        return g.fault->status;
    }
    *out = (Blob){bytes, size, (const BlobHeader*)bytes, g.section, 0};
    for (u32 i = 0; i < g.header.section_count && i < 64; i++) {
        const bool component = g.section[i].kind == SECTION_COMPONENT;
        if (!component || type_find(&g, g.section[i].identifier)) out->proved |= 1ull << i;
    }
    return ENT_OK;
}

ent_status ent_blob_prove(const Blob* blob, const ComponentType* type, BlobFault* fault) {
    BlobFault          ignored;
    const BlobSection* s = ent_blob_component(blob, type->id);
    Gate               g = {.bytes = blob->bytes,
                            .size = blob->size,
                            .header = *blob->header,
                            .section = blob->section,
                            .fault = fault ? fault : &ignored,
                            .types = &type,
                            .type_count = 1};
    *g.fault = (BlobFault){.status = ENT_OK};
    if (!s) return ENT_OK;
    const u32 index = (u32)(s - blob->section);
    if (index < 64 && blob->proved >> index & 1) return ENT_OK;
    g.reference = data(&g, SECTION_REFERENCE, &g.reference_count);
    if (!shape_check(&g, index) || !component_check(&g, s)) return g.fault->status;
    return ENT_OK;
}
