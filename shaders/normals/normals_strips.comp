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
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_world.glsl"

layout(constant_id = 2) const int ROWS = 8;

void main() {
    const uint lanes = gl_SubgroupSize, lane = gl_SubgroupInvocationID, wide = lanes - 2;
    const uint strip = group_index() * (gl_WorkGroupSize.x / lanes) + gl_SubgroupID;
    const int  first_x = int(strip % push.groups_wide * wide), first = int(strip / push.groups_wide) * ROWS;
    const int  x = first_x + int(lane) - 1;
    const bool inner = first_x > 0 && first_x + int(wide) < int(push.width) && first > 0 && first + ROWS < int(push.height);
    float      values[ROWS + 2];
    [[unroll]] for (int k = 0; k < ROWS + 2; k++) {
        if (inner) values[k] = value_of(texelFetch(depth_image, ivec2(x, first + k - 1), 0).x);
        else values[k] = value_at(x, first + k - 1);
    }
    const bool  own = lane > 0 && lane <= wide && x < int(push.width);
    const float at_x = float(x) + push.across.w;
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        const int   y = first + k;
        const float value = values[k + 1];
        const float before = subgroupShuffle(value, max(lane, 1) - 1), after = subgroupShuffle(value, min(lane + 1, lanes - 1));
        if (own && y < int(push.height))
            words[y * push.width + x] = word_at(value, step_of(before, value, after),
                                                step_of(values[k], value, values[k + 2]), at_x, float(y) + push.down.w);
    }
}
