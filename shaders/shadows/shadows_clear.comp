// shadows_clear.comp - one group per block of the maps that are drawn: light passes unfiltered, without caustics, and there
// are no transparent surfaces. Kernels write images at the speed of the memory, several times as fast as rasterised squares.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"

layout(set = SHADOWS_IMAGES, binding = SHADOWS_FILTER_STORED, rgba8) uniform writeonly image2D filter_stored;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FRONT_STORED, r32f) uniform writeonly image2D front_stored;

void main() {
    const uint block = group_index(), t = gl_LocalInvocationID.x;
    if (block >= shadows.block_first[shadows.now_count]) return;
    uint low = 0, high = shadows.now_count;
    while (low + 1 < high) {
        const uint middle = (low + high) / 2;
        if (shadows.block_first[middle] <= block) low = middle;
        else high = middle;
    }
    const ShadowMap m = shadow_maps[shadows.now[low]];
    const uint  block_of_map = block - shadows.block_first[low], wide = uint(m.side) / SHADOWS_BLOCK;
    const ivec2 first = ivec2(m.left, m.top) + ivec2(block_of_map % wide, block_of_map / wide) * int(SHADOWS_BLOCK);
    for (uint i = t; i < SHADOWS_BLOCK * SHADOWS_BLOCK; i += SHADOWS_GROUP) {
        const ivec2 at = first + ivec2(i % SHADOWS_BLOCK, i / SHADOWS_BLOCK);
        imageStore(filter_stored, at, vec4(1, 1, 1, 0));
        imageStore(front_stored, at, vec4(0));
    }
}
