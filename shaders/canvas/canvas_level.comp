// canvas_level.comp - up to three levels of the pyramid above one: a group reads 8 x 8 blocks of that level.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#define PYRAMID_ACCESS
#include "canvas_pyramid.glsl"

layout(push_constant, scalar) uniform Push { CanvasLevel push; };

shared vec2 blocks[64];

void main() {
    const uint  t = gl_LocalInvocationID.x, groups = (blocks_of(push.level).x + 7) / 8, group = group_index();
    const uvec2 lane = uvec2(t % 8, t / 8), tile = uvec2(group % groups, group / groups) * 8;
    const uvec2 size = blocks_of(push.level), at = tile + lane;
    const bool  inside = at.x < size.x && at.y < size.y;
    vec2        range = inside ? pyramid[blocks_before(push.level) + at.y * size.x + at.x] : vec2(1, 0);
    for (uint n = 1; n <= push.count; n++) {
        blocks[t] = range;
        barrier();
        if ((lane.x | lane.y) % (1u << n) == 0) {
            const uint  half_side = 1u << (n - 1);
            const vec2  right = blocks[t + half_side], down = blocks[t + half_side * 8];
            const vec2  across = blocks[t + half_side * 9];
            range = vec2(min(min(range.x, right.x), min(down.x, across.x)),
                         max(max(range.y, right.y), max(down.y, across.y)));
            const uvec2 above = blocks_of(push.level + n), place = at >> n;
            if (place.x < above.x && place.y < above.y)
                pyramid[blocks_before(push.level + n) + place.y * above.x + place.x] = range;
        }
        barrier();
    }
}
