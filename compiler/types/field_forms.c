/* field_forms.c - for each form of a field: how JSON is read, the schema of the value, and what a
 * description says about it. */
#include "field_forms.h"

#include "diag.h"

#include <math.h>
#include <stdlib.h>

/* entity_name_fault() */
#define ENTITY_NAME_PATTERN "^(?!\\.{1,2}$)[^#$/\\x00-\\x1f\\x7f][^/\\x00-\\x1f\\x7f]*$"

#define NAME_BYTES_MAX 255

/* --- keywords of a schema --- */

void type_put(Pretty* w, const char* type, const char* or_else) {
    const char* types[] = {type, or_else};
    if (or_else)
        pretty_texts(w, "type", types, 2);
    else
        pretty_text(w, "type", type);
}

void pattern_put(Pretty* w, const char* pattern, const char* otherwise) {
    pretty_text(w, "pattern", pattern);
    pretty_text(w, "patternErrorMessage", otherwise);
}

/* --- arrays --- */

void array_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const Field element = field_element(f);
    const u32   wanted = field_elements(f), errors = diag_error_count(in->diag);
    char        text[FIELD_JSON_BYTES];
    u32         count = 0;
    if (!json_token_is(value, JSON_ARRAY)) {
        value_wrong_kind(in, value, f, field_json(f, text));
        return;
    }
    for (const JsonToken* item = json_first(value); item; item = json_next(item), count++) {
        if (count < wanted)
            field_form_compiler(f)->read(in, item, &element, to + count * element.bytes);
    }
    if (count == wanted || diag_error_count(in->diag) != errors) return;
    diag_error(in->diag, E0202, in->source, json_token_offset(in->source, value), 1,
               "%s must be %s, but has %u", f->name, field_json(f, text), count);
}

void value_schema(Pretty* w, const Field* f) {
    const Field element = field_element(f);
    if (!field_is_array(f)) {
        field_form_compiler(f)->schema(w, f);
        return;
    }
    type_put(w, "array", NULL);
    pretty_number(w, "minItems", field_elements(f));
    pretty_number(w, "maxItems", field_elements(f));
    pretty_object(w, "items");
    field_form_compiler(f)->schema(w, &element);
    pretty_end(w);
}

/* --- numbers --- */

/* A number is compared after conversion to a 32-bit float, so a number that rounds to a bound is
 * valid. The bound in the schema is the last number that does: halfway to the next float, which rounds
 * to the one whose last bit is 0, or the number before that. */
static f64 bound_outward(f64 bound, f32 toward) {
    if (bound == 0) return 0;
    const f32 inside = (f32)bound;
    const f64 last = ((f64)inside + (f64)nextafterf(inside, toward)) / 2;
    return (f32)last == inside ? last : nextafter(last, inside);
}

static void bounds_put(Pretty* w, const Field* f) {
    const bool is_integer = !field_is_float(f);
    if (is_integer || f->lo > LOW) {
        pretty_number_exact(w, "minimum", is_integer ? f->lo : bound_outward(f->lo, (f32)LOW));
    }
    if (is_integer || f->hi < HIGH) {
        pretty_number_exact(w, "maximum", is_integer ? f->hi : bound_outward(f->hi, (f32)HIGH));
    }
}

void numbers_schema(Pretty* w, const Field* f) {
    const u32 words = field_words(f);
    if (words > 1) {
        type_put(w, "array", NULL);
        pretty_number(w, "minItems", words);
        pretty_number(w, "maxItems", words);
        pretty_object(w, "items");
    }
    type_put(w, !field_is_float(f) ? "integer" : "number", NULL);
    bounds_put(w, f);
    if (words > 1) pretty_end(w);
}

static void numbers_describe(const Field* f, FILE* out) {
    char lo[32], hi[32];
    if (f->lo == LOW && f->hi == HIGH) return;
    fprintf(out, "Range: %s to %s. ", number_text(f->lo, lo), number_text(f->hi, hi));
}

/* --- choices --- */

static void bool_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const JsonKind kind = json_token_kind(value);
    if (kind == JSON_TRUE || kind == JSON_FALSE)
        field_number_store(f, kind == JSON_TRUE, to);
    else
        value_wrong_kind(in, value, f, field_kind(f)->json);
}

static void bool_schema(Pretty* w, const Field* f) {
    UNUSED(f);
    type_put(w, "boolean", NULL);
}

/* "a, b, c" */
static void texts_print(char* list, size_t room, const char* const* texts, u32 count) {
    size_t used = 0;
    *list = 0;
    for (u32 i = 0; i < count; i++) {
        const int wrote = snprintf(list + used, room - used, "%s%s", i ? ", " : "", texts[i]);
        used = MIN_OF(used + (size_t)MAX_OF(wrote, 0), room - 1);
    }
}

static void enum_report(const Instance* in, const JsonToken* value, const Field* f) {
    const Text  text = json_token_string(value).raw;
    char        list[256];
    const char* near = diag_nearest(text, f->texts, f->text_count);
    texts_print(list, sizeof list, f->texts, f->text_count);
    diag_error(in->diag, E0205, in->source, json_token_offset(in->source, value), value->bytes,
               "invalid value \"%.*s\" for %s; expected %s%s%s%s", (int)text.bytes, text.at,
               f->name, list, DIAG_NEAREST(near));
}

static void enum_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    if (!value_expect(in, value, f, JSON_STRING)) return;
    const u32 index = enum_index(f, json_token_string(value));
    if (index == NONE)
        enum_report(in, value, f);
    else
        memcpy(to, &index, 4);
}

static void enum_schema(Pretty* w, const Field* f) {
    pretty_texts(w, "enum", f->texts, f->text_count);
}

/* The texts of all flags that are set. */
static void flags_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const u32 errors = diag_error_count(in->diag);
    Field     one = *f; /* an enum of the same texts */
    u32       flags = 0;
    one.kind = FIELD_Enum32;
    if (!value_expect(in, value, f, JSON_ARRAY)) return;
    for (const JsonToken* item = json_first(value); item; item = json_next(item)) {
        u32 flag = NONE;
        enum_read(in, item, &one, (u8*)&flag);
        if (flag == NONE) continue;
        if (flags >> flag & 1) {
            diag_error(in->diag, E0206, in->source, json_token_offset(in->source, item),
                       (u32)strlen(f->texts[flag]) + 2, "duplicate value \"%s\" for %s",
                       f->texts[flag], f->name);
        }
        flags |= 1u << flag;
    }
    if (diag_error_count(in->diag) == errors) memcpy(to, &flags, 4);
}

static void flags_schema(Pretty* w, const Field* f) {
    type_put(w, "array", NULL);
    pretty_bool(w, "uniqueItems", true);
    pretty_object(w, "items");
    pretty_texts(w, "enum", f->texts, f->text_count);
    pretty_end(w);
}

static void nothing_describe(const Field* f, FILE* out) {
    UNUSED(f);
    UNUSED(out);
}

/* --- references --- */

/* References and names: a string that refers to something else. `null` removes a reference. */
static void link_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const u32 offset = json_token_offset(in->source, value);
    if (json_token_is(value, JSON_NULL) && !f->required) {
        field_null(f, to);
        return;
    }
    if (!value_expect(in, value, f, JSON_STRING)) return;
    const JsonString text = json_token_string(value);
    if (field_form(f) == FORM_RESOURCE) {
        const ResourceRef ref = in->links->resource(in, offset, text, (ResourceType)f->refers_to);
        memcpy(to, &ref, sizeof ref);
        return;
    }
    const u32 word = field_form(f) == FORM_ENTITY ? in->links->entity(in, offset, text)
                     : field_form(f) == FORM_TEXT ? in->links->text(in, offset, text)
                                                  : in->links->name(in, offset, text);
    memcpy(to, &word, 4);
    if (field_form(f) != FORM_TEXT || word != 0 || !f->required) return;
    diag_error(in->diag, E0204, in->source, offset, 2, "%s is required and must not be empty",
               f->name);
}

/* The id itself, or the path of an entity of this file that has one. */
static void persistent_read(Instance* in, const JsonToken* value, const Field* f, u8* to) {
    const JsonKind kind = json_token_kind(value);
    Field          id = *f;
    f64            number;
    u32            word = 0;
    id.lo = 1;
    if (kind == JSON_NUMBER) {
        if (!number_read(in, value, &id, &number)) return;
        word = (u32)number;
    } else if (kind != JSON_NULL || f->required) {
        if (!value_expect(in, value, f, JSON_STRING)) return;
        word = in->links->persistent(in, json_token_offset(in->source, value),
                                     json_token_string(value));
    }
    memcpy(to, &word, 4);
}

void resource_name_schema(Pretty* w, const char* or_else) {
    type_put(w, "string", or_else);
    pattern_put(w, "^" NAME_PATTERN "$",
                "The name of a resource contains a-z, 0-9, '_' and '-', separated by slashes, and "
                "has no suffix.");
    pretty_number(w, "maxLength", NAME_BYTES_MAX);
}

void entity_name_schema(Pretty* w, const char* or_else) {
    type_put(w, "string", or_else);
    pattern_put(w, ENTITY_NAME_PATTERN,
                "A name must not be empty, contain '/' or begin with '#' or '$'.");
    pretty_number(w, "maxLength", NAME_BYTES_MAX);
}

/* null removes a reference. */
static const char* or_null(const Field* f) { return f->required ? NULL : "null"; }

static void entity_schema(Pretty* w, const Field* f) {
    type_put(w, "string", or_null(f));
    pattern_put(w, PATH_PATTERN, "A path consists of names separated by slashes.");
}

static void entity_describe(const Field* f, FILE* out) {
    UNUSED(f);
    fputs("The path of an entity, as in \"house/lamp\". ", out);
}

static void text_schema(Pretty* w, const Field* f) {
    type_put(w, "string", or_null(f));
    if (f->required) pretty_number(w, "minLength", 1);
}

static void name_schema(Pretty* w, const Field* f) { entity_name_schema(w, or_null(f)); }

static void resource_schema(Pretty* w, const Field* f) { resource_name_schema(w, or_null(f)); }

static void resource_describe(const Field* f, FILE* out) {
    fprintf(out, "The name of a %s, as in \"props/lamp\". ",
            f->refers_to ? ent_resource_suffix(f->refers_to) : "resource");
}

static void persistent_schema(Pretty* w, const Field* f) {
    const char* types[] = {"integer", "string", "null"};
    pretty_texts(w, "type", types, f->required ? 2 : 3);
    pretty_number(w, "minimum", 1);
    pretty_number(w, "maximum", f->hi);
    pattern_put(w, PATH_PATTERN, "A path consists of names separated by slashes.");
}

static void persistent_describe(const Field* f, FILE* out) {
    UNUSED(f);
    fputs("A persistent id, or the path of an entity that has one, as in \"house/lamp\". ", out);
}

/* --- all forms --- */

/* A form without a line here is not compiled. */
#define FLOATS_COMPILER     numbers_read, numbers_schema, numbers_describe
#define UNIT_COMPILER       FLOATS_COMPILER
#define INTEGER_COMPILER    FLOATS_COMPILER
#define SIGNED_COMPILER     FLOATS_COMPILER
#define BOOL_COMPILER       bool_read, bool_schema, nothing_describe
#define ENUM_COMPILER       enum_read, enum_schema, nothing_describe
#define FLAGS_COMPILER      flags_read, flags_schema, nothing_describe
#define ENTITY_COMPILER     link_read, entity_schema, entity_describe
#define NAME_COMPILER       link_read, name_schema, nothing_describe
#define RESOURCE_COMPILER   link_read, resource_schema, resource_describe
#define PERSISTENT_COMPILER persistent_read, persistent_schema, persistent_describe
#define TEXT_COMPILER       link_read, text_schema, nothing_describe

#define FORM_COMPILER(form, ...) {form##_COMPILER},
const FieldFormCompiler field_form_compilers[FORM_COUNT] = {RECORD_FIELD_FORMS(FORM_COMPILER)};
