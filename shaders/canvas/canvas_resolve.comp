// canvas_resolve.comp - one thread per pixel: the mean of its samples, each through the tone curve, as sRGB.
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

// Values up to 0.8 are kept; those above approach 1 with a continuous slope. Or values up to 0.5 are kept, and those above
// reach 1 at the white of the view, by a logarithm.
vec3 toned(vec3 c) {
    if (eye.exposure == 0) return min(c, vec3(1));
    if (eye.tone > 0) return min(min(c, 0.5 + 0.5 * log(1 + eye.tone * max(c * 2 - 1, vec3(0))) / eye.tone), vec3(1));
    return min(c, 0.8 + 0.2 * (1 - exp(-max(c - 0.8, vec3(0)) / 0.2)));
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
            sum += toned(vec3(unpackHalf2x16(c.x), unpackHalf2x16(c.y).x));
        }
    }
    pixels[i] = packUnorm4x8(vec4(srgb(sum / float(side * side)), 1));
}
