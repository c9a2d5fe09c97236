// sph_among.glsl - walls among colliders of all kinds.
#include "sph_walls.glsl"
#include "colliders_meet.glsl"

// The volume of a shape: of a box whose edges are rounded, by Steiner's formula.
float shape_volume(ColliderShape c) {
    const vec3  a = c.half_m;
    const float r = c.radius_m, flat_m = dot(a, a.yzx), round_m = a.x + a.y + a.z;
    if (c.is_plane != 0) return WALL_FLAT;
    return 8 * (a.x * a.y * a.z + r * flat_m) + r * r * 6.28318531 * (round_m + r * (2.0 / 3));
}

// A collider where it is at the beginning of the step, for a particle there.
void collider_wall(inout Walls walls, ColliderShape c, vec3 p) {
    vec3        normal;
    const float far = shape_distance(c, turned_back(c.turn_was, p - c.at_was), normal), h = push.inverse_h;
    wall_add(walls, far * h, turned(c.turn_was, normal), shape_volume(c) * h * h * h);
}

Walls walls_around(vec3 p) {
    const Around around = colliders_around(p, push.direct_count, push.collider_cell_m);
    Walls walls = NO_WALLS;
    for (uint k = 0; k < around.end; k++) {
        const uint n = push.collider_first + collider_number(around, k);
        if (collider_is_near(n, p, push.h)) collider_wall(walls, colliders[n], p);
    }
    return walls;
}
