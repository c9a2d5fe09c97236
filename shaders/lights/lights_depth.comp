// lights_depth.comp - 32 threads per tile: the distances of its nearest and its farthest surface, and which of the 32
// slices between them have surfaces. The slices are equally thick: Harada, A 2.5D Culling for Forward+, 2012.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "lights_io.h"

layout(constant_id = 1) const uint TILE = 16; // samples along each side

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) writeonly restrict buffer Tiles { LightsBounds tiles[]; };

const uint TEAM = 32, TEAMS = LIGHTS_GROUP / TEAM, EACH = TILE * TILE / TEAM;
const float BEYOND = 3.0e38;

shared uint lowest[TEAMS], highest[TEAMS], mask[TEAMS], has_sky[TEAMS];

void main() {
    const uint t = gl_LocalInvocationID.x, team = t / TEAM, lane = t % TEAM;
    const uint tile = group_index() * TEAMS + team;
    const bool exists = tile < push.wide * push.high;
    const uvec2 from = uvec2(tile % push.wide, tile / push.wide) * TILE;
    if (lane == 0) {
        lowest[team] = floatBitsToUint(BEYOND);
        highest[team] = 0;
        mask[team] = 0;
        has_sky[team] = 0;
    }
    if (gl_SubgroupSize != TEAM) barrier();
    float z[EACH], low = BEYOND, high = 0;
    uint  sky = 0;
    [[unroll]] for (uint k = 0; k < EACH; k++) {
        const uint  n = k * TEAM + lane;
        const uvec2 at = from + uvec2(n % TILE, n / TILE);
        const bool  inside = exists && at.x < push.width && at.y < push.height;
        const float depth = inside ? texelFetch(depth_image, ivec2(at), 0).x : 0;
        z[k] = depth > 0 ? distance_of(depth) : -1; // negative: no surface
        if (depth > 0) low = min(low, z[k]), high = max(high, z[k]);
        if (inside && depth <= 0) sky = 1;
    }
    // Distances are positive: their bits are in the same order.
    uint low_bits = floatBitsToUint(low), high_bits = floatBitsToUint(high);
    const bool is_team = gl_SubgroupSize == TEAM; // then no shared memory is needed
    if (gl_SubgroupSize <= TEAM) {
        low_bits = subgroupMin(low_bits);
        high_bits = subgroupMax(high_bits);
        sky = subgroupOr(sky);
    }
    if (!is_team) {
        if (gl_SubgroupSize > TEAM || subgroupElect()) {
            atomicMin(lowest[team], low_bits);
            atomicMax(highest[team], high_bits);
            atomicOr(has_sky[team], sky);
        }
        barrier();
        low_bits = lowest[team];
        high_bits = highest[team];
        sky = has_sky[team];
    }
    low = uintBitsToFloat(low_bits);
    high = uintBitsToFloat(high_bits);
    const float scale = high > low ? LIGHTS_SLICES / (high - low) : 0;
    uint bits = 0;
    [[unroll]] for (uint k = 0; k < EACH; k++)
        if (z[k] >= 0) bits |= 1u << min(uint((z[k] - low) * scale), LIGHTS_SLICES - 1);
    if (gl_SubgroupSize <= TEAM) bits = subgroupOr(bits);
    if (!is_team) {
        if (gl_SubgroupSize > TEAM || subgroupElect()) atomicOr(mask[team], bits);
        barrier();
        bits = mask[team];
    }
    if (exists && lane == 0) tiles[tile] = LightsBounds(low, high, sky != 0 ? BEYOND : high, bits);
}
