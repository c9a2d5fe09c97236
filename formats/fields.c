/* fields.c - queries on a field table: defaults, layout, whether words are in range. */
#include "fields.h"

#include "hash.h"

#define BOUNDED true
#define FIXED   false
#define KIND_INFO(Type, c_type, words, form, bounds, lo, hi, null, declared, json, comment)        \
    {words, FORM_##form, bounds, null, lo, hi, c_type, declared, json, comment},
#define KIND_NAME(Type, ...) #Type,

const FieldKindInfo field_kinds[FIELD_KIND_COUNT] = {RECORD_FIELD_KINDS(KIND_INFO)};
const char* const   FIELD_KIND_TEXTS[FIELD_KIND_COUNT] = {RECORD_FIELD_KINDS(KIND_NAME)};

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

void field_fix(Field* f) {
    const FieldKindInfo* kind = field_kind(f);
    if (kind->is_bounded) return;
    f->lo = kind->lo;
    f->hi = kind->form == FORM_ENUM ? f->text_count - 1 : kind->hi;
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
    u32 null_words[4];
    field_null(f, null_words);
    return field_is_link(f) && memcmp(words, null_words, f->bytes) == 0;
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
        for (u32 w = 0; w < field_words(f); w++) {
            const f32 number = (f32)f->value[w];
            const u32 whole = field_is_float(f) ? 0 : (u32)f->value[w];
            memcpy(to + w * 4, field_is_float(f) ? (const void*)&number : &whole, 4);
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
        for (u32 t = 0; t < f->text_count; t++) {
            hash = hash_bytes(f->texts[t], strlen(f->texts[t]) + 1, hash);
        }
    }
    return (u32)hash & 0x7fffffffu;
}

/* NaN fails both comparisons, infinity one of them: every float that passes is finite. */
static inline bool float_in(f32 v, f32 lo, f32 hi) { return (v >= lo) & (v <= hi); }

static inline f32 load_f32(const u8* at) {
    f32 v;
    memcpy(&v, at, 4);
    return v;
}
static inline u32 load_u32(const u8* at) {
    u32 v;
    memcpy(&v, at, 4);
    return v;
}

static inline bool quat_is_unit(const u8* at) {
    const f32 x = load_f32(at), y = load_f32(at + 4), z = load_f32(at + 8), w = load_f32(at + 12);
    const f32 square = x * x + y * y + z * z + w * w;
    return float_in(square, 0.998f, 1.002f);
}

static u32 whole_limit(const Field* f, bool lowest) {
    if (field_form(f) == FORM_ENUM) return lowest ? 0 : f->text_count - 1;
    if (field_form(f) == FORM_BOOL) return lowest ? 0 : 1;
    return (u32)(lowest ? f->lo : f->hi);
}

const char* field_fault(const Field* f, const void* words) {
    const u8* at = words;
    if (field_is_float(f)) {
        for (u32 w = 0; w < field_words(f); w++) {
            const f32 v = load_f32(at + w * 4);
            if (v - v != 0) return "is not finite";
            if (!float_in(v, (f32)f->lo, (f32)f->hi)) return "is out of range";
        }
        if (field_form(f) == FORM_UNIT && !quat_is_unit(at)) return "is not a unit quaternion";
        return NULL;
    }
    if (field_form(f) == FORM_RESOURCE) return NULL;
    const u32 v = load_u32(at);
    return v < whole_limit(f, true) || v > whole_limit(f, false) ? "is out of range" : NULL;
}

/* Contiguous floats: this loop determines how fast a blob opens. It has no exit inside, so that it
 * is vectorised; the invalid value is searched for afterwards. */
static bool floats_in(const u8* at, u64 count, f32 lo, f32 hi) {
    u32 bad = 0;
    for (u64 i = 0; i < count; i++) {
        const f32 v = load_f32(at + i * 4);
        bad |= (u32) !(v >= lo) | (u32) !(v <= hi);
    }
    return !bad;
}

static bool wholes_in(const u8* at, u32 count, u32 stride, u32 lo, u32 hi) {
    u32 bad = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 v = load_u32(at + (size_t)i * stride);
        bad |= (u32)(v < lo) | (u32)(v > hi);
    }
    return !bad;
}

static bool column_is_good(const Field* f, const u8* at, u32 count, u32 stride) {
    if (field_form(f) == FORM_RESOURCE || field_form(f) == FORM_ENTITY) return true;
    if (!field_is_float(f)) {
        const u32 lo = whole_limit(f, true), hi = whole_limit(f, false);
        if (lo == 0 && hi == UINT32_MAX) return true;
        return stride == 4 ? wholes_in(at, count, 4, lo, hi) : wholes_in(at, count, stride, lo, hi);
    }
    bool good = true;
    if (stride == f->bytes) {
        good = floats_in(at, (u64)count * field_words(f), (f32)f->lo, (f32)f->hi);
    } else {
        for (u32 i = 0; i < count; i++) {
            good &= floats_in(at + (size_t)i * stride, field_words(f), (f32)f->lo, (f32)f->hi);
        }
    }
    if (field_form(f) == FORM_UNIT) {
        u32 bad = 0;
        for (u32 i = 0; i < count; i++) bad |= !quat_is_unit(at + (size_t)i * stride);
        good &= !bad;
    }
    return good;
}

/* A column that was found invalid stays invalid: when no single row is found invalid, the last row
 * is reported. */
u32 field_first_fault(const Field* f, const void* first, u32 count, u32 stride) {
    const u8* at = first;
    u32       row = 0;
    if (column_is_good(f, at, count, stride)) return count;
    while (row + 1 < count && !field_fault(f, at + (size_t)row * stride)) row++;
    return row;
}
