// sph_emit.comp - a thread per particle that begins in a step, behind those that exist. Walls press it from its second step on.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(binding = SPH_POSITION_INPUT) restrict buffer PositionMoved { vec4 position_moved[]; };
#include "sph_counted.glsl"
layout(binding = SPH_VELOCITY_INPUT) writeonly restrict buffer VelocityMoved { vec4 velocity_moved[]; };
layout(binding = SPH_FRESH) writeonly restrict buffer Fresh { float fresh[]; };

void main() {
    Emitted    begun;
    const uint k = thread_index();
    if (!emission_begin(k, begun)) return;
    const uint i = emission.alive + k;
    position_moved[i] = vec4(begun.position, uintBitsToFloat(begun.word));
    velocity_moved[i] = vec4(begun.velocity, begun.density);
    if (begun.number < fresh.length()) fresh[begun.number] = 0; // the buffer can be one of a word that nothing reads
    rank[i] = atomicAdd(cell_count[slot_of(cell_of(begun.position))], 1);
}
