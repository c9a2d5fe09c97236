/* animation.c - samples clips and builds skinning matrices, joint by joint.
 *
 * Based on: Khronos Group, glTF 2.0 specification, 2021, appendix C (interpolation). */
#include "animation.h"

#include <math.h>

#include "pose_internal.h"
#include "search.h"

static const void* records(const Blob* blob, u32 kind, u32* count) {
    const BlobSection* s = ent_blob_section(blob, kind);
    *count = s ? s->count : 0;
    return s ? ent_blob_data(blob, s) : NULL;
}

u32 ent_skeleton_joint_count(const Blob* skeleton) { return skeleton->header->element_count; }

u32 ent_skeleton_bind_count(const Blob* skeleton) {
    u32 count;
    records(skeleton, SECTION_BIND, &count);
    return count;
}

f32 ent_clip_duration(const Blob* clip) {
    u32                   count;
    const ClipInfoRecord* info = records(clip, SECTION_CLIP_INFO, &count);
    return info->duration_s;
}

/* The position of a time among keys: the key at or before it, and the fraction of the step to
 * the next. */
typedef struct KeySpan {
    u32 key;
    f32 step_s;   /* to the next key; 0 at the ends */
    f32 fraction; /* of the step, from 0 to 1 */
} KeySpan;

static KeySpan key_span(const f32* times, u32 count, f32 time_s) {
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

/* Along the shorter arc; a straight line where the arc is too short for its sine. */
static void quat_slerp(const f32* a, const f32* b, f32 t, f32* out) {
    f32       dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const f32 side = dot < 0 ? -1.0f : 1.0f;
    f32       from = 1 - t, to = t;
    dot *= side;
    if (dot < 0.9995f) {
        const f32 angle = acosf(dot), sine = sinf(angle);
        from = sinf(from * angle) / sine;
        to = sinf(to * angle) / sine;
    }
    for (int i = 0; i < 4; i++) out[i] = from * a[i] + to * side * b[i];
    quat_normalize(out);
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

static void track_sample(const TrackRecord* track, const f32* times, const f32* values, f32 time_s,
                         TransformRecord* pose) {
    const u32     words = track->channel == CLIP_ROTATION ? 4 : 3;
    const KeySpan at = key_span(times + track->first_time, track->key_count, time_s);
    const f32*    value = values + track->first_value;
    f32           out[4];
    if (track->interpolation == CLIP_CUBIC) {
        cubic_sample(value, words, at, out);
    } else {
        const f32* key = value + (size_t)at.key * words;
        memcpy(out, key, sizeof(f32) * words);
        if (track->interpolation == CLIP_LINEAR && at.step_s > 0) {
            if (words == 4)
                quat_slerp(key, key + 4, at.fraction, out);
            else
                for (u32 i = 0; i < 3; i++) out[i] += (key[3 + i] - key[i]) * at.fraction;
        }
    }
    if (words == 4) quat_normalize(out);
    if (track->channel == CLIP_TRANSLATION)
        memcpy(&pose->position, out, sizeof pose->position);
    else if (track->channel == CLIP_ROTATION)
        memcpy(&pose->rotation, out, sizeof pose->rotation);
    else
        memcpy(&pose->scale, out, sizeof pose->scale);
}

void ent_clip_sample(const Blob* clip, const Blob* skeleton, f32 time_s, TransformRecord* poses) {
    u32                joint_count, track_count = 0, count;
    const JointRecord* joint = records(skeleton, SECTION_JOINT, &joint_count);
    const TrackRecord* track = clip ? records(clip, SECTION_TRACK, &track_count) : NULL;
    const f32*         times = clip ? records(clip, SECTION_KEY_TIME, &count) : NULL;
    const f32*         values = clip ? records(clip, SECTION_KEY_VALUE, &count) : NULL;
    for (u32 i = 0; i < joint_count; i++) {
        poses[i] = (TransformRecord){joint[i].position, joint[i].rotation, joint[i].scale};
    }
    for (u32 t = 0; t < track_count; t++) {
        for (u32 i = 0; i < joint_count; i++) {
            if (joint[i].node == track[t].node) {
                track_sample(&track[t], times, values, time_s, &poses[i]);
                break;
            }
        }
    }
}

void ent_skeleton_palette(const Blob* skeleton, const TransformRecord* poses, Mat34* joints,
                          Mat34* palette) {
    u32                joint_count, bind_count;
    const JointRecord* joint = records(skeleton, SECTION_JOINT, &joint_count);
    const BindRecord*  bind = records(skeleton, SECTION_BIND, &bind_count);
    for (u32 i = 0; i < joint_count; i++) {
        Mat34 local;
        mat34_from_pose(&local, &poses[i].position, &poses[i].rotation, &poses[i].scale);
        if (joint[i].parent == UINT32_MAX)
            joints[i] = local;
        else
            mat34_multiply(&joints[i], &joints[joint[i].parent], &local);
    }
    for (u32 i = 0; i < bind_count; i++) {
        Mat34 inverse;
        memcpy(&inverse, &bind[i].row_0, sizeof inverse);
        mat34_multiply(&palette[i], &joints[bind[i].joint], &inverse);
    }
}
