/* schema_fields.c - the schema of a field table: kinds, bounds, enum values, defaults and
 * descriptions. */
#include "declare.h"
#include "print.h"
#include "schema_internal.h"

/* --- keywords --- */

void title_put(Schema* s, const char* title, const char* text) {
    pretty_text(&s->w, "title", title);
    if (*text) pretty_text(&s->w, "description", text);
}

void reference_put(Schema* s, const char* key, const char* prefix, const char* name) {
    pretty_object(&s->w, key);
    pretty_text(&s->w, "$ref", arena_print(&s->arena, "#/definitions/%s%s", prefix, name));
    pretty_end(&s->w);
}

void notes_allow(Schema* s) {
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
}

void keys_close(Schema* s) {
    notes_allow(s);
    pretty_bool(&s->w, "additionalProperties", false);
}

void notes_put(Schema* s) {
    pretty_object(&s->w, "$schema");
    pretty_text(&s->w, "description", "the schema by which an editor validates this file");
    pretty_end(&s->w);
    pretty_object(&s->w, "$comment");
    pretty_text(&s->w, "description", "a comment for readers; allowed in every object");
    pretty_end(&s->w);
}

u32 resource_suffixes(const char* suffixes[RESOURCE_COUNT]) {
    u32 count = 0;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        suffixes[count++] = ent_resource_suffix(type);
    }
    return count;
}

/* --- fields --- */

/* "distance beyond which nothing is lit. Unit: m. Range: 0.001 to 1000000. Default: 10." */
static const char* field_text(Schema* s, const Field* f) {
    char  text[FIELD_TEXT_BYTES], number[32];
    u32   word;
    Print print;
    FILE* out = print_begin(&print);
    if (*f->text) fprintf(out, "%s. ", f->text);
    if (*f->unit) fprintf(out, "Unit: %s. ", f->unit);
    field_form_compiler(f)->describe(f, out);
    if (f->required) {
        fputs("Required.", out);
    } else if (field_has_numbers(f)) {
        fputs("Default:", out);
        for (u32 i = 0; i < field_kind(f)->words; i++)
            fprintf(out, " %s", number_text(f->value[i], number));
        fputs(field_is_array(f) ? " for each." : ".", out);
    } else if (!field_is_link(f)) {
        const Field element = field_element(f);
        field_number_store(f, f->value[0], &word);
        field_value_text(&element, &word, false, text);
        fprintf(out, "Default: %s%s.", field_form(f) == FORM_FLAGS && !word ? "none" : text,
                field_is_array(f) ? " for each" : "");
    }
    const char* kept = arena_text(&s->arena, print_end(&print));
    print_drop(&print);
    return kept;
}

static void flags_default(Schema* s, const Field* f, const char* key, u32 flags) {
    const char* set[FIELD_FLAGS_MAX];
    u32         count = 0;
    assert(f->text_count <= COUNT_OF(set)); /* a flag is a bit of a u32 */
    for (u32 i = 0; i < f->text_count; i++) {
        if (flags >> i & 1) set[count++] = f->texts[i];
    }
    pretty_texts(&s->w, key, set, count);
}

static void element_default(Schema* s, const Field* f, const char* key) {
    char text[FIELD_TEXT_BYTES];
    u32  word;
    if (field_words(f) > 1) {
        pretty_numbers(&s->w, key, f->value, field_words(f));
    } else if (field_has_numbers(f)) {
        pretty_number(&s->w, key, f->value[0]);
    } else if (strcmp(field_form_info(f)->json, "boolean") == 0) {
        pretty_bool(&s->w, key, f->value[0] != 0);
    } else {
        field_number_store(f, f->value[0], &word);
        if (field_form(f) == FORM_FLAGS) {
            flags_default(s, f, key, word);
            return;
        }
        field_value_text(f, &word, false, text);
        pretty_text(&s->w, key, text);
    }
}

static void field_default(Schema* s, const Field* f) {
    const Field element = field_element(f);
    if (f->required || field_is_link(f)) return;
    if (!field_is_array(f)) {
        element_default(s, f, "default");
        return;
    }
    pretty_array(&s->w, "default");
    for (u32 i = 0; i < field_elements(f); i++) element_default(s, &element, NULL);
    pretty_end(&s->w);
}

/* Keywords of entc, which validators and editors ignore: for tools that offer the fields to an author. */
static void hints_put(Schema* s, const Field* f) {
    const FieldForm form = field_form(f);
    if (*f->unit) pretty_text(&s->w, "x-unit", f->unit);
    if (f->axes != ENT_AXES_NONE) pretty_text(&s->w, "x-axes", axes_name(f->axes));
    if (form == FORM_ENTITY || form == FORM_PERSISTENT)
        pretty_text(&s->w, "x-refers-to", "entity");
    else if (form == FORM_RESOURCE)
        pretty_text(&s->w, "x-refers-to",
                    f->refers_to ? ent_resource_suffix(f->refers_to) : "resource");
}

void field_schema(Schema* s, const RecordType* type, const Field* f, const char* key) {
    pretty_object(&s->w, key);
    title_put(s, arena_print(&s->arena, "%s.%s", type->name, f->name), field_text(s, f));
    value_schema(&s->w, f);
    field_default(s, f);
    hints_put(s, f);
    pretty_end(&s->w);
}

void fields_schema(Schema* s, const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++)
        field_schema(s, type, &type->fields[i], type->fields[i].name);
}

void required_put(Schema* s, const RecordType* type) {
    const char** names = ARENA_NEW(&s->arena, const char*, type->field_count + 1);
    u32          count = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        if (type->fields[i].required) names[count++] = type->fields[i].name;
    }
    if (count) pretty_texts(&s->w, "required", names, count);
}
