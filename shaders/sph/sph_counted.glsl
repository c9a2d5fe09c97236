// sph_counted.glsl - counts a particle in its cell for the next step, unless it ends. Before it, a kernel declares position_moved.
#include "sph_emission.glsl"
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };

void particle_leave(uint i) {
    rank[i] = EMISSION_NONE;
    position_moved[i] = ABSENT;
}

bool particle_ends(uint word, vec3 p) {
    return emission_is_over(emission_number(word)) || emission_is_in_sink(emission_pool(word), p);
}

void particle_count(uint i, vec4 p) {
    if (EMITS && particle_ends(floatBitsToUint(p.w), p.xyz)) {
        emission_end(floatBitsToUint(p.w));
        particle_leave(i);
        return;
    }
    rank[i] = atomicAdd(cell_count[slot_of(cell_of(p.xyz))], 1);
}
