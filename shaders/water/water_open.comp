// water_open.comp - one thread per pixel of the rectangle: how much of the hemisphere above the surface is free. As in
// normals_occlusion.comp, points of it are looked up in the picture; surfaces of fluids occlude as others do.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "normals_io.h"
#include "water_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "normals_pattern.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

layout(binding = WATER_FLUID, scalar) readonly restrict buffer Fluids { WaterFluid fluids[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_SMOOTHED) writeonly restrict buffer Open { uint open_words[]; };
#include "water_normal.glsl"

// The nearest depth at a pixel; 0: there is no surface.
float nearest_at(ivec2 at) {
    const uvec2 middle = uvec2(at) * eye.samples + eye.samples / 2;
    const float depth = depth_at(middle.y * eye.width + middle.x);
    return is_in_rectangle(at) ? max(depth, depth_in(nearest[at.y * push.width + at.x])) : depth;
}

// Whether a point is in the picture, and how much it is occluded.
vec2 looked_up(vec3 point, vec3 position, vec3 normal) {
    const vec4 clip = clip_of(point);
    if (!(clip.w > 0 && all(lessThan(abs(clip.xy), vec2(clip.w))))) return vec2(0);
    const vec2  size = vec2(push.width, push.height);
    const ivec2 at = ivec2(min((clip.xy / clip.w * 0.5 + 0.5) * size, size - 1));
    const float depth = nearest_at(at);
    if (depth == 0) return vec2(1, 0);
    const vec2  place = place_in_picture(vec2(at) + 0.5);
    const float far = distance_of(depth), before = dot(point - eye.origin, eye.forward) - far;
    const float above = dot(normal, ray_origin(place) + ray_direction(place) * far - position);
    return vec2(1, occluded(before / eye.occlusion_m, above / eye.occlusion_m));
}

void main() {
    uvec2 pixel;
    if (!pixel_of(pixel)) return;
    const uint i = pixel.y * push.width + pixel.x, word = nearest[i];
    if (word == 0) return;
    const vec2  place = place_in_picture(vec2(pixel) + 0.5);
    const vec3  ray = ray_direction(place), at = ray_origin(place) + ray * distance_of(depth_in(word));
    const vec3  normal = normal_of(slope_of(ivec2(pixel), depth_in(word), 0.5 * fluids[fluid_of(word)].spacing_m), place,
                                   depth_in(word), -normalize(ray));
    const mat3  axes = mat3(normalize(eye.right), normalize(eye.up), -eye.forward);
    const mat3  frame = axes * frame_of(normal * axes, turns[order[pixel.x % 4 + pixel.y % 4 * 4]]) * eye.occlusion_m;
    vec2        sum = vec2(0);
    for (uint k = 0; k < NORMALS_TAPS; k++) sum += looked_up(at + frame * hemisphere[k], at, normal);
    open_words[i] = uint((sum.x > 0 ? 1 - sum.y / sum.x : 1) * WATER_OPEN + 0.5);
}
