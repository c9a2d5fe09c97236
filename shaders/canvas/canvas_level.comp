// canvas_level.comp - a level of the pyramid above the first one: one thread per block.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#define PYRAMID_ACCESS
#include "canvas_pyramid.glsl"

layout(push_constant, scalar) uniform Push { CanvasLevel push; };

void main() {
    const uint  i = thread_index();
    const uvec2 blocks = blocks_of(eye, push.level), below = blocks_of(eye, push.level - 1);
    if (i >= blocks.x * blocks.y) return;
    const uint  from = blocks_before(eye, push.level - 1);
    const uvec2 first = uvec2(i % blocks.x, i / blocks.x) * 2, last = min(first + 1, below - 1);
    vec2        range = vec2(1, 0);
    for (uint y = first.y; y <= last.y; y++) {
        for (uint x = first.x; x <= last.x; x++) {
            const vec2 block = pyramid[from + y * below.x + x];
            range = vec2(min(range.x, block.x), max(range.y, block.y));
        }
    }
    pyramid[from + below.x * below.y + i] = range;
}
