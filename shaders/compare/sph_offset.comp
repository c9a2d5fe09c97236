// sph_offset.comp - one thread per sorted pair: the first particle of each cell, by atomic minimum.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(binding = SPH_PAIR) readonly restrict buffer Pair { uvec2 pair[]; };
layout(binding = SPH_START) restrict buffer Start { uint start[]; };

void main() {
    const uint i = thread_index();
    if (i < push.count) atomicMin(start[pair[i].x], i);
}
