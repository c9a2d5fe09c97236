// sort_block.comp - one group per block of SORT_BLOCK pairs: all steps whose stride is
// within the block, in shared memory; from the first turn on, or only the last steps of one turn.
//
// Based on: K. E. Batcher, Sorting networks and their applications, 1968.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sort_io.h"

layout(constant_id = 1) const uint INTEGER = 0; // 1: blocks are not in order yet
layout(push_constant, scalar) uniform Push { SortPush push; };
layout(binding = SORT_PAIR) restrict buffer Pair { uvec2 pair[]; };

shared uvec2 block[SORT_BLOCK];

bool after(uvec2 a, uvec2 b) { return a.x != b.x ? a.x > b.x : a.y > b.y; }

void step_make(uint first, uint stride, uint turn) {
    const uint  t = gl_LocalInvocationID.x;
    const uint  low = t / stride * stride * 2 + t % stride, high = low + stride;
    const uvec2 a = block[low], b = block[high];
    if (after(a, b) == ((first + low & turn) == 0)) {
        block[low] = b;
        block[high] = a;
    }
    barrier();
}

void main() {
    const uint t = gl_LocalInvocationID.x, half_block = SORT_BLOCK / 2;
    const uint first = group_index() * SORT_BLOCK;
    if (first >= push.count) return;
    block[t] = pair[first + t];
    block[t + half_block] = pair[first + t + half_block];
    barrier();
    if (INTEGER == 1) {
        for (uint turn = 2; turn <= SORT_BLOCK; turn *= 2) {
            for (uint stride = turn / 2; stride > 0; stride /= 2) step_make(first, stride, turn);
        }
    } else {
        for (uint stride = half_block; stride > 0; stride /= 2) step_make(first, stride, push.turn);
    }
    pair[first + t] = block[t];
    pair[first + t + half_block] = block[t + half_block];
}
