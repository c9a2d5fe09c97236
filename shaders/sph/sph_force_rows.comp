// sph_force_rows.comp - LANES threads per particle: iterates over the bits that
// sph_density_rows.comp has written, so that only neighbours are processed.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_pair.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) readonly restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_MASK) readonly restrict buffer Mask { uint mask[]; };
layout(binding = SPH_ACCELERATION, scalar) writeonly restrict buffer Acceleration { vec3 acceleration[]; };
#include "sph_rows.glsl"

// Computes the bits of candidates without stored bits: the last ones of the range `first` to `end`.
uint near_of(vec3 p, uint first, uint end) {
    uint near = 0;
    for (uint j = max(first + ROW_BITS, end) - ROW_BITS; j < end; j++) {
        const vec3 d = p - position[j].xyz;
        near = near << 1 | uint(dot(d, d) < push.h2);
    }
    return near;
}

void main() {
    const uint thread = thread_index(), lane = thread % LANES;
    const bool live = thread / LANES < push.count;
    if (LANES == 1 && !live) return;
    const uint  i = min(thread / LANES, push.count - 1);
    const Self  self = self_of(position[i], velocity[i]);
    const ivec3 c = cell_of(self.position);
    vec3        sum = vec3(0);
    for (uint r = lane; r < ROWS; r += LANES) {
        uvec4 range = row_ranges(c, r);
        uint  near = mask[r * push.count + i];
        for (;;) {
            for (; near != 0; near &= near - 1) {
                const uint j = range.y - 1 - uint(findLSB(near));
                sum += pair_acceleration(self, self.position - position[j].xyz, velocity[j]);
            }
            if (range.y > range.x + ROW_BITS)
                range.y -= ROW_BITS;
            else if (range.z < range.w)
                range = uvec4(range.zw, 0, 0);
            else
                break;
            near = near_of(self.position, range.x, range.y);
        }
    }
    if (LANES > 1) sum += subgroupShuffleXor(sum, 1);
    if (LANES > 2) sum += subgroupShuffleXor(sum, 2);
    if (live && lane == 0) acceleration[i] = acceleration_of(self, sum);
}
