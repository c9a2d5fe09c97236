// sph_tiles.glsl - all pairs: a group has SPH_TILE / SPH_TILE_LANES particles, each with
// SPH_TILE_LANES threads, and reads tiles of SPH_TILE others into shared memory. A thread processes
// every SPH_TILE_LANES-th particle of a tile; the sums of the threads are added at the end.
const uint GROUP_PARTICLES = SPH_TILE / SPH_TILE_LANES;

uint tile_particle() { return group_index() * GROUP_PARTICLES + gl_LocalInvocationID.x / SPH_TILE_LANES; }
uint tile_lane() { return gl_LocalInvocationID.x % SPH_TILE_LANES; }
uint tiles() { return (push.count + SPH_TILE - 1) / SPH_TILE; }
