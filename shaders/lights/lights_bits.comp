// lights_bits.comp - 32 threads per tile: a bit for each element that touches the tile, of those that touch its coarse
// tile. Flat bit arrays: Drobot, Improved Culling for Tiled and Clustered Rendering, 2017.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "lights_io.h"

layout(constant_id = 1) const uint TEAMS = 8; // tiles of a group
layout(constant_id = 2) const uint TESTS = LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_FAR;
layout(constant_id = 3) const uint IS_SUBGROUP = 0; // the threads of a tile are a subgroup: no barriers

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = LIGHTS_COARSE) readonly restrict buffer Coarse { uint coarse_words[]; };
layout(binding = LIGHTS_CLOSE) readonly restrict buffer Close { vec4 close_spheres[]; };
layout(binding = LIGHTS_WORD) writeonly restrict buffer Words { uint words[]; };
#include "lights_volume.glsl"

const uint TILE_WORDS = 2 * LIGHTS_CHUNK_WORDS; // words of a tile: of its surfaces, then of what is before them

shared uint touched[TEAMS * TILE_WORDS];
shared uint skips[TEAMS * 2 * LIGHTS_CHUNK_WORDS / 32];

// For the threads of a tile.
void team_barrier() {
    if (IS_SUBGROUP != 0) {
        subgroupMemoryBarrierShared();
        subgroupBarrier();
    } else {
        barrier();
    }
}

void element_add(Tile tile, uint base, uint i, uint k, vec4 sphere) {
    const bvec2 touches = element_touches(tile, i, sphere);
    if (touches.x) atomicOr(touched[base + k / 32], 1u << k % 32);
    if (touches.y) atomicOr(touched[base + LIGHTS_CHUNK_WORDS + k / 32], 1u << k % 32);
}

void main() {
    const uint team = gl_LocalInvocationID.x / LIGHTS_TEAM, lane = gl_LocalInvocationID.x % LIGHTS_TEAM;
    const uint number = group_index() * TEAMS + team, base = team * TILE_WORDS, skip = team * (TILE_WORDS / 32);
    const bool exists = number < push.wide * push.high;
    const uvec2 at = uvec2(number % push.wide, number / push.wide);
    const uint coarse = at.y / LIGHTS_SIDE * push.coarse_wide + at.x / LIGHTS_SIDE, all = state.count;
    const uint list = coarse * LIGHTS_COARSE_WORDS;
    Tile tile;
    uint count = 0;
    bool is_listed = true;
    if (exists) {
        tile = tile_edges(push.wide, at.x, at.x + 1, at.y, at.y + 1);
        tile_bound(tile, tiles[number]);
        count = (TESTS & LIGHTS_BY_FAR) != 0 ? coarse_words[list] : LIGHTS_NONE;
        is_listed = count != LIGHTS_NONE;
    }
    for (uint first = 0; first < all; first += LIGHTS_CHUNK) {
        const uint used = min((all - first + 31) / 32, LIGHTS_CHUNK_WORDS);
        for (uint w = lane; w < used; w += LIGHTS_TEAM) touched[base + w] = touched[base + LIGHTS_CHUNK_WORDS + w] = 0;
        if (lane < TILE_WORDS / 32) skips[skip + lane] = 0;
        team_barrier();
        if (is_listed) {
            for (uint n = lane; n < count; n += LIGHTS_TEAM) {
                const uint i = coarse_words[list + 1 + n], k = i - first;
                if (k < LIGHTS_CHUNK) element_add(tile, base, i, k, close_spheres[list + n]);
            }
        } else if (IS_SUBGROUP != 0) { // 32 elements that follow each other are a word
            for (uint w = 0; w < used; w++) {
                const uint  i = first + w * 32 + gl_SubgroupInvocationID;
                const bvec2 touches = i < all ? element_touches(tile, i, spheres[i]) : bvec2(false);
                const uint  surfaces = subgroupBallot(touches.x).x, before = subgroupBallot(touches.y).x;
                if (subgroupElect()) {
                    touched[base + w] = surfaces;
                    touched[base + LIGHTS_CHUNK_WORDS + w] = before;
                }
            }
        } else {
            for (uint k = lane; k < min(all - first, LIGHTS_CHUNK); k += LIGHTS_TEAM)
                element_add(tile, base, first + k, k, spheres[first + k]);
        }
        team_barrier();
        const uint to = number * 2 * push.stride + first / 32;
        for (uint w = lane; w < used && exists; w += LIGHTS_TEAM) {
            const uint surfaces = touched[base + w], before = touched[base + LIGHTS_CHUNK_WORDS + w];
            words[to + w] = surfaces;
            words[to + push.stride + w] = before;
            if (push.skips != 0 && surfaces != 0) atomicOr(skips[skip + w / 32], 1u << w % 32);
            if (push.skips != 0 && before != 0) atomicOr(skips[skip + TILE_WORDS / 64 + w / 32], 1u << w % 32);
        }
        team_barrier();
        if (push.skips != 0 && exists && lane < TILE_WORDS / 32 && first / 1024 + lane % (TILE_WORDS / 64) < push.skip_stride)
            words[push.skips + (number * 2 + lane / (TILE_WORDS / 64)) * push.skip_stride + first / 1024 + lane % (TILE_WORDS / 64)] =
                skips[skip + lane];
        team_barrier();
    }
}
