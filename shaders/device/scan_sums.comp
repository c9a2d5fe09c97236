// scan_sums.comp - one group: replaces the sum of each tile by the sum of all tiles before it.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "scan_io.h"

layout(push_constant, scalar) uniform Push { ScanPush push; };
layout(binding = SCAN_SUMS) restrict buffer Sums { uint sums[]; };

#include "scan.glsl"

uint sum_at(uint i) { return i < push.tiles ? sums[i] : 0; }

void main() {
    uint carry = 0;
    for (uint first = 0; first < push.tiles; first += SCAN_TILE) {
        uvec4 w[4], sum;
        uint  all;
        [[unroll]] for (uint k = 0; k < 4; k++) {
            const uint at = first + (k * SCAN_GROUP + gl_LocalInvocationID.x) * 4;
            w[k] = uvec4(sum_at(at), sum_at(at + 1), sum_at(at + 2), sum_at(at + 3));
            sum[k] = w[k].x + w[k].y + w[k].z + w[k].w;
        }
        const uvec4 before = tile_before(sum, all);
        [[unroll]] for (uint k = 0; k < 4; k++) {
            const uint  at = first + (k * SCAN_GROUP + gl_LocalInvocationID.x) * 4;
            const uvec4 v = words_before(w[k], carry + before[k]);
            [[unroll]] for (uint i = 0; i < 4; i++) if (at + i < push.tiles) sums[at + i] = v[i];
        }
        carry += all;
        barrier();
    }
}
