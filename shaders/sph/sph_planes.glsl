// sph_planes.glsl - planes that stand, without friction.
#include "sph_walls.glsl"
layout(binding = SPH_PLANES, scalar) readonly restrict buffer Planes { ColliderPlane planes[]; };

layout(constant_id = 6) const uint HAS_WALLS = 1; // 0: there are never any colliders

Walls walls_around(vec3 p) {
    Walls walls = NO_WALLS;
    if (HAS_WALLS == 0) return walls;
    for (uint k = 0; k < push.direct_count; k++) {
        const vec4 plane = planes[k].plane;
        wall_add(walls, (dot(plane.xyz, p) - plane.w) * push.inverse_h, plane.xyz, WALL_FLAT);
    }
    return walls;
}
