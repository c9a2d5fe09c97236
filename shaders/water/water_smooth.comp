// water_smooth.comp - one thread per pixel: a step of a smoothing filter whose taps have a distance of 2^n pixels in step n, with the
// weights 1 4 6 4 1 along both sides. Taps on opposite sides are compared as pairs: their mean is the depth of the pixel
// where the surface is a plane, whatever its slope, because depth is linear in the picture; pairs whose mean is far from the pixel
// are at an edge, and do not count. So there are no halos, and a plane stays one.
//
// Sources  P. Burt, Fast filter transforms for image processing, 1981, for the taps; N. Truong, C. Yuksel, A Narrow-Range Filter for
// Screen-Space Fluid Rendering, 2018, for a range of depths in which pixels are compared.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "water_io.h"
#include "canvas.glsl"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"
#include "water_depth.glsl"

layout(constant_id = 1) const uint IS_FIRST = 0; // words are keys
layout(binding = WATER_FLUID, scalar) readonly restrict buffer Fluids { WaterFluid fluids[]; };
layout(binding = WATER_NEAREST) readonly restrict buffer From { uint from[]; };
layout(binding = WATER_SMOOTHED) writeonly restrict buffer To { uint to[]; };

const float RANGE = 1.5;     // distances between particles: at which pairs do not count any more
const uint  SEARCHES = 5;    // each halves the distance in which an edge is
const float WEIGHT[3] = float[](6, 4, 1);

uint word_at(ivec2 at) {
    if (!is_in_rectangle(at)) return 0;
    const uint word = from[at.y * push.width + at.x];
    return IS_FIRST != 0 ? decoded(word) : word;
}

// The mean of the pairs of pixels on opposite sides of a hole.
uint hole_closed(ivec2 at) {
    float sum = 0, count = 0;
    uint  fluid = 0;
    for (int y = 0; y <= 1; y++) {
        for (int x = y == 0 ? 1 : -1; x <= 1; x++) {
            const ivec2 aside = ivec2(x, y);
            const uint  a = word_at(at + aside), b = word_at(at - aside);
            if (a == 0 || b == 0) continue;
            const float da = depth_in(a), db = depth_in(b);
            if (difference_m(da - db, max(da, db)) > fluids[fluid_of(a)].spacing_m * 2) continue;
            sum += da + db;
            count += 2;
            fluid = min(fluid_of(a), fluid_of(b));
        }
    }
    if (count < 6) return 0;
    return word_of(sum / count, fluid) | (water.is_inside != 0 ? 0x80000000u : 0);
}

// How far the mean of two taps is from the depth of the pixel, in the range: 1 at its end; or more. The number of the fluid is so
// small a part of depth that it does not matter here.
//   each  of a difference of depth
float bend_at(uint a, uint b, float depth, float each, out float bend) {
    const float before = abs(uintBitsToFloat(a)), after = abs(uintBitsToFloat(b));
    bend = (before + after) * 0.5 - depth;
    return min(before, after) == 0 ? 2 : abs(bend) * each;
}

// Of a pair beyond an edge, the farthest taps before it take the place: otherwise lines are seen along edges, where a pair
// begins to count.
float bend_before_edge(ivec2 at, ivec2 aside, float depth, float each, out float found_far) {
    float low = 0, high = 1, found = 0;
    found_far = 1;
    for (uint k = 0; k < SEARCHES; k++) {
        const float middle = (low + high) * 0.5;
        const ivec2 apart = ivec2(round(vec2(aside) * middle));
        float bend;
        const float far = bend_at(word_at(at + apart), word_at(at - apart), depth, each, bend);
        if (far < 1) low = middle, found = bend, found_far = far;
        else high = middle;
    }
    return found;
}

// The bends of all pairs by their weights.
float bends_of(ivec2 at, int apart, float depth, float each) {
    const bool is_inner = is_in_rectangle(at - 2 * apart) && is_in_rectangle(at + 2 * apart);
    const int  here = at.y * int(push.width) + at.x;
    float sum = 0;
    [[unroll]] for (int y = 0; y <= 2; y++) {
        [[unroll]] for (int x = -2; x <= 2; x++) {
            if (y == 0 && x <= 0) continue;
            const ivec2 aside = ivec2(x, y) * apart;
            const int   next = aside.y * int(push.width) + aside.x;
            uint a, b;
            if (is_inner && IS_FIRST == 0) a = from[here + next], b = from[here - next];
            else a = word_at(at + aside), b = word_at(at - aside);
            float bend, far = bend_at(a, b, depth, each, bend);
            if (far >= 1) bend = bend_before_edge(at, aside, depth, each, far);
            const float inside = max(1 - far * far, 0);
            sum += bend * inside * inside * (WEIGHT[abs(x)] * WEIGHT[y]);
        }
    }
    return sum;
}

void main() {
    uvec2 pixel;
    if (!pixel_of(pixel)) return;
    const uint  index = pixel.y * push.width + pixel.x;
    const ivec2 at = ivec2(pixel);
    const uint  step = push.step >= WATER_LAST ? WATER_LAST + 1 - push.step : push.step;
    const int   apart = 1 << step;
    const uint  word = word_at(at);
    if (word == 0) {
        to[index] = IS_FIRST != 0 ? hole_closed(at) : 0;
        return;
    }
    const float depth = depth_in(word);
    const WaterFluid fluid = fluids[fluid_of(word)];
    const vec2  deviation = pixels_of_metre(depth) * fluid.smoothing_m * (push.is_map != 0 ? WATER_MAP_SMOOTHER : 1);
    const float variance = max(deviation.x, deviation.y) * max(deviation.x, deviation.y);
    // Step n adds a variance of 4^n, to which the earlier ones have added (4^n - 1) / 3.
    const float added = float(1u << (2 * step));
    const float share = push.step >= WATER_LAST ? clamp(variance / 5 - 1, 0, 1) : clamp((variance - (added - 1) / 3) / added, 0, 1);
    if (share == 0) {
        to[index] = word;
        return;
    }
    const float each = difference_m(1, depth) / (RANGE * fluid.spacing_m);
    const float smoothed = depth + share * bends_of(at, apart, depth, each) * (2.0 / 256);
    to[index] = word_of(max(smoothed, 1e-9), fluid_of(word)) | (word & 0x80000000u);
}
