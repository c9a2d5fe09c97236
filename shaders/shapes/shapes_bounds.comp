// shapes_bounds.comp - one thread per element: the box around the centres of all elements of a draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "shapes_io.h"
#include "shapes.glsl"
#include "canvas_extent_group.glsl"

layout(binding = SHAPES_BOX, scalar) restrict buffer Boxes { ShapesBox boxes[]; };

void main() {
    const uint t = gl_LocalInvocationID.x, all = gl_NumWorkGroups.x * gl_NumWorkGroups.y * SHAPES_GROUP;
    group_clear(t);
    barrier();
    vec3 from = vec3(1e38), to = vec3(-1e38);
    for (uint i = thread_index(); i < push.count; i += all) {
        if (is_absent(i)) continue;
        const vec3 at = center_of(i);
        from = min(from, at);
        to = max(to, at);
    }
    group_add(from, to);
    barrier();
    if (t < 3) {
        atomicMin(boxes[push.draw].low[t], group_low[t]);
        atomicMin(boxes[push.draw].high[t], group_high[t]);
    }
}
