/* clip_pack.c - packs rotations, translations and scales into two words a key, and measures what that
 * changes: at keys of the clip, the joints of poses with and without packing are compared. */
#include "clip_pack.h"

#include <math.h>

#include "clip.h"
#include "clip_packing.h"
#include "transform.h"
#include "vec.h"

#define TIMES_MAX 64u  /* at which poses are compared */
#define SAME      1e-6 /* values of constant tracks differ by no more, translations by this share */

static u32 words_of(const GltfTrack* t) { return t->channel == CLIP_ROTATION ? 4 : 3; }

/* --- the size of the skeletons --- */

/* model_from_node of all nodes: parents are before their children. */
static void poses_compose(const GltfModel* g, const TransformRecord* locals, Mat34* poses) {
    for (u32 i = 0; i < g->node_count; i++) {
        const Mat34 node_local =
            mat34_of_pose(&locals[i].position, &locals[i].rotation, &locals[i].scale);
        poses[i] = g->nodes[i].parent == NONE
                       ? node_local
                       : mat34_product(&poses[g->nodes[i].parent], &node_local);
    }
}

static f32 joints_extent(const GltfModel* g, Arena* arena) {
    Mat34* poses = ARENA_NEW(arena, Mat34, g->node_count);
    Bounds all = bounds_empty();
    poses_compose(g, g->locals, poses);
    for (u32 s = 0; s < g->skin_count; s++)
        for (u32 k = 0; k < g->skins[s].joint_count; k++)
            bounds_add(&all, mat34_column(&poses[g->skins[s].joints[k]], 3));
    return bounds_extent(&all);
}

/* [node_count] The size of what a node belongs to: the skeletons, or the model. */
static f32* extents_find(const GltfModel* g, Arena* arena) {
    const f32 joints = g->skin_count ? joints_extent(g, arena) : 0;
    f32*      extents = ARENA_NEW(arena, f32, g->node_count);
    for (u32 i = 0; i < g->node_count; i++) extents[i] = g->extent;
    for (u32 s = 0; s < g->skin_count; s++)
        for (u32 k = 0; k < g->skins[s].joint_count; k++)
            for (u32 at = g->skins[s].joints[k]; at != NONE && extents[at] != joints;
                 at = g->nodes[at].parent)
                extents[at] = joints;
    return extents;
}

/* --- constant tracks --- */

/* Equal values; q and -q are the same rotation. */
static bool is_same(const f32* a, const f32* b, u32 words, f64 max) {
    f64 side = 1;
    if (words == 4 && (f64)a[0] * b[0] + (f64)a[1] * b[1] + (f64)a[2] * b[2] + (f64)a[3] * b[3] < 0)
        side = -1;
    for (u32 i = 0; i < words; i++)
        if (fabs((f64)a[i] - side * (f64)b[i]) > max) return false;
    return true;
}

static bool is_constant(const GltfTrack* t, f64 max) {
    const u32  words = words_of(t);
    const bool cubic = t->interpolation == CLIP_CUBIC;
    const f32  zero[4] = {0};
    for (u32 k = 0; k < t->key_count; k++) {
        const f32* key = t->values + (size_t)k * words * (cubic ? 3 : 1);
        if (!is_same(cubic ? key + words : key, cubic ? t->values + words : t->values, words, max))
            return false;
        if (cubic && !(is_same(key, zero, words, 0) && is_same(key + 2 * words, zero, words, 0)))
            return false;
    }
    return true;
}

static const f32* rest_of(const GltfModel* g, const GltfTrack* t) {
    const TransformRecord* rest = &g->locals[t->node];
    return t->channel == CLIP_ROTATION ? &rest->rotation.x
           : t->channel == CLIP_SCALE  ? &rest->scale.x
                                       : &rest->position.x;
}

/* --- packing --- */

static void rotation_pack(const f32* q, u32* words) {
    const f32 half = 0.70710678f;
    u32       largest = 0, parts[3];
    for (u32 i = 1; i < 4; i++)
        if (fabsf(q[i]) > fabsf(q[largest])) largest = i;
    for (u32 i = 0, k = 0; i < 4; i++) {
        const f64 scaled = (f64)(q[largest] < 0 ? -q[i] : q[i]) / (2 * (f64)half) + 0.5;
        assert(k < COUNT_OF(parts) || i == largest); /* three of four are not the largest */
        if (i != largest)
            parts[k++] = (u32)(MIN_OF(MAX_OF(scaled, 0), 1) * CLIP_ROTATION_MAX + 0.5);
    }
    words[0] = parts[0] | parts[1] << 20;
    words[1] = parts[1] >> 12 | parts[2] << 8 | largest << 28;
}

static void vector_pack(const f32* box, const f32* v, u32* words) {
    u32 parts[3];
    for (u32 i = 0; i < 3; i++) {
        const f64 scaled = box[3 + i] > 0 ? ((f64)v[i] - (f64)box[i]) / (f64)box[3 + i] : 0;
        parts[i] = (u32)(MIN_OF(MAX_OF(scaled, 0), 1) * CLIP_VECTOR_MAX + 0.5);
    }
    words[0] = parts[0] | parts[1] << 21;
    words[1] = parts[1] >> 11 | parts[2] << 10;
}

/* The box of all values; false: its size is not finite. */
static bool box_find(const ClipTrack* t, f32* box) {
    f32 high[3];
    memcpy(box, t->from->values, sizeof(Vec3));
    memcpy(high, t->from->values, sizeof high);
    for (u32 k = 1; k < t->key_count; k++) {
        for (u32 i = 0; i < 3; i++) {
            const f32 v = t->from->values[k * 3 + i];
            box[i] = MIN_OF(box[i], v);
            high[i] = MAX_OF(high[i], v);
        }
    }
    for (u32 i = 0; i < 3; i++) box[3 + i] = high[i] - box[i];
    return isfinite(box[3]) && isfinite(box[4]) && isfinite(box[5]);
}

/* Packs the values of a track, if that makes it shorter. */
static void track_pack(ClipTrack* t, Arena* arena) {
    const bool rotates = t->from->channel == CLIP_ROTATION;
    const u64  words = clip_packed_words(rotates, t->key_count);
    f32        box[CLIP_BOX_WORDS];
    if (t->interpolation == CLIP_CUBIC || words >= t->words) return;
    if (!rotates && !box_find(t, box)) return;
    u32* packed = ARENA_NEW(arena, u32, words);
    if (!rotates) memcpy(packed, box, sizeof box);
    for (u32 k = 0; k < t->key_count; k++) {
        u32* const key = packed + words - (u64)(t->key_count - k) * CLIP_KEY_WORDS;
        if (rotates)
            rotation_pack(t->from->values + k * 4, key);
        else
            vector_pack(box, t->from->values + k * 3, key);
    }
    t->packing = CLIP_PACKED;
    t->values = packed;
    t->words = words;
}

/* --- what packing changes --- */

static u32 key_at(const GltfTrack* t, f32 time_s) {
    u32 low = 0, high = t->key_count;
    while (low + 1 < high) {
        const u32 middle = (low + high) / 2;
        if (t->times[middle] <= time_s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void value_set(TransformRecord* local, u32 channel, const f32* value) {
    if (channel == CLIP_ROTATION)
        memcpy(&local->rotation, value, sizeof local->rotation);
    else
        memcpy(channel == CLIP_SCALE ? &local->scale : &local->position, value, sizeof(Vec3));
}

static void value_unpack(const ClipTrack* t, u32 key, f32* out) {
    const u32* words = t->values;
    key = MIN_OF(key, t->key_count - 1);
    if (t->packing == CLIP_FLOATS)
        memcpy(out, (const f32*)t->values + (size_t)key * words_of(t->from),
               words_of(t->from) * sizeof *out);
    else if (t->from->channel == CLIP_ROTATION)
        clip_rotation_unpack(words + (size_t)key * CLIP_KEY_WORDS, out);
    else
        clip_vector_unpack(t->values, words + CLIP_BOX_WORDS + (size_t)key * CLIP_KEY_WORDS, out);
}

/* The nodes that a clip moves, those below them, and those above them. */
typedef struct Reach {
    u32* node; /* [count] parents are before their children */
    u32  count;
} Reach;

static Reach reach_find(const GltfModel* g, const GltfClip* clip, Arena* arena) {
    bool* is_moved = ARENA_NEW(arena, bool, g->node_count);
    bool* is_above = ARENA_NEW(arena, bool, g->node_count);
    Reach out = {ARENA_NEW(arena, u32, g->node_count), 0};
    for (u32 i = 0; i < clip->track_count; i++) {
        u32 at = clip->tracks[i].node;
        is_moved[at] = true;
        for (; at != NONE && !is_above[at]; at = g->nodes[at].parent) is_above[at] = true;
    }
    for (u32 i = 0; i < g->node_count; i++) {
        is_moved[i] |= g->nodes[i].parent != NONE && is_moved[g->nodes[i].parent];
        if (is_moved[i] || is_above[i]) out.node[out.count++] = i;
    }
    return out;
}

/* model_from_node of these nodes. */
static void reach_compose(const GltfModel* g, const Reach* reach, const TransformRecord* locals,
                          Mat34* poses) {
    for (u32 k = 0; k < reach->count; k++) {
        const u32   i = reach->node[k], parent = g->nodes[i].parent;
        const Mat34 node_local =
            mat34_of_pose(&locals[i].position, &locals[i].rotation, &locals[i].scale);
        poses[i] = parent == NONE ? node_local : mat34_product(&poses[parent], &node_local);
    }
}

/* How far the corners of a cube around each node are from where they should be, as a share of its extent. */
static f64 poses_compare(const Reach* reach, const Mat34* a, const Mat34* b, const f32* extents) {
    f64 max = 0;
    for (u32 k = 0; k < reach->count; k++) {
        const u32  i = reach->node[k];
        const f32  size = extents[i];
        const Vec3 corners[] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}};
        for (u32 c = 0; c < COUNT_OF(corners) && size > 0; c++) {
            const f32 deviation = vec3_length(
                vec3_sub(mat34_point(&a[i], corners[c]), mat34_point(&b[i], corners[c])));
            max = MAX_OF(max, (f64)deviation / (f64)size);
        }
    }
    return max;
}

/* The poses of keys are compared: between two keys, nothing is farther away. Cubic tracks are not packed
 * and keep their rest pose here. */
static f64 error_measure(const GltfModel* g, const GltfClip* clip, const ClipTrack* tracks,
                         u32 count, const f32* extents, Arena* arena) {
    TransformRecord* exact = ARENA_NEW(arena, TransformRecord, g->node_count);
    TransformRecord* packed = ARENA_NEW(arena, TransformRecord, g->node_count);
    Mat34*           poses[] = {ARENA_NEW(arena, Mat34, g->node_count),
                                ARENA_NEW(arena, Mat34, g->node_count)};
    const Reach      reach = reach_find(g, clip, arena);
    const GltfTrack* longest = clip->tracks;
    f64              max = 0;
    f32              value[4];
    for (u32 k = 0; k < reach.count; k++)
        exact[reach.node[k]] = packed[reach.node[k]] = g->locals[reach.node[k]];
    for (u32 i = 1; i < clip->track_count; i++)
        if (clip->tracks[i].key_count > longest->key_count) longest = &clip->tracks[i];
    const u32 steps = MIN_OF(longest->key_count, TIMES_MAX);
    for (u32 k = 0; k < steps; k++) {
        const f32 time_s = longest->times[(u64)k * longest->key_count / steps];
        for (u32 i = 0; i < clip->track_count; i++) {
            const GltfTrack* t = &clip->tracks[i];
            if (t->interpolation != CLIP_CUBIC)
                value_set(&exact[t->node], t->channel,
                          t->values + (size_t)key_at(t, time_s) * words_of(t));
        }
        for (u32 i = 0; i < count; i++) {
            if (tracks[i].interpolation == CLIP_CUBIC) continue;
            value_unpack(&tracks[i], key_at(tracks[i].from, time_s), value);
            value_set(&packed[tracks[i].from->node], tracks[i].from->channel, value);
        }
        reach_compose(g, &reach, exact, poses[0]);
        reach_compose(g, &reach, packed, poses[1]);
        const f64 difference = poses_compare(&reach, poses[0], poses[1], extents);
        max = MAX_OF(max, difference);
    }
    return max;
}

/* --- all tracks --- */

static void track_begin(ClipTrack* t, const GltfTrack* from, u32 key_count) {
    const bool cubic = from->interpolation == CLIP_CUBIC;
    const bool single = key_count == 1 && key_count < from->key_count;
    *t = (ClipTrack){.from = from,
                     .interpolation = single ? CLIP_STEP : from->interpolation,
                     .packing = CLIP_FLOATS,
                     .key_count = key_count,
                     .values = from->values + (single && cubic ? words_of(from) : 0),
                     .words = (u64)key_count * words_of(from) * (cubic && !single ? 3 : 1)};
}

/* The size of which the difference of constant positions is a share: small parts of large models move, too. */
static f64 size_of(const GltfModel* g, const GltfTrack* t, const f32* extents) {
    f32 size = extents[t->node];
    if (t->channel != CLIP_TRANSLATION) return 1;
    if (size == g->extent) size = 0;
    for (u32 i = 0; i < 3 && t->interpolation != CLIP_CUBIC; i++)
        size = MAX_OF(size, fabsf(t->values[i]));
    return (f64)size;
}

/* A track that keeps the rest pose is left out; one that keeps another pose has one key. */
static u32 tracks_begin(const GltfModel* g, const GltfClip* clip, f64 error, const f32* extents,
                        ClipTrack* tracks) {
    u32 count = 0;
    for (u32 i = 0; i < clip->track_count; i++) {
        const GltfTrack* t = &clip->tracks[i];
        const f64        max = error > 0 ? SAME * size_of(g, t, extents) : 0;
        const bool       constant = is_constant(t, max);
        const f32*       first = t->values + (t->interpolation == CLIP_CUBIC ? words_of(t) : 0);
        const bool       last_one = count == 0 && i + 1 == clip->track_count;
        if (constant && !last_one && is_same(first, rest_of(g, t), words_of(t), max)) continue;
        track_begin(&tracks[count++], t, constant ? 1 : t->key_count);
    }
    return count;
}

u32 clip_pack(const GltfModel* g, const GltfClip* clip, f64 error, Arena* arena,
              ClipTrack* tracks) {
    const f32* extents = extents_find(g, arena);
    const u32  count = tracks_begin(g, clip, error, extents, tracks);
    if (count == 0 || error <= 0) return count;
    for (u32 i = 0; i < count; i++)
        if (extents[tracks[i].from->node] > 0) track_pack(&tracks[i], arena);
    if (error_measure(g, clip, tracks, count, extents, arena) <= error) return count;
    return tracks_begin(g, clip, error, extents, tracks);
}
