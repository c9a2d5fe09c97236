// sph_count.comp - one thread per particle: counts it in its cell and stores its rank there. Used
// before the first step; later, sph_integrate.comp counts the particles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(binding = SPH_POSITION_INPUT) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    if (ELEMENT_IS_ABSENT(position[i].x)) {
        rank[i] = EMISSION_NONE;
        return;
    }
    const ivec3 c = cell_of(position[i].xyz);
    rank[i] = atomicAdd(cell_count[slot_of(c)], 1);
}
