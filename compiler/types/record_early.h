/* record_early.h - converts a component of the usual form while its source is read for the first
 * time, so that its text is not read again when instances are written.
 *
 * The usual form: every key is the name of a field and occurs once, every value is a valid number, an
 * array of numbers, a word, or a string of plain characters; no reference except to a resource.
 * Everything else, and whatever has to be reported, is left to the reader of records: it is as if the
 * component had not been looked at. The values are exactly those of that reader. */
#ifndef ENTC_RECORD_EARLY_H
#define ENTC_RECORD_EARLY_H

#include "blob.h"
#include "json.h"

#define EARLY_FIELDS_MAX 16
#define EARLY_BYTES_MAX  128 /* of a record */

typedef struct EarlyField {
    JsonName name; /* without bytes if it is not read early */
    f32      lo, hi;
    u16      offset; /* in the record */
    u8       form;   /* FieldForm */
    u8       words;
} EarlyField;

/* What is known of a type before its components are read. */
typedef struct EarlyType {
    const Field* fields;       /* NULL: its components are not read early */
    u32          count, bytes; /* of the fields, of a record */
    u32          resources;    /* bit f: field f refers to a resource */
    EarlyField   field[EARLY_FIELDS_MAX];
    _Alignas(8) u8 defaults[EARLY_BYTES_MAX];
} EarlyType;

void early_type_open(EarlyType* type, const RecordType* record);

/* The strings of one text that were read before, by any thread, so that equal ones are usually
 * represented by one of them. */
typedef struct EarlyTexts {
    const char* text;
    u32         bytes; /* of the text */
    u64* slot;  /* [slots], zeroed: a part of a hash, and the offset of a string below it; atomic */
    u32  slots; /* a power of two */
} EarlyTexts;

/* The number of slots for a text of so many bytes. */
u32 early_texts_slots(u32 bytes);

/* Reads the object at `at` into `record` [bytes of the record]; instead of a reference to a resource, it
 * receives the offset of a string that is equal to its name. Returns the end of the object, and
 * in `given` a bit for each field that it contains; or NULL: the component is not of the usual form.
 * `end` is that of the text. */
const char* record_read_early(const EarlyType* type, const char* at, const char* end,
                              EarlyTexts* texts, u8* record, u32* given);

#endif
