// canvas_spheres.frag - the depth at which the ray hits the sphere, and the number of the sphere.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"

layout(push_constant, scalar) uniform Push { CanvasPush push; };

layout(location = 0) in vec3 at;
layout(location = 1) flat in vec3 center;
layout(location = 2) flat in uint id;
layout(location = 0) out uvec2 seen;

void main() {
    const vec3  ray = eye.orthographic != 0 ? eye.forward : normalize(at);
    const vec3  from = eye.orthographic != 0 ? at : vec3(0);
    const float nearest = dot(center - from, ray);
    const vec3  off = center - from - ray * nearest;
    const float half2 = push.radius_m * push.radius_m - dot(off, off);
    if (half2 < 0) discard;
    const float far = dot(from + ray * (nearest - sqrt(half2)), eye.forward);
    const float depth = depth_of(far);
    if (far < eye.near_m || depth < 0) discard;
    gl_FragDepth = depth;
    seen = uvec2(id, 0);
}
