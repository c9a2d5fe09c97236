// normals_direct.comp - four samples of a row per thread, in constant 2 rows, from loads of the depth image: each depth
// is read once per thread.
//
// Source: J. Turanszki, Improved normal reconstruction from depth, wickedengine.net, 2019: of the two neighbours in each
// direction, that with the nearer distance is on the same surface.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_world.glsl"
#include "normals_four.glsl"

layout(constant_id = 2) const int ROWS = 1;

void main() {
    const uint  t = gl_LocalInvocationID.x, group = group_index();
    const uvec2 lane = uvec2(group % push.groups_wide, group / push.groups_wide) * NORMALS_SIDE +
                       uvec2(t % NORMALS_SIDE, t / NORMALS_SIDE);
    const int   x = int(lane.x * NORMALS_EACH), y = int(lane.y) * ROWS;
    if (x >= int(push.width) || y >= int(push.height)) return;
    const bool  inner = is_inner(x, y, ROWS);
    const float at_x = float(x) + push.across.w;
    vec4        above = four_at(ivec2(x, y - 1), inner);
    Row         row = row_at(ivec2(x, y), inner);
    [[unroll]] for (int k = 0; k < ROWS; k++) {
        if (y + k >= int(push.height)) return;
        Row below;
        if (k + 1 < ROWS) below = row_at(ivec2(x, y + k + 1), inner);
        else below.at = four_at(ivec2(x, y + k + 1), inner);
        const vec4 across = steps_across(row), down = steps_down(above, row.at, below.at);
        words_store(x, y + k, words_of(row.at, across, down, at_x, float(y + k) + push.down.w));
        above = row.at;
        row = below;
    }
}
