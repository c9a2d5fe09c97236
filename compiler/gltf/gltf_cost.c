/* gltf_cost.c - estimates the size of the accessors, meshes, skins and animations of a glTF file.
 *
 * The counts follow gltf_accessor.c, gltf_mesh.c, gltf_clip.c and model_write.c and are never less
 * than the memory that these allocate. */
#include "gltf_cost.h"

#define COUNT_LIMIT  4294967295.0            /* more elements than any accessor can have */
#define VERTEX_BYTES (12u + 12 + 16 + 8 * 7) /* of a mesh with every stream */
#define ROW_BYTES    (4u + 12)               /* of a vertex and a displacement of it */
#define BIND_BYTES   52u
#define COST_LIMIT   (1ull << 60)

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
    const Source* source;
    GltfCost      cost;
    u64           bytes; /* of the file */
    u64           largest_zeros;
    u64           split_bytes; /* of vertices that are needed more if tangents are computed */
    bool          has_normal_map;
    ARRAY(u64) buffers; /* bytes of each, and of views */
    ARRAY(u64) views;
    ARRAY(CostAccessor) accessors;
    ARRAY(CostSampler) samplers; /* of the animation that is being counted */
} Scan;

static void add(u64* to, u64 count, u64 bytes) {
    *to = MIN_OF(*to + MIN_OF(count, COST_LIMIT / 1024) * bytes, COST_LIMIT);
}

/* --- values --- */

/* A number that is a count or an index; NONE when it is absent or invalid. */
static u32 number_of(const JsonToken* value) {
    const f64 number = json_token_is(value, JSON_NUMBER) ? json_token_number(value) : -1;
    return number >= 0 && number <= COUNT_LIMIT ? (u32)number : NONE;
}

static u32 number_get(const JsonToken* object, const char* key) {
    return number_of(json_get(object, key));
}

/* The first item of a list of objects. */
static const JsonToken* list_first(const JsonToken* list) {
    return json_token_is(list, JSON_ARRAY) ? json_first(list) : NULL;
}

static u32 components_of(const JsonToken* type) {
    static const struct {
        const char* name;
        u32         components;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (u32 i = 0; json_token_is(type, JSON_STRING) && i < COUNT_OF(types); i++) {
        if (json_token_equals(type, types[i].name)) return types[i].components;
    }
    return 0;
}

/* --- buffers --- */

/* Data in the file itself is not longer than the file; no other file is longer than the limit. */
static void buffers_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* b = list_first(list); b; b = json_next(b)) {
        const JsonToken* uri = json_get(b, "uri");
        const bool       is_file = json_token_is(uri, JSON_STRING) &&
                             (uri->bytes < 7 || memcmp(uri->at + 1, "data:", 5) != 0);
        const u32 length = number_get(b, "byteLength");
        const u64 bytes = length == NONE ? 0 : length;
        *array_push(&s->buffers) = bytes <= (is_file ? GLTF_FILE_BYTES_MAX : s->bytes) ? bytes : 0;
    }
}

static void views_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* v = list_first(list); v; v = json_next(v)) {
        const u32  bytes = number_get(v, "byteLength"), buffer = number_get(v, "buffer");
        const bool fits =
            bytes != NONE && buffer < s->buffers.count && bytes <= s->buffers.at[buffer];
        *array_push(&s->views) = fits ? bytes : 0;
    }
}

/* --- accessors --- */

static u32 component_bytes_of(u32 type) {
    return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4;
}

static void accessors_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* v = list_first(list); v; v = json_next(v)) {
        const JsonToken* view = json_get(v, "bufferView");
        CostAccessor     a = {.count = number_get(v, "count"),
                              .sparse_count = number_get(json_get(v, "sparse"), "count"),
                              .components = components_of(json_get(v, "type")),
                              .component_bytes = component_bytes_of(number_get(v, "componentType")),
                              .view = number_of(view),
                              .offset = json_token_offset(s->source, v),
                              .has_view = view != NULL};
        const u64        room = a.view < s->views.count ? s->views.at[a.view] : 0;
        if (a.count == NONE) a.count = 0;
        if (a.has_view && a.count * a.components * a.component_bytes > room) a.count = 0;
        if (a.sparse_count > a.count) a.sparse_count = 0;
        *array_push(&s->accessors) = a;
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
    if (zeros <= s->largest_zeros) return;
    s->largest_zeros = zeros;
    s->cost.zero_offset = a->offset;
}

/* --- meshes --- */

/* Strips, loops and fans become lists. */
static u32 corners_of(u32 mode) {
    return mode == 5 || mode == 6 ? 3 : mode == 2 || mode == 3 ? 2 : 1;
}

static u64 attributes_read(Scan* s, const JsonToken* attributes) {
    u64 vertices = 0;
    if (!json_token_is(attributes, JSON_OBJECT)) return 0;
    for (const JsonToken* a = json_first(attributes); a; a = json_next(a)) {
        const u32 index = number_of(a);
        accessor_use(s, index);
        vertices = MAX_OF(vertices, accessor_of(s, index)->count);
    }
    return vertices;
}

/* The displacements of morph targets are copied for each primitive. Returns their number. */
static u32 targets_read(Scan* s, const JsonToken* list) {
    u32 targets = 0;
    for (const JsonToken* target = list_first(list); target; target = json_next(target)) {
        targets++;
        if (!json_token_is(target, JSON_OBJECT)) continue;
        for (const JsonToken* stream = json_first(target); stream; stream = json_next(stream)) {
            const u32 index = number_of(stream);
            const u64 count = accessor_of(s, index)->count;
            accessor_use(s, index);
            add(&s->cost.decoded_bytes, count, sizeof(f32) * 3);
            add(&s->cost.output_bytes, count, ROW_BYTES);
        }
    }
    return targets;
}

static void primitive_read(Scan* s, const JsonToken* p) {
    const JsonToken* mode = json_get(p, "mode");
    const u64        vertices = attributes_read(s, json_get(p, "attributes"));
    const u32        indices = number_get(p, "indices");
    const u32        corner_count = mode ? corners_of(number_of(mode)) : 1;
    accessor_use(s, indices);
    const u32 targets = targets_read(s, json_get(p, "targets"));
    const u64 corners =
        (indices == NONE ? vertices : accessor_of(s, indices)->count) * corner_count;
    add(&s->cost.decoded_bytes, corners, 4);
    add(&s->cost.output_bytes, corners, 4);
    add(&s->cost.output_bytes, vertices, VERTEX_BYTES);
    /* With tangents, each corner may become a vertex, and have displacements of all kinds. */
    add(&s->split_bytes, corners - MIN_OF(corners, vertices),
        VERTEX_BYTES + targets * 3ull * ROW_BYTES);
    add(&s->split_bytes, vertices, targets * (u64)ROW_BYTES); /* of tangents */
}

static void meshes_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* mesh = list_first(list); mesh; mesh = json_next(mesh)) {
        const JsonToken* primitives = json_get(mesh, "primitives");
        for (const JsonToken* p = list_first(primitives); p; p = json_next(p)) primitive_read(s, p);
    }
}

/* --- materials --- */

static void materials_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* material = list_first(list); material; material = json_next(material))
        s->has_normal_map |= json_get(material, "normalTexture") != NULL;
}

/* --- skins --- */

static void skins_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* skin = list_first(list); skin; skin = json_next(skin)) {
        const u32 index = number_get(skin, "inverseBindMatrices");
        accessor_use(s, index);
        add(&s->cost.output_bytes, accessor_of(s, index)->count, BIND_BYTES);
    }
}

/* --- animations --- */

static void samplers_read(Scan* s, const JsonToken* list) {
    s->samplers.count = 0;
    for (const JsonToken* v = list_first(list); v; v = json_next(v)) {
        const CostSampler sampler = {number_get(v, "input"), number_get(v, "output")};
        accessor_use(s, sampler.input);
        *array_push(&s->samplers) = sampler;
    }
}

/* Each channel has its own copy of the times and values of its sampler. */
static void channel_read(Scan* s, const JsonToken* channel) {
    const u32 sampler = number_get(channel, "sampler");
    if (sampler >= s->samplers.count) return;
    const CostAccessor* times = accessor_of(s, s->samplers.at[sampler].input);
    const CostAccessor* values = accessor_of(s, s->samplers.at[sampler].output);
    accessor_use(s, s->samplers.at[sampler].output);
    add(&s->cost.decoded_bytes, times->count, 4);
    add(&s->cost.decoded_bytes, values->count, values->components * 4ull);
    add(&s->cost.output_bytes, times->count, 4);
    add(&s->cost.output_bytes, values->count, values->components * 4ull);
}

static void animations_read(Scan* s, const JsonToken* list) {
    for (const JsonToken* animation = list_first(list); animation;
         animation = json_next(animation)) {
        const JsonToken* channels = json_get(animation, "channels");
        samplers_read(s, json_get(animation, "samplers"));
        for (const JsonToken* c = list_first(channels); c; c = json_next(c)) channel_read(s, c);
    }
}

/* --- the complete file --- */

GltfCost gltf_cost(const GltfFile* file) {
    const JsonToken* root = file->is_open ? json_tokens_root(&file->tokens) : NULL;
    Scan             s = {.source = &file->json, .bytes = file->bytes};
    buffers_read(&s, json_get(root, "buffers")); /* objects before those that refer to them */
    views_read(&s, json_get(root, "bufferViews"));
    accessors_read(&s, json_get(root, "accessors"));
    meshes_read(&s, json_get(root, "meshes"));
    skins_read(&s, json_get(root, "skins"));
    animations_read(&s, json_get(root, "animations"));
    materials_read(&s, json_get(root, "materials"));
    if (s.has_normal_map) add(&s.cost.output_bytes, s.split_bytes, 1);
    array_drop(&s.buffers);
    array_drop(&s.views);
    array_drop(&s.accessors);
    array_drop(&s.samplers);
    return s.cost;
}
