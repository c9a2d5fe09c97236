/* component_fields.c - reads the fields of a field table directly from JSON text. */
#include "field_forms.h"

typedef void (*ReadField)(Instance* in, Json* json, const Field* f, u8* to);

static inline ReadField field_reader(const Field* f) {
    if (field_is_array(f)) return array_read;
    if (field_has_numbers(f) && field_is_float(f)) return floats_read;
    return field_form_compiler(f)->read;
}

static inline void field_read(Instance* in, Json* json, const Field* f) {
    field_reader(f)(in, json, f, (u8*)in->record + f->offset);
}

void field_compile_value(Instance* in, const Field* f) {
    Json json = json_open(in->source, in->offset, in->diag);
    field_read(in, &json, f);
}

static void unknown_field(Instance* in, const RecordType* type, JsonString key,
                          const char* const* others, u32 other_count) {
    const char* names[96];
    u32         count = 0;
    for (u32 i = 0; i < type->field_count && count < COUNT_OF(names); i++) {
        names[count++] = type->fields[i].name;
    }
    for (u32 i = 0; i < other_count && count < COUNT_OF(names); i++) names[count++] = others[i];
    const char* near = diag_nearest(key.raw, names, count);
    diag_error(in->diag, E0201, in->source, (u32)(key.raw.at - in->source->text) - 1,
               key.raw.bytes + 2, "%s has no field \"%.*s\"%s%s%s", type->name, (int)key.raw.bytes,
               key.raw.at, DIAG_NEAREST(near));
}

/* Fields are usually written in the order of the manual: the one after the last is compared
 * first. */
static inline u32 field_index(const RecordType* type, JsonString key, u32 guess) {
    for (u32 n = 0; n < type->field_count; n++) {
        const u32 i = guess + n < type->field_count ? guess + n : guess + n - type->field_count;
        if (json_equals(key, type->fields[i].name)) return i;
    }
    return NONE;
}

/* The same with the names as words. */
static inline u32 field_index_of(const Instance* in, const RecordType* type, JsonString key,
                                 u32 guess) {
    const FieldReader* readers = in->readers;
    if (!readers || key.escaped || key.raw.bytes > JSON_WORD_BYTES) {
        return field_index(type, key, guess);
    }
    const JsonWord word = json_word(key.raw);
    for (u32 i = guess; i < type->field_count; i++) {
        if (json_word_is(&readers[i].name, &word)) return i;
    }
    for (u32 i = 0; i < MIN_OF(guess, type->field_count); i++) {
        if (json_word_is(&readers[i].name, &word)) return i;
    }
    return NONE;
}

void record_readers(const RecordType* type, FieldReader* readers) {
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        readers[i] = (FieldReader){json_word(text_of(f->name)), field_reader(f)};
    }
}

static bool is_among(JsonString key, const char* const* names, u32 count) {
    for (u32 i = 0; i < count; i++) {
        if (json_equals(key, names[i])) return true;
    }
    return false;
}

/* Inline for its two callers, because this loop dominates the time for compiling a level. */
static inline void fields_read(Instance* in, const RecordType* type, const char* const* others,
                               u32 other_count) {
    Json       json = json_open(in->source, in->offset, in->diag);
    JsonString key;
    u32        next = 0;
    if (!json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        const u32 i = field_index_of(in, type, key, next);
        if (i == NONE) {
            if (!json_key_is_note(key) && !is_among(key, others, other_count)) {
                unknown_field(in, type, key, others, other_count);
            }
            json_skip(&json);
            continue;
        }
        in->given |= 1ull << i;
        in->given_here |= 1ull << i;
        next = i + 1;
        if (in->readers)
            in->readers[i].read(in, &json, &type->fields[i],
                                (u8*)in->record + type->fields[i].offset);
        else
            field_read(in, &json, &type->fields[i]);
    }
}

void record_compile_fields_beside(Instance* in, const RecordType* type, const char* const* others,
                                  u32 other_count) {
    fields_read(in, type, others, other_count);
}

void record_compile_fields(Instance* in, const RecordType* type) { fields_read(in, type, NULL, 0); }

void component_compile_fields(Instance* in) { record_compile_fields(in, &in->type->record); }

void record_fields_visit(Instance* in, const RecordType* type,
                         void (*visit)(Instance* in, Json* value, const Field* field)) {
    Json       json = json_open(in->source, in->offset, in->diag);
    JsonString key;
    if (!json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        const u32 i = field_index(type, key, 0);
        if (i != NONE) {
            visit(in, &json, &type->fields[i]);
            continue;
        }
        if (!json_key_is_note(key)) unknown_field(in, type, key, NULL, 0);
        json_skip(&json);
    }
}

void record_require_fields(const Instance* in, const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++) {
        char text[FIELD_JSON_BYTES];
        if (!type->fields[i].required || in->given >> i & 1) continue;
        diag_error(in->diag, E0204, in->source, in->offset, 1, "%s needs \"%s\", %s", type->name,
                   type->fields[i].name, field_json(&type->fields[i], text));
    }
}
