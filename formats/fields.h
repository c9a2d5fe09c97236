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

#define LOW  (-3.402823466e38)
#define HIGH 3.402823466e38
#define ALL  4294967295.0 /* highest u32 */
#define ID31 2147483647.0 /* highest persistent id */

#define PLAIN               .refers_to = 0
#define ENUM(LIST)          .texts = LIST##_TEXTS, .text_count = (u32)COUNT_OF(LIST##_TEXTS)
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

#define ENUM_TEXT(name, text) text,
#define ENUM_NAME(name, text) name,

/* How the words of a field are read. */
typedef enum FieldForm {
    FORM_FLOATS,
    FORM_UNIT, /* floats, the sum of whose squares is 1 */
    FORM_WHOLE,
    FORM_BOOL,
    FORM_ENUM,
    FORM_ENTITY, /* from here on: references, which have no default */
    FORM_NAME,
    FORM_RESOURCE,
    FORM_PERSISTENT
} FieldForm;

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
static inline bool field_is_float(const Field* f) { return field_form(f) <= FORM_UNIT; }
static inline bool field_is_link(const Field* f) { return field_form(f) >= FORM_ENTITY; }
static inline bool field_is_bounded(const Field* f) { return field_kind(f)->is_bounded; }
static inline u32  field_words(const Field* f) { return f->bytes / 4; }

/* The kind whose C type has this name, or FIELD_KIND_COUNT. */
FieldKind field_kind_named(const char* type);

/* Does another kind have the same word in declarations, with another count? */
bool field_kind_is_counted(FieldKind kind);

/* The kind of a word and a count in a declaration, or FIELD_KIND_COUNT. */
FieldKind field_kind_declared(const char* declared, u32 count);

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

/* Are the words of one field valid for its kind and in range? NULL, or the reason why not,
 * as text. */
const char* field_fault(const Field* field, const void* words);

/* The index of the first invalid field among `count` fields at a distance of `stride` bytes, or
 * `count`. */
u32 field_first_fault(const Field* field, const void* first, u32 count, u32 stride);

#endif
