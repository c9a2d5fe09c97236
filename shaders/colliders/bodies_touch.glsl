// bodies_touch.glsl - where two shapes touch. Both are boxes around which everything nearer than a radius belongs to the shape, which
// are points for spheres and lines for capsules.
struct Touch {
    vec3  normal;  // from the second one to the first one
    float depth_m; // how far one is in the other one; negative: they are apart
    vec3  point;   // of the surface of the second one
};

// The point of a box that is nearest to another one.
vec3 box_nearest(ColliderShape c, vec3 at, vec3 p) {
    return at + turned(c.turn, clamp(turned_back(c.turn, p - at), -c.half_m, c.half_m));
}

float box_extent(ColliderShape c, vec3 direction) { return dot(abs(turned_back(c.turn, direction)), c.half_m); }

Touch plane_touch(ColliderShape c, vec3 at, ColliderShape plane) {
    const vec3  normal = turned(plane.turn, vec3(0, 1, 0));
    const float extent_m = box_extent(c, normal) + c.radius_m;
    return Touch(normal, extent_m - dot(at - plane.at, normal), at - normal * extent_m);
}

// Of boxes that overlap, the axis of both along which they do so least.
Touch boxes_overlap(ColliderShape a, vec3 a_at, ColliderShape b, vec3 b_at) {
    const vec3 apart = a_at - b_at;
    Touch touch = Touch(vec3(0, 1, 0), 1e30, b_at);
    for (uint k = 0; k < 6; k++) {
        const vec3  axis = turned(k < 3 ? a.turn : b.turn, vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2));
        const float along = dot(apart, axis), depth_m = box_extent(a, axis) + box_extent(b, axis) - abs(along);
        if (depth_m >= touch.depth_m) continue;
        touch.normal = along < 0 ? -axis : axis;
        touch.depth_m = depth_m;
    }
    touch.depth_m += a.radius_m + b.radius_m;
    touch.point = box_nearest(b, b_at, a_at);
    return touch;
}

const uint NEARINGS = 16; // projections from one box to the other one and back; two whose sides are parallel need one

Touch shapes_touch(ColliderShape a, vec3 a_at, ColliderShape b, vec3 b_at) {
    vec3 p = a_at, q = b_at;
    for (uint k = 0; k < NEARINGS; k++) {
        q = box_nearest(b, b_at, p);
        p = box_nearest(a, a_at, q);
    }
    const vec3  apart = p - q;
    const float far2 = dot(apart, apart), size = a.radius_m + b.radius_m + length(a.half_m) + length(b.half_m);
    if (far2 <= 1e-10 * size * size) return boxes_overlap(a, a_at, b, b_at);
    const float far_m = sqrt(far2);
    const vec3  normal = apart / far_m;
    return Touch(normal, a.radius_m + b.radius_m - far_m, q + normal * b.radius_m);
}
