/* gltf_accessor.c - typed views of the bytes of a glTF file: validated against their buffer, then
 * decoded. */
#include "diag_codes.h"
#include "gltf_internal.h"

#define COMPONENTS_MAX 16

static const char* const type_names[] = {
#define TYPE_NAME(name, columns, rows) #name,
    GLTF_TYPE_LIST(TYPE_NAME)
#undef TYPE_NAME
};
static const struct {
    u32 columns, rows;
} type_shapes[] = {
#define TYPE_SHAPE(name, columns, rows) {columns, rows},
    GLTF_TYPE_LIST(TYPE_SHAPE)
#undef TYPE_SHAPE
};
static const char* const component_names[] = {
    "BYTE", "UNSIGNED_BYTE", "SHORT", "UNSIGNED_SHORT", "", "UNSIGNED_INT", "FLOAT",
};
static const u32 component_sizes[] = {1, 1, 2, 2, 0, 4, 4};

/* --- structure --- */

/* 0 to 6, or NONE. */
static u32 read_component_type(Gltf* g, const JsonToken* json, u32 allowed) {
    const JsonToken* value = gltf_need(g, json, "componentType", JSON_NUMBER);
    if (!value) return NONE;
    for (u32 i = 0; i < COUNT_OF(component_sizes); i++)
        if (component_sizes[i] && (allowed >> i & 1) && json_token_number(value) == 5120.0 + i)
            return i;
    gltf_error(g, E0403, value, "is %g, which is not a valid type here", json_token_number(value));
    return NONE;
}

/* Columns of matrices begin at multiples of four bytes. */
static u32 element_size(GltfType type, u32 component_bytes) {
    const u32 columns = type_shapes[type].columns, rows = type_shapes[type].rows;
    if (columns == 1) return rows * component_bytes;
    const u32 column = (u32)align_up((u64)rows * component_bytes, 4);
    return column * columns;
}

static bool read_format(Gltf* g, GltfAccessor* a) {
    gltf_need(g, a->json, "count", JSON_NUMBER);
    gltf_need(g, a->json, "type", JSON_STRING);
    const u32 type = gltf_choice(g, a->json, "type", NONE, type_names, COUNT_OF(type_names));
    const u32 component = read_component_type(g, a->json, 0x7f);
    a->count = (u32)gltf_uint(g, a->json, "count", 0, 1, UINT32_MAX - 1);
    if (type == NONE || component == NONE || a->count == 0) return false;
    const bool says = gltf_bool(g, a->json, "normalized", false),
               normalized = says && component < 4;
    if (says && !normalized)
        gltf_remark(g, REMARK_LAYOUT, "normalized", a->json,
                    "is \"normalized\", but contains %s; this is ignored",
                    component_names[component]);
    a->type = (GltfType)type;
    a->format = 1u << (component + (normalized ? 8 : 0));
    a->components = type_shapes[type].columns * type_shapes[type].rows;
    a->component_bytes = component_sizes[component];
    a->element_bytes = element_size(a->type, a->component_bytes);
    return true;
}

static void check_aligned(Gltf* g, const JsonToken* at, const GltfView* view, u64 offset,
                          u32 align) {
    if ((view->offset + offset) % align)
        gltf_remark(g, REMARK_LAYOUT, "alignment", at,
                    "begins at byte %llu of its buffer, which is not a multiple of %u",
                    (unsigned long long)(view->offset + offset), align);
    else if (offset % align)
        gltf_remark(g, REMARK_LAYOUT, "alignment", at,
                    "begins at byte %llu of its buffer view, which is not a multiple of %u",
                    (unsigned long long)offset, align);
}

/* Are `count` elements of `size` bytes with this stride inside the view? */
static bool is_inside(const GltfView* view, u64 offset, u64 count, u32 stride, u32 size) {
    return offset <= view->bytes && size <= view->bytes - offset &&
           (count - 1) * stride <= view->bytes - offset - size;
}

#define OUTSIDE_TEXT "needs %llu bytes from byte %llu, but its buffer view has %llu bytes"
#define OUTSIDE_NUMBERS(view, offset, count, stride, size)                                         \
    (unsigned long long)(((u64)(count)-1) * (stride) + (size)), (unsigned long long)(offset),      \
        (unsigned long long)(view)->bytes

static bool place_in_view(Gltf* g, GltfAccessor* a) {
    const GltfView* view = gltf_view(g, a->view);
    const u32       align = type_shapes[a->type].columns > 1 ? 4 : a->component_bytes;
    if (!view) return false; /* reported with the view */
    a->stride = view->stride ? view->stride : a->element_bytes;
    if (a->stride < a->element_bytes) {
        gltf_error(g, E0403, a->json,
                   "has elements of %u bytes, but its buffer view's stride is %u", a->element_bytes,
                   a->stride);
        return false;
    }
    if (!is_inside(view, a->offset, a->count, a->stride, a->element_bytes)) {
        if (g->mode == GLTF_UNCOMPILED)
            gltf_remark(g, REMARK_ACCESSORS, "", a->json, OUTSIDE_TEXT "; nothing uses it",
                        OUTSIDE_NUMBERS(view, a->offset, a->count, a->stride, a->element_bytes));
        else
            gltf_error(g, E0404, a->json, OUTSIDE_TEXT,
                       OUTSIDE_NUMBERS(view, a->offset, a->count, a->stride, a->element_bytes));
        return false;
    }
    a->at = view->at + a->offset;
    check_aligned(g, a->json, view, a->offset, align);
    return true;
}

/* One of the two arrays of a sparse accessor; NULL, after reporting it, when it is out of range of
 * its view. */
static const u8* sparse_array(Gltf* g, const JsonToken* json, u32 count, u32 size, u32 align) {
    gltf_need(g, json, "bufferView", JSON_NUMBER);
    const u32       index = gltf_index(g, json, "bufferView", &g->lists.views);
    const u64       offset = gltf_uint(g, json, "byteOffset", 0, 0, GLTF_NO_LIMIT);
    const GltfView* view = index == NONE ? NULL : gltf_view(g, index);
    if (!view) return NULL;
    gltf_claim_view(g, json_get(json, "bufferView"), index, USE_OTHER);
    check_aligned(g, json, view, offset, align);
    if (is_inside(view, offset, count, size, size)) return view->at + offset;
    gltf_error(g, E0404, json, OUTSIDE_TEXT, OUTSIDE_NUMBERS(view, offset, count, size, size));
    return NULL;
}

static bool read_sparse(Gltf* g, GltfAccessor* a) {
    if (!json_get(a->json, "sparse")) return true;
    const JsonToken* sparse = gltf_member(g, a->json, "sparse", JSON_OBJECT);
    gltf_need(g, sparse, "count", JSON_NUMBER);
    const JsonToken* indices = gltf_need(g, sparse, "indices", JSON_OBJECT);
    const JsonToken* values = gltf_need(g, sparse, "values", JSON_OBJECT);
    const u32        count = (u32)gltf_uint(g, sparse, "count", 0, 1, a->count);
    const u32        component = indices ? read_component_type(g, indices, 0x2a) : NONE;
    if (count == 0 || component == NONE) return false;
    a->sparse_bytes = component_sizes[component];
    a->sparse_indices = sparse_array(g, indices, count, a->sparse_bytes, a->sparse_bytes);
    a->sparse_values = sparse_array(g, values, count, a->element_bytes, a->component_bytes);
    a->sparse_count = count;
    return a->sparse_indices && a->sparse_values;
}

static bool read_accessor(Gltf* g, GltfAccessor* a) {
    if (!read_format(g, a)) return false;
    a->offset = gltf_uint(g, a->json, "byteOffset", 0, 0, GLTF_NO_LIMIT);
    a->stride = a->element_bytes;
    if (!json_get(a->json, "bufferView")) {
        if (json_get(a->json, "byteOffset"))
            gltf_remark(g, REMARK_LAYOUT, "offsets", a->json,
                        "has a \"byteOffset\" but no \"bufferView\"; its elements are 0");
        return read_sparse(g, a);
    }
    a->view = gltf_index(g, a->json, "bufferView", &g->lists.views);
    return a->view != NONE && place_in_view(g, a) && read_sparse(g, a);
}

/* Bounds are in the terms of the component type, also of normalised ones. They are computed, so that stated ones
 * need not be valid. */
static void check_bounds(Gltf* g, const GltfAccessor* a, const char* key) {
    const JsonToken* array = json_get(a->json, key);
    if (!array) return;
    const u32 count = json_token_is(array, JSON_ARRAY) ? json_token_count(array) : 0;
    if (count != a->components) {
        gltf_remark(g, REMARK_BOUNDS, "", array, "must have %u numbers; it is computed",
                    a->components);
        return;
    }
    for (const JsonToken* item = json_first(array); item; item = json_next(item)) {
        const bool is_complete = json_token_is(item, JSON_NUMBER) &&
                                 json_token_number(item) == floor(json_token_number(item));
        if (is_complete || (json_token_is(item, JSON_NUMBER) && a->format == FORMAT_FLOAT))
            continue;
        gltf_remark(g, REMARK_BOUNDS, "", item, "must be %s; it is computed",
                    a->format == FORMAT_FLOAT ? "a number"
                                              : "an integer, because it bounds integers");
        return;
    }
}

void gltf_read_accessors(Gltf* g) {
    const GltfMode mode = gltf_mode(g, GLTF_QUIET); /* reported when it is used */
    g->accessors = ARENA_NEW(g->arena, GltfAccessor, g->lists.accessors.count);
    for (u32 i = 0; i < g->lists.accessors.count; i++) {
        GltfAccessor* a = &g->accessors[i];
        a->json = g->lists.accessors.at[i];
        a->view = NONE;
        a->valid = read_accessor(g, a);
    }
    gltf_mode(g, mode);
}

/* --- use --- */

/* Concerns a part that is compiled when one of the two accessors does. */
static void shared_view_remark(Gltf* g, const GltfView* view, u32 index) {
    const bool     is_loud = g->mode == GLTF_UNCOMPILED && g->accessors[view->vertices_of].used;
    const GltfMode mode = gltf_mode(g, is_loud ? GLTF_LOUD : g->mode);
    gltf_remark(g, REMARK_LAYOUT, "shared views", view->json,
                "has no \"byteStride\", but accessors %u and %u share it", view->vertices_of,
                index);
    gltf_mode(g, mode);
}

/* An accessor, and its view, should have only one use; a shared view of vertices should define its
 * stride. */
static void claim(Gltf* g, const JsonToken* at, GltfAccessor* a, GltfUse use) {
    static const char* const names[] = {
        [USE_VERTICES] = "vertices",           [USE_INDICES] = "indices",
        [USE_BINDS] = "inverse bind matrices", [USE_TIMES] = "times of keys",
        [USE_VALUES] = "values of keys",
    };
    const u32 index = (u32)(a - g->accessors);
    if (a->use != USE_NOTHING && a->use != use)
        gltf_remark(g, REMARK_LAYOUT, "uses", at,
                    "is %u, which is used as %s here, but elsewhere as %s", index, names[use],
                    names[a->use]);
    a->use = use;
    if (a->view == NONE) return;
    GltfView* view = &g->views[a->view];
    gltf_claim_view(g, at, a->view, MIN_OF(use, USE_OTHER));
    if (use != USE_VERTICES) return;
    if (a->offset % 4 || a->stride % 4)
        gltf_remark(g, REMARK_LAYOUT, "alignment", at,
                    "is %u, whose vertices are not aligned to 4 bytes", index);
    if (view->vertices_of != NONE && view->vertices_of != index && !view->stride)
        shared_view_remark(g, view, index);
    view->vertices_of = index;
}

/* What was read quietly is read again, in order to report it. */
bool gltf_accessor_is_usable(Gltf* g, u32 index) {
    GltfAccessor* a = &g->accessors[index];
    if (g->mode != GLTF_LOUD) return a->valid;
    if (!a->used) {
        a->used = true;
        a->valid = read_accessor(g, a);
        if (a->valid) check_bounds(g, a, "min");
        if (a->valid) check_bounds(g, a, "max");
    }
    return a->valid;
}

GltfAccessor* gltf_accessor_of(Gltf* g, const JsonToken* at, const char* key, GltfUse use,
                               u32 types, u32 formats) {
    const u32 index = gltf_index_of(g, at, &g->lists.accessors);
    if (index == NONE || !gltf_accessor_is_usable(g, index)) return NULL;
    GltfAccessor* a = &g->accessors[index];
    if (!(types >> a->type & 1) || !(formats & a->format)) {
        const bool normalized = a->format >= FORMAT_BYTE_N;
        u32        component = 0;
        while (a->format >> (component + (normalized ? 8 : 0)) != 1) component++;
        gltf_error(g, E0403, at,
                   "is %u, but the type of that accessor (%s of %s%s) is not valid for \"%s\"",
                   index, type_names[a->type], normalized ? "normalized " : "",
                   component_names[component], key);
        return NULL;
    }
    claim(g, at, a, use);
    return a;
}

GltfAccessor* gltf_accessor(Gltf* g, const JsonToken* object, const char* key, GltfUse use,
                            u32 types, u32 formats) {
    const JsonToken* at = json_get(object, key);
    return at ? gltf_accessor_of(g, at, key, use, types, formats) : NULL;
}

void gltf_need_bounds(Gltf* g, const GltfAccessor* a, const char* what) {
    if (json_get(a->json, "min") && json_get(a->json, "max")) return;
    gltf_remark(g, REMARK_BOUNDS, "", a->json,
                "has no \"min\" and \"max\", which glTF requires for %s; they are computed", what);
}

/* --- data --- */

typedef struct Elements {
    const GltfAccessor* accessor;
    u32                 next, sparse; /* next element, next sparse one */
} Elements;

static u32 sparse_index(const GltfAccessor* a, u32 i) {
    const u8* at = a->sparse_indices + (size_t)i * a->sparse_bytes;
    if (a->sparse_bytes == 1) return at[0];
    if (a->sparse_bytes == 2) return (u32)(at[0] | at[1] << 8);
    return gltf_u32(at);
}

static const u8 zeros[COMPONENTS_MAX * 4];

/* The bytes of the elements, in sequence. */
static const u8* elements_next(Elements* e) {
    const GltfAccessor* a = e->accessor;
    const u32           i = e->next++;
    if (e->sparse < a->sparse_count && sparse_index(a, e->sparse) == i)
        return a->sparse_values + (size_t)e->sparse++ * a->element_bytes;
    return a->at ? a->at + (size_t)i * a->stride : zeros;
}

/* Skips zeros up to the next sparse element. */
static void elements_skip(Elements* e) {
    const GltfAccessor* a = e->accessor;
    e->next = e->sparse < a->sparse_count ? sparse_index(a, e->sparse) : a->count;
}

static bool check_sparse(Gltf* g, const GltfAccessor* a) {
    const JsonToken* at = json_get(a->json, "sparse");
    for (u32 i = 0; i < a->sparse_count; i++) {
        const u32 index = sparse_index(a, i);
        if (index >= a->count) {
            gltf_error(g, E0404, at, "replaces element %u, but the accessor has %u", index,
                       a->count);
            return false;
        }
        if (i && index <= sparse_index(a, i - 1)) {
            gltf_error(g, E0403, at, "has indices that are not strictly increasing: %u after %u",
                       index, sparse_index(a, i - 1));
            return false;
        }
    }
    return true;
}

static f64 component_f64(u32 format, const u8* at) {
    f32 real;
    u32 bits;
    switch (format) {
    case FORMAT_BYTE:
    case FORMAT_BYTE_N: return at[0] < 128 ? at[0] : at[0] - 256;
    case FORMAT_UBYTE:
    case FORMAT_UBYTE_N: return at[0];
    case FORMAT_SHORT:
    case FORMAT_SHORT_N:
        bits = (u32)(at[0] | at[1] << 8);
        return bits < 32768 ? bits : bits - 65536.0;
    case FORMAT_USHORT:
    case FORMAT_USHORT_N: return at[0] | at[1] << 8;
    case FORMAT_UINT: return gltf_u32(at);
    default:
        bits = gltf_u32(at);
        memcpy(&real, &bits, sizeof real);
        return real;
    }
}

/* glTF 2.0, 3.11: normalised integers. */
static f64 normalize(u32 format, f64 raw) {
    switch (format) {
    case FORMAT_BYTE_N: return MAX_OF(raw / 127.0, -1.0);
    case FORMAT_UBYTE_N: return raw / 255.0;
    case FORMAT_SHORT_N: return MAX_OF(raw / 32767.0, -1.0);
    case FORMAT_USHORT_N: return raw / 65535.0;
    default: return raw;
    }
}

/* Are stated bounds exactly those of the data? */
static void check_bound(Gltf* g, const GltfAccessor* a, const char* key, const f64* actual) {
    const JsonToken* array = json_get(a->json, key);
    u32              i = 0;
    for (const JsonToken* item = json_first(array); item && i < a->components;
         item = json_next(item), i++) {
        const f64  stated = json_token_number(item);
        const bool fits = stated >= LOW && stated <= HIGH;
        if (fits && (a->format == FORMAT_FLOAT ? (f64)(f32)stated : stated) == actual[i]) continue;
        gltf_remark(g, REMARK_BOUNDS, "", item,
                    "is %.9g, but the data's %simum is %.9g; this is used", stated, key, actual[i]);
        return;
    }
}

static bool decode_begin(Gltf* g, GltfAccessor* a) {
    if (a->failed) return false;
    a->checked = true;
    a->failed = !gltf_charge(g, a->json, ((u64)a->count * a->components + a->sparse_count) * 4) ||
                !check_sparse(g, a);
    return !a->failed;
}

/* The offset of a component in its element: columns of matrices are padded. */
static u32 component_at(const GltfAccessor* a, u32 c) {
    const u32 columns = type_shapes[a->type].columns, rows = type_shapes[a->type].rows;
    if (columns == 1) return c * a->component_bytes;
    return c / rows * (a->element_bytes / columns) + c % rows * a->component_bytes;
}

/* Reads every component once; `floats` or `integers`, which hold zeros, receives it, or neither.
 * Of zeros that the file does not contain only the first is read. False at the first number that is
 * not finite; integers are always in range. */
static bool decode_into(Gltf* g, const GltfAccessor* a, f32* floats, u32* integers) {
    f64      low[COMPONENTS_MAX], high[COMPONENTS_MAX];
    Elements elements = {.accessor = a};
    assert(a->components <= COMPONENTS_MAX); /* of the largest type, MAT4 */
    for (u32 c = 0; c < a->components; c++) low[c] = HUGE_VAL, high[c] = -HUGE_VAL;
    while (elements.next < a->count) {
        const u32 i = elements.next;
        const u8* at = elements_next(&elements);
        for (u32 c = 0; c < a->components; c++) {
            const f64    raw = component_f64(a->format, at + component_at(a, c));
            const size_t to = (size_t)i * a->components + c;
            if (!(raw >= LOW && raw <= HIGH)) {
                gltf_error(g, E0406, a->json, "contains a number that is not finite, in element %u",
                           i);
                return false;
            }
            low[c] = MIN_OF(low[c], raw);
            high[c] = MAX_OF(high[c], raw);
            if (floats)
                floats[to] = (f32)normalize(a->format, raw);
            else if (integers)
                integers[to] = (u32)raw;
        }
        if (at == zeros) elements_skip(&elements);
    }
    check_bound(g, a, "min", low);
    check_bound(g, a, "max", high);
    return true;
}

const f32* gltf_floats(Gltf* g, GltfAccessor* a) {
    if (a->floats) return a->floats;
    if (!decode_begin(g, a)) return NULL;
    f32* floats = ARENA_NEW(g->arena, f32, (u64)a->count * a->components);
    a->failed = !decode_into(g, a, floats, NULL);
    return a->floats = a->failed ? NULL : floats;
}

const u32* gltf_integers(Gltf* g, GltfAccessor* a) {
    if (a->integers) return a->integers;
    if (!decode_begin(g, a)) return NULL;
    assert(a->format & (FORMAT_UBYTE | FORMAT_USHORT | FORMAT_UINT));
    u32* integers = ARENA_NEW(g->arena, u32, (u64)a->count * a->components);
    decode_into(g, a, NULL, integers);
    return a->integers = integers;
}

/* An accessor without data is not read: an extension may define its data. */
void gltf_check_unread(Gltf* g) {
    const GltfMode mode = gltf_mode(g, GLTF_UNCOMPILED);
    for (u32 i = 0; i < g->lists.accessors.count; i++) {
        GltfAccessor* a = &g->accessors[i];
        if (a->used) continue;
        a->valid = read_accessor(g, a);
        if (!a->valid || a->checked || (!a->at && !a->sparse_count)) continue;
        if (check_sparse(g, a)) decode_into(g, a, NULL, NULL);
    }
    for (u32 i = 0; i < g->lists.views.count; i++) gltf_view(g, i);
    gltf_mode(g, mode);
}
