// lights_coarse.comp - one group per coarse tile: a list of the elements that touch its frustum, in no order. Its tiles with surfaces are
// listed, too.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "lights_io.h"

const uint TESTS = 0;

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = LIGHTS_COARSE) writeonly restrict buffer Coarse { uint coarse_words[]; };
#include "lights_volume.glsl"
#include "lights_dispatch.glsl"

shared uint listed;

void main() {
    const uint t = gl_LocalInvocationID.x, group = group_index(), count = state.count;
    if (group >= push.coarse_wide * push.coarse_high) return;
    const uvec2 corner = uvec2(group % push.coarse_wide, group / push.coarse_wide) * LIGHTS_SIDE;
    const uvec2 end = min(corner + LIGHTS_SIDE, uvec2(push.wide, push.high));
    const Tile  tile = tile_edges(push.wide, corner.x, end.x, corner.y, end.y);
    const uint  base = group * LIGHTS_COARSE_WORDS;
    if (t == 0) listed = 0;
    barrier();
    for (uint i = t; i < count; i += LIGHTS_GROUP) {
        const vec4  sphere = spheres[i];
        const bool  touches = sphere_is_between(tile, sphere.xyz, abs(sphere.w)) && sphere.z > -abs(sphere.w);
        const uvec4 ballot = subgroupBallot(touches);
        uint to = 0;
        if (subgroupElect()) to = atomicAdd(listed, subgroupBallotBitCount(ballot));
        to = subgroupBroadcastFirst(to) + subgroupBallotExclusiveBitCount(ballot);
        if (touches && to < LIGHTS_COARSE_MAX) coarse_words[base + 1 + to] = i;
    }
    barrier();
    if (t == 0) coarse_words[base] = listed <= LIGHTS_COARSE_MAX ? listed : LIGHTS_NONE;
    const uvec2 at = corner + uvec2(t % LIGHTS_SIDE, t / LIGHTS_SIDE);
    const bool  is_tile = t < LIGHTS_SIDE * LIGHTS_SIDE && at.x < end.x && at.y < end.y;
    const uint  number = at.y * push.wide + at.x;
    tiles_add(is_tile && tiles[number].mask != 0, t, number);
}
