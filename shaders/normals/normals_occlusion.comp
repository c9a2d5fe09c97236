// normals_occlusion.comp - one thread per sample, or per 2 x 2 samples with constant 2: how much of the hemisphere above a
// surface is free. A point is occluded where the surface in the picture is before it. Surfaces that are far before it do
// not occlude it, and neither do those that are not above the plane of the sample, so that a plane does not occlude itself.
//
// Of 2 x 2 samples, that with the nearest surface is used, never a mean: a mean is at a distance where no surface is.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_pattern.glsl"

layout(constant_id = 2) const uint SIDE = 1; // samples along each side of which one is used

layout(binding = NORMALS_RAW, scalar) writeonly restrict buffer Raws { NormalsRaw raws[]; };

// Positions: right, up, towards the eye.
vec3 position_of(vec2 at, float distance_m) {
    const vec2 place = at * vec2(push.pixel_x, push.pixel_y);
    return vec3(KIND == NORMALS_ORTHOGRAPHIC ? place : place * distance_m, -distance_m);
}

vec3 normal_at(ivec2 at, vec2 from_middle, float value) {
    const float x = step_of(value_at(at.x - 1, at.y), value, value_at(at.x + 1, at.y));
    const float y = step_of(value_at(at.x, at.y - 1), value, value_at(at.x, at.y + 1));
    if (is_missing(value, x, y)) return -normalize(position_of(KIND == NORMALS_ORTHOGRAPHIC ? vec2(0) : from_middle, 1));
    return normalize(vec3(x * push.slope_x, y * push.slope_y, rest_of(value, x, y, from_middle.x, from_middle.y)));
}

// Whether a point is in the picture, and how much it is occluded.
vec2 looked_up(vec3 point, vec3 position, vec3 normal, float per_radius) {
    const float distance_m = -point.z;
    const vec2  pixel = vec2(1 / push.pixel_x, 1 / push.pixel_y);
    const vec2  place = point.xy * (KIND == NORMALS_ORTHOGRAPHIC ? pixel : pixel / distance_m);
    const vec2  first = vec2(push.across.w, push.down.w), at = floor(place - first + 0.5);
    if (!(distance_m > 0 && all(greaterThanEqual(at, vec2(0))) && all(lessThan(at, vec2(push.width, push.height)))))
        return vec2(0);
    const float value = value_of(texelFetch(depth_image, ivec2(at), 0).x);
    if (value == 0) return vec2(1, 0);
    const float sample_m = distance_of(value), before = (distance_m - sample_m) * per_radius;
    const float above = dot(normal, position_of(at + first, sample_m) - position) * per_radius;
    return vec2(1, occluded(before, above));
}

float visible_at(ivec2 at, float value, vec2 turn) {
    const vec2  from_middle = vec2(at) + vec2(push.across.w, push.down.w);
    const vec3  normal = normal_at(at, from_middle, value), position = position_of(from_middle, distance_of(value));
    const mat3  frame = frame_of(normal, turn) * push.radius_m;
    const float per_radius = 1 / push.radius_m;
    vec2        sum = vec2(0);
    for (uint i = 0; i < NORMALS_TAPS; i++)
        sum += looked_up(position + frame * hemisphere[i], position, normal, per_radius);
    return sum.x > 0 ? 1 - sum.y / sum.x : 1;
}

void main() {
    const uint  t = gl_LocalInvocationID.x, group = group_index();
    const uvec2 cell = uvec2(group % push.groups_wide, group / push.groups_wide) * NORMALS_SIDE +
                      uvec2(t % NORMALS_SIDE, t / NORMALS_SIDE);
    const uvec2 size = (uvec2(push.width, push.height) + SIDE - 1) / SIDE;
    if (cell.x >= size.x || cell.y >= size.y) return;
    ivec2 at = ivec2(cell * SIDE);
    float value = value_at(at.x, at.y);
    uint  which = 0;
    for (uint k = 1; k < SIDE * SIDE; k++) {
        const float other = value_at(at.x + int(k & 1), at.y + int(k >> 1));
        if (other > value) value = other, which = k;
    }
    at += ivec2(which & 1, which >> 1);
    const float visible = value == 0 ? 1 : visible_at(at, value, turns[order[cell.x % 4 + cell.y % 4 * 4]]);
    raws[cell.y * size.x + cell.x] = NormalsRaw(value, uint(visible * 65535 + 0.5) | which << 16);
}
