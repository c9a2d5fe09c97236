/* gltf_mesh.c - meshes of a glTF file: attributes checked and unpacked, strips and fans as lists.
 */
#include "gltf_internal.h"

#include <stdio.h>

#include "diag_codes.h"
#include "vec.h"

#define SETS_MAX  4 /* JOINTS_0 to JOINTS_3 */
#define KEPT_MAX  8 /* influences of a vertex that are compiled */
#define KEY_BYTES 32

#define UNIT_REMARK                                                                                \
    0.01 /* weights whose sum is so far from 1 are normalised here, others in the mesh */

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
    Gltf*            g;
    const JsonToken* json;       /* the primitive */
    const JsonToken* attributes; /* */
    GltfPrimitive*   out;
    u32              set_count; /* of joints and weights */
    u32              zero_normals;
    GltfMeshUse*     use;
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

/* Is the attribute in the compiled mesh? */
static bool is_compiled(u32 semantic, u32 number) {
    if (semantic == TEXCOORD) return number < 2;
    if (semantic == JOINTS || semantic == WEIGHTS) return number < SETS_MAX;
    return semantic != SEMANTIC_COUNT && number == 0;
}

static bool has_set(const Reader* r, u32 semantic, u32 number) {
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%s%u", semantics[semantic].name, number);
    return json_get(r->attributes, key) != NULL;
}

/* The sets that have both, beginning with the first. */
static void count_sets(Reader* r, const u32* found) {
    while (r->set_count < SETS_MAX && has_set(r, JOINTS, r->set_count) &&
           has_set(r, WEIGHTS, r->set_count))
        r->set_count++;
    if (found[JOINTS] != r->set_count || found[WEIGHTS] != r->set_count)
        gltf_remark(r->g, REMARK_SKINS, "sets", r->attributes,
                    "has %u sets of joints and %u sets of weights; %u are compiled", found[JOINTS],
                    found[WEIGHTS], r->set_count);
    for (u32 s = TEXCOORD; s <= COLOR; s++)
        if (found[s] && !has_set(r, s, found[s] - 1))
            gltf_remark(r->g, REMARK_LISTS, "sets", r->attributes,
                        "has %u attributes %s0 .. with gaps", found[s], semantics[s].name);
}

/* Compiled attributes must have the same length. */
static void check_attributes(Reader* r) {
    u32  found[SEMANTIC_COUNT] = {0}, number;
    u32* count = &r->out->vertex_count;
    for (const JsonToken* item = json_first(r->attributes); item; item = json_next(item)) {
        const u32      s = parse_semantic(gltf_key(r->g, item), &number);
        const bool     compiled = is_compiled(s, number);
        const GltfMode mode = gltf_mode(r->g, compiled ? r->g->mode : GLTF_UNCOMPILED);
        const u32      index = gltf_index_of(r->g, item, &r->g->lists.accessors);
        if (s != SEMANTIC_COUNT) found[s]++;
        if (compiled && index != NONE && gltf_accessor_is_usable(r->g, index)) {
            const u32 vertices = r->g->accessors[index].count;
            if (*count && vertices != *count)
                gltf_error(r->g, E0403, item, "has %u vertices, but other attributes have %u",
                           vertices, *count);
            *count = *count ? MIN_OF(*count, vertices) : vertices;
        }
        gltf_mode(r->g, mode);
    }
    count_sets(r, found);
}

static GltfAccessor* attribute(Reader* r, u32 semantic, u32 number) {
    const Semantic* s = &semantics[semantic];
    char            key[KEY_BYTES];
    if (semantic < TEXCOORD)
        snprintf(key, sizeof key, "%s", s->name);
    else
        snprintf(key, sizeof key, "%s%u", s->name, number);
    GltfAccessor* a =
        gltf_accessor(r->g, r->attributes, key, USE_VERTICES, s->types, s->formats | s->quantized);
    if (a && !(a->format & s->formats) && !r->g->quantized)
        gltf_remark(
            r->g, REMARK_DECLARED, "KHR_mesh_quantization", json_get(r->attributes, key),
            "has numbers of a type that needs KHR_mesh_quantization, which is not declared");
    return a && a->count == r->out->vertex_count ? a : NULL; /* otherwise it was reported */
}

/* What is not compiled is validated as well: its faults are remarks. */
static void check_others(Reader* r) {
    const GltfMode mode = gltf_mode(r->g, GLTF_UNCOMPILED);
    u32            number;
    for (const JsonToken* item = json_first(r->attributes); item; item = json_next(item)) {
        const u32       s = parse_semantic(gltf_key(r->g, item), &number);
        const Semantic* known = s == SEMANTIC_COUNT ? NULL : &semantics[s];
        if (is_compiled(s, number)) continue;
        gltf_accessor_of(r->g, item, gltf_key(r->g, item), USE_VERTICES, known ? known->types : ~0u,
                         known ? known->formats | known->quantized : ~(u32)FORMAT_UINT);
    }
    gltf_mode(r->g, mode);
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

/* Divides by the length, which is returned; 0: it has none. */
static f64 make_unit(const f32* in, f32* out) {
    const f64 x = in[0], y = in[1], z = in[2];
    const f64 length = sqrt(x * x + y * y + z * z);
    if (!(length > 0)) return 0;
    out[0] = (f32)(x / length);
    out[1] = (f32)(y / length);
    out[2] = (f32)(z / length);
    return length;
}

static void length_remark(Reader* r, const char* key, const char* what, u32 vertex, f64 length) {
    gltf_remark(r->g, REMARK_LENGTHS, key, json_get(r->attributes, key),
                "contains a %s of length %g at vertex %u; it is normalised to 1", what, length,
                vertex);
}

/* A normal of length 0 is computed when the triangles are known. */
static void read_normals(Reader* r) {
    const f32* in = attribute_floats(r, NORMAL, 0);
    Vec3*      out = in ? vertex_alloc(r, sizeof *out) : NULL;
    for (u32 i = 0; out && i < r->out->vertex_count; i++) {
        const f64 length = make_unit(in + i * 3ull, &out[i].x);
        if (length == 0) {
            out[i] = (Vec3){0, 0, 0};
            r->zero_normals++;
        } else if (fabs(length - 1) > GLTF_NORMAL_TOLERANCE) {
            length_remark(r, "NORMAL", "normal", i, length);
        }
    }
    r->out->normals = out;
}

/* Without normals they have no meaning; without a direction of one of them, all are computed. */
static void read_tangents(Reader* r) {
    const f32* in = attribute_floats(r, TANGENT, 0);
    if (!json_get(r->attributes, "NORMAL")) return;
    Vec4* out = in ? vertex_alloc(r, sizeof *out) : NULL;
    for (u32 i = 0; out && i < r->out->vertex_count; i++) {
        const f64 length = make_unit(in + i * 4ull, &out[i].x);
        const f32 sign = in[i * 4ull + 3];
        out[i].w = sign < 0 ? -1 : 1;
        if (length == 0 || sign == 0) {
            gltf_remark(
                r->g, REMARK_INVENTED, "TANGENT", json_get(r->attributes, "TANGENT"),
                "contains a tangent without %s at vertex %u; the tangents of this primitive "
                "are computed",
                length == 0 ? "a direction" : "a sign", i);
            return;
        }
        if (fabs(length - 1) > GLTF_NORMAL_TOLERANCE)
            length_remark(r, "TANGENT", "tangent", i, length);
        if (sign != 1 && sign != -1)
            gltf_remark(r->g, REMARK_LENGTHS, "signs of TANGENT",
                        json_get(r->attributes, "TANGENT"),
                        "contains a tangent with a sign of %g at vertex %u, which must be 1 or -1; "
                        "it is %g",
                        (f64)sign, i, (f64)out[i].w);
    }
    r->out->tangents = out;
}

/* Normals of length 0: those of the triangles around the vertex, by their areas. */
static void compute_normals(Reader* r) {
    GltfPrimitive* p = r->out;
    if (r->zero_normals == 0 || !p->positions || !p->indices) return;
    const u64 bytes = p->vertex_count * (u64)sizeof(f64[3]);
    f64*      sum = gltf_charge(r->g, r->json, bytes) ? arena_alloc(r->g->arena, bytes) : NULL;
    if (!sum) return;
    memset(sum, 0, bytes);
    gltf_remark(r->g, REMARK_INVENTED, "NORMAL", json_get(r->attributes, "NORMAL"),
                "contains %u normals of length 0; they are computed from the triangles around them",
                r->zero_normals);
    for (u32 i = 0; p->topology == MESH_TRIANGLES && i + 2 < p->index_count; i += 3) {
        const Vec3 a = p->positions[p->indices[i]];
        const Vec3 b = vec3_sub(p->positions[p->indices[i + 1]], a);
        const Vec3 c = vec3_sub(p->positions[p->indices[i + 2]], a);
        const Vec3 n = vec3_cross(b, c);
        for (u32 k = 0; k < 3; k++) {
            f64* to = sum + p->indices[i + k] * 3ull; /* < vertex_count: check_indices */
            to[0] += (f64)n.x, to[1] += (f64)n.y, to[2] += (f64)n.z;
        }
    }
    for (u32 i = 0; i < p->vertex_count; i++) {
        Vec3* n = (Vec3*)(uintptr_t)&p->normals[i];
        if (n->x != 0 || n->y != 0 || n->z != 0) continue;
        const f64* s = sum + i * 3ull;
        const f64  length = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        const bool known = length > 0 && length <= HIGH;
        *n = known ? (Vec3){(f32)(s[0] / length), (f32)(s[1] / length), (f32)(s[2] / length)}
                   : (Vec3){0, 0, 1};
    }
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
    r->out->uvs_1 = (Vec2*)(uintptr_t)attribute_floats(r, TEXCOORD, 1);
}

static void check_colors(Reader* r, GltfAccessor* a, const f32* in) {
    for (u32 i = 0; !a->in_unit && i < a->count * a->components; i++) {
        if (in[i] >= 0 && in[i] <= 1) continue;
        gltf_remark(r->g, REMARK_LIMITS, "COLOR_0", json_get(r->attributes, "COLOR_0"),
                    "contains %g at vertex %u, but colors must be from 0 to 1; they are limited",
                    (f64)in[i], i / a->components);
        return;
    }
    a->in_unit = true;
}

static void read_colors(Reader* r) {
    GltfAccessor* a = attribute(r, COLOR, 0);
    const f32*    in = a ? gltf_floats(r->g, a) : NULL;
    if (!in) return;
    check_colors(r, a, in);
    u16* out = vertex_alloc(r, 4 * sizeof *out);
    for (size_t i = 0; out && i < a->count; i++) {
        for (u32 k = 0; k < 4; k++) {
            const f32 value = k < a->components ? in[i * a->components + k] : 1;
            out[i * 4 + k] = (u16)(MIN_OF(MAX_OF(value, 0.0f), 1.0f) * 65535.0f + 0.5f);
        }
    }
    r->out->colors = out;
}

/* --- joints --- */

/* All sets of one vertex; if there is more than one, the heaviest come first. */
typedef struct Influences {
    u32 joint[SETS_MAX * 4];
    f32 weight[SETS_MAX * 4];
    u32 count;
} Influences;

/* What is wrong with one vertex, or NULL. */
static const char* influences_fault(const Influences* v) {
    f64 sum = 0;
    for (u32 i = 0; i < v->count; i++) {
        if (v->weight[i] < 0) return "that is negative; it is compiled as 0";
        sum += (f64)v->weight[i];
        for (u32 k = 0; k < i; k++)
            if (v->weight[i] > 0 && v->weight[k] > 0 && v->joint[i] == v->joint[k])
                return "of a joint that has another weight for this vertex; both count";
    }
    if (sum == 0) return "of 0, as all others; the root of the skin has a weight of 1";
    return fabs(sum - 1) > UNIT_REMARK
               ? "that does not add up to 1 with the others; they are normalised"
               : NULL;
}

/* Makes the weights of a vertex valid, if they are not. Joints without a weight are limited to those of the skin. */
static void influences_repair(const Reader* r, Influences* v) {
    const u32 limit = r->use->joint_limit;
    f64       sum = 0;
    for (u32 i = 0; i < v->count; i++) {
        v->weight[i] = MAX_OF(v->weight[i], 0.0f);
        sum += (f64)v->weight[i];
        if (v->weight[i] == 0 && (v->joint[i] >= limit || v->joint[i] > UINT16_MAX - 1))
            v->joint[i] = 0;
    }
    if (sum == 0) {
        v->joint[0] = r->use->joint_root;
        v->weight[0] = 1;
    }
    for (u32 i = 0; sum > 0 && fabs(sum - 1) > UNIT_REMARK && i < v->count; i++)
        v->weight[i] = (f32)((f64)v->weight[i] / sum);
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
    sets->count = r->set_count;
    for (u32 s = 0; s < sets->count; s++) {
        GltfAccessor* joints = attribute(r, JOINTS, s);
        sets->joints[s] = joints ? gltf_integers(r->g, joints) : NULL;
        sets->weights[s] = attribute_floats(r, WEIGHTS, s);
        if (!sets->joints[s] || !sets->weights[s]) return false;
    }
    return true;
}

/* Reports weights that are repaired or normalised, at the first vertex of each kind. Sets the number of influences that
 * the vertices need. Returns false when a joint cannot be compiled. */
static bool check_influences(Reader* r, const InfluenceSets* sets, u32* needed) {
    const JsonToken* at = json_get(r->attributes, "WEIGHTS_0");
    bool             exact = true; /* so far */
    *needed = 4;
    for (u32 i = 0; i < r->out->vertex_count; i++) {
        Influences  v = influences_of(sets, i);
        const char* fault = influences_fault(&v);
        u32         used = 0;
        if (fault)
            gltf_remark(r->g, REMARK_SKINS, fault, at, "contains a weight at vertex %u %s", i,
                        fault);
        if (!fault && exact && !influences_exact(&v)) {
            exact = false;
            gltf_remark(r->g, REMARK_LENGTHS, "weights", at,
                        "contains weights at vertex %u with a sum that is not exactly 1; they are "
                        "normalised",
                        i);
        }
        influences_repair(r, &v);
        for (u32 k = 0; k < v.count; k++) {
            used += v.weight[k] > 0;
            r->use->joint_max = MAX_OF(r->use->joint_max, v.joint[k]);
            if (v.joint[k] < UINT16_MAX) continue;
            gltf_error(r->g, E0406, at,
                       "contains a weight at vertex %u of joint %u; the limit is 65534", i,
                       v.joint[k]);
            return false;
        }
        if (used > 4) *needed = KEPT_MAX;
    }
    return true;
}

static void read_influences(Reader* r) {
    InfluenceSets sets;
    u32           kept;
    r->use->skinned |= r->set_count > 0;
    if (!read_sets(r, &sets) || sets.count == 0 || !check_influences(r, &sets, &kept)) return;
    u16* joints = vertex_alloc(r, kept * sizeof *joints);
    f32* weights = joints ? vertex_alloc(r, kept * sizeof *weights) : NULL;
    for (u32 i = 0; weights && i < r->out->vertex_count; i++) {
        Influences v = influences_of(&sets, i);
        influences_repair(r, &v);
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
        const JsonToken* at = json_get(r->json, "indices");
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
    if (!json_get(r->json, "indices")) return true;
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

static void attributes_remark(Reader* r) {
    u32 number;
    for (const JsonToken* item = json_first(r->attributes); item; item = json_next(item)) {
        const u32  semantic = parse_semantic(gltf_key(r->g, item), &number);
        const bool kept = (semantic == JOINTS || semantic == WEIGHTS)
                              ? number < 2
                              : is_compiled(semantic, number);
        if (kept || semantic == WEIGHTS) continue;
        gltf_remark(r->g, REMARK_ATTRIBUTES, gltf_key(r->g, item), item,
                    semantic == JOINTS ? "is not compiled: the eight largest weights of each "
                                         "vertex are kept"
                                       : "is not compiled");
    }
}

static bool has_positions(const Reader* r) { return json_get(r->attributes, "POSITION"); }

/* Compressed data is not compiled; a file may also contain it uncompressed. */
static bool draco_refuse(Reader* r) {
    const JsonToken* draco =
        json_get(json_get(r->json, "extensions"), "KHR_draco_mesh_compression");
    const JsonToken* at = json_get(r->attributes, "POSITION");
    if (!draco || !at || r->g->mode != GLTF_LOUD) return false;
    const u32 index = gltf_index_of(r->g, at, &r->g->lists.accessors);
    if (index == NONE || json_get(r->g->lists.accessors.at[index], "bufferView")) return false;
    gltf_error(
        r->g, E0402, draco,
        "contains the vertices compressed by Draco, which entc does not decompress; export the "
        "file without compression");
    return true;
}

/* Returns false when there is nothing to draw: no positions, too few vertices for one element, or an unknown mode. */
static bool read_primitive(Gltf* g, const JsonToken* json, const GltfList* materials,
                           GltfMeshUse* use, GltfPrimitive* out) {
    Reader     r = {.g = g, .json = json, .out = out, .use = use};
    const u32* indices;
    u32        count;
    const u32  mode = (u32)gltf_uint(g, json, "mode", MODE_TRIANGLES, 0, UINT32_MAX);
    out->material = gltf_index(g, json, "material", materials);
    r.attributes = gltf_need(g, json, "attributes", JSON_OBJECT);
    if (!r.attributes || mode > MODE_FAN || draco_refuse(&r)) return false;
    check_attributes(&r);
    if (out->vertex_count == 0 || !has_positions(&r)) return false;
    read_positions(&r);
    read_normals(&r);
    read_tangents(&r);
    read_uvs(&r);
    read_colors(&r);
    check_others(&r);
    read_influences(&r);
    attributes_remark(&r);
    if (read_indices(&r, &indices, &count)) unroll(&r, mode, indices, count);
    compute_normals(&r);
    return out->positions && out->indices;
}

static void read_mesh(Gltf* g, const JsonToken* json, const GltfList* materials, GltfMeshUse* use,
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
                        "is not compiled: it has no position, too few vertices for one element, or "
                        "an unknown mode");
    }
    if (out->primitive_count == 0 && g->error_count == 0)
        gltf_remark(
            g, REMARK_PRIMITIVES, "meshes", json,
            "is not compiled: it has no visible element, which needs at least the positions "
            "of one point, line or triangle");
}

void gltf_read_meshes(Gltf* g) {
    const GltfList list = gltf_list(g, g->root, "meshes");
    const GltfList materials = gltf_list(g, g->root, "materials");
    g->out->mesh_count = list.count;
    g->out->meshes = ARENA_NEW(g->arena, GltfMesh, list.count);
    for (u32 i = 0; i < list.count; i++)
        read_mesh(g, list.at[i], &materials, &g->mesh_use[i], &g->out->meshes[i]);
}
