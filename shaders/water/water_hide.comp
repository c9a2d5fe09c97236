// water_hide.comp - one group per block of the rectangle: the lowest key of its pixels, which hides particles behind all of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"
#define WATER_STATE_ACCESS readonly
#include "water.glsl"

layout(binding = WATER_NEAREST) readonly restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_HIDDEN) writeonly restrict buffer Hidden { uint hidden[]; };

layout(binding = WATER_LARGE) writeonly restrict buffer Large { uint large_count[]; };

shared uint lowest;

void main() {
    uvec2 at;
    if (gl_LocalInvocationID.x == 0) lowest = 0xffffffffu;
    if (thread_index() < WATER_FLUIDS_MAX) large_count[thread_index()] = 0; // for the other particles
    barrier();
    if (pixel_of(at)) atomicMin(lowest, nearest[at.y * push.width + at.x]);
    barrier();
    if (gl_LocalInvocationID.x == 0 && group_index() < water.wide * water.high) {
        const uvec2 block = at / uvec2(WATER_WIDE, WATER_HIGH);
        hidden[block.y * blocks_wide() + block.x] = lowest;
    }
}
