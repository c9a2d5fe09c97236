// sph_force_cells.comp - one thread per particle: the forces, from 27 cells one by one.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_pair.glsl"
#include "sph_cells.glsl"

layout(binding = SPH_VELOCITY) readonly restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_ACCELERATION, scalar) writeonly restrict buffer Acceleration { vec3 acceleration[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const Self  self = self_of(position[i], velocity[i]);
    const ivec3 cell = cell_of(self.position);
    vec3        sum = vec3(0);
    for (uint k = 0; k < 27; k++) {
        const ivec3 c = cell_beside(cell, k);
        const uint  slot = slot_of(c);
        for (uint at = start[slot]; cell_has(slot, at); at++) {
            const uint j = cell_particle(at);
            const vec3 q = position[j].xyz, d = self.position - q;
            if (dot(d, d) < push.h2 && cell_is(c, q))
                pair_add(sum, self, d, velocity[j], 0);
        }
    }
    acceleration[i] = acceleration_of(self, sum);
}
