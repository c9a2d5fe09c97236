/* gltf_clip.c - the animations of a glTF file as tracks of the nodes of the scene. */
#include "diag_codes.h"
#include "gltf_internal.h"
#include "transform.h"
#include "vec.h"

#define TIME_MAX_S 1e6 /* as in the field table of key times */

/* A channel that is being read. */
typedef struct Channel {
    Gltf*            g;
    const JsonToken* sampler; /* the sampler's object */
    u32              node;    /* in the file, or NONE */
    u32              path;
    u32              property;    /* of a light or camera; NONE: the path of the node */
    u32              object;      /* that light or camera */
    bool             has_pointer; /* KHR_animation_pointer */
    bool             is_left_out; /* by what its target is, which was reported */
} Channel;

/* Two keys at the same time are a jump: the second one is at the next greater time that a float can represent. NULL,
 * after reporting it, when times are descending or negative. */
static const f32* read_times(Channel* c, u32* count) {
    GltfAccessor* a =
        gltf_accessor(c->g, c->sampler, "input", USE_TIMES, GLTF_TYPE_BIT(SCALAR), FORMAT_FLOAT);
    if (!a) return NULL;
    gltf_need_bounds(c->g, a, "times of keys");
    f32* const times = (f32*)(uintptr_t)gltf_floats(c->g, a); /* moved once, for all channels */
    const JsonToken* at = json_get(c->sampler, "input");
    f32              before = -1; /* as the file has it */
    *count = a->count;
    for (u32 i = 0; times && i < a->count; i++) {
        const f32   time = times[i];
        const char* fault = time < 0        ? "is negative"
                            : time < before ? "is less than the time of the previous key"
                                            : NULL;
        if (fault) {
            gltf_error(c->g, E0406, at, "has a key %u at %g s, which %s", i, (f64)time, fault);
            return NULL;
        }
        before = time;
        if (i == 0 || time > times[i - 1]) continue;
        gltf_remark(c->g, REMARK_KEYS, "times", at,
                    "has two keys, %u and %u, at %g s; the second one follows at once", i - 1, i,
                    (f64)time);
        times[i] = nextafterf(times[i - 1], HUGE_VALF);
    }
    return times;
}

/* The number of keys up to the limit, of which there is at least one: the first key is moved there. */
static u32 keys_limit(Channel* c, f32* times, u32 count) {
    u32 kept = 0;
    while (kept < count && (f64)times[kept] <= TIME_MAX_S) kept++;
    if (kept == count) return count;
    gltf_remark(c->g, REMARK_LIMITS, "times", json_get(c->sampler, "input"),
                "has a key %u at %.9g s, but must be from 0 to %.9g s; %s", kept, (f64)times[kept],
                TIME_MAX_S,
                kept ? "this key and those after it are not compiled"
                     : "only this key is compiled, at the limit");
    if (kept == 0) times[0] = (f32)TIME_MAX_S;
    return MAX_OF(kept, 1u);
}

/* A rotation of length 0 turns nothing. */
static void rotation_check(Channel* c, u32 row, f64 length) {
    const JsonToken* at = json_get(c->sampler, "output");
    if (fabs(length - 1) > GLTF_UNIT_TOLERANCE)
        gltf_remark(c->g, REMARK_LENGTHS, "keys", at,
                    "has a rotation %u of length %g; it is normalised to 1", row, length);
}

static f64 rotation_length(const f32* q) {
    const f64 x = q[0], y = q[1], z = q[2], w = q[3];
    return sqrt(x * x + y * y + z * z + w * w);
}

/* A copy with unit quaternions. */
static f32* normalize_rotations(Channel* c, const f32* in, u32 count) {
    if (!gltf_charge(c->g, c->sampler, count * 16ull)) return NULL;
    f32* out = ARENA_NEW(c->g->arena, f32, count * 4ull);
    for (size_t i = 0; i < count * (size_t)4; i += 4) {
        const f64 length = rotation_length(in + i);
        rotation_check(c, (u32)(i / 4), length);
        for (u32 k = 0; k < 4; k++)
            out[i + k] = length > 0 ? (f32)((f64)in[i + k] / length) : (f32)(k == 3);
    }
    return out;
}

/* The same for cubic keys: a rotation that is not within the tolerance is scaled with its tangents. */
static f32* scale_cubic_rotations(Channel* c, const f32* in, u32 count) {
    if (!gltf_charge(c->g, c->sampler, count * 16ull)) return NULL;
    f32* out = ARENA_NEW(c->g->arena, f32, count * 4ull);
    for (size_t i = 0; i < count; i += 3) { /* a multiple of 3 */
        const f64 length = rotation_length(in + (i + 1) * 4);
        rotation_check(c, (u32)(i / 3), length);
        const f64 by = length > 0 && fabs(length - 1) > GLTF_UNIT_TOLERANCE ? length : 1;
        for (u32 k = 0; k < 12; k++)
            out[i * 4 + k] = (f32)MIN_OF(MAX_OF((f64)in[i * 4 + k] / by, LOW), HIGH);
        if (length == 0) out[i * 4 + 7] = 1; /* w of the rotation between its tangents */
    }
    return out;
}

static f32* copy_values(Channel* c, const f32* in, u64 count) {
    if (!gltf_charge(c->g, c->sampler, count * 4)) return NULL;
    f32* out = ARENA_NEW(c->g->arena, f32, count);
    memcpy(out, in, count * sizeof *out);
    return out;
}

/* The core of glTF permits normalised integers for some values; for those with a pointer, KHR_animation_pointer permits all
 * numbers. */
static u32 formats_of(const Channel* c, bool normalised) {
    const u32 normals = FORMAT_BYTE_N | FORMAT_UBYTE_N | FORMAT_SHORT_N | FORMAT_USHORT_N;
    const u32 integers = FORMAT_BYTE | FORMAT_UBYTE | FORMAT_SHORT | FORMAT_USHORT | FORMAT_UINT;
    return FORMAT_FLOAT | (normalised || c->has_pointer ? normals : 0) |
           (c->has_pointer ? integers : 0);
}

static f32* read_values(Channel* c, Enum32 interpolation, u32 key_count) {
    const bool    rotates = c->path == CLIP_ROTATION;
    GltfAccessor* a =
        gltf_accessor(c->g, c->sampler, "output", USE_VALUES,
                      rotates ? GLTF_TYPE_BIT(VEC4) : GLTF_TYPE_BIT(VEC3), formats_of(c, rotates));
    const u64  need = (u64)key_count * (interpolation == CLIP_CUBIC ? 3 : 1);
    const f32* values = a ? gltf_floats(c->g, a) : NULL;
    if (a && a->count != need) {
        gltf_error(c->g, E0403, json_get(c->sampler, "output"),
                   "refers to %u values, but %u keys need %llu", a->count, key_count,
                   (unsigned long long)need);
        return NULL;
    }
    if (!values) return NULL;
    if (rotates && interpolation != CLIP_CUBIC) return normalize_rotations(c, values, a->count);
    if (rotates) return scale_cubic_rotations(c, values, a->count);
    return copy_values(c, values, (u64)a->count * a->components);
}

/* The only key of a cubic track has tangents around its value, which nothing uses: it is constant. */
static bool cubic_is_alone(Channel* c, Enum32* interpolation, u32 key_count) {
    if (*interpolation != CLIP_CUBIC || key_count != 1) return false;
    gltf_remark(c->g, REMARK_KEYS, "cubic", c->sampler,
                "is CUBICSPLINE, which needs 2 keys; the only one is compiled");
    *interpolation = CLIP_STEP;
    return true;
}

static Enum32 read_interpolation(Channel* c) {
    static const char* const kinds[] = {"STEP", "LINEAR",
                                        "CUBICSPLINE"}; /* as CLIP_INTERPOLATION */
    return gltf_choice(c->g, c->sampler, "interpolation", CLIP_LINEAR, kinds, COUNT_OF(kinds));
}

static bool read_track(Channel* c, GltfTrack* out) {
    gltf_need(c->g, c->sampler, "input", JSON_NUMBER);
    gltf_need(c->g, c->sampler, "output", JSON_NUMBER);
    out->interpolation = read_interpolation(c);
    out->channel = c->path;
    out->times = NULL;
    const f32* times = read_times(c, &out->key_count);
    if (!times) return false;
    out->times = copy_values(c, times, out->key_count);
    out->values = read_values(c, out->interpolation, out->key_count);
    if (!out->times || !out->values) return false;
    out->key_count = keys_limit(c, out->times, out->key_count);
    if (cubic_is_alone(c, &out->interpolation, out->key_count))
        out->values += c->path == CLIP_ROTATION ? 4 : 3;
    return true;
}

/* Values that no channel uses: their faults are remarks. */
static void check_sampler(Channel* c) {
    u32 keys = 0;
    gltf_need(c->g, c->sampler, "input", JSON_NUMBER);
    gltf_need(c->g, c->sampler, "output", JSON_NUMBER);
    read_interpolation(c);
    read_times(c, &keys);
    gltf_accessor(c->g, c->sampler, "output", USE_VALUES, ~0u, ~0u);
}

static u32 target_count(Gltf* g, u32 node) {
    const u32 mesh = gltf_index(g, g->lists.nodes.at[node], "mesh", &g->lists.meshes);
    if (mesh == NONE) return 0;
    const JsonToken* primitives = json_get(g->lists.meshes.at[mesh], "primitives");
    const JsonToken* targets = json_get(json_first(primitives), "targets");
    return json_token_count(targets);
}

/* Weights of morph targets: for each key as many as the mesh of the node has targets. Returns false
 * when they are not valid, which was reported. */
static bool read_weights(Channel* c, const JsonToken* channel, GltfMorphTrack* out) {
    GltfAccessor* a = gltf_accessor(c->g, c->sampler, "output", USE_VALUES, GLTF_TYPE_BIT(SCALAR),
                                    formats_of(c, true));
    out->target_count = target_count(c->g, c->node);
    out->interpolation = read_interpolation(c);
    if (out->target_count == 0) {
        gltf_remark(c->g, REMARK_CHANNELS, "weights", json_get(channel, "target"),
                    "is not compiled: it animates the weights of %s, which has no mesh with morph "
                    "targets",
                    GLTF_OBJECT(c->g, &c->g->lists.nodes, c->node));
        return false;
    }
    const f32* times = a ? read_times(c, &out->key_count) : NULL;
    if (!times) return false;
    const bool cubic = out->interpolation == CLIP_CUBIC;
    const u64  need = (u64)out->key_count * out->target_count * (cubic ? 3 : 1);
    if (a->count != need) {
        gltf_error(c->g, E0403, json_get(c->sampler, "output"),
                   "refers to %u values, but %u keys of %u morph targets need %llu", a->count,
                   out->key_count, out->target_count, (unsigned long long)need);
        return false;
    }
    const f32* values = gltf_floats(c->g, a);
    if (!values) return false;
    out->times = copy_values(c, times, out->key_count);
    out->values = copy_values(c, values, need);
    if (!out->times || !out->values) return false;
    out->key_count = keys_limit(c, out->times, out->key_count);
    if (cubic_is_alone(c, &out->interpolation, out->key_count)) out->values += out->target_count;
    return true;
}

/* An animation replaces the translation, rotation and scale of a node. */
static void check_matrix(const Channel* c, const JsonToken* target) {
    const JsonToken* node = c->g->lists.nodes.at[c->node];
    TransformRecord  frame;
    if (c->path == GLTF_WEIGHTS || !json_get(node, "matrix")) return;
    if (gltf_read_frame(c->g, node, &frame))
        gltf_error(
            c->g, E0407, target,
            "animates %s, whose \"matrix\" has shear, so that it has no translation, rotation "
            "and scale to animate",
            GLTF_OBJECT(c->g, &c->g->lists.nodes, c->node));
    else
        gltf_remark(c->g, REMARK_KEYS, "matrices", target,
                    "animates %s, which has a \"matrix\" instead of a translation, rotation and "
                    "scale; it is decomposed",
                    GLTF_OBJECT(c->g, &c->g->lists.nodes, c->node));
}

/* The node of a channel is known: false when it is not compiled. */
static bool read_node(Channel* c, const JsonToken* target) {
    c->is_left_out = c->g->nodes.of_scene[c->node] == NONE;
    const GltfMode mode = gltf_mode(c->g, c->is_left_out ? GLTF_UNCOMPILED : c->g->mode);
    check_matrix(c, target);
    if (!gltf_stamp(c->g, c->node, c->path))
        gltf_error(c->g, E0403, target,
                   "animates the %s of %s, which another channel animates already",
                   gltf_paths[c->path], GLTF_OBJECT(c->g, &c->g->lists.nodes, c->node));
    gltf_mode(c->g, mode);
    return true;
}

static bool read_pointer(Channel* c, const JsonToken* target) {
    GltfPointer pointer;
    c->is_left_out = !gltf_pointer_read(c->g, target, &pointer);
    if (c->is_left_out) return false;
    c->has_pointer = true;
    c->path = pointer.path;
    c->property = pointer.property;
    if (c->property == NONE)
        c->node = pointer.object;
    else
        c->object = pointer.object;
    return c->property != NONE || read_node(c, target);
}

/* Reads the target of a channel; returns false when it is not compiled: it is left out or has an error. */
static bool read_target(Channel* c, const JsonToken* json) {
    const JsonToken* target = gltf_need(c->g, json, "target", JSON_OBJECT);
    const JsonToken* path = gltf_need(c->g, target, "path", JSON_STRING);
    if (!path) return false;
    if (gltf_extension(c->g, target, "KHR_animation_pointer")) return read_pointer(c, target);
    if (!json_get(target, "node")) { /* defined by another extension */
        gltf_remark(c->g, REMARK_CHANNELS, "", json, "is not compiled: it has no target node");
        c->is_left_out = true;
        return false;
    }
    c->path = gltf_path_find(gltf_text(c->g, path));
    c->is_left_out = c->path == NONE;
    if (c->is_left_out)
        gltf_remark(c->g, REMARK_CHANNELS, "paths", target,
                    "is not compiled: its \"path\" is unknown");
    const GltfMode mode = gltf_mode(c->g, c->is_left_out ? GLTF_UNCOMPILED : c->g->mode);
    c->node = gltf_index(c->g, target, "node", &c->g->lists.nodes);
    gltf_mode(c->g, mode);
    return c->node != NONE && !c->is_left_out && read_node(c, target);
}

/* --- properties of lights and cameras --- */

/* In the order of CLIP_PROPERTY. What exceeds 1 in a color belongs to the intensity: gltf_scale_lights. */
static const struct {
    const char* name;
    f64         low, high;
} properties[] = {
    {"intensity", 0, GLTF_INTENSITY_MAX}, {"color", 0, HIGH}, {"yfov", GLTF_FOV_MIN, GLTF_FOV_MAX}};

/* Values are limited; those of tangents are as they are. */
static void property_limit(Channel* c, GltfPropertyTrack* t, u32 count) {
    const u32 words = CLIP_PROPERTY_WORDS(t->property);
    const u32 parts = t->interpolation == CLIP_CUBIC ? 3 : 1;
    const f64 low = properties[t->property].low, high = properties[t->property].high;
    for (u32 i = parts / 2; i < count; i += parts)
        for (u32 k = i * words; k < (i + 1) * words; k++) {
            const f32 value = t->values[k];
            t->values[k] = MIN_OF(MAX_OF(value, (f32)low), (f32)high);
            if (t->values[k] == value) continue;
            gltf_remark(c->g, REMARK_LIMITS, "keys", json_get(c->sampler, "output"),
                        "has a value %u of %.9g, but the %s must not be %s %.9g; %.9g is compiled",
                        i, (f64)value, properties[t->property].name,
                        value < (f32)low ? "less than" : "greater than",
                        value < (f32)low ? low : high, value < (f32)low ? low : high);
        }
}

/* Returns false when the sampler is not valid, which was reported. */
static bool property_read(Channel* c, GltfPropertyTrack* out) {
    const u32     words = CLIP_PROPERTY_WORDS(c->property);
    GltfAccessor* a = gltf_accessor(c->g, c->sampler, "output", USE_VALUES,
                                    words == 3 ? GLTF_TYPE_BIT(VEC3) : GLTF_TYPE_BIT(SCALAR),
                                    formats_of(c, true));
    out->property = c->property;
    out->object = c->object;
    out->interpolation = read_interpolation(c);
    const f32* times = a ? read_times(c, &out->key_count) : NULL;
    const f32* values = times ? gltf_floats(c->g, a) : NULL;
    if (!values) return false;
    const u64 need = (u64)out->key_count * (out->interpolation == CLIP_CUBIC ? 3 : 1);
    if (a->count != need) {
        gltf_error(c->g, E0403, json_get(c->sampler, "output"),
                   "refers to %u values, but %u keys need %llu", a->count, out->key_count,
                   (unsigned long long)need);
        return false;
    }
    out->times = copy_values(c, times, out->key_count);
    out->values = copy_values(c, values, need * words);
    if (!out->times || !out->values) return false;
    property_limit(c, out, a->count);
    out->key_count = keys_limit(c, out->times, out->key_count);
    if (cubic_is_alone(c, &out->interpolation, out->key_count)) out->values += words;
    return true;
}

/* Adds the track of a light or camera, if a node of the scene has it. */
static void read_property(Channel* c, const JsonToken* json, GltfClip* out) {
    const GltfList*    owners = gltf_property_owners(c->g, c->property);
    GltfPropertyTrack* track = &out->properties[out->property_count];
    const bool*        in_scene =
        owners == &c->g->lists.cameras ? c->g->properties.has_camera : c->g->properties.has_light;
    u32* const stamp = &c->g->properties.stamps[c->property][c->object];
    c->is_left_out = !in_scene[c->object];
    const GltfMode mode = gltf_mode(c->g, c->is_left_out ? GLTF_UNCOMPILED : c->g->mode);
    if (*stamp == c->g->stamp)
        gltf_error(c->g, E0403, json,
                   "animates the %s of %s, which another channel animates already",
                   properties[c->property].name, GLTF_OBJECT(c->g, owners, c->object));
    *stamp = c->g->stamp;
    const bool is_read = property_read(c, track);
    gltf_mode(c->g, mode);
    if (c->is_left_out)
        gltf_remark(c->g, REMARK_CHANNELS, "nodes", json,
                    "is not compiled: it animates %s, which no node of the default scene has",
                    GLTF_OBJECT(c->g, owners, c->object));
    if (!is_read || c->is_left_out) return;
    out->property_count++;
    out->duration_s = MAX_OF(out->duration_s, track->times[track->key_count - 1]);
}

/* Adds the track of a channel, if its node is in the scene. */
static void read_channel(Channel* c, const JsonToken* json, GltfClip* out) {
    GltfTrack*      track = &out->tracks[out->track_count];
    GltfMorphTrack* morph = &out->morphs[out->morph_count];
    const bool      morphs = c->path == GLTF_WEIGHTS;
    track->node = morph->node = c->g->nodes.of_scene[c->node];
    const bool is_read = morphs ? read_weights(c, json, morph) : read_track(c, track);
    if (c->is_left_out)
        gltf_remark(c->g, REMARK_CHANNELS, "nodes", json,
                    "is not compiled: it animates %s, which %s",
                    GLTF_OBJECT(c->g, &c->g->lists.nodes, c->node),
                    c->g->nodes.is_left_out[c->node] ? "has no entity because of its name"
                                                     : "is not in the default scene");
    if (!is_read || c->is_left_out) return;
    *(morphs ? &out->morph_count : &out->track_count) += 1;
    const f32 last_s =
        morphs ? morph->times[morph->key_count - 1] : track->times[track->key_count - 1];
    out->duration_s = MAX_OF(out->duration_s, last_s);
}

static void read_clip(Gltf* g, const JsonToken* json, GltfClip* out) {
    const GltfList channels = gltf_list(g, json, "channels");
    GltfList       samplers = gltf_list(g, json, "samplers");
    samplers.owner = "this animation";
    gltf_need(g, json, "channels", JSON_ARRAY);
    gltf_need(g, json, "samplers", JSON_ARRAY);
    *out = (GltfClip){.name = gltf_name(g, json), .offset = gltf_offset(g, json)};
    out->tracks = ARENA_NEW(g->arena, GltfTrack, channels.count);
    out->morphs = ARENA_NEW(g->arena, GltfMorphTrack, channels.count);
    out->properties = ARENA_NEW(g->arena, GltfPropertyTrack, channels.count);
    bool* used = ARENA_NEW(g->arena, bool, samplers.count);
    g->stamp++;
    for (u32 i = 0; i < channels.count; i++) {
        Channel        c = {.g = g, .node = NONE, .property = NONE};
        const bool     is_read = read_target(&c, channels.at[i]);
        const GltfMode mode = gltf_mode(g, c.is_left_out ? GLTF_UNCOMPILED : g->mode);
        const bool     has_sampler = gltf_need(g, channels.at[i], "sampler", JSON_NUMBER) != NULL;
        const u32      sampler =
            has_sampler ? gltf_index(g, channels.at[i], "sampler", &samplers) : NONE;
        if (is_read && sampler != NONE) {
            c.sampler = samplers.at[sampler];
            used[sampler] = true;
            if (c.property == NONE)
                read_channel(&c, channels.at[i], out);
            else
                read_property(&c, channels.at[i], out);
        }
        gltf_mode(g, mode);
    }
    const GltfMode mode = gltf_mode(g, GLTF_UNCOMPILED);
    for (u32 i = 0; i < samplers.count; i++)
        if (!used[i]) check_sampler(&(Channel){.g = g, .sampler = samplers.at[i], .node = NONE});
    gltf_mode(g, mode);
    gltf_read_events(g, json, out);
}

/* --- the size of the model, of which errors of clips are a share --- */

static Bounds* meshes_measure(const GltfModel* m, Arena* arena) {
    Bounds* bounds = ARENA_NEW(arena, Bounds, m->mesh_count);
    for (u32 i = 0; i < m->mesh_count; i++) {
        bounds[i] = bounds_empty();
        for (u32 k = 0; k < m->meshes[i].primitive_count; k++) {
            const GltfPrimitive* p = &m->meshes[i].primitives[k];
            for (u32 v = 0; p->positions && v < p->vertex_count; v++)
                bounds_add(&bounds[i], p->positions[v]);
        }
    }
    return bounds;
}

static void mesh_add(Bounds* all, const Bounds* mesh, const Mat34* model_from_mesh) {
    for (u32 i = 0; i < 8 && !bounds_is_empty(mesh); i++)
        bounds_add(all, mat34_point(model_from_mesh, bounds_corner(mesh, i)));
}

/* Vertices of a mesh with a skin are in the space of the model. */
static f32 extent_of(const GltfModel* m) {
    Arena         scratch = {0};
    Mat34*        poses = ARENA_NEW(&scratch, Mat34, m->node_count);
    const Bounds* meshes = meshes_measure(m, &scratch);
    Bounds        all = bounds_empty();
    for (u32 i = 0; i < m->node_count; i++) {
        const TransformRecord* local = &m->locals[i];
        const Mat34     pose = mat34_of_pose(&local->position, &local->rotation, &local->scale);
        const GltfNode* node = &m->nodes[i];
        poses[i] = node->parent == NONE ? pose : mat34_product(&poses[node->parent], &pose);
        bounds_add(&all, mat34_column(&poses[i], 3));
        if (node->mesh != NONE)
            mesh_add(&all, &meshes[node->mesh], node->skin == NONE ? &poses[i] : &mat34_identity);
    }
    arena_drop(&scratch);
    return bounds_extent(&all);
}

static void property_lists_make(Gltf* g) {
    const u32 cameras = g->lists.cameras.count, lights = g->lists.lights.count;
    for (u32 i = 0; i < COUNT_OF(g->properties.stamps); i++)
        g->properties.stamps[i] = ARENA_NEW(g->arena, u32, gltf_property_owners(g, i)->count);
    g->properties.has_camera = ARENA_NEW(g->arena, bool, cameras);
    g->properties.has_light = ARENA_NEW(g->arena, bool, lights);
    for (u32 i = 0; i < g->out->node_count; i++) {
        const GltfNode* node = &g->out->nodes[i];
        if (node->camera < cameras) g->properties.has_camera[node->camera] = true; /* or NONE */
        if (node->light < lights) g->properties.has_light[node->light] = true;
    }
}

void gltf_read_clips(Gltf* g) {
    const GltfList list = gltf_list(g, g->root, "animations");
    if (list.count) property_lists_make(g);
    g->out->clip_count = list.count;
    g->out->clips = ARENA_NEW(g->arena, GltfClip, list.count);
    for (u32 i = 0; i < list.count; i++) read_clip(g, list.at[i], &g->out->clips[i]);
    gltf_scale_lights(g);
    if (list.count && g->error_count == 0) g->out->extent = extent_of(g->out);
}
