/* schema_declare.c - the schema of a component declaration. Each type of a field has its own keys,
 * so an editor suggests them after "type" is written. */
#include "declare.h"
#include "schema_internal.h"

#define IDENTIFIER_PATTERN "^[a-z]([a-z0-9]|_[a-z0-9])*$"
#define ENUM_TEXT_PATTERN  "^[a-z0-9]([a-z0-9]|_[a-z0-9])*$"

static void line_schema(Schema* s) {
    type_put(&s->w, "string", NULL);
    pattern_put(&s->w, "^[^\\x00-\\x1f\\x7f]*$",
                "It must be a single line without control characters.");
    pretty_number(&s->w, "maxLength", DECLARATION_CONTENT_MAX);
}

static void complete_schema(Schema* s, f64 lo, f64 hi) {
    type_put(&s->w, "integer", NULL);
    pretty_number(&s->w, "minimum", lo);
    pretty_number(&s->w, "maximum", hi);
}

/* Of the type of the field; only entc checks that it is consistent with "count", "enum", "min" and
 * "max". */
static void declared_default_schema(Schema* s, FieldKind kind) {
    const FieldKindInfo* info = &field_kinds[kind];
    const Field f = {.kind = kind, .bytes = 4 * info->words, .lo = info->lo, .hi = info->hi};
    if (info->form == FORM_FLAGS) {
        type_put(&s->w, "array", NULL);
        pretty_bool(&s->w, "uniqueItems", true);
        pretty_object(&s->w, "items");
        type_put(&s->w, "string", NULL);
        pretty_end(&s->w);
    } else if (!field_has_numbers(&f)) {
        type_put(&s->w, field_form_info(&f)->json, NULL);
    } else if (!field_kind_is_counted(kind)) {
        numbers_schema(&s->w, &f);
    } else {
        type_put(&s->w, "number", "array");
        pretty_number(&s->w, "minItems", 2);
        pretty_number(&s->w, "maxItems", 4);
        pretty_object(&s->w, "items");
        type_put(&s->w, "number", NULL);
        pretty_end(&s->w);
    }
}

static void enum_text_schema(Schema* s) {
    type_put(&s->w, "string", NULL);
    pattern_put(&s->w, ENUM_TEXT_PATTERN,
                "An enum value may contain only a-z, 0-9 and single '_'.");
    pretty_number(&s->w, "maxLength", DECLARATION_NAME_MAX);
}

static void older_name_schema(Schema* s, const char* pattern) {
    type_put(&s->w, "string", NULL);
    pattern_put(&s->w, pattern, "A name may contain only a-z, 0-9 and single '_'.");
    pretty_number(&s->w, "maxLength", DECLARATION_NAME_MAX);
}

/* A name, or an array of names. */
static void was_schema(Schema* s, const char* pattern) {
    pretty_array(&s->w, "anyOf");
    pretty_object(&s->w, NULL);
    older_name_schema(s, pattern);
    pretty_end(&s->w);
    pretty_object(&s->w, NULL);
    type_put(&s->w, "array", NULL);
    pretty_object(&s->w, "items");
    older_name_schema(s, pattern);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_end(&s->w);
}

/* { "name": "fire", "was": "flame" } */
static void enum_value_schema(Schema* s) {
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    pretty_object(&s->w, "name");
    enum_text_schema(s);
    pretty_end(&s->w);
    pretty_object(&s->w, "was");
    was_schema(s, ENUM_TEXT_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
    keys_close(s);
    pretty_texts(&s->w, "required", (const char* const[]){"name"}, 1);
}

static void declared_enum_schema(Schema* s, FieldKind kind) {
    type_put(&s->w, "array", NULL);
    pretty_number(&s->w, "minItems", 1);
    if (field_kinds[kind].form == FORM_FLAGS) pretty_number(&s->w, "maxItems", FIELD_FLAGS_MAX);
    pretty_bool(&s->w, "uniqueItems", true);
    pretty_object(&s->w, "items");
    pretty_array(&s->w, "anyOf");
    pretty_object(&s->w, NULL);
    enum_text_schema(s);
    pretty_end(&s->w);
    pretty_object(&s->w, NULL);
    enum_value_schema(s);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_end(&s->w);
}

static void declared_was_schema(Schema* s, FieldKind kind) {
    UNUSED(kind);
    was_schema(s, IDENTIFIER_PATTERN);
}

static void declared_bound_schema(Schema* s, FieldKind kind) {
    const FieldKindInfo* info = &field_kinds[kind];
    if (!field_forms[info->form].is_float)
        complete_schema(s, info->lo, info->hi);
    else
        type_put(&s->w, "number", NULL);
}

static void declared_count_schema(Schema* s, FieldKind kind) {
    UNUSED(kind);
    complete_schema(s, 1, 4);
}

static void declared_array_schema(Schema* s, FieldKind kind) {
    UNUSED(kind);
    complete_schema(s, 2, RECORD_ARRAY_MAX);
}

static void declared_line_schema(Schema* s, FieldKind kind) {
    UNUSED(kind);
    line_schema(s);
}

static void declared_resource_schema(Schema* s, FieldKind kind) {
    const char* suffixes[RESOURCE_COUNT];
    const u32   count = resource_suffixes(suffixes);
    UNUSED(kind);
    pretty_texts(&s->w, "enum", suffixes, count);
}

static void declared_truth_schema(Schema* s, FieldKind kind) {
    UNUSED(kind);
    type_put(&s->w, "boolean", NULL);
}

static void declared_axes_schema(Schema* s, FieldKind kind) {
    const char* words[ENT_AXES_ROTATION + 1];
    const u32   count = declaration_axes(kind, words);
    pretty_texts(&s->w, "enum", words, count);
}

/* The values of the keys of a field; declare.c defines for which types the keys are valid. */
static const struct {
    const char *name, *text;
    void (*write)(Schema* s, FieldKind kind);
} declared_keys[] = {
    {"count", "The number of components: 1 is a number, 2 to 4 a vector.", declared_count_schema},
    {"array", "The number of elements, for an array of values of this type.",
     declared_array_schema},
    {"default", "The value when JSON omits the field; of an array the value of each element.",
     declared_default_schema},
    {"min", "The smallest valid value.", declared_bound_schema},
    {"max", "The largest valid value.", declared_bound_schema},
    {"unit", "The unit, as in \"m/s\".", declared_line_schema},
    {"text", "The meaning, in one line.", declared_line_schema},
    {"enum", "The valid values.", declared_enum_schema},
    {"was", "An older name of the field, or an array of them, for blobs that have it.",
     declared_was_schema},
    {"resource", "The type of resource that the field refers to.", declared_resource_schema},
    {"axes",
     "What the vector is in space: vectors in custom properties of models that were written with "
     "the axis z up are converted accordingly.",
     declared_axes_schema},
    {"required", "JSON must define the field; there is no default.", declared_truth_schema},
};

/* "type" is described together with all types. */
static void declared_key_schema(Schema* s, FieldKind kind, const char* key) {
    pretty_object(&s->w, key);
    for (u32 i = 0; i < COUNT_OF(declared_keys); i++) {
        if (strcmp(declared_keys[i].name, key) != 0) continue;
        title_put(s, key, declared_keys[i].text);
        declared_keys[i].write(s, kind);
    }
    pretty_end(&s->w);
}

/* Rejects a field in which "required" is `value` and "default" is present, or absent. */
static void default_refused(Schema* s, bool value, bool has_default, const char* otherwise) {
    pretty_object(&s->w, NULL);
    pretty_object(&s->w, "not");
    pretty_object(&s->w, "properties");
    pretty_object(&s->w, "required");
    pretty_bool(&s->w, "const", value);
    pretty_end(&s->w);
    if (!has_default) pretty_bool(&s->w, "default", false);
    pretty_end(&s->w);
    pretty_texts(&s->w, "required", (const char* const[]){"required", "default"}, 1 + has_default);
    pretty_end(&s->w);
    pretty_text(&s->w, "errorMessage", otherwise);
    pretty_end(&s->w);
}

static void declared_type_schema(Schema* s, FieldKind kind) {
    const FieldForm form = field_kinds[kind].form;
    const char*     keys[DECLARATION_KEYS_MAX];
    const u32       count = declaration_keys(kind, keys);
    bool            defaults = false;
    pretty_object(&s->w, "properties");
    for (u32 i = 0; i < count; i++) {
        declared_key_schema(s, kind, keys[i]);
        defaults |= strcmp(keys[i], "default") == 0;
    }
    pretty_end(&s->w);
    keys_close(s);
    if (form == FORM_ENUM || form == FORM_FLAGS) {
        pretty_texts(&s->w, "required", (const char* const[]){"enum"}, 1);
    } else if (form == FORM_RESOURCE) { /* the key is named as the type is */
        pretty_texts(&s->w, "required", &field_kinds[kind].declared, 1);
    }
    if (!defaults) return;
    pretty_array(&s->w, "allOf");
    default_refused(s, true, true,
                    "A required field cannot have a default; remove one of the two.");
    if (form != FORM_UNIT) /* the default of a quaternion is the identity */
        default_refused(s, false, false, "A field that is not required needs a \"default\".");
    pretty_end(&s->w);
}

static void declared_field_schema(Schema* s) {
    FieldKind   kinds[FIELD_KIND_COUNT];
    const char* types[FIELD_KIND_COUNT];
    const u32   count = declaration_types(kinds);
    assert(count <= FIELD_KIND_COUNT); /* each kind once */
    for (u32 i = 0; i < count; i++) types[i] = field_kinds[kinds[i]].declared;
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    pretty_object(&s->w, "type");
    title_put(s, "type", "The type of the field.");
    pretty_texts(&s->w, "enum", types, count);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_texts(&s->w, "required", (const char* const[]){"type"}, 1);
    pretty_array(&s->w, "allOf");
    for (u32 i = 0; i < count; i++) {
        pretty_object(&s->w, NULL);
        pretty_object(&s->w, "if");
        pretty_object(&s->w, "properties");
        pretty_object(&s->w, "type");
        pretty_text(&s->w, "const", types[i]);
        pretty_end(&s->w);
        pretty_end(&s->w);
        pretty_texts(&s->w, "required", (const char* const[]){"type"}, 1);
        pretty_end(&s->w);
        pretty_object(&s->w, "then");
        declared_type_schema(s, kinds[i]);
        pretty_end(&s->w);
        pretty_end(&s->w);
    }
    pretty_end(&s->w);
}

void component_file_schema(Schema* s) {
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    pretty_object(&s->w, "text");
    title_put(s, "text", "The purpose of the component, in one line.");
    line_schema(s);
    pretty_end(&s->w);
    pretty_object(&s->w, "several");
    title_put(s, "several", "Whether an entity may have multiple instances.");
    type_put(&s->w, "boolean", NULL);
    pretty_end(&s->w);
    pretty_object(&s->w, "order");
    title_put(s, "order", "The spawn order: components with a lower number are spawned first.");
    complete_schema(s, 0, DECLARATION_ORDER_MAX);
    pretty_end(&s->w);
    pretty_object(&s->w, "was");
    title_put(s, "was", "An older name of the component, or an array of them.");
    was_schema(s, IDENTIFIER_PATTERN);
    pretty_end(&s->w);
    pretty_object(&s->w, "fields");
    title_put(s, "fields", "The fields by name, in the order of the record.");
    type_put(&s->w, "object", NULL);
    pretty_number(&s->w, "minProperties", 1);
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_object(&s->w, IDENTIFIER_PATTERN);
    declared_field_schema(s);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_bool(&s->w, "additionalProperties", false);
    pretty_text(
        &s->w, "errorMessage",
        "The name of a field must begin with a-z and contain only a-z, 0-9 and single '_'.");
    pretty_end(&s->w);
    pretty_end(&s->w);
    keys_close(s);
    pretty_texts(&s->w, "required", (const char* const[]){"fields"}, 1);
}
