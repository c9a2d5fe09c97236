/* pose.c - samples channels, and computes the matrices of joints and bones.
 *
 * Based on: Khronos Group, glTF 2.0 specification, 2021, appendix C (interpolation). */
#include <math.h>

#include "clip.h"
#include "clip_packing.h"
#include "pose_internal.h"
#include "pose_tables_internal.h"
#include "search.h"
#include "sections.h"
#include "vec.h"

/* The position of a time among keys: the key at or before it, and the fraction of the step to
 * the next. */
typedef struct KeySpan {
    u32 key;
    f32 step_s;   /* to the next key; 0 at the ends */
    f32 fraction; /* of the step, from 0 to 1 */
} KeySpan;

static inline KeySpan key_span(const f32* times, u32 count, f32 time_s) {
    const u32 last = count - 1;
    if (time_s <= times[0]) return (KeySpan){0, 0, 0};
    if (time_s >= times[last]) return (KeySpan){last, 0, 0};
    Search s = search_between(1, last);
    while (search_continues(&s)) search_narrow(&s, times[s.middle] <= time_s);
    const f32 start = times[s.first - 1], step = times[s.first] - start;
    return (KeySpan){s.first - 1, step, (time_s - start) / step};
}

static void quat_normalize(f32* q) {
    const f64 x = q[0], y = q[1], z = q[2], w = q[3]; /* finite floats: their squares fit */
    const f64 square = x * x + y * y + z * z + w * w;
    const f32 scale = square > 0 ? (f32)(1 / sqrt(square)) : 0;
    for (int i = 0; i < 4; i++) q[i] *= scale;
    if (square <= 0) q[3] = 1;
}

/* Between two unit quaternions, along the shorter arc; a straight line where the arc is too short for its
 * sine. */
static void quat_slerp(const f32* a, const f32* b, f32 t, f32* out) {
    f32       dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const f32 side = dot < 0 ? -1.0f : 1.0f;
    f32       from = 1 - t, to = t * side;
    dot *= side;
    if (dot < 0.9995f) {
        const f32 angle = acosf(dot), sine = sinf(angle);
        from = sinf(from * angle) / sine;
        to = sinf(t * angle) / sine * side;
    }
    const f32 x = from * a[0] + to * b[0], y = from * a[1] + to * b[1];
    const f32 z = from * a[2] + to * b[2], w = from * a[3] + to * b[3];
    const f32 scale = 1 / sqrtf(x * x + y * y + z * z + w * w);
    out[0] = x * scale;
    out[1] = y * scale;
    out[2] = z * scale;
    out[3] = w * scale;
}

/* Keys are in-tangent, value, out-tangent; tangents are per second. */
static void cubic_sample(const f32* values, u32 words, KeySpan at, f32* out) {
    const f32* key = values + (size_t)at.key * words * 3;
    const f32* next = key + words * 3;
    const f32  t = at.fraction, t2 = t * t, t3 = t2 * t;
    for (u32 i = 0; i < words; i++) {
        if (at.step_s == 0) {
            out[i] = key[words + i];
            continue;
        }
        out[i] = (2 * t3 - 3 * t2 + 1) * key[words + i] +
                 at.step_s * (t3 - 2 * t2 + t) * key[2 * words + i] +
                 (-2 * t3 + 3 * t2) * next[words + i] + at.step_s * (t3 - t2) * next[i];
    }
}

/* The value of a key that is not cubic. */
static inline void key_load(const PoseKeys* keys, u32 words, u32 key, f32* out) {
    const u32* packed = (const u32*)(const void*)keys->values;
    if (keys->packing == CLIP_FLOATS)
        memcpy(out, keys->values + (size_t)key * words, words * sizeof *out);
    else if (words == 4)
        clip_rotation_unpack(packed + (size_t)key * CLIP_KEY_WORDS, out);
    else
        clip_vector_unpack(keys->values, packed + CLIP_BOX_WORDS + (size_t)key * CLIP_KEY_WORDS,
                           out);
}

/* Weights, which are not packed. */
static void weights_sample(const PoseKeys* keys, u32 words, f32 time_s, f32* out) {
    const KeySpan at = key_span(keys->times, keys->count, time_s);
    if (keys->interpolation == CLIP_CUBIC) {
        cubic_sample(keys->values, words, at, out);
        return;
    }
    const f32* key = keys->values + (size_t)at.key * words;
    memcpy(out, key, sizeof(f32) * words);
    if (keys->interpolation == CLIP_STEP || at.step_s == 0) return;
    for (u32 i = 0; i < words; i++) out[i] += (key[words + i] - key[i]) * at.fraction;
}

static void vector_sample(const PoseKeys* keys, KeySpan at, f32* out) {
    f32 next[3];
    if (keys->interpolation == CLIP_CUBIC) {
        cubic_sample(keys->values, 3, at, out);
        return;
    }
    key_load(keys, 3, at.key, out);
    if (keys->interpolation == CLIP_STEP || at.step_s == 0) return;
    key_load(keys, 3, at.key + 1, next);
    for (u32 i = 0; i < 3; i++) out[i] += (next[i] - out[i]) * at.fraction;
}

static void rotation_sample(const PoseKeys* keys, KeySpan at, f32* out) {
    f32 from[4], next[4];
    if (keys->interpolation == CLIP_CUBIC) {
        cubic_sample(keys->values, 4, at, out);
        quat_normalize(out);
        return;
    }
    if (keys->interpolation == CLIP_LINEAR && at.step_s > 0) {
        key_load(keys, 4, at.key, from);
        key_load(keys, 4, at.key + 1, next);
        quat_slerp(from, next, at.fraction, out);
    } else {
        key_load(keys, 4, at.key, out);
        quat_normalize(out);
    }
}

static inline void property_set(const PoseKeys* keys, u32 channel, KeySpan at,
                                TransformRecord* pose) {
    if (channel == CLIP_ROTATION)
        rotation_sample(keys, at, &pose->rotation.x);
    else
        vector_sample(keys, at, channel == CLIP_SCALE ? &pose->scale.x : &pose->position.x);
}

void pose_property(const PoseKeys* keys, u32 channel, f32 time_s, TransformRecord* pose) {
    property_set(keys, channel, key_span(keys->times, keys->count, time_s), pose);
}

/* --- weights of morph targets --- */

static const void* rows_of(const Blob* blob, SectionKind kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

bool pose_weights(const PoseClip* clip, NameRef node, f32 time_s, u32 count, f32* weights) {
    u32                     tracks, rows;
    const MorphTrackRecord* track = rows_of(clip->blob, SECTION_MORPH_TRACK, &tracks);
    const f32*              times = rows_of(clip->blob, SECTION_MORPH_TIME, &rows);
    const f32*              values = rows_of(clip->blob, SECTION_MORPH_WEIGHTS, &rows);
    for (u32 i = 0; i < tracks; i++) {
        if (track[i].node != node || track[i].target_count != count) continue;
        const PoseKeys keys = {times + track[i].first_time, values + track[i].first_value,
                               track[i].key_count, track[i].interpolation, CLIP_FLOATS};
        weights_sample(&keys, count, time_s, weights);
        return true;
    }
    return false;
}

/* --- lights and cameras --- */

u32 pose_track_find(const PoseClip* clip, u32 property, NameRef target) {
    u32                        tracks;
    const PropertyTrackRecord* track = rows_of(clip->blob, SECTION_PROPERTY_TRACK, &tracks);
    Search                     s = search_between(0, tracks);
    while (search_continues(&s)) { /* in the order of properties and targets */
        const PropertyTrackRecord* at = &track[s.middle];
        search_narrow(&s,
                      at->property < property || (at->property == property && at->target < target));
    }
    const bool is_found =
        s.first < tracks && track[s.first].target == target && track[s.first].property == property;
    return is_found ? s.first : NONE;
}

void pose_track_sample(const PoseClip* clip, u32 track, f32 time_s, f32* value) {
    u32                        rows;
    const PropertyTrackRecord* at = rows_of(clip->blob, SECTION_PROPERTY_TRACK, &rows);
    const f32*                 times = rows_of(clip->blob, SECTION_PROPERTY_TIME, &rows);
    const f32*                 values = rows_of(clip->blob, SECTION_PROPERTY_VALUE, &rows);
    at += track;
    const PoseKeys keys = {times + at->first_time, values + at->first_value, at->key_count,
                           at->interpolation, CLIP_FLOATS};
    weights_sample(&keys, CLIP_PROPERTY_WORDS(at->property), time_s, value);
}

/* --- all joints --- */

/* Channels of one node mostly have the same times: these are searched once. */
static void joint_sample(const PoseTables* t, const PoseChannel* channel, f32 time_s,
                         TransformRecord* pose) {
    const f32* times = NULL;
    u32        count = 0;
    KeySpan    at = {0, 0, 0};
    for (u32 c = 0; c < 3; c++) {
        const PoseKeys keys = {t->key + channel[c].first_time, t->key + channel[c].first_value,
                               channel[c].key_count, channel[c].interpolation, channel[c].packing};
        if (keys.count == 0) continue;
        if (keys.times != times || keys.count != count)
            at = key_span(keys.times, keys.count, time_s);
        times = keys.times;
        count = keys.count;
        property_set(&keys, c, at, pose);
    }
}

void pose_node_sample(const PoseTables* t, u32 first_channel, f32 time_s, TransformRecord* pose) {
    joint_sample(t, t->channel + first_channel, time_s, pose);
}

static Vec3 between(Vec3 a, Vec3 b, f32 t) { return vec3_add_scaled(vec3_scale(a, 1 - t), b, t); }

static inline void rest_set(const JointRecord* joint, TransformRecord* pose) {
    pose->position = joint->position;
    pose->rotation = joint->rotation;
    pose->scale = joint->scale;
}

void pose_blend(TransformRecord* pose, const TransformRecord* other, f32 blend) {
    const Quat from = pose->rotation;
    pose->position = between(pose->position, other->position, blend);
    pose->scale = between(pose->scale, other->scale, blend);
    quat_slerp(&from.x, &other->rotation.x, blend, &pose->rotation.x);
}

void pose_sample(const PoseTables* t, const PosePlay* play, u32 first, u32 count,
                 TransformRecord* poses) {
    const PoseSet*     set = t->set;
    const u32          joint_first = t->skeleton[play->skeleton].first_joint;
    const PoseChannel* one = play->set == NONE ? NULL : t->channel + set[play->set].first_channel;
    const PoseChannel* two =
        play->set_2 == NONE ? NULL : t->channel + set[play->set_2].first_channel;
    for (u32 i = first; i < first + count; i++) {
        TransformRecord* pose = &poses[i - first];
        rest_set(&t->joint[joint_first + i], pose);
        if (one) joint_sample(t, one + i * 3, play->time_s, pose);
        if (play->blend > 0) {
            TransformRecord other;
            rest_set(&t->joint[joint_first + i], &other);
            if (two) joint_sample(t, two + i * 3, play->time_2_s, &other);
            pose_blend(pose, &other, play->blend);
        }
    }
}

void pose_joints(const JointRecord* joint, u32 count, const TransformRecord* poses, Mat34* joints) {
    for (u32 i = 0; i < count; i++) {
        const Mat34 local = mat34_of_pose(&poses[i].position, &poses[i].rotation, &poses[i].scale);
        if (joint[i].parent == UINT32_MAX)
            joints[i] = local;
        else
            mat34_multiply(&joints[i], &joints[joint[i].parent], &local);
    }
}

void pose_palette(const BindRecord* bind, u32 count, const Mat34* joints, Mat34* palette) {
    for (u32 i = 0; i < count; i++) {
        Mat34 inverse;
        memcpy(&inverse, &bind[i].row_0, sizeof inverse);
        mat34_multiply(&palette[i], &joints[bind[i].joint], &inverse);
    }
}
