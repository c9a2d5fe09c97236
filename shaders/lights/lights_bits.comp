// lights_bits.comp - one group per coarse tile, and an equal share of its threads per tile: a bit for each element that
// touches the tile. Elements are taken in chunks: those that touch the coarse tile are listed in shared memory; each
// thread tests some of this list. Flat bit arrays: Drobot, Improved Culling for Tiled and Clustered Rendering, 2017.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "lights_io.h"

layout(constant_id = 1) const uint SIDE = 4; // tiles of a group, along each side
layout(constant_id = 2) const uint TESTS = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_FAR;

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = LIGHTS_WORD) writeonly restrict buffer Words { uint words[]; };
#include "lights_volume.glsl"
#include "lights_dispatch.glsl"

shared uint list[LIGHTS_CHUNK], listed;
shared vec4 list_spheres[LIGHTS_CHUNK];
shared uint touched[2 * SIDE * SIDE * LIGHTS_CHUNK_WORDS];
shared uint skips[2 * SIDE * SIDE];

// Lists the elements from `first` on that touch the coarse tile; returns their number. Elements of neighbouring threads
// are in different words of bits, so that neighbours in the list do not set bits of the same word.
uint chunk_list(Tile coarse, uint first, uint count) {
    const uint t = gl_LocalInvocationID.x, size = gl_WorkGroupSize.x;
    for (uint turn = t; turn < LIGHTS_CHUNK; turn += size) {
        const uint k = turn % LIGHTS_CHUNK_WORDS * 32 + turn / LIGHTS_CHUNK_WORDS, i = first + k;
        const vec4 sphere = i < count ? spheres[i] : vec4(0);
        bool touches = i < count;
        if ((TESTS & LIGHTS_BY_FAR) != 0)
            touches = touches && sphere_is_between(coarse, sphere.xyz, abs(sphere.w)) &&
                      sphere_is_before(coarse, sphere.xyz, abs(sphere.w));
        const uvec4 ballot = subgroupBallot(touches);
        uint to = 0;
        if (subgroupElect()) to = atomicAdd(listed, subgroupBallotBitCount(ballot));
        to = subgroupBroadcastFirst(to) + subgroupBallotExclusiveBitCount(ballot);
        if (!touches) continue;
        list[to] = k;
        list_spheres[to] = sphere;
    }
    barrier();
    return listed;
}

void list_test(Tile tile, uint to, uint first, uint count, uint lane, uint lanes) {
    for (uint n = lane; n < count; n += lanes) {
        const uint  k = list[n];
        const bvec2 touches = element_touches(tile, first + k, list_spheres[n]);
        if (touches.x) atomicOr(touched[to + k / 32], 1u << k % 32);
        if (touches.y) atomicOr(touched[to + LIGHTS_CHUNK_WORDS + k / 32], 1u << k % 32);
    }
}

void main() {
    const uint t = gl_LocalInvocationID.x, lanes = gl_WorkGroupSize.x / (SIDE * SIDE);
    const uint own = t / lanes, lane = t % lanes, group = group_index();
    if (group >= push.coarse_wide * push.coarse_high) return;
    const uvec2 corner = uvec2(group % push.coarse_wide, group / push.coarse_wide) * SIDE;
    const uvec2 at = corner + uvec2(own % SIDE, own / SIDE), end = min(corner + SIDE, uvec2(push.wide, push.high));
    const bool  exists = at.x < push.wide && at.y < push.high;
    const uint  number = at.y * push.wide + at.x;
    Tile coarse = tile_edges(push.wide, corner.x, end.x, corner.y, end.y), tile = coarse;
    coarse.reach_m = 3.0e38;
    if (exists) {
        tile = tile_edges(push.wide, at.x, at.x + 1, at.y, at.y + 1);
        tile_bound(tile, tiles[number]);
    }
    for (uint k = t; k < 2 * SIDE * SIDE * LIGHTS_CHUNK_WORDS; k += gl_WorkGroupSize.x) touched[k] = 0;
    if (t == 0) listed = 0;
    if (t < 2 * SIDE * SIDE) skips[t] = 0;
    barrier();
    const uint all = state.count;
    for (uint first = 0; first < all; first += LIGHTS_CHUNK) {
        const uint count = chunk_list(coarse, first, all);
        const uint to = own * 2 * LIGHTS_CHUNK_WORDS;
        if (exists) list_test(tile, to, first, count, lane, lanes);
        barrier();
        if (t == 0) listed = 0;
        const uint used = min((all - first + 31) / 32, LIGHTS_CHUNK_WORDS);
        for (uint w = lane; w < 2 * LIGHTS_CHUNK_WORDS; w += lanes) {
            const uint which = w / LIGHTS_CHUNK_WORDS, word = w % LIGHTS_CHUNK_WORDS, bits = touched[to + w];
            touched[to + w] = 0;
            if (!exists || word >= used) continue;
            words[(number * 2 + which) * push.stride + first / 32 + word] = bits;
            if (push.skips != 0 && bits != 0) atomicOr(skips[own * 2 + which], 1u << word);
        }
        barrier();
        if (push.skips != 0 && exists && lane < 2)
            words[push.skips + (number * 2 + lane) * push.skip_stride + first / LIGHTS_CHUNK] = skips[own * 2 + lane];
        if (lane < 2) skips[own * 2 + lane] = 0;
        barrier();
    }
    tiles_add(exists && lane == 0 && tile.mask != 0, own, number);
}
