/* gltf_mesh.c - meshes of a glTF file: attributes checked and unpacked, strips and fans as lists.
 */
#include "gltf_internal.h"

#include <stdio.h>

#define SETS_MAX  4 /* JOINTS_0 to JOINTS_3 */
#define KEPT_MAX  8 /* influences of a vertex that are compiled */
#define KEY_BYTES 32

typedef struct Semantic {
    const char* name;      /* "TEXCOORD_" is followed by a number */
    u32         types;     /* GLTF_TYPE_BITs */
    u32         formats;   /* FORMAT bits */
    u32         quantized; /* more of them with KHR_mesh_quantization */
} Semantic;

enum { POSITION, NORMAL, TANGENT, TEXCOORD, COLOR, JOINTS, WEIGHTS, SEMANTIC_COUNT };

#define NORMALIZED_2 (FORMAT_UBYTE_N | FORMAT_USHORT_N)
#define SIGNED_2     (FORMAT_BYTE_N | FORMAT_SHORT_N)
#define PLAIN_4      (FORMAT_BYTE | FORMAT_UBYTE | FORMAT_SHORT | FORMAT_USHORT)

static const Semantic semantics[SEMANTIC_COUNT] = {
    [POSITION] = {"POSITION", GLTF_TYPE_BIT(VEC3), FORMAT_FLOAT, PLAIN_4 | SIGNED_2 | NORMALIZED_2},
    [NORMAL] = {"NORMAL", GLTF_TYPE_BIT(VEC3), FORMAT_FLOAT, SIGNED_2},
    [TANGENT] = {"TANGENT", GLTF_TYPE_BIT(VEC4), FORMAT_FLOAT, SIGNED_2},
    [TEXCOORD] = {"TEXCOORD_", GLTF_TYPE_BIT(VEC2), FORMAT_FLOAT | NORMALIZED_2,
                  PLAIN_4 | SIGNED_2},
    [COLOR] = {"COLOR_", GLTF_TYPE_BIT(VEC3) | GLTF_TYPE_BIT(VEC4), FORMAT_FLOAT | NORMALIZED_2, 0},
    [JOINTS] = {"JOINTS_", GLTF_TYPE_BIT(VEC4), FORMAT_UBYTE | FORMAT_USHORT, 0},
    [WEIGHTS] = {"WEIGHTS_", GLTF_TYPE_BIT(VEC4), FORMAT_FLOAT | NORMALIZED_2, 0},
};

/* One primitive that is being read. */
typedef struct Reader {
    Gltf*          g;
    const cJSON*   json;       /* the primitive */
    const cJSON*   attributes; /* */
    GltfPrimitive* out;
    u32            sets[SEMANTIC_COUNT]; /* number of attributes of each semantic */
    GltfMeshUse*   use;
} Reader;

/* --- attributes --- */

/* The semantic of a key, and its number; SEMANTIC_COUNT when it is none. */
static u32 parse_semantic(const char* key, u32* number) {
    for (u32 s = 0; s < SEMANTIC_COUNT; s++) {
        const size_t bytes = strlen(semantics[s].name);
        const char*  rest = key + bytes;
        *number = 0;
        if (strncmp(key, semantics[s].name, bytes) != 0) continue;
        if (s < TEXCOORD) return *rest ? (u32)SEMANTIC_COUNT : s;
        if (*rest < '0' || *rest > '9' || (*rest == '0' && rest[1])) return SEMANTIC_COUNT;
        for (; *rest >= '0' && *rest <= '9' && *number < 10000; rest++)
            *number = *number * 10 + (u32)(*rest - '0');
        return *rest ? (u32)SEMANTIC_COUNT : s;
    }
    return SEMANTIC_COUNT;
}

/* Attributes must be known, numbered 0 1 2 .., and have the same length. */
static bool check_attributes(Reader* r) {
    u32  highest[SEMANTIC_COUNT] = {0}, number;
    u32* count = &r->out->vertex_count;
    for (const cJSON* item = r->attributes->child; item; item = item->next) {
        const u32 s = parse_semantic(item->string, &number);
        const u32 index = gltf_index_of(r->g, item, &r->g->accessor_list);
        if (s == SEMANTIC_COUNT && item->string[0] != '_')
            gltf_error(
                r->g, E0403, item,
                "is not an attribute of glTF; the name of a custom attribute must begin with '_'");
        if (s != SEMANTIC_COUNT) {
            r->sets[s]++;
            highest[s] = MAX_OF(highest[s], number);
        }
        if (index == NONE || !gltf_accessor_is_usable(r->g, index)) continue;
        const u32 vertices = r->g->accessors[index].count;
        if (*count && vertices != *count)
            gltf_error(r->g, E0403, item, "has %u vertices, but other attributes have %u", vertices,
                       *count);
        *count = *count ? MIN_OF(*count, vertices) : vertices;
    }
    for (u32 s = TEXCOORD; s < SEMANTIC_COUNT; s++)
        if (r->sets[s] && highest[s] + 1 != r->sets[s])
            gltf_error(r->g, E0403, r->attributes, "has %s%u, but not all sets with lower numbers",
                       semantics[s].name, highest[s]);
    if (r->sets[JOINTS] != r->sets[WEIGHTS])
        gltf_error(r->g, E0403, r->attributes, "has %u sets of joints, but %u sets of weights",
                   r->sets[JOINTS], r->sets[WEIGHTS]);
    return r->sets[JOINTS] == r->sets[WEIGHTS];
}

static GltfAccessor* attribute(Reader* r, u32 semantic, u32 number) {
    const Semantic* s = &semantics[semantic];
    char            key[KEY_BYTES];
    if (semantic < TEXCOORD)
        snprintf(key, sizeof key, "%s", s->name);
    else
        snprintf(key, sizeof key, "%s%u", s->name, number);
    GltfAccessor* a = gltf_accessor(r->g, r->attributes, key, USE_VERTICES, s->types,
                                    s->formats | (r->g->quantized ? s->quantized : 0));
    return a && a->count == r->out->vertex_count ? a : NULL; /* otherwise it was reported */
}

/* Sets that are not compiled must be valid too. */
static void check_other_sets(Reader* r, u32 semantic) {
    const Semantic* s = &semantics[semantic];
    const u32       formats = s->formats | (r->g->quantized ? s->quantized : 0);
    u32             number;
    for (const cJSON* item = r->attributes->child; item; item = item->next)
        if (parse_semantic(item->string, &number) == semantic && number > 0)
            gltf_accessor_of(r->g, item, item->string, USE_VERTICES, s->types, formats);
}

static const f32* attribute_floats(Reader* r, u32 semantic, u32 number) {
    GltfAccessor* a = attribute(r, semantic, number);
    return a ? gltf_floats(r->g, a) : NULL;
}

/* Allocates [vertex_count] elements; or NULL. */
static void* vertex_alloc(Reader* r, size_t bytes) {
    const u64 all = (u64)r->out->vertex_count * bytes;
    return gltf_charge(r->g, r->json, all) ? arena_alloc(r->g->arena, all) : NULL;
}

/* Divides by the length; false when that is too far from 1. */
static bool make_unit(const f32* in, f32* out) {
    const f64 x = in[0], y = in[1], z = in[2];
    const f64 length = sqrt(x * x + y * y + z * z);
    if (!(fabs(length - 1) <= GLTF_NORMAL_TOLERANCE)) return false;
    out[0] = (f32)(x / length);
    out[1] = (f32)(y / length);
    out[2] = (f32)(z / length);
    return true;
}

static void read_normals(Reader* r) {
    const f32* in = attribute_floats(r, NORMAL, 0);
    Vec3*      out = in ? vertex_alloc(r, sizeof *out) : NULL;
    for (u32 i = 0; out && i < r->out->vertex_count; i++) {
        if (make_unit(in + i * 3ull, &out[i].x)) continue;
        gltf_error(r->g, E0406, json_tree_get(r->attributes, "NORMAL"),
                   "contains a normal that does not have unit length, at vertex %u", i);
        return;
    }
    r->out->normals = out;
}

static void read_tangents(Reader* r) {
    const f32* in = attribute_floats(r, TANGENT, 0);
    Vec4*      out = in ? vertex_alloc(r, sizeof *out) : NULL;
    for (u32 i = 0; out && i < r->out->vertex_count; i++) {
        out[i].w = in[i * 4ull + 3];
        if (make_unit(in + i * 4ull, &out[i].x) && (out[i].w == 1 || out[i].w == -1)) continue;
        gltf_error(
            r->g, E0406, json_tree_get(r->attributes, "TANGENT"),
            "contains a tangent that does not have unit length and a sign of 1 or -1, at vertex %u",
            i);
        return;
    }
    r->out->tangents = out;
}

/* Positions and uvs are the array of the accessor, which primitives may share. */
static void read_positions(Reader* r) {
    GltfAccessor* a = attribute(r, POSITION, 0);
    if (!a) return;
    gltf_need_bounds(r->g, a, "positions");
    r->out->positions = (Vec3*)(uintptr_t)gltf_floats(r->g, a);
}

static void read_uvs(Reader* r) {
    r->out->uvs = (Vec2*)(uintptr_t)attribute_floats(r, TEXCOORD, 0);
    if (r->sets[TEXCOORD] > 1) r->out->uvs_1 = (Vec2*)(uintptr_t)attribute_floats(r, TEXCOORD, 1);
    check_other_sets(r, TEXCOORD);
}

/* Returns false, after reporting it, when a color of the first set is out of range. */
static bool check_colors(Reader* r, GltfAccessor* a, const f32* in) {
    for (u32 i = 0; !a->in_unit && i < a->count * a->components; i++) {
        if (in[i] >= 0 && in[i] <= 1) continue;
        gltf_error(r->g, E0406, json_tree_get(r->attributes, "COLOR_0"),
                   "contains %g at vertex %u, but colors must be from 0 to 1", (f64)in[i],
                   i / a->components);
        return false;
    }
    return a->in_unit = true;
}

static void read_colors(Reader* r) {
    check_other_sets(r, COLOR);
    GltfAccessor* a = r->sets[COLOR] ? attribute(r, COLOR, 0) : NULL;
    const f32*    in = a ? gltf_floats(r->g, a) : NULL;
    if (!in || !check_colors(r, a, in)) return;
    u16* out = vertex_alloc(r, 4 * sizeof *out);
    for (size_t i = 0; out && i < a->count; i++) {
        for (u32 k = 0; k < 4; k++) {
            const f32 value = k < a->components ? in[i * a->components + k] : 1;
            out[i * 4 + k] = (u16)(value * 65535.0f + 0.5f);
        }
    }
    r->out->colors = out;
}

/* Custom attributes. */
static void check_own(Reader* r) {
    for (const cJSON* item = r->attributes->child; item; item = item->next)
        if (item->string[0] == '_')
            gltf_accessor_of(r->g, item, item->string, USE_VERTICES, ~0u, ~(u32)FORMAT_UINT);
}

/* --- joints --- */

/* All sets of one vertex; if there is more than one, the heaviest come first. */
typedef struct Influences {
    u32 joint[SETS_MAX * 4];
    f32 weight[SETS_MAX * 4];
    u32 count;
} Influences;

/* The error of one vertex, or NULL. */
static const char* influences_fault(const Influences* v) {
    f64 sum = 0;
    for (u32 i = 0; i < v->count; i++) {
        if (v->weight[i] < 0) return "is negative";
        sum += (f64)v->weight[i];
        if (v->joint[i] > UINT16_MAX - 1) return "belongs to joint 65535, which is not allowed";
        for (u32 k = 0; k < i; k++)
            if (v->weight[i] > 0 && v->weight[k] > 0 && v->joint[i] == v->joint[k])
                return "belongs to a joint that already has a weight for this vertex";
    }
    return fabs(sum - 1) > GLTF_UNIT_REMARK ? "does not add up to 1 with the other weights" : NULL;
}

/* Is the sum as exact as 32-bit floats allow? As the Khronos validator, which adds up floats. */
static bool influences_exact(const Influences* v) {
    f32 sum = 0;
    f64 allowed = 0;
    for (u32 i = 0; i < v->count; i++) {
        sum += v->weight[i];
        allowed += v->weight[i] > 0 ? 2e-7 : 0;
    }
    return fabs((f64)sum - 1) <= allowed;
}

/* Moves the heaviest to the front; equal ones keep their order. */
static void influences_order(Influences* v) {
    for (u32 i = 0; i < KEPT_MAX && v->count > 4; i++) {
        u32 best = i;
        for (u32 k = i + 1; k < v->count; k++)
            if (v->weight[k] > v->weight[best]) best = k;
        const u32 joint = v->joint[best];
        const f32 weight = v->weight[best];
        for (u32 k = best; k > i; k--) {
            v->joint[k] = v->joint[k - 1];
            v->weight[k] = v->weight[k - 1];
        }
        v->joint[i] = joint;
        v->weight[i] = weight;
    }
}

/* The sets of a primitive. */
typedef struct InfluenceSets {
    const u32* joints[SETS_MAX];
    const f32* weights[SETS_MAX];
    u32        count;
} InfluenceSets;

static Influences influences_of(const InfluenceSets* sets, u32 vertex) {
    Influences v = {.count = sets->count * 4};
    for (u32 s = 0; s < sets->count; s++) {
        memcpy(v.joint + s * 4, sets->joints[s] + vertex * 4ull, 4 * sizeof(u32));
        memcpy(v.weight + s * 4, sets->weights[s] + vertex * 4ull, 4 * sizeof(f32));
    }
    return v;
}

/* Returns false when the sets of the primitive are not valid, which was reported. */
static bool read_sets(Reader* r, InfluenceSets* sets) {
    sets->count = r->sets[JOINTS];
    if (sets->count > SETS_MAX) {
        gltf_error(r->g, E0407, r->attributes,
                   "has %u sets of joints, but entc supports at most %u", sets->count, SETS_MAX);
        return false;
    }
    for (u32 s = 0; s < sets->count; s++) {
        GltfAccessor* joints = attribute(r, JOINTS, s);
        sets->joints[s] = joints ? gltf_integers(r->g, joints) : NULL;
        sets->weights[s] = attribute_floats(r, WEIGHTS, s);
        if (!sets->joints[s] || !sets->weights[s]) return false;
    }
    return true;
}

/* Reports weights that are not valid, and the first vertex with weights that are normalised. Sets
 * the number of influences that the vertices need. */
static bool check_influences(Reader* r, const InfluenceSets* sets, u32* needed) {
    const cJSON* at = json_tree_get(r->attributes, "WEIGHTS_0");
    bool         exact = true; /* so far */
    *needed = 4;
    for (u32 i = 0; i < r->out->vertex_count; i++) {
        const Influences v = influences_of(sets, i);
        const char*      fault = influences_fault(&v);
        u32              used = 0;
        if (fault) {
            gltf_error(r->g, E0406, at, "contains a weight at vertex %u that %s", i, fault);
            return false;
        }
        if (exact && !influences_exact(&v)) {
            exact = false;
            gltf_remark(r->g, REMARK_LENGTHS, "weights", at,
                        "contains weights at vertex %u with a sum that is not exactly 1; they are "
                        "normalised",
                        i);
        }
        for (u32 k = 0; k < v.count; k++) used += v.weight[k] > 0;
        if (used > 4) *needed = KEPT_MAX;
        for (u32 k = 0; k < v.count; k++) r->use->joint_max = MAX_OF(r->use->joint_max, v.joint[k]);
    }
    return true;
}

static void read_influences(Reader* r) {
    InfluenceSets sets;
    u32           kept;
    r->use->skinned |= r->sets[JOINTS] > 0;
    if (!read_sets(r, &sets) || sets.count == 0 || !check_influences(r, &sets, &kept)) return;
    u16* joints = vertex_alloc(r, kept * sizeof *joints);
    f32* weights = joints ? vertex_alloc(r, kept * sizeof *weights) : NULL;
    for (u32 i = 0; weights && i < r->out->vertex_count; i++) {
        Influences v = influences_of(&sets, i);
        influences_order(&v);
        for (u32 k = 0; k < kept; k++) {
            joints[i * (size_t)kept + k] = (u16)v.joint[k];
            weights[i * (size_t)kept + k] = v.weight[k];
        }
    }
    r->out->joints = weights ? joints : NULL;
    r->out->weights = weights;
    r->out->influences = weights ? kept : 0;
}

/* --- indices --- */

static bool check_indices(Reader* r, const GltfAccessor* a, const u32* indices) {
    const u32 restart = a->format == FORMAT_UBYTE    ? 0xff
                        : a->format == FORMAT_USHORT ? 0xffff
                                                     : UINT32_MAX;
    for (u32 i = 0; i < a->count; i++) {
        if (indices[i] < r->out->vertex_count && indices[i] != restart) continue;
        const cJSON* at = json_tree_get(r->json, "indices");
        if (indices[i] == restart)
            gltf_error(r->g, E0403, at,
                       "has the value %u at index %u, which is the primitive restart value and not "
                       "allowed",
                       restart, i);
        else
            gltf_error(r->g, E0404, at, "has the value %u at index %u, but there are %u vertices",
                       indices[i], i, r->out->vertex_count);
        return false;
    }
    return true;
}

/* Reads the indices; returns false when they are invalid. NULL means 0 1 2 .. */
static bool read_indices(Reader* r, const u32** indices, u32* count) {
    *indices = NULL;
    *count = r->out->vertex_count;
    if (!json_tree_get(r->json, "indices")) return true;
    GltfAccessor* a = gltf_accessor(r->g, r->json, "indices", USE_INDICES, GLTF_TYPE_BIT(SCALAR),
                                    FORMAT_UBYTE | FORMAT_USHORT | FORMAT_UINT);
    r->out->indexed = true;
    *indices = a ? gltf_integers(r->g, a) : NULL;
    *count = a ? a->count : 0;
    return *indices && check_indices(r, a, *indices);
}

/* How the modes of glTF are converted to lists: corners of one element, and elements for n
 * indices. */
enum {
    MODE_POINTS,
    MODE_LINES,
    MODE_LINE_LOOP,
    MODE_LINE_STRIP,
    MODE_TRIANGLES,
    MODE_STRIP,
    MODE_FAN
};

static u64 element_count(u32 mode, u32 n) {
    switch (mode) {
    case MODE_POINTS: return n;
    case MODE_LINES: return n / 2;
    case MODE_LINE_LOOP: return n < 2 ? 0 : n;
    case MODE_LINE_STRIP: return n < 2 ? 0 : n - 1;
    case MODE_TRIANGLES: return n / 3;
    default: return n < 3 ? 0 : n - 2;
    }
}

/* glTF 2.0, 3.7.2.1: corner `c` of element `i` of a mode, as a position in the n indices. */
static u32 element_corner(u32 mode, u32 n, u32 i, u32 c) {
    switch (mode) {
    case MODE_POINTS: return i;
    case MODE_LINES: return i * 2 + c;
    case MODE_LINE_LOOP: return i + c < n ? i + c : 0;
    case MODE_LINE_STRIP: return i + c;
    case MODE_TRIANGLES: return i * 3 + c;
    case MODE_STRIP: return c == 0 ? i : c == 1 ? i + 1 + i % 2 : i + 2 - i % 2;
    default: return c == 2 ? 0 : i + 1 + c;
    }
}

static void unroll(Reader* r, u32 mode, const u32* indices, u32 n) {
    const u32 corners = mode == MODE_POINTS ? 1 : mode < MODE_TRIANGLES ? 2 : 3;
    const u64 count = element_count(mode, n) * corners;
    r->out->topology = corners == 1 ? MESH_POINTS : corners == 2 ? MESH_LINES : MESH_TRIANGLES;
    r->out->strip = mode == MODE_STRIP;
    if (count == 0 || !gltf_charge(r->g, r->json, count * sizeof(u32))) return;
    u32* out = ARENA_NEW(r->g->arena, u32, count);
    for (u32 i = 0; i * (u64)corners < count; i++)
        for (u32 c = 0; c < corners; c++) {
            const u32 at = element_corner(mode, n, i, c);
            out[i * (size_t)corners + c] = indices ? indices[at] : at;
        }
    r->out->indices = out;
    r->out->index_count = (u32)count;
}

/* --- meshes --- */

/* Is the attribute in the compiled mesh? */
static bool is_compiled(u32 semantic, u32 number) {
    if (semantic == TEXCOORD || semantic == JOINTS || semantic == WEIGHTS) return number < 2;
    return semantic != SEMANTIC_COUNT && number == 0;
}

static void attributes_remark(Reader* r) {
    u32 number;
    for (const cJSON* item = r->attributes->child; item; item = item->next) {
        const u32 semantic = parse_semantic(item->string, &number);
        if (is_compiled(semantic, number) || semantic == WEIGHTS) continue;
        gltf_remark(r->g, REMARK_ATTRIBUTES, item->string, item,
                    semantic == JOINTS ? "is not compiled: the eight largest weights of each "
                                         "vertex are kept"
                                       : "is not compiled");
    }
}

/* Returns false when there is nothing to draw: no positions, or too few vertices for one
 * element. */
static bool read_primitive(Gltf* g, const cJSON* json, const GltfList* materials, GltfMeshUse* use,
                           GltfPrimitive* out) {
    Reader     r = {.g = g, .json = json, .out = out, .use = use};
    const u32* indices;
    u32        count;
    const u32  mode = (u32)gltf_uint(g, json, "mode", MODE_TRIANGLES, 0, 6);
    out->material = gltf_index(g, json, "material", materials);
    r.attributes = gltf_need(g, json, "attributes", JSON_OBJECT);
    if (!r.attributes || !check_attributes(&r) || out->vertex_count == 0) return false;
    read_positions(&r);
    read_normals(&r);
    read_tangents(&r);
    read_uvs(&r);
    read_colors(&r);
    check_own(&r);
    read_influences(&r);
    attributes_remark(&r);
    if (read_indices(&r, &indices, &count)) unroll(&r, mode, indices, count);
    return out->positions && out->indices;
}

static void read_mesh(Gltf* g, const cJSON* json, const GltfList* materials, GltfMeshUse* use,
                      GltfMesh* out) {
    const GltfList list = gltf_list(g, json, "primitives");
    gltf_need(g, json, "primitives", JSON_ARRAY);
    out->name = gltf_name(g, json);
    out->offset = gltf_offset(g, json);
    out->primitives = ARENA_NEW(g->arena, GltfPrimitive, list.count);
    for (u32 i = 0; i < list.count; i++) {
        GltfPrimitive* p = &out->primitives[out->primitive_count];
        *p = (GltfPrimitive){.material = NONE, .source = i, .offset = gltf_offset(g, list.at[i])};
        if (read_primitive(g, list.at[i], materials, use, p))
            out->primitive_count++;
        else if (g->error_count == 0)
            gltf_remark(g, REMARK_PRIMITIVES, "", list.at[i],
                        "is not compiled: it has no position, or too few vertices for one element");
    }
    if (out->primitive_count == 0 && g->error_count == 0)
        gltf_error(g, E0407, json,
                   "has no visible element: it needs at least the positions of one point, line or "
                   "triangle");
}

void gltf_read_meshes(Gltf* g) {
    const GltfList list = gltf_list(g, g->tree.root, "meshes");
    const GltfList materials = gltf_list(g, g->tree.root, "materials");
    g->out->mesh_count = list.count;
    g->out->meshes = ARENA_NEW(g->arena, GltfMesh, list.count);
    g->mesh_use = ARENA_NEW(g->arena, GltfMeshUse, list.count);
    for (u32 i = 0; i < list.count; i++)
        read_mesh(g, list.at[i], &materials, &g->mesh_use[i], &g->out->meshes[i]);
}
