// scan_apply.comp - one group per tile: writes the sum of all words before each word; the words are
// set to 0 when they are used as counters again.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "kernel.glsl"
#include "scan_io.h"

layout(push_constant, scalar) uniform Push { ScanPush push; };
layout(constant_id = SCAN_CLEARS) const uint clears = 0;
layout(constant_id = SCAN_IS_FEW) const uint few = 0;
layout(binding = SCAN_WORDS) buffer Words { uvec4 words[]; };
layout(binding = SCAN_OUT) writeonly buffer Out { uvec4 sums_before[]; };
layout(binding = SCAN_SUMS) readonly restrict buffer Sums { uint sums[]; };

#include "scan.glsl"

// With few tiles, each group adds up the sums of the tiles before its own; with many, an earlier
// pass has done this for all groups.
void tiles_add(uint tile) {
    uint sum = 0;
    for (uint i = gl_LocalInvocationID.x; i < tile; i += SCAN_GROUP) sum += sums[i];
    group_add(sum);
}

void main() {
    const uint tile = group_index();
    if (tile >= push.tiles) return;
    uvec4 w[4], sum;
    uint  all;
    if (few == 1) tiles_add(tile);
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const uint at = tile * (SCAN_TILE / 4) + k * SCAN_GROUP + gl_LocalInvocationID.x;
        w[k] = at * 4 < push.count ? words[at] : uvec4(0);
        sum[k] = w[k].x + w[k].y + w[k].z + w[k].w;
    }
    uvec4 before = tile_before(sum, all);
    before += few == 1 ? group_sum() : sums[tile];
    [[unroll]] for (uint k = 0; k < 4; k++) {
        const uint at = tile * (SCAN_TILE / 4) + k * SCAN_GROUP + gl_LocalInvocationID.x;
        if (at * 4 >= push.count) continue;
        if (clears == 1) words[at] = uvec4(0);
        sums_before[at] = words_before(w[k], before[k]);
    }
}
