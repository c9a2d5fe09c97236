// shapes_plane.glsl - planes, which are visible from their free side only, on the free side of all others, and around the
// centre of the view.
layout(binding = SHAPES_PLANE) readonly restrict buffer Planes { vec4 planes[]; };

// How much of a plane is seen at a point of it.
float plane_cover(vec3 at) { return 1 - smoothstep(0.9, 1.5, distance(at, eye.center) / eye.reach_m); }

// Along a ray to a plane, in lengths of the ray; 0: it does not meet its free side.
float plane_distance(vec3 from, vec3 ray, uint k) {
    const float down = -dot(ray, planes[k].xyz);
    return down > 0 ? (dot(from, planes[k].xyz) - planes[k].w) / down : 0;
}
