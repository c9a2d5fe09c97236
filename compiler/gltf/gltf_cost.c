/* gltf_cost.c - estimates the size of the accessors, meshes, skins and animations of a glTF file.
 *
 * The counts follow gltf_accessor.c, gltf_mesh.c, gltf_clip.c and model_write.c and are never less
 * than the memory that these allocate. */
#include "gltf_cost.h"

#include "swap.h"

#define GLB_JSON_AT    20u                     /* header, then the header of the first chunk */
#define NUMBER_MOST    4294967295.0            /* more elements than any accessor can have */
#define VERTEX_BYTES   (12u + 12 + 16 + 8 * 7) /* of a mesh with every stream */
#define ROW_BYTES      (4u + 12)               /* of a vertex and a displacement of it */
#define BIND_BYTES     52u
#define COST_MOST_GLTF (1ull << 60)

/* Data that is not in a buffer is rejected when it is read, and counts nothing. */
typedef struct CostAccessor {
    u64  count, sparse_count;
    u32  components, component_bytes;
    u32  view;   /* or NONE */
    u32  offset; /* in the JSON */
    bool has_view, used;
} CostAccessor;

typedef struct CostSampler {
    u32 input, output; /* accessors, or NONE */
} CostSampler;

typedef struct Scan {
    Source       source;
    Diagnostics* ignored;
    GltfCost     cost;
    u64          size; /* of the file */
    u64          zero_most;
    u64          split_bytes; /* of vertices that are needed more if tangents are computed */
    bool         has_normal_map;
    ARRAY(u64) buffers; /* bytes of each, and of views */
    ARRAY(u64) views;
    ARRAY(CostAccessor) accessors;
    ARRAY(CostSampler) samplers; /* of the animation that is being counted */
} Scan;

static void add(u64* to, u64 count, u64 bytes) {
    *to = MIN_OF(*to + MIN_OF(count, COST_MOST_GLTF / 1024) * bytes, COST_MOST_GLTF);
}

/* --- values --- */

/* A number that is a count or an index; NONE when it is invalid. */
static u32 number_take(Json* json) {
    JsonKind kind = JSON_NULL;
    f64      value = -1;
    if (json_kind(json, &kind) && kind == JSON_NUMBER)
        json_number(json, &value);
    else
        json_skip(json);
    return value >= 0 && value <= NUMBER_MOST ? (u32)value : NONE;
}

static bool object_enter(Json* json) {
    JsonKind kind = JSON_NULL;
    if (json_kind(json, &kind) && kind == JSON_OBJECT) return json_enter(json, kind);
    json_skip(json);
    return false;
}

static bool array_enter(Json* json) {
    JsonKind kind = JSON_NULL;
    if (json_kind(json, &kind) && kind == JSON_ARRAY) return json_enter(json, kind);
    json_skip(json);
    return false;
}

static u32 components_take(Json* json) {
    static const struct {
        const char* name;
        u32         components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    JsonKind   kind = JSON_NULL;
    JsonString text;
    if (!json_kind(json, &kind) || kind != JSON_STRING) return json_skip(json), 0;
    if (!json_string(json, &text)) return 0;
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        if (json_equals(text, types[i].name)) return types[i].components;
    }
    return 0;
}

/* --- buffers --- */

/* Data in the file itself is not longer than the file; no other file is longer than the limit. */
static void buffer_read(Scan* s, Json* json) {
    JsonString key, uri;
    JsonKind   kind = JSON_NULL;
    u64        bytes = 0, most = s->size;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "byteLength")) {
            bytes = number_take(json);
        } else if (json_equals(key, "uri") && json_kind(json, &kind) && kind == JSON_STRING) {
            if (!json_string(json, &uri)) return;
            if (uri.raw.bytes < 5 || memcmp(uri.raw.at, "data:", 5) != 0)
                most = GLTF_FILE_BYTES_MAX;
        } else {
            json_skip(json);
        }
    }
    *array_push(&s->buffers) = bytes <= most ? bytes : 0;
}

static void buffers_read(Scan* s, Json* json) {
    if (!array_enter(json)) return;
    while (json_item(json)) buffer_read(s, json);
}

static void view_read(Scan* s, Json* json) {
    JsonString key;
    u64        bytes = 0;
    u32        buffer = NONE;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "byteLength"))
            bytes = number_take(json);
        else if (json_equals(key, "buffer"))
            buffer = number_take(json);
        else
            json_skip(json);
    }
    const bool fits = buffer < s->buffers.count && bytes <= s->buffers.at[buffer];
    *array_push(&s->views) = fits ? bytes : 0;
}

static void views_read(Scan* s, Json* json) {
    if (!array_enter(json)) return;
    while (json_item(json)) view_read(s, json);
}

/* --- accessors --- */

static u32 component_bytes_of(u32 type) {
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4;
}

static void sparse_read(Json* json, CostAccessor* a) {
    JsonString key;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "count"))
            a->sparse_count = number_take(json);
        else
            json_skip(json);
    }
}

static void accessor_members(Json* json, CostAccessor* a) {
    JsonString key;
    a->offset = json_offset(json);
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "count"))
            a->count = number_take(json);
        else if (json_equals(key, "type"))
            a->components = components_take(json);
        else if (json_equals(key, "componentType"))
            a->component_bytes = component_bytes_of(number_take(json));
        else if (json_equals(key, "sparse"))
            sparse_read(json, a);
        else if (json_equals(key, "bufferView"))
            a->has_view = true, a->view = number_take(json);
        else
            json_skip(json);
    }
}

static void accessor_read(const Scan* s, Json* json, CostAccessor* a) {
    *a = (CostAccessor){.view = NONE, .component_bytes = 4};
    accessor_members(json, a);
    const u64 room = a->view < s->views.count ? s->views.at[a->view] : 0;
    if (a->count == NONE) a->count = 0;
    if (a->has_view && a->count * a->components * a->component_bytes > room) a->count = 0;
    if (a->sparse_count > a->count) a->sparse_count = 0;
}

static void accessors_read(Scan* s, Json* json) {
    if (!array_enter(json)) return;
    while (json_item(json)) {
        CostAccessor* a = array_push(&s->accessors);
        accessor_read(s, json, a);
    }
}

static const CostAccessor* accessor_of(const Scan* s, u32 index) {
    static const CostAccessor none;
    return index < s->accessors.count ? &s->accessors.at[index] : &none;
}

/* Each accessor that is used is decoded once. */
static void accessor_use(Scan* s, u32 index) {
    if (index >= s->accessors.count || s->accessors.at[index].used) return;
    CostAccessor* a = &s->accessors.at[index];
    a->used = true;
    add(&s->cost.decoded_bytes, a->count, a->components * 4ull);
    add(&s->cost.decoded_bytes, a->sparse_count, 4);
    if (a->has_view) return;
    const u64 zeros = a->count * a->components * 4;
    add(&s->cost.zero_bytes, zeros, 1);
    if (zeros <= s->zero_most) return;
    s->zero_most = zeros;
    s->cost.zero_offset = a->offset;
}

/* --- meshes --- */

/* Strips, loops and fans become lists. */
static u32 corners_of(u32 mode) {
    return mode == 5 || mode == 6 ? 3 : mode == 2 || mode == 3 ? 2 : 1;
}

static u64 attributes_read(Scan* s, Json* json) {
    JsonString key;
    u64        vertices = 0;
    if (!object_enter(json)) return 0;
    while (json_key(json, &key)) {
        const u32 index = number_take(json);
        accessor_use(s, index);
        vertices = MAX_OF(vertices, accessor_of(s, index)->count);
    }
    return vertices;
}

/* The displacements of morph targets are copied for each primitive. Returns their number. */
static u32 targets_read(Scan* s, Json* json) {
    JsonString key;
    u32        targets = 0;
    if (!array_enter(json)) return 0;
    while (json_item(json)) {
        targets++;
        if (!object_enter(json)) continue;
        while (json_key(json, &key)) {
            const u32 index = number_take(json);
            const u64 count = accessor_of(s, index)->count;
            accessor_use(s, index);
            add(&s->cost.decoded_bytes, count, sizeof(f32) * 3);
            add(&s->cost.output_bytes, count, ROW_BYTES);
        }
    }
    return targets;
}

static void primitive_read(Scan* s, Json* json) {
    JsonString key;
    u64        vertices = 0;
    u32        indices = NONE, mode = 4, targets = 0;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "attributes"))
            vertices = attributes_read(s, json);
        else if (json_equals(key, "indices"))
            accessor_use(s, indices = number_take(json));
        else if (json_equals(key, "targets"))
            targets = targets_read(s, json);
        else if (json_equals(key, "mode"))
            mode = number_take(json);
        else
            json_skip(json);
    }
    const u64 corners = indices == NONE ? vertices : accessor_of(s, indices)->count;
    add(&s->cost.decoded_bytes, corners, corners_of(mode) * 4ull);
    add(&s->cost.output_bytes, corners, corners_of(mode) * 4ull);
    add(&s->cost.output_bytes, vertices, VERTEX_BYTES);
    /* With tangents, each corner may become a vertex, and have displacements of all kinds. */
    const u64 split = corners * corners_of(mode) - MIN_OF(corners * corners_of(mode), vertices);
    add(&s->split_bytes, split, VERTEX_BYTES + targets * 3ull * ROW_BYTES);
    add(&s->split_bytes, vertices, targets * (u64)ROW_BYTES); /* of tangents */
}

static void mesh_read(Scan* s, Json* json) {
    JsonString key;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (!json_equals(key, "primitives"))
            json_skip(json);
        else if (array_enter(json))
            while (json_item(json)) primitive_read(s, json);
    }
}

static void meshes_read(Scan* s, Json* json) {
    if (!array_enter(json)) return;
    while (json_item(json)) mesh_read(s, json);
}

/* --- materials --- */

static void materials_read(Scan* s, Json* json) {
    JsonString key;
    if (!array_enter(json)) return;
    while (json_item(json)) {
        if (!object_enter(json)) continue;
        while (json_key(json, &key)) {
            s->has_normal_map |= json_equals(key, "normalTexture");
            json_skip(json);
        }
    }
}

/* --- skins --- */

static void skins_read(Scan* s, Json* json) {
    JsonString key;
    if (!array_enter(json)) return;
    while (json_item(json)) {
        if (!object_enter(json)) continue;
        while (json_key(json, &key)) {
            if (!json_equals(key, "inverseBindMatrices")) {
                json_skip(json);
                continue;
            }
            const u32 index = number_take(json);
            accessor_use(s, index);
            add(&s->cost.output_bytes, accessor_of(s, index)->count, BIND_BYTES);
        }
    }
}

/* --- animations --- */

static void samplers_read(Scan* s, Json* json) {
    JsonString key;
    if (!array_enter(json)) return;
    while (json_item(json)) {
        CostSampler sampler = {NONE, NONE};
        if (object_enter(json)) {
            while (json_key(json, &key)) {
                if (json_equals(key, "input"))
                    sampler.input = number_take(json);
                else if (json_equals(key, "output"))
                    sampler.output = number_take(json);
                else
                    json_skip(json);
            }
        }
        accessor_use(s, sampler.input);
        *array_push(&s->samplers) = sampler;
    }
}

/* Each channel has its own copy of the times and values of its sampler. */
static void channel_read(Scan* s, Json* json) {
    JsonString key;
    u32        sampler = NONE;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) {
        if (json_equals(key, "sampler"))
            sampler = number_take(json);
        else
            json_skip(json);
    }
    if (sampler >= s->samplers.count) return;
    const CostAccessor* times = accessor_of(s, s->samplers.at[sampler].input);
    const CostAccessor* values = accessor_of(s, s->samplers.at[sampler].output);
    accessor_use(s, s->samplers.at[sampler].output);
    add(&s->cost.decoded_bytes, times->count, 4);
    add(&s->cost.decoded_bytes, values->count, values->components * 4ull);
    add(&s->cost.output_bytes, times->count, 4);
    add(&s->cost.output_bytes, values->count, values->components * 4ull);
}

static void animation_read(Scan* s, Json* json) {
    JsonString key;
    u32        channels = 0;
    s->samplers.count = 0;
    if (!object_enter(json)) return;
    while (json_key(json, &key)) { /* channels may come before the objects to which they refer */
        if (json_equals(key, "samplers")) {
            samplers_read(s, json);
        } else {
            if (json_equals(key, "channels")) channels = json_offset(json);
            json_skip(json);
        }
    }
    if (!channels) return;
    Json again = json_open(&s->source, channels, s->ignored);
    if (!array_enter(&again)) return;
    while (json_item(&again)) channel_read(s, &again);
}

static void animations_read(Scan* s, Json* json) {
    if (!array_enter(json)) return;
    while (json_item(json)) animation_read(s, json);
}

/* --- the complete file --- */

/* Objects are read before those that refer to them, independent of their order in the file. */
static void parts_read(Scan* s) {
    static const struct {
        const char* key;
        void (*read)(Scan* s, Json* json);
    } parts[] = {{"buffers", buffers_read},     {"bufferViews", views_read},
                 {"accessors", accessors_read}, {"meshes", meshes_read},
                 {"skins", skins_read},         {"animations", animations_read},
                 {"materials", materials_read}};
    u32        at[COUNT_OF(parts)] = {0};
    Json       json = json_open(&s->source, 0, s->ignored);
    JsonString key;
    if (!object_enter(&json)) return;
    while (json_key(&json, &key)) {
        for (u32 i = 0; i < COUNT_OF(parts); i++) {
            if (json_equals(key, parts[i].key)) at[i] = json_offset(&json);
        }
        json_skip(&json);
    }
    for (u32 i = 0; i < COUNT_OF(parts); i++) {
        if (!at[i] || json.failed) continue;
        Json part = json_open(&s->source, at[i], s->ignored);
        parts[i].read(s, &part);
    }
    if (s->has_normal_map) add(&s->cost.output_bytes, s->split_bytes, 1);
}

/* The JSON of a .glb file is copied: a source ends with a NUL. */
static bool text_open(Scan* s, Arena* arena, const char* path, const u8* bytes, u64 size,
                      bool binary) {
    u32 length;
    s->source = source_of(path, (const char*)bytes, (u32)MIN_OF(size, (u64)UINT32_MAX));
    if (!binary) return size < UINT32_MAX;
    if (size < GLB_JSON_AT || size >= UINT32_MAX) return false;
    memcpy(&length, bytes + 12, sizeof length);
    length = word_read(length, !HOST_IS_LITTLE);
    if (length > size - GLB_JSON_AT) return false;
    s->source.text = arena_text(arena, (Text){(const char*)bytes + GLB_JSON_AT, length});
    s->source.bytes = length;
    return true;
}

GltfCost gltf_cost(const char* path, const void* bytes, u64 size, bool binary) {
    Scan  s = {.ignored = diag_create(), .size = size};
    Arena arena = {0};
    if (text_open(&s, &arena, path, bytes, size, binary)) parts_read(&s);
    array_drop(&s.buffers);
    array_drop(&s.views);
    array_drop(&s.accessors);
    array_drop(&s.samplers);
    arena_drop(&arena);
    diag_destroy(s.ignored);
    return s.cost;
}
