// water_shade.comp - one thread per pixel of the rectangle: lights the surface, and puts it over the samples behind it. A ray is
// refracted at the surface, and leaves the fluid in its former direction where its thickness ends, as behind a slab.
#version 460
#extension GL_GOOGLE_include_directive : require
#define IS_LAYER
#include "lighting_sample.glsl"
#include "water_io.h"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

layout(binding = WATER_FLUID, scalar) readonly restrict buffer Fluids { WaterFluid fluids[]; };
layout(binding = CANVAS_COLOR) restrict buffer Colors { uvec2 colors[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
#include "water_cells.glsl"
layout(binding = WATER_BEHIND) readonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = WATER_FAR) readonly restrict buffer Far { float far_depth[]; };
layout(binding = WATER_FRONT) readonly restrict buffer Front { uvec2 front[]; };

const float BEYOND_M = 1e4; // where nothing is behind the surface
const vec3  FOAM = vec3(0.85);

vec4 color_of(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }

// --- the shape of the surface ---

// How depth changes from a pixel to the next one along a side; at an edge, on the side where it changes less.
float slope_along(ivec2 at, ivec2 aside, float depth, float edge_m) {
    const ivec2 low = at - aside, high = at + aside;
    const uint  a = is_in_rectangle(low) ? nearest[low.y * push.width + low.x] : 0;
    const uint  b = is_in_rectangle(high) ? nearest[high.y * push.width + high.x] : 0;
    const float before = depth - depth_in(a), after = depth_in(b) - depth;
    if (a == 0 || b == 0) return a != 0 ? before : b != 0 ? after : 0;
    if (difference_m(after - before, depth) < edge_m) return (before + after) * 0.5;
    return abs(before) < abs(after) ? before : after;
}

// Depth is linear in the picture where the surface is a plane: its normal follows from two slopes.
vec3 normal_at(uvec2 pixel, vec2 place, float depth, vec3 to_eye, float edge_m) {
    const vec2 slope = vec2(slope_along(ivec2(pixel), ivec2(1, 0), depth, edge_m), -slope_along(ivec2(pixel), ivec2(0, 1), depth, edge_m)) *
                       vec2(push.width, push.height) * 0.5 * eye.depth_scale;
    const vec3 aside = eye.right * (slope.x / dot(eye.right, eye.right)) + eye.up * (slope.y / dot(eye.up, eye.up));
    const float w = eye.depth_scale * depth + eye.depth_bias - dot(slope, place);
    const vec3 normal = normalize(eye.orthographic != 0 ? aside - eye.forward : -aside - eye.forward * w);
    const float facing = dot(normal, to_eye);
    return facing > 0.02 ? normal : normalize(normal + to_eye * (0.02 - facing));
}

// --- what is behind it ---

// The picture at a place, without what stands before `depth`; the alpha is 0 where all of it does.
vec4 behind_at(vec2 pixel, float depth) {
    const vec2  at = clamp(pixel, vec2(0.5), vec2(push.width, push.height) - 0.5) - 0.5, share = fract(at);
    const ivec2 last = ivec2(push.width, push.height) - 1;
    vec4        sum = vec4(0);
    for (int k = 0; k < 4; k++) {
        const ivec2 aside = ivec2(k & 1, k >> 1), tap = min(ivec2(at) + aside, last);
        const vec2  each = mix(1 - share, share, vec2(aside));
        const uint  i = tap.y * push.width + tap.x;
        if (far_depth[i] < depth) sum += each.x * each.y * vec4(color_of(behind[i]).rgb, 1);
    }
    return sum.a > 1e-3 ? sum / sum.a : vec4(0);
}

vec3 refracted_at(uvec2 pixel, vec3 point, float depth) {
    const vec4 clip = clip_of(point);
    const vec2 here = vec2(pixel) + 0.5, shifted = (clip.xy / clip.w * 0.5 + 0.5) * vec2(push.width, push.height);
    if (clip.w > 0) {
        for (float share = 1; share > 0.2; share *= 0.5) {
            const vec4 color = behind_at(mix(here, shifted, share), depth);
            if (color.a > 0) return color.rgb;
        }
    }
    return color_of(behind[pixel.y * push.width + pixel.x]).rgb;
}

// The share of light that is reflected, where `index` is that of the other side over that of this one.
float fresnel(float facing, float index) {
    const float g2 = index * index - 1 + facing * facing;
    if (g2 <= 0) return 1;
    const float g = sqrt(g2), a = (g - facing) / (g + facing), b = (facing * (g + facing) - 1) / (facing * (g - facing) + 1);
    return 0.5 * a * a * (1 + b * b);
}

// --- the picture ---

struct Water {
    uvec2 pixel;
    WaterFluid fluid;
    Sample s;
    vec3  at, normal;
    float depth, ray_m; // length of the ray for a metre along the view
    float thick_m, foam;  // along the ray
};

Look look_of(Water w, vec3 left) {
    Look look = Look(w.fluid.color * (1 - left), w.fluid.emissive * (1 - left), w.normal, w.s.to_eye, w.fluid.roughness, w.fluid.metallic, 1, 1, 0);
    look.mirror = (w.fluid.index - 1) / (w.fluid.index + 1);
    look.mirror *= look.mirror;
    look.color = mix(look.color, FOAM, w.foam);
    look.roughness = mix(look.roughness, 1, w.foam);
    return look;
}

vec3 lit(Water w, Look look) {
    const uvec2 first = w.pixel * eye.samples, tile = first / state.tile;
    const vec2 step = 2 / vec2(push.width, push.height);
    Surface surface;
    surface.at = w.at;
    surface.plane = w.normal;
    surface.dx = surface.dy = vec3(0);
    surface.look = look;
    surface.has_decals = true;
    surface.cover = 1;
    surface.bend = 0;
    surface.speed = -1;
    return surface_color(surface, vec2(first), w.s.far, (tile.y * state.wide + tile.x) * 2 + LIGHTS_BEFORE);
}

// From the far side of the picture: seen from outside.
vec3 color_outside(Water w, float behind_m) {
    const float facing = clamp(dot(w.normal, w.s.to_eye), 0, 1), reach_m = max(behind_m - w.s.far, 0) * w.ray_m;
    const bool  touches = reach_m - w.thick_m < w.fluid.spacing_m; // what is behind the fluid
    const float thick_m = touches ? reach_m : min(w.thick_m, reach_m);
    const float edge = smoothstep(0.0, 0.5, w.thick_m / w.fluid.spacing_m); // drops vanish where they are thin
    const vec3  into = refract(-w.s.to_eye, w.normal, 1 / w.fluid.index);
    const float along_m = thick_m * facing / max(-dot(into, w.normal), 0.1);
    const vec3  left = exp(-w.fluid.absorption_per_m * along_m);
    const vec3  color = lit(w, look_of(w, left));
    if (eye.shows != CANVAS_LIT && eye.shows != CANVAS_REACHED) return color;
    const vec3  seen = refracted_at(w.pixel, w.at + into * along_m - w.s.to_eye * (reach_m - thick_m), w.depth);
    const float kept = (1 - fresnel(facing, w.fluid.index) * edge) * (1 - w.foam);
    return color * edge + seen * left * kept;
}

// The surface above the eye, which is in the fluid.
vec3 color_inside(Water w, float behind_m) {
    const float reach_m = w.s.far * w.ray_m, gap_m = max(behind_m - w.s.far, 0) * w.ray_m;
    const vec3  left = exp(-w.fluid.absorption_per_m * reach_m);
    Look look = look_of(w, left);
    look.roughness = 1;
    look.mirror = 0;
    look.normal = -w.normal;
    const vec3 inner = lit(w, look);
    if (eye.shows != CANVAS_LIT && eye.shows != CANVAS_REACHED) return inner;
    const float facing = clamp(dot(w.normal, w.s.to_eye), 0, 1), reflected = fresnel(facing, 1 / w.fluid.index);
    const vec3  out_of = refract(-w.s.to_eye, w.normal, w.fluid.index);
    const vec3  seen = out_of == vec3(0) ? vec3(0) : refracted_at(w.pixel, w.at + out_of * gap_m, w.depth);
    const vec3  mirrored = unreached(w.fluid.color * sky_at(reflect(-w.s.to_eye, w.normal).y) * eye.sky);
    return inner + (seen * (1 - reflected) + mirrored * reflected) * left * (1 - w.foam);
}

// What is in the fluid with the eye.
vec3 color_within(Water w, vec3 color, float far_m) {
    const vec3 left = exp(-w.fluid.absorption_per_m * far_m * w.ray_m);
    return color * left + unreached(w.fluid.color * (1 - left) * sky_at(0) * eye.sky);
}

void samples_write(Water w, vec3 color) {
    const bool is_lit = eye.shows == CANVAS_LIT || eye.shows == CANVAS_REACHED;
    for (uint k = 0; k < eye.samples * eye.samples; k++) {
        const uvec2 at = w.pixel * eye.samples + uvec2(k % eye.samples, k / eye.samples);
        const uint  i = at.y * eye.width + at.x;
        const float depth = depth_at(i);
        vec3 mixed = color_of(colors[i]).rgb;
        if (water.is_inside != 0 && is_lit && depth > 0 && distance_of(depth) < w.s.far + w.fluid.spacing_m)
            mixed = color_within(w, mixed, distance_of(depth));
        else if (depth < w.depth)
            mixed = color;
        if (push.has_layers != 0) {
            const vec4 before = color_of(front[i]);
            mixed = before.rgb + mixed * (1 - before.a);
        }
        mixed = min(mixed, vec3(60000));
        colors[i] = uvec2(packHalf2x16(mixed.rg), packHalf2x16(vec2(mixed.b, 1)));
    }
}

void main() {
    Water w;
    if (!pixel_of(w.pixel)) return;
    const uint i = w.pixel.y * push.width + w.pixel.x, word = nearest[i];
    if (word == 0) return;
    w.fluid = fluids[fluid_of(word)];
    w.depth = depth_in(word);
    w.s.place = place_in_picture(vec2(w.pixel) + 0.5);
    w.s.far = distance_of(w.depth);
    w.s.to_eye = -normalize(ray_direction(w.s.place));
    w.ray_m = length(ray_direction(w.s.place));
    w.at = ray_origin(w.s.place) + ray_direction(w.s.place) * w.s.far;
    w.normal = normal_at(w.pixel, w.s.place, w.depth, w.s.to_eye, 0.5 * w.fluid.spacing_m);
    const vec2 sums = thickness_at(vec2(w.pixel) + 0.5);
    w.thick_m = sums.x * w.ray_m;
    w.foam = clamp(sums.y * w.fluid.foam / w.fluid.spacing_m, 0, 1);
    const float behind_m = far_depth[i] > 0 ? distance_of(far_depth[i]) : w.s.far + BEYOND_M;
    samples_write(w, water.is_inside != 0 ? color_inside(w, behind_m) : color_outside(w, behind_m));
}
