// skinning_palette.comp - one thread per bind of each instance: the matrix that moves a vertex of the mesh to the space of
// the skin. Each thread multiplies the matrices of the joint's ancestors itself, so that joints need no order.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_JOINT, scalar) readonly restrict buffer Joints { SkinJoint joints[]; };
layout(binding = SKINNING_BIND, scalar) readonly restrict buffer Binds { SkinBind binds[]; };
layout(binding = SKINNING_LOCAL) readonly restrict buffer Locals { vec4 locals[]; };
layout(binding = SKINNING_PALETTE) writeonly restrict buffer Palettes { vec4 palettes[]; };

void main() {
    const uint which = group_index() / push.groups, t = gl_LocalInvocationID.x;
    const uint number = group_index() % push.groups * SKINNING_GROUP + t;
    if (which >= push.instance_count) return;
    const SkinInstance instance = instances[which];
    if (number >= instance.bind_count) return;
    const SkinBind bind = binds[instance.first_bind + number];
    Rows           m = Rows(bind.row_x, bind.row_y, bind.row_z);
    for (uint joint = bind.joint; joint != SKINNING_NONE; joint = joints[instance.first_joint + joint].parent) {
        const uint at = (instance.first_local + joint) * 3;
        m = rows_multiply(Rows(locals[at], locals[at + 1], locals[at + 2]), m);
    }
    const uint to = (instance.first_palette + number) * 3;
    palettes[to] = m.x;
    palettes[to + 1] = m.y;
    palettes[to + 2] = m.z;
}
