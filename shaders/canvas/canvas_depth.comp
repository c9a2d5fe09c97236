// canvas_depth.comp - level 0 of the pyramid: some threads per block, each of which reads a column of samples.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#define PYRAMID_ACCESS writeonly
#include "canvas_pyramid.glsl"

shared vec2 column[CANVAS_GROUP];

void main() {
    const uint  side = CANVAS_BLOCK * eye.samples, at_once = CANVAS_GROUP / side;
    const uint  t = gl_LocalInvocationID.x, block = group_index() * at_once + t / side;
    const uvec2 blocks = blocks_of(0), at = uvec2(block % blocks.x, block / blocks.x) * side + uvec2(t % side, 0);
    const bool  used = t < at_once * side && block < blocks.x * blocks.y;
    vec2        range = vec2(1, 0);
    for (uint y = 0; used && y < side && at.x < eye.width && at.y + y < eye.height; y++) {
        const float depth = texelFetch(depth_image, ivec2(at.x, at.y + y), 0).x;
        range = vec2(min(range.x, depth), max(range.y, depth));
    }
    column[t] = range;
    barrier();
    if (!used || t % side != 0) return;
    for (uint x = 1; x < side; x++)
        range = vec2(min(range.x, column[t + x].x), max(range.y, column[t + x].y));
    pyramid[block] = range;
}
