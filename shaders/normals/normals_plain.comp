// normals_plain.comp - the same without a choice, for comparison: the neighbours are always those on the right and below.
// Wrong along the edges of surfaces.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"
#include "normals_world.glsl"
#include "normals_four.glsl"

// A neighbour without a surface is marked as in step_of.
vec4 steps_to(vec4 at, vec4 next) { return mix(next - at, at, equal(next, vec4(0))); }

void main() {
    const uint  t = gl_LocalInvocationID.x, group = group_index();
    const uvec2 lane = uvec2(group % push.groups_wide, group / push.groups_wide) * NORMALS_SIDE +
                       uvec2(t % NORMALS_SIDE, t / NORMALS_SIDE);
    const int   x = int(lane.x * NORMALS_EACH), y = int(lane.y);
    if (x >= int(push.width) || y >= int(push.height)) return;
    const bool inner = is_inner(x, y, 1);
    const Row  row = row_at(ivec2(x, y), inner);
    const vec4 below = four_at(ivec2(x, y + 1), inner), next = vec4(row.at.yzw, row.after);
    words_store(x, y, words_of(row.at, steps_to(row.at, next), steps_to(row.at, below), float(x) + push.across.w,
                               float(y) + push.down.w));
}
