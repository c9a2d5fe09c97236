// skinning_attach.comp - one thread per entity that follows a joint: its world matrix.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_JOINT, scalar) readonly restrict buffer Joints { SkinJoint joints[]; };
layout(binding = SKINNING_LOCAL) readonly restrict buffer Locals { vec4 locals[]; };
layout(binding = SKINNING_FOLLOWER, scalar) readonly restrict buffer Followers { SkinFollower followers[]; };
layout(binding = SKINNING_WORLD) restrict buffer Worlds { vec4 worlds[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.range_count) return;
    const SkinFollower f = followers[i];
    const SkinInstance instance = instances[f.instance];
    Rows               m = Rows(f.row_x, f.row_y, f.row_z);
    for (uint joint = f.joint; joint != SKINNING_NONE; joint = joints[f.first_joint + joint].parent) {
        const uint at = (instance.first_local + joint) * 3;
        m = rows_multiply(Rows(locals[at], locals[at + 1], locals[at + 2]), m);
    }
    if (f.root != SKINNING_NONE)
        m = rows_multiply(Rows(worlds[f.root * 3], worlds[f.root * 3 + 1], worlds[f.root * 3 + 2]), m);
    worlds[f.row * 3] = m.x;
    worlds[f.row * 3 + 1] = m.y;
    worlds[f.row * 3 + 2] = m.z;
}
