// meshes_moved.glsl - the vertices of an instance: those of its mesh, or where skeletons and morph targets move them.
layout(binding = MESHES_RANGE, scalar) readonly restrict buffer Ranges { SkinRange ranges[]; };
layout(binding = MESHES_MOVED_TO) readonly restrict buffer MovedTo { uint moved_to[]; };

bool is_moved(MeshInstance i) { return MESHES_IS_MOVED(i.shown); }

vec3 position_at(MeshInstance i, MeshRow mesh, uint v) {
    if (!is_moved(i)) return vec3_at(mesh.position, v);
    const uint at = ranges[MESHES_RANGE_OF(i.shown)].to + v * 4;
    return uintBitsToFloat(uvec3(moved_to[at], moved_to[at + 1], moved_to[at + 2]));
}

// A point of the octahedron as a unit vector.
vec3 octahedral_at(uint word) {
    vec3        n = vec3(unpackSnorm2x16(word), 0);
    const float down = abs(n.x) + abs(n.y) - 1;
    n.z = -down;
    n.xy += mix(vec2(max(down, 0)), vec2(-max(down, 0)), greaterThanEqual(n.xy, vec2(0)));
    return normalize(n);
}

vec3 normal_at(MeshInstance i, MeshRow mesh, uint v) {
    if (!is_moved(i)) return vec3_at(mesh.normal, v);
    return octahedral_at(moved_to[ranges[MESHES_RANGE_OF(i.shown)].to + v * 4 + 3]);
}

vec4 tangent_at(MeshInstance i, MeshRow mesh, uint v) {
    if (!is_moved(i)) return vec4_at(mesh.tangent, v);
    const uint word = moved_to[ranges[MESHES_RANGE_OF(i.shown)].to_tangent + v];
    return vec4(octahedral_at(word & ~1u), (word & 1u) != 0 ? -1 : 1);
}
