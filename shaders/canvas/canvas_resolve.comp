// canvas_resolve.comp - one thread per pixel: the mean of its samples, as sRGB.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"

layout(binding = CANVAS_COLOR) readonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = CANVAS_PIXEL) writeonly restrict buffer Pixels { uint pixels[]; };

vec3 srgb(vec3 c) {
    return mix(c * 12.92, 1.055 * pow(c, vec3(1 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

void main() {
    const uint i = thread_index();
    const uint side = eye.samples, wide = eye.width / side;
    if (i >= wide * (eye.height / side)) return;
    const uint first = i / wide * side * eye.width + i % wide * side;
    vec3       sum = vec3(0);
    for (uint y = 0; y < side; y++) {
        for (uint x = 0; x < side; x++) {
            const uvec2 c = colors[first + y * eye.width + x];
            sum += min(vec3(unpackHalf2x16(c.x), unpackHalf2x16(c.y).x), vec3(1));
        }
    }
    pixels[i] = packUnorm4x8(vec4(srgb(sum / float(side * side)), 1));
}
