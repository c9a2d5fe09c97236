// skinning_sample.comp - one thread per joint of each instance: its pose at the time of the clip, and of the clip that
// is blended over it, as a matrix to the space of its parent.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_JOINT, scalar) readonly restrict buffer Joints { SkinJoint joints[]; };
layout(binding = SKINNING_CHANNEL, scalar) readonly restrict buffer Channels { ClipChannel channels[]; };
layout(binding = SKINNING_KEY) readonly buffer Keys { float keys[]; };
layout(binding = SKINNING_KEY) readonly buffer Words { uint words_of_keys[]; };
layout(binding = SKINNING_LOCAL) writeonly restrict buffer Locals { vec4 locals[]; };

#include "pose_sample.glsl"

void main() {
    const uint which = group_index() / push.groups, t = gl_LocalInvocationID.x;
    const uint joint = group_index() % push.groups * SKINNING_GROUP + t;
    if (which >= push.instance_count) return;
    const SkinInstance instance = instances[which];
    if (joint >= instance.joint_count) return;
    const SkinJoint rest = joints[instance.first_joint + joint];
    const Pose      at_rest = Pose(rest.position, rest.rotation, rest.scale);
    const uint      none = SKINNING_NONE, first = instance.channels, second = instance.channels_2;
    Pose            pose = pose_at(at_rest, first == none ? none : first + joint * 3, instance.time_s);
    if (instance.blend > 0)
        pose = pose_between(pose, pose_at(at_rest, second == none ? none : second + joint * 3, instance.time_2_s),
                            instance.blend);
    const Rows m = rows_of_pose(pose);
    const uint at = (instance.first_local + joint) * 3;
    locals[at] = m.x;
    locals[at + 1] = m.y;
    locals[at + 2] = m.z;
}
