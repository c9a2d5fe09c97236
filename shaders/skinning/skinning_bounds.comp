// skinning_bounds.comp - one group per range: the box around all its vertices in the space of the skin. A vertex is in
// the box of each of its bones, and where it moves to is between where these move it to.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { SkinningPush push; };
layout(binding = SKINNING_INSTANCE, scalar) readonly restrict buffer Instances { SkinInstance instances[]; };
layout(binding = SKINNING_PALETTE) readonly restrict buffer Palettes { vec4 palettes[]; };
layout(binding = SKINNING_RANGE, scalar) readonly restrict buffer Ranges { SkinRange ranges[]; };
layout(binding = SKINNING_WEIGHT) readonly restrict buffer Weights { uint weights[]; };
layout(binding = SKINNING_TARGET, scalar) readonly restrict buffer Targets { SkinTarget targets[]; };
layout(binding = SKINNING_BOX, scalar) readonly restrict buffer Boxes { SkinBox boxes[]; };
layout(binding = SKINNING_BOUNDS, scalar) writeonly restrict buffer BoundsOf { SkinBounds bounds[]; };

shared vec3 lows[SKINNING_GROUP], highs[SKINNING_GROUP];

// How far morph targets move a vertex at most.
float reach_of(SkinRange range) {
    float reach = 0;
    if (range.first_weight == SKINNING_NONE) return 0;
    for (uint at = range.first_weight; weights[at] != SKINNING_NONE; at += 2)
        reach += abs(uintBitsToFloat(weights[at + 1])) * targets[range.first_target + weights[at]].reach_m;
    return reach;
}

Rows matrix_of(SkinRange range, uint bone) {
    if (bone == SKINNING_NONE) return Rows(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(0, 0, 1, 0));
    const uint at = (instances[range.instance].first_palette + bone) * 3;
    return Rows(palettes[at], palettes[at + 1], palettes[at + 2]);
}

void main() {
    const uint which = group_index(), t = gl_LocalInvocationID.x;
    if (which >= push.range_count) return;
    const SkinRange range = ranges[which];
    const float     reach = reach_of(range);
    vec3            low = vec3(3e38), high = vec3(-3e38);
    for (uint i = t; i < range.box_count; i += SKINNING_GROUP) {
        const SkinBox box = boxes[range.first_box + i];
        const Rows    m = matrix_of(range, box.bone);
        const vec4    center = vec4((box.low + box.high) * 0.5, 1);
        const vec3    side = (box.high - box.low) * 0.5 + reach;
        const vec3    at = vec3(dot(m.x, center), dot(m.y, center), dot(m.z, center));
        // A little more than the box, because skinning rounds.
        const vec3 extent = vec3(dot(abs(m.x.xyz), side), dot(abs(m.y.xyz), side), dot(abs(m.z.xyz), side)) * 1.0001 +
                          abs(at) * 1e-5;
        low = min(low, at - extent);
        high = max(high, at + extent);
    }
    lows[t] = low;
    highs[t] = high;
    for (uint step = SKINNING_GROUP / 2; step > 0; step /= 2) {
        barrier();
        if (t >= step) continue;
        lows[t] = min(lows[t], lows[t + step]);
        highs[t] = max(highs[t], highs[t + step]);
    }
    if (t == 0) bounds[which] = SkinBounds(lows[0], highs[0]);
}
