// scan_reduce.comp - one group a tile: reads its words, writes their sum.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "scan_io.h"

layout(push_constant, scalar) uniform Push { ScanPush push; };
layout(binding = SCAN_WORDS) readonly restrict buffer Words { uvec4 words[]; };
layout(binding = SCAN_SUMS) writeonly restrict buffer Sums { uint sums[]; };

shared uint partial[SCAN_GROUP];

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
    sum = subgroupAdd(sum);
    if (subgroupElect()) partial[gl_SubgroupID] = sum;
    barrier();
    if (gl_LocalInvocationID.x > 0) return;
    sum = 0;
    for (uint i = 0; i < gl_NumSubgroups; i++) sum += partial[i];
    sums[tile] = sum;
}
