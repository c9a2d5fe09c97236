/* record_early.c - see record_early.h. The position in the text is a value that the functions return, not
 * a member of a cursor, so that it is in a register. */
#include "record_early.h"

#include "field_scan.h"
#include "hash.h"

/* Bytes after a key that may be read without a test for the end of the text. */
#define KEY_ROOM 32

#define SLOTS_MAX  16384u
#define PROBES_MAX 8

/* --- fields --- */

static bool form_is_early(FieldForm form) {
    return form == FORM_FLOATS || form == FORM_UNIT || form == FORM_INTEGER ||
           form == FORM_SIGNED || form == FORM_BOOL || form == FORM_ENUM || form == FORM_RESOURCE;
}

static void early_field_open(EarlyField* to, const Field* f) {
    to->form = (u8)field_form(f);
    to->words = (u8)field_words(f);
    to->offset = (u16)f->offset;
    to->lo = (f32)f->lo;
    to->hi = (f32)f->hi;
    if (!field_is_array(f) && form_is_early(field_form(f))) to->name = json_name(f->name);
}

void early_type_open(EarlyType* type, const RecordType* record) {
    *type = (EarlyType){0};
    if (record->field_count > EARLY_FIELDS_MAX || record->bytes > EARLY_BYTES_MAX) return;
    type->fields = record->fields;
    type->count = record->field_count;
    type->bytes = record->bytes;
    record_defaults(record, type->defaults);
    for (u32 i = 0; i < record->field_count; i++) {
        early_field_open(&type->field[i], &record->fields[i]);
        if (field_form(&record->fields[i]) == FORM_RESOURCE) type->resources |= 1u << i;
    }
}

/* The field whose name is at `at`; fields are usually written in the order of the manual. */
static inline u32 early_find(const EarlyType* type, const char* at, u32 guess) {
    for (u32 i = guess; i < type->count; i++) {
        if (json_name_is(&type->field[i].name, at)) return i;
    }
    for (u32 i = 0; i < MIN_OF(guess, type->count); i++) {
        if (json_name_is(&type->field[i].name, at)) return i;
    }
    return NONE;
}

/* --- values: each function returns the end of the value, or NULL --- */

static inline const char* bool_early(const char* at, const char* end, u8* to) {
    u32 truth = 1;
    if (end - at < 5) return NULL;
    if (memcmp(at, "true", 4) != 0) {
        if (memcmp(at, "false", 5) != 0) return NULL;
        truth = 0;
    }
    memcpy(to, &truth, 4);
    return at + 5 - truth;
}

static const char* enum_early(const Field* f, const char* at, const char* end, u8* to) {
    Text text;
    at = string_scan(at, end, &text);
    const u32 index = at ? enum_index(f, (JsonString){text, false}) : NONE;
    if (index == NONE) return NULL;
    memcpy(to, &index, 4);
    return at;
}

u32 early_texts_slots(u32 bytes) {
    u32 slots = 16;
    while (slots < SLOTS_MAX && slots < bytes / 256) slots *= 2;
    return slots;
}

/* The offset of the string that represents an equal one. There is none if the slots near that of its
 * hash are in use: then it represents itself. */
static u32 text_place(EarlyTexts* texts, Text text) {
    const u64 hash = hash_bytes(text.at, text.bytes, 0);
    const u32 text_at = (u32)(text.at - 1 - texts->text);
    const u64 mine = (hash & ~(u64)UINT32_MAX) | text_at;
    for (u32 i = 0; i < PROBES_MAX; i++) {
        u64* slot = &texts->slot[((u32)hash + i) & (texts->slots - 1)];
        u64  existing = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (existing == 0 && __atomic_compare_exchange_n(slot, &existing, mine, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            return text_at;
        }
        const char* const known = texts->text + (u32)existing + 1;
        if ((existing ^ mine) >> 32 == 0 && (u64)(u32)existing + text.bytes < texts->bytes &&
            memcmp(known, text.at, text.bytes) == 0 && known[text.bytes] == '"') {
            return (u32)existing;
        }
    }
    return text_at;
}

static inline const char* resource_early(const char* at, const char* end, EarlyTexts* texts,
                                         u8* to) {
    Text text;
    at = string_scan(at, end, &text);
    if (!at) return NULL;
    const u32 place = text_place(texts, text);
    memcpy(to, &place, sizeof place);
    return at;
}

static inline const char* value_early(const EarlyType* type, u32 i, const char* at, const char* end,
                                      EarlyTexts* texts, u8* record) {
    const EarlyField* f = &type->field[i];
    u8* const         to = record + f->offset;
    switch (f->form) {
    case FORM_FLOATS:
        switch (f->words) {
        case 1: return floats_scan(at, end, (F32Range){f->lo, f->hi}, 1, false, to);
        case 2: return floats_scan(at, end, (F32Range){f->lo, f->hi}, 2, false, to);
        case 3: return floats_scan(at, end, (F32Range){f->lo, f->hi}, 3, false, to);
        default: return floats_scan(at, end, (F32Range){f->lo, f->hi}, 4, false, to);
        }
    case FORM_UNIT: return floats_scan(at, end, (F32Range){f->lo, f->hi}, 4, true, to);
    case FORM_BOOL: return bool_early(at, end, to);
    case FORM_ENUM: return enum_early(&type->fields[i], at, end, to);
    case FORM_RESOURCE: return resource_early(at, end, texts, to);
    default: return integer_scan(&type->fields[i], at, end, to);
    }
}

/* --- the object --- */

const char* record_read_early(const EarlyType* type, const char* at, const char* end,
                              EarlyTexts* texts, u8* record, u32* given) {
    u32 next = 0;
    memcpy(record, type->defaults, type->bytes);
    *given = 0;
    at = text_space_skip(at + 1, end);
    if (*at == '}') return at + 1;
    for (;;) {
        if (*at != '"' || end - at < KEY_ROOM) return NULL;
        const u32 i = early_find(type, at + 1, next);
        if (i == NONE || *given >> i & 1) return NULL;
        *given |= 1u << i;
        next = i + 1;
        at = text_space_skip(at + 1 + type->field[i].name.bytes, end);
        if (*at != ':') return NULL;
        at = value_early(type, i, text_space_skip(at + 1, end), end, texts, record);
        if (!at) return NULL;
        at = text_space_skip(at, end);
        if (*at != ',') return *at == '}' ? at + 1 : NULL;
        at = text_space_skip(at + 1, end);
    }
}
