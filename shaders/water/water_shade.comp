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
#include "water_normal.glsl"
layout(binding = WATER_BEHIND) readonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = WATER_FAR) readonly restrict buffer Far { float behind_depths[]; };
#include "canvas_shifted.glsl"
layout(binding = WATER_SMOOTHED) readonly restrict buffer Open { uint open_words[]; };
layout(binding = WATER_FRONT, scalar) readonly restrict buffer Front { CanvasFront front[]; };

const float BEYOND_M = 1e4; // where nothing is behind the surface
const vec3  FOAM = vec3(0.85);

// --- what is behind it ---

vec3 refracted_at(uvec2 pixel, vec3 point, float depth) {
    const vec3 color = color_of(behind[pixel.y * push.width + pixel.x]).rgb;
    const vec4 clip = clip_of(point);
    const vec2 here = vec2(pixel) + 0.5, shifted = (clip.xy / clip.w * 0.5 + 0.5) * vec2(push.width, push.height);
    return clip.w > 0 ? shifted_at(here, shifted - here, depth, color) : color;
}

// The share of light that is reflected, where `index` is that of the other side over that of this one.
float fresnel(float facing, float index) {
    const float g2 = index * index - 1 + facing * facing;
    if (g2 <= 0) return 1;
    const float g = sqrt(g2), a = (g - facing) / (g + facing), b = (facing * (g + facing) - 1) / (facing * (g - facing) + 1);
    return 0.5 * a * a * (1 + b * b);
}

// --- the picture ---

// How much of the sky the surface sees: the mean of 4 x 4 results of water_open.comp, in which each turn of the pattern occurs
// once, weighted by how near they are to its plane.
float open_at(ivec2 pixel, float depth, vec2 slope) {
    vec2 sum = vec2(1e-3, 1e-3 * float(open_words[pixel.y * push.width + pixel.x]));
    for (int k = 0; k < 16; k++) {
        const ivec2 aside = ivec2(k % 4, k / 4) - 2, at = pixel + aside;
        const uint  word = is_in_rectangle(at) ? nearest[at.y * push.width + at.x] : 0;
        if (word == 0) continue;
        const float apart_m = difference_m(depth_in(word) - depth - dot(slope, vec2(aside)), depth);
        const float weight = max(1 - 4 * apart_m / eye.occlusion_m, 0);
        sum += weight * vec2(1, open_words[at.y * push.width + at.x]);
    }
    return sum.y / (sum.x * WATER_OPEN);
}

struct Water {
    uvec2 pixel;
    WaterFluid fluid;
    Sample s;
    vec3  at, normal;
    float depth, ray_m; // length of the ray for a metre along the view
    float open;
    float thick_m, foam; // along the ray
};

Look look_of(Water w, vec3 left) {
    Look look = Look(w.fluid.color * (1 - left), w.fluid.emissive * (1 - left), w.normal, w.s.to_eye, w.fluid.roughness, w.fluid.metallic, w.open, 1, 0, 0, 0, w.normal);
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
    surface.passes = vec3(-1);
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
            const vec2 blue_red = unpackHalf2x16(front[i].blue_and_red_hidden);
            const vec3 hidden = vec3(blue_red.y, unpackHalf2x16(front[i].green_blue_hidden));
            mixed = vec3(unpackHalf2x16(front[i].red_green), blue_red.x) + mixed * (1 - hidden);
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
    const vec2 slope = slope_of(ivec2(w.pixel), w.depth, 0.5 * w.fluid.spacing_m);
    w.normal = normal_of(slope, w.s.place, w.depth, w.s.to_eye);
    w.open = eye.occlusion_m > 0 && water.is_inside == 0 ? open_at(ivec2(w.pixel), w.depth, slope) : 1;
    const vec2 sums = thickness_at(vec2(w.pixel) + 0.5);
    w.thick_m = sums.x * w.ray_m;
    w.foam = clamp(sums.y * w.fluid.foam / w.fluid.spacing_m, 0, 1);
    const float behind_m = behind_depths[i] > 0 ? distance_of(behind_depths[i]) : w.s.far + BEYOND_M;
    samples_write(w, water.is_inside != 0 ? color_inside(w, behind_m) : color_outside(w, behind_m));
}
