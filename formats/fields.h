/* fields.h - expands field lists into field tables, and what can be asked of a table. Private. */
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
#define NOBODY                                                                                     \
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

/* How a field's words are to be read. */
static inline bool field_is_float(const Field* f) { return f->kind <= FIELD_Quat; }
static inline u32  field_words(const Field* f) { return f->bytes / 4; }

/* How a host of C declares such a field: "float", "EntVec3". */
const char* field_kind_c_type(FieldKind kind);

/* Writes the default of every field; required ones become zero. */
void record_defaults(const RecordType* type, void* record);

/* Hash of names, kinds, sizes and enum texts: two records with one hash have one layout. */
u32 record_layout_hash(const RecordType* type);

/* One field's words are inside kind and range. NULL, or what is wrong with them, in words. */
const char* field_fault(const Field* field, const void* words);

/* The first bad field among `count` fields that stand `stride` bytes apart, or `count`. */
u32 field_first_fault(const Field* field, const void* first, u32 count, u32 stride);

#endif
