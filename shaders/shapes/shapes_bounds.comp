// shapes_bounds.comp - one thread per element: the box around the centres of all elements of a draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "shapes_io.h"
#include "shapes.glsl"

layout(binding = SHAPES_BOX, scalar) restrict buffer Boxes { ShapesBox boxes[]; };

shared uint low[3], high[3];

// Bits whose order is that of the floats.
uint ordered(float x) {
    const uint bits = floatBitsToUint(x);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

void main() {
    const uint t = gl_LocalInvocationID.x, all = gl_NumWorkGroups.x * gl_NumWorkGroups.y * SHAPES_GROUP;
    if (t < 3) low[t] = high[t] = 0xffffffffu;
    barrier();
    vec3 from = vec3(1e38), to = vec3(-1e38);
    for (uint i = thread_index(); i < push.count; i += all) {
        const vec3 at = center_of(i);
        from = min(from, at);
        to = max(to, at);
    }
    for (uint k = 0; k < 3; k++) {
        if (from[k] > to[k]) continue;
        atomicMin(low[k], ordered(from[k]));
        atomicMin(high[k], ~ordered(to[k]));
    }
    barrier();
    if (t < 3) {
        atomicMin(boxes[push.draw].low[t], low[t]);
        atomicMin(boxes[push.draw].high[t], high[t]);
    }
}
