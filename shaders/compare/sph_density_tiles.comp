// sph_density_tiles.comp - the density from all pairs, by tiles in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_tiles.glsl"
#include "sph_planes.glsl"

layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) restrict buffer Velocity { vec4 velocity[]; };

shared vec3  tile[SPH_TILE];
shared float total[SPH_TILE];

void main() {
    const uint i = tile_particle(), lane = tile_lane(), thread = gl_LocalInvocationID.x;
    const vec3 p = position[min(i, push.count - 1)].xyz;
    float      sum = 0;
    for (uint t = 0; t < tiles(); t++) {
        const uint first = t * SPH_TILE, tile_count = min(push.count - first, SPH_TILE);
        if (thread < tile_count) tile[thread] = position[first + thread].xyz;
        barrier();
        for (uint k = lane; k < tile_count; k += SPH_TILE_LANES) {
            const vec3  d = p - tile[k];
            const float w = max(push.h2 - dot(d, d), 0);
            sum = fma(w * w, w, sum);
        }
        barrier();
    }
    total[thread] = sum;
    barrier();
    if (lane > 0 || i >= push.count) return;
    for (uint k = 1; k < SPH_TILE_LANES; k++) sum += total[thread + k];
    velocity[i].w = inverse_density_of(kind_of(0), sum, walls_around(p).free);
}
