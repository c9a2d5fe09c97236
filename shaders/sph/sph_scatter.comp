// sph_scatter.comp - one thread per particle: moves it to its index in the order of cells.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(binding = SPH_POSITION_INPUT) readonly restrict buffer From { vec4 position_from[]; };
layout(binding = SPH_VELOCITY_INPUT) readonly restrict buffer VelocityFrom { vec4 velocity_from[]; };
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };
layout(binding = SPH_RANK) readonly restrict buffer Rank { uint rank[]; };
layout(binding = SPH_POSITION) writeonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) writeonly restrict buffer Velocity { vec4 velocity[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec4  p = position_from[i];
    const ivec3 c = cell_of(p.xyz);
    const uint  to = start[slot_of(c)] + rank[i];
    position[to] = p;
    velocity[to] = velocity_from[i];
}
