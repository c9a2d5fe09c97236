// water_cast.comp - one thread per texel of a shadow map: the colour by which the fluid multiplies light, the light that its surface
// gathers, and its depth. A surface bends the light that falls on it: what is at a distance of its thickness behind it receives
// the light of a part of the surface that is larger or smaller.
//
// Source: M. Papadopoulos, G. Papaioannou, Realistic real-time underwater caustics and godrays, 2009, for light that is gathered by area.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

layout(binding = WATER_FLUID, scalar) readonly restrict buffer Fluids { WaterFluid fluids[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
#include "water_cells.glsl"
layout(binding = SHADOWS_COVERED) readonly restrict buffer Covered { uint covered[]; };
layout(constant_id = 1) const uint IS_KEPT = 0; // the images of what stands are written
layout(set = SHADOWS_IMAGES, binding = SHADOWS_DEPTH) uniform texture2D depth_shown;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT) uniform texture2D depth_kept;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FILTER_STORED, rgba8) uniform image2D filter_shown;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FRONT_STORED, r32f) uniform image2D front_shown;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT_FILTER, rgba8) uniform image2D filter_kept;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT_FRONT, r32f) uniform image2D front_kept;

const float GATHERED_MAX = 4; // times the light

float far_at(ivec2 at, float other) {
    const uint word = is_in_rectangle(at) ? nearest[at.y * push.width + at.x] : 0;
    return word == 0 ? other : distance_of(depth_in(word));
}

// How much of the light arrives at a distance behind the surface: the inverse of the area over which it is spread. At edges, where
// the surface bends by more than a particle can, it is not changed.
float gathered_at(ivec2 at, float far, float behind_m, WaterFluid fluid) {
    const float each = pixels_of_metre(depth_of(far)).x; // slopes are of pixels that are about a particle apart
    const int   apart = clamp(int(fluid.spacing_m * each), 1, 32);
    const float step_m = float(apart) / each;
    const ivec2 x = ivec2(apart, 0), y = ivec2(0, apart);
    const float left = far_at(at - x, far), right = far_at(at + x, far), above = far_at(at - y, far), below = far_at(at + y, far);
    const float range_m = 0.5 * fluid.spacing_m;
    const vec2  bend = vec2(left + right, above + below) - 2 * far;
    if (max(abs(bend.x), abs(bend.y)) > range_m) return 1;
    const float both = (far_at(at + x + y, far) + far_at(at - x - y, far) - far_at(at + x - y, far) - far_at(at - x + y, far)) * 0.25;
    const float scale = behind_m * (1 - 1 / fluid.index) / (step_m * step_m);
    const float area = (1 - scale * bend.x) * (1 - scale * bend.y) - scale * scale * both * both;
    return clamp(1 / max(abs(area), 1e-3), 0, GATHERED_MAX);
}

bool is_covered(ivec2 texel) { return (covered[texel.y * (shadows.atlas_side / 32) + texel.x / 32] >> texel.x % 32 & 1) != 0; }

void texel_write(ivec2 texel, float depth, vec4 passed) {
    const float opaque = IS_KEPT != 0 ? texelFetch(depth_kept, texel, 0).x : texelFetch(depth_shown, texel, 0).x;
    if (depth < opaque || (push.covered != 0 && !is_covered(texel))) return;
    const vec4  old = IS_KEPT != 0 ? imageLoad(filter_kept, texel) : imageLoad(filter_shown, texel);
    const float front = IS_KEPT != 0 ? imageLoad(front_kept, texel).x : imageLoad(front_shown, texel).x;
    const vec4  mixed = vec4(old.rgb * passed.rgb, min(old.a + passed.a, 1));
    if (IS_KEPT != 0) {
        imageStore(filter_kept, texel, mixed);
        imageStore(front_kept, texel, vec4(max(front, depth)));
    } else {
        imageStore(filter_shown, texel, mixed);
        imageStore(front_shown, texel, vec4(max(front, depth)));
    }
}

void main() {
    uvec2 at;
    if (!pixel_of(at)) return;
    const uint word = nearest[at.y * push.width + at.x];
    if (word == 0) return;
    const ShadowMap  m = shadow_maps[shadows.now[push.map]];
    const WaterFluid fluid = fluids[fluid_of(word)];
    const float far = distance_of(depth_in(word));
    const float ray_m = length(ray_direction(place_in_picture(vec2(at) + 0.5)));
    const vec2  here = thickness_at(vec2(at) + 0.5) * ray_m;
    const float gathered = gathered_at(ivec2(at), far, here.x, fluid);
    // The surface does not receive its own shadow: it begins a particle behind it.
    const float depth = depth_of(far + fluid.spacing_m);
    for (uint k = 0; k < 4; k++) {
        const uvec2 aside = uvec2(k & 1, k >> 1);
        const vec2  sums = thickness_at(vec2(at) + 0.25 + 0.5 * vec2(aside)) * ray_m;
        const float foam = clamp(sums.y * fluid.foam / fluid.spacing_m, 0, 1);
        const vec3  left = exp(-fluid.absorption_per_m * sums.x) * (1 - foam) * min(gathered, 1);
        texel_write(ivec2(m.left, m.top) + ivec2(at * 2 + aside), max(depth, 0),
                    vec4(left, max(gathered - 1, 0) * (1 - foam) * dot(left, vec3(1.0 / 3)) / SHADOWS_CAUSTICS));
    }
}
