// scan_reduce.comp - one group per tile: reads its words, writes their sum.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "scan_io.h"

layout(push_constant, scalar) uniform Push { ScanPush push; };
layout(binding = SCAN_WORDS) readonly restrict buffer Words { uvec4 words[]; };
layout(binding = SCAN_SUMS) writeonly restrict buffer Sums { uint sums[]; };

#include "scan.glsl"

void main() {
    const uint tile = group_index();
    if (tile >= push.tiles) return;
    uint sum = 0;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const uint at = tile * (SCAN_TILE / 4) + k * SCAN_GROUP + gl_LocalInvocationID.x;
        if (at * 4 >= push.count) continue;
        const uvec4 w = words[at];
        sum += w.x + w.y + w.z + w.w;
    }
    group_add(sum);
    barrier();
    if (gl_LocalInvocationID.x == 0) sums[tile] = group_sum();
}
