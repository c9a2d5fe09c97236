// sph_tiles.glsl - all pairs: a group has SPH_TILE / SPH_TILE_LANES particles, each with
// SPH_TILE_LANES threads, and reads tiles of SPH_TILE others into shared memory. A thread processes
// every SPH_TILE_LANES-th particle of a tile; the sums of the threads are added at the end.
const uint OWN = SPH_TILE / SPH_TILE_LANES;

uint own_index() { return group_index() * OWN + gl_LocalInvocationID.x / SPH_TILE_LANES; }
uint own_lane() { return gl_LocalInvocationID.x % SPH_TILE_LANES; }
uint tiles() { return (push.count + SPH_TILE - 1) / SPH_TILE; }
