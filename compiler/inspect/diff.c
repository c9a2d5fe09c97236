/* diff.c - finds the differences between two blobs, or two folders of blobs, by entity path,
 * component and field. Entities are matched by path; those without a name (a stripped blob) by
 * index. */
#include "diff_internal.h"

#include <stdlib.h>

#include "chains.h"
#include "exit_codes.h"
#include "failure.h"
#include "hash.h"
#include "search.h"
#include "unknown_rows.h"

#define RECORDS_PRINTED_MAX 20 /* of a section of a mesh, clip, ..; the rest is counted */

/* The texts of two numbers, when they are not the same number. */
#define PRINT_NUMBERS(d, table, format, a, b)                                                      \
    do {                                                                                           \
        char text_a_[32], text_b_[32];                                                             \
        snprintf(text_a_, sizeof text_a_, format, a);                                              \
        snprintf(text_b_, sizeof text_b_, format, b);                                              \
        if (strcmp(text_a_, text_b_) != 0) change_print_texts(d, table, NONE, text_a_, text_b_);   \
    } while (0)

/* --- the same entity --- */

static const char* match_name(const Diff* d, const Side* side, u32 entity) {
    return d->by_index ? "" : element_name(&side->tables, entity);
}

/* A path is the path of the parent and a name, and parents come first: so the key of an entity of a
 * is the entity of b that matches its parent, and its name. */
static u64 match_key(const Diff* d, const Side* side, u32 entity, u32 parent) {
    const char* name = match_name(d, side, entity);
    if (!*name) return hash_bytes(&entity, sizeof entity, 0);
    return hash_bytes(name, strlen(name), (u64)parent + 1);
}

static bool is_match(const Diff* d, u32 a, u32 b, u32 parent) {
    const char* name = match_name(d, &d->a, a);
    if (d->b.tables.parent[b] != parent || strcmp(name, match_name(d, &d->b, b)) != 0) return false;
    return *name || a == b;
}

/* Buckets of the entities of b, linked in the order of their indices; a matched entity is removed
 * from its chain, so that siblings with the same name are not slower. */
static void entities_match(Diff* d) {
    const BlobTables *a = &d->a.tables, *b = &d->b.tables;
    const u32         buckets = chains_needed(b->count);
    const Chains      chains = {memory_alloc(sizeof(u32) * buckets),
                                memory_alloc(sizeof(u32) * b->count), buckets};
    chains_clear(&chains);
    for (u32 i = b->count; i-- > 0;) {
        chains_enter(&chains, match_key(d, &d->b, i, b->parent[i]), i);
    }
    d->match = memory_alloc(sizeof(u32) * a->count);
    d->taken = memory_alloc(b->count);
    for (u32 i = 0; i < a->count; i++) {
        const u32 parent = a->parent[i] == NONE ? NONE : d->match[a->parent[i]];
        d->match[i] = NONE;
        if (a->parent[i] != NONE && parent == NONE) continue; /* its parent was removed */
        u32* link = chains_first(&chains, match_key(d, &d->a, i, parent));
        while (*link != NONE && !is_match(d, i, *link, parent)) link = chains_next(&chains, link);
        if (*link == NONE) continue;
        d->match[i] = *link;
        d->taken[*link] = 1;
        chains_remove(&chains, link);
    }
    memory_free(chains.head);
    memory_free(chains.next);
}

/* --- components --- */

typedef struct Pair {
    const ComponentType* type;
    const Instances *    a, *b;          /* NULL: the blob has none */
    u32                  hint_a, hint_b; /* where the instances of the last entity ended */
    u8                   field_b[64];    /* by field of a: the same field of b, or FIELD_REMOVED */
} Pair;

#define FIELD_REMOVED 0xff

static const Instances* instances_find(const BlobTables* tables, u32 identifier) {
    for (u32 i = 0; i < tables->component_count; i++) {
        if (tables->component[i].type->id == identifier) return &tables->component[i];
    }
    return NULL;
}

/* Is the type known on each side that has instances of it? */
static bool both_have(const Diff* d, u32 identifier) {
    const BlobFile *a = &d->a.file, *b = &d->b.file;
    return (known_type_find(&a->known, identifier) || !ent_blob_component(&a->blob, identifier)) &&
           (known_type_find(&b->known, identifier) || !ent_blob_component(&b->blob, identifier));
}

/* Its declaration in b differs: fields are matched by name and kind. */
static void fields_match(Diff* d, Pair* p) {
    const RecordType *a = &p->type->record, *b = p->b ? &p->b->type->record : a;
    const bool        same = !p->a || !p->b || p->a->type->layout == p->b->type->layout;
    char              name[128];
    for (u32 i = 0; i < a->field_count && i < COUNT_OF(p->field_b); i++) {
        p->field_b[i] = same ? (u8)i : FIELD_REMOVED;
        for (u32 k = 0; !same && k < b->field_count; k++) {
            if (strcmp(a->fields[i].name, b->fields[k].name) == 0 &&
                a->fields[i].kind == b->fields[k].kind) {
                p->field_b[i] = (u8)k;
            }
        }
    }
    if (same) return;
    snprintf(name, sizeof name, "%s layout", a->name);
    PRINT_NUMBERS(d, name, "0x%08x", p->a->type->layout, p->b->type->layout);
}

/* First row of the entity, or of the next that has one. The hint is correct as long as entities
 * come in order. */
static u32 first_row(const Instances* c, u32 entity, u32 hint) {
    const u32  count = c->section->count;
    const bool above = hint == 0 || c->owner[hint - 1] < entity;
    if (above && (hint == count || c->owner[hint] >= entity)) return hint;
    return search_words(c->owner, count, entity);
}

static u32 rows_of(const Instances* c, u32 entity, u32* hint, u32* first) {
    if (!c) return 0;
    u32 end = *first = first_row(c, entity, *hint);
    while (end < c->section->count && c->owner[end] == entity) end++;
    *hint = end;
    return end - *first;
}

/* Every flag that one of them sets is set in the other one. */
static bool flags_are_same(const Field* f, const Field* in_b, u32 a, u32 b) {
    bool same = true;
    u32  found = 0;
    for (u32 i = 0; i < f->text_count; i++) {
        u32 k = 0;
        while (k < in_b->text_count && strcmp(f->texts[i], in_b->texts[k]) != 0) k++;
        same &= (a >> i & 1) == (k < in_b->text_count && (b >> k & 1));
        if (k < in_b->text_count) found |= 1u << k;
    }
    return same && (b & ~found) == 0;
}

/* References to entities are compared by the match, not by the index; texts and enums by their
 * content. */
static bool element_is_same(const Diff* d, const Field* f, const Field* in_b, const u8* a,
                            const u8* b) {
    u32        x, y;
    const bool text = field_is_text(f), other_enum = f != in_b && field_has_texts(f);
    const bool string = field_form(f) == FORM_TEXT;
    if (field_form(f) != FORM_ENTITY && !text && !other_enum && !string) {
        return memcmp(a, b, field_element_bytes(f)) == 0;
    }
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    if (string)
        return strcmp(ent_blob_text(&d->a.file.blob, x), ent_blob_text(&d->b.file.blob, y)) == 0;
    if (text)
        return strcmp(tables_texts(&d->a.tables, f) + x, tables_texts(&d->b.tables, f) + y) == 0;
    if (other_enum && field_form(f) == FORM_FLAGS) return flags_are_same(f, in_b, x, y);
    if (other_enum) return strcmp(f->texts[x], in_b->texts[y]) == 0;
    return x == NONE || y == NONE || !d->match ? x == y : d->match[x] == y;
}

static bool is_same(const Diff* d, const Field* f, const Field* in_b, const u8* a, const u8* b) {
    bool same = true;
    for (u32 e = 0; e < f->bytes && same; e += field_element_bytes(f)) {
        same = element_is_same(d, f, in_b, a + e, b + e);
    }
    return same;
}

static void instance_compare(Diff* d, const Pair* p, u32 entity, u32 row, u32 row_a, u32 row_b) {
    const RecordType* record = &p->type->record;
    for (u32 f = 0; f < record->field_count; f++) {
        if (p->field_b[f] == FIELD_REMOVED) continue;
        const Field* in_b = &p->b->type->record.fields[p->field_b[f]];
        const u8*    a = instance_field(p->a, row_a, f);
        const u8*    b = instance_field(p->b, row_b, p->field_b[f]);
        if (is_same(d, &record->fields[f], in_b, a, b)) continue;
        change_print(d, (Change){.sign = '~',
                                 .side = &d->a,
                                 .entity = entity,
                                 .table = record->name,
                                 .row = row,
                                 .field = &record->fields[f],
                                 .field_b = in_b,
                                 .a = a,
                                 .b = b,
                                 .row_a = {p->type->id, row_a, f},
                                 .row_b = {p->type->id, row_b, p->field_b[f]}});
    }
}

static void pair_compare(Diff* d, Pair* p, u32 entity_a, u32 entity_b) {
    u32       first_a = 0, first_b = 0;
    const u32 count_a = rows_of(p->a, entity_a, &p->hint_a, &first_a);
    const u32 count_b = rows_of(p->b, entity_b, &p->hint_b, &first_b);
    for (u32 i = 0; i < MAX_OF(count_a, count_b); i++) {
        const u32 row = p->type->several == SEVERAL ? i : NONE;
        if (i < count_a && i < count_b) {
            instance_compare(d, p, entity_a, row, first_a + i, first_b + i);
        } else {
            change_print(d, (Change){.sign = i < count_a ? '-' : '+',
                                     .side = i < count_a ? &d->a : &d->b,
                                     .entity = i < count_a ? entity_a : entity_b,
                                     .table = p->type->record.name,
                                     .row = row,
                                     .row_a = {p->type->id, first_a + i, NONE},
                                     .row_b = {p->type->id, first_b + i, NONE}});
        }
    }
}

static void group_print(Diff* d, u32 entity) {
    GroupText a, b;
    if (group_came_along(d, entity)) return;
    change_print(d, (Change){.sign = '~',
                             .side = &d->a,
                             .entity = entity,
                             .table = "group",
                             .row = NONE,
                             .text_a = group_text(&d->a, entity, a),
                             .text_b = group_text(&d->b, d->match[entity], b)});
}

static void entities_print(Diff* d, Pair* pairs, u32 pair_count) {
    u32  last = 0;
    bool ordered = true;
    for (u32 i = 0; i < d->a.tables.count; i++) {
        const u32 b = d->match[i];
        const u64 before = d->shown;
        if (b == NONE) {
            change_print(d, (Change){.sign = '-', .side = &d->a, .entity = i});
            continue;
        }
        const bool moved = group_moved(d, i);
        if (ordered && !moved && b < last) {
            ordered = false;
            change_print(d, (Change){.sign = '~',
                                     .side = &d->a,
                                     .entity = i,
                                     .note = "order of entities differs from here on"});
        }
        last = moved ? last : b;
        const u64 ordering = d->shown;
        if (moved) group_print(d, i);
        for (u32 p = 0; p < pair_count; p++) pair_compare(d, &pairs[p], i, b);
        /* Changed fields are counted by component, the entities that have some here. */
        if (d->form == DIFF_STAT && d->shown > ordering && ordering == before) {
            count_of(d, "entities")->changed++;
        }
    }
    for (u32 i = 0; i < d->b.tables.count; i++) {
        if (!d->taken[i]) change_print(d, (Change){.sign = '+', .side = &d->b, .entity = i});
    }
}

/* The types of which a side has instances; those that `from` contains, in its order. */
static u32 pairs_add(Diff* d, const BlobOptions* from, Pair* pairs, u32 count) {
    for (u32 i = 0; i < known_type_count(from); i++) {
        const ComponentType* type = known_type(from, i);
        Pair                 pair = {.type = type,
                                     .a = instances_find(&d->a.tables, type->id),
                                     .b = instances_find(&d->b.tables, type->id)};
        bool                 is_listed = !(pair.a || pair.b) || !both_have(d, type->id);
        for (u32 k = 0; k < count; k++) is_listed |= pairs[k].type->id == type->id;
        if (is_listed) continue;
        fields_match(d, &pair);
        pairs[count++] = pair;
    }
    return count;
}

static void entities_compare(Diff* d) {
    const BlobTables *a = &d->a.tables, *b = &d->b.tables;
    Pair* pairs = memory_alloc(sizeof(Pair) * (a->component_count + b->component_count));
    u32   pair_count;
    d->by_index = !a->name_offset != !b->name_offset;
    if (d->by_index) {
        change_print_texts(d, "names", NONE, a->name_offset ? "present" : "stripped",
                           b->name_offset ? "present" : "stripped");
    }
    pair_count = pairs_add(d, &d->a.file.known, pairs, 0);
    pair_count = pairs_add(d, &d->b.file.known, pairs, pair_count);
    entities_match(d);
    entities_print(d, pairs, pair_count);
    memory_free(pairs);
}

/* --- sections --- */

static bool sections_equal(const Diff* d, const BlobSection* a, const BlobSection* b) {
    return a->layout == b->layout && a->count == b->count && a->stride == b->stride &&
           a->column_count == b->column_count && a->bytes == b->bytes &&
           memcmp(ent_blob_data(&d->a.file.blob, a), ent_blob_data(&d->b.file.blob, b), a->bytes) ==
               0;
}

/* Entity by entity, for those in both; returns false when the words cannot be assigned to
 * entities. */
static bool unknown_print_rows(Diff* d, const char* name, const BlobSection* a,
                               const BlobSection* b) {
    UnknownRows in_a, in_b;
    const u64   before = d->shown;
    if (!d->match || a->layout != b->layout || a->stride != b->stride) return false;
    if (!unknown_rows_open(&in_a, &d->a.file.blob, a)) return false;
    if (!unknown_rows_open(&in_b, &d->b.file.blob, b)) return false;
    for (u32 e = 0; e < d->a.tables.count; e++) {
        const u32 first = unknown_rows_first(&in_a, e);
        const u32 count = unknown_rows_first(&in_a, e + 1) - first;
        if (d->match[e] == NONE) continue;
        if (unknown_rows_equal(&in_a, first, count, &in_b, d->match[e])) continue;
        change_print(d, (Change){.sign = '~',
                                 .side = &d->a,
                                 .entity = e,
                                 .table = name,
                                 .row = NONE,
                                 .note = "of an unknown type, differs"});
    }
    return d->shown > before;
}

/* Components of unknown types can only be equal or different. */
static void unknown_compare(Diff* d, const Blob* from, const Blob* to, char sign) {
    for (u32 i = 0; i < from->header->section_count; i++) {
        const BlobSection* s = &from->section[i];
        char               name[40];
        if (s->kind != SECTION_COMPONENT || both_have(d, s->identifier)) continue;
        const BlobSection* other = ent_blob_component(to, s->identifier);
        snprintf(name, sizeof name, "component 0x%08x", s->identifier);
        if (!other)
            change_print_note(d, sign, name, "of an unknown type");
        else if (sign == '-' && !sections_equal(d, s, other) &&
                 !unknown_print_rows(d, name, s, other))
            change_print_note(d, '~', name, "of an unknown type, differs");
    }
}

/* True when the record differs; its fields are reported when `aloud`. */
static bool record_compare(Diff* d, const RecordType* record, u32 row, const u8* a, const u8* b,
                           bool aloud) {
    bool differs = false;
    if (memcmp(a, b, record->bytes) == 0 && !d->a.tables.texts) return false;
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        if (is_same(d, f, f, a + f->offset, b + f->offset)) continue;
        differs = true;
        if (!aloud) break;
        change_print(d, (Change){.sign = '~',
                                 .table = record->name,
                                 .row = row,
                                 .field = f,
                                 .a = a + f->offset,
                                 .b = b + f->offset});
    }
    return differs;
}

static void more_print(Diff* d, const char* table, u64 differing) {
    char note[64];
    if (d->form == DIFF_STAT || differing <= RECORDS_PRINTED_MAX) return;
    snprintf(note, sizeof note, "%llu more differ",
             (unsigned long long)(differing - RECORDS_PRINTED_MAX));
    change_print_note(d, '~', table, note);
}

static void records_compare(Diff* d, const BlobSection* a, const BlobSection* b) {
    const RecordType* record = section_record(a->kind);
    const u8*         at_a = ent_blob_data(&d->a.file.blob, a);
    const u8*         at_b = ent_blob_data(&d->b.file.blob, b);
    u64               differing = 0;
    for (u32 row = 0; row < MIN_OF(a->count, b->count); row++) {
        const size_t at = (size_t)row * record->bytes;
        const bool   aloud = d->form == DIFF_STAT || differing < RECORDS_PRINTED_MAX;
        differing += record_compare(d, record, row, at_a + at, at_b + at, aloud);
    }
    more_print(d, record->name, differing);
}

static void section_compare(Diff* d, u32 kind) {
    const BlobSection* a = ent_blob_section(&d->a.file.blob, kind);
    const BlobSection* b = ent_blob_section(&d->b.file.blob, kind);
    char               note[32];
    if (a && b) {
        snprintf(note, sizeof note, "%s count", section_name(kind));
        PRINT_NUMBERS(d, note, "%u", a->count, b->count);
        records_compare(d, a, b);
    } else if (a || b) {
        snprintf(note, sizeof note, "%u records", (a ? a : b)->count);
        change_print_note(d, a ? '-' : '+', section_name(kind), note);
    }
}

static void bytes_compare(Diff* d, u32 kind) {
    const BlobSection* a = ent_blob_section(&d->a.file.blob, kind);
    const BlobSection* b = ent_blob_section(&d->b.file.blob, kind);
    char               note[80];
    u32                differing = 0, first = 0;
    if (!a && !b) return;
    if (!a || !b) {
        snprintf(note, sizeof note, "%u bytes", (a ? a : b)->bytes);
        change_print_note(d, a ? '-' : '+', section_name(kind), note);
        return;
    }
    const u8 *at_a = ent_blob_data(&d->a.file.blob, a), *at_b = ent_blob_data(&d->b.file.blob, b);
    snprintf(note, sizeof note, "%s bytes", section_name(kind));
    PRINT_NUMBERS(d, note, "%u", a->bytes, b->bytes);
    for (u32 i = MIN_OF(a->bytes, b->bytes); i-- > 0;) {
        if (at_a[i] != at_b[i]) differing++, first = i;
    }
    if (differing == 0) return;
    snprintf(note, sizeof note, "%u bytes differ, the first at offset %u", differing, first);
    change_print_note(d, '~', section_name(kind), note);
}

static void names_compare(Diff* d) {
    const BlobTables *a = &d->a.tables, *b = &d->b.tables;
    u64               differing = 0;
    if (!a->name_offset != !b->name_offset) {
        change_print_texts(d, "names", NONE, a->name_offset ? "present" : "stripped",
                           b->name_offset ? "present" : "stripped");
        return;
    }
    for (u32 i = 0; a->name_offset && i < MIN_OF(a->count, b->count); i++) {
        if (strcmp(element_name(a, i), element_name(b, i)) == 0) continue;
        if (++differing > RECORDS_PRINTED_MAX && d->form != DIFF_STAT) continue;
        change_print_texts(d, "name", i, element_name(a, i), element_name(b, i));
    }
    more_print(d, "name", differing);
}

static void sections_compare(Diff* d) {
    for (u32 kind = SECTION_NONE + 1; kind < SECTION_KIND_COUNT; kind++) {
        const bool elsewhere = kind == SECTION_NAME_OFFSET || kind == SECTION_REFERENCE;
        if (section_record(kind) && !elsewhere) section_compare(d, kind);
        if (section_content(kind) == CONTENT_BYTES) bytes_compare(d, kind);
    }
    names_compare(d);
}

/* --- references --- */

static const char* reference_text(Arena* arena, const BlobTables* t, const ReferenceRecord* r) {
    return arena_print(arena, "%s.%s", t->reference_names + r->name, ent_resource_suffix(r->type));
}

/* Both tables are sorted by id. */
static void references_compare(Diff* d) {
    const BlobTables *a = &d->a.tables, *b = &d->b.tables;
    Arena             arena = {0};
    for (u32 i = 0, k = 0; i < a->reference_count || k < b->reference_count;) {
        const ReferenceRecord* x = i < a->reference_count ? &a->reference[i] : NULL;
        const ReferenceRecord* y = k < b->reference_count ? &b->reference[k] : NULL;
        const u64              id_x = x ? resource_id(x->id) : UINT64_MAX;
        const u64              id_y = y ? resource_id(y->id) : UINT64_MAX;
        const bool             in_a = x && id_x <= id_y, in_b = y && id_y <= id_x;
        const char*            text_a = in_a ? reference_text(&arena, a, x) : NULL;
        const char*            text_b = in_b ? reference_text(&arena, b, y) : NULL;
        if (!in_b)
            change_print_name(d, '-', "reference", text_a);
        else if (!in_a)
            change_print_name(d, '+', "reference", text_b);
        else if (strcmp(text_a, text_b) != 0)
            change_print_texts(d, "reference", NONE, text_a, text_b);
        i += in_a, k += in_b;
    }
    arena_drop(&arena);
}

/* --- blobs --- */

static bool is_level(const BlobHeader* h) {
    return h->resource_type == RESOURCE_ENTITY || h->resource_type == RESOURCE_LEVEL;
}

/* The first different byte outside of the hash, which always differs. */
static void rest_print(Diff* d) {
    const BlobFile *a = &d->a.file, *b = &d->b.file;
    const size_t    hash = offsetof(BlobHeader, hash), min = MIN_OF(a->size, b->size);
    char            note[96];
    size_t          at = 0;
    while (at < min && (a->bytes[at] == b->bytes[at] || (at >= hash && at < hash + 8))) at++;
    snprintf(note, sizeof note, "first at offset %zu of %zu and %zu", at, a->size, b->size);
    change_print_note(d, 0, "bytes differ", note);
}

static void blobs_compare(Diff* d) {
    const BlobFile *  a = &d->a.file, *b = &d->b.file;
    const BlobHeader *x = a->blob.header, *y = b->blob.header;
    if (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0) return;
    if (d->form != DIFF_STAT) {
        (void)sources_open(&d->a.map, a);
        (void)sources_open(&d->b.map, b);
    }
    if (a->other_order != b->other_order) {
        change_print_texts(d, "byte order", NONE, byte_order_text(a->other_order),
                           byte_order_text(b->other_order));
    }
    if (x->resource_type != y->resource_type) {
        change_print_texts(d, "type", NONE, ent_resource_suffix(x->resource_type),
                           ent_resource_suffix(y->resource_type));
    }
    PRINT_NUMBERS(d, "resource", "0x%016llx", (unsigned long long)resource_id(x->resource),
                  (unsigned long long)resource_id(y->resource));
    /* An entity and a level have the same structure; other types have nothing in common. */
    if (x->resource_type != y->resource_type && !(is_level(x) && is_level(y))) return;
    if (is_level(x))
        entities_compare(d);
    else
        sections_compare(d);
    unknown_compare(d, &a->blob, &b->blob, '-');
    unknown_compare(d, &b->blob, &a->blob, '+');
    references_compare(d);
    if (d->shown == 0 && !(is_level(x) && declarations_alone_differ(&a->blob, &b->blob)))
        rest_print(d);
}

static void side_close(Side* side) {
    tables_close(&side->tables);
    source_map_close(&side->map);
    blob_file_close(&side->file);
}

/* Both are opened in any case, so that the errors of both are reported. */
static int paths_compare(Diff* d, const char* path_a, const char* path_b) {
    const int  code_a = blob_file_open(&d->a.file, path_a, d->options);
    const int  code_b = blob_file_open(&d->b.file, path_b, d->options);
    const bool succeeded = code_a == EXIT_OK && code_b == EXIT_OK;
    if (succeeded) {
        file_types_report(&d->a.file);
        file_types_report(&d->b.file);
        d->a.tables = tables_open(&d->a.file.blob, &d->a.file.known);
        d->b.tables = tables_open(&d->b.file.blob, &d->b.file.known);
        blobs_compare(d);
    }
    const ent_status map_a = d->a.map.unread, map_b = d->b.map.unread;
    side_close(&d->a);
    side_close(&d->b);
    memory_free(d->match);
    memory_free(d->taken);
    d->match = NULL, d->taken = NULL;
    d->shown_before += d->shown;
    d->shown = 0;
    if (!succeeded) return uncompared(MAX_OF(code_a, code_b));
    return exit_code_of(map_a != ENT_OK ? map_a : map_b);
}

/* --- folders --- */

/* One side is /dev/null: the blob was added or removed, as git difftool shows it. */
static int lone_compare(Diff* d, const char* path, bool in_a) {
    BlobFile  file;
    const int opened = blob_file_open(&file, path, d->options);
    if (opened != EXIT_OK) return uncompared(opened);
    lone_report(d, path, in_a);
    blob_file_close(&file);
    return EXIT_OK;
}

static bool is_nothing(const char* path) { return strcmp(path, "/dev/null") == 0; }

static int common_compare(Diff* d, Arena* arena, const char* a, const char* b, const char* path) {
    const u64 before = d->shown_before;
    d->file = path;
    const int code = paths_compare(d, arena_print(arena, "%s/%s", a, path),
                                   arena_print(arena, "%s/%s", b, path));
    if (d->form == DIFF_STAT && d->shown_before > before) count_of(d, "blobs")->changed++;
    return code;
}

static int folders_compare(Diff* d, const char* a, const char* b) {
    PathList  in_a, in_b;
    const int code_a = paths_collect(&in_a, a);
    const int code_b = paths_collect(&in_b, b);
    int       worst = MAX_OF(code_a, code_b);
    for (u32 i = 0, k = 0; i < in_a.paths.count || k < in_b.paths.count;) {
        const char* x = i < in_a.paths.count ? in_a.paths.at[i] : NULL;
        const char* y = k < in_b.paths.count ? in_b.paths.at[k] : NULL;
        const int   order = !x ? 1 : !y ? -1 : strcmp(x, y);
        if (order == 0) {
            const int code = common_compare(d, &in_a.arena, a, b, x);
            worst = MAX_OF(worst, code);
        } else {
            lone_report(d, order < 0 ? x : y, order < 0);
        }
        i += order <= 0, k += order >= 0;
    }
    paths_drop(&in_a);
    paths_drop(&in_b);
    return worst == EXIT_OK ? EXIT_OK : uncompared(worst);
}

/* --- command --- */

int inspect_diff(const char* a, const char* b, DiffForm form, const BlobOptions* options) {
    Writer   w;
    FileKind kind_a, kind_b;
    int      code = EXIT_IO;
    if (file_look(a, true, &kind_a) != ENT_OK) return io_failure("cannot access", a);
    if (file_look(b, true, &kind_b) != ENT_OK) return io_failure("cannot access", b);
    const bool folder_a = kind_a == FILE_FOLDER, folder_b = kind_b == FILE_FOLDER;
    Diff*      d = memory_alloc(sizeof *d);
    writer_begin(&w, stdout, form == DIFF_JSON ? TEXT_JSON : TEXT_PLAIN);
    d->out = &w, d->form = form, d->options = options;
    if (form == DIFF_JSON) put(&w, "[");
    if (form == DIFF_STAT) (void)count_of(d, "blobs"), (void)count_of(d, "entities"); /* on top */
    if (folder_a && folder_b)
        code = folders_compare(d, a, b);
    else if (folder_a || folder_b)
        fprintf(stderr, "%s: error: it is a folder, but %s is not\n", folder_a ? a : b,
                folder_a ? b : a);
    else if (is_nothing(a) != is_nothing(b))
        code = lone_compare(d, is_nothing(a) ? b : a, is_nothing(b));
    else
        code = paths_compare(d, a, b);
    if (form == DIFF_JSON) put(&w, d->shown_before ? "\n]\n" : "]\n");
    if (form == DIFF_STAT) counts_print(d);
    if (writer_end(&w) != EXIT_OK) code = EXIT_IO;
    if (code == EXIT_OK && d->shown_before > 0)
        code = EXIT_USAGE; /* which means that they differ */
    array_drop(&d->counts);
    memory_free(d);
    return code;
}
