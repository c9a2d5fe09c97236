/* fields.h - expands field lists into field tables, and declares queries on a table. Private. */
#ifndef ENT_FIELDS_H
#define ENT_FIELDS_H

#include "base.h"
#include "component_type.h"

#define V1(a)                                                                                      \
    { a }
#define V2(a, b)                                                                                   \
    { a, b }
#define V3(a, b, c)                                                                                \
    { a, b, c }
#define V4(a, b, c, d)                                                                             \
    { a, b, c, d }
#define REQUIRED {0}, .required = 1
#define NO_ENTITY                                                                                  \
    { 4294967295.0 }
#define NO_RESOURCE                                                                                \
    { 0 }
#define NO_NAME                                                                                    \
    { 0 }
#define NO_PERSISTENT                                                                              \
    { 0 }
#define NO_TEXT                                                                                    \
    { 0 }

#define LOW      (-3.402823466e38)
#define HIGH     3.402823466e38
#define ALL      4294967295.0 /* highest u32 */
#define I32_LOW  (-2147483648.0)
#define I32_HIGH 2147483647.0
#define ID31     2147483647.0 /* highest persistent id */

#define PLAIN                 .refers_to = 0
#define AXES(kind)            .axes = ENT_AXES_##kind /* of a vector, see EntAxes */
#define ENUM_TEXT(name, text) text,
#define ENUM(LIST)                                                                                 \
    .texts = (const char* const[]){LIST(ENUM_TEXT)},                                               \
    .text_count = (u32)COUNT_OF(((const char* const[]){LIST(ENUM_TEXT)}))
#define ENUM_OF(texts_)     .texts = texts_, .text_count = (u32)COUNT_OF(texts_)
#define REFERS_TO(resource) .refers_to = resource
#define TEXT_IN(section)    .refers_to = SECTION_##section /* a u32 that is an offset into it */

#define FIELD_ROW(R, Type, field, fallback, lowest, highest, unit_text, argument, description)     \
    {.name = #field,                                                                               \
     .kind = FIELD_##Type,                                                                         \
     .offset = (u32)offsetof(R, field),                                                            \
     .bytes = (u32)sizeof(Type),                                                                   \
     .value = fallback,                                                                            \
     .lo = lowest,                                                                                 \
     .hi = highest,                                                                                \
     .unit = unit_text,                                                                            \
     .text = description,                                                                          \
     argument},

#define FIELD_ROW_ARRAY(R, count, Type, field, fallback, lowest, highest, unit_text, argument,     \
                        description)                                                               \
    {.name = #field,                                                                               \
     .kind = FIELD_##Type,                                                                         \
     .offset = (u32)offsetof(R, field),                                                            \
     .bytes = (u32)sizeof(Type) * (count),                                                         \
     .value = fallback,                                                                            \
     .lo = lowest,                                                                                 \
     .hi = highest,                                                                                \
     .unit = unit_text,                                                                            \
     .text = description,                                                                          \
     argument},

#define FIELD_FORM_NAME(form, ...) FORM_##form,
typedef enum FieldForm { RECORD_FIELD_FORMS(FIELD_FORM_NAME) FORM_COUNT } FieldForm;
#undef FIELD_FORM_NAME

typedef enum FieldClass { CLASS_NUMBERS, CLASS_CHOICE, CLASS_LINK } FieldClass;

/* A row of RECORD_FIELD_FORMS, with the functions of its form.
 *
 *   number, store  a word as a number, and back; of numbers and choices
 *   holds          can a word hold the number?
 *   fault          NULL, or why the words of an element are invalid
 *   is_valid       are all values of a column valid? It may be faster than fault() for each
 *   print          the text of a word, which is valid; of numbers and choices */
typedef struct FieldFormInfo {
    FieldClass  form_class;
    const char* json;
    bool        is_float;
    f64 (*number)(const void* word);
    void (*store)(f64 number, void* word);
    bool (*holds)(f64 number);
    const char* (*fault)(const Field* field, const u8* words);
    bool (*is_valid)(const Field* field, const u8* first, u32 count, u32 stride);
    u32 (*print)(const Field* field, const u8* word, char* text);
} FieldFormInfo;

extern const FieldFormInfo field_forms[FORM_COUNT];

/* A row of RECORD_FIELD_KINDS, which explains the members. */
typedef struct FieldKindInfo {
    u32         words;
    FieldForm   form;
    bool        is_bounded;
    u32         null_word;
    f64         lo, hi;
    const char *c_type, *declared, *json, *comment;
} FieldKindInfo;

extern const FieldKindInfo field_kinds[FIELD_KIND_COUNT];
extern const char* const   FIELD_KIND_TEXTS[FIELD_KIND_COUNT]; /* "Vec3" */

static inline const FieldKindInfo* field_kind(const Field* f) { return &field_kinds[f->kind]; }
static inline FieldForm            field_form(const Field* f) { return field_kind(f)->form; }
static inline const FieldFormInfo* field_form_info(const Field* f) {
    return &field_forms[field_form(f)];
}
static inline bool field_is_float(const Field* f) { return field_form_info(f)->is_float; }
static inline bool field_has_numbers(const Field* f) {
    return field_form_info(f)->form_class == CLASS_NUMBERS;
}
static inline bool field_is_link(const Field* f) {
    return field_form_info(f)->form_class == CLASS_LINK;
}
static inline bool field_is_bounded(const Field* f) { return field_kind(f)->is_bounded; }
/* Has it texts: is it an enum, or flags? */
static inline bool field_has_texts(const Field* f) {
    return field_form(f) == FORM_ENUM || field_form(f) == FORM_FLAGS;
}
static inline u32 field_words(const Field* f) { return f->bytes / 4; }

/* Elements of an array; any other field is one element. */
static inline u32  field_element_bytes(const Field* f) { return 4 * field_kind(f)->words; }
static inline bool field_is_array(const Field* f) { return f->bytes != field_element_bytes(f); }
static inline u32  field_elements(const Field* f) { return f->bytes / field_element_bytes(f); }

/* The field of a single element, at offset 0. */
Field field_element(const Field* f);

/* Is a bound of the field narrower than that of its kind? */
bool field_has_lowest(const Field* f);
bool field_has_highest(const Field* f);

/* A word of a field without a reference as a number, and back. */
static inline f64 field_number(const Field* f, const void* word) {
    return field_form_info(f)->number(word);
}
static inline void field_number_store(const Field* f, f64 number, void* word) {
    field_form_info(f)->store(number, word);
}

/* The text of a value that is no reference: "0 0.5 1", "true", "point"; as JSON: "[0, 0.5, 1]",
 * "\"point\"". Elements of arrays are separated by commas. A choice that does not exist is printed
 * as a number. Flags have the most characters. */
#define FIELD_TEXT_BYTES 2304
void field_value_text(const Field* field, const void* words, bool json,
                      char text[FIELD_TEXT_BYTES]);

/* The kind whose C type has this name, or FIELD_KIND_COUNT. */
FieldKind field_kind_named(const char* type);

/* Does another kind have the same word in declarations, with another count? */
bool field_kind_is_counted(FieldKind kind);

/* The kind of a word and a count in a declaration, or FIELD_KIND_COUNT. */
FieldKind field_kind_declared(const char* declared, u32 count);

/* What JSON must contain for the field: "an integer", "an array of 4 values, each an integer". */
#define FIELD_JSON_BYTES 96
const char* field_json(const Field* field, char text[FIELD_JSON_BYTES]);

/* Sets the bounds of a field whose kind fixes them, and of a reference the default. */
void field_fix(Field* field);

/* Writes what a reference that refers to nothing holds. */
void field_null(const Field* field, void* words);

/* Is it a reference that refers to nothing? */
bool field_is_null(const Field* field, const void* words);

/* Writes the default of every field; required ones become zero. */
void record_defaults(const RecordType* type, void* record);

/* Hash of names, kinds, sizes and enum texts: two records with one hash have one layout. */
u32 record_layout_hash(const RecordType* type);

/* The highest number of texts of a field of flags. */
#define FIELD_FLAGS_MAX 32

/* Are the words of one field valid for its kind and in range? NULL, or the reason why not,
 * as text. */
const char* field_fault(const Field* field, const void* words);

/* A word of the field is between its bounds if (word ^ (flip where the word is negative)) - least <=
 * range, without signs. */
typedef struct FieldBounds {
    u32 flip, min, range;
} FieldBounds;

/* False when no word is between the bounds. What references have to be besides is not part of it: to
 * resources, entities and texts they have no bounds. */
bool field_bounds(const Field* field, FieldBounds* out);

/* The index of the first invalid field among `count` fields at a distance of `stride` bytes, or
 * `count`. */
u32 field_first_fault(const Field* field, const void* first, u32 count, u32 stride);

#endif
