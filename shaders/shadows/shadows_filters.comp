// shadows_filters.comp - one group per block of the first maps that are drawn: erases what transparent surfaces have drawn, or
// copies that of those that stand, except where opaque surfaces that move cover texels: these are erased, and marked. Kernels
// write images at the speed of the memory, several times as fast as rasterised squares.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "kernel.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"

layout(push_constant, scalar) uniform Push { ShadowsFilters push; };
layout(binding = SHADOWS_COVERED) writeonly restrict buffer Covered { uint covered[]; };
layout(binding = SHADOWS_BLOCKS) writeonly restrict buffer Blocks { uint blocks[]; };
layout(set = SHADOWS_IMAGES, binding = SHADOWS_DEPTH) uniform texture2D depth;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT) uniform texture2D depth_kept;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FILTER_STORED, rgba8) uniform writeonly image2D filter_stored;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FRONT_STORED, r32f) uniform writeonly image2D front_stored;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT_FILTER, rgba8) uniform image2D filter_kept;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_KEPT_FRONT, r32f) uniform image2D front_kept;

const uint WORDS = SHADOWS_BLOCK * SHADOWS_BLOCK / 32;
const vec4 OPEN = vec4(1, 1, 1, 0); // light passes unfiltered, without caustics

shared uint bits[WORDS], any;

void block_erase(ivec2 first, uint t) {
    for (uint i = t; i < SHADOWS_BLOCK * SHADOWS_BLOCK; i += SHADOWS_GROUP) {
        const ivec2 at = first + ivec2(i % SHADOWS_BLOCK, i / SHADOWS_BLOCK);
        if (push.does == SHADOWS_ERASES) {
            imageStore(filter_stored, at, OPEN);
            imageStore(front_stored, at, vec4(0));
        } else {
            imageStore(filter_kept, at, OPEN);
            imageStore(front_kept, at, vec4(0));
        }
    }
}

void block_copy(ivec2 first, uint t, uint block) {
    for (uint i = t; i < WORDS; i += SHADOWS_GROUP) bits[i] = 0;
    if (t == 0) any = 0;
    barrier();
    for (uint i = t; i < SHADOWS_BLOCK * SHADOWS_BLOCK; i += SHADOWS_GROUP) {
        const ivec2 at = first + ivec2(i % SHADOWS_BLOCK, i / SHADOWS_BLOCK);
        const bool  is_covered = texelFetch(depth, at, 0).x != texelFetch(depth_kept, at, 0).x;
        imageStore(filter_stored, at, is_covered ? OPEN : imageLoad(filter_kept, at));
        imageStore(front_stored, at, is_covered ? vec4(0) : imageLoad(front_kept, at));
        if (is_covered) {
            atomicOr(bits[i / 32], 1u << i % 32);
            any = 1;
        }
    }
    barrier();
    const uint row = shadows.atlas_side / 32, wide = SHADOWS_BLOCK / 32;
    for (uint i = t; i < WORDS; i += SHADOWS_GROUP)
        covered[(uint(first.y) + i / wide) * row + uint(first.x) / 32 + i % wide] = bits[i];
    if (t == 0) blocks[block] = any;
}

void main() {
    const uint block = group_index(), t = gl_LocalInvocationID.x;
    if (block >= shadows.block_first[push.maps]) return;
    uint low = 0, high = push.maps;
    while (low + 1 < high) {
        const uint middle = (low + high) / 2;
        if (shadows.block_first[middle] <= block) low = middle;
        else high = middle;
    }
    const ShadowMap m = shadow_maps[shadows.now[low]];
    const uint  block_of_map = block - shadows.block_first[low], wide = uint(m.side) / SHADOWS_BLOCK;
    const ivec2 first = ivec2(m.left, m.top) + ivec2(block_of_map % wide, block_of_map / wide) * int(SHADOWS_BLOCK);
    if (push.does == SHADOWS_COPIES) block_copy(first, t, block);
    else block_erase(first, t);
}
