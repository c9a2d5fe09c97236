/* conversion.h - converts instances that were written under an older declaration of their component
 * type. Private to formats, the runtime and the compiler.
 *
 * Fields are matched by name, or by a name that the newer declaration states as an older one; texts
 * of enums and flags likewise. Numbers are converted to the type of the new field: rounded if it is
 * whole, and limited to its bounds. What has no source becomes the default, and 0 if there is none.
 *
 *     Conversion c;
 *     conversion_plan(&c, &old_type, &new_type);
 *     if (conversion_fault(&c)) ..                  why it is not possible, for any instance
 *     conversion_run(&c, &from, &to);               `to` has room for as many instances
 *     conversion_report(&c, line_print, NULL);      what was dropped or changed
 *
 * Rules for all of them: no allocation; the result depends on the two types and the values alone. */
#ifndef ENT_CONVERSION_H
#define ENT_CONVERSION_H

#include "base.h"
#include "component_type.h"
#include "declaration.h"

#define CONVERSION_NO_TEXT UINT16_MAX

typedef struct ConversionField {
    u32 from;    /* index of the old field, or NONE: the default */
    u32 text;    /* of an enum or flags: where the new numbers of its old texts begin; NONE:
                     they are searched for */
    u32 changed; /* values that were rounded or limited, or whose text does not exist any more */
    u32 missing; /* values that are required, and are none or invalid */
} ConversionField;

typedef struct Conversion {
    const ComponentType *from, *to;
    ConversionField      field[COMPONENT_FIELDS_MAX]; /* [fields of `to`] */
    u16                  text[DECLARATION_TEXTS_MAX]; /* new numbers of old texts */
    u32                  surplus; /* instances beyond the first one of an entity */
} Conversion;

/* Instances in columns of one type. */
typedef struct ConversionRows {
    u32  count;
    u32* owner; /* [count] ascending */
    u8*  column[COMPONENT_FIELDS_MAX];
} ConversionRows;

/* Is one declaration an older version of the other, by the name of the component? */
bool conversion_is_former(const ComponentType* type, u32 id);

/* The index of the old field that a field of the new type is found by, also if its values cannot be
 * converted; NONE: there is none. */
u32 conversion_source(const ComponentType* from, const ComponentType* to, u32 field);

/* The number that an old text has in the new field, or CONVERSION_NO_TEXT. */
u16 conversion_text(const ComponentType* to, u32 field, const char* text);
/* The same for all texts of an old field: target[from->text_count]. In linear time. */
void conversion_texts(const ComponentType* to, u32 field, const Field* from, u16* target);

/* Can values of one field become values of the other? */
bool conversion_is_possible(const Field* from, const Field* to);

/* Is an element of a required field null or invalid, after the conversion? Its words are 0 where they
 * have no source, because the field has no default. The null entity is valid. */
bool conversion_is_missing(const Field* one, const void* words);

void conversion_plan(Conversion* conversion, const ComponentType* from, const ComponentType* to);

/* The first field of `to` that is required, without a source in `from`; NULL: there is none. */
const Field* conversion_fault(const Conversion* conversion);

/* Converts all instances. `to` has memory for from->count of them, and receives the number: fewer
 * only when the new type allows a single instance per entity. Returns the first field that is
 * required and of which an instance has no value, or NULL. */
const Field* conversion_run(Conversion* conversion, const ConversionRows* from, ConversionRows* to);

/* Calls the function with a sentence about each loss: fields that were dropped and values that were
 * changed; before conversion_run only what follows from the types. */
#define CONVERSION_LINE_BYTES 256
void conversion_report(const Conversion* conversion, void (*line)(void* user, const char* text),
                       void*             user);

#endif
