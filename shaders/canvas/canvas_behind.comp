// canvas_behind.comp - one thread per pixel: the mean colour of its samples, and the depth of the nearest one, before layers are
// blended: what layers that refract show.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"

layout(binding = CANVAS_COLOR) readonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = CANVAS_BEHIND) writeonly restrict buffer Behind { uvec2 behind[]; };
layout(binding = CANVAS_BEHIND_DEPTH) writeonly restrict buffer BehindDepths { float behind_depths[]; };

void main() {
    const uint i = thread_index(), side = eye.samples, wide = eye.width / side;
    if (i >= wide * (eye.height / side)) return;
    const uint first = i / wide * side * eye.width + i % wide * side;
    vec3  sum = vec3(0);
    float near = 0;
    for (uint k = 0; k < side * side; k++) {
        const uint s = first + k / side * eye.width + k % side;
        sum += vec3(unpackHalf2x16(colors[s].x), unpackHalf2x16(colors[s].y).x);
        near = max(near, depth_at(s));
    }
    sum /= float(side * side);
    behind[i] = uvec2(packHalf2x16(sum.rg), packHalf2x16(vec2(sum.b, 1)));
    behind_depths[i] = near;
}
