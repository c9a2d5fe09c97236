// lights_coarse.comp - one group per coarse tile: a list of the elements that touch its frustum.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "lights_io.h"

const uint TESTS = 0;

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_COARSE) writeonly restrict buffer Coarse { uint coarse_words[]; };
layout(binding = LIGHTS_CLOSE) writeonly restrict buffer Close { vec4 close_spheres[]; };
#include "lights_volume.glsl"

shared uint listed;

// Neighbours in the list do not set bits of the same word: elements are tested in another order.
uint element_of(uint turn) {
    const uint block = turn / LIGHTS_SPREAD * LIGHTS_SPREAD, n = turn % LIGHTS_SPREAD;
    return block + n % 32 * 32 + n / 32;
}

void main() {
    const uint t = gl_LocalInvocationID.x, group = group_index(), count = state.count;
    const uint turns = (count + LIGHTS_SPREAD - 1) / LIGHTS_SPREAD * LIGHTS_SPREAD;
    if (group >= push.coarse_wide * push.coarse_high) return;
    const uvec2 corner = uvec2(group % push.coarse_wide, group / push.coarse_wide) * LIGHTS_SIDE;
    const uvec2 end = min(corner + LIGHTS_SIDE, uvec2(push.wide, push.high));
    const Tile  tile = tile_edges(push.wide, corner.x, end.x, corner.y, end.y);
    const uint  base = group * LIGHTS_COARSE_WORDS;
    if (t == 0) listed = 0;
    barrier();
    for (uint turn = t; turn < turns; turn += LIGHTS_GROUP) {
        const uint  i = element_of(turn);
        const vec4  sphere = i < count ? spheres[i] : vec4(0);
        const bool  touches = i < count && sphere_is_between(tile, sphere.xyz, abs(sphere.w)) && sphere.z > -abs(sphere.w);
        const uvec4 ballot = subgroupBallot(touches);
        uint to = 0;
        if (subgroupElect()) to = atomicAdd(listed, subgroupBallotBitCount(ballot));
        to = subgroupBroadcastFirst(to) + subgroupBallotExclusiveBitCount(ballot);
        if (!touches || to >= LIGHTS_COARSE_MAX) continue;
        coarse_words[base + 1 + to] = i;
        close_spheres[base + to] = sphere;
    }
    barrier();
    if (t == 0) coarse_words[base] = listed <= LIGHTS_COARSE_MAX ? listed : LIGHTS_NONE;
}
