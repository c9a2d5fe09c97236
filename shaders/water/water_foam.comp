// water_foam.comp - one thread per particle: it begins to foam where particles are fast and few, and stops after about a second.
//
// Source: M. Ihmsen et al., Unified spray, foam and air bubbles for particle-based fluids, 2012, for foam that begins with fast
// particles at the surface and is carried by the fluid.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"
#include "water_crowd.glsl"

layout(binding = WATER_VELOCITY) readonly restrict buffer Velocities { vec4 velocities[]; };
layout(binding = WATER_CROWD) readonly restrict buffer Crowd { uint crowd[]; };
layout(binding = WATER_FOAM) restrict buffer Foam { float foam[]; };

const float LASTS_S = 1.0, BEGINS_S = 0.1;

// How much fluid is around a place, 1: as much as at rest; between the cubes around it.
float fill_at(vec3 at) {
    const vec3  place = in_cubes(at) - 0.5, share = fract(place);
    const ivec3 low = ivec3(floor(place));
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        const ivec3 aside = ivec3(k & 1, k >> 1 & 1, k >> 2);
        const vec3  each = mix(1 - share, share, vec3(aside));
        sum += each.x * each.y * each.z * float(crowd[cube_word(low + aside)]);
    }
    return sum / 8;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count || !is_of_fluid(positions[i])) return;
    const uint  number = number_of(positions[i]);
    const float fast = smoothstep(push.fast_m_s, 2 * push.fast_m_s, length(velocities[i].xyz));
    const float few = 1 - smoothstep(0.3, 0.6, fill_at(positions[i].xyz));
    const float begins = 1 - exp(-push.duration_s / BEGINS_S * fast * few);
    const float old = foam[number] * exp(-push.duration_s / LASTS_S);
    foam[number] = old + (1 - old) * begins;
}
