// sph_among.glsl - walls among colliders of all kinds.
#include "sph_walls.glsl"
#include "colliders_meet.glsl"

// The volume of a shape, of which no more than h is along an axis, in h^3: of a box whose edges are rounded, by Steiner's formula.
float shape_volume(ColliderShape c) {
    const vec3  a = min(c.half_m * push.inverse_h, vec3(1));
    const float r = c.radius_m * push.inverse_h, faces = dot(a, a.yzx), edges = a.x + a.y + a.z;
    if (c.is_plane != 0) return WALL_FLAT;
    return 8 * (a.x * a.y * a.z + r * faces) + r * r * 6.28318531 * (edges + r * (2.0 / 3));
}

// A collider as a wall, where it is at a time. Returns its distance.
float collider_wall(inout Walls walls, ColliderShape c, vec3 at, vec4 turn, vec3 p, out vec3 normal) {
    vec3        local;
    const float far = shape_distance(c, turned_back(turn, p - at), local);
    normal = turned(turn, local);
    wall_add(walls, far * push.inverse_h, normal, shape_volume(c));
    return far;
}

Around around_of(vec3 p, float near_m) {
    return colliders_around(p, push.direct_count, push.collider_count, push.collider_cell_m, near_m > push.h);
}
