// meshes_normal.glsl - directions of surfaces in the world.

// A direction that is at right angles to the surface, or one along it.
vec3 posed_normal(Pose p, vec3 n) {
    const vec3 x = cross(p.y.xyz, p.z.xyz), y = cross(p.z.xyz, p.x.xyz), z = cross(p.x.xyz, p.y.xyz);
    return vec3(dot(x, n), dot(y, n), dot(z, n)) * sign(determinant_of(p));
}
vec3 posed_along(Pose p, vec3 v) { return vec3(dot(p.x.xyz, v), dot(p.y.xyz, v), dot(p.z.xyz, v)); }
