/* declaration_type.c - can a component type be declared: has its field table a declaration that follows
 * all rules? A save contains the declaration of every type in it, so that a type that a host describes
 * is validated where it is registered. Field by field, so that no memory is allocated. */
#include "sections.h"

/* Of a declaration with one field: names of 64 bytes, two contents of 256, and its texts. */
#define TEXT_BYTES (3 * 64 + 2 * 256 + DECLARATION_TEXTS_MAX * 64)

/* The rows of a declaration with one field. */
typedef struct FieldRows {
    DeclarationRecord   declaration;
    DeclaredFieldRecord field;
    EnumTextRecord      enum_text[DECLARATION_TEXTS_MAX];
    char                text[TEXT_BYTES];
} FieldRows;

/* What has to be true before the texts of a field are measured; `end` is that of the field before it. */
static const char* table_fault(const RecordType* record, const Field* f, u32 end) {
    const u32  element = f->kind < FIELD_KIND_COUNT ? field_element_bytes(f) : 0;
    const bool is_last = f + 1 == record->fields + record->field_count;
    if (!f->name) return "has no name";
    if (element == 0) return "has an unknown kind";
    if (f->bytes == 0 || f->bytes % element || f->bytes / element > RECORD_ARRAY_MAX)
        return "must have the bytes of 1 to 16 values of its kind";
    if (f->offset != end) return "does not begin where the field before it ends";
    if (is_last && end + f->bytes != record->bytes) return "does not end where the record ends";
    if (f->text_count && !f->texts) return "has no texts";
    return NULL;
}

/* Values between their bounds, as in a blob. */
static bool row_check(u32 kind, const void* row, RowFault* fault) {
    const RecordType* record = section_record(kind);
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        const u8*    at = (const u8*)row + f->offset;
        if (field_first_fault(f, at, 1, record->bytes) == 1) continue;
        *fault = (RowFault){at, record->name, 0, f->name, "is out of range"};
        return false;
    }
    return true;
}

static bool field_rows_check(const ComponentType* type, const Field* f, RowFault* fault) {
    FieldRows     rows;
    Field         first = *f;
    ComponentType alone = *type;
    first.offset = 0;
    alone.record = (RecordType){type->record.name, &first, 1, first.bytes};
    alone.was = NULL, alone.was_count = 0;
    const ComponentType*   types = &alone;
    const DeclarationSizes sizes = declarations_measure(&types, 1, NULL);
    if (sizes.text_bytes > sizeof rows.text) {
        *fault = (RowFault){f, "declared_field", 0, "name", "or a text of the field is too long"};
        return false;
    }
    ent_component_type_finish(&alone);
    declarations_fill(&types, 1, NULL,
                      &(DeclarationRows){.declaration = &rows.declaration,
                                         .field = &rows.field,
                                         .enum_text = rows.enum_text,
                                         .text = rows.text});
    const DeclarationParts parts = {.declaration = &rows.declaration,
                                    .field = &rows.field,
                                    .enum_text = sizes.enum_texts ? rows.enum_text : NULL,
                                    .text = rows.text,
                                    .field_count = 1,
                                    .enum_text_count = sizes.enum_texts,
                                    .text_bytes = sizes.text_bytes,
                                    .declaration_count = 1};
    return row_check(SECTION_DECLARATION, &rows.declaration, fault) &&
           row_check(SECTION_DECLARED_FIELD, &rows.field, fault) &&
           declarations_are_valid(&parts, fault);
}

/* The rules between fields. */
static const char* fields_fault(const RecordType* record, u32 field) {
    u32 texts = 0;
    for (u32 i = 0; i < field; i++) {
        if (strcmp(record->fields[i].name, record->fields[field].name) == 0)
            return "is a duplicate; the names of fields must be unique";
    }
    for (u32 i = 0; i <= field; i++) texts += MIN_OF(record->fields[i].text_count, 1000u);
    return texts > DECLARATION_TEXTS_MAX ? "exceeds the limit of 256 enum texts of a component"
                                         : NULL;
}

/* An older name of the component, of a field, or of the text of an enum. */
static const char* former_fault(const RecordType* record, const FormerName* was) {
    const Text name = text_of(was->name ? was->name : "");
    if (was->field != NONE && was->field >= record->field_count)
        return "is not the older name of a field: there are fewer fields";
    if (was->text != NONE &&
        (was->field == NONE || was->text >= record->fields[was->field].text_count))
        return "is not the older name of a text: the field has fewer texts";
    if (was->text == NONE ? name_is_identifier(name) : name_is_enum_text(name)) return NULL;
    return "must contain only a-z, 0-9 and single '_', at most 63 bytes";
}

static bool formers_check(const ComponentType* type, RowFault* fault) {
    for (u32 i = 0; i < type->was_count; i++) {
        const char* reason = former_fault(&type->record, &type->was[i]);
        if (!reason) continue;
        *fault = (RowFault){&type->was[i], "was", i, "", reason};
        return false;
    }
    return true;
}

bool type_is_declarable(const ComponentType* type, RowFault* fault) {
    const RecordType* record = &type->record;
    u32               end = 0;
    if (record->field_count == 0 || record->field_count > COMPONENT_FIELDS_MAX) {
        *fault = (RowFault){record, "record", 0, "field_count", "must be 1 to 64"};
        return false;
    }
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        const char*  reason = table_fault(record, f, end);
        if (!reason) reason = fields_fault(record, i);
        if (reason) *fault = (RowFault){f, "field", i, "", reason};
        if (reason || !field_rows_check(type, f, fault)) {
            fault->row = i;
            return false;
        }
        end += f->bytes;
    }
    return formers_check(type, fault);
}
