// lighting_normal.glsl - directions of surfaces.
vec3 unit_or(vec3 v, vec3 other) {
    const float size = dot(v, v);
    return size > 0 ? v * inversesqrt(size) : other;
}

// The normal that a normal map describes: `along` is the tangent, `side` 1 or -1.
vec3 bumped(vec3 normal, vec3 along, float side, vec2 bump, float strength) {
    const vec3 tangent = unit_or(along - normal * dot(along, normal), vec3(0));
    const vec3 bitangent = cross(normal, tangent) * side;
    const vec2 xy = bump * 2 - 1;
    const float z = sqrt(max(1 - dot(xy, xy), 0));
    return unit_or(tangent * xy.x * strength + bitangent * xy.y * strength + normal * z, normal);
}
