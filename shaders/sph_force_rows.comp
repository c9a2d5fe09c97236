// sph_force_rows.comp - LANES threads a particle: walks the bits that sph_density_rows.comp has left,
// so that all work is on neighbours.
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
layout(binding = SPH_ACCELERATION) writeonly restrict buffer Acceleration { vec4 acceleration[]; };
#include "sph_rows.glsl"

vec3 candidates_add(Self self, uint first, uint end, vec3 sum) {
    for (uint j = first; j < end; j++) {
        const vec3 d = self.position - position[j].xyz;
        if (dot(d, d) < push.h2) sum += pair_acceleration(self, d, velocity[j]);
    }
    return sum;
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
        uint first, end;
        if (row_range(c, r, first, end)) {
            const uint masked = min(end, first + ROW_BITS);
            for (uint near = mask[r * push.count + i]; near != 0; near &= near - 1) {
                const uint j = masked - 1 - uint(findLSB(near));
                sum += pair_acceleration(self, self.position - position[j].xyz, velocity[j]);
            }
            sum = candidates_add(self, masked, end, sum);
        } else {
            for (int x = -1; x <= 1; x++) {
                cell_range(c, r, x, first, end);
                sum = candidates_add(self, first, end, sum);
            }
        }
    }
    if (LANES > 1) sum += subgroupShuffleXor(sum, 1);
    if (LANES > 2) sum += subgroupShuffleXor(sum, 2);
    if (live && lane == 0) acceleration[i] = vec4(acceleration_of(self, sum), 0);
}
