// sph_emission.glsl - particles that begin and end: fluids are pools.
float emission_step_s() { return push.step_s; }
uint  emission_pool(uint word) { return MIXED ? ELEMENT_KIND(word) : 0; }
uint  emission_number(uint word) { return MIXED ? ELEMENT_NUMBER(word) : word; }
#include "emission.glsl"

// Particles in the order of cells.
uint sorted_count() {
    if (EMITS) return emission.alive;
    return push.count;
}

const vec4 ABSENT = vec4(ELEMENT_ABSENT, 0, 0, 0);
