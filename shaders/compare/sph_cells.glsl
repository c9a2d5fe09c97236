// sph_cells.glsl - iterates over the 27 cells around a particle one by one: for hashed cells, and
// for sorted indices of particles that are not moved in memory.
layout(constant_id = 3) const uint SORTED = 0;
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };
layout(binding = SPH_PAIR) readonly restrict buffer Pair { uvec2 pair[]; };
layout(binding = SPH_POSITION) readonly restrict buffer Position { vec4 position[]; };

ivec3 cell_beside(ivec3 c, uint k) { return c + ivec3(k % 3, k / 3 % 3, k / 9) - 1; }

// Is there a k-th one in the cell?
bool cell_has(uint slot, uint at) {
    if (SORTED == 0) return at < start[slot + 1];
    return at < push.count && pair[at].x == slot;
}

uint cell_particle(uint at) { return SORTED == 0 ? at : pair[at].y; }

// Two of the 27 cells may have the same hash: a particle counts only in its own cell.
bool cell_is(ivec3 c, vec3 p) { return HASHED == 0 || cell_of(p) == c; }
