// sph_scatter.glsl - one thread per particle: moves it to its index in the order of cells, with AMONG_COLLIDERS also what is near it.
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_emission.glsl"

layout(binding = SPH_POSITION_INPUT) readonly restrict buffer From { vec4 position_from[]; };
layout(binding = SPH_VELOCITY_INPUT) readonly restrict buffer VelocityFrom { vec4 velocity_from[]; };
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };
layout(binding = SPH_RANK) readonly restrict buffer Rank { uint rank[]; };
layout(binding = SPH_POSITION) writeonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY) writeonly restrict buffer Velocity { vec4 velocity[]; };
#ifdef AMONG_COLLIDERS
layout(binding = SPH_WALLS_INPUT) readonly restrict buffer WallsFrom { vec4 walls_from[]; };
layout(binding = SPH_WALLS) writeonly restrict buffer WallsTo { vec4 walls_to[]; };
#endif

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    if (EMITS) {
        if (i == 0) emission_advance(start[push.cell_mask + 1]);
        if (rank[i] == EMISSION_NONE) return;
    }
    vec4        p = position_from[i];
    const ivec3 c = cell_of(p.xyz);
    const uint  to = start[slot_of(c)] + rank[i];
    const vec4  v = velocity_from[i];
#ifdef AMONG_COLLIDERS
    if (v.w < 0) {
        walls_to[to] = walls_from[i];
        p.w = uintBitsToFloat(floatBitsToUint(p.w) | SPH_NEAR);
    }
#endif
    position[to] = p;
    velocity[to] = v;
}
