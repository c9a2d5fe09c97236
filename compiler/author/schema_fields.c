/* schema_fields.c - the schema of a field table: kinds, bounds, enum values, defaults and
 * descriptions. */
#include <math.h>
#include <stdlib.h>

#include "print.h"
#include "schema_internal.h"

/* entity_name_fault() */
#define ENTITY_NAME_PATTERN "^(?!\\.{1,2}$)[^#$/\\x00-\\x1f\\x7f][^/\\x00-\\x1f\\x7f]*$"

#define NAME_BYTES_MAX 255

/* --- keywords --- */

void title_put(Schema* s, const char* title, const char* text) {
    pretty_text(&s->w, "title", title);
    if (*text) pretty_text(&s->w, "description", text);
}

void type_put(Schema* s, const char* type, const char* or_else) {
    const char* types[] = {type, or_else};
    if (or_else)
        pretty_texts(&s->w, "type", types, 2);
    else
        pretty_text(&s->w, "type", type);
}

void pattern_put(Schema* s, const char* pattern, const char* otherwise) {
    pretty_text(&s->w, "pattern", pattern);
    pretty_text(&s->w, "patternErrorMessage", otherwise);
}

void reference_put(Schema* s, const char* key, const char* prefix, const char* name) {
    pretty_object(&s->w, key);
    pretty_text(&s->w, "$ref", arena_print(&s->arena, "#/definitions/%s%s", prefix, name));
    pretty_end(&s->w);
}

void keys_close(Schema* s) {
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
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

static bool has_numbers(const Field* f) { return field_form(f) <= FORM_WHOLE; }

/* "distance beyond which nothing is lit. Unit: m. Range: 0.001 to 1000000. Default: 10." */
static const char* field_text(Schema* s, const Field* f) {
    char  lo[32], hi[32];
    Print print;
    FILE* out = print_begin(&print);
    if (*f->text) fprintf(out, "%s. ", f->text);
    if (*f->unit) fprintf(out, "Unit: %s. ", f->unit);
    if (field_form(f) == FORM_RESOURCE) {
        fprintf(out, "The name of a %s, as in \"props/lamp\". ",
                f->refers_to ? ent_resource_suffix(f->refers_to) : "resource");
    } else if (field_form(f) == FORM_ENTITY) {
        fputs("The path of an entity, as in \"house/lamp\". ", out);
    } else if (field_form(f) == FORM_PERSISTENT) {
        fputs("A persistent id, or the path of an entity that has one, as in \"house/lamp\". ",
              out);
    } else if (has_numbers(f) && (f->lo != LOW || f->hi != HIGH)) {
        fprintf(out, "Range: %s to %s. ", number_text(f->lo, lo), number_text(f->hi, hi));
    }
    if (f->required)
        fputs("Required.", out);
    else if (has_numbers(f)) {
        fputs("Default:", out);
        for (u32 i = 0; i < field_words(f); i++) {
            fprintf(out, " %s", number_text(f->value[i], lo));
        }
        fputc('.', out);
    } else if (field_form(f) == FORM_ENUM) {
        fprintf(out, "Default: %s.", f->texts[(u32)f->value[0]]);
    } else if (field_form(f) == FORM_BOOL) {
        fprintf(out, "Default: %s.", f->value[0] != 0 ? "true" : "false");
    }
    const char* kept = arena_text(&s->arena, print_end(&print));
    print_drop(&print);
    return kept;
}

static void field_default(Schema* s, const Field* f) {
    if (f->required || field_is_link(f)) return;
    if (field_form(f) == FORM_ENUM)
        pretty_text(&s->w, "default", f->texts[(u32)f->value[0]]);
    else if (field_form(f) == FORM_BOOL)
        pretty_bool(&s->w, "default", f->value[0] != 0);
    else if (field_words(f) > 1)
        pretty_numbers(&s->w, "default", f->value, field_words(f));
    else
        pretty_number(&s->w, "default", f->value[0]);
}

/* A number is compared after conversion to a 32-bit float, so a number that rounds to a bound is
 * valid. The bound in the schema is the next number of 8 digits that does not round to it. */
static f64 bound_outward(f64 bound, f32 toward) {
    char text[32];
    if (bound == 0) return 0;
    const f32 inside = (f32)bound;
    const f64 last = ((f64)inside + (f64)nextafterf(inside, toward)) / 2;
    snprintf(text, sizeof text, "%.7e", last);
    f64 value = strtod(text, NULL);
    if (toward > 0 ? value < last : value > last) {
        const f64 step = pow(10, strtod(strchr(text, 'e') + 1, NULL) - 7);
        snprintf(text, sizeof text, "%.7e", value + (toward > 0 ? step : -step));
        value = strtod(text, NULL);
    }
    return value;
}

static void bounds_put(Schema* s, const Field* f) {
    const bool whole = !field_is_float(f);
    if (whole || f->lo > LOW) {
        pretty_number(&s->w, "minimum", whole ? f->lo : bound_outward(f->lo, (f32)LOW));
    }
    if (whole || f->hi < HIGH) {
        pretty_number(&s->w, "maximum", whole ? f->hi : bound_outward(f->hi, (f32)HIGH));
    }
}

void numbers_schema(Schema* s, const Field* f) {
    const u32 words = field_words(f);
    if (words > 1) {
        type_put(s, "array", NULL);
        pretty_number(&s->w, "minItems", words);
        pretty_number(&s->w, "maxItems", words);
        pretty_object(&s->w, "items");
    }
    type_put(s, !field_is_float(f) ? "integer" : "number", NULL);
    bounds_put(s, f);
    if (words > 1) pretty_end(&s->w);
}

void resource_name_schema(Schema* s, const char* or_else) {
    type_put(s, "string", or_else);
    pattern_put(s, "^" NAME_PATTERN "$",
                "The name of a resource contains a-z, 0-9, '_' and '-', separated by slashes, and "
                "has no suffix.");
    pretty_number(&s->w, "maxLength", NAME_BYTES_MAX);
}

void entity_name_schema(Schema* s, const char* or_else) {
    type_put(s, "string", or_else);
    pattern_put(s, ENTITY_NAME_PATTERN,
                "A name must not be empty, contain '/' or begin with '#' or '$'.");
    pretty_number(&s->w, "maxLength", NAME_BYTES_MAX);
}

/* null removes a reference. */
static void link_schema(Schema* s, const Field* f) {
    const char* or_else = f->required ? NULL : "null";
    if (field_form(f) == FORM_RESOURCE) {
        resource_name_schema(s, or_else);
    } else if (field_form(f) == FORM_NAME) {
        entity_name_schema(s, or_else);
    } else if (field_form(f) == FORM_PERSISTENT) {
        const char* types[] = {"integer", "string", "null"};
        pretty_texts(&s->w, "type", types, f->required ? 2 : 3);
        pretty_number(&s->w, "minimum", 1);
        pretty_number(&s->w, "maximum", f->hi);
        pattern_put(s, PATH_PATTERN, "A path consists of names separated by slashes.");
    } else {
        type_put(s, "string", or_else);
        pattern_put(s, PATH_PATTERN, "A path consists of names separated by slashes.");
    }
}

static void field_schema(Schema* s, const RecordType* type, const Field* f) {
    pretty_object(&s->w, f->name);
    title_put(s, arena_print(&s->arena, "%s.%s", type->name, f->name), field_text(s, f));
    if (field_form(f) == FORM_ENUM) {
        pretty_texts(&s->w, "enum", f->texts, f->text_count);
    } else if (field_form(f) == FORM_BOOL) {
        type_put(s, "boolean", NULL);
    } else if (field_is_link(f)) {
        link_schema(s, f);
    } else {
        numbers_schema(s, f);
    }
    field_default(s, f);
    pretty_end(&s->w);
}

void fields_schema(Schema* s, const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++) field_schema(s, type, &type->fields[i]);
}

void required_put(Schema* s, const RecordType* type) {
    const char** names = ARENA_NEW(&s->arena, const char*, type->field_count + 1);
    u32          count = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        if (type->fields[i].required) names[count++] = type->fields[i].name;
    }
    if (count) pretty_texts(&s->w, "required", names, count);
}
