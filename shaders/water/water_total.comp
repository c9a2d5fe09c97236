// water_total.comp - one thread per pixel of the rectangle that is the first one of a cell: what all levels have there, in metres.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"

layout(binding = WATER_THICK) restrict buffer Thick { uint thick[]; };
layout(binding = WATER_FOAMS) restrict buffer Foams { uint foams[]; };

// Words of a cell that is in the level, or the next one that is.
vec2 cell_at(uint first, uvec2 cells, ivec2 at) {
    const uvec2 inside = uvec2(clamp(at, ivec2(0), ivec2(cells) - 1));
    const uint  cell = first + inside.y * cells.x + inside.x;
    return vec2(thick[cell], foams[cell]);
}

vec2 level_at(uint level, uint first, uvec2 cell) {
    const uvec2 cells = cells_of(level);
    const vec2  at = (vec2(cell) + 0.5) / float(1u << level) - 0.5, share = fract(at);
    const ivec2 low = ivec2(floor(at));
    return mix(mix(cell_at(first, cells, low), cell_at(first, cells, low + ivec2(1, 0)), share.x),
               mix(cell_at(first, cells, low + ivec2(0, 1)), cell_at(first, cells, low + ivec2(1, 1)), share.x), share.y);
}

void main() {
    uvec2 at;
    if (!pixel_of(at) || any(notEqual(at % 2, uvec2(0)))) return;
    const uvec2 cell = at / 2;
    const uint  first_word = cell.y * push.cells_wide + cell.x;
    vec2 sum = vec2(thick[first_word], foams[first_word]);
    uint first = push.cells_wide * push.cells_high;
    for (uint level = 1; level < WATER_LEVELS; level++) {
        sum += level_at(level, first, cell);
        first += cells_of(level).x * cells_of(level).y;
    }
    thick[first_word] = floatBitsToUint(sum.x * push.unit_m);
    foams[first_word] = floatBitsToUint(sum.y * push.unit_m);
}
