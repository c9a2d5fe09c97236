/* animation.c - poses and skinning matrices of single skeletons. */
#include "animation.h"

#include "clip.h"
#include "pose_tables_internal.h"

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

static void track_sample(const TrackRecord* track, const f32* times, const f32* values, f32 time_s,
                         TransformRecord* pose) {
    const PoseKeys keys = {times + track->first_time, values + track->first_value, track->key_count,
                           track->interpolation, track->packing};
    pose_property(&keys, track->channel, time_s, pose);
}

void ent_clip_sample(const Blob* clip, const Blob* skeleton, f32 time_s, TransformRecord* poses) {
    u32 joint_count, track_count = 0, count;
    assert(time_s == time_s && "the time must be a number");
    const JointRecord* joint = records(skeleton, SECTION_JOINT, &joint_count);
    const TrackRecord* track = clip ? records(clip, SECTION_TRACK, &track_count) : NULL;
    const f32*         times = clip ? records(clip, SECTION_KEY_TIME, &count) : NULL;
    const f32*         values = clip ? records(clip, SECTION_KEY_VALUE, &count) : NULL;
    const f32*         packed = clip ? records(clip, SECTION_KEY_PACKED, &count) : NULL;
    for (u32 i = 0; i < joint_count; i++) {
        poses[i] = (TransformRecord){joint[i].position, joint[i].rotation, joint[i].scale};
    }
    for (u32 t = 0; t < track_count; t++) {
        for (u32 i = 0; i < joint_count; i++) {
            if (joint[i].node == track[t].node) {
                track_sample(&track[t], times, track[t].packing == CLIP_PACKED ? packed : values,
                             time_s, &poses[i]);
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
    pose_joints(joint, joint_count, poses, joints);
    pose_palette(bind, bind_count, joints, palette);
}
