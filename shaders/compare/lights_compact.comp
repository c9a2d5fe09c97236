// lights_compact.comp - one group per tile: two lists of the elements that touch it, by stream compaction in shared
// memory: Andersson, DirectX 11 Rendering in Battlefield 3, 2011. The elements of a subgroup are added together. Lists
// with decals or probes are sorted, because their order matters.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "lights_io.h"

layout(constant_id = 1) const uint TESTS = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_FAR;

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = LIGHTS_COARSE) readonly restrict buffer Coarse { uint coarse_words[]; };
layout(binding = LIGHTS_CLOSE) readonly restrict buffer Close { vec4 close_spheres[]; };
layout(binding = LIGHTS_WORD) writeonly restrict buffer Words { uint words[]; };
#include "lights_volume.glsl"

shared uint entries[2 * LIGHTS_LIST_MAX], count[2], boxes[2 * 2];

void entries_add(uint which, bool adds, uint i) {
    const uvec4 ballot = subgroupBallot(adds);
    const uint  more = subgroupBallotBitCount(ballot);
    uint to = 0;
    if (more == 0) return;
    if (subgroupElect()) to = atomicAdd(count[which], more);
    to = subgroupBroadcastFirst(to) + subgroupBallotExclusiveBitCount(ballot);
    if (adds && to < LIGHTS_LIST_MAX) entries[which * LIGHTS_LIST_MAX + to] = i;
}

// Counts decals and probes, and marks whether there are any.
void boxes_count(uint which, uint n) {
    for (uint k = gl_LocalInvocationID.x; k < n; k += gl_WorkGroupSize.x) {
        const uint i = entries[which * LIGHTS_LIST_MAX + k];
        if (i < state.first_probe) atomicAdd(boxes[which * 2], 1);
        else if (i < state.first_light) atomicAdd(boxes[which * 2 + 1], 1);
    }
    barrier();
}

// Bitonic; entries behind the last one are the largest.
void entries_sort(uint which, uint n) {
    uint size = 2;
    while (size < n) size *= 2;
    const uint base = which * LIGHTS_LIST_MAX, t = gl_LocalInvocationID.x;
    for (uint k = n + t; k < size; k += gl_WorkGroupSize.x) entries[base + k] = LIGHTS_NONE;
    barrier();
    for (uint span = 2; span <= size; span *= 2) {
        for (uint step = span / 2; step > 0; step /= 2) {
            for (uint k = t; k < size / 2; k += gl_WorkGroupSize.x) {
                const uint a = k / step * step * 2 + k % step, b = a + step;
                const uint x = entries[base + a], y = entries[base + b];
                const bool up = (a & span) == 0;
                if (x > y == up) {
                    entries[base + a] = y;
                    entries[base + b] = x;
                }
            }
            barrier();
        }
    }
}

void list_write(uint number, uint which) {
    const uint t = gl_LocalInvocationID.x, all = count[which], n = min(all, LIGHTS_LIST_MAX);
    const uint to = (number * 2 + which) * LIGHTS_LIST_WORDS, base = which * LIGHTS_LIST_MAX;
    if ((TESTS & LIGHTS_HAS_BOXES) != 0) boxes_count(which, n);
    if (boxes[which * 2] + boxes[which * 2 + 1] > 0) entries_sort(which, n);
    if (t == 0) {
        words[to] = n;
        words[to + 1] = boxes[which * 2];
        words[to + 2] = boxes[which * 2 + 1];
        words[to + 3] = all > n ? 1 : 0;
        if (all > n) atomicAdd(state.overflows, 1);
    }
    for (uint k = t; k < (n + 1) / 2; k += gl_WorkGroupSize.x)
        words[to + LIGHTS_LIST_HEAD + k] =
            entries[base + 2 * k] | (2 * k + 1 < n ? entries[base + 2 * k + 1] : 0) << 16;
}

void main() {
    const uint  t = gl_LocalInvocationID.x, number = group_index();
    const uvec2 at = uvec2(number % push.wide, number / push.wide);
    if (number >= push.wide * push.high) return;
    if (t < 2) count[t] = 0;
    if (t < 4) boxes[t] = 0;
    Tile tile = tile_edges(push.wide, at.x, at.x + 1, at.y, at.y + 1);
    tile_bound(tile, tiles[number]);
    const uint coarse = (at.y / LIGHTS_SIDE * push.coarse_wide + at.x / LIGHTS_SIDE) * LIGHTS_COARSE_WORDS;
    uint candidates = LIGHTS_NONE;
    if ((TESTS & LIGHTS_BY_FAR) != 0) candidates = coarse_words[coarse];
    const bool are_listed = candidates != LIGHTS_NONE;
    if (!are_listed) candidates = state.count;
    barrier();
    for (uint first = 0; first < candidates; first += gl_WorkGroupSize.x) {
        bvec2 touches = bvec2(false);
        uint  i = first + t;
        if (i < candidates) {
            const vec4 sphere = are_listed ? close_spheres[coarse + i] : spheres[i];
            if (are_listed) i = coarse_words[coarse + 1 + i];
            touches = element_touches(tile, i, sphere);
        }
        entries_add(LIGHTS_SURFACES, touches.x, i);
        entries_add(LIGHTS_BEFORE, touches.y, i);
    }
    barrier();
    list_write(number, LIGHTS_SURFACES);
    list_write(number, LIGHTS_BEFORE);
}
