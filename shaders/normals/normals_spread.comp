// normals_spread.comp - four samples per thread: the mean of 4 x 4 results of normals_occlusion.comp, in which each turn
// of the pattern occurs once, weighted by how near their surfaces are to the plane of the sample. With constant 2, there
// is one result per 2 x 2 samples.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "normals_io.h"
#include "normals_taps.glsl"

layout(constant_id = 2) const int SIDE = 1;

layout(binding = NORMALS_RAW, scalar) readonly restrict buffer Raws { NormalsRaw raws[]; };
layout(binding = NORMALS_VISIBLE) writeonly restrict buffer Visible { uint visible[]; };

// The difference of values at which a result has no weight: a quarter of the radius along the view.
float tolerance_of(float value) {
    if (KIND == NORMALS_ORTHOGRAPHIC) return push.radius_m * 0.25 / abs(push.scale);
    return push.radius_m * 0.25 * push.scale * value * value;
}

float smoothed(ivec2 at, float value, float step_x, float step_y) {
    const ivec2 size = (ivec2(push.width, push.height) + SIDE - 1) / SIDE;
    const ivec2 first = at / SIDE - 2 + (SIDE == 1 ? ivec2(0) : at & 1);
    const float per_tolerance = 1 / tolerance_of(value);
    vec2        sum = vec2(0), nearest = vec2(1e30, 1); // weights and weighted results; the nearest one
    for (int y = max(first.y, 0); y < min(first.y + 4, size.y); y++) {
        for (int x = max(first.x, 0); x < min(first.x + 4, size.x); x++) {
            const NormalsRaw raw = raws[y * size.x + x];
            const ivec2      from = ivec2(x, y) * SIDE + ivec2(raw.word >> 16 & 1, raw.word >> 17) - at;
            const float      plane = value + step_x * float(from.x) + step_y * float(from.y);
            const float      apart = raw.value == 0 ? 1e29 : abs(raw.value - plane) * per_tolerance;
            const float      weight = max(1 - apart, 0), result = float(raw.word & 0xffffu) * (1 / 65535.0);
            sum += vec2(weight, weight * result);
            if (apart < nearest.x) nearest = vec2(apart, result);
        }
    }
    // Where no result is near the plane, the nearest one counts.
    return (sum.y + nearest.y * 1e-3) / (sum.x + 1e-3);
}

uint byte_of(ivec2 at, float value, float step_x, float step_y) {
    if (value == 0) return 255;
    if (is_missing(value, step_x, step_y)) step_x = step_y = 0;
    return uint(clamp(smoothed(at, value, step_x, step_y), 0, 1) * 255 + 0.5);
}

uint byte_at(ivec2 at) {
    const float value = value_at(at.x, at.y);
    return byte_of(at, value, step_of(value_at(at.x - 1, at.y), value, value_at(at.x + 1, at.y)),
                   step_of(value_at(at.x, at.y - 1), value, value_at(at.x, at.y + 1)));
}

void main() {
    const uint first = thread_index() * 4, count = push.width * push.height;
    if (first >= count) return;
    ivec2 at = ivec2(first % push.width, first / push.width);
    uint  word = 0;
    if (push.width % 4 == 0) { // all four are in this row
        const bool inner = is_inner(at.x, at.y, 1);
        const Row  row = row_at(at, inner);
        const vec4 across = steps_across(row);
        const vec4 down = steps_down(four_at(at - ivec2(0, 1), inner), row.at, four_at(at + ivec2(0, 1), inner));
        for (int k = 0; k < 4; k++)
            word |= byte_of(at + ivec2(k, 0), row.at[k], across[k], down[k]) << (8 * k);
    } else {
        for (uint k = 0; k < 4 && first + k < count; k++) {
            word |= byte_at(at) << (8 * k);
            at = at.x + 1 < int(push.width) ? at + ivec2(1, 0) : ivec2(0, at.y + 1);
        }
    }
    visible[first / 4] = word;
}
