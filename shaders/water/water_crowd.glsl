// water_crowd.glsl - how many particles of a fluid are in each cube of two distances of particles, eight at rest. A cube has a
// word of a table, which others can have as well; it has at least two words for a particle.
layout(push_constant, scalar) uniform Push { WaterPush push; };
#include "water_particle.glsl"

uint cube_word(ivec3 cube) {
    uint hash = uint(cube.x) * 0x9e3779b1u ^ uint(cube.y) * 0x85ebca6bu ^ uint(cube.z) * 0xc2b2ae35u;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    return (hash ^ hash >> 13) & (push.cells - 1);
}

vec3 in_cubes(vec3 at) { return at / (2 * push.spacing_m); }
