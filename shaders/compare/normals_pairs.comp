// normals_pairs.comp - as normals_strips.comp, but a lane has two columns that follow each other: one of two neighbours in a row is
// its own, and two words are stored together. The words are those of normals_direct.comp.
//
// Source: as normals_direct.comp.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_world.glsl"

layout(constant_id = 2) const int ROWS = 8;
layout(constant_id = 3) const uint LANES = 32; // of a subgroup

layout(binding = NORMALS_WORD) writeonly buffer Pairs { uvec2 pairs[]; };

float sample_at(int x, int y) {
    const int   near_x = clamp(x, 0, int(push.width) - 1), near_y = clamp(y, 0, int(push.height) - 1);
    const float depth = texelFetch(depth_image, ivec2(near_x, near_y), 0).x;
    return x == near_x && y == near_y ? value_of(depth) : 0;
}

void pair_store(uint x, uint y, uvec2 two) {
    const uint to = y * push.width + x;
    if (push.width % 2 == 0) {
        pairs[to / 2] = two;
        return;
    }
    words[to] = two.x;
    if (x + 1 < push.width) words[to + 1] = two.y;
}

void main() {
    const uint lane = gl_SubgroupInvocationID, wide = LANES - 2;
    const uint strip = group_index() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID;
    const int  x = (int(strip % push.groups_wide * wide + lane) - 1) * 2, first = int(strip / push.groups_wide) * ROWS;
    vec2       values[ROWS + 2];
    [[unroll]] for (int k = 0; k < ROWS + 2; k++)
        values[k] = vec2(sample_at(x, first + k - 1), sample_at(x + 1, first + k - 1));
    const bool  is_written = lane > 0 && lane <= wide && x < int(push.width);
    const float at_x = float(x) + push.across.w;
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        const vec2  at = values[k + 1], above = values[k], below = values[k + 2];
        const float before = subgroupShuffleUp(at.y, 1), after = subgroupShuffleDown(at.x, 1);
        const float at_y = float(first + k) + push.down.w;
        if (is_written && first + k < int(push.height))
            pair_store(x, first + k,
                       uvec2(word_at(at.x, step_of(before, at.x, at.y), step_of(above.x, at.x, below.x), at_x, at_y),
                             word_at(at.y, step_of(at.x, at.y, after), step_of(above.y, at.y, below.y), at_x + 1, at_y)));
    }
}
