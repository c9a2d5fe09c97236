/* conversion.c - see conversion.h. */
#include "conversion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "fields.h"
#include "hash.h"
#include "slots.h"

/* --- matching --- */

bool conversion_is_former(const ComponentType* type, u32 id) {
    for (u32 i = 0; i < type->was_count; i++) {
        if (type->was[i].field == NONE && hash_name(text_of(type->was[i].name)) == id) return true;
    }
    return false;
}

static u32 field_named(const RecordType* record, const char* name) {
    u32 i = 0;
    while (i < record->field_count && strcmp(record->fields[i].name, name) != 0) i++;
    return i < record->field_count ? i : NONE;
}

u32 conversion_source(const ComponentType* old, const ComponentType* to, u32 field) {
    u32 from = field_named(&old->record, to->record.fields[field].name);
    for (u32 i = 0; i < to->was_count && from == NONE; i++) {
        if (to->was[i].field != field || to->was[i].text != NONE) continue;
        from = field_named(&old->record, to->was[i].name);
    }
    return from;
}

/* The new number of an old text, or CONVERSION_NO_TEXT. */
u16 conversion_text(const ComponentType* to, u32 field, const char* text) {
    const Field* f = &to->record.fields[field];
    for (u32 i = 0; i < f->text_count; i++) {
        if (strcmp(f->texts[i], text) == 0) return (u16)i;
    }
    for (u32 i = 0; i < to->was_count; i++) {
        const FormerName* was = &to->was[i];
        if (was->field == field && was->text != NONE && strcmp(was->name, text) == 0)
            return (u16)was->text;
    }
    return CONVERSION_NO_TEXT;
}

static bool is_number(const Field* f) { return field_has_numbers(f) || field_form(f) == FORM_BOOL; }

bool conversion_is_possible(const Field* from, const Field* to) {
    if (is_number(from)) return is_number(to);
    if (field_has_texts(from))
        return field_form(to) == FORM_FLAGS || field_form(from) == field_form(to);
    return field_form(from) == field_form(to) && from->refers_to == to->refers_to;
}

bool conversion_is_missing(const Field* one, const void* words) {
    if (!one->required || field_form(one) == FORM_ENTITY) return false;
    return field_is_null(one, words) || field_fault(one, words);
}

/* The names of the texts of a field, by hash: present ones first, then older ones. A row below text_count is
 * a text, any other one text_count + a row of `was`. */
enum { NAMES_MAX = DECLARATION_TEXTS_MAX + DECLARATION_FORMER_MAX };
typedef struct Names {
    const ComponentType* type;
    const Field*         field;
    Slots                slots;
    u32                  memory[4 * DECLARATION_FORMER_MAX];
} Names;

static const char* names_text(const Names* n, u32 row) {
    const u32 texts = n->field->text_count;
    return row < texts ? n->field->texts[row] : n->type->was[row - texts].name;
}

/* The slot of a name, or a free one. */
static u32* names_slot(const Names* n, const char* name) {
    u32* slot = slots_first(&n->slots, hash_bytes(name, strlen(name), 0));
    while (*slot && strcmp(names_text(n, *slot - 1), name) != 0) slot = slots_next(&n->slots, slot);
    return slot;
}

static void names_add(Names* n, u32 row) {
    u32* slot = names_slot(n, names_text(n, row));
    if (!*slot) *slot = row + 1; /* the first of equal names counts, as in conversion_text */
}

static void names_fill(Names* n, const ComponentType* type, u32 field) {
    n->type = type, n->field = &type->record.fields[field];
    const u32 texts = n->field->text_count;
    n->slots = (Slots){n->memory, slots_needed(texts + type->was_count, 16)};
    assert(n->slots.count <= COUNT_OF(n->memory));
    memset(n->memory, 0, sizeof n->memory[0] * n->slots.count);
    for (u32 i = 0; i < texts; i++) names_add(n, i);
    for (u32 i = 0; i < type->was_count; i++) {
        if (type->was[i].field == field && type->was[i].text != NONE) names_add(n, texts + i);
    }
}

void conversion_texts(const ComponentType* to, u32 field, const Field* from, u16* target) {
    Names     names;
    const u32 texts = to->record.fields[field].text_count;
    if ((u64)texts + to->was_count > NAMES_MAX) { /* of a host, not of a declaration */
        for (u32 i = 0; i < from->text_count; i++)
            target[i] = conversion_text(to, field, from->texts[i]);
        return;
    }
    names_fill(&names, to, field);
    for (u32 i = 0; i < from->text_count; i++) {
        const u32 row = *names_slot(&names, from->texts[i]);
        static_assert((u16)(0u - 1) == CONVERSION_NO_TEXT, "row 0: there is no such text");
        target[i] = (u16)(row <= texts ? row - 1 : to->was[row - 1 - texts].text);
    }
}

static void texts_plan(Conversion* c, u32 field, u32* used) {
    const Field* from = &c->from->record.fields[c->field[field].from];
    c->field[field].text = NONE;
    if (from->text_count > COUNT_OF(c->text) - *used) return; /* used is at most the count */
    c->field[field].text = *used;
    conversion_texts(c->to, field, from, c->text + *used);
    *used += from->text_count;
}

void conversion_plan(Conversion* c, const ComponentType* from, const ComponentType* to) {
    u32 used = 0;
    assert(to->record.field_count <= COMPONENT_FIELDS_MAX);
    memset(c, 0, sizeof *c);
    c->from = from, c->to = to;
    for (u32 i = 0; i < to->record.field_count; i++) {
        ConversionField* f = &c->field[i];
        f->from = conversion_source(from, to, i);
        if (f->from == NONE) continue;
        if (conversion_is_possible(&from->record.fields[f->from], &to->record.fields[i]))
            texts_plan(c, i, &used);
        else
            f->from = NONE;
    }
}

const Field* conversion_fault(const Conversion* c) {
    for (u32 i = 0; i < c->to->record.field_count; i++) {
        const Field* f = &c->to->record.fields[i];
        if (f->required && c->field[i].from == NONE) return f;
    }
    return NULL;
}

/* --- values --- */

/* Returns false when the value was changed. */
static bool number_convert(const Field* from, const Field* to, const u8* in, u8* out) {
    const bool floats = field_is_float(to);
    const f64  lo = floats ? (f64)(f32)to->lo : to->lo, hi = floats ? (f64)(f32)to->hi : to->hi;
    const f64  was = field_number(from, in);
    f64        is = floats ? (f64)(f32)was : floor(was + 0.5);
    if (was != was) return false; /* a program wrote it to its rows: the default stays */
    is = is < lo ? lo : is > hi ? hi : is;
    field_number_store(to, is, out);
    return is == was;
}

static bool numbers_convert(const Field* from, const Field* to, const u8* in, u8* out) {
    const u32 words = MIN_OF(field_words(from), field_words(to));
    u32       fallback[4];
    bool      same = true;
    memcpy(fallback, out, to->bytes);
    for (u32 w = 0; w < words; w++) same &= number_convert(from, to, in + w * 4, out + w * 4);
    if (!field_fault(to, out)) return same;
    memcpy(out, fallback, to->bytes); /* no unit quaternion */
    return false;
}

/* The texts of a type that a host defines may be more than the plan has room for. */
static u16 text_target(const Conversion* c, const ConversionField* field, const Field* from,
                       u32 text) {
    if (field->text != NONE) return c->text[field->text + text];
    return conversion_text(c->to, (u32)(field - c->field), from->texts[text]);
}

static bool choice_convert(const Conversion* c, const ConversionField* field, const Field* from,
                           const Field* to, const u8* in, u8* out) {
    const bool flags = field_form(to) == FORM_FLAGS;
    u32        was, is = 0;
    bool       same = true;
    memcpy(&was, in, 4);
    if (field_form(from) == FORM_ENUM) {
        if (was >= from->text_count) return false; /* a program wrote it to its rows */
        const u16 text = text_target(c, field, from, was);
        if (text == CONVERSION_NO_TEXT) return false; /* the default stays */
        is = flags ? 1u << text : text;
    } else {
        for (u32 i = 0; i < from->text_count; i++) {
            if (!(was >> i & 1)) continue;
            const u16 text = text_target(c, field, from, i);
            same &= text != CONVERSION_NO_TEXT;
            if (text != CONVERSION_NO_TEXT) is |= 1u << text;
        }
    }
    memcpy(out, &is, 4);
    return same;
}

/* One element; `out` contains the default. */
static void element_convert(const Conversion* c, ConversionField* field, const Field* from,
                            const Field* to, const u8* in, u8* out) {
    bool same = true;
    if (is_number(from))
        same = numbers_convert(from, to, in, out);
    else if (field_has_texts(from))
        same = choice_convert(c, field, from, to, in, out);
    else
        memcpy(out, in, to->bytes);
    field->changed += !same;
}

/* --- columns --- */

typedef struct Column {
    u8* first;
    u32 stride;
} Column;

static Column column_of(const ComponentType* type, const ConversionRows* rows, u32 field) {
    const u32    column = type->columns == BY_FIELD ? field : 0;
    const Field* f = &type->record.fields[field];
    return (Column){rows->column[column] + (f->offset - ent_component_column_offset(type, column)),
                    ent_component_column_bytes(type, column)};
}

static void default_fill(const Field* f, Column to, u32 count) {
    u8               value[4 * 4 * RECORD_ARRAY_MAX];
    Field            alone = *f;
    const RecordType record = {"", &alone, 1, f->bytes};
    alone.offset = 0;
    record_defaults(&record, value);
    for (u32 i = 0; i < count; i++) memcpy(to.first + (size_t)i * to.stride, value, f->bytes);
}

/*   row  [count] of `from` for each instance */
static void field_convert(Conversion* c, u32 field, const ConversionRows* from,
                          ConversionRows* to) {
    ConversionField* plan = &c->field[field];
    const Field*     f = &c->to->record.fields[field];
    const Column     out = column_of(c->to, to, field);
    default_fill(f, out, to->count);
    if (plan->from == NONE) return;
    const Field  source = c->from->record.fields[plan->from];
    const Field  a = field_element(&source), b = field_element(f);
    const Column in = column_of(c->from, from, plan->from);
    const u32    elements = MIN_OF(field_elements(&source), field_elements(f));
    for (u32 row = 0, next = 0; row < from->count; row++) {
        if (c->surplus && row && from->owner[row] == from->owner[row - 1]) continue;
        for (u32 e = 0; e < field_elements(f); e++) {
            u8* element = out.first + (size_t)next * out.stride + e * b.bytes;
            if (e < elements)
                element_convert(c, plan, &a, &b, in.first + (size_t)row * in.stride + e * a.bytes,
                                element);
            plan->missing += conversion_is_missing(&b, element);
        }
        next++;
    }
}

static void owners_convert(Conversion* c, const ConversionRows* from, ConversionRows* to) {
    const bool single = c->to->several == SINGLE;
    to->count = 0;
    for (u32 i = 0; i < from->count; i++) {
        if (single && i && from->owner[i] == from->owner[i - 1])
            c->surplus++;
        else
            to->owner[to->count++] = from->owner[i];
    }
}

const Field* conversion_run(Conversion* c, const ConversionRows* from, ConversionRows* to) {
    const Field* missing = NULL;
    owners_convert(c, from, to);
    for (u32 i = 0; i < c->to->record.field_count; i++) {
        field_convert(c, i, from, to);
        if (!missing && c->field[i].missing) missing = &c->to->record.fields[i];
    }
    return missing;
}

/* --- what was lost --- */

typedef struct Report {
    const Conversion* c;
    void (*line)(void* user, const char* text);
    void* user;
} Report;

static void report(const Report* r, const char* field, const char* format, ...) PRINTF_LIKE(3, 4);

static void report(const Report* r, const char* field, const char* format, ...) {
    char    text[CONVERSION_LINE_BYTES];
    va_list arguments;
    size_t  used = (size_t)snprintf(text, sizeof text, "%s%s%s: ", r->c->to->record.name,
                                   *field ? "." : "", field);
    va_start(arguments, format);
    vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    r->line(r->user, text);
}

static bool is_used(const Conversion* c, u32 old_field) {
    bool used = false;
    for (u32 i = 0; i < c->to->record.field_count; i++) used |= c->field[i].from == old_field;
    return used;
}

static void field_report(const Report* r, u32 field) {
    const Conversion*      c = r->c;
    const ConversionField* plan = &c->field[field];
    const Field*           to = &c->to->record.fields[field];
    if (plan->from == NONE) return;
    const Field* from = &c->from->record.fields[plan->from];
    if (field_elements(from) > field_elements(to)) {
        report(r, to->name, "the last %u of %u elements were dropped",
               field_elements(from) - field_elements(to), field_elements(from));
    }
    if (field_kind(from)->words > field_kind(to)->words) {
        report(r, to->name, "the last %u of %u numbers were dropped",
               field_kind(from)->words - field_kind(to)->words, field_kind(from)->words);
    }
    if (plan->changed == 0) return;
    if (field_has_texts(from))
        report(r, to->name, "%u value%s contained a text that does not exist any more",
               plan->changed, plan->changed == 1 ? "" : "s");
    else
        report(r, to->name, "%u value%s changed to fit the type or the range", plan->changed,
               plan->changed == 1 ? " was" : "s were");
}

/* Whether a field of the new type has this name, or had it. */
static bool field_continues(const Conversion* c, u32 field) {
    for (u32 i = 0; i < c->to->record.field_count; i++) {
        if (conversion_source(c->from, c->to, i) == field) return true;
    }
    return false;
}

void conversion_report(const Conversion* c, void (*line)(void* user, const char* text),
                       void*             user) {
    const Report      r = {c, line, user};
    const RecordType* from = &c->from->record;
    for (u32 i = 0; i < from->field_count; i++) {
        if (is_used(c, i)) continue;
        report(&r, from->fields[i].name, "the values were dropped, because the field %s",
               field_continues(c, i) ? "has a type now to which they cannot be converted"
                                     : "does not exist any more");
    }
    for (u32 i = 0; i < c->to->record.field_count; i++) field_report(&r, i);
    if (c->surplus == 0) return;
    report(&r, "", "%u instance%s dropped, because an entity may have only one now", c->surplus,
           c->surplus == 1 ? " was" : "s were");
}
