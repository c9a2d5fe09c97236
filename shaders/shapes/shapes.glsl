// shapes.glsl - the elements of a draw.
layout(push_constant, scalar) uniform Push { ShapesPush push; };
layout(binding = SHAPES_ELEMENT) readonly restrict buffer Elements { vec4 elements[]; };

vec3 posed(vec3 at) {
    const vec4 p = vec4(at, 1);
    return vec3(dot(push.pose_x, p), dot(push.pose_y, p), dot(push.pose_z, p));
}

// The centre of an element in the world.
vec3 center_of(uint i) { return posed(vec3(elements[i].xy, push.is_flat != 0 ? 0 : elements[i].z)); }

// Elements that do not exist, or are of another kind, are not drawn.
bool is_absent(uint i) {
    return ELEMENT_IS_ABSENT(elements[i].x) || (push.kind != 0 && ELEMENT_KIND(floatBitsToUint(elements[i].w)) + 1 != push.kind);
}
