// sph_emission.glsl - particles that begin and end: with EMITS, `count` of what is pushed is the capacity.
layout(constant_id = 7) const uint EMITS = 0;

uint emission_capacity() { return push.count; }
float emission_step_s() { return push.step_s; }
#include "emission.glsl"

// Particles in the order of cells.
uint sorted_count() {
    if (EMITS != 0) return emission.state.alive;
    return push.count;
}

const vec4 ABSENT = vec4(ELEMENT_ABSENT, 0, 0, 0);
