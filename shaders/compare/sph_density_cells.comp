// sph_density_cells.comp - one thread per particle: the density, from 27 cells one by one.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_cells.glsl"
#include "sph_planes.glsl"

layout(binding = SPH_VELOCITY) restrict buffer Velocity { vec4 velocity[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec3  p = position[i].xyz;
    const ivec3 cell = cell_of(p);
    float       sum = 0;
    for (uint k = 0; k < 27; k++) {
        const ivec3 c = cell_beside(cell, k);
        const uint  slot = slot_of(c);
        for (uint at = start[slot]; cell_has(slot, at); at++) {
            const vec3  q = position[cell_particle(at)].xyz, d = p - q;
            const float w = push.h2 - dot(d, d);
            if (w > 0 && cell_is(c, q)) sum = fma(w * w, w, sum);
        }
    }
    velocity[i].w = inverse_density_of(kind_of(0), sum, walls_around(p).free);
}
