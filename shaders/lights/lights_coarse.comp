// lights_coarse.comp - one group per coarse tile: a bit for each element that touches its frustum.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "lights_io.h"

const uint TESTS = 0;

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_COARSE) writeonly restrict buffer Coarse { uint coarse_words[]; };
#include "lights_volume.glsl"

shared uint chosen[LIGHTS_GROUP / 32];

void main() {
    const uint t = gl_LocalInvocationID.x, group = group_index();
    if (group >= push.coarse_wide * push.coarse_high) return;
    const uvec2 corner = uvec2(group % push.coarse_wide, group / push.coarse_wide) * LIGHTS_SIDE;
    const uvec2 end = min(corner + LIGHTS_SIDE, uvec2(push.wide, push.high));
    const Tile  tile = tile_edges(push.wide, corner.x, end.x, corner.y, end.y);
    for (uint first = 0; first < state.count; first += LIGHTS_GROUP) {
        if (t < LIGHTS_GROUP / 32) chosen[t] = 0;
        barrier();
        const uint i = first + t;
        if (i < state.count) {
            const vec4 sphere = volumes[i * 4];
            if (sphere_is_between(tile, sphere.xyz, abs(sphere.w)) && sphere.z > -abs(sphere.w))
                atomicOr(chosen[t / 32], 1u << t % 32);
        }
        barrier();
        const uint word = first / 32 + t;
        if (t < LIGHTS_GROUP / 32 && word < push.coarse_stride) coarse_words[group * push.coarse_stride + word] = chosen[t];
        barrier();
    }
}
