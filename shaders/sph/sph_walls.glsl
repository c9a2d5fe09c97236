// sph_walls.glsl - what walls do to particles that are near them: a wall fills a part of the sphere in which a particle has neighbours.
//
// It acts as if it were fluid like that at the particle: the density is the sum over particles divided by the share of the kernel
// that walls leave free, and the wall presses with the pressure of the particle. Both follow from the distance of a wall that is flat
// as far as h; a smaller shape fills at most its volume. Shares of several walls are multiplied, which is exact in the corner of
// two that are perpendicular.
//
// Based on: T. Harada, S. Koshizuka, Y. Kawaguchi, Smoothed particle hydrodynamics in complex shapes, 2007, whose wall weights are
// tables; here they are integrals of the kernels over a half space.
struct Walls {
    float free; // share of the kernel
    vec3  push; // sum of normals, by the gradient of the kernel, in 1 / h
};

const Walls NO_WALLS = Walls(1, vec3(0));
const float WALLS_FREE_MIN = 1e-3; // among more walls than there can be around a particle

// Volume of a wall, in h^3, that is larger than any kernel.
const float WALL_FLAT = 1e9;

struct WallShare {
    float filled, pressing;
};

// Of a wall whose surface is q h away, less than 1, of a volume in h^3. Inside of it, q is negative.
WallShare wall_share(float q, float volume) {
    const float d = max(q, 0), s = d * d, u = 1 - d, inside = 1 - s;
    const float half_space = 0.5 - 1.23046875 * d * (1 + s * (-4.0 / 3 + s * (1.2 + s * (-4.0 / 7 + s * (1.0 / 9)))));
    const float filled = min(half_space, volume * 1.5666814 * inside * inside * inside);
    const float pressing = min(1.5 * u * u * (1 + 4 * d), volume * 14.3239449) * u * u;
    return WallShare(filled, pressing);
}

// In the direction -normal.
void wall_add(inout Walls walls, float q, vec3 normal, float volume) {
    if (q >= 1) return;
    const WallShare share = wall_share(q, volume);
    walls.push = walls.push * (1 - share.filled) + normal * (share.pressing * walls.free);
    walls.free = max(walls.free * (1 - share.filled), WALLS_FREE_MIN);
}

Walls walls_of(vec4 stored) { return Walls(stored.w, stored.xyz); }

// The acceleration by walls: `inverse_density` of the particle, with the share that is free.
vec3 walls_press(SphKind kind, Walls walls, float inverse_density) {
    const float pressure = kind.stiffness * (1 / inverse_density - kind.rest_density);
    return walls.push * (pressure * kind.wall_scale * (MODEL == 0 ? inverse_density : inverse_density * inverse_density));
}
