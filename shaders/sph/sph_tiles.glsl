// sph_tiles.glsl - all pairs: a group has SPH_TILE / SPH_TILE_LANES particles, each with as many
// threads as there are lanes, and looks at tiles of SPH_TILE others in shared memory. A thread takes
// every SPH_TILE_LANES-th of a tile; what it sums is added up at the end.
const uint OWN = SPH_TILE / SPH_TILE_LANES;

uint own_index() { return group_index() * OWN + gl_LocalInvocationID.x / SPH_TILE_LANES; }
uint own_lane() { return gl_LocalInvocationID.x % SPH_TILE_LANES; }
uint tiles() { return (push.count + SPH_TILE - 1) / SPH_TILE; }
