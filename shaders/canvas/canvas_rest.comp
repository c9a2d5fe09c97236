// canvas_rest.comp - one thread per sample: planes where they are visible from their free side and
// in front of all elements, and the background elsewhere. Runs after the other colour passes.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"

layout(binding = CANVAS_COLOR) restrict buffer Colors { uvec2 colors[]; };
layout(binding = CANVAS_PLANE) readonly restrict buffer Planes { vec4 planes[]; };

vec3 background(vec2 place, vec3 ray) {
    if (eye.has_sky != 0) return sky_at(normalize(ray).y) * eye.sky;
    return mix(vec3(0.085, 0.101, 0.126), vec3(0.016, 0.021, 0.032),
               smoothstep(-1.0, 1.0, place.y));
}

// True when the point is on the free side of all planes other than its own.
bool is_free(vec3 at, uint skipped) {
    const float slack = eye.reach_m * 1e-4;
    for (uint k = 0; k < eye.plane_count; k++)
        if (k != skipped && dot(planes[k].xyz, at) < planes[k].w - slack) return false;
    return true;
}

// The fraction of a sample that grid lines cover: lines are one sample wide, and fade out where
// they would be too dense.
float lines(float x, float wide) {
    const float off = abs(fract(x / eye.grid_m + 0.5) - 0.5) * eye.grid_m;
    return clamp(1.2 - off / wide, 0, 1) * clamp(1.5 - 4 * wide / eye.grid_m, 0, 1);
}

vec3 plane_color(vec3 normal, vec3 at, vec3 ray, float distance_m) {
    const vec3  x = normalize(abs(normal.y) > 0.7 ? vec3(normal.y, -normal.x, 0)
                                                  : vec3(normal.z, 0, -normal.x));
    const vec3  y = cross(normal, x);
    const float size = 2 * length(eye.up) / float(eye.height) * float(eye.samples) *
                       (eye.orthographic != 0 ? 1 : distance_m);
    const float slant = max(-dot(normalize(ray), normal), 0.05);
    const float line = max(lines(dot(at, x), size / slant), lines(dot(at, y), size / slant));
    return lit(mix(vec3(0.075, 0.080, 0.090), vec3(0.170, 0.185, 0.210), line), normal, normal);
}

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height) return;
    const vec2 place = place_of(i);
    const vec3 from = ray_origin(place), ray = ray_direction(place);
    const bool drawn = id_at(i).x != 0;
    float      nearest = drawn ? distance_of(depth_at(i)) : 1e30;
    uint       which = eye.plane_count;
    for (uint k = 0; k < eye.plane_count; k++) {
        const float down = -dot(ray, planes[k].xyz);
        const float far = (dot(from, planes[k].xyz) - planes[k].w) / down;
        if (down <= 0 || far < eye.near_m || far >= nearest || !is_free(from + ray * far, k))
            continue;
        nearest = far;
        which = k;
    }
    if (drawn && which == eye.plane_count) return;
    vec3 color = background(place, ray);
    if (which < eye.plane_count) {
        const vec3  at = from + ray * nearest;
        const float seen = 1 - smoothstep(0.9, 1.5, distance(at, eye.center) / eye.reach_m);
        if (drawn && seen < 1) return;
        color = mix(color, plane_color(planes[which].xyz, at, ray, nearest), seen);
    }
    color = unreached(color);
    colors[i] = uvec2(packHalf2x16(color.rg), packHalf2x16(vec2(color.b, 1)));
}
