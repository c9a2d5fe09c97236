/* field_forms.h - for each form of a field: how its value is read from JSON, and its schema. */
#ifndef ENTC_FIELD_FORMS_H
#define ENTC_FIELD_FORMS_H

#include <math.h>
#include <stdio.h>

#include "field_scan.h"
#include "pretty.h"
#include "registry.h"

#define NAME_SEGMENT "[a-z0-9_-]+"
#define NAME_PATTERN NAME_SEGMENT "(/" NAME_SEGMENT ")*"
#define PATH_PATTERN "^[^/]+(/[^/]+)*$"

/* The functions of a form.
 *
 *   read      the value to the words of the field, or a diagnostic; the words are not changed then
 *   schema    adds the keywords of the value to the current schema
 *   describe  sentences for the description, each with a space after it */
typedef struct FieldFormCompiler {
    void (*read)(Instance* in, const JsonToken* value, const Field* f, u8* to);
    void (*schema)(Pretty* w, const Field* f);
    void (*describe)(const Field* f, FILE* out);
} FieldFormCompiler;

extern const FieldFormCompiler field_form_compilers[FORM_COUNT];

static inline const FieldFormCompiler* field_form_compiler(const Field* f) {
    return &field_form_compilers[field_form(f)];
}

/* --- reading --- */

/* Reports a value of another kind than `wanted`. */
void value_wrong_kind(Instance* in, const JsonToken* value, const Field* f, const char* wanted);

/* Is the value of this kind? Reports when not. */
bool value_expect(Instance* in, const JsonToken* value, const Field* f, JsonKind kind);

/* Reads one number within the bounds of the field, or reports why not. */
bool number_read(Instance* in, const JsonToken* value, const Field* f, f64* number);

/* The reader of arrays: every element is read by the form of the field. */
void array_read(Instance* in, const JsonToken* value, const Field* f, u8* to);

/* The reader of forms whose words are numbers. */
void numbers_read(Instance* in, const JsonToken* value, const Field* f, u8* to);

/* --- keywords of a schema: each function adds some to the current schema --- */

void type_put(Pretty* w, const char* type,
              const char* or_else); /* or_else: a second one, or NULL */
void pattern_put(Pretty* w, const char* pattern, const char* otherwise);
void resource_name_schema(Pretty* w, const char* or_else);
void entity_name_schema(Pretty* w, const char* or_else);

/* The value of the field: of its form, or an array of these. */
void value_schema(Pretty* w, const Field* f);

/* One number, or an array of numbers, within the bounds of the field. */
void numbers_schema(Pretty* w, const Field* f);

#endif
