// sph_integrate.comp - one thread per particle: moves it, and counts it in its new cell.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(constant_id = 3) const uint COUNTED = 1; // the next step needs the counts
layout(binding = SPH_POSITION) readonly buffer From { vec4 position_from[]; };
layout(binding = SPH_VELOCITY) readonly buffer VelocityFrom { vec4 velocity_from[]; };
layout(binding = SPH_ACCELERATION, scalar) readonly restrict buffer Acceleration { vec3 acceleration[]; };
#include "sph_move.glsl"

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    particle_move(i, position_from[i], velocity_from[i], acceleration[i], COUNTED == 1);
}
