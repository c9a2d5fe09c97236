// sph_density_rows.comp - LANES threads per particle: the density, and for the forces a bit for
// each candidate that is set when it is within h. Reads each candidate of 27 cells once.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_MASK) writeonly restrict buffer Mask { uint mask[]; };
#include "sph_rows.glsl"
layout(constant_id = 4) const uint UNROLL = 4;

// The squared distance minus h2: negative for neighbours.
float beyond(vec3 d) { return fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, -push.h2))); }

#define CANDIDATE(j)                                 \
    {                                                \
        const float w = beyond(p - position[j].xyz); \
        const float inside = min(w, 0);              \
        near = near << 1 | floatBitsToUint(w) >> 31; \
        sum = fma(inside * inside, inside, sum);     \
    }

// Adds candidates to a sum of negative cubes; the last of them has the lowest bit.
float candidates_add(vec3 p, uint first, uint end, float sum, out uint near) {
    uint j = first;
    near = 0;
    for (; j + UNROLL <= end; j += UNROLL) {
        [[unroll]] for (uint k = 0; k < UNROLL; k++) CANDIDATE(j + k)
    }
    for (; UNROLL > 1 && j < end; j++) CANDIDATE(j)
    return sum;
}

void main() {
    const uint thread = thread_index(), lane = thread % LANES;
    const bool live = thread / LANES < push.count;
    if (LANES == 1 && !live) return;
    const uint  i = min(thread / LANES, push.count - 1);
    const vec3  p = position[i].xyz;
    const ivec3 c = cell_of(p);
    float       sum = 0;
    for (uint r = lane; r < ROWS; r += LANES) {
        const uvec4 range = row_ranges(c, r);
        uint        near, none;
        sum = candidates_add(p, range.x, range.y, sum, near);
        if (range.z < range.w) sum = candidates_add(p, range.z, range.w, sum, none);
        if (live) mask[r * push.count + i] = near;
    }
    if (LANES > 1) sum += subgroupShuffleXor(sum, 1);
    if (LANES > 2) sum += subgroupShuffleXor(sum, 2);
    if (live && lane == 0) velocity[i].w = inverse_density_of(-sum);
}
