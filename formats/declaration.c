/* declaration.c - declarations of component types: the rules for their blob, and the field table
 * that is created from it. */
#include "declaration.h"

#include "hash.h"
#include "sections.h"
#include "slots.h"
#include "utf8.h"

bool name_is_enum_text(Text name) {
    bool is_valid = name.bytes > 0 && name.bytes <= DECLARATION_NAME_MAX && name.at[0] != '_' &&
                    name.at[name.bytes - 1] != '_';
    for (u32 i = 0; i < name.bytes && is_valid; i++) {
        const char c = name.at[i];
        is_valid =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '_' && name.at[i - 1] != '_');
    }
    return is_valid;
}

bool name_is_identifier(Text name) {
    return name_is_enum_text(name) && name.at[0] >= 'a' && name.at[0] <= 'z';
}

bool text_is_one_line(Text text) {
    for (u32 i = 0; i < text.bytes;) {
        const u8  c = (u8)text.at[i];
        const u32 length = utf8_length(text.at + i, text.at + text.bytes);
        if (length == 0 || c < 0x20 || c == 0x7f) return false;
        i += length;
    }
    return text.bytes <= DECLARATION_CONTENT_MAX;
}

/* --- the field table --- */

/* Bounds and default, as in the built-in tables. */
static void field_numbers(Field* f, const DeclaredFieldRecord* d) {
    const f32 value[] = {d->value.x, d->value.y, d->value.z, d->value.w};
    if (field_is_float(f)) {
        for (u32 w = 0; w < 4; w++) f->value[w] = value[w];
        f->lo = d->lowest, f->hi = d->highest;
        return;
    }
    f->value[0] = field_number(f, &d->word);
    f->lo = field_number(f, &d->least), f->hi = field_number(f, &d->most);
    field_fix(f);
}

/*   field  [field_count], texts [enum_text_count]: filled; they point into `text`, which begins with
 *          the text at p->text_first */
static RecordType table_fill(const DeclarationParts* p, const char* text, Field* field,
                             const char** texts) {
    u32       offset = 0;
    const u32 first = p->text_first;
    for (u32 i = 0; i < p->enum_text_count; i++) texts[i] = text + (p->enum_text[i].text - first);
    for (u32 i = 0; i < p->field_count; i++) {
        const DeclaredFieldRecord* d = &p->field[i];
        Field*                     f = &field[i];
        *f = (Field){.name = text + (d->name - first),
                     .kind = (FieldKind)d->kind,
                     .offset = offset,
                     .bytes = field_kinds[d->kind].words * 4 * MAX_OF(d->array, 1u),
                     .required = d->required != 0,
                     .unit = text + (d->unit - first),
                     .texts = d->text_count ? texts + (d->first_text - p->first_text) : NULL,
                     .text_count = d->text_count,
                     .refers_to = d->refers_to,
                     .text = text + (d->text - first)};
        field_numbers(f, d);
        offset += f->bytes;
    }
    return (RecordType){text + (p->declaration->name - first), field, p->field_count, offset};
}

static const void* part(const Blob* blob, u32 kind, u32* count) {
    const BlobSection* s = ent_blob_section(blob, kind);
    *count = s ? s->count : 0;
    return s ? ent_blob_data(blob, s) : NULL;
}

DeclarationParts declaration_parts(const Blob* blob) {
    DeclarationParts p = {0};
    u32              one;
    p.declaration = part(blob, SECTION_DECLARATION, &one);
    p.field = part(blob, SECTION_DECLARED_FIELD, &p.field_count);
    p.enum_text = part(blob, SECTION_ENUM_TEXT, &p.enum_text_count);
    p.text = part(blob, SECTION_DECLARATION_TEXT, &p.text_bytes);
    p.former = part(blob, SECTION_FORMER_NAME, &p.former_count);
    p.declaration_count = one;
    return p;
}

bool declaration_next(const DeclarationParts* all, DeclarationParts* part) {
    const DeclarationParts before = *part;
    const u32 index = before.declaration ? (u32)(before.declaration - all->declaration) + 1 : 0;
    if (index >= all->declaration_count) return false;
    *part = *all;
    part->declaration_count = 1;
    part->declaration = all->declaration + index;
    if (index) part->field = before.field + before.field_count;
    part->field_count = part->declaration->field_count;
    part->first_text = before.first_text + before.enum_text_count;
    part->enum_text = all->enum_text ? all->enum_text + part->first_text : NULL;
    part->enum_text_count = 0;
    for (u32 f = 0; f < part->field_count; f++) part->enum_text_count += part->field[f].text_count;
    const u32 end =
        index + 1 < all->declaration_count ? part->declaration[1].name : all->text_bytes;
    part->text_first = part->declaration->name;
    part->text_bytes = end - part->text_first;
    return true;
}

bool declaration_of_section(const Blob* blob, const BlobSection* section, DeclarationParts* found) {
    const DeclarationParts all = declaration_parts(blob);
    DeclarationParts       part = {0};
    while (declaration_next(&all, &part)) {
        if (part.declaration->id != section->identifier ||
            part.declaration->layout != section->layout)
            continue;
        *found = part;
        return true;
    }
    return false;
}

static ComponentColumns columns_of(const DeclarationRecord* d) {
    return d->layout & LAYOUT_BY_FIELD ? BY_FIELD : BY_RECORD;
}

size_t declared_type_bytes(const DeclarationParts* p) {
    return sizeof(Field) * p->field_count + sizeof(FormerName) * p->former_count +
           sizeof(char*) * p->enum_text_count + p->text_bytes;
}

ComponentType declared_type_open(const DeclarationParts* p, void* memory) {
    Field*       field = memory;
    FormerName*  former = (FormerName*)(void*)(field + p->field_count);
    const char** texts = (const char**)(void*)(former + p->former_count);
    char*        text = (char*)(texts + p->enum_text_count);
    memcpy(text, p->text + p->text_first, p->text_bytes);
    for (u32 i = 0; i < p->former_count; i++) {
        const FormerNameRecord* r = &p->former[i];
        former[i] = (FormerName){text + (r->name - p->text_first), r->field, r->text};
    }
    ComponentType type = {.record = table_fill(p, text, field, texts),
                          .order = p->declaration->order,
                          .several = p->declaration->several ? SEVERAL : SINGLE,
                          .columns = columns_of(p->declaration),
                          .lookup = HASHED,
                          .was = p->former_count ? former : NULL,
                          .was_count = p->former_count};
    ent_component_type_finish(&type);
    return type;
}

size_t ent_component_type_bytes(const Blob* blob) {
    if (blob->header->resource_type != RESOURCE_COMPONENT) return 0;
    const DeclarationParts p = declaration_parts(blob);
    return declared_type_bytes(&p);
}

ComponentType ent_component_type_open(const Blob* blob, void* memory) {
    assert(blob->header->resource_type == RESOURCE_COMPONENT);
    const DeclarationParts p = declaration_parts(blob);
    return declared_type_open(&p, memory);
}

/* --- validation --- */

/* The walk over all rows of a declaration, in the order of their texts. */
typedef struct Walk {
    const DeclarationParts* parts;
    RowFault*               fault;
    u32                     next_text;   /* where the next text begins */
    u32                     next_row;    /* of the enum texts of this declaration */
    u32                     index;       /* of this declaration, */
    u32                     first_field; /* and of its first field */
} Walk;

static bool fault_set(Walk* w, const void* at, const char* table, u32 row, const char* field,
                      const char* reason) {
    *w->fault = (RowFault){at, table, row, field, reason};
    return false;
}

#define FIELD_FAULT(w, d, member, reason)                                                          \
    fault_set(w, &(d)->member, "declared_field",                                                   \
              (w)->first_field + (u32)((d) - (w)->parts->field), #member, reason)

/* The text at *offset: it begins where its predecessor ended. NULL, or what is wrong. */
static const char* text_take(Walk* w, u32 offset, Text* text) {
    const DeclarationParts* p = w->parts;
    *text = (Text){p->text + offset, 0};
    if (offset != w->next_text || offset >= p->text_bytes) {
        return "does not begin at the end of the previous text";
    }
    const char* end = memchr(text->at, 0, p->text_bytes - offset);
    if (!end) return "does not end with a NUL";
    text->bytes = (u32)(end - text->at);
    w->next_text = offset + text->bytes + 1;
    return text_is_one_line(*text) ? NULL : "must be one line of UTF-8 of at most 255 bytes";
}

static const char* name_take(Walk* w, u32 offset) {
    Text        name;
    const char* reason = text_take(w, offset, &name);
    if (reason) return reason;
    return name_is_identifier(name)
               ? NULL
               : "must begin with a-z and contain only a-z, 0-9 and single '_', at most 63 bytes";
}

static bool declaration_texts(Walk* w) {
    const DeclarationRecord* d = w->parts->declaration;
    Text                     text;
    const char*              reason = name_take(w, d->name);
    if (reason) return fault_set(w, &d->name, "declaration", w->index, "name", reason);
    reason = text_take(w, d->text, &text);
    return !reason || fault_set(w, &d->text, "declaration", w->index, "text", reason);
}

/* The texts of an enum, of which there are at most DECLARATION_TEXTS_MAX. */
static bool enum_rows(Walk* w, const DeclaredFieldRecord* d, u32 first) {
    const EnumTextRecord* row = d->text_count ? w->parts->enum_text + first : NULL;
    u32                   memory[2 * DECLARATION_TEXTS_MAX];
    const Slots           slots = {memory, slots_needed(d->text_count, 16)};
    assert(slots.count <= COUNT_OF(memory)); /* enum_texts has compared the number of texts */
    memset(memory, 0, sizeof memory[0] * slots.count);
    for (u32 i = 0; i < d->text_count; i++) {
        Text        text;
        const char* reason = text_take(w, row[i].text, &text);
        if (!reason && !name_is_enum_text(text))
            reason = "must contain only a-z, 0-9 and single '_', at most 63 bytes";
        if (!reason) {
            u32* slot = slots_first(&slots, hash_bytes(text.at, text.bytes, 0));
            while (*slot && strcmp(w->parts->text + row[*slot - 1].text, text.at) != 0)
                slot = slots_next(&slots, slot);
            if (*slot) reason = "is a duplicate; the texts of an enum must be unique";
            *slot = i + 1;
        }
        if (reason)
            return fault_set(w, &row[i].text, "enum_text", w->parts->first_text + first + i, "text",
                             reason);
    }
    return true;
}

static bool enum_texts(Walk* w, const DeclaredFieldRecord* d) {
    const DeclarationParts* p = w->parts;
    const Field             f = {.kind = (FieldKind)d->kind};
    const bool              is_enum = field_has_texts(&f);
    if (is_enum != (d->text_count > 0)) {
        return FIELD_FAULT(w, d, text_count,
                           "must be at least 1 for an enum or flags, and 0 for other kinds of "
                           "fields");
    }
    if (field_form(&f) == FORM_FLAGS && d->text_count > FIELD_FLAGS_MAX) {
        return FIELD_FAULT(w, d, text_count, "must be at most 32 for flags");
    }
    if (d->first_text != (is_enum ? p->first_text + w->next_row : 0)) {
        return FIELD_FAULT(w, d, first_text,
                           "must be the end of the previous enum, and 0 for other kinds of fields");
    }
    if (d->text_count > p->enum_text_count - w->next_row) {
        return FIELD_FAULT(w, d, text_count, "exceeds the number of enum texts");
    }
    if (d->text_count > DECLARATION_TEXTS_MAX - w->next_row) { /* next_row is at most the limit */
        return FIELD_FAULT(w, d, text_count,
                           "exceeds the limit: a declaration has at most 256 enum texts in total");
    }
    w->next_row += d->text_count;
    return enum_rows(w, d, w->next_row - d->text_count);
}

static bool field_texts(Walk* w, const DeclaredFieldRecord* d) {
    const DeclarationParts* p = w->parts;
    Text                    text;
    const char*             reason = name_take(w, d->name);
    for (const DeclaredFieldRecord* k = p->field; k < d && !reason; k++) {
        if (strcmp(p->text + k->name, p->text + d->name) == 0)
            reason = "is a duplicate; the names of fields must be unique";
    }
    if (reason) return FIELD_FAULT(w, d, name, reason);
    if ((reason = text_take(w, d->unit, &text)) != NULL) return FIELD_FAULT(w, d, unit, reason);
    if ((reason = text_take(w, d->text, &text)) != NULL) return FIELD_FAULT(w, d, text, reason);
    return enum_texts(w, d);
}

static bool float_default(Walk* w, const DeclaredFieldRecord* d) {
    const f32            value[] = {d->value.x, d->value.y, d->value.z, d->value.w};
    const FieldKindInfo* kind = &field_kinds[d->kind];
    const u32            words = kind->words;
    Field f = {.kind = (FieldKind)d->kind, .bytes = words * 4, .lo = d->lowest, .hi = d->highest};
    if (d->lowest > d->highest)
        return FIELD_FAULT(w, d, lowest, "must not be greater than the highest value");
    if (!kind->is_bounded && (d->lowest != (f32)kind->lo || d->highest != (f32)kind->hi)) {
        return FIELD_FAULT(w, d, lowest, "the bounds of a quaternion must be -1 and 1");
    }
    for (u32 i = d->required ? 0 : words; i < COUNT_OF(value); i++) {
        u32 bits; /* -0 is invalid too */
        memcpy(&bits, &value[i], 4);
        if (bits) return FIELD_FAULT(w, d, value, "numbers that the field does not use must be 0");
    }
    const char* reason = d->required ? NULL : field_fault(&f, value);
    return !reason || FIELD_FAULT(w, d, value, reason);
}

/* A content has one encoding: values that a kind does not use are 0. */
static bool field_default(Walk* w, const DeclaredFieldRecord* d) {
    static const DeclaredFieldRecord none = {0};
    Field                            f = {.kind = (FieldKind)d->kind,
                                          .bytes = 4 * field_kinds[d->kind].words,
                                          .text_count = d->text_count};
    const bool floats = field_is_float(&f), is_integer = field_has_numbers(&f) && !floats;
    const bool is_stored = !floats && !field_is_link(&f) && !d->required; /* in the word */
    f.lo = field_number(&f, &d->least), f.hi = field_number(&f, &d->most);
    if (d->array == 1 || (d->array && field_form(&f) == FORM_FLAGS))
        return FIELD_FAULT(w, d, array, "must be 0 or 2 to 16, and 0 for flags");
    if ((field_form(&f) == FORM_RESOURCE) != (d->refers_to != RESOURCE_NONE)) {
        return FIELD_FAULT(w, d, refers_to,
                           "must be a type for a ResourceRef, and none for other kinds of fields");
    }
    if (!is_integer && (d->least || d->most))
        return FIELD_FAULT(w, d, least, "must be 0 for fields that are not u32 or i32");
    if (f.lo > f.hi) return FIELD_FAULT(w, d, least, "must not be greater than the highest value");
    if (is_stored ? field_fault(&f, &d->word) != NULL : d->word != 0)
        return FIELD_FAULT(w, d, word, "is not a valid default of this field");
    if (floats) return float_default(w, d);
    if (memcmp(&d->value, &none.value, sizeof d->value) != 0) {
        return FIELD_FAULT(w, d, value, "must be 0 for fields without floats");
    }
    return memcmp(&d->lowest, &none.lowest, 8) == 0 ||
           FIELD_FAULT(w, d, lowest, "must be 0 for fields without floats");
}

/* Rows are in the order of what they name: the component, then each field and its texts. */
static const char* former_fault(const DeclarationParts* p, const FormerNameRecord* r) {
    if (r->field == NONE) return r->text == NONE ? NULL : "a component has no texts";
    if (r->field >= p->field_count) return "is not the index of a field";
    return r->text == NONE || r->text < p->field[r->field].text_count
               ? NULL
               : "is not the number of a text of the field";
}

static bool former_is_in_order(const FormerNameRecord* before, const FormerNameRecord* r) {
    const u64 a = (u64)(u32)(before->field + 1) << 32 | (u32)(before->text + 1);
    const u64 b = (u64)(u32)(r->field + 1) << 32 | (u32)(r->text + 1);
    return a <= b;
}

/* Is it a name that the declaration has now, of the same kind? */
static bool former_is_current(const DeclarationParts* p, const FormerNameRecord* r) {
    const char* name = p->text + r->name;
    if (r->field == NONE) return strcmp(p->text + p->declaration->name, name) == 0;
    if (r->text == NONE) {
        for (u32 i = 0; i < p->field_count; i++) {
            if (strcmp(p->text + p->field[i].name, name) == 0) return true;
        }
        return false;
    }
    const DeclaredFieldRecord* f = &p->field[r->field];
    for (u32 i = 0; i < f->text_count; i++) {
        if (strcmp(p->text + p->enum_text[f->first_text - p->first_text + i].text, name) == 0)
            return true;
    }
    return false;
}

/* Older names of one kind must differ: those of the component, of its fields, and of the texts of one
 * field. */
static u64 former_kind(const FormerNameRecord* r) {
    if (r->text != NONE) return 2 + (u64)r->field;
    return r->field == NONE ? 0 : 1;
}

/* Enters the name of a row; false: it is a duplicate. */
static bool former_enter(const DeclarationParts* p, const Slots* slots, u32 row, Text name) {
    const u64 kind = former_kind(&p->former[row]);
    u32*      slot = slots_first(slots, hash_bytes(name.at, name.bytes, kind));
    for (; *slot; slot = slots_next(slots, slot)) {
        const FormerNameRecord* existing = &p->former[*slot - 1];
        if (former_kind(existing) == kind && strcmp(p->text + existing->name, name.at) == 0)
            return false;
    }
    *slot = row + 1;
    return true;
}

static bool former_check(Walk* w, const Slots* slots, u32 i) {
    const DeclarationParts* p = w->parts;
    const FormerNameRecord* r = &p->former[i];
    Text                    name;
    const char*             reason = former_fault(p, r);
    if (!reason && i && !former_is_in_order(r - 1, r))
        reason = "the rows must be in the order of fields and texts";
    if (reason) return fault_set(w, &r->field, "former_name", i, "field", reason);
    reason = text_take(w, r->name, &name);
    if (!reason && !(r->text == NONE ? name_is_identifier(name) : name_is_enum_text(name)))
        reason = "must contain only a-z, 0-9 and single '_', at most 63 bytes";
    if (!reason && former_is_current(p, r)) reason = "is a name that the declaration has now";
    if (!reason && !former_enter(p, slots, i, name)) reason = "is a duplicate";
    return !reason || fault_set(w, &r->name, "former_name", i, "name", reason);
}

static bool formers_check(Walk* w) {
    const DeclarationParts* p = w->parts;
    u32                     memory[2 * DECLARATION_FORMER_MAX];
    const Slots             slots = {memory, slots_needed(p->former_count, 16)};
    if (p->former_count > DECLARATION_FORMER_MAX) {
        return fault_set(w, &p->former[DECLARATION_FORMER_MAX], "former_name",
                         DECLARATION_FORMER_MAX, "name",
                         "exceeds the limit: a declaration has at most 1024 older names");
    }
    memset(memory, 0, sizeof memory[0] * slots.count);
    for (u32 i = 0; i < p->former_count; i++) {
        if (!former_check(w, &slots, i)) return false;
    }
    return true;
}

/* The ids are computed from the other values. */
static bool declaration_ids(Walk* w) {
    DeclarationParts         p = *w->parts;
    const DeclarationRecord* d = p.declaration;
    Field                    field[COMPONENT_FIELDS_MAX];
    const char*              texts[DECLARATION_TEXTS_MAX];
    p.enum_text_count = w->next_row; /* the texts of the following declarations are not copied */
    assert(p.field_count <= COUNT_OF(field));     /* declarations_are_valid has compared it */
    assert(p.enum_text_count <= COUNT_OF(texts)); /* enum_texts has compared each sum */
    ComponentType type = {.record = table_fill(&p, p.text, field, texts), .columns = columns_of(d)};
    ent_component_type_finish(&type);
    if (type.record.bytes > DECLARATION_RECORD_MAX) {
        return fault_set(w, p.field, "declared_field", w->first_field, "array",
                         "the fields have more than 1024 bytes in total");
    }
    if (d->id != type.id) {
        return fault_set(w, &d->id, "declaration", w->index, "id", "is not the hash of the name");
    }
    return d->layout == type.layout || fault_set(w, &d->layout, "declaration", w->index, "layout",
                                                 "is not the layout hash of the fields");
}

static bool declaration_check(Walk* w) {
    const DeclarationParts* p = w->parts;
    if (!declaration_texts(w)) return false;
    for (u32 i = 0; i < p->field_count; i++) {
        if (!field_texts(w, &p->field[i]) || !field_default(w, &p->field[i])) return false;
    }
    return formers_check(w) && declaration_ids(w);
}

static_assert(DECLARATION_TEXTS_MAX == 256 && COMPONENT_COLUMNS_MAX == 16 &&
                  COMPONENT_FIELDS_MAX == 64 && DECLARATION_FORMER_MAX == 1024,
              "the messages state the limits");

/* It is at least 1, as the bounds of the row require. */
static const char* field_count_fault(const DeclarationRecord* d) {
    const bool by_field = columns_of(d) == BY_FIELD;
    if (d->field_count <= (by_field ? COMPONENT_COLUMNS_MAX : COMPONENT_FIELDS_MAX)) return NULL;
    return by_field ? "must be 1 to 16 for a structure of arrays"
                    : "must be 1 to 64 for an array of structures";
}

/* Each declaration is validated with its own rows, and with all texts. */
bool declarations_are_valid(const DeclarationParts* all, RowFault* fault) {
    DeclarationParts p = *all;
    Walk             w = {.parts = &p, .fault = fault};
    const u32        fields = all->field_count, enum_texts = all->enum_text_count;
    u32              field = 0;
    for (u32 i = 0; i < all->declaration_count; i++) {
        p.declaration = all->declaration + i;
        p.field = all->field + field;
        p.field_count = p.declaration->field_count;
        p.enum_text = all->enum_text ? all->enum_text + p.first_text : NULL;
        p.enum_text_count = enum_texts - p.first_text;
        if (p.field_count > fields - field) {
            return fault_set(&w, &p.declaration->field_count, "declaration", i, "field_count",
                             "exceeds the number of declared fields");
        }
        const char* reason = field_count_fault(p.declaration);
        if (reason)
            return fault_set(&w, &p.declaration->field_count, "declaration", i, "field_count",
                             reason);
        w.next_row = 0;
        w.index = i;
        w.first_field = field;
        if (!declaration_check(&w)) return false;
        field += p.field_count;
        p.first_text += w.next_row;
    }
    if (field != fields) {
        return fault_set(&w, all->field + field, "declared_field", field, "",
                         "belongs to no declaration");
    }
    if (p.first_text != enum_texts) {
        return fault_set(&w, &all->enum_text[p.first_text], "enum_text", p.first_text, "",
                         "belongs to no enum");
    }
    return w.next_text == all->text_bytes ||
           fault_set(&w, all->text + w.next_text, "declaration_text", 0, "",
                     "there is text after the last name or description");
}
