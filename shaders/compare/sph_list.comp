// sph_list.comp - one thread per pair: a particle's cell and index, to be sorted; after the last
// particle, a padding value that sorts to the end. Also one thread per cell: marks it as empty.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"

layout(constant_id = 3) const uint PAIRS = 0; // a power of two
layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_PAIR) writeonly restrict buffer Pair { uvec2 pair[]; };
layout(binding = SPH_START) writeonly restrict buffer Start { uint start[]; };

void main() {
    const uint i = thread_index();
    if (i <= push.cell_mask) start[i] = SPH_NO_CELL;
    if (i >= PAIRS) return;
    uint slot = SPH_NO_CELL;
    if (i < push.count) {
        const ivec3 c = cell_of(position[i].xyz);
        slot = slot_of(c);
    }
    pair[i] = uvec2(slot, i);
}
