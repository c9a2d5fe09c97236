// shapes_planes.frag - the nearest plane of a sample.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "shapes_io.h"
#include "shapes_plane.glsl"

layout(push_constant, scalar) uniform Push { ShapesPush push; };
layout(location = 0) out uvec2 seen;

// True when the point is on the free side of all planes other than its own.
bool is_free(vec3 at, uint skipped) {
    const float slack = eye.reach_m * 1e-4;
    for (uint k = 0; k < eye.plane_count; k++)
        if (k != skipped && dot(planes[k].xyz, at) < planes[k].w - slack) return false;
    return true;
}

void main() {
    const vec2 place = place_of(uint(gl_FragCoord.y) * eye.width + uint(gl_FragCoord.x));
    const vec3 from = ray_origin(place), ray = ray_direction(place);
    float      nearest = 1e30;
    uint       which = eye.plane_count;
    for (uint k = 0; k < eye.plane_count; k++) {
        const float far = plane_distance(from, ray, k);
        if (far < eye.near_m || far >= nearest || !is_free(from + ray * far, k)) continue;
        nearest = far;
        which = k;
    }
    if (which == eye.plane_count) discard;
    const float depth = depth_of(nearest);
    if (depth <= 0 || plane_cover(from + ray * nearest) <= 0) discard;
    gl_FragDepth = min(depth, 1);
    seen = uvec2(push.id_first + which + 1, 0);
}
