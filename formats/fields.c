/* fields.c - what can be asked of a field table: defaults, layout, whether words are in range. */
#include "fields.h"

#include "hash.h"

void record_defaults(const RecordType* type, void* record) {
    memset(record, 0, type->bytes);
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        u8*          to = (u8*)record + f->offset;
        for (u32 w = 0; w < field_words(f) && f->kind != FIELD_ResourceRef; w++) {
            const f32 number = (f32)f->value[w];
            u32       whole = field_is_float(f) ? 0 : (u32)f->value[w];
            if (f->kind == FIELD_EntityRef && f->required) whole = NONE;
            memcpy(to + w * 4, field_is_float(f) ? (const void*)&number : &whole, 4);
        }
    }
}

u32 record_layout_hash(const RecordType* type) {
    static const char* const kinds[] = {
#define KIND_NAME(Type, words) #Type,
        RECORD_FIELD_KINDS(KIND_NAME)
#undef KIND_NAME
    };
    u64 hash = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        const char*  kind = kinds[f->kind];
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
    if (f->kind == FIELD_Enum32) return lowest ? 0 : f->text_count - 1;
    if (f->kind == FIELD_Bool32) return lowest ? 0 : 1;
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
        if (f->kind == FIELD_Quat && !quat_is_unit(at)) return "is not a unit quaternion";
        return NULL;
    }
    if (f->kind == FIELD_ResourceRef) return NULL;
    const u32 v = load_u32(at);
    return v < whole_limit(f, true) || v > whole_limit(f, false) ? "is out of range" : NULL;
}

/* Contiguous floats: the loop that decides how fast a blob opens. No exit inside, so that it runs
 * as vectors; who is to blame is looked for afterwards. */
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
    if (f->kind == FIELD_ResourceRef || f->kind == FIELD_EntityRef) return true;
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
    if (f->kind == FIELD_Quat) {
        u32 bad = 0;
        for (u32 i = 0; i < count; i++) bad |= !quat_is_unit(at + (size_t)i * stride);
        good &= !bad;
    }
    return good;
}

/* Once a column is found bad, no row that is found good can make up for it: without another row to
 * blame it is the last. */
u32 field_first_fault(const Field* f, const void* first, u32 count, u32 stride) {
    const u8* at = first;
    u32       row = 0;
    if (column_is_good(f, at, count, stride)) return count;
    while (row + 1 < count && !field_fault(f, at + (size_t)row * stride)) row++;
    return row;
}

const char* field_kind_c_type(FieldKind kind) {
    static const char* const types[] = {
        [FIELD_f32] = "float",
        [FIELD_Vec2] = "EntVec2",
        [FIELD_Vec3] = "EntVec3",
        [FIELD_Vec4] = "EntVec4",
        [FIELD_Quat] = "EntQuat",
        [FIELD_u32] = "uint32_t",
        [FIELD_Bool32] = "EntBool32",
        [FIELD_Enum32] = "EntEnum32",
        [FIELD_EntityRef] = "EntEntityRef",
        [FIELD_NameRef] = "EntNameRef",
        [FIELD_ResourceRef] = "EntResourceRef",
        [FIELD_PersistentRef] = "EntPersistentRef",
    };
    static_assert(COUNT_OF(types) == FIELD_KIND_COUNT, "a C type for each kind of field");
    return types[kind];
}
