/* declaration_fill.c - writes component types as the sections of declarations. */
#include "sections.h"

/* A host may leave out unit and description of a field. */
static const char* text_or_none(const char* text) { return text ? text : ""; }

static u32 text_bytes(const char* text) { return (u32)strlen(text_or_none(text)) + 1; }

DeclarationSizes declarations_measure(const ComponentType* const* types, u32 count,
                                      const char* description) {
    DeclarationSizes sizes = {.declarations = count};
    for (u32 i = 0; i < count; i++) {
        const RecordType* record = &types[i]->record;
        sizes.fields += record->field_count;
        sizes.text_bytes += text_bytes(record->name) + text_bytes(description);
        for (u32 f = 0; f < record->field_count; f++) {
            const Field* field = &record->fields[f];
            sizes.enum_texts += field->text_count;
            sizes.text_bytes +=
                text_bytes(field->name) + text_bytes(field->unit) + text_bytes(field->text);
            for (u32 t = 0; t < field->text_count; t++)
                sizes.text_bytes += text_bytes(field->texts[t]);
        }
        if (!description) continue;
        sizes.former_names += types[i]->was_count;
        for (u32 w = 0; w < types[i]->was_count; w++)
            sizes.text_bytes += text_bytes(types[i]->was[w].name);
    }
    return sizes;
}

typedef struct Fill {
    DeclarationRows rows; /* where the next ones are written */
    u32             text, enum_text;
} Fill;

static u32 text_add(Fill* fill, const char* text) {
    const u32 at = fill->text, bytes = text_bytes(text);
    memcpy(fill->rows.text + at, text_or_none(text), bytes);
    fill->text += bytes;
    return at;
}

static DeclaredFieldRecord field_record(Fill* fill, const Field* f) {
    DeclaredFieldRecord  record = {.name = text_add(fill, f->name),
                                   .unit = text_add(fill, f->unit),
                                   .text = text_add(fill, f->text),
                                   .kind = f->kind,
                                   .required = f->required != 0,
                                   .refers_to = f->refers_to,
                                   .first_text = f->text_count ? fill->enum_text : 0,
                                   .text_count = f->text_count,
                                   .array = field_is_array(f) ? field_elements(f) : 0};
    const FieldKindInfo* kind = field_kind(f);
    assert(kind->words <= 4); /* rows of the table of kinds */
    f32 value[4] = {0};       /* what is not used is 0, also in the description of a host */
    for (u32 w = 0; w < kind->words && !f->required; w++) value[w] = (f32)f->value[w];
    if (field_is_float(f)) {
        record.lowest = (f32)(kind->is_bounded ? f->lo : kind->lo);
        record.highest = (f32)(kind->is_bounded ? f->hi : kind->hi);
        record.value = (Vec4){value[0], value[1], value[2], value[3]};
    } else if (!field_is_link(f) && !f->required) {
        field_number_store(f, f->value[0], &record.word);
    }
    if (!field_has_numbers(f) || field_is_float(f)) return record;
    field_number_store(f, f->lo, &record.least);
    field_number_store(f, f->hi, &record.most);
    return record;
}

static void type_fill(Fill* fill, const ComponentType* type, const char* description) {
    const RecordType* record = &type->record;
    *fill->rows.declaration++ = (DeclarationRecord){.name = text_add(fill, record->name),
                                                    .text = text_add(fill, description),
                                                    .id = type->id,
                                                    .layout = type->layout,
                                                    .order = type->order,
                                                    .several = type->several == SEVERAL,
                                                    .field_count = record->field_count};
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        *fill->rows.field++ = field_record(fill, f);
        for (u32 k = 0; k < f->text_count; k++) {
            *fill->rows.enum_text++ = (EnumTextRecord){text_add(fill, f->texts[k])};
        }
        fill->enum_text += f->text_count;
    }
    for (u32 i = 0; description && i < type->was_count; i++) {
        const FormerName* was = &type->was[i];
        *fill->rows.former_name++ =
            (FormerNameRecord){text_add(fill, was->name), was->field, was->text};
    }
}

void declarations_fill(const ComponentType* const* types, u32 count, const char* description,
                       const DeclarationRows* rows) {
    Fill fill = {.rows = *rows};
    for (u32 i = 0; i < count; i++) type_fill(&fill, types[i], description);
}
