// lights_occupied.comp - four tiles per thread: lists the tiles with surfaces, and writes the numbers of groups of an
// indirect dispatch over them, in rows as thread_index expects. The group that ends last writes these.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "lights_io.h"

layout(push_constant, scalar) uniform Push { LightsTiles push; };
layout(binding = LIGHTS_BOUNDS, scalar) readonly restrict buffer Tiles { LightsBounds tiles[]; };
layout(binding = LIGHTS_TILE, scalar) coherent restrict buffer Occupied { LightsOccupied occupied; uint listed[]; };

const uint EACH = 4, BLOCK = LIGHTS_GROUP * EACH;

shared uint flags[BLOCK / 32], first_place;

void dispatch_write() {
    const uint count = atomicExchange(occupied.adding, 0), groups = count * push.groups_each;
    const uint wide = min(groups, 65535u);
    occupied.done = 0;
    occupied.count = count;
    occupied.groups[0] = wide;
    occupied.groups[1] = wide != 0 ? (groups + wide - 1) / wide : 0;
    occupied.groups[2] = 1;
}

void main() {
    const uint t = gl_LocalInvocationID.x, first = group_index() * BLOCK, all = push.wide * push.high;
    if (t < BLOCK / 32) flags[t] = 0;
    barrier();
    for (uint k = t; k < BLOCK; k += LIGHTS_GROUP)
        if (first + k < all && tiles[first + k].mask != 0) atomicOr(flags[k / 32], 1u << k % 32);
    barrier();
    if (t == 0) {
        uint count = 0;
        for (uint w = 0; w < BLOCK / 32; w++) count += bitCount(flags[w]);
        if (count != 0) first_place = atomicAdd(occupied.adding, count);
        memoryBarrierBuffer();
        if (atomicAdd(occupied.done, 1) == (all + BLOCK - 1) / BLOCK - 1) dispatch_write();
    }
    barrier();
    for (uint k = t; k < BLOCK; k += LIGHTS_GROUP) {
        if ((flags[k / 32] >> k % 32 & 1) == 0) continue;
        uint to = first_place + bitCount(flags[k / 32] & ((1u << k % 32) - 1));
        for (uint w = 0; w < k / 32; w++) to += bitCount(flags[w]);
        listed[to] = first + k;
    }
}
