// canvas_meter.comp - one thread per sample: counts the samples of surfaces that a light reaches, by luminance and by
// their brightest channel. Their colours are those of CANVAS_REACHED, which is black elsewhere.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"

layout(binding = CANVAS_COLOR) readonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = CANVAS_METER) restrict buffer Meter { uint meter[]; };

// Bins of equal ratio: the exponent of a float and the first bits of its mantissa.
uint bin_of(float value) {
    const uint first = floatBitsToUint(CANVAS_METER_LOWEST), bits = floatBitsToUint(max(value, CANVAS_METER_LOWEST));
    return min((bits - first) >> (23 - CANVAS_METER_BITS), CANVAS_METER_BINS - 1);
}

void main() {
    const uint i = thread_index();
    if (i >= eye.width * eye.height) return;
    const vec3 c = vec3(unpackHalf2x16(colors[i].x), unpackHalf2x16(colors[i].y).x);
    if (c == vec3(0)) return;
    atomicAdd(meter[bin_of(dot(c, vec3(0.2126, 0.7152, 0.0722)))], 1);
    atomicAdd(meter[CANVAS_METER_BINS + bin_of(max(c.r, max(c.g, c.b)))], 1);
}
