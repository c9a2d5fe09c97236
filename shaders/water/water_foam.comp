// water_foam.comp - one thread per particle: it begins to foam where particles are fast and few, and stops after about a second.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"

layout(push_constant, scalar) uniform Push { WaterPush push; };
layout(binding = WATER_POSITION) readonly restrict buffer Positions { vec4 positions[]; };
layout(binding = WATER_VELOCITY) readonly restrict buffer Velocities { vec4 velocities[]; };
layout(binding = WATER_FOAM) restrict buffer Foam { float foam[]; };

const float LASTS_S = 1.0;

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const uint  number = floatBitsToUint(positions[i].w);
    const float speed = length(velocities[i].xyz), density = velocities[i].w / push.rest_density;
    const float fast = smoothstep(push.fast_m_s, 3 * push.fast_m_s, speed), few = smoothstep(0.1, 0.5, 1 - density);
    const float begins = 1 - exp(-push.duration_s * fast * few * 8);
    const float old = foam[number] * exp(-push.duration_s / LASTS_S);
    foam[number] = old + (1 - old) * begins;
}
