// water_crowd.comp - one thread per particle: counts it in its cube.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"
#include "water_crowd.glsl"

layout(binding = WATER_CROWD) restrict buffer Crowd { uint crowd[]; };

void main() {
    const uint i = thread_index();
    if (i < push.count && !ELEMENT_IS_ABSENT(positions[i].x)) atomicAdd(crowd[cube_word(ivec3(floor(in_cubes(positions[i].xyz))))], 1);
}
