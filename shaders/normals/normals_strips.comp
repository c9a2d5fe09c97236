// normals_strips.comp - a subgroup computes a strip of samples, a lane has one column of it. Each depth is read once by a
// lane, which gets the depths beside it from its neighbours; the first and the last lane only read. The words are those
// of normals_direct.comp.
//
// Images are read one depth per thread at a time, gathers of four are not faster: fewer reads are. With 32 lanes and 8
// rows there are 1.3 of them per sample.
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

void main() {
    const uint lane = gl_SubgroupInvocationID, wide = LANES - 2;
    const uint strip = group_index() * (gl_WorkGroupSize.x / LANES) + gl_SubgroupID;
    const int  x = int(strip % push.groups_wide * wide + lane) - 1, first = int(strip / push.groups_wide) * ROWS;
    const int  near_x = clamp(x, 0, int(push.width) - 1);
    float      values[ROWS + 2];
    [[unroll]] for (int k = 0; k < ROWS + 2; k++) {
        const int   y = first + k - 1, near_y = clamp(y, 0, int(push.height) - 1);
        const float depth = texelFetch(depth_image, ivec2(near_x, near_y), 0).x;
        values[k] = x == near_x && y == near_y ? value_of(depth) : 0;
    }
    const bool  is_written = lane > 0 && lane <= wide && x < int(push.width);
    const float at_x = float(x) + push.across.w;
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        const int   y = first + k;
        const float value = values[k + 1], before = subgroupShuffleUp(value, 1), after = subgroupShuffleDown(value, 1);
        if (is_written && y < int(push.height))
            words[y * push.width + x] = word_at(value, step_of(before, value, after),
                                                step_of(values[k], value, values[k + 2]), at_x, float(y) + push.down.w);
    }
}
