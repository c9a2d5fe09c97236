// sph_force_tiles.comp - the forces from all pairs, by tiles in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_pair.glsl"
#include "sph_tiles.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) readonly restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_ACCELERATION, scalar) writeonly restrict buffer Acceleration { vec3 acceleration[]; };

shared vec3 tile[SPH_TILE];
shared vec4 tile_velocity[SPH_TILE];
shared vec3 total[SPH_TILE];

void main() {
    const uint i = tile_particle(), lane = tile_lane(), thread = gl_LocalInvocationID.x;
    const uint safe = min(i, push.count - 1);
    const Self self = self_of(position[safe], velocity[safe]);
    vec3       sum = vec3(0);
    for (uint t = 0; t < tiles(); t++) {
        const uint first = t * SPH_TILE, tile_count = min(push.count - first, SPH_TILE);
        if (thread < tile_count) {
            tile[thread] = position[first + thread].xyz;
            tile_velocity[thread] = velocity[first + thread];
        }
        barrier();
        for (uint k = lane; k < tile_count; k += SPH_TILE_LANES) {
            const vec3 d = self.position - tile[k];
            if (dot(d, d) < push.h2) pair_add(sum, self, d, tile_velocity[k], 0);
        }
        barrier();
    }
    total[thread] = sum;
    barrier();
    if (lane > 0 || i >= push.count) return;
    for (uint k = 1; k < SPH_TILE_LANES; k++) sum += total[thread + k];
    acceleration[i] = acceleration_of(self, sum);
}
