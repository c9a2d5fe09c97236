/* declare_write.c - writes a declaration as a blob, from which other programs read it. */
#include "declare.h"
#include "fields.h"
#include "product.h"
#include "sections.h"

/* Texts in the order in which they are added; records contain offsets into `at`. */
typedef struct Texts {
    ARRAY(char) at;
} Texts;

static u32 text_add(Texts* texts, const char* text) {
    const u32 offset = texts->at.count, bytes = (u32)strlen(text) + 1;
    array_reserve(&texts->at, offset + bytes);
    memcpy(texts->at.at + offset, text, bytes);
    texts->at.count += bytes;
    return offset;
}

static DeclaredFieldRecord field_record(Texts* texts, const Field* f, u32 first_text) {
    DeclaredFieldRecord record = {.name = text_add(texts, f->name),
                                  .unit = text_add(texts, f->unit),
                                  .text = text_add(texts, f->text),
                                  .kind = f->kind,
                                  .required = f->required != 0,
                                  .refers_to = f->refers_to,
                                  .first_text = f->text_count ? first_text : 0,
                                  .text_count = f->text_count,
                                  .array = field_is_array(f) ? field_elements(f) : 0};
    if (field_is_float(f)) {
        record.lowest = (f32)f->lo, record.highest = (f32)f->hi;
        record.value =
            (Vec4){(f32)f->value[0], (f32)f->value[1], (f32)f->value[2], (f32)f->value[3]};
    } else if (!field_is_link(f)) {
        field_number_store(f, f->value[0], &record.word);
    }
    if (!field_has_numbers(f) || field_is_float(f)) return record;
    field_number_store(f, f->lo, &record.least);
    field_number_store(f, f->hi, &record.most);
    return record;
}

bool compile_declaration(Compile* c, u8** bytes, size_t* size) {
    const Declaration* d = NULL;
    for (u32 i = 0; i < c->registry->count && !d; i++) {
        const Declaration* there = c->registry->compiler[i].declared;
        if (there && strcmp(there->resource, c->name) == 0) d = there;
    }
    if (!d || d->has_errors) return false; /* which was reported */
    const RecordType*   record = &d->type.record;
    DeclaredFieldRecord field[COMPONENT_COLUMNS_MAX];
    EnumTextRecord      enum_text[DECLARATION_TEXTS_MAX];
    Texts               texts = {0};
    Output              out;
    u32                 enum_count = 0;
    DeclarationRecord   whole = {.name = text_add(&texts, record->name),
                                 .text = text_add(&texts, d->text),
                                 .id = d->type.id,
                                 .layout = d->type.layout,
                                 .order = d->type.order,
                                 .several = d->type.several == SEVERAL,
                                 .field_count = record->field_count};
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        field[i] = field_record(&texts, f, enum_count);
        for (u32 k = 0; k < f->text_count; k++) {
            enum_text[enum_count++].text = text_add(&texts, f->texts[k]);
        }
    }
    output_begin(&out, RESOURCE_COMPONENT, text_of(c->name), record->field_count, 4);
    output_section(&out, SECTION_DECLARATION, &whole, 1);
    output_section(&out, SECTION_DECLARED_FIELD, field, record->field_count);
    output_section(&out, SECTION_ENUM_TEXT, enum_text, enum_count);
    output_section(&out, SECTION_DECLARATION_TEXT, texts.at.at, texts.at.count);
    array_drop(&texts.at);
    return compile_finish(c, &out, bytes, size);
}
