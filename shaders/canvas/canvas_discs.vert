// canvas_discs.vert - one instance per disc: the square around it, in the plane of its system.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"

layout(push_constant, scalar) uniform Push { CanvasPush push; };
layout(binding = CANVAS_POSITION) readonly restrict buffer Positions { vec4 positions[]; };

layout(location = 0) out vec2 corner;
layout(location = 1) flat out uint id;

void main() {
    const vec4 disc = positions[gl_InstanceIndex];
    corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;
    id = push.id_first + gl_InstanceIndex + 1;
    const vec4 p = vec4(disc.xy + corner * disc.z, 0, 1);
    gl_Position = clip_of(vec3(dot(push.pose_x, p), dot(push.pose_y, p), dot(push.pose_z, p)));
}
