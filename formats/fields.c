/* fields.c - queries on a field table: defaults, layout, whether words are in range. */
#include "fields.h"

#include <math.h>
#include <stdio.h>

#include "f32_text.h"
#include "hash.h"
#include "libc.h"
#include "wide.h"

#define BOUNDED true
#define FIXED   false
#define KIND_INFO(Type, c_type, words, form, bounds, lo, hi, null, declared, json, comment)        \
    {words, FORM_##form, bounds, null, lo, hi, c_type, declared, json, comment},
#define KIND_NAME(Type, ...) #Type,

/* A kind with a number of words that the functions of its form do not serve is not compiled. */
#define FORM_WORDS(form, form_class, min, largest, json)                                           \
    enum { form##_WORDS_MIN = min, form##_WORDS_LARGEST = largest };
#define KIND_WORDS(Type, c_type, words, form, ...)                                                 \
    static_assert((words) >= form##_WORDS_MIN && (words) <= form##_WORDS_LARGEST,                  \
                  #Type ": the functions of the form " #form " do not serve so many words");
RECORD_FIELD_FORMS(FORM_WORDS)
RECORD_FIELD_KINDS(KIND_WORDS)

const FieldKindInfo field_kinds[FIELD_KIND_COUNT] = {RECORD_FIELD_KINDS(KIND_INFO)};
const char* const   FIELD_KIND_TEXTS[FIELD_KIND_COUNT] = {RECORD_FIELD_KINDS(KIND_NAME)};

/* --- floats --- */

/* NaN fails both comparisons, infinity one of them: every float that passes is finite. */
static inline WIDE_BODY bool float_in(f32 v, f32 lo, f32 hi) { return (v >= lo) & (v <= hi); }

static inline WIDE_BODY f32 load_f32(const u8* at) {
    f32 v;
    memcpy(&v, at, 4);
    return v;
}
static inline WIDE_BODY u32 load_u32(const u8* at) {
    u32 v;
    memcpy(&v, at, 4);
    return v;
}

static f64  float_number(const void* word) { return (f64)load_f32(word); }
static bool float_holds(f64 number) { return number >= LOW && number <= HIGH; }
static void float_store(f64 number, void* word) {
    const f32 v = (f32)number;
    memcpy(word, &v, 4);
}

static const char* floats_fault(const Field* f, const u8* at) {
    for (u32 w = 0; w < field_words(f); w++) {
        const f32 v = load_f32(at + w * 4);
        if (v - v != 0) return "is not finite";
        if (!float_in(v, (f32)f->lo, (f32)f->hi)) return "is out of range";
    }
    return NULL;
}

/* Contiguous floats: these loops determine how fast a blob opens. They have no exit inside, so that
 * they are vectorised; the invalid value is searched for afterwards. */
static inline WIDE_BODY bool floats_in_body(const u8* at, u64 count, f32 lo, f32 hi) {
    u32 inside = ~0u; /* 0 or ~0, as a vector compares */
    for (u64 i = 0; i < count; i++) {
        const f32 v = load_f32(at + i * 4);
        inside &= (u32) - ((v >= lo) & (v <= hi));
    }
    return inside;
}
WIDE_VERSIONS(bool, floats_in, (const u8* at, u64 count, f32 lo, f32 hi), (at, count, lo, hi))

/* Without their signs, floats have the order of their bits: infinity and NaN are the highest. */
static inline WIDE_BODY u32 magnitude_highest_body(const u8* at, u64 count) {
    u32 highest = 0;
    for (u64 i = 0; i < count; i++) {
        const u32 magnitude = load_u32(at + i * 4) & 0x7fffffffu;
        highest = MAX_OF(highest, magnitude);
    }
    return highest;
}
WIDE_VERSIONS(u32, magnitude_highest, (const u8* at, u64 count), (at, count))

static u32 float_bits(f32 v) {
    u32 bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static bool floats_are_between(const u8* at, u64 count, f32 lo, f32 hi) {
    if (lo == -hi && hi > 0) return magnitude_highest(at, count) <= float_bits(hi);
    return floats_in(at, count, lo, hi);
}

static bool floats_are_valid(const Field* f, const u8* at, u32 count, u32 stride) {
    const f32 lo = (f32)f->lo, hi = (f32)f->hi;
    bool      valid = true;
    if (stride == f->bytes) return floats_are_between(at, (u64)count * field_words(f), lo, hi);
    for (u32 i = 0; i < count; i++) {
        valid &= floats_in_body(at + (size_t)i * stride, field_words(f), lo, hi);
    }
    return valid;
}

static u32 float_print(const Field* f, const u8* word, char* text) {
    UNUSED(f);
    return f32_text(text, load_f32(word));
}

/* --- unit quaternions --- */

static inline WIDE_BODY bool quat_is_unit(const u8* at) {
    const f32 x = load_f32(at), y = load_f32(at + 4), z = load_f32(at + 8), w = load_f32(at + 12);
    const f32 square = x * x + y * y + z * z + w * w;
    return float_in(square, 0.998f, 1.002f);
}

static const char* unit_fault(const Field* f, const u8* at) {
    const char* reason = floats_fault(f, at);
    return reason || quat_is_unit(at) ? reason : "is not a unit quaternion";
}

/* In parts that remain in the first cache, because both loops read everything. */
#define UNIT_ROWS 1024u

static inline WIDE_BODY bool units_in_body(const u8* at, u32 rows, u32 stride) {
    u32 inside = ~0u;
    for (u32 i = 0; i < rows; i++) inside &= (u32)-quat_is_unit(at + (size_t)i * stride);
    return inside;
}
static inline WIDE_BODY bool units_adjacent_body(const u8* at, u32 rows) {
    return units_in_body(at, rows, 16);
}
WIDE_VERSIONS(bool, units_adjacent, (const u8* at, u32 rows), (at, rows))

static bool units_are_valid(const Field* f, const u8* at, u32 count, u32 stride) {
    bool valid = true;
    for (u32 first = 0; first < count && valid; first += UNIT_ROWS) {
        const u32 rows = MIN_OF(count - first, UNIT_ROWS);
        const u8* part = at + (size_t)first * stride;
        valid = stride == 16 ? units_adjacent(part, rows) : units_in_body(part, rows, stride);
        valid = valid && floats_are_valid(f, part, rows, stride);
    }
    return valid;
}

/* --- whole numbers, choices, and references that are checked as numbers --- */

static f64  integer_number(const void* word) { return load_u32(word); }
static bool integer_holds(f64 number) {
    return number >= 0 && number <= ALL && number == floor(number);
}
static void integer_store(f64 number, void* word) {
    const u32 v = (u32)number;
    memcpy(word, &v, 4);
}

/* All flags that a field has. */
static u32 flags_all(const Field* f) {
    return f->text_count >= FIELD_FLAGS_MAX ? UINT32_MAX : (1u << f->text_count) - 1;
}

static u32 integer_limit(const Field* f, bool lowest) {
    if (field_form(f) == FORM_FLAGS) return lowest ? 0 : flags_all(f);
    if (field_form(f) == FORM_ENUM) return lowest ? 0 : f->text_count - 1;
    if (field_form(f) == FORM_BOOL) return lowest ? 0 : 1;
    return (u32)(lowest ? f->lo : f->hi);
}

static const char* integer_fault(const Field* f, const u8* at) {
    const u32 v = load_u32(at);
    return v < integer_limit(f, true) || v > integer_limit(f, false) ? "is out of range" : NULL;
}

static bool wholes_in(const u8* at, u32 count, u32 stride, u32 lo, u32 hi) {
    u32 outside = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 v = load_u32(at + (size_t)i * stride);
        outside |= (u32) - (v - lo > hi - lo);
    }
    return !outside;
}

static bool wholes_are_valid(const Field* f, const u8* at, u32 count, u32 stride) {
    const u32 lo = integer_limit(f, true), hi = integer_limit(f, false);
    if (lo == 0 && hi == UINT32_MAX) return true;
    return stride == 4 ? wholes_in(at, count, 4, lo, hi) : wholes_in(at, count, stride, lo, hi);
}

static u32 integer_print(const Field* f, const u8* word, char* text) {
    UNUSED(f);
    return (u32)sprintf(text, "%u", load_u32(word));
}

static f64 signed_number(const void* word) {
    i32 v;
    memcpy(&v, word, 4);
    return v;
}
static bool signed_holds(f64 number) {
    return number >= I32_LOW && number <= I32_HIGH && number == floor(number);
}
static void signed_store(f64 number, void* word) {
    const i32 v = (i32)number;
    memcpy(word, &v, 4);
}

static const char* signed_fault(const Field* f, const u8* at) {
    const f64 v = signed_number(at);
    return v < f->lo || v > f->hi ? "is out of range" : NULL;
}

static bool signed_are_valid(const Field* f, const u8* at, u32 count, u32 stride) {
    const i32 lo = (i32)f->lo, hi = (i32)f->hi;
    u32       outside = 0;
    for (u32 i = 0; i < count; i++) {
        const i32 v = (i32)load_u32(at + (size_t)i * stride);
        outside |= (u32)(v < lo) | (u32)(v > hi);
    }
    return !outside;
}

static u32 signed_print(const Field* f, const u8* word, char* text) {
    UNUSED(f);
    return (u32)sprintf(text, "%d", (i32)load_u32(word));
}

static u32 bool_print(const Field* f, const u8* word, char* text) {
    UNUSED(f);
    return (u32)sprintf(text, "%s", load_u32(word) ? "true" : "false");
}

/* Names of fields and enums have at most 63 bytes in declarations; longer ones are cut. */
static u32 text_print(const char* from, char* text) {
    const u32 bytes = text_bytes_below(from, 63);
    memcpy(text, from, bytes);
    return bytes;
}

static u32 enum_print(const Field* f, const u8* word, char* text) {
    return text_print(f->texts[load_u32(word)], text);
}

/* "fire ice"; none: "[]". */
static u32 flags_print(const Field* f, const u8* word, char* text) {
    const u32 flags = load_u32(word);
    u32       used = 0;
    for (u32 i = 0; i < f->text_count; i++) {
        if (!(flags >> i & 1)) continue;
        if (used) text[used++] = ' ';
        used += text_print(f->texts[i], text + used);
    }
    return used ? used : (u32)sprintf(text, "[]");
}

/* --- references that are validated against the blob that contains them --- */

static const char* link_fault(const Field* f, const u8* at) {
    UNUSED(f);
    UNUSED(at);
    return NULL;
}

static bool links_are_valid(const Field* f, const u8* at, u32 count, u32 stride) {
    UNUSED(f);
    UNUSED(at);
    UNUSED(count);
    UNUSED(stride);
    return true;
}

/* --- all forms --- */

#define FLOAT        true, float_number, float_store, float_holds
#define INTEGER      false, integer_number, integer_store, integer_holds
#define FLOATS_CODE  FLOAT, floats_fault, floats_are_valid, float_print
#define UNIT_CODE    FLOAT, unit_fault, units_are_valid, float_print
#define INTEGER_CODE INTEGER, integer_fault, wholes_are_valid, integer_print
#define SIGNED_CODE                                                                                \
    false, signed_number, signed_store, signed_holds, signed_fault, signed_are_valid, signed_print
#define BOOL_CODE                                       INTEGER, integer_fault, wholes_are_valid, bool_print
#define ENUM_CODE                                       INTEGER, integer_fault, wholes_are_valid, enum_print
#define FLAGS_CODE                                      INTEGER, integer_fault, wholes_are_valid, flags_print
#define ENTITY_CODE                                     INTEGER, integer_fault, links_are_valid, integer_print
#define NAME_CODE                                       INTEGER, integer_fault, wholes_are_valid, integer_print
#define RESOURCE_CODE                                   INTEGER, link_fault, links_are_valid, integer_print
#define PERSISTENT_CODE                                 INTEGER, integer_fault, wholes_are_valid, integer_print
#define TEXT_CODE                                       INTEGER, integer_fault, wholes_are_valid, integer_print
#define FORM_INFO(form, form_class, min, largest, json) {CLASS_##form_class, json, form##_CODE},

const FieldFormInfo field_forms[FORM_COUNT] = {RECORD_FIELD_FORMS(FORM_INFO)};

bool field_has_lowest(const Field* f) {
    const f64 lo = field_kind(f)->lo;
    return field_is_float(f) ? (f32)f->lo > (f32)lo : f->lo > lo;
}

bool field_has_highest(const Field* f) {
    const f64 hi = field_kind(f)->hi;
    return field_is_float(f) ? (f32)f->hi < (f32)hi : f->hi < hi;
}

/* `[ "fire", "ice" ]` from the texts, which contain no character that JSON escapes. */
static u32 flags_json(const Field* f, const u8* word, char* text) {
    const u32 flags = load_u32(word);
    u32       used = 0;
    text[used++] = '[';
    for (u32 i = 0; i < f->text_count; i++) {
        if (!(flags >> i & 1)) continue;
        if (used > 1) text[used++] = ',', text[used++] = ' ';
        text[used++] = '"';
        used += text_print(f->texts[i], text + used);
        text[used++] = '"';
    }
    text[used++] = ']';
    return used;
}

/* One element; returns the number of characters. */
static u32 element_text(const Field* f, const u8* at, bool json, char* text) {
    const FieldFormInfo* form = field_form_info(f);
    const u32            count = field_kind(f)->words;
    const bool  choice = form->form_class == CLASS_CHOICE, exists = !choice || !form->fault(f, at);
    const bool  brackets = json && count > 1;
    const bool  quotes = json && exists && strcmp(form->json, "string") == 0;
    const char* between = brackets ? ", " : " ";
    u32         used = 0;
    if (json && exists && field_form(f) == FORM_FLAGS) return flags_json(f, at, text);
    if (brackets || quotes) text[used++] = brackets ? '[' : '"';
    for (u32 w = 0; w < count; w++) {
        for (const char* c = w ? between : ""; *c; c++) text[used++] = *c;
        used += (exists ? form->print : integer_print)(f, at + w * 4, text + used);
    }
    if (brackets || quotes) text[used++] = brackets ? ']' : '"';
    return used;
}

void field_value_text(const Field* f, const void* words, bool json, char text[FIELD_TEXT_BYTES]) {
    const u32  count = field_elements(f), bytes = field_element_bytes(f);
    const bool brackets = json && count > 1;
    u32        used = 0;
    if (brackets) text[used++] = '[';
    for (u32 i = 0; i < count; i++) {
        if (i) text[used++] = ',', text[used++] = ' ';
        used += element_text(f, (const u8*)words + i * bytes, json, text + used);
    }
    if (brackets) text[used++] = ']';
    text[used] = 0;
}

/* --- kinds --- */

FieldKind field_kind_named(const char* type) {
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        if (strcmp(type, FIELD_KIND_TEXTS[i]) == 0) return (FieldKind)i;
    }
    return FIELD_KIND_COUNT;
}

FieldKind field_kind_declared(const char* declared, u32 count) {
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        if (field_kinds[i].words == count && strcmp(declared, field_kinds[i].declared) == 0) {
            return (FieldKind)i;
        }
    }
    return FIELD_KIND_COUNT;
}

bool field_kind_is_counted(FieldKind kind) {
    bool counted = false;
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        counted |= i != kind && strcmp(field_kinds[kind].declared, field_kinds[i].declared) == 0;
    }
    return counted;
}

/* --- fields and records --- */

Field field_element(const Field* f) {
    Field element = *f;
    element.bytes = field_element_bytes(f);
    element.offset = 0;
    return element;
}

const char* field_json(const Field* f, char text[FIELD_JSON_BYTES]) {
    const char* json = field_kind(f)->json;
    if (!field_is_array(f)) return json;
    snprintf(text, FIELD_JSON_BYTES, "an array of %u values, each %s", field_elements(f), json);
    return text;
}

void field_fix(Field* f) {
    const FieldKindInfo* kind = field_kind(f);
    if (kind->is_bounded) return;
    f->lo = kind->lo;
    f->hi = field_has_texts(f) ? integer_limit(f, false) : kind->hi;
    if (!field_is_link(f)) return;
    if (kind->null_word == 0 && kind->hi > 0) f->lo = f->required; /* then it is not null */
    f->value[0] = f->required ? 0 : kind->null_word;
}

void field_null(const Field* f, void* words) {
    const u32 null_word = field_kind(f)->null_word;
    u8*       to = words;
    for (u32 w = 0; w < field_words(f); w++) memcpy(to + w * 4, &null_word, 4);
}

bool field_is_null(const Field* f, const void* words) {
    const u8* at = words;
    if (!field_is_link(f)) return false;
    for (u32 w = 0; w < field_words(f); w++) {
        if (load_u32(at + w * 4) != field_kind(f)->null_word) return false;
    }
    return true;
}

void record_defaults(const RecordType* type, void* record) {
    memset(record, 0, type->bytes);
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        u8*          to = (u8*)record + f->offset;
        if (field_is_link(f)) {
            field_null(f, to);
            continue;
        }
        const u32 words = field_kind(f)->words;
        for (u32 w = 0; w < field_words(f); w++) {
            field_number_store(f, f->value[w % words], to + w * 4);
        }
    }
}

u32 record_layout_hash(const RecordType* type) {
    u64 hash = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        const char*  kind = FIELD_KIND_TEXTS[f->kind];
        hash = hash_bytes(f->name, strlen(f->name) + 1, hash);
        hash = hash_bytes(kind, strlen(kind) + 1, hash);
        if (field_is_array(f)) {
            char count[16]; /* "[4]" */
            hash = hash_bytes(count, (size_t)sprintf(count, "[%u]", field_elements(f)) + 1, hash);
        }
        for (u32 t = 0; t < f->text_count; t++) {
            hash = hash_bytes(f->texts[t], strlen(f->texts[t]) + 1, hash);
        }
    }
    return (u32)hash & 0x7fffffffu;
}

/* --- bounds of words --- */

/* Flipped, the bits of floats have the order of the floats, as signed numbers. */
static FieldBounds float_bounds(f32 lo, f32 hi) {
    const u32 flip = 0x7fffffffu, low = float_bits(lo), high = float_bits(hi);
    /* -0 is as low as 0, and 0 as high as -0. */
    const u32 min = lo == 0 ? ~0u : low >> 31 ? low ^ flip : low;
    const u32 max = hi == 0 ? 0 : high >> 31 ? high ^ flip : high;
    return (FieldBounds){flip, min, max - min};
}

bool field_bounds(const Field* f, FieldBounds* out) {
    const FieldForm form = field_form(f);
    *out = (FieldBounds){0, 0, UINT32_MAX};
    if (form == FORM_RESOURCE || form == FORM_ENTITY || form == FORM_TEXT) return true;
    if (field_is_float(f)) {
        const f32 lo = (f32)f->lo, hi = (f32)f->hi;
        *out = float_bounds(lo, hi);
        return lo >= (f32)LOW && lo <= hi && hi <= (f32)HIGH;
    }
    if (form == FORM_SIGNED) {
        *out = (FieldBounds){0, (u32)(i32)f->lo, (u32)(i32)f->hi - (u32)(i32)f->lo};
        return f->lo <= f->hi;
    }
    const u32 lo = integer_limit(f, true), hi = integer_limit(f, false);
    *out = (FieldBounds){0, lo, hi - lo};
    return lo <= hi;
}

/* --- validation --- */

const char* field_fault(const Field* f, const void* words) {
    if (!field_is_array(f)) return field_form_info(f)->fault(f, words);
    const Field element = field_element(f);
    const char* reason = NULL;
    for (u32 i = 0; i < field_elements(f) && !reason; i++) {
        reason = field_form_info(f)->fault(&element, (const u8*)words + i * element.bytes);
    }
    return reason;
}

static bool arrays_are_valid(const Field* f, const u8* first, u32 count, u32 stride) {
    const Field element = field_element(f);
    bool        valid = true;
    for (u32 i = 0; i < field_elements(f); i++) {
        valid &= field_form_info(f)->is_valid(&element, first + i * element.bytes, count, stride);
    }
    return valid;
}

/* A column that was found invalid stays invalid: when no single row is found invalid, the last row
 * is reported. */
u32 field_first_fault(const Field* f, const void* first, u32 count, u32 stride) {
    const u8*  at = first;
    u32        row = 0;
    const bool valid = field_is_array(f) ? arrays_are_valid(f, at, count, stride)
                                         : field_form_info(f)->is_valid(f, at, count, stride);
    if (valid) return count;
    while (row + 1 < count && !field_fault(f, at + (size_t)row * stride)) row++;
    return row;
}
