/* gltf_clip.c - the animations of a glTF file as tracks of the nodes of the scene. */
#include "gltf_internal.h"

#define TIME_MAX_S 1e6 /* as in the field table of key times */

/* Channels of glTF in the order of CLIP_CHANNEL; weights of morph targets are tracks of their
 * own. */
static const char* const paths[] = {"translation", "rotation", "scale", "weights"};
#define PATH_WEIGHTS 3u

/* A channel that is being read. */
typedef struct Channel {
    Gltf*        g;
    const bool*  is_joint; /* [node_count] of the nodes of the scene */
    const cJSON* sampler;  /* the sampler's object */
    u32          node;     /* in the file, or NONE */
    u32          path;
} Channel;

/* Times must be ascending and not negative. NULL, after reporting it, when they are not. */
static const f32* read_times(Channel* c, u32* count) {
    GltfAccessor* a =
        gltf_accessor(c->g, c->sampler, "input", USE_TIMES, GLTF_TYPE_BIT(SCALAR), FORMAT_FLOAT);
    if (!a) return NULL;
    gltf_need_bounds(c->g, a, "times of keys");
    const f32*   times = gltf_floats(c->g, a);
    const cJSON* at = json_tree_get(c->sampler, "input");
    *count = a->count;
    for (u32 i = 0; times && i < a->count; i++) {
        const char* fault = times[i] < 0                 ? "is negative"
                            : (f64)times[i] > TIME_MAX_S ? "is more than 1000000 s"
                            : i && times[i] <= times[i - 1]
                                ? "is not greater than the time of the previous key"
                                : NULL;
        if (!fault) continue;
        gltf_error(c->g, E0406, at, "has a key %u at %g s, which %s", i, (f64)times[i], fault);
        return NULL;
    }
    return times;
}

/* Is the length of a rotation close enough to 1? Reports when it is not. */
static bool rotation_check(Channel* c, u32 row, f64 length) {
    const cJSON* at = json_tree_get(c->sampler, "output");
    if (fabs(length - 1) <= GLTF_UNIT_TOLERANCE) return true;
    if (fabs(length - 1) <= GLTF_UNIT_REMARK) {
        gltf_remark(c->g, REMARK_LENGTHS, "keys", at,
                    "has a rotation %u of length %g; it is normalised to 1", row, length);
        return true;
    }
    gltf_error(c->g, E0406, at, "has a rotation %u of length %g, which must be 1", row, length);
    return false;
}

/* A copy with unit quaternions; NULL, after reporting it, when one deviates too much from unit
 * length. */
static f32* normalize_rotations(Channel* c, const f32* in, u32 count) {
    if (!gltf_charge(c->g, c->sampler, count * 16ull)) return NULL;
    f32* out = ARENA_NEW(c->g->arena, f32, count * 4ull);
    for (size_t i = 0; i < count * (size_t)4; i += 4) {
        const f64 x = in[i], y = in[i + 1], z = in[i + 2], w = in[i + 3];
        const f64 length = sqrt(x * x + y * y + z * z + w * w);
        if (!rotation_check(c, (u32)(i / 4), length)) return NULL;
        out[i] = (f32)(x / length);
        out[i + 1] = (f32)(y / length);
        out[i + 2] = (f32)(z / length);
        out[i + 3] = (f32)(w / length);
    }
    return out;
}

/* Rotations of cubic keys, between their tangents, are not normalised, but must be unit ones. */
static bool check_cubic_rotations(Channel* c, const f32* in, u32 count) {
    for (size_t i = 1; i < count; i += 3) {
        const f64 x = in[i * 4], y = in[i * 4 + 1], z = in[i * 4 + 2], w = in[i * 4 + 3];
        const f64 length = sqrt(x * x + y * y + z * z + w * w);
        if (!rotation_check(c, (u32)(i / 3), length)) return false;
    }
    return true;
}

static f32* copy_values(Channel* c, const f32* in, u64 count) {
    if (!gltf_charge(c->g, c->sampler, count * 4)) return NULL;
    f32* out = ARENA_NEW(c->g->arena, f32, count);
    memcpy(out, in, count * sizeof *out);
    return out;
}

static f32* read_values(Channel* c, Enum32 interpolation, u32 key_count) {
    const bool rotates = c->path == CLIP_ROTATION;
    const u32  formats =
        FORMAT_FLOAT |
        (rotates ? FORMAT_BYTE_N | FORMAT_UBYTE_N | FORMAT_SHORT_N | FORMAT_USHORT_N : 0);
    GltfAccessor* a = gltf_accessor(c->g, c->sampler, "output", USE_VALUES,
                                    rotates ? GLTF_TYPE_BIT(VEC4) : GLTF_TYPE_BIT(VEC3), formats);
    const u64     need = (u64)key_count * (interpolation == CLIP_CUBIC ? 3 : 1);
    const f32*    values = a ? gltf_floats(c->g, a) : NULL;
    if (a && a->count != need) {
        gltf_error(c->g, E0403, json_tree_get(c->sampler, "output"),
                   "refers to %u values, but %u keys need %llu", a->count, key_count,
                   (unsigned long long)need);
        return NULL;
    }
    if (!values) return NULL;
    if (rotates && interpolation != CLIP_CUBIC) return normalize_rotations(c, values, a->count);
    if (rotates && !check_cubic_rotations(c, values, a->count)) return NULL;
    return copy_values(c, values, (u64)a->count * a->components);
}

static bool read_track(Channel* c, GltfTrack* out) {
    static const char* const kinds[] = {"STEP", "LINEAR",
                                        "CUBICSPLINE"}; /* as CLIP_INTERPOLATION */
    gltf_need(c->g, c->sampler, "input", JSON_NUMBER);
    gltf_need(c->g, c->sampler, "output", JSON_NUMBER);
    out->interpolation =
        gltf_choice(c->g, c->sampler, "interpolation", CLIP_LINEAR, kinds, COUNT_OF(kinds));
    out->channel = c->path;
    out->times = NULL;
    const f32* times = read_times(c, &out->key_count);
    if (!times) return false;
    if (out->interpolation == CLIP_CUBIC && out->key_count < 2)
        gltf_error(c->g, E0403, c->sampler, "is CUBICSPLINE, but there are fewer than 2 keys");
    out->times = copy_values(c, times, out->key_count);
    out->values = read_values(c, out->interpolation, out->key_count);
    return out->times && out->values;
}

/* Values that are not compiled, or that no channel uses, must be valid too. */
static void check_sampler(Channel* c) {
    static const char* const kinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    u32                      keys = 0;
    gltf_need(c->g, c->sampler, "input", JSON_NUMBER);
    gltf_need(c->g, c->sampler, "output", JSON_NUMBER);
    gltf_choice(c->g, c->sampler, "interpolation", CLIP_LINEAR, kinds, COUNT_OF(kinds));
    read_times(c, &keys);
    gltf_accessor(c->g, c->sampler, "output", USE_VALUES, ~0u, ~0u);
}

static u32 target_count(Gltf* g, u32 node) {
    const cJSON* json = g->node_list.at[node];
    if (!json_tree_get(json, "mesh")) return 0;
    const u32 mesh = gltf_index(g, json, "mesh", &g->mesh_list);
    if (mesh == NONE) return 0;
    const cJSON* primitives = json_tree_get(g->mesh_list.at[mesh], "primitives");
    const cJSON* targets = primitives ? json_tree_get(primitives->child, "targets") : NULL;
    return gltf_member_count(targets);
}

/* Weights of morph targets: for each key as many as the mesh of the node has targets. Returns false
 * when they are not valid, which was reported. */
static bool read_weights(Channel* c, const cJSON* channel, GltfMorphTrack* out) {
    static const char* const kinds[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    GltfAccessor* a = gltf_accessor(c->g, c->sampler, "output", USE_VALUES, GLTF_TYPE_BIT(SCALAR),
                                    FORMAT_FLOAT | FORMAT_BYTE_N | FORMAT_UBYTE_N | FORMAT_SHORT_N |
                                        FORMAT_USHORT_N);
    out->target_count = target_count(c->g, c->node);
    out->interpolation =
        gltf_choice(c->g, c->sampler, "interpolation", CLIP_LINEAR, kinds, COUNT_OF(kinds));
    if (out->target_count == 0) {
        gltf_error(c->g, E0403, json_tree_get(channel, "target"),
                   "animates the weights of %s, which has no mesh with morph targets",
                   GLTF_OBJECT(&c->g->node_list, c->node));
        return false;
    }
    const f32* times = a ? read_times(c, &out->key_count) : NULL;
    if (!times) return false;
    const bool cubic = out->interpolation == CLIP_CUBIC;
    const u64  need = (u64)out->key_count * out->target_count * (cubic ? 3 : 1);
    if (a->count != need) {
        gltf_error(c->g, E0403, json_tree_get(c->sampler, "output"),
                   "refers to %u values, but %u keys of %u morph targets need %llu", a->count,
                   out->key_count, out->target_count, (unsigned long long)need);
        return false;
    }
    const f32* values = gltf_floats(c->g, a);
    if (!values) return false;
    out->times = copy_values(c, times, out->key_count);
    out->values = copy_values(c, values, need);
    return out->times && out->values;
}

/* RFC 6901: begins with /, and ~ is followed by 0 or 1. */
static bool is_json_pointer(const char* text) {
    if (*text && *text != '/') return false;
    for (const char* at = strchr(text, '~'); at; at = strchr(at + 1, '~'))
        if (at[1] != '0' && at[1] != '1') return false;
    return true;
}

/* KHR_animation_pointer defines the target itself. */
static void check_pointer(Gltf* g, const cJSON* target) {
    const cJSON* extension = gltf_extension(g, target, "KHR_animation_pointer");
    const cJSON* pointer = gltf_member(g, extension, "pointer", JSON_STRING);
    const cJSON* path = json_tree_get(target, "path");
    if (!extension) return;
    if (json_tree_get(target, "node"))
        gltf_error(g, E0403, target,
                   "has a \"node\" in addition to KHR_animation_pointer, which defines the target; "
                   "remove one of the two");
    if (cJSON_IsString(path) && strcmp(path->valuestring, "pointer") != 0)
        gltf_error(g, E0403, path, "is \"%.64s\", but must be \"pointer\" here", path->valuestring);
    if (pointer && !is_json_pointer(pointer->valuestring))
        gltf_error(g, E0403, pointer,
                   "is \"%.64s\", but must be a JSON pointer such as \"/nodes/0\"",
                   pointer->valuestring);
}

/* Reads the target of a channel; returns false when it is not compiled. */
static bool read_target(Channel* c, const cJSON* json) {
    const cJSON* target = gltf_need(c->g, json, "target", JSON_OBJECT);
    if (!gltf_need(c->g, target, "path", JSON_STRING)) return false;
    check_pointer(c->g, target);
    if (!json_tree_get(target, "node")) { /* defined by an extension */
        gltf_remark(c->g, REMARK_CHANNELS, "", json, "is not compiled: it has no target node");
        return false;
    }
    c->node = gltf_index(c->g, target, "node", &c->g->node_list);
    c->path = gltf_choice(c->g, target, "path", NONE, paths, COUNT_OF(paths));
    if (c->node == NONE || c->path == NONE) return false;
    if (c->path != PATH_WEIGHTS && json_tree_get(c->g->node_list.at[c->node], "matrix"))
        gltf_error(c->g, E0403, target,
                   "animates %s, which has a \"matrix\"; an animated node must have a "
                   "translation, rotation and scale instead",
                   GLTF_OBJECT(&c->g->node_list, c->node));
    if (!gltf_stamp(c->g, c->node, c->path))
        gltf_error(c->g, E0403, target,
                   "animates the %s of %s, which another channel animates already", paths[c->path],
                   GLTF_OBJECT(&c->g->node_list, c->node));
    return true;
}

/* Adds the track of a channel, if its node is in the scene. */
static void read_channel(Channel* c, const cJSON* json, GltfClip* out) {
    GltfTrack*      track = &out->tracks[out->track_count];
    GltfMorphTrack* morph = &out->morphs[out->morph_count];
    const bool      morphs = c->path == PATH_WEIGHTS;
    track->node = morph->node = c->g->scene_node[c->node];
    if (morphs ? !read_weights(c, json, morph) : !read_track(c, track)) return;
    if (track->node == NONE)
        gltf_remark(c->g, REMARK_CHANNELS, "nodes", json,
                    "is not compiled: it animates %s, which is not in the default scene",
                    GLTF_OBJECT(&c->g->node_list, c->node));
    else if (morphs)
        out->morph_count++;
    else
        out->track_count++;
    if (!morphs && track->node != NONE && !c->is_joint[track->node])
        gltf_remark(c->g, REMARK_CHANNELS, "joints", json,
                    "animates %s, which is no joint of a skin: it is compiled, but a skin "
                    "plays only the channels of its joints",
                    GLTF_OBJECT(&c->g->node_list, c->node));
}

static void read_clip(Gltf* g, const cJSON* json, const bool* is_joint, GltfClip* out) {
    const GltfList channels = gltf_list(g, json, "channels");
    GltfList       samplers = gltf_list(g, json, "samplers");
    samplers.owner = "this animation";
    gltf_need(g, json, "channels", JSON_ARRAY);
    gltf_need(g, json, "samplers", JSON_ARRAY);
    *out = (GltfClip){.name = gltf_name(g, json), .offset = gltf_offset(g, json)};
    out->tracks = ARENA_NEW(g->arena, GltfTrack, channels.count);
    out->morphs = ARENA_NEW(g->arena, GltfMorphTrack, channels.count);
    g->stamp++;
    for (u32 i = 0; i < samplers.count; i++)
        check_sampler(&(Channel){.g = g, .sampler = samplers.at[i], .node = NONE});
    for (u32 i = 0; i < channels.count; i++) {
        Channel c = {.g = g, .is_joint = is_joint};
        if (!gltf_need(g, channels.at[i], "sampler", JSON_NUMBER)) continue;
        const u32 sampler = gltf_index(g, channels.at[i], "sampler", &samplers);
        if (!read_target(&c, channels.at[i]) || sampler == NONE) continue;
        c.sampler = samplers.at[sampler];
        read_channel(&c, channels.at[i], out);
    }
}

/* The nodes that move a skin: joints and the nodes above them. */
static const bool* joints_mark(Gltf* g) {
    const GltfModel* out = g->out;
    bool*            is_joint = ARENA_NEW(g->arena, bool, out->node_count);
    for (u32 s = 0; s < out->skin_count; s++) {
        for (u32 k = 0; k < out->skins[s].joint_count; k++)
            for (u32 at = out->skins[s].joints[k]; at != NONE && !is_joint[at];
                 at = out->nodes[at].parent)
                is_joint[at] = true;
    }
    return is_joint;
}

void gltf_read_clips(Gltf* g) {
    const GltfList list = gltf_list(g, g->tree.root, "animations");
    g->out->clip_count = list.count;
    g->out->clips = ARENA_NEW(g->arena, GltfClip, list.count);
    const bool* is_joint = joints_mark(g);
    for (u32 i = 0; i < list.count; i++) read_clip(g, list.at[i], is_joint, &g->out->clips[i]);
}
