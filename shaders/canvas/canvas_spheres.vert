// canvas_spheres.vert - one instance per sphere: the smallest square that contains its outline.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"

layout(push_constant, scalar) uniform Push { CanvasPush push; };
layout(binding = CANVAS_POSITION) readonly restrict buffer Positions { vec4 positions[]; };

layout(location = 0) out vec3 at; // a point of the square, relative to the eye
layout(location = 1) flat out vec3 center;
layout(location = 2) flat out uint id;

void main() {
    const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;
    float      half_side = push.radius_m;
    vec3       x = normalize(eye.right), y = normalize(eye.up);
    center = positions[gl_InstanceIndex].xyz - eye.origin;
    id = push.id_first + gl_InstanceIndex + 1;
    at = center;
    gl_Position = vec4(2, 2, 0, 1); // outside of the picture: the eye is in the sphere
    if (eye.orthographic == 0) {
        const float d2 = dot(center, center), out2 = d2 - push.radius_m * push.radius_m;
        if (out2 <= 0) return;
        half_side *= sqrt(d2 / out2);
        x = normalize(cross(center, y));
        y = cross(x, center) * inversesqrt(d2);
    }
    at = center + (x * corner.x + y * corner.y) * half_side;
    gl_Position = clip_of(at + eye.origin);
}
