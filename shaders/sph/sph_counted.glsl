// sph_counted.glsl - counts a particle in its cell for the next step.
layout(binding = SPH_COUNT) restrict buffer Count { uint cell_count[]; };
layout(binding = SPH_RANK) writeonly restrict buffer Rank { uint rank[]; };

void particle_count(uint i, vec3 p) { rank[i] = atomicAdd(cell_count[slot_of(cell_of(p))], 1); }
